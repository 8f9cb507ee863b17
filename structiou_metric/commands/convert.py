"""`structiou convert`: write a treebank in a different format."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from ..errors import TreeFormatError
from ..sources.formats.writing import HEADERS, HOLD_GAPS, WRITERS
from ..sources.tables import Table, name_kinds, open_table
from ..sources.treebanks import Reading
from ..trees.discontinuous import DiscontinuousTree
from ..trees.labels import TRACE, base_label
from ..trees.surgery import dropped_words, without_words
from ..trees.tree import SegmentTree
from ..wording import count
from . import inputs, outputs

USAGE = "IN [IN …] OUT [options]"
DESCRIPTION = """\
Writes a treebank in another format: brackets (a tree a line), timed (brackets with the times of words),
discbracket and export (which hold crossing branches, too), json (a line of flat columns for each tree) or
spans (a line of labelled spans). OUT may be - for standard output."""
EPILOG = """\
examples:
  structiou convert wsj/23 wsj23.txt --traces drop --labels base
  structiou convert tiger.xml tiger.txt --discontinuous raise
  structiou convert negra.export negra.dbr --format discbracket --encoding latin-1
  structiou convert parsed.json - --from corenlp-json | structiou score gold.mrg -
"""

# The formats of outputs by the ending of their names, and endings of formats that can only be read.
_FORMATS = {
    ".export": "export",
    ".negra": "export",
    ".dbr": "discbracket",
    ".discbracket": "discbracket",
    ".json": "json",
    ".jsonl": "json",
}
_NOT_WRITTEN = (".xml", ".conll", ".conllu", ".gold_conll", ".v4_gold_conll", ".gz", ".bz2", ".xz", ".zst")


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument(
        "trees", nargs="+", metavar="IN", help="treebank, as for score, or one table; - is standard input"
    )
    parser.add_argument("output", metavar="OUT", help="where to write it; - is standard output")
    parser.add_argument(
        "--format",
        choices=WRITERS,
        help="of OUT (default: by the ending of its name, such as .export, .dbr or .jsonl; else "
        f"{next(iter(WRITERS))})",
    )
    parser.add_argument(
        "--labels",
        choices=("exact", "base"),
        default="exact",
        help="base: without function tags and indices (default: exact)",
    )
    parser.add_argument(
        "--traces",
        choices=("keep", "drop"),
        default="keep",
        help=f"drop: without {TRACE} leaves and the nodes they empty (default: keep)",
    )
    parser.add_argument(
        "--tree-column",
        metavar="NAME",
        help="column of a table with the trees (default: tree, or the only column)",
    )
    inputs.add_reading(parser, format="--from")


def run(args: argparse.Namespace) -> str:
    """Write the treebank; write nothing if any tree cannot be written."""
    args.format = args.format or _find_format(args)
    if args.output != "-":
        outputs.check_writable(args.output)
    inputs.check_stdin(args.parser, *args.trees)
    reading = inputs.reading_of(args)
    rows = _read(args, reading)
    lines = []
    for row in range(len(rows)):
        try:
            lines.append(WRITERS[args.format](_tree(rows, row, args, reading), row + 1))
        except TreeFormatError as error:
            raise error if error.source else TreeFormatError(error.message, source=rows.name(row)) from None
    text = "".join([HEADERS.get(args.format, ""), *lines])
    if args.output == "-":
        return text
    outputs.write_text(args.output, text)
    remarks = [
        count(number, what)
        for what, name in (("comment line", "n_comments"), ("discontinuous tree", "n_discontinuous"))
        if (number := getattr(rows, name, 0))
    ]
    remark = f" ({', '.join(remarks)} in {rows.title})" if remarks else ""
    return f"{count(len(rows), 'tree')} written to {args.output}{remark}\n"


def _find_format(args: argparse.Namespace) -> str:
    """Return the format of the output by its ending; refuse endings of formats that are not written."""
    ending = os.path.splitext(args.output)[1].lower()
    if ending in _NOT_WRITTEN:
        args.parser.error(
            f"{args.output}: {ending} files are read, but not written; choose another ending, or "
            f"a format with --format: {', '.join(WRITERS)}"
        )
    return _FORMATS.get(ending, next(iter(WRITERS)))


def _read(args: argparse.Namespace, reading: Reading) -> Any:
    """Return the trees of a table, or of a treebank."""
    places: list[Any] = []
    for path in args.trees:
        found = open_table(path, reading.encoding, asked=bool(args.tree_column))
        if isinstance(found, Table) and len(args.trees) > 1:
            args.parser.error(f"{path} is a table, which cannot be one of several files")
        if isinstance(found, Table):
            return found.columns({"tree": args.tree_column}, reading.encoding)[0]
        places.append(found or path)
    if args.tree_column is not None:
        args.parser.error(f"--tree-column: {args.trees[0]} is no table ({name_kinds()})")
    return reading.rows(places)


def _tree(rows: Any, row: int, args: argparse.Namespace, reading: Reading) -> Any:
    """Return a tree in the form to write, with crossing branches if the format can hold them."""
    tree = None
    if reading.discontinuous == "error" and hasattr(rows, "crossing"):
        tree = rows.crossing(row)
        if tree is not None and args.format not in HOLD_GAPS:
            raise TreeFormatError(
                f"this tree is discontinuous: {tree.describe()} ({rows.n_discontinuous} of {len(rows)} trees "
                "are discontinuous); choose --discontinuous raise, split or span, or write --format "
                "discbracket or export"
            )
    tree = tree or rows.tree(row, None)
    if args.traces == "drop" and TRACE in tree.labels:
        if isinstance(tree, DiscontinuousTree):
            raise TreeFormatError(f"{TRACE} leaves of discontinuous trees stay; choose --discontinuous raise")
        tree = without_words(tree, dropped_words(tree, [TRACE]))
    if args.labels == "base":
        _, *rest = tree.values()
        labels = tuple(map(base_label, tree.labels))
        if isinstance(tree, DiscontinuousTree):
            return DiscontinuousTree(labels, *rest, order=tree.order)
        return SegmentTree(labels, *rest)
    return tree
