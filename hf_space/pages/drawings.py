"""Two trees drawn on a page, with buttons to zoom and to choose what is drawn (`scripts/page.js`)."""

from __future__ import annotations

import html
from itertools import product

from structiou_metric import Alignment
from structiou_metric.drawing.folding import fold
from structiou_metric.drawing.page import LONG
from structiou_metric.drawing.svg import COLORS, draw_svg
from structiou_metric.drawing.svg_layout import runs_from_right
from structiou_metric.metrics.struct_iou.losses import CAUSES
from structiou_metric.report.reasons import cause_classes, explain_causes

_MANY = 800  # nodes of both trees from which on their colours cannot be changed: a drawing takes a megabyte

_CAUSES, _DIFFERING = "causes", "differing"
_CHOICES = {_CAUSES: "Colour by cause", _DIFFERING: "Only what differs"}
_ZOOMS = {"fit": ("Fit", "Fit into the page"), "out": ("\N{MINUS SIGN}", "Smaller"), "in": ("+", "Larger")}


def show_drawing(alignment: Alignment, *, causes: bool = False, tools: bool = True) -> str:
    """The drawing of a pair, as HTML.

    A long sentence begins with only what differs, and what runs from right to left begins at its right end.

    Args:
        alignment: What `align` returns.
        causes: Whether to begin with colours that tell why nodes are lost; else they tell partners.
        tools: Whether there are buttons; else the drawing is made to fit.
    """
    n_words = max(len(alignment.prediction.words), len(alignment.reference.words))
    begins = {}  # by what can be chosen, whether it is at first
    if tools and alignment.score < 1.0:
        begins[_CAUSES] = causes
    if tools and any(fold(alignment)):
        begins[_DIFFERING] = n_words > LONG
    colored = begins.get(_CAUSES, False)
    if len(alignment.prediction) + len(alignment.reference) > _MANY:
        begins.pop(_CAUSES, None)
    drawings = []
    for values in product(*((value, not value) for value in begins.values())):
        wanted = dict(zip(begins, values, strict=True))
        words = " ".join(name for name, value in wanted.items() if value) or "all"
        hidden = "" if wanted == begins else " hidden"
        svg = draw_svg(
            alignment,
            only_differing=wanted.get(_DIFFERING, False),
            classes=cause_classes(alignment) if wanted.get(_CAUSES, colored) else None,
            legend=False,  # `show_reasons` is one
        )
        drawings.append(f'<div data-drawing="{words}"{hidden}>{svg}</div>')
    fitting = ' data-zoom="fit"'
    direction = "rtl" if runs_from_right(alignment, "auto") else "ltr"
    return (
        f'<div class="siou-view"{"" if tools else fitting}>{_tools(begins) if tools else ""}'
        '<div class="siou-drawing" tabindex="0" role="group" aria-label="Drawing of both trees" '
        f'dir="{direction}">{"".join(drawings)}</div></div>'
    )


def _tools(begins: dict[str, bool]) -> str:
    """The buttons above a drawing."""
    choices = "".join(
        f'<button type="button" data-choose="{name}" aria-pressed="{"true" if value else "false"}">'
        f"{_CHOICES[name]}</button>"
        for name, value in begins.items()
    )
    zooms = "".join(
        f'<button type="button" data-zoom="{name}" aria-label="{told}" title="{told}">{shown}</button>'
        for name, (shown, told) in _ZOOMS.items()
    )
    full = '<button type="button" data-zoom="1" data-percent title="Full size">100 %</button>'
    return f'<div class="siou-tools" role="group" aria-label="Drawing">{choices}{zooms}{full}</div>'


def show_reasons(alignment: Alignment) -> str:
    """Why a pair does not score 1, as HTML: a line for each cause, in its colour of the drawing."""
    colors = cause_classes(alignment).colors
    lines = []
    for cause, sentence in explain_causes(alignment):
        name = ""
        if cause:
            color = COLORS[colors[cause] % len(COLORS)]
            name = (
                f'<b class="siou-cause" style="--cause:{color}">{cause}</b> '
                f'<span class="siou-soft">{html.escape(CAUSES[cause])}</span><br>'
            )
        lines.append(f"<li>{name}{html.escape(sentence)}</li>")
    return f'<ul class="siou-why">{"".join(lines)}</ul>'
