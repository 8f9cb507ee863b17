"""From aligned batches to the loss by each cause."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from ..._core.align import Aligner
from ..._core.causes import Causes
from ..._core.flat import FlatNodes
from ..._core.pair_places import PairPlaces
from ...trees.labels import base_label
from ..base import Batch, Options
from ..selection import Selection
from .losses import CAUSES

if TYPE_CHECKING:
    Sides = tuple[FlatNodes, FlatNodes]
    # Columns by cause, and confusions: row, cause, both labels, loss.
    LossCounts = tuple[dict[str, array[float]], list[tuple[int, int, str, str, float]]]

_NOT_ALIGNED = 255  # in the place of the order of a pair that could not be compared


class Explainer:
    """Aligns batches in an order that does not know the sides, and finds the cause of each loss.

    Args:
        options: The options of the metric.
        selection: The selection of nodes.
        aligner: The aligner of the same options.

    Attributes:
        too_large: Why this machine has not enough memory for a pair of the last batch, by the pair.
    """

    def __init__(self, options: Options, selection: Selection, aligner: Aligner) -> None:
        self._options = options
        self._selection = selection
        self._aligner = aligner
        self.too_large: dict[int, str] = {}
        self._timed = options.unit == "time"
        self._places = PairPlaces(self._timed)
        self._causes = Causes(self._places, options.terminals == "flexible", options.terminals == "exclude")
        self._over_words = FlatNodes(), FlatNodes()

    def partners(self, sides: Sides) -> tuple[array[int], array[int]]:
        """Return the place of the partner on the other side, or -1, for each node of both sides."""
        self.too_large = {}
        found: tuple[array[int], array[int]] = self._link(sides, self._find_order(sides))
        return found

    def explain(self, batch: Batch, sides: Sides, failed: bytes) -> None:
        """Find the causes of all pairs; `failed` has a byte for each, not 0 where it is not compared."""
        turned = self._find_order(sides)
        for t, is_failed in enumerate(failed):
            if is_failed:
                turned[t] = _NOT_ALIGNED  # aligning it may take longer than `max_cells` allows
        self.too_large = {}
        partners = word_partners = self._link(sides, turned)
        trees = batch.predictions, batch.references
        words: Any = ()
        by_words: Any = bytes(len(batch))
        if self._timed:
            words = [self._selection.kept_words(own, batch.labels) for own in trees]
            by_words = self._places.find_equally_long(words[0][0], words[1][0], len(batch))
            for nodes, own, (offsets, places), out in zip(sides, trees, words, self._over_words, strict=True):
                self._places.fill_words(nodes, own, offsets, places, out)
            pairs = zip(by_words, turned, strict=False)
            marks = bytearray(
                turn if turn == _NOT_ALIGNED else 2 * bool(plain) + turn for plain, turn in pairs
            )
            word_partners = self._link(self._over_words, marks, 2)
        prediction, reference = zip(sides, trees, partners, word_partners, strict=True)
        self._causes.explain(prediction, reference, failed, words, by_words)

    def sums(self, batch: Batch, skip: bytes) -> LossCounts:
        """Return the losses of the batch that was explained, without pairs that have a 1 in `skip`."""
        sums = self._causes.sums(bytearray(skip or b"\0"))
        step = len(CAUSES) + 1
        columns = {cause: sums[i : len(batch) * step : step] for i, cause in enumerate(CAUSES, 1)}
        found = self._causes.confusions(skip)
        ids = {label for _, _, *both, _ in found for label in both}
        names = {label: self._name(batch.labels[label]) for label in ids}
        confused = [
            (row, cause, names[predicted], names[wanted], loss)
            for row, cause, predicted, wanted, loss in found
        ]
        return columns, confused

    def losses(self) -> list[tuple[bool, int, str, float, int]]:
        """Return the nodes of the first pair that was explained which are lost; see `Causes.losses`."""
        names = list(CAUSES)
        return [
            (predicted, node, names[cause - 1], loss, other)
            for predicted, node, cause, loss, other in self._causes.losses()
        ]

    def _name(self, label: str) -> str:
        return base_label(label) if self._options.labels == "base" else label

    def _find_order(self, sides: Sides) -> array[int]:
        found: array[int] = self._places.find_order(*sides, self._selection.class_ranks())
        return found

    def _link(self, sides: Sides, marks: Any, mark: int = 0) -> Any:
        """Find partners: pairs marked `mark` are aligned as they are, those marked one more swapped."""
        partners = tuple(array("i", [-1]) * max(sum(nodes.counts()), 1) for nodes in sides)
        self._aligner.link(*sides, *partners, marks, mark)
        self.too_large |= self._aligner.too_large
        self._aligner.link(*sides[::-1], *partners[::-1], marks, mark + 1)
        self.too_large |= self._aligner.too_large
        return partners
