"""Files of trees: one tree a line, or Penn Treebank style over many lines."""

from __future__ import annotations

import os
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from .._core.flat import FlatTrees, longs
from .._core.scan import Scanner, split
from ..errors import TreeFormatError
from ..trees.brackets import bracket_error, read_buffer
from ..trees.tree import SegmentTree
from ..wording import check_choice
from .rows import Problems, scan

LAYOUTS = ("auto", "line", "free", "sentence")

BOM = b"\xef\xbb\xbf"


class TreeFile:
    """The trees of one file, as rows.

    In the layout `line` every line is a tree, and a blank line is a failed parse. In the layout
    `free` a tree ends where its brackets close, and blank lines mean nothing. `auto` is `line` when
    no tree goes over a line end and no two share a line, also when a few lines do not balance. In the
    layout `sentence` every line is a row as well, and may have several trees, as EVALB reads it.

    Attributes:
        layout: That of the file; of several, `free` if it is that of one.
        files: Of each file, what to call it and how many rows it has.
    """

    def __init__(self, data: bytes, title: str, layout: str = "auto") -> None:
        self._take([(data, title)], title, layout)

    @classmethod
    def joined(cls, files: Sequence[tuple[bytes, str]], title: str, layout: str = "auto") -> TreeFile:
        """The trees of several files, one after the other; `title` is what to call them all."""
        rows = cls.__new__(cls)
        rows._take(files, title, layout)
        return rows

    def _take(self, files: Sequence[tuple[bytes, str]], title: str, layout: str) -> None:
        check_choice("layout", layout, LAYOUTS)
        texts: list[bytes] = []
        for data, name in files:
            check_text(data, name)
            texts.append(data.removeprefix(BOM))
        found = [_ranges(text, layout) for text in texts]
        if len({file[2] for file in found}) > 1:  # one whose trees happen to fit on lines, among others
            found = [_ranges(text, "free") for text in texts]
        self.layout = found[0][2] if found else "line"
        self._title = title
        self._paths = [name for _, name in files]
        self._begins: list[int] = []  # where each file begins in the data
        self._line_ends: array[int] | None = None
        self._starts, self._stops = array("q"), array("q")
        self.files: list[tuple[str, int]] = []
        begin = 0
        for text, name, (starts, stops, _) in zip(texts, self._paths, found, strict=True):
            self._begins.append(begin)
            self._starts += array("q", [begin + start for start in starts]) if begin else starts
            self._stops += array("q", [begin + stop for stop in stops]) if begin else stops
            self.files.append((name, len(starts)))
            begin += len(text)
        self._data = b"".join(texts) or b" "
        blank = sum(not self._data[lo:hi].strip() for lo, hi in zip(self._starts, self._stops, strict=True))
        self.title = f"{title} (blank lines, each a failed parse: {blank})" if blank else title

    @classmethod
    def read(cls, path: str | os.PathLike[str], layout: str = "auto") -> TreeFile:
        """Reads a file; `-` is standard input, and what gzip compressed is unpacked."""
        return cls(*read_bytes(path), layout)

    def __len__(self) -> int:
        return len(self._starts)

    def name(self, row: int) -> str:
        """File and line."""
        text = self._data[self._starts[row] : self._stops[row]]
        at = self._starts[row] + len(text) - len(text.lstrip())
        path, begin = self._file(at)
        return f"{path}:{self._line(at, begin)}"

    def _file(self, at: int) -> tuple[str, int]:
        """The file of a byte, and where that begins."""
        file = bisect_right(self._begins, at) - 1
        return self._paths[file], self._begins[file]

    def _line(self, at: int, begin: int) -> int:
        """The line of a byte in a file that begins at another, from 1."""
        if self._line_ends is None:
            self._line_ends = _line_ends(self._data)
        return bisect_left(self._line_ends, at) - bisect_left(self._line_ends, begin) + 1

    @property
    def data(self) -> bytes:
        """All bytes, without byte-order marks."""
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
        ends = [bisect_left(self._starts, begin) for begin in (*self._begins[1:], len(self._data))]
        sizes = [hi - lo for lo, hi in zip([0, *ends], ends, strict=False)]
        self.files = [(name, size) for (name, _), size in zip(self.files, sizes, strict=True)]
        self.title = self._title

    def longest(self, lo: int, hi: int) -> int:
        """Bytes of the longest of rows `lo … hi`."""
        return max(stop - start for start, stop in zip(self._starts[lo:hi], self._stops[lo:hi], strict=True))

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

    def by_sentence(self) -> TreeFile | None:
        """The same file with every line as a row; None if a tree goes over the end of a line."""
        _, goes_over, _ = split(self._data, longs(0), longs(0))
        return None if goes_over else TreeFile(self._data, self._title, "sentence")

    def trees(self, unit: str | None = None) -> list[SegmentTree]:
        """All rows as trees, in seconds where all words have times and no unit is given."""
        return [self.tree(row, unit) for row in range(len(self))]


def read_trees(
    path: str | os.PathLike[str], unit: str | None = None, *, layout: str = "auto"
) -> list[SegmentTree]:
    """All trees of a file; see `TreeFile` for the layouts.

    Args:
        path: A file with a tree a line or over many lines, perhaps gzipped; `-` is standard input.
        unit: What spans count; by default seconds where every word has times, else words.
        layout: `auto`, `line` or `free`.
    """
    return TreeFile.read(path, layout).trees(unit)


def read_bytes(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """What a file holds, and what to call it in errors; as in `TreeFile.read`."""
    title = os.fspath(path)
    if title == "-":
        if sys.stdin is None:
            raise OSError("standard input is closed")
        data, title = sys.stdin.buffer.read(), "<stdin>"
    else:
        with open(title, "rb") as file:
            data = file.read()
    if data[:2] == b"\x1f\x8b":
        import gzip
        import zlib

        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise TreeFormatError(f"this gzip file is damaged: {error}", source=title) from None
    return data, title


def check_text(data: bytes, title: str) -> None:
    """Refuses what is not UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        kind = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "something else"
        raise TreeFormatError(
            f"byte 0x{data[error.start]:02x} is not UTF-8 (this may be {kind}); convert the file to UTF-8",
            source=title,
            line=line,
        ) from None


def _ranges(data: bytes, layout: str) -> tuple[array[int], array[int], str]:
    """Where each tree starts and stops, and the layout found."""
    if layout not in ("line", "sentence"):
        room = data.count(b"\n") + 1
        starts, stops = longs(room), longs(room)
        count, goes_over, shares_line = split(data or b" ", starts, stops)
        if layout == "free" or shares_line or (goes_over and not _mostly_lines(data)):
            if count > room:
                starts, stops = longs(count), longs(count)
                split(data, starts, stops)
            return starts[:count], stops[:count], "free"
    stops = _line_ends(data)
    if not data.endswith(b"\n") and data:
        stops.append(len(data))
    starts = array("q", [0, *(stop + 1 for stop in stops[:-1])] if stops else [])
    return starts, stops, "sentence" if layout == "sentence" else "line"


def _line_ends(data: bytes) -> array[int]:
    """Where the newlines stand."""
    ends = array("q")
    end = data.find(b"\n")
    while end >= 0:
        ends.append(end)
        end = data.find(b"\n", end + 1)
    return ends


def _mostly_lines(data: bytes) -> bool:
    """Whether lines that do not balance look like errors in a file with a tree a line.

    In a file with trees over many lines, the lines between begin with white space or a ')'.
    """
    balanced = unbalanced = 0
    for line in data.split(b"\n"):
        if line.strip():
            if not line.startswith(b"("):
                return False
            if line.count(b"(") == line.count(b")"):
                balanced += 1
            else:
                unbalanced += 1
    return balanced > unbalanced
