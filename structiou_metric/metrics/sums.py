"""What rows of columns add up to, and a figure that is made of these sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, Protocol

from .base import COUNTED, STATUSES, BaseMetric, ratio

if TYPE_CHECKING:

    class Sums(Protocol):
        """What figures are made of."""

        def __len__(self) -> int:
            """How many rows there are."""

        def __contains__(self, name: str) -> bool:
            """Whether there is a column of that name."""

        def total(self, name: str) -> Any:
            """The sum of a column, right to the last bit in whatever order rows stand."""

        def mean_of(self, key: str) -> tuple[float, int]:
            """The sum and the number of rows of a measure that is a mean over rows."""

        def count(self, state: int) -> int:
            """How many rows have that status."""


class RowSums:
    """The sums of rows that are at hand, each computed when it is first asked for.

    Args:
        metric: The metric whose columns these are.
        columns: A number for each row, by the name of the column; rows that do not count have zeros in all.
        status: A number of `STATUSES` for each row.
    """

    __slots__ = ("_columns", "_means", "_metric", "_status", "_totals")

    def __init__(self, metric: BaseMetric, columns: Mapping[str, Any], status: Sequence[int]) -> None:
        self._metric = metric
        self._columns = columns
        self._status = status
        self._totals: dict[str, Any] = {}
        self._means: dict[str, tuple[float, int]] = {}

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

    def mean_of(self, key: str) -> tuple[float, int]:
        """The sum of a measure's values, and their number."""
        if key not in self._means:
            values = self._metric.MEASURES[key].counted_values(self._columns, self._status)
            self._means[key] = fsum(values), len(values)
        return self._means[key]

    def count(self, state: int) -> int:
        """How many rows have that status."""
        return self._status.count(state)


def find_figure(metric: BaseMetric, sums: Sums, key: str) -> float:
    """A figure of a metric by its key; the name of the metric stands for its headline."""
    name = metric.headline if key == metric.name else key
    measure = metric.MEASURES[name]
    if measure.mean:
        total, n_values = sums.mean_of(name)
        return float(ratio(total, n_values, 0.0))
    return float(measure.formula(*(float(sums.total(column)) for column in measure.columns)))


def count_rows(sums: Sums) -> int:
    """How many rows the figures count."""
    return sum(sums.count(state) for state in range(len(STATUSES)) if state in COUNTED)


def figure(key: str, meaning: str) -> Any:
    """A property of results that is their figure with that key."""
    return property(lambda result: result.figure(key), doc=meaning)


def number_of(state: int, meaning: str) -> Any:
    """A property of results that is how many rows have that status."""
    return property(lambda result: result.sums.count(state), doc=meaning)
