"""What ParsEval found: a column for each count, and the figures that are made of them."""

from __future__ import annotations

from array import array
from collections import namedtuple
from collections.abc import Iterator, Sequence

from ..._core.bracket_counts import COUNTED, ERROR, SKIPPED, VALID
from .parameters import Parameters

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

# Statuses by the numbers that EVALB prints; the last is that of EVALB_SPMRL's option -X.
STATUSES = {VALID: "valid", ERROR: "error", SKIPPED: "skipped", COUNTED: "empty"}


# The columns of a score, in the order in which they are counted.
COLUMNS = ("length", "status", "matched", "n_pred", "n_ref", "crossing", "words", "correct_tags")


def _ratio(part: int, whole: int) -> float:
    """`part / whole`, and 0 of nothing, as in EVALB."""
    return part / whole if whole else 0.0


class Totals(
    namedtuple(
        "Totals",
        (
            "n_sentences",
            "n_errors",
            "n_skipped",
            "matched",
            "n_pred",
            "n_ref",
            "n_complete",
            "crossing",
            "n_no_crossing",
            "n_two_or_less_crossing",
            "words",
            "correct_tags",
        ),
    )
):
    """The sums of a part of EVALB's summary. All shares are from 0 to 1, and 0 where there is nothing.

    Attributes:
        n_sentences: All sentences.
        n_errors: Those whose words differ, or that cannot be read.
        n_skipped: Those whose prediction has no words.
        matched: Brackets with a partner; this and all below over the valid sentences.
        n_pred: Brackets of the predictions.
        n_ref: Brackets of the references.
        n_complete: Sentences in which all brackets have a partner.
        crossing: Predicted brackets that cross one of the reference.
        n_no_crossing: Sentences without such.
        n_two_or_less_crossing: Sentences with two such or less.
        words: Words that were compared.
        correct_tags: Those whose tags are the same.
    """

    __slots__ = ()

    n_sentences: int
    n_errors: int
    n_skipped: int
    matched: int
    n_pred: int
    n_ref: int
    n_complete: int
    crossing: int
    n_no_crossing: int
    n_two_or_less_crossing: int
    words: int
    correct_tags: int

    @property
    def n_valid(self) -> int:
        """Sentences that count."""
        return self.n_sentences - self.n_errors - self.n_skipped

    @property
    def precision(self) -> float:
        """Matched share of the predicted brackets."""
        return _ratio(self.matched, self.n_pred)

    @property
    def recall(self) -> float:
        """Matched share of the reference's brackets."""
        return _ratio(self.matched, self.n_ref)

    @property
    def f1(self) -> float:
        """Harmonic mean of both; 0 where both are 0, of which EVALB says `nan`."""
        return _ratio(2 * self.matched, self.n_pred + self.n_ref)

    @property
    def complete_match(self) -> float:
        """Share of the valid sentences in which all brackets have a partner."""
        return _ratio(self.n_complete, self.n_valid)

    @property
    def average_crossing(self) -> float:
        """Crossing brackets a valid sentence."""
        return _ratio(self.crossing, self.n_valid)

    @property
    def no_crossing(self) -> float:
        """Share of the valid sentences without crossing brackets."""
        return _ratio(self.n_no_crossing, self.n_valid)

    @property
    def two_or_less_crossing(self) -> float:
        """Share of the valid sentences with two crossing brackets or less."""
        return _ratio(self.n_two_or_less_crossing, self.n_valid)

    @property
    def tagging_accuracy(self) -> float:
        """Share of the words whose tags are the same."""
        return _ratio(self.correct_tags, self.words)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON and logs."""
        figures = ("f1", "precision", "recall", "complete_match", "average_crossing", "no_crossing")
        names = (*figures, "two_or_less_crossing", "tagging_accuracy", "n_valid")
        return {**{name: getattr(self, name) for name in names}, **self._asdict()}


class ParsevalScore:
    """What `parseval` found.

    The columns have a number for each sentence, in order; all counts are 0 where a sentence is not valid,
    so their sums are those of the valid sentences.

    Attributes:
        length: Words of the reference, without those that parameters except (EVALB's `Len.`).
        status: 0 valid, 1 error, 2 skipped, 3 an empty prediction that counts.
        matched: Brackets with a partner.
        n_pred: Brackets of the prediction.
        n_ref: Brackets of the reference.
        crossing: Predicted brackets that cross one of the reference.
        words: Words that were compared.
        correct_tags: Those whose tags are the same.
        rows: The number of the sentence in the input, from 0. Only the quirks of `compat` give a sentence
            two places in the columns.
        problems: Row and message of every sentence that is not plainly valid.
        parameters: What was deleted and taken for the same.
        variant: `evalb` or `spmrl`.
        count_empty: Whether empty predictions count.
        compat: Whether quirks were reproduced.
        stops_at: The row at which EVALB would have stopped for too many errors, or None.
        signature: Every setting and the version.
        total: The sums of all sentences.
        short: The sums of those up to the cutoff length.
    """

    def __init__(self, parameters: Parameters, variant: str, *, count_empty: bool, compat: bool) -> None:
        self.parameters = parameters
        self.variant = variant
        self.count_empty = count_empty
        self.compat = compat
        self.signature = parameters.signature(variant=variant, count_empty=count_empty, compat=compat)
        self.problems: list[tuple[int, str]] = []
        self.stops_at: int | None = None
        self.length = array("i")
        self.status = array("i")
        self.matched = array("i")
        self.n_pred = array("i")
        self.n_ref = array("i")
        self.crossing = array("i")
        self.words = array("i")
        self.correct_tags = array("i")
        self.rows = array("q")
        self._totals: dict[int | None, Totals] = {}

    def __len__(self) -> int:
        return len(self.status)

    def section(self, max_length: int | None = None) -> Totals:
        """The sums of the sentences up to a length, or of all."""
        if max_length not in self._totals:
            self._totals[max_length] = self._add_up(max_length)
        return self._totals[max_length]

    def _add_up(self, max_length: int | None) -> Totals:
        names = ("status", "matched", "n_pred", "n_ref", "crossing", "words", "correct_tags")
        columns: list[Sequence[int]] = [getattr(self, name) for name in names]
        if max_length is not None:
            chosen = [i for i, length in enumerate(self.length) if length <= max_length]
            columns = [[column[i] for i in chosen] for column in columns]
        status, matched, n_pred, n_ref, crossing, words, correct_tags = columns
        complete = (VALID, COUNTED) if self.compat else (VALID,)  # an empty parse is no complete match
        valid = [c for s, c in zip(status, crossing, strict=True) if s in (VALID, COUNTED)]
        return Totals(
            len(status),
            sum(s == ERROR for s in status),
            sum(s == SKIPPED for s in status),
            sum(matched),
            sum(n_pred),
            sum(n_ref),
            sum(
                m == p == r and s in complete
                for s, m, p, r in zip(status, matched, n_pred, n_ref, strict=True)
            ),
            sum(valid),
            valid.count(0),
            sum(c <= 2 for c in valid),
            sum(words),
            sum(correct_tags),
        )

    @property
    def total(self) -> Totals:
        """The sums of all sentences."""
        return self.section()

    @property
    def short(self) -> Totals:
        """The sums of the sentences up to the parameters' cutoff length."""
        return self.section(self.parameters.cutoff)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall over all valid sentences; 0 where both are 0."""
        return self.total.f1

    @property
    def precision(self) -> float:
        """Matched share of the predicted brackets."""
        return self.total.precision

    @property
    def recall(self) -> float:
        """Matched share of the reference's brackets."""
        return self.total.recall

    @property
    def complete_match(self) -> float:
        """Share of the valid sentences in which all brackets have a partner."""
        return self.total.complete_match

    @property
    def average_crossing(self) -> float:
        """Crossing brackets a valid sentence."""
        return self.total.average_crossing

    @property
    def no_crossing(self) -> float:
        """Share of the valid sentences without crossing brackets."""
        return self.total.no_crossing

    @property
    def two_or_less_crossing(self) -> float:
        """Share of the valid sentences with two crossing brackets or less."""
        return self.total.two_or_less_crossing

    @property
    def tagging_accuracy(self) -> float:
        """Share of the words whose tags are the same."""
        return self.total.tagging_accuracy

    @property
    def n_valid(self) -> int:
        """Sentences that count; ParsEval says nothing about the others."""
        return self.total.n_valid

    @property
    def n_errors(self) -> int:
        """Sentences whose words differ, or that cannot be read."""
        return self.total.n_errors

    @property
    def n_skipped(self) -> int:
        """Sentences whose prediction has no words."""
        return self.total.n_skipped

    def as_dict(self, *, per_sentence: bool = False) -> dict[str, Any]:
        """Plain numbers for JSON and logs."""
        result: dict[str, Any] = {
            **self.total.as_dict(),
            "short": {"max_length": self.parameters.cutoff, **self.short.as_dict()},
            "signature": self.signature,
        }
        if self.problems:
            result["problems"] = [{"index": row, "message": message} for row, message in self.problems]
        if self.stops_at is not None:
            result["evalb_stops_at"] = self.stops_at
        if per_sentence:
            result["sentences"] = list(self.sentences())
        return result

    def sentences(self) -> Iterator[dict[str, Any]]:
        """One dict for each sentence."""
        for i, row in enumerate(self.rows):
            yield {
                "index": row,
                "length": self.length[i],
                "status": STATUSES[self.status[i]],
                "precision": _ratio(self.matched[i], self.n_pred[i]),
                "recall": _ratio(self.matched[i], self.n_ref[i]),
                "f1": _ratio(2 * self.matched[i], self.n_pred[i] + self.n_ref[i]),
                "matched": self.matched[i],
                "n_pred": self.n_pred[i],
                "n_ref": self.n_ref[i],
                "crossing": self.crossing[i],
                "words": self.words[i],
                "correct_tags": self.correct_tags[i],
            }

    def __repr__(self) -> str:
        return (
            f"<ParsevalScore f1 {self.f1:.4f}, {self.n_valid} valid of {len(self)} sentences, "
            f"{self.signature}>"
        )
