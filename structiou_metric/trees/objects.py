"""Trees made of objects that hold their children, as nltk and Stanza have them, into flat arrays."""

from __future__ import annotations

from array import array

from ..errors import TreeFormatError
from ..wording import brief
from .parts import Parts

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def is_node(value: Any) -> bool:
    """Whether a value is a tree that is made of objects, as nltk and Stanza have them."""
    return callable(getattr(value, "label", None)) or _has_children(value)


def _has_children(value: Any) -> bool:
    """Whether a value is a node as Stanza has them; a word is one without children, labelled by itself."""
    return isinstance(getattr(value, "label", None), str) and hasattr(value, "children")


def from_objects(tree: Any, unit: str) -> Parts:
    """See `SegmentTree.from_nltk`."""
    labels: list[str] = []
    words: list[str] = []
    sizes, firsts, lasts = array("i"), array("i"), array("i")
    nodes: dict[type, bool] = {}  # by class, whether it is one of nodes as nltk has them
    above: list[tuple[Iterator[Any], str, int, int]] = []  # nodes that are open
    label, rest = _open(tree)
    first = below = 0  # words and nodes before the node
    while True:
        for child in rest:
            kind = child.__class__
            if kind is str:
                words.append(child)
                continue
            is_nltk = nodes.get(kind)
            if is_nltk is None:
                is_nltk = nodes[kind] = callable(getattr(kind, "label", None))
            if is_nltk or (is_node(child) and not _is_word(child)):
                above.append((rest, label, first, below))
                label, rest = (str(child.label()), iter(child)) if is_nltk else _open(child)
                first, below = len(words), len(labels)
                break
            if isinstance(child, tuple):
                word, tag = _tagged(child)
                labels.append(tag)
                sizes.append(1)
                firsts.append(len(words))
                words.append(word)
                lasts.append(len(words))
            else:
                words.append(child.label if _is_word(child) else str(child))
        else:
            sizes.append(len(labels) - below + 1)
            labels.append(label)
            firsts.append(first)
            lasts.append(len(words))
            if not above:
                return Parts(tuple(labels), sizes, firsts, lasts, tuple(words), None, unit)
            rest, label, first, below = above.pop()


def _open(node: Any) -> tuple[str, Iterator[Any]]:
    """The label of a node, and what is below it."""
    if _has_children(node):
        return node.label, iter(node.children)
    return str(node.label()), iter(node)


def _is_word(value: Any) -> bool:
    """Whether a value is a word as Stanza has them."""
    return _has_children(value) and not value.children


def _tagged(leaf: tuple[Any, ...]) -> tuple[str, str]:
    """A leaf that is a pair of a word and its tag, as corpora and chunkers of nltk give them."""
    if len(leaf) != 2 or not all(isinstance(part, str) for part in leaf):
        raise TreeFormatError(f"a leaf is {brief(leaf)}; give a word, or a pair of a word and its tag")
    return leaf
