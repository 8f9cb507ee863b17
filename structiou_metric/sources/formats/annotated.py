"""Brackets with identifiers, metadata or lemmas among their words: the Penn-Helsinki corpora and CESS.

( (IP-MAT (NP-SBJ *pro*) (VBD came) (. .)) (ID CMEXAMPLE,1.2))
(sn (espec.ms (da0ms0 El el)) (nom.ms (ncms000 perro perro)))

Everything but labels and words is replaced by blanks, so that lines stay. Traces become leaves with the label
`-NONE-`, as in other treebanks, so that the option `drop` applies to them.
"""

from __future__ import annotations

import re

from ...trees.labels import TRACE
from ..content import Content

_ASIDE = re.compile(rb"\(\s*(?:ID|METADATA|META|CODE|LEMMA|lemma)(?=[\s(])")
_BRACKET = re.compile(rb"[()]")
_ORTHOGRAPHY = re.compile(rb"(\(\s*ORTHO?\s)(\s*[^\s()]+\s*)\)")
_TRACE = re.compile(rb"(\(\s*([^\s()]+)\s+)(\*(?:[A-Za-z0-9]+\*)?(?:-\d+)?|0)(\s*\))")
_EMPTY = re.compile(rb"\(\s*\)")
_LEMMA = re.compile(rb"(\(\s*[^\s()]+\s+[^\s()]+)(\s+[^\s()]+\s*)(?=\))")


def read_helsinki(content: Content) -> bytes:
    """Return the brackets without identifiers, metadata, codes and lemmas, and without wordless trees."""
    data = content.utf8
    parts: list[bytes] = []
    done = 0
    for found in _ASIDE.finditer(data):
        if found.start() >= done:  # else it is within another
            end = _find_close(data, found.start())
            parts += data[done : found.start()], _blank(data[found.start() : end])
            done = end
    text = b"".join([*parts, data[done:]])
    text = _ORTHOGRAPHY.sub(lambda found: _blank(found[1]) + found[2] + b" ", text)
    return _EMPTY.sub(lambda found: _blank(found[0]), _mark_traces(text))


def read_cess(content: Content) -> bytes:
    """Return the brackets with the first word of each leaf that has two; the second is the lemma."""
    return _mark_traces(_LEMMA.sub(lambda found: found[1] + _blank(found[2]), content.utf8))


def _find_close(data: bytes, start: int) -> int:
    """Return the end of the bracket that begins at a byte; that of its line if it is not closed before."""
    depth = 0
    for found in _BRACKET.finditer(data, start):
        depth += 1 if found[0] == b"(" else -1
        if depth == 0:
            return found.end()
    end = data.find(b"\n", start)
    return end if end >= 0 else len(data)


def _mark_traces(data: bytes) -> bytes:
    """Return the brackets with the label of traces around each trace; a zero that is a number stays."""

    def mark(found: re.Match[bytes]) -> bytes:
        if found[3] == b"0" and found[2].startswith((b"NUM", b"CD", b"z", b"Z")):
            return found[0]
        return b"%b(%b %b)%b" % (found[1], TRACE.encode(), found[3], found[4])

    return _TRACE.sub(mark, data)


def _blank(data: bytes) -> bytes:
    """Return the text with every character but line ends replaced by a blank."""
    return re.sub(rb"[^\r\n]", b" ", data)
