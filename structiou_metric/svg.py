"""Pictures of alignments, under the name that users were shown; they are drawn in `drawing.svg`."""

from .drawing.svg import MAX_NODES, draw_html, draw_svg

__all__ = ["MAX_NODES", "draw_html", "draw_svg"]
