"""Brackets of discontinuous trees, as disco-dop writes them: words are numbered by their places.

(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John) (? 3=?))

Lines and layouts are as in other files of brackets. Text after a tree and a tab on its line is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...errors import TreeFormatError
from ...trees.discontinuous import DiscontinuousTree, build
from ...trees.tree import SegmentTree
from ...trees.writers import walk
from ...wording import brief
from ..content import Content
from ..files import TreeFile
from . import Row

_COMMENT = re.compile(rb"(?<=\))\t+[^\s()][^\n]*")


def read_discbracket(content: Content) -> Iterator[Row]:
    """Return the trees, in order."""
    data = _COMMENT.sub(lambda found: b" " * len(found[0]), content.utf8)
    file = TreeFile(data, content.title, numbered=True)
    for row in range(len(file)):
        place = file.line(row)
        try:
            yield Row(place, _tree(file.tree(row, "word")))
        except TreeFormatError as error:
            yield Row(place, error if error.source else content.error(error.message, place))


def _tree(tree: SegmentTree) -> SegmentTree | DiscontinuousTree:
    """Return the tree with its words in the order of their numbers."""
    if not tree.words:
        return tree
    words = [""] * len(tree.words)
    places = []
    for word in tree.words:
        number, equals, text = word.partition("=")
        if not (number.isascii() and number.isdigit() and equals and text) or len(number) > 9:
            raise TreeFormatError(f"the word {brief(word)} has no number; write words as 0=John, 1=is, …")
        place = int(number)
        if place >= len(words) or words[place]:
            raise TreeFormatError(
                f"the word number {place} is there twice, or too great for {len(words)} words; number "
                "them from "
                "0 on, each once"
            )
        words[place] = text
        places.append(place)
    parents = [-1] * len(tree)
    homes = [-1] * len(words)
    for parent, node, at in walk(tree):
        if node >= 0:
            parents[node] = parent
        if at >= 0:
            homes[places[at]] = node if node >= 0 else parent
    return build(tree.labels, parents, words, homes)
