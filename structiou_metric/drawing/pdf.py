"""`draw_pdf`: the picture of two aligned trees as a PDF, to be included in a paper.

The package typst turns SVG into PDF. Its renderer (resvg) sets text of both directions correctly, takes
letters that a font lacks from another font, and needs no program apart from its wheel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..optional import need
from .folding import fold_for_page
from .page import PIXELS, TEXT_HEIGHT, TEXT_WIDTH
from .svg import Picture
from .svg_layout import runs_from_right

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment
    from .classes import Classes

__all__ = ["draw_pdf"]

_QUOTED = str.maketrans({"\\": "\\\\", '"': '\\"'})
_PAGE = '#image(bytes("{}"), format: "svg")\n'


def draw_pdf(
    alignment: Alignment,
    *,
    only_differing: bool | None = None,
    width: float = TEXT_WIDTH,
    height: float = TEXT_HEIGHT,
    direction: str = "auto",
    caption: bool = True,
    classes: Classes | None = None,
    description: str = "",
) -> bytes:
    """Draw the same picture as `draw_svg`, on pages as large as the picture.

    >>> from structiou_metric import align
    >>> draw_pdf(align("(S (A a) (B b))", "(S (A a) (C b))"))[:5]
    b'%PDF-'

    Args:
        alignment: The result of `align`.
        only_differing: Whether to leave out the parts on which both trees agree; by default in sentences of
            40 words or more.
        width: The width of a line, in centimetres; a longer axis continues on further lines.
        height: The height of a page, in centimetres; further lines continue on further pages.
        direction: The direction of the axis, as in `draw_svg`.
        caption: Whether to write the scores.
        classes: The classes that colour the nodes instead of their partners, as in `draw_svg`.
        description: A text that is stored in the file but not shown, such as the signature of the metric.
    """
    typst = need("typst", "pdf", "a PDF")
    picture = Picture(
        alignment,
        runs_from_right(alignment, direction),
        caption,
        fold_for_page(alignment, only_differing),
        width * PIXELS,
        classes,
    )
    source = ["#set page(width: auto, height: auto, margin: 0pt)\n"]
    if description:
        source.append(f'#set document(description: "{description.translate(_QUOTED)}")\n')
    pages = picture.pages("light", "", height * PIXELS)
    source.append("#pagebreak()\n".join(_PAGE.format(page.translate(_QUOTED)) for page in pages))
    found: bytes = typst.compile("".join(source).encode("utf-8"))
    return found
