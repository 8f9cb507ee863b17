"""Rows that are documents: lists of trees on one axis, from lists and from files.

Files of both sides are cut in the same way, so that each document of one has its like in the other.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..errors import TreeFormatError, TreeMismatchError
from ..optional import missing_name
from ..trees.shapes import document
from ..trees.tree import SegmentTree
from ..wording import check_choice
from .content import Content
from .files import PARTED, TreeFile
from .places import Part, find_parts, title_of
from .rows import ListRows, Problems, as_list, as_rows
from .treebanks import Reading, TreebankRows

if TYPE_CHECKING:
    from .places import Place
    from .rows import Rows


class RunRows:
    """Runs of trees that follow each other, each a row.

    Args:
        rows: The rows of all trees.
        sizes: How many trees each run has.
        first: The number of the first run.
        begin: The number of the first tree.
    """

    def __init__(self, rows: Rows, sizes: Sequence[int], *, first: int = 0, begin: int = 0) -> None:
        self._rows = rows
        self._sizes = sizes
        self.first = first
        self._begins = list(accumulate(sizes, initial=begin))
        self.title = rows.title

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Return the parts of signatures that describe how the trees were read."""
        return getattr(self._rows, "signature_parts", ())

    def trees(self, row: int) -> range:
        """Return the numbers of the trees of a run."""
        return range(self._begins[row - self.first], self._begins[row - self.first + 1])

    def name(self, row: int) -> str:
        """Return the name of the run in errors: `predictions[3]`, or `predictions[3] to predictions[5]`."""
        trees = self.trees(row)
        if not trees:
            return f"no tree of {self.title}"
        first, last = self._rows.name(trees[0]), self._rows.name(trees[-1])
        return first if len(trees) == 1 else f"{first} to {last}"

    def longest(self, lo: int, hi: int) -> int:
        """Return about how many bytes the longest run has."""
        begin, end = self._begins[lo - self.first], self._begins[hi - self.first]
        if begin == end:
            return 0
        return self._rows.longest(begin, end) * max(self._sizes[lo - self.first : hi - self.first])

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Read the trees, then joins those of each run; a run with an unreadable one is unreadable."""
        begin, end = self._begins[lo - self.first], self._begins[hi - self.first]
        problems: Problems = {}
        if begin < end:
            problems = self._rows.load(begin, end, unit, scanner, trees)
        else:
            trees.reserve(hi - lo, 0, 0)
        sizes = self._sizes[lo - self.first : hi - self.first]
        if any(size != 1 for size in sizes):
            for tree, start, end in trees.join(sizes, unit != "time"):
                problems.setdefault(begin + tree, self._too_early(begin + tree, start, end))
        found: Problems = {}
        for tree in sorted(problems):
            found.setdefault(self.first + bisect_right(self._begins, tree) - 1, problems[tree])
        return found

    def _too_early(self, tree: int, start: float, end: float) -> TreeFormatError:
        return TreeFormatError(
            f"this tree starts at {start:g}, before the one on its left ends at {end:g}; trees on one axis "
            "must be in order and must not overlap",
            source=self._rows.name(tree),
        )

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return the tree of a run that has just one."""
        trees = self.trees(row)
        if len(trees) != 1:
            raise TreeFormatError(f"{self.name(row)} is a run of {len(trees)} trees, not a tree")
        return self._rows.tree(trees[0], unit)


def as_documents(trees: Iterable[Any] | Rows, name: str) -> Rows:
    """Return the rows as they are, or those of a list of lists of trees; `name` is that of `rows.as_list`."""
    if hasattr(trees, "load"):
        return as_rows(trees, name)
    return DocumentRows(as_list(trees, name), name)


def take_sides(
    predictions: Iterable[Any] | Rows, references: Iterable[Any] | Rows, documents: bool
) -> tuple[Rows, Rows]:
    """Return the rows of both sides of a score, each a tree or a document; refuse sides without any."""
    if documents:
        preds, refs = as_documents(predictions, "predictions"), as_documents(references, "references")
        check_ids(preds, refs)
    else:
        preds, refs = as_rows(predictions, "predictions"), as_rows(references, "references")
    if not len(preds) and not len(refs):
        raise ValueError(f"{preds.title} and {refs.title} hold no trees to score")
    return preds, refs


class Documents(RunRows):
    """Documents: runs of consecutive trees, each read as one tree with several roots.

    Args:
        rows: The rows of all trees.
        sizes: How many trees each document has.
        ids: The name of each document, if documents have names. Both sides must have the same names.
        first: The number of the first document, if these are a piece of a longer list.
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
        """Return the names of the document's trees, and the name of the document if it has one."""
        trees = super().name(row)
        return f"{trees} (document {self.ids[row - self.first]})" if self.ids is not None else trees

    def n_sentences(self, row: int) -> int:
        """Return how many trees a document has."""
        return len(self.trees(row))

    def sentences(self) -> tuple[Rows, Sequence[int]]:
        """Return the trees of all documents as rows, and how many each document has."""
        return self._rows, self._sizes

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return the trees of a document as one tree, with a root for each of them."""
        return join_trees([self._rows.tree(tree, unit) for tree in self.trees(row)], unit)


class DocumentRows(Documents):
    """Lists of trees in a list, each a document.

    Args:
        values: A list of trees for each row; one that is missing, such as None, is a tree that is.
        title: The name of all of them in errors.
        first: The number of the first row, if the list is a piece of a longer one.
    """

    def __init__(self, values: Sequence[Any], title: str, *, first: int = 0) -> None:
        documents = [_document(value, f"{title}[{row}]") for row, value in enumerate(values, first)]
        sizes = list(map(len, documents))
        sentences = list(chain.from_iterable(documents))
        super().__init__(_Sentences(sentences, title, first, sizes), sizes, first=first)

    def name(self, row: int) -> str:
        """Return the name of the row in errors, such as `predictions[3]`."""
        return f"{self.title}[{row}]"


def _document(value: Any, name: str) -> list[Any]:
    """Return the trees of a row; of one that is missing, the tree that is."""
    if missing_name(value) or isinstance(value, TreeFormatError):
        return [value]
    trees = document(value)
    if trees is None:
        what = type(value).__name__
        raise TypeError(f"{name} is one {what}; with documents every row is a list of trees")
    return trees


class _Sentences(ListRows):
    """The sentences of some documents, named by the numbers of the document and of the sentence."""

    def __init__(self, values: Sequence[Any], title: str, first: int, sizes: Sequence[int]) -> None:
        super().__init__(values, title)
        self._first_document = first
        self._begins = [0, *accumulate(sizes)]

    def name(self, row: int) -> str:
        """Return the name of the sentence in errors, such as `predictions[3][1]`."""
        document = bisect_right(self._begins, row) - 1
        return f"{self.title}[{self._first_document + document}][{row - self._begins[document]}]"


def runs_of(ids: Iterable[Any]) -> tuple[list[int], list[str]]:
    """Return the length of each run of rows with the same id, and the id of each run.

    >>> runs_of(["a", "a", "b", "a"])
    ([2, 1, 1], ['a', 'b', 'a'])
    """
    runs = [(str(key), len(list(run))) for key, run in groupby(ids)]
    return [size for _, size in runs], [key for key, _ in runs]


def check_ids(predictions: Rows, references: Rows) -> None:
    """Raise an error if the documents of two sides have different names, as they are different documents."""
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
    """Return several trees as one, with a root for each; `unit` is that of `SegmentTree.from_brackets`."""
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


_BLANK = re.compile(rb"^[^\S\n]*$", re.MULTILINE)
_MARK = re.compile(
    r"^#(?:[ \t]*newdoc\b(?:[ \t]+id\b)?[ \t]*=?|begin document\b)[ \t]*([^\r\n]*)", re.MULTILINE
)


def read_documents(
    path: Place,
    parted: str,
    reading: Reading | None = None,
) -> Documents:
    """Read the documents of a treebank.

    Args:
        path: Where the treebank is, as `find_parts` takes it.
        parted: The separator of documents, a key of `PARTED`. Blank lines are never failed parses here.
        reading: How the treebank is read; by default as its files look like.
    """
    check_choice("way of parting documents", parted, PARTED)
    reading = reading or Reading()
    title, parts = title_of(path), find_parts(path)
    named = len(parts) > 1 or not isinstance(path, (Part, str, os.PathLike)) or os.path.isdir(title)
    if not named:
        return _documents_of(parts[0], parted, reading)
    if parted == "all":
        return _as_one(reading.rows_of(parts, title, blank=False))
    if parted != "file":
        raise TreeFormatError(
            f"these are several files; with documents parted by {parted!r} name one, or make every file a "
            "document (file)",
            source=title,
        )
    rows = reading.rows_of(parts, title, blank=False)
    return Documents(rows, [n_rows for _, n_rows in rows.files], [_stem(part.name) for part in parts])


def documents_of(data: bytes, title: str, parted: str, reading: Reading) -> Documents:
    """Return the documents of a file, which is one document if every file is; see `read_documents`."""
    return _documents_of(Part(title, title, lambda: data), parted, reading)


def _documents_of(part: Part, parted: str, reading: Reading) -> Documents:
    data = part.read()
    rows = reading.rows_of([Part(part.name, part.title, lambda: data)], part.title, blank=False)
    if parted == "marks":
        return _cut_at_marks(rows, Content(data, part.title, reading.encoding).text)
    if parted == "blank":
        if not isinstance(rows, TreeFile):
            raise TreeFormatError(
                "blank lines part documents of brackets alone; choose --documents file, marks or all",
                source=part.title,
            )
        return Documents(rows, _cut_at_blanks(rows))
    return _as_one(rows)


def _as_one(rows: TreeFile | TreebankRows) -> Documents:
    return Documents(rows, [len(rows)] if len(rows) else [])  # a file without trees holds no document


def _stem(path: str) -> str:
    """Return a path without the endings of the file's name: `01/wsj_0101.mrg.gz`."""
    folder, name = os.path.split(path)
    return "/".join([*folder.split(os.sep), name.split(".")[0]]) if folder else name.split(".")[0]


def _cut_at_blanks(rows: TreeFile) -> list[int]:
    """Return how many trees are between blank lines."""
    blanks = [match.start() for match in _BLANK.finditer(rows.data)]
    sizes: list[int] = []
    before = 0
    for row, (begin, end) in enumerate(rows.places()):
        if row == 0 or bisect_right(blanks, begin) > bisect_right(blanks, before):
            sizes.append(0)
        sizes[-1] += 1
        before = end
    return sizes


def _cut_at_marks(rows: TreeFile | TreebankRows, text: str) -> Documents:
    """Return the trees after each mark of a text."""
    marks = list(_MARK.finditer(text))
    if not marks:
        raise TreeFormatError(
            "there is no line '# newdoc' that begins a document; choose --documents file, blank or all",
            source=rows.title,
        )
    begins: list[int] = []  # the lines of the marks
    line, at = 1, 0
    for mark in marks:
        line += text.count("\n", at, mark.start())
        at = mark.start()
        begins.append(line)
    sizes = [0] * len(begins)
    for row in range(len(rows)):
        document = bisect_right(begins, rows.line(row)) - 1
        if document < 0:
            raise TreeFormatError(
                "this tree is before the first line '# newdoc'; move it after that line",
                source=rows.name(row),
            )
        sizes[document] += 1
    ids = [mark[1].strip() for mark in marks]
    return Documents(rows, sizes, ids if any(ids) else None)
