"""How words are compared: what treebanks, tokenizers and keyboards write differently is one spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from .brackets import ESCAPES

# Words that mean a quote or a dash, whatever sign stands for it.
_SIGNS = {
    **dict.fromkeys(("``", "''", *"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"), '"'),
    **dict.fromkeys("`\u2018\u2019\u201a\u201b\u2039\u203a\u2032", "'"),
    **dict.fromkeys("\u2013\u2014\u2015", "--"),
}
# The same signs inside words.
_INSIDE = str.maketrans({**dict.fromkeys("\u2018\u2019\u201b\u2032\u02bc", "'"), "…": "...", "\u2011": "-"})
# Vowel points, which Hebrew and Arabic text may have or not.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed]"
)
_ESCAPE = re.compile("|".join([*ESCAPES, r"\\[/*]"]), re.IGNORECASE)


@lru_cache(maxsize=65536)
def plain_spelling(word: str) -> str:
    """The word without what only treebanks and keyboards make of it; equal ones are the same word.

    Escaped brackets and slashes, kinds of quotes, apostrophes and dashes, and how Unicode composes a
    character make no difference, nor do Hebrew and Arabic vowel points and invisible format characters.
    Case does.

    >>> plain_spelling("-LRB-"), plain_spelling("``"), plain_spelling("can’t"), plain_spelling("1\\\\/2")
    ('(', '"', "can't", '1/2')
    """
    if not word.isascii():
        from unicodedata import category, normalize

        word = _POINTS.sub("", normalize("NFC", word))
        word = "".join(c for c in word if category(c) not in ("Cc", "Cf"))
    sign = _SIGNS.get(word)
    if sign is not None:
        return sign
    if not word.isascii():
        word = word.translate(_INSIDE)
    if "-" in word or "\\" in word:
        word = _ESCAPE.sub(lambda match: ESCAPES.get(match[0].upper(), match[0][-1]), word)
    return word
