"""A pair of trees as a part of an HTML page: figures, warnings, causes of loss, a drawing and aligned nodes.

The Space and the playground of the documentation show this. `templates/pair.css` is its style, and
`templates/pair.js` lets visitors zoom and choose what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

from ..drawing.folding import fold
from ..drawing.page import LONG
from ..drawing.svg import COLORS, draw_svg
from ..drawing.svg_layout import runs_from_right
from ..errors import TreeFormatError
from ..metrics.struct_iou.losses import CAUSES
from ..metrics.struct_iou.metric import StructIoU
from ..trees.tree import SegmentTree
from .reasons import cause_classes, explain_causes

if TYPE_CHECKING:
    from ..metrics.base import Option
    from ..metrics.struct_iou.alignment import Alignment

__all__ = [
    "DEFAULTS",
    "EXAMPLES",
    "OPTIONS",
    "as_form",
    "compare_texts",
    "read_form",
    "show_drawing",
    "show_error",
    "show_pair",
    "show_reasons",
]

# Examples by title: the reference, the prediction and the unit.
EXAMPLES: dict[str, tuple[str, str, str]] = {
    "The telescope": (
        "(S (NP (DT The) (NN girl)) (VP (VBD saw) (NP (DT a) (NN cat)) "
        "(PP (IN with) (NP (DT a) (NN telescope)))))",
        "(S (NP (DT The) (NN girl)) (VP (VBD saw) (NP (NP (DT a) (NN cat)) "
        "(PP (IN with) (NP (DT a) (NN telescope))))))",
        "word",
    ),
    "Hebrew, by characters": (
        "(FRAGQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NN (NN פצועים)))) (SYN_yyQM (yyQM ?)))",
        "(SQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NNT (BNT פצוע)) (NP (SYN_NN (NN ים))))) (SYN_yyQM (yyQM ?)))",
        "char",
    ),
    "Speech, by seconds": (
        "(S (NP (DT the<0.31,0.42>) (NN mayor<0.42,0.83>)) "
        "(VP (VBD opened<0.83,1.17>) (NP (DT a<1.17,1.26>) (NN bridge<1.26,1.71>))))",
        "(S (NP (DT the<0.30,0.43>) (NN mayor<0.43,0.81>)) "
        "(VP (VBD opened<0.81,1.18>) (NP (DT a<1.18,1.27>) (NN bridge<1.27,1.70>))))",
        "time",
    ),
    "The paper’s first figure": (
        "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))",
        "(VP (VBP <2.55,2.56>) (NP (PRP <2.56,2.72>) (NN <2.72,3.01>)))",
        "time",
    ),
}

# The options that matter for one pair.
OPTIONS = {name: option for name, option in StructIoU.OPTIONS.items() if not option.corpus}

_MAX_RECOLORED_NODES = 800  # of both trees; beyond that the second drawing would take a megabyte
_MAX_LABEL = 60  # characters in the table

_CAUSES, _DIFFERING = "causes", "differing"
_CHOICES = {_CAUSES: "Colour by cause", _DIFFERING: "Only what differs"}
_ZOOMS = {"fit": ("Fit", "Fit into the page"), "out": ("\N{MINUS SIGN}", "Smaller"), "in": ("+", "Larger")}


def as_form(option: Option, value: Any) -> Any:
    """Return a value of an option as a form shows it: labels become one text, with '' for the empty one."""
    return " ".join(label or "''" for label in value) if option.kind == "labels" else value


DEFAULTS: dict[str, Any] = {name: as_form(option, option.default) for name, option in OPTIONS.items()}


def read_form(values: Mapping[str, Any]) -> StructIoU:
    """Return the metric with the options of a form. Options that are missing have their defaults.

    >>> read_form({"unit": "char", "drop": "TOP ''"}).options.drop
    ('TOP', '')
    """
    unknown = sorted(set(values) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; choose from {', '.join(OPTIONS)}")
    options: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        value = values.get(name, DEFAULTS[name])
        if option.kind == "labels":
            if not isinstance(value, str):
                raise ValueError(f"{name} must be labels separated by spaces, not {value!r}")
            value = ["" if label == "''" else label for label in value.split()]
        options[name] = value
    return StructIoU(**options)


def compare_texts(
    reference: str, prediction: str, values: Mapping[str, Any], *, max_cells: float | None
) -> str:
    """Return the comparison of two trees in brackets as HTML. An error is shown in its place.

    >>> "0.5000" in compare_texts("(S (A we))", "(S (B we))", {}, max_cells=None)
    True
    >>> "reference, line 1, column 1: " in compare_texts("(S (A we)", "(S (B we))", {}, max_cells=None)
    True

    Args:
        reference: The reference tree.
        prediction: The predicted tree.
        values: The options of a form, by name.
        max_cells: The most cells that aligning the trees may need, or None for any number.
    """
    try:
        metric = read_form(values)
        unit = metric.options.unit
        trees = [
            SegmentTree.from_brackets(text, unit if text.strip() else None, source=side)
            for side, text in (("reference", reference), ("prediction", prediction))
        ]
        alignment = metric.with_options(max_cells=max_cells).align(trees[1], trees[0])
        return show_pair(alignment, metric.signature)
    except (ValueError, TypeError) as error:
        return show_error(error)


def show_pair(alignment: Alignment, signature: str) -> str:
    """Return an aligned pair as HTML: figures, warnings, causes, drawing and aligned nodes.

    >>> from structiou_metric import StructIoU
    >>> metric = StructIoU()
    >>> part = show_pair(metric.align("(S (A we))", "(S (B we))"), metric.signature)
    >>> part.count("<svg "), part.count("<table>")
    (2, 1)

    Args:
        alignment: The result of `align`.
        signature: The signature of the metric.
    """
    figures = {"STRUCT-IoU": alignment.score, "precision": alignment.precision, "recall": alignment.recall}
    return (
        f"{show_figures(figures)}{show_warnings(warning.message for warning in alignment.warnings)}"
        f"<h3>Why</h3>{show_reasons(alignment)}"
        f"<h3>Drawing</h3>{show_drawing(alignment, causes=True)}"
        f"{_show_pairs(alignment)}"
        f'<p class="siou-small"><code>{escape(signature)}</code></p>'
    )


def show_figures(figures: Mapping[str, float]) -> str:
    """Return scores with their names as HTML, which a screen reader reads when it appears."""
    shown = "".join(
        f'<div class="siou-figure"><span>{name}</span><b>{value:.4f}</b></div>'
        for name, value in figures.items()
    )
    return f'<div class="siou-figures" role="status">{shown}</div>'


def show_warnings(messages: Iterable[str]) -> str:
    """Return warnings as an HTML list, or an empty text without any."""
    lines = "".join(f"<li>{escape(message)}</li>" for message in messages)
    return f'<ul class="siou-warnings" role="note">{lines}</ul>' if lines else ""


def show_error(error: BaseException, field: str = "") -> str:
    """Return an error as HTML: its place, its message, and the text with a caret below the place.

    Args:
        error: The error.
        field: The name of the form's field that the text comes from; by default the source of the error.
    """
    place, text, window = "", str(error), ""
    if isinstance(error, TreeFormatError):
        text, window, field = error.message, error.window, field or error.source
        if error.line is not None:
            place = f"line {error.line}, column {error.column}"
    where = ", ".join(part for part in (field, place) if part)
    caret = f"<pre>{escape(window)}</pre>" if window else ""
    message = escape(f"{where}: {text}" if where else text)
    return f'<div class="siou-error" role="alert">{message}{caret}</div>'


def show_reasons(alignment: Alignment) -> str:
    """Return the causes of loss as an HTML list, each in its colour of the drawing."""
    colors = cause_classes(alignment).colors
    lines = []
    for cause, sentence in explain_causes(alignment):
        name = ""
        if cause:
            color = COLORS[colors[cause] % len(COLORS)]
            name = (
                f'<b class="siou-cause" style="--cause:{color}">{cause}</b> '
                f'<span class="siou-soft">{escape(CAUSES[cause])}</span><br>'
            )
        lines.append(f"<li>{name}{escape(sentence)}</li>")
    return f'<ul class="siou-why">{"".join(lines)}</ul>'


def show_drawing(alignment: Alignment, *, causes: bool = False, tools: bool = True) -> str:
    """Return the drawing of a pair as HTML, with buttons to zoom and to choose a view.

    A long sentence first shows only differences. Text from right to left is first seen at its right end.

    Args:
        alignment: The result of `align`.
        causes: Whether nodes are first coloured by cause of loss instead of by partner.
        tools: Whether there are buttons. Without them the drawing is made to fit.
    """
    n_words = max(len(alignment.prediction.words), len(alignment.reference.words))
    pressed = {}  # the buttons by choice, and whether each is pressed at first
    if tools and alignment.score < 1.0:
        pressed[_CAUSES] = causes
    if tools and any(fold(alignment)):
        pressed[_DIFFERING] = n_words > LONG
    colored = pressed.get(_CAUSES, False)
    if len(alignment.prediction) + len(alignment.reference) > _MAX_RECOLORED_NODES:
        pressed.pop(_CAUSES, None)
    drawings = []
    for values in product(*((value, not value) for value in pressed.values())):
        chosen = dict(zip(pressed, values, strict=True))
        names = " ".join(name for name, value in chosen.items() if value) or "all"
        hidden = "" if chosen == pressed else " hidden"
        svg = draw_svg(
            alignment,
            only_differing=chosen.get(_DIFFERING, False),
            classes=cause_classes(alignment) if chosen.get(_CAUSES, colored) else None,
            legend=False,  # the list of causes already is a legend
        )
        drawings.append(f'<div data-drawing="{names}"{hidden}>{svg}</div>')
    direction = "rtl" if runs_from_right(alignment, "auto") else "ltr"
    return (
        f'<div class="siou-view"{"" if tools else FITTING}>{_show_tools(pressed) if tools else ""}'
        '<div class="siou-drawing" tabindex="0" role="group" aria-label="Drawing of both trees" '
        f'dir="{direction}">{"".join(drawings)}</div></div>'
    )


FITTING = ' data-zoom="fit"'  # the attribute of a drawing that is as wide as the page


def _show_tools(pressed: Mapping[str, bool]) -> str:
    """Return the buttons above a drawing."""
    choices = "".join(
        f'<button type="button" data-choose="{name}" aria-pressed="{"true" if value else "false"}">'
        f"{_CHOICES[name]}</button>"
        for name, value in pressed.items()
    )
    zooms = "".join(
        f'<button type="button" data-zoom="{name}" aria-label="{label}" title="{label}">{shown}</button>'
        for name, (shown, label) in _ZOOMS.items()
    )
    full = '<button type="button" data-zoom="1" data-percent title="Full size">100 %</button>'
    return f'<div class="siou-tools" role="group" aria-label="Drawing">{choices}{zooms}{full}</div>'


def _show_pairs(alignment: Alignment) -> str:
    """Return the table of aligned nodes, those that differ first."""
    pairs = sorted(alignment.pairs, key=lambda pair: pair[2])
    if not pairs:
        return ""
    head = ("reference", "its span", "prediction", "its span", "IoU")
    rows = [
        (
            _shorten(ref.label),
            f"{ref.start:g}–{ref.end:g}",
            _shorten(pred.label),
            f"{pred.start:g}–{pred.end:g}",
            f"{iou:.4f}",
        )
        for pred, ref, iou in pairs
    ]
    lines = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return (
        "<h3>Aligned nodes</h3>"
        '<div class="siou-scroll" tabindex="0" role="group" aria-label="Aligned nodes"><table>'
        f"<thead><tr>{_cells('th', head)}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


def _shorten(label: str) -> str:
    return label if len(label) <= _MAX_LABEL else label[: _MAX_LABEL - 1] + "…"
