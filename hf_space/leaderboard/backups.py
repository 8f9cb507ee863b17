"""Copies of the database, the way back to them, and the lock that keeps servers and restores apart."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # on Windows, where an open database cannot be replaced anyway
    fcntl = None  # type: ignore[assignment]


def damaged(path: Path, error: Exception) -> str:
    """Return what to do about a database that cannot be read."""
    return (
        f"{path} is damaged ({error}); bring back a copy by `python app.py --restore FILE`, or rename it "
        "and take over an export by `--import FILE`"
    )


@contextmanager
def in_use(path: Path, *, alone: bool = False) -> Iterator[None]:
    """Hold the lock of a database: any number of servers at a time, or one restore.

    Args:
        path: The database.
        alone: Whether nobody else may use it meanwhile.

    Raises:
        ValueError: Somebody else uses it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_private(path.with_name(f"{path.name}.lock")) as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except OSError:
                user = "a server uses it" if alone else "it is being restored"
                raise ValueError(f"{path}: {user} at the moment; stop that first") from None
        yield


def write_backup(path: Path, copy: Path) -> int:
    """Write a copy of a whole database, as it is at one moment, while others may use it.

    Returns:
        How many submissions are in it.
    """
    draft = copy.with_name(f"{copy.name}.draft")
    draft.unlink(missing_ok=True)
    open_private(draft).close()
    try:
        with closing(sqlite3.connect(path)) as db, closing(sqlite3.connect(draft)) as target:
            db.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        count = check_database(draft)
        os.replace(draft, copy)
    except sqlite3.DatabaseError as error:
        raise ValueError(damaged(path, error)) from None
    finally:
        draft.unlink(missing_ok=True)
    return count


def open_private(path: Path) -> BinaryIO:
    """Open a new file, which nobody else may read, to write it."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def check_database(path: Path) -> int:
    """Return how many submissions a database has; refuse one that is damaged or not of this program."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            (found,) = db.execute("PRAGMA integrity_check").fetchone()
            (count,) = db.execute("SELECT count(*) FROM submissions").fetchone()
    except sqlite3.Error as error:
        raise ValueError(f"{path} is no whole copy of a leaderboard: {error}") from None
    if found != "ok":
        raise ValueError(f"{path} is no whole copy of a leaderboard: {found.splitlines()[0]}")
    return int(count)


def restore_database(copy: Path, path: Path) -> int:
    """Replace a database by a copy that `write_backup` made.

    The database of before is then the one file with `.old` in its name; that of an earlier restore is
    deleted.

    Returns:
        How many submissions there are now.

    Raises:
        ValueError: A server uses the database, or the copy is damaged; nothing was changed.
    """
    count = check_database(copy)
    with in_use(path, alone=True):
        draft = path.with_name(f"{path.name}.draft")
        with copy.open("rb") as source, open_private(draft) as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        for suffix in ("", "-wal", "-shm"):
            path.with_name(f"{path.name}.old{suffix}").unlink(missing_ok=True)
        # A database that was not closed has its last changes beside it; they belong to it under any name.
        for suffix in ("-wal", "-shm", ""):
            old = path.with_name(path.name + suffix)
            if old.exists():
                os.replace(old, path.with_name(f"{path.name}.old{suffix}"))
        os.replace(draft, path)
        _join_changes(path.with_name(f"{path.name}.old"))
    return count


def _join_changes(path: Path) -> None:
    """Write the last changes of a database into it, so that it is one file; a damaged one stays as it is."""
    if path.exists():
        try:
            with closing(sqlite3.connect(path)) as db:
                db.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.DatabaseError:
            return
