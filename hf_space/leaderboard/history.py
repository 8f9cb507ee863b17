"""How the ranks of systems came about: the board as it was after each submission."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

from .benchmarks import Benchmark
from .ranking import Kept, worth_of
from .submissions import Submission


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
