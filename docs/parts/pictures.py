"""Draw the pictures of the site and of the README by the package itself.

On the site they are drawn when it is built, in the colours of its text, light or dark. The README shows files
of one of them and badges, in `docs/pictures`. `make pages` writes these files, and a test draws them again
and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from importlib.metadata import metadata
from pathlib import Path

from structiou_metric import Alignment, align
from structiou_metric.drawing.badge import draw_badge
from structiou_metric.drawing.classes import Classes
from structiou_metric.drawing.svg import draw_html, draw_svg, px, rect
from structiou_metric.metrics.struct_iou.losses import CAUSES

FOLDER = Path(__file__).parents[1] / "pictures"

# By name, a prediction, its reference and the options that they are aligned by.
PAIRS: dict[str, tuple[str, str, dict[str, object]]] = {
    "aligned": (
        "(S (NP (PRP we)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NNS hats)))))",
        "(S (NP (PRP we)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NNS hats))))))",
        {},
    ),
    "overlap": (
        "(S (NP (DT the)) (VP (NN dog) (VBD ran)))",
        "(S (NP (DT the) (NN dog)) (VP (VBD ran)))",
        {"terminals": "exclude"},
    ),
    "ancestors": ("(S (NP (A a)) (VP (B b) (NP (C c))))", "(S (NP (A a)) (VP (B b)) (NP (C c)))", {}),
    "boundary": (
        "(S (X (A a) (B b) (C c)) (D d))",
        "(S (X (A a) (B b)) (C c) (D d))",
        {"terminals": "exclude"},
    ),
    "label": (
        "(S (NP (PRP we)) (NP (VBP run) (RB off)))",
        "(S (NP (PRP we)) (VP (VBP run) (RB off)))",
        {},
    ),
    "missing": (
        "(S (NP (PRP we)) (VBP run) (RB off))",
        "(S (NP (PRP we)) (VP (VBP run) (RB off)))",
        {},
    ),
    "hebrew": (
        "(PP (NN בבית))",
        "(PP (IN ב) (NP (DT ה) (NN בית)))",
        {"unit": "char", "texts": "aligned"},
    ),
    "seconds": (
        "(VP (VBP <2.55,2.56>) (NP (PRP <2.56,2.72>) (NN <2.72,3.01>)))",
        "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))",
        {"unit": "time"},
    ),
}
PAIRS["attachment"] = PAIRS["aligned"]

# The themes of the README's picture.
THEMES = ("light", "dark")

_WORD = 84.0  # pixels
_LEFT = 92.0
_BLUE, _GREEN = "#4477aa", "#228833"


def alignment(name: str) -> Alignment:
    """Return the aligned pair of a picture."""
    prediction, reference, options = PAIRS[name]
    return align(prediction, reference, **options)


def draw_pair(name: str) -> str:
    """Draw a pair of trees, with aligned nodes in the same colour."""
    return _framed(draw_html(alignment(name)), name)


def draw_causes(name: str) -> str:
    """Draw a pair of trees, with nodes coloured by the cause of their loss."""
    found = alignment(name)
    lost: dict[str, dict[int, str]] = {"prediction": {}, "reference": {}}
    for loss in found.losses():
        lost[loss.side][loss.node.number] = loss.cause
    classes = Classes(lost["prediction"], lost["reference"], tuple(CAUSES))
    return _framed(draw_html(found, classes=classes), name)


def draw_intervals() -> str:
    """Draw a tree as intervals over its words."""
    words = ["the", "dog", "ran"]
    rows = [("S", 0, 3), ("NP", 0, 2), ("VP", 2, 3)]
    parts = []
    for row, (label, start, end) in enumerate(rows):
        parts.append(_interval(start, end, 6 + 28 * row, label, _BLUE))
    bottom = 6 + 28 * len(rows)
    parts += [
        f'<text x="{px(_LEFT + _WORD * (i + 0.5))}" y="{bottom + 16}">{word}</text>'
        for i, word in enumerate(words)
    ]
    parts += [
        f'<text x="{px(_LEFT + _WORD * i)}" y="{bottom + 38}" font-size="11" fill-opacity=".75">{i}</text>'
        f'<path d="M{px(_LEFT + _WORD * i)} {bottom + 22}v5" stroke="#888"/>'
        for i in range(len(words) + 1)
    ]
    title = "A tree as intervals: S from 0 to 3, NP from 0 to 2, VP from 2 to 3"
    return _drawing(parts, _LEFT + 3 * _WORD + 20, bottom + 46, title)


def draw_iou() -> str:
    """Draw two intervals with their intersection and their union."""
    parts = [
        _side("reference", 6),
        _interval(0, 2, 6, "NP", _BLUE),
        _side("prediction", 34),
        _interval(1, 4, 34, "NP", _GREEN),
        _side("intersection", 70),
        _interval(1, 2, 70, "1", "#888"),
        _side("union", 98),
        _interval(0, 4, 98, "4", "#888"),
    ]
    return _drawing(parts, _LEFT + 4 * _WORD + 20, 128, "IoU of two intervals: 1 over 4")


def _interval(start: float, end: float, y: float, label: str, color: str) -> str:
    left, right = _LEFT + _WORD * start + 2, _LEFT + _WORD * end - 2
    bar = rect(left, right, y, f'fill="{color}" fill-opacity=".25" stroke="{color}" stroke-width="1.5"')
    return f'{bar}<text x="{px((left + right) / 2)}" y="{px(y + 14.2)}">{escape(label)}</text>'


def _side(name: str, y: float) -> str:
    return f'<text x="{px(_LEFT - 10)}" y="{px(y + 14.2)}" text-anchor="end" fill-opacity=".75">{name}</text>'


def _drawing(parts: list[str], width: float, height: float, title: str) -> str:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{px(width)}" height="{px(height)}" '
        f'viewBox="0 0 {px(width)} {px(height)}" role="img" aria-label="{escape(title)}" '
        'style="font-family:system-ui,sans-serif;max-width:100%;height:auto">'
        f'<g fill="currentColor" text-anchor="middle" font-size="13">{"".join(parts)}</g></svg>'
    )
    return _framed(svg, "")


def _framed(picture: str, name: str) -> str:
    """Return a picture for a page, without blank lines, which would end it in Markdown."""
    lines = "\n".join(line for line in picture.splitlines() if line.strip())
    return (
        f'<div class="picture"{f" data-picture={chr(34)}{name}{chr(34)}" if name else ""}>\n{lines}\n</div>\n'
    )


DRAWN: dict[str, Callable[[], str]] = {"intervals": draw_intervals, "iou": draw_iou}


def draw(name: str, kind: str = "pair") -> str:
    """Draw a picture of the site by its name; a pair of trees by its partners or by its causes."""
    if name in DRAWN:
        return DRAWN[name]()
    return draw_causes(name) if kind == "causes" else draw_pair(name)


def readme_pictures() -> dict[Path, str]:
    """Return the pictures of the README by their files."""
    found = alignment("aligned")
    project = metadata("structiou-metric")
    badges = {
        "version": project["Version"],
        "python": project["Requires-Python"].replace(">=", "from ") + " on",
        "licence": project["License-Expression"],
    }
    return {
        **{FOLDER / f"aligned-{theme}.svg": draw_svg(found, theme=theme) for theme in THEMES},
        **{FOLDER / f"badge-{left}.svg": draw_badge(left, right) for left, right in badges.items()},
    }
