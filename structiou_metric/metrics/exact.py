"""Sums of floats that are never rounded, so that neither order nor grouping changes a bit of them.

They are fractions, which become floats where a figure is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import Labels


def exact_sum(values: Sequence[float]) -> Fraction:
    """Return the sum of floats, all of them finite, without any rounding.

    >>> float(exact_sum([0.1] * 10)), float(exact_sum([1e16, 1.0, -1e16]))
    (1.0, 1.0)
    """
    total = Fraction()
    # Each round gives the float nearest to what the rounds before have left; after the last nothing is left.
    parts: list[float] = []
    while rest := fsum(chain(values, parts)):
        parts.append(-rest)
        total += Fraction(rest)
    return total


def float_parts(total: Fraction) -> list[float]:
    """Return the few floats that add up to an exact sum, the largest first; equal sums have equal parts."""
    found: list[float] = []
    while total:
        found.append(float(total))
        total -= Fraction(found[-1])
    return found


def exact_total(values: Any) -> int | Fraction:
    """Return the sum of an array: an integer for integers, a fraction for floats."""
    return exact_sum(values) if values.typecode in "df" else sum(values)


def add_sums(sums: dict[Any, Any], more: Iterable[tuple[Any, Any]]) -> None:
    """Add sums to others with the same keys."""
    for key, value in more:
        sums[key] = sums[key] + value if key in sums else value


def add_labels(labels: Labels, more: Labels) -> None:
    """Add sums by label to others."""
    for label, sums in more.items():
        old = labels.get(label)
        labels[label] = sums if old is None else tuple(a + b for a, b in zip(old, sums, strict=True))


def tally_labels(kind: Any, labels: Labels) -> dict[str, Any]:
    """Return sums by label as tallies of that kind, the most frequent label of the reference first."""
    tallies = {label: kind(*map(as_number, sums)) for label, sums in labels.items()}
    return dict(sorted(tallies.items(), key=lambda item: (-item[1].n_ref, -item[1].n_pred, item[0])))


def as_number(value: Any) -> Any:
    """Return an exact sum as a float; integers stay as they are."""
    return float(value) if isinstance(value, Fraction) else value
