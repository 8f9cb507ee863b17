"""The flat arrays of a tree, on which readers and writers of all shapes work."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Any

from .._core.scan import UNITS, Scanner
from ..errors import TreeFormatError
from ..wording import check_choice
from .spelling import widths_for


class Parts:
    """The parts of a tree: `SegmentTree`, which is a subclass, says what the arrays mean."""

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
        """Take arrays that fit together; only the unit is checked."""
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
        """Return the values that it is made of, in the order in which they were given."""
        return self.labels, self.sizes, self.firsts, self.lasts, self.words, self.times, self.unit

    def _need_times(self) -> None:
        if self.times is None and self.words:
            raise TreeFormatError("this tree has no times; add them with SegmentTree.with_times(word_times)")

    def word_positions(self, unit: str | None = None) -> tuple[array[float], array[float]]:
        """Return the start and the end of each word on the axis of `unit` (the tree's own by default)."""
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
        """Return the depth of each node; the root is at 1."""
        depths = array("i", bytes(4 * len(self.labels)))
        ends: list[int] = []  # one past the subtree of each node above, going right to left
        for i in range(len(self.labels) - 1, -1, -1):
            while ends and i <= ends[-1]:
                ends.pop()
            ends.append(i - self.sizes[i])
            depths[i] = len(ends)
        return depths

    def preorder(self) -> list[int]:
        """Return the numbers of the nodes, each before those below it, left to right."""
        order = [0] * len(self.labels)
        for i, depth in enumerate(self.depths()):
            order[i - self.sizes[i] + depth] = i
        return order


def check_unit(unit: str) -> str:
    """Return the unit, if there is such a one; a ValueError otherwise."""
    check_choice("unit", unit, UNITS)
    return unit
