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
from itertools import accumulate, chain, compress
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structiou_metric._core.scan import Scanner
from structiou_metric.errors import TreeFormatError
from structiou_metric.sources.documents import join_trees
from structiou_metric.sources.rows import fill
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

EMPTY = SegmentTree.from_brackets("")
Found = SegmentTree | ValueError  # a tree, or why there is none to compare

_facts = attrgetter("start", "end", "label")


class _Measured(SegmentTree):
    """A tree whose words were measured together with those of others."""

    __slots__ = ("places",)
    places: array[float]  # the start of each word, and the end of the last

    def word_positions(self, unit: str | None = None) -> tuple[array[float], array[float]]:
        """Start and end of each word."""
        if unit not in (None, self.unit):
            return super().word_positions(unit)
        return self.places[:-1], self.places[1:]


class Located(NamedTuple):
    """A tree, and where it starts and ends in the tokens of its Doc."""

    tree: SegmentTree
    start: int
    end: int


class Side:
    """The trees of one side, predictions or references.

    Args:
        docs: The Docs.
        key: Their span group.
        unit: That of the metric.

    Attributes:
        trees: Those of each Doc, over the unit; None if it has no such group.
        complete: Whether all words of a Doc are in its trees, for each Doc.
        problems: What is wrong with the group of a Doc, by its number.
    """

    def __init__(self, docs: Sequence[Doc], key: str, unit: str) -> None:
        self.docs = docs
        self.unit = unit
        self.trees: list[list[Located] | None] = [None] * len(docs)
        self.complete = [False] * len(docs)
        self.problems: dict[int, TreeFormatError] = {}
        groups = {d: doc.spans[key] for d, doc in enumerate(docs) if key in doc.spans}
        usual = {d: group for d, group in groups.items() if self._is_usual(group, len(docs[d]))}
        for d in [*(groups.keys() - usual.keys()), *self._read_all(usual)]:
            self._read_one(d, key)

    def _is_usual(self, group: SpanGroup, n_tokens: int) -> bool:
        """Whether spans say all of the trees, besides times for all tokens where seconds are scored."""
        if group.attrs.get("wordless"):
            return False
        times = group.attrs.get("times")
        return self.unit != "time" or (isinstance(times, list) and len(times) == n_tokens)

    def _read_one(self, d: int, key: str) -> None:
        self.trees[d], self.complete[d] = [], False
        try:
            found = list(decode(self.docs[d], key))
            self.trees[d] = [Located(tree.with_unit(self.unit), start, end) for tree, _, start, end in found]
        except TreeFormatError as error:
            self.problems[d] = error
            return
        n_words = sum(token is not None for placed in found for token in placed.tokens)
        self.complete[d] = n_words == sum(map(is_word, self.docs[d]))

    def _read_all(self, groups: Mapping[int, SpanGroup]) -> list[int]:
        """Reads these groups; returns the numbers of the Docs that must be read one by one."""
        if not groups:
            return []
        docs = [self.docs[d] for d in groups]
        owner = np.repeat(np.arange(len(docs)), [len(group) for group in groups.values()])
        try:
            spans = chain.from_iterable(groups.values())
            facts = np.fromiter(chain.from_iterable(map(_facts, spans)), np.uint64)
            hashes, at, label = np.unique(facts[2::3], return_index=True, return_inverse=True)
            known = zip(hashes.tolist(), owner[at].tolist(), strict=True)
            names = np.array([docs[d].vocab.strings[key] for key, d in known], object)
        except LookupError:  # tokens of a Doc have changed, or its Vocab does not know a label
            return list(groups)
        token_base = _before([len(doc) for doc in docs])
        begin, end = (facts[i::3].astype(np.int64) + token_base[owner] for i in (0, 1))

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

        texts = [token.text for doc in docs for token in doc]
        is_text = [not text.isspace() for text in texts]
        words = list(compress(texts, is_text))
        before = _before(is_text)  # words before each token
        length = _before(_measured(words) if self.unit == "char" else [1] * len(words)).tolist()
        timed = self.unit == "time"
        times: list[Any] = [pair for group in groups.values() if timed for pair in group.attrs["times"]]
        times = list(compress(times, is_text))
        roots = np.flatnonzero(depth == 0)
        first, last = before[begin], before[end]
        base = np.repeat(first[roots], size[roots])  # trees have the same range of nodes in either order
        labels = names[label[order]].tolist()
        sizes, firsts, lasts = (
            array("i", column.astype(np.intc).tobytes())
            for column in (size[order], first[order] - base, last[order] - base)
        )
        owner = owner[roots]
        tokens = (column[roots] - token_base[owner] for column in (begin, end))
        columns = owner, *tokens, roots, roots + size[roots], first[roots], last[roots]
        found: list[list[Located]] = [[] for _ in docs]
        for d, start, end, lo, hi, word_lo, word_hi in np.stack(columns, axis=1).tolist():
            nodes = tuple(labels[lo:hi]), sizes[lo:hi], firsts[lo:hi], lasts[lo:hi]
            tree = _Measured(*nodes, tuple(words[word_lo:word_hi]), None, "word" if timed else self.unit)
            zero = length[word_lo]
            tree.places = array("d", [at - zero for at in length[word_lo : word_hi + 1]])
            try:
                whole = tree.with_times(times[word_lo:word_hi]) if timed else tree
            except (TypeError, ValueError):  # to be told of the Doc alone
                odd[d] = True
            else:
                found[d].append(Located(whole, start, end))
        complete = np.bincount(owner, (last - first)[roots], len(docs)) == np.diff(before[token_base])
        for d, trees, whole in zip(groups, found, complete.tolist(), strict=True):
            self.trees[d], self.complete[d] = trees, whole
        return [d for d, is_odd in zip(groups, odd, strict=True) if is_odd]

    def join(self, d: int) -> SegmentTree:
        """One tree of those of a Doc, with as many roots.

        What the Doc has between its trees becomes words outside of them, unless these have times.
        """
        doc, timed, none = self.docs[d], self.unit == "time", array("i")
        trees: list[SegmentTree] = []
        token = 0
        for tree, start, end in [*(self.trees[d] or ()), Located(EMPTY, len(doc), len(doc))]:
            between = tuple(other.text for other in doc[token:start] if is_word(other) and not timed)
            trees += [SegmentTree((), none, none, none, between, None, "word"), tree]
            token = end
        return join_trees(trees, self.unit)


def token_lengths(doc: Doc) -> list[int]:
    """How many characters, by the metric's count, stand before each token, and in all."""
    return list(accumulate(_measured([token.text for token in doc]), initial=0))


def _measured(texts: Sequence[str]) -> list[int]:
    """How many characters each text has; a corpus has few different ones."""
    different = list(dict.fromkeys(texts))
    lengths = Scanner().measure(different, widths_for("".join(different)))
    return list(map(dict(zip(different, lengths, strict=True)).__getitem__, texts))


def _before(counts: Any) -> NDArray[Any]:
    """The sum of what stands before each, and of all."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


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
    """Trees as the rows that a metric takes.

    Args:
        name: Gives the name of a row.

    Attributes:
        found: What is in each row.
    """

    title = "the trees of the documents"

    def __init__(self, name: Callable[[int], str]) -> None:
        self.name = name
        self.found: list[Found] = []

    def __len__(self) -> int:
        return len(self.found)

    def longest(self, lo: int, hi: int) -> int:
        """About how long the longest would be as text."""
        return _BYTES * max(0 if isinstance(tree, ValueError) else len(tree) for tree in self.found[lo:hi])

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Copies rows `lo … hi`."""
        found = self.found[lo:hi]
        fill([None if isinstance(tree, ValueError) else tree for tree in found], unit, scanner, trees)
        return {row: error for row, error in enumerate(found, lo) if isinstance(error, ValueError)}

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        tree = self.found[row]
        if isinstance(tree, ValueError):
            raise tree
        return tree if unit is None else tree.with_unit(unit)


class JoinedRows(DocRows):
    """Trees that are those of a Doc, with as many roots."""

    def n_sentences(self, row: int) -> int:
        """How many trees a Doc has."""
        tree = self.found[row]
        n_trees = 0
        if not isinstance(tree, ValueError):
            rest = len(tree)  # nodes are in postorder, so the last is a root
            while rest:
                rest -= tree.sizes[rest - 1]
                n_trees += 1
        return n_trees
