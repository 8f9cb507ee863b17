"""Bracket text as nested tuples, read slowly and apart from the package: what oracles look at."""

from __future__ import annotations

import re
from typing import Any

# A node is (label, children); a word is a str.
Node = tuple[str, list[Any]]


def read_forest(text: str) -> list[Node]:
    """The trees of a text, one after the other."""
    top: Node = ("", [])
    path = [top]
    for token in re.findall(r"\(\s*[^\s()]*|\)|[^\s()]+", text):
        if token == ")":
            path.pop()
        elif token[0] == "(":
            node: Node = (token[1:].lstrip(), [])
            path[-1][1].append(node)
            path.append(node)
        else:
            path[-1][1].append(token)
    return top[1]


def words(forest: list[Any]) -> list[str]:
    """The words of some trees."""
    found: list[str] = []
    for item in forest:
        found += [item] if isinstance(item, str) else words(item[1])
    return found


def without(forest: list[Node], drop: tuple[str, ...], roots: tuple[str, ...]) -> list[Node]:
    """Some trees without the leaves to drop, what they empty, brackets without words, and wrapping roots.

    Args:
        forest: The trees.
        drop: Labels to drop.
        roots: Those labels that are only ever dropped as roots.
    """
    kept = []
    for label, children in forest:
        node = _without_leaves((label, children), [name for name in drop if name not in roots])
        while node and node[0] in drop and len(node[1]) == 1 and not isinstance(node[1][0], str):
            node = node[1][0]
        if node:
            kept.append(node)
    return kept


def _without_leaves(node: Node, dropped: list[str]) -> Node | None:
    label, children = node
    if label in dropped and all(isinstance(child, str) for child in children):
        return None
    kept = [child if isinstance(child, str) else _without_leaves(child, dropped) for child in children]
    kept = [child for child in kept if child is not None]
    return (label, kept) if kept else None
