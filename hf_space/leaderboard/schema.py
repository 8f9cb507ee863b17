"""Changes of the database's tables: what shared tasks need, and what statements alone cannot make."""

from __future__ import annotations

import re
import sqlite3

SHARED_TASKS = """
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


def allow_repeats(db: sqlite3.Connection) -> None:
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
