"""Two trees drawn on a page, with buttons to zoom and to choose what is drawn (`static/drawings.js`)."""

from __future__ import annotations

from itertools import product

from markupsafe import Markup

from structiou_metric import Alignment
from structiou_metric.drawing.folding import fold
from structiou_metric.drawing.page import LONG
from structiou_metric.drawing.svg import COLORS, draw_svg
from structiou_metric.drawing.svg_layout import runs_from_right
from structiou_metric.metrics.struct_iou.losses import CAUSES
from structiou_metric.report.reasons import cause_classes, explain_causes

from .render import render

_MAX_RECOLORED_NODES = 800  # of both trees; a larger drawing takes a megabyte for each choice
_CAUSES, _DIFFERING = "causes", "differing"


def show_drawing(alignment: Alignment, *, causes: bool = False, tools: bool = True) -> Markup:
    """Return the drawing of a pair as HTML.

    A long sentence first shows only what differs, and text that runs from right to left begins at its right
    end.

    Args:
        alignment: The result of `align`.
        causes: Whether nodes first have the colours of causes of loss; else partners share a colour.
        tools: Whether there are buttons; else the drawing is made to fit.
    """
    n_words = max(len(alignment.prediction.words), len(alignment.reference.words))
    choices = {}  # by name, whether it is chosen at first
    if tools and alignment.score < 1.0:
        choices[_CAUSES] = causes
    if tools and any(fold(alignment)):
        choices[_DIFFERING] = n_words > LONG
    colored = choices.get(_CAUSES, False)
    if len(alignment.prediction) + len(alignment.reference) > _MAX_RECOLORED_NODES:
        choices.pop(_CAUSES, None)
    drawings = []
    for values in product(*((value, not value) for value in choices.values())):
        chosen = dict(zip(choices, values, strict=True))
        svg = draw_svg(
            alignment,
            only_differing=chosen.get(_DIFFERING, False),
            classes=cause_classes(alignment) if chosen.get(_CAUSES, colored) else None,
            legend=False,  # the list of reasons is the legend
        )
        names = " ".join(name for name, value in chosen.items() if value) or "all"
        drawings.append({"names": names, "hidden": chosen != choices, "svg": Markup(svg)})
    return render(
        "drawing.html",
        drawings=drawings,
        choices=choices,
        tools=tools,
        direction="rtl" if runs_from_right(alignment, "auto") else "ltr",
    )


def show_reasons(alignment: Alignment) -> Markup:
    """Return why a pair does not score 1, a line for each cause in its colour of the drawing."""
    classes = cause_classes(alignment).colors
    reasons = [
        {
            "cause": cause,
            "color": COLORS[classes[cause] % len(COLORS)] if cause else "",
            "meaning": CAUSES.get(cause, ""),
            "sentence": sentence,
        }
        for cause, sentence in explain_causes(alignment)
    ]
    return render("reasons.html", reasons=reasons)
