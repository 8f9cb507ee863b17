"""Classes of errors: the class that a step of the search corrects, and the part of the tree it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    PUNCTUATION,
    SINGLE_WORD,
    TAG,
    UNARY,
    WORD,
    Style,
)

Item = tuple[int, int, int]  # a child of a node: node (-1 for a leaf), start, end


class Named(NamedTuple):
    """The class of a step, and the constituents that it changes.

    Attributes:
        error: The class of the error.
        span: The constituents that hang elsewhere, or the node.
        labels: The labels of these constituents, or of the node.
        source: The label of the node that they hang on, or that the node is below.
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
        style: The meanings of labels.
        names: The text of each label id.
        tags: The tag of each leaf, where leaves are no nodes; an empty one where it is not known.
        leaf_nodes: Whether nodes without child nodes are tags.
        words: Where each word begins, and where the last one ends.
        text: A function that returns the words between two boundaries.
        reference: The tree to be reached.
    """

    def __init__(
        self,
        style: Style,
        names: Sequence[str],
        tags: Sequence[str],
        leaf_nodes: bool,
        words: Sequence[int],
        text: Callable[[int, int], str],
        reference: Layout,
    ) -> None:
        self._style = style
        self._names = names
        self._tags = tags
        self._leaf_nodes = leaf_nodes
        self._starts = frozenset(words)
        self._words_of = text
        self._joints = self._find_joints(reference) if style.structural else frozenset()

    def name(self, found: Found) -> Named:
        """Return the class of a step, and the constituents that it changes."""
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
        """Return a node that is missing, or one too many; `chain` has all nodes with its span, and it."""
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
            error = self._attachment(tree, attached, self._beside(tree, parent, span), {source, target})
            return Named(error, run, labels, source, target, True)
        return Named(self._group(tree, items, label, above), span, own, above)

    def _adjoined(self, tree: Layout, items: list[Item], label: str) -> list[Item] | None:
        """Return the items that a node adds on one side to a child with its own label; None if it has none.

        Punctuation on the other side of that child does not matter.
        """
        others = [i for i, item in enumerate(items) if not self._is_punctuation(tree, item)]
        for place in (others[0], others[-1]) if others else ():
            node = items[place][0]
            if node >= 0 and base_label(self._names[tree.labels[node]]) == base_label(label):
                rest = items[place + 1 :] if place == others[0] else items[:place]
                return rest or None
        return None

    def _group(self, tree: Layout, items: list[Item], label: str, above: str) -> str:
        """Return the class of a group of siblings that is missing, or one too many."""
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
        near = [*self._beside(tree, parent, run), *self._beside(tree, node, run)]
        error = self._attachment(tree, items, near, {source, target})
        return Named(error, run, labels, source, target, True)

    def _attachment(self, tree: Layout, items: list[Item], near: list[Item], parents: set[str]) -> str:
        """Return the class of siblings that hang on another node.

        Args:
            tree: The tree before the move.
            items: The siblings.
            near: The items next to them, before and after.
            parents: The labels of the nodes that they hang on, before and after it.
        """
        items = [item for item in items if not self._is_punctuation(tree, item)]
        if not items:
            return PUNCTUATION
        if any(self._joins(tree, item) for item in (items[0], items[-1], *near)):
            return COORDINATION
        phrases = [item for item in items if not self._all_words(tree, [item])]
        if not phrases:
            return NP_INTERNAL if set(map(base_label, parents)) <= self._style.noun_phrases else WORD
        labels = [base_label(self._label(tree, item)) for item in phrases]
        known = [self._style.attachments[label] for label in labels if label in self._style.attachments]
        return known[0] if known else ATTACHMENT

    def _is_punctuation(self, tree: Layout, item: Item) -> bool:
        """Return whether an item is punctuation."""
        if not self._all_words(tree, [item]):
            return False
        if self._style.structural:
            text = self._words_of(*item[1:])
            return bool(text) and not any(map(str.isalnum, text))
        return base_label(self._label(tree, item)) in self._style.punctuation

    def _joins(self, tree: Layout, item: Item) -> bool:
        """Return whether an item is a conjunction."""
        if self._style.structural:
            return item[1] in self._joints and self._all_words(tree, [item])
        return base_label(self._label(tree, item)) in self._style.conjunctions

    def _find_joints(self, tree: Layout) -> frozenset[int]:
        """Return the words of a tree between two siblings that have one label and are no words.

        Punctuation next to them does not matter.
        """
        found = set()
        for parent, first, last in zip(range(len(tree.labels)), tree.firsts, tree.lasts, strict=True):
            items = list(tree.items(parent, first, last))
            items = [item for item in items if not self._is_punctuation(tree, item)]
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
        """Return whether items are words alone, each with its tag or without, and no phrases."""
        return all(
            node < 0
            or (
                self._leaf_nodes
                and not tree.has_child_nodes(node)
                and self._is_word((start, end))
                and base_label(self._names[tree.labels[node]]) not in self._style.attachments
            )
            for node, start, end in items
        )

    def _is_word(self, span: Span) -> bool:
        """Return whether a span holds one word."""
        return not any(place in self._starts for place in range(span[0] + 1, span[1]))

    def _beside(self, tree: Layout, parent: int, run: Span) -> list[Item]:
        """Return the children of a node next to a run, inside or outside it, without punctuation."""
        found = []
        for edge, before in zip(run, (True, False), strict=True):
            item = _child_at(tree, parent, edge, before)
            while item is not None and self._is_punctuation(tree, item):
                item = _child_at(tree, parent, item[1] if before else item[2], before)
            if item is not None:
                found.append(item)
        return found


def _child_at(tree: Layout, parent: int, edge: int, before: bool) -> Item | None:
    """Return the child of a node that ends at a boundary, or begins there if it is not one `before` it."""
    first, last = (0, tree.length) if parent == TOP else (tree.firsts[parent], tree.lasts[parent])
    leaf = edge - 1 if before else edge
    if not first <= leaf < last:
        return None
    for node in (tree.by_last if before else tree.by_first).get(edge, ()):
        if tree.parents[node] == parent:
            return node, tree.firsts[node], tree.lasts[node]
    span = leaf, leaf + 1
    return (-1, *span) if span not in tree.by_span and tree.holder(*span) == parent else None
