"""Moves by the letter: nested trees, every single move there is, and what makes one go towards the reference.

A tree is a list of what stands under the top: numbers are leaves, from 0 on and in order, and a node is
`[label, children]`. Nothing here comes from the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any

from support.oracle import Node
from support.oracle import Tree as FlatTree

Forest = list[Any]


def nested(brackets: str) -> Forest:
    """Reads bracket text; words become leaves, numbered from 0."""
    path: list[list[Any]] = [["", []]]
    n_words = 0
    for token in brackets.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            path.append([None, []])
        elif token == ")":
            node = path.pop()
            path[-1][1].append(node)
        elif path[-1][0] is None:
            path[-1][0] = token
        else:
            path[-1][1].append(n_words)
            n_words += 1
    (top,) = path
    return list(top[1])


def leaves(item: Any) -> list[int]:
    """The leaves of a node, a leaf or a list of these."""
    if isinstance(item, int):
        return [item]
    children = item[1] if _is_node(item) else item
    return [leaf for child in children for leaf in leaves(child)]


def holders(forest: Forest) -> Iterator[list[Any]]:
    """Every list of children: that of the top, and of each node."""
    yield forest
    for item in forest:
        if not isinstance(item, int):
            yield from holders(item[1])


def flat(forest: Forest) -> FlatTree:
    """The nodes, outer ones first, as the oracle of the score takes them."""
    found: FlatTree = []

    def add(items: Forest, parent: int) -> None:
        for item in items:
            if not isinstance(item, int):
                inside = leaves(item)
                terminal = all(isinstance(child, int) for child in item[1])
                found.append(Node(item[0], float(inside[0]), inside[-1] + 1.0, parent, terminal))
                add(item[1], len(found) - 1)

    add(forest, -1)
    return found


def chains(forest: Forest) -> dict[tuple[float, float], list[str]]:
    """The labels of the nodes with each span, outer ones first."""
    found: dict[tuple[float, float], list[str]] = {}
    for node in flat(forest):
        found.setdefault((node.start, node.end), []).append(node.label)
    return found


def common_nodes(one: Forest, other: Forest) -> int:
    """How many nodes two trees have in common: same leaves, same label, in the same order."""
    left, right = chains(one), chains(other)
    return sum(_longest_common(left[span], right[span]) for span in left.keys() & right.keys())


def _longest_common(one: list[str], other: list[str]) -> int:
    for size in range(min(len(one), len(other)), 0, -1):
        if set(combinations(one, size)) & set(combinations(other, size)):
            return size
    return 0


def moves_towards(forest: Forest, reference: Forest) -> Iterator[Forest]:
    """The tree after each single move that makes a node of the reference, or removes one that it lacks."""
    common = common_nodes(forest, reference)
    for after in _removals(forest):
        if common_nodes(after, reference) == common:
            yield after
    for after in (
        *_relabellings(forest, reference),
        *_insertions(forest, reference),
        *_runs(forest, reference),
    ):
        if common_nodes(after, reference) > common:
            yield after


def _removals(forest: Forest) -> Iterator[Forest]:
    for h, items in enumerate(holders(forest)):
        for k, item in enumerate(items):
            if not isinstance(item, int):
                after, own = _copy(forest, h)
                own[k : k + 1] = own[k][1]
                yield after


def _relabellings(forest: Forest, reference: Forest) -> Iterator[Forest]:
    for h, items in enumerate(holders(forest)):
        for k, item in enumerate(items):
            for label in _labels(reference) if not isinstance(item, int) else ():
                after, own = _copy(forest, h)
                own[k][0] = label
                yield after


def _insertions(forest: Forest, reference: Forest) -> Iterator[Forest]:
    for h, items in enumerate(holders(forest)):
        for a, b in combinations(range(len(items) + 1), 2):
            for label in _labels(reference):
                after, own = _copy(forest, h)
                own[a:b] = [[label, own[a:b]]]
                yield after


def _runs(forest: Forest, reference: Forest) -> Iterator[Forest]:
    """Every run of siblings to every other place that keeps the order of leaves."""
    wanted = {(node.label, node.start, node.end) for node in flat(reference)}
    n_leaves = len(leaves(forest))
    for h, items in enumerate(holders(forest)):
        for a, b in combinations(range(len(items) + 1), 2):
            if b - a == len(items):
                continue
            for drops in (False, True):
                if drops and (h == 0 or len(items) - (b - a) > 1):
                    continue
                without, own = _copy(forest, h)
                run, own[a:b] = own[a:b], []
                for t, place in enumerate(list(holders(without))):
                    for at in range(len(place) + 1):
                        if t == h and at == a:
                            continue  # where it was
                        place[at:at] = run
                        if leaves(without) == list(range(n_leaves)):
                            yield _dropped(without, own) if drops else deepcopy(without)
                        place[at : at + len(run)] = []
                    for at, neighbour in enumerate(list(place)):
                        if isinstance(neighbour, int) or (drops and neighbour[1] is own):
                            continue
                        if t == h and at in (a - 1, a):
                            continue  # a new node over siblings is an insertion
                        for inside in ([neighbour, *run], [*run, neighbour]):
                            place[at] = [neighbour[0], inside]
                            span = leaves(place[at])
                            node = neighbour[0], float(min(span)), max(span) + 1.0
                            if leaves(without) == list(range(n_leaves)) and node in wanted:
                                yield _dropped(without, own) if drops else deepcopy(without)
                        place[at] = neighbour


def _dropped(forest: Forest, gone: list[Any]) -> Forest:
    """A copy without the node whose children are that list."""

    def copy(items: Forest) -> Forest:
        found: Forest = []
        for item in items:
            if isinstance(item, int):
                found.append(item)
            elif item[1] is gone:
                found += copy(item[1])
            else:
                found.append([item[0], copy(item[1])])
        return found

    return copy(forest)


def _labels(forest: Forest) -> list[str]:
    return sorted({node.label for node in flat(forest)})


def _copy(forest: Forest, holder: int) -> tuple[Forest, list[Any]]:
    """A copy of the tree, and its list of children with that number."""
    after = deepcopy(forest)
    return after, list(holders(after))[holder]


def _is_node(item: Any) -> bool:
    return len(item) == 2 and isinstance(item[0], str)


def apply_step(forest: Forest, step: Any) -> Forest:
    """The tree after a step of the product, done to the lists of children."""
    after = deepcopy(forest)
    if step.kind == "insert":
        return _insert(after, step)
    if step.kind in ("remove", "relabel"):
        place, at = _find(after, (step.start, step.end, step.level))
        if step.kind == "remove":
            place[at : at + 1] = place[at][1]
        else:
            place[at][0] = step.label
        return after
    target = None
    if step.target is not None:
        place, at = _find(after, step.target)
        target = place, at, place[at]
    (own,) = (items for items in holders(after) if _run(items, step.start, step.end) is not None)
    a, b = _run(own, step.start, step.end)
    run, own[a:b] = own[a:b], []
    if target is None:
        taker = after
    elif step.wrap is not None:
        place, at, node = target
        at = next(k for k, item in enumerate(place) if item is node)
        place[at] = [step.wrap, [node]]
        taker = place[at][1]
    else:
        taker = target[2][1]
    taker += run
    taker.sort(key=lambda item: leaves(item)[0])
    return _dropped(after, own) if step.drops_parent else after


def _insert(forest: Forest, step: Any) -> Forest:
    """Puts a node over a run of siblings, below as many nodes with its span as its level says."""
    options = [
        items for items in holders(forest) if _run(items, step.start, step.end, whole=True) is not None
    ]
    items = options[step.level]
    a, b = _run(items, step.start, step.end, whole=True)
    items[a:b] = [[step.label, items[a:b]]]
    return forest


def _run(items: list[Any], start: int, end: int, whole: bool = False) -> tuple[int, int] | None:
    """Where in a list of children those stand that hold exactly some leaves; not all, unless `whole`."""
    for a, b in combinations(range(len(items) + 1), 2):
        inside = leaves(items[a:b])
        if inside == list(range(start, end)) and (whole or b - a < len(items)):
            return a, b
    return None


def _find(forest: Forest, address: tuple[int, int, int]) -> tuple[list[Any], int]:
    start, end, level = address
    found = [
        (items, k)
        for items in holders(forest)
        for k, item in enumerate(items)
        if not isinstance(item, int) and leaves(item) == list(range(start, end))
    ]
    return found[level]
