"""A tree cut into pieces that fit on a page.

A subtree that is cut off leaves a letter at its place, and is drawn as a piece of its own. A node with more
children than fit beside each other is drawn several times, each with some of them. Nothing here calls
itself, and pieces have few levels, so that LaTeX can set trees of any depth.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_LEVELS = 12  # of nodes in a piece
_LETTER = 18.0  # points for the letter of a piece that goes on elsewhere


class Leaf(NamedTuple):
    """The text below a node."""

    source: str
    kind: str  # the style
    width: float  # points


Item = int | Leaf  # a node, or a text


class Sketch(NamedTuple):
    """A tree to be cut.

    Attributes:
        children: The items below each node, in preorder, with their places on the axis; -1 holds the root.
        widths: The points that each node takes itself.
    """

    children: dict[int, list[tuple[float, Item]]]
    widths: dict[int, float]


class Piece(NamedTuple):
    """A part of a tree that is drawn by itself.

    Attributes:
        number: The number of the piece; the first is 0, and is the top of the tree.
        items: The items in preorder, each with its level; a number below 0 stands for the piece of that
            number.
    """

    number: int
    items: list[tuple[int, Item]]


def cut_into_pieces(sketch: Sketch, room: float) -> list[Piece]:
    """The pieces of a tree, the top first, each at most `room` points wide where that can be."""
    rows, cut = _plan(sketch, room)
    starts: list[tuple[int, int]] = [(node, 0) for _, node in sketch.children[-1] if isinstance(node, int)]
    pieces: list[Piece] = []
    while len(pieces) < len(starts):
        root, row = starts[len(pieces)]
        items: list[tuple[int, Item]] = []
        waiting: list[tuple[int, Item]] = [(0, root)]
        while waiting:
            level, item = waiting.pop()
            items.append((level, item))
            if isinstance(item, Leaf) or item < 0:
                continue
            if item in cut and level:
                starts.append((item, 0))
                waiting.append((level + 1, 1 - len(starts)))
                continue
            at = 0 if level else row
            if at + 1 < len(rows[item]):
                starts.append((item, at + 1))
                waiting.append((level + 1, 1 - len(starts)))
            waiting += [(level + 1, child) for child in reversed(rows[item][at])]
        pieces.append(Piece(len(pieces), items))
    return pieces


def _plan(sketch: Sketch, room: float) -> tuple[dict[int, list[list[Item]]], set[int]]:
    """The children of each node, in as many rows as they need, and the nodes that are cut off."""
    rows: dict[int, list[list[Item]]] = {}
    cut: set[int] = set()
    extents: dict[int, tuple[float, int]] = {}  # points and levels of what is drawn at a node's place
    for node in reversed(sketch.widths):
        children = [item for _, item in sorted(sketch.children[node], key=_place)]

        def extent(item: Item) -> tuple[float, int]:
            return (item.width, 0) if isinstance(item, Leaf) else extents[item]

        def cut_off(child: int) -> None:
            cut.add(child)
            extents[child] = max(sketch.widths[child], _LETTER), 1

        inner = [child for child in children if isinstance(child, int)]
        for child in inner:
            if extents[child][1] >= MAX_LEVELS:
                cut_off(child)
        total = sum(extent(item)[0] for item in children)
        for child in sorted(inner, key=lambda child: -extents[child][0]):
            width = extents[child][0]
            if total > room and width > 2 * max(sketch.widths[child], _LETTER):
                cut_off(child)
                total += extents[child][0] - width
        rows[node] = _fill([(extent(item)[0], item) for item in children], room)
        width = max([sketch.widths[node], *(sum(extent(item)[0] for item in row) for row in rows[node])])
        extents[node] = width, 1 + max((extent(item)[1] for item in children), default=0)
    return rows, cut


def _place(child: tuple[float, Item]) -> float:
    return child[0]


def _fill(items: list[tuple[float, Item]], room: float) -> list[list[Item]]:
    """The items in rows that are as full as they can be; a row has one item at least."""
    rows: list[list[Item]] = [[]]
    used = 0.0
    for width, item in items:
        if rows[-1] and used + width > room:
            rows.append([])
            used = 0.0
        rows[-1].append(item)
        used += width
    return rows
