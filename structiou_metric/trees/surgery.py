"""Other words under the same tree: removed with the nodes they leave empty, split in two, or merged."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import accumulate, compress
from operator import itemgetter
from typing import TYPE_CHECKING
from unicodedata import category

from .labels import dropped_leaves
from .tree import SegmentTree

if TYPE_CHECKING:
    _Node = tuple[str, int, int, int]  # label, size, first word, one past the last


def _make_tree(
    nodes: Sequence[_Node], words: Iterable[str], times: Iterable[tuple[float, float]], unit: str
) -> SegmentTree:
    labels, sizes, firsts, lasts = zip(*nodes, strict=True) if nodes else ((), (), (), ())
    numbers = array("i", sizes), array("i", firsts), array("i", lasts)
    return SegmentTree(labels, *numbers, tuple(words), tuple(times), unit)


def dropped_words(tree: SegmentTree, drop: Iterable[str]) -> set[int]:
    """Return the numbers of the words that the option `drop` removes: those of leaves with such a label.

    >>> dropped_words(SegmentTree.from_brackets("(S (NP (-NONE- *)) (VP (VB go)))"), ["TOP", "-NONE-"])
    {0}
    """
    labels = dropped_leaves(drop)
    if labels.isdisjoint(tree.labels):
        return set()
    return {
        word
        for label, size, first, last in zip(tree.labels, tree.sizes, tree.firsts, tree.lasts, strict=True)
        if size == 1 and label in labels
        for word in range(first, last)
    }


def without_words(tree: SegmentTree, words: Container[int]) -> SegmentTree:
    """Return the tree without some words, and without the nodes that lose all of theirs.

    Nodes that had no words stay, unless no word is left at all: then the tree is empty.

    >>> tree = SegmentTree.from_brackets("(S (NP (-NONE- *)) (VP (VB go)))")
    >>> print(without_words(tree, {0}))
    (S (VP (VB go)))

    Args:
        tree: The tree, in any unit; its times stay with its words.
        words: The numbers of the words to remove.
    """
    words_kept = [word not in words for word in range(len(tree.words))]
    if not any(words_kept):
        return _make_tree((), (), (), tree.unit)
    if all(words_kept):
        return tree
    words_before = list(accumulate(words_kept, initial=0))
    firsts = [words_before[first] for first in tree.firsts]
    lasts = [words_before[last] for last in tree.lasts]
    nodes_kept = [
        old_first == old_last or first < last
        for old_first, old_last, first, last in zip(tree.firsts, tree.lasts, firsts, lasts, strict=True)
    ]
    nodes_before = list(accumulate(nodes_kept, initial=0))
    sizes = [nodes_before[i] - nodes_before[i - size] for i, size in enumerate(tree.sizes, 1)]
    nodes = compress(zip(tree.labels, sizes, firsts, lasts, strict=True), nodes_kept)
    times = compress(tree.times or (), words_kept)
    return _make_tree(list(nodes), compress(tree.words, words_kept), times, tree.unit)


def subtree(tree: SegmentTree, node: int) -> SegmentTree:
    """Return a node with all below it, as a tree of its own.

    >>> print(subtree(SegmentTree.from_brackets("(S (NP (DT the) (NN dog)) (VP (VB ran)))"), 2))
    (NP (DT the) (NN dog))
    """
    nodes = slice(node - tree.sizes[node] + 1, node + 1)
    first, last = tree.firsts[node], tree.lasts[node]
    return SegmentTree(
        tree.labels[nodes],
        tree.sizes[nodes],
        array("i", [word - first for word in tree.firsts[nodes]]),
        array("i", [word - first for word in tree.lasts[nodes]]),
        tree.words[first:last],
        None if tree.times is None else tree.times[first:last],
        tree.unit,
    )


def cut_words(
    tree: SegmentTree,
    halves: Mapping[int, tuple[str, str]],
    *,
    points: Mapping[int, float] | None = None,
    label: str | None = None,
) -> SegmentTree:
    """Return the tree with some words cut in two.

    A preterminal over just that word is copied: each half gets one, side by side in the same parent. A
    word without a node of its own, because it is one of several in a preterminal or is next to nodes
    in a phrase, becomes two words in the same place; so does the only word of a tree whose root is its
    preterminal. All other nodes stay.

    >>> tree = SegmentTree.from_brackets("(NP (DT the) (NN dogs))")
    >>> print(cut_words(tree, {1: ("dog", "s")}, label="PL"))
    (NP (DT the) (NN dog) (PL s))

    Args:
        tree: The tree; it must have times if there are points.
        halves: The texts of both halves, by the number of the word.
        points: Where each of these words is cut, in seconds. Without them the result has no times, and
            counts words.
        label: The label of the preterminal over the second half, if not that of the word.
    """
    words: list[str] = []
    times: list[tuple[float, float]] = []
    moved = [0]  # where each word starts among the new ones
    for k, text in enumerate(tree.words):
        words += halves.get(k, (text,))
        moved.append(len(words))
    if points is not None:
        for k, (start, end) in enumerate(tree.times or ()):
            times += ((start, points[k]), (points[k], end)) if k in points else ((start, end),)
    nodes: list[_Node] = []
    copies = [0]  # made before each node
    root = len(tree) - 1
    for i, (name, size, first, last) in enumerate(
        zip(tree.labels, tree.sizes, tree.firsts, tree.lasts, strict=True)
    ):
        start, stop = moved[first], moved[last]
        is_cut = size == 1 and last - first == 1 and first in halves and i != root
        if is_cut:
            nodes.append((name, 1, start, start + 1))
            nodes.append((name if label is None else label, 1, start + 1, stop))
        else:
            nodes.append((name, size + copies[-1] - copies[i - size + 1], start, stop))
        copies.append(copies[-1] + is_cut)
    return _make_tree(nodes, words, times, "word" if points is None else "time")


def split_words(tree: SegmentTree, cuts: Mapping[int, float]) -> SegmentTree:
    """Return the tree with some words cut in two at points in time; for the nodes see `cut_words`.

    Both preterminals have the label of the word. The letters are shared in proportion to the time, a
    base letter keeping its marks, so that a half may be without any.

    >>> tree = SegmentTree.from_brackets("(NP (DT the<0,1>) (NN dog<1,2>))")
    >>> print(split_words(tree, {1: 1.75}))
    (NP (DT the<0.0,1.0>) (NN do<1.0,1.75>) (NN g<1.75,2.0>))

    Args:
        tree: The tree, which must have times.
        cuts: Where to cut, in seconds, by the number of the word; not before its start or after its end.
    """
    times = tree.times or ()
    halves = {}
    for k, at in cuts.items():
        start, end = times[k]
        halves[k] = _split_text(tree.words[k], (at - start) / (end - start) if end > start else 0.0)
    return cut_words(tree, halves, points=cuts)


def merge_words(tree: SegmentTree, joined: Sequence[bool]) -> SegmentTree:
    """Return the tree with some neighbouring words merged into one.

    A merged word belongs to the nodes that hold all of its words, no others: it hangs in their lowest
    common ancestor. Every other node keeps the words that are wholly its own, and goes if none is
    left; so do nodes that had no words. The merged word gets a preterminal with the label of the
    longest of its words (the first of equals; words without a preterminal do not count). It gets none
    where its words were in one preterminal, or where none of them had one.

    >>> tree = SegmentTree.from_brackets(
    ...     "(S (NP (DT the<0,1>) (NN dog<1,3>)) (VP (VB runs<3,4>) (RB off<4,5>)))"
    ... )
    >>> print(merge_words(tree, [False, True, False]))
    (S (NP (DT the<0.0,1.0>)) (NN dog_runs<1.0,4.0>) (VP (RB off<4.0,5.0>)))

    Args:
        tree: The tree, which must have times.
        joined: Whether each word but the last is one with the next.
    """
    words, times = merge_texts(tree, joined)
    into = list(accumulate((not same for same in joined), initial=0))  # the new word of each old one
    starts = [0, *(g + 1 for g in into)]  # new words that start before each old boundary
    ends = [*into, len(words)]  # new words that end at it or before
    spans = [(starts[first], ends[last]) for first, last in zip(tree.firsts, tree.lasts, strict=True)]
    new = _find_preterminals(tree, into, spans)
    n_new = list(accumulate((g in new for g in range(len(words))), initial=0))
    n_kept = list(accumulate((start < end for start, end in spans), initial=0))
    nodes = [
        (label, n_kept[i] - n_kept[i - size] + n_new[end] - n_new[start], start, end)
        for i, (label, size, (start, end)) in enumerate(zip(tree.labels, tree.sizes, spans, strict=True), 1)
        if start < end
    ]
    for g in sorted(new, reverse=True):
        at = bisect_right(nodes, g, key=itemgetter(3))  # before the first that is to its right or above it
        nodes.insert(at, (new[g], 1, g, g + 1))
    return _make_tree(nodes, words, times, "time")


def merge_texts(
    tree: SegmentTree, joined: Sequence[bool], joint: str = "_"
) -> tuple[list[str], list[tuple[float, float]]]:
    """Return the texts and times of the merged words; a merged one takes the silence inside of it, too.

    Args:
        tree: The tree, which must have times and at least one word.
        joined: Whether each word but the last is one with the next.
        joint: The text between two texts, neither of them empty; brackets cannot hold a space.
    """
    old_times = tree.times or ()
    words, times = [tree.words[0]], [old_times[0]]
    for same, text, (start, end) in zip(joined, tree.words[1:], old_times[1:], strict=True):
        if same:
            words[-1] += (joint if words[-1] and text else "") + text
            times[-1] = times[-1][0], end
        else:
            words.append(text)
            times.append((start, end))
    return words, times


def _find_preterminals(
    tree: SegmentTree, into: Sequence[int], spans: Sequence[tuple[int, int]]
) -> dict[int, str]:
    """Return the labels for the merged words that get a preterminal, by their numbers."""
    times = tree.times or ()
    longest: dict[int, tuple[float, str]] = {}
    changed = [
        i
        for i, (start, end) in enumerate(spans)
        if tree.sizes[i] == 1 and end - start < tree.lasts[i] - tree.firsts[i]
    ]
    for i in changed:
        start, end = spans[i]
        for k in range(tree.firsts[i], tree.lasts[i]):
            if start <= into[k] < end:  # still in its preterminal
                continue
            length = times[k][1] - times[k][0]
            if into[k] not in longest or length > longest[into[k]][0]:
                longest[into[k]] = length, tree.labels[i]
    return {g: label for g, (_, label) in longest.items()}


def _split_text(text: str, share: float) -> tuple[str, str]:
    """Return a text in two parts, the first with that share of its letters."""
    at = round(share * len(text))
    if not text.isascii():
        while 0 < at < len(text) and category(text[at])[0] == "M":
            at += 1
    return text[:at], text[at:]
