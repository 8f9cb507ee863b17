"""Pictures of alignments, under the name that users were shown; they are drawn in `drawing.svg`."""

from .drawing.page import MAX_NODES
from .drawing.svg import draw_html, draw_svg

__all__ = ["MAX_NODES", "draw_html", "draw_svg"]
