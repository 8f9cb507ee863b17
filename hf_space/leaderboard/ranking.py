"""The order of systems, how sure their scores are, and which do not differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from structiou_metric.analysis.intervals import Interval
from structiou_metric.analysis.resampling import Bootstrap
from structiou_metric.analysis.samples import sample_columns, statistic

from .benchmarks import Benchmark
from .scoring import stored_result
from .store import Submission

LEVEL = 0.95

RESAMPLES = 2_000

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
        old: Whether these are of an earlier state of the benchmark, and are being made anew: such an entry
            stands behind all others, without a place among them.
    """

    rank: int
    group: int
    interval: Interval | None
    submission: Submission
    result: Kept
    old: bool = False


def newest(results: Sequence[tuple[Submission, Kept]]) -> list[tuple[Submission, Kept]]:
    """Of each system of a team, or of somebody without one, the last submission that may be shown."""
    last = {sub.key: (sub, result) for sub, result in results if sub.counts}
    return list(last.values())


def worth_of(benchmark: Benchmark, result: Kept) -> float | None:
    """What a system is ranked by, the higher the better; None if it has no such figure."""
    metric, measure = benchmark.ranking
    kept = result.get("metrics", {}).get(metric.name)
    if kept is None or kept["refused"] or benchmark.rank_by not in kept["figures"]:
        return None
    value: float = kept["figures"][benchmark.rank_by]
    return value if measure.higher_is_better else -value


def rank_systems(benchmark: Benchmark, results: Sequence[tuple[Submission, Kept]]) -> list[Entry]:
    """The board, best first.

    Going down from the best system, a group takes in those that the paired bootstrap test does not
    tell from its first one (p ≥ 1 - `LEVEL`, no correction for their number).
    """
    measure = benchmark.ranking[1]
    found = {i: worth_of(benchmark, result) for i, (_, result) in enumerate(results)}
    worth = {i: value for i, value in found.items() if value is not None}
    order = sorted(worth, key=lambda i: (-worth[i], results[i][0].received))
    entries: list[Entry] = []
    group = leader = 0
    if order:
        samples = Bootstrap([ranked_columns(benchmark, results[i][1]) for i in order], n_resamples=RESAMPLES)
        figure = ranked_statistic(benchmark)
    for place, i in enumerate(order):
        if not place or samples.test(leader, place, figure).p_value < 1.0 - LEVEL:
            group += 1
            leader = place
        rank = entries[-1].rank if place and worth[i] == worth[order[place - 1]] else place + 1
        interval = samples.interval(place, figure, level=LEVEL, limits=measure.limits)
        entries.append(Entry(rank, group, interval, *results[i]))
    rest = [item for i, item in enumerate(results) if i not in worth]
    return entries + [Entry(len(order) + 1, group + 1, None, *item) for item in rest]


def rank_old(results: Sequence[tuple[Submission, Kept]], place: int) -> list[Entry]:
    """Entries whose figures are of an earlier state of the benchmark, behind those that have a place."""
    return [Entry(place, place, None, submission, result, old=True) for submission, result in results]


def ranked_columns(benchmark: Benchmark, result: Kept) -> dict[str, Any]:
    """What is resampled of a system; of one with several parts, columns for each of them."""
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


def ranked_statistic(benchmark: Benchmark) -> Callable[[Mapping[str, Any]], Any]:
    """The figure that ranks as a function of the sums of `ranked_columns`; of several parts, their mean."""
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
