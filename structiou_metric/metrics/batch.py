"""A batch: pairs of trees that were read, or that are lent by trees that were read before."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._core.row_checks import SHIFTED
from .._core.select import DROP_LEAF

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from .._core.flat import FlatTrees
    from ..sources.prepared import LentTrees
    from ..sources.rows import Problems, Rows

__all__ = ["Batch"]

Edge = tuple[int, int]  # sketches of the words of both sides of a row


class Batch:
    """Pairs of trees that were read, to be counted by any number of metrics.

    >>> from structiou_metric.metrics import load_metric
    >>> from structiou_metric.metrics.runner import read_pair
    >>> from structiou_metric.sources.rows import as_rows
    >>> sides = as_rows(["(S (A a))"], "predictions"), as_rows(["(S (B b))"], "references")
    >>> batch = read_pair(load_metric("struct_iou"), *sides)
    >>> len(batch), batch.names(0)
    (1, ('predictions[0]', 'references[0]'))

    Attributes:
        read: Both sides: trees, or what lends them.
        labels: The text of each label id, of which there may be more with each batch.
        first: The number of the first row.
        problems: The rows that cannot be read, with their errors.
        sides: Where the predicted trees and the reference trees come from.
    """

    def __init__(
        self,
        predictions: FlatTrees | LentTrees,
        references: FlatTrees | LentTrees,
        labels: Sequence[str],
        first: int,
        problems: Problems,
        sides: tuple[Rows, Rows],
    ) -> None:
        self.read = predictions, references
        self.labels = labels
        self.first = first
        self.problems = problems
        self.sides = sides

    def __len__(self) -> int:
        side = self.read[0]
        return len(side) if is_lent(side) else side.n_trees

    @property
    def predictions(self) -> FlatTrees:
        """The predicted trees; unreadable ones are empty."""
        return _taken(self.read[0])

    @property
    def references(self) -> FlatTrees:
        """The reference trees, as many as there are predicted ones."""
        return _taken(self.read[1])

    def names(self, t: int) -> tuple[str, str]:
        """What both trees of pair `t` are called in errors."""
        row = self.first + t
        return self.sides[0].name(row), self.sides[1].name(row)


def is_lent(side: FlatTrees | LentTrees) -> TypeIs[LentTrees]:
    """Whether a side of a batch is lent by trees that were read before."""
    return hasattr(side, "places")


def _taken(side: FlatTrees | LentTrees) -> FlatTrees:
    return side.trees() if is_lent(side) else side


class RowMarks:
    """What is suspicious about the rows of a batch.

    Attributes:
        bits: A number for each row, of the bits of `_core.row_checks`.
        first: What the words of the first row are, where they differ, to be compared with the row before.
        last: What the words of the last row are, where they differ, to be compared with the row after.
    """

    __slots__ = ("bits", "first", "last")

    def __init__(self, bits: array[int], first: Edge | None = None, last: Edge | None = None) -> None:
        self.bits = bits
        self.first = first
        self.last = last

    def with_bits(self, bits: array[int]) -> RowMarks:
        """The same edges with other bits."""
        return RowMarks(bits, self.first, self.last)

    def of_kinds(self, kinds: int) -> RowMarks:
        """Return what is suspicious of these kinds alone; `kinds` has their bits."""
        if not self.bits.tobytes().strip(b"\0"):
            return self if kinds & SHIFTED else RowMarks(self.bits)
        bits = array("H", [found & kinds for found in self.bits])
        return self.with_bits(bits) if kinds & SHIFTED else RowMarks(bits)


def kept_texts(trees: FlatTrees, t: int, actions: Sequence[int], drops: int = DROP_LEAF) -> list[str]:
    """The words of a tree without those of leaves whose label has the bit `drops` in its action."""
    gone = {
        word
        for label, size, first, last in zip(*trees.nodes(t), strict=True)
        if size == 1 and actions[label] & drops
        for word in range(first, last)
    }
    n_words = len(trees.words(t)[0])
    return [trees.word(t, i) for i in range(n_words) if i not in gone]
