"""The page of a paper that drawings are made to fit."""

from __future__ import annotations

TEXT_WIDTH = 16.0  # centimetres of a line on A4
TEXT_HEIGHT = 24.0  # centimetres of a page of A4, with room for a caption
LONG = 40  # words from which only what differs is drawn on a page, unless asked otherwise

PIXELS = 96 / 2.54  # to a centimetre
POINTS = 72.27 / 2.54  # of TeX, likewise
