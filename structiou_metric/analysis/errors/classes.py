"""Which class of error a step of the search corrects, and what of the tree it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...trees.labels import base_label
from .candidates import INSERT, MOVE, RELABEL, Step
from .layout import TOP, Layout, Span
from .search import Found
from .styles import (
    ATTACHMENT,
    COORDINATION,
    LABEL,
    NP_INTERNAL,
    OTHER,
    SINGLE_WORD,
    TAG,
    UNARY,
    Style,
)

Item = tuple[int, int, int]  # a child of a node: node (-1 for a leaf), start, end


class Named(NamedTuple):
    """What a step is about.

    Attributes:
        error: The class of the error.
        span: The constituents that hang elsewhere, or the node.
        labels: The labels of these constituents, or of the node.
        source: The label of the node that they hang on, or that the node stands below.
        target: The label of the node that they should hang on; nothing if it is about a node.
        attaches: Whether it is about constituents that hang elsewhere, not about a node.
    """

    error: str
    span: Span
    labels: tuple[str, ...]
    source: str
    target: str = ""
    attaches: bool = False


class Namer:
    """Names the steps of one pair of trees.

    Args:
        style: What labels mean.
        names: The text of each label id.
        tags: The tag of each leaf, where leaves are no nodes; an empty one where it is not known.
        leaf_nodes: Whether nodes without child nodes are tags.
        words: Where each word begins, and where the last one ends.
        reference: The tree to be reached.
    """

    def __init__(
        self,
        style: Style,
        names: Sequence[str],
        tags: Sequence[str],
        leaf_nodes: bool,
        words: Sequence[int],
        reference: Layout,
    ) -> None:
        self._style = style
        self._names = names
        self._tags = tags
        self._leaf_nodes = leaf_nodes
        self._starts = frozenset(words)
        self._joints = self._find_joints(reference) if style.structural else frozenset()

    def name(self, found: Found) -> Named:
        """The class of a step, and what it is about."""
        tree, step = found.before, found.step
        if step.kind == MOVE:
            return self._name_move(tree, step)
        span = step.start, step.end
        nodes = tree.by_span.get(span, [])
        if step.kind == RELABEL:
            node = nodes[step.level]
            is_tag = self._leaf_nodes and not tree.has_child_nodes(node)
            labels = self._names[tree.labels[node]], step.label or ""
            return Named(TAG if is_tag else LABEL, span, labels, self._above(tree, node))
        if step.kind == INSERT:
            chain = [*nodes[: step.level], -1, *nodes[step.level :]]
            return self._name_node(tree, step, chain, step.label or "")
        return self._name_node(tree, step, nodes, self._names[tree.labels[nodes[step.level]]])

    def _name_node(self, tree: Layout, step: Step, chain: list[int], label: str) -> Named:
        """A node that is missing, or one too many; `chain` has all nodes with its span, and it."""
        span = step.start, step.end
        outer, inner = chain[: step.level], chain[step.level + 1 :]
        if outer:
            parent = outer[-1]
        elif step.kind != INSERT:
            parent = tree.parents[chain[0]]
        elif inner:
            parent = tree.parents[inner[0]]
        else:
            parent = TOP if span == (0, tree.length) else tree.holder(*span)
        own = (label,)
        above = self._text(tree, parent)
        items = list(tree.items(parent if step.kind == INSERT else chain[step.level], *span))
        if self._leaf_nodes and all(node < 0 for node, _, _ in items):
            return Named(TAG, span, own, above)
        phrases = [n for n in [*outer, *inner] if not self._leaf_nodes or tree.has_child_nodes(n)]
        if phrases:
            return Named(UNARY, span, own, above)
        if self._is_word(span):
            return Named(SINGLE_WORD, span, own, above)
        attached = self._adjoined(tree, items, label)
        if attached is not None:
            source, target = (above, label) if step.kind == INSERT else (label, above)
            labels = tuple([self._label(tree, item) for item in attached])
            run = attached[0][1], attached[-1][2]
            near = [item for item in items if item[2] == run[0] or item[1] == run[1]]
            near += _beside(tree, parent, span)
            error = self._attachment(tree, attached, near, {source, target})
            return Named(error, run, labels, source, target, True)
        return Named(self._group(tree, items, label, above), span, own, above)

    def _adjoined(self, tree: Layout, items: list[Item], label: str) -> list[Item] | None:
        """What a node adds to a child with its own label, at one side of it; None if it has no such child."""
        for place in (0, len(items) - 1):
            node = items[place][0]
            if node >= 0 and base_label(self._names[tree.labels[node]]) == base_label(label):
                rest = items[1:] if place == 0 else items[:-1]
                return rest or None
        return None

    def _group(self, tree: Layout, items: list[Item], label: str, above: str) -> str:
        """The class of a group of siblings that is missing, or one too many."""
        style = self._style
        if any(self._joins(tree, item) for item in items):
            return COORDINATION
        if base_label(above) in style.noun_phrases and (
            base_label(label) in style.in_noun_phrases or self._all_words(tree, items)
        ):
            return NP_INTERNAL
        return OTHER

    def _name_move(self, tree: Layout, step: Step) -> Named:
        run = step.start, step.end
        parent = tree.holder(*run)
        items = list(tree.items(parent, *run))
        labels = tuple([self._label(tree, item) for item in items])
        node, target = TOP, ""
        if step.target is not None:
            start, end, level = step.target
            node = tree.by_span[start, end][level]
            target = self._text(tree, node) if step.wrap is None else step.wrap
        source = self._text(tree, parent)
        near = [*_beside(tree, parent, run), *_beside(tree, node, run)]
        error = self._attachment(tree, items, near, {source, target})
        return Named(error, run, labels, source, target, True)

    def _attachment(self, tree: Layout, items: list[Item], near: list[Item], parents: set[str]) -> str:
        """The class of siblings that hang on another node.

        Args:
            tree: The tree before the move.
            items: The siblings.
            near: What they stand beside, before and after it.
            parents: The labels of the nodes that they hang on, before and after it.
        """
        if any(self._joins(tree, item) for item in (items[0], items[-1], *near)):
            return COORDINATION
        if self._all_words(tree, items) and set(map(base_label, parents)) <= self._style.noun_phrases:
            return NP_INTERNAL
        for item in items:
            label = base_label(self._label(tree, item))
            if label in self._style.attachments:
                return self._style.attachments[label]
        return ATTACHMENT

    def _joins(self, tree: Layout, item: Item) -> bool:
        """Whether an item is a conjunction."""
        if self._style.structural:
            return item[1] in self._joints and self._all_words(tree, [item])
        return base_label(self._label(tree, item)) in self._style.conjunctions

    def _find_joints(self, tree: Layout) -> frozenset[int]:
        """The words of a tree that stand between two siblings that have one label and are no words."""
        found = set()
        for parent, first, last in zip(range(len(tree.labels)), tree.firsts, tree.lasts, strict=True):
            items = list(tree.items(parent, first, last))
            for left, item, right in zip(items, items[1:], items[2:], strict=False):
                if (
                    self._all_words(tree, [item])
                    and not any(self._all_words(tree, [other]) for other in (left, right))
                    and tree.labels[left[0]] == tree.labels[right[0]]
                ):
                    found.add(item[1])
        return frozenset(found)

    def _label(self, tree: Layout, item: Item) -> str:
        node, start, _ = item
        return self._tags[start] if node < 0 else self._names[tree.labels[node]]

    def _text(self, tree: Layout, node: int) -> str:
        return "" if node == TOP else self._names[tree.labels[node]]

    def _above(self, tree: Layout, node: int) -> str:
        return self._text(tree, tree.parents[node])

    def _all_words(self, tree: Layout, items: list[Item]) -> bool:
        return all(node < 0 or (self._leaf_nodes and not tree.has_child_nodes(node)) for node, _, _ in items)

    def _is_word(self, span: Span) -> bool:
        """Whether a span holds one word."""
        return not any(place in self._starts for place in range(span[0] + 1, span[1]))


def _beside(tree: Layout, parent: int, run: Span) -> list[Item]:
    """The children of a node that stand right before and behind a run, whether that is in it or not."""
    first, last = (0, tree.length) if parent == TOP else (tree.firsts[parent], tree.lasts[parent])
    start, end = run
    found = []
    for edge, leaf, nodes in ((start, start - 1, tree.by_last), (end, end, tree.by_first)):
        if first <= leaf < last:
            for node in nodes.get(edge, ()):
                if tree.parents[node] == parent:
                    found.append((node, tree.firsts[node], tree.lasts[node]))
                    break
            else:
                if edge not in nodes:
                    found.append((-1, leaf, leaf + 1))
    return found
