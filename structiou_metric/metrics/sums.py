"""What rows of columns add up to, and the figures that are made of these sums.

A mean over rows counts a row that is scored as zero as the worst value. A figure of sums counts the nodes
(brackets, words) of the trees that could be read, none of them aligned. Where neither tree could be read
there are none to count, so `figure_of` counts such a row as one of average size with nothing right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Any, Protocol

from .base import COUNTED, STATUSES, ZEROED, BaseMetric, Measure, ratio
from .exact import exact_sum

if TYPE_CHECKING:

    class Sums(Protocol):
        """What figures are made of."""

        def __len__(self) -> int:
            """How many rows there are."""

        def __contains__(self, name: str) -> bool:
            """Whether there is a column of that name."""

        def total(self, name: str) -> Any:
            """The sum of a column, right to the last bit in whatever order rows stand."""

        def mean_of(self, key: str) -> tuple[Fraction, int]:
            """Return the exact sum and the number of rows of a measure that is a mean over rows."""

        def count(self, state: int) -> int:
            """How many rows have that status."""

        @property
        def n_unread(self) -> int:
            """How many rows are scored as zero without a tree that could be read; see `figure_of`."""


class RowSums:
    """The sums of rows that are at hand, each computed when it is first asked for.

    Args:
        metric: The metric whose columns these are.
        columns: A number for each row, by the name of the column; rows that do not count have zeros in all.
        status: A number of `STATUSES` for each row.
    """

    __slots__ = ("_columns", "_means", "_metric", "_n_unread", "_status", "_totals")

    def __init__(self, metric: BaseMetric, columns: Mapping[str, Any], status: Sequence[int]) -> None:
        self._metric = metric
        self._columns = columns
        self._status = status
        self._totals: dict[str, Any] = {}
        self._means: dict[str, tuple[Fraction, int]] = {}
        self._n_unread: int | None = None

    def __len__(self) -> int:
        return len(self._status)

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def total(self, name: str) -> Any:
        """The sum of a column."""
        if name not in self._totals:
            column = self._columns[name]
            self._totals[name] = (fsum if column.typecode in "df" else sum)(column)
        return self._totals[name]

    def mean_of(self, key: str) -> tuple[Fraction, int]:
        """Return the exact sum of a measure's values, and their number."""
        if key not in self._means:
            values = self._metric.MEASURES[key].counted_values(self._columns, self._status)
            self._means[key] = exact_sum(values), len(values)
        return self._means[key]

    def count(self, state: int) -> int:
        """How many rows have that status."""
        return self._status.count(state)

    @property
    def n_unread(self) -> int:
        """How many rows are scored as zero without a tree that could be read."""
        if self._n_unread is None:
            self._n_unread = len(unread_places(self._metric, self._columns, self._status))
        return self._n_unread


def unread_places(metric: BaseMetric, columns: Mapping[str, Any], status: Sequence[int]) -> list[int]:
    """Return the places of rows scored as zero in which no figure of a metric has anything to count."""
    if ZEROED not in status:
        return []
    names = {name for measure in metric.MEASURES.values() for name in measure.columns}
    return [
        place
        for place, state in enumerate(status)
        if state == ZEROED and not any(columns[name][place] for name in names)
    ]


def find_figure(metric: BaseMetric, sums: Sums, key: str) -> float:
    """A figure of a metric by its key; the name of the metric stands for its headline."""
    name = metric.headline if key == metric.name else key
    measure = metric.MEASURES[name]
    if measure.mean:
        total, n_values = sums.mean_of(name)
        return float(total / n_values) if n_values else 0.0  # rounded once
    totals = [float(sums.total(column)) for column in measure.columns]
    return float(figure_of(measure, totals, count_rows(sums), sums.count(ZEROED), sums.n_unread))


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


def share_read(sums: Sums) -> float:
    """Return the share of rows that are not scored as zero for want of any tree that could be read."""
    n_rows = count_rows(sums)
    return float(ratio(n_rows - sums.n_unread, n_rows, 0.0))


def count_rows(sums: Sums) -> int:
    """How many rows the figures count."""
    return sum(sums.count(state) for state in range(len(STATUSES)) if state in COUNTED)


def figure(key: str, meaning: str) -> Any:
    """A property of results that is their figure with that key."""
    return property(lambda result: result.figure(key), doc=meaning)


def number_of(state: int, meaning: str) -> Any:
    """A property of results that is how many rows have that status."""
    return property(lambda result: result.sums.count(state), doc=meaning)
