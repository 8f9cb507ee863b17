"""`Accumulator`: a metric over batches that come one after the other, as in a training loop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..sources.documents import DocumentRows
from ..sources.rows import ListRows, as_list
from .base import BaseMetric
from .results import Result
from .runner import add_pieces


class Accumulator:
    """Gathers what a metric finds in batches, here and elsewhere.

    >>> from structiou_metric import StructIoU
    >>> scores = Accumulator(StructIoU())
    >>> scores.update(["(S (A a) (B b))"], ["(S (A a) (C b))"])
    >>> scores.update(["(S (A a))"], ["(S (A a))"])
    >>> round(scores.compute().figures["struct_iou"], 4)
    0.8333

    Args:
        metric: With its options.
        by_label: Whether to count labels, too.
        documents: Whether every row is a list of trees, as in `Metric.corpus_score`.
    """

    def __init__(self, metric: BaseMetric, *, by_label: bool = False, documents: bool = False) -> None:
        self.metric = metric
        self._by_label = by_label
        self._rows = DocumentRows if documents else ListRows
        self.reset()

    def reset(self) -> None:
        """Forgets all rows."""
        self._result: Result = self.metric.RESULT(self.metric)

    def __len__(self) -> int:
        return len(self._result)

    def update(
        self, predictions: Iterable[Any], references: Iterable[Any], *, workers: int | str = 1
    ) -> None:
        """Adds rows; of a batch with an error that `on_error` lets through, none are added.

        Args:
            predictions: Trees, as `Metric.corpus_score` takes them.
            references: As many trees.
            workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        """
        first = self._next_row()
        preds = self._rows(as_list(predictions, "predictions"), "predictions", first=first)
        refs = self._rows(as_list(references, "references"), "references", first=first)
        batch = self.metric.RESULT(self.metric)
        add_pieces(batch, [(first, preds, refs)], by_label=self._by_label, workers=workers)
        self._result.append(batch, shift=0)

    def merge(self, other: Accumulator) -> None:
        """Adds the rows of another, numbered on."""
        self._result.append(other._result, shift=self._next_row())

    def _next_row(self) -> int:
        """The number of the next row; rows of the columns may be fewer or more than those of the input."""
        return self._result.rows[-1] + 1 if len(self) else 0

    def compute(self) -> Any:
        """The result over all rows so far."""
        return self._result.joined([self._result])
