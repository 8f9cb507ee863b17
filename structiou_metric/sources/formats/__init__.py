"""Treebanks as they are stored: a reader for each format, which one is for which file, and who writes what.

A reader is a function of a `Content`. It gives the rows of the file as `Row`s; or, where brackets need only
be cleaned, brackets as bytes with the same lines. A new one is a module and a line in `FORMATS`; if its files
can be told by what they say, also a line in `treebanks.guess_format`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# Each format and its reader, `module:function`, imported when it is needed; brackets need none.
FORMATS = {
    "brackets": "",
    "discbracket": "discbracket:read_discbracket",
    "export": "export:read_export",
    "tiger-xml": "tiger:read_tiger",
    "alpino-xml": "alpino:read_alpino",
    "ftb": "ftb:read_ftb",
    "sinica": "sinica:read_sinica",
    "conll-2012": "conll2012:read_conll2012",
    "conllu": "conllu:read_conllu",
    "corenlp-json": "corenlp:read_corenlp",
}


AUTO = "auto"  # in place of a format: what a file looks like


class Row(NamedTuple):
    """A row of a treebank.

    Attributes:
        place: The line of the row, or what else to call it.
        tree: The bracket text, a `SegmentTree` or a `DiscontinuousTree`; or the error that keeps it from
            being read.
        column: Where bracket text begins in its line, from 1, if it stands in the file as it is; 0 if it was
            made of what the file says, with as many lines at most.
    """

    place: int | str
    tree: Any
    column: int = 0
