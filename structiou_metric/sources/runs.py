"""Rows that are runs of other rows: several trees that are read as one row, or none."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..errors import TreeFormatError
from ..trees.tree import SegmentTree
from .rows import Problems

if TYPE_CHECKING:
    from .rows import Rows


class RunRows:
    """Runs of trees that follow each other, each a row.

    Args:
        rows: The rows of all trees.
        sizes: How many trees each run has.
        first: The number of the first run.
        begin: The number of the first tree.
    """

    def __init__(self, rows: Rows, sizes: Sequence[int], *, first: int, begin: int) -> None:
        self._rows = rows
        self._sizes = sizes
        self.first = first
        self._begins = list(accumulate(sizes, initial=begin))
        self.title = rows.title

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def settled(self) -> str:
        """How crossing branches are undone, as in `TreebankRows`."""
        return getattr(self._rows, "settled", "")

    def trees(self, row: int) -> range:
        """The numbers of the trees of a run."""
        return range(self._begins[row - self.first], self._begins[row - self.first + 1])

    def name(self, row: int) -> str:
        """What the run is called in errors: `predictions[3]`, or `predictions[3] to predictions[5]`."""
        trees = self.trees(row)
        if not trees:
            return f"no tree of {self.title}"
        first, last = self._rows.name(trees[0]), self._rows.name(trees[-1])
        return first if len(trees) == 1 else f"{first} to {last}"

    def longest(self, lo: int, hi: int) -> int:
        """About how many bytes the longest run has."""
        begin, end = self._begins[lo - self.first], self._begins[hi - self.first]
        if begin == end:
            return 0
        return self._rows.longest(begin, end) * max(self._sizes[lo - self.first : hi - self.first])

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Reads the trees, then joins those of each run; a run with an unreadable one is unreadable."""
        begin, end = self._begins[lo - self.first], self._begins[hi - self.first]
        problems: Problems = {}
        if begin < end:
            problems = self._rows.load(begin, end, unit, scanner, trees)
        else:
            trees.reserve(hi - lo, 0, 0)
        sizes = self._sizes[lo - self.first : hi - self.first]
        if any(size != 1 for size in sizes):
            for tree, start, end in trees.join(sizes, unit != "time"):
                problems.setdefault(begin + tree, self._too_early(begin + tree, start, end))
        found: Problems = {}
        for tree in sorted(problems):
            found.setdefault(self.first + bisect_right(self._begins, tree) - 1, problems[tree])
        return found

    def _too_early(self, tree: int, start: float, end: float) -> TreeFormatError:
        return TreeFormatError(
            f"this tree starts at {start:g}, before the one on its left ends at {end:g}; trees on one axis "
            "must be in order and must not overlap",
            source=self._rows.name(tree),
        )

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """The tree of a run that has just one."""
        trees = self.trees(row)
        if len(trees) != 1:
            raise TreeFormatError(f"{self.name(row)} is a run of {len(trees)} trees, not a tree")
        return self._rows.tree(trees[0], unit)
