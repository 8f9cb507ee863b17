"""Pairs that would take too long are refused by what they are predicted to cost, before they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.solver import predict_cells
from ..errors import TreeMismatchError
from ..sources.rows import OtherRows, Problems, fill

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from .._core.scan import Scanner
    from ..sources.rows import Rows

_SHORT = 2_000  # bytes; no pair of trees that are shorter costs much


class BoundedRows(OtherRows):
    """Predictions, of which those are errors that would cost too much to compare.

    Args:
        rows: The predictions.
        references: As many rows as predictions, with the same numbers.
        max_cells: How many cells of tables comparing a pair may fill; some hundred millions take a second.
    """

    def __init__(self, rows: Rows, references: Rows, max_cells: float) -> None:
        super().__init__(rows)
        self._references = references
        self._max_cells = max_cells

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Reads rows `lo … hi` into `trees`; those that cost too much are empty there, with their errors."""
        problems = self._rows.load(lo, hi, unit, scanner, trees)
        if min(self._rows.longest(lo, hi), self._references.longest(lo, hi)) <= _SHORT:
            return problems
        refused = {
            row: error for row in range(lo, hi) if row not in problems and (error := self._refuse(row))
        }
        if refused:
            problems = {**problems, **refused}
            kept = (None if row in problems else self._rows.tree(row, unit) for row in range(lo, hi))
            fill(list(kept), unit, scanner, trees)
        return problems

    def _refuse(self, row: int) -> ValueError | None:
        """The error about a pair that would cost too much; None if it would not, or cannot be read."""
        if min(rows.longest(row, row + 1) for rows in (self._rows, self._references)) <= _SHORT:
            return None
        try:
            sizes = [rows.tree(row, None).sizes for rows in (self._rows, self._references)]
        except ValueError:  # whoever reads the reference tells why
            return None
        cells = predict_cells(*sizes)
        if cells <= self._max_cells:
            return None
        return TreeMismatchError(
            f"{self.name(row)}: comparing these trees of {len(sizes[0]):,} and {len(sizes[1]):,} nodes may "
            f"fill {cells:.0e} cells of tables, and {self._max_cells:.0e} are the most; raise max_cells, or "
            "leave the pair out"
        )


def bounded(predictions: Rows, references: Rows, max_cells: float | None) -> Rows:
    """The predictions, bounded if there is a bound."""
    return predictions if max_cells is None else BoundedRows(predictions, references, max_cells)
