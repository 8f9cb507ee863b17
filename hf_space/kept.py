"""The first page and its description are the same for everybody, so they are made once."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

_PATHS = ("/", "/config")
_MOST = 16  # answers; they differ by the name that the server is called by
_PERSONAL = (b"cookie", b"authorization", b"x-gradio-server")
_NAMES = (b"host", b"x-forwarded-host", b"x-forwarded-proto")  # from which Gradio makes its own address
_OURS = ("open", "trees", "system", "benchmark", "phase", "__theme")  # of a query; browsers read them


class KeptPages:
    """Stands before an app and keeps its first page.

    Args:
        app: The app of Gradio.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._kept: dict[Any, list[Any]] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers with what was kept, or has the app answer and keeps that."""
        key = _key_of(scope)
        if key is None:
            await self._app(scope, receive, send)
            return
        if key not in self._kept:
            messages: list[Any] = []

            async def note(message: Any) -> None:
                messages.append(message)

            await self._app(scope, receive, note)
            if messages and messages[0].get("status") == 200 and len(self._kept) < _MOST:
                self._kept[key] = messages
        else:
            messages = self._kept[key]
        for message in messages:
            await send(message)


def _key_of(scope: Any) -> Any:
    """What an answer depends on; None for answers that are not kept."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or scope["path"] not in _PATHS:
        return None
    if any(name in _PERSONAL for name, _ in scope["headers"]):
        return None
    query = scope["query_string"].decode("latin-1")
    if any(name not in _OURS for name, _ in parse_qsl(query, keep_blank_values=True)):
        return None
    names = tuple((name, value) for name, value in scope["headers"] if name in _NAMES)
    return scope["method"], scope["path"], scope.get("root_path"), scope["scheme"], names
