"""Treebanks as rows: files, folders, patterns and archives of any format."""

from __future__ import annotations

import os
from collections.abc import Sequence

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..errors import TreeFormatError
from ..trees.discontinuous import CHOICES, DiscontinuousError, DiscontinuousTree, settle
from ..trees.tree import SegmentTree
from ..wording import check_choice
from .content import Content
from .encodings import check_encoding
from .files import LAYOUTS, TreeFile, may_be_marked
from .formats import AUTO, FORMATS, Row
from .places import Part, find_parts, pair_parts
from .rows import ListRows, Problems, fill

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

    Path = str | os.PathLike[str]


class Reading:
    """How treebanks are read.

    Args:
        layout: How trees in brackets stand in their files, as in `TreeFile`.
        format: One of `FORMATS`, or `auto` for what each file looks like.
        encoding: Of text; by default UTF-8, or what a byte-order mark or an XML declaration says.
        discontinuous: What becomes of trees with crossing branches: one of `trees.discontinuous.CHOICES`.

    Attributes:
        settled: How crossing branches of what was read so far were undone; nothing if there were none.
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

    def rows(self, path: Path | Sequence[Path]) -> TreeFile | TreebankRows:
        """The trees of a place, as `find_parts` takes it."""
        return self._rows(find_parts(path), _title(path))

    def pair(
        self,
        reference: Path | Sequence[Path],
        prediction: Path | Sequence[Path],
        other: Reading | None = None,
    ) -> list[TreeFile | TreebankRows]:
        """The trees of both sides; where both are several files, these are paired by their names.

        Predictions may be read in another way.
        """
        titles = _title(reference), _title(prediction)
        references, predictions = pair_parts(find_parts(reference), find_parts(prediction), titles)
        return [self._rows(references, titles[0]), (other or self)._rows(predictions, titles[1])]

    def _rows(self, parts: Sequence[Part], title: str) -> TreeFile | TreebankRows:
        files = [Content(part.read(), part.title, self.encoding) for part in parts]
        title = files[0].title if len(files) == 1 else title
        found = [_read(file, _guess(file) if self.format == AUTO else self.format) for file in files]
        if all(isinstance(rows, bytes) for rows in found):
            data = [(rows, file.title) for rows, file in zip(found, files, strict=True)]
            encodings = {
                self.encoding if rows is file.data else None for rows, file in zip(found, files, strict=True)
            }
            if len(encodings) == 1:
                return TreeFile.joined(data, title, self.layout, encoding=encodings.pop())
        places: list[str] = []
        trees: list[Any] = []
        counts: list[tuple[str, int]] = []
        for rows, file in zip(found, files, strict=True):
            if isinstance(rows, bytes):
                encoding = self.encoding if rows is file.data else None
                brackets = TreeFile(rows, file.title, self.layout, encoding=encoding)
                rows = [Row(brackets.name(row), brackets.text(row)) for row in range(len(brackets))]
                places += [str(row.place) for row in rows]
            else:
                rows = list(rows)
                places += [_name(file.title, row.place) for row in rows]
            trees += [row.tree for row in rows]
            counts.append((file.title, len(rows)))
        treebank = TreebankRows(trees, title, places, counts, self.discontinuous)
        self.settled = self.settled or treebank.settled
        return treebank


def _title(path: Path | Sequence[Path]) -> str:
    if isinstance(path, (str, os.PathLike)):
        return os.fspath(path)
    paths = [os.fspath(one) for one in path]
    return paths[0] if len(paths) == 1 else f"{paths[0]} … {paths[-1]}" if paths else "no files"


def _name(title: str, place: int | str) -> str:
    return f"{title}:{place}" if isinstance(place, int) else f"{title}: {place}"


def _guess(content: Content) -> str:
    """The format of a file; that of plain brackets is told at once."""
    if content.data[:1] == b"(" and not may_be_marked(content.data):
        return "brackets"
    from .formats.guess import guess_format

    return guess_format(content)


def _read(content: Content, format: str) -> Any:
    """The rows of a file, or its brackets."""
    if not FORMATS[format]:
        return content.data
    from ..optional import load_plugin

    return load_plugin(f"{__package__}.formats.{FORMATS[format]}", "reader")(content)


def read_rows(path: Path | Sequence[Path], **reading: Any) -> TreeFile | TreebankRows:
    """The trees of a treebank as rows; `path` as in `find_parts`, other arguments as in `Reading`."""
    return Reading(**reading).rows(path)


def read_trees(
    path: Path | Sequence[Path],
    unit: str | None = None,
    *,
    layout: str = "auto",
    format: str = "auto",
    encoding: str | None = None,
    discontinuous: str = "error",
) -> list[SegmentTree]:
    """All trees of a treebank: of a file, a folder, a pattern such as `wsj/23/*.mrg`, an archive, or several.

    Args:
        path: Where it is; `-` is standard input. What is packed is unpacked.
        unit: What spans count; by default seconds where every word has times, else words.
        layout: How trees in brackets stand in their files: `auto`, `line` or `free`; see `TreeFile`.
        format: One of `formats.FORMATS`; by default what the files look like.
        encoding: By default UTF-8, or what a byte-order mark or an XML declaration says.
        discontinuous: What becomes of trees with crossing branches: an `error`, or `raise`, `split` or `span`
            as in `trees.discontinuous`.
    """
    rows = read_rows(path, layout=layout, format=format, encoding=encoding, discontinuous=discontinuous)
    return [rows.tree(row, unit) for row in range(len(rows))]


class TreebankRows(ListRows):
    """Trees of files in other formats than plain brackets.

    Args:
        trees: Bracket texts, trees, and errors of what cannot be read.
        title: What to call them all in errors.
        places: What to call each.
        files: Of each file, what to call it and how many rows it has.
        discontinuous: What becomes of trees with crossing branches, as in `Reading`.

    Attributes:
        n_discontinuous: How many trees have crossing branches.
    """

    layout = "line"  # no tree that is not closed swallows others

    def __init__(
        self,
        trees: Sequence[Any],
        title: str,
        places: Sequence[str],
        files: Sequence[tuple[str, int]],
        discontinuous: str,
    ) -> None:
        super().__init__(trees, title, names=places.__getitem__)
        self.files = list(files)
        self.n_discontinuous = sum(isinstance(tree, DiscontinuousTree) for tree in trees)
        self._discontinuous = discontinuous

    @property
    def settled(self) -> str:
        """How crossing branches are undone, as signatures tell it; nothing where no tree has any."""
        return self._discontinuous if self.n_discontinuous and self._discontinuous != CHOICES[0] else ""

    def crossing(self, row: int) -> DiscontinuousTree | None:
        """The tree of a row whose branches cross; None if they do not."""
        tree = self._values[row]
        return tree if isinstance(tree, DiscontinuousTree) else None

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
            return super().load(lo, hi, unit, scanner, trees)
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
            return super().tree(row, unit)
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
