"""Comparing two trees within limits: quick pairs at once, longer ones in a process of their own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from leaderboard import sandbox
from structiou_metric import Alignment, SegmentTree, StructIoU, TreeMismatchError

if TYPE_CHECKING:
    from leaderboard.settings import Settings

MAX_TEXT = 100_000  # characters of a tree
MAX_NODES = 2_000  # of a tree; the longest that can be drawn and aligned while somebody waits
MAX_CELLS = 2e8  # of tables that a pair may need: about a second and at most 1.6 GB
_QUICK_CELLS = 1e6  # of a pair that is compared at once: some milliseconds and 8 MB
_QUICK_NODES = 300  # of both trees of such a pair; drawing more takes a tenth of a second and longer
_LANE = sandbox.Lane(2, 6, "comparing long trees")

# The options that a form asks for: those that matter for a pair.
OPTIONS = {name: option for name, option in StructIoU.OPTIONS.items() if not option.corpus}
EMPTY_LABEL = "''"  # is written for the empty label in a line of labels

# By title: prediction, reference and unit.
EXAMPLES: dict[str, tuple[str, str, str]] = {
    "The paper’s first figure": (
        "(VP (VBP <2.55,2.56>) (NP (PRP <2.56,2.72>) (NN <2.72,3.01>)))",
        "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))",
        "time",
    ),
    "The telescope": (
        "(S (NP (DT The) (NN girl)) (VP (VBD saw) (NP (NP (DT a) (NN cat)) "
        "(PP (IN with) (NP (DT a) (NN telescope))))))",
        "(S (NP (DT The) (NN girl)) (VP (VBD saw) (NP (DT a) (NN cat)) "
        "(PP (IN with) (NP (DT a) (NN telescope)))))",
        "word",
    ),
    "Hebrew": (
        "(SQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NNT (BNT פצוע)) (NP (SYN_NN (NN ים))))) (SYN_yyQM (yyQM ?)))",
        "(FRAGQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NN (NN פצועים)))) (SYN_yyQM (yyQM ?)))",
        "char",
    ),
    "Speech": (
        "(S (NP (DT the<0.30,0.43>) (NN mayor<0.43,0.81>)) "
        "(VP (VBD opened<0.81,1.18>) (NP (DT a<1.18,1.27>) (NN bridge<1.27,1.70>))))",
        "(S (NP (DT the<0.31,0.42>) (NN mayor<0.42,0.83>)) "
        "(VP (VBD opened<0.83,1.17>) (NP (DT the<1.17,1.26>) (NN bridge<1.26,1.71>))))",
        "time",
    ),
}


def form_value(name: str, value: Any) -> Any:
    """Return the value of an option as forms and links have it: labels are a line of text."""
    return " ".join(label or EMPTY_LABEL for label in value) if OPTIONS[name].kind == "labels" else value


DEFAULTS: dict[str, Any] = {name: form_value(name, option.default) for name, option in OPTIONS.items()}


def read_options(values: Mapping[str, Any]) -> StructIoU:
    """Return the metric with the options of a form; those that are missing have their defaults."""
    unknown = sorted(set(values) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; choose from {', '.join(OPTIONS)}")
    options: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        value = values.get(name, DEFAULTS[name])
        if option.kind == "labels":
            if not isinstance(value, str):
                raise ValueError(f"{name} must be labels separated by spaces")
            value = ["" if label == EMPTY_LABEL else label for label in value.split()]
        options[name] = value
    return StructIoU(**options)


def compare_pair(
    prediction: Any, reference: Any, options: Mapping[str, Any], settings: Settings, *, drawing: bool = False
) -> dict[str, Any]:
    """Return score, aligned nodes and signature of a pair of trees as plain values.

    Args:
        prediction: A tree in brackets.
        reference: Another one.
        options: The values of a form or call, by the names in `OPTIONS`.
        settings: The limits of the process that compares a long pair.
        drawing: Whether to add `reasons` and `drawing`, both of them HTML.

    Raises:
        ValueError: A tree cannot be read, the two cannot be compared, or that takes too long.
    """
    metric = read_options(options)
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
        from web.drawings import show_drawing, show_reasons

        values["reasons"] = show_reasons(alignment)
        values["drawing"] = show_drawing(alignment, causes=True)
    return values


def _serve(about: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    texts = data[: about["size"]].decode(), data[about["size"] :].decode()
    metric = read_options(about["options"])
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
