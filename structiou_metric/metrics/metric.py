"""`Metric`: what every metric is derived from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from .base import BaseMetric, Option
from .results import Result
from .runner import score

if TYPE_CHECKING:
    from ..sources.rows import Rows

__all__ = ["ON_ERROR", "Metric"]

# An option of every metric.
ON_ERROR = Option(
    "raise",
    "a pair that cannot be read or compared ends the run, counts as 0, or is left out",
    choices=("raise", "zero", "skip"),
    corpus=True,
)


class Metric(BaseMetric):
    """A metric with fixed options; see `BaseMetric` for what a new one has to say of itself.

    >>> from structiou_metric import StructIoU
    >>> result = StructIoU().corpus_score(["(S (A a) (B b))"], ["(S (A a) (C b))"])
    >>> round(result.figures["struct_iou"], 4)
    0.6667
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = {"on_error": ON_ERROR}
    RESULT = Result

    def corpus_score(
        self,
        predictions: Iterable[Any] | Rows,
        references: Iterable[Any] | Rows,
        *,
        documents: bool = False,
        by_label: bool = False,
        workers: int | str = 1,
        progress: bool = False,
        strict: bool = False,
    ) -> Any:
        """Scores two lists of trees, or of documents, pair by pair.

        Args:
            predictions: Trees, each bracket text, an `nltk.Tree`, a `SegmentTree` or another shape that
                `shapes.as_tree` takes; or rows of trees such as a `files.TreeFile`.
            references: As many trees as predictions.
            documents: Whether every row of either side is a list of trees on one axis; their sentences need
                not be the same.
            by_label: Whether to count labels on the way; if not, they are counted when asked for.
            workers: Threads, or `auto`: as many as there are processors where there is enough to do.
            progress: Whether a terminal shows a progress bar when this takes long.
            strict: Whether anything suspicious, which `Result.warnings` tells otherwise, is a `StrictError`.
        """
        return score(
            self,
            predictions,
            references,
            documents=documents,
            by_label=by_label,
            workers=workers,
            progress=progress,
            strict=strict,
        )

    def score_dataset(
        self,
        dataset: Any,
        prediction_column: str | Mapping[str, str],
        reference_column: str | Mapping[str, str],
        *,
        documents: bool = False,
        document_column: str | None = None,
        add_column: str | None = None,
        by_label: bool = False,
        workers: int | str = 1,
        progress: bool = False,
        strict: bool = False,
    ) -> Any:
        """Scores two columns of a `datasets.Dataset`, of an `IterableDataset`, or of all splits of a dict.

        Args:
            dataset: The dataset, as it was selected, filtered and shuffled; it is read in bulk and never held
                as a whole.
            prediction_column: The column of predicted trees, in any shape that `shapes.as_tree` takes;
                or the columns that hold them together, such as `{"brackets": "tree", "times": "times"}`.
            reference_column: The column or columns of reference trees, given in the same way.
            documents: Whether every row of both sides has a list of trees on one axis, as in `corpus_score`.
            document_column: A column that tells documents apart: rows that follow each other with the same
                value there are one.
            add_column: The name of a column with the score of each row, to be added to the dataset.
            by_label: Whether to count labels on the way. `Result.by_label` needs that of a stream,
                and reads a `Dataset` once more without.
            workers: Threads, or `auto`: as many as there are processors where there is enough to do.
            progress: Whether a terminal shows a progress bar when this takes long.
            strict: Whether anything suspicious, which `Result.warnings` tells otherwise, is a `StrictError`.

        Returns:
            A `Result`, or a dict of them by split. With `add_column`, a pair of that and the
            dataset with the new column, in which skipped rows have None.
        """
        from ..hf_datasets import score_dataset  # which takes results of metrics

        return score_dataset(
            self,
            dataset,
            prediction_column,
            reference_column,
            documents=documents,
            document_column=document_column,
            add_column=add_column,
            by_label=by_label,
            workers=workers,
            progress=progress,
            strict=strict,
        )
