"""Two aligned trees as brackets of a page, the reference above the prediction, open where they differ.

A node is closed if its whole subtree is aligned at an IoU of 1 on both sides: its label and its words are
then one button, which opens its brackets. The elements need no script.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING

from ..drawing.page import MAX_NODES
from ..drawing.svg_layout import runs_from_right
from ..drawing.svg_text import CUT
from ..terminal import NO_LABEL, printable
from ..trees.writers import walk

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment, Side
    from ..trees.tree import SegmentTree

_SURE = 1.0 - 1e-12  # an IoU from which on two nodes are equal
_MAX_TEXT = 40  # characters of a label or word
_MAX_CODE = 600  # characters of the brackets of a closed node
_MAX_LEVELS = 24  # depth of open nodes; deeper ones are written as brackets


def write_brackets(alignment: Alignment) -> str:
    """Return both trees of an alignment as HTML."""
    nodes = len(alignment.prediction) + len(alignment.reference)
    if nodes > MAX_NODES:
        return f'<p class="soft">No brackets of {nodes:,} nodes, more than {MAX_NODES:,}.</p>'
    direction = "rtl" if runs_from_right(alignment, "auto") else "ltr"
    prediction = {node.number: (other.number, iou) for node, other, iou in alignment.pairs}
    reference = {other.number: (node.number, iou) for node, other, iou in alignment.pairs}
    left = _View(alignment.prediction, alignment.prediction_side, prediction)
    right = _View(alignment.reference, alignment.reference_side, reference)
    parts = [
        f'<div class="side" dir="{direction}"><span class="which">{name}</span>{"".join(found)}</div>'
        for name, found in (
            ("reference", right.write(left, "not in the prediction")),
            ("prediction", left.write(right, "not in the reference")),
        )
    ]
    return f'<div class="brackets">{"".join(parts)}</div>'


class _View:
    """One tree, and which of its subtrees are completely right."""

    def __init__(self, tree: SegmentTree, side: Side, matches: dict[int, tuple[int, float]]) -> None:
        self._tree = tree
        self._side = side
        self._matches = matches
        wrong = (i in side.nodes and matches.get(i, (0, 0.0))[1] < _SURE for i in range(len(tree)))
        self._wrong = list(accumulate(wrong, initial=0))  # number of wrong nodes before each node
        self._text, self._ranges = _write_text(tree)

    def is_right(self, i: int) -> bool:
        """Return whether all counted nodes of a subtree are aligned at an IoU of 1."""
        return self._wrong[i + 1] == self._wrong[i + 1 - self._tree.sizes[i]]

    def write(self, other: _View, unaligned: str) -> Iterator[str]:
        """Yield the elements from left to right; `unaligned` is the remark on nodes without a partner."""
        tree = self._tree
        if not tree:
            yield '<div class="lost node">no parse</div>'
            return
        above: list[tuple[int, str]] = []  # open nodes, and the text that closes them
        n_levels = 0
        closed = -1  # the root of the last subtree that is written completely
        for parent, i, word in walk(tree):
            while above and above[-1][0] != parent:
                end = above.pop()[1]
                n_levels -= bool(end)
                yield end
            at = i if i >= 0 else parent
            if closed >= 0 and closed - tree.sizes[closed] < at <= closed:
                if i >= 0 and word < 0:
                    above.append((i, ""))
                continue
            if i < 0:
                yield self._word(word)
                continue
            counts = i in self._side.nodes
            same = counts and i in self._matches and self.is_right(i) and other.is_right(self._matches[i][0])
            if same or (counts and n_levels >= _MAX_LEVELS):
                yield self._closed(i, "same" if same else "node")
                closed = i
            elif counts:
                yield self._begin(i, unaligned)
            if word >= 0:
                if closed != i:
                    yield self._word(word) + ("</div>" if counts else "")
            else:
                opened = counts and closed != i
                n_levels += opened
                above.append((i, "</div>" if opened else ""))
        yield from (end for _, end in reversed(above))

    def _begin(self, i: int, unaligned: str) -> str:
        """Return the beginning of an open node."""
        if i not in self._matches:
            return f'<div class="lost node" title="{unaligned}"><b>{self._label(i)}</b>'
        iou = self._matches[i][1]
        if iou >= _SURE:
            return f'<div class="node"><b>{self._label(i)}</b>'
        return f'<div class="off node" title="other boundaries"><b>{self._label(i)} {iou:.2f}</b>'

    def _closed(self, i: int, kind: str) -> str:
        """Return a closed node with its subtree, or only its label and word if it has no more."""
        tree = self._tree
        words = "".join(map(self._word, range(tree.firsts[i], tree.lasts[i])))
        if tree.sizes[i] == 1:
            return f'<div class="{kind}"><b>{self._label(i)}</b>{words}</div>'
        begin, end = self._ranges[i]
        return (
            f'<details class="{kind}"><summary><b>{self._label(i)}</b>{words}</summary>'
            f'<code dir="auto">{escape(_cut(self._text[begin:end], _MAX_CODE))}</code></details>'
        )

    def _label(self, i: int) -> str:
        return escape(_cut(self._tree.labels[i]) or NO_LABEL)

    def _word(self, number: int) -> str:
        """Return a word with a space; an empty text for a dropped one."""
        if number in self._side.dropped_words:
            return ""
        return f"{escape(_cut(self._tree.words[number])) or '·'} "


def _write_text(tree: SegmentTree) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return the tree as brackets, and the places where each node begins and ends in them."""
    parts: list[str] = []
    begins: dict[int, int] = {}
    ranges: dict[int, tuple[int, int]] = {}
    above: list[int] = []
    length = 0

    def add(text: str) -> None:
        nonlocal length
        parts.append(text)
        length += len(text)

    def close(node: int) -> None:
        add(")")
        ranges[node] = (begins[node], length)

    for parent, i, word in walk(tree):
        while above and above[-1] != parent:
            close(above.pop())
        if above:
            add(" ")
        if i >= 0:
            begins[i] = length
            add(f"({_cut(tree.labels[i]) or NO_LABEL}")
            above.append(i)
        if word >= 0:
            add(f"{' ' * (i >= 0)}{_cut(tree.words[word])}")
            if i >= 0:
                close(above.pop())
    for node in reversed(above):
        close(node)
    return "".join(parts), ranges


def _cut(text: str, most: int = _MAX_TEXT) -> str:
    return printable(text if len(text) <= most else text[: most - 1] + CUT)
