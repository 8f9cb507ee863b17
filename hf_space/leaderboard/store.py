"""The database: submissions, their uploads and results, in one SQLite file."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from .backups import damaged
from .people import HOST, SERVER, Actor
from .quotas import SAME_PERSON, Quota, check_changes, check_quota

_LOG = logging.getLogger(__name__)

STATES = ("queued", "scored", "failed")
REMOVED = ("", "withdrawn", "deleted")

# The number of the schema, which a database keeps; one of another number is refused.
SCHEMA_VERSION = 1

SCHEMA = """
    CREATE TABLE submissions (
        id TEXT PRIMARY KEY,
        benchmark TEXT NOT NULL,
        system TEXT NOT NULL,
        link TEXT NOT NULL,
        contact TEXT NOT NULL,
        owner TEXT NOT NULL,
        owner_kind TEXT NOT NULL CHECK (owner_kind IN ('user', 'visitor')),
        address TEXT NOT NULL,
        digest TEXT NOT NULL,
        received REAL NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('queued', 'scored', 'failed')),
        problem TEXT NOT NULL,
        hidden INTEGER NOT NULL,
        phase TEXT NOT NULL,
        team TEXT NOT NULL,
        late INTEGER NOT NULL,
        removed TEXT NOT NULL CHECK (removed IN ('', 'withdrawn', 'deleted')),
        by_host INTEGER NOT NULL
    );
    CREATE INDEX submissions_by_benchmark ON submissions (benchmark, received);
    CREATE INDEX submissions_by_time ON submissions (received);
    CREATE INDEX submissions_by_file ON submissions (benchmark, owner, system, digest);
    CREATE TABLE uploads (
        submission TEXT PRIMARY KEY REFERENCES submissions (id) ON DELETE CASCADE,
        data BLOB NOT NULL
    );
    CREATE TABLE results (
        submission TEXT PRIMARY KEY REFERENCES submissions (id) ON DELETE CASCADE,
        version TEXT NOT NULL,
        setting TEXT NOT NULL,
        figure REAL,
        shown REAL,
        summary TEXT NOT NULL,
        rows BLOB NOT NULL
    );
    CREATE TABLE tests (
        first TEXT NOT NULL REFERENCES results (submission) ON DELETE CASCADE,
        second TEXT NOT NULL REFERENCES results (submission) ON DELETE CASCADE,
        p_value REAL NOT NULL,
        PRIMARY KEY (first, second)
    ) WITHOUT ROWID;
    CREATE INDEX tests_by_second ON tests (second);
    CREATE TABLE actions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        time REAL NOT NULL,
        actor_kind TEXT NOT NULL CHECK (actor_kind IN ('host', 'server', 'user', 'team', 'visitor')),
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        detail TEXT NOT NULL,
        before TEXT NOT NULL,
        undone INTEGER NOT NULL
    );
    CREATE INDEX actions_by_subject ON actions (subject, time);
    CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE keys (
        hash TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        owner_kind TEXT NOT NULL,
        created REAL NOT NULL
    );
    CREATE TABLE teams (
        name TEXT PRIMARY KEY,
        looks TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        created REAL NOT NULL,
        maker TEXT NOT NULL,
        vouched INTEGER NOT NULL
    );
    CREATE TABLE members (
        team TEXT NOT NULL REFERENCES teams (name) ON DELETE CASCADE,
        user TEXT NOT NULL,
        PRIMARY KEY (team, user)
    );
    CREATE TABLE announcements (
        id TEXT PRIMARY KEY,
        time REAL NOT NULL,
        benchmark TEXT NOT NULL,
        text TEXT NOT NULL
    )
"""


class Submission(NamedTuple):
    """A row of the table of submissions.

    Attributes:
        id: A random name.
        benchmark: The name of the benchmark.
        system: The name that the submitter gave the system.
        link: An address of a page about the system; empty for none.
        contact: How to reach the submitter; only the host sees it.
        owner: The name of the user, or the name that somebody who is not signed in got.
        owner_kind: `user` for a signed-in user, else `visitor`.
        address: A keyed hash of the network address.
        digest: The digest of the unpacked upload.
        received: The time at which it was received, in seconds since 1970.
        state: One of `STATES`.
        problem: Why it failed.
        hidden: Whether the host took it off the board.
        phase: The phase of the benchmark; empty if that has none.
        team: The team that it was submitted for; empty for somebody without one.
        late: Whether it came after the phase had closed.
        removed: How it was removed, one of `REMOVED`; either can be undone.
        by_host: Whether the host removed it; then only the host can put it back.
    """

    id: str
    benchmark: str
    system: str
    link: str
    contact: str
    owner: str
    owner_kind: str
    address: str
    digest: str
    received: float
    state: str = "queued"
    problem: str = ""
    hidden: bool = False
    phase: str = ""
    team: str = ""
    late: bool = False
    removed: str = ""
    by_host: bool = False

    @property
    def by(self) -> str:
        """The name on the board: a team's or somebody's."""
        return self.team or self.owner

    @property
    def actor(self) -> Actor:
        """Who may withdraw it: the team, or its owner."""
        return Actor("team", self.team) if self.team else Actor(self.owner_kind, self.owner)

    @property
    def key(self) -> tuple[Actor, str]:
        """The key of the system: a team's differs from that of a user with the team's name."""
        return self.actor, self.system

    @property
    def counts(self) -> bool:
        """Whether it may be on the board."""
        return not self.hidden and not self.removed


class Scored(NamedTuple):
    """A submission with the figure that ranks it, without the rest of its result.

    Attributes:
        submission: The submission.
        setting: The setting in which it was scored, as `Benchmark.setting` has it.
        version: The version of the program that scored it.
        figure: The exact figure that ranks; None if its metric means nothing for this submission.
        shown: The same on the grid of benchmarks with private reference trees.
        summary: The result without the numbers of sentences; empty if it was not asked for.
    """

    submission: Submission
    setting: str
    version: str
    figure: float | None
    shown: float | None
    summary: Mapping[str, Any] = MappingProxyType({})


_FIELDS = ", ".join(f"submissions.{name}" for name in Submission._fields)
_N_FIELDS = len(Submission._fields)
_INSERT = f"INTO submissions ({', '.join(Submission._fields)}) VALUES ({', '.join('?' * _N_FIELDS)})"
_JOINED = "submissions JOIN results ON results.submission = submissions.id"
_ORDER = "ORDER BY submissions.rowid"  # in the order of arrival, even if the clock was set back


class Store:
    """Everything that must outlive the server.

    Every method is a transaction of its own, which is on the disk when it returns. Several threads
    and processes may use the same file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # contacts are for the host only
        self.path = path
        try:
            self._make_tables()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            raise ValueError(damaged(path, error)) from None

    def _make_tables(self) -> None:
        """Make the tables of a new database; refuse one with different tables."""
        with self.transaction() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == SCHEMA_VERSION:
                return
            if version:
                raise ValueError(
                    f"{self.path}: the database has schema version {version}, this program has "
                    f"{SCHEMA_VERSION}; install the version that wrote it"
                )
            for statement in SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.execute("INSERT INTO secrets VALUES ('addresses', randomblob(32))")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that may write; commit at the end, or roll back after an error."""
        db = sqlite3.connect(self.path, timeout=30.0, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        finally:
            db.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that does not wait for writers."""
        db = sqlite3.connect(self.path, timeout=30.0, isolation_level=None)
        try:
            yield db
        finally:
            db.close()

    # ---- submissions ---------------------------------------------------------------------------

    def add(
        self, submission: Submission, upload: bytes, quota: Quota | None, key: str | None = None
    ) -> Submission:
        """Accept a submission with its upload, or return the one that it repeats.

        Args:
            submission: The submission.
            upload: The file of the submission.
            quota: How many submissions there may be; None for any number.
            key: The hash of a secret that the owner gets with this submission; None for none.

        Raises:
            QuotaError: There were too many.
        """
        packed = zlib.compress(upload)
        with self.transaction() as db:
            # A visitor who is new here may have sent the same before, and never have received the answer.
            same = ("benchmark", "system", "digest", "phase", "team", "late", "removed")
            conditions = [f"{name} = :{name}" for name in same] + [SAME_PERSON if key else "owner = :owner"]
            known = db.execute(
                f"SELECT {_FIELDS} FROM submissions WHERE {' AND '.join(conditions)}", submission._asdict()
            ).fetchone()
            if known is not None:
                return _submission(known)
            if quota is not None:
                check_quota(db, submission, quota)
            db.execute(f"INSERT {_INSERT}", submission)
            db.execute("INSERT INTO uploads VALUES (?, ?)", (submission.id, packed))
            if key is not None:
                own = key, submission.owner, submission.owner_kind, submission.received
                db.execute("INSERT INTO keys VALUES (?, ?, ?, ?)", own)
        return submission

    def get(self, id_: str) -> Submission | None:
        """Return the submission with that name, or None."""
        found = self._select("id = ?", (id_,))
        return found[0] if found else None

    def all(self, benchmark: str | None = None) -> list[Submission]:
        """Return the submissions in the order of arrival."""
        return self._select("benchmark = ?1 OR ?1 IS NULL", (benchmark,))

    def queued(self) -> list[Submission]:
        """Return the submissions that wait to be scored, the oldest first."""
        return self._select("state = 'queued' AND removed != 'deleted'")

    def of_system(self, submission: Submission) -> list[Submission]:
        """Return all submissions of the system of this one, in the order of arrival."""
        names = ("benchmark", "system", "team", *(() if submission.team else ("owner", "owner_kind")))
        values = [getattr(submission, name) for name in names]
        return self._select(" AND ".join(f"{name} = ?" for name in names), values)

    def _select(self, where: str, values: Sequence[Any] = ()) -> list[Submission]:
        with self.reading() as db:
            rows = db.execute(f"SELECT {_FIELDS} FROM submissions WHERE {where} {_ORDER}", values)
            return [_submission(row) for row in rows]

    def upload(self, id_: str) -> bytes:
        """Return the unpacked upload of a submission."""
        with self.reading() as db:
            row = db.execute("SELECT data FROM uploads WHERE submission = ?", (id_,)).fetchone()
        if row is None:
            raise ValueError(f"there is no submission {id_!r}")
        try:
            return zlib.decompress(row[0])
        except (TypeError, zlib.error):
            raise ValueError(f"the upload of submission {id_} is damaged; restore it from a backup") from None

    # ---- secrets of submitters -----------------------------------------------------------------

    def owner_of(self, key: str) -> Actor | None:
        """Return the owner whose secret has that hash."""
        with self.reading() as db:
            row = db.execute("SELECT owner_kind, owner FROM keys WHERE hash = ?", (key,)).fetchone()
        return None if row is None else Actor(*row)

    def add_key(self, key: str, user: str, now: float) -> None:
        """Make a secret with this hash the only one that a user has."""
        with self.transaction() as db:
            db.execute("DELETE FROM keys WHERE owner = ? AND owner_kind = 'user'", (user,))
            db.execute("INSERT INTO keys VALUES (?, ?, 'user', ?)", (key, user, now))

    def key_of(self, owner: str, kind: str) -> str | None:
        """Return the hash of an owner's secret, if there is one."""
        with self.reading() as db:
            row = db.execute(
                "SELECT hash FROM keys WHERE owner = ? AND owner_kind = ?", (owner, kind)
            ).fetchone()
        return None if row is None else row[0]

    # ---- results -------------------------------------------------------------------------------

    def finish(self, id_: str, result: dict[str, Any]) -> None:
        """Store the result of a submission, unless it was deleted in the meantime."""
        with self.transaction() as db:
            done = db.execute("UPDATE submissions SET state = 'scored', problem = '' WHERE id = ?", (id_,))
            if done.rowcount:
                db.execute("DELETE FROM results WHERE submission = ?", (id_,))
                _insert_result(db, id_, result)

    def fail(self, id_: str, problem: str) -> None:
        """Store why a submission could not be scored."""
        with self.transaction() as db:
            db.execute("UPDATE submissions SET state = 'failed', problem = ? WHERE id = ?", (problem, id_))
            db.execute("DELETE FROM results WHERE submission = ?", (id_,))

    def summary(self, id_: str) -> dict[str, Any] | None:
        """Return the result of a submission without the numbers of single sentences; None without one."""
        with self.reading() as db:
            row = db.execute("SELECT summary FROM results WHERE submission = ?", (id_,)).fetchone()
        return None if row is None else _unpack(id_, row[0])

    def result(self, id_: str) -> dict[str, Any] | None:
        """Return the whole result of a submission; None without one, or if it is damaged."""
        with self.reading() as db:
            row = db.execute("SELECT summary, rows FROM results WHERE submission = ?", (id_,)).fetchone()
        return None if row is None else _unpack(id_, *row)

    def scored(self, benchmark: str, *, summaries: bool = False) -> list[Scored]:
        """Return all submissions of a benchmark that have results, in the order of arrival."""
        columns = f"{_FIELDS}, setting, version, figure, shown" + (", summary" if summaries else "")
        with self.reading() as db:
            rows = db.execute(f"SELECT {columns} FROM {_JOINED} WHERE benchmark = ? {_ORDER}", (benchmark,))
            found = [Scored(_submission(row[:_N_FIELDS]), *row[_N_FIELDS:]) for row in rows]
        if not summaries:
            return found
        unpacked = [(item, _unpack(item.submission.id, item.summary)) for item in found]
        return [item._replace(summary=summary) for item, summary in unpacked if summary is not None]

    def board_state(self, benchmark: str) -> tuple[Any, ...]:
        """Return a value that is different whenever a board of the benchmark may be different."""
        with self.reading() as db:
            rows = db.execute(
                f"SELECT id, hidden, removed, setting, version, figure, length(summary) FROM {_JOINED} "
                f"WHERE benchmark = ? {_ORDER}",
                (benchmark,),
            ).fetchall()
            return *rows, db.execute("SELECT count(*) FROM tests").fetchone()

    def tests(self, benchmark: str) -> dict[tuple[str, str], float]:
        """Return the p-values of the pairs of submissions to a benchmark that were compared."""
        with self.reading() as db:
            rows = db.execute(
                "SELECT first, second, p_value FROM tests JOIN submissions ON id = first WHERE benchmark = ?",
                (benchmark,),
            )
            return {(first, second): p_value for first, second, p_value in rows}

    def add_tests(self, p_values: dict[tuple[str, str], float]) -> None:
        """Store p-values by pair; those of submissions that were deleted in the meantime are not stored."""
        with self.transaction() as db:
            scored = {id_ for (id_,) in db.execute("SELECT submission FROM results")}
            rows = [(*pair, p) for pair, p in p_values.items() if scored.issuperset(pair)]
            db.executemany("INSERT OR REPLACE INTO tests VALUES (?, ?, ?)", rows)

    def stamps(self) -> dict[str, str]:
        """Return a digest of everything that can change in each submission, by name."""
        with self.reading() as db:
            rows = db.execute(
                f"SELECT {_FIELDS}, results.version, results.summary FROM submissions "
                f"LEFT JOIN results ON results.submission = submissions.id {_ORDER}"
            )
            return {row[0]: hashlib.sha256(repr(row).encode()).hexdigest() for row in rows}

    # ---- changes, which are in the log ---------------------------------------------------------

    def change(
        self,
        id_: str,
        action: str,
        now: float,
        values: dict[str, Any],
        *,
        actor: Actor = HOST,
        detail: str = "",
        undone: bool = False,
    ) -> None:
        """Change some columns of a submission, and write that into the log.

        Args:
            id_: The name of the submission.
            action: The name of the action in the log.
            now: The time.
            values: The new values by column.
            actor: Who changes it; all but the host and the server may do so only some times a day.
            detail: More about it in words.
            undone: Whether the change undoes another one, and is itself not to be undone.
        """
        columns = ", ".join(values)
        with self.transaction() as db:
            if actor not in (HOST, SERVER):
                check_changes(db, id_, now)
            before = db.execute(f"SELECT {columns} FROM submissions WHERE id = ?", (id_,)).fetchone()
            if before is None:
                raise ValueError(f"there is no submission {id_!r}")
            places = ", ".join(f"{name} = ?" for name in values)
            db.execute(f"UPDATE submissions SET {places} WHERE id = ?", (*values.values(), id_))
            earlier = json.dumps(dict(zip(values, before, strict=True)))
            write_action(db, now, actor, action, id_, detail, before=earlier, undone=undone)

    def delete(self, id_: str, now: float) -> None:
        """Remove a submission with its upload and result for good."""
        with self.transaction() as db:
            if not db.execute("DELETE FROM submissions WHERE id = ?", (id_,)).rowcount:
                raise ValueError(f"there is no submission {id_!r}")
            write_action(db, now, HOST, "delete for good", id_)

    def deleted_for_good(self) -> set[str]:
        """Return the names of submissions that the host has deleted for good."""
        with self.reading() as db:
            rows = db.execute("SELECT subject FROM actions WHERE action = 'delete for good'")
            return {name for (name,) in rows}

    def requeue(self, id_: str, now: float, *, actor: Actor = HOST, detail: str = "") -> None:
        """Have a submission scored again; its old result stays until then."""
        self.change(id_, "re-score", now, {"state": "queued"}, actor=actor, detail=detail, undone=True)

    def restore(
        self, submission: Submission, upload: bytes, result: dict[str, Any] | None, key: str | None = None
    ) -> bool:
        """Copy a submission of another database, and its owner's key; return whether it was new."""
        with self.transaction() as db:
            if not db.execute(f"INSERT OR IGNORE {_INSERT}", submission).rowcount:
                return False
            db.execute("INSERT INTO uploads VALUES (?, ?)", (submission.id, zlib.compress(upload)))
            if key is not None:
                own = key, submission.owner, submission.owner_kind, submission.received
                db.execute("INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?)", own)
            if result is not None:
                _insert_result(db, submission.id, result)
        return True

    def secret(self, name: str) -> bytes:
        """Return a random key that does not change while there are submissions."""
        with self.reading() as db:
            value: bytes = db.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()[0]
        return value

    def set_secret(self, name: str, value: bytes) -> None:
        """Use the key of another database, unless there are submissions that use the present one."""
        with self.transaction() as db:
            if db.execute("SELECT 1 FROM submissions LIMIT 1").fetchone() is None:
                db.execute("UPDATE secrets SET value = ? WHERE name = ?", (value, name))


def write_action(
    db: sqlite3.Connection,
    now: float,
    actor: Actor,
    action: str,
    subject: str = "",
    detail: str = "",
    *,
    before: str = "",
    undone: bool = False,
) -> None:
    """Add a line to the log; `before` holds the values, as JSON, that undoing it brings back."""
    db.execute(
        "INSERT INTO actions (time, actor_kind, actor, action, subject, detail, before, undone) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (now, *actor, action, subject, detail, before, undone),
    )


def _insert_result(db: sqlite3.Connection, id_: str, result: dict[str, Any]) -> None:
    """Store a result as a summary, which pages read, and the numbers of sentences, which they do not."""
    summary = {name: value for name, value in result.items() if name != "rows"}
    ranking = result["ranking"] or {"value": None, "shown": None}
    rows = zlib.compress(json.dumps(result["rows"]).encode("utf-8"))
    values = id_, result["version"], result["setting"], ranking["value"], ranking["shown"]
    db.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", (*values, json.dumps(summary), rows))


def _unpack(id_: str, summary: Any, rows: Any = None) -> dict[str, Any] | None:
    """Return a result as it was stored; None for a damaged one, so that others are still shown."""
    try:
        result: dict[str, Any] = json.loads(summary)
        if rows is not None:
            result["rows"] = json.loads(zlib.decompress(rows))
    except (ValueError, TypeError, zlib.error) as error:
        _LOG.error("the result of submission %s is damaged, score it again: %s", id_, error)
        return None
    return result


def _submission(row: Sequence[Any]) -> Submission:
    submission = Submission(*row)
    return submission._replace(
        hidden=bool(submission.hidden), late=bool(submission.late), by_host=bool(submission.by_host)
    )
