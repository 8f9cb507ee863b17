"""Rows of trees, which are read in batches and named in errors."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, Protocol

from .._core.flat import FlatTrees
from .._core.scan import UNITS, Scanner
from .._core.shapes import check_times, is_node
from ..errors import TreeFormatError, TreeMismatchError
from ..optional import MISSING, as_listed, listed
from ..trees.brackets import NUMBERED, bracket_error, has_numbered_words
from ..trees.shapes import as_tree, find_several, timed_brackets
from ..trees.spelling import widths_for
from ..trees.tree import SegmentTree
from ..wording import count
from .advice import explain_row_counts

Problems = dict[int, ValueError]  # by row

_READ = 256  # rows read at once


class Rows(Protocol):
    """Numbered trees that can be read in batches."""

    title: str  # the name of all of them in errors

    def __len__(self) -> int: ...

    def name(self, row: int) -> str:
        """Return the name of a row in errors."""

    def longest(self, lo: int, hi: int) -> int:
        """Return about how many bytes the longest of rows `lo … hi` has."""

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Read rows `lo … hi` into `trees`; unreadable ones are empty there, with their errors."""

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree."""


def as_list(trees: Iterable[Any], name: str) -> Sequence[Any]:
    """Return the rows of a list, an array, a series or a column; refuse a single tree and a table.

    `name` is the name of their argument, such as `predictions`.
    """
    if type(trees) in (list, tuple):
        return trees  # type: ignore[return-value]
    single = isinstance(trees, (str, bytes, Mapping, SegmentTree)) or is_node(trees)
    if not single and not isinstance(trees, (list, tuple)):
        _refuse_table(trees, name)
    if single or not isinstance(trees, Iterable):
        what = "None" if trees is None else f"one {type(trees).__name__}"
        raise TypeError(f"{name} must be a list of trees, not {what}; write {name}=[…]")
    if isinstance(trees, (list, tuple)):
        return trees
    rows = listed(trees)
    if rows is not None:
        return rows
    if isinstance(trees, Sequence):
        trees = trees[:]  # a column of `datasets` reads all of its rows at once
    return list(trees)


def _refuse_table(table: Any, name: str) -> None:
    """Raise an error for a DataFrame, an Arrow table or a whole dataset, where one column is expected."""
    columns = getattr(table, "column_names", getattr(table, "columns", None))
    if columns is not None:
        names = [str(column) for column in columns]
        such_as = f", such as {name}=…[{names[0]!r}]" if names else ""
        raise TypeError(
            f"{name} must be a list of trees, not a {type(table).__name__} with "
            f"{count(len(names), 'column')}; give one of them{such_as}"
        )


def as_rows(trees: Iterable[Any] | Rows, title: str, names: Callable[[int], str] | None = None) -> Rows:
    """Return rows as they are, or the rows of a list; `title` and `names` are those of `ListRows`."""
    if hasattr(trees, "load") and hasattr(trees, "title"):
        return trees  # type: ignore[return-value]
    return ListRows(as_list(trees, title), title, names=names)


def check_as_many(predictions: Rows, references: Rows) -> None:
    """Raise an error if the sides have different numbers of rows, and explain why they may differ.

    In a file whose trees end where their brackets close, a tree that is not closed may hold those after it,
    so that the first one that cannot be read is named.
    """
    if len(predictions) == len(references):
        return
    problems = [
        f"{rows.title} has a tree that cannot be read: {problem}"
        for rows in (references, predictions)
        if getattr(rows, "layout", "line") == "free" and (problem := _first_problem(rows))
    ]
    why = problems[0] if problems else explain_row_counts(predictions, references)
    preds, refs = (count(len(rows), getattr(rows, "noun", "tree")) for rows in (predictions, references))
    raise TreeMismatchError(
        f"{predictions.title}: {preds}, {references.title}: {refs}; give the same number of both"
        + (f": {why}" if why else "")
    )


def _first_problem(rows: Rows) -> ValueError | None:
    """Return the error of the first row that cannot be read; None if all can."""
    scanner, trees = Scanner(), FlatTrees()
    for lo in range(0, len(rows), _READ):
        problems = rows.load(lo, min(lo + _READ, len(rows)), "word", scanner, trees)
        if problems:
            return problems[min(problems)]
    return None


def several(rows: Rows) -> dict[int, list[Any]]:
    """Return the trees of each row that is a list of trees, by its number.

    A list may have several trees, one, or none at all. All other rows are one tree, or nothing. Files of
    trees and documents have no such rows.
    """
    find = getattr(rows, "several", None)
    return find() if find is not None else {}


def sign_reading(*sides: Any) -> str:
    """Return the part of signatures that describes how trees were read, such as crossing branches undone."""
    parts = dict.fromkeys(part for rows in sides for part in getattr(rows, "signature_parts", ()))
    return "".join(f"|{part}" for part in parts)


class ListRows:
    """Trees in a list: bracket texts, and any other shape that `as_tree` takes.

    Args:
        values: The trees.
        title: The name of all of them in errors.
        names: A function that names a row in errors; by default it is named by the title and its number.
        first: The number of the first row, if the list is a piece of a longer one.
    """

    def __init__(
        self, values: Sequence[Any], title: str, *, names: Callable[[int], str] | None = None, first: int = 0
    ) -> None:
        self._values = values
        self._names = names
        self._first = first
        self.title = title

    def __len__(self) -> int:
        return len(self._values)

    def name(self, row: int) -> str:
        """Return the name of the row in errors, such as `predictions[3]`."""
        return self._names(row) if self._names else f"{self.title}[{row}]"

    @property
    def values(self) -> Sequence[Any]:
        """Return the trees as they were given."""
        return self._values

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, by its number."""
        return find_several(enumerate(self._all(self._first, self._first + len(self)), self._first))

    def longest(self, lo: int, hi: int) -> int:
        """Return the length of the longest text; other shapes have the length that `len` returns, or 0."""
        try:
            return max(map(len, self._all(lo, hi)), default=0)
        except TypeError:  # some have no length
            return max(map(_length, self._all(lo, hi)))

    def _all(self, lo: int, hi: int) -> Iterable[Any]:
        """Return rows `lo … hi`, a slice at a time, because a column makes objects of all rows of a slice."""
        return chain.from_iterable(self.given(at, min(at + _READ, hi)) for at in range(lo, hi, _READ))

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Read bracket texts, with or without lists of times, by the scanner; read other rows one by one."""
        values = self.given(lo, hi)
        try:
            data, starts, stops = join_texts(values)
        except TypeError:  # not all of them are texts
            missing = find_missing(values, lo, self.name)
            if missing:
                return self._load_others(values, missing, lo, unit, scanner, trees)
            if _load_timed(values, unit, scanner, trees):
                return {}
            return self._load_one_by_one(values, lo, unit, scanner, trees)
        scan(scanner, data, starts, stops, unit, trees)
        numbered = find_numbered(data, starts, stops, lo, self.name)
        if numbered:
            return self._load_others(values, numbered, lo, unit, scanner, trees)
        if not trees.n_errors:
            return {}
        if any(value.lstrip()[:1] in ("{", "[") for value in values):
            return self._load_one_by_one(values, lo, unit, scanner, trees)
        return {
            lo + t: bracket_error(code, at, data, starts[t], self.name(lo + t), stop=stops[t])
            for t, code, at in trees.errors()
        }

    def _load_others(
        self,
        values: Sequence[Any],
        refused: Mapping[int, ValueError],
        lo: int,
        unit: str,
        scanner: Scanner,
        trees: FlatTrees,
    ) -> Problems:
        """Read all rows but those with these errors, so that the others need not be read one by one."""
        there = ["" if row in refused else value for row, value in enumerate(values, lo)]
        others = ListRows(there, self.title, names=self.name, first=lo)
        problems = others.load(lo, lo + len(there), unit, scanner, trees)
        mark_errors(refused, lo, trees)
        return {**problems, **refused}

    def _load_one_by_one(
        self, values: Sequence[Any], lo: int, unit: str, scanner: Scanner, trees: FlatTrees
    ) -> Problems:
        loaded: list[SegmentTree | None] = []
        problems: Problems = {}
        for row, value in enumerate(values, lo):
            try:
                loaded.append(as_tree(value, unit, source=self.name(row)))
            except TreeFormatError as error:
                loaded.append(None)
                problems[row] = error
        fill(loaded, unit, scanner, trees)
        return problems

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree."""
        return as_tree(self._values[row - self._first], unit, source=self.name(row))

    def given(self, lo: int, hi: int) -> Sequence[Any]:
        """Return rows `lo … hi` as they were given."""
        return self._values[lo - self._first : hi - self._first]


def find_missing(values: Sequence[Any], first: int, name: Callable[[int], str]) -> Problems:
    """Return the errors of rows that are None, by their numbers from `first` on."""
    return {row: missing_error(name(row)) for row, value in enumerate(values, first) if value is None}


def missing_error(name: str) -> TreeFormatError:
    """Return the error of a row that is None, or a null."""
    return TreeFormatError(MISSING.format(None), source=name)


def find_numbered(
    buffer: Any, starts: Sequence[int], stops: Sequence[int], first: int, name: Callable[[int], str]
) -> Problems:
    """Return the errors of texts whose words are numbered, which would be read as if they were in order.

    The texts are byte ranges of a buffer, in order; their rows are numbered from `first` on.
    """
    if not len(starts) or b"=" not in memoryview(buffer)[starts[0] : stops[-1]].tobytes():
        return {}
    texts = (bytes(buffer[start:stop]) for start, stop in zip(starts, stops, strict=True))
    rows = (row for row, text in enumerate(texts, first) if b"=" in text and has_numbered_words(text, 2))
    return {row: TreeFormatError(NUMBERED, source=name(row)) for row in rows}


def mark_errors(problems: Iterable[int], first: int, trees: FlatTrees) -> None:
    """Mark empty trees, by the numbers of their rows from `first` on, as unreadable."""
    for row in problems:
        trees.mark_error(row - first, 1)


def _load_timed(values: Sequence[Any], unit: str, scanner: Scanner, trees: FlatTrees) -> bool:
    """Read brackets with lists of times; return False if the rows have another shape or have mistakes."""
    texts: list[str] = []
    counts: list[int] = []
    times: list[tuple[float, float]] = []
    for value in values:
        text, pairs = timed_brackets(value) or (None, None)
        if type(text) is not str or ("=" in text and has_numbered_words(text.encode("utf-8", "replace"), 2)):
            return False
        try:
            own = check_times(as_listed(pairs))
        except (TypeError, ValueError):
            return False
        texts.append(text)
        counts.append(len(own))
        times += own
    several, scanner.several = scanner.several, False  # each of the times belongs to one tree
    scan(scanner, *join_texts(texts), "word" if unit == "time" else unit, trees)
    scanner.several = several
    places = (array("d", [pair[side] for pair in times]) for side in (0, 1))
    return not trees.n_errors and trees.add_times(counts, *places, unit == "time")


def join_texts(texts: Iterable[str]) -> tuple[bytes, Sequence[int], Sequence[int]]:
    """Return texts as one run of UTF-8, never empty, with the first byte of each and the byte after its last.

    Raises:
        TypeError: One of them is no text.
    """
    parts = [str.encode(text, "utf-8", "surrogatepass") for text in texts]
    offsets = array("q", accumulate(map(len, parts), initial=0))
    return b"".join(parts) or b" ", offsets[:-1], offsets[1:]


def _length(row: Any) -> int:
    """Return the length of a row, 0 if it has none."""
    try:
        return len(row)
    except TypeError:
        return 0


def scan(
    scanner: Scanner, buffer: Any, starts: Sequence[int], stops: Sequence[int], unit: str, trees: FlatTrees
) -> None:
    """Scan byte ranges of a buffer, in order, with the tables that the unit requires."""
    widths: bytes | bytearray = b" "
    if unit == "char":
        text = bytes(buffer[starts[0] : stops[-1]]) if len(starts) else b""  # of a file, this is a small part
        widths = widths_for("" if text.isascii() else text.decode("utf-8", "surrogatepass"))
    scanner.scan(buffer, starts, stops, UNITS[unit], widths, trees)


def fill(loaded: Sequence[SegmentTree | None], unit: str, scanner: Scanner, trees: FlatTrees) -> None:
    """Put trees into flat arrays; None means a tree that could not be read."""
    present = [tree for tree in loaded if tree is not None]
    trees.reserve(len(loaded), sum(map(len, present)), sum(len(tree.words) for tree in present))
    names = dict.fromkeys(chain.from_iterable(tree.labels for tree in present))
    ids = {label: scanner.intern(label) for label in names}  # a batch has few labels, many times each
    numbers = array("d", range(max((len(tree.words) for tree in present), default=0) + 1))
    for tree in loaded:
        if tree is None:
            trees.append_error(1)
        else:
            labels = array("i", map(ids.__getitem__, tree.labels))
            if unit == "word":
                n_words = len(tree.words)
                places = numbers[:n_words], numbers[1 : n_words + 1]
            else:
                places = tree.word_positions(unit)
            nodes = labels, tree.sizes, tree.firsts, tree.lasts
            trees.append(*nodes, *places, tree.words, tree.times is not None)


class OtherRows:
    """Other rows, under their own numbers and names.

    Args:
        rows: The other rows.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.title = rows.title

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Return the parts of signatures that describe how the trees were read."""
        return getattr(self._rows, "signature_parts", ())

    def name(self, row: int) -> str:
        """Return the name of a row in errors."""
        return self._rows.name(row)

    def longest(self, lo: int, hi: int) -> int:
        """Return about how many bytes the longest of rows `lo … hi` has."""
        return self._rows.longest(lo, hi)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Read rows `lo … hi` into `trees`."""
        return self._rows.load(lo, hi, unit, scanner, trees)

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree."""
        return self._rows.tree(row, unit)

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, by its number."""
        return several(self._rows)


def cut_rows(rows: Rows, numbers: range) -> Rows:
    """Return some of the rows, with the same numbers."""
    if type(rows) is ListRows:
        values = rows.values[numbers.start : numbers.stop]
        return ListRows(values, rows.title, names=rows.name, first=numbers.start)
    return _RowRange(rows, numbers)


class _RowRange(OtherRows):
    """Some rows that follow each other."""

    def __init__(self, rows: Rows, numbers: range) -> None:
        super().__init__(rows)
        self._numbers = numbers
        self.noun = getattr(rows, "noun", "tree")
        if hasattr(rows, "n_sentences"):
            self.n_sentences = rows.n_sentences

    def __len__(self) -> int:
        return len(self._numbers)

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, by its number."""
        return {row: trees for row, trees in super().several().items() if row in self._numbers}
