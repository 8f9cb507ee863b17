"""Teams, announcements and the log of what was done, and the lines that an export has for them."""

from __future__ import annotations

import hmac
import json
import secrets
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from .fields import MAX_TEAM, FieldError, check_not_reserved, clean_line, looks_of
from .people import AccessError, Actor, Visitor, hash_secret, new_secret
from .quotas import QuotaError
from .store import Store, write_action

MAX_ANNOUNCEMENT = 2_000  # characters
MAX_TEAMS_A_DAY = 5  # that one person may make
_MAX_TEAMS = 10_000
_DAY = 24 * 60 * 60.0

# The host's actions that can be undone.
UNDOABLE = ("hide", "show", "withdraw", "delete", "restore")


# ---- teams -----------------------------------------------------------------------------------------


class Team(NamedTuple):
    """A team as the host sees it.

    Attributes:
        name: The name of the team.
        created: The time at which it was made, in seconds since 1970.
        vouched: Whether the host knows that its submissions are not somebody else's; they count for the team
            alone, and not for the network address that they come from.
        members: The signed-in users who have used its key.
    """

    name: str
    created: float
    vouched: bool
    members: tuple[str, ...]


class Teams:
    """The teams of a leaderboard: a name, and a key that its members share; only its hash is stored."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, name: Any, visitor: Visitor, address: str, now: float) -> tuple[str, str]:
        """Make a team; return its name as it is stored, and its key, which cannot be shown again.

        Args:
            name: The name that the team wants.
            visitor: Who makes it; a signed-in user is its first member.
            address: A hash of the visitor's network address.
            now: The time.
        """
        name = clean_line(name, "name of the team", MAX_TEAM)
        if not name:
            raise FieldError("name of the team: it is missing")
        check_not_reserved(name, "name of the team")
        key = new_secret()
        maker = f"user {visitor.user}" if visitor.user else f"address {address}"
        with self._store.transaction() as db:
            owners = {row[0] for row in db.execute("SELECT DISTINCT owner FROM submissions")}
            alike = {looks_of(owner): owner for owner in owners if owner != visitor.user}
            alike |= dict(db.execute("SELECT looks, name FROM teams").fetchall())
            if (other := alike.get(looks_of(name))) is not None:
                raise FieldError(
                    f"name of the team: {name!r} is or looks like {other!r}, which is taken; choose another"
                )
            (n_recent,) = db.execute(
                "SELECT count(*) FROM teams WHERE maker = ? AND created > ?", (maker, now - _DAY)
            ).fetchone()
            (n_all,) = db.execute("SELECT count(*) FROM teams").fetchone()
            if n_recent >= MAX_TEAMS_A_DAY or n_all >= _MAX_TEAMS:
                raise QuotaError(
                    f"{MAX_TEAMS_A_DAY} new teams in 24 hours are the most; sign in, or come back tomorrow"
                )
            db.execute(
                "INSERT INTO teams VALUES (?, ?, ?, ?, ?, 0)",
                (name, looks_of(name), hash_secret(key), now, maker),
            )
            if visitor.user is not None:
                db.execute("INSERT INTO members VALUES (?, ?)", (name, visitor.user))
            actor = Actor("user", visitor.user) if visitor.user else Actor("visitor")
            write_action(db, now, actor, "new team", name)
        return name, key

    def check(self, name: str, key: Any, visitor: Visitor) -> str:
        """Return the name of the team if somebody may submit for it: with its key, or as a member.

        A signed-in user who has used the key is a member from then on.
        """
        name = clean_line(name, "team", MAX_TEAM)
        with self._store.reading() as db:
            row = db.execute("SELECT key FROM teams WHERE name = ?", (name,)).fetchone()
            members = {user for (user,) in db.execute("SELECT user FROM members WHERE team = ?", (name,))}
        knows = row is not None and isinstance(key, str) and hmac.compare_digest(row[0], hash_secret(key))
        if not knows and (row is None or visitor.user is None or visitor.user not in members):
            raise AccessError(
                "this is not the key of a team of that name; ask a member for it, or make a team"
            )
        if knows and visitor.user is not None and visitor.user not in members:
            with self._store.transaction() as db:
                db.execute("INSERT OR IGNORE INTO members VALUES (?, ?)", (name, visitor.user))
        return name

    def new_key(self, name: str) -> str:
        """Return another key for a team whose key was lost or became public; the old one is void."""
        key = new_secret()
        self._update(name, "key", hash_secret(key))
        return key

    def vouch(self, name: str, *, vouched: bool = True) -> None:
        """Have the submissions of a team count for the team alone, or no longer."""
        self._update(name, "vouched", vouched)

    def _update(self, name: str, column: str, value: Any) -> None:
        with self._store.transaction() as db:
            if not db.execute(f"UPDATE teams SET {column} = ? WHERE name = ?", (value, name)).rowcount:
                raise FieldError("there is no team of that name")

    def all(self) -> list[Team]:
        """Return all teams by name."""
        with self._store.reading() as db:
            rows = db.execute("SELECT name, created, vouched FROM teams ORDER BY name").fetchall()
            pairs = db.execute("SELECT team, user FROM members ORDER BY user").fetchall()
        return [
            Team(name, created, bool(vouched), tuple(user for team, user in pairs if team == name))
            for name, created, vouched in rows
        ]


# ---- announcements ---------------------------------------------------------------------------------


class Announcement(NamedTuple):
    """A text of the host's for visitors of a benchmark, or of all of them if `benchmark` is empty."""

    id: str
    time: float
    benchmark: str
    text: str


class Announcements:
    """All announcements, the newest first."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, benchmark: str, text: Any, now: float) -> Announcement:
        """Announce a plain text."""
        if not isinstance(text, str) or not text.strip():
            raise FieldError("announcement: it is empty; write a text")
        text = unicodedata.normalize("NFC", text.strip())
        if len(text) > MAX_ANNOUNCEMENT:
            raise FieldError(f"announcement: {len(text):,} characters; {MAX_ANNOUNCEMENT:,} are the most")
        added = Announcement(secrets.token_hex(4), now, benchmark, text)
        with self._store.transaction() as db:
            db.execute("INSERT INTO announcements VALUES (?, ?, ?, ?)", added)
        return added

    def remove(self, id_: str) -> None:
        """Remove an announcement."""
        with self._store.transaction() as db:
            if not db.execute("DELETE FROM announcements WHERE id = ?", (id_,)).rowcount:
                raise FieldError("there is no such announcement")

    def all(self, benchmark: str | None = None) -> list[Announcement]:
        """Return the announcements for a benchmark, or all that there are."""
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT id, time, benchmark, text FROM announcements "
                "WHERE ?1 IS NULL OR benchmark IN ('', ?1) ORDER BY time DESC, rowid DESC",
                (benchmark,),
            ).fetchall()
        return [Announcement(*row) for row in rows]


# ---- the log ---------------------------------------------------------------------------------------


class Deed(NamedTuple):
    """A line of the log.

    Attributes:
        number: The number of the line, from 1, in the order of what was done.
        time: The time in seconds since 1970.
        actor: Who did it.
        action: The name of the action, such as `hide` or `import`.
        subject: The submission, benchmark or team that it was done to.
        detail: More about it in words.
        before: The values that undoing it brings back, by column; empty if it changed none.
        undone: Whether it was undone, or is itself the undoing of another one.
    """

    number: int
    time: float
    actor: Actor
    action: str
    subject: str
    detail: str
    before: dict[str, Any]
    undone: bool

    @property
    def who(self) -> str:
        """Who did it, in words: `host`, `server`, `user alice`, `team The Owls` or `visitor ...`."""
        return str(self.actor)

    @property
    def undoable(self) -> bool:
        """Whether the host can undo it."""
        return self.actor.kind == "host" and self.action in UNDOABLE and not self.undone


class Audit:
    """The log, which is only ever added to."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, now: float, actor: Actor, action: str, subject: str = "", detail: str = "") -> None:
        """Add a line."""
        with self._store.transaction() as db:
            write_action(db, now, actor, action, subject, detail)

    def deeds(self, most: int = 200, *, before: int | None = None) -> list[Deed]:
        """Return a page of the log, the newest line first.

        Args:
            most: The number of lines of a page.
            before: The number of the last line of the page before this one; None for the first page.
        """
        return self._select("?1 IS NULL OR number < ?1", (before,), most)

    def get(self, number: int) -> Deed:
        """Return the line with that number."""
        found = self._select("number = ?", (number,), 1)
        if not found:
            raise FieldError(f"the log has no line {number}; choose one from the log")
        return found[0]

    def last_undoable(self) -> list[Deed]:
        """Return the last thing that the host did and can undo: all lines of one press of a button."""
        where = f"actor_kind = 'host' AND NOT undone AND action IN {UNDOABLE}"
        found = self._select(where, (), 1)
        if not found:
            return []
        last = found[0]
        return self._select(
            f"{where} AND time = ? AND action = ? AND detail = ?", (last.time, last.action, last.detail), -1
        )

    def mark_undone(self, numbers: list[int]) -> None:
        """Mark lines as undone."""
        with self._store.transaction() as db:
            db.executemany(
                "UPDATE actions SET undone = 1 WHERE number = ?", [(number,) for number in numbers]
            )

    def _select(self, where: str, values: tuple[Any, ...], most: int) -> list[Deed]:
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT number, time, actor_kind, actor, action, subject, detail, before, undone "
                f"FROM actions WHERE {where} ORDER BY number DESC LIMIT {int(most)}",
                values,
            ).fetchall()
        return [
            Deed(
                number, time, Actor(*actor), action, subject, detail, json.loads(before or "{}"), bool(undone)
            )
            for number, time, *actor, action, subject, detail, before, undone in rows
        ]


# ---- lines of an export ----------------------------------------------------------------------------

# By kind, the table and the columns with their kinds; a row that is equal in all of them is known.
_TABLES: dict[str, tuple[str, dict[str, type]]] = {
    "team": (
        "teams",
        {"name": str, "looks": str, "key": str, "created": float, "maker": str, "vouched": int},
    ),
    "member": ("members", {"team": str, "user": str}),
    "announcement": ("announcements", {"id": str, "time": float, "benchmark": str, "text": str}),
    "action": (
        "actions",
        {
            "time": float,
            "actor_kind": str,
            "actor": str,
            "action": str,
            "subject": str,
            "detail": str,
            "before": str,
            "undone": int,
        },
    ),
}


class Record(NamedTuple):
    """A row of one of the tables."""

    kind: str
    values: tuple[Any, ...]


def export_records(store: Store) -> Iterator[dict[str, Any]]:
    """Yield all records as plain values."""
    for kind, (table, columns) in _TABLES.items():
        with store.reading() as db:
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid").fetchall()
        for row in rows:
            yield {"record": kind, **dict(zip(columns, row, strict=True))}


def read_record(values: dict[str, Any]) -> Record:
    """Check a record of an export and return it."""
    kind = values.pop("record")
    if kind not in _TABLES:
        raise ValueError(f"it is of an unknown kind, {kind!r}")
    columns = _TABLES[kind][1]
    if values.keys() != columns.keys() or any(type(values[key]) is not columns[key] for key in columns):
        raise ValueError(f"the fields of this {kind} are not those of this program")
    return Record(kind, tuple(values[key] for key in columns))


def import_record(store: Store, record: Record) -> None:
    """Store a record, unless it is there already."""
    table, columns = _TABLES[record.kind]
    marks = ", ".join("?" * len(columns))
    with store.transaction() as db:
        same = " AND ".join(f"{name} = ?" for name in columns)
        if db.execute(f"SELECT 1 FROM {table} WHERE {same}", record.values).fetchone() is None:
            db.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", record.values
            )
