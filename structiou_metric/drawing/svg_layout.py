"""Lay out one tree of a picture: the nodes and words shown, their levels and their colours.

Every shown node becomes a bar over its stretch of the axis. Its level counts from the words, so that
preterminals are next to their words in both trees. There is no recursion, and the time is linear in the nodes
and the text, for trees of any depth.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import ceil, floor, log10
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
_MAX_MARK = 300  # maximum length of the tooltip of omitted nodes, in characters
_MAX_FOLDED = 3  # number of words of a folded node up to which all are written


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
    text: str  # the text in the picture
    whole: str  # the full text, for the tooltip


class Mark(NamedTuple):
    """A place where something without a length on the axis is omitted, such as a trace."""

    place: float
    text: str


class Half:
    """One tree, laid out."""

    def __init__(self, tree: SegmentTree, side: Side, matches: Matches, folded: Collection[int] = ()) -> None:
        self.tree = tree
        self.folded = folded  # nodes that are shown without their subtrees
        self.counted = side.nodes
        self.matches = matches  # number and IoU of the pair of each aligned node
        self._starts, self._ends = compared_places(tree, side)
        kept = [word not in side.dropped_words for word in range(len(tree.words))]
        self._kept = [word for word, stays in enumerate(kept) if stays]
        self._kept_before = list(accumulate(kept, initial=0))  # by word; the last is the total
        self._owners = [-1] * len(tree.words)
        self.marks: list[Mark] = []  # omitted nodes and words, which have no length
        self.bars = level_bars(self._walk(), self.span)  # the nodes shown, in preorder
        self.words = list(self._place_words(side.dropped_words))  # the words shown

    def span(self, node: int) -> tuple[float, float]:
        """Return the compared stretch of a node: from its first kept word to its last."""
        own = self._kept_words(node)
        if own:
            return self._starts[self._kept[own.start]], self._ends[self._kept[own.stop - 1]]
        if own.start < len(self._kept):
            place = self._starts[self._kept[own.start]]
        else:
            place = self._ends[-1] if self._ends else 0.0
        return place, place

    def _kept_words(self, node: int) -> range:
        """Return the range of the kept words of a node."""
        return range(self._kept_before[self.tree.firsts[node]], self._kept_before[self.tree.lasts[node]])

    def places(self) -> Iterator[float]:
        """Yield the starts and the ends of words and nodes."""
        shapes: list[Bar | Word] = [*self.words, *self.bars.values()]
        for shape in shapes:
            yield shape.start
            yield shape.end

    def folded_stretches(self) -> Iterator[tuple[float, float]]:
        """Yield the starts and the ends of folded nodes."""
        for node in self.folded:
            if node in self.bars:
                yield self.bars[node].start, self.bars[node].end

    def label(self, node: int) -> str:
        """Return the label of a node; in brackets if it does not count."""
        label = self.tree.labels[node] or NO_LABEL
        return label if node in self.counted else f"({label})"

    def text(self, node: int, most: int = 80) -> str:
        """Return the first kept words of a node, up to that many characters."""
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
        """Return the nodes to show, in preorder, with their parents; collect words and marks."""
        tree = self.tree
        order = tree.preorder()
        places = {node: at for at, node in enumerate(order)}
        roots = find_roots(tree, self.counted)
        shown: set[int] = set()  # and nodes that are hidden below it
        parents: dict[int, int] = {}
        hidden: set[int] = set()
        tucked: dict[int, int] = {}  # the folded node that each node is or is below
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
            elif owner >= 0:  # otherwise it is part of a mark
                self.marks.append(Mark(start, full(self.tree.words[word])))

    def _in_short(self, node: int) -> str:
        """Return the kept words of a folded node, if they are few; otherwise the first and the last."""
        texts = (self.tree.words[self._kept[number]] for number in self._kept_words(node))
        words = list(filter(None, texts))
        return " ".join(words if len(words) <= _MAX_FOLDED else [words[0], CUT, words[-1]])

    def _in_brackets(self, subtree: Sequence[int]) -> str:
        """Return a subtree, given in preorder, such as `(NP (-NONE- *))`; large ones are cut."""
        text = ""
        for piece in bracket_pieces(self.tree, subtree, lambda word: printable(self.tree.words[word])):
            text += piece
            if len(text) > _MAX_MARK:
                return f"{text[:_MAX_MARK]}…"
        return text


def level_bars(parents: dict[int, int], span: Callable[[int], tuple[float, float]]) -> dict[int, Bar]:
    """Return the bars of nodes, given in preorder with their parents and their stretches."""
    levels = dict.fromkeys(parents, 1)
    for node in sorted(parents):  # children come before their parents
        parent = parents[node]
        if parent >= 0:
            levels[parent] = max(levels[parent], levels[node] + 1)
    return {node: Bar(node, *span(node), levels[node], parent) for node, parent in parents.items()}


def lay_out_halves(alignment: Alignment, folds: Folds) -> tuple[Half, Half]:
    """Return the reference and the prediction, laid out, with the same numbers at aligned nodes."""
    prediction_matches, reference_matches = number_pairs(alignment)
    return (
        Half(alignment.reference, alignment.reference_side, reference_matches, folds.reference),
        Half(alignment.prediction, alignment.prediction_side, prediction_matches, folds.prediction),
    )


def runs_from_right(alignment: Alignment, direction: str) -> bool:
    """Return whether the axis is mirrored; `auto` mirrors it if most words run from right to left."""
    check_choice("direction", direction, DIRECTIONS)
    if direction != "auto":
        return direction == "rtl"
    ways = list(map(is_right_to_left, (*alignment.prediction.words, *alignment.reference.words)))
    return ways.count(True) > ways.count(False)


def color_pairs(reference: Half, prediction: Half, n_colors: int) -> dict[int, int]:
    """Return a colour for each pair, by its number; 7 colours are enough for an alignment of the metric.

    It differs from those of the nearest aligned node above and of the aligned neighbours on the same
    level, in either tree; and if possible from that of the pair before it.
    """
    neighbours: defaultdict[int, set[int]] = defaultdict(set)
    for half in (reference, prediction):
        nearest: dict[int, int] = {-1: 0}  # pair of each node, or of the nearest aligned node above it
        row: dict[int, int] = {}  # the last pair of each level
        for bar in half.bars.values():
            number = half.matches[bar.node][0] if bar.node in half.matches else 0
            above = nearest[bar.parent]
            nearest[bar.node] = number or above
            if number:
                for other in (above, row.get(bar.level, 0)):  # 0 is no pair, and gets no colour
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


# ---- the horizontal axis that two trees share: where a place in words, characters or seconds is dr----


MAX_INTERVAL = 240.0  # maximum width in pixels of an interval that no text needs to be wider
MIN_INTERVAL = 1.0
_FOLDED = 60.0  # the same limit for an interval that only a folded node covers
_BASE = {"word": 24.0, "char": 10.0}  # pixels for a word or character, if no text needs more
_TICK = 40.0  # approximate distance between ticks in pixels
_LONGEST, _SHORTEST = 1e300, 1e-300  # limits that keep products and quotients of seconds finite


class Need(NamedTuple):
    """A stretch of the axis and the pixels that its text takes."""

    start: float
    end: float
    pixels: float
    is_word: bool  # or a preterminal; these decide how many pixels a second has


class Axis:
    """Converts places on the axis to pixels."""

    def __init__(
        self,
        unit: str,
        places: Iterable[float],
        needs: Sequence[Need],
        mirrored: bool,
        folded: Iterable[tuple[float, float]] = (),
    ) -> None:
        self._unit = unit
        self._places = sorted(set(places))
        self._index = {place: i for i, place in enumerate(self._places)}
        self.mirrored = mirrored  # whether it runs from right to left
        self._lengths = [min(end - start, _LONGEST) for start, end in pairwise(self._places)]
        self._scale = _BASE.get(unit) or _scale_of_seconds(needs)
        limits = [MAX_INTERVAL] * len(self._lengths)
        for start, end in folded:
            if self._index[end] == self._index[start] + 1:
                limits[self._index[start]] = _FOLDED
        wanted = [self._scale * length for length in self._lengths]
        widths = [max(MIN_INTERVAL, min(pair)) for pair in zip(wanted, limits, strict=True)]
        self._cramped = {i for i, limit in enumerate(limits) if wanted[i] > 2 * limit}
        self._widen(widths, needs)
        self._x = list(accumulate(widths, initial=0.0))
        self.width = self._x[-1]  # pixels from the first place to the last

    def _widen(self, widths: list[float], needs: Sequence[Need]) -> None:
        """Give every need its pixels, the shortest stretches first, in proportion to the present widths."""
        index = self._index
        stretches = sorted(
            (index[need.end] - index[need.start], index[need.start], need.pixels) for need in needs
        )
        for n, first, pixels in stretches:
            if n * MIN_INTERVAL >= pixels:
                continue
            have = sum(widths[first : first + n])
            if 0.0 < have < pixels:
                for i in range(first, first + n):
                    widths[i] *= pixels / have

    def at(self, place: float) -> float:
        """Return the x of a place; a place beyond an end has the x of that end."""
        if not self._places:
            return 0.0
        i = bisect_right(self._places, place) - 1
        if i < 0:
            x = 0.0
        elif i >= len(self._lengths):
            x = self.width
        else:
            part = min(place - self._places[i], _LONGEST) / self._lengths[i]
            x = self._x[i] + part * (self._x[i + 1] - self._x[i])
        return self.width - x if self.mirrored else x

    def span(self, start: float, end: float) -> tuple[float, float]:
        """Return the left and the right end of a stretch in pixels."""
        left, right = self.at(start), self.at(end)
        return (right, left) if self.mirrored else (left, right)

    def inside(self, start: float, end: float, inset: float) -> tuple[float, float]:
        """Return the left and the right end of a shape over a stretch, inset from the ends of the stretch.

        Both ends must be places. Where the interval there is narrow, the inset is a quarter of it. So each
        end depends only on its own place, and two bars overlap in the picture exactly where their common
        stretch is drawn.
        """
        first, last = self._index[start], self._index[end]
        before = min(inset, (self._x[first + 1] - self._x[first]) / 4)
        after = min(inset, (self._x[last] - self._x[last - 1]) / 4)
        left, right = self._x[first] + before, self._x[last] - after
        return (self.width - right, self.width - left) if self.mirrored else (left, right)

    def cramped(self) -> Iterator[tuple[float, float, float]]:
        """Yield the ends and the true length of the intervals drawn at less than half of the scale."""
        for i in sorted(self._cramped):
            yield *self.span(self._places[i], self._places[i + 1]), self._lengths[i]

    def ticks(self, number_width: float) -> Iterator[tuple[float, str]]:
        """Yield the places in pixels and the numbers along the axis that fit, given the width of a digit."""
        candidates = self._round_seconds() if self._unit == "time" else self._boundaries()
        free = -number_width
        for place, text in candidates:
            x = self.at(place)
            along = self.width - x if self.mirrored else x
            half = len(text) * number_width / 2
            if free <= along - half and along + half <= self.width + number_width:
                yield x, text
                free = along + half + number_width

    def _boundaries(self) -> Iterator[tuple[float, str]]:
        for place in self._places:
            yield place, f"{place:.6g}"

    def _round_seconds(self) -> Iterator[tuple[float, str]]:
        """Yield the round times that are not inside of cramped intervals."""
        free = [i for i in range(len(self._lengths)) if i not in self._cramped]
        seconds = sum(self._lengths[i] for i in free)
        pixels = sum(self._x[i + 1] - self._x[i] for i in free)
        step, digits = _round_step(_TICK * max(seconds, _SHORTEST) / max(pixels, 1.0))
        last: int | None = None
        for i in free:
            start, end = self._places[i], self._places[i + 1]
            if max(abs(start), abs(end)) / step > 1e12 or end / step - start / step > MAX_INTERVAL:
                continue  # there are no digits for such steps, or no space
            for k in range(ceil(start / step - 1e-9), floor(end / step + 1e-9) + 1):
                if k != last:
                    plain = digits <= 6 and abs(k * step) < 1e7
                    yield min(max(k * step, start), end), f"{k * step:{f'.{digits}f' if plain else '.6g'}}"
                    last = k
        if last is None:
            yield from self._boundaries()


def _scale_of_seconds(needs: Sequence[Need]) -> float:
    """Return the pixels for a second, which are enough for half of the words."""
    scales = sorted(need.pixels / max(need.end - need.start, _SHORTEST) for need in needs if need.is_word)
    return scales[len(scales) // 2] if scales else 100.0


def _round_step(least: float) -> tuple[float, int]:
    """Return the next of 1, 2 or 5 times a power of ten, and the number of its decimals."""
    power = floor(log10(least))
    for factor in (1, 2, 5, 10):
        step = factor * 10.0**power
        if step >= least:
            break
    return step, max(0, -power - (factor == 10))
