"""The order of systems, how sure their scores are, and which do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from structiou_metric import Tally
from structiou_metric.analysis.resampling import Bootstrap, Interval

from .benchmarks import Benchmark
from .store import Submission

LEVEL = 0.95

_RESAMPLES = 2_000
_STATISTICS = {"sentence": "sentence", "corpus": "corpus", "parseval": "corpus"}

Result = dict[str, Any]


class Entry(NamedTuple):
    """A line of the board.

    Attributes:
        rank: From 1; equal scores share a rank.
        group: From 1; the systems of a group do not differ significantly from the best of it.
        interval: The score by which the benchmark ranks, with its confidence interval.
        submission: What was submitted.
        result: Its scores.
    """

    rank: int
    group: int
    interval: Interval
    submission: Submission
    result: Result


def newest(results: Sequence[tuple[Submission, Result]]) -> list[tuple[Submission, Result]]:
    """Of each owner's system the last submission that is not hidden."""
    last = {(sub.owner, sub.system): (sub, result) for sub, result in results if not sub.hidden}
    return list(last.values())


def rank_systems(benchmark: Benchmark, results: Sequence[tuple[Submission, Result]]) -> list[Entry]:
    """The board, best first.

    Going down from the best system, a group takes in those that the paired bootstrap test does not
    tell from its first one (p ≥ 1 - `LEVEL`, no correction for their number).
    """
    if not results:
        return []
    scores = [score_of(benchmark, result) for _, result in results]
    order = sorted(range(len(results)), key=lambda i: (-scores[i], results[i][0].received))
    samples = Bootstrap([_columns(benchmark, results[i][1]) for i in order], n_resamples=_RESAMPLES)
    statistic = _STATISTICS[benchmark.rank_by]
    entries: list[Entry] = []
    group = leader = 0
    for place, i in enumerate(order):
        if not place or samples.test(leader, place, statistic).p_value < 1.0 - LEVEL:
            group += 1
            leader = place
        rank = entries[-1].rank if place and scores[i] == scores[order[place - 1]] else place + 1
        interval = samples.interval(place, statistic, level=LEVEL)
        entries.append(Entry(rank, group, interval, *results[i]))
    return entries


def score_of(benchmark: Benchmark, result: Result) -> float:
    """The score by which the benchmark ranks."""
    if benchmark.rank_by == "parseval":
        f1: float = result["parseval"]["f1"]
        return f1
    score: float = result[benchmark.rank_by]
    return score


def _columns(benchmark: Benchmark, result: Result) -> dict[str, list[float]]:
    """A number for each sentence, by the names that the statistics ask for."""
    if benchmark.rank_by == "parseval":
        columns = result["parseval"]["columns"]
        valid = [status == 0 for status in columns["status"]]
        return {
            name: [value * counts for value, counts in zip(columns[name], valid, strict=True)]
            for name in ("matched", "n_pred", "n_ref")
        }
    scores = sentence_scores(result)
    return {**result["columns"], "score": scores, "count": [1.0] * len(scores)}


def sentence_scores(result: Result) -> list[float]:
    """STRUCT-IoU of each sentence."""
    columns = result["columns"]
    rows = zip(columns["matched"], columns["n_pred"], columns["n_ref"], strict=True)
    return [Tally(*row).score for row in rows]
