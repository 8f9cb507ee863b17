"""The page on which two trees are compared."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import gradio as gr

from leaderboard.sandbox import Lane
from structiou_metric import Alignment, SegmentTree, StructIoU, TreeMismatchError

from .controls import (
    OPTIONS,
    add_options,
    add_table,
    fill_table,
    read_options,
    show_error,
    show_figures,
    show_warnings,
)
from .drawings import show_drawing, show_reasons
from .links import encode_state

MAX_TEXT = 100_000  # characters of a tree
MAX_NODES = 2_000  # of a tree; the longest that can be drawn and aligned while somebody waits
MAX_CELLS = 2e8  # of tables that comparing a pair may take: less than a second

COMPARING: dict[str, Any] = {"concurrency_id": "comparing", "concurrency_limit": 16}

_LONG = 10_000  # characters; pairs with longer trees wait for each other, so that short ones need not,
_QUICK_CELLS = 1e7  # and so do those that need more cells: some milliseconds
_HEAVY = Lane(1, 3, "comparing long trees")

PAIR_HEADERS = ["reference", "its span", "prediction", "its span", "IoU"]

# Prediction, reference and unit.
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


@contextmanager
def comparing(
    prediction: str, reference: str, options: dict[str, Any]
) -> Iterator[tuple[StructIoU, Alignment]]:
    """Two texts aligned within the bounds of this page, for who then draws or describes them.

    Pairs that take long are compared one after the other. Errors say which text is meant.
    """
    metric = read_options(options)
    texts = {"prediction": prediction, "reference": reference}
    with ExitStack() as lane:
        is_long = any(isinstance(text, str) and len(text) > _LONG for text in texts.values())
        if is_long:
            lane.enter_context(_HEAVY)
        trees = [_read(field, text, metric.options.unit) for field, text in texts.items()]
        try:
            alignment = metric.with_options(max_cells=_QUICK_CELLS).align(*trees)
        except TreeMismatchError:  # perhaps because it needs more cells, for which it has to wait
            if not is_long:
                lane.enter_context(_HEAVY)
            alignment = metric.with_options(max_cells=MAX_CELLS).align(*trees)
        yield metric, alignment


def _read(field: str, text: Any, unit: str) -> SegmentTree:
    """The tree of a text of this page."""
    if not isinstance(text, str):
        raise ValueError(f"{field} must be a text")
    if len(text) > MAX_TEXT:
        raise ValueError(f"{field}: {len(text):,} characters; {MAX_TEXT:,} are the most here")
    tree = SegmentTree.from_brackets(text, unit if text.strip() else None, source=field)
    if len(tree) > MAX_NODES:
        raise ValueError(f"{field}: {len(tree):,} nodes; {MAX_NODES:,} are the most here")
    return tree


def add_page() -> dict[str, Any]:
    """Builds the page; returns what the address and other pages may set."""
    gr.Markdown(
        "## Compare two trees\nPaste two trees in brackets, `(NP (DT the) (NN dog))`, or with seconds, "
        "`(NP (DT the<0.1,0.2>) (NN dog<0.2,0.5>))`, or begin with an example:"
    )
    with gr.Row(elem_id="examples"):
        buttons = {
            name: gr.Button(name, size="sm", min_width=140, elem_id=f"example-{k}")
            for k, name in enumerate(EXAMPLES)
        }
    with gr.Row():
        prediction = gr.Textbox(
            label="Prediction",
            min_width=260,
            lines=4,
            max_lines=12,
            elem_id="prediction",
            elem_classes="siou-tree",
        )
        reference = gr.Textbox(
            label="Reference",
            min_width=260,
            lines=4,
            max_lines=12,
            elem_id="reference",
            elem_classes="siou-tree",
        )
    options = add_options()
    compare = gr.Button("Compare", variant="primary", elem_id="compare")
    result = gr.HTML(elem_id="result")
    pairs = add_table(elem_id="pairs", visible=False)
    inputs = [prediction, reference, *options.values()]
    outputs = [result, pairs]

    def run(prediction: str, reference: str, *values: Any) -> tuple[str, Any]:
        return show_comparison(prediction or "", reference or "", dict(zip(OPTIONS, values, strict=True)))

    def set_example(name: str) -> Callable[[], tuple[str, str, str]]:
        return lambda: EXAMPLES[name]

    compare.click(run, inputs, outputs, api_visibility="private", **COMPARING)
    for name, button in buttons.items():
        button.click(
            set_example(name), None, [prediction, reference, options["unit"]], api_visibility="private"
        ).then(run, inputs, outputs, api_visibility="private", **COMPARING)
    return {"inputs": inputs, "outputs": outputs, "run": run}


def show_comparison(prediction: str, reference: str, options: dict[str, Any]) -> tuple[str, Any]:
    """What the page shows of a pair: HTML, and the table of aligned nodes."""
    try:
        with comparing(prediction, reference, options) as (metric, alignment):
            shown = _show(prediction, reference, options, metric, alignment)
    except (ValueError, TypeError) as error:
        return show_error(error, getattr(error, "source", "")), gr.update(visible=False)
    return shown, gr.update(
        value=fill_table(PAIR_HEADERS, pair_rows(alignment), "pair", title="Aligned nodes"),
        visible=bool(alignment.pairs),
    )


def _show(
    prediction: str, reference: str, options: dict[str, Any], metric: StructIoU, alignment: Alignment
) -> str:
    figures = show_figures(
        {"STRUCT-IoU": alignment.score, "precision": alignment.precision, "recall": alignment.recall}
    )
    word = encode_state({"prediction": prediction, "reference": reference, **options})
    link = (
        f'<a href="?trees={word}">Link to this comparison</a>'
        if word
        else "These trees are too long for a link"
    )
    return (
        f"{figures}{show_warnings(warning.message for warning in alignment.warnings)}"
        f"<h3>Why</h3>{show_reasons(alignment)}"
        f"<h3>Drawing</h3>{show_drawing(alignment, causes=True)}"
        f'<p class="siou-small"><code>{html.escape(metric.signature)}</code> · {link}</p>'
    )


def pair_rows(alignment: Alignment) -> list[list[Any]]:
    """The aligned nodes, those of the reference first."""
    return [
        [
            _cell(ref.label),
            _span(ref.start, ref.end),
            _cell(pred.label),
            _span(pred.start, pred.end),
            round(iou, 4),
        ]
        for pred, ref, iou in alignment.pairs
    ]


def _cell(label: str) -> str:
    return label if len(label) <= 60 else label[:59] + "…"


def _span(start: float, end: float) -> str:
    return f"{start:g}–{end:g}"
