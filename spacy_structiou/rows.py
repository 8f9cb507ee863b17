"""Trees of many Docs as rows for a metric, read all at once.

To read groups span by span and build trees from them would take several times as long as to score them.
So the spans of all Docs go into flat arrays together, from where a metric has its rows copied; a tree is
made of them only where one is asked for. Docs with anything unusual are read one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from structiou_metric._core.constituents import Constituents
from structiou_metric.errors import TreeFormatError
from structiou_metric.sources.documents import join_trees
from structiou_metric.sources.rows import fill
from structiou_metric.trees.tree import SegmentTree

from .columns import Words, count_before, measure, read_spans
from .store import decode, is_word

if TYPE_CHECKING:
    from spacy.tokens import Doc, SpanGroup

    from structiou_metric._core.flat import FlatTrees
    from structiou_metric._core.scan import Scanner
    from structiou_metric.sources.rows import Problems

_BYTES = 10  # about what a node takes in bracket text, by which the metric judges how long trees are
_EMPTY, _UNREADABLE = -1, -2  # as `Constituents` takes them

EMPTY = SegmentTree.from_brackets("")


class _Measured(SegmentTree):
    """A tree whose words were measured together with those of others."""

    __slots__ = ("places",)
    places: array[float]  # the start of each word, and the end of the last

    def word_positions(self, unit: str | None = None) -> tuple[array[float], array[float]]:
        """The start and the end of each word."""
        if unit not in (None, self.unit):
            return super().word_positions(unit)
        return self.places[:-1], self.places[1:]


class Usual:
    """The trees of Docs whose spans say all of them, as flat arrays.

    Args:
        docs: The Docs.
        groups: The span groups with their trees.
        unit: The unit of the metric.

    Raises:
        LookupError: The tokens of a Doc have changed, or its Vocab does not know a label.
    """

    def __init__(self, docs: Sequence[Doc], groups: Sequence[SpanGroup], unit: str) -> None:
        self.unit = "char" if unit == "char" else "word"  # times are added later
        self.words = Words(docs, unit)
        starts, ends, labels = read_spans(groups)
        self.nodes = Constituents(
            count_before(map(len, groups)), starts, ends, labels, self.words.tokens, self.words.before
        )
        labelled = zip(self.nodes.keys, self.nodes.key_documents, strict=True)
        self._names = [docs[d].vocab.strings[key] for key, d in labelled]
        self._timed = bytes("times" in group.attrs for group in groups)

    def make(self, number: int) -> SegmentTree:
        """One of the trees."""
        labels, sizes, firsts, lasts = self.nodes.nodes(number)
        word_lo, word_hi = self.nodes.word_range(number)
        words = tuple(self.words.texts[word_lo:word_hi])
        names = tuple(map(self._names.__getitem__, labels))
        tree = _Measured(names, sizes, firsts, lasts, words, None, self.unit)
        zero = self.words.places[word_lo]
        tree.places = array("d", [place - zero for place in self.words.places[word_lo : word_hi + 1]])
        return tree

    def length(self, number: int) -> float:
        """How long the words of a tree are."""
        words: tuple[int, int] = self.nodes.word_range(number)
        return self.words.places[words[1]] - self.words.places[words[0]]

    def copy(self, numbers: Sequence[int], scanner: Scanner, trees: FlatTrees) -> None:
        """Copies trees into the arrays of a metric."""
        ids = array("i", map(scanner.intern, self._names))
        self.nodes.copy(numbers, ids, self.words.places, self.words.texts, self._timed, trees)


class Located:
    """A tree, and where it starts and ends in the tokens of its Doc."""

    __slots__ = ("_tree", "end", "number", "start", "usual")

    def __init__(
        self,
        start: int,
        end: int,
        tree: SegmentTree = EMPTY,
        usual: Usual | None = None,
        number: int = _EMPTY,
    ) -> None:
        """Takes a tree, or the arrays that it is in and its number there."""
        self.start = start
        self.end = end
        self._tree = tree
        self.usual = usual
        self.number = number

    @property
    def tree(self) -> SegmentTree:
        """The tree itself."""
        return self._tree if self.usual is None else self.usual.make(self.number)

    def count_nodes(self) -> int:
        """The number of nodes of the tree."""
        n_nodes: int = len(self.tree) if self.usual is None else self.usual.nodes.count_nodes(self.number)
        return n_nodes

    def length(self) -> float:
        """The length of the tree's words, counted from where they start."""
        if self.usual is not None:
            return self.usual.length(self.number)
        _, ends = self.tree.word_positions()
        return ends[-1] if ends else 0.0


NOTHING = Located(0, 0)  # an empty tree, of any Doc
Found = Located | ValueError  # a tree, or why there is none to compare


class Side:
    """The trees of one side, predictions or references.

    Args:
        docs: The Docs.
        key: The name of their span group.
        unit: The unit of the metric.

    Attributes:
        trees: The trees of each Doc, over the unit; None if it has no such group.
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
            self.trees[d] = [Located(start, end, tree.with_unit(self.unit)) for tree, _, start, end in found]
        except TreeFormatError as error:
            self.problems[d] = error
            return
        n_words = sum(token is not None for placed in found for token in placed.tokens)
        self.complete[d] = n_words == sum(map(is_word, self.docs[d]))

    def _read_all(self, groups: Mapping[int, SpanGroup]) -> list[int]:
        """Reads these groups; returns the numbers of the Docs that must be read one by one."""
        if not groups:
            return []
        numbers = list(groups)
        try:
            usual = Usual([self.docs[d] for d in numbers], list(groups.values()), self.unit)
        except LookupError:
            return numbers
        tokens, before = usual.words.tokens, usual.words.before
        left = [before[tokens[i + 1]] - before[tokens[i]] for i in range(len(numbers))]  # words in no tree
        odd = {d for d, is_odd in zip(numbers, usual.nodes.odd, strict=True) if is_odd}
        found: list[list[Located]] = [[] for _ in numbers]
        for number, (i, start, end, word_lo, word_hi) in enumerate(usual.nodes.places()):
            d = numbers[i]
            located = Located(start, end, usual=usual, number=number)
            if self.unit == "time":
                pairs = enumerate(groups[d].attrs["times"][start:end], tokens[i] + start)
                times = [pair for token, pair in pairs if before[token] < before[token + 1]]
                try:
                    located = Located(start, end, located.tree.with_times(times))
                except (TypeError, ValueError):  # to be told of the Doc alone
                    odd.add(d)
            found[i].append(located)
            left[i] -= word_hi - word_lo
        for d, trees, n_left in zip(numbers, found, left, strict=True):
            self.trees[d], self.complete[d] = trees, not n_left
        return sorted(odd)

    def join(self, d: int) -> Located:
        """One tree of those of a Doc, with as many roots.

        What the Doc has between its trees becomes words outside of them, unless these have times.
        """
        doc, timed, none = self.docs[d], self.unit == "time", array("i")
        trees: list[SegmentTree] = []
        token = 0
        for located in [*(self.trees[d] or ()), Located(len(doc), len(doc))]:
            outside = doc[token : located.start]
            between = tuple(other.text for other in outside if is_word(other) and not timed)
            trees += [SegmentTree((), none, none, none, between, None, "word"), located.tree]
            token = located.end
        return Located(0, len(doc), join_trees(trees, self.unit))


def token_lengths(doc: Doc) -> list[int]:
    """How many characters, by the metric's count, stand before each token, and in all."""
    return list(accumulate(measure([token.text for token in doc]), initial=0))


class DocRows:
    """Trees as the rows that a metric takes.

    Args:
        name: A function that gives the name of a row.

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
        """About how long the longest row would be as text."""
        found = self.found[lo:hi]
        return _BYTES * max(0 if isinstance(tree, ValueError) else tree.count_nodes() for tree in found)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Copies rows `lo … hi`."""
        found = self.found[lo:hi]
        problems = {row: error for row, error in enumerate(found, lo) if isinstance(error, ValueError)}
        located = [None if isinstance(tree, ValueError) else tree for tree in found]
        usual = {tree.usual for tree in located if tree is not None and tree is not NOTHING}
        if len(usual) == 1 and (arrays := usual.pop()) is not None and unit == arrays.unit:
            arrays.copy([_UNREADABLE if tree is None else tree.number for tree in located], scanner, trees)
        else:
            fill([None if tree is None else tree.tree for tree in located], unit, scanner, trees)
        return problems

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        found = self.found[row]
        if isinstance(found, ValueError):
            raise found
        return found.tree if unit is None else found.tree.with_unit(unit)


class JoinedRows(DocRows):
    """Trees that are those of a Doc, with as many roots."""

    def n_sentences(self, row: int) -> int:
        """How many trees a Doc has."""
        found = self.found[row]
        n_trees = 0
        if not isinstance(found, ValueError):
            sizes = found.tree.sizes
            rest = len(sizes)  # nodes are in postorder, so the last is a root
            while rest:
                rest -= sizes[rest - 1]
                n_trees += 1
        return n_trees
