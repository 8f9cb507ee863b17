"""Trees written as words and nodes that name the nodes above them, put together."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TreeFormatError
from ...trees.brackets import escape
from ...trees.discontinuous import DiscontinuousTree, build
from ...trees.tree import SegmentTree
from ...wording import brief

ROOT = "VROOT"  # the name that NEGRA and TIGER give to the node above all, added where there is none


class Graph:
    """The words and nodes of one sentence, by their names, while it is read."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._labels: list[str] = []
        self._numbers: dict[str, int] = {}  # of words and nodes among the labels, by name
        self._parents: dict[str, str] = {}  # names of the nodes above, by name
        self._tags: list[int] = []

    def word(self, name: str, text: str | None, tag: str | None) -> None:
        """Add the next word, which is called so, with its tag."""
        if not text:
            raise TreeFormatError(f"the word {brief(name)} has no text; write it, or remove the sentence")
        self._tags.append(len(self._labels))
        self._words.append(escape(text))
        self.node(name, tag)

    def node(self, name: str, label: str | None) -> None:
        """Add a node."""
        if name in self._numbers:
            raise TreeFormatError(f"there are two of {brief(name)}; number them differently")
        self._numbers[name] = len(self._labels)
        self._labels.append(escape(label or ""))

    def edge(self, parent: str, child: str) -> None:
        """Record the parent of a word or node."""
        if child in self._parents:
            raise TreeFormatError(
                f"{brief(child)} is below both {brief(self._parents[child])} and {brief(parent)}; keep one"
            )
        self._parents[child] = parent

    def tree(self) -> SegmentTree | DiscontinuousTree:
        """Return the tree; several nodes without a parent are put below a node of its own."""
        for name in (*self._parents, *self._parents.values()):
            if name not in self._numbers:
                raise TreeFormatError(f"there is no {brief(name)} in this sentence, but it is referred to")
        parents = [-1] * len(self._labels)
        for child, parent in self._parents.items():
            parents[self._numbers[child]] = self._numbers[parent]
        tags = frozenset(self._tags)
        for node, above in enumerate(parents):
            if above in tags:
                word = self._words[self._tags.index(above)]
                raise TreeFormatError(f"the word {brief(word)} has {brief(self._labels[node])} below it")
        return join_roots(self._labels, parents, self._words, self._tags)


def join_roots(
    labels: Sequence[str], parents: Sequence[int], words: Sequence[str], homes: Sequence[int]
) -> SegmentTree | DiscontinuousTree:
    """Return the tree of `discontinuous.build`; if several nodes have no parent, a root is put above them."""
    if sum(parent < 0 for parent in parents) > 1:
        root = len(labels)
        labels, parents = [*labels, ROOT], [*(root if parent < 0 else parent for parent in parents), -1]
    return build(labels, parents, words, homes)
