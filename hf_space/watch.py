"""Counts and logs requests: how many, with which status, how long; never what is in them."""

from __future__ import annotations

import logging
import time
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram

_LOG = logging.getLogger("requests")
_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class Watch:
    """Stands before an app, and counts and logs its requests.

    Args:
        app: The app, which answers.
        registry: Where the numbers are kept.
    """

    def __init__(self, app: Any, registry: CollectorRegistry) -> None:
        self._app = app
        self._requests = Counter(
            "structiou_requests", "Requests that were answered", ["method", "status"], registry=registry
        )
        self._seconds = Histogram(
            "structiou_request_seconds",
            "Time until a request was answered; streams of events last as long as a page is open",
            buckets=_BUCKETS,
            registry=registry,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Lets a request through and notes how it ended."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin = time.monotonic()
        status = 0

        async def note(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note)
        finally:
            seconds = time.monotonic() - begin
            method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "OPTIONS") else "other"
            self._requests.labels(method, str(status or 500)).inc()
            self._seconds.observe(seconds)
            if status >= 400 or not status:
                told = {
                    "method": method,
                    "path": _place(scope["path"]),
                    "status": status or 500,
                    "seconds": round(seconds, 3),
                }
                _LOG.warning("refused" if 400 <= status < 500 else "failed", extra=told)


def _place(path: str) -> str:
    """The beginning of a path: what stands further right may be the secret place of a download."""
    return "/".join(path.split("/")[:3]).partition("=")[0][:60]
