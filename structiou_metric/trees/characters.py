"""Written characters: how long a word is when characters are the unit.

A character is a base character with its combining marks, after Unicode's normal form C. White space,
control and invisible format characters (direction marks, joiners) count nothing, so the length of a
text does not depend on how it is cut into words. Counting what is left gives the same number before
and after normalising, because only marks are ever joined, and the jamo that the scanner joins.
"""

from __future__ import annotations

from _thread import allocate_lock

_N_CODE_POINTS = 0x110000

_widths = bytearray()  # by code point, for those in _known
_known: set[str] = set()
_lock = allocate_lock()  # threads share the table


def widths_for(text: str) -> bytearray:
    """A table of lengths by code point that holds every character of `text`."""
    with _lock:
        if not _widths:
            _widths.extend(bytes(_N_CODE_POINTS))
            _classify(set(map(chr, range(128))))
        if not text.isascii():
            _classify(set(text) - _known)
    return _widths


def _classify(characters: set[str]) -> None:
    from unicodedata import category

    for character in characters:
        kind = category(character)
        _widths[ord(character)] = kind[0] not in "MZ" and kind not in ("Cc", "Cf")
    _known.update(characters)
