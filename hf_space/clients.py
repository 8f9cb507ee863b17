"""What each client is doing at the moment, and how much that may be.

A client is a network address, or a customer's network of IPv6. One that does more is refused until it has
done with what it began; others do not notice.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

_HOUR, _MINUTE = 3600.0, 60.0
_MAX_FAULTS = 8  # in a minute
_POLITE_FAULTS = 2
_TEXT_BURST, _TEXT_RATE = 100_000, 2_000  # bytes, and bytes a second
_MANY = 1_000  # clients to be looked through for old ones

MANY_FAULTS = "many of your requests were broken off or could not be read; wait a minute"


class TooMuchError(ValueError):
    """A client does too much at a time."""


class Clients:
    """Counts open requests and bytes by client; all of it in the thread of the server's loop.

    Args:
        requests: How many requests of one client may have a body that is being read.
        streams: How many streams, which the server keeps open to tell news, one client may have.
        upload_bytes: How many bytes of files one client may upload in an hour.
        large_bytes: How many bytes of large texts in requests may be read at a time, by all.
        all_requests: How many requests of all clients may have a body that is being read.
        connections: How many connections one client may have, whatever they are used for.
    """

    def __init__(
        self,
        *,
        requests: int = 8,
        streams: int = 256,
        upload_bytes: int = 200 * 2**20,
        large_bytes: int = 96 * 2**20,
        all_requests: int = 1024,
        connections: int = 512,
    ) -> None:
        self._most = {"request": requests, "stream": streams, "large": 1, "connection": connections}
        self._all_requests = all_requests
        self._upload_bytes = upload_bytes
        self._large_bytes = large_bytes
        self._large = 0
        self._open: dict[str, Counter[str]] = {kind: Counter() for kind in self._most}
        self._uploaded: dict[str, list[tuple[float, int]]] = defaultdict(list)
        self._faults: dict[str, list[float]] = {}
        self._texts: dict[str, tuple[float, float]] = {}  # when, and how many bytes were left then

    @contextmanager
    def busy(self, kind: str, client: str) -> Iterator[None]:
        """Notes a `request`, a `stream`, a `large` text or a `connection` of a client while it is open."""
        counts = self._open[kind]
        if counts[client] >= self._most[kind] or (kind == "request" and counts.total() >= self._all_requests):
            raise TooMuchError("too many requests at a time; wait until the others are done")
        counts[client] += 1
        try:
            yield
        finally:
            counts[client] -= 1
            if not counts[client]:
                del counts[client]

    @contextmanager
    def reading(self, client: str) -> Iterator[Callable[[int], None]]:
        """Notes a large text of a client while it is in memory; gives what is told of more bytes."""
        mine = 0

        def grow(n_bytes: int) -> None:
            nonlocal mine
            if self._large + n_bytes > self._large_bytes:
                raise TooMuchError("too many large texts are being sent at the moment; try again in a minute")
            self._large += n_bytes
            mine += n_bytes

        with self.busy("large", client):
            try:
                yield grow
            finally:
                self._large -= mine

    def take_text(self, client: str, n_bytes: int) -> None:
        """Counts the text of an event: a client may send some at once, and then so much in a second."""
        now = time.monotonic()
        if len(self._texts) > _MANY:
            full = now - _TEXT_BURST / _TEXT_RATE
            self._texts = {who: (when, left) for who, (when, left) in self._texts.items() if when > full}
        when, left = self._texts.get(client, (now, float(_TEXT_BURST)))
        left = min(_TEXT_BURST, left + (now - when) * _TEXT_RATE)
        if left <= 0:
            seconds = int(-left / _TEXT_RATE) + 1
            raise TooMuchError(f"much text came from you in a short time; wait {seconds} seconds")
        self._texts[client] = now, left - min(n_bytes, _TEXT_BURST)

    def note_fault(self, client: str) -> None:
        """Counts a request that was broken off, too slow, too large, or nothing that a page sends."""
        if len(self._faults) > _MANY:
            begin = time.monotonic() - _MINUTE
            self._faults = {who: times for who, times in self._faults.items() if times[-1] > begin}
        self._faults[client] = [*self._faults.get(client, ())[-_MAX_FAULTS:], time.monotonic()]

    def has_many_faults(self, client: str) -> bool:
        """Whether many such requests came in the last minute, so that nothing more is to be read."""
        return self._count_faults(client) >= _MAX_FAULTS

    def may_be_mistaken(self, client: str) -> bool:
        """Whether so few came that it may be a mistake, about which somebody wants to read."""
        return self._count_faults(client) <= _POLITE_FAULTS

    def _count_faults(self, client: str) -> int:
        begin = time.monotonic() - _MINUTE
        return sum(when > begin for when in self._faults.get(client, ()))

    def check_faults(self, client: str) -> None:
        """Refuses who sent many such requests in the last minute, before anything is read."""
        if self.has_many_faults(client):
            raise TooMuchError(MANY_FAULTS)

    def left_to_upload(self, client: str) -> int:
        """The number of bytes of files that a client may still upload."""
        begin = time.monotonic() - _HOUR
        recent = [(when, size) for when, size in self._uploaded[client] if when > begin]
        if recent:
            self._uploaded[client] = recent
        else:
            del self._uploaded[client]
        return self._upload_bytes - sum(size for _, size in recent)

    def note_upload(self, client: str, n_bytes: int) -> None:
        """Counts a file that was uploaded and is kept."""
        if len(self._uploaded) > _MANY:
            for other in list(self._uploaded):
                self.left_to_upload(other)  # forgets what is old
        self._uploaded[client].append((time.monotonic(), n_bytes))


class Waiting(NamedTuple):
    """An event that waits in the queue, or that is being worked on."""

    client: str
    session: str
    name: str
    size: int


def waiting_events(blocks: Any) -> list[Waiting]:
    """All events of Gradio's queue; `Gate` has noted client and size in the scope of their requests.

    Gradio has no door for this, so its own lists are read, and nothing is changed in them.
    """
    queue = blocks._queue
    jobs = [job for job in queue.active_jobs if job is not None]
    lanes = [lane.queue for lane in queue.event_queue_per_concurrency_id.values()]
    found = []
    for event in chain(*jobs, *lanes):
        scope = event.request.scope
        size = scope.get("structiou.size", 0)
        name = str(event.fn.api_name)
        found.append(Waiting(scope.get("structiou.client", ""), event.session_hash, name, size))
    return found
