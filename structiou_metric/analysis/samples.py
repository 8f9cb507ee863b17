"""From a metric's result to what is resampled: columns of sentences, and statistics of their sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..metrics.base import COUNTED, ZEROED, Measure, ratio
from ..metrics.sums import figure_of, unread_places
from ..optional import need
from .resampling import Bootstrap

if TYPE_CHECKING:
    from ..metrics.results import Result
    from .intervals import Interval

_COUNT = "rows that count"
_ZEROED = "rows scored as zero"
_UNREAD = "rows scored as zero without a tree that could be read"


def compared_measures(measures: Mapping[str, Measure]) -> dict[str, Measure]:
    """The measures that systems are compared by."""
    return {key: measure for key, measure in measures.items() if measure.compared}


def sample_columns(result: Result, rows: Sequence[int] | None = None) -> dict[str, Any]:
    """A number for each sentence, by the names that `statistic` asks for.

    Sentences that do not count have zeros, so that a sample leaves them out as the figures do. One that
    stands in the result more than once is drawn as one.

    >>> from structiou_metric import StructIoU
    >>> result = StructIoU().corpus_score(["(S (A a))", "(A b)"], ["(S (A a))", "(B b)"])
    >>> {name: column.tolist() for name, column in sample_columns(result).items()}["struct_iou_sentence"]
    [1.0, 0.0]

    Args:
        result: What a metric found for a system.
        rows: The numbers of some sentences in the input; by default all, by their numbers.
    """
    np = need("numpy", "compare", "a significance test")
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


def statistic(key: str, measure: Measure) -> Callable[[Mapping[str, Any]], Any]:
    """The measure as a function of the sums of `sample_columns`."""
    if measure.mean:
        return lambda sums: ratio(sums[key], sums[_COUNT], 0.0)

    def find(sums: Mapping[str, Any]) -> Any:
        totals = [sums[name] for name in measure.columns]
        return figure_of(measure, totals, sums[_COUNT], sums[_ZEROED], sums[_UNREAD])

    return find


def find_intervals(
    result: Result, *, level: float = 0.95, n_resamples: int = 10_000, seed: int = 1
) -> dict[str, Interval]:
    """The bootstrap interval of every figure that systems are compared by, by the figure's key."""
    samples = Bootstrap([sample_columns(result)], n_resamples=n_resamples, seed=seed)
    return {
        key: samples.interval(0, statistic(key, measure), level=level)
        for key, measure in compared_measures(result.metric.MEASURES).items()
    }
