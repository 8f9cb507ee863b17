"""The result of ParsEval: EVALB's counts for each sentence, and the figures that are made of them."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

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
_SUMS = ("matched", "n_pred", "n_ref", "crossing", "words", "correct_tags")


class TooManyErrors(TreeMismatchError):
    """More errors than `MAX_ERROR` allows, at which EVALB stops.

    Attributes:
        result: The result of the rows before, for which EVALB prints lines.
        output: The text of those lines, once the command has written it.
    """

    output = ""

    def __init__(self, message: str, result: ParsevalScore | None = None) -> None:
        super().__init__(message)
        self.result = result


class ParsevalScore(Result):
    """The result of ParsEval: EVALB's counts for each sentence, and the figures that are made of them.

    All columns are 0 where a sentence is not valid. Each sentence has one place in the columns, except that
    with the variant `spmrl` and `compat` some sentences are counted twice, as EVALB_SPMRL does.

    >>> from structiou_metric.metrics.parseval.metric import parseval
    >>> result = parseval(["(S (NP (A a)) (B b))", "()"], ["(S (VP (A a)) (B b))", "(S (A a))"])
    >>> result.f1, result.n_valid, result.n_skipped, result.confusions
    (0.5, 1, 1, {('VP', 'NP'): 1})

    Attributes:
        columns: The columns `length` (words of the reference without those that the parameters exclude from
            the length, EVALB's `Len.`), `matched` (brackets with a partner), `n_pred` and `n_ref` (brackets),
            `crossing` (predicted brackets that cross one of the reference), `words` (words that were
            compared), `correct_tags` (words whose tags are the same), `unlabeled` (brackets with a partner if
            labels are not compared), and `complete` (1 where all brackets have a partner).
        status: The status of each row: 0 valid, 1 error, 2 skipped, 3 an empty prediction that counts.
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
        self._n_reported = 0  # errors
        self._confusions: tuple[Confusions, Confusions] | None = None

    def _add(self, first: int, counts: Counts) -> None:
        """Append a batch, and find the row at which EVALB stops."""
        super()._add(first, counts)
        self._add_confusions(counts.extra)
        for row, message, is_error in counts.messages():
            self._n_reported += is_error
            if is_error and self._n_reported == self.parameters.max_error + 2:
                self.stops_at = row
                if self.metric.options.compat:
                    before = [place for place in range(len(self)) if self.rows[place] < row]
                    raise TooManyErrors(
                        f"{message}\nThis is error number {self._n_reported}, at which EVALB stops "
                        f"(MAX_ERROR {self.parameters.max_error}); allow more, or leave compat "
                        "out to count it and go on",
                        self._cut_out(before, [self.rows[place] for place in before]),
                    )

    def _append(self, part: Result, *, shift: int) -> None:
        """Add the rows of another result, with their confusions if those of all rows are known."""
        known = not len(self) or self._confusions is not None
        super()._append(part, shift=shift)
        more = part._confusions if isinstance(part, ParsevalScore) else None
        if known and more is not None:
            self._add_confusions(more)
        else:
            self._confusions = None

    def _add_confusions(self, more: tuple[Confusions, Confusions] | None) -> None:
        """Add confusions of labels and of tags, if they were counted."""
        if more is not None:
            self._confusions = self._confusions or (Tally(), Tally())
            for known, new in zip(self._confusions, more, strict=True):
                known.update(new)

    @property
    def parameters(self) -> Parameters:
        """The parameters: what was deleted and taken for the same."""
        parameters: Parameters = self.metric.options.parameters
        return parameters

    # ---- confusions ----------------------------------------------------------------------------

    def _take_labels(self, again: Self) -> None:
        """Take over the confusions, which are counted together with labels."""
        super()._take_labels(again)
        self._confusions = again._confusions

    @property
    def confusions(self) -> dict[tuple[str, str], int]:
        """The labels of brackets over the same words that are not the same, and how often they occur.

        The label of the reference comes first, then that of the prediction. These are brackets without a
        partner, paired from the outermost in; the most frequent pairs come first. The trees are compared
        again on first use if labels were not counted.
        """
        return dict(self._counted_confusions()[0].most_common())

    @property
    def tag_confusions(self) -> dict[tuple[str, str], int]:
        """The tags of words that are not the same, and how often they occur; that of the reference first."""
        return dict(self._counted_confusions()[1].most_common())

    def _counted_confusions(self) -> tuple[Confusions, Confusions]:
        if self._confusions is None:
            _ = self.by_label  # is counted together with them
        return self._confusions or (Tally(), Tally())

    # ---- the parts of EVALB's summary ----------------------------------------------------------

    @property
    def total(self) -> dict[str, Any]:
        """The sums and figures of all sentences; see `section`."""
        return self.section()

    @property
    def short(self) -> dict[str, Any]:
        """The sums and figures of the sentences up to the cutoff length of the parameters; see `section`."""
        return self.section(self.parameters.cutoff)

    def section(self, max_length: int | None = None) -> dict[str, Any]:
        """Return the sums and figures of the sentences up to a length, or of all: a part of EVALB's summary.

        >>> from structiou_metric.metrics.parseval.metric import parseval
        >>> total = parseval(["(S (NP (A a)) (B b))"], ["(S (NP (A a)) (B b))"]).section()
        >>> total["matched"], total["n_ref"], total["n_complete"], total["f1"]
        (2, 2, 1, 1.0)
        """
        sums = self._sums_up_to(max_length)
        figures = sums.figures
        no_crossing, two_or_less = (
            int(sums.means[f"parseval_{name}_crossing"][0]) for name in ("no", "two_or_less")
        )
        return {
            **{MEASURES[key].short: figures[key] for key in SUMMARY},
            "n_valid": sums.n_counted,
            "n_sentences": len(sums),
            "n_errors": sums.states[ERROR],
            "n_skipped": sums.states[SKIPPED],
            **{name: sums.total(name) for name in _SUMS},
            "n_complete": sums.total("complete"),
            "n_no_crossing": no_crossing,
            "n_two_or_less_crossing": two_or_less,
        }

    def _sums_up_to(self, max_length: int | None) -> Sums:
        if max_length is None:
            return self._sums
        if max_length == self.parameters.cutoff:
            return self._section_sums("short")
        lengths = self.columns["length"]
        return Sums(self.metric, *self._cut([i for i in range(len(self)) if lengths[i] <= max_length]))

    def _sections(self) -> dict[str, Sequence[int]]:
        """Return the sentences up to the cutoff length of the parameters."""
        cutoff = self.parameters.cutoff
        return {"short": [i for i, length in enumerate(self.columns["length"]) if length <= cutoff]}

    @property
    def n_valid(self) -> int:
        """The number of sentences that count."""
        return self.n_counted

    def _counts(self) -> dict[str, Any]:
        """Return EVALB's sums, of all sentences and of those up to the cutoff length."""
        shorts = {MEASURES[key].short for key in SUMMARY}
        counts = {name: value for name, value in self.total.items() if name not in shorts}
        counts["short"] = {"max_length": self.parameters.cutoff, **self.short}
        if self.stops_at is not None:
            counts["evalb_stops_at"] = self.stops_at
        return counts

    # ---- tallies -------------------------------------------------------------------------------

    def _more_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """Return the number of errors that EVALB reports, and the confusions if labels were counted."""
        sums: dict[str, dict[tuple[str, ...], Any]] = {"errors": {("reported",): self._n_reported}}
        if self._confusions is not None:
            for name, known in zip(_CONFUSIONS, self._confusions, strict=True):
                sums[name] = {(wanted, got): n for (wanted, got), n in known.items()}
        return sums

    @classmethod
    def _of_tally(cls, tally: CorpusTally) -> Self:
        """Return the result of a tally, with the confusions if they were counted.

        It does not know at which row EVALB stops; with `compat` it is an error if that is before the last.
        """
        found = super()._of_tally(tally)
        if "confusions" in tally.more:
            found._confusions = Tally(), Tally()
            for name, known in zip(_CONFUSIONS, found._confusions, strict=True):
                known.update({(wanted, got): n for (wanted, got), n in tally.more[name].items()})
        found._n_reported = sum(tally.more.get("errors", {}).values())
        if found._n_reported >= found.parameters.max_error + 2 and found.metric.options.compat:
            raise TreeMismatchError(
                f"there are {found._n_reported} errors among all rows, and EVALB stops at number "
                f"{found.parameters.max_error + 2} (MAX_ERROR {found.parameters.max_error}); allow more, or "
                "leave compat out to count them and go on"
            )
        return found
