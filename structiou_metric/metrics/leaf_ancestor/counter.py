"""The way from trees that were read to the column of leaf-ancestor."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..._core.ancestors import AncestorScorer
from ..._core.flat import FlatNodes
from ...errors import TreeMismatchError
from ...wording import count
from ..base import EMPTY, SKIPPED, ZEROED, Counter, Counts, Options
from ..batch import Batch
from ..selection import Selection

if TYPE_CHECKING:
    from ...sources.rows import Problems


_CURE = "leaf-ancestor needs as many words on both sides, cut the same"
_CURES = {"tokens": _CURE, "text": _CURE}


class LeafAncestorCounter(Counter):
    """Scores batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        self._on_error: str = options.on_error
        self._selection = Selection("word", options.labels, "strict", options.drop)
        self._scorer = AncestorScorer()
        self._nodes = FlatNodes(), FlatNodes()

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The score of each pair."""
        problems = self.check(batch)
        scores = self._scorer.score(*self._nodes)
        status = bytearray(len(batch))
        for t, (n_pred, n_ref) in enumerate(zip(*(nodes.counts() for nodes in self._nodes), strict=True)):
            if n_ref and not n_pred:
                status[t] = EMPTY
        for row in problems:
            scores[row - batch.first] = 0.0
            status[row - batch.first] = SKIPPED if self._on_error == "skip" else ZEROED
        return Counts({"score": scores}, status, problems)

    def check(self, batch: Batch) -> Problems:
        """The errors that keep rows from being compared, found without comparing them."""
        self._selection.select_sides(batch, self._nodes)
        problems = dict(batch.problems)
        for t in range(len(batch)):
            pred, ref = (int(nodes.extent_of(t)) for nodes in self._nodes)
            if pred != ref and pred and ref:
                prediction, reference = batch.names(t)
                error = TreeMismatchError(
                    f"{prediction} has {count(pred, 'word')} and {reference} has {count(ref, 'word')}; "
                    + self._selection.explain_lengths(batch, t, _CURES, "word")
                )
                problems.setdefault(batch.first + t, error)
        return problems
