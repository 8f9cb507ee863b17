"""Seeded random trees as bracket strings, of any size: nothing here recurses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

SHAPES = ("random", "left_comb", "right_comb", "zigzag", "flat", "binary", "unary")


@dataclass(eq=False)
class _Node:
    label: str
    children: list[_Node | str]

    def is_preterminal(self) -> bool:
        return isinstance(self.children[0], str)


def random_tree(rng: Random, n_words: int, n_labels: int, shape: str = "random") -> str:
    """A random tree over the words w0, w1, … with labels from L0, L1, …

    Args:
        rng: The source of all choices.
        n_words: At least 1; each word has a preterminal of its own.
        n_labels: At least 1.
        shape: `random` joins 2 to 4 random neighbours until one is left; `unary` puts up to 3
            one-child nodes on top of each node of such a tree; `binary` is uniform over binary
            trees; `zigzag` splits off the first and the last word in turn, a comb always the same
            one of them; `flat` is one node over all words.
    """

    def node(*children: _Node | str) -> _Node:
        return _Node(f"L{rng.randrange(n_labels)}", list(children))

    words: list[_Node] = [node(f"w{k}") for k in range(n_words)]
    if shape == "flat":
        return _write(node(*words))
    if shape == "binary":
        return _write(_uniform_binary(rng, words, node))
    if shape in ("random", "unary"):
        return _write(_random_merges(rng, words, node, max_unary=3 if shape == "unary" else 0))
    if shape == "left_comb":
        return _write(_spine([False] * (n_words - 1), words, node))
    if shape == "right_comb":
        return _write(_spine([True] * (n_words - 1), words, node))
    if shape == "zigzag":
        return _write(_spine([k % 2 == 0 for k in range(n_words - 1)], words, node))
    raise ValueError(f"unknown shape {shape!r}; choose from {', '.join(SHAPES)}")


def mutate(rng: Random, brackets: str, edits: int = 1, labels: Sequence[str] | None = None) -> str:
    """A near copy over the same words: relabelled, deleted, added and reattached nodes.

    Later edits may undo earlier ones.

    Args:
        rng: The source of all choices.
        brackets: One tree.
        edits: How many edits to make, each of a random kind.
        labels: Labels for new names; those of the tree if left out.
    """
    root = _parse(brackets)
    labels = sorted({node.label for node, _ in _walk(root)}) if labels is None else labels
    for _ in range(edits):
        for edit in rng.sample((_relabel, _delete, _add, _reattach), 4):
            if edit(rng, root, labels):
                break
    return _write(root)


def word_times(rng: Random, n_words: int, noise: float) -> list[tuple[float, float]]:
    """Times of words about 1 s long; `noise`, from 0 to below 1, moves ends and adds silences."""
    bounds = [1.0 + k + rng.uniform(-0.5, 0.5) * noise for k in range(n_words + 1)]
    times = []
    for start, end in pairwise(bounds):
        silence = 0.5 * rng.random() * (end - start) if rng.random() < noise else 0.0
        times.append((round(start, 6), round(end - silence, 6)))
    return times


def write_times(brackets: str, times: Sequence[tuple[float, float]]) -> str:
    """Timed brackets: every word followed by its `<start,end>`."""
    clock = iter(times)

    def stamp(token: re.Match[str]) -> str:
        if token[0][0] in "()":
            return token[0]
        start, end = next(clock)
        return f"{token[0]}<{start!r},{end!r}>"

    return _TOKEN.sub(stamp, brackets)


def timed(rng: Random, brackets: str, noise: float) -> str:
    """Timed brackets with times as `word_times` draws them."""
    return write_times(brackets, word_times(rng, count_words(brackets), noise))


def count_words(brackets: str) -> int:
    """The number of words of a bracket string."""
    return sum(token[0][0] not in "()" for token in _TOKEN.finditer(brackets))


# ------------------------------------------------------------------------------------------- shapes

_MakeNode = Callable[..., _Node]


def _spine(first_split_off: list[bool], words: list[_Node], node: _MakeNode) -> _Node:
    """A binary tree whose nodes, from the root down, split off the first word or else the last."""
    left, right = 0, len(words)
    for first in first_split_off:
        left, right = (left + 1, right) if first else (left, right - 1)
    tree = words[left]
    for first in reversed(first_split_off):
        if first:
            left -= 1
            tree = node(words[left], tree)
        else:
            tree = node(tree, words[right])
            right += 1
    return tree


def _random_merges(rng: Random, words: list[_Node], node: _MakeNode, max_unary: int) -> _Node:
    def chain(tree: _Node) -> _Node:
        for _ in range(rng.randint(0, max_unary)):
            tree = node(tree)
        return tree

    row = [chain(word) for word in words]
    while len(row) > 1:
        arity = min(rng.choice((2, 2, 3, 4)), len(row))
        at = rng.randint(0, len(row) - arity)
        row[at : at + arity] = [chain(node(*row[at : at + arity]))]
    return row[0]


def _uniform_binary(rng: Random, words: list[_Node], node: _MakeNode) -> _Node:
    """Rémy's method (Knuth, TAOCP 7.2.1.6, algorithm R): odd links are nodes, even links leaves."""
    link = [0]
    for k in range(1, len(words)):
        at, side = divmod(rng.randrange(4 * k - 2), 2)
        link += [0, 0]
        link[2 * k - side] = 2 * k
        link[2 * k - 1 + side] = link[at]
        link[at] = 2 * k - 1
    top = node()
    next_word = iter(words)
    stack = [(link[0], top)]
    while stack:
        here, parent = stack.pop()
        if here % 2 == 0:
            parent.children.append(next(next_word))
        else:
            inner = node()
            parent.children.append(inner)
            stack += [(link[here + 1], inner), (link[here], inner)]
    root = top.children[0]
    assert isinstance(root, _Node)
    return root


# -------------------------------------------------------------------------------------------- edits
# Each changes the tree and returns True, or finds no place in it and returns False.


def _relabel(rng: Random, root: _Node, labels: Sequence[str]) -> bool:
    node, _ = rng.choice(list(_walk(root)))
    others = [label for label in labels if label != node.label]
    if not others:
        return False
    node.label = rng.choice(others)
    return True


def _delete(rng: Random, root: _Node, labels: Sequence[str]) -> bool:
    """Put the children of a node in its place; a word never becomes the sister of a node."""
    places = [
        (node, parent)
        for node, parent in _walk(root)
        if parent is not None and (len(parent.children) == 1 or not node.is_preterminal())
    ]
    if not places:
        return False
    node, parent = rng.choice(places)
    at = parent.children.index(node)
    parent.children[at : at + 1] = node.children
    return True


def _add(rng: Random, root: _Node, labels: Sequence[str]) -> bool:
    """Put a new node between a node and some neighbouring children of it, or all its words."""
    node, _ = rng.choice(list(_walk(root)))
    first, last = 0, len(node.children)
    if not node.is_preterminal():
        first = rng.randrange(len(node.children))
        last = rng.randint(first + 1, len(node.children))
    node.children[first:last] = [_Node(rng.choice(list(labels)), node.children[first:last])]
    return True


def _reattach(rng: Random, root: _Node, labels: Sequence[str]) -> bool:
    """Move an outermost child of a node up to its parent, or a sister of the node down to it."""
    places = [
        (node, parent) for node, parent in _walk(root) if parent is not None and not node.is_preterminal()
    ]
    if not places:
        return False
    node, parent = rng.choice(places)
    at = parent.children.index(node)
    to_left = rng.random() < 0.5
    if rng.random() < 0.5 and len(node.children) > 1:
        child = node.children.pop(0 if to_left else -1)
        parent.children.insert(at if to_left else at + 1, child)
        return True
    sister = at - 1 if to_left else at + 1
    if not 0 <= sister < len(parent.children):
        return False
    moved = parent.children.pop(sister)
    node.children.insert(0 if to_left else len(node.children), moved)
    return True


# ------------------------------------------------------------------------------------------ strings

_TOKEN = re.compile(r"\(\s*[^\s()]*|\)|[^\s()]+")


def _walk(root: _Node) -> Iterator[tuple[_Node, _Node | None]]:
    """Every node with its parent, in preorder."""
    stack: list[tuple[_Node, _Node | None]] = [(root, None)]
    while stack:
        node, parent = stack.pop()
        yield node, parent
        stack += [(c, node) for c in reversed(node.children) if isinstance(c, _Node)]


def _parse(brackets: str) -> _Node:
    top = _Node("", [])
    path = [top]
    for token in _TOKEN.findall(brackets):
        if token == ")":
            path.pop()
        elif token[0] == "(":
            node = _Node(token[1:].lstrip(), [])
            path[-1].children.append(node)
            path.append(node)
        else:
            path[-1].children.append(token)
    root = top.children[0]
    assert isinstance(root, _Node)
    return root


def _write(root: _Node) -> str:
    pieces: list[str] = []
    stack: list[_Node | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, _Node):
            pieces.append(" (" + item.label)
            stack.append(")")
            stack += reversed(item.children)
        else:
            pieces.append(item if item == ")" else " " + item)
    return "".join(pieces)[1:]
