"""The way from trees that were read to STRUCT-IoU's columns: select what counts, align, word the problems."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..._core.align import Aligner
from ..._core.flat import FlatNodes, doubles
from ...errors import TreeMismatchError
from ...trees.labels import base_label
from ...wording import count
from ..base import EMPTY, SKIPPED, ZEROED, Batch, Counter, Counts, Options
from ..results import add_labels
from ..selection import Selection

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

    from ...sources.rows import Problems
    from ..base import Labels

# What to do where the same characters are cut into other words, and where texts differ.
_CURES = {
    "tokens": "score characters (unit 'char')",
    "text": "give both sides the same text, or score seconds (unit 'time')",
}
_NOUNS = {"word": "word", "char": "character"}


class StructIouCounter(Counter):
    """Aligns batches of pairs.

    Args:
        options: Those of the metric.
        mode: Of the aligner; `auto` is the fastest, others are there for tests.
    """

    def __init__(self, options: Options, mode: str = "auto") -> None:
        self._options = options
        self._selection = Selection(options.unit, options.labels, options.terminals, options.drop)
        self._aligner = Aligner(options.terminals == "flexible", options.min_iou, mode)
        self._nodes = FlatNodes(), FlatNodes()

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Matched mass, nodes of both sides, and nodes without length, of each pair."""
        self._select(batch)
        predictions, references = self._nodes
        masses = [doubles(sum(nodes.counts())) for nodes in self._nodes] if by_label else []
        matched = self._aligner.score(predictions, references, *masses)
        problems = dict(batch.problems)
        if min(matched, default=0.0) < 0.0:
            for t, value in enumerate(matched):
                if value < 0.0:
                    matched[t] = 0.0
                    problems.setdefault(batch.first + t, self._mismatch(batch, t))
        n_pred, n_ref = predictions.counts(), references.counts()
        lengthless = predictions.lengthless_counts(references)
        columns = {"matched": matched, "n_pred": n_pred, "n_ref": n_ref, "n_lengthless": lengthless}
        status = bytearray(len(batch))
        if 0 in n_pred:
            for t, nodes in enumerate(n_pred):
                if not nodes and n_ref[t]:
                    status[t] = EMPTY
        failed = SKIPPED if self._options.on_error == "skip" else ZEROED
        for row in problems:
            status[row - batch.first] = failed
            matched[row - batch.first] = 0.0
            if failed == SKIPPED:
                for column in columns.values():
                    column[row - batch.first] = 0
        labels = None
        if masses:
            skip = bytes(state == SKIPPED or row in left_out for row, state in enumerate(status, batch.first))
            labels = self._count_labels(batch, masses, skip)
        return Counts(columns, status, problems, labels=labels)

    def check(self, batch: Batch) -> Problems:
        """What keeps rows from being compared, found without aligning them."""
        self._select(batch)
        problems = dict(batch.problems)
        for t in range(len(batch)):
            pred, ref = (nodes.extent_of(t) for nodes in self._nodes)
            if pred != ref and pred > 0.0 and ref > 0.0:
                problems.setdefault(batch.first + t, self._mismatch(batch, t))
        return problems

    def pairs(self, batch: Batch) -> tuple[FlatNodes, FlatNodes, list[tuple[int, int, float]]]:
        """The nodes of the first pair that are compared, and which of them are aligned, with their IoU."""
        self._select(batch)
        found = self._aligner.pairs(*self._nodes, 0)
        if found is None:
            raise self._mismatch(batch, 0)
        return *self._nodes, list(zip(*found, strict=True))

    def _select(self, batch: Batch) -> None:
        for trees, nodes in zip((batch.predictions, batch.references), self._nodes, strict=True):
            self._selection.select(trees, batch.labels, nodes)

    def _count_labels(self, batch: Batch, masses: Sequence[Any], skip: bytes) -> Labels:
        """Masses and counts by label; rows with a 1 in `skip` are left out."""
        sides = zip(self._nodes, (batch.predictions, batch.references), masses, strict=True)
        (mass_pred, n_pred), (mass_ref, n_ref) = (
            nodes.sums_by_label(trees, mass, skip, len(batch.labels)) for nodes, trees, mass in sides
        )
        labels: Labels = {}
        for i, label in enumerate(batch.labels):
            if n_pred[i] or n_ref[i]:
                name = base_label(label) if self._options.labels == "base" else label
                add_labels(labels, {name: (mass_pred[i], mass_ref[i], n_pred[i], n_ref[i])})
        return labels

    def _mismatch(self, batch: Batch, t: int) -> TreeMismatchError:
        unit = self._options.unit
        prediction, reference = batch.names(t)
        pred, ref = (int(nodes.extent_of(t)) for nodes in self._nodes)
        return TreeMismatchError(
            f"{prediction} has {count(pred, _NOUNS[unit])} and "
            f"{reference} has {count(ref, _NOUNS[unit])}; "
            + self._selection.explain_lengths(batch, t, _CURES, unit)
        )
