"""One tree of a picture: which nodes and words are shown, how high they stand, and in which colour.

Every shown node becomes a bar over its stretch of the axis. Its level counts from the words, so that
preterminals stand next to their words in both trees. Nothing here calls itself, and the time is linear in
nodes and text, however deep the tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..terminal import NO_LABEL, printable
from ..trees.writers import walk
from ..wording import check_choice
from .outline import Matches, bracket_pieces, count_wrappers
from .svg_text import full, is_right_to_left

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment, Side
    from ..trees.tree import SegmentTree

DIRECTIONS = ("auto", "ltr", "rtl")
_MAX_MARK = 300  # characters in the tooltip of what is left out


class Bar(NamedTuple):
    """A node."""

    node: int
    start: float
    end: float
    level: int  # 1 without nodes below it
    parent: int  # the node of the bar above it, or -1


class Word(NamedTuple):
    """A word that has a length."""

    word: int
    start: float
    end: float
    owner: int  # the node of the bar that it hangs on, or -1


class Mark(NamedTuple):
    """A place where something is left out that has no length on the axis, such as a trace."""

    place: float
    text: str


class Half:
    """One tree, laid out."""

    def __init__(self, tree: SegmentTree, side: Side, matches: Matches) -> None:
        self.tree = tree
        self.counted = side.nodes
        self.matches = matches  # number and IoU of the pair of each aligned node
        self._starts, self._ends = _compared_places(tree, side)
        kept = [word not in side.dropped_words for word in range(len(tree.words))]
        self._kept = [word for word, stays in enumerate(kept) if stays]
        self._kept_before = list(accumulate(kept, initial=0))  # how many, for each word and the end
        self._owners = [-1] * len(tree.words)
        self.marks: list[Mark] = []  # what has no length
        parents = self._walk()
        levels = _levels(parents)
        bars = (Bar(node, *self.span(node), levels[node], parent) for node, parent in parents.items())
        self.bars = {bar.node: bar for bar in bars}  # the nodes shown, in preorder
        self.words = list(self._place_words(side.dropped_words))  # those shown

    def span(self, node: int) -> tuple[float, float]:
        """The compared stretch of a node: from its first kept word to its last."""
        own = self._kept_words(node)
        if own:
            return self._starts[self._kept[own.start]], self._ends[self._kept[own.stop - 1]]
        if own.start < len(self._kept):
            place = self._starts[self._kept[own.start]]
        else:
            place = self._ends[-1] if self._ends else 0.0
        return place, place

    def _kept_words(self, node: int) -> range:
        """Which of the kept words are those of a node."""
        return range(self._kept_before[self.tree.firsts[node]], self._kept_before[self.tree.lasts[node]])

    def places(self) -> Iterator[float]:
        """Where words and nodes start and end."""
        shapes: list[Bar | Word] = [*self.words, *self.bars.values()]
        for shape in shapes:
            yield shape.start
            yield shape.end

    def label(self, node: int) -> str:
        """The label of a node; in brackets if it does not count."""
        label = self.tree.labels[node] or NO_LABEL
        return label if node in self.counted else f"({label})"

    def text(self, node: int, most: int = 80) -> str:
        """The kept words of a node, as many as fit into that many characters."""
        pieces: list[str] = []
        length = 0
        for number in self._kept_words(node):
            word = self.tree.words[self._kept[number]]
            if word:
                pieces.append(printable(word[:most]))
            length += len(word) + 1
            if length > most:
                break
        text = " ".join(pieces)
        return text if len(text) <= most else f"{text[:most]}…"

    def _walk(self) -> dict[int, int]:
        """The nodes to show, in preorder, with their parents; on the way, owners of words and marks."""
        tree = self.tree
        order = tree.preorder()
        places = {node: at for at, node in enumerate(order)}
        n_wrappers = count_wrappers(tree, self.counted, order)
        parents: dict[int, int] = {}
        hidden: set[int] = set()
        for parent, node, word in walk(tree):
            if node >= 0 and places[node] >= n_wrappers:
                start, end = self.span(node)
                if start < end:
                    parents[node] = parent if parent in parents else -1
                else:
                    if parent not in hidden:
                        subtree = order[places[node] : places[node] + tree.sizes[node]]
                        self.marks.append(Mark(start, self._in_brackets(subtree)))
                    hidden.add(node)
            if word >= 0:
                owner = node if node >= 0 else parent
                self._owners[word] = owner if owner in parents else -1
        return parents

    def _place_words(self, dropped: frozenset[int]) -> Iterator[Word]:
        for word, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            if start < end and word not in dropped:
                yield Word(word, start, end, self._owners[word])
            elif self._owners[word] >= 0:  # else it is part of a mark
                self.marks.append(Mark(start, full(self.tree.words[word])))

    def _in_brackets(self, subtree: Sequence[int]) -> str:
        """A subtree, given in preorder, such as `(NP (-NONE- *))`; its beginning if it is large."""
        text = ""
        for piece in bracket_pieces(self.tree, subtree, lambda word: printable(self.tree.words[word])):
            text += piece
            if len(text) > _MAX_MARK:
                return f"{text[:_MAX_MARK]}…"
        return text


def _compared_places(tree: SegmentTree, side: Side) -> tuple[list[float], list[float]]:
    """Start and end of each word as compared.

    Words and characters close up behind dropped ones, and those of aligned texts stand in their columns.
    """
    starts, ends = map(list, tree.word_positions())
    if tree.unit == "time":
        return starts, ends
    lengths = (
        0.0 if word in side.dropped_words else end - start
        for word, (start, end) in enumerate(zip(starts, ends, strict=True))
    )
    bounds = list(accumulate(lengths, initial=0.0))
    starts, ends = bounds[:-1], bounds[1:]
    if side.columns is None:
        return starts, ends
    after = [0.0, *(column + 1.0 for column in side.columns)]  # by how many units stand before a place
    before = [*map(float, side.columns), after[-1]]
    return [before[int(start)] for start in starts], [after[int(end)] for end in ends]


def _levels(parents: dict[int, int]) -> dict[int, int]:
    levels = dict.fromkeys(parents, 1)
    for node in sorted(parents):  # children come before their parents
        parent = parents[node]
        if parent >= 0:
            levels[parent] = max(levels[parent], levels[node] + 1)
    return levels


def runs_from_right(alignment: Alignment, direction: str) -> bool:
    """Whether the axis is mirrored; `auto` asks whether most words run from right to left."""
    check_choice("direction", direction, DIRECTIONS)
    if direction != "auto":
        return direction == "rtl"
    ways = list(map(is_right_to_left, (*alignment.prediction.words, *alignment.reference.words)))
    return ways.count(True) > ways.count(False)


def color_pairs(reference: Half, prediction: Half, n_colors: int) -> dict[int, int]:
    """A colour for each pair, by its number; 7 colours are enough for an alignment of the metric.

    It differs from those of the nearest aligned node above and of the aligned neighbours on the same
    level, in either tree; and if possible from that of the pair before it.
    """
    neighbours: defaultdict[int, set[int]] = defaultdict(set)
    for half in (reference, prediction):
        nearest: dict[int, int] = {-1: 0}  # by node, the pair of it or of the nearest aligned one above
        row: dict[int, int] = {}  # by level, the last pair
        for bar in half.bars.values():
            number = half.matches[bar.node][0] if bar.node in half.matches else 0
            above = nearest[bar.parent]
            nearest[bar.node] = number or above
            if number:
                for other in (above, row.get(bar.level, 0)):  # 0 is none, and gets no colour
                    neighbours[number].add(other)
                    neighbours[other].add(number)
                row[bar.level] = number
    colors: dict[int, int] = {}
    color = -1
    for number in range(1, len(reference.matches) + 1):
        taken = {colors[other] for other in neighbours[number] if other in colors}
        others = [c % n_colors for c in range(color + 1, color + 1 + n_colors)]
        color = next((c for c in others if c not in taken), others[0])
        colors[number] = color
    return colors
