"""The figures of STRUCT-IoU: how each is computed from sums of columns."""

from __future__ import annotations

from typing import Any

from ..base import Measure, ratio


def node_score(matched: Any, n_pred: Any, n_ref: Any) -> Any:
    """STRUCT-IoU, twice the matched mass over all nodes; two empty trees agree."""
    return ratio(2.0 * matched, n_pred + n_ref, 1.0)


def loss_share(lost: Any, n_pred: Any, n_ref: Any) -> Any:
    """What STRUCT-IoU lacks of 1 because of some of the loss."""
    return ratio(lost, n_pred + n_ref, 0.0)


def node_share(matched: Any, nodes: Any, other_nodes: Any) -> Any:
    """Precision or recall, the matched share of a side; without nodes, 1 if the other has none either."""
    return ratio(matched, nodes, other_nodes == 0)


SUMS = ("matched", "n_pred", "n_ref")

# What is counted of aligned texts, in words or characters, and what to call it.
TEXT_COLUMNS = {
    "n_text_matched": "the same on both sides",
    "n_text_replaced": "replaced by others",
    "n_text_pred_only": "in predictions only",
    "n_text_ref_only": "in references only",
}

MEASURES = {
    "struct_iou_sentence": Measure(
        "sentence mean", node_score, SUMS, short="struct_iou_sentence", row="struct_iou", mean=True
    ),
    "struct_iou_corpus": Measure("corpus level", node_score, SUMS, short="struct_iou_corpus", row=""),
    "struct_iou_precision": Measure(
        "precision", node_share, SUMS, short="precision", line="precision, corpus level"
    ),
    "struct_iou_recall": Measure(
        "recall", node_share, ("matched", "n_ref", "n_pred"), short="recall", line="recall, corpus level"
    ),
}
