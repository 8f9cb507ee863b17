"""Confidence intervals of figures and of differences between two systems.

**The method**, for any number of rows: each resample has rows drawn at random with replacement, about the
number that there are (a Poisson number, so that each row comes once on average, independently of the
others), and one row more: for the lower bound the one that lowers the figure most, for the upper bound the
one that raises it most. The bounds are the `(1 - level) / 2` quantile of the former resamples and the
`(1 + level) / 2` quantile of the latter.

Without that last row these are the percentiles of the Poisson bootstrap (Hanley and MacGibbon 2006), which do
not reach far enough on few rows: scores are skewed, and their worst kind is seldom among few. The method
has these advantages:

- Raising the value of a row never lowers a bound, because every resample is an increasing function of it: a
  better system never has the lower bound of a worse one. BCa, the bootstrap-t and Student's t do not have
  this property, for they move their bounds by the spread or the skew of the data.
- The last row is one in n: of 2,000 rows the bounds differ from percentiles by a thousandth or less.
- Where all rows are alike, such as 20 perfect ones, the interval has no width (`ALIKE`). Nothing can be
  resampled then; that other kinds of rows may exist is not in the data. `unseen_share` bounds the share
  of such rows.

How often such intervals hold the true value is measured by `tests/bench/bench_coverage.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..progress import Progress
from .columns import (
    SLACK,
    Columns,
    Statistic,
    Sums,
    as_tables,
    check_count,
    check_level,
    check_same_names,
    compared_measures,
    import_numpy,
    join_clusters,
    sample_columns,
    statistic,
)

if TYPE_CHECKING:
    from ..metrics.results import Result

__all__ = ["Interval", "confidence_interval"]

PERCENTILE = "percentile"
ALIKE = "alike"
TITLES = {
    PERCENTILE: "percentiles of the bootstrap, with the lowest or highest row in each resample",
    ALIKE: "without width where all rows of a system are alike",
}

_CELLS = 1 << 17  # of the matrix of samples that is made at once; this much stays in the processor's cache
# Rows that are tried as the last one of each resample. For a mean the first of them is always the one; for a
# ratio of sums, which row lowers it most may depend on the other rows of the resample.
_N_TRIED = 8


@dataclass(frozen=True)
class Interval:
    """A value and the bounds of its confidence interval.

    >>> columns = {"matched": [3, 1, 2, 4], "n_pred": [4, 4, 4, 4]}
    >>> found = confidence_interval(columns, lambda sums: sums["matched"] / sums["n_pred"])
    >>> found.value, found.method
    (0.625, 'percentile')

    Attributes:
        value: The value in the data.
        low: The lower bound.
        high: The upper bound.
        method: How the bounds were made, a key of `TITLES`.
    """

    value: float
    low: float
    high: float
    method: str


def confidence_interval(
    columns: Columns,
    statistic: Statistic,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 1,
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """Return the interval of a statistic.

    >>> columns = {"matched": [3, 1, 2, 4], "n_pred": [4, 4, 4, 4], "n_ref": [4, 4, 4, 4]}
    >>> found = confidence_interval(columns, lambda sums: sums["matched"] / sums["n_pred"])
    >>> found.value, found.low < found.value < found.high
    (0.625, True)

    Args:
        columns: A number for each sentence, by the name of the column.
        statistic: A function of the columns' sums.
        level: The share of such intervals that should hold the true value.
        n_resamples: The number of resamples.
        seed: The seed of the resamples; the same seed gives the same results.
        clusters: The document of each sentence, or anything else that makes sentences alike; those with
            equal clusters are drawn together.
    """
    bootstrap = Bootstrap([join_clusters(columns, clusters)], n_resamples=n_resamples, seed=seed)
    return bootstrap.interval(0, statistic, level=level)


def find_intervals(
    result: Result, *, level: float = 0.95, n_resamples: int = 10_000, seed: int = 1
) -> dict[str, Interval]:
    """Return the interval of every figure that systems are compared by, by the figure's key."""
    resamples = Bootstrap([sample_columns(result)], n_resamples=n_resamples, seed=seed)
    return {
        key: resamples.interval(0, statistic(key, measure), level=level)
        for key, measure in compared_measures(result.metric.MEASURES).items()
    }


def unseen_share(n_rows: int, level: float = 0.95) -> float:
    """Return the share of the population that rows of another kind may have if no row of the sample is one.

    A greater share would be missed by all rows in less than `1 - level` of the cases; at 0.95 this is about
    3 / n_rows, the rule of three.

    >>> round(unseen_share(20), 4)
    0.1391
    """
    return float(1.0 - (1.0 - level) ** (1.0 / n_rows))


class Bootstrap:
    """The columns' sums in resamples of the rows, kept for any statistic of any system.

    Resamples depend on the seed, the number of resamples and the number of rows only.

    Args:
        systems: The columns of each system, over the same sentences. Systems that are compared with each
            other need the same names; others may have their own, such as those of another metric.
        n_resamples: The number of resamples.
        seed: The seed of the resamples; the same seed gives the same results.
        progress: Whether a terminal shows a progress bar when this takes long.
    """

    def __init__(
        self, systems: Sequence[Columns], *, n_resamples: int = 10_000, seed: int = 1, progress: bool = False
    ) -> None:
        np = import_numpy()
        n_resamples = check_count(n_resamples)
        self._tables = as_tables(systems)
        columns = [column for table in self._tables for column in table.values()]
        n_rows = len(columns[0])
        rng = np.random.default_rng(seed)
        sizes = rng.poisson(n_rows, n_resamples)
        sums = np.empty((len(columns), n_resamples))  # without the last row of each resample
        step = max(1, _CELLS // n_rows)
        with Progress(n_resamples, "resampling", show=progress) as bar:
            for lo in range(0, n_resamples, step):
                own_sizes = sizes[lo : lo + step]
                block = len(own_sizes)
                cells = rng.integers(0, n_rows, size=own_sizes.sum())
                cells += np.repeat(np.arange(0, block * n_rows, n_rows), own_sizes)
                counts = np.bincount(cells, minlength=block * n_rows).reshape(block, n_rows)
                weights = counts.astype(float)
                # A column at a time, so that equal columns have equal sums, independent of the others.
                for column_sums, column in zip(sums, columns, strict=True):
                    column_sums[lo : lo + block] = weights @ column
                bar.add(block)
        rest = iter(sums)
        self._sums = [{name: next(rest) for name in table} for table in self._tables]

    def interval(self, system: int, statistic: Statistic, *, level: float = 0.95) -> Interval:
        """Return the interval of the statistic of a system, by its place among all."""
        return self._find(lambda sums: statistic(sums[0]), [system], level)

    def difference(self, a: int, b: int, statistic: Statistic, *, level: float = 0.95) -> Interval:
        """Return the interval of the statistic of system `a` minus that of system `b`."""
        check_same_names(self._tables[a], self._tables[b])
        return self._find(lambda sums: statistic(sums[0]) - statistic(sums[1]), [a, b], level)

    def _find(
        self, figure: Callable[[Sequence[Sums]], Any], systems: Sequence[int], level: float
    ) -> Interval:
        """Return the interval of a function of the sums of some systems."""
        check_level(level)
        np = import_numpy()
        tables = [self._tables[i] for i in systems]
        totals = [{name: column.sum() for name, column in table.items()} for table in tables]
        value = float(figure(totals))
        # The figure of the data with each row once more says which row lowers or raises it most.
        doubled = [
            {name: total[name] + column for name, column in table.items()}
            for total, table in zip(totals, tables, strict=True)
        ]
        order = np.argsort(figure(doubled), kind="stable")

        def resample_with(rows: Any) -> Any:
            """Return the figure of each resample with each of some rows as its last one."""
            return figure(
                [
                    {
                        name: self._sums[i][name][:, None] + column[rows]
                        for name, column in self._tables[i].items()
                    }
                    for i in systems
                ]
            )

        lows = resample_with(order[:_N_TRIED]).min(axis=1)
        highs = resample_with(order[-_N_TRIED:]).max(axis=1)
        slack = SLACK * max(abs(value), 1.0)
        if (abs(lows - value) <= slack).all() and (abs(highs - value) <= slack).all():
            return Interval(value, value, value, ALIKE)
        tail = (1.0 - level) / 2.0
        low, high = np.quantile(lows, tail), np.quantile(highs, 1.0 - tail)
        return Interval(value, float(low), float(high), PERCENTILE)
