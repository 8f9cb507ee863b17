"""The order of systems, which of them do not differ significantly, and the figures that everybody may see.

Intervals were found when a submission was scored. Tests of two systems are made one after the other by
`Scorer`, in a process of their own, and kept; until all of a group are there, its systems have no group.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from structiou_metric.stats.intervals import Interval
from structiou_metric.stats.significance import holm, paired_test

from . import sandbox
from .benchmarks import Benchmark, benchmark_at, place_of
from .people import Actor
from .privacy import DIGITS
from .scoring import LEVEL, RESAMPLES, ranked_columns, ranked_statistic
from .settings import Settings
from .store import Scored, Store, Submission

ALPHA = round(1.0 - LEVEL, 12)  # differences are significant below it

Summary = Mapping[str, Any]  # a result without the numbers of sentences, as `Store.summary` returns it
Tests = Mapping[tuple[str, str], float]  # p-values by the names of two submissions


class Entry(NamedTuple):
    """A line of the board.

    Attributes:
        rank: The rank from 1; equal scores share one.
        group: The number of the group from 1; the systems of a group do not differ significantly from the
            best of it. None as long as they are being compared.
        interval: The score by which the benchmark ranks, with its confidence interval; None if its metric
            means nothing for this system, which is then one of the last.
        submission: The submission.
        result: The figures, as `public_result` returns them.
        digits: How many digits the figure that ranks has after the point.
        old: Whether the figures are of an earlier state of the benchmark, and are being made again: such an
            entry is after all others, without a rank among them.
    """

    rank: int
    group: int | None
    interval: Interval | None
    submission: Submission
    result: dict[str, Any]
    digits: int = DIGITS
    old: bool = False


class Groups(NamedTuple):
    """The groups of ranked systems, by their places.

    Attributes:
        numbers: The number of each group; None for systems that must be compared first.
        untested: The places of the pairs that must be compared to go on: a leader with others.
    """

    numbers: list[int | None]
    untested: list[tuple[int, int]]


def newest(results: Sequence[Scored]) -> list[Scored]:
    """Return the last submission of each system that may be shown, in the order of arrival."""
    last: dict[tuple[Actor, str], Scored] = {}
    for item in results:
        if item.submission.counts:
            last.pop(item.submission.key, None)
            last[item.submission.key] = item
    return list(last.values())


def worth_of(benchmark: Benchmark, item: Scored, *, exact: bool) -> float | None:
    """Return a number by which systems are sorted, the higher the better; None without a figure."""
    value = item.figure if exact else item.shown
    return value if value is None or benchmark.ranking[1].higher_is_better else -value


def rank_systems(
    benchmark: Benchmark,
    results: Sequence[Scored],
    tests: Tests,
    *,
    exact: bool,
) -> tuple[list[Entry], list[tuple[str, str]]]:
    """Return the board, best first; of equal systems the first that came.

    Going down from the best system, a group takes in those that do not differ significantly from its first
    one by the test of `compare` with that one as the baseline: approximate randomisation, Holm-corrected over
    all systems below it. Where figures are rounded, it takes in those whose figure lies within the interval
    of the first one's.

    Args:
        benchmark: The benchmark in the phase of the results.
        results: The submissions to rank with their summaries, in the order of arrival.
        tests: The p-values that are known.
        exact: Whether figures are exact, or those on the grid.

    Returns:
        The entries, and the pairs of submissions that must be tested to find more groups.
    """
    setting = benchmark.setting()
    current = [item for item in results if item.setting == setting]
    worth = {item.submission.id: worth_of(benchmark, item, exact=exact) for item in current}
    unranked = [item for item in current if worth[item.submission.id] is None]
    ranked = [item for item in current if worth[item.submission.id] is not None]
    ranked.sort(key=lambda item: -(worth[item.submission.id] or 0.0))  # equal ones in the order of arrival
    ids = [item.submission.id for item in ranked]
    summaries = {item.submission.id: item.summary for item in results}
    intervals = [interval_of(summaries[id_]["ranking"], exact=exact) for id_ in ids]
    groups = _test_groups(ids, tests) if exact else Groups(_overlapping_groups(intervals), [])

    def entry(item: Scored, rank: int, group: int | None, interval: Interval | None) -> Entry:
        summary = summaries[item.submission.id]
        result = public_result(benchmark, summary, exact=exact)
        digits = DIGITS if exact or interval is None else summary["ranking"]["digits"]
        return Entry(rank, group, interval, item.submission, result, digits)

    entries: list[Entry] = []
    for place, (item, group, interval) in enumerate(zip(ranked, groups.numbers, intervals, strict=True)):
        tied = place > 0 and worth[ids[place]] == worth[ids[place - 1]]
        entries.append(entry(item, entries[-1].rank if tied else place + 1, group, interval))
    number = groups.numbers[-1] if groups.numbers else 0
    last = None if number is None else number + 1
    entries += [entry(item, len(ranked) + 1, last, None) for item in unranked]
    old = [item for item in results if item.setting != setting and item.figure is not None]
    place = len(entries) + 1
    entries += [entry(item, place, place, None)._replace(old=True) for item in old]
    return entries, [(ids[first], ids[second]) for first, second in groups.untested]


def _test_groups(ids: Sequence[str], tests: Tests) -> Groups:
    """Return the groups by tests of the first system of each with all below it."""
    numbers: list[int | None] = [None] * len(ids)
    group, leader = 0, 0
    while leader < len(ids):
        group += 1
        numbers[leader] = group
        below = range(leader + 1, len(ids))
        untested = [(leader, k) for k in below if (ids[leader], ids[k]) not in tests]
        if untested:
            return Groups(numbers, untested)
        p_values = holm(tests[ids[leader], ids[k]] for k in below)
        following = next((k for k, p in zip(below, p_values, strict=True) if p < ALPHA), len(ids))
        numbers[leader:following] = [group] * (following - leader)
        leader = following
    return Groups(numbers, [])


def _overlapping_groups(intervals: Sequence[Interval]) -> list[int | None]:
    """Return the groups of those whose figure lies within the interval of the first of the group."""
    numbers: list[int | None] = []
    group, leader = 0, None
    for interval in intervals:
        if leader is None or not leader.low <= interval.value <= leader.high:
            group, leader = group + 1, interval
        numbers.append(group)
    return numbers


def interval_of(ranking: Mapping[str, Any], *, exact: bool) -> Interval:
    """Return the figure that ranks with its interval."""
    names = ("value", "low", "high") if exact else ("shown", "shown_low", "shown_high")
    value, low, high = (ranking[name] for name in names)
    return Interval(value, low, high, ranking["method"])


def public_result(benchmark: Benchmark, summary: Summary, *, exact: bool) -> dict[str, Any]:
    """Return the part of a result that everybody may see.

    The `figures` of each metric are exact or on the grid, and its `digits` say how many of them to show; the
    figures of several parts and their mean agree.
    """
    result = {name: value for name, value in summary.items() if name not in ("setting", "ranking")}
    result["metrics"] = {}
    for name in benchmark.metrics:
        found = summary["metrics"].get(name)
        keys = [key for key in found["figures"] if benchmark.shows_figure(key)] if found else []
        if found and keys:
            refused = found["refused"]
            if refused and not benchmark.gold.public:
                refused = "it means nothing for the words of this file"
            result["metrics"][name] = {
                "figures": {key: found["figures" if exact else "shown"][key] for key in keys},
                "digits": {key: DIGITS if exact else found["digits"][key] for key in keys},
                "refused": refused,
                "signature": found["signature"],
            }
    for part in ("labels", "lengths", "warnings"):
        result[part] = summary[part] if benchmark.gold.shows(part) else []
    if "parts" in summary:
        result["parts"] = {
            name: public_result(benchmark, own, exact=exact) for name, own in summary["parts"].items()
        }
    return result


# ---- history ---------------------------------------------------------------------------------------


class Rank(NamedTuple):
    """A rank that a system had from some time on, among how many systems, and with which figure."""

    time: float
    rank: int
    n_systems: int
    value: float


def rank_history(
    benchmark: Benchmark, results: Sequence[Scored], system: tuple[Actor, str], *, exact: bool
) -> list[Rank]:
    """Return the ranks of a system, from its first submission on, whenever they changed.

    Args:
        benchmark: The benchmark in the phase of the results.
        results: All that may be on the board, in the order of arrival.
        system: The `key` of the system's submissions.
        exact: Whether figures are exact, or those on the grid.
    """
    sign = 1.0 if benchmark.ranking[1].higher_is_better else -1.0
    now: dict[tuple[Actor, str], float] = {}
    losses: list[float] = []  # sorted, the best first
    found: list[Rank] = []
    for item in results:
        worth = worth_of(benchmark, item, exact=exact)
        if worth is None:
            continue
        key = item.submission.key
        if key in now:
            del losses[bisect_left(losses, -now[key])]
        now[key] = worth
        insort(losses, -worth)
        own = now.get(system)
        if own is not None:
            rank = 1 + bisect_left(losses, -own)
            latest = Rank(item.submission.received, rank, len(losses), sign * own)
            if not found or found[-1][1:] != latest[1:]:
                found.append(latest)
    return found


# ---- tests -----------------------------------------------------------------------------------------


def make_tests(
    benchmark: Benchmark, store: Store, pairs: Sequence[tuple[str, str]], settings: Settings
) -> dict[tuple[str, str], float]:
    """Return the p-values of pairs of submissions, found in a process of its own."""
    about = {"place": place_of(benchmark), "database": str(store.path.resolve()), "pairs": pairs}
    p_values, _ = sandbox.run(__name__, about, b"", settings, "testing differences")
    return dict(zip(pairs, p_values, strict=True))


def p_value_of(benchmark: Benchmark, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
    """Return the p-value of the difference of two results in the figure that ranks."""
    columns = ranked_columns(benchmark, second), ranked_columns(benchmark, first)
    return paired_test(*columns, ranked_statistic(benchmark), n_resamples=RESAMPLES).p_value


def _serve(about: dict[str, Any], _: bytes) -> tuple[list[float], bytes]:
    """Return the p-value of each pair; 1 where a result is gone or damaged, as it will be made again."""
    benchmark, store = benchmark_at(about["place"]), Store(Path(about["database"]))
    leaders: dict[str, dict[str, Any] | None] = {}  # a few; the others are read one at a time
    p_values = []
    for first, second in about["pairs"]:
        if first not in leaders:
            leaders[first] = store.result(first)
        leader, other = leaders[first], store.result(second)
        p_values.append(p_value_of(benchmark, leader, other) if leader and other else 1.0)
    return p_values, b""


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])
