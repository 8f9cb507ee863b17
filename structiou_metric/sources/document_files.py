"""Documents in files of trees: what parts them, and what they are called.

Both sides of a comparison are cut in the same way, so that each document of one has its like in the other.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Sequence

from ..errors import TreeFormatError
from ..wording import check_choice
from .documents import Documents
from .encodings import as_utf8
from .files import PARTED, TreeFile, read_bytes

_BLANK = re.compile(rb"^[^\S\n]*$", re.MULTILINE)
_MARK = re.compile(rb"^#[ \t]*newdoc\b(?:[ \t]+id\b)?[ \t]*=?[ \t]*([^\r\n]*)", re.MULTILINE)


def read_documents(path: str | os.PathLike[str], parted: str, layout: str = "auto") -> Documents:
    """Reads the documents of a file, or of a folder.

    Args:
        path: A file as `TreeFile.read` takes it, or a folder of such files.
        parted: A key of `PARTED`. Blank lines are no failed parses here, whatever parts documents.
        layout: That of the files.
    """
    check_choice("way of parting documents", parted, PARTED)
    title = os.fspath(path)
    if not os.path.isdir(title):
        return documents_of(*read_bytes(path), parted, layout)
    if parted != "file":
        raise TreeFormatError(
            f"this is a folder; with documents parted by {parted!r} name a file, or make every file a "
            "document (file)",
            source=title,
        )
    rows = TreeFile.joined(_files_of(title), title, layout)
    rows.leave_out_blank()
    ids = [_stem(os.path.relpath(name, title)) for name, _ in rows.files]
    return Documents(rows, [n_rows for _, n_rows in rows.files], ids)


def documents_of(data: bytes, title: str, parted: str, layout: str = "auto") -> Documents:
    """The documents of what a file holds, which is one document if every file is; see `read_documents`."""
    data = as_utf8(data, title)
    marks = list(_MARK.finditer(data)) if parted == "marks" else []
    if marks:  # lines keep their numbers, and bytes their places
        data = _MARK.sub(lambda match: b" " * len(match[0]), data)
    rows = TreeFile(data, title, layout)
    rows.leave_out_blank()
    if parted == "marks":
        return _cut_at_marks(rows, marks)
    if parted == "blank":
        return Documents(rows, _cut_at_blanks(rows))
    return Documents(rows, [len(rows)] if len(rows) else [])  # a file without trees holds no document


def _files_of(folder: str) -> list[tuple[bytes, str]]:
    """What the files of a folder and of those in it hold, by the order of their names; no hidden ones."""
    paths = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [os.path.join(place, name) for name in names if not name.startswith(".")]
    if not paths:
        raise TreeFormatError("there are no files in this folder", source=folder)
    return [read_bytes(path) for path in sorted(paths)]


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


def _cut_at_marks(rows: TreeFile, marks: Sequence[re.Match[bytes]]) -> Documents:
    """The trees behind each mark."""
    if not marks:
        raise TreeFormatError("there is no line '# newdoc' that begins a document", source=rows.title)
    begins = [match.start() for match in marks]
    sizes = [0] * len(begins)
    for row, (begin, _) in enumerate(rows.places()):
        document = bisect_right(begins, begin) - 1
        if document < 0:
            raise TreeFormatError("this tree stands before the first line '# newdoc'", source=rows.name(row))
        sizes[document] += 1
    ids = [match[1].decode().strip() for match in marks]
    return Documents(rows, sizes, ids if any(ids) else None)
