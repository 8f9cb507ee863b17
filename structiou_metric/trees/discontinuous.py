"""Trees whose branches cross: nodes whose words are not contiguous, and three ways to make them continuous.

A tree of this kind cannot be scored as others are, as its nodes are no segments. `settle` makes it
continuous:

- `raise`: a node keeps the longest run of its words (the first of equal ones), with the nodes below it there;
  its other children go up to the lowest node above in which they are next to that run. Nodes are as
  many as before.
- `split`: a node becomes as many nodes with its label as it has runs of words.
- `span`: a node reaches from its first word to its last, and has all between them below it. Where two nodes
  would then overlap and neither holds the other, the tree is refused.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from operator import sub

from .._core.shapes import Builder
from ..errors import TreeFormatError
from ..wording import brief, check_choice
from .parts import Parts
from .tree import SegmentTree

__all__ = ["DiscontinuousError", "DiscontinuousTree"]

# The choices for trees with crossing branches: an error, or continuous in one of three ways.
CHOICES = ("error", "raise", "split", "span")

_MOST_NODES = 1_000_000  # that splitting may make of a tree


class DiscontinuousError(TreeFormatError):
    """A tree with crossing branches where only others can be scored.

    >>> tree = build(["S", "VP", "V", "N", "A"], [-1, 0, 1, 0, 1], ["is", "John", "rich"], [2, 3, 4])
    >>> try:
    ...     settle(tree, "error")
    ... except DiscontinuousError as error:
    ...     print("choose raise, split or span")
    choose raise, split or span
    """


class DiscontinuousTree(Parts):
    """A tree with crossing branches, as flat arrays in postorder over its words in the order of the tree.

    Children are in the order of their first words. A tree is continuous if, and only if, its words then
    are in the order of the sentence.

    >>> tree = build(["S", "VP", "V", "N", "A"], [-1, 0, 1, 0, 1], ["is", "John", "rich"], [2, 3, 4])
    >>> tree.sentence, [tree.labels[node] for node in tree.crossing()]
    (('is', 'John', 'rich'), ['VP'])

    Attributes:
        order: The place in the sentence of each word.
    """

    __slots__ = ("order",)

    def __init__(self, *parts: object, order: array[int]) -> None:
        super().__init__(*parts)  # type: ignore[arg-type]
        self.order = order

    @property
    def sentence(self) -> tuple[str, ...]:
        """Return the words in the order of the sentence."""
        words = [""] * len(self.words)
        for place, word in zip(self.order, self.words, strict=True):
            words[place] = word
        return tuple(words)

    def crossing(self) -> list[int]:
        """Return the nodes whose words do not follow each other."""
        sizes = map(sub, self.lasts, self.firsts)
        return [
            i
            for i, ((low, high), size) in enumerate(zip(self.reaches(), sizes, strict=True))
            if high - low > size
        ]

    def describe(self) -> str:
        """Return the name of the node that is discontinuous, for an error."""
        node = self.crossing()[0]
        places = sorted(self.order[self.firsts[node] : self.lasts[node]])
        gap = next(i for i, place in enumerate(places[1:]) if place > places[i] + 1)
        sentence = self.sentence
        return (
            f"its {brief(self.labels[node])} has {brief(sentence[places[gap]])} and "
            f"{brief(sentence[places[gap + 1]])}, and not what stands between them"
        )

    def items(self) -> list[list[int]]:
        """Return the children of each node in order: a word as its place, a node as `-1 - number`."""
        found: list[list[int]] = []
        for i, first in enumerate(self.firsts):
            items: list[int] = []
            at, child = self.lasts[i], i - 1
            while child > i - self.sizes[i]:  # from the last child to the first
                items += reversed(self.order[self.lasts[child] : at])
                items.append(~child)
                at = self.firsts[child]
                child -= self.sizes[child]
            items += reversed(self.order[first:at])
            found.append(items[::-1])
        return found

    def reaches(self) -> list[tuple[int, int]]:
        """Return the first place of each node's words, and the place after the last."""
        found: list[tuple[int, int]] = []
        for items in self.items():
            ends = [found[~item] if item < 0 else (item, item + 1) for item in items]
            found.append((min(low for low, _ in ends), max(high for _, high in ends)))
        return found


def build(
    labels: Sequence[str], parents: Sequence[int], words: Sequence[str], homes: Sequence[int]
) -> SegmentTree | DiscontinuousTree:
    """Return the tree of nodes in any order, or an error that says why it is none.

    Args:
        labels: The labels of the nodes.
        parents: The node above each; -1 for the root.
        words: The words in the order of the sentence.
        homes: The node that each word hangs in.
    """
    if not labels:
        return SegmentTree((), array("i"), array("i"), array("i"), (), None, "word")
    children = _children(labels, parents)
    order = _top_down(labels, parents, children)
    lows = [len(words)] * len(labels)
    own: list[list[int]] = [[] for _ in labels]
    for place, home in enumerate(homes):
        own[home].append(place)
    for node in reversed(order):
        if own[node]:
            lows[node] = min(lows[node], own[node][0])
        if lows[node] == len(words):
            raise TreeFormatError(f"the node {brief(labels[node])} has no words; remove it, or give it some")
        if parents[node] >= 0:
            lows[parents[node]] = min(lows[parents[node]], lows[node])
    for below in children:
        below.sort(key=lows.__getitem__)
    return _flatten(labels, words, [_merged(own[i], children[i], lows) for i in range(len(labels))], order[0])


def _children(labels: Sequence[str], parents: Sequence[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in labels]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    return children


def _top_down(labels: Sequence[str], parents: Sequence[int], children: Sequence[Sequence[int]]) -> list[int]:
    """Return all nodes, each after its parent."""
    order = [node for node, parent in enumerate(parents) if parent < 0]
    if len(order) > 1:
        several = ", ".join(brief(labels[node]) for node in order[:3])
        raise TreeFormatError(f"there are several roots ({several}); put them below one node")
    for node in order:
        order.extend(children[node])
    if len(order) < len(labels):
        lost = min(set(range(len(labels))).difference(order))
        for _ in labels:  # up to the circle, if it is not in it
            lost = parents[lost]
        raise TreeFormatError(f"the node {brief(labels[lost])} is above itself; the parents form a circle")
    return order


def _merged(places: Sequence[int], nodes: Sequence[int], lows: Sequence[int]) -> list[int]:
    """Return words and nodes below a node by first place: a word as its place, a node as -1 and less."""
    items = [*places, *(~node for node in nodes)]
    items.sort(key=lambda item: item if item >= 0 else lows[~item])
    return items


def _flatten(
    labels: Sequence[str], words: Sequence[str], items: Sequence[Sequence[int]], root: int
) -> SegmentTree | DiscontinuousTree:
    """Return the tree whose nodes have these words and nodes below them, in this order."""
    names: list[str] = []
    sizes, firsts, lasts, order = array("i"), array("i"), array("i"), array("i")
    todo = [(root, iter(items[root]), 0, 0)]  # open nodes, the rest of their items, and the state before
    while todo:
        node, rest, n_names, n_words = todo[-1]
        for item in rest:
            if item < 0:
                todo.append((~item, iter(items[~item]), len(names), len(order)))
                break
            order.append(item)
        else:
            todo.pop()
            names.append(labels[node])
            sizes.append(len(names) - n_names)
            firsts.append(n_words)
            lasts.append(len(order))
    if order == array("i", range(len(words))):
        return SegmentTree(tuple(names), sizes, firsts, lasts, tuple(words), None, "word")
    spoken = tuple(words[place] for place in order)
    return DiscontinuousTree(tuple(names), sizes, firsts, lasts, spoken, None, "word", order=order)


# ---- continuous again --------------------------------------------------------------------------


def settle(tree: DiscontinuousTree, choice: str) -> SegmentTree:
    """Return the tree without crossing branches, by a choice of `CHOICES`; see the module.

    >>> from structiou_metric.trees.discontinuous import build, settle
    >>> tree = build(["S", "VP", "V", "N", "A"], [-1, 0, 1, 0, 1], ["is", "John", "rich"], [2, 3, 4])
    >>> print(settle(tree, "raise"), settle(tree, "split"), settle(tree, "span"), sep="\\n")
    (S (VP (V is)) (N John) (A rich))
    (S (VP (V is)) (N John) (VP (A rich)))
    (S (VP (V is) (N John) (A rich)))
    """
    check_choice("discontinuous", choice, CHOICES)
    if choice == "error":
        raise DiscontinuousError(f"this tree is discontinuous: {tree.describe()}")
    return _SETTLERS[choice](tree)


class _Runs:
    """The words and nodes below a node, as runs of neighbours."""

    def __init__(self) -> None:
        self._by_low: dict[int, tuple[int, deque[int]]] = {}  # each run's end, and its items
        self._by_high: dict[int, int] = {}  # each run's start by its end
        self._longest: list[tuple[int, int, int]] = []  # lengths, negative, of runs, some of them outdated

    def __len__(self) -> int:
        return len(self._by_low)

    def add(self, low: int, high: int, items: deque[int]) -> None:
        """Add a run from one place to another; join it with its neighbours."""
        if high in self._by_low:
            end, behind = self._by_low.pop(high)
            del self._by_high[end]
            items, high = _joined(items, behind), end
        if low in self._by_high:
            begin = self._by_high.pop(low)
            items, low = _joined(self._by_low.pop(begin)[1], items), begin
        self._by_low[low] = high, items
        self._by_high[high] = low

        heappush(self._longest, (low - high, low, high))

    def take(self) -> tuple[int, int, deque[int]]:
        """Take the longest run out, the first of equal ones."""
        while True:
            _, low, high = heappop(self._longest)
            if self._by_high.get(high) == low:
                del self._by_high[high]
                return low, high, self._by_low.pop(low)[1]

    def add_all(self, other: _Runs) -> _Runs:
        """Add all runs of another, or adds these to the other, whichever takes less."""
        if len(other) > len(self):
            return other.add_all(self)
        for low, (high, items) in other._by_low.items():
            self.add(low, high, items)
        return self


def _joined(left: deque[int], right: deque[int]) -> deque[int]:
    if len(left) < len(right):
        right.extendleft(reversed(left))
        return right
    left.extend(right)
    return left


def _raised(tree: DiscontinuousTree) -> SegmentTree:
    kept: list[Sequence[int]] = []
    reaches: list[tuple[int, int]] = []
    left: list[_Runs | None] = []  # the runs that go up from each node
    for items in tree.items():
        runs = _Runs()
        for item in items:
            if item < 0:
                runs = runs.add_all(left[~item] or _Runs())
                left[~item] = None
        for item in items:
            runs.add(*(reaches[~item] if item < 0 else (item, item + 1)), deque([item]))
        low, high, own = runs.take()
        reaches.append((low, high))
        kept.append(own)
        left.append(runs)
    return _continuous(tree.labels, tree.sentence, kept, len(kept) - 1)


def _split(tree: DiscontinuousTree) -> SegmentTree:
    labels: list[str] = []
    below: list[Sequence[int]] = []
    pieces: list[
        list[tuple[int, int, int]]
    ] = []  # where each piece of a node begins and ends, and its number
    for label, items in zip(tree.labels, tree.items(), strict=True):
        parts: list[tuple[int, int, int]] = []
        for item in items:
            if item < 0:
                parts += pieces[~item]
                pieces[~item] = []
            else:
                parts.append((item, item + 1, item))
        parts.sort()
        own: list[tuple[int, int, int]] = []
        begin = 0
        for i, (_, high, _) in enumerate(parts, 1):
            if i == len(parts) or parts[i][0] > high:
                own.append((parts[begin][0], high, ~len(labels)))
                labels.append(label)
                below.append([item for _, _, item in parts[begin:i]])
                begin = i
        if len(labels) > _MOST_NODES:
            raise DiscontinuousError(
                f"split, this tree would have more than {_MOST_NODES} nodes; raise instead"
            )
        pieces.append(own)
    return _continuous(labels, tree.sentence, below, len(labels) - 1)


def _spanned(tree: DiscontinuousTree) -> SegmentTree:
    words = tree.sentence
    reaches = tree.reaches()
    builder = Builder()
    above: list[int] = []
    for node in sorted(range(len(reaches)), key=lambda i: (reaches[i][0], -reaches[i][1], -i)):
        low, high = reaches[node]
        while above and reaches[above[-1]][1] <= low:
            _say(builder, words, reaches[above.pop()][1])
            builder.close()
        if above and reaches[above[-1]][1] < high:
            raise DiscontinuousError(
                f"from first to last word, {brief(tree.labels[above[-1]])} and "
                f"{brief(tree.labels[node])} would "
                "overlap, and neither hold the other; choose raise or split"
            )
        _say(builder, words, low)
        builder.open(tree.labels[node])
        above.append(node)
    while above:
        _say(builder, words, reaches[above.pop()][1])
        builder.close()
    return SegmentTree(*builder.values("word"))


def _say(builder: Builder, words: Sequence[str], end: int) -> None:
    """Add the words up to a place."""
    for word in words[len(builder.words) : end]:
        builder.word(word)


def _continuous(
    labels: Sequence[str], words: Sequence[str], items: Sequence[Sequence[int]], root: int
) -> SegmentTree:
    tree = _flatten(labels, words, items, root)
    if not isinstance(tree, SegmentTree):
        raise AssertionError("a tree that was made continuous is not")
    return tree


_SETTLERS = {"raise": _raised, "split": _split, "span": _spanned}
