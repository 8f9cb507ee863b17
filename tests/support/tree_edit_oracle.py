"""Ordered tree edit distance by the definition: every way to edit the rightmost roots, slowly.

Written apart from the package, on nested tuples.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from support.nested import read_forest, without

ROOTS = ("TOP", "ROOT", "S1", "VROOT", "")
DROP = (*ROOTS, "-NONE-")

Forest = tuple[Any, ...]  # of (label, forest of children)


def forest(text: str, drop: tuple[str, ...] = DROP) -> Forest:
    """The brackets of some trees that are nodes, without words."""
    return _brackets(without(read_forest(text), drop, ROOTS))


def _brackets(nodes: list[Any]) -> Forest:
    return tuple((node[0], _brackets(node[1])) for node in nodes if not isinstance(node, str))


def size(trees: Forest) -> int:
    """How many nodes there are."""
    return sum(1 + size(children) for _, children in trees)


def distance(ours: Forest, theirs: Forest, rename: float | None) -> float:
    """The least cost of making one forest the other."""

    @cache
    def least(f: Forest, g: Forest) -> float:
        if not f or not g:
            return size(f) + size(g)
        (a, below_a), (b, below_b) = f[-1], g[-1]
        costs = [least(f[:-1] + below_a, g) + 1, least(f, g[:-1] + below_b) + 1]
        if a == b or rename is not None:
            costs.append(least(f[:-1], g[:-1]) + least(below_a, below_b) + (0 if a == b else rename or 0))
        return min(costs)

    return least(ours, theirs)
