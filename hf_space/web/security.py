"""Check every request first: its rate, size and time, and the origin of changes; add headers, and count.

Only the public interface of ASGI is used. Slow heads, and how many connections an address may have, are
limited by the proxy in front of the server.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import prometheus_client
from fastapi import HTTPException
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from leaderboard.people import find_address, network_of

if TYPE_CHECKING:
    from leaderboard.settings import Settings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_LOG = logging.getLogger("requests")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_EXTRA_BYTES = 2**20  # of a request next to the file in it
_SMALL_BYTES = 64 * 2**10  # of a body; larger ones are read a few at a time
_LARGE_BODIES, _LARGE_BODIES_PER_CLIENT = 8, 2
_CHANGES, _CHANGES_PER_CLIENT = 16, 64  # that are worked on at a time; that a client may have open
_WAIT_SECONDS = 30.0  # that a large body waits for its turn
_BODY_SECONDS = 15.0  # in which a body must come, and a second more for each _BODY_RATE bytes of it
_BODY_RATE = 16 * 2**10
_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)

PLAYGROUND = "/playground"
# Everything of Gradio that the playground asks for. It has no files, so uploads and downloads stay closed.
_OPEN_PLAYGROUND = re.compile(
    r"/?|/(config|theme\.css|favicon\.ico|manifest\.json)|/(static|assets|svelte)/.*"
    r"|/gradio_api/(info|app_id|startup-events|theme\.css|heartbeat/[\w-]+|queue/(join|data)|cancel|reset/?)"
)
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)
# Gradio's own page has scripts and styles in it, and makes functions from texts.
_PLAYGROUND_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; base-uri 'self'; "
    "frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)


class Guard:
    """The outermost part of the application.

    Args:
        app: The application that answers.
        settings: The host's limits, proxies and origins.
        registry: Where requests are counted.
    """

    def __init__(self, app: Any, settings: Settings, registry: prometheus_client.CollectorRegistry) -> None:
        self._app = app
        self._settings = settings
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._rates = {
            "request": RateLimitItemPerMinute(settings.requests_per_minute),
            "change": RateLimitItemPerMinute(settings.changes_per_minute),
        }
        self._turns = asyncio.Semaphore(_LARGE_BODIES)
        self._large: Counter[str] = Counter()
        # Work on changes takes threads, which reading pages needs, too.
        self._places = asyncio.Semaphore(_CHANGES)
        self._open: Counter[str] = Counter()
        self._requests = prometheus_client.Counter(
            "structiou_requests", "Requests that were answered", ["method", "status"], registry=registry
        )
        self._seconds = prometheus_client.Histogram(
            "structiou_request_seconds",
            "Time until a request was answered; streams of the playground last as long as it is open",
            buckets=_BUCKETS,
            registry=registry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the application answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no page opens a socket
            await send({"type": "websocket.close", "code": 1008})
            return
        begin, status = time.monotonic(), 500
        in_playground = scope["path"].startswith(PLAYGROUND)

        async def finish(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                if has_body and not body.is_done:
                    headers["Connection"] = "close"  # or the server would go on reading
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                headers.setdefault(
                    "Content-Security-Policy", _PLAYGROUND_POLICY if in_playground else _PAGE_POLICY
                )
            await send(message)

        asked = Headers(scope=scope)
        has_body = asked.get("content-length", "0") != "0" or "transfer-encoding" in asked
        peer = scope["client"][0] if scope.get("client") else "unknown"
        address = find_address(peer, asked.get("x-forwarded-for", ""), self._settings.proxies)
        # Servers leave out the body of the answer to HEAD by themselves.
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        inner = {**scope, "method": method, "state": {**scope.get("state", {}), "address": address}}
        client = network_of(address)
        body = _Body(receive, self._limit_of(scope["path"]), lambda: self._take_turn(client))
        is_change = method not in _SAFE_METHODS
        if is_change and not in_playground:
            body.places = self._places
        try:
            self._open[client] += is_change
            self._check(inner, asked, client)
            await self._app(inner, body.receive, finish)
        except HTTPException as error:
            refusal = JSONResponse({"detail": error.detail}, error.status_code)
            await refusal(inner, receive, finish)
        finally:
            self._open[client] -= is_change
            self._open += Counter()  # drops clients without any
            if body.has_place:
                self._places.release()
            if body.is_large:
                self._large[client] -= 1
                self._turns.release()
            self._note(method, scope["path"], status, time.monotonic() - begin)

    def _check(self, scope: Scope, headers: Headers, client: str) -> None:
        """Refuse a request before anything of its body is read."""
        path, is_change = scope["path"], scope["method"] not in _SAFE_METHODS
        if path.startswith(PLAYGROUND) and not _OPEN_PLAYGROUND.fullmatch(path.removeprefix(PLAYGROUND)):
            raise HTTPException(404, "there is no such page")
        for kind, rate in self._rates.items():
            if (kind == "request" or is_change) and not self._limiter.hit(rate, kind, client):
                raise HTTPException(429, "too many requests came from your network; wait a minute")
        if self._open[client] > _CHANGES_PER_CLIENT:
            raise HTTPException(503, "you have many requests open; wait until they have been answered")
        if is_change and not self._is_own(headers):
            raise HTTPException(403, "this request comes from the page of another site")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:16]) > self._limit_of(path):
            raise HTTPException(413, _too_large(self._limit_of(path)))
        # Signing in ends with a way back, which must not lead to another site.
        for target in parse_qs(scope["query_string"].decode("latin-1")).get("_target_url", ()):
            if not re.match(r"/(?![/\\])", target):
                raise HTTPException(400, "_target_url must be an address of this site, such as /submit")

    def _is_own(self, headers: Headers) -> bool:
        """Return whether a change comes from a page of this server, or from a program."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site") != "cross-site"
        host = urlsplit(origin).netloc.lower()
        return bool(host) and host in (headers.get("host", "").lower(), *self._settings.origins)

    def _limit_of(self, path: str) -> int:
        settings = self._settings
        return (settings.import_bytes if path == "/host/import" else settings.upload_bytes) + _EXTRA_BYTES

    async def _take_turn(self, client: str) -> None:
        """Wait until a large body may be read; others of the same client are refused meanwhile."""
        if self._large[client] >= _LARGE_BODIES_PER_CLIENT:
            raise HTTPException(503, "you are sending other files; wait until they have been answered")
        self._large += Counter([client])  # drops clients without any
        try:
            await asyncio.wait_for(self._turns.acquire(), _WAIT_SECONDS)
        except TimeoutError:
            self._large[client] -= 1
            raise HTTPException(503, "many large files are being sent; try again in a minute") from None

    def _note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request; log it if it was refused or failed, and nothing that is in it."""
        known = method if method in ("GET", "POST", "OPTIONS") else "other"
        self._requests.labels(known, str(status)).inc()
        self._seconds.observe(seconds)
        if status >= 400:
            place = "/".join(path.split("/")[:3])[:60]
            values = {"method": known, "path": place, "status": status, "seconds": round(seconds, 3)}
            _LOG.warning("refused" if status < 500 else "failed", extra=values)


class _Body:
    """The body of a request as it comes, within limits of size and time.

    Args:
        receive: Returns the next message.
        limit: The most bytes.
        take_turn: Waits until a large body may be read.
    """

    def __init__(self, receive: Receive, limit: int, take_turn: Callable[[], Awaitable[None]]) -> None:
        self._receive = receive
        self._limit = limit
        self._take_turn = take_turn
        self._deadline = time.monotonic() + _BODY_SECONDS
        self._size = 0
        self.is_done = False
        self.is_large = False
        self.places: asyncio.Semaphore | None = None  # one is taken before work on the body begins
        self.has_place = False

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next message; after the body, wait for the end of the connection."""
        if self.is_done:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._deadline - time.monotonic()))
        except TimeoutError:
            raise HTTPException(408, "the request came too slowly; send it again") from None
        n_bytes = len(message.get("body", b""))
        self._size += n_bytes
        self._deadline += n_bytes / _BODY_RATE
        self.is_done = not message.get("more_body", False)
        if self._size > self._limit:
            raise HTTPException(413, _too_large(self._limit))
        if self._size > _SMALL_BYTES and not self.is_large:
            begin = time.monotonic()
            await self._take_turn()
            self.is_large = True
            self._deadline += time.monotonic() - begin
        if self.is_done and self.places is not None:
            await self.places.acquire()
            self.has_place = True
        return message


def _too_large(limit: int) -> str:
    return f"the request is larger than {limit:,} bytes, which are the most here"
