"""Errors of a known kind, put into treebank-like trees one at a time or together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import NamedTuple

from bench.grammar import Grammar, Phrase, write


class Way(NamedTuple):
    """A way to corrupt a tree.

    Attributes:
        cause: What the loss should be put down to.
        fits: Whether it can be done to a node below a parent.
        change: Does it.
    """

    cause: str
    fits: Callable[[Phrase, Phrase], bool]
    change: Callable[[Phrase, Phrase], None]


def _splice(node: Phrase, parent: Phrase) -> None:
    at = _at(node, parent)
    parent.children[at : at + 1] = node.children


def _at(node: Phrase, parent: Phrase) -> int:
    return next(i for i, child in enumerate(parent.children) if child is node)


def _is_modified(node: Phrase, parent: Phrase) -> bool:
    return (
        parent.label == "VP"
        and [child.label for child in node.children] == ["NP", "PP"]
        and node.label == "NP"
    )


def _is_modifier(node: Phrase, parent: Phrase) -> bool:
    """A phrase of a verb, behind a noun phrase that it could belong to."""
    at = _at(node, parent)
    return node.label == "PP" and parent.label == "VP" and at > 1 and parent.children[at - 1].label == "NP"


def _attach_low(node: Phrase, parent: Phrase) -> None:
    at = _at(node, parent)
    parent.children[at - 1 : at + 1] = [Phrase("NP", parent.children[at - 1 : at + 1])]


def _ends_with_phrase(node: Phrase, parent: Phrase) -> bool:
    return (
        parent.label not in ("TOP", node.label)
        and len(node.children) > 2
        and node.children[-1].label in ("PP", "SBAR", "ADVP")
    )


def _attach_up(node: Phrase, parent: Phrase) -> None:
    parent.children.insert(_at(node, parent) + 1, node.children.pop())


_LABELS = {"NP": "ADJP", "ADJP": "NP", "VP": "PRN", "PP": "ADVP", "ADVP": "PP", "S": "FRAG", "SBAR": "FRAG"}
_TAGS = {
    "NN": "JJ",
    "JJ": "NN",
    "NNS": "VBZ",
    "VBZ": "NNS",
    "VBD": "VBN",
    "VBN": "VBD",
    "IN": "RB",
    "RB": "IN",
}


def _relabel(node: Phrase, parent: Phrase) -> None:
    node.label = (_TAGS if node.word else _LABELS)[node.label]


def _is_flattened_by_splicing(node: Phrase, parent: Phrase) -> bool:
    """A node that can be taken out so that the result is not the very pair of trees of a moved phrase."""
    several = len(node.children) > 1 and len(parent.children) > 1
    return several and all(other.label != node.label for other in [parent, *node.children])


def _wrap(label: str) -> Callable[[Phrase, Phrase], None]:
    def change(node: Phrase, parent: Phrase) -> None:
        parent.children[_at(node, parent)] = Phrase(label, [node])

    return change


def _group(node: Phrase, parent: Phrase) -> None:
    """A new node over a node and the one behind it."""
    at = _at(node, parent)
    parent.children[at : at + 2] = [Phrase("UCP", parent.children[at : at + 2])]


WAYS = {
    "attach high": Way("attachment", _is_modified, _splice),
    "attach low": Way("attachment", _is_modifier, _attach_low),
    "attach further up": Way("attachment", _ends_with_phrase, _attach_up),
    "relabel": Way("label", lambda node, parent: node.label in _LABELS, _relabel),
    "retag": Way("tag", lambda node, parent: bool(node.word) and node.label in _TAGS, _relabel),
    "flatten": Way("missing", _is_flattened_by_splicing, _splice),
    "build over": Way(
        "extra",
        lambda node, parent: len(parent.children) > 2 and _at(node, parent) < len(parent.children) - 1,
        _group,
    ),
    "add a unary": Way("unary", lambda node, parent: parent.label != "TOP", _wrap("UCP")),
    "drop a unary": Way("unary", lambda node, parent: len(node.children) == 1, _splice),
}


def make_trees(n: int, seed: int = 7) -> list[Phrase]:
    """Treebank-like trees of 5 to 40 words."""
    rng = Random(seed)
    grammar = Grammar(rng)
    return [grammar.sentence(rng.randint(5, 40)) for _ in range(n)]


def corrupt(rng: Random, tree: Phrase, names: list[str]) -> tuple[str, list[tuple[str, str]]]:
    """The tree with an error of each of some kinds, at different nodes, and those trees with one error alone.

    Returns:
        The brackets with all errors, and the name and the brackets of each error that found its place.
    """
    whole = deepcopy(tree)
    nodes = [node for node, _ in walk(whole)]
    alone = []
    for name in names:
        way = WAYS[name]
        places = [i for i, (node, parent) in enumerate(walk(tree)) if way.fits(node, parent)]
        if not places:
            continue
        at = rng.choice(places)
        parents = {id(node): parent for node, parent in walk(whole)}
        parent = parents.get(id(nodes[at]))
        if parent is None or not way.fits(nodes[at], parent):
            continue  # an error before has changed the place
        way.change(nodes[at], parent)
        single = deepcopy(tree)
        way.change(*list(walk(single))[at])
        alone.append((name, write(single)))
    return write(whole), alone


def walk(root: Phrase) -> Iterator[tuple[Phrase, Phrase]]:
    """Every node but the root with its parent, in preorder."""
    stack = [(child, root) for child in reversed(root.children)]
    while stack:
        node, parent = stack.pop()
        yield node, parent
        stack += [(child, node) for child in reversed(node.children)]
