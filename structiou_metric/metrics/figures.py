"""What rows of columns add up to, and the figures of a metric that are made of these sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum

from .base import COUNTED, STATUSES, BaseMetric, ratio

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any, Protocol

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


class Figures(Mapping[str, float]):
    """The figures of a metric over some rows, each computed when it is first asked for.

    The name of the metric stands for its headline.
    """

    __slots__ = ("_found", "_metric", "_sums")

    def __init__(self, metric: BaseMetric, sums: Sums) -> None:
        self._metric = metric
        self._sums = sums
        self._found: dict[str, float] = {}

    def __getitem__(self, key: str) -> float:
        if key not in self._found:
            name = self._metric.headline if key == self._metric.name else key
            measure = self._metric.MEASURES[name]
            if measure.mean:
                total, n_values = self._sums.mean_of(name)
                self._found[key] = float(ratio(total, n_values, 0.0))
            else:
                sums = (float(self._sums.total(column)) for column in measure.columns)
                self._found[key] = float(measure.formula(*sums))
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((self._metric.name, *self._metric.MEASURES)))

    def __len__(self) -> int:
        return len({self._metric.name, *self._metric.MEASURES})

    def __repr__(self) -> str:
        return repr(dict(self))


def count_rows(sums: Sums) -> int:
    """How many rows the figures count."""
    return sum(sums.count(state) for state in range(len(STATUSES)) if state in COUNTED)


def figure(key: str, meaning: str) -> Any:
    """A property of results that is their figure with that key."""
    return property(lambda result: result.figures[key], doc=meaning)


def number_of(state: int, meaning: str) -> Any:
    """A property of results that is how many rows have that status."""
    return property(lambda result: result.sums.count(state), doc=meaning)
