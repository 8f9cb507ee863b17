"""Files of trees in brackets: one tree a line, or Penn Treebank style over many lines."""

from __future__ import annotations

import os
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import sub

from .._core.flat import FlatTrees, longs
from .._core.layout import lines, split
from .._core.scan import Scanner
from ..errors import TreeFormatError
from ..trees.brackets import NUMBERED, bracket_error, has_numbered_words, read_buffer
from ..trees.tree import SegmentTree
from ..wording import check_choice
from .content import as_utf8, unpack
from .rows import Problems, scan

LAYOUTS = ("auto", "line", "free", "sentence")

# What parts documents, and what is said of it.
PARTED = {
    "file": "every file is a document; a folder stands for all files in it",
    "blank": "blank lines part documents",
    "marks": "lines '# newdoc id = NAME' or '#begin document NAME' begin documents",
    "all": "all trees are one document",
}

_OPEN = ord("(")
_COMMENTS = (b"#", b"%%", b"*x*")  # how lines of comments begin; the last in files of the Penn Treebank


class TreeFile:
    """The trees of one file in brackets, or of several one after the other, as rows.

    In the layout `line` every line is a tree, and a blank line is a failed parse. In the layout
    `free` a tree ends where its brackets close, and blank lines mean nothing. `auto` is `line` when
    no tree goes over a line end and no two share a line, also when a few lines do not balance. In the
    layout `sentence` every line is a row as well, and may have several trees, as EVALB reads it.

    Words that are numbered, as in discontinuous trees, are refused unless `numbered` says that they are
    meant.

    Lines outside of trees that begin with `#`, `%%` or `*x*` are comments, and no rows.

    Attributes:
        layout: The layout of all files; `free` if it is that of one of them.
        n_comments: How many lines are comments.
        files: What to call each file and how many rows it has.
    """

    def __init__(
        self,
        data: bytes,
        title: str,
        layout: str = "auto",
        *,
        encoding: str | None = None,
        numbered: bool = False,
    ) -> None:
        self._take([(data, title)], title, layout, encoding, numbered)

    @classmethod
    def read(cls, path: str | os.PathLike[str], layout: str = "auto") -> TreeFile:
        """Reads a file in brackets; `-` is standard input, and what is packed is unpacked."""
        return cls(*read_bytes(path), layout)

    @classmethod
    def joined(
        cls,
        files: Sequence[tuple[bytes, str]],
        title: str,
        layout: str = "auto",
        *,
        encoding: str | None = None,
    ) -> TreeFile:
        """The trees of several files; `title` is what to call them all."""
        rows = cls.__new__(cls)
        rows._take(files, title, layout, encoding, False)
        return rows

    def _take(
        self,
        files: Sequence[tuple[bytes, str]],
        title: str,
        layout: str,
        encoding: str | None,
        numbered: bool,
    ) -> None:
        check_choice("layout", layout, LAYOUTS)
        texts = [as_utf8(data, name, encoding) for data, name in files]
        for text, (_, name) in zip(texts, files, strict=True):
            if not numbered and has_numbered_words(text):
                raise TreeFormatError(NUMBERED, source=name)
        self._paths = [name for _, name in files]
        found = [_ranges(text, layout) for text in texts]
        layouts = {file[3] for file in found}
        if "free" in layouts and len(layouts) > 1:  # a file whose trees all fit on lines, among others
            found = [_ranges(text, "free") for text in texts]
        self.layout = "free" if "free" in layouts else found[0][3] if found else "line"
        self._begins = list(accumulate(map(len, texts), initial=0))  # of each file, in the data
        self._data = (texts[0] if len(texts) == 1 else b"".join(texts)) or b" "
        self._line_ends: array[int] | None = None
        self._starts, self._stops = array("q"), array("q")
        self.files: list[tuple[str, int]] = []
        self.n_comments = n_blank = 0
        for text, name, begin, (starts, stops, n_others, _) in zip(
            texts, self._paths, self._begins, found, strict=False
        ):
            starts, stops, comments, blank = _sift(text, starts, stops, n_others)
            self._starts += array("q", [begin + start for start in starts]) if begin else starts
            self._stops += array("q", [begin + stop for stop in stops]) if begin else stops
            self.files.append((name, len(starts)))
            self.n_comments += comments
            n_blank += blank
        remarks = {"blank lines, each a failed parse": n_blank, "comment lines": self.n_comments}
        told = ", ".join(f"{what}: {number}" for what, number in remarks.items() if number)
        self._title = title
        self.title = f"{title} ({told})" if told else title

    def __len__(self) -> int:
        return len(self._starts)

    def name(self, row: int) -> str:
        """The file and the line of a row, as errors name it."""
        return f"{self._file(self._begin(row))[0]}:{self.line(row)}"

    def line(self, row: int) -> int:
        """The line of its file in which a row's text begins, from 1."""
        at = self._begin(row)
        return self._line(at, self._file(at)[1])

    def _begin(self, row: int) -> int:
        """Where a row's text begins, behind white space."""
        text = self._data[self._starts[row] : self._stops[row]]
        return self._starts[row] + len(text) - len(text.lstrip())

    def place(self, row: int) -> tuple[int, str, int]:
        """The line of a row, its text from there on, and the column in which that begins."""
        at = self._begin(row)
        text = self._data[at : self._stops[row]].decode("utf-8")
        line_begin = self._data.rfind(b"\n", 0, at) + 1
        column = len(self._data[line_begin:at].decode("utf-8")) + 1
        return self.line(row), text, column

    def _file(self, at: int) -> tuple[str, int]:
        """The file of a byte, and where that begins."""
        file = min(bisect_right(self._begins, at), len(self._paths)) - 1
        return self._paths[file], self._begins[file]

    def _line(self, at: int, begin: int) -> int:
        """The line of a byte in a file that begins at another, from 1."""
        if self._line_ends is None:
            _, self._line_ends, _ = lines(self._data)
        return bisect_left(self._line_ends, at) - bisect_left(self._line_ends, begin) + 1

    @property
    def data(self) -> bytes:
        """The bytes of all files, without byte-order marks."""
        return self._data

    def places(self) -> Iterator[tuple[int, int]]:
        """Where the text of each row begins and ends in the data, without the white space around it."""
        for start, stop in zip(self._starts, self._stops, strict=True):
            text = self._data[start:stop]
            yield start + len(text) - len(text.lstrip()), start + len(text.rstrip())

    def leave_out_blank(self) -> None:
        """Takes out the rows that are blank lines."""
        kept = [
            (start, stop)
            for start, stop in zip(self._starts, self._stops, strict=True)
            if self._data[start:stop].strip()
        ]
        self._starts, self._stops = array("q", [lo for lo, _ in kept]), array("q", [hi for _, hi in kept])
        ends = [bisect_left(self._starts, begin) for begin in self._begins[1:]]
        sizes = [hi - lo for lo, hi in zip([0, *ends], ends, strict=False)]
        self.files = [(name, size) for (name, _), size in zip(self.files, sizes, strict=True)]
        self.title = self._title

    def longest(self, lo: int, hi: int) -> int:
        """The number of bytes of the longest of rows `lo … hi`."""
        return max(map(sub, self._stops[lo:hi], self._starts[lo:hi]), default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Reads rows `lo … hi` into `trees`."""
        several = scanner.several
        scanner.several = several or self.layout == "sentence"
        scan(scanner, self._data, self._starts[lo:hi], self._stops[lo:hi], unit, trees)
        scanner.several = several
        return {lo + t: self._error(code, at) for t, code, at in trees.errors()}

    def _error(self, code: int, at: int) -> TreeFormatError:
        path, begin = self._file(at)
        return bracket_error(code, at, self._data, begin, path, self._line(at, begin))

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        start = self._starts[row]
        parts = read_buffer(self._data, start, self._stops[row], unit, *self._file(start))
        return SegmentTree.from_parts(parts)

    def text(self, row: int) -> str:
        """The brackets of one row, as they stand in the file."""
        return self._data[self._starts[row] : self._stops[row]].decode("utf-8")

    def whole(self) -> str:
        """The text of all files."""
        return self._data.decode("utf-8")

    def by_sentence(self) -> TreeFile | None:
        """The same trees with every line as a row; None if a tree goes over the end of a line."""
        _, _, goes_over, _ = split(self._data, longs(0), longs(0))
        if goes_over:
            return None
        files = [
            (self._data[begin:end], path)
            for path, (begin, end) in zip(self._paths, pairwise(self._begins), strict=True)
        ]
        return TreeFile.joined(files, self._title, "sentence")

    def trees(self, unit: str | None = None) -> list[SegmentTree]:
        """All rows as trees, in seconds where all words have times and no unit is given."""
        return [self.tree(row, unit) for row in range(len(self))]


def read_bytes(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """What a file holds, unpacked, and what to call it in errors; `-` is standard input."""
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
    """The text of a file that is no treebank, such as settings, and what to call it in errors."""
    data, title = read_bytes(path)
    return as_utf8(data, title, flag="").decode("utf-8"), title


def _ranges(data: bytes, layout: str) -> tuple[array[int], array[int], int, str]:
    """Where each tree starts and stops, how many begin with anything but a '(', and the layout found."""
    line_starts, line_stops, n_others = lines(data)
    if layout not in ("line", "sentence"):
        room = len(line_starts)
        starts, stops = longs(room), longs(room)
        count, n_other_trees, goes_over, shares_line = split(data or b" ", starts, stops)
        if layout == "free" or shares_line or (goes_over and not _mostly_lines(data)):
            if count > room:
                starts, stops = longs(count), longs(count)
                split(data, starts, stops)
            return starts[:count], stops[:count], n_other_trees, "free"
    return line_starts, line_stops, n_others, "sentence" if layout == "sentence" else "line"


def _sift(
    data: bytes, starts: array[int], stops: array[int], n_others: int
) -> tuple[array[int], array[int], int, int]:
    """The ranges without comments; how many comments, and how many blank rows there are."""
    if not n_others:
        return starts, stops, 0, 0
    comments: set[int] = set()
    blank = 0
    for row, first in enumerate(map(data.__getitem__, starts)):
        if first != _OPEN:
            text = data[starts[row] : stops[row]].strip()
            if not text:
                blank += 1
            elif text.startswith(_COMMENTS) and _begins_line(data, starts[row]):
                comments.add(row)
    if comments:
        kept = [row for row in range(len(starts)) if row not in comments]
        starts, stops = (array("q", map(places.__getitem__, kept)) for places in (starts, stops))
    return starts, stops, len(comments), blank


def _begins_line(data: bytes, at: int) -> bool:
    return not data[data.rfind(b"\n", 0, at) + 1 : at].strip()


def _mostly_lines(data: bytes) -> bool:
    """Whether lines that do not balance look like errors in a file with a tree a line.

    In a file with trees over many lines, the lines between begin with white space or a ')'.
    """
    balanced = unbalanced = 0
    for line in data.split(b"\n"):
        if line.strip() and not line.startswith(_COMMENTS):
            if not line.startswith(b"("):
                return False
            if line.count(b"(") == line.count(b")"):
                balanced += 1
            else:
                unbalanced += 1
    return balanced > unbalanced
