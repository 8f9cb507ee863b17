"""What stands before Gradio: an allow-list of routes, and bounds on what a request may send.

Whatever no page or program of ours asks for ends here, and so does what is too much, too slow, too deep, too
often at a time, or from a page of somebody else.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from starlette.formparsers import MultiPartException

from bodies import BodyError, FrameReader
from clients import Clients, TooMuchError, Waiting, waiting_events
from leaderboard.people import Network, find_address, network_of
from tidy import Tidier

_SLACK = 2**20  # bytes of a request beside the file or text in it
_SMALL = 2 * 2**20  # bytes of a request in which no file's text belongs; two trees may be in it
_TINY = 64 * 2**10  # bytes that anybody may send at any time
_GRACE = 15.0  # seconds until a request must have come
_RATE = 16 * 2**10  # bytes a second that it must come with from then on
_PER_CLIENT, _PER_SESSION = 12, 6  # events that may wait or be worked on
_CROWD = 32  # events of all from which on a client may have fewer: three short ones, or one
_SHORT = 1_000  # bytes of an event that takes little time
_LONG = 4_000  # bytes of an event that may take long, of which a client may have two, and all so many
_ALL_LONG, _ALL_FILES = 4, 64  # pairs: as many as may wait for each other in `pages/trees.py`; files
_API = "/gradio_api"
_CLOSE = (b"connection", b"close")
_UNREADABLE = (
    b'"error":"the server cannot take what was sent; send what its pages send, and upload the file itself"'
)
_SAFE = ("GET", "HEAD")
_TEXTS = ("submit", "submit_files", "score_files")  # endpoints that take the text of a file


class Route(NamedTuple):
    """An address that is open.

    Attributes:
        methods: The methods that the address takes.
        path: The pattern of the whole path.
        kind: The kind of request: `page`, `stream` (stays open), `event`, `note` (a few bytes), `upload`, or
            `import` (of the host, who is asked for the token before anything is read).
    """

    methods: tuple[str, ...]
    path: str
    kind: str


# All of Gradio's that our pages and programs use; `tests/space/test_gate.py` names those that are left out.
ROUTES = (
    Route(_SAFE, r"/", "page"),
    Route(_SAFE, r"/(config|theme\.css|robots\.txt|favicon\.ico|manifest\.json)/?", "page"),
    Route(_SAFE, r"/pwa_icon(/[0-9]+)?", "page"),
    Route(_SAFE, r"/(static|assets|svelte)/.*", "page"),
    Route(_SAFE, r"/(login/huggingface|login/callback|logout)", "page"),
    Route(_SAFE, rf"{_API}/(info|openapi\.json|theme\.css|app_id|user|login_check|startup-events)/?", "page"),
    Route(_SAFE, rf"{_API}/file=(?!https?:).*", "page"),
    Route(("GET",), rf"{_API}/(heartbeat/[^/]*|queue/data|upload_progress)", "stream"),
    Route(("GET",), rf"{_API}/call/(v2/)?[^/]*/[^/]*", "stream"),
    Route(("POST",), rf"{_API}/queue/join", "event"),
    Route(("POST",), rf"{_API}/call/(v2/)?[^/]*/?", "event"),
    Route(("POST",), rf"{_API}/(cancel|reset/?)", "note"),
    Route(("POST",), rf"{_API}/upload", "upload"),
    # Our own, of `routes.py`.
    Route(_SAFE, r"/(health|metrics|host/export|(table|badge)/[^/]*|compare/[^/]*/[^/]*)", "page"),
    Route(("POST",), r"/host/import", "import"),
)


class _BrokenOffError(MultiPartException):
    """Ends the reading of a request; Gradio then deletes what it has kept of an upload."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Gate:
    """Stands before an app, and lets through what is open and within bounds.

    Args:
        app: The app of Gradio.
        limit: The most bytes of a file or text.
        tidier: The `Tidier` of the folder of uploads.
        blocks: The pages and endpoints.
        proxies: Networks whose word about the visitor's address counts.
        origins: Hosts of pages, besides those of this server, that may send what changes something.
        clients: What clients are doing, for whoever else looks at it.
    """

    def __init__(
        self,
        app: Any,
        limit: int,
        tidier: Tidier,
        blocks: Any = None,
        proxies: Sequence[Network] = (),
        origins: Sequence[str] = (),
        clients: Clients | None = None,
    ) -> None:
        self._app = app
        self._limit = limit + _SLACK
        self._tidier = tidier
        self._blocks = blocks
        self._proxies = proxies
        self._origins = origins
        self._routes = [(route, re.compile(route.path)) for route in ROUTES]
        self._clients = clients or Clients()
        self._turns = asyncio.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no page of ours opens a socket
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        peer = scope["client"][0] if scope.get("client") else "unknown"
        client = network_of(find_address(peer, headers.get(b"x-forwarded-for", ""), self._proxies))
        scope["structiou.client"] = client
        kind = self._kind(scope)
        try:
            if kind is None:
                await _answer(send, 404, "this is not part of the app")
            elif scope["method"] not in _SAFE and not self._is_own(headers):
                await _drain(_Reader(receive, grace=1.0), _TINY)
                await _answer(send, 403, "this request comes from a page of somebody else")
            else:
                await self._admit(kind, client, scope, headers, receive, send)
        except TooMuchError as error:
            if kind in ("event", "note") and "structiou.size" not in scope:
                await _drain(_Reader(receive, grace=1.0), _TINY)
            await _answer(send, 503, str(error))

    def _kind(self, scope: Any) -> str | None:
        """The kind of the open route that a request asks for."""
        path = scope["path"].removeprefix(scope.get("root_path", "")).lower() or "/"
        if path == "/" and any(
            name == "page" for name, _ in parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        ):
            return None  # there is one alone; Gradio fails where it is asked for another
        return next(
            (
                route.kind
                for route, pattern in self._routes
                if scope["method"] in route.methods and pattern.fullmatch(path)
            ),
            None,
        )

    def _is_own(self, headers: dict[bytes, str]) -> bool:
        """Whether a request comes from a page of this server, or from none."""
        if headers.get(b"sec-fetch-site") == "cross-site" and b"origin" not in headers:
            return False
        if b"origin" not in headers:
            return True
        host = urlsplit(headers[b"origin"]).netloc.lower()
        return bool(host) and host in (headers.get(b"host", "").lower(), *self._origins)

    async def _admit(
        self, kind: str, client: str, scope: Any, headers: dict[bytes, str], receive: Any, send: Any
    ) -> None:
        limit = {"event": self._limit, "upload": self._limit}.get(kind, _TINY)
        length = headers.get(b"content-length", "")
        said = int(length) if length.isdigit() and len(length) < 16 else 0
        if kind in ("page", "stream"):
            with self._clients.busy("stream", client):
                await self._app(scope, receive, _in_words(send) if kind == "stream" else send)
        elif kind == "import":
            with self._clients.busy("request", client):
                await self._app(scope, receive, send)
        elif said > limit:
            self._clients.note_fault(client)
            await _answer(send, 413, _too_large(limit))
        elif kind == "upload":
            self._clients.check_faults(client)
            await self._upload(client, scope, receive, send)
        else:
            self._clients.check_faults(client)
            with self._clients.busy("request", client):
                await self._event(kind, client, limit, scope, receive, send)

    # ---- events --------------------------------------------------------------------------------

    async def _event(self, kind: str, client: str, limit: int, scope: Any, receive: Any, send: Any) -> None:
        """Reads a request, looking at it on the way, and only hands it on when all of it has come."""
        read = _Reader(receive, turns=self._turns)
        body = bytearray()
        frame = FrameReader()
        grow = None
        with ExitStack() as large:
            try:
                while not read.done:
                    data = await read.body()
                    if read.size > limit:
                        raise _BrokenOffError(413, _too_large(limit))
                    if grow is not None:
                        grow(len(data))
                    elif read.size > _TINY:
                        grow = large.enter_context(self._clients.reading(client))
                        grow(read.size)
                    if kind == "event":
                        frame.feed(data)
                    body += data
                scope["structiou.size"] = len(body)
                if kind == "event":
                    self._check_event(client, scope["path"], frame.frame(), len(body))
            except _BrokenOffError as error:
                self._clients.note_fault(client)
                await _answer(send, error.status, error.message)
            except BodyError as error:
                self._clients.note_fault(client)
                if self._clients.may_be_mistaken(client):
                    await _drain(read, limit)
                await _answer(send, 422, str(error))
            else:
                await self._app(scope, _replay(bytes(body), receive), send)

    def _check_event(self, client: str, path: str, frame: Any, size: int) -> None:
        """Refuses an event that its function cannot take, or of a client that has many."""
        if not isinstance(frame, dict):
            raise BodyError("the request is no object of JSON")
        function = self._function(path, frame)
        name = getattr(function, "api_name", None) or "this"
        if size > _SMALL and name not in _TEXTS:
            raise _BrokenOffError(413, _too_large(_SMALL))
        data = frame.get("data")
        if function is not None and "/v2/" not in path:
            wanted = [getattr(block, "label", None) or "value" for block in function.inputs]
            if not isinstance(data, list) or len(data) != len(wanted):
                came = len(data) if isinstance(data, list) else "none"
                raise BodyError(
                    f"{name} takes {len(wanted)} values in the list `data` ({', '.join(wanted)}); {came} came"
                )
        waiting = waiting_events(self._blocks) if self._blocks is not None else []
        session = frame.get("session_hash")
        most = _PER_CLIENT if len(waiting) < _CROWD else 3 if size <= _SHORT else 1
        if (
            sum(event.client == client for event in waiting) >= most
            or sum(event.session == session for event in waiting) >= _PER_SESSION
        ):
            raise TooMuchError("you have asked for much already; wait until it is done")
        if size > _SHORT and name not in _TEXTS:
            self._clients.take_text(client, size)
        if size > _LONG:
            is_file = name in _TEXTS
            long = [event for event in waiting if event.size > _LONG and (event.name in _TEXTS) == is_file]
            self._check_long(client, is_file, size, long)

    def _check_long(self, client: str, is_file: bool, size: int, long: Sequence[Waiting]) -> None:
        """Refuses a long text where many wait; files, which have quotas or wait elsewhere, may be more."""
        own = sum(event.client == client for event in long)
        if len(long) >= (_ALL_FILES if is_file else _ALL_LONG) or own >= (8 if is_file else 2):
            raise TooMuchError("too many long texts are waiting at the moment; try again when they are done")
        if sum(event.size for event in long) + size > 4 * self._limit:
            raise TooMuchError("too many large texts are waiting at the moment; try again in a minute")

    def _function(self, path: str, frame: dict[str, Any]) -> Any:
        """What Gradio knows of the function that an event is for; None if there is no such."""
        known = getattr(self._blocks, "fns", {})
        if path.rstrip("/").endswith("/queue/join"):
            number = frame.get("fn_index")
            return known.get(number) if isinstance(number, int) else None
        name = path.rstrip("/").rpartition("/")[2]
        return next((function for function in known.values() if function.api_name == name), None)

    # ---- files ---------------------------------------------------------------------------------

    async def _upload(self, client: str, scope: Any, receive: Any, send: Any) -> None:
        """Counts the bytes that come, for a request need not tell its length.

        If it is broken off, Gradio deletes what it has kept. If it is answered before all of it has come,
        nothing more is read.
        """
        if self._tidier.full:
            await _answer(send, 503, "there are too many uploads at the moment; try again later")
            return
        left = self._clients.left_to_upload(client)
        read = _Reader(receive, turns=self._turns)
        error: _BrokenOffError | None = None
        answered = False

        async def take() -> Any:
            nonlocal error
            try:
                if read.done:
                    return await receive()
                body = await read.body()
                if read.size > self._limit:
                    raise _BrokenOffError(413, _too_large(self._limit))
                if read.size > left:
                    raise _BrokenOffError(503, "you have uploaded much already; try again in an hour")
            except _BrokenOffError as found:
                error = found
                raise
            self._tidier.note(len(body))
            return {"type": "http.request", "body": body, "more_body": not read.done}

        async def guard(message: Any) -> None:
            nonlocal answered
            if error is None:
                if not read.done and message["type"] == "http.response.start":
                    message = {**message, "headers": [*message.get("headers", ()), _CLOSE]}
                await send(message)
            elif not answered:
                answered = True
                await _answer(send, error.status, error.message)

        try:
            with self._clients.busy("request", client):
                await self._app(scope, take, guard)
        except _BrokenOffError as found:
            if not answered:
                await _answer(send, found.status, found.message)
        if error is None and read.done:
            self._clients.note_upload(client, read.size)
        else:
            self._clients.note_fault(client)
            self._tidier.note(-read.size)


class _Reader:
    """Reads the body of a request, which has to come within a time that grows with its size.

    Args:
        receive: Gives the next bytes.
        grace: Seconds for a body of no size.
        turns: Large bodies are read in turns, a piece of one whenever all that is small has been looked at.
    """

    def __init__(
        self, receive: Callable[[], Any], grace: float = _GRACE, turns: asyncio.Lock | None = None
    ) -> None:
        self._receive = receive
        self._grace = grace
        self._turns = turns
        self._begin = time.monotonic()
        self.size = 0
        self.done = False

    async def body(self) -> bytes:
        """The next bytes."""
        left = self._begin + self._grace + self.size / _RATE - time.monotonic()
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.0))
        except TimeoutError:
            raise _BrokenOffError(408, "the request came too slowly; send it again") from None
        if message["type"] == "http.disconnect":
            raise _BrokenOffError(400, "the request was broken off")
        data: bytes = message.get("body", b"")
        self.size += len(data)
        self.done = not message.get("more_body", False)
        if self._turns is not None and self.size > _TINY:
            begin = time.monotonic()
            async with self._turns:
                await asyncio.sleep(0)
            self._begin += time.monotonic() - begin  # who waits here is not slow
        return data


async def _drain(read: _Reader, limit: int) -> None:
    """Reads what is left of a request and forgets it, for who still sends does not get the answer."""
    with suppress(_BrokenOffError):
        while not read.done and read.size <= limit:
            await read.body()


def _replay(body: bytes, receive: Callable[[], Any]) -> Callable[[], Any]:
    """A way to receive a request that was read already; behind it, what comes from the client."""
    told = False

    async def again() -> Any:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _in_words(send: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A way to answer that puts into words what Gradio finds wrong, without paths of the server."""

    async def tell(message: Any) -> None:
        body = message.get("body", b"")
        if b'"success":false' in body and b'"error":null' in body:
            message = {**message, "body": body.replace(b'"error":null', _UNREADABLE)}
        await send(message)

    return tell


def _too_large(limit: int) -> str:
    return f"the request exceeds the maximum allowed size of {limit:,} bytes"


async def _answer(send: Any, status: int, message: str) -> None:
    body = json.dumps({"detail": message}).encode("ascii")
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode("ascii")),
        _CLOSE,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
