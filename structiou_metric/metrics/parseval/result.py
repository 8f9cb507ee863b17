"""What ParsEval found: EVALB's counts for each sentence, and the figures that are made of them."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ...errors import TreeMismatchError
from ..base import ERROR, SKIPPED, Counts
from ..results import Result, figure
from ..sums import Sums
from .measures import MEASURES, SUMMARY

if TYPE_CHECKING:
    from ..tally import CorpusTally
    from .counter import Confusions
    from .parameters import Parameters

_CONFUSIONS = ("confusions", "tag_confusions")


class TooManyErrors(TreeMismatchError):
    """More errors than `MAX_ERROR` allows, at which EVALB stops.

    Attributes:
        result: What was found in the rows before, for which EVALB prints lines.
        output: The text of those lines, once the command has written it out.
    """

    output = ""

    def __init__(self, message: str, result: ParsevalScore | None = None) -> None:
        super().__init__(message)
        self.result = result


class Totals(NamedTuple):
    """The sums of a part of EVALB's summary. All shares are from 0 to 1, and 0 where there is nothing.

    >>> from structiou_metric.metrics.parseval.metric import parseval
    >>> totals = parseval(["(S (NP (A a)) (B b))"], ["(S (NP (A a)) (B b))"]).total
    >>> totals.matched, totals.n_ref, totals.f1
    (2, 2, 1.0)

    Attributes:
        n_sentences: The number of all sentences.
        n_errors: The number of sentences whose words differ, or that cannot be read.
        n_skipped: The number of sentences whose prediction has no words.
        matched: The number of brackets with a partner; this and all below is over the valid sentences.
        n_pred: The number of the predictions' brackets.
        n_ref: The number of the references' brackets.
        n_complete: The number of sentences in which all brackets have a partner.
        crossing: The number of predicted brackets that cross one of the reference.
        n_no_crossing: The number of sentences without such brackets.
        n_two_or_less_crossing: The number of sentences with at most two such brackets.
        words: The number of words that were compared.
        correct_tags: The number of words whose tags are the same.
        figures: The figures that are made of these, by their short names.
    """

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
    figures: Mapping[str, float]

    @property
    def n_valid(self) -> int:
        """The number of sentences that count."""
        return self.n_sentences - self.n_errors - self.n_skipped

    def __getattr__(self, name: str) -> float:
        """A figure such as `f1`, `complete_match` or `tagging_accuracy`."""
        if name in self.figures:
            return self.figures[name]
        raise AttributeError(name)

    def as_dict(self) -> dict[str, Any]:
        """The sums and the figures as plain numbers for JSON and logs."""
        sums = self._asdict()
        return {**sums.pop("figures"), "n_valid": self.n_valid, **sums}


_KEYS = {MEASURES[key].short: key for key in SUMMARY}


class ParsevalScore(Result):
    """What ParsEval found: EVALB's counts for each sentence, and the figures that are made of them.

    All columns are 0 where a sentence is not valid. Only the quirks of `compat` give a sentence two places in
    them.

    >>> from structiou_metric.metrics.parseval.metric import parseval
    >>> result = parseval(["(S (NP (A a)) (B b))", "()"], ["(S (VP (A a)) (B b))", "(S (A a))"])
    >>> result.f1, result.n_valid, result.n_skipped, result.confusions
    (0.5, 1, 1, {('VP', 'NP'): 1})

    Attributes:
        columns: The columns `length` (words of the reference without those that parameters except, EVALB's
            `Len.`), `matched` (brackets with a partner), `n_pred` and `n_ref` (brackets), `crossing`
            (predicted brackets that cross one of the reference), `words` (that were compared), `correct_tags`
            (words whose tags are the same), `unlabeled` (brackets with a partner whatever their labels), and
            `complete` (1 where all brackets have a partner).
        status: What became of each row: 0 valid, 1 error, 2 skipped, 3 an empty prediction that counts.
        stops_at: The row at which EVALB would have stopped for too many errors, or None.
    """

    f1: float = figure("parseval_f1", "Harmonic mean of precision and recall; 0 where both are 0.")
    precision: float = figure("parseval_precision", "Matched share of the predicted brackets.")
    recall: float = figure("parseval_recall", "Matched share of the reference's brackets.")
    complete_match: float = figure(
        "parseval_complete_match", "Share of the valid sentences in which all brackets have a partner."
    )
    average_crossing: float = figure("parseval_average_crossing", "Crossing brackets a valid sentence.")
    tagging_accuracy: float = figure("parseval_tagging_accuracy", "Share of words whose tags are the same.")

    _skipped_noun = "empty parse"
    _hides_skipped = False

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self.stops_at: int | None = None
        self._n_told = 0  # errors
        self._totals: dict[int | None, Totals] = {}
        self._confusions: tuple[Confusions, Confusions] | None = None

    def _add(self, first: int, counts: Counts) -> None:
        """Appends a batch, and says where EVALB stops."""
        super()._add(first, counts)
        if counts.extra is not None:
            self._confusions = self._confusions or (Tally(), Tally())
            for known, more in zip(self._confusions, counts.extra, strict=True):
                known.update(more)
        for row, message, is_error in counts.messages():
            self._n_told += is_error
            if is_error and self._n_told == self.parameters.max_error + 2:
                self.stops_at = row
                if self.metric.options.compat:
                    before = [place for place in range(len(self)) if self.rows[place] < row]
                    raise TooManyErrors(
                        f"{message}\nThis is error number {self._n_told}, at which EVALB stops (MAX_ERROR "
                        f"{self.parameters.max_error}); allow more, or leave compat out to count it and "
                        "go on",
                        self._cut_out(before, [self.rows[place] for place in before]),
                    )

    @property
    def parameters(self) -> Parameters:
        """What was deleted and taken for the same."""
        parameters: Parameters = self.metric.options.parameters
        return parameters

    def _take_labels(self, again: Self) -> None:
        """Take over what was counted with the labels, when these were asked for later."""
        super()._take_labels(again)
        self._confusions = again._confusions

    def _append(self, part: Result, *, shift: int) -> None:
        """Add the rows of another result, with what was confused if that is known of all rows."""
        known = not len(self) or self._confusions is not None
        super()._append(part, shift=shift)
        more = part._confusions if isinstance(part, ParsevalScore) else None
        if known and more is not None:
            self._confusions = self._confusions or (Tally(), Tally())
            for own, others in zip(self._confusions, more, strict=True):
                own.update(others)
        else:
            self._confusions = None

    @property
    def confusions(self) -> dict[tuple[str, str], int]:
        """How often brackets over the same words have which label in the reference, and in the prediction.

        They are those that have no partner, paired from the outermost in. The most frequent come first.
        Compares the trees again on first use if labels were not counted on the way.
        """
        return dict(self._mistaken()[0].most_common())

    @property
    def tag_confusions(self) -> dict[tuple[str, str], int]:
        """How often a word has which tag in the reference and which other one in the prediction."""
        return dict(self._mistaken()[1].most_common())

    def _mistaken(self) -> tuple[Confusions, Confusions]:
        if self._confusions is None:
            _ = self.by_label  # is counted together with them
        return self._confusions or (Tally(), Tally())

    def section(self, max_length: int | None = None) -> Totals:
        """The sums and figures of the sentences up to a length, or of all."""
        if max_length not in self._totals:
            self._totals[max_length] = self._add_up(max_length)
        return self._totals[max_length]

    def _add_up(self, max_length: int | None) -> Totals:
        sums = self._sums_up_to(max_length)
        figures = sums.figures
        no_crossing, two_or_less = (
            int(sums.means[f"parseval_{name}_crossing"][0]) for name in ("no", "two_or_less")
        )
        return Totals(
            len(sums),
            sums.states[ERROR],
            sums.states[SKIPPED],
            sums.total("matched"),
            sums.total("n_pred"),
            sums.total("n_ref"),
            sums.total("complete"),
            sums.total("crossing"),
            no_crossing,
            two_or_less,
            sums.total("words"),
            sums.total("correct_tags"),
            {name: figures[key] for name, key in _KEYS.items()},
        )

    def _sums_up_to(self, max_length: int | None) -> Sums:
        if max_length is None:
            return self._sums
        if max_length == self.parameters.cutoff:
            return self._section_sums("short")
        lengths = self.columns["length"]
        return Sums(self.metric, *self._cut([i for i in range(len(self)) if lengths[i] <= max_length]))

    def _sections(self) -> dict[str, Sequence[int]]:
        """The sentences up to the parameters' cutoff length."""
        cutoff = self.parameters.cutoff
        return {"short": [i for i, length in enumerate(self.columns["length"]) if length <= cutoff]}

    def _more_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """How many errors EVALB would tell; and what was confused, if labels were counted."""
        sums: dict[str, dict[tuple[str, ...], Any]] = {"errors": {("told",): self._n_told}}
        if self._confusions is not None:
            for name, known in zip(_CONFUSIONS, self._confusions, strict=True):
                sums[name] = {(wanted, got): n for (wanted, got), n in known.items()}
        return sums

    @classmethod
    def _of_tally(cls, tally: CorpusTally) -> Self:
        """The result that a tally amounts to, with what was confused if that was counted.

        It does not know at which row EVALB stops; with `compat` it is an error if that is before the last.
        """
        found = super()._of_tally(tally)
        if "confusions" in tally.more:
            found._confusions = Tally(), Tally()
            for name, known in zip(_CONFUSIONS, found._confusions, strict=True):
                known.update({(wanted, got): n for (wanted, got), n in tally.more[name].items()})
        found._n_told = sum(tally.more.get("errors", {}).values())
        if found._n_told >= found.parameters.max_error + 2 and found.metric.options.compat:
            raise TreeMismatchError(
                f"there are {found._n_told} errors among all rows, and EVALB stops at number "
                f"{found.parameters.max_error + 2} (MAX_ERROR {found.parameters.max_error}); allow more, or "
                "leave compat out to count them and go on"
            )
        return found

    @property
    def total(self) -> Totals:
        """The sums of all sentences."""
        return self.section()

    @property
    def short(self) -> Totals:
        """The sums of the sentences up to the parameters' cutoff length."""
        return self.section(self.parameters.cutoff)

    @property
    def n_valid(self) -> int:
        """The number of sentences that count; ParsEval says nothing about the others."""
        return self.n_counted

    def _counts(self) -> dict[str, Any]:
        """EVALB's sums, of all sentences and of those up to the cutoff length."""
        counts: dict[str, Any] = {
            name: value for name, value in self.total.as_dict().items() if name not in self.total.figures
        }
        counts["short"] = {"max_length": self.parameters.cutoff, **self.short.as_dict()}
        if self.stops_at is not None:
            counts["evalb_stops_at"] = self.stops_at
        return counts
