"""Explain in sentences why a pair of trees does not score 1: the nodes that lose, by cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..drawing.classes import Classes
from ..metrics.struct_iou.losses import CAUSES
from ..terminal import NO_LABEL

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment
    from ..metrics.struct_iou.losses import NodeLoss
    from ..trees.tree import Node

_MAX_NAMED = 4
_CONFUSED = ("label", "tag")
_PARTIAL = ("boundary", "timing")


def explain(alignment: Alignment) -> list[str]:
    """Return the reasons as sentences in plain text, the cause that costs most first.

    >>> from structiou_metric import align
    >>> explain(align("(S (A a) (B b))", "(S (A a) (C b))"))
    ['tag: B for C “b”. That costs 0.333.']
    """
    return [f"{cause}: {sentence}" if cause else sentence for cause, sentence in explain_causes(alignment)]


def explain_causes(alignment: Alignment) -> list[tuple[str, str]]:
    """Return the same sentences, each after its cause, which is empty if a sentence has none."""
    prediction, reference = alignment.prediction_side, alignment.reference_side
    if not prediction.nodes and not reference.nodes:
        return [("", "Both trees are empty, so they agree.")]
    if not prediction.nodes or not reference.nodes:
        side = "prediction" if not prediction.nodes else "reference"
        return [("", f"The {side} is empty, so no node has a partner.")]
    by_cause: dict[str, list[NodeLoss]] = {}
    for lost in alignment.losses():
        by_cause.setdefault(lost.cause, []).append(lost)
    if not by_cause:
        return [("", "Every node has an equal partner: the trees agree.")]
    total = len(prediction.nodes) + len(reference.nodes)
    sums = {cause: sum(lost.loss for lost in found) for cause, found in by_cause.items()}
    order = list(CAUSES)
    return [
        (cause, f"{_name_lost(alignment, cause, by_cause[cause])}. That costs {sums[cause] / total:.3f}.")
        for cause in sorted(by_cause, key=lambda cause: (-sums[cause], order.index(cause)))
    ]


def cause_classes(alignment: Alignment) -> Classes:
    """Return the cause of each node that loses, for drawings; a cause has the same colour in all of them."""
    by_side: dict[str, dict[int, str]] = {"prediction": {}, "reference": {}}
    for lost in alignment.losses():
        by_side[lost.side][lost.node.number] = lost.cause
    return Classes(by_side["prediction"], by_side["reference"], tuple(CAUSES))


def _name_lost(alignment: Alignment, cause: str, found: list[NodeLoss]) -> str:
    """Name the nodes of a cause; two nodes that are confused or overlap are named together."""
    if cause in _CONFUSED or cause in _PARTIAL:
        found = [lost for lost in found if lost.side == "reference" or lost.other is None]
    describe: Callable[[Alignment, NodeLoss], str] = _describe_node
    if cause in _CONFUSED:
        describe = _describe_confusion
    elif cause in _PARTIAL:
        describe = _describe_overlap
    found.sort(key=lambda lost: (-lost.loss, lost.node.start - lost.node.end))
    named = [describe(alignment, lost) for lost in found[:_MAX_NAMED]]
    more = f" and {len(found) - len(named)} more" if len(found) > len(named) else ""
    return ", ".join(named) + more


def _describe_node(alignment: Alignment, lost: NodeLoss) -> str:
    side = "predicted" if lost.side == "prediction" else "reference"
    return f"{side} {name_node(alignment, lost.side, lost.node)}"


def _describe_confusion(alignment: Alignment, lost: NodeLoss) -> str:
    if lost.other is None:
        return _describe_node(alignment, lost)
    return f"{lost.other.label or NO_LABEL} for {name_node(alignment, lost.side, lost.node)}"


def _describe_overlap(alignment: Alignment, lost: NodeLoss) -> str:
    overlap = f"IoU {min(1.0 - lost.loss, 0.99):.2f}" if lost.loss < 1.0 else "not aligned"
    return f"{name_node(alignment, lost.side, lost.node)} ({overlap})"


def name_node(alignment: Alignment, side: str, node: Node) -> str:
    """Return the label of a node, and the words or times that it spans."""
    tree = alignment.prediction if side == "prediction" else alignment.reference
    label = node.label or NO_LABEL
    words = [word for word in tree.words[node.first : node.last] if word]
    if not words:
        return f"{label} at {node.start:g}–{node.end:g}"
    return f"{label} “{' '.join(words)}”" if len(words) <= 3 else f"{label} “{words[0]} … {words[-1]}”"
