"""Times of leaves, from an edit path: the part of a word that each leaf gets.

A timed word belongs to the leaves that have a character aligned with one of its own. A single one has
all of it. Several cut it in proportion to its characters; characters between two leaves that belong to
neither are halved. So a leaf starts where its part of its first word starts and ends where its part of
its last word ends, silences between its words included.

A word that the transcript does not know (`<unk>`) has no characters. It belongs to a leaf without a word
that is where it is; several such leaves and words are paired in their order,
as far as possible, so that long leaves get long words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from ...trees.surgery import without_words
from ...trees.tree import SegmentTree
from ..words import TimedWord
from .edits import Path, Text
from .report import LeafTime


class Placed(NamedTuple):
    """The place of a leaf in time and among the words."""

    start: float  # in seconds
    end: float
    first: int  # of the words that it is aligned with
    last: int  # less than `first` if there are none
    shared: bool  # whether one of them is another leaf's, too
    n_matched: int  # of its characters


def place_leaves(
    leaves: Text, words: Text, times: Sequence[TimedWord], path: Path, owners: Sequence[int]
) -> list[Placed]:
    """Return the time of each leaf, in order and without overlaps; `owners` are the trees of the leaves."""
    placed = _aligned_leaves(leaves, words, times, path)
    lengths = [last - first for first, last in pairwise(words.starts)]
    known = (word.end - word.start for word, length in zip(times, lengths, strict=True) if length)
    pace = sum(known) / max(len(words), 1)  # seconds a character
    if 0 in lengths:
        for run in _missing(placed):
            _take_unknown(placed, run, leaves, lengths, times, pace)
    for run in _missing(placed):
        _fill(placed, run.start, run.stop, leaves, owners, pace)
    return [place for place in placed if place is not None]


def _missing(placed: Sequence[Placed | None]) -> list[range]:
    """Return the runs of leaves without a place."""
    runs = groupby(range(len(placed)), key=lambda leaf: placed[leaf] is None)
    numbers = [list(run) for missing, run in runs if missing]
    return [range(run[0], run[-1] + 1) for run in numbers]


def _take_unknown(
    placed: list[Placed | None],
    run: range,
    leaves: Text,
    lengths: Sequence[int],
    times: Sequence[TimedWord],
    pace: float,
) -> None:
    """Give leaves of a run the unknown words between those of their neighbours."""
    previous = placed[run.start - 1] if run.start else None
    following = placed[run.stop] if run.stop < len(placed) else None
    first, last = previous.last + 1 if previous else 0, following.first if following else len(lengths)
    unknown = [word for word in range(first, last) if not lengths[word]]
    if not unknown:
        return
    expected = [pace * (leaves.starts[leaf + 1] - leaves.starts[leaf]) for leaf in run]
    durations = [times[word].end - times[word].start for word in unknown]
    for i, j in _pairs(expected, durations):
        word = unknown[j]
        placed[run[i]] = Placed(times[word].start, times[word].end, word, word, False, 0)


def _pairs(ones: Sequence[float], others: Sequence[float]) -> list[tuple[int, int]]:
    """Return the most pairs of places in order, one of each list, with the least sum of differences."""
    if len(ones) > len(others):
        return [(i, j) for j, i in _pairs(others, ones)]
    # The best sums for the first of `ones`, all of them paired, and the first of `others`.
    best = [[0.0] * (len(others) + 1)]
    for i, one in enumerate(ones, 1):
        row = [float("inf")] * (len(others) + 1)
        for j in range(i, len(others) + 1):
            row[j] = min(row[j - 1], best[i - 1][j - 1] + abs(one - others[j - 1]))
        best.append(row)
    found = []
    i, j = len(ones), len(others)
    while i:
        if best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            found.append((i, j))
    return found[::-1]


def _aligned_leaves(leaves: Text, words: Text, times: Sequence[TimedWord], path: Path) -> list[Placed | None]:
    """Return the places of leaves that are aligned with a word."""
    placed: list[Placed | None] = []
    before = -1  # the last leaf that is aligned
    character = -1  # the last character that it is aligned with
    for leaf, (lo, hi) in enumerate(pairwise(leaves.starts)):
        pairs = [(i, j) for i, j in enumerate(path.partner[lo:hi], lo) if j >= 0]
        if not pairs:
            placed.append(None)
            continue
        first, last = words.owner[pairs[0][1]], words.owner[pairs[-1][1]]
        start, shared = times[first].start, False
        previous = placed[before] if before >= 0 else None
        if previous is not None and previous.last == first:
            start, shared = _cut(words, first, times[first], (character + 1 + pairs[0][1]) / 2), True
            placed[before] = previous._replace(end=start, shared=True)
        n_matched = sum(leaves.characters[i] == words.characters[j] for i, j in pairs)
        placed.append(Placed(start, times[last].end, first, last, shared, n_matched))
        before, character = leaf, pairs[-1][1]
    return placed


def _cut(words: Text, word: int, time: TimedWord, place: float) -> float:
    """Return the time at a place between characters of a word."""
    first, last = words.starts[word], words.starts[word + 1]
    return min(time.start + (time.end - time.start) * ((place - first) / (last - first)), time.end)


def _fill(
    placed: list[Placed | None], first: int, last: int, leaves: Text, owners: Sequence[int], pace: float
) -> None:
    """Place leaves `first … last`, which no word is aligned with, between their neighbours.

    They share the time there by their characters, at most at the pace of the whole transcript. The
    rest of the time stays where a tree ends, or on both sides. At the start or end of the transcript, where
    the available time is unknown, they have zero length.
    """
    previous = placed[first - 1] if first else None
    following = placed[last] if last < len(placed) else None
    left = previous.end if previous else following.start if following else 0.0
    right = following.start if following else left
    base, n_characters = leaves.starts[first], leaves.starts[last] - leaves.starts[first]
    length = min(right - left, pace * n_characters)
    slack = right - left - length
    ends = [n for n in range(max(first, 1), min(last, len(placed) - 1) + 1) if owners[n - 1] != owners[n]]
    for leaf in range(first, last):
        shift = slack / 2 if not ends else slack if leaf >= ends[0] else 0.0
        start, end = (
            min(left + shift + length * ((leaves.starts[n] - base) / n_characters), right)
            for n in (leaf, leaf + 1)
        )
        placed[leaf] = Placed(start, end, 0, -1, False, 0)


def timed_tree(tree: SegmentTree, leaves: Sequence[LeafTime]) -> SegmentTree:
    """Return the tree over seconds, without the leaves that have no times and the nodes that they empty."""
    times = [(leaf.start, leaf.end) for leaf in leaves if leaf.start is not None and leaf.end is not None]
    silent = {number for number, leaf in enumerate(leaves) if leaf.start is None}
    return (without_words(tree, silent) if silent else tree).with_times(times)
