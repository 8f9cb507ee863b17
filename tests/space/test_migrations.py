"""A database of the first schema, made by its own statements, is taken over with everything in it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib

import pytest

from leaderboard.schema import MIGRATIONS
from leaderboard.service import DATABASE, Leaderboard
from leaderboard.store import Store
from leaderboard.visitors import Visitor
from support.process import PATIENCE
from support.space_boards import REFERENCE, WORSE

# As version 0.1.0 made it. It must not be written in terms of what the program says today.
FIRST = """
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
CREATE TABLE actions (time REAL NOT NULL, action TEXT NOT NULL, submission TEXT NOT NULL);
CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
INSERT INTO secrets VALUES ('addresses', x'00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff');
INSERT INTO actions VALUES (5.0, 'delete', 'ffffffffffffffff');
PRAGMA user_version = 1;
"""


def upload(rows):
    return ("\n".join(rows) + "\n").encode()


@pytest.fixture
def old(tmp_path):
    """Two submissions, the second of them hidden and not scored."""
    path = tmp_path / "data" / DATABASE
    path.parent.mkdir()
    db = sqlite3.connect(path)
    db.executescript(FIRST)
    for k, (system, rows, state) in enumerate((("a", WORSE, "scored"), ("b", REFERENCE, "queued"))):
        data = upload(rows)
        values = (f"{k:016x}", "english", system, "", "c", "ann", "x", hashlib.sha256(data).hexdigest())
        db.execute(
            "INSERT INTO submissions VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", (*values, 1000.0 - k, state, "", k)
        )
        db.execute("INSERT INTO uploads VALUES (?, ?)", (f"{k:016x}", zlib.compress(data)))
    result = zlib.compress(json.dumps({"version": "0.1.0", "setting": "old"}).encode())
    db.execute("INSERT INTO results VALUES (?, ?, ?)", ("0" * 16, "0.1.0", result))
    db.commit()
    db.close()
    return path


def test_everything_is_kept(old):
    store = Store(old)
    assert [(item.system, item.hidden, item.contact) for item in store.all()] == [
        ("a", False, "c"),
        ("b", True, "c"),
    ], "in the order in which they came, though the clock went back"
    for item in store.all():
        assert (item.phase, item.team, item.late, item.removed) == ("", "", False, "")
    assert store.upload("0" * 16) == upload(WORSE)
    assert store.result("0" * 16) == {"version": "0.1.0", "setting": "old"}
    assert store.secret("addresses").hex().startswith("00112233")
    assert store.actions() == [(5.0, "delete", "f" * 16)]
    db = sqlite3.connect(old)
    assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    assert {"submissions_by_benchmark", "submissions_by_time", "submissions_by_file"} <= names
    db.close()
    store.delete("0" * 16, 1.0)
    with pytest.raises(ValueError, match="there is no submission"):
        store.upload("0" * 16)


def test_board_goes_on(old, settings):
    board = Leaderboard(settings)
    board.start()
    try:
        for k in range(2):
            assert board.wait(f"{k:016x}", PATIENCE).state == "scored"
        (entry,) = board.board("english")
        assert entry.submission.system == "a"
        again = board.submit(Visitor("ann", "y"), "english", "a", "", "", upload(WORSE))
        assert again.id == "0" * 16, "a file that was submitted before is the same submission"
    finally:
        board.stop()


def test_migration_that_fails_changes_nothing(old):
    with pytest.raises(sqlite3.OperationalError):
        Store(old, (*MIGRATIONS, "CREATE TABLE actions (x)"))
    db = sqlite3.connect(old)
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    assert db.execute("SELECT count(*) FROM uploads").fetchone() == (2,)
    assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'teams'").fetchone() == (0,)
    db.close()
    assert len(Store(old).all()) == 2
