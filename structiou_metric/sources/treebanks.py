"""Treebanks as rows: files, folders, patterns and archives of any format."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..errors import TreeFormatError
from ..optional import load_plugin
from ..trees.brackets import has_numbered_words
from ..trees.discontinuous import CHOICES, DiscontinuousError, DiscontinuousTree, settle
from ..trees.tree import SegmentTree
from ..wording import check_choice
from .content import Content, check_encoding, find_mark
from .files import LAYOUTS, TreeFile
from .formats import AUTO, FORMATS, Row
from .places import Part, find_parts, pair_parts, title_of
from .rows import ListRows, Problems, fill

if TYPE_CHECKING:
    from .places import Place

__all__ = ["TreebankRows", "read_rows", "read_trees"]


class Reading:
    """How treebanks are read.

    Args:
        layout: How trees in brackets stand in their files, as in `TreeFile`.
        format: The format, one of `FORMATS`, or `auto` for what each file looks like.
        encoding: The encoding of text; by default UTF-8, or what a byte-order mark or an XML declaration
            says.
        discontinuous: What becomes of trees with crossing branches: one of `trees.discontinuous.CHOICES`.

    Attributes:
        settled: How crossing branches of what was read so far were undone; an empty text if there were none.
    """

    def __init__(
        self,
        layout: str = "auto",
        format: str = AUTO,
        encoding: str | None = None,
        discontinuous: str = CHOICES[0],
    ) -> None:
        check_choice("layout", layout, LAYOUTS)
        check_choice("format", format, (AUTO, *FORMATS))
        check_choice("discontinuous", discontinuous, CHOICES)
        self.layout = layout
        self.format = format
        self.encoding = check_encoding(encoding) if encoding else None
        self.discontinuous = discontinuous
        self.settled = ""

    def rows(self, path: Place) -> TreeFile | TreebankRows:
        """The trees of a place, as `find_parts` takes it."""
        return self.rows_of(find_parts(path), title_of(path))

    def pair(
        self, reference: Place, predictions: Sequence[Place], other: Reading | None = None
    ) -> list[TreeFile | TreebankRows]:
        """The trees of the reference, then of each prediction; files are paired by their names.

        They are taken as they are where either side is one file. Predictions may be read in another way.
        """
        title, references = title_of(reference), find_parts(reference)
        found = [self.rows_of(references, title)]
        for prediction in predictions:
            titles = title, title_of(prediction)
            _, parts = pair_parts(references, find_parts(prediction), titles)
            found.append((other or self).rows_of(parts, titles[1]))
        return found

    def rows_of(self, parts: Sequence[Part], title: str, *, blank: bool = True) -> TreeFile | TreebankRows:
        """The trees of some files.

        Args:
            parts: The files.
            title: What to call them all in errors, if they are several.
            blank: Whether blank lines between brackets may be rows, failed parses.
        """
        files = [Content(part.read(), part.title, self.encoding) for part in parts]
        title = files[0].title if len(files) == 1 else title
        found = [_read(file, guess_format(file) if self.format == AUTO else self.format) for file in files]
        if all(isinstance(rows, bytes) for rows in found):
            data = [(rows, file.title) for rows, file in zip(found, files, strict=True)]
            encodings = {
                self.encoding if rows is file.data else None for rows, file in zip(found, files, strict=True)
            }
            if len(encodings) == 1:
                whole = TreeFile.joined(data, title, self.layout, encoding=encodings.pop())
                if not blank:
                    whole.leave_out_blank()
                return whole
        trees: list[Row] = []
        counts: list[tuple[str, int]] = []
        n_comments = 0
        for rows, file in zip(found, files, strict=True):
            if isinstance(rows, bytes):
                encoding = self.encoding if rows is file.data else None
                brackets = TreeFile(rows, file.title, self.layout, encoding=encoding)
                if not blank:
                    brackets.leave_out_blank()
                n_comments += brackets.n_comments
                rows = [Row(*brackets.place(row)) for row in range(len(brackets))]
            n_before = len(trees)
            trees += rows
            counts.append((file.title, len(trees) - n_before))
        treebank = TreebankRows(trees, title, counts, self.discontinuous, n_comments)
        self.settled = self.settled or treebank.settled
        return treebank


def _read(content: Content, format: str) -> Any:
    """The rows of a file, or its brackets."""
    if not FORMATS[format]:
        return content.data

    return load_plugin(f"{__package__}.formats.{FORMATS[format]}", "reader")(content)


def read_rows(path: Place, **reading: Any) -> TreeFile | TreebankRows:
    """The trees of a treebank as rows, which `Metric.corpus_score` takes without making an object of each.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.mrg")
    ...     size = path.write_text("(S (A a)) (S (B b))")
    ...     rows = read_rows(path)
    >>> len(rows), str(rows.tree(1, "word"))
    (2, '(S (B b))')

    Args:
        path: Where the treebank is, as `find_parts` takes it.
        **reading: The arguments `layout`, `format`, `encoding` and `discontinuous` of `read_trees`.
    """
    return Reading(**reading).rows(path)


def read_trees(
    path: Place,
    unit: str | None = None,
    *,
    layout: str = "auto",
    format: str = "auto",
    encoding: str | None = None,
    discontinuous: str = "error",
) -> list[SegmentTree]:
    """All trees of a treebank: of a file, a folder, a pattern such as `wsj/23/*.mrg`, an archive, or several.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.mrg")
    ...     size = path.write_text("(S (A a)) (S (B b))")
    ...     print(*read_trees(path))
    (S (A a)) (S (B b))

    Args:
        path: Where the treebank is; `-` is standard input. What is packed is unpacked.
        unit: What spans count; by default seconds where every word has times, else words.
        layout: How trees in brackets stand in their files: `auto`, `line` or `free`; see `TreeFile`.
        format: The format, one of `formats.FORMATS`; by default what the files look like.
        encoding: The encoding of text; by default UTF-8, or what a byte-order mark or an XML declaration
            says.
        discontinuous: What becomes of trees with crossing branches: an `error`, or `raise`, `split` or `span`
            as in `trees.discontinuous`.
    """
    rows = read_rows(path, layout=layout, format=format, encoding=encoding, discontinuous=discontinuous)
    return [rows.tree(row, unit) for row in range(len(rows))]


class TreebankRows(ListRows):
    """Trees of files in other formats than plain brackets.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.discbracket")
    ...     size = path.write_text("(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))")
    ...     rows = read_rows(path, discontinuous="raise")
    >>> rows.n_discontinuous, rows.settled, str(rows.tree(0, "word"))
    (1, 'raise', '(S (VP (VB is)) (NP John) (JJ rich))')

    Args:
        rows: What the readers of the formats found.
        title: What to call them all in errors.
        files: What to call each file and how many rows it has.
        discontinuous: What becomes of trees with crossing branches, as in `Reading`.
        n_comments: How many lines among brackets are comments.

    Attributes:
        n_discontinuous: How many trees have crossing branches.
    """

    layout = "line"  # no tree that is not closed swallows others

    def __init__(
        self,
        rows: Sequence[Row],
        title: str,
        files: Sequence[tuple[str, int]],
        discontinuous: str,
        n_comments: int = 0,
    ) -> None:
        super().__init__([row.tree for row in rows], title)
        self.files = list(files)
        self.n_discontinuous = sum(isinstance(tree, DiscontinuousTree) for tree in self._values)
        self.n_comments = n_comments
        self._places = rows
        self._ends = list(accumulate(n_rows for _, n_rows in files))
        self._discontinuous = discontinuous

    def name(self, row: int) -> str:
        """The file and the line of a row, or what else it is called there."""
        place = self._places[row].place
        return f"{self._file(row)}:{place}" if isinstance(place, int) else f"{self._file(row)}: {place}"

    def line(self, row: int) -> int:
        """The line of its file that a row begins in; 0 where rows are not called by lines."""
        place = self._places[row].place
        return place if isinstance(place, int) else 0

    def _file(self, row: int) -> str:
        return self.files[bisect_right(self._ends, row)][0]

    @property
    def settled(self) -> str:
        """How crossing branches are undone, as signatures tell it; an empty text where no tree has any."""
        return self._discontinuous if self.n_discontinuous and self._discontinuous != CHOICES[0] else ""

    def crossing(self, row: int) -> DiscontinuousTree | None:
        """The tree of a row whose branches cross; None if they do not."""
        tree = self._values[row]
        return tree if isinstance(tree, DiscontinuousTree) else None

    def several(self) -> dict[int, list[Any]]:
        """Return nothing, as every row of a treebank is one tree."""
        return {}

    def longest(self, lo: int, hi: int) -> int:
        """About how many bytes the longest of rows `lo … hi` has."""
        lengths = (
            len(tree) if isinstance(tree, str) else 16 * len(getattr(tree, "labels", ()))
            for tree in self._values[lo:hi]
        )
        return max(lengths, default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Reads bracket texts by the scanner, batches with anything else one by one."""
        if all(isinstance(tree, str) for tree in self._values[lo:hi]):
            found = super().load(lo, hi, unit, scanner, trees)
            return {row: self._placed(row, error) for row, error in found.items()}
        loaded: list[SegmentTree | None] = []
        problems: Problems = {}
        for row in range(lo, hi):
            try:
                loaded.append(self.tree(row, unit))
            except TreeFormatError as error:
                loaded.append(None)
                problems[row] = error
        fill(loaded, unit, scanner, trees)
        return problems

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        tree = self._values[row]
        if isinstance(tree, TreeFormatError):
            raise tree
        if not isinstance(tree, DiscontinuousTree):
            try:
                return super().tree(row, unit)
            except TreeFormatError as error:
                raise self._placed(row, error) from None
        try:
            settled = settle(tree, self._discontinuous)
        except DiscontinuousError as error:
            message = error.message
            if self._discontinuous == CHOICES[0]:
                message += (
                    f" ({self.n_discontinuous} of {len(self)} trees are discontinuous); choose "
                    "--discontinuous "
                    "raise, split or span (in Python discontinuous='raise'), or --metric disco_parseval"
                )
            raise DiscontinuousError(message, source=self.name(row)) from None
        return settled if unit is None else settled.with_unit(unit)

    def _placed(self, row: int, error: ValueError) -> ValueError:
        """An error in bracket text, which counts its lines and columns, with its place in the file."""
        if not isinstance(error, TreeFormatError) or error.line is None or error.column is None:
            return error
        place, _, column = self._places[row]
        if not isinstance(place, int):
            return TreeFormatError(error.message, source=self.name(row), window=error.window)
        first = column if error.line == 1 else 1
        return TreeFormatError(
            error.message,
            source=self._file(row),
            line=place + error.line - 1,
            column=first + error.column - 1 if column else None,
            window=error.window,
        )


_HEAD = 1 << 16  # bytes that are looked at

# What the first lines of a file look like, the first that fits.
_LOOKS = {
    "export": rb"(?m)^#(?:FORMAT|BOT|BOS)[ \t]",
    "conll-2012": rb"(?m)^#begin document|\A\S+[ \t]+\d+[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]+[^\s*]*\*\S*[ \t]",
    "conllu": rb"(?m)^# constituency[ \t]*=|\A(?:#[^\n]*\n)*1(?:-\d+)?\t[^\t\n]*\t[^\t\n]*\t[^\t\n]*\t",
    "sinica": rb"\A(?:#?[^\s(]*\.\[\d+\][ \t]+\S|[^\s()<{#%*:|]+\([^\s()]*:)",
}
_ELEMENT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_ROOTS = {
    b"corpus": "tiger-xml",
    b"subcorpus": "tiger-xml",
    b"alpino_ds": "alpino-xml",
    b"treebank": "alpino-xml",
}
_FEATURES = re.compile(rb"\([^\s()#]*##[^\s()]*##[\s()]")


def guess_format(content: Content) -> str:
    """Return the name of a file's format: brackets, unless it looks like another one."""
    data = content.data
    if data[:1] != b"(":
        wide = find_mark(data) or content.encoding
        head = content.utf8 if wide else data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
        head = head[:_HEAD].replace(b"\r\n", b"\n").lstrip()
        if head[:1] == b"<":
            return _guess_xml(content, head)
        if head[:1] in (b"{", b"["):
            return "corenlp-json"
        for name, look in _LOOKS.items():
            if re.search(look, head):
                return name
        numbered = has_numbered_words(head)
    else:
        head, numbered = data[:_HEAD], has_numbered_words(data)
    if numbered:
        return "discbracket"
    return "ftb" if b"##" in head and _FEATURES.search(head) else "brackets"


def _guess_xml(content: Content, head: bytes) -> str:
    found = _ELEMENT.search(re.sub(rb"<!--.*?-->", b"", head, flags=re.S))
    name = found[1] if found else b""
    if name not in _ROOTS:
        known = ", ".join(f"<{root.decode()}>" for root in _ROOTS)
        raise content.error(
            f"this XML begins with <{name.decode()}>, and only {known} are known to hold trees; if it "
            "is one of "
            "these, say --format tiger-xml or --format alpino-xml"
        )
    return _ROOTS[name]
