"""Discontinuous ParsEval: labelled brackets that are equal as sets of words, as disco-dop counts them.

A bracket is a label and the set of the words below it, which need not follow each other; what both sides have
of the same brackets, as often as both have it, is right. On continuous trees this is ParsEval.

Parameters are those of EVALB, with disco-dop's rules: words go on both sides where the *reference's* tag, or
the word, is deleted; brackets with a deleted label, and those left without words, do not count; `EQ_LABEL A
B` and `EQ_LABEL B C` make A and C the same. Labels are compared without function tags and indices. Where no
parameters are given they are those of disco-dop's `proper.prm`: punctuation goes.

Both sides need the same words, traces (`-NONE-`, if deleted) apart, each with a tag of its own. A failed
parse has no brackets, and those of its reference count. Figures of discontinuous brackets are those of
brackets whose words, without the deleted ones, do not follow each other; they are 1 where neither side has
any.
"""

from __future__ import annotations

from typing import Any

from ..base import Measure, Option, Options, ratio, sign
from ..metric import ON_ERROR, Metric
from ..parseval.measures import f1, share
from ..parseval.parameters import as_parameters
from .counter import DiscoParsevalCounter

__all__ = ["DiscoParseval"]

_DEFAULT = "proper"

OPTIONS = {
    "parameters": Option(
        None,
        "parameter file of EVALB or disco-dop, or a built-in set, proper, collins or spmrl (default: proper)",
        kind="file",
    ),
    "on_error": ON_ERROR,
}


def _disc(part: Any, *whole: Any) -> Any:
    """A share, or the F1 of two sides; 1 where there is nothing, for there is nothing to be wrong about."""
    return ratio(len(whole) * part, sum(whole), 1.0)


def _same(value: Any) -> Any:
    return value


_ASIDE: dict[str, Any] = {"row": "", "compared": False}
_DISC = ("disc_matched", "disc_pred", "disc_ref")

MEASURES = {
    "disco_parseval_f1": Measure("F1", f1, ("matched", "n_pred", "n_ref"), short="f1"),
    "disco_parseval_precision": Measure("precision", share, ("matched", "n_pred"), short="precision"),
    "disco_parseval_recall": Measure("recall", share, ("matched", "n_ref"), short="recall"),
    "disco_parseval_unlabeled_f1": Measure(
        "unlabelled F1", f1, ("unlabeled", "n_pred", "n_ref"), short="unlabeled_f1", **_ASIDE
    ),
    "disco_parseval_complete_match": Measure(
        "complete match", _same, ("complete",), short="complete_match", mean=True, **_ASIDE
    ),
    "disco_parseval_tagging_accuracy": Measure(
        "tagging accuracy", share, ("correct_tags", "words"), short="tagging_accuracy", **_ASIDE
    ),
    "disco_parseval_only_f1": Measure(
        "F1 of discontinuous brackets", _disc, _DISC, short="only_f1", **_ASIDE
    ),
    "disco_parseval_only_precision": Measure(
        "precision of discontinuous brackets", _disc, _DISC[:2], short="only_precision", **_ASIDE
    ),
    "disco_parseval_only_recall": Measure(
        "recall of discontinuous brackets", _disc, _DISC[::2], short="only_recall", **_ASIDE
    ),
}


class DiscoParseval(Metric):
    """Discontinuous ParsEval with fixed options; see the module for its rules.

    >>> gold, parsed = ["(S (VP (V is) (A rich)) (N John))"], ["(S (V is) (VP (A rich) (N John)))"]
    >>> DiscoParseval().corpus_score(parsed, gold).figures["disco_parseval_f1"]
    0.5

    Args:
        parameters: What is deleted and taken for the same: `Parameters`, a parameter file, or the name of a
            built-in set; by default `proper`.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "disco_parseval"
    title = "Discontinuous ParsEval"
    OPTIONS = OPTIONS
    MEASURES = MEASURES
    HANDLES_WORDS = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        values = self.options.as_dict()
        values["parameters"] = as_parameters(values["parameters"] or _DEFAULT)
        self.options = Options(values)

    @property
    def unit(self) -> None:
        """The unit is None, as words are compared by their places among others."""
        return None

    @property
    def signature(self) -> str:
        """What is deleted and taken for the same, and the version; `on_error` is told, too."""
        parameters = self.options.parameters._asdict()
        used = ("delete_labels", "delete_words", "equal_labels", "equal_words")
        told = {name: parameters[name] for name in used if parameters[name]}
        told["labeled"] = parameters["labeled"]
        return sign(self.name, {**told, "on_error": self.options.on_error})

    def undefined(self, unit: str) -> str:
        """Why the metric has no meaning for trees over that unit: it needs words."""
        return "it compares words, and trees over seconds need no common words" if unit == "time" else ""

    def counter(self) -> DiscoParsevalCounter:
        """A new counter; every thread has one of its own."""
        return DiscoParsevalCounter(self.options)
