"""From trees that were read to STRUCT-IoU's columns: select the nodes, align them, word the problems."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from ..._core.align import Aligner
from ..._core.flat import FlatNodes, doubles
from ...errors import TreeMismatchError, TreeSizeError
from ...trees.labels import base_label
from ...wording import count
from ..base import EMPTY, SKIPPED, ZEROED, Batch, Counter, Counts, Options
from ..selection import Selection
from .explaining import Explainer
from .texts import AlignedTexts

if TYPE_CHECKING:
    from ...sources.rows import Problems
    from ..base import Labels
    from .explaining import LossCounts

# The cures if the same characters are divided into different words, and if texts differ.
_CURES = {
    "tokens": "score characters (unit 'char')",
    "text": "give both sides the same text, have the two texts aligned (texts 'aligned'), or score seconds "
    "(unit 'time')",
}
_NOUNS = {"word": "word", "char": "character"}


class StructIouCounter(Counter):
    """Aligns batches of pairs.

    Args:
        options: The options of the metric.
        mode: The mode of the aligner; `auto` is the fastest, others are there for tests.
        explains: Whether to count losses by their causes, too.
    """

    def __init__(self, options: Options, mode: str = "auto", explains: bool = False) -> None:
        self._options = options
        self._selection = Selection(options.unit, options.labels, options.terminals, options.drop)
        self._aligner = Aligner(options.terminals == "flexible", options.min_iou, mode, options.max_cells)
        self._nodes = FlatNodes(), FlatNodes()
        self._masses: Sequence[Any] = ()  # of the nodes of both sides, where labels are counted
        self._explains = explains
        self._explainer: Explainer | None = None
        self._texts: AlignedTexts | None = None
        if options.texts == "aligned":
            self._texts = AlignedTexts(options.unit, self._selection)

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Count the matched mass, the nodes of both sides, and the nodes without length, of each pair.

        With the option `max_cells`, a column has a 1 for each pair that needs more cells.
        """
        self._select(batch)
        predictions, references = self._nodes
        masses = [doubles(sum(nodes.counts())) for nodes in self._nodes] if by_label else []
        matched = self._aligner.score(predictions, references, *masses)
        problems = dict(batch.problems)
        too_costly: list[int] = []
        if self._aligner.n_refused:
            too_large = self._aligner.too_large
            for t, value in enumerate(matched):
                if value < 0.0:
                    matched[t] = 0.0
                    if t in too_large:
                        error: TreeMismatchError = TreeSizeError.of(batch.names(t), too_large[t])
                    elif value == -inf:
                        error = self._too_costly(batch, t)
                        too_costly.append(t)
                    else:
                        error = self._mismatch(batch, t)
                    problems.setdefault(batch.first + t, error)
        n_pred, n_ref = predictions.counts(), references.counts()
        lengthless = predictions.lengthless_counts(references)
        if any(lengthless):
            self._refuse_lengthless(batch, problems)
        columns = {"matched": matched, "n_pred": n_pred, "n_ref": n_ref, "n_lengthless": lengthless}
        if self._texts is not None:
            columns |= self._texts.columns()
        status = bytearray(len(batch))
        for t in predictions.failed(references):
            status[t] = EMPTY
        failed = SKIPPED if self._options.on_error == "skip" else ZEROED
        for row in problems:
            status[row - batch.first] = failed
        losses = None
        if self._explains:
            losses = self._count_losses(batch, status)
            # Finding the partners of all nodes takes more memory than the score.
            if too_large := self._explaining().too_large:
                for t, reason in too_large.items():
                    problems.setdefault(batch.first + t, TreeSizeError.of(batch.names(t), reason))
                    status[t] = failed
                losses = self._count_losses(batch, status)
        for row in problems:
            matched[row - batch.first] = 0.0
            if failed == SKIPPED:
                for column in columns.values():
                    column[row - batch.first] = 0
        if self._options.max_cells is not None:
            columns["n_too_costly"] = array("i", [0]) * len(batch)
            for t in too_costly:
                columns["n_too_costly"][t] = 1
        labels = None
        if masses:
            self._masses = masses
            places = [t for t in range(len(batch)) if batch.first + t not in left_out]
            [labels] = self._sum_labels(batch, status, [places])
        return Counts(columns, status, problems, labels=labels, extra=losses)

    def count_labels(self, batch: Batch, counts: Counts, groups: Sequence[Sequence[int]]) -> list[Labels]:
        """Return the sums by label of groups of pairs, from the masses that were found for all."""
        return self._sum_labels(batch, counts.status, groups)

    def check(self, batch: Batch) -> Problems:
        """Return the errors that keep rows from being compared, found without aligning them."""
        self._select(batch)
        problems = dict(batch.problems)
        for t in range(len(batch)):
            if self._differ(t):
                problems.setdefault(batch.first + t, self._mismatch(batch, t))
        self._refuse_lengthless(batch, problems)
        return problems

    def pairs(self, batch: Batch) -> tuple[FlatNodes, FlatNodes, list[tuple[int, int, float]], float]:
        """Return both sides' nodes of the only pair, the aligned ones with their IoU, and the sum of IoUs.

        The sum is that of `count`, so that the pair has the same score wherever it is compared: added up in
        another order, IoUs may come to another number in the last bit.
        """
        prediction, reference = self._nodes
        counts = self.count(batch)
        for error in counts.problems.values():
            raise error
        partners, _ = self._explaining().partners(self._nodes)
        for reason in self._explaining().too_large.values():
            raise TreeSizeError.of(batch.names(0), reason)
        spans, other_spans = prediction.spans(0), reference.spans(0)
        pairs = []
        for (node, start, end), at in zip(spans, partners, strict=False):
            if at >= 0:
                other, other_start, other_end = other_spans[at]
                overlap = min(end, other_end) - max(start, other_start)
                pairs.append((node, other, overlap / (max(end, other_end) - min(start, other_start))))
        return prediction, reference, pairs, counts.columns["matched"][0]

    def losses(self, batch: Batch) -> list[tuple[bool, int, str, float, int]]:
        """Return the losses of the first pair by node, which can be compared; see `Explainer.losses`."""
        self._select(batch)
        self._explaining().explain(batch, self._nodes, bytes(1))
        return self._explaining().losses()

    def _explaining(self) -> Explainer:
        if self._explainer is None:
            self._explainer = Explainer(self._options, self._selection, self._aligner)
        return self._explainer

    def _count_losses(self, batch: Batch, status: bytearray) -> LossCounts:
        """Return the loss of each pair by cause, and the labels that were confused."""
        explainer = self._explaining()
        explainer.explain(batch, self._nodes, bytes(state in (ZEROED, SKIPPED) for state in status))
        return explainer.sums(batch, bytes(state == SKIPPED for state in status))

    def _differ(self, t: int) -> bool:
        """Return whether the texts of a pair must be equally long and are not; an empty text may be."""
        pred, ref = (nodes.extent_of(t) for nodes in self._nodes)
        return bool(pred != ref and pred > 0.0 and ref > 0.0)

    def text_columns(self) -> tuple[Sequence[int] | None, Sequence[int] | None]:
        """Return the columns of the words or characters of both sides of the pair of `pairs`, if aligned."""
        if self._texts is None:
            return None, None
        return self._texts.columns_of_last([nodes.extent_of(0) for nodes in self._nodes])

    def _select(self, batch: Batch) -> None:
        for trees, nodes in zip((batch.predictions, batch.references), self._nodes, strict=True):
            self._selection.select(trees, batch.labels, nodes)
        if self._texts is not None:
            self._texts.place(batch, self._nodes)

    def _sum_labels(
        self, batch: Batch, status: Sequence[int], groups: Sequence[Sequence[int]]
    ) -> list[Labels]:
        """Return the masses and counts by label of groups of pairs, of which skipped ones are left out."""
        counted = [[t for t in group if status[t] != SKIPPED] for group in groups]
        names = batch.labels
        if self._options.labels == "base":
            names = [base_label(label) for label in names]
        found: list[Labels] = [{} for _ in groups]
        sides = zip(self._nodes, (batch.predictions, batch.references), self._masses, strict=True)
        for side, (nodes, trees, masses) in enumerate(sides):
            nodes.add_by_label(trees, masses, counted, names, found, side)
        return found

    def _too_costly(self, batch: Batch, t: int) -> TreeMismatchError:
        prediction, reference = batch.names(t)
        n_pred, n_ref = (nodes.counts()[t] for nodes in self._nodes)
        return TreeMismatchError(
            f"{prediction} and {reference}: comparing these trees of {n_pred:,} and {n_ref:,} nodes takes "
            f"more than {self._options.max_cells:g} cells of tables, the limit that is set (max_cells)"
        )

    def _refuse_lengthless(self, batch: Batch, problems: Problems) -> None:
        """Add an error for each pair whose words all have no length."""
        sides = batch.predictions, batch.references
        offsets = [self._selection.kept_words(trees, batch.labels)[0] for trees in sides]
        n_pred, n_ref = (nodes.counts() for nodes in self._nodes)
        lengthless = self._nodes[0].lengthless_counts(self._nodes[1])
        for t, n_nodes in enumerate(lengthless):
            if n_nodes and not n_pred[t] and not n_ref[t] and any(own[t] < own[t + 1] for own in offsets):
                error = self._no_length(batch, t)
                problems.setdefault(batch.first + t, error)

    def _no_length(self, batch: Batch, t: int) -> TreeMismatchError:
        prediction, reference = batch.names(t)
        unit = self._options.unit
        what = "lasts any time" if unit == "time" else "has a written character"
        return TreeMismatchError(
            f"no word of {prediction} and {reference} {what}, so that there is nothing to compare; compare "
            "words (unit 'word')"
        )

    def _mismatch(self, batch: Batch, t: int) -> TreeMismatchError:
        if self._texts is not None:
            return self._texts.refusal(batch, t)
        unit = self._options.unit
        prediction, reference = batch.names(t)
        pred, ref = (int(nodes.extent_of(t)) for nodes in self._nodes)
        return TreeMismatchError(
            f"{prediction} has {count(pred, _NOUNS[unit])} and "
            f"{reference} has {count(ref, _NOUNS[unit])}; "
            + self._selection.explain_lengths(batch, t, _CURES, unit)
        )
