"""Alignments of the bundled trees, and longer ones made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from structiou_metric import StructIoU
from structiou_metric.sources.files import TreeFile
from support.paths import DATA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from structiou_metric import Alignment


def pair_of(name: str, row: int, **options: Any) -> Alignment:
    """A pair of the test data."""
    unit = options.get("unit", "word")
    prediction, reference = (file.tree(row, unit) for file in _files(name))
    return StructIoU(**options).align(prediction, reference)


def joined_pair(rows: Sequence[int]) -> Alignment:
    """English sentences, each said by the one before it, as one long sentence."""
    sides = []
    for file in _files("english"):
        text = ""
        for row in reversed(rows):
            tree = file.tree(row, "word").to_brackets()
            text = f"(S {tree} (VP (VBD said) (SBAR (IN that) {text})))" if text else tree
        sides.append(text)
    return StructIoU(labels="base").align(*sides)


def _files(name: str) -> list[TreeFile]:
    reference = next(DATA.glob(f"{name}.reference.*"))
    return [TreeFile.read(str(path), "auto") for path in (DATA / f"{name}.prediction.txt", reference)]
