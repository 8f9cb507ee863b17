"""Rows that are documents: lists of trees on one axis, whose sentences stand one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..errors import TreeFormatError
from ..trees.tree import SegmentTree
from .rows import ListRows, Problems, as_list, as_rows

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .rows import Rows


def as_documents(trees: Iterable[Any] | Rows, name: str) -> Rows:
    """Rows as they are, or those of a list whose rows are lists of trees; `name` as in `rows.as_list`."""
    if hasattr(trees, "load"):
        return as_rows(trees, name)
    return DocumentRows(as_list(trees, name), name)


class DocumentRows:
    """Lists of trees in a list; what is read of each is a run of trees, the words numbered through.

    Args:
        values: A list of trees for each row.
        title: What to call them all in errors.
        first: The number of the first row, where the list is a piece of something longer.
    """

    def __init__(self, values: Sequence[Any], title: str, *, first: int = 0) -> None:
        for row, value in enumerate(values, first):
            if not isinstance(value, (list, tuple)):
                what = type(value).__name__
                raise TypeError(f"{title}[{row}] is one {what}; with documents every row is a list of trees")
        self._values = values
        self._first = first
        self.title = title

    def __len__(self) -> int:
        return len(self._values)

    def name(self, row: int) -> str:
        """Such as `predictions[3]`."""
        return f"{self.title}[{row}]"

    def longest(self, lo: int, hi: int) -> int:
        """The longest document, in the lengths of its texts."""
        try:
            return max((sum(map(len, document)) for document in self._cut(lo, hi)), default=0)
        except TypeError:  # reading says which sentence is no tree
            return 0

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Reads all sentences, then joins them; a document with an unreadable one is unreadable."""
        documents = self._cut(lo, hi)
        sizes = [len(document) for document in documents]
        sentences = _Sentences(list(chain.from_iterable(documents)), self.title, lo, sizes)
        problems = sentences.load(0, len(sentences), unit, scanner, trees)
        trees.join(sizes, unit != "time")
        found: Problems = {}
        for sentence in sorted(problems):
            found.setdefault(sentences.place(sentence)[0], problems[sentence])
        return found

    def sentences(self) -> tuple[Rows, list[int]]:
        """The trees of all documents as rows, numbered from 0, and how many each document has."""
        sizes = [len(document) for document in self._values]
        trees = list(chain.from_iterable(self._values))
        return _Sentences(trees, self.title, self._first, sizes), sizes

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Refuses, as a document is not one tree."""
        raise TreeFormatError(f"{self.name(row)} is a document of several trees, not a tree")

    def _cut(self, lo: int, hi: int) -> Sequence[Any]:
        return self._values[lo - self._first : hi - self._first]


class _Sentences(ListRows):
    """The sentences of some documents, called by both their numbers."""

    def __init__(self, values: Sequence[Any], title: str, first: int, sizes: Sequence[int]) -> None:
        super().__init__(values, title)
        self._first_document = first
        self._begins = [0, *accumulate(sizes)]

    def place(self, sentence: int) -> tuple[int, int]:
        """The number of the document, and that of the sentence in it."""
        from bisect import bisect_right

        document = bisect_right(self._begins, sentence) - 1
        return self._first_document + document, sentence - self._begins[document]

    def name(self, row: int) -> str:
        """Such as `predictions[3][1]`."""
        document, sentence = self.place(row)
        return f"{self.title}[{document}][{sentence}]"
