"""Bridges from the plain data of `strategies` to the product and to the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from structiou_metric import StructIoU
from structiou_metric.metrics.struct_iou.counter import StructIouCounter
from support.oracle import Tree, read
from support.strategies import TreeCase


def product_tree(case: TreeCase) -> Any:
    """The case in a shape that the product takes."""
    return case.brackets if case.times is None else (case.brackets, case.times)


def oracle_tree(case: TreeCase) -> Tree:
    """The case as the oracle's nodes."""
    return read(*case)


def unit_of(case: TreeCase) -> str:
    """Seconds for a case with times, else words."""
    return "word" if case.times is None else "time"


def metric_by_mode(mode: str, **options: Any) -> StructIoU:
    """The metric with one layer of the aligner alone, and all nodes."""

    class ByMode(StructIoU):
        def counter(self) -> StructIouCounter:
            return StructIouCounter(self.options, mode)

    return ByMode(drop=(), **options)


def matched_by_mode(prediction: Any, reference: Any, mode: str, **options: Any) -> float:
    """The best sum of IoUs by one layer of the aligner."""
    result = metric_by_mode(mode, **options).corpus_score([prediction], [reference])
    matched: float = result.columns["matched"][0]
    return matched


def pairs_by_mode(
    prediction: Any, reference: Any, mode: str, **options: Any
) -> Sequence[tuple[Any, Any, float]]:
    """The aligned pairs found by one layer of the aligner."""
    return metric_by_mode(mode, **options).align(prediction, reference).pairs
