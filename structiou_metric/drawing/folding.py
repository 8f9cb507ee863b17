"""Find the parts of two trees that a drawing may fold, because both trees agree on them.

A pair of aligned nodes is *agreed* if its IoU is 1, every node that counts below either of the two is
aligned with IoU 1, too, and the words are the same. The highest agreed nodes below the root are folded: a
drawing shows the node and a few of its words, and nothing between them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from .outline import find_roots
from .page import LONG

if TYPE_CHECKING:
    from ..metrics.struct_iou.alignment import Alignment, Side
    from ..trees.tree import SegmentTree


class Folds(NamedTuple):
    """The folded nodes of each tree."""

    prediction: frozenset[int] = frozenset()
    reference: frozenset[int] = frozenset()


def fold_for_page(alignment: Alignment, only_differing: bool | None) -> Folds:
    """Return the nodes to fold on a page; None folds if the longer tree has many words."""
    if only_differing is None:
        only_differing = max(len(alignment.prediction.words), len(alignment.reference.words)) >= LONG
    return fold(alignment) if only_differing else Folds()


def fold(alignment: Alignment) -> Folds:
    """Return the nodes to fold so that a drawing shows only differences.

    >>> from structiou_metric import align
    >>> found = align("(S (NP (DT the) (NN dog)) (VP ran))", "(S (NP (DT the) (NN dog)) (X ran))")
    >>> [found.reference.labels[node] for node in fold(found).reference]
    ['NP']
    """
    trees = (alignment.prediction, alignment.reference)
    sides = (alignment.prediction_side, alignment.reference_side)
    perfect = [(pred.number, ref.number) for pred, ref, iou in alignment.pairs if iou == 1.0]
    words = [_placed_words(tree, side) for tree, side in zip(trees, sides, strict=True)]
    tops: list[set[int]] = []  # the root of a tree by itself is never closed
    differs: list[Callable[[int], bool]] = []
    for k, (tree, side) in enumerate(zip(trees, sides, strict=True)):
        differs.append(_differs(tree, side, {pair[k] for pair in perfect}, words[k], words[1 - k]))
        roots = find_roots(tree, side.nodes)
        tops.append(roots if len(roots) == 1 else set())
    agreed = [
        pair
        for pair in perfect
        if not any(differs[k](node) or node in tops[k] for k, node in enumerate(pair))
        and any(trees[k].sizes[node] > 1 for k, node in enumerate(pair))
    ]
    return Folds(*(_highest(tree, {pair[k] for pair in agreed}) for k, tree in enumerate(trees)))


def _differs(
    tree: SegmentTree,
    side: Side,
    perfect: Collection[int],
    words: dict[int, tuple[float, float, str]],
    others: dict[int, tuple[float, float, str]],
) -> Callable[[int], bool]:
    """Return a function that reports whether a subtree has an unaligned node or a different word."""
    open_nodes = list(
        accumulate((node in side.nodes and node not in perfect for node in range(len(tree))), initial=0)
    )
    known = set(others.values())
    open_words = list(
        accumulate((word in words and words[word] not in known for word in range(len(tree.words))), initial=0)
    )

    def differs(node: int) -> bool:
        nodes = open_nodes[node + 1] - open_nodes[node + 1 - tree.sizes[node]]
        return bool(nodes or open_words[tree.lasts[node]] - open_words[tree.firsts[node]])

    return differs


def _placed_words(tree: SegmentTree, side: Side) -> dict[int, tuple[float, float, str]]:
    """Return the start, the end and the text of each word that was compared."""
    starts, ends = compared_places(tree, side)
    return {
        word: (starts[word], ends[word], text)
        for word, text in enumerate(tree.words)
        if word not in side.dropped_words
    }


def compared_places(tree: SegmentTree, side: Side) -> tuple[list[float], list[float]]:
    """Return the start and the end of each word as compared.

    Places of dropped words and characters are closed up; words of aligned texts have the places of their
    columns.
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
    after = [0.0, *(column + 1.0 for column in side.columns)]  # the number of units before each place
    before = [*map(float, side.columns), after[-1]]
    return [before[int(start)] for start in starts], [after[int(end)] for end in ends]


def _highest(tree: SegmentTree, nodes: Collection[int]) -> frozenset[int]:
    """Return the nodes that are not below another of them."""
    highest = []
    node = len(tree) - 1
    while node >= 0:
        if node in nodes:
            highest.append(node)
            node -= tree.sizes[node]
        else:
            node -= 1
    return frozenset(highest)
