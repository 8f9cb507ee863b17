"""Samples of sentences and swaps between systems, as the sums of columns in them.

Samples depend on the seed and the number of sentences only, swaps on the seed and how many sentences differ.
Up to `_LIMIT` sentences, 8,192, the rows of a sample are drawn one after the other from all. Of more, it is
drawn first how many rows of a sample fall into each chunk of 256, and then which: as likely as before, but
other samples for a seed. What is at hand fits in the processor's cache that way, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..optional import need
from ..progress import Progress

_CELLS = 1 << 17  # of the matrix of samples that are made at once; this much stays in the cache
_LIMIT = 1 << 13  # sentences; samples of more are drawn chunk by chunk
_CHUNK = 1 << 8  # sentences: as many as a byte has values, so that each random byte is a draw
_GROUP = 1 << 8  # samples that are drawn from a chunk at once
_TILE = 1 << 11  # sentences of which many coins are turned into numbers at once; a multiple of 8


def resample(columns: Any, n_resamples: int, rng: Any, bar: Progress) -> Any:
    """The sum of each column in each sample."""
    np = import_numpy()
    n_rows = columns.shape[1]
    sums = np.repeat(n_rows * columns[:, :1], n_resamples, axis=1)
    # That is all for columns of one whole number, such as counts of 1.
    moved = (columns != columns[:, :1]).any(axis=1) | (columns[:, 0] % 1.0 != 0.0)
    if not moved.any():
        return sums
    draw = _draw_from_all if n_rows <= _LIMIT else _draw_by_chunks
    for lo, found in draw(columns[moved], n_resamples, rng):
        sums[moved, lo : lo + found.shape[1]] = found
        bar.add(found.shape[1])
    return sums


def _draw_from_all(columns: Any, n_resamples: int, rng: Any) -> Iterator[tuple[int, Any]]:
    """The number of the first sample of a block, and the sums in that and the following ones."""
    np = import_numpy()
    n_rows = columns.shape[1]
    step = min(n_resamples, max(1, _CELLS // n_rows))
    room = np.empty((step, n_rows))
    for lo in range(0, n_resamples, step):
        block = min(step, n_resamples - lo)
        drawn = rng.integers(0, n_rows, size=(block, n_rows))
        drawn += np.arange(0, block * n_rows, n_rows)[:, None]  # so that one count does for all
        weights = room[:block]
        weights[:] = np.bincount(drawn.ravel(), minlength=block * n_rows).reshape(block, n_rows)
        yield lo, _multiply(weights, columns)


def _draw_by_chunks(columns: Any, n_resamples: int, rng: Any) -> Iterator[tuple[int, Any]]:
    """The same as `_draw_from_all` for many rows.

    Big arrays are made once and used again: asking the system for memory would take longer than the work.
    """
    np = import_numpy()
    n_rows = columns.shape[1]
    edges = [*range(0, n_rows, _CHUNK), n_rows]
    shares = np.diff(edges) / n_rows
    room = np.zeros(_GROUP * _CHUNK)
    for lo in range(0, n_resamples, _GROUP):
        block = min(_GROUP, n_resamples - lo)
        numbers = rng.multinomial(n_rows, shares, size=block).T.copy()  # draws from each chunk
        places = np.empty(numbers.sum(axis=1).max(), dtype=np.intp)
        found = np.zeros((_GROUP, len(columns)))
        for (first, last), draws in zip(pairwise(edges), numbers, strict=True):
            weights = room[: _GROUP * (last - first)].reshape(_GROUP, last - first)
            weights[:block] = _count(rng, draws, last - first, places)
            found += _multiply_at_once(weights, columns[:, first:last])
        yield lo, found[:block].T


def _count(rng: Any, draws: Any, n_rows: int, places: Any) -> Any:
    """How often each row of a chunk is in each sample, by the sample's number of draws from it."""
    np = import_numpy()
    n_draws = int(draws.sum())
    if n_rows == _CHUNK:
        words = rng.bit_generator.random_raw(-(-n_draws // 8))
        drawn = words.astype("<u8", copy=False).view(np.uint8)[:n_draws]
    else:
        drawn = rng.integers(n_rows, size=n_draws, dtype=np.uint8)
    places = places[:n_draws]
    places[:] = drawn
    places += np.repeat(np.arange(0, len(draws) * n_rows, n_rows), draws)
    return np.bincount(places, minlength=len(draws) * n_rows).reshape(-1, n_rows)


def make_all_swaps(changes: Any) -> Any:
    """What each of the first system's sums gains by every possible swap, none first."""
    np = import_numpy()
    gained = np.zeros((len(changes), 1))
    for change in changes.T:
        gained = np.concatenate((gained, gained + change[:, None]), axis=1)
    return gained


def make_some_swaps(changes: Any, n_resamples: int, seed: int) -> Any:
    """What each of the first system's sums gains by random swaps."""
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
            gained[moved, lo : lo + block] += _multiply(weights, changes[:, first:last])
    return gained


# The libraries below numpy share a big product out among threads, which wait for each other longer than they
# work where the machine has other things to do. OpenBLAS does so above 2 ** 18 multiplications of matrices,
# and above 460,800 by a vector (9,216 before numpy 2), of which there are `_CELLS` here.


def _multiply(weights: Any, columns: Any) -> Any:
    """The product `columns @ weights.T`, a column at a time."""
    return import_numpy().stack([weights @ column for column in columns])


def _multiply_at_once(weights: Any, columns: Any) -> Any:
    """The product `weights @ columns.T`, in pieces; it takes less time for many columns."""
    n_samples, n_rows = weights.shape
    piece = n_samples
    while piece > 1 and piece * n_rows * len(columns) > 1 << 18:
        piece //= 2
    product = import_numpy().matmul(weights.reshape(-1, piece, n_rows), columns.T)
    return product.reshape(n_samples, len(columns))


def import_numpy() -> Any:
    """Numpy, or an error that says how to get it."""
    return need("numpy", "compare", "a significance test")
