"""The database's tables: the steps that make them, from the first version of the schema to the newest."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

_SHARED_TASKS = """
    ALTER TABLE submissions ADD COLUMN phase TEXT NOT NULL DEFAULT '';
    ALTER TABLE submissions ADD COLUMN team TEXT NOT NULL DEFAULT '';
    ALTER TABLE submissions ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE submissions ADD COLUMN removed TEXT NOT NULL DEFAULT '';
    ALTER TABLE actions ADD COLUMN who TEXT NOT NULL DEFAULT 'host';
    ALTER TABLE actions ADD COLUMN detail TEXT NOT NULL DEFAULT '';
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
    );
    """


def _allow_repeats(db: sqlite3.Connection) -> None:
    """Takes the constraint away that a file can be submitted once for a system: phases, withdrawn entries.

    The table is made anew with whatever other columns it has, in the order of its rows.
    """
    (made,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'submissions'").fetchone()
    without = re.sub(r",\s*UNIQUE \(benchmark, owner, system, digest\)", "", made)
    indices = db.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'submissions' AND sql IS NOT NULL"
    ).fetchall()
    db.execute(without.replace("submissions", "submissions_anew", 1))
    db.execute("INSERT INTO submissions_anew SELECT * FROM submissions ORDER BY rowid")
    db.execute("DROP TABLE submissions")
    db.execute("ALTER TABLE submissions_anew RENAME TO submissions")
    for (index,) in indices:
        db.execute(index)


# Each takes the schema to the next version, by statements or a function; they are never changed, only added.
Migration = str | Callable[[sqlite3.Connection], None]
MIGRATIONS: tuple[Migration, ...] = (
    """
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
        UNIQUE (benchmark, owner, system, digest)
    );
    CREATE INDEX submissions_by_benchmark ON submissions (benchmark, received);
    CREATE INDEX submissions_by_time ON submissions (received);
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
        submission TEXT NOT NULL
    );
    CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
    """,
    """
    CREATE TABLE keys (
        hash TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        created REAL NOT NULL
    );
    """,
    _SHARED_TASKS,
    _allow_repeats,
    "CREATE INDEX submissions_by_file ON submissions (benchmark, owner, system, digest);",
)
