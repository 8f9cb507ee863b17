"""Trees made of objects that hold their children, as nltk and Stanza have them, read into flat arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._core.plain import read_objects
from ..errors import TreeFormatError
from ..wording import brief
from .parts import Builder, Parts


def is_node(value: Any) -> bool:
    """Whether a value is a tree that is made of objects, as nltk and Stanza have them."""
    return callable(getattr(value, "label", None)) or _has_children(value)


def _has_children(value: Any) -> bool:
    """Whether a value is a node as Stanza has them; a word is one without children, labelled by itself."""
    return isinstance(getattr(value, "label", None), str) and hasattr(value, "children")


def from_objects(tree: Any, unit: str) -> Parts:
    """Reads a tree of objects; it does the work of `SegmentTree.from_nltk`."""
    plain = read_objects(tree, unit)
    if plain is not None:
        return Parts(*plain)
    builder = Builder()
    open_trees = [_open(builder, tree)]
    while open_trees:
        for child in open_trees[-1]:
            if _has_children(child) and not child.children:
                builder.word(child.label)
            elif is_node(child):
                open_trees.append(_open(builder, child))
                break
            elif isinstance(child, tuple):
                _add_tagged(builder, child)
            else:
                builder.word(str(child))
        else:
            open_trees.pop()
            builder.close()
    return builder.parts(unit)


def _open(builder: Builder, node: Any) -> Iterator[Any]:
    """Opens a node; returns what is below it."""
    if _has_children(node):
        builder.open(node.label)
        return iter(node.children)
    builder.open(str(node.label()))
    return iter(node)


def _add_tagged(builder: Builder, leaf: tuple[Any, ...]) -> None:
    """Adds a leaf that is a pair of a word and its tag, as corpora and chunkers of nltk give them."""
    if len(leaf) != 2 or not all(isinstance(part, str) for part in leaf):
        raise TreeFormatError(f"a leaf is {brief(leaf)}; give a word, or a pair of a word and its tag")
    word, tag = leaf
    builder.open(tag)
    builder.word(word)
    builder.close()
