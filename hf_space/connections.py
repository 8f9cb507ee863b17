"""What a connection may be used for before there is a request on it, of which `gate.py` would know.

It has to bring a whole head of a request in time, one client can have so many connections, and to who sent
many requests that could not be read, more are refused without being read.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from typing import Any

from clients import MANY_FAULTS, Clients, TooMuchError
from leaderboard.people import Network, is_in, network_of

_SECONDS = 15.0  # until the head of a request must have come
_STEP = 5.0  # seconds between two looks
_FILES = 2**14  # that the process may have open; a connection is one


def _answer(status: str, message: str) -> bytes:
    body = json.dumps({"detail": message})
    head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close"
    return f"HTTP/1.1 {status}\r\n{head}\r\n\r\n{body}".encode("ascii")


_SLOW = _answer("408 Request Timeout", "the head of the request came too slowly; send it again")
_REFUSED = _answer("503 Service Unavailable", MANY_FAULTS)


class _Bounded:
    """What is put before one of uvicorn's protocols; each connection has an instance."""

    clients: Clients
    proxies: tuple[Network, ...]
    cycle: Any  # the request that is being answered, or the last one; uvicorn's
    client: tuple[str, int] | None
    loop: Any
    transport: Any

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        peer = self.client[0] if self.client else "unknown"
        # Behind a proxy there are many clients, of which the heads of their requests tell.
        self._client = None if is_in(peer, self.proxies) else network_of(peer)
        self._place = ExitStack()
        self._since = self.loop.time()
        self._timer = self.loop.call_later(_STEP, self._look)
        if self._client is not None:
            try:
                self._place.enter_context(self.clients.busy("connection", self._client))
            except TooMuchError:
                transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self._timer.cancel()
        self._place.close()
        super().connection_lost(error)  # type: ignore[misc]

    def data_received(self, data: bytes) -> None:
        if (
            data.startswith(b"POST ")
            and not self._is_answering()
            and self._client is not None
            and self.clients.has_many_faults(self._client)
        ):
            self._end(_REFUSED)
        else:
            super().data_received(data)  # type: ignore[misc]

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _look(self) -> None:
        now = self.loop.time()
        if self._is_answering():
            self._since = now
        elif now - self._since >= _SECONDS:
            self._end(_SLOW)
            return
        self._timer = self.loop.call_later(_STEP, self._look)

    def _end(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()


def bound_connections(server: Any, clients: Clients, proxies: tuple[Network, ...]) -> None:
    """Bounds the connections that a server of uvicorn takes from now on, and has the system allow many."""
    with suppress(ImportError):  # not on every system
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    base = server.config.http_protocol_class
    more = {"clients": clients, "proxies": proxies}
    server.config.http_protocol_class = type("BoundedProtocol", (_Bounded, base), more)
