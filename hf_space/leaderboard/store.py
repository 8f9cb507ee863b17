"""The database: submissions, their uploads and results, in one SQLite file."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from .backups import damaged
from .quotas import SUBMITTER, Quota, check_quota, statement_values

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
        address TEXT NOT NULL,
        digest TEXT NOT NULL,
        received REAL NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('queued', 'scored', 'failed')),
        problem TEXT NOT NULL DEFAULT '',
        hidden INTEGER NOT NULL DEFAULT 0,
        phase TEXT NOT NULL DEFAULT '',
        team TEXT NOT NULL DEFAULT '',
        late INTEGER NOT NULL DEFAULT 0,
        removed TEXT NOT NULL DEFAULT ''
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
        data BLOB NOT NULL
    );
    CREATE TABLE actions (
        time REAL NOT NULL,
        action TEXT NOT NULL,
        submission TEXT NOT NULL,
        who TEXT NOT NULL DEFAULT 'host',
        detail TEXT NOT NULL DEFAULT ''
    );
    CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE keys (
        hash TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        created REAL NOT NULL
    );
    CREATE TABLE teams (
        name TEXT PRIMARY KEY,
        key TEXT NOT NULL,
        created REAL NOT NULL,
        address TEXT NOT NULL
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

STATES = ("queued", "scored", "failed")
REMOVED = ("", "withdrawn", "deleted")


class Submission(NamedTuple):
    """A submission: a row of the table.

    Attributes:
        id: A random name.
        benchmark: The name of the benchmark.
        system: What the submitter calls the system.
        link: An address of a page about the system; empty for none.
        contact: How to reach the submitter; only the host sees it.
        owner: The user, or a name made from the address of somebody who is not signed in.
        address: A keyed hash of the network address.
        digest: The digest of the unpacked upload.
        received: When it was received, in seconds since 1970.
        state: What became of it: `queued`, `scored` or `failed`.
        problem: Why it failed.
        hidden: Whether the host took it off the board.
        phase: The phase of the benchmark; empty if that has none.
        team: The team that it was submitted for; empty for somebody without one.
        late: Whether it came after the phase had closed.
        removed: How it was removed: `withdrawn` by who submitted it, `deleted` by the host, or empty; either
            can be undone.
    """

    id: str
    benchmark: str
    system: str
    link: str
    contact: str
    owner: str
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

    @property
    def by(self) -> str:
        """The name on the board: a team's or somebody's."""
        return self.team or self.owner

    @property
    def key(self) -> tuple[bool, str, str]:
        """The key of the system: a team's differs from that of a user with the team's name."""
        return bool(self.team), self.by, self.system

    @property
    def counts(self) -> bool:
        """Whether it may be on the board."""
        return not self.hidden and not self.removed


_LOG = logging.getLogger(__name__)

_FIELDS = ", ".join(f"submissions.{name}" for name in Submission._fields)
_INSERT = (
    f"INTO submissions ({', '.join(Submission._fields)}) VALUES ({', '.join('?' * len(Submission._fields))})"
)

_ORDER = "ORDER BY submissions.rowid"  # as they came, whatever the clock said


class Store:
    """All that must outlive the server.

    Every method is a transaction of its own, which is on the disk when it returns. Several threads
    and processes may use the same file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # contacts are the host's alone
        self._path = path
        try:
            self._make_tables()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            raise ValueError(damaged(path, error)) from None

    def _make_tables(self) -> None:
        """Make the tables of a new database; refuse one whose tables are others."""
        with self._transaction() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == SCHEMA_VERSION:
                return
            if version:
                raise ValueError(
                    f"{self._path}: the database has schema version {version}, this program has "
                    f"{SCHEMA_VERSION}; install the version that wrote it"
                )
            for statement in SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.execute("INSERT INTO secrets VALUES ('addresses', randomblob(32))")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A connection with a transaction that may write; committed unless an error leaves it."""
        db = sqlite3.connect(self._path, timeout=30.0, isolation_level=None)
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
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that does not wait for writers."""
        db = sqlite3.connect(self._path, timeout=30.0, isolation_level=None)
        try:
            yield db
        finally:
            db.close()

    transaction, reading = _transaction, _reading  # for the modules beside this one, with tables of their own

    # ---- submissions ---------------------------------------------------------------------------

    def add(
        self, submission: Submission, upload: bytes, quota: Quota | None, key: str | None = None
    ) -> Submission:
        """Accepts a submission with its upload, or returns the one that it repeats.

        Args:
            submission: The submission, whose owner has submitted it.
            upload: The file of the submission.
            quota: How many submissions there may be; None for any number.
            key: The hash of a secret that shall be the owner's.

        Raises:
            QuotaError: There were too many.
        """
        packed = zlib.compress(upload)
        with self._transaction() as db:
            # Whoever is new here may have sent the same before, and not have got the answer.
            same = ("benchmark", "system", "digest", "phase", "team", "late", "removed")
            conditions = [f"{name} = :{name}" for name in same] + [SUBMITTER if key else "owner = :owner"]
            known = db.execute(
                f"SELECT {_FIELDS} FROM submissions WHERE {' AND '.join(conditions)}",
                statement_values(submission),
            ).fetchone()
            if known is not None:
                return _submission(known)
            if quota is not None:
                check_quota(db, submission, quota)
            db.execute(f"INSERT {_INSERT}", submission)
            db.execute("INSERT INTO uploads VALUES (?, ?)", (submission.id, packed))
            if key is not None:
                db.execute("INSERT INTO keys VALUES (?, ?, ?)", (key, submission.owner, submission.received))
        return submission

    def get(self, id_: str) -> Submission | None:
        """The submission with that name."""
        with self._reading() as db:
            row = db.execute(f"SELECT {_FIELDS} FROM submissions WHERE id = ?", (id_,)).fetchone()
        return None if row is None else _submission(row)

    def all(self, benchmark: str | None = None) -> list[Submission]:
        """The submissions in the order in which they came."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT {_FIELDS} FROM submissions WHERE benchmark = ?1 OR ?1 IS NULL {_ORDER}",
                (benchmark,),
            ).fetchall()
        return [_submission(row) for row in rows]

    def queued(self) -> list[Submission]:
        """The submissions that wait to be scored, the oldest first."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT {_FIELDS} FROM submissions WHERE state = 'queued' AND removed != 'deleted' {_ORDER}"
            ).fetchall()
        return [_submission(row) for row in rows]

    def upload(self, id_: str) -> bytes:
        """The upload of a submission, unpacked."""
        with self._reading() as db:
            row = db.execute("SELECT data FROM uploads WHERE submission = ?", (id_,)).fetchone()
        if row is None:
            raise ValueError(f"there is no submission {id_!r}")
        try:
            return zlib.decompress(row[0])
        except (TypeError, zlib.error):
            raise ValueError(f"the upload of submission {id_} is damaged; restore it from a backup") from None

    # ---- secrets of submitters -----------------------------------------------------------------

    def owner_of(self, key: str) -> str | None:
        """The owner whose secret has that hash."""
        with self._reading() as db:
            row = db.execute("SELECT owner FROM keys WHERE hash = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def add_key(self, key: str, owner: str, now: float) -> None:
        """Makes a secret, of which this is the hash, the only one that an owner has."""
        with self._transaction() as db:
            db.execute("DELETE FROM keys WHERE owner = ?", (owner,))
            db.execute("INSERT INTO keys VALUES (?, ?, ?)", (key, owner, now))

    def key_of(self, owner: str) -> str | None:
        """The hash of an owner's secret, if there is one."""
        with self._reading() as db:
            row = db.execute("SELECT hash FROM keys WHERE owner = ?", (owner,)).fetchone()
        return None if row is None else row[0]

    # ---- results -------------------------------------------------------------------------------

    def finish(self, id_: str, result: dict[str, Any]) -> None:
        """Records the result of a submission, unless it was deleted in the meantime."""
        data = zlib.compress(json.dumps(result).encode("utf-8"))
        with self._transaction() as db:
            done = db.execute("UPDATE submissions SET state = 'scored', problem = '' WHERE id = ?", (id_,))
            if done.rowcount:
                db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", (id_, result["version"], data))

    def fail(self, id_: str, problem: str) -> None:
        """Records why a submission could not be scored."""
        with self._transaction() as db:
            db.execute("UPDATE submissions SET state = 'failed', problem = ? WHERE id = ?", (problem, id_))
            db.execute("DELETE FROM results WHERE submission = ?", (id_,))

    def result(self, id_: str) -> dict[str, Any] | None:
        """The result of a submission, if it was scored."""
        with self._reading() as db:
            row = db.execute("SELECT data FROM results WHERE submission = ?", (id_,)).fetchone()
        return None if row is None else _unpack(id_, row[0])

    def scored(self, benchmark: str) -> list[tuple[Any, ...]]:
        """A short value that changes with what `results` returns."""
        with self._reading() as db:
            return db.execute(
                "SELECT id, hidden, removed, state, phase, version, length(data) FROM submissions "
                "JOIN results ON results.submission = submissions.id "
                f"WHERE benchmark = ? {_ORDER}",
                (benchmark,),
            ).fetchall()

    def stamps(self) -> dict[str, str]:
        """A digest of all that can change in each submission, by name."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT {_FIELDS}, results.data FROM submissions "
                f"LEFT JOIN results ON results.submission = submissions.id {_ORDER}"
            )
            return {
                row[0]: hashlib.sha256(repr(row[:-1]).encode() + (row[-1] or b"")).hexdigest() for row in rows
            }

    def results(self, benchmark: str) -> list[tuple[Submission, dict[str, Any]]]:
        """All submissions of a benchmark that have results, in the order in which they came."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT {_FIELDS}, results.data FROM submissions "
                "JOIN results ON results.submission = submissions.id "
                f"WHERE benchmark = ? {_ORDER}",
                (benchmark,),
            ).fetchall()
        found = [(_submission(row[:-1]), _unpack(row[0], row[-1])) for row in rows]
        return [(submission, result) for submission, result in found if result is not None]

    # ---- the host's actions --------------------------------------------------------------------

    def hide(self, id_: str, hidden: bool, now: float, *, who: str = "host", detail: str = "") -> None:
        """Takes a submission off the board, or puts it back."""
        statement, action = "UPDATE submissions SET hidden = ?2 WHERE id = ?1", "hide" if hidden else "show"
        self._act(statement, id_, action, now, hidden, who=who, detail=detail)

    def remove(
        self, id_: str, removed: str, action: str, now: float, *, who: str = "host", detail: str = ""
    ) -> None:
        """Withdraws or deletes a submission so that it can be undone, or undoes that."""
        statement = "UPDATE submissions SET removed = ?2 WHERE id = ?1"
        self._act(statement, id_, action, now, removed, who=who, detail=detail)

    def delete(self, id_: str, now: float) -> None:
        """Removes a submission with its upload and result for good."""
        self._act("DELETE FROM submissions WHERE id = ?1", id_, "delete for good", now)

    def requeue(self, id_: str, now: float, *, who: str = "host", detail: str = "") -> None:
        """Has a submission scored again; its old result stays until then."""
        statement = "UPDATE submissions SET state = 'queued' WHERE id = ?1"
        self._act(statement, id_, "re-score", now, who=who, detail=detail)

    def _act(
        self,
        statement: str,
        id_: str,
        action: str,
        now: float,
        *values: Any,
        who: str = "host",
        detail: str = "",
    ) -> None:
        with self._transaction() as db:
            if not db.execute(statement, (id_, *values)).rowcount:
                raise ValueError(f"there is no submission {id_!r}")
            db.execute(
                "INSERT INTO actions (time, action, submission, who, detail) VALUES (?, ?, ?, ?, ?)",
                (now, action, id_, who, detail),
            )

    def actions(self) -> list[tuple[float, str, str]]:
        """What the host did: time, action and submission."""
        with self._reading() as db:
            return db.execute("SELECT time, action, submission FROM actions ORDER BY time, rowid").fetchall()

    def restore(
        self, submission: Submission, upload: bytes, result: dict[str, Any] | None, key: str | None = None
    ) -> bool:
        """Takes over a submission of another database, and its owner's key; returns whether it was new."""
        with self._transaction() as db:
            done = db.execute(f"INSERT OR IGNORE {_INSERT}", submission)
            if not done.rowcount:
                return False
            db.execute("INSERT INTO uploads VALUES (?, ?)", (submission.id, zlib.compress(upload)))
            if key is not None:
                owned = (key, submission.owner, submission.received)
                db.execute("INSERT OR IGNORE INTO keys VALUES (?, ?, ?)", owned)
            if result is not None:
                data = zlib.compress(json.dumps(result).encode("utf-8"))
                db.execute("INSERT INTO results VALUES (?, ?, ?)", (submission.id, result["version"], data))
        return True

    def secret(self, name: str) -> bytes:
        """A random key that does not change while there are submissions."""
        with self._reading() as db:
            value: bytes = db.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()[0]
        return value

    def set_secret(self, name: str, value: bytes) -> None:
        """Takes over the key of another database, unless the own one is in use."""
        with self._transaction() as db:
            if db.execute("SELECT 1 FROM submissions LIMIT 1").fetchone() is None:
                db.execute("UPDATE secrets SET value = ? WHERE name = ?", (value, name))


def _submission(row: Sequence[Any]) -> Submission:
    submission = Submission(*row)
    return submission._replace(hidden=bool(submission.hidden), late=bool(submission.late))


def _unpack(id_: str, data: bytes) -> dict[str, Any] | None:
    """A result as it was stored; None for one that is damaged, so that others are still seen."""
    try:
        result: dict[str, Any] = json.loads(zlib.decompress(data))
    except (ValueError, TypeError, zlib.error) as error:
        _LOG.error("the result of submission %s is damaged, score it again: %s", id_, error)
        return None
    return result
