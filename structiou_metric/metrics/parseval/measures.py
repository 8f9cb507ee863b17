"""ParsEval's figures, of a corpus and of a label."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ..base import Measure, ratio


def share(part: Any, whole: Any) -> Any:
    """The quotient `part / whole`, and 0 where there is nothing, as in EVALB."""
    return ratio(part, whole, 0.0)


def f1(matched: Any, n_pred: Any, n_ref: Any) -> Any:
    """The harmonic mean of precision and recall; 0 where both are 0, for which EVALB says `nan`."""
    return ratio(2.0 * matched, n_pred + n_ref, 0.0)


def sentence_f1(matched: Any, n_pred: Any, n_ref: Any) -> Any:
    """The `f1` of a sentence; 1 where neither side has a bracket, for there is nothing to be wrong about."""
    return ratio(2.0 * matched, n_pred + n_ref, 1.0)


def _same(value: Any) -> Any:
    return value


# Those that systems are not compared by, and that a row of figures does not show; and means among them.
_ASIDE: dict[str, Any] = {"row": "", "compared": False}
_MEAN: dict[str, Any] = {**_ASIDE, "mean": True}

MEASURES = {
    "parseval_f1": Measure("F1", f1, ("matched", "n_pred", "n_ref"), short="f1"),
    "parseval_precision": Measure("precision", share, ("matched", "n_pred"), short="precision"),
    "parseval_recall": Measure("recall", share, ("matched", "n_ref"), short="recall"),
    "parseval_complete_match": Measure(
        "complete match", _same, ("complete",), short="complete_match", **_MEAN
    ),
    "parseval_average_crossing": Measure(
        "average crossing",
        _same,
        ("crossing",),
        short="average_crossing",
        **_MEAN,
        highest=None,
        higher_is_better=False,
    ),
    "parseval_no_crossing": Measure(
        "no crossing",
        lambda crossing: 1.0 * (crossing == 0),
        ("crossing",),
        short="no_crossing",
        **_MEAN,
    ),
    "parseval_two_or_less_crossing": Measure(
        "two or less crossing",
        lambda crossing: 1.0 * (crossing <= 2),
        ("crossing",),
        short="two_or_less_crossing",
        **_MEAN,
    ),
    "parseval_tagging_accuracy": Measure(
        "tagging accuracy", share, ("correct_tags", "words"), short="tagging_accuracy", **_ASIDE
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
        **_ASIDE,
    ),
    "parseval_unlabeled_precision": Measure(
        "unlabelled precision",
        share,
        ("unlabeled", "n_pred"),
        short="unlabeled_precision",
        **_ASIDE,
    ),
    "parseval_unlabeled_recall": Measure(
        "unlabelled recall",
        share,
        ("unlabeled", "n_ref"),
        short="unlabeled_recall",
        **_ASIDE,
    ),
    "parseval_unlabeled_sentence_f1": Measure(
        "unlabelled F1, sentence mean",
        sentence_f1,
        ("unlabeled", "n_pred", "n_ref"),
        short="unlabeled_sentence_f1",
        **_MEAN,
    ),
}


# What EVALB's summary has.
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

    TOLD = ("precision", "recall", "n_pred", "n_ref", "crossing")

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
