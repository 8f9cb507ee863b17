"""A slow, literal reading of `docs/why.md`: why each node of an aligned pair is lost.

Which nodes are aligned comes in; all else is found by going through all nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from structiou_metric import Alignment, SegmentTree
from structiou_metric.metrics.struct_iou.alignment import Side

Span = tuple[float, float]


class Lost(NamedTuple):
    """Why a node is lost, how much, and the number of the node of the other side that it is about."""

    cause: str
    loss: float
    other: int | None


@dataclass(eq=False)
class Item:
    """A node that counts; `low` and `high` are places that both sides share."""

    number: int
    label: str
    low: float
    high: float
    leaf: bool
    phrase: bool
    partner: Item | None = None
    match: Item | None = None  # with the same span, which it stands for though they are not aligned
    why: str = ""  # they are not aligned
    above: list[Item] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return self.low, self.high

    @property
    def parent(self) -> Item | None:
        """The lowest node above with a larger span."""
        return next((node for node in self.above if node.span != self.span), None)


def explain(
    alignment: Alignment,
    told: Mapping[int, int],
    *,
    unit: str = "word",
    name: Callable[[str], str] = str,
    terminals: str = "strict",
) -> dict[tuple[str, int], Lost]:
    """What is lost by side and number of every node that loses something.

    Args:
        alignment: The pair.
        told: Prediction node by reference node, as aligned by what tells the causes: over words for seconds
            where both sides have as many, else the alignment itself.
        unit: Of the metric.
        name: What labels with the same name are.
        terminals: Option of the metric.
    """
    sides = (
        (alignment.prediction, alignment.prediction_side),
        (alignment.reference, alignment.reference_side),
    )
    place = _places(sides, unit)
    pred, ref = (_items(*side, place[i], name, terminals) for i, side in enumerate(sides))
    for i, j in told.items():
        pred[i].partner, ref[j].partner = ref[j], pred[i]
    lost = {("prediction", i): 1.0 for i in pred} | {("reference", j): 1.0 for j in ref}
    for a, b, iou in alignment.pairs:
        lost["prediction", a.number] = lost["reference", b.number] = 1.0 - iou
    if not pred or not ref:
        return dict.fromkeys(lost, Lost("failed", 1.0, None))
    judge = _Judge(terminals == "flexible")
    for span in {node.span for node in pred.values()} & {node.span for node in ref.values()}:
        judge.match(span, list(pred.values()), list(ref.values()))
    found = {}
    for (side, number), loss in lost.items():
        if loss > 0.0:
            predicted = side == "prediction"
            own, others = (pred, ref) if predicted else (ref, pred)
            alone = "extra" if predicted else "missing"
            cause, other = judge.cause(own[number], own.values(), others.values(), alone)
            found[side, number] = Lost(cause, loss, other and other.number)
    return found


def _places(
    sides: Iterable[tuple[SegmentTree, Side]], unit: str
) -> list[Callable[[SegmentTree, Side, int], Span]]:
    """For each side, how a node gets its place."""
    kept = [[w for w in range(len(tree.words)) if w not in side.dropped_words] for tree, side in sides]
    if unit == "time" and len(kept[0]) == len(kept[1]):
        ranks = [{word: rank for rank, word in enumerate(words)} for words in kept]

        def over_words(own: dict[int, int]) -> Callable[[SegmentTree, Side, int], Span]:
            def find(tree: SegmentTree, side: Side, i: int) -> Span:
                words = [own[w] for w in range(tree.firsts[i], tree.lasts[i]) if w in own]
                return words[0], words[-1] + 1

            return find

        return [over_words(own) for own in ranks]
    if unit != "time":
        return [lambda tree, side, i: (side.nodes[i].start, side.nodes[i].end)] * 2
    spoken = [tree.times[w] for (tree, _), words in zip(sides, kept, strict=True) for w in words]
    moments = sorted({moment for times in spoken for moment in times})
    steps = list(pairwise(moments))

    def heard(moment: float) -> float:
        """How much of the time before a moment is covered by words of either side."""
        return sum(
            b - a for a, b in steps if b <= moment and any(start <= a and b <= end for start, end in spoken)
        )

    return [lambda tree, side, i: (heard(side.nodes[i].start), heard(side.nodes[i].end))] * 2


def _items(
    tree: SegmentTree,
    side: Side,
    place: Callable[[SegmentTree, Side, int], Span],
    name: Callable[[str], str],
    terminals: str,
) -> dict[int, Item]:
    items = {}
    for i, node in side.nodes.items():
        childless = not any(i - tree.sizes[i] < k < i for k in side.nodes)
        leaf = childless and terminals != "exclude"
        phrase = not leaf or node.last - node.first > 1
        items[i] = Item(i, name(node.label), *place(tree, side, i), leaf, phrase)
    for i, item in items.items():
        item.above = [items[k] for k in sorted(items) if k - tree.sizes[k] < i < k]
    return items


def _between(x: Item, y: Item) -> tuple[Span, Span]:
    """By what two nodes differ at the left and at the right."""
    return (min(x.low, y.low), max(x.low, y.low)), (min(x.high, y.high), max(x.high, y.high))


def _crossed(x: Item, phrases: list[Item]) -> Item | None:
    """The smallest phrase that crosses `x` at its start, else at its end; the lowest of several."""
    for crossing in (
        [z for z in phrases if z.low < x.low < z.high < x.high],
        [z for z in phrases if x.low < z.low < x.high < z.high],
    ):
        if crossing:
            return min(crossing, key=lambda z: (z.high - z.low, z.number))
    return None


class _Judge:
    def __init__(self, flexible: bool) -> None:
        self._flexible = flexible

    def _may_align(self, x: Item, y: Item) -> bool:
        return x.label == y.label or (self._flexible and (x.leaf or y.leaf))

    def cause(
        self, x: Item, own: Iterable[Item], others: Iterable[Item], alone: str
    ) -> tuple[str, Item | None]:
        """Why node `x` is lost, if it is: the cause, and the other node."""
        own, others = list(own), list(others)
        y = x.partner
        if y is not None and y.span == x.span:
            return "timing", y
        if y is not None:
            left, right = _between(x, y)
            moved = self._moved(left, own, others) and self._moved(right, own, others)
            if moved and x.phrase and y.phrase:
                return "attachment", y
            return "boundary", y
        if x.match is not None:
            return x.why, x.match
        taken = [z for z in others if z.span == x.span]
        if x.phrase:
            phrases = [z for z in others if z.phrase]
            if not taken and (y := _crossed(x, phrases)):
                return "attachment", y
            twins = [z for z in phrases if self._may_be(x, z) and self._twins(x, z, own, others)]
            smaller = [z for z in twins if x.low <= z.low and z.high <= x.high]
            if smaller:  # the widest, of these the leftmost, of these the topmost
                y = max(smaller, key=lambda z: (z.high - z.low, -z.low, z.number))
                return "attachment", y
            if twins:  # the narrowest around it, of these the lowest
                y = min(twins, key=lambda z: (z.high - z.low, z.number))
                return "attachment", y
        if taken:
            return "unary", max(taken, key=lambda z: z.number)
        return alone, None

    def _may_be(self, x: Item, y: Item) -> bool:
        """Whether `y` may align with `x`, or is mistaken for a node with the label of `x`."""
        return self._may_align(x, y) or (y.match is not None and y.match.label == x.label)

    def _moved(self, stretch: Span, own: list[Item], others: list[Item]) -> bool:
        """Whether a stretch is empty, or a few nodes that both have, with parents that do not correspond."""
        low, high = stretch
        parents = [{z.span: z.parent for z in side} for side in (own, others)]
        largest = self._largest(stretch, own, others)
        covered = len(largest) <= 8 and sum(b - a for a, b in largest) == high - low
        return covered and not any(
            parents[0][s] is parents[1][s]  # both have none
            or (parents[0][s] and parents[1][s] in (parents[0][s].partner, parents[0][s].match))
            for s in largest
        )

    def _largest(self, stretch: Span, own: list[Item], others: list[Item]) -> list[Span]:
        """The largest nodes within a stretch that both have."""
        low, high = stretch
        spans = {z.span for z in own} & {z.span for z in others}
        common = [s for s in spans if low <= s[0] and s[1] <= high]
        return [s for s in common if not any(t != s and t[0] <= s[0] and s[1] <= t[1] for t in common)]

    def _twins(self, x: Item, y: Item, own: list[Item], others: list[Item]) -> bool:
        """Whether two nodes, one within the other, differ by moved phrases alone."""
        small, large = (x, y) if y.low <= x.low and x.high <= y.high else (y, x)
        if not (large.low <= small.low and small.high <= large.high) or small.span == large.span:
            return False
        same = next((z for z in (small.partner, small.match) if z and z.span == small.span), None)
        if same and all(any(t.span == z.span for t in z.above) for z in (small, same)):
            return False
        above = small.parent
        if above is not None and not (above.low <= large.low and large.high <= above.high):
            return False
        return self._moved((large.low, small.low), own, others) and self._moved(
            (small.high, large.high), own, others
        )

    def match(self, span: Span, own: list[Item], others: list[Item]) -> None:
        """Puts nodes with that span together that are not aligned here."""
        mine = sorted((z for z in own if z.span == span), key=lambda z: -z.number)  # the topmost first
        theirs = sorted((z for z in others if z.span == span), key=lambda z: -z.number)

        def match(a: Item, b: Item, cause: str) -> None:
            a.match, b.match = b, a
            a.why = b.why = cause

        low, other_low = mine[-1], theirs[-1]
        unpaired = low.partner is None and other_low.partner is None
        if low.leaf and other_low.leaf and unpaired and not self._may_align(low, other_low):
            match(low, other_low, "tag")

        def free(side: list[Item], facing: list[Item]) -> list[Item]:
            return [z for z in side if z.match is None and z.partner not in facing]

        for label in {z.label for z in mine}:
            a = [z for z in free(mine, theirs) if z.label == label]
            b = [z for z in free(theirs, mine) if z.label == label]
            for pair in zip(a, b, strict=False):
                match(*pair, "blocked")
        if self._flexible:
            a, b = free(mine, theirs), free(theirs, mine)
            leaf, other_leaf = low.leaf and low in a, other_low.leaf and other_low in b
            if leaf and other_leaf:
                match(low, other_low, "blocked")
            elif leaf and b:
                match(low, b[0], "blocked")
            elif other_leaf and a:
                match(a[0], other_low, "blocked")
        for a, b in zip(self._gaps(mine, theirs), self._gaps(theirs, mine), strict=True):
            for pair in zip(a, b, strict=False):
                match(*pair, "label")

    def _gaps(self, side: list[Item], facing: list[Item]) -> list[list[Item]]:
        """The nodes that stand for none, cut where nodes are aligned within this span."""
        gaps: list[list[Item]] = [[]]
        for z in side:
            if z.partner in facing:
                gaps.append([])
            elif z.partner is None and z.match is None:
                gaps[-1].append(z)
        return gaps
