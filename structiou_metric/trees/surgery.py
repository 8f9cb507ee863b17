"""Other word boundaries under the same tree: words split in two, and neighbours merged into one."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from unicodedata import category

from .tree import SegmentTree


def split_words(tree: SegmentTree, cuts: Mapping[int, float]) -> SegmentTree:
    """The tree with some words cut in two.

    A preterminal over just that word is copied: each half gets one with its label, side by side in
    the same parent. A word without a node of its own, because it is one of several in a preterminal
    or stands beside nodes in a phrase, becomes two words in the same place; so does the only word of
    a tree whose root is its preterminal. All other nodes stay. The letters are shared in proportion
    to the time, a base letter keeping its marks, so that a half may be without any.

    >>> tree = SegmentTree.from_brackets("(NP (DT the<0,1>) (NN dog<1,2>))")
    >>> print(split_words(tree, {1: 1.75}))
    (NP (DT the<0.0,1.0>) (NN do<1.0,1.75>) (NN g<1.75,2.0>))

    Args:
        tree: With times.
        cuts: Where to cut, in seconds, by the number of the word; not before its start or behind its end.
    """
    words, times = list(tree.words), list(tree.times or ())
    moved = list(accumulate((2 if k in cuts else 1 for k in range(len(words))), initial=0))
    for k in sorted(cuts, reverse=True):
        (start, end), at = times[k], cuts[k]
        words[k : k + 1] = _split_text(words[k], (at - start) / (end - start) if end > start else 0.0)
        times[k : k + 1] = (start, at), (at, end)
    labels = list(tree.labels)
    firsts = [moved[first] for first in tree.firsts]
    lasts = [moved[last] for last in tree.lasts]
    copied = [
        size == 1 and last - first == 1 and first in cuts
        for size, first, last in zip(tree.sizes, tree.firsts, tree.lasts, strict=True)
    ]
    copied[-1] = False  # the root
    copies = list(accumulate(copied, initial=0))  # made before each node
    sizes = [size + copies[i] - copies[i - size] for i, size in enumerate(tree.sizes, 1)]
    for i in reversed([i for i, copy in enumerate(copied) if copy]):
        first = firsts[i]
        labels.insert(i, labels[i])
        sizes[i : i + 1] = 1, 1
        firsts.insert(i + 1, first + 1)
        lasts.insert(i, first + 1)
    return _tree(labels, sizes, firsts, lasts, words, times)


def merge_words(tree: SegmentTree, joined: Sequence[bool]) -> SegmentTree:
    """The tree with some neighbouring words merged into one.

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
        tree: With times.
        joined: For each word but the last, whether it is one with the next.
    """
    words, times = merge_texts(tree, joined)
    into = list(accumulate((not same for same in joined), initial=0))  # the new word of each old one
    starts = [0, *(g + 1 for g in into)]  # new words that start before each old boundary
    ends = [*into, len(words)]  # new words that end at it or before
    spans = [(starts[first], ends[last]) for first, last in zip(tree.firsts, tree.lasts, strict=True)]
    new = _find_preterminals(tree, into, spans)
    n_new = list(accumulate((g in new for g in range(len(words))), initial=0))
    n_kept = list(accumulate((start < end for start, end in spans), initial=0))
    kept = [(i, start, end) for i, (start, end) in enumerate(spans) if start < end]
    labels = [tree.labels[i] for i, _, _ in kept]
    sizes = [
        n_kept[i + 1] - n_kept[i + 1 - tree.sizes[i]] + n_new[end] - n_new[start] for i, start, end in kept
    ]
    firsts = [start for _, start, _ in kept]
    lasts = [end for _, _, end in kept]
    for g in sorted(new, reverse=True):
        at = bisect_right(lasts, g)  # before the first node that is to its right or above it
        labels.insert(at, new[g])
        sizes.insert(at, 1)
        firsts.insert(at, g)
        lasts.insert(at, g + 1)
    return _tree(labels, sizes, firsts, lasts, words, times)


def merge_texts(
    tree: SegmentTree, joined: Sequence[bool], joint: str = "_"
) -> tuple[list[str], list[tuple[float, float]]]:
    """Texts and times of the merged words; a merged one takes the silence inside of it, too.

    Args:
        tree: With times, and at least one word.
        joined: As in `merge_words`.
        joint: Put between texts, other than empty ones; brackets cannot hold a space.
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
    """Labels for the merged words that get a preterminal, by their numbers."""
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


def _tree(
    labels: Sequence[str],
    sizes: Sequence[int],
    firsts: Sequence[int],
    lasts: Sequence[int],
    words: Sequence[str],
    times: Sequence[tuple[float, float]],
) -> SegmentTree:
    numbers = array("i", sizes), array("i", firsts), array("i", lasts)
    return SegmentTree(tuple(labels), *numbers, tuple(words), tuple(times), "time")


def _split_text(text: str, share: float) -> tuple[str, str]:
    """A text in two parts, the first with that share of its letters."""
    at = round(share * len(text))
    if not text.isascii():
        while 0 < at < len(text) and category(text[at])[0] == "M":
            at += 1
    return text[:at], text[at:]
