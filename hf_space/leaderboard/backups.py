"""Copies of the database, and the way back to them."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import BinaryIO


def damaged(path: Path, error: Exception) -> str:
    """What to do about a database that cannot be read."""
    return (
        f"{path} is damaged ({error}); bring back a copy by `python app.py --restore FILE`, or put it aside "
        "and take over an export by `--import FILE`"
    )


def write_backup(path: Path, copy: Path) -> int:
    """Writes a copy of a whole database, as it is at one moment, while others may use it.

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
    """A new file, which nobody else may read, to be written."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def check_database(path: Path) -> int:
    """How many submissions a database has; a ValueError if it is damaged or is none of this program."""
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
    """Puts a copy that `Store.backup` made in the place of a database, which is kept beside it.

    No server may use the database meanwhile.

    Returns:
        How many submissions there are now.
    """
    count = check_database(copy)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.draft")
    with copy.open("rb") as source, open_private(draft) as target:
        shutil.copyfileobj(source, target)
        target.flush()
        os.fsync(target.fileno())
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            os.replace(old, path.with_name(f"{path.name}.old{suffix}"))
    os.replace(draft, path)
    return count
