"""`Alignment`: which nodes of two trees belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from ...trees.tree import Node, SegmentTree
from .result import Tally

if TYPE_CHECKING:
    from ..warnings import RowWarning
    from .losses import NodeLoss


class Side(NamedTuple):
    """The nodes and words of a tree that were compared.

    Attributes:
        nodes: The nodes that count, by their number in the tree.
        dropped_words: Numbers of the words that were dropped with their leaves.
        columns: The place of each word or character that was not dropped on the axis that both texts share,
            with aligned texts; else None.
    """

    nodes: dict[int, Node]
    dropped_words: frozenset[int]
    columns: Sequence[int] | None = None


class Alignment:
    """A best alignment of two trees.

    >>> from structiou_metric import align
    >>> alignment = align("(S (A a) (B b))", "(S (A a) (C b))")
    >>> round(alignment.score, 4), [pair[0].label for pair in alignment.pairs]
    (0.6667, ['A', 'S'])
    >>> [(loss.side, loss.node.label, loss.cause) for loss in alignment.losses()]
    [('prediction', 'B', 'tag'), ('reference', 'C', 'tag')]

    Attributes:
        prediction: The predicted tree, in the unit of the metric.
        reference: The reference tree, in the unit of the metric.
        pairs: The pairs `(prediction node, reference node, IoU)`, in postorder of the reference. Their spans
            are those that were compared: words and characters are counted without dropped words; with aligned
            texts, they are columns of the axis that both share.
        prediction_side: Which nodes and words of the prediction count.
        reference_side: Which nodes and words of the reference count.
        tally: The sums that the score is made of.
        score: STRUCT-IoU of the two trees.
        precision: The matched share of the prediction's nodes.
        recall: The matched share of the reference's nodes.
        warnings: Warnings about the pair, which was compared nevertheless.
    """

    def __init__(
        self,
        prediction: SegmentTree,
        reference: SegmentTree,
        prediction_side: Side,
        reference_side: Side,
        pairs: Iterable[tuple[int, int, float]],
        warnings: Sequence[RowWarning] = (),
        find_losses: Callable[[Alignment], Iterable[NodeLoss]] | None = None,
        matched: float | None = None,
    ) -> None:
        self.prediction = prediction
        self.reference = reference
        self.prediction_side = prediction_side
        self.reference_side = reference_side
        self.warnings = list(warnings)
        left, right = prediction_side.nodes, reference_side.nodes
        self.pairs = [(left[i], right[j], iou) for i, j, iou in sorted(pairs, key=lambda pair: pair[1])]
        self._find_losses = find_losses
        if matched is None:
            matched = fsum(iou for _, _, iou in self.pairs)
        self.tally = Tally(matched, len(left), len(right))
        self.score, self.precision, self.recall = self.tally.score, self.tally.precision, self.tally.recall

    def losses(self) -> list[NodeLoss]:
        """Return every node that is not perfectly aligned, with its loss and the cause.

        In the order of the text, outer nodes first; of nodes with the same span, the prediction's come first.
        The losses add up to the nodes of both sides less twice the sum of IoUs.
        """
        if self._find_losses is None:
            raise ValueError("this alignment was not made by a metric, which would know why nodes are lost")
        found = self._find_losses(self)
        return sorted(found, key=lambda lost: (lost.node.start, -lost.node.end, lost.side, -lost.node.number))

    def as_dict(self) -> dict[str, Any]:
        """Return the scores, and the pairs with label and span of both nodes, as plain values for JSON."""
        return {
            "struct_iou": self.score,
            "precision": self.precision,
            "recall": self.recall,
            "pairs": [
                {"prediction": _plain(node), "reference": _plain(other), "iou": iou}
                for node, other, iou in self.pairs
            ],
            "warnings": [warning.as_dict() for warning in self.warnings],
        }

    def __repr__(self) -> str:
        return f"<Alignment {len(self.pairs)} pairs, score {self.score:.4f}>"

    def _repr_html_(self) -> str:
        """Return the scores and a picture of the trees for a notebook."""
        from ...drawing.svg import draw_html

        return draw_html(self)


def _plain(node: Node) -> dict[str, Any]:
    return {"node": node.number, "label": node.label, "start": node.start, "end": node.end}
