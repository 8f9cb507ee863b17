"""Text in a terminal: its width, and characters that must not reach the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from unicodedata import bidirectional, category, east_asian_width

NO_LABEL = "∅"  # shown for the empty label

_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f")
_DIRECTION_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def cells(text: str) -> int:
    """Return the number of columns that a text takes in a terminal."""
    return len(text) if text.isascii() else sum(map(character_cells, text))


@lru_cache(maxsize=4096)
def character_cells(character: str) -> int:
    """Return the number of columns that a character takes in a terminal."""
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    if "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7ff":
        return 0  # jamo that join the one before them
    return 2 if east_asian_width(character) in "WF" else 1


def isolated(text: str) -> str:
    """Return the text, kept from reordering the text around it if it runs from right to left."""
    if text.isascii() or not any(bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return text
    return f"{_ISOLATE}{text}{_POP_ISOLATE}"


def lay_out(table: Sequence[Sequence[str]], sides: str = "<") -> str:
    """Return rows of cells as text, in columns of the least width; a row of one cell takes a whole line.

    >>> print(lay_out([["label", "nodes"], ["NP", "12"]], "<>"))
    label  nodes
    NP        12

    Args:
        table: The cells of each row, printable.
        sides: `<` for each column that is flush left, `>` for each flush right; the last is for all more.
    """
    measured = [row for row in table if len(row) > 1]
    n_columns = max(map(len, measured), default=0)
    widths = [max(cells(row[k]) for row in measured if k < len(row)) for k in range(n_columns)]
    sides = sides.ljust(n_columns, sides[-1])
    lines = []
    for row in table:
        parts = list(row)
        for k, cell in enumerate(row if len(row) > 1 else ()):
            space = " " * (widths[k] - cells(cell))
            parts[k] = space + isolated(cell) if sides[k] == ">" else isolated(cell) + space
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def printable(text: str) -> str:
    """Return the text without anything that moves the cursor, changes the direction or cannot be encoded."""
    if text.isprintable() and not text.isspace():
        return text
    return "␣" if text.isspace() else "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    if character in _DIRECTION_MARKS:
        return ""
    if character < " ":
        return chr(0x2400 + ord(character))  # a picture of it
    if character in _DIRECTION_CONTROLS or category(character) in ("Cc", "Cs", "Zl", "Zp"):
        return "\ufffd"
    return character
