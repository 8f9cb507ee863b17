"""What an export tells beside submissions: teams, announcements and the log of what was done."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from .fields import FieldError, clean_line
from .people import AccessError, Visitor, new_secret
from .quotas import QuotaError
from .store import Store

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


# By kind, the table and the columns with their kinds; what is equal in all of them is one and the same.
_TABLES: dict[str, tuple[str, dict[str, type]]] = {
    "team": ("teams", {"name": str, "key": str, "created": float, "address": str}),
    "member": ("members", {"team": str, "user": str}),
    "announcement": ("announcements", {"id": str, "time": float, "benchmark": str, "text": str}),
    "action": ("actions", {"time": float, "action": str, "submission": str, "who": str, "detail": str}),
}


class Record(NamedTuple):
    """A row of one of the tables."""

    kind: str
    values: tuple[Any, ...]


def export_records(store: Store) -> Iterator[dict[str, Any]]:
    """All records as plain values."""
    for kind, (table, columns) in _TABLES.items():
        with store.reading() as db:
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid").fetchall()
        for row in rows:
            yield {"record": kind, **dict(zip(columns, row, strict=True))}


def read_record(values: dict[str, Any]) -> Record:
    """Checks a record of an export."""
    kind = values.pop("record")
    if kind not in _TABLES:
        raise ValueError(f"it is of an unknown kind, {kind!r}")
    columns = _TABLES[kind][1]
    if values.keys() != columns.keys() or any(type(values[key]) is not columns[key] for key in columns):
        raise ValueError(f"the fields of this {kind} are not those of this program")
    return Record(kind, tuple(values[key] for key in columns))


def import_record(store: Store, record: Record) -> None:
    """Takes a record over, unless it is there already."""
    table, columns = _TABLES[record.kind]
    marks = ", ".join("?" * len(columns))
    with store.transaction() as db:
        same = " AND ".join(f"{name} = ?" for name in columns)
        if db.execute(f"SELECT 1 FROM {table} WHERE {same}", record.values).fetchone() is None:
            db.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", record.values
            )
