"""The page of a paper that drawings are made to fit."""

from __future__ import annotations

from ..wording import count

MAX_NODES = 2000  # The most nodes of both trees that are drawn on a page or in a notebook.
TEXT_WIDTH = 16.0  # centimetres of a line on A4
TEXT_HEIGHT = 24.0  # centimetres of a page of A4, with room for a caption
LONG = 40  # words from which only what differs is drawn on a page, unless asked otherwise

PIXELS = 96 / 2.54  # to a centimetre
POINTS = 72.27 / 2.54  # of TeX, likewise


def check_size(n_nodes: int) -> None:
    """Refuses more nodes than anyone can look at on pages, and than LaTeX can set in reasonable time."""
    if n_nodes > MAX_NODES:
        raise ValueError(
            f"{count(n_nodes, 'node')} are too many for a page, which is to have {MAX_NODES:,} at most; "
            "draw only what differs, or an SVG of one line"
        )
