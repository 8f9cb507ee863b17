"""A bound on the work of one search, counted rather than timed, so that it is the same on every machine."""

from __future__ import annotations

MOST_WORK = 5 * 10**7  # each 20 to 40 nanoseconds on a slow machine, so 2 seconds at most


class TooMuchWorkError(Exception):
    """A search that takes more than `MOST_WORK`."""


class Effort:
    """The work that was done so far."""

    def __init__(self) -> None:
        self._spent = 0.0

    def spend(self, work: float) -> None:
        """Adds some work, or ends the search by a `TooMuchWorkError`."""
        self._spent += work
        if self._spent > MOST_WORK:
            raise TooMuchWorkError
