"""Parts that the metrics of brackets share: figures of crossing brackets and of tags, and equal labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..wording import brief
from .base import Measure, ratio

# Figures that systems are not compared by, and that a row of figures does not show.
ASIDE: dict[str, Any] = {"row": "", "compared": False}


def share(part: Any, whole: Any) -> Any:
    """Return the quotient `part / whole`, and 0 where there is nothing, as in EVALB."""
    return ratio(part, whole, 0.0)


def f1(matched: Any, n_pred: Any, n_ref: Any) -> Any:
    """Return the harmonic mean of precision and recall; 0 where both are 0, for which EVALB prints `nan`."""
    return ratio(2.0 * matched, n_pred + n_ref, 0.0)


def complete_match(formula: Callable[..., Any], *columns: str) -> Measure:
    """Return the measure of the share of sentences in which all brackets have a partner."""
    return Measure("complete match", formula, columns, short="complete_match", mean=True, **ASIDE)


def crossing_measures(name: str, column: str) -> dict[str, Measure]:
    """Return the means over sentences of the number of predicted brackets that cross one of the reference.

    Args:
        name: The name of the metric, with which the keys of the measures begin.
        column: The column with the number of crossing brackets.
    """
    return {
        f"{name}_average_crossing": Measure(
            "average crossing",
            lambda crossing: crossing,
            (column,),
            short="average_crossing",
            mean=True,
            highest=None,
            higher_is_better=False,
            **ASIDE,
        ),
        f"{name}_no_crossing": Measure(
            "no crossing",
            lambda crossing: 1.0 * (crossing == 0),
            (column,),
            short="no_crossing",
            mean=True,
            **ASIDE,
        ),
        f"{name}_two_or_less_crossing": Measure(
            "two or less crossing",
            lambda crossing: 1.0 * (crossing <= 2),
            (column,),
            short="two_or_less_crossing",
            mean=True,
            **ASIDE,
        ),
    }


def count_crossing(test: Sequence[tuple[str, int, int]], gold: Sequence[tuple[str, int, int]]) -> int:
    """Return how many predicted brackets cross a bracket of the reference.

    A bracket from a to b crosses one that starts inside it and ends after b, or that ends inside it and
    starts before a. So of the brackets that start at a place only the latest end matters, and of those that
    end there only the earliest start.

    >>> count_crossing([("A", 0, 2), ("B", 0, 3)], [("A", 1, 3)])
    1
    """
    size = max((end for _, _, end in gold), default=0) + 1
    latest, earliest = [0] * size, [size] * size
    for _, start, end in gold:
        latest[start] = max(latest[start], end)
        earliest[end] = min(earliest[end], start)
    best_latest, best_earliest = _best_of_runs(latest, max), _best_of_runs(earliest, min)
    crossing = 0
    for _, start, end in test:
        length = min(end, size) - start - 1
        if length > 0:
            # Two runs of the same length, which may overlap, cover the places inside the bracket.
            level = length.bit_length() - 1
            lo, hi = start + 1, min(end, size) - (1 << level)
            if (
                max(best_latest[level][lo], best_latest[level][hi]) > end
                or min(best_earliest[level][lo], best_earliest[level][hi]) < start
            ):
                crossing += 1
    return crossing


def _best_of_runs(values: list[int], best: Callable[[int, int], int]) -> list[list[int]]:
    """Return the best of each run of 1, 2, 4, … values, by the place where the run begins."""
    runs = [values]
    length = 1
    while 2 * length <= len(values):
        runs.append(list(map(best, runs[-1], runs[-1][length:])))
        length *= 2
    return runs


def equal_labels(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return for each label of some pairs the labels that count as the same, with itself.

    Pairs do not join: of `A B` and `B C` it does not follow that A and C are the same.
    """
    same: dict[str, set[str]] = {}
    for a, b in pairs:
        same.setdefault(a, {a}).add(b)
        same.setdefault(b, {b}).add(a)
    return same


def describe_untagged(word: str, place: int, name: str) -> str:
    """Return the message for a word without a tag of its own, by its place in the tree with that name."""
    return (
        f"the word {brief(word)} at position {place + 1} of {name} has no tag of its own; write (TAG word) "
        "for each word"
    )
