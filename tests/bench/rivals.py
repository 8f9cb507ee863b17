"""Other ways to the same value: Algorithm 1 of the paper, and tree edit distance by edist and apted.

STRUCT-IoU = 1 - TED / (n + m), where inserting and deleting cost 1 and renaming u to v costs
2 - 2 IoU(u, v), or 2 if their labels differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from support.oracle import Node, Tree, best_by_algorithm1, iou, read

Scorer = Callable[[Tree, Tree], float]


class _Nested(NamedTuple):
    """A node with its subtrees."""

    node: Node
    children: list[_Nested]


def read_below_top(brackets: str) -> Tree:
    """The tree below TOP."""
    top, *nodes = read(brackets)
    assert top.label == "TOP"
    return [node._replace(parent=node.parent - 1) for node in nodes]


def algorithm1(prediction: Tree, reference: Tree, all_subtrees: bool) -> float:
    """The score by the transcription in `tests/support/oracle.py`."""
    best = best_by_algorithm1(prediction, reference, all_subtrees=all_subtrees)
    return 2.0 * best / (len(prediction) + len(reference))


def make_edist() -> Scorer:
    """The score by edist (Zhang and Shasha's algorithm in Cython, costs by a Python function).

    Raises:
        ImportError: If edist is not installed.
    """
    from edist.ted import ted

    def cost(a: Node | None, b: Node | None) -> float:
        return 1.0 if a is None or b is None else _rename(a, b)

    def score(prediction: Tree, reference: Tree) -> float:
        adjacent = _children(prediction), _children(reference)
        distance = ted(prediction, adjacent[0], reference, adjacent[1], cost)
        return 1.0 - float(distance) / (len(prediction) + len(reference))

    return score


def make_apted() -> Scorer:
    """The score by apted (Pawlik and Augsten's algorithm in Python).

    Raises:
        ImportError: If apted is not installed.
    """
    from apted import APTED, Config

    class Costs(Config):  # type: ignore[misc]
        valuecls = float

        def rename(self, node1: _Nested, node2: _Nested) -> float:
            return _rename(node1.node, node2.node)

        def children(self, node: _Nested) -> list[_Nested]:
            return node.children

    def score(prediction: Tree, reference: Tree) -> float:
        distance = APTED(_nested(prediction), _nested(reference), Costs()).compute_edit_distance()
        return 1.0 - float(distance) / (len(prediction) + len(reference))

    return score


def _rename(a: Node, b: Node) -> float:
    return 2.0 - 2.0 * iou(a, b) if a.label == b.label else 2.0


def _children(tree: Tree) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in tree]
    for index, node in enumerate(tree[1:], 1):
        children[node.parent].append(index)
    return children


def _nested(tree: Tree) -> _Nested:
    made = [_Nested(node, []) for node in tree]
    for index, node in enumerate(tree[1:], 1):
        made[node.parent].children.append(made[index])
    return made[0]
