"""What a thread does with a batch of rows: it is read once, and counted by every metric."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from .base import COUNTED, BaseMetric, Counts
from .batch import Batch, Doubts
from .doubts import NoticeFinder, finder_key, kinds_of, masked

if TYPE_CHECKING:
    from ..sources.prepared import LentTrees
    from ..sources.rows import Problems, Rows
    from .base import Counter, Labels


class Worker:
    """All that a thread needs: a reader's buffers, and a counter for each metric.

    Args:
        metrics: The metrics.
        n_systems: How many sides of predictions there are.
        group_of: The group of each row, by its number, if sums by label are told apart by groups.
    """

    def __init__(
        self,
        metrics: Sequence[BaseMetric],
        n_systems: int,
        group_of: Callable[[int], str] | None = None,
    ) -> None:
        self._metrics = metrics
        self._group_of = group_of
        self._counters = [metric.counter() for metric in metrics]
        self._scanner = Scanner()
        self._scanner.several = all(metric.reads_as_evalb for metric in metrics)
        self._scanner.blank_words = self._scanner.several
        self._scanner.intern("")  # so that there is a label at all, for no buffer may be empty
        self._references = FlatTrees()
        self._predictions = [FlatTrees() for _ in range(n_systems)]
        # A metric that does not look at the words' places takes trees as they were read for another.
        any_unit = next((metric.unit for metric in metrics if metric.unit), "word")
        self._units = [metric.unit or any_unit for metric in metrics]
        self._keys = [finder_key(metric) for metric in metrics]
        self._kinds = [kinds_of(metric) for metric in metrics]
        self._finders = {key: NoticeFinder(*key) for key in self._keys}

    def run(
        self, systems: Sequence[Rows], references: Rows, lo: int, hi: int, by_label: bool
    ) -> list[list[Counts]]:
        """What each metric counts for each system in rows `lo … hi`."""
        found: list[list[Counts]] = [[None] * len(self._metrics) for _ in systems]  # type: ignore[list-item]
        for unit in dict.fromkeys(self._units):
            batches = self.read(systems, references, lo, hi, unit)
            doubts: dict[Any, list[Doubts]] = {}
            for m, counter in enumerate(self._counters):
                if self._units[m] != unit:
                    continue
                labels = by_label and self._metrics[m].LABEL is not None
                counted = [counter.count(batch, labels) for batch in batches]
                for batch, counts in zip(batches, counted, strict=True):
                    _add_sentences(batch, counts)
                    if counts.problems and self._metrics[m].options.on_error == "raise":
                        raise counts.problems[min(counts.problems)]
                if labels and len(batches) > 1:
                    _share_left_out(counter, batches, counted)
                if labels and self._group_of is not None:
                    for batch, counts in zip(batches, counted, strict=True):
                        counts.labels_by_group = self._labels_by_group(counter, batch, counts)
                key = self._keys[m]
                if key not in doubts:
                    doubts[key] = [self._finders[key].look(batch) for batch in batches]
                for own, counts, seen in zip(found, counted, doubts[key], strict=True):
                    counts.doubts = _placed(masked(seen, self._kinds[m]), counts, lo)
                    own[m] = counts
        return found

    def _labels_by_group(self, counter: Counter, batch: Batch, counts: Counts) -> dict[str, Labels]:
        """The sums by label of the rows of each group."""
        rows: dict[str, set[int]] = {}
        for row in range(batch.first, batch.first + len(batch)):
            rows.setdefault(self._group_of(row), set()).add(row)  # type: ignore[misc]
        if len(rows) == 1:
            return {key: counts.labels or {} for key in rows}
        return {key: counter.count_labels(batch, counts, own) for key, own in rows.items()}

    def read(self, systems: Sequence[Rows], references: Rows, lo: int, hi: int, unit: str) -> list[Batch]:
        """The trees of all systems; where both sides have errors, the reference's is told."""
        refs, unreadable = self._read_side(references, lo, hi, unit, self._references)
        batches = []
        for predictions, trees in zip(systems, self._predictions, strict=True):
            preds, problems = self._read_side(predictions, lo, hi, unit, trees)
            sides = predictions, references
            problems = {**problems, **unreadable}
            batches.append(Batch(preds, refs, self._scanner.labels, lo, problems, sides))
        return batches

    def _read_side(
        self, rows: Rows, lo: int, hi: int, unit: str, trees: FlatTrees
    ) -> tuple[FlatTrees | LentTrees, Problems]:
        """Trees, or what lends them, and the errors of those that cannot be read."""
        if hasattr(rows, "lend"):
            lent: LentTrees = rows.lend(lo, hi, unit, self._scanner, trees)
            return lent, lent.problems
        return trees, rows.load(lo, hi, unit, self._scanner, trees)


def _add_sentences(batch: Batch, counts: Counts) -> None:
    """Adds columns with the sentences of both sides where rows are documents."""
    for name, rows in zip(("n_sentences_pred", "n_sentences_ref"), batch.sides, strict=True):
        if hasattr(rows, "n_sentences"):
            numbers = range(batch.first, batch.first + len(batch)) if counts.rows is None else counts.rows
            sizes = zip(numbers, counts.status, strict=True)
            column = array("i", [rows.n_sentences(row) if state in COUNTED else 0 for row, state in sizes])
            counts.columns = {**counts.columns, name: column}


def _placed(doubts: Doubts, counts: Counts, first: int) -> Doubts:
    """A byte for each place of the columns, where a metric gives rows several places."""
    if counts.rows is None or len(counts.status) == len(doubts.bits):
        return doubts
    return doubts.with_bits(bytes(doubts.bits[row - first] for row in counts.rows))


def _share_left_out(counter: Any, batches: Sequence[Batch], counted: list[Counts]) -> None:
    """Sums up by label anew where other systems leave out rows that a system does not."""
    own = [
        {batch.first + t for t, state in enumerate(counts.status) if state not in COUNTED}
        for batch, counts in zip(batches, counted, strict=True)
    ]
    left_out = frozenset().union(*own)
    for i, batch in enumerate(batches):
        if own[i] != left_out:
            counted[i].labels = counter.count(batch, True, left_out).labels
