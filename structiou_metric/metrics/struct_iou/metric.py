"""STRUCT-IoU: the metric with its options, and two functions for a single pair."""

from __future__ import annotations

from ..._core.flat import FlatNodes
from ...sources.rows import ListRows
from ...trees.tree import Node, SegmentTree
from ..metric import Metric
from ..notices import find_notices
from ..runner import read_pair
from .counter import StructIouCounter
from .options import OPTIONS
from .result import MEASURES, CorpusScore, LabelTally

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any, Unpack

    from ...sources.rows import Rows
    from .alignment import Alignment, Side
    from .options import PairOptions, StructIoUOptions


class StructIoU(Metric):
    """STRUCT-IoU with fixed options.

    >>> predictions = ["(S (NP (PRP it)) (VP (VBZ works)))"]
    >>> references = ["(S (NP-SBJ (PRP it)) (VP (VBZ works)))"]
    >>> result = StructIoU(labels="base").corpus_score(predictions, references)
    >>> result.score, result.precision
    (1.0, 1.0)

    Args:
        unit: Length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
        labels: `exact`, `base` (function tags and indices cut) or `ignore`.
        terminals: Preterminals need the same label (`strict`), may align with any node (`flexible`),
            or are no nodes (`exclude`).
        min_iou: Pairs at or below it do not align.
        drop: Labels that are no constituents: roots over one child, and leaves such as `-NONE-` with
            what they empty.
        average: Which figure is the headline, `sentence` or `corpus`.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "struct_iou"
    title = "STRUCT-IoU"
    OPTIONS = OPTIONS
    MEASURES = MEASURES
    LABEL = LabelTally
    RESULT = CorpusScore
    SIGNATURE = "structiou"

    def __init__(self, **options: Unpack[StructIoUOptions]) -> None:
        super().__init__(**options)

    @property
    def headline(self) -> str:
        """The figure that the option `average` asks for."""
        return f"struct_iou_{self.options.average}"

    def counter(self) -> StructIouCounter:
        """A counter of its own for each thread."""
        return StructIouCounter(self.options)

    def align(self, prediction: Any, reference: Any) -> Alignment:
        """A best alignment of two trees, with its pairs."""
        from .alignment import Alignment

        rows = _single_rows(prediction, reference)
        batch = read_pair(self, *rows)
        nodes_pred, nodes_ref, pairs = self.counter().pairs(batch)
        pred, ref = (side.tree(0, self.options.unit) for side in rows)
        sides = self._side(pred, nodes_pred), self._side(ref, nodes_ref)
        return Alignment(pred, ref, *sides, pairs, find_notices(self, batch))

    def _side(self, tree: SegmentTree, nodes: FlatNodes) -> Side:
        """What of a tree, the only one of its batch, is compared."""
        from ...trees.surgery import dropped_words
        from .alignment import Side

        counted = {
            i: Node(i, tree.labels[i], start, end, tree.firsts[i], tree.lasts[i], tree.sizes[i] == 1)
            for i, start, end in nodes.spans(0)
        }
        return Side(counted, frozenset(dropped_words(tree, self.options.drop)))


def _single_rows(prediction: Any, reference: Any) -> tuple[Rows, Rows]:
    pred = ListRows([prediction], "prediction", names=lambda row: "prediction")
    ref = ListRows([reference], "reference", names=lambda row: "reference")
    return pred, ref


def struct_iou(prediction: Any, reference: Any, **options: Unpack[PairOptions]) -> float:
    """STRUCT-IoU of one pair of trees, from 0 to 1. Options as in `StructIoU`.

    >>> struct_iou("(S (A a) (B b))", "(S (A a) (C b))")
    0.6666666666666666
    """
    result: CorpusScore = StructIoU(**options).corpus_score(*_single_rows(prediction, reference))
    return result.sentence


def align(prediction: Any, reference: Any, **options: Unpack[PairOptions]) -> Alignment:
    """A best alignment of one pair of trees. Options as in `StructIoU`.

    >>> [(p.label, r.label, iou) for p, r, iou in align("(S (A a) (B b))", "(S (A a) (C b))").pairs]
    [('A', 'A', 1.0), ('S', 'S', 1.0)]
    """
    return StructIoU(**options).align(prediction, reference)
