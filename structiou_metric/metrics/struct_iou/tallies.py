"""What STRUCT-IoU found of a pair, and of a label: facts that add up to those of a corpus."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base import COUNTED, ZEROED
from .measures import SUMS, node_score, node_share

if TYPE_CHECKING:
    from ..results import Result


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
        """The matched share of the prediction's nodes."""
        return 0.0 if self.failed else node_share(self.matched, self.n_pred, self.n_ref)

    @property
    def recall(self) -> float:
        """The matched share of the reference's nodes."""
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

    @property
    def score(self) -> float:
        """The score of the label: both masses over all nodes with it."""
        # Half of a double is exact, so this is their sum to the last bit.
        matched = 0.5 * (self.matched_pred + self.matched_ref)
        return float(node_score(matched, self.n_pred, self.n_ref))

    @property
    def precision(self) -> float:
        """The matched share of the predicted nodes with this label."""
        return float(node_share(self.matched_pred, self.n_pred, self.n_ref))

    @property
    def recall(self) -> float:
        """The matched share of the reference's nodes with this label."""
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
