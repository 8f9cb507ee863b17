"""All pairs of some trees: matrices, the candidate that agrees best with all others, the best of a list."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice
from itertools import pairwise as pairwise_of
from math import fsum, inf, isfinite, nan
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from ..metrics.metric import Metric
from ..metrics.struct_iou.metric import StructIoU
from ..sources.prepared import PreparedTrees
from ..sources.rows import as_list

if TYPE_CHECKING:
    from ..sources.rows import Rows

    Run = tuple[Sequence[int], Sequence[int]]  # the numbers of the trees of some pairs

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
    metric: Metric | None = None,
    *,
    workers: int | str = 1,
) -> list[array[float]]:
    """Return the score of every tree against every other: a row a tree, a column for each other.

    >>> [list(row) for row in pairwise(["(S (A a))", "(S (B a))"], ["(S (A a))"])]
    [[1.0], [0.5]]

    Args:
        trees: The predictions, as `Metric.corpus_score` takes them.
        others: The references; by default the trees themselves.
        metric: The metric with its options; by default STRUCT-IoU. A symmetric one is computed once for each
            pair.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.

    Returns:
        The metric's headline for each pair; NaN where the pair does not count.
    """
    metric = StructIoU() if metric is None else metric
    preds = _prepared(trees, "trees")
    refs = preds if others is None else _prepared(others, "others")
    n_rows, n_columns = len(preds), len(refs)
    halved = others is None and metric.symmetric
    begins = [i if halved else 0 for i in range(n_rows)]
    runs = (([i] * (n_columns - begin), range(begin, n_columns)) for i, begin in enumerate(begins))
    rows: list[array[float]] = []
    for i, values in enumerate(_score_runs(metric, preds, refs, runs, workers)):
        rows.append(array("d", [rows[j][i] for j in range(begins[i])]))
        rows[i].extend(values)
    return rows


def mbr(
    candidates: Sequence[Sequence[Any]],
    weights: Sequence[Sequence[float]] | None = None,
    metric: Metric | None = None,
    *,
    workers: int | str = 1,
) -> list[Choice]:
    """Return the candidate of each sentence with the best expected score (minimum Bayes risk decoding).

    The expected score of a candidate is the mean of its scores against all candidates of its sentence, itself
    among them, by their weights: each is taken to be right as often as it weighs.

    >>> mbr([["(S (A a))", "(S (B a))", "(S (B a))"]])
    [Choice(index=1, score=0.8333333333333334)]

    Args:
        candidates: The trees of each sentence; equal texts are compared once.
        weights: A number of at least 0 for each candidate of each sentence, not all 0; by default all weigh
            the same.
        metric: The metric with its options; by default STRUCT-IoU. A symmetric one is computed once for each
            pair.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
    """
    metric = StructIoU() if metric is None else metric
    lists = _lists(candidates)
    shares = _weights(weights, lists)
    different = [_different(own) for own in lists]
    trees, begins = _gathered(lists, different)
    halved = metric.symmetric

    def runs() -> Iterator[Run]:
        for begin, end in pairwise_of(begins):
            for i in range(begin, end):
                others = range(i if halved else begin, end)
                yield [i] * len(others), others

    chosen = []
    scored = _score_runs(metric, trees, trees, runs(), workers)
    for own, (firsts, numbers) in zip(shares, different, strict=True):
        rows: list[list[float]] = []
        for i, values in enumerate(islice(scored, len(firsts))):
            values = [0.0 if value != value else value for value in values]  # agrees with nothing
            rows.append([row[i] for row in rows] + values if halved else values)
        total = fsum(own)
        expected = [fsum(map(mul, own, map(row.__getitem__, numbers))) / total for row in rows]
        chosen.append(_best([expected[number] for number in numbers], metric))
    return chosen


def oracle(
    candidates: Sequence[Sequence[Any]],
    references: Iterable[Any] | Rows | PreparedTrees,
    metric: Metric | None = None,
    *,
    workers: int | str = 1,
) -> list[Choice]:
    """Return the candidate of each sentence that is best against its reference, the perfect choice.

    >>> oracle([["(S (A a))", "(S (B a))"]], ["(S (B a))"])
    [Choice(index=1, score=1.0)]

    Args:
        candidates: The trees of each sentence.
        references: One tree for each sentence.
        metric: The metric with its options; by default STRUCT-IoU.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
    """
    metric = StructIoU() if metric is None else metric
    lists = _lists(candidates)
    refs = _prepared(references, "references")
    if len(refs) != len(lists):
        raise ValueError(
            f"there are candidates of {len(lists)} sentences and {len(refs)} references; give as many"
        )
    trees, begins = _gathered(lists, [(range(len(own)), range(len(own))) for own in lists])
    runs = ((range(begin, end), [i] * (end - begin)) for i, (begin, end) in enumerate(pairwise_of(begins)))
    return [_best(values, metric) for values in _score_runs(metric, trees, refs, runs, workers)]


def _score_runs(
    metric: Metric,
    trees: PreparedTrees,
    others: PreparedTrees,
    runs: Iterable[Run],
    workers: int | str,
) -> Iterator[list[float]]:
    """Return the metric's headline of the pairs of each run; NaN where a pair does not count."""
    if metric.pairs_itself:
        raise ValueError(
            f"{metric.title} finds out for itself which rows belong together; choose another metric"
        )

    def scored(left: array[int], right: array[int]) -> Iterator[float]:
        for lo in range(0, len(left), _AT_ONCE):
            sides = trees.picked(left[lo : lo + _AT_ONCE]), others.picked(right[lo : lo + _AT_ONCE])
            values = metric.corpus_score(*sides, workers=workers).values(metric.headline)
            yield from (nan if value is None else value for value in values) if None in values else values

    runs = iter(runs)
    while some := _take_runs(runs):
        left, right = (array("q", chain.from_iterable(side)) for side in zip(*some, strict=True))
        values = scored(left, right)
        for own, _ in some:
            yield list(islice(values, len(own)))


def _take_runs(runs: Iterator[Run]) -> list[Run]:
    """Return the next runs, up to the number of pairs that are scored at once, or one larger run."""
    found: list[Run] = []
    n_pairs = 0
    while n_pairs < _AT_ONCE and (run := next(runs, None)) is not None:
        found.append(run)
        n_pairs += len(run[0])
    return found


def _different(trees: Sequence[Any]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the first tree of each distinct text, and for each tree its place in that list."""
    if not all(isinstance(tree, str) for tree in trees):
        return range(len(trees)), range(len(trees))
    places: dict[str, int] = {}
    numbers = [places.setdefault(tree, len(places)) for tree in trees]
    firsts = sorted(dict(zip(reversed(numbers), reversed(range(len(trees))), strict=True)).values())
    return firsts, numbers


def _prepared(trees: Any, title: str) -> PreparedTrees:
    return trees if isinstance(trees, PreparedTrees) else PreparedTrees(trees, title)


def _lists(candidates: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the candidates of each sentence, one at least."""
    lists = [as_list(own, f"candidates[{i}]") for i, own in enumerate(as_list(candidates, "candidates"))]
    for sentence, own in enumerate(lists):
        if not own:
            raise ValueError(f"candidates[{sentence}] has no tree to choose")
    return lists


def _gathered(
    lists: Sequence[Sequence[Any]], different: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> tuple[PreparedTrees, list[int]]:
    """Return the distinct candidates in one row with their names, and where those of each sentence begin."""
    begins = list(accumulate((len(firsts) for firsts, _ in different), initial=0))

    def name(row: int) -> str:
        sentence = bisect_right(begins, row) - 1
        return f"candidates[{sentence}][{different[sentence][0][row - begins[sentence]]}]"

    trees = [own[i] for own, (firsts, _) in zip(lists, different, strict=True) for i in firsts]
    return PreparedTrees(trees, "candidates", name), begins


def _weights(
    weights: Sequence[Sequence[float]] | None, lists: Sequence[Sequence[Any]]
) -> list[Sequence[float]]:
    """Return a weight for each candidate."""
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


def _best(values: Sequence[float], metric: Metric) -> Choice:
    """Return the best of some values, the first of equal ones; those that do not count are the worst."""
    up = metric.MEASURES[metric.headline].higher_is_better
    ranked = [-inf if value != value else value if up else -value for value in values]
    index = ranked.index(max(ranked))
    return Choice(index, values[index])
