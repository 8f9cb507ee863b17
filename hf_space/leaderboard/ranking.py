"""The order of systems, how sure their scores are, and which do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from structiou_metric.analysis.intervals import Interval
from structiou_metric.analysis.resampling import Bootstrap
from structiou_metric.analysis.samples import sample_columns, statistic

from .benchmarks import Benchmark
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
        result: Its scores.
    """

    rank: int
    group: int
    interval: Interval | None
    submission: Submission
    result: Kept


def newest(results: Sequence[tuple[Submission, Kept]]) -> list[tuple[Submission, Kept]]:
    """Of each owner's system the last submission that is not hidden."""
    last = {(sub.owner, sub.system): (sub, result) for sub, result in results if not sub.hidden}
    return list(last.values())


def rank_systems(benchmark: Benchmark, results: Sequence[tuple[Submission, Kept]]) -> list[Entry]:
    """The board, best first.

    Going down from the best system, a group takes in those that the paired bootstrap test does not
    tell from its first one (p ≥ 1 - `LEVEL`, no correction for their number).
    """
    metric, measure = benchmark.ranking
    sign = 1.0 if measure.higher_is_better else -1.0
    kept = [result["metrics"][metric.name] for _, result in results]
    worth = {
        i: sign * part["figures"][benchmark.rank_by] for i, part in enumerate(kept) if not part["refused"]
    }
    order = sorted(worth, key=lambda i: (-worth[i], results[i][0].received))
    entries: list[Entry] = []
    group = leader = 0
    if order:
        columns = [sample_columns(stored_result(metric, kept[i])) for i in order]
        samples = Bootstrap(columns, n_resamples=_RESAMPLES)
        figure = statistic(benchmark.rank_by, measure)
    for place, i in enumerate(order):
        if not place or samples.test(leader, place, figure).p_value < 1.0 - LEVEL:
            group += 1
            leader = place
        rank = entries[-1].rank if place and worth[i] == worth[order[place - 1]] else place + 1
        interval = samples.interval(place, figure, level=LEVEL, limits=measure.limits)
        entries.append(Entry(rank, group, interval, *results[i]))
    rest = [item for i, item in enumerate(results) if i not in worth]
    return entries + [Entry(len(order) + 1, group + 1, None, *item) for item in rest]
