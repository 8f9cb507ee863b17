"""Rows that are made of other rows: what they leave to those, and some that follow each other among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from .rows import ListRows, Problems, several

if TYPE_CHECKING:
    from ..trees.tree import SegmentTree
    from .rows import Rows


class OtherRows:
    """Rows of others, under their own numbers and names.

    Args:
        rows: The other rows.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.title = rows.title

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def settled(self) -> str:
        """How crossing branches are undone, as in `TreebankRows`."""
        return getattr(self._rows, "settled", "")

    def name(self, row: int) -> str:
        """What to call a row in errors."""
        return self._rows.name(row)

    def longest(self, lo: int, hi: int) -> int:
        """About how many bytes the longest of rows `lo … hi` has."""
        return self._rows.longest(lo, hi)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Reads rows `lo … hi` into `trees`."""
        return self._rows.load(lo, hi, unit, scanner, trees)

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        return self._rows.tree(row, unit)

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, by its number."""
        return several(self._rows)


def cut_rows(rows: Rows, numbers: range) -> Rows:
    """Return some of the rows, with the same numbers."""
    if type(rows) is ListRows:
        values = rows.values[numbers.start : numbers.stop]
        return ListRows(values, rows.title, names=rows.name, first=numbers.start)
    return _RowRange(rows, numbers)


class _RowRange(OtherRows):
    """Some rows that follow each other."""

    def __init__(self, rows: Rows, numbers: range) -> None:
        super().__init__(rows)
        self._numbers = numbers
        self.noun = getattr(rows, "noun", "tree")
        if hasattr(rows, "n_sentences"):
            self.n_sentences = rows.n_sentences

    def __len__(self) -> int:
        return len(self._numbers)

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, by its number."""
        return {row: trees for row, trees in super().several().items() if row in self._numbers}
