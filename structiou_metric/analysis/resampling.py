"""How sure a score is, and a difference between systems: intervals and paired tests over sentences.

Everything starts from columns with a number for each sentence, such as those of a metric's result. A
statistic is a function of the columns' sums, so a sample of the sentences costs one row of a matrix
product, and nothing is scored again. What is computed:

- **Bootstrap**: as many sentences as there are, drawn with replacement, `n_resamples` times. All systems
  and statistics share the samples. An **interval** lies between two quantiles of the samples' values;
  `intervals` says which.
- **Paired bootstrap test**: with `d` the difference of the systems and `d*` that in a sample,
  p is the share of the samples with `|d* - d| >= |d|`.
- **Approximate randomisation**: each sentence's rows are swapped between the systems or not, by a coin;
  with `d*` the difference after that, p is the share of the swaps with `|d*| >= |d|`. Where there are no
  more than `n_resamples` different swaps all of them are made, and p is exact.

Both tests are two-sided. Shares are `(count + 1) / (n_resamples + 1)`, so p is never 0 (but for exact ones,
which count the data as they are among the swaps). On few sentences the bootstrap test is too sure of itself;
the randomisation is not.

Sentences of one document are alike, so that a hundred of them tell less than a hundred from anywhere. Where
documents are known, they are drawn and swapped as a whole: `join_clusters` makes one row of each, and all of
the above is done with these.

Samples depend on the seed and the number of sentences only, swaps on the seed and how many sentences differ;
`draws` makes both.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from ..progress import Progress
from ..wording import check_choice
from .draws import import_numpy, make_all_swaps, make_some_swaps, resample
from .intervals import FEW, Interval, are_alike, find_interval, find_unseen

__all__ = ["PairedTest", "confidence_interval", "paired_test"]

Columns = Mapping[str, Sequence[float]]
Sums = Mapping[str, Any]  # of a column, its sum, or an array of its sums in samples
Statistic = Callable[[Sums], Any]  # for sums, and for arrays of them

# The tests of a difference between two systems.
METHODS = ("bootstrap", "randomization")

_SLACK = 1e-10  # relative; differences this close are equal, for sums are rounded


@dataclass(frozen=True)
class PairedTest:
    """What a test of two systems found.

    >>> a, b = {"score": [0.9, 0.8, 1.0]}, {"score": [0.7, 0.7, 0.8]}
    >>> found = paired_test(a, b, lambda sums: sums["score"] / 3, method="randomization")
    >>> round(found.difference, 4), found.p_value, found.exact  # 2 of 2**3 swaps are as far apart
    (0.1667, 0.25, True)

    Attributes:
        difference: The statistic of the first system minus that of the second.
        p_value: The two-sided p-value.
        exact: Whether all possible swaps were made instead of some by chance.
    """

    difference: float
    p_value: float
    exact: bool


# ---- one figure, one pair --------------------------------------------------------------------------


def confidence_interval(
    columns: Columns,
    statistic: Statistic,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 1,
    clusters: Sequence[Hashable] | None = None,
    limits: tuple[float, float | None] | None = None,
) -> Interval:
    """The bootstrap interval of a statistic.

    >>> columns = {"matched": [3, 1, 2, 4], "n_pred": [4, 4, 4, 4], "n_ref": [4, 4, 4, 4]}
    >>> found = confidence_interval(columns, lambda sums: sums["matched"] / sums["n_pred"])
    >>> found.value, found.low < found.value < found.high
    (0.625, True)

    Args:
        columns: A number for each sentence, by the name of the column.
        statistic: A function of the columns' sums.
        level: The share of such intervals that should hold the true value.
        n_resamples: How many samples are drawn.
        seed: The seed of the samples; the same seed gives the same results.
        clusters: The document that each sentence is from, or whatever else makes sentences alike; those with
            equal clusters are drawn together.
        limits: The least value that the statistic can have, and the greatest; without them, the interval of
            units that are all alike has no width.
    """
    columns = join_clusters(columns, clusters)
    bootstrap = Bootstrap([columns], n_resamples=n_resamples, seed=seed)
    return bootstrap.interval(0, statistic, level=level, limits=limits)


def paired_test(
    a: Columns,
    b: Columns,
    statistic: Statistic,
    *,
    method: str = "bootstrap",
    n_resamples: int = 10_000,
    seed: int = 1,
    clusters: Sequence[Hashable] | None = None,
) -> PairedTest:
    """Tests whether two systems differ, given their columns over the same sentences.

    >>> a = {"count": [1] * 6, "score": [0.9, 0.8, 1.0, 0.7, 0.8, 0.9]}
    >>> b = {"count": [1] * 6, "score": [0.7, 0.7, 0.8, 0.6, 0.7, 0.6]}
    >>> found = paired_test(a, b, lambda sums: sums["score"] / sums["count"], method="randomization")
    >>> round(found.difference, 3), found.p_value, found.exact  # 2 of 2**6 swaps are as far apart
    (0.167, 0.03125, True)

    Args:
        a: A number for each sentence of the first system, by the name of the column.
        b: The same of the second system.
        statistic: A function of the columns' sums.
        method: The test, one of `METHODS`.
        n_resamples: How many samples are drawn, or swaps made.
        seed: The seed of the samples; the same seed gives the same results.
        clusters: The document that each sentence is from, or whatever else makes sentences alike; those with
            equal clusters are drawn or swapped together.
    """
    check_choice("method", method, METHODS)
    a, b = join_clusters(a, clusters), join_clusters(b, clusters)
    if method == "bootstrap":
        return Bootstrap([a, b], n_resamples=n_resamples, seed=seed).test(0, 1, statistic)
    return Randomization(a, b, n_resamples=n_resamples, seed=seed).test(statistic)


def join_clusters(columns: Columns, clusters: Sequence[Hashable] | None) -> Columns:
    """The columns' sums over sentences of the same cluster, in the order in which clusters begin.

    >>> join_clusters({"n": [1, 2, 4]}, ["novel", "letter", "novel"])["n"].tolist()
    [5.0, 2.0]

    Columns are left as they are if clusters are not known, None.
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


# ---- many figures from the same samples ------------------------------------------------------------


class Bootstrap:
    """The columns' sums in samples of the sentences, kept for any statistic of any system.

    Args:
        systems: The columns of each system, over the same sentences. Systems that are compared with each
            other need the same names; others may have their own, such as those of another metric.
        n_resamples: How many samples are drawn.
        seed: The seed of the samples; the same seed gives the same results.
        progress: Whether a terminal shows a progress bar when this takes long.
    """

    def __init__(
        self, systems: Sequence[Columns], *, n_resamples: int = 10_000, seed: int = 1, progress: bool = False
    ) -> None:
        np = import_numpy()
        n_resamples = check_count(n_resamples)
        tables = _tables(systems)
        self._data = [_sums(table) for table in tables]
        self._n_rows = len(next(iter(tables[0].values())))
        self._few = tables if 1 < self._n_rows < FEW else []  # one cannot be left out of one
        distinct: dict[bytes, int] = {}  # systems share columns, such as those of the references
        self._places = [
            {name: distinct.setdefault(column.tobytes(), len(distinct)) for name, column in table.items()}
            for table in tables
        ]
        columns = np.frombuffer(b"".join(distinct)).reshape(len(distinct), -1)
        with Progress(n_resamples, "resampling", show=progress) as bar:
            self._samples = resample(columns, n_resamples, np.random.default_rng(seed), bar)

    def interval(
        self,
        system: int,
        statistic: Statistic,
        *,
        level: float = 0.95,
        limits: tuple[float, float | None] | None = None,
    ) -> Interval:
        """The interval of a system's statistic.

        Args:
            system: The place of the system among all.
            statistic: A function of the columns' sums.
            level: The share of such intervals that should hold the true value.
            limits: The least value that the statistic can have, and the greatest, if these are known.
        """
        left_out = self._left_out(system, statistic) if self._few else None
        value, samples = self._values(system, statistic)
        if limits is not None and limits[1] is not None and are_alike(value, samples):
            return find_unseen(value, self._n_rows, (limits[0], limits[1]), level)
        return find_interval(value, samples, left_out, level)

    def difference(self, a: int, b: int, statistic: Statistic, *, level: float = 0.95) -> Interval:
        """The interval of system `a`'s statistic minus system `b`'s."""
        value, samples, _ = self._differences(a, b, statistic)
        left_out = self._left_out(a, statistic) - self._left_out(b, statistic) if self._few else None
        return find_interval(value, samples, left_out, level, paired=True)

    def test(self, a: int, b: int, statistic: Statistic) -> PairedTest:
        """The paired bootstrap test of two systems."""
        value, samples, slack = self._differences(a, b, statistic)
        return PairedTest(value, _share(abs(samples - value) >= abs(value) - slack), exact=False)

    def _values(self, system: int, statistic: Statistic) -> tuple[float, Any]:
        """The value in the data, and the values in the samples."""
        samples = {name: self._samples[place] for name, place in self._places[system].items()}
        return float(statistic(self._data[system])), statistic(samples)

    def _differences(self, a: int, b: int, statistic: Statistic) -> tuple[float, Any, float]:
        """The difference in the data, those in the samples, and how close two of them are equal."""
        _check_names(self._data[a], self._data[b])
        (value_a, samples_a), (value_b, samples_b) = self._values(a, statistic), self._values(b, statistic)
        return value_a - value_b, samples_a - samples_b, _SLACK * (abs(value_a) + abs(value_b))

    def _left_out(self, system: int, statistic: Statistic) -> Any:
        """The statistic without each of the sentences, of which there are few."""
        data = self._data[system]
        return statistic({name: data[name] - column for name, column in self._few[system].items()})


class Randomization:
    """The columns' sums of two systems after swaps of their sentences, kept for any statistic.

    Sentences on which the systems have equal columns are left alone: swapping them changes nothing. Of no
    more than `n_resamples` swaps, all are made.
    """

    def __init__(self, a: Columns, b: Columns, *, n_resamples: int = 10_000, seed: int = 1) -> None:
        np = import_numpy()
        n_resamples = check_count(n_resamples)
        first, second = _tables([a, b])
        _check_names(first, second)
        self._data = _sums(first), _sums(second)
        changes = np.stack([second[name] - column for name, column in first.items()])
        changes = changes[:, changes.any(axis=0)]
        self.exact = changes.shape[1] < n_resamples.bit_length()  # 2 ** sentences <= n_resamples
        found = make_all_swaps(changes) if self.exact else make_some_swaps(changes, n_resamples, seed)
        gained = dict(zip(first, found, strict=True))
        self._swapped = (
            {name: total + gained[name] for name, total in self._data[0].items()},
            {name: total - gained[name] for name, total in self._data[1].items()},
        )

    def test(self, statistic: Statistic) -> PairedTest:
        """The test of one statistic."""
        value_a, value_b = (float(statistic(sums)) for sums in self._data)
        swapped_a, swapped_b = (statistic(sums) for sums in self._swapped)
        value = value_a - value_b
        slack = _SLACK * (abs(value_a) + abs(value_b))
        as_far = abs(swapped_a - swapped_b) >= abs(value) - slack
        return PairedTest(value, float(as_far.mean()) if self.exact else _share(as_far), self.exact)


def _share(counted: Any) -> float:
    """The p-value by the samples or swaps that count against a difference."""
    return (int(counted.sum()) + 1) / (len(counted) + 1)


# ---- checks ----------------------------------------------------------------------------------------


def check_count(n_resamples: int) -> int:
    """The number of samples as a plain int; refuses what is none."""
    if index(n_resamples) < 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples}")
    return index(n_resamples)


def _check_names(a: Iterable[str], b: Iterable[str]) -> None:
    if set(a) != set(b):
        raise ValueError(f"systems need the same columns, not {sorted(a)} and {sorted(b)}")


def _tables(systems: Sequence[Columns]) -> list[dict[str, Any]]:
    """The columns of each system as arrays."""
    np = import_numpy()
    if not systems or not all(systems):
        raise ValueError("there are no columns to resample")
    sizes = {len(column) for columns in systems for column in columns.values()}
    if len(sizes) != 1:
        raise ValueError(f"columns need as many sentences as one another, not {sorted(sizes)}")
    if sizes == {0}:
        raise ValueError("there are no sentences to resample")
    tables = [
        {name: np.asarray(column, dtype=float) for name, column in columns.items()} for columns in systems
    ]
    if not all(np.isfinite(column).all() for table in tables for column in table.values()):
        raise ValueError("columns must hold finite numbers only")
    return tables


def _sums(table: Mapping[str, Any]) -> Sums:
    """The sums of the columns as they are."""
    np = import_numpy()
    return dict(zip(table, np.stack(list(table.values()), axis=1).sum(axis=0), strict=True))
