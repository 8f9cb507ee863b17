"""ParsEval's figures, of a corpus and of a label."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ..base import Measure, ratio
from ..brackets import ASIDE, complete_match, crossing_measures, f1, share


def sentence_f1(matched: Any, n_pred: Any, n_ref: Any) -> Any:
    """Return the `f1` of a sentence; 1 where neither side has a bracket, because then nothing is wrong."""
    return ratio(2.0 * matched, n_pred + n_ref, 1.0)


_MEAN: dict[str, Any] = {**ASIDE, "mean": True}

MEASURES = {
    "parseval_f1": Measure("F1", f1, ("matched", "n_pred", "n_ref"), short="f1"),
    "parseval_precision": Measure("precision", share, ("matched", "n_pred"), short="precision"),
    "parseval_recall": Measure("recall", share, ("matched", "n_ref"), short="recall"),
    "parseval_complete_match": complete_match(lambda complete: complete, "complete"),
    **crossing_measures("parseval", "crossing"),
    "parseval_tagging_accuracy": Measure(
        "tagging accuracy", share, ("correct_tags", "words"), short="tagging_accuracy", **ASIDE
    ),
    "parseval_sentence_f1": Measure(
        "F1, sentence mean",
        sentence_f1,
        ("matched", "n_pred", "n_ref"),
        short="sentence_f1",
        **_MEAN,
    ),
    "parseval_unlabeled_f1": Measure(
        "unlabelled F1",
        f1,
        ("unlabeled", "n_pred", "n_ref"),
        short="unlabeled_f1",
        **ASIDE,
    ),
    "parseval_unlabeled_precision": Measure(
        "unlabelled precision",
        share,
        ("unlabeled", "n_pred"),
        short="unlabeled_precision",
        **ASIDE,
    ),
    "parseval_unlabeled_recall": Measure(
        "unlabelled recall",
        share,
        ("unlabeled", "n_ref"),
        short="unlabeled_recall",
        **ASIDE,
    ),
    "parseval_unlabeled_sentence_f1": Measure(
        "unlabelled F1, sentence mean",
        sentence_f1,
        ("unlabeled", "n_pred", "n_ref"),
        short="unlabeled_sentence_f1",
        **_MEAN,
    ),
}


# The measures in EVALB's summary.
SUMMARY = tuple(MEASURES)[:8]


class LabelTally(namedtuple("LabelTally", ("matched_pred", "matched_ref", "n_pred", "n_ref", "crossing"))):
    """The brackets of one label, cut as it is compared.

    Attributes:
        matched_pred: Predicted brackets with a partner, whose label may be another that counts as the same.
        matched_ref: Brackets of the reference with a partner.
        n_pred: Predicted brackets.
        n_ref: Brackets of the reference.
        crossing: Predicted brackets that cross one of the reference.
    """

    __slots__ = ()

    matched_pred: int
    matched_ref: int
    n_pred: int
    n_ref: int
    crossing: int

    SHOWN = ("precision", "recall", "n_pred", "n_ref", "crossing")

    @classmethod
    def of_sums(cls, *sums: int) -> LabelTally:
        """Return the facts of a label from its sums."""
        return cls(*sums)

    @property
    def precision(self) -> float:
        """The matched share of the predicted brackets."""
        return float(share(self.matched_pred, self.n_pred))

    @property
    def recall(self) -> float:
        """The matched share of the reference's brackets."""
        return float(share(self.matched_ref, self.n_ref))

    @property
    def score(self) -> float:
        """The F1 of the label."""
        return float(f1((self.matched_pred + self.matched_ref) / 2, self.n_pred, self.n_ref))
