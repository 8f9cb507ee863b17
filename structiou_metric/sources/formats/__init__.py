"""Readers and writers of treebanks: one for each format in which they are stored.

A reader is a function of a `Content`. It returns the rows of the file as `Row`s; or, where brackets need only
be cleaned, brackets as bytes with the same lines. A new one is a module and a line in `FORMATS`; if its files
can be recognised by their text, also a line in `treebanks.guess_format`.
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
    "penn-helsinki": "annotated:read_helsinki",
    "cess": "annotated:read_cess",
    "sinica": "sinica:read_sinica",
    "conll-2012": "conll2012:read_conll2012",
    "conllu": "conllu:read_conllu",
    "corenlp-json": "corenlp:read_corenlp",
}


# Formats that leave out words of the file, so that signatures name them.
DIALECTS = ("penn-helsinki", "cess")

AUTO = "auto"  # in place of a format: the one that a file looks like


class Row(NamedTuple):
    """A row of a treebank.

    Attributes:
        place: The line of the row, or its name.
        tree: The bracket text, a `SegmentTree` or a `DiscontinuousTree`; or the error that keeps it from
            being read.
        column: The column in which bracket text begins, from 1, if it is a part of the file; 0 if it was made
            from something else in the file, with at most the same number of lines.
    """

    place: int | str
    tree: Any
    column: int = 0
