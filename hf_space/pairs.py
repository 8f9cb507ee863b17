"""Comparing two trees within limits: quick pairs at once, longer ones in a process of their own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from leaderboard import sandbox
from structiou_metric import Alignment, SegmentTree, StructIoU, TreeMismatchError
from structiou_metric.report.pair import read_form, show_drawing, show_reasons

if TYPE_CHECKING:
    from leaderboard.settings import Settings

MAX_TEXT = 100_000  # characters of a tree
MAX_NODES = 2_000  # of a tree; the longest that can be drawn and aligned while somebody waits
MAX_CELLS = 2e8  # of tables that a pair may need: about a second and at most 1.6 GB
_QUICK_CELLS = 1e6  # of a pair that is compared at once: some milliseconds and 8 MB
_QUICK_NODES = 300  # of both trees of such a pair; drawing more takes a tenth of a second and longer
_LANE = sandbox.Lane(2, 6, "comparing long trees")


def compare_pair(
    prediction: Any, reference: Any, options: Mapping[str, Any], settings: Settings, *, drawing: bool = False
) -> dict[str, Any]:
    """Return score, aligned nodes and signature of a pair of trees as plain values.

    Args:
        prediction: A tree in brackets.
        reference: Another one.
        options: The values of a form or call, by the names in `report.pair.OPTIONS`.
        settings: The limits of the process that compares a long pair.
        drawing: Whether to add `reasons` and `drawing`, both of them HTML.

    Raises:
        ValueError: A tree cannot be read, the two cannot be compared, or that takes too long.
    """
    metric = read_form(options)
    texts = {"prediction": prediction, "reference": reference}
    trees = [_read(name, text, metric.options.unit) for name, text in texts.items()]
    if sum(map(len, trees)) <= _QUICK_NODES:
        try:
            return _describe(metric.with_options(max_cells=_QUICK_CELLS).align(*trees), metric, drawing)
        except TreeMismatchError:  # perhaps because the pair needs more cells
            pass
    about = {"options": dict(options), "drawing": drawing, "size": len(prediction.encode())}
    data = (prediction + reference).encode()
    with _LANE:
        found, _ = sandbox.run(__name__, about, data, settings, "comparing the trees")
    if "problem" in found:
        raise ValueError(found["problem"])
    values: dict[str, Any] = found
    return values


def _read(name: str, text: Any, unit: str) -> SegmentTree:
    """Return the tree of a text within the limits."""
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a text")
    if len(text) > MAX_TEXT:
        raise ValueError(f"{name}: {len(text):,} characters; {MAX_TEXT:,} are the most here")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{name}: the text has half characters; send it as UTF-8")
    tree = SegmentTree.from_brackets(text, unit if text.strip() else None, source=name)
    if len(tree) > MAX_NODES:
        raise ValueError(f"{name}: {len(tree):,} nodes; {MAX_NODES:,} are the most here")
    return tree


def _describe(alignment: Alignment, metric: StructIoU, drawing: bool) -> dict[str, Any]:
    values: dict[str, Any] = {**alignment.as_dict(), "signature": metric.signature}
    if drawing:
        values["reasons"] = show_reasons(alignment)
        values["drawing"] = show_drawing(alignment, causes=True)
    return values


def _serve(about: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    texts = data[: about["size"]].decode(), data[about["size"] :].decode()
    metric = read_form(about["options"])
    try:
        trees = [
            _read(name, text, metric.options.unit)
            for name, text in zip(("prediction", "reference"), texts, strict=True)
        ]
        found = metric.with_options(max_cells=MAX_CELLS).align(*trees)
    except ValueError as error:
        return {"problem": str(error)}, b""
    return _describe(found, metric, about["drawing"]), b""


if __name__ == "__main__":
    sandbox.serve(_serve, *sys.argv[1:])
