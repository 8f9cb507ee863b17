"""The order of systems, how sure their scores are, which do not differ, and what is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from structiou_metric.analysis.intervals import Interval
from structiou_metric.analysis.resampling import Bootstrap
from structiou_metric.analysis.samples import sample_columns, statistic

from .benchmarks import Benchmark
from .privacy import DIGITS, Rounding, step_of
from .scoring import stored_result
from .store import Submission

LEVEL = 0.95

_RESAMPLES = 2_000

Kept = dict[str, Any]  # what `scoring.score` made of a submission


class Entry(NamedTuple):
    """A line of the board.

    Attributes:
        rank: From 1; equal scores share a rank.
        group: From 1; the systems of a group do not differ significantly from the best of it.
        interval: The score by which the benchmark ranks, with its confidence interval; None if its metric
            means nothing for this system, which is then one of the last.
        submission: What was submitted.
        result: Its scores, as `told_result` has them.
        digits: How many digits its figures have behind the point.
    """

    rank: int
    group: int
    interval: Interval | None
    submission: Submission
    result: Kept
    digits: int = DIGITS


def newest(results: Sequence[tuple[Submission, Kept]]) -> list[tuple[Submission, Kept]]:
    """Of each owner's system the last submission that is not hidden, in the order in which they came."""
    last: dict[tuple[str, str], tuple[Submission, Kept]] = {}
    for submission, result in results:
        if not submission.hidden:
            last.pop((submission.owner, submission.system), None)
            last[submission.owner, submission.system] = submission, result
    return list(last.values())


def rank_systems(benchmark: Benchmark, results: Sequence[tuple[Submission, Kept]]) -> list[Entry]:
    """The board, best first; of equal ones the first that came.

    Going down from the best system, a group takes in those that the paired bootstrap test does not
    tell from its first one (p ≥ 1 - `LEVEL`, no correction for their number). Where the reference trees are
    private, it takes in those whose figure, as it is told, lies within the interval of the first one's.
    """
    metric, measure = benchmark.ranking
    kept = [result["metrics"][metric.name] for _, result in results]
    places = {i: place for place, i in enumerate(i for i, part in enumerate(kept) if not part["refused"])}
    if not places:
        return [_entry(benchmark, 1, 1, None, *item) for item in results]
    columns = [sample_columns(stored_result(metric, kept[i])) for i in places]
    samples = Bootstrap(columns, n_resamples=_RESAMPLES)
    figure = statistic(benchmark.rank_by, measure)
    intervals: dict[int, Interval] = {}
    for i, place in places.items():
        found = samples.interval(place, figure, level=LEVEL, limits=measure.limits)
        intervals[i] = _told_interval(benchmark, results[i][1], found)
    sign = 1.0 if measure.higher_is_better else -1.0
    told = {i: kept[i]["figures"][benchmark.rank_by] for i in places}  # to the last bit, for equal ones tie
    if not benchmark.gold.public:
        told = {i: intervals[i].value for i in places}
    order = sorted(places, key=lambda i: -sign * told[i])
    entries: list[Entry] = []
    group, leader = 0, -1
    for place, i in enumerate(order):
        interval = intervals[i]
        if benchmark.gold.public and leader >= 0:
            differs = samples.test(places[leader], places[i], figure).p_value < 1.0 - LEVEL
        else:
            differs = leader < 0 or not intervals[leader].low <= interval.value <= intervals[leader].high
        if differs:
            group += 1
            leader = i
        tied = place > 0 and told[i] == told[order[place - 1]]
        rank = entries[-1].rank if tied else place + 1
        entries.append(_entry(benchmark, rank, group, interval, *results[i]))
    rest = [item for i, item in enumerate(results) if i not in intervals]
    return entries + [_entry(benchmark, len(order) + 1, group + 1, None, *item) for item in rest]


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


def _rounding(benchmark: Benchmark, result: Kept) -> Rounding:
    """The grid of the figure that ranks."""
    metric, measure = benchmark.ranking
    if benchmark.gold.public:
        return Rounding("", None, 10.0**-DIGITS)
    kept = result["metrics"][metric.name]
    step = step_of(result["n_sentences"], measure, kept["figures"][benchmark.rank_by])
    return Rounding(result["setting"], (kept["columns"], kept["status"]), step)


def _told_interval(benchmark: Benchmark, result: Kept, interval: Interval) -> Interval:
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
        kept = result["metrics"][name]
        figures = {
            key: rounding.told(key, value)
            for key, value in kept["figures"].items()
            if benchmark.tells_figure(key)
        }
        if figures:
            told["metrics"][name] = {
                "figures": figures,
                "refused": kept["refused"] and "it means nothing for the words of this file",
                "signature": kept["signature"],
            }
    for part in ("labels", "lengths", "notices"):
        told[part] = result.get(part, []) if gold.tells(part) else []
    return told
