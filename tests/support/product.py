"""Bridges from the plain data of `strategies` to the product and to the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from structiou_metric import StructIoU
from structiou_metric.metrics.struct_iou.counter import Engine
from structiou_metric.sources.rows import ListRows
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


def matched_by_mode(prediction: Any, reference: Any, mode: str, **options: Any) -> float:
    """The best sum of IoUs by one layer of the aligner."""
    rows = ListRows([prediction], "predictions"), ListRows([reference], "references")
    return Engine(StructIoU(drop=(), **options).options, mode).score(*rows, 0, 1).matched[0]


def pairs_by_mode(
    prediction: Any, reference: Any, mode: str, **options: Any
) -> Sequence[tuple[Any, Any, float]]:
    """The aligned pairs found by one layer of the aligner."""
    rows = ListRows([prediction], "predictions"), ListRows([reference], "references")
    return Engine(StructIoU(drop=(), **options).options, mode).align(*rows).pairs
