"""`Accumulator`: a metric over batches that come one after the other, as in a training loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

from ..sources.documents import DocumentRows
from ..sources.rows import ListRows, as_list
from .metric import Metric
from .runner import add_rows
from .tally import CorpusTally

__all__ = ["Accumulator"]


class Accumulator:
    """Gathers the counts of a metric batch by batch: exact sums, in the memory of one batch.

    The figures are those of `Metric.corpus_score` over all rows, to the last bit, however the rows were cut
    into batches and in any order of batches and accumulators. It can be pickled, and used by
    several threads.

    >>> from structiou_metric import StructIoU
    >>> scores = Accumulator(StructIoU())
    >>> scores.update(["(S (A a) (B b))"], ["(S (A a) (C b))"])
    >>> scores.update(["(S (A a))"], ["(S (A a))"])
    >>> round(scores.compute().figures["struct_iou"], 4)
    0.8333

    Args:
        metric: The metric with its options.
        by_label: Whether to sum up by label, too.
        documents: Whether every row of either side is a list of trees on one axis, as in
            `Metric.corpus_score`.

    Attributes:
        tally: The sums so far.
    """

    def __init__(self, metric: Metric, *, by_label: bool = False, documents: bool = False) -> None:
        self.metric = metric
        self._by_label = by_label
        self._rows = DocumentRows if documents else ListRows
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        """Forget all rows."""
        self.tally = CorpusTally(self.metric)

    def __len__(self) -> int:
        return len(self.tally)

    def update(
        self, predictions: Iterable[Any], references: Iterable[Any], *, workers: int | str = 1
    ) -> None:
        """Add the rows of a batch; if one has an error that `on_error` does not let through, none are added.

        Args:
            predictions: Trees, as `Metric.corpus_score` takes them.
            references: As many trees as predictions.
            workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        """
        first = self.tally.next_row
        preds = self._rows(as_list(predictions, "predictions"), "predictions", first=first)
        refs = self._rows(as_list(references, "references"), "references", first=first)
        batch = self.metric.RESULT(self.metric)
        add_rows(batch, [(first, preds, refs)], by_label=self._by_label, workers=workers)
        more = batch.tally()
        with self._lock:  # another thread may have added rows meanwhile, which come first then
            self.tally = self.tally + more.moved(self.tally.next_row - first)

    def merge(self, other: Accumulator) -> None:
        """Add the rows of another accumulator, numbered on."""
        more = other.tally
        with self._lock:
            self.tally = self.tally + more.moved(self.tally.next_row)

    def compute(self) -> Any:
        """Return the result over all rows so far; it knows nothing of single rows."""
        return self.tally.result()

    def state_dict(self) -> dict[str, Any]:
        """Return the sums so far as plain values, for a checkpoint."""
        return self.tally.to_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the values of `state_dict`, here or elsewhere, for a metric with the same options."""
        self.tally = CorpusTally.from_dict(state, self.metric)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._lock = Lock()
