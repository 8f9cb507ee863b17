"""The page of a paper that drawings are made to fit."""

from __future__ import annotations

from ..wording import count

MAX_NODES = 2000  # The most nodes of both trees that are drawn on a page or in a notebook.
TEXT_WIDTH = 16.0  # width of a line on A4, in centimetres
TEXT_HEIGHT = 24.0  # height of a page of A4 in centimetres, less the space for a caption
LONG = 40  # number of words from which a page shows only differences, unless the caller decides

PIXELS = 96 / 2.54  # CSS pixels to a centimetre
POINTS = 72.27 / 2.54  # TeX points to a centimetre


def check_size(n_nodes: int) -> None:
    """Refuse more nodes than a reader can follow on pages, or than LaTeX can set in reasonable time."""
    if n_nodes > MAX_NODES:
        raise ValueError(
            f"{count(n_nodes, 'node')} are too many for a page, which is to have {MAX_NODES:,} at most; "
            "draw only what differs, or an SVG of one line"
        )
