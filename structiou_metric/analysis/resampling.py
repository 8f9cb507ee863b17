"""How sure a score is, and a difference between systems: intervals and paired tests over sentences.

Everything starts from columns with a number for each sentence, such as those of `Tallies` or of a
`ParsevalScore`. A statistic is a function of the columns' sums, so a sample of the sentences costs one
row of a matrix product, and nothing is scored again. What is computed:

- **Bootstrap**: as many sentences as there are, drawn with replacement, `n_resamples` times. All systems
  and statistics share the samples. An **interval** reaches from the `(1 - level) / 2` quantile of the
  samples' values to that as far from the top (the percentile interval).
- **Paired bootstrap test**: with `d` the difference of the systems and `d*` that in a sample,
  p is the share of the samples with `|d* - d| >= |d|`.
- **Approximate randomisation**: each sentence's rows are swapped between the systems or not, by a coin;
  with `d*` the difference after that, p is the share of the swaps with `|d*| >= |d|`. Where there are no
  more than `n_resamples` different swaps all of them are made, and p is exact.

Both tests are two-sided. Shares are `(count + 1) / (n_resamples + 1)`, so p is never 0 (but for exact ones,
which count the data as they are among the swaps). On few sentences the bootstrap is too sure of itself;
the randomisation is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any

from ..optional import need
from ..progress import Progress
from ..wording import check_choice

if TYPE_CHECKING:
    from ..metrics.struct_iou.result import Tallies

Columns = Mapping[str, Sequence[float]]
Sums = Mapping[str, Any]  # arrays of a column's sums, one for each sample
Statistic = Callable[[Sums], Any]

METHODS = ("bootstrap", "randomization")

_CELLS = 1 << 17  # of the matrix of samples that are made at once; this much stays in the cache
_SLACK = 1e-10  # relative; differences this close are equal, for sums are rounded


@dataclass(frozen=True)
class Interval:
    """A value and the bounds of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PairedTest:
    """What a test of two systems found.

    Attributes:
        difference: Statistic of the first system minus that of the second.
        p_value: Two-sided.
        exact: Whether all possible swaps were made instead of some by chance.
    """

    difference: float
    p_value: float
    exact: bool


# ---- statistics ------------------------------------------------------------------------------------


def sentence_mean(sums: Sums) -> Any:
    """The mean of the column `score`; the column `count` holds ones."""
    return sums["score"] / sums["count"]


def corpus_level(sums: Sums) -> Any:
    """`2 · matched / (n_pred + n_ref)`; 1 where neither side has nodes, as in all of STRUCT-IoU."""
    return _ratio(2.0 * sums["matched"], sums["n_pred"] + sums["n_ref"], 1.0)


def precision(sums: Sums) -> Any:
    """`matched / n_pred`."""
    return _ratio(sums["matched"], sums["n_pred"], sums["n_ref"] == 0)


def recall(sums: Sums) -> Any:
    """`matched / n_ref`."""
    return _ratio(sums["matched"], sums["n_ref"], sums["n_pred"] == 0)


def bracket_f1(sums: Sums) -> Any:
    """`2 · matched / (n_pred + n_ref)`; 0 where neither side has brackets, as in all of ParsEval."""
    return _ratio(2.0 * sums["matched"], sums["n_pred"] + sums["n_ref"], 0.0)


def bracket_precision(sums: Sums) -> Any:
    """`matched / n_pred`."""
    return _ratio(sums["matched"], sums["n_pred"], 0.0)


def bracket_recall(sums: Sums) -> Any:
    """`matched / n_ref`."""
    return _ratio(sums["matched"], sums["n_ref"], 0.0)


STATISTICS: dict[str, Statistic] = {
    "sentence": sentence_mean,
    "corpus": corpus_level,
    "precision": precision,
    "recall": recall,
    "bracket_f1": bracket_f1,
    "bracket_precision": bracket_precision,
    "bracket_recall": bracket_recall,
}


def _ratio(part: Any, whole: Any, empty: Any) -> Any:
    """`part / whole`, and `empty` where there is no whole."""
    np = _numpy()
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), empty)


def tally_columns(tallies: Tallies, picked: Sequence[int] | None = None) -> dict[str, Any]:
    """The columns of a `CorpusScore.sentences`, for every statistic here.

    Args:
        tallies: A row for each scored pair.
        picked: Which of them, by their place; by default all.
    """
    np = _numpy()
    columns = {
        "count": np.ones(len(tallies)),
        "score": np.array(tallies.scores(), dtype=float),
        **{name: np.array(getattr(tallies, name), dtype=float) for name in ("matched", "n_pred", "n_ref")},
    }
    return columns if picked is None else {name: column[picked] for name, column in columns.items()}


# ---- one figure, one pair --------------------------------------------------------------------------


def confidence_interval(
    columns: Columns,
    statistic: str | Statistic,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 1,
) -> Interval:
    """The bootstrap interval of a statistic.

    >>> columns = {"matched": [3, 1, 2, 4], "n_pred": [4, 4, 4, 4], "n_ref": [4, 4, 4, 4]}
    >>> found = confidence_interval(columns, "precision")
    >>> found.value, found.low < found.value < found.high
    (0.625, True)

    Args:
        columns: A number for each sentence, by the names that the statistic asks for.
        statistic: A name in `STATISTICS`, or a function of the columns' sums.
        level: Share of such intervals that should hold the true value.
        n_resamples: Samples of the sentences.
        seed: Of the samples; the same seed gives the same interval.
    """
    return Bootstrap([columns], n_resamples=n_resamples, seed=seed).interval(0, statistic, level=level)


def paired_test(
    a: Columns,
    b: Columns,
    statistic: str | Statistic,
    *,
    method: str = "bootstrap",
    n_resamples: int = 10_000,
    seed: int = 1,
) -> PairedTest:
    """Tests whether two systems differ, given their columns over the same sentences.

    >>> a = {"count": [1] * 6, "score": [0.9, 0.8, 1.0, 0.7, 0.8, 0.9]}
    >>> b = {"count": [1] * 6, "score": [0.7, 0.7, 0.8, 0.6, 0.7, 0.6]}
    >>> found = paired_test(a, b, "sentence", method="randomization")
    >>> round(found.difference, 3), found.p_value, found.exact  # 2 of 2**6 swaps are as far apart
    (0.167, 0.03125, True)

    Args:
        a: Columns of the first system.
        b: Columns of the second.
        statistic: As in `confidence_interval`.
        method: `bootstrap` or `randomization`.
        n_resamples: Samples of the sentences, or swaps.
        seed: Of the samples or swaps.
    """
    check_choice("method", method, METHODS)
    if method == "bootstrap":
        return Bootstrap([a, b], n_resamples=n_resamples, seed=seed).test(0, 1, statistic)
    return Randomization(a, b, n_resamples=n_resamples, seed=seed).test(statistic)


# ---- many figures from the same samples ------------------------------------------------------------


class Bootstrap:
    """The columns' sums in samples of the sentences, kept for any statistic of any system.

    Args:
        systems: The columns of each system, with the same names over the same sentences.
        n_resamples: How many samples.
        seed: Of the samples.
        progress: Whether a terminal shows a progress bar when this takes long.
    """

    def __init__(
        self, systems: Sequence[Columns], *, n_resamples: int = 10_000, seed: int = 1, progress: bool = False
    ) -> None:
        np = _numpy()
        n_resamples = check_count(n_resamples)
        self._names, matrices = _matrices(systems)
        matrix = np.asfortranarray(np.concatenate(matrices, axis=1))
        n_rows = len(matrix)
        rng = np.random.default_rng(seed)
        sums = np.empty((n_resamples, matrix.shape[1]))
        step = max(1, _CELLS // n_rows)
        with Progress(n_resamples, "resampling", show=progress) as bar:
            for lo in range(0, n_resamples, step):
                block = min(step, n_resamples - lo)
                drawn = rng.integers(0, n_rows, size=(block, n_rows))
                drawn += np.arange(0, block * n_rows, n_rows)[:, None]  # so that one count does for all
                times = np.bincount(drawn.ravel(), minlength=block * n_rows).reshape(block, n_rows)
                _multiply(times, matrix, sums[lo : lo + block])
                bar.add(block)
        width = len(self._names)
        self._samples = [sums[:, k : k + width] for k in range(0, sums.shape[1], width)]
        self._data = [np.sum(part, axis=0) for part in matrices]

    def interval(self, system: int, statistic: str | Statistic, *, level: float = 0.95) -> Interval:
        """The interval of a system's statistic."""
        measure = _statistic(statistic)
        return self._interval(*self._values(system, measure), level)

    def difference(self, a: int, b: int, statistic: str | Statistic, *, level: float = 0.95) -> Interval:
        """The interval of system `a`'s statistic minus system `b`'s."""
        return self._interval(*self._differences(a, b, statistic)[:2], level)

    def test(self, a: int, b: int, statistic: str | Statistic) -> PairedTest:
        """The paired bootstrap test of two systems."""
        value, samples, slack = self._differences(a, b, statistic)
        return PairedTest(value, _share(abs(samples - value) >= abs(value) - slack), exact=False)

    def _values(self, system: int, measure: Statistic) -> tuple[float, Any]:
        data = float(measure(_by_name(self._names, self._data[system])))
        return data, measure(_by_name(self._names, self._samples[system]))

    def _differences(self, a: int, b: int, statistic: str | Statistic) -> tuple[float, Any, float]:
        """In the data, in the samples, and how close two of them are equal."""
        measure = _statistic(statistic)
        (value_a, samples_a), (value_b, samples_b) = self._values(a, measure), self._values(b, measure)
        return value_a - value_b, samples_a - samples_b, _SLACK * (abs(value_a) + abs(value_b))

    def _interval(self, value: float, samples: Any, level: float) -> Interval:
        check_level(level)
        tail = (1.0 - level) / 2.0
        low, high = _numpy().quantile(samples, (tail, 1.0 - tail))
        return Interval(value, float(low), float(high))


class Randomization:
    """The columns' sums of two systems after swaps of their sentences, kept for any statistic.

    Sentences on which the systems have equal columns are left alone: swapping them changes nothing.

    Args:
        a: Columns of the first system.
        b: Columns of the second, with the same names over the same sentences.
        n_resamples: How many swaps; all, if there are no more.
        seed: Of the swaps.
    """

    def __init__(self, a: Columns, b: Columns, *, n_resamples: int = 10_000, seed: int = 1) -> None:
        np = _numpy()
        n_resamples = check_count(n_resamples)
        self._names, (first, second) = _matrices([a, b])
        self._data = np.sum(first, axis=0), np.sum(second, axis=0)
        change = np.asfortranarray((second - first)[np.any(first != second, axis=1)])
        self.exact = len(change) < n_resamples.bit_length()  # 2 ** len(change) <= n_resamples
        gained = _all_swaps(change) if self.exact else _some_swaps(change, n_resamples, seed)
        self._swapped = self._data[0] + gained, self._data[1] - gained

    def test(self, statistic: str | Statistic) -> PairedTest:
        """The test of one statistic."""
        measure = _statistic(statistic)
        value_a, value_b = (float(measure(_by_name(self._names, sums))) for sums in self._data)
        swapped_a, swapped_b = (measure(_by_name(self._names, sums)) for sums in self._swapped)
        value = value_a - value_b
        slack = _SLACK * (abs(value_a) + abs(value_b))
        as_far = abs(swapped_a - swapped_b) >= abs(value) - slack
        return PairedTest(value, float(as_far.mean()) if self.exact else _share(as_far), self.exact)


def _some_swaps(change: Any, n_resamples: int, seed: int) -> Any:
    """What the first system's sums gain by random swaps."""
    np = _numpy()
    rng = np.random.default_rng(seed)
    n_rows = len(change)
    n_bytes = -(-n_rows // 32) * 4  # whole words, so that the coins do not depend on the blocks
    gained = np.empty((n_resamples, change.shape[1]))
    step = max(1, _CELLS // n_rows)
    for lo in range(0, n_resamples, step):
        block = min(step, n_resamples - lo)
        coins = np.frombuffer(rng.bytes(block * n_bytes), dtype=np.uint8).reshape(block, n_bytes)
        _multiply(np.unpackbits(coins, axis=1, count=n_rows), change, gained[lo : lo + block])
    return gained


def _multiply(times: Any, matrix: Any, sums: Any) -> None:
    """`sums = times @ matrix`, a column at a time.

    The libraries below numpy share a product of two matrices out among threads, which wait for each
    other longer than they work where the machine has other things to do.
    """
    weights = times.astype(float)
    for k in range(matrix.shape[1]):
        sums[:, k] = weights @ matrix[:, k]


def _all_swaps(change: Any) -> Any:
    """What the first system's sums gain by every possible swap, none first."""
    np = _numpy()
    gained = np.zeros((1, change.shape[1]))
    for row in change:
        gained = np.concatenate((gained, gained + row))
    return gained


def _share(counted: Any) -> float:
    """The p-value by the samples or swaps that count against a difference."""
    return (int(counted.sum()) + 1) / (len(counted) + 1)


# ---- checks ----------------------------------------------------------------------------------------


def _numpy() -> Any:
    return need("numpy", "compare", "a significance test")


def _statistic(statistic: str | Statistic) -> Statistic:
    if callable(statistic):
        return statistic
    check_choice("statistic", statistic, STATISTICS)
    return STATISTICS[statistic]


def check_count(n_resamples: int) -> int:
    """The number of samples as a plain int; refuses what is none."""
    if index(n_resamples) < 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples}")
    return index(n_resamples)


def check_level(level: float) -> None:
    """Refuses a level that no interval has."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")


def _by_name(names: Sequence[str], sums: Any) -> Sums:
    return {name: sums[..., k] for k, name in enumerate(names)}


def _matrices(systems: Sequence[Columns]) -> tuple[list[str], list[Any]]:
    """The columns' names, and a matrix with a row for each sentence of each system."""
    np = _numpy()
    if not systems or not systems[0]:
        raise ValueError("there are no columns to resample")
    names = list(systems[0])
    sizes = {len(column) for columns in systems for column in columns.values()}
    for columns in systems:
        if set(columns) != set(names):
            raise ValueError(f"systems need the same columns, not {sorted(names)} and {sorted(columns)}")
    if len(sizes) != 1:
        raise ValueError(f"columns need as many sentences as one another, not {sorted(sizes)}")
    if sizes == {0}:
        raise ValueError("there are no sentences to resample")
    matrices = [
        np.stack([np.asarray(columns[name], dtype=float) for name in names], axis=1) for columns in systems
    ]
    if not all(np.isfinite(matrix).all() for matrix in matrices):
        raise ValueError("columns must hold finite numbers only")
    return names, matrices
