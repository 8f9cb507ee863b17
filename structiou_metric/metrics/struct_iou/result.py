"""What STRUCT-IoU found: the figures of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from ..results import Result
from ..sums import figure, share_read
from .measures import TEXT_COLUMNS, loss_share

if TYPE_CHECKING:
    from ..base import BaseMetric, Counts, Labels
    from ..tally import CorpusTally
    from .losses import Losses
    from .tallies import Tallies


class CorpusScore(Result):
    """What `StructIoU.corpus_score` found.

    >>> from structiou_metric import StructIoU
    >>> predictions, references = ["(S (A a) (B b))", "()"], ["(S (A a) (C b))", "(S (A a))"]
    >>> score = StructIoU().corpus_score(predictions, references)
    >>> round(score.sentence, 4), score.corpus, score.precision, score.recall, score.n_empty
    (0.3333, 0.5, 0.6666666666666666, 0.4, 1)

    Attributes:
        n_zeroed: The number of pairs that could not be compared and count as 0.
        n_skipped: The number of pairs that could not be compared and were left out.
        n_empty: The number of failed parses: pairs whose prediction is empty although the reference is not.
        signature: Every option and the version.
    """

    sentence: float = figure("struct_iou_sentence", "Mean of the pairs' scores.")
    corpus: float = figure("struct_iou_corpus", "All matched IoU over all nodes.")
    precision: float = figure("struct_iou_precision", "All matched IoU over all predicted nodes.")
    recall: float = figure("struct_iou_recall", "All matched IoU over all reference nodes.")

    def __init__(self, metric: BaseMetric) -> None:
        super().__init__(metric)
        self._losses: Any = None  # `Losses`, or `LossSums` where there are no rows
        self._parts: Sequence[CorpusScore] = ()

    def add(self, first: int, counts: Counts) -> None:
        """Appends a batch, with its losses if they were counted."""
        super().add(first, counts)
        if counts.extra is not None:
            from .losses import Losses

            self._losses = self._losses or Losses()
            self._losses.add(*counts.extra)

    def append(self, part: Result, *, shift: int) -> None:
        """Adds the rows of another result, with their losses if those of all rows are known."""
        known, more = not len(self) or self._losses is not None, getattr(part, "_losses", None)
        super().append(part, shift=shift)
        if known and more is not None:
            self._losses = more.picked(()) if self._losses is None else self._losses
            self._losses.append(more)
        else:
            self._losses = None

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """The result over all rows of several, in order; rows are numbered on."""
        parts = list(parts)
        whole = super().joined(parts)
        whole._parts = parts
        return whole

    def cut_out(self, places: Sequence[int], rows: Sequence[int]) -> Self:
        """Some rows, with their losses if these are known; see `Result.cut_out`."""
        part = super().cut_out(places, rows)
        if self._losses is not None:
            part._losses = self._losses.picked(places)
        return part

    def more_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """What is lost by each cause, and by what was confused, if that was counted."""
        return super().more_sums() if self._losses is None else self._losses.exact_sums()

    @classmethod
    def of_tally(cls, tally: CorpusTally) -> Self:
        """The result that a tally amounts to, with its losses if they were counted."""
        found = super().of_tally(tally)
        if "losses" in tally.more:
            from .losses import LossSums

            found._losses = LossSums(tally.more)
        return found

    @property
    def signature(self) -> str:
        """Every option and the version; `max_cells` only if a pair needed more."""
        signature = super().signature
        max_cells = self.metric.options.max_cells
        if max_cells is None or self.sums.total("n_too_costly"):
            return signature
        return signature.replace(f"|max_cells:{max_cells}", "")

    def loss_share(self, lost: float) -> float:
        """Return what STRUCT-IoU at corpus level lacks of 1 because of some of the loss.

        Rows of which neither tree could be read have no nodes to lose; what they cost is in no such share.
        """
        share = loss_share(lost, self.sums.total("n_pred"), self.sums.total("n_ref"))
        return float(share * share_read(self.sums))

    @property
    def losses(self) -> Losses:
        """What is lost in each row by which cause, and what was confused.

        Compares the trees again on first use if losses were not counted on the way, by a metric that is
        `StructIoU.explaining`.
        """
        if self._losses is None and self._parts:
            first, *others = (part.losses for part in self._parts)
            self._losses = first.picked(range(len(first)))
            for losses in others:
                self._losses.append(losses)
        if self._losses is None:
            if self.rerun is None:
                raise ValueError(
                    "the rows of this result cannot be read again; count losses on the way, with "
                    "StructIoU(…).explaining()"
                )
            metric: Any = self.metric
            self._losses = self.rerun(metric.explaining()).losses
        found: Losses = self._losses
        return found

    def finish(self, recount: Callable[[], Labels] | None) -> None:
        """Refuses a score of nothing but skipped pairs."""
        super().finish(recount)
        if not self.n_counted:
            told = f"; the first: {self.problems[0][1]}" if self.problems else ""
            raise ValueError(f"all {len(self)} pairs were skipped{told}")

    @property
    def sentences(self) -> Tallies:
        """A `Tally` for each scored pair."""
        from .tallies import Tallies

        return Tallies(self)

    @property
    def n_lengthless(self) -> int:
        """The number of nodes left out because they have no words, characters or seconds."""
        return int(self.sums.total("n_lengthless"))

    def tell_counts(self) -> dict[str, int]:
        """How many pairs were scored, zeroed, skipped and empty, and how many nodes have no length.

        With aligned texts also how many words (characters) are the same on both sides, were replaced, and
        are on one side only.
        """
        counts = super().tell_counts()
        del counts["n_errors"]  # there are none: such pairs are zeroed or skipped
        counts["n_lengthless"] = self.n_lengthless
        return counts | {name: self.sums.total(name) for name in TEXT_COLUMNS if name in self.sums}

    def tell_texts(self) -> dict[str, int]:
        """How many words (characters) of aligned texts are the same, replaced, and on one side, by title."""
        noun = "characters" if self.metric.unit == "char" else "words"
        told = self.tell_counts()
        return {f"{noun} {title}": told[name] for name, title in TEXT_COLUMNS.items() if name in told}
