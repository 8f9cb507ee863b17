"""Written characters of words: how many there are, and which words are written alike.

A character is a base character with its combining marks, after Unicode's normal form C. White space,
control and invisible format characters (direction marks, joiners) count nothing, so the length of a
text does not depend on how it is cut into words. Counting the other characters gives the same number before
and after normalising, because only marks are ever joined, and the jamo that the scanner joins.
"""

from __future__ import annotations

import re
from _thread import allocate_lock
from functools import lru_cache
from unicodedata import category, normalize

# The words that treebanks write for brackets inside words.
ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}

# Quotes of every shape, raised, lowered, angled, wide, and Hebrew's signs for abbreviations.
_DOUBLE = "\u201c\u201d\u201e\u201f\xab\xbb\u2033\uff02\u05f4"
_SINGLE = "`\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc\uff07\u05f3"
_QUOTES = dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_SINGLE, "'")
_SIGNS = {**ESCAPES, "``": '"', "''": '"'}

# Words that mean a dash in any of its signs; and signs inside words that have several spellings.
_DASHES = dict.fromkeys("\u2013\u2014\u2015", "--")
_INSIDE = str.maketrans({"…": "...", "\u2011": "-"})
# Vowel points, which Hebrew and Arabic text may have or not.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed]"
)
_WRITTEN_OUT = re.compile("-[LR][RCS]B-|``|''", re.ASCII | re.IGNORECASE)
_ESCAPED = re.compile(r"\\([/*])")
_ODD = re.compile("[^0-9A-Za-z.,:;?!$%&@#+=/()_]")  # characters with several spellings


def written(word: str) -> list[str]:
    """Return the written characters of a word, each in one spelling for all ways to write it.

    There are as many as `unit="char"` counts: base characters with their marks, after normal form C, without
    white space and invisible characters.

    >>> written("-LRB-dog’s''")
    ['(', 'd', 'o', 'g', "'", 's', '"']
    """
    if not _ODD.search(word):
        return list(word)

    found: list[str] = []
    for character in normalize("NFC", _WRITTEN_OUT.sub(lambda sign: _SIGNS[sign[0].upper()], word)):
        kind = category(character)
        if kind[0] == "M":
            if found:
                found[-1] += character
        elif kind[0] != "Z" and kind not in ("Cc", "Cf"):
            found.append(_QUOTES.get(character, character))
    return found


@lru_cache(maxsize=65536)
def plain_spelling(word: str) -> str:
    r"""Return the word without peculiarities of treebanks and keyboards; equal results are the same word.

    Escaped brackets and slashes, kinds of quotes, apostrophes and dashes, and how Unicode composes a
    character make no difference, nor do Hebrew and Arabic vowel points and invisible format characters.
    Case does.

    >>> plain_spelling("-LRB-"), plain_spelling("``"), plain_spelling("can’t"), plain_spelling(r"1\/2")
    ('(', '"', "can't", '1/2')
    """
    if not _ODD.search(word):
        return word
    word = "".join(written(_ESCAPED.sub(r"\1", word)))
    if not word.isascii():
        word = _POINTS.sub("", word).translate(_INSIDE)
    return _DASHES.get(word, word)


_N_CODE_POINTS = 0x110000

_widths = bytearray()  # by code point, for those in _known
_known: set[str] = set()
_lock = allocate_lock()  # threads share the table


def widths_for(text: str) -> bytearray:
    """Return a table of lengths by code point that holds every character of `text`."""
    with _lock:
        if not _widths:
            _widths.extend(bytes(_N_CODE_POINTS))
            _classify(set(map(chr, range(128))))
        if not text.isascii():
            _classify(set(text) - _known)
    return _widths


def _classify(characters: set[str]) -> None:
    for character in characters:
        kind = category(character)
        _widths[ord(character)] = kind[0] not in "MZ" and kind not in ("Cc", "Cf")
    _known.update(characters)
