"""The results of STRUCT-IoU for a corpus, a pair and a label, and the formulas of its figures."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..._core.flat import MASS_SCALE
from ..base import COUNTED, ZEROED, Measure, ratio
from ..results import Result, figure
from .losses import Losses, LossSums

if TYPE_CHECKING:
    from ..base import Counts
    from ..tally import CorpusTally


def node_score(matched: Any, n_pred: Any, n_ref: Any) -> Any:
    """STRUCT-IoU, twice the matched mass over all nodes; two empty trees agree."""
    return ratio(2.0 * matched, n_pred + n_ref, 1.0)


def loss_share(lost: Any, n_pred: Any, n_ref: Any) -> Any:
    """Return the part of 1 that STRUCT-IoU lacks because of some of the loss."""
    return ratio(lost, n_pred + n_ref, 0.0)


def node_share(matched: Any, nodes: Any, other_nodes: Any) -> Any:
    """Precision or recall, the matched share of a side; without nodes, 1 if the other has none either."""
    return ratio(matched, nodes, other_nodes == 0)


SUMS = ("matched", "n_pred", "n_ref")

# The counts of aligned texts, in words or characters, and their titles.
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


class CorpusScore(Result):
    """The result of `StructIoU.corpus_score`.

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

    _needs_a_counted_row = True
    _losses: Any = None  # `Losses`, or `LossSums` if the result has no rows
    sentence: float = figure("struct_iou_sentence", "Mean of the pairs' scores.")
    corpus: float = figure("struct_iou_corpus", "All matched IoU over all nodes.")
    precision: float = figure("struct_iou_precision", "All matched IoU over all predicted nodes.")
    recall: float = figure("struct_iou_recall", "All matched IoU over all reference nodes.")

    def _add(self, first: int, counts: Counts) -> None:
        """Append a batch, with its losses if they were counted."""
        super()._add(first, counts)
        if counts.extra is not None:
            self._losses = self._losses or Losses()
            self._losses.add(*counts.extra)

    def _append(self, part: Result, *, shift: int) -> None:
        """Add the rows of another result, with their losses if those of all rows are known."""
        known, more = not len(self) or self._losses is not None, getattr(part, "_losses", None)
        super()._append(part, shift=shift)
        if known and more is not None:
            self._losses = more.picked(()) if self._losses is None else self._losses
            self._losses.append(more)
        else:
            self._losses = None

    def _cut_out(self, places: Sequence[int], rows: Sequence[int]) -> Self:
        """Return some rows, with their losses if these are known; see `Result._cut_out`."""
        part = super()._cut_out(places, rows)
        if self._losses is not None:
            part._losses = self._losses.picked(places)
        return part

    def _more_sums(self) -> dict[str, dict[tuple[str, ...], Any]]:
        """Return the sums of losses by cause and by confusion, if they were counted."""
        return super()._more_sums() if self._losses is None else self._losses.exact_sums()

    @classmethod
    def _of_tally(cls, tally: CorpusTally) -> Self:
        """Return the result that a tally amounts to, with its losses if they were counted."""
        found = super()._of_tally(tally)
        if "losses" in tally.more:
            found._losses = LossSums(tally.more)
        return found

    @property
    def signature(self) -> str:
        """Return every option and the version; `max_cells` only if a pair needed more."""
        signature = super().signature
        max_cells = self.metric.options.max_cells
        if max_cells is None or self._sums.total("n_too_costly"):
            return signature
        return signature.replace(f"|max_cells:{max_cells}", "")

    def loss_share(self, lost: float) -> float:
        """Return the part of 1 that STRUCT-IoU at corpus level lacks because of some of the loss.

        Rows without any readable tree have no nodes to lose; their cost is in no such share.
        """
        sums = self._sums
        share = loss_share(lost, sums.total("n_pred"), sums.total("n_ref"))
        return float(share * sums.share_read)

    @property
    def losses(self) -> Losses:
        """Return the losses of each row by cause, and the confusions.

        Compares the trees again on first use if losses were not counted on the way, by a metric that is
        `StructIoU.explaining`.
        """
        if self._losses is None:
            if self._rerun is None:
                raise ValueError(
                    "the rows of this result cannot be read again; count losses on the way, with "
                    "StructIoU(…).explaining()"
                )
            metric: Any = self.metric
            self._losses = self._rerun(metric.explaining(), False).losses
        found: Losses = self._losses
        return found

    @property
    def sentences(self) -> Tallies:
        """Return a `Tally` for each scored pair."""
        return Tallies(self)

    def _counts(self) -> dict[str, Any]:
        """Return how many pairs there are of each kind, and how many nodes have no length.

        With aligned texts also how many words (characters) are the same on both sides, were replaced, and
        are on one side only.
        """
        counts = super()._counts()
        del counts["n_errors"]  # there are none: such pairs are scored as zero or skipped
        names = ("n_lengthless", *(name for name in TEXT_COLUMNS if name in self._sums.totals))
        return counts | {name: self._sums.total(name) for name in names}


class Tally(NamedTuple):
    """The facts of one pair, which add up to those of a corpus.

    >>> from structiou_metric import StructIoU
    >>> result = StructIoU().corpus_score(["(S (A a) (B b))"], ["(S (A a) (C b))"])
    >>> result.sentences[0]
    Tally(matched=2.0, n_pred=3, n_ref=3, failed=False)
    >>> round(result.sentences[0].recall, 4)
    0.6667

    Attributes:
        matched: The sum of the IoUs of the aligned nodes.
        n_pred: The number of the prediction's nodes.
        n_ref: The number of the reference's nodes.
        failed: Whether the pair could not be compared and counts as 0.
    """

    matched: float
    n_pred: int
    n_ref: int
    failed: bool = False

    @property
    def score(self) -> float:
        """STRUCT-IoU of the pair; two empty trees agree."""
        return 0.0 if self.failed else node_score(self.matched, self.n_pred, self.n_ref)

    @property
    def precision(self) -> float:
        """Return the matched share of the prediction's nodes."""
        return 0.0 if self.failed else node_share(self.matched, self.n_pred, self.n_ref)

    @property
    def recall(self) -> float:
        """Return the matched share of the reference's nodes."""
        return 0.0 if self.failed else node_share(self.matched, self.n_ref, self.n_pred)


class LabelTally(NamedTuple):
    """The facts of one label; its two masses differ only where nodes with different labels may align.

    >>> from structiou_metric import StructIoU
    >>> result = StructIoU().corpus_score(["(S (A a) (B b))"], ["(S (A a) (A b))"])
    >>> round(result.by_label["A"].score, 4), result.by_label["A"].n_ref
    (0.6667, 2)

    Attributes:
        matched_pred: The sum of the IoUs of the aligned predicted nodes with this label.
        matched_ref: The sum of the IoUs of the aligned reference nodes with this label.
        n_pred: The number of the predictions' nodes with this label.
        n_ref: The number of the references' nodes with this label.
    """

    matched_pred: float
    matched_ref: float
    n_pred: int
    n_ref: int

    @classmethod
    def of_sums(cls, mass_pred: int, mass_ref: int, n_pred: int, n_ref: int) -> LabelTally:
        """Return the facts of a label from its exact sums, with masses in units of `2 ** -MASS_SCALE`."""
        unit = 1 << MASS_SCALE
        return cls(mass_pred / unit, mass_ref / unit, n_pred, n_ref)  # rounded once

    @property
    def score(self) -> float:
        """Return the score of the label: both masses over all nodes with it."""
        # Half of a double is exact, so this is their sum to the last bit.
        matched = 0.5 * (self.matched_pred + self.matched_ref)
        return float(node_score(matched, self.n_pred, self.n_ref))

    @property
    def precision(self) -> float:
        """Return the matched share of the predicted nodes with this label."""
        return float(node_share(self.matched_pred, self.n_pred, self.n_ref))

    @property
    def recall(self) -> float:
        """Return the matched share of the reference's nodes with this label."""
        return float(node_share(self.matched_ref, self.n_ref, self.n_pred))


class Tallies(Sequence[Tally]):
    """The tallies of the pairs that count, without skipped ones; a view of a result's columns."""

    __slots__ = ("_places", "_result")

    def __init__(self, result: Result) -> None:
        self._result = result
        self._places: Sequence[int] = range(len(result))
        if result.n_counted < len(result):
            self._places = array("q", (i for i in self._places if result.status[i] in COUNTED))

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        at = self._places[i]
        matched, n_pred, n_ref = (self._result.columns[name][at] for name in SUMS)
        return Tally(matched, n_pred, n_ref, self._result.status[at] == ZEROED)

    def scores(self) -> list[float]:
        """STRUCT-IoU of each pair."""
        return [value for value in self._result.values("struct_iou_sentence") if value is not None]
