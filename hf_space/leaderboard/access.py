"""The host's token: who has it may do the host's actions."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable
from typing import Any

_MAX_WRONG = 20  # tokens from one address before it has to wait
_WAIT = 600.0  # seconds


class AccessError(ValueError):
    """An action that this visitor may not do."""


class HostDoor:
    """Compares tokens; after many wrong ones it is shut for the address that they came from.

    Others are not shut out by them, so that nobody can keep the host away.

    Args:
        token: The right one, or None if there are no host's actions.
        clock: Tells the time in seconds.
    """

    def __init__(self, token: str | None, clock: Callable[[], float]) -> None:
        self._token = token
        self._clock = clock
        self._wrong: dict[str, list[float]] = {}  # when, by address
        self._lock = threading.Lock()

    def check(self, token: Any, address: str) -> None:
        """Refuses whoever does not have the token."""
        if self._token is None:
            raise AccessError("this leaderboard has no host token; set STRUCTIOU_ADMIN_TOKEN to use this")
        with self._lock:
            now = self._clock()
            self._wrong = {
                who: recent
                for who, times in self._wrong.items()
                if (recent := [time for time in times if time > now - _WAIT])
            }
            if len(self._wrong.get(address, ())) >= _MAX_WRONG:
                raise AccessError("too many wrong tokens; try again in some minutes")
            right = isinstance(token, str) and hmac.compare_digest(
                token.encode("utf-8", "surrogatepass"), self._token.encode("utf-8", "surrogatepass")
            )
            if not right:
                self._wrong.setdefault(address, []).append(now)
                raise AccessError("this is not the host's token")
