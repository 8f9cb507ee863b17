"""Tests of whether two systems differ: approximate randomisation, and corrections for many tests.

Each row's two parses are swapped between the systems or not, by a coin; with `d` the difference of the
systems and `d*` that after the swaps, p is the share of the swaps with `|d*| >= |d|` (Noreen 1989, Yeh
2000). Where there are no more than `n_resamples` different swaps, all of them are made and p is exact;
otherwise the share is `(count + 1) / (n_resamples + 1)`, which is never 0. The test is two-sided.

This is the one test of the project: `compare`, the leaderboard and its pages decide by it, corrected by
Holm's method wherever several tests are made together. Rows of one document are alike; where documents are
known, they are swapped as a whole (`columns.join_clusters`).

Swaps depend on the seed and the number of rows on which the systems differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .columns import (
    SLACK,
    Columns,
    Statistic,
    as_tables,
    check_count,
    check_same_names,
    import_numpy,
    join_clusters,
)

__all__ = ["PairedTest", "paired_test"]

_CELLS = 1 << 17  # of the matrix of coins that is made at once; this much stays in the processor's cache
_LIMIT = 1 << 13  # rows; of more, the coins are multiplied tile by tile
_TILE = 1 << 11  # rows whose coins are turned into numbers at once; a multiple of 8


@dataclass(frozen=True)
class PairedTest:
    """The result of a test of two systems.

    >>> a, b = {"score": [0.9, 0.8, 1.0]}, {"score": [0.7, 0.7, 0.8]}
    >>> found = paired_test(a, b, lambda sums: sums["score"] / 3)
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


def paired_test(
    a: Columns,
    b: Columns,
    statistic: Statistic,
    *,
    n_resamples: int = 10_000,
    seed: int = 1,
    clusters: Sequence[Hashable] | None = None,
) -> PairedTest:
    """Test whether two systems differ, given their columns over the same sentences.

    >>> a = {"count": [1] * 6, "score": [0.9, 0.8, 1.0, 0.7, 0.8, 0.9]}
    >>> b = {"count": [1] * 6, "score": [0.7, 0.7, 0.8, 0.6, 0.7, 0.6]}
    >>> found = paired_test(a, b, lambda sums: sums["score"] / sums["count"])
    >>> round(found.difference, 3), found.p_value, found.exact  # 2 of 2**6 swaps are as far apart
    (0.167, 0.03125, True)

    Args:
        a: A number for each sentence of the first system, by the name of the column.
        b: The same of the second system.
        statistic: A function of the columns' sums.
        n_resamples: The number of swaps.
        seed: The seed of the swaps; the same seed gives the same results.
        clusters: The document of each sentence, or anything else that makes sentences alike; those with
            equal clusters are swapped together.
    """
    a, b = join_clusters(a, clusters), join_clusters(b, clusters)
    return Randomization(a, b, n_resamples=n_resamples, seed=seed).test(statistic)


class Randomization:
    """The columns' sums of two systems after swaps of their rows, kept for any statistic.

    Rows on which the systems have equal columns are left alone: swapping them changes nothing.
    """

    def __init__(self, a: Columns, b: Columns, *, n_resamples: int = 10_000, seed: int = 1) -> None:
        np = import_numpy()
        n_resamples = check_count(n_resamples)
        first, second = as_tables([a, b])
        check_same_names(first, second)
        self._data = _sums(first), _sums(second)
        changes = np.stack([second[name] - column for name, column in first.items()])
        changes = changes[:, changes.any(axis=0)]
        self.exact = changes.shape[1] < n_resamples.bit_length()  # 2 ** rows <= n_resamples
        found = _make_all_swaps(changes) if self.exact else _make_some_swaps(changes, n_resamples, seed)
        gained = dict(zip(first, found, strict=True))
        self._swapped = (
            {name: total + gained[name] for name, total in self._data[0].items()},
            {name: total - gained[name] for name, total in self._data[1].items()},
        )

    def test(self, statistic: Statistic) -> PairedTest:
        """Return the test of one statistic."""
        value_a, value_b = (float(statistic(sums)) for sums in self._data)
        swapped_a, swapped_b = (statistic(sums) for sums in self._swapped)
        value = value_a - value_b
        slack = SLACK * (abs(value_a) + abs(value_b))
        as_far = abs(swapped_a - swapped_b) >= abs(value) - slack
        p_value = as_far.mean() if self.exact else (int(as_far.sum()) + 1) / (len(as_far) + 1)
        return PairedTest(value, float(p_value), self.exact)


def _sums(table: Any) -> dict[str, Any]:
    """Return the sums of the columns in the data."""
    np = import_numpy()
    return dict(zip(table, np.stack(list(table.values()), axis=1).sum(axis=0), strict=True))


def _make_all_swaps(changes: Any) -> Any:
    """Return the change of each of the first system's sums by every possible swap, the empty swap first."""
    np = import_numpy()
    gained = np.zeros((len(changes), 1))
    for change in changes.T:
        gained = np.concatenate((gained, gained + change[:, None]), axis=1)
    return gained


def _make_some_swaps(changes: Any, n_resamples: int, seed: int) -> Any:
    """Return the change of each of the first system's sums by random swaps."""
    np = import_numpy()
    rng = np.random.default_rng(seed)
    n_rows = changes.shape[1]
    n_bytes = -(-n_rows // 32) * 4  # whole words, so that the coins do not depend on the blocks
    moved = changes.any(axis=1)  # the references' columns do not change
    gained = np.zeros((len(changes), n_resamples))
    changes = changes[moved]
    width = n_rows if n_rows <= _LIMIT else _TILE
    step = min(n_resamples, max(1, _CELLS // width))
    room = np.empty(step * width)
    for lo in range(0, n_resamples, step):
        block = min(step, n_resamples - lo)
        coins = np.frombuffer(rng.bytes(block * n_bytes), dtype=np.uint8).reshape(block, n_bytes)
        for first in range(0, n_rows, width):
            last = min(first + width, n_rows)
            weights = room[: block * (last - first)].reshape(block, last - first)
            weights[:] = np.unpackbits(coins[:, first // 8 : -(-last // 8)], axis=1, count=last - first)
            gained[moved, lo : lo + block] += np.stack([weights @ own for own in changes[:, first:last]])
    return gained


# ---- many tests at once ----------------------------------------------------------------------------


def holm(p_values: Iterable[float]) -> list[float]:
    """Return the p-values corrected for their number by Holm's method, in the same order.

    The smallest of n is multiplied by n, the next by n - 1, and so on; none is below one before it or
    above 1. Of all pairs found to differ at 0.05, the chance that any does not is then at most 0.05.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = list(p_values)
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, i in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, values[i] * (len(values) - rank)))
        corrected[i] = highest
    return corrected


def group_letters(n_systems: int, different: Iterable[tuple[int, int]]) -> list[str]:
    """Return letters for systems, numbered from the best: those that share one are no pair that is different.

    >>> group_letters(3, [(0, 2)])  # the one in the middle differs from neither
    ['a', 'ab', 'b']
    """
    groups = [frozenset(range(n_systems))]
    for pair in different:
        split: list[frozenset[int]] = []
        for group in groups:
            split += [group - {system} for system in pair] if group.issuperset(pair) else [group]
        unique = set(split)
        groups = [group for group in unique if not any(group < other for other in unique)]
    groups.sort(key=sorted)
    letters = [chr(ord("a") + k) if k < 26 else f"({k + 1})" for k in range(len(groups))]
    return [
        "".join(letter for letter, group in zip(letters, groups, strict=True) if i in group)
        for i in range(n_systems)
    ]
