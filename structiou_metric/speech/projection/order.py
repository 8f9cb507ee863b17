"""The order in which leaves are said, where they are written in another: `$ 5` is five dollars."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...trees.tree import SegmentTree

_SIGN = re.compile(r"(?:[A-Za-z]{1,3})?[$£€#]")  # of a currency, such as US$
_AMOUNT = re.compile(r"\d+(?:[.,/]\d+)*|hundred|thousand|million|billion|trillion", re.IGNORECASE)


def is_sign(text: str) -> bool:
    """Whether a text is the sign of a currency, which is said behind its number.

    >>> is_sign("$"), is_sign("US$"), is_sign("%"), is_sign("$5")
    (True, True, False, False)
    """
    return _SIGN.fullmatch(text) is not None


def is_amount(text: str) -> bool:
    """Whether a text is a part of a number, in digits or such as `million`."""
    return _AMOUNT.fullmatch(text) is not None


def said_order(texts: Sequence[str]) -> list[int]:
    """The places of texts in the order in which they are said: signs of currencies behind their numbers.

    >>> said_order(["pay", "$", "5", "million", "now"])
    [0, 2, 3, 1, 4]
    """
    order = list(range(len(texts)))
    for place, text in enumerate(texts):
        if is_sign(text):
            last = _last_amount(texts, place)
            order[place:last] = [*order[place + 1 : last], place]
    return order


def as_said(tree: SegmentTree) -> tuple[SegmentTree, int]:
    """The tree with the signs of currencies behind their numbers, and how many were moved.

    Only a sign with a node of its own moves, among its sisters.

    >>> print(as_said(SegmentTree.from_brackets("(NP ($ $) (CD 5) (NNS bills))"))[0])
    (NP (CD 5) ($ $) (NNS bills))

    Args:
        tree: The tree; its times are left out where a sign moves, as they would not be in order any more.
    """
    labels, words = list(tree.labels), list(tree.words)
    alone = {first: node for node, first in enumerate(tree.firsts) if _is_alone(tree, node)}
    n_moved = 0
    for place, text in enumerate(tree.words):
        if not is_sign(text) or place not in alone:
            continue
        parent = _parent(tree, alone[place])
        last = place + 1
        while (
            last < _last_amount(tree.words, place) and last in alone and _parent(tree, alone[last]) == parent
        ):
            last += 1
        if last == place + 1:
            continue
        nodes = slice(alone[place], alone[last - 1] + 1)
        if nodes.stop - nodes.start != last - place:  # a node without words is between them
            continue
        labels[nodes] = [*labels[nodes][1:], labels[alone[place]]]
        words[place:last] = [*words[place + 1 : last], text]
        n_moved += 1
    if not n_moved:
        return tree, 0
    return (
        SegmentTree(tuple(labels), tree.sizes, tree.firsts, tree.lasts, tuple(words), None, "word"),
        n_moved,
    )


def _last_amount(texts: Sequence[str], sign: int) -> int:
    """The place behind the last part of the number behind a sign."""
    last = sign + 1
    while last < len(texts) and is_amount(texts[last]):
        last += 1
    return last


def _is_alone(tree: SegmentTree, node: int) -> bool:
    return tree.sizes[node] == 1 and tree.lasts[node] - tree.firsts[node] == 1


def _parent(tree: SegmentTree, node: int) -> int:
    """The node above, or the number of nodes for the root."""
    above = range(node + 1, len(tree.sizes))
    return next((other for other in above if other - tree.sizes[other] < node), len(tree.sizes))
