"""One tree of a picture: which nodes and words are shown, how high they stand, and in which colour.

Every shown node becomes a bar over its stretch of the axis. Its level counts from the words, so that
preterminals stand next to their words in both trees. Nothing here calls itself, and the time is linear in
nodes and text, however deep the tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..terminal import NO_LABEL, printable
from ..trees.writers import walk
from ..wording import check_choice
from .folding import Folds, compared_places
from .outline import Matches, bracket_pieces, find_roots, number_pairs
from .svg_text import CUT, full, is_right_to_left

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment, Side
    from ..trees.tree import SegmentTree

DIRECTIONS = ("auto", "ltr", "rtl")
_MAX_MARK = 300  # characters in the tooltip of what is left out
_MAX_FOLDED = 3  # words of a folded node that are all written


class Bar(NamedTuple):
    """A node, drawn over its stretch of the axis."""

    node: int
    start: float
    end: float
    level: int  # 1 without nodes below it
    parent: int  # the node of the bar above it, or -1


class Word(NamedTuple):
    """A word that has a length, or the words of a folded node."""

    word: int
    start: float
    end: float
    owner: int  # the node of the bar that it hangs on, or -1
    text: str  # what is written
    whole: str  # what it stands for


class Mark(NamedTuple):
    """A place where something is left out that has no length on the axis, such as a trace."""

    place: float
    text: str


class Half:
    """One tree, laid out."""

    def __init__(self, tree: SegmentTree, side: Side, matches: Matches, folded: Collection[int] = ()) -> None:
        self.tree = tree
        self.folded = folded  # nodes that are shown without what is below them
        self.counted = side.nodes
        self.matches = matches  # number and IoU of the pair of each aligned node
        self._starts, self._ends = compared_places(tree, side)
        kept = [word not in side.dropped_words for word in range(len(tree.words))]
        self._kept = [word for word, stays in enumerate(kept) if stays]
        self._kept_before = list(accumulate(kept, initial=0))  # how many, for each word and the end
        self._owners = [-1] * len(tree.words)
        self.marks: list[Mark] = []  # what has no length
        self.bars = level_bars(self._walk(), self.span)  # the nodes shown, in preorder
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

    def folded_stretches(self) -> Iterator[tuple[float, float]]:
        """Where folded nodes start and end."""
        for node in self.folded:
            if node in self.bars:
                yield self.bars[node].start, self.bars[node].end

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
        roots = find_roots(tree, self.counted)
        shown: set[int] = set()  # and what is hidden below it
        parents: dict[int, int] = {}
        hidden: set[int] = set()
        tucked: dict[int, int] = {}  # by node, the folded one that is it or above it
        for parent, node, word in walk(tree):
            if parent in tucked:
                if node >= 0:
                    tucked[node] = tucked[parent]
                if word >= 0:
                    self._owners[word] = tucked[parent]
                continue
            if node in self.folded:
                tucked[node] = node
            if node >= 0 and (node in roots or parent in shown):
                shown.add(node)
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
        written: set[int] = set()  # folded nodes
        for word, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            owner = self._owners[word]
            if owner in self.folded:
                if owner not in written and word not in dropped:
                    written.add(owner)
                    yield Word(word, *self.span(owner), owner, self._in_short(owner), self.text(owner))
            elif start < end and word not in dropped:
                text = self.tree.words[word]
                yield Word(word, start, end, owner, text, text)
            elif owner >= 0:  # else it is part of a mark
                self.marks.append(Mark(start, full(self.tree.words[word])))

    def _in_short(self, node: int) -> str:
        """The kept words of a folded node, if they are few; else the first and the last."""
        texts = (self.tree.words[self._kept[number]] for number in self._kept_words(node))
        words = list(filter(None, texts))
        return " ".join(words if len(words) <= _MAX_FOLDED else [words[0], CUT, words[-1]])

    def _in_brackets(self, subtree: Sequence[int]) -> str:
        """A subtree, given in preorder, such as `(NP (-NONE- *))`; its beginning if it is large."""
        text = ""
        for piece in bracket_pieces(self.tree, subtree, lambda word: printable(self.tree.words[word])):
            text += piece
            if len(text) > _MAX_MARK:
                return f"{text[:_MAX_MARK]}…"
        return text


def level_bars(parents: dict[int, int], span: Callable[[int], tuple[float, float]]) -> dict[int, Bar]:
    """The bars of nodes, given in preorder with their parents and their stretches."""
    levels = dict.fromkeys(parents, 1)
    for node in sorted(parents):  # children come before their parents
        parent = parents[node]
        if parent >= 0:
            levels[parent] = max(levels[parent], levels[node] + 1)
    return {node: Bar(node, *span(node), levels[node], parent) for node, parent in parents.items()}


def lay_out_halves(alignment: Alignment, folds: Folds) -> tuple[Half, Half]:
    """The reference and the prediction, laid out, with the same numbers at aligned nodes."""
    prediction_matches, reference_matches = number_pairs(alignment)
    return (
        Half(alignment.reference, alignment.reference_side, reference_matches, folds.reference),
        Half(alignment.prediction, alignment.prediction_side, prediction_matches, folds.prediction),
    )


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
