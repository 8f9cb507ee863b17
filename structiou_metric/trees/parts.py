"""The flat arrays of a tree, on which readers and writers of all shapes stand, and how they are collected."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from .._core.scan import UNITS, Scanner
from ..errors import TreeFormatError
from ..wording import check_choice
from .characters import widths_for


class Parts:
    """What a tree is made of: `SegmentTree` says what the arrays mean, and is one of these itself."""

    __slots__ = ("firsts", "labels", "lasts", "sizes", "times", "unit", "words")

    def __init__(
        self,
        labels: tuple[str, ...],
        sizes: array[int],
        firsts: array[int],
        lasts: array[int],
        words: tuple[str, ...],
        times: tuple[tuple[float, float], ...] | None,
        unit: str,
    ) -> None:
        """Takes arrays that fit together; only the unit is checked."""
        self.labels = labels
        self.sizes = sizes
        self.firsts = firsts
        self.lasts = lasts
        self.words = words
        self.times = times or None
        self.unit = check_unit(unit)
        if unit == "time":
            self._need_times()

    def values(self) -> tuple[Any, ...]:
        """The values that it is made of, in the order in which they were given."""
        return self.labels, self.sizes, self.firsts, self.lasts, self.words, self.times, self.unit

    def _need_times(self) -> None:
        if self.times is None and self.words:
            raise TreeFormatError("this tree has no times; add them with SegmentTree.with_times(word_times)")

    def word_positions(self, unit: str | None = None) -> tuple[array[float], array[float]]:
        """The start and the end of each word on the axis of `unit` (the tree's own by default)."""
        unit = check_unit(unit or self.unit)
        if unit == "time":
            self._need_times()
            times = self.times or ()
            return array("d", [s for s, _ in times]), array("d", [e for _, e in times])
        if unit == "word":
            ends = array("d", range(1, len(self.words) + 1))
        else:
            lengths = Scanner().measure(self.words, widths_for("".join(self.words)))
            ends = array("d", accumulate(lengths))
        return array("d", [0.0, *ends[:-1]] if ends else []), ends

    def depths(self) -> array[int]:
        """The depth of each node; the root is at 1."""
        depths = array("i", bytes(4 * len(self.labels)))
        ends: list[int] = []  # one past the subtree of each node above, going right to left
        for i in range(len(self.labels) - 1, -1, -1):
            while ends and i <= ends[-1]:
                ends.pop()
            ends.append(i - self.sizes[i])
            depths[i] = len(ends)
        return depths

    def preorder(self) -> list[int]:
        """The numbers of the nodes, each before those below it, left to right."""
        order = [0] * len(self.labels)
        for i, depth in enumerate(self.depths()):
            order[i - self.sizes[i] + depth] = i
        return order


class Builder:
    """Collects a tree from the order in which its brackets open and close."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.sizes = array("i")
        self.firsts = array("i")
        self.lasts = array("i")
        self.words: list[str] = []
        self.times: list[tuple[float, float] | None] = []
        self._open: list[tuple[str, int, int]] = []

    def open(self, label: str) -> None:
        """Begins a node below those that are open."""
        self._open.append((label, len(self.words), len(self.labels)))

    def word(self, text: str, times: tuple[float, float] | None = None) -> None:
        """Adds a word to all nodes that are open."""
        self.words.append(text)
        self.times.append(times)

    def close(self) -> None:
        """Ends the node that was opened last."""
        label, first, below = self._open.pop()
        self.sizes.append(len(self.labels) - below + 1)
        self.labels.append(label)
        self.firsts.append(first)
        self.lasts.append(len(self.words))

    def parts(self, unit: str | None) -> Parts:
        """What was collected; its unit is by default seconds if the words have times."""
        timed = [pair for pair in self.times if pair is not None]
        if timed and len(timed) < len(self.words):
            missing = self.times.index(None)
            raise TreeFormatError(
                f"word {missing} ({self.words[missing]!r}) has no times and others have; give all or none"
            )
        times = check_times(timed) if timed else None
        unit = unit or ("time" if times else "word")
        words = tuple(self.words)
        return Parts(tuple(self.labels), self.sizes, self.firsts, self.lasts, words, times, unit)


def check_unit(unit: str) -> str:
    """The unit, if there is such a one; a ValueError otherwise."""
    check_choice("unit", unit, UNITS)
    return unit


def check_times(word_times: Iterable[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    """The word times as pairs of floats: finite, not reversed, in order, not overlapping."""
    times: list[tuple[float, float]] = []
    if word_times is None:
        raise TreeFormatError("the word times are None; give a list of [start, end], one per word")
    for i, pair in enumerate(word_times):
        try:
            start, end = map(float, pair)
        except OverflowError:
            raise TreeFormatError(f"word {i}: the time {pair!r} is not finite; give seconds") from None
        except (TypeError, ValueError):
            raise TreeFormatError(
                f"word {i}: the time {pair!r} is not a pair of numbers [start, end]"
            ) from None
        if 2.0 * start - 2.0 * start != 0.0 or 2.0 * end - 2.0 * end != 0.0:  # differences must be finite
            raise TreeFormatError(f"word {i}: the time {pair!r} is not finite; give seconds")
        if end < start:
            raise TreeFormatError(f"word {i}: the time {pair!r} ends before it starts")
        if times and start < times[-1][1]:
            raise TreeFormatError(
                f"word {i}: the time {pair!r} starts before word {i - 1} ends at {times[-1][1]!r}; "
                "words must be in order and must not overlap"
            )
        times.append((start, end))
    return tuple(times)
