"""What texts are compared by: written characters, whatever way a treebank or a keyboard writes them."""

from __future__ import annotations

import re
from unicodedata import category, normalize

_SIGNS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
_SIGNS |= {"``": '"', "''": '"'}
_WRITTEN_OUT = re.compile("-[LR][RCS]B-|``|''", re.ASCII | re.IGNORECASE)
_ESCAPED = re.compile(r"\\([/*])")

# Quotes of every shape, raised, lowered, angled, wide, and Hebrew's signs for abbreviations.
_DOUBLE = "\u201c\u201d\u201e\u201f\xab\xbb\uff02\u05f4"
_SINGLE = "`\u2018\u2019\u201a\u201b\u2039\u203a\uff07\u05f3"
_QUOTES = dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_SINGLE, "'")

_ODD = re.compile("[^0-9A-Za-z.,:;?!$%&@#+=/()_]")  # what may be written otherwise


def written(word: str) -> list[str]:
    """The written characters of a word, each in one spelling for all ways to write it.

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


def same_key(word: str) -> str:
    r"""A text that words have in common if they count as the same.

    >>> same_key("``"), same_key("-lrb-"), same_key(r"and\/or")
    ('"', '(', 'and/or')
    """
    return "".join(written(_ESCAPED.sub(r"\1", word))) if _ODD.search(word) else word
