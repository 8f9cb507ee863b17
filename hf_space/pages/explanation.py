"""Why a pair of trees does not score 1: which nodes lost what."""

from __future__ import annotations

from structiou_metric import Alignment, Node
from structiou_metric.metrics.struct_iou.alignment import Side
from structiou_metric.trees.tree import SegmentTree
from structiou_metric.wording import count

_MAX_NAMED = 4


def explain(alignment: Alignment) -> list[str]:
    """Sentences in plain text, the greatest loss first."""
    prediction, reference = alignment.prediction_side, alignment.reference_side
    if not prediction.nodes or not reference.nodes:
        return [_explain_empty(prediction, reference)]
    partial = sorted((pair for pair in alignment.pairs if pair[2] < 1.0), key=lambda pair: pair[2])
    lost_prediction = _unaligned(prediction, [pair[0] for pair in alignment.pairs])
    lost_reference = _unaligned(reference, [pair[1] for pair in alignment.pairs])
    if not (partial or lost_prediction or lost_reference):
        return ["Every node has an equal partner: the trees agree."]
    total = len(prediction.nodes) + len(reference.nodes)
    facts: list[tuple[float, str]] = []
    for lost, kind, tree in (
        (lost_reference, "reference node", alignment.reference),
        (lost_prediction, "predicted node", alignment.prediction),
    ):
        if lost:
            verb = "has" if len(lost) == 1 else "have"
            facts.append(
                (len(lost), f"{count(len(lost), kind)} {verb} no partner: {_list_nodes(lost, tree)}")
            )
    if partial:
        mass = sum(2.0 * (1.0 - iou) for _, _, iou in partial)
        named = [
            f"{_name(ref, alignment.reference)} (IoU {min(iou, 0.99):.2f})"
            for _, ref, iou in partial[:_MAX_NAMED]
        ]
        facts.append(
            (mass, f"{count(len(partial), 'pair')} overlap only in part: {_join(named, len(partial))}")
        )
    facts.sort(key=lambda fact: -fact[0])
    return [f"{text}. That costs {loss / total:.3f}." for loss, text in facts]


def _explain_empty(prediction: Side, reference: Side) -> str:
    if not prediction.nodes and not reference.nodes:
        return "Both trees are empty, so they agree."
    side = "prediction" if not prediction.nodes else "reference"
    return f"The {side} is empty, so no node has a partner."


def _unaligned(side: Side, aligned: list[Node]) -> list[Node]:
    """The nodes without a partner, the longest first."""
    numbers = {node.number for node in aligned}
    lost = [node for number, node in side.nodes.items() if number not in numbers]
    return sorted(lost, key=lambda node: (node.start - node.end, node.number))


def _list_nodes(nodes: list[Node], tree: SegmentTree) -> str:
    return _join([_name(node, tree) for node in nodes[:_MAX_NAMED]], len(nodes))


def _join(names: list[str], total: int) -> str:
    return ", ".join(names) + (f" and {total - len(names)} more" if total > len(names) else "")


def _name(node: Node, tree: SegmentTree) -> str:
    """Its label, and the words or times that it spans."""
    label = node.label or "(no label)"
    words = [word for word in tree.words[node.first : node.last] if word]
    if not words:
        return f"{label} at {node.start:g}–{node.end:g}"
    return f"{label} “{' '.join(words)}”" if len(words) <= 3 else f"{label} “{words[0]} … {words[-1]}”"
