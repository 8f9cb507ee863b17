"""Columns to resample: a number for each row, with sums that figures are made of.

A statistic is a function of the columns' sums, so that a resample costs one row of a matrix product and
nothing is scored again. It must not depend on the number of rows: twice the same rows have the same figure.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from ..metrics.base import COUNTED, ZEROED, Measure, ratio
from ..metrics.sums import figure_of, unread_places
from ..optional import need

if TYPE_CHECKING:
    from ..metrics.results import Result

Columns = Mapping[str, Sequence[float]]
Sums = Mapping[str, Any]  # of a column, its sum, or an array of its sums in resamples
Statistic = Callable[[Sums], Any]  # for sums, and for arrays of them

SLACK = 1e-10  # relative; values this close are equal, because sums are rounded

_COUNT = "rows that count"
_ZEROED = "rows scored as zero"
_UNREAD = "rows scored as zero without a tree that could be read"


def compared_measures(measures: Mapping[str, Measure]) -> dict[str, Measure]:
    """Return the measures that systems are compared by."""
    return {key: measure for key, measure in measures.items() if measure.compared}


def sample_columns(result: Result, rows: Sequence[int] | None = None) -> dict[str, Any]:
    """Return a number for each row, by the names that `statistic` asks for.

    Rows that do not count have zeros, so that resamples leave them out as the figures do. A row that is in
    the result more than once is drawn as one.

    >>> from structiou_metric import StructIoU
    >>> result = StructIoU().corpus_score(["(S (A a))", "(A b)"], ["(S (A a))", "(B b)"])
    >>> {name: column.tolist() for name, column in sample_columns(result).items()}["struct_iou_sentence"]
    [1.0, 0.0]

    Args:
        result: The result of a metric for a system.
        rows: The numbers of some rows in the input; by default all, by their numbers.
    """
    np = import_numpy()
    numbers, places = np.unique(np.asarray(result.rows), return_inverse=True)
    states = np.frombuffer(bytes(result.status), dtype=np.uint8)
    counted = np.isin(states, list(COUNTED))
    unread = np.zeros(len(states))
    unread[unread_places(result.metric, result.columns, result.status)] = 1.0
    columns: dict[str, Any] = {_COUNT: counted, _ZEROED: states == ZEROED, _UNREAD: unread}
    for key, measure in compared_measures(result.metric.MEASURES).items():
        if measure.mean:
            columns[key] = np.where(counted, np.array(result.values(key), dtype=float), 0.0)
        else:
            columns |= {name: result.columns[name] for name in measure.columns}
    picked = slice(None) if rows is None else np.searchsorted(numbers, rows)
    return {name: np.bincount(places, weights=column)[picked] for name, column in columns.items()}


def statistic(key: str, measure: Measure) -> Statistic:
    """Return the measure as a function of the sums of `sample_columns`."""
    if measure.mean:
        return lambda sums: ratio(sums[key], sums[_COUNT], 0.0)

    def find(sums: Sums) -> Any:
        totals = [sums[name] for name in measure.columns]
        return figure_of(measure, totals, sums[_COUNT], sums[_ZEROED], sums[_UNREAD])

    return find


def join_clusters(columns: Columns, clusters: Sequence[Hashable] | None) -> Columns:
    """Return the columns' sums over rows of the same cluster, in the order in which clusters begin.

    >>> join_clusters({"n": [1, 2, 4]}, ["novel", "letter", "novel"])["n"].tolist()
    [5.0, 2.0]

    Columns are returned unchanged if clusters are not known, None.
    """
    if clusters is None:
        return columns
    np = import_numpy()
    numbers: dict[Hashable, int] = {}
    places = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
    for name, column in columns.items():
        if len(column) != len(places):
            raise ValueError(
                f"column {name!r} has {len(column)} sentences and there are {len(places)} clusters; "
                "name a cluster for each sentence"
            )
    return {name: np.bincount(places, weights=column) for name, column in columns.items()}


def as_tables(systems: Sequence[Columns]) -> list[dict[str, Any]]:
    """Return the columns of each system as arrays, all of the same length."""
    np = import_numpy()
    if not systems or not all(systems):
        raise ValueError("there are no columns to resample")
    sizes = {len(column) for columns in systems for column in columns.values()}
    if len(sizes) != 1:
        raise ValueError(f"columns need the same number of sentences, not {sorted(sizes)}")
    if sizes == {0}:
        raise ValueError("there are no sentences to resample")
    tables = [
        {name: np.asarray(column, dtype=float) for name, column in columns.items()} for columns in systems
    ]
    if not all(np.isfinite(column).all() for table in tables for column in table.values()):
        raise ValueError("columns must hold finite numbers only")
    return tables


def check_same_names(a: Iterable[str], b: Iterable[str]) -> None:
    """Raise an error if the columns of two systems have different names."""
    if set(a) != set(b):
        raise ValueError(f"systems need the same columns, not {sorted(a)} and {sorted(b)}")


def check_count(n_resamples: int) -> int:
    """Return the number of resamples as a Python int; raise an error if it is below 1."""
    if index(n_resamples) < 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples}")
    return index(n_resamples)


def check_level(level: float, name: str = "level") -> None:
    """Raise an error for a level that no interval can have; `name` is the name of its option."""
    if not isinstance(level, (int, float)) or not 0.0 < level < 1.0:
        raise ValueError(f"{name} must be between 0 and 1, such as 0.95, not {level!r}")


def import_numpy() -> Any:
    """Return numpy, or raise an error that names the extra to install."""
    return need("numpy", "compare", "a significance test")
