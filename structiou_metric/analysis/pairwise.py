"""All pairs of some trees: matrices, the candidate that agrees best with all others, the best of a list."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import fsum, inf, isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from ..metrics.base import BaseMetric
from ..metrics.struct_iou.metric import StructIoU
from ..sources.prepared import PreparedTrees
from ..sources.rows import as_list

if TYPE_CHECKING:
    from ..sources.rows import Rows

__all__ = ["Choice", "mbr", "oracle", "pairwise"]

_AT_ONCE = 32_768  # pairs whose columns are held


class Choice(NamedTuple):
    """The tree that was chosen of several.

    >>> [found] = oracle([["(S (A a))", "(S (B a))"]], ["(S (B a))"])
    >>> found.index, found.score
    (1, 1.0)

    Attributes:
        index: The number of the tree among them, from 0; of equally good ones, that of the first.
        score: How good the tree is: for `mbr` the expected score, for `oracle` that against the reference.
    """

    index: int  # type: ignore[assignment]  # hides a method of tuples
    score: float


def pairwise(
    trees: Iterable[Any] | Rows | PreparedTrees,
    others: Iterable[Any] | Rows | PreparedTrees | None = None,
    metric: BaseMetric | None = None,
    *,
    workers: int | str = 1,
) -> list[array[float]]:
    """The score of every tree against every other: a row for each of the trees, a column for each other.

    >>> [list(row) for row in pairwise(["(S (A a))", "(S (B a))"], ["(S (A a))"])]
    [[1.0], [0.5]]

    Args:
        trees: The predictions, as `Metric.corpus_score` takes them.
        others: The references; by default the trees themselves.
        metric: The metric with its options; by default STRUCT-IoU. A symmetric one is computed once for each
            pair.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.

    Returns:
        The metric's headline for each pair; NaN where the pair does not count.
    """
    metric = StructIoU() if metric is None else metric
    preds = _prepared(trees, "trees")
    refs = preds if others is None else _prepared(others, "others")
    n_rows, n_columns = len(preds), len(refs)
    rows = [array("d", [nan]) * n_columns for _ in range(n_rows)]
    halved = others is None and metric.symmetric

    def places() -> Iterator[tuple[int, int]]:
        for i in range(n_rows):
            for j in range(i if halved else 0, n_columns):
                yield i, j

    for i, j, value in _score_places(metric, preds, refs, places(), workers):
        rows[i][j] = value
        if halved:
            rows[j][i] = value
    return rows


def mbr(
    candidates: Sequence[Sequence[Any]],
    weights: Sequence[Sequence[float]] | None = None,
    metric: BaseMetric | None = None,
    *,
    workers: int | str = 1,
) -> list[Choice]:
    """The candidate of each sentence with the best expected score (minimum Bayes risk decoding).

    The expected score of a candidate is the mean of its scores against all candidates of its sentence, itself
    among them, by their weights: each is taken to be right as often as it weighs.

    >>> mbr([["(S (A a))", "(S (B a))", "(S (B a))"]])
    [Choice(index=1, score=0.8333333333333334)]

    Args:
        candidates: The trees of each sentence.
        weights: As many numbers from 0 on for each sentence, not all 0; by default all weigh the same.
        metric: The metric with its options; by default STRUCT-IoU. A symmetric one is computed once for each
            pair.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
    """
    metric = StructIoU() if metric is None else metric
    lists = _lists(candidates)
    shares = _weights(weights, lists)
    trees, begins = _gathered(lists)
    halved = metric.symmetric
    sums: list[list[float]] = [[] for _ in range(len(trees))]

    def places() -> Iterator[tuple[int, int]]:
        for sentence, own in enumerate(lists):
            begin, end = begins[sentence], begins[sentence] + len(own)
            for i in range(begin, end):
                for j in range(i if halved else begin, end):
                    yield i, j

    flat = [weight for own in shares for weight in own]
    for i, j, value in _score_places(metric, trees, trees, places(), workers):
        value = 0.0 if value != value else value  # what cannot be compared agrees with nothing
        sums[i].append(flat[j] * value)
        if halved and i != j:
            sums[j].append(flat[i] * value)
    expected = [fsum(parts) for parts in sums]
    return [
        _best([value / fsum(own) for value in expected[begin : begin + len(own)]], metric)
        for own, begin in zip(shares, begins, strict=False)
    ]


def oracle(
    candidates: Sequence[Sequence[Any]],
    references: Iterable[Any] | Rows | PreparedTrees,
    metric: BaseMetric | None = None,
    *,
    workers: int | str = 1,
) -> list[Choice]:
    """The candidate of each sentence that is best against its reference: what a perfect choice would reach.

    >>> oracle([["(S (A a))", "(S (B a))"]], ["(S (B a))"])
    [Choice(index=1, score=1.0)]

    Args:
        candidates: The trees of each sentence.
        references: As many trees as sentences.
        metric: The metric with its options; by default STRUCT-IoU.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
    """
    metric = StructIoU() if metric is None else metric
    lists = _lists(candidates)
    refs = _prepared(references, "references")
    if len(refs) != len(lists):
        raise ValueError(
            f"there are candidates of {len(lists)} sentences and {len(refs)} references; give as many"
        )
    trees, begins = _gathered(lists)
    values = array("d", [nan]) * len(trees)
    places = ((begins[sentence] + i, sentence) for sentence, own in enumerate(lists) for i in range(len(own)))
    for i, _, value in _score_places(metric, trees, refs, places, workers):
        values[i] = value
    return [
        _best(values[begin : begin + len(own)], metric) for own, begin in zip(lists, begins, strict=False)
    ]


def _score_places(
    metric: BaseMetric,
    trees: PreparedTrees,
    others: PreparedTrees,
    places: Iterator[tuple[int, int]],
    workers: int | str,
) -> Iterator[tuple[int, int, float]]:
    """The metric's headline for pairs of trees, some thousand at a time; NaN where a pair does not count."""
    from itertools import islice

    from ..metrics.runner import score

    if metric.pairs_itself:
        raise ValueError(
            f"{metric.title} finds out for itself which rows belong together; choose another metric"
        )
    while found := list(islice(places, _AT_ONCE)):
        left, right = (array("q", side) for side in zip(*found, strict=True))
        result = score(metric, trees.picked(left), others.picked(right), workers=workers)
        for i, j, value in zip(left, right, result.values(metric.headline), strict=True):
            yield i, j, nan if value is None else value


def _prepared(trees: Any, title: str) -> PreparedTrees:
    return trees if isinstance(trees, PreparedTrees) else PreparedTrees(trees, title)


def _lists(candidates: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """The candidates of each sentence, one at least."""
    lists = [as_list(own, f"candidates[{i}]") for i, own in enumerate(as_list(candidates, "candidates"))]
    for sentence, own in enumerate(lists):
        if not own:
            raise ValueError(f"candidates[{sentence}] has no tree to choose")
    return lists


def _gathered(lists: Sequence[Sequence[Any]]) -> tuple[PreparedTrees, list[int]]:
    """All candidates in one row, called by both their numbers, and where those of each sentence begin."""
    from bisect import bisect_right

    begins = list(accumulate(map(len, lists), initial=0))

    def name(row: int) -> str:
        sentence = bisect_right(begins, row) - 1
        return f"candidates[{sentence}][{row - begins[sentence]}]"

    return PreparedTrees([tree for own in lists for tree in own], "candidates", name), begins


def _weights(
    weights: Sequence[Sequence[float]] | None, lists: Sequence[Sequence[Any]]
) -> list[Sequence[float]]:
    """A weight for each candidate."""
    if weights is None:
        return [[1.0] * len(own) for own in lists]
    found = list(weights)
    if [len(own) for own in found] != [len(own) for own in lists]:
        raise ValueError("there must be a weight for each candidate of each sentence")
    for sentence, own in enumerate(found):
        if not all(isfinite(weight) and weight >= 0 for weight in own) or not any(own):
            raise ValueError(
                f"weights[{sentence}] must be numbers from 0 on, not all 0, not {list(own)!r:.80}"
            )
    return found


def _best(values: Sequence[float], metric: BaseMetric) -> Choice:
    """The best of some values, the first of equal ones; those that do not count are the worst."""
    up = metric.MEASURES[metric.headline].higher_is_better
    ranked = [-inf if value != value else value if up else -value for value in values]
    index = ranked.index(max(ranked))
    return Choice(index, values[index])
