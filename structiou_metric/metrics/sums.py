"""Sums of the columns of rows, and the figures that are computed from these sums.

A mean over rows counts a row that is scored as zero as the worst value. A figure of sums counts the nodes
(brackets, words) of the trees that could be read, none of them aligned. Where neither tree could be read
there are none to count, so `figure_of` counts such a row as one of average size with nothing right.

Sums of floats are fractions, so that neither order nor grouping changes a bit of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import fsum
from operator import add
from typing import TYPE_CHECKING, Any

from .base import COUNTED, STATUSES, ZEROED, Measure, ratio

if TYPE_CHECKING:
    from .base import Labels
    from .metric import Metric


class Sums:
    """The exact sums of the columns of some rows.

    >>> from array import array
    >>> from structiou_metric import StructIoU
    >>> columns = {"matched": array("d", [2.0]), "n_pred": array("i", [3]), "n_ref": array("i", [1])}
    >>> Sums(StructIoU(), columns, bytes(1)).figures["struct_iou"]
    1.0

    Args:
        metric: The metric whose columns these are.
        columns: A number for each row, by the name of the column; rows that do not count have zeros in all.
        status: A number of `base.STATUSES` for each row.

    Attributes:
        metric: The metric.
        n_places: The number of rows of the columns.
        states: The number of rows with each status, in the order of `base.STATUSES`.
        n_unread: The number of rows scored as zero without a tree that could be read; see `figure_of`.
        totals: The sum of each column by its name; integers, and fractions where values are floats.
        means: The sum and the number of values of each measure that is a mean over rows, by its key.
    """

    def __init__(
        self, metric: Metric, columns: Mapping[str, Any] | None = None, status: Sequence[int] = b""
    ) -> None:
        columns = columns or {}
        self.metric = metric
        self.n_places = len(status)
        self.states = [status.count(state) for state in range(len(STATUSES))]
        self.n_unread = len(unread_places(metric, columns, status)) if self.states[ZEROED] else 0
        self.totals = {
            name: exact_sum(column) if column.typecode in "df" else sum(column)
            for name, column in columns.items()
        }
        self.means: dict[str, tuple[Fraction, int]] = {}
        for key, measure in metric.MEASURES.items():
            if measure.mean and self.n_places:
                values = [value for value in measure.values(columns, status) if value is not None]
                self.means[key] = exact_sum(values), len(values)

    def __len__(self) -> int:
        return self.n_places

    def add(self, other: Sums) -> None:
        """Add the sums of other rows."""
        self.n_places += other.n_places
        self.states = [own + more for own, more in zip(self.states, other.states, strict=True)]
        self.n_unread += other.n_unread
        add_sums(self.totals, other.totals.items())
        for key, (value, n_values) in other.means.items():
            own, n_own = self.means.get(key, (Fraction(), 0))
            self.means[key] = own + value, n_own + n_values

    @property
    def n_counted(self) -> int:
        """Return the number of rows that the figures count."""
        return sum(self.states[state] for state in COUNTED)

    def total(self, name: str) -> Any:
        """Return the sum of a column, rounded once if it is one of floats; 0 if there is no such column."""
        total = self.totals.get(name, 0)
        return float(total) if isinstance(total, Fraction) else total

    @property
    def figures(self) -> dict[str, float]:
        """Return every figure of the metric by its key, and the headline by the name of the metric, too."""
        metric = self.metric
        figures: dict[str, float] = {}
        for key, measure in metric.MEASURES.items() if self.n_places else ():
            if measure.mean:
                total, n_values = self.means[key]
                figures[key] = float(total / n_values) if n_values else 0.0  # rounded once
            else:
                totals = [float(self.totals[name]) for name in measure.columns]
                n_zeroed = self.states[ZEROED]
                figures[key] = float(figure_of(measure, totals, self.n_counted, n_zeroed, self.n_unread))
        return {metric.name: figures[metric.headline], **figures} if figures else {}

    @property
    def share_read(self) -> float:
        """Return the share of rows that are not scored as zero for want of any tree that could be read."""
        return float(ratio(self.n_counted - self.n_unread, self.n_counted, 0.0))


def unread_places(metric: Metric, columns: Mapping[str, Any], status: Sequence[int]) -> list[int]:
    """Return the places of rows scored as zero in which no figure of a metric has anything to count."""
    names = {name for measure in metric.MEASURES.values() for name in measure.columns}
    return [
        place
        for place, state in enumerate(status)
        if state == ZEROED and not any(columns[name][place] for name in names)
    ]


def figure_of(measure: Measure, totals: Sequence[Any], n_rows: Any, n_zeroed: Any, n_unread: Any) -> Any:
    """Return a measure of sums, given as numbers or as numpy's arrays of them.

    It is the formula of the sums times the share of rows that have something to count: rows scored as zero of
    which neither tree could be read have nothing, so they count as rows of average size with nothing right.
    Where all sums are 0, no row scored as zero has anything to count.

    >>> f1 = Measure("F1", lambda a, b: ratio(a, b, 1.0), ("matched", "nodes"), short="f1")
    >>> figure_of(f1, [5.0, 5.0], n_rows=2, n_zeroed=1, n_unread=1)
    0.5
    >>> [figure_of(f1, [0.0, 0.0], n_rows=2, n_zeroed=n, n_unread=0) for n in (0, 2)]
    [1.0, 0.0]

    Args:
        measure: The measure, which is no mean over rows.
        totals: The sums of the measure's columns.
        n_rows: How many rows count.
        n_zeroed: How many of them are scored as zero.
        n_unread: How many of those have no tree that could be read.
    """
    value = measure.formula(*totals)
    if not measure.higher_is_better:
        return value
    has_sums = sum(total != 0.0 for total in totals) > 0
    n_without = n_zeroed + (n_unread - n_zeroed) * has_sums
    return measure.lowest + (value - measure.lowest) * ratio(n_rows - n_without, n_rows, 0.0)


def exact_sum(values: Sequence[float]) -> Fraction:
    """Return the sum of floats, all of them finite, without any rounding.

    >>> float(exact_sum([0.1] * 10)), float(exact_sum([1e16, 1.0, -1e16]))
    (1.0, 1.0)
    """
    total = Fraction()
    # Each round yields the float nearest to the remainder of the rounds before; after the last there is none.
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


def add_sums(sums: dict[Any, Any], more: Iterable[tuple[Any, Any]]) -> None:
    """Add sums to others with the same keys."""
    for key, value in more:
        sums[key] = sums[key] + value if key in sums else value


def add_labels(labels: Labels, more: Labels) -> None:
    """Add sums by label to others."""
    for label, sums in more.items():
        old = labels.get(label)
        labels[label] = sums if old is None else tuple(map(add, old, sums))
