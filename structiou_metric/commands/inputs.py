"""The trees that commands read: arguments for their places and formats, and the rows that they give."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any

from ..sources.content import check_encoding
from ..sources.documents import DocumentRows, Documents, read_documents, runs_of
from ..sources.files import LAYOUTS, PARTED
from ..sources.formats import AUTO, FORMATS
from ..sources.places import title_of
from ..sources.rows import Rows, sign_reading
from ..sources.tables import Table, name_kinds, open_table
from ..sources.treebanks import Reading
from ..trees.discontinuous import CHOICES as DISCONTINUOUS
from ..trees.tree import SegmentTree
from ..wording import check_choice, count, suggest

_ROW = "row"  # the value of --documents for tables whose cells are lists of trees

# The end of the help on PREDICTION, by its `nargs`.
_PREDICTIONS = {
    None: "",
    "?": "; may be missing if REFERENCE is a table with both",
    "+": " each",
}


def add_sides(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Add the files to compare, how to read them, and the columns of those that are tables.

    There is one file of predictions, or several with `nargs="+"`. With `nargs="?"` the predictions may be a
    column of the table of references.
    """
    parser.add_argument(
        "reference",
        nargs="+" if nargs == "?" else None,
        metavar="REFERENCE",
        help="treebank: a file, folder, archive, quoted pattern, or - for standard input; or a table, such "
        "as .jsonl, .csv or .parquet",
    )
    parser.add_argument(
        "prediction",
        nargs=nargs,
        metavar="PREDICTION",
        help=f"the same, with the same number of trees{_PREDICTIONS[nargs]}",
    )
    for side in ("reference", "prediction"):
        parser.add_argument(
            f"--{side}-column",
            metavar="NAME",
            help=f"column of a table with the trees (default: {side}, or the only column of a file)",
        )
    add_reading(parser, sides=True)


def split_sides(args: argparse.Namespace) -> None:
    """Separate references from predictions if more than two files are given.

    The predictions are the last file and the files before it in the same folder. If all files are in one
    folder, only the last one is a prediction.
    """
    if not isinstance(getattr(args, "reference", None), list):
        return
    files = [*args.reference, *([] if args.prediction is None else [args.prediction])]
    begin = len(files) - 1
    folder = os.path.dirname(files[-1])
    while begin > 1 and os.path.dirname(files[begin - 1]) == folder:
        begin -= 1
    if begin == 1 and os.path.dirname(files[0]) == folder:
        begin = len(files) - 1
    sides = files[:begin] or files, files[begin:] if begin else None
    args.reference, args.prediction = (side[0] if side and len(side) == 1 else side for side in sides)


def add_documents(parser: argparse.ArgumentParser) -> None:
    """Add options that group trees into documents, whose sentences may differ between the two sides."""
    ways = "; ".join(f"{way}: {meaning}" for way, meaning in PARTED.items())
    parser.add_argument(
        "--documents",
        dest="parted",
        choices=[*PARTED, _ROW],
        help="compare documents, lists of trees whose sentences may end elsewhere on the other side. "
        f"{ways}; {_ROW}: every row of a table is a list of trees",
    )
    parser.add_argument(
        "--document-column",
        metavar="NAME",
        help="compare documents: rows of a table that follow each other with the same value there are one",
    )


def add_reading(parser: argparse.ArgumentParser, *, sides: bool = False, format: str = "--format") -> None:
    """Add options for reading treebanks; each of two sides may have its own format and encoding."""
    both = "; with a comma between, that of the reference and that of the prediction" if sides else ""
    parser.add_argument(
        format,
        dest="tree_format",
        type=lambda text: _each_side(text, sides, _tree_format),
        default=[AUTO],
        metavar="NAME",
        help=f"of treebanks: {', '.join(FORMATS)}{both} (default: look at each file)",
    )
    parser.add_argument(
        "--encoding",
        type=lambda text: _each_side(text, sides, _encoding),
        metavar="NAME",
        help=f"of treebanks, such as latin-1{both} (default: UTF-8, or as a file's mark or XML "
        "declaration says)",
    )
    parser.add_argument(
        "--discontinuous",
        choices=DISCONTINUOUS,
        default=DISCONTINUOUS[0],
        help="trees with crossing branches are an error; or have these attached higher (raise), or one node "
        "for each run of words (split), or nodes from first to last word where these do not overlap then "
        f"(span) (default: {DISCONTINUOUS[0]})",
    )
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="auto",
        help="of brackets; line: a tree a line, a blank one being a failed parse; free: trees over many "
        "lines, or many on a line; sentence: a line is a row, perhaps of several trees; auto: look at the "
        "file (default: auto)",
    )


def _each_side(text: str, sides: bool, check: Callable[[str], str]) -> list[str]:
    """Return the values for both sides, from one value or from one for each side."""
    values = text.split(",")
    if len(values) > 1 + sides:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give one value{', or one for each side' if sides else ''}"
        )
    try:
        return [check(value.strip()) for value in values]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _tree_format(text: str) -> str:
    hint = "" if text in (AUTO, *FORMATS) else suggest(text, FORMATS)
    if hint:
        raise ValueError(f"unknown format {text!r}; {hint}")
    check_choice("format", text, (AUTO, *FORMATS))
    return text


def encoding(text: str) -> str:
    """Check the name of one encoding, as the type of an option."""
    return _each_side(text, False, _encoding)[0]


def _encoding(text: str) -> str:
    return check_encoding(text)


def check_stdin(parser: argparse.ArgumentParser, *paths: str | None) -> None:
    """Refuse standard input for more than one file."""
    if paths.count("-") > 1:
        parser.error("only one file can be standard input")


def makes_documents(args: argparse.Namespace) -> bool:
    """Return whether the trees are compared as documents; refuse two ways to group them."""
    given = vars(args)
    if given.get("parted") and given.get("document_column"):
        args.parser.error("--documents and --document-column both define documents; give one of them")
    return bool(given.get("parted") or given.get("document_column"))


def reading_of(args: argparse.Namespace, side: str = "reference") -> Reading:
    """Return how the treebanks of a side are read."""
    at = 0 if side == "reference" else -1
    format, encoding = (
        value[at] if isinstance(value, list) else value for value in (args.tree_format, args.encoding)
    )
    return Reading(args.layout, format, encoding, args.discontinuous)


def read_sides(args: argparse.Namespace) -> Sequence[Rows]:
    """Return the reference and the prediction, from one table or from two places of any kind."""
    if args.prediction is not None:
        return read_systems(args, [args.prediction])
    table = _open(args.reference, "reference", args)
    if not isinstance(table, Table):
        args.parser.error("the following arguments are required: PREDICTION")
    columns = {side: getattr(args, f"{side}_column") for side in ("reference", "prediction")}
    return _read_table(table, columns, args)


def read_systems(args: argparse.Namespace, predictions: Sequence[Any]) -> Sequence[Rows]:
    """Return the reference, then each prediction; treebanks of several files are paired by file name."""
    reference, *systems = [
        _open(path, side, args)
        for path, side in ((args.reference, "reference"), *((path, "prediction") for path in predictions))
    ]
    if makes_documents(args) or isinstance(reference, Table):
        first = _read_place(reference, "reference", args)
        return [first, *(_read_place(place, "prediction", args) for place in systems)]
    treebanks = [place for place in systems if not isinstance(place, Table)]
    _check_column(args, "reference", title_of(reference))
    for place in treebanks:
        _check_column(args, "prediction", title_of(place))
    other = reading_of(args, "prediction")
    rows = iter(reading_of(args, "reference").pair(reference, treebanks, other))
    return [
        _read_place(place, "prediction", args) if isinstance(place, Table) else next(rows)
        for place in (reference, *systems)
    ]


def read_side(path: Any, side: str, args: argparse.Namespace) -> Rows:
    """Return the trees of a treebank, or of a column of a table."""
    return _read_place(_open(path, side, args), side, args)


def _open(path: Any, side: str, args: argparse.Namespace) -> Any:
    """Return an open table if the path is one, otherwise the path, or the file if it had to be opened."""
    given = vars(args)
    asked = given.get(f"{side}_column") or given.get("document_column") or given.get("parted") == _ROW
    encoding = reading_of(args, side).encoding
    several = isinstance(path, list)
    opened = [open_table(one, encoding, asked=bool(asked)) or one for one in (path if several else [path])]
    for table in opened if several else ():
        if isinstance(table, Table):
            args.parser.error(f"{table.path} is a table, which cannot be one of several files")
    return opened if several else opened[0]


def _read_place(place: Any, side: str, args: argparse.Namespace) -> Rows:
    if isinstance(place, Table):
        return _read_table(place, {side: getattr(args, f"{side}_column", None)}, args, side)[0]
    path = title_of(place)
    _check_column(args, side, path)
    if not makes_documents(args):
        return reading_of(args, side).rows(place)
    if args.document_column or args.parted == _ROW:
        flag = f"--documents {_ROW}" if args.parted else "--document-column"
        args.parser.error(f"{flag}: {path} is no table ({name_kinds()})")

    return read_documents(place, args.parted, reading_of(args, side))


def _check_column(args: argparse.Namespace, side: str, path: Any) -> None:
    if getattr(args, f"{side}_column", None) is not None:
        args.parser.error(f"--{side}-column: {path} is no table ({name_kinds()})")


def _read_table(
    table: Table, columns: dict[str, str | None], args: argparse.Namespace, side: str = "reference"
) -> Sequence[Rows]:
    """Return the trees, or documents, of some columns of a table."""
    encoding = reading_of(args, side).encoding
    if not makes_documents(args):
        return table.columns(columns, encoding)

    if args.parted == _ROW:
        return [DocumentRows(rows.values, rows.title) for rows in table.columns(columns, encoding)]
    if args.parted == "all":
        return [Documents(rows, [len(rows)]) for rows in table.columns(columns, encoding)]
    if args.parted:
        args.parser.error(f"--documents {args.parted}: {table.path} is a table; name its --document-column")
    *sides, ids = table.columns({**columns, "document": args.document_column}, encoding)
    return [Documents(rows, *runs_of(ids.values)) for rows in sides]


def in_brackets(argument: Any) -> bool:
    """Return whether an argument is a tree in brackets instead of one or more file names."""
    return isinstance(argument, str) and argument.lstrip().startswith("(")


def read_pair(args: argparse.Namespace, unit: str | None) -> tuple[SegmentTree, SegmentTree, str]:
    """Return the prediction, the reference, and the settings that the signature adds.

    The trees are in brackets on the command line, or in the requested row of files. The third value names the
    settings that the trees were read with, for the signature.
    """
    sides = ("reference", "prediction")
    if not in_brackets(args.prediction) and not in_brackets(args.reference):
        rows = dict(zip(sides, read_sides(args), strict=True))
    else:
        rows = {
            side: read_side(path, side, args)
            for side in sides
            if not in_brackets(path := getattr(args, side))
        }
    trees = []
    for side in sides:
        if side not in rows:
            trees.append(SegmentTree.from_brackets(getattr(args, side), unit, source=side))
            continue
        if args.row > len(rows[side]):
            raise ValueError(
                f"{rows[side].title}: {count(len(rows[side]), 'tree')}; there is no row {args.row}, give one "
                f"from 1 to {len(rows[side])}"
            )
        trees.append(rows[side].tree(args.row - 1, unit))
    reference, prediction = trees
    return prediction, reference, sign_reading(*rows.values())
