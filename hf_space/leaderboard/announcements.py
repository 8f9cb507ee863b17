"""What a host tells visitors of a benchmark, or of all of them."""

from __future__ import annotations

import secrets
import unicodedata
from typing import Any, NamedTuple

from .fields import FieldError
from .store import Store

MAX_TEXT = 2_000  # characters


class Announcement(NamedTuple):
    """Some text of the host's; without a benchmark it is for all."""

    id: str
    time: float
    benchmark: str
    text: str


class Announcements:
    """All announcements, the newest first."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, benchmark: str, text: Any, now: float) -> Announcement:
        """Tells visitors something, in plain text."""
        if not isinstance(text, str) or not text.strip():
            raise FieldError("announcement: write what to tell")
        text = unicodedata.normalize("NFC", text.strip())
        if len(text) > MAX_TEXT:
            raise FieldError(f"announcement: {len(text):,} characters; {MAX_TEXT:,} are the most")
        added = Announcement(secrets.token_hex(4), now, benchmark, text)
        with self._store.transaction() as db:
            db.execute("INSERT INTO announcements VALUES (?, ?, ?, ?)", added)
        return added

    def remove(self, id_: str) -> None:
        """Takes an announcement back."""
        with self._store.transaction() as db:
            if not db.execute("DELETE FROM announcements WHERE id = ?", (id_,)).rowcount:
                raise FieldError("there is no such announcement")

    def all(self, benchmark: str | None = None) -> list[Announcement]:
        """The announcements for a benchmark, or all that there are."""
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT id, time, benchmark, text FROM announcements "
                "WHERE ?1 IS NULL OR benchmark IN ('', ?1) ORDER BY time DESC, rowid DESC",
                (benchmark,),
            ).fetchall()
        return [Announcement(*row) for row in rows]
