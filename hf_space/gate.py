"""What stands before Gradio: requests that are too large, and those that no page of ours makes, end here."""

from __future__ import annotations

import json
from typing import Any

from starlette.formparsers import MultiPartException

from tidy import Tidier

_SLACK = 2**20  # bytes of a request beside the file or text in it
_UPLOAD = "/gradio_api/upload"
_IMPORT = "/host/import"

# Gradio has them in every app: fetching from other servers, video, monitoring, history, and direct calls
# that do not wait in the queue.
_CLOSED = (
    "/gradio_api/api/",
    "/gradio_api/component_server",
    "/gradio_api/custom_component",
    "/gradio_api/deep_link",
    "/gradio_api/file/",
    "/gradio_api/file=http:",
    "/gradio_api/file=https:",
    "/gradio_api/process_recording",
    "/gradio_api/proxy=",
    "/gradio_api/run",
    "/gradio_api/stream/",
    "/gradio_api/undo-vibe-edit",
    "/gradio_api/vibe",
    "/monitoring",
)


_CLOSE = (b"connection", b"close")


class _TooLargeError(MultiPartException):
    """Ends the reading of a request; Gradio then deletes what it has kept of an upload."""


class Gate:
    """Wraps an app.

    Args:
        app: Gradio's.
        limit: Bytes of a file or text.
        tidier: Of the folder of uploads.
    """

    def __init__(self, app: Any, limit: int, tidier: Tidier) -> None:
        self._app = app
        self._limit = limit + _SLACK
        self._tidier = tidier

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", "")).lower()
        if path.startswith(_CLOSED):
            await _answer(send, 404, "this is not part of the app")
        elif path == _IMPORT:  # for the host only, who is asked for the token before anything is read
            await self._app(scope, receive, send)
        elif _length(scope) > self._limit:
            await _answer(send, 413, self._message)
        elif path.startswith(_UPLOAD) and scope["method"] == "POST" and self._tidier.full:
            await _answer(send, 503, "there are too many uploads at the moment; try again later")
        else:
            await self._pass(scope, receive, send)

    @property
    def _message(self) -> str:
        return f"the request exceeds the maximum allowed size of {self._limit:,} bytes"

    async def _pass(self, scope: Any, receive: Any, send: Any) -> None:
        """Counts the bytes that come, for a request need not tell its length.

        If it is answered before all of it has come, nothing more is read.
        """
        size = 0
        answered = unread = False

        async def count() -> Any:
            nonlocal size, unread
            message = await receive()
            unread = message.get("more_body", False)
            n_bytes = len(message.get("body", b""))
            size += n_bytes
            if size > self._limit:
                raise _TooLargeError(self._message)
            self._tidier.note(n_bytes)
            return message

        async def guard(message: Any) -> None:
            nonlocal answered
            if size <= self._limit:
                if unread and message["type"] == "http.response.start":
                    message = {**message, "headers": [*message.get("headers", ()), _CLOSE]}
                await send(message)
            elif not answered:
                answered = True
                await _answer(send, 413, self._message)

        try:
            await self._app(scope, count, guard)
        except _TooLargeError:
            if not answered:
                await _answer(send, 413, self._message)


def _length(scope: Any) -> int:
    """What a request says of its length, or 0."""
    text = dict(scope["headers"]).get(b"content-length", b"")
    return int(text) if text.isdigit() else 0


async def _answer(send: Any, status: int, message: str) -> None:
    body = json.dumps({"detail": message}).encode("ascii")
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode("ascii")),
        _CLOSE,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
