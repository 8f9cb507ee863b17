"""Files of trees in brackets: one tree a line, or Penn Treebank style over many lines."""

from __future__ import annotations

import os
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise
from operator import sub
from typing import Any, NamedTuple

from .._core.flat import FlatTrees, longs
from .._core.layout import AFTER_GAP, NEVER, UNINDENTED, lines, split
from .._core.scan import ERRORS, Scanner
from ..errors import TreeFormatError
from ..trees.brackets import NUMBERED, bracket_error, has_numbered_words, read_buffer
from ..trees.tree import SegmentTree
from ..wording import check_choice
from .content import as_utf8, unpack
from .rows import Problems, scan

LAYOUTS = ("auto", "line", "free", "sentence")

# The separators of documents, and how the help describes them.
PARTED = {
    "file": "every file is a document; a folder means all files in it",
    "blank": "blank lines separate documents",
    "marks": "lines '# newdoc id = NAME' or '#begin document NAME' begin documents",
    "all": "all trees are one document",
}

_OPEN = ord("(")
COMMENTS = (b"#", b"%%", b"*x*")  # how lines of comments begin; the last in files of the Penn Treebank
_FEW = 10  # lines with several trees, and trees that do not balance, are few if at most one in ten is one
_SECOND_TREE = ERRORS.index("second tree")


class TreeFile:
    """The trees of one file in brackets, or of several one after the other, as rows.

    In the layout `line` every line is a tree, and a blank line is a failed parse. In the layout
    `free` a tree ends where its brackets close, and blank lines mean nothing. `auto` is `line` if
    no tree goes over a line end and no two share a line, also if a few lines have two or do not balance.
    In the layout `sentence` every line is a row as well, and may have several trees, as EVALB reads it.

    A tree in the layout `free` whose brackets are not closed is one row, an error, and the next tree is read
    as if nothing had happened; see `_find_trees`.

    Numbered words, as in discontinuous trees, are refused unless `numbered` is true.

    Lines outside of trees that begin with `#`, `%%` or `*x*` are comments, not rows.

    Attributes:
        layout: The layout of all files; `free` if it is that of one of them.
        is_crowded: Whether some lines hold several trees.
        n_comments: The number of lines that are comments.
        n_separators: The number of blank lines that were removed because the other side has them, too.
        files: The name of each file and its number of rows.
    """

    signature_parts: tuple[str, ...] = ()  # the parts of signatures that describe how the trees were read

    def __init__(
        self,
        data: bytes,
        title: str,
        layout: str = "auto",
        *,
        numbered: bool = False,
    ) -> None:
        self._take([(data, title)], title, layout, numbered)

    @classmethod
    def read(cls, path: str | os.PathLike[str], layout: str = "auto") -> TreeFile:
        """Read a file in brackets; `-` is standard input, and packed files are unpacked."""
        return cls(*read_bytes(path), layout)

    @classmethod
    def joined(
        cls,
        files: Sequence[tuple[bytes, str]],
        title: str,
        layout: str = "auto",
    ) -> TreeFile:
        """Return the trees of several files; errors call them all by `title`."""
        rows = cls.__new__(cls)
        rows._take(files, title, layout, False)
        return rows

    def _take(
        self,
        files: Sequence[tuple[bytes, str]],
        title: str,
        layout: str,
        numbered: bool,
    ) -> None:
        check_choice("layout", layout, LAYOUTS)
        texts = [as_utf8(data, name) for data, name in files]
        for text, (_, name) in zip(texts, files, strict=True):
            if not numbered and has_numbered_words(text):
                raise TreeFormatError(NUMBERED, source=name)
        self._paths = [name for _, name in files]
        found = [_ranges(text, layout) for text in texts]
        layouts = {file.layout for file in found}
        if "free" in layouts and len(layouts) > 1:  # a file whose trees all fit on lines, among others
            found = [_ranges(text, "free") for text in texts]
        self.layout = "free" if "free" in layouts else found[0].layout if found else "line"
        self.is_crowded = any(file.is_crowded for file in found)
        self._may_have_separators = layout == "auto"
        self._begins = list(accumulate(map(len, texts), initial=0))  # of each file, in the data
        self._data = (texts[0] if len(texts) == 1 else b"".join(texts)) or b" "
        self._line_ends: array[int] | None = None
        self._starts, self._stops = array("q"), array("q")
        self.files: list[tuple[str, int]] = []
        self._title = title
        self.n_comments = self.n_separators = 0
        self._blank: set[int] = set()
        for text, name, begin, ranges in zip(texts, self._paths, self._begins, found, strict=False):
            starts, stops, n_comments, blank = _sift(text, ranges)
            self._blank.update(len(self._starts) + row for row in blank)
            self._starts += array("q", [begin + start for start in starts]) if begin else starts
            self._stops += array("q", [begin + stop for stop in stops]) if begin else stops
            self.files.append((name, len(starts)))
            self.n_comments += n_comments

        self._update_title()

    def _update_title(self) -> None:
        """Add the number of blank lines and of comments to the name of all files in errors."""
        counts = {"blank lines, each a failed parse": len(self._blank), "comment lines": self.n_comments}
        remarks = ", ".join(f"{noun}: {number}" for noun, number in counts.items() if number)
        self.title = f"{self._title} ({remarks})" if remarks else self._title

    def __len__(self) -> int:
        return len(self._starts)

    def name(self, row: int) -> str:
        """Return the file and the line of a row, as errors name it."""
        return f"{self._file(self._begin(row))[0]}:{self.line(row)}"

    def line(self, row: int) -> int:
        """Return the line of its file in which a row's text begins, from 1."""
        at = self._begin(row)
        return self._line(at, self._file(at)[1])

    def _begin(self, row: int) -> int:
        """Return where a row's text begins, after white space."""
        text = self._data[self._starts[row] : self._stops[row]]
        return self._starts[row] + len(text) - len(text.lstrip())

    def place(self, row: int) -> tuple[int, str, int]:
        """Return the line of a row, its text from there on, and the column in which that begins."""
        at = self._begin(row)
        text = self._data[at : self._stops[row]].decode("utf-8")
        line_begin = self._data.rfind(b"\n", 0, at) + 1
        column = len(self._data[line_begin:at].decode("utf-8")) + 1
        return self.line(row), text, column

    def _file(self, at: int) -> tuple[str, int]:
        """Return the file of a byte, and where that begins."""
        file = min(bisect_right(self._begins, at), len(self._paths)) - 1
        return self._paths[file], self._begins[file]

    def _line(self, at: int, begin: int) -> int:
        """Return the line of a byte in a file that begins at another byte, from 1."""
        if self._line_ends is None:
            _, self._line_ends, _ = lines(self._data)
        return bisect_left(self._line_ends, at) - bisect_left(self._line_ends, begin) + 1

    @property
    def data(self) -> bytes:
        """Return the bytes of all files, without byte-order marks."""
        return self._data

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield where the text of each row begins and ends in the data, without the white space around it."""
        for start, stop in zip(self._starts, self._stops, strict=True):
            text = self._data[start:stop]
            yield start + len(text) - len(text.lstrip()), start + len(text.rstrip())

    def find_separators(self) -> set[int]:
        """Return the blank rows that may separate trees: all, unless a layout was given."""
        return set(self._blank) if self._may_have_separators else set()

    def remove_blank(self, rows: Collection[int] | None = None) -> None:
        """Remove rows that are blank lines, by default all."""
        removed = self._blank if rows is None else self._blank.intersection(rows)
        if not removed:
            return
        left = [row for row in range(len(self)) if row not in removed]
        numbers = {row: number for number, row in enumerate(left)}
        self._blank = {numbers[row] for row in self._blank if row in numbers}
        self._starts, self._stops = (
            array("q", map(places.__getitem__, left)) for places in (self._starts, self._stops)
        )
        ends = [bisect_left(self._starts, begin) for begin in self._begins[1:]]
        sizes = [hi - lo for lo, hi in zip([0, *ends], ends, strict=False)]
        self.files = [(name, size) for (name, _), size in zip(self.files, sizes, strict=True)]
        self._update_title()

    def longest(self, lo: int, hi: int) -> int:
        """Return the number of bytes of the longest of rows `lo … hi`."""
        return max(map(sub, self._stops[lo:hi], self._starts[lo:hi]), default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Read rows `lo … hi` into `trees`."""
        several = scanner.several
        scanner.several = several or self.layout == "sentence"
        scan(scanner, self._data, self._starts[lo:hi], self._stops[lo:hi], unit, trees)
        scanner.several = several
        return {lo + t: self._error(code, at) for t, code, at in trees.errors()}

    def _error(self, code: int, at: int) -> TreeFormatError:
        path, begin = self._file(at)
        error = bracket_error(code, at, self._data, begin, path, self._line(at, begin))
        if code == _SECOND_TREE:
            cure = "or choose a layout: with free each tree is a row, with sentence the whole line is"
            error = TreeFormatError(
                f"{error.message}; {cure}",
                source=path,
                line=error.line,
                column=error.column,
                window=error.window,
            )
        return error

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree."""
        start = self._starts[row]
        parts = read_buffer(self._data, start, self._stops[row], unit, *self._file(start))
        return SegmentTree.from_parts(parts)

    def text(self, row: int) -> str:
        """Return the brackets of one row as they are in the file."""
        return self._data[self._starts[row] : self._stops[row]].decode("utf-8")

    def whole(self) -> str:
        """Return the text of all files."""
        return self._data.decode("utf-8")

    def by_sentence(self) -> TreeFile | None:
        """Return the same trees with every line as a row; None if a tree goes over the end of a line."""
        _, _, goes_over, *_ = split(self._data, longs(0), longs(0), NEVER)
        if goes_over:
            return None
        files = [
            (self._data[begin:end], path)
            for path, (begin, end) in zip(self._paths, pairwise(self._begins), strict=True)
        ]
        return TreeFile.joined(files, self._title, "sentence")

    def trees(self, unit: str | None = None) -> list[SegmentTree]:
        """Return all rows as trees, in seconds where all words have times and no unit is given."""
        return [self.tree(row, unit) for row in range(len(self))]


def read_bytes(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return the content of a file, unpacked, and its name in errors; `-` is standard input."""
    title = os.fspath(path)
    if title == "-":
        if sys.stdin is None:
            raise OSError("standard input is closed")
        data, title = sys.stdin.buffer.read(), "<stdin>"
    else:
        with open(title, "rb") as file:
            data = file.read()
    return unpack(data, title), title


def read_text(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the text of a file that is no treebank, such as settings, and its name in errors."""
    data, title = read_bytes(path)
    return as_utf8(data, title, flag="").decode("utf-8"), title


def remove_separators(sides: Sequence[Any]) -> None:
    """Remove the blank lines that all sides have at the same place.

    There they separate trees. A blank line of one side alone is a failed parse.
    """
    if not all(isinstance(rows, TreeFile) for rows in sides) or len(set(map(len, sides))) > 1:
        return
    separators = set.intersection(*(rows.find_separators() for rows in sides))
    if separators:
        for rows in sides:
            rows.remove_blank(separators)
            rows.n_separators = len(separators)
            rows.signature_parts = (*rows.signature_parts, f"separators:{len(separators)}")


class _Ranges(NamedTuple):
    """Where the rows of a text are.

    Attributes:
        starts: The first byte of each row.
        stops: The byte after the last one of each row.
        n_others: The number of rows that begin with anything but a '('.
        layout: The layout.
        is_crowded: Whether some lines hold several trees.
    """

    starts: array[int]
    stops: array[int]
    n_others: int
    layout: str
    is_crowded: bool


def _ranges(data: bytes, layout: str) -> _Ranges:
    """Return where the rows of a text are, and the layout, which `auto` leaves to the text."""
    starts, stops, n_others = lines(data)
    if layout in ("line", "sentence"):
        return _Ranges(starts, stops, n_others, layout, False)
    trees, goes_over, n_crowded = _find_trees(data, len(starts))
    is_free = layout == "free" or (
        not _mostly_lines(data) if goes_over else n_crowded * _FEW > len(trees.starts)
    )
    return trees if is_free else _Ranges(starts, stops, n_others, "line", n_crowded > 0)


def _find_trees(data: bytes, n_lines: int) -> tuple[_Ranges, bool, int]:
    """Return the ranges of trees in the layout `free`, also after trees that are not closed.

    Every line that begins with a '(' begins a tree, if most of the trees then balance, and more brackets are
    missing than are closed too often. That is so in files whose trees are indented. In others, such as those
    where each bracket begins a line, trees begin at such lines after a blank line or a comment, if the latter
    is so, or hardly any tree fails to balance; and otherwise only after the tree before is closed.

    Returns:
        The ranges, whether one of them goes over the end of a line, and the number of lines with several.
    """
    room = n_lines
    starts, stops = longs(room), longs(room)
    for resume in (UNINDENTED, AFTER_GAP, NEVER):
        found = split(data or b" ", starts, stops, resume)
        n_ranges, n_others, goes_over, n_crowded, n_open, n_missing, n_extra = found
        is_short, n_broken = n_missing > n_extra, n_open + n_extra
        if resume == UNINDENTED:
            is_right = is_short and 2 * n_broken <= n_ranges
        else:
            is_right = is_short or _FEW * n_broken <= n_ranges
        if is_right or not n_open:
            break
    if n_ranges > room:
        starts, stops = longs(n_ranges), longs(n_ranges)
        split(data, starts, stops, resume)
    ranges = _Ranges(starts[:n_ranges], stops[:n_ranges], n_others, "free", n_crowded > 0)
    return ranges, goes_over, n_crowded


def _sift(data: bytes, ranges: _Ranges) -> tuple[array[int], array[int], int, list[int]]:
    """Return the ranges without comments, the number of comments, and the rows that are blank."""
    starts, stops = ranges.starts, ranges.stops
    if not ranges.n_others:
        return starts, stops, 0, []
    comments: set[int] = set()
    blank: list[int] = []
    for row, first in enumerate(map(data.__getitem__, starts)):
        if first != _OPEN:
            text = data[starts[row] : stops[row]].strip()
            if not text:
                blank.append(row - len(comments))
            elif text.startswith(COMMENTS) and _begins_line(data, starts[row]):
                comments.add(row)
    if comments:
        left = [row for row in range(len(starts)) if row not in comments]
        starts, stops = (array("q", map(places.__getitem__, left)) for places in (starts, stops))
    return starts, stops, len(comments), blank


def _begins_line(data: bytes, at: int) -> bool:
    return not data[data.rfind(b"\n", 0, at) + 1 : at].strip()


def _mostly_lines(data: bytes) -> bool:
    """Return whether lines that do not balance look like errors in a file with a tree a line.

    In a file with trees over many lines, the lines between begin with white space or a ')'.
    """
    balanced = unbalanced = 0
    for line in data.split(b"\n"):
        if line.strip() and not line.startswith(COMMENTS):
            if not line.startswith(b"("):
                return False
            if line.count(b"(") == line.count(b")"):
                balanced += 1
            else:
                unbalanced += 1
    return balanced > unbalanced
