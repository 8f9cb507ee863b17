"""A damaged database, a full disk, and the way back; by the command and the server that a host starts."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from leaderboard.backups import check_database, restore_database, write_backup
from leaderboard.people import Visitor
from leaderboard.service import DATABASE, Leaderboard
from leaderboard.store import Store
from support import process
from support.process import PATIENCE
from support.space_boards import REFERENCE, WORSE
from support.space_client import SpaceClient
from support.space_server import APP, SpaceServer

DATA = ("\n".join(REFERENCE) + "\n").encode()
ANN = Visitor("ann", "x")


def run_app(settings, *arguments):
    environment = {
        **process.environment(os.environ.get("PYTHONPATH", "")),
        "STRUCTIOU_DATA": str(settings.data),
        "STRUCTIOU_BENCHMARKS": str(settings.benchmarks),
    }
    command = [sys.executable, str(APP), *map(str, arguments)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def damage(path, begin=4096):
    """Writes nonsense over all pages but the first."""
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(b"\xa5" * (path.stat().st_size - begin))


def private(path):
    return stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.slow
def test_backup_and_restore_by_the_command(settings, tmp_path):
    board = Leaderboard(settings)
    first = board.submit(ANN, "english", "first", "", "", DATA)
    copy = tmp_path / "copy.sqlite3"
    done = run_app(settings, "--backup", copy)
    assert done.returncode == 0, done.stderr
    assert f"1 submissions are in {copy}" in done.stdout
    assert private(copy)
    board.submit(ANN, "english", "later", "", "", DATA)
    database = settings.data / DATABASE
    for suffix in ("-wal", "-shm"):
        database.with_name(DATABASE + suffix).unlink(missing_ok=True)
    database.write_bytes(b"no database at all" * 1000)
    broken = run_app(settings, "--export", tmp_path / "x.jsonl")
    assert broken.returncode == 1
    assert f"{database} is damaged (file is not a database); bring back a copy by" in broken.stderr
    assert "Traceback" not in broken.stderr
    done = run_app(settings, "--restore", copy)
    assert done.returncode == 0, done.stderr
    assert "1 submissions restored" in done.stdout
    assert [item.id for item in Leaderboard(settings).store.all()] == [first.id]
    assert database.with_name(f"{DATABASE}.old").read_bytes().startswith(b"no database")
    refused = run_app(settings, "--restore", tmp_path / "x.jsonl")
    assert refused.returncode == 1
    assert "is no whole copy of a leaderboard" in refused.stderr
    done = run_app(settings, "--export", tmp_path / "y.jsonl")
    assert done.returncode == 0
    assert private(tmp_path / "y.jsonl")


def test_backup_while_others_write(settings, tmp_path):
    board = Leaderboard(settings)
    for k in range(3):
        board.submit(ANN, "english", f"s{k}", "", "", DATA)
    with board.store.transaction() as db:  # somebody is writing
        db.execute("DELETE FROM uploads")
        assert write_backup(settings.data / DATABASE, tmp_path / "copy") == 3
    assert restore_database(tmp_path / "copy", settings.data / DATABASE) == 3
    assert Store(settings.data / DATABASE).upload(board.store.all()[0].id) == DATA


def test_restoring_is_refused_while_a_server_runs(settings, tmp_path):
    """A server kept writing to the file that was replaced, and what it accepted was lost."""
    board = Leaderboard(settings)
    board.submit(ANN, "english", "x", "", "", DATA)
    database = settings.data / DATABASE
    write_backup(database, tmp_path / "copy")
    board.start()
    try:
        with pytest.raises(ValueError, match="a server uses it at the moment; stop that first"):
            restore_database(tmp_path / "copy", database)
        second = Leaderboard(settings)  # several servers may share a database
        second.start()
        second.stop()
    finally:
        board.stop()
    for _ in range(3):
        assert restore_database(tmp_path / "copy", database) == 1
    names = {path.name.removeprefix(DATABASE) for path in settings.data.iterdir()}
    assert names == {"", ".old", ".lock"}, "one old database, as one file"
    assert check_database(database.with_name(f"{DATABASE}.old")) == 1


def test_damaged_copy_is_not_restored(settings, tmp_path):
    board = Leaderboard(settings)
    board.submit(ANN, "english", "x", "", "", DATA)
    write_backup(settings.data / DATABASE, tmp_path / "copy")
    damage(tmp_path / "copy")
    with pytest.raises(ValueError, match="is no whole copy of a leaderboard"):
        restore_database(tmp_path / "copy", settings.data / DATABASE)
    assert check_database(settings.data / DATABASE) == 1


@pytest.mark.slow
def test_faults_of_the_database_are_told_in_words(tmp_path, benchmarks):
    """A damaged row does not hide the others; a damaged database and a full disk are told, not `null`."""
    server = SpaceServer(tmp_path / "data", benchmarks)
    try:
        server.start()
        client = SpaceClient(server.url)
        kept = client.submit("english", "one", REFERENCE)
        lost = client.submit("english", "two", WORSE)
        database = server.data / DATABASE
        server.kill()  # a board that is in memory would not read the damaged row
        with closing(sqlite3.connect(database)) as db, db:
            db.execute("UPDATE results SET summary = ? WHERE submission = ?", (b"\xff", lost["id"]))
        server.start()
        assert [row["id"] for row in client.board("english")] == [kept["id"]]
        assert "damaged, score it again" in server.log.read_text("utf-8")
        with closing(sqlite3.connect(database)) as db:
            (pages,) = db.execute("PRAGMA page_count").fetchone()
        assert pages > 2
        with closing(sqlite3.connect(database)) as db, db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.execute(
                "CREATE TRIGGER full BEFORE INSERT ON submissions "
                "BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
            )
        answer = client.submit("english", "three", REFERENCE)
        assert re.search(r"the disk of this server is full.*\(error [0-9a-f]{8}\)", answer)
        with closing(sqlite3.connect(database)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        damage(database)
        for path in ("/table/english.json", "/board"):
            answer = client.get(path)
            assert answer.status_code == 503
            assert "the database of this server is damaged" in answer.text
        client.close()
    finally:
        server.kill()
