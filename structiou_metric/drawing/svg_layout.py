"""One tree of a picture: which nodes and words are shown, how high they stand, and in which colour.

Every shown node becomes a bar over its stretch of the axis. Its level counts from the words, so that
preterminals stand next to their words in both trees. Nothing here calls itself, and the time is linear in
nodes and text, however deep the tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..terminal import NO_LABEL, printable
from ..wording import check_choice
from .outline import Matches, count_wrappers
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
    """One tree, laid out.

    Attributes:
        tree: The tree.
        counted: The nodes that count.
        matches: Number and IoU of the pair of each aligned node.
        bars: The nodes shown, by number, in preorder.
        words: The words shown.
        marks: What has no length.
    """

    def __init__(self, tree: SegmentTree, side: Side, matches: Matches) -> None:
        self.tree = tree
        self.counted = side.nodes
        self.matches = matches
        self._starts, self._ends = _compared_places(tree, side)
        self._kept_from = [0] * (len(tree.words) + 1)  # the first kept word from each on
        self._kept_to = [-1] * (len(tree.words) + 1)  # the last kept word before each
        for word in range(len(tree.words)):
            self._kept_to[word + 1] = self._kept_to[word] if word in side.dropped_words else word
        self._kept_from[-1] = len(tree.words)
        for word in range(len(tree.words) - 1, -1, -1):
            self._kept_from[word] = self._kept_from[word + 1] if word in side.dropped_words else word
        self._owners = [-1] * len(tree.words)
        self.marks: list[Mark] = []
        parents = self._walk()
        levels = _levels(parents)
        self.bars = {
            node: Bar(node, *self.span(node), levels[node], parent) for node, parent in parents.items()
        }
        self.words = list(self._place_words(side.dropped_words))

    @property
    def height(self) -> int:
        """How many levels there are."""
        return max((bar.level for bar in self.bars.values()), default=0)

    def span(self, node: int) -> tuple[float, float]:
        """The compared stretch of a node: from its first kept word to its last."""
        first = self._kept_from[self.tree.firsts[node]]
        last = self._kept_to[self.tree.lasts[node]]
        if first <= last:
            return self._starts[first], self._ends[last]
        if first < len(self._starts):
            return self._starts[first], self._starts[first]
        return (self._ends[-1], self._ends[-1]) if self._ends else (0.0, 0.0)

    def places(self) -> Iterator[float]:
        """Where words start and end."""
        for word in self.words:
            yield word.start
            yield word.end
        for bar in self.bars.values():
            yield bar.start
            yield bar.end

    def label(self, node: int) -> str:
        """The label of a node; in brackets if it does not count."""
        label = self.tree.labels[node] or NO_LABEL
        return label if node in self.counted else f"({label})"

    def text(self, node: int, most: int = 80) -> str:
        """The kept words of a node, as many as fit into that many characters."""
        pieces: list[str] = []
        length = 0
        word = self._kept_from[self.tree.firsts[node]]
        while word < self.tree.lasts[node] and length <= most:
            if self.tree.words[word]:
                pieces.append(printable(self.tree.words[word][:most]))
            length += len(self.tree.words[word]) + 1
            word = self._kept_from[word + 1]
        text = " ".join(pieces)
        return text if len(text) <= most else f"{text[:most]}…"

    def _walk(self) -> dict[int, int]:
        """The nodes to show, in preorder, with their parents; on the way, owners of words and marks."""
        tree = self.tree
        parents: dict[int, int] = {}
        above: list[int] = []
        words_done = 0

        def own_words(stop: int) -> None:
            nonlocal words_done
            for word in range(words_done, stop):
                self._owners[word] = above[-1] if above else -1
            words_done = max(words_done, stop)

        def close_up_to(node: int) -> None:
            while above and node > above[-1]:
                own_words(tree.lasts[above[-1]])
                above.pop()

        order = tree.preorder()
        at = count_wrappers(tree, self.counted, order)
        while at < len(order):
            i = order[at]
            close_up_to(i)
            own_words(tree.firsts[i])
            start, end = self.span(i)
            if start < end:
                parents[i] = above[-1] if above else -1
                above.append(i)
                at += 1
            else:
                words_done = tree.lasts[i]
                self.marks.append(Mark(start, self._in_brackets(order[at : at + tree.sizes[i]])))
                at += tree.sizes[i]
        close_up_to(len(tree))
        return parents

    def _place_words(self, dropped: frozenset[int]) -> Iterator[Word]:
        for word, (start, end) in enumerate(zip(self._starts, self._ends, strict=True)):
            if start < end and word not in dropped:
                yield Word(word, start, end, self._owners[word])
            elif self._owners[word] >= 0:  # else it is part of a mark
                self.marks.append(Mark(start, full(self.tree.words[word])))

    def _in_brackets(self, subtree: Sequence[int]) -> str:
        """A subtree, given in preorder, such as `(NP (-NONE- *))`; its beginning if it is large."""
        tree = self.tree
        parts: list[str] = []
        above: list[int] = []
        length = 0
        for i in subtree:
            while above and i > above[-1]:
                above.pop()
                parts.append(")")
            parts.append(f"{' ' if above else ''}({printable(tree.labels[i][:_MAX_MARK]) or NO_LABEL}")
            length += len(parts[-1])
            if tree.sizes[i] == 1:
                for word in tree.words[tree.firsts[i] : tree.lasts[i]]:
                    parts.append(f" {printable(word[:_MAX_MARK])}")
                    length += len(parts[-1])
                    if length > _MAX_MARK:
                        break
            if length > _MAX_MARK:
                return "".join(parts)[:_MAX_MARK] + "…"
            above.append(i)
        return "".join(parts) + ")" * len(above)


def _compared_places(tree: SegmentTree, side: Side) -> tuple[list[float], list[float]]:
    """Start and end of each word as compared: words and characters close up behind dropped ones."""
    starts, ends = map(list, tree.word_positions())
    if tree.unit == "time" or not side.dropped_words:
        return starts, ends
    closed_starts: list[float] = []
    closed_ends: list[float] = []
    place = 0.0
    for word, (start, end) in enumerate(zip(starts, ends, strict=True)):
        closed_starts.append(place)
        if word not in side.dropped_words:
            place += end - start
        closed_ends.append(place)
    return closed_starts, closed_ends


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
    words = (*alignment.prediction.words, *alignment.reference.words)
    ways = list(map(is_right_to_left, words))
    return ways.count(True) > ways.count(False)


def color_pairs(reference: Half, prediction: Half, n_colors: int) -> dict[int, int]:
    """A colour for each pair, by its number; 7 colours are enough for an alignment of the metric.

    It differs from those of the nearest aligned node above and of the aligned neighbours on the same
    level, in either tree; and if possible from that of the pair before it.
    """
    neighbours: dict[int, list[int]] = {}

    def join(one: int, other: int) -> None:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)

    for half in (reference, prediction):
        nearest: dict[int, int] = {-1: 0}  # by node, the pair of it or of the nearest aligned one above
        row: dict[int, int] = {}  # by level, the last pair
        for bar in half.bars.values():
            number = half.matches[bar.node][0] if bar.node in half.matches else 0
            above = nearest[bar.parent]
            nearest[bar.node] = number or above
            if number:
                if above:
                    join(number, above)
                if bar.level in row:
                    join(number, row[bar.level])
                row[bar.level] = number
    colors: dict[int, int] = {}
    color = -1
    for number in range(1, len(reference.matches) + 1):
        taken = {colors[other] for other in neighbours.get(number, ()) if other in colors}
        others = [c % n_colors for c in range(color + 1, color + 1 + n_colors)]
        color = next((c for c in others if c not in taken), others[0])
        colors[number] = color
    return colors
