"""Text in a picture: its estimated width, how it is cut, and how it is written into XML.

There is no font to measure with, so widths follow a rule, in ems, on the wide side of common sans-serif
fonts: narrow letters and punctuation 0.42; small letters and digits 0.64; capitals 0.78; m, w, M, W and
most signs 1; letters of other scripts 0.85; East Asian characters 1.05; emoji 1.3; marks nothing.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from unicodedata import bidirectional

from ..terminal import character_cells, printable

CUT = "…"
MAX_TITLE = 1000  # characters of a label or word in a tooltip

_NARROW = frozenset(" !\"'()*,-./:;?I[\\]_`fijlrt{|}|·–")
_WIDE = frozenset("#%&+<=>@MW^mw~—…")
_MAX_CHARACTERS = 200  # limits marks without width
_ILLEGAL = str.maketrans({"\ufffe": "\ufffd", "\uffff": "\ufffd"})  # characters that XML does not allow


@lru_cache(maxsize=4096)
def _character_width(character: str) -> float:
    if not character_cells(character):
        return 0.0
    if character >= "\U0001f000":
        return 1.3
    if character_cells(character) == 2:
        return 1.05
    if character in _NARROW:
        return 0.42
    if character in _WIDE:
        return 1.0
    if character < "\u0370":
        return 0.78 if character.isupper() else 0.64
    return 0.85


def text_width(text: str, size: float) -> float:
    """Return the approximate width in pixels of a text in a font of that size.

    >>> text_width("NP", 10)
    15.6
    """
    return round(size * sum(map(_character_width, text)), 3)


def shown(text: str, size: float, max_width: float) -> str:
    """Return the text without control characters, cut to `max_width` pixels.

    >>> shown("a long label", 10, 40)
    'a lon…'
    """
    head = printable(text[: _MAX_CHARACTERS + 1])
    if len(text) <= _MAX_CHARACTERS and text_width(head, size) <= max_width:
        return head
    width = text_width(CUT, size)
    for end, character in enumerate(head):
        width += size * _character_width(character)
        if width > max_width or end == _MAX_CHARACTERS:
            return head[:end] + CUT
    return head + CUT


def full(text: str) -> str:
    """Return the text for a tooltip: without control characters, cut only if it is very long."""
    if len(text) <= MAX_TITLE:
        return printable(text)
    return f"{printable(text[:MAX_TITLE])}{CUT} ({len(text)} characters)"


def xml(text: str) -> str:
    """Return the text for XML, inside of elements and of quoted attributes."""
    return escape(text.translate(_ILLEGAL))


def is_right_to_left(text: str) -> bool | None:
    """Return whether the first letter with a direction runs from right to left; None if there is none."""
    if text.isascii():
        return False if any(map(str.isalpha, text)) else None
    for character in text:
        kind = bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return None
