"""Rows that are documents: lists of trees on one axis, whose sentences stand one after the other."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING, Any

from ..errors import TreeMismatchError
from ..trees.arrays import missing_name
from ..trees.several import NoTree, document
from ..trees.tree import SegmentTree
from .rows import ListRows, as_list, as_rows
from .runs import RunRows

if TYPE_CHECKING:
    from .rows import Rows


def as_documents(trees: Iterable[Any] | Rows, name: str) -> Rows:
    """The rows as they are, or those of a list of lists of trees; `name` is that of `rows.as_list`."""
    if hasattr(trees, "load"):
        return as_rows(trees, name)
    return DocumentRows(as_list(trees, name), name)


class Documents(RunRows):
    """Runs of trees that follow each other, each a document; what is read of it is a run of trees.

    Args:
        rows: The rows of all trees.
        sizes: How many trees each document has.
        ids: What each document is called, if it is called anything. Two sides must agree in it.
        first: The number of the first document, where these are a piece of something longer.
        begin: The number of the first tree.
    """

    noun = "document"

    def __init__(
        self,
        rows: Rows,
        sizes: Sequence[int],
        ids: Sequence[str] | None = None,
        *,
        first: int = 0,
        begin: int = 0,
    ) -> None:
        super().__init__(rows, sizes, first=first, begin=begin)
        self.ids = ids

    def name(self, row: int) -> str:
        """The names of the document's trees, and what it is called."""
        trees = super().name(row)
        return f"{trees} (document {self.ids[row - self.first]})" if self.ids is not None else trees

    def n_sentences(self, row: int) -> int:
        """How many trees a document has."""
        return len(self.trees(row))

    def sentences(self) -> tuple[Rows, Sequence[int]]:
        """The trees of all documents as rows, and how many each document has."""
        return self._rows, self._sizes

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One tree of those of a document, with as many roots."""
        return join_trees([self._rows.tree(tree, unit) for tree in self.trees(row)], unit)


class DocumentRows(Documents):
    """Lists of trees in a list, each a document.

    Args:
        values: A list of trees for each row; one that is missing, such as None, is a tree that is.
        title: What to call them all in errors.
        first: The number of the first row, where the list is a piece of something longer.
    """

    def __init__(self, values: Sequence[Any], title: str, *, first: int = 0) -> None:
        documents = [_document(value, f"{title}[{row}]") for row, value in enumerate(values, first)]
        sizes = list(map(len, documents))
        sentences = list(chain.from_iterable(documents))
        super().__init__(_Sentences(sentences, title, first, sizes), sizes, first=first)

    def name(self, row: int) -> str:
        """What the row is called in errors, such as `predictions[3]`."""
        return f"{self.title}[{row}]"


def _document(value: Any, name: str) -> list[Any]:
    """The trees of a row; of one that is missing, the tree that is."""
    if missing_name(value) or isinstance(value, NoTree):
        return [value]
    trees = document(value)
    if trees is None:
        what = type(value).__name__
        raise TypeError(f"{name} is one {what}; with documents every row is a list of trees")
    return trees


class _Sentences(ListRows):
    """The sentences of some documents, called by both their numbers."""

    def __init__(self, values: Sequence[Any], title: str, first: int, sizes: Sequence[int]) -> None:
        super().__init__(values, title)
        self._first_document = first
        self._begins = [0, *accumulate(sizes)]

    def name(self, row: int) -> str:
        """What the sentence is called in errors, such as `predictions[3][1]`."""
        document = bisect_right(self._begins, row) - 1
        return f"{self.title}[{self._first_document + document}][{row - self._begins[document]}]"


def runs_of(ids: Iterable[Any]) -> tuple[list[int], list[str]]:
    """How many rows with the same id follow each other, again and again, and what the ids are.

    >>> runs_of(["a", "a", "b", "a"])
    ([2, 1, 1], ['a', 'b', 'a'])
    """
    runs = [(str(key), len(list(run))) for key, run in groupby(ids)]
    return [size for _, size in runs], [key for key, _ in runs]


def check_ids(predictions: Rows, references: Rows) -> None:
    """Refuses sides whose documents are called differently, for then they are not the same documents."""
    ids = [getattr(rows, "ids", None) for rows in (references, predictions)]
    if None in ids or ids[0] == ids[1]:
        return
    differ = [(row, a, b) for row, (a, b) in enumerate(zip(*ids, strict=False)) if a != b]
    if differ:
        row, ref, pred = differ[0]
        raise TreeMismatchError(
            f"document {row + 1} is {ref!r} in {references.title} and {pred!r} in {predictions.title}; give "
            "both sides the same documents in the same order"
        )


def join_trees(trees: Iterable[SegmentTree], unit: str | None) -> SegmentTree:
    """One tree of several, with as many roots; `unit` is that of `SegmentTree.from_brackets`."""
    labels: list[str] = []
    words: list[str] = []
    times: list[tuple[float, float]] = []
    sizes, firsts, lasts = array("i"), array("i"), array("i")
    for tree in trees:
        firsts.extend(word + len(words) for word in tree.firsts)
        lasts.extend(word + len(words) for word in tree.lasts)
        sizes.extend(tree.sizes)
        labels += tree.labels
        words += tree.words
        times += tree.times or ()
    timed = len(times) == len(words)
    given = tuple(times) if timed else None
    unit = unit or ("time" if timed and times else "word")
    return SegmentTree(tuple(labels), sizes, firsts, lasts, tuple(words), given, unit)
