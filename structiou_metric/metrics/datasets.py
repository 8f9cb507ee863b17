"""The score of two columns of `datasets`, by any metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..sources.column_pairs import ColumnPairs
from ..sources.columns import Source, like, with_columns
from .base import ZEROED, BaseMetric
from .runner import score_pieces

if TYPE_CHECKING:
    from .results import Result

__all__ = ["RowScorer", "score_dataset"]


def score_dataset(
    metric: BaseMetric,
    dataset: Any,
    prediction_column: str | Mapping[str, str],
    reference_column: str | Mapping[str, str],
    *,
    documents: bool = False,
    document_column: str | None = None,
    add_column: str | None = None,
    **how: Any,
) -> Any:
    """Scores two columns of a dataset by a metric; it does the work of `Metric.score_dataset`.

    >>> from datasets import Dataset
    >>> from structiou_metric import StructIoU
    >>> dataset = Dataset.from_dict({"parsed": ["(S (A a) (B b))"], "gold": ["(S (A a) (C b))"]})
    >>> result = score_dataset(StructIoU(), dataset, "parsed", "gold")
    >>> round(result.score, 4)
    0.6667

    Args:
        metric: The metric with its options.
        dataset: The dataset, as in `Metric.score_dataset`.
        prediction_column: The column or columns of predicted trees, as there.
        reference_column: The column or columns of reference trees, as there.
        documents: Whether every row of both sides has a list of trees on one axis, as there.
        document_column: A column that tells documents apart, as there.
        add_column: The name of a column with the score of each row, to be added to the dataset.
        **how: The arguments `by_label`, `workers`, `progress` and `strict` of `Metric.score_dataset`.
    """
    if document_column is not None and documents:
        raise ValueError("documents and document_column both say what documents are; give one of them")
    if document_column is not None and add_column is not None:
        raise ValueError("with document_column a score belongs to several rows; add_column cannot hold it")
    sides = Source(prediction_column, documents=documents), Source(reference_column, documents=documents)
    splits = dataset if isinstance(dataset, Mapping) else {"": dataset}
    pairs = {}
    for split, part in splits.items():  # complains about a later split before any work is done
        title = f"dataset[{split!r}]" if split else "dataset"
        pairs[split] = ColumnPairs(part, sides, title, document_column)
        if add_column is not None and add_column in (part.column_names or ()):
            raise ValueError(
                f"{title} already has a column {add_column!r}; choose another name for add_column"
            )
    results = {
        split: score_pieces(metric, pair.pieces(), total=pair.total, **how) for split, pair in pairs.items()
    }
    if add_column is None:
        return results if splits is dataset else results[""]
    scored = {split: _with_values(pairs[split], result, add_column) for split, result in results.items()}
    return (results, like(dataset, scored)) if splits is dataset else (results[""], scored[""])


def _with_values(pairs: ColumnPairs, result: Result, column: str) -> Any:
    """The dataset with a column of the rows' values; a stream is scored again as it is read."""
    from datasets import Features, Value

    dataset = pairs.dataset
    if pairs.total is None:
        scorer = RowScorer(result.metric, *pairs.sides, column=column)
        features = dataset.features
        if features is not None:
            features = Features({**features, column: Value("float64")})
        return dataset.map(scorer, batched=True, with_indices=True, features=features)
    return dataset.add_column(column, _values(result, pairs.total), feature=Value("float64"))


def _values(result: Result, n_rows: int, first: int = 0) -> list[float | None]:
    """The headline of each row, numbered from `first`; None for rows that do not count."""
    values: list[float | None] = [None] * n_rows
    for row, value in zip(result.rows, result.values(result.metric.headline), strict=True):
        values[row - first] = value
    return values


class RowScorer:
    """Adds a column with the score of each row: `dataset.map(scorer, batched=True, num_proc=4)`.

    Rows that the metric leaves out get no score.

    >>> from structiou_metric import StructIoU
    >>> scorer = RowScorer(StructIoU(), "parsed", "gold")
    >>> scorer({"parsed": ["(S (A a))", "(S (A a) (B b))"], "gold": ["(S (A a))", "(S (A a) (C b))"]})
    {'struct_iou': [1.0, 0.6666666666666666]}

    Args:
        metric: The metric with its options.
        prediction_column: The column or columns of predicted trees, as in `Metric.score_dataset`.
        reference_column: The column or columns of reference trees, given in the same way.
        column: The name of the new column; by default that of the metric.
        documents: Whether every row of both sides has a list of trees on one axis, as in
            `Metric.score_dataset`.
    """

    def __init__(
        self,
        metric: BaseMetric,
        prediction_column: str | Mapping[str, str] | Source,
        reference_column: str | Mapping[str, str] | Source,
        *,
        column: str = "",
        documents: bool = False,
    ) -> None:
        self._sides = [
            side if isinstance(side, Source) else Source(side, documents=documents)
            for side in (prediction_column, reference_column)
        ]
        self._skips = metric.options.on_error == "skip"
        # A batch may well have no row that counts, which a metric that skips refuses.
        self._metric = metric.with_options(on_error="zero") if self._skips else metric
        self._column = column or metric.name

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> Any:
        """Scores a batch; with `indices`, errors tell the row in the dataset."""
        first = 0 if indices is None or not len(indices) else int(indices[0])
        title = "batch" if indices is None else "dataset"
        prediction, reference = (side.rows(batch, title, first) for side in self._sides)
        result = score_pieces(self._metric, [(first, prediction, reference)])
        values = _values(result, len(reference), first)
        if self._skips:
            for row, state in zip(result.rows, result.status, strict=True):
                if state == ZEROED:
                    values[row - first] = None
        return with_columns(batch, {self._column: values}, self._features)

    def _features(self) -> Any:
        from datasets import Features, Value

        return Features({self._column: Value("float64")})
