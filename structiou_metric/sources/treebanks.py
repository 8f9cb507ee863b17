"""Read treebanks as rows: files, folders, patterns and archives of any format."""

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
from .files import LAYOUTS, TreeFile, remove_separators
from .formats import AUTO, DIALECTS, FORMATS, Row
from .places import Part, find_parts, pair_parts, title_of
from .rows import ListRows, Problems, fill

if TYPE_CHECKING:
    from .places import Place

__all__ = ["TreebankRows", "read_rows", "read_trees"]


class Reading:
    """The settings by which treebanks are read.

    Args:
        layout: How trees in brackets are laid out in their files, as in `TreeFile`.
        format: The format, one of `FORMATS`, or `auto` for the one that each file looks like.
        encoding: The encoding of text; by default UTF-8, or that of a byte-order mark or an XML
            declaration.
        discontinuous: The way to undo crossing branches: one of `trees.discontinuous.CHOICES`.

    Attributes:
        signature_parts: The parts of signatures that describe how the trees so far were read, as in
            `rows.sign_reading`.
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
        self.signature_parts: tuple[str, ...] = ()

    def rows(self, path: Place) -> TreeFile | TreebankRows:
        """Return the trees of a place, as `find_parts` takes it."""
        return self.rows_of(find_parts(path), title_of(path))

    def pair(
        self, reference: Place, predictions: Sequence[Place], other: Reading | None = None
    ) -> list[TreeFile | TreebankRows]:
        """Return the trees of the reference, then of each prediction.

        Files are paired by their names, unless one side is a single file. Blank lines that all sides have at
        the same place are removed. The predictions are read according to `other`, by default like the
        reference.
        """
        title, references = title_of(reference), find_parts(reference)
        other = other or self
        flag = f"--encoding {{}},{other.encoding or 'utf-8'}"
        found = [self.rows_of(references, title, flag=flag)]
        for prediction in predictions:
            titles = title, title_of(prediction)
            _, parts = pair_parts(references, find_parts(prediction), titles)
            flag = f"--encoding {self.encoding or 'utf-8'},{{}}"
            found.append(other.rows_of(parts, titles[1], flag=flag))
        remove_separators(found)
        return found

    def rows_of(
        self, parts: Sequence[Part], title: str, *, blank: bool = True, flag: str = ""
    ) -> TreeFile | TreebankRows:
        """Return the trees of some files.

        Args:
            parts: The files.
            title: The name of them all in errors, if they are several.
            blank: Whether blank lines between brackets may be rows, failed parses.
            flag: The flag that sets the encoding, as in `content.as_utf8`.
        """
        files = [Content(part.read(), part.title, self.encoding, flag=flag) for part in parts]
        rows = self._read_files(files, files[0].title if len(files) == 1 else title, blank)
        self.signature_parts = tuple(dict.fromkeys((*self.signature_parts, *rows.signature_parts)))
        return rows

    def _read_files(self, files: Sequence[Content], title: str, blank: bool) -> TreeFile | TreebankRows:
        formats = [guess_format(file) if self.format == AUTO else self.format for file in files]
        dialects = tuple(f"format:{name}" for name in dict.fromkeys(formats) if name in DIALECTS)
        found = [_read(file, name) for file, name in zip(files, formats, strict=True)]
        if all(isinstance(rows, bytes) for rows in found):
            data = [(rows, file.title) for rows, file in zip(found, files, strict=True)]
            whole = TreeFile.joined(data, title, self.layout)
            whole.signature_parts = dialects
            if not blank:
                whole.remove_blank()
            return whole
        trees: list[Row] = []
        counts: list[tuple[str, int]] = []
        n_comments = 0
        for rows, file in zip(found, files, strict=True):
            if isinstance(rows, bytes):
                brackets = TreeFile(rows, file.title, self.layout)
                if not blank:
                    brackets.remove_blank()
                n_comments += brackets.n_comments
                rows = [Row(*brackets.place(row)) for row in range(len(brackets))]
            n_before = len(trees)
            trees += rows
            counts.append((file.title, len(trees) - n_before))
        treebank = TreebankRows(trees, title, counts, self.discontinuous, n_comments)
        treebank.signature_parts += dialects
        return treebank


def _read(content: Content, format: str) -> Any:
    """Return the rows of a file, or its brackets."""
    if not FORMATS[format]:
        return content.utf8

    return load_plugin(f"{__package__}.formats.{FORMATS[format]}", "reader")(content)


def read_rows(path: Place, **reading: Any) -> TreeFile | TreebankRows:
    """Return the trees of a treebank as rows, which `Metric.corpus_score` takes without making objects.

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
    """Read all trees of a file, a folder, a pattern such as `wsj/23/*.mrg`, an archive, or several of these.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.mrg")
    ...     size = path.write_text("(S (A a)) (S (B b))")
    ...     print(*read_trees(path))
    (S (A a)) (S (B b))

    Args:
        path: Where the treebank is; `-` is standard input. Packed files are unpacked.
        unit: The unit of spans; by default seconds if every word has times, else words.
        layout: How trees in brackets are laid out in their files: `auto`, `line`, `free` or `sentence`; see
            `TreeFile`.
        format: The format, one of `formats.FORMATS`; by default the one that the files look like.
        encoding: The encoding of text; by default UTF-8, or that of a byte-order mark or an XML
            declaration.
        discontinuous: The way to undo crossing branches: `raise`, `split` or `span`, as in
            `trees.discontinuous`; by default such trees are an `error`.
    """
    rows = read_rows(path, layout=layout, format=format, encoding=encoding, discontinuous=discontinuous)
    return [rows.tree(row, unit) for row in range(len(rows))]


class TreebankRows(ListRows):
    """Trees of files in formats other than brackets.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.discbracket")
    ...     size = path.write_text("(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))")
    ...     rows = read_rows(path, discontinuous="raise")
    >>> rows.n_discontinuous, rows.signature_parts, str(rows.tree(0, "word"))
    (1, ('discontinuous:raise',), '(S (VP (VB is)) (NP John) (JJ rich))')

    Args:
        rows: The rows as the readers of the formats return them.
        title: The name of all rows in errors.
        files: The name of each file and its number of rows.
        discontinuous: The way to undo crossing branches, as in `Reading`.
        n_comments: The number of lines among brackets that are comments.

    Attributes:
        n_discontinuous: The number of trees with crossing branches.
        signature_parts: The parts of signatures that describe how the trees were read.
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
        undone = self.n_discontinuous and discontinuous != CHOICES[0]
        self.signature_parts: tuple[str, ...] = (f"discontinuous:{discontinuous}",) if undone else ()

    def name(self, row: int) -> str:
        """Return the file and the line of a row, or the name that the file gives it."""
        place = self._places[row].place
        return f"{self._file(row)}:{place}" if isinstance(place, int) else f"{self._file(row)}: {place}"

    def line(self, row: int) -> int:
        """Return the line of its file in which a row begins; 0 if rows have names instead of lines."""
        place = self._places[row].place
        return place if isinstance(place, int) else 0

    def _file(self, row: int) -> str:
        return self.files[bisect_right(self._ends, row)][0]

    def crossing(self, row: int) -> DiscontinuousTree | None:
        """Return the tree of a row if its branches cross; None if they do not."""
        tree = self._values[row]
        return tree if isinstance(tree, DiscontinuousTree) else None

    def several(self) -> dict[int, list[Any]]:
        """Return no rows, as every row of a treebank is one tree."""
        return {}

    def longest(self, lo: int, hi: int) -> int:
        """Return about how many bytes the longest of rows `lo … hi` has."""
        lengths = (
            len(tree) if isinstance(tree, str) else 16 * len(getattr(tree, "labels", ()))
            for tree in self._values[lo:hi]
        )
        return max(lengths, default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Read bracket texts with the scanner, and batches with anything else one by one."""
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
        """Return one row as a tree."""
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
                    "--discontinuous raise, split or span (in Python discontinuous='raise'), or --metric "
                    "disco_parseval"
                )
            raise DiscontinuousError(message, source=self.name(row)) from None
        return settled if unit is None else settled.with_unit(unit)

    def _placed(self, row: int, error: ValueError) -> ValueError:
        """Return an error with its place in the file; bracket text counts its own lines and columns."""
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


_HEAD = 1 << 16  # bytes that decide about the format

# Patterns of the first lines of a file; the first that matches decides.
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

# An identifier with a comma or a full stop in it, metadata, or a lemma in brackets of its own.
_HELSINKI = re.compile(
    rb"\(ID\s+[^\s()]*[,.][^\s()]*\s*\)\s*\)|\(META\s*\("
    rb"|\((?:LEMMA|lemma)\s+[^\s()]+\s*\)\s*\)"
)
_LEAF = re.compile(rb"\(([^\s()]+)((?:\s+[^\s()]+)+)\s*\)")
_EAGLES = re.compile(rb"[a-z][a-z0-9]*[0-9][a-z0-9]*")  # tags such as da0ms0 and vmis3s0
_MOST_LEAVES = 0.5  # share of leaves that have two words where the second is the lemma


def guess_format(content: Content) -> str:
    """Return the name of the format: brackets, if the first lines match no other."""
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
    if b"##" in head and _FEATURES.search(head):
        return "ftb"
    if _HELSINKI.search(head):
        return "penn-helsinki"
    _refuse_lemmas(content, head)
    return "brackets"


def _refuse_lemmas(content: Content, head: bytes) -> None:
    """Raise an error for brackets with a word and its lemma, which would be read as two words."""
    leaves = _LEAF.findall(head)
    pairs = [leaf for leaf in leaves if len(leaf[1].split()) == 2]
    with_lemmas = [leaf for leaf in pairs if _EAGLES.fullmatch(leaf[0])]
    if not with_lemmas or len(pairs) <= _MOST_LEAVES * len(leaves):
        return
    tag, words = with_lemmas[0]
    example = " ".join(part.decode("utf-8", "replace") for part in (tag, *words.split()))
    raise content.error(
        f"leaves such as ({example}) seem to have a word and its lemma, as in CESS, and would be read as two "
        "words; choose --format cess to leave out the lemmas, or --format brackets if both are words (in "
        "Python format='cess' or 'brackets')"
    )


def _guess_xml(content: Content, head: bytes) -> str:
    found = _ELEMENT.search(re.sub(rb"<!--.*?-->", b"", head, flags=re.S))
    name = found[1] if found else b""
    if name not in _ROOTS:
        known = ", ".join(f"<{root.decode()}>" for root in _ROOTS)
        raise content.error(
            f"this XML begins with <{name.decode()}>, and only {known} are known to hold trees; if it "
            "is one of these, choose --format tiger-xml or --format alpino-xml"
        )
    return _ROOTS[name]
