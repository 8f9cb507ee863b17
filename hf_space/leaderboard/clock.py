"""The one clock of the leaderboard: quotas, phases and records go by it, so that a task can be rehearsed."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

Clock = Callable[[], float]  # seconds since 1970


def make_clock(path: Path | None) -> Clock:
    """The machine's clock; or, for a rehearsal, one that stands still at the time that a file tells."""
    if path is None:
        return time.time
    read_time(path)  # what is wrong with it is told when the server starts
    return lambda: read_time(path)


def read_time(path: Path) -> float:
    """The time in a file, such as `2026-09-01T12:00:00+02:00`; without an offset it is UTC."""
    text = path.read_text("utf-8").strip()
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{path}: {text[:40]!r} is no time; write one such as 2026-09-01T12:00:00Z"
        ) from None
    return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()


def show_day(seconds: float) -> str:
    """The day, in UTC."""
    return _utc(seconds).strftime("%Y-%m-%d")


def show_minute(seconds: float) -> str:
    """The day and the time, in UTC."""
    return _utc(seconds).strftime("%Y-%m-%d %H:%M UTC")


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
