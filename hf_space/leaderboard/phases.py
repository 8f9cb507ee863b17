"""Phases of a shared task: when they open and close, their reference trees, and when scores are shown.

All times are in the description of a benchmark, and are compared with the leaderboard's clock, which a file
can replace so that a task can be rehearsed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from .fields import FieldError

Clock = Callable[[], float]  # seconds since 1970


def make_clock(path: Path | None) -> Clock:
    """Return the machine's clock; or, for a rehearsal, one that always shows the time in a file."""
    if path is None:
        return time.time
    read_time(path)  # an error in it is raised when the server starts
    return lambda: read_time(path)


def read_time(path: Path) -> float:
    """Return the time in a file, such as `2026-09-01T12:00:00+02:00`; without an offset it is UTC."""
    text = path.read_text("utf-8").strip()
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{path}: {text[:40]!r} is no time; write one such as 2026-09-01T12:00:00Z"
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def show_day(seconds: float) -> str:
    """Return the day, in UTC."""
    return _utc(seconds).strftime("%Y-%m-%d")


def show_minute(seconds: float) -> str:
    """Return the day and the time, in UTC."""
    return _utc(seconds).strftime("%Y-%m-%d %H:%M UTC")


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


ANYWHERE = "AoE"  # anywhere on Earth: a day ends where it ends last
_FIELDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "title": (str,),
    "opens": (datetime, date),
    "closes": (datetime, date),
    "scores_from": (datetime, date),
    "time_zone": (str,),
    "reference": (str, dict),
    "per_day": (int,),
    "in_total": (int,),
    "late": (bool,),
}
_KINDS = {
    str: "a text",
    datetime: "a date or a time such as 2026-09-01T12:00:00",
    int: "a whole number from 1 on",
    bool: "true or false",
}
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


class Phase(NamedTuple):
    """A phase of a shared task.

    Attributes:
        name: The name in links and in the database.
        title: The name on the page.
        opens: When it opens, in seconds since 1970, or None if it always was open.
        closes: When it closes, or None if it never does.
        scores_from: When scores are shown to others than the host, or None for always.
        zone: The time zone in which times are shown.
        per_day: How many submissions a team, or somebody without one, may make in 24 hours; None for the
            host's setting.
        in_total: How many submissions they may make in the whole phase; None for any number.
        late: Whether submissions after it has closed are taken, and ranked separately.
        reference: The file of its reference trees, or a file for each part; None for the benchmark's own.
    """

    name: str
    title: str
    opens: float | None = None
    closes: float | None = None
    scores_from: float | None = None
    zone: str = "UTC"
    per_day: int | None = None
    in_total: int | None = None
    late: bool = False
    reference: str | Mapping[str, str] | None = None

    def state(self, now: float) -> str:
        """Return the state: `before`, `open`, `late` (closed, but taking submissions) or `closed`."""
        if self.opens is not None and now < self.opens:
            return "before"
        if self.closes is None or now < self.closes:
            return "open"
        return "late" if self.late else "closed"

    def shows_scores(self, now: float) -> bool:
        """Return whether everybody may see scores."""
        return self.scores_from is None or now >= self.scores_from

    def show(self, seconds: float) -> str:
        """Return a time in the zone of the phase, as the host wrote it."""
        return f"{datetime.fromtimestamp(seconds, read_zone(self.zone)):%Y-%m-%d %H:%M} {self.zone}"

    def describe(self, now: float) -> str:
        """Return when it opens and closes and how many submissions it takes, in words."""
        text = {
            "before": f"opens {self.show(self.opens or now)}",
            "open": "open" if self.closes is None else f"open until {self.show(self.closes)}",
            "late": f"closed {self.show(self.closes or now)}; late submissions are kept apart",
            "closed": f"closed {self.show(self.closes or now)}",
        }[self.state(now)]
        quota = [
            f"{number} submissions {span}"
            for number, span in ((self.per_day, "a day"), (self.in_total, "in all"))
            if number is not None
        ]
        if quota:
            text += f"; at most {' and '.join(quota)}"
        if self.scores_from is not None and not self.shows_scores(now):
            text += f"; scores are shown from {self.show(self.scores_from)} on"
        return text


def read_phases(values: Any, zone: str) -> tuple[Phase, ...]:
    """Return the phases of a description, `[[phases]]`.

    Args:
        values: The tables of the description.
        zone: The time zone of phases that name none.
    """
    if not isinstance(values, list) or not all(isinstance(item, dict) for item in values):
        raise ValueError("write each phase as a table, [[phases]]")
    phases = tuple(_read_phase(item, number, zone) for number, item in enumerate(values, 1))
    names = [phase.name for phase in phases]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two phases are called {name!r}; give each its own name")
    return phases


def _read_phase(values: dict[str, Any], number: int, zone: str) -> Phase:
    place = f"phase {values.get('name', number)}"
    for key, value in values.items():
        if key not in _FIELDS:
            raise ValueError(f"{place}: unknown key {key}; choose from {', '.join(_FIELDS)}")
        is_truth = isinstance(value, bool)
        if not isinstance(value, _FIELDS[key]) or is_truth is not (_FIELDS[key] == (bool,)):
            raise ValueError(f"{place}: {key} must be {_KINDS[_FIELDS[key][0]]}")
        if isinstance(value, int) and not is_truth and value < 1:
            raise ValueError(f"{place}: {key} must be {_KINDS[int]}")
    name = values.get("name", "")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{place}: name it in small letters, digits, - and _, 32 at most")
    own_zone = values.get("time_zone", zone)
    times: dict[str, Any] = {
        key: _seconds(values[key], own_zone, is_end=key == "closes")
        for key in ("opens", "closes", "scores_from")
        if key in values
    }
    if times.get("closes", float("inf")) <= times.get("opens", float("-inf")):
        raise ValueError(f"{place}: it closes before it opens")
    if values.get("late") and "closes" not in values:
        raise ValueError(f"{place}: nothing can be late, as it never closes; say when it closes")
    kept = {key: values[key] for key in ("per_day", "in_total", "late", "reference") if key in values}
    return Phase(name, values.get("title", name), zone=own_zone, **times, **kept)


def read_zone(name: str) -> tzinfo:
    """Return a time zone by its name, such as `Europe/Berlin`, or `AoE`."""
    if name == ANYWHERE:
        return timezone(timedelta(hours=-12), ANYWHERE)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(
            f"unknown time zone {name!r}; write one such as UTC, Europe/Berlin "
            f"or {ANYWHERE} (anywhere on Earth)"
        ) from None


def _seconds(day: date, zone: str, *, is_end: bool) -> float:
    """Return a time in seconds; a day without a time is its beginning, or for an end the end of the day."""
    if not isinstance(day, datetime):
        day = datetime(day.year, day.month, day.day) + timedelta(days=int(is_end))
    return (day if day.tzinfo else day.replace(tzinfo=read_zone(zone))).timestamp()


def find_phase(phases: Sequence[Phase], name: str) -> Phase:
    """Return the phase of a submission; one from before there were phases belongs to the first."""
    for phase in phases:
        if name in ("", phase.name):
            return phase
    raise FieldError(f"there is no phase {name!r}; choose from {', '.join(phase.name for phase in phases)}")


def choose_phase(phases: Sequence[Phase], name: str, now: float) -> Phase:
    """Return the phase that a new submission belongs to: the named one, or else the first that takes any.

    Raises:
        FieldError: It takes none now.
    """
    if name:
        phase = find_phase(phases, name)
        if phase.state(now) not in ("open", "late"):
            raise FieldError(f"{phase.title} takes no submissions now: {phase.describe(now)}")
        return phase
    for state in ("open", "late"):
        for phase in phases:
            if phase.state(now) == state:
                return phase
    states = "; ".join(f"{phase.title}: {phase.describe(now)}" for phase in phases)
    raise FieldError(f"no phase takes submissions now. {states}")


def current_phase(phases: Sequence[Phase], now: float) -> str:
    """Return the name of the phase that a page shows first: the last that has opened, or the first of all."""
    begun = [phase for phase in phases if phase.state(now) != "before"]
    return (begun[-1] if begun else phases[0]).name if phases else ""
