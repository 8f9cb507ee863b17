"""`draw_svg`: two aligned trees over one axis, as a picture.

The picture is one SVG element that needs nothing else: no scripts, no styles of the page, no names that
could clash with those of another picture on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..wording import check_choice, count
from .classes import Classes
from .folding import Folds, fold
from .page import MAX_NODES
from .svg_layout import runs_from_right
from .svg_picture import THEMES, Picture
from .svg_text import xml

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment

__all__ = ["draw_html", "draw_svg"]


def draw_svg(
    alignment: Alignment,
    *,
    direction: str = "auto",
    theme: str = "auto",
    caption: bool = True,
    description: str = "",
    only_differing: bool = False,
    width: float | None = None,
    classes: Classes | None = None,
    legend: bool = True,
) -> str:
    """Draws the reference above an axis and the prediction, upside down, below it.

    A node is a bar over its words, characters or seconds. Aligned nodes have the same number and
    colour in both trees, are filled where they overlap, and show their IoU if that is below 1. Nodes
    that are not aligned are grey, dashed and empty. Those that do not count are dotted, with the label
    in brackets; a root such as TOP over one tree is left out, and a small wedge at the words stands for
    what has no length on the axis, such as traces. Pointing at anything tells more of it.

    The axis is not to scale throughout: each part of it between two boundaries of words is as wide as
    the text over it needs, and longer ones are wider only up to a limit. Seconds and characters are
    written along it. Long labels and words are cut; widths of text are estimated (see `svg_text`).

    >>> from structiou_metric import align
    >>> picture = draw_svg(align("(S (NP (DT the) (NN dog)))", "(S (NP (DT the) (JJ dog)))"))
    >>> picture.count("<g data-tree="), picture.count("data-pair="), picture.count("stroke-dasharray")
    (8, 6, 2)

    Args:
        alignment: What `align` returns.
        direction: The direction of the axis: `ltr`, `rtl`, or `auto` for that of most words.
        theme: The colours: `light` and `dark` have a background; `auto` has none and takes the text's colour
            from the page.
        caption: Whether to write the scores.
        description: What is kept in the picture without being seen, such as the signature of the metric.
        only_differing: Whether to leave out what is below nodes on which both trees agree (see `folding`);
            of their words, the first and the last are written.
        width: The width of a line in pixels; a longer axis goes on in further lines, in which nodes that go
            on are open at that side. By default there is one line.
        classes: What to colour nodes by instead of their partners; aligned nodes without a class are grey.
        legend: Whether to list the classes below the trees, in their colours.
    """
    check_choice("theme", theme, THEMES)
    folds = fold(alignment) if only_differing else Folds()
    mirrored = runs_from_right(alignment, direction)
    return Picture(alignment, mirrored, caption, folds, width, classes, legend).write(theme, description)


def draw_html(alignment: Alignment, *, description: str = "", classes: Classes | None = None) -> str:
    """A picture for a page or a notebook, which scrolls if it is wide; for very large trees, the scores only.

    >>> from structiou_metric import align
    >>> page = draw_html(align("(S (NP we) (VP run))", "(S (NP we) (NP run))"))
    >>> page.count("<svg "), "overflow-x" in page
    (1, True)

    Args:
        alignment: What `align` returns.
        description: What is kept in the picture without being seen, as in `draw_svg`.
        classes: What to colour nodes by instead of their partners, as in `draw_svg`.
    """
    nodes = len(alignment.prediction) + len(alignment.reference)
    if nodes <= MAX_NODES:
        picture = draw_svg(alignment, description=description, classes=classes)
        return scrolling(picture, "Drawing of both trees", mirrored=runs_from_right(alignment, "auto"))
    scores = [f"{name} {getattr(alignment, name):.4f}" for name in ("score", "precision", "recall")]
    text = (
        f"{'  '.join(scores)}\nnot drawn: {count(nodes, 'node')}, more than {MAX_NODES}; "
        "see structiou_metric.drawing.svg.draw_svg and structiou align --svg"
    )
    return f"<pre>{xml(text)}</pre>"


def scrolling(picture: str, label: str, *, mirrored: bool) -> str:
    """A picture in a box that scrolls, from the right if it is mirrored."""
    return (
        '<div style="overflow-x:auto;max-width:100%" tabindex="0" role="group" '
        f'aria-label="{label}" dir="{"rtl" if mirrored else "ltr"}">{picture}</div>'
    )
