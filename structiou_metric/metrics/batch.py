"""A batch: pairs of trees that were read, or that are lent by trees that were read before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from .._core.flat import FlatTrees
    from ..sources.prepared import LentTrees
    from ..sources.rows import Problems, Rows

__all__ = ["Batch"]


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
