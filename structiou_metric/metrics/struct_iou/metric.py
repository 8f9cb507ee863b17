"""STRUCT-IoU: the metric with its options, and two functions for a single pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from ..._core.flat import FlatNodes
from ...sources.documents import DocumentRows
from ...sources.rows import ListRows
from ...trees.labels import DEFAULT_DROP
from ...trees.surgery import dropped_words
from ...trees.tree import Node
from ..base import Option
from ..best_reference import opened
from ..metric import ON_ERROR, Metric, sign
from ..runner import read_pair
from ..selection import DROP, LABELS
from ..warnings import find_warnings
from .alignment import Alignment, Side
from .counter import StructIouCounter
from .losses import NodeLoss
from .result import MEASURES, CorpusScore, LabelTally

if TYPE_CHECKING:
    from ...sources.rows import Rows
    from ...trees.tree import SegmentTree


def _check_min_iou(value: Any) -> float:
    try:
        min_iou = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"min_iou must be a number, not {value!r}") from None
    if not 0.0 <= min_iou < 1.0:
        raise ValueError(f"min_iou must be at least 0 and less than 1, not {value!r}")
    return min_iou


def _check_max_cells(value: Any) -> float | None:
    if value is None:
        return None
    try:
        max_cells = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"max_cells must be a number or None, not {value!r}") from None
    if not max_cells > 0.0:
        raise ValueError(f"max_cells must be greater than 0, not {value!r}")
    return max_cells


OPTIONS = {
    "unit": Option(
        "word",
        "length of a word: 1, its written characters, or its seconds",
        choices=("word", "char", "time"),
    ),
    "texts": Option(
        "same",
        "both sides need as many words (characters), or an edit path puts texts that differ on one axis",
        choices=("same", "aligned"),
    ),
    "labels": LABELS,
    "terminals": Option(
        "strict",
        "preterminals need the same label, may align with any node, or are no nodes",
        choices=("strict", "flexible", "exclude"),
    ),
    "min_iou": Option(0.0, "pairs at or below it do not align", kind="number", check=_check_min_iou),
    "drop": DROP,
    "average": Option(
        "sentence",
        "which figure is the headline, struct_iou: the mean over sentences, or the corpus level",
        choices=("sentence", "corpus"),
        corpus=True,
    ),
    "max_cells": Option(
        None,
        "a pair that needs more cells of tables cannot be compared; some hundred millions take a second, and "
        "without this option no pair is refused",
        kind="number",
        check=_check_max_cells,
        corpus=True,
    ),
    "on_error": ON_ERROR,
}


class StructIoU(Metric):
    """STRUCT-IoU with fixed options.

    >>> predictions = ["(S (NP (PRP it)) (VP (VBZ works)))"]
    >>> references = ["(S (NP-SBJ (PRP it)) (VP (VBZ works)))"]
    >>> result = StructIoU(labels="base").corpus_score(predictions, references)
    >>> result.score, result.precision
    (1.0, 1.0)

    Args:
        unit: The length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
        texts: Whether both sides need the same number of words or characters (`same`), or those of texts that
            differ are put on one axis by an edit path of least cost (`aligned`).
        labels: Which labels are the same: `exact`, `base` (function tags and indices cut) or `ignore`.
        terminals: Whether preterminals need the same label (`strict`), may align with any node (`flexible`),
            or are no nodes (`exclude`).
        min_iou: The IoU at or below which pairs do not align.
        drop: Labels that are no constituents: roots over one child, and leaves such as `-NONE-` with
            nodes that they leave empty.
        average: Which figure is the headline, `sentence` or `corpus`.
        max_cells: The number of cells of tables that comparing a pair may take; a pair that needs more cannot
            be compared. Some hundred millions take a second. None is for any number.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "struct_iou"
    title = "STRUCT-IoU"
    symmetric = True
    OPTIONS = OPTIONS
    MEASURES = MEASURES
    LABEL = LabelTally
    RESULT = CorpusScore
    SIGNATURE = "structiou"
    explains = False

    def __init__(
        self,
        *,
        unit: str = "word",
        texts: str = "same",
        labels: str = "exact",
        terminals: str = "strict",
        min_iou: float = 0.0,
        drop: Iterable[str] = DEFAULT_DROP,
        average: str = "sentence",
        max_cells: float | None = None,
        on_error: str = "raise",
    ) -> None:
        super().__init__(
            unit=unit,
            texts=texts,
            labels=labels,
            terminals=terminals,
            min_iou=min_iou,
            drop=drop,
            average=average,
            max_cells=max_cells,
            on_error=on_error,
        )
        if self.options.unit == "time" and self.options.texts == "aligned":
            raise ValueError(
                "texts 'aligned' is for words and characters; with unit 'time' the seconds are the axis, "
                "whatever the words, so leave out texts"
            )

    @property
    def signature(self) -> str:
        """Return every option and the version; `max_cells` only if it is set."""
        values = self.options.as_dict()
        if values["max_cells"] is None:
            del values["max_cells"]
        return sign(self.SIGNATURE, values)

    @property
    def headline(self) -> str:
        """Return the key of the figure that the option `average` asks for."""
        return f"struct_iou_{self.options.average}"

    def counter(self) -> StructIouCounter:
        """Return a new counter; every thread has one of its own."""
        return StructIouCounter(self.options, explains=self.explains)

    def explaining(self) -> Self:
        """Return the same metric that also counts the loss by each cause; see `CorpusScore.losses`."""
        metric = self.with_options()
        metric.explains = True
        return metric

    def with_options(self, **changes: Any) -> Self:
        """Return the same metric with other values for some options."""
        metric = super().with_options(**changes)
        metric.explains = self.explains
        return metric

    def align(self, prediction: Any, reference: Any, *, documents: bool = False) -> Alignment:
        """Return a best alignment of two trees, with its pairs; with `documents`, of two lists of trees.

        Args:
            prediction: The predicted tree, in any shape that `shapes.as_tree` takes.
            reference: The reference tree, in any shape that `shapes.as_tree` takes.
            documents: Whether each side is a list of trees on one axis, as a row of `Metric.corpus_score`.
        """
        rows = _single_rows(prediction, reference, documents)
        counter, batch = self.counter(), read_pair(self, *rows)
        *nodes, pairs, matched = counter.pairs(batch)
        pred, ref = (side.tree(0, self.options.unit) for side in rows)
        pred_side, ref_side = map(self._side, (pred, ref), nodes, counter.text_columns())
        warnings = find_warnings(self, batch)
        return Alignment(pred, ref, pred_side, ref_side, pairs, warnings, self.find_losses, matched)

    def find_losses(self, alignment: Alignment) -> Iterator[NodeLoss]:
        """Yield the losses at the nodes of two trees that this metric aligned, in no order."""
        batch = read_pair(self, *_single_rows(alignment.prediction, alignment.reference, documents=False))
        pred, ref = alignment.prediction_side.nodes, alignment.reference_side.nodes
        for predicted, number, cause, loss, other in self.counter().losses(batch):
            if predicted:
                yield NodeLoss("prediction", pred[number], cause, loss, ref.get(other))
            else:
                yield NodeLoss("reference", ref[number], cause, loss, pred.get(other))

    def _side(self, tree: SegmentTree, nodes: FlatNodes, columns: Sequence[int] | None) -> Side:
        """Return the compared nodes of a tree, which is the only one of its batch."""
        counted = {
            i: Node(i, tree.labels[i], start, end, tree.firsts[i], tree.lasts[i], tree.sizes[i] == 1)
            for i, start, end in nodes.spans(0)
        }
        return Side(counted, frozenset(dropped_words(tree, self.options.drop)), columns)


def _single_rows(prediction: Any, reference: Any, documents: bool) -> tuple[Rows, Rows]:
    if documents:
        return DocumentRows([prediction], "predictions"), DocumentRows([reference], "references")
    pred = ListRows([prediction], "prediction", names=lambda row: "prediction")
    ref = ListRows([reference], "reference", names=lambda row: "reference")
    return pred, opened(ref)


def struct_iou(
    prediction: Any,
    reference: Any,
    *,
    unit: str = "word",
    texts: str = "same",
    labels: str = "exact",
    terminals: str = "strict",
    min_iou: float = 0.0,
    drop: Iterable[str] = DEFAULT_DROP,
    documents: bool = False,
) -> float:
    """STRUCT-IoU of one pair of trees, or of documents, from 0 to 1.

    >>> struct_iou("(S (A a) (B b))", "(S (A a) (C b))")
    0.6666666666666666
    >>> struct_iou(["(S (A a))", "(S (B b))"], ["(S (A a) (B b))"], documents=True)
    0.5714285714285714

    Args:
        prediction: The predicted tree, in any shape that `shapes.as_tree` takes.
        reference: The reference tree, in any shape that `shapes.as_tree` takes.
        unit: The length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
        texts: Whether both sides need the same number of words or characters (`same`), or those of texts that
            differ are put on one axis by an edit path of least cost (`aligned`).
        labels: Which labels are the same: `exact`, `base` (function tags and indices cut) or `ignore`.
        terminals: Whether preterminals need the same label (`strict`), may align with any node (`flexible`),
            or are no nodes (`exclude`).
        min_iou: The IoU at or below which pairs do not align.
        drop: Labels that are no constituents: roots over one child, and leaves such as `-NONE-` with
            nodes that they leave empty.
        documents: Whether each side is a list of trees on one axis, as a row of `Metric.corpus_score`.
    """
    metric = StructIoU(unit=unit, texts=texts, labels=labels, terminals=terminals, min_iou=min_iou, drop=drop)
    rows = _single_rows(prediction, reference, documents)
    result: CorpusScore = metric.corpus_score(*rows, documents=documents)
    return result.sentence


def align(
    prediction: Any,
    reference: Any,
    *,
    unit: str = "word",
    texts: str = "same",
    labels: str = "exact",
    terminals: str = "strict",
    min_iou: float = 0.0,
    drop: Iterable[str] = DEFAULT_DROP,
    documents: bool = False,
) -> Alignment:
    """Return a best alignment of one pair of trees, or of documents.

    >>> [(p.label, r.label, iou) for p, r, iou in align("(S (A a) (B b))", "(S (A a) (C b))").pairs]
    [('A', 'A', 1.0), ('S', 'S', 1.0)]

    Args:
        prediction: The predicted tree, in any shape that `shapes.as_tree` takes.
        reference: The reference tree, in any shape that `shapes.as_tree` takes.
        unit: The length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
        texts: Whether both sides need the same number of words or characters (`same`), or those of texts that
            differ are put on one axis by an edit path of least cost (`aligned`).
        labels: Which labels are the same: `exact`, `base` (function tags and indices cut) or `ignore`.
        terminals: Whether preterminals need the same label (`strict`), may align with any node (`flexible`),
            or are no nodes (`exclude`).
        min_iou: The IoU at or below which pairs do not align.
        drop: Labels that are no constituents: roots over one child, and leaves such as `-NONE-` with
            nodes that they leave empty.
        documents: Whether each side is a list of trees on one axis, as a row of `Metric.corpus_score`.
    """
    metric = StructIoU(unit=unit, texts=texts, labels=labels, terminals=terminals, min_iou=min_iou, drop=drop)
    return metric.align(prediction, reference, documents=documents)
