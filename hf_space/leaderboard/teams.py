"""Teams: a name, a key that its members share, and the users who have joined by it."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, NamedTuple

from .access import AccessError, new_secret
from .fields import FieldError, clean_line
from .quotas import QuotaError
from .store import Store
from .visitors import Visitor

MAX_TEAM = 60  # characters of a name
_MOST_A_DAY = 5  # teams that a network address may make
_MOST = 10_000
_DAY = 24 * 60 * 60.0


class Team(NamedTuple):
    """A team as the host sees it."""

    name: str
    created: float
    members: tuple[str, ...]


class Teams:
    """The teams of a leaderboard, of whose keys only digests are kept."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, name: Any, visitor: Visitor, address: str, now: float) -> tuple[str, str]:
        """Makes a team; returns its name as it is stored, and its key, which is told this once.

        Args:
            name: What the team wants to be called.
            visitor: Who makes it; a signed-in user is its first member.
            address: A hash of the visitor's network address.
            now: The time.
        """
        name = clean_line(name, "name of the team", MAX_TEAM)
        if not name:
            raise FieldError("name of the team: it is missing")
        key = new_secret()
        with self._store.transaction() as db:
            taken = db.execute("SELECT name FROM teams").fetchall()
            if name.casefold() in {other.casefold() for (other,) in taken}:
                raise FieldError("there is a team of that name; choose another, or ask it for its key")
            (recent,) = db.execute(
                "SELECT count(*) FROM teams WHERE address = ? AND created > ?", (address, now - _DAY)
            ).fetchone()
            if recent >= _MOST_A_DAY or len(taken) >= _MOST:
                raise QuotaError(f"{_MOST_A_DAY} new teams in 24 hours are the most for a network address")
            db.execute("INSERT INTO teams VALUES (?, ?, ?, ?)", (name, _digest(key), now, address))
            if visitor.user is not None:
                db.execute("INSERT INTO members VALUES (?, ?)", (name, visitor.user))
        return name, key

    def check(self, name: str, key: Any, visitor: Visitor) -> str:
        """The team that somebody may submit for: with its key, or as a signed-in member.

        A signed-in user who has the key is a member from then on.
        """
        name = clean_line(name, "team", MAX_TEAM)
        with self._store.reading() as db:
            row = db.execute("SELECT key FROM teams WHERE name = ?", (name,)).fetchone()
            members = {user for (user,) in db.execute("SELECT user FROM members WHERE team = ?", (name,))}
        knows = row is not None and isinstance(key, str) and hmac.compare_digest(row[0], _digest(key.strip()))
        if not knows and (row is None or visitor.user is None or visitor.user not in members):
            raise AccessError(
                "this is not the key of a team of that name; ask a member for it, or make a team"
            )
        if knows and visitor.user is not None and visitor.user not in members:
            with self._store.transaction() as db:
                db.execute("INSERT OR IGNORE INTO members VALUES (?, ?)", (name, visitor.user))
        return name

    def new_key(self, name: str) -> str:
        """Another key for a team whose key was lost or told to others; the old one is void."""
        key = new_secret()
        with self._store.transaction() as db:
            if not db.execute("UPDATE teams SET key = ? WHERE name = ?", (_digest(key), name)).rowcount:
                raise FieldError("there is no team of that name")
        return key

    def all(self) -> list[Team]:
        """All teams by name."""
        with self._store.reading() as db:
            rows = db.execute("SELECT name, created FROM teams ORDER BY name").fetchall()
            pairs = db.execute("SELECT team, user FROM members ORDER BY user").fetchall()
        return [
            Team(name, created, tuple(user for team, user in pairs if team == name)) for name, created in rows
        ]


def _digest(key: str) -> str:
    """The digest of a key, which is random and long: no slow hash is needed."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
