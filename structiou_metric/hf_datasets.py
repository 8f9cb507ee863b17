"""Columns of `datasets`, under the name that users were shown."""

from .metrics.datasets import RowScorer, score_dataset
from .sources.columns import SHAPES, ColumnConverter, Source

__all__ = ["SHAPES", "ColumnConverter", "RowScorer", "Source", "score_dataset"]
