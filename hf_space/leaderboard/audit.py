"""What was done on the leaderboard, by whom and when: for the host, who may also undo it."""

from __future__ import annotations

from typing import NamedTuple

from .store import Store

# What undoes an action on a submission.
OPPOSITES = {
    "hide": "show",
    "show": "hide",
    "delete": "restore",
    "withdraw": "restore",
}


class Deed(NamedTuple):
    """A line of the log.

    Attributes:
        number: The number of the line, from 1, in the order of what was done.
        time: The time in seconds since 1970.
        who: Who did it: `host`, `server`, or the owner or team of a submission.
        action: What was done, such as `hide`, or `import`.
        subject: The submission, benchmark or team that it was done to.
        detail: More about it, in words.
    """

    number: int
    time: float
    who: str
    action: str
    subject: str
    detail: str


class Audit:
    """The log, which is only ever added to."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(self, now: float, who: str, action: str, subject: str = "", detail: str = "") -> None:
        """Adds a line."""
        with self._store.transaction() as db:
            db.execute(
                "INSERT INTO actions (time, action, submission, who, detail) VALUES (?, ?, ?, ?, ?)",
                (now, action, subject, who, detail),
            )

    def deeds(self, most: int = 200) -> list[Deed]:
        """The last lines, the newest first."""
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT rowid, time, who, action, submission, detail FROM actions "
                "ORDER BY rowid DESC LIMIT ?",
                (most,),
            ).fetchall()
        return [Deed(*row) for row in rows]

    def last_undoable(self) -> list[Deed]:
        """What the host did last that can be undone: all that one press of a button did."""
        undone: set[int] = set()
        for deed in self.deeds():
            if deed.who != "host":
                continue
            if deed.action == "undo":
                undone |= {int(number) for number in deed.detail.split()}
            elif deed.action in OPPOSITES and deed.number not in undone:
                return [
                    other
                    for other in self.deeds()
                    if other[1:4] == deed[1:4] and other.detail == deed.detail
                    if other.number not in undone
                ]
        return []
