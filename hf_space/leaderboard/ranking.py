"""How the ranks of systems came about: the board as it was after each submission."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from structiou_metric.stats.columns import Columns, Statistic, sample_columns, statistic
from structiou_metric.stats.intervals import Bootstrap, Interval
from structiou_metric.stats.significance import holm, paired_test

from .benchmarks import Benchmark
from .privacy import DIGITS, Rounding, step_of
from .scoring import stored_result
from .store import Submission

LEVEL = 0.95
ALPHA = round(1.0 - LEVEL, 12)  # differences are significant below it

RESAMPLES = 10_000  # as `compare`, so that both find the same p

Kept = dict[str, Any]  # what `scoring.score` made of a submission


class Entry(NamedTuple):
    """A line of the board.

    Attributes:
        rank: The rank from 1; equal scores share one.
        group: The number of the group from 1; the systems of a group do not differ significantly from the
            best of it.
        interval: The score by which the benchmark ranks, with its confidence interval; None if its metric
            means nothing for this system, which is then one of the last.
        submission: What was submitted.
        result: The scores of the submission, as `told_result` has them.
        digits: How many digits the figures have behind the point.
        old: Whether the figures are of an earlier state of the benchmark, and are being made anew: such an
            entry stands behind all others, without a place among them.
    """

    rank: int
    group: int
    interval: Interval | None
    submission: Submission
    result: Kept
    digits: int = DIGITS
    old: bool = False


def newest(results: Sequence[tuple[Submission, Kept]]) -> list[tuple[Submission, Kept]]:
    """The last submission of each system of a team, or of its owner, that may be shown, as they came."""
    last: dict[Any, tuple[Submission, Kept]] = {}
    for submission, result in results:
        if submission.counts:
            last.pop(submission.key, None)
            last[submission.key] = submission, result
    return list(last.values())


def worth_of(benchmark: Benchmark, result: Kept) -> float | None:
    """What a system is ranked by as it is told, the higher the better; None if it has no such figure."""
    metric, measure = benchmark.ranking
    kept = result["metrics"].get(metric.name)
    if kept is None or kept["refused"] or benchmark.rank_by not in kept["figures"]:
        return None
    value: float = kept["figures"][benchmark.rank_by]
    if not benchmark.gold.public:
        value = _rounding(benchmark, result).told(benchmark.rank_by, value)
    return value if measure.higher_is_better else -value


def rank_systems(benchmark: Benchmark, results: Sequence[tuple[Submission, Kept]]) -> list[Entry]:
    """The board, best first; of equal ones the first that came.

    Going down from the best system, a group takes in those that do not differ significantly from its first
    one by the test of `compare` with that one as the baseline: approximate randomisation, Holm-corrected over
    all systems below it. Where the reference trees are private, it takes in those whose published figure
    lies within the interval of the first one's.
    """
    found = {i: worth_of(benchmark, result) for i, (_, result) in enumerate(results)}
    worth = {i: value for i, value in found.items() if value is not None}  # to the last bit: equal ones tie
    if not worth:
        return [_entry(benchmark, 1, 1, None, *item) for item in results]
    places = {i: place for place, i in enumerate(worth)}
    columns = {i: ranked_columns(benchmark, results[i][1]) for i in worth}
    samples = Bootstrap(list(columns.values()), n_resamples=RESAMPLES)
    figure = ranked_statistic(benchmark)
    intervals: dict[int, Interval] = {}
    for i, place in places.items():
        exact = samples.interval(place, figure, level=LEVEL)
        intervals[i] = told_interval(benchmark, results[i][1], exact)
    order = sorted(worth, key=lambda i: -worth[i])
    entries: list[Entry] = []
    group, leader = 0, -1
    different: set[int] = set()  # the systems below the leader that differ from it
    for place, i in enumerate(order):
        interval = intervals[i]
        if leader < 0 or i in different:
            group += 1
            leader = i
            below = order[place + 1 :]
            if benchmark.gold.public:
                different = _different(columns[i], [(k, columns[k]) for k in below], figure)
            else:
                different = {k for k in below if not interval.low <= intervals[k].value <= interval.high}
        tied = place > 0 and worth[i] == worth[order[place - 1]]
        rank = entries[-1].rank if tied else place + 1
        entries.append(_entry(benchmark, rank, group, interval, *results[i]))
    rest = [item for i, item in enumerate(results) if i not in intervals]
    return entries + [_entry(benchmark, len(order) + 1, group + 1, None, *item) for item in rest]


def _different(leader: Columns, below: Sequence[tuple[int, Columns]], figure: Statistic) -> set[int]:
    """Return the numbers of the systems that differ significantly from a leader, Holm-corrected."""
    tests = [paired_test(columns, leader, figure, n_resamples=RESAMPLES) for _, columns in below]
    corrected = holm(test.p_value for test in tests)
    return {i for (i, _), p_value in zip(below, corrected, strict=True) if p_value < ALPHA}


def rank_old(benchmark: Benchmark, results: Sequence[tuple[Submission, Kept]], place: int) -> list[Entry]:
    """The entries whose figures are of an earlier state of the benchmark, behind those that have a place."""
    return [_entry(benchmark, place, place, None, *item)._replace(old=True) for item in results]


def _entry(
    benchmark: Benchmark,
    rank: int,
    group: int,
    interval: Interval | None,
    submission: Submission,
    result: Kept,
) -> Entry:
    told = told_result(benchmark, result)
    return Entry(rank, group, interval, submission, told, _rounding(benchmark, result).digits)


# ---- what is told ----------------------------------------------------------------------------------


def _rounding(benchmark: Benchmark, result: Kept) -> Rounding:
    """The grid of the figure that ranks."""
    metric, measure = benchmark.ranking
    if benchmark.gold.public:
        return Rounding("", None, 10.0**-DIGITS)
    kept = result["metrics"].get(metric.name, {})
    pieces = result.get("parts", {}).values() if benchmark.parts else [result]
    own = [piece["metrics"].get(metric.name, {}) for piece in pieces]
    rows = [(part.get("columns"), part.get("status")) for part in own]
    value = kept.get("figures", {}).get(benchmark.rank_by, 1.0)
    step = step_of(result["n_sentences"], measure, value)
    return Rounding(result["setting"], rows if benchmark.parts else rows[0], step)


def told_interval(benchmark: Benchmark, result: Kept, interval: Interval) -> Interval:
    """The figure that ranks with its interval, as everybody may know them."""
    if benchmark.gold.public:
        return interval
    return _rounding(benchmark, result).interval(benchmark.rank_by, interval)


def told_result(benchmark: Benchmark, result: Kept) -> Kept:
    """What everybody may know of a result; all of it where the reference trees are public."""
    gold = benchmark.gold
    if gold.public:
        return result
    rounding = _rounding(benchmark, result)
    told = {**result, "metrics": {}}
    for name in benchmark.metrics:
        kept = result["metrics"].get(name)
        figures = {
            key: rounding.told(key, value)
            for key, value in (kept["figures"] if kept else {}).items()
            if benchmark.tells_figure(key)
        }
        if kept and figures:
            told["metrics"][name] = {
                "figures": figures,
                "refused": kept["refused"] and "it means nothing for the words of this file",
                "signature": kept["signature"],
            }
    for part in ("labels", "lengths", "warnings"):
        told[part] = result[part] if gold.tells(part) else []
    if benchmark.parts:
        own = result.get("parts", {})
        told["parts"] = {
            name: told_result(piece, own[name]) for name, piece in benchmark.pieces.items() if name in own
        }
    return told


# ---- what is resampled -----------------------------------------------------------------------------


def ranked_columns(benchmark: Benchmark, result: Kept) -> dict[str, Any]:
    """What is resampled of a system; where it has several parts, columns for each of them."""
    metric = benchmark.ranking[0]
    if not benchmark.parts:
        return sample_columns(stored_result(metric, result["metrics"][metric.name]))
    tables = [
        sample_columns(stored_result(metric, result["parts"][part]["metrics"][metric.name]))
        for part in benchmark.parts
    ]
    sizes = [len(next(iter(table.values()))) for table in tables]
    before = [sum(sizes[:i]) for i in range(len(sizes))]
    return {
        f"{part}/{name}": [0.0] * start
        + [float(value) for value in column]
        + [0.0] * (sum(sizes) - start - size)
        for part, table, start, size in zip(benchmark.parts, tables, before, sizes, strict=True)
        for name, column in table.items()
    }


def ranked_statistic(benchmark: Benchmark) -> Statistic:
    """The figure that ranks as a function of the sums of `ranked_columns`; for several parts, their mean."""
    figure = statistic(benchmark.rank_by, benchmark.ranking[1])
    if not benchmark.parts:
        return figure
    parts = list(benchmark.parts)

    def mean(sums: Mapping[str, Any]) -> Any:
        own = (
            figure(
                {name.partition("/")[2]: value for name, value in sums.items() if name.startswith(f"{part}/")}
            )
            for part in parts
        )
        return sum(own) / len(parts)

    return mean


class Rank(NamedTuple):
    """The time from which on a system had a rank, of how many systems, with which figure."""

    time: float
    rank: int
    n_systems: int
    value: float


def rank_history(
    benchmark: Benchmark, results: Sequence[tuple[Submission, Kept]], system: tuple[bool, str, str]
) -> list[Rank]:
    """The ranks of a system, from its first submission on; only changes are told.

    Args:
        benchmark: The benchmark in the phase of the results.
        results: All that may be on the board, in the order in which they came.
        system: The `key` of its submissions.
    """
    sign = 1.0 if benchmark.ranking[1].higher_is_better else -1.0
    now: dict[tuple[bool, str, str], float] = {}
    losses: list[float] = []  # sorted, the best first
    found: list[Rank] = []
    for submission, result in results:
        worth = worth_of(benchmark, result)
        if worth is None:
            continue
        key = submission.key
        if key in now:
            del losses[bisect_left(losses, -now[key])]
        now[key] = worth
        insort(losses, -worth)
        own = now.get(system)
        if own is not None:
            rank = 1 + bisect_left(losses, -own)
            latest = Rank(submission.received, rank, len(losses), sign * own)
            if not found or found[-1][1:] != latest[1:]:
                found.append(latest)
    return found
