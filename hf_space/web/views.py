"""The columns, rows and badges of boards, for pages, tables and programs alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from leaderboard.benchmarks import Benchmark
from leaderboard.fields import FieldError
from leaderboard.phases import Phase, show_day
from leaderboard.ranking import Entry
from leaderboard.scoring import LEVEL
from leaderboard.service import Leaderboard
from leaderboard.store import Submission
from leaderboard.transfer import as_csv
from structiou_metric.drawing.badge import draw_badge
from structiou_metric.metrics.metric import Metric
from structiou_metric.stats.intervals import TITLES

from .render import show_value

INTERVAL = f"{LEVEL:.0%} interval"
_LATE = "late"
_OLD = "old, being scored again"
_COMPARING = "being compared"
_MAX_BADGE_TITLE = 40  # characters

# How groups are made, by whether the reference trees are public.
GROUPS = {
    True: "Systems of one group do not differ significantly from its best (approximate randomisation, "
    f"Holm-corrected over all systems from the best of the group down, p ≥ {1 - LEVEL:.2g})",
    False: "Systems of one group lie within the interval of its best",
}


# ---- which board is meant --------------------------------------------------------------------------


class Chosen(NamedTuple):
    """A board: a benchmark in a phase, and whether it is that of late submissions."""

    benchmark: Benchmark
    late: bool


def board_choices(board: Leaderboard) -> list[tuple[str, str]]:
    """Return the value and title of each board."""
    found = []
    for item in board.benchmarks.values():
        if not item.phases:
            found.append((item.name, item.title))
        for phase in item.phases:
            value, title = f"{item.name}/{phase.name}", f"{item.title}: {phase.title}"
            found.append((value, title))
            if phase.late:
                found.append((f"{value}/{_LATE}", f"{title}, late"))
    return found


def value_of(chosen: Chosen) -> str:
    """Return the value that `read_choice` reads as this board."""
    parts = [chosen.benchmark.name, chosen.benchmark.phase, _LATE if chosen.late else ""]
    return "/".join(part for part in parts if part)


def read_choice(board: Leaderboard, value: str) -> Chosen:
    """Return the board of a value; by default the first benchmark, and its phase that has opened last."""
    name, _, rest = value.partition("/")
    phase, _, late = rest.partition("/")
    item = board.benchmark(name or next(iter(board.benchmarks)))
    return Chosen(item.in_phase(board.phase_name(item, phase)), late == _LATE)


# ---- a line of the board ---------------------------------------------------------------------------


class Column(NamedTuple):
    """A column of the table of systems.

    Attributes:
        title: The heading.
        cell: Returns the value for an entry.
        always: Whether it is shown unless visitors choose columns.
        digits: Returns the number of digits after the point that the figure of an entry has.
    """

    title: str
    cell: Callable[[Entry], Any]
    always: bool = True
    digits: Callable[[Entry], int] = lambda entry: entry.digits

    def text(self, entry: Entry) -> str:
        """Return the cell of an entry as text."""
        return show_value(self.cell(entry), self.digits(entry))


def columns_of(benchmark: Benchmark) -> list[Column]:
    """Return the columns of a board, those of the metric that ranks first."""
    ranking = benchmark.ranking[0]
    others = [metric for metric in benchmark.metrics.values() if metric is not ranking]
    return [
        Column("rank", lambda entry: None if entry.old else entry.rank),
        Column("system", lambda entry: entry.submission.system),
        Column("by", lambda entry: entry.submission.by),
        *_figure_columns(benchmark, ranking),
        Column(INTERVAL, _show_interval),
        Column("group", lambda entry: None if entry.old else entry.group or _COMPARING),
        *(column for metric in others for column in _figure_columns(benchmark, metric)),
        Column("failed parses", lambda entry: entry.result["n_empty"], always=False),
        Column("date", lambda entry: show_day(entry.submission.received)),
    ]


def _figure_columns(benchmark: Benchmark, metric: Metric) -> list[Column]:
    """Return the headline of a metric, the same averaged in another way, and the figure that ranks."""
    first = metric.MEASURES[metric.headline]
    found = []
    for key, measure in metric.MEASURES.items():
        if (key == benchmark.rank_by or measure.formula is first.formula) and benchmark.shows_figure(key):
            is_headline = key == metric.headline and first.row == metric.name
            title = metric.title if is_headline else f"{metric.title} {measure.title}"
            always = key in (benchmark.rank_by, metric.headline)
            cell, digits = partial(_figure, metric.name, key), partial(_digits, metric.name, key)
            found.append(Column(title, cell, always, digits))
    return found


def _figure(name: str, key: str, entry: Entry) -> float | None:
    return rounded_figures(entry.result, name).get(key)


def _digits(name: str, key: str, entry: Entry) -> int:
    stored = entry.result["metrics"].get(name, {})
    digits: int = stored.get("digits", {}).get(key, entry.digits)
    return digits


def _show_interval(entry: Entry) -> str:
    if entry.old:
        return _OLD
    interval, digits = entry.interval, entry.digits
    return "" if interval is None else f"{interval.low:.{digits}f}–{interval.high:.{digits}f}"


def rounded_figures(result: dict[str, Any], name: str) -> dict[str, float | None]:
    """Return the figures of a metric, rounded; None for those that have no meaning here."""
    stored = result["metrics"].get(name)
    if stored is None:  # of an earlier state of the benchmark
        return {}
    return {
        key: None if stored["refused"] else round(value, stored["digits"][key])
        for key, value in stored["figures"].items()
    }


class Plot(NamedTuple):
    """The interval of an entry on the axis that all entries of a board share, in percent of its length."""

    low: float
    value: float
    high: float


def plot_intervals(entries: Sequence[Entry]) -> dict[str, Plot]:
    """Return the plot of each entry that has an interval, by the name of its submission."""
    intervals = {entry.submission.id: entry.interval for entry in entries if entry.interval and not entry.old}
    if not intervals:
        return {}
    lowest = min(interval.low for interval in intervals.values())
    width = max(interval.high for interval in intervals.values()) - lowest or 1.0
    return {
        id_: Plot(*(round(100 * (at - lowest) / width, 2) for at in (item.low, item.value, item.high)))
        for id_, item in intervals.items()
    }


def methods_of(entries: Sequence[Entry]) -> str:
    """Return how the intervals of a board were found."""
    return "; ".join(dict.fromkeys(TITLES[entry.interval.method] for entry in entries if entry.interval))


def csv_of(benchmark: Benchmark, entries: Sequence[Entry]) -> bytes:
    """Return a board as a table for spreadsheets."""
    columns = columns_of(benchmark)
    rows = [[column.cell(entry) for column in columns] + [entry.submission.id] for entry in entries]
    return as_csv([*(column.title for column in columns), "id"], rows).encode("utf-8", "surrogatepass")


# ---- for programs ----------------------------------------------------------------------------------


def public_row(entry: Entry) -> dict[str, Any]:
    """Return a line of the board as plain values."""
    result, interval, submission = entry.result, entry.interval, entry.submission
    row = {
        "rank": None if entry.old else entry.rank,
        "group": None if entry.old else entry.group,
        "interval": interval and [round(bound, entry.digits) for bound in (interval.low, interval.high)],
        "interval_method": interval and interval.method,
        **{name: getattr(submission, name) for name in ("id", "system", "owner", "link", "received")},
        "team": submission.team,
        "phase": submission.phase,
        "late": submission.late,
        "old": entry.old,
        "digits": entry.digits,
        "n_empty": result["n_empty"],
    }
    for name in result["metrics"]:
        row |= rounded_figures(result, name)
    if "parts" in result:
        row["parts"] = {
            part: {key: value for name in own["metrics"] for key, value in rounded_figures(own, name).items()}
            for part, own in result["parts"].items()
        }
    return row


def public_submission(board: Leaderboard, submission: Submission) -> dict[str, Any]:
    """Return the public values of a submission, with its line of the board if it has one."""
    names = ("id", "benchmark", "system", "state", "problem", "phase", "team", "late")
    known: dict[str, Any] = {name: getattr(submission, name) for name in names}
    known["durability"] = board.durability(submission.id)
    if hidden := board.hidden_until(submission.benchmark, submission.phase):
        return {**known, "hidden_until": hidden}
    if submission.state == "scored":
        for entry in board.board_of(submission):
            if entry.submission.id == submission.id:
                known |= {**public_row(entry), "warnings": entry.result.get("warnings", [])}
    return known


def public_benchmark(board: Leaderboard, item: Benchmark) -> dict[str, Any]:
    """Return the public values of a benchmark; times are in seconds since 1970."""
    names = ("name", "title", "language", "description", "rank_by", "teams", "citation", "licence")
    return {
        **{name: getattr(item, name) for name in names},
        "signatures": {name: metric.signature for name, metric in item.metrics.items()},
        "rules": list(item.gold.rules()),
        "parts": list(item.parts),
        "phases": [_public_phase(phase, board.clock()) for phase in item.phases],
        "announcements": [
            {"time": announcement.time, "text": announcement.text}
            for announcement in board.announcements.all(item.name)
        ],
    }


def _public_phase(phase: Phase, now: float) -> dict[str, Any]:
    names = ("name", "title", "opens", "closes", "scores_from", "zone", "per_day", "in_total", "late")
    return {**{name: getattr(phase, name) for name in names}, "state": phase.state(now)}


# ---- badges ----------------------------------------------------------------------------------------


def badge_of(board: Leaderboard, id_: str) -> str:
    """Return a badge with rank and score as SVG, of the newest submission of the same system."""
    submission = board.visible(id_)
    benchmark = board.benchmark(submission.benchmark).in_phase(submission.phase)
    title = benchmark.title
    left = title if len(title) <= _MAX_BADGE_TITLE else f"{title[: _MAX_BADGE_TITLE - 1]}…"
    if hidden := board.hidden_until(submission.benchmark, submission.phase):
        return draw_badge(left, f"scores from {hidden}")
    for entry in board.board_of(submission):
        if entry.submission.key == submission.key:
            metric = benchmark.ranking[0]
            score = show_value(_figure(metric.name, benchmark.rank_by, entry), entry.digits)
            place = f"{'late, ' if submission.late else ''}rank {entry.rank}"
            return draw_badge(left, f"{'being re-scored' if entry.old else place} · {metric.title} {score}")
    if submission.state == "failed":
        raise FieldError("this submission could not be scored, so there is no badge")
    return draw_badge(left, "being scored")
