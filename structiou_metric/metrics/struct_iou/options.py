"""The options of STRUCT-IoU: one table for all doors."""

from __future__ import annotations

from typing import Any

from ..base import Option
from ..metric import ON_ERROR
from ..selection import DROP, LABELS


def _check_min_iou(value: Any) -> float:
    try:
        min_iou = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"min_iou must be a number, not {value!r}") from None
    if not 0.0 <= min_iou < 1.0:
        raise ValueError(f"min_iou must be at least 0 and less than 1, not {value!r}")
    return min_iou


def _check_max_cells(value: Any) -> float | None:
    if value is None:
        return None
    try:
        max_cells = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"max_cells must be a number or None, not {value!r}") from None
    if not max_cells > 0.0:
        raise ValueError(f"max_cells must be greater than 0, not {value!r}")
    return max_cells


OPTIONS = {
    "unit": Option(
        "word",
        "length of a word: 1, its written characters, or its seconds",
        choices=("word", "char", "time"),
    ),
    "texts": Option(
        "same",
        "both sides need as many words (characters), or an edit path puts texts that differ on one axis",
        choices=("same", "aligned"),
    ),
    "labels": LABELS,
    "terminals": Option(
        "strict",
        "preterminals need the same label, may align with any node, or are no nodes",
        choices=("strict", "flexible", "exclude"),
    ),
    "min_iou": Option(0.0, "pairs at or below it do not align", kind="number", check=_check_min_iou),
    "drop": DROP,
    "average": Option(
        "sentence",
        "which figure is the headline, struct_iou: the mean over sentences, or the corpus level",
        choices=("sentence", "corpus"),
        corpus=True,
    ),
    "max_cells": Option(
        None,
        "a pair that needs more cells of tables cannot be compared; some hundred millions take a second, and "
        "without this option no pair is refused",
        kind="number",
        check=_check_max_cells,
        corpus=True,
    ),
    "on_error": ON_ERROR,
}
