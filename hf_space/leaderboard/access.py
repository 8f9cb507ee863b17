"""Who may do what: the token of the host, and the secrets of submitters."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable
from typing import Any

_MAX_WRONG = 20  # tokens from one address before it has to wait
_WAIT = 600.0  # seconds


class AccessError(ValueError):
    """An action that this visitor may not do."""


def new_secret() -> str:
    """A secret that cannot be guessed, to be told once."""
    return secrets.token_urlsafe(24)


def hash_secret(secret: str) -> str:
    """What is stored of a secret; it is random and long, so that a plain hash does."""
    return hashlib.sha256(secret.strip().encode("utf-8", "surrogatepass")).hexdigest()


class Guesses:
    """Counts wrong guesses; after many, whoever made them has to wait.

    Others are not shut out by them, so that nobody can keep them away.

    Args:
        clock: A function that tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: dict[str, list[float]] = {}  # when, by address
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Refuses who guessed too often."""
        with self._lock:
            now = self._clock()
            self._wrong = {
                who: recent
                for who, times in self._wrong.items()
                if (recent := [time for time in times if time > now - _WAIT])
            }
            if len(self._wrong.get(address, ())) >= _MAX_WRONG:
                raise AccessError("too many wrong tokens; try again in some minutes")

    def note(self, address: str) -> None:
        """Counts a wrong guess."""
        with self._lock:
            self._wrong.setdefault(address, []).append(self._clock())

    def __len__(self) -> int:
        return len(self._wrong)


class HostDoor:
    """Compares tokens with the host's; after many wrong ones it is shut for the address that they came from.

    Args:
        token: The right token, or None if there are no host's actions.
        clock: A function that tells the time in seconds.
    """

    def __init__(self, token: str | None, clock: Callable[[], float]) -> None:
        self._token = token
        self.guesses = Guesses(clock)

    def check(self, token: Any, address: str) -> None:
        """Refuses whoever does not have the token."""
        if self._token is None:
            raise AccessError("this leaderboard has no host token; set STRUCTIOU_ADMIN_TOKEN to use this")
        self.guesses.check(address)
        right = isinstance(token, str) and hmac.compare_digest(
            token.encode("utf-8", "surrogatepass"), self._token.encode("utf-8", "surrogatepass")
        )
        if not right:
            self.guesses.note(address)
            raise AccessError("this is not the host's token")
