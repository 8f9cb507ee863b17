"""Documents in files of trees: what parts them, and what they are called.

Both sides of a comparison are cut in the same way, so that each document of one has its like in the other.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from ..errors import TreeFormatError
from ..wording import check_choice
from .content import Content
from .documents import Documents
from .files import PARTED, TreeFile
from .places import Part, find_parts, title_of
from .treebanks import Reading, TreebankRows

if TYPE_CHECKING:
    from .places import Place

_BLANK = re.compile(rb"^[^\S\n]*$", re.MULTILINE)
_MARK = re.compile(
    r"^#(?:[ \t]*newdoc\b(?:[ \t]+id\b)?[ \t]*=?|begin document\b)[ \t]*([^\r\n]*)", re.MULTILINE
)


def read_documents(
    path: Place,
    parted: str,
    reading: Reading | None = None,
) -> Documents:
    """Reads the documents of a treebank.

    Args:
        path: Where the treebank is, as `find_parts` takes it.
        parted: What parts documents, a key of `PARTED`. Blank lines are no failed parses here, whatever parts
            documents.
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
    """The documents of what a file holds, which is one document if every file is; see `read_documents`."""
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
    """A path without the ends of the file's name, which tell how it was made: `01/wsj_0101.mrg.gz`."""
    folder, name = os.path.split(path)
    return "/".join([*folder.split(os.sep), name.split(".")[0]]) if folder else name.split(".")[0]


def _cut_at_blanks(rows: TreeFile) -> list[int]:
    """How many trees stand between blank lines."""
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
    """The trees behind each mark of a text."""
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
            raise TreeFormatError("this tree stands before the first line '# newdoc'", source=rows.name(row))
        sizes[document] += 1
    ids = [mark[1].strip() for mark in marks]
    return Documents(rows, sizes, ids if any(ids) else None)
