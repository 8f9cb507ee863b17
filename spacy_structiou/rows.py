"""Trees of many Docs as rows for a metric, converted all at once.

To read groups span by span and build trees from them would take several times as long as to score them.
So the spans of all Docs go into arrays together. In pre-order, nodes stand by their starts; therefore
node `i` has `(nodes that start before it ends) - i` nodes in its subtree, and there are `i - (nodes that
end before it starts)` above it. Spans nest if that gives the order of their ends, which is postorder.
Docs with anything unusual are read one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from spacy.attrs import ORTH

from structiou_metric._core.scan import Scanner
from structiou_metric.errors import TreeFormatError
from structiou_metric.trees.characters import widths_for
from structiou_metric.trees.tree import SegmentTree

from .store import decode, is_word

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray
    from spacy.tokens import Doc, SpanGroup

    from structiou_metric._core.flat import FlatTrees
    from structiou_metric.sources.rows import Problems

_BYTES = 10  # about what a node takes in bracket text, by which the metric judges how long trees are

_facts = attrgetter("start", "end", "label")


class Place(NamedTuple):
    """Where a tree stands: its nodes and words in the lists of a `Side`, its tokens in its Doc."""

    node_lo: int
    node_hi: int
    word_lo: int
    word_hi: int
    token_lo: int
    token_hi: int


class Side:
    """The trees of one side, predictions or references, in flat lists.

    Nodes are in postorder, their words counted from the first of the tree. Words start and end in the
    unit of the metric; words and characters are counted from the start of the tree.

    Args:
        docs: The Docs.
        key: Their span group.
        unit: That of the metric.

    Attributes:
        trees: Where each tree stands.
        of_doc: The numbers of each Doc's trees, or None if it has no such group.
        complete: Whether all words of a Doc are in its trees, for each Doc.
        problems: What is wrong with the group of a Doc, by its number.
    """

    def __init__(self, docs: Sequence[Doc], key: str, unit: str) -> None:
        self.docs = docs
        self.unit = unit
        self.labels: list[str] = []  # by their numbers
        self.label: list[int] = []
        self.size: list[int] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.words: list[str] = []
        self.word_start: list[float] = []
        self.word_end: list[float] = []
        self.trees: list[Place] = []
        self.of_doc: list[list[int] | None] = [None] * len(docs)
        self.complete = [False] * len(docs)
        self.problems: dict[int, TreeFormatError] = {}
        groups = {d: doc.spans[key] for d, doc in enumerate(docs) if key in doc.spans}
        usual = {
            d: group for d, group in groups.items() if unit != "time" and not group.attrs.get("wordless")
        }
        odd = [*(groups.keys() - usual.keys()), *self._read_all(usual)]
        numbers = {label: number for number, label in enumerate(self.labels)}
        for d in sorted(odd):
            self._read_one(d, key, numbers)

    # ---- one by one

    def _read_one(self, d: int, key: str, numbers: dict[str, int]) -> None:
        self.of_doc[d] = []
        n_words = 0
        try:
            readings = list(decode(self.docs[d], key))
            positions = [reading.tree.word_positions(self.unit) for reading in readings]
        except TreeFormatError as error:
            self.problems[d] = error
            return
        for (tree, tokens, start, end), (starts, ends) in zip(readings, positions, strict=True):
            node, word = len(self.label), len(self.word_start)
            place = Place(node, node + len(tree), word, word + len(tree.words), start, end)
            self._add_place(d, place)
            self.label += [numbers.setdefault(label, len(numbers)) for label in tree.labels]
            self.size += tree.sizes
            self.first += tree.firsts
            self.last += tree.lasts
            self.words += tree.words
            self.word_start += starts
            self.word_end += ends
            n_words += sum(token is not None for token in tokens)
        self.labels = list(numbers)
        self.complete[d] = n_words == sum(map(is_word, self.docs[d]))

    def _add_place(self, d: int, place: Place) -> None:
        of_doc = self.of_doc[d]
        if of_doc is None:
            self.of_doc[d] = [len(self.trees)]
        else:
            of_doc.append(len(self.trees))
        self.trees.append(place)

    # ---- all at once

    def _read_all(self, groups: Mapping[int, SpanGroup]) -> list[int]:
        """Reads these groups into the empty lists; returns the numbers of the Docs to be read one by one."""
        if not groups:
            return []
        docs = [self.docs[d] for d in groups]
        owner = np.repeat(np.arange(len(docs)), [len(group) for group in groups.values()])
        try:
            spans = chain.from_iterable(groups.values())
            facts = np.fromiter(chain.from_iterable(map(_facts, spans)), np.uint64)
            self.labels, label = _texts(facts[2::3], owner, docs)
        except LookupError:  # tokens of a Doc have changed, or its Vocab does not know a label
            return list(groups)
        token_base = _before([len(doc) for doc in docs])
        begin, end = (facts[i::3].astype(np.int64) + token_base[owner] for i in (0, 1))
        words, texts, lengths = self._words(docs)

        odd = np.zeros(len(docs), bool)
        odd[owner[begin >= end]] = True
        odd[owner[1:][begin[1:] < begin[:-1]]] = True
        while True:
            keep = ~odd[owner]
            begin, end, label, owner = begin[keep], end[keep], label[keep], owner[keep]
            size, depth, order, nested = _nest(begin, end)
            if nested.all():
                break
            odd[owner[~nested]] = True

        roots = np.flatnonzero(depth == 0)
        first, last = words[begin], words[end]
        first_word, n_words, n_nodes = first[roots], (last - first)[roots], size[roots]
        base = np.repeat(first_word, n_nodes)  # trees have the same range of nodes in either order
        self.label = label[order].tolist()
        self.size = size[order].tolist()
        self.first = (first[order] - base).tolist()
        self.last = (last[order] - base).tolist()

        word_base = _before(n_words)
        word = np.arange(word_base[-1]) + np.repeat(first_word - word_base[:-1], n_words)
        self.words = texts[word].tolist()
        zero = np.repeat(lengths[first_word], n_words)
        self.word_start = (lengths[word] - zero).astype(float).tolist()
        self.word_end = (lengths[word + 1] - zero).astype(float).tolist()

        numbers = list(groups)
        tree_owner = owner[roots]
        begin -= token_base[owner]
        end -= token_base[owner]
        columns = (roots, roots + n_nodes, word_base[:-1], word_base[1:], begin[roots], end[roots])
        for d in numbers:
            self.of_doc[d] = []
        for i, *place in zip(tree_owner.tolist(), *(column.tolist() for column in columns), strict=True):
            self._add_place(numbers[i], Place(*place))
        in_trees = np.bincount(tree_owner, n_words, len(docs))
        for i in np.flatnonzero(in_trees == np.diff(words[token_base])).tolist():
            self.complete[numbers[i]] = True
        return [numbers[i] for i in np.flatnonzero(odd)]

    def _words(self, docs: Sequence[Doc]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """How many words stand before each token, the text of each word, and how long those before it are."""
        owner = np.repeat(np.arange(len(docs)), [len(doc) for doc in docs])
        texts, text = _texts(np.concatenate([doc.to_array([ORTH]) for doc in docs]), owner, docs)
        is_text = np.array([not text.isspace() for text in texts], bool)[text]
        text = text[is_text]
        lengths = (
            np.ones(len(texts), np.int64) if self.unit == "word" else np.array(_measured(texts), np.int64)
        )
        return _before(is_text), np.array(texts, object)[text], _before(lengths[text])

    def extent(self, tree: int) -> float:
        """How long the words of a tree are, counted from its start."""
        place = self.trees[tree]
        return self.word_end[place.word_hi - 1] if place.word_lo < place.word_hi else 0.0

    def place(self, tree: int, before: Sequence[int]) -> tuple[int, int]:
        """Where the tokens of a tree start and end, given what stands before each token of its Doc."""
        return before[self.trees[tree].token_lo], before[self.trees[tree].token_hi]

    # ---- whole Docs

    def join(self, d: int) -> int:
        """Makes one tree of those of a Doc and returns its number; it has as many roots.

        What the Doc has between its trees becomes words outside of them.
        """
        node_lo, word_lo = len(self.label), len(self.word_start)
        doc = self.docs[d]
        before = token_lengths(doc, self.unit)
        position, token = 0.0, 0

        def skip_to(stop: int) -> None:
            nonlocal position
            for i in range(token, stop):
                length = before[i + 1] - before[i]
                if length:
                    self.words.append(doc[i].text)
                    self.word_start.append(position)
                    position += length
                    self.word_end.append(position)

        for tree in [self.trees[t] for t in self.of_doc[d] or ()]:
            skip_to(tree.token_lo)
            shift = len(self.word_start) - word_lo
            nodes = slice(tree.node_lo, tree.node_hi)
            self.label += self.label[nodes]
            self.size += self.size[nodes]
            self.first += [word + shift for word in self.first[nodes]]
            self.last += [word + shift for word in self.last[nodes]]
            words = slice(tree.word_lo, tree.word_hi)
            self.words += self.words[words]
            self.word_start += [start + position for start in self.word_start[words]]
            self.word_end += [end + position for end in self.word_end[words]]
            if self.unit != "time" and tree.word_lo < tree.word_hi:
                position = self.word_end[-1]
            token = tree.token_hi
        skip_to(len(doc))
        self.trees.append(Place(node_lo, len(self.label), word_lo, len(self.word_start), 0, len(doc)))
        return len(self.trees) - 1


def token_lengths(doc: Doc, unit: str) -> list[int]:
    """The length of all tokens before each and of all, in words or characters; seconds are no lengths."""
    if unit == "time":
        return [0] * (len(doc) + 1)
    if unit == "word":
        return list(accumulate(map(is_word, doc), initial=0))
    return list(accumulate(_measured([token.text for token in doc]), initial=0))


def _measured(texts: Sequence[str]) -> Sequence[int]:
    """How many characters each text has, by the metric's count."""
    lengths: Sequence[int] = Scanner().measure(texts, widths_for("".join(texts)))
    return lengths


def _before(counts: Any) -> NDArray[Any]:
    """The sum of what stands before each, and of all."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _texts(hashes: NDArray[Any], owner: NDArray[Any], docs: Sequence[Doc]) -> tuple[list[str], NDArray[Any]]:
    """The different strings behind some hashes, and the place among them of each."""
    different, at, which = np.unique(hashes, return_index=True, return_inverse=True)
    stores = (docs[d].vocab.strings for d in owner[at].tolist())
    return [strings[key] for strings, key in zip(stores, different.tolist(), strict=True)], which


def _nest(
    begin: NDArray[Any], end: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Sizes and depths of spans in pre-order, their postorder, and which of them cross no later one.

    The leftmost of the spans that cross others, or stand behind what they hold, is always found.
    """
    n = len(begin)
    node = np.arange(n)
    order = n - 1 - np.argsort(end[::-1], kind="stable")  # of equal ends, what stands later is inside
    size = np.searchsorted(begin, end) - node
    depth = node - np.searchsorted(end[order], begin, side="right")
    rank = np.empty(n, np.int64)
    rank[order] = node
    return size, depth, order, rank == node - depth + size - 1


class DocRows:
    """Trees of a `Side` as the rows that a metric takes.

    Args:
        side: The trees.
        rows: The number of each row's tree; -1 for an empty tree.
        problems: Rows that cannot be scored, and why.
        name: Gives the name of a row.
    """

    title = "the trees of the documents"

    def __init__(
        self, side: Side, rows: Sequence[int], problems: Problems, name: Callable[[int], str]
    ) -> None:
        self._side = side
        self._places = [side.trees[t] if t >= 0 else Place(0, 0, 0, 0, 0, 0) for t in rows]
        self._problems = problems
        self.name = name
        self._ids: tuple[Scanner, list[int]] | None = None

    def __len__(self) -> int:
        return len(self._places)

    def longest(self, lo: int, hi: int) -> int:
        """About how long the longest would be as text."""
        return _BYTES * max(place.node_hi - place.node_lo for place in self._places[lo:hi])

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Copies rows `lo … hi`."""
        side = self._side
        if self._ids is None or self._ids[0] is not scanner:
            numbers = [scanner.intern(label) for label in side.labels]
            self._ids = scanner, [numbers[label] for label in side.label]
        ids = self._ids[1]
        places = self._places[lo:hi]
        trees.reserve(
            len(places),
            sum(place.node_hi - place.node_lo for place in places),
            sum(place.word_hi - place.word_lo for place in places),
        )
        for row, (node_lo, node_hi, word_lo, word_hi, *_) in enumerate(places, lo):
            if row in self._problems:
                trees.append_error(1)
                continue
            trees.append(
                ids[node_lo:node_hi],
                side.size[node_lo:node_hi],
                side.first[node_lo:node_hi],
                side.last[node_lo:node_hi],
                side.word_start[word_lo:word_hi],
                side.word_end[word_lo:word_hi],
                side.words[word_lo:word_hi],
            )
        return {row: error for row, error in self._problems.items() if lo <= row < hi}

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        if row in self._problems:
            raise self._problems[row]
        side = self._side
        node_lo, node_hi, word_lo, word_hi, *_ = self._places[row]
        nodes, words = slice(node_lo, node_hi), slice(word_lo, word_hi)
        times = tuple(zip(side.word_start[words], side.word_end[words], strict=True))
        tree = SegmentTree(
            tuple(side.labels[label] for label in side.label[nodes]),
            array("i", side.size[nodes]),
            array("i", side.first[nodes]),
            array("i", side.last[nodes]),
            tuple(side.words[words]),
            times if side.unit == "time" else None,
            side.unit,
        )
        return tree if unit is None else tree.with_unit(unit)
