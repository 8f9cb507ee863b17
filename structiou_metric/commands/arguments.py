"""Arguments that several commands share, and what is made of them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from errno import EACCES, EISDIR, ENOENT
from typing import TYPE_CHECKING, Any

from ..metrics.struct_iou.metric import StructIoU
from ..metrics.struct_iou.options import CHOICES
from ..sources.files import LAYOUTS, TreeFile
from ..trees.labels import DEFAULT_DROP

if TYPE_CHECKING:
    from ..sources.rows import Rows

_HELP = {
    "unit": "length of a word: 1, its written characters, or its seconds",
    "labels": "compare labels as they are, without function tags and indices, or not at all",
    "terminals": "preterminals need the same label, may align with any node, or are no nodes",
    "average": "which figure is the headline: first in the table, struct_iou in JSON",
    "on_error": "a pair that cannot be read or compared ends the run, counts as 0, or is left out",
}


def add_sides(parser: argparse.ArgumentParser, *, prediction: str = "one") -> None:
    """The files to compare, and the columns of those that are tables.

    Args:
        parser: Of the command.
        prediction: How many files of predictions there are: `one`, `optional` where a table may hold
            both sides, or `several`, of which each is a system.
    """
    parser.add_argument(
        "reference",
        metavar="REFERENCE",
        help="file of trees, perhaps gzipped; - is standard input; or a table: a .jsonl, .csv or .parquet "
        "file, or the folder of a saved Dataset",
    )
    parser.add_argument(
        "prediction",
        nargs={"one": None, "optional": "?", "several": "+"}[prediction],
        metavar="PREDICTION",
        help={
            "one": "likewise, with as many trees",
            "optional": "likewise, with as many trees; may be missing if REFERENCE is a table with both",
            "several": "likewise, with as many trees; each file is a system",
        }[prediction],
    )
    for side in ("reference", "prediction"):
        parser.add_argument(
            f"--{side}-column",
            metavar="NAME",
            help=f"column of a table with the trees (default: {side}, or the only column of a file)",
        )
    add_layout(parser)


def read_side(path: str, side: str, args: argparse.Namespace) -> Rows:
    """The trees of a file, or of a column of a table."""
    from ..sources.tables import is_table, read_columns

    column = getattr(args, f"{side}_column")
    if is_table(path):
        return read_columns(path, {side: column})[0]
    if column is not None:
        args.parser.error(f"--{side}-column: {path} is no table (.jsonl, .csv, .parquet or a folder)")
    return TreeFile.read(path, args.layout)


def read_sides(args: argparse.Namespace) -> Sequence[Rows]:
    """Reference and prediction, from one table or from two files of any kind."""
    from ..sources.tables import is_table, read_columns

    if args.prediction is not None:
        return [read_side(getattr(args, side), side, args) for side in ("reference", "prediction")]
    if not is_table(args.reference):
        args.parser.error("the following arguments are required: PREDICTION")
    columns = {side: getattr(args, f"{side}_column") for side in ("reference", "prediction")}
    return read_columns(args.reference, columns)


def add_metric_options(
    parser: argparse.ArgumentParser, *, single: bool = False, unit: str = CHOICES["unit"][0]
) -> None:
    """The metric's options, by their names; those that only matter for a corpus unless `single`.

    Args:
        parser: Of the command.
        single: Whether it takes one pair of trees.
        unit: The default unit.
    """
    group = parser.add_argument_group("options of the metric")
    for name, choices in CHOICES.items():
        if single and name in ("average", "on_error"):
            continue
        default = unit if name == "unit" else choices[0]
        group.add_argument(
            "--" + name.replace("_", "-"),
            choices=choices,
            default=default,
            help=f"{_HELP[name]} (default: {default})",
        )
    group.add_argument(
        "--min-iou",
        type=float,
        default=0.0,
        metavar="X",
        help="pairs at or below it do not align (default: 0)",
    )
    group.add_argument(
        "--drop",
        nargs="*",
        action="extend",
        type=str.strip,
        metavar="LABEL",
        help="labels that are no constituents, written after the files; '' is the empty label, and no LABEL "
        "at all keeps every node (default: " + " ".join(label or "''" for label in DEFAULT_DROP) + ")",
    )


def add_layout(parser: argparse.ArgumentParser) -> None:
    """How trees stand in their files."""
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="auto",
        help="line: a tree a line, a blank one being a failed parse; free: trees over many lines, "
        "or many on a line; auto: look at the file (default: auto)",
    )


def add_workers(parser: argparse.ArgumentParser, what: str = "threads") -> None:
    """How many threads or processes."""
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help=f"{what} (default: 1)")


def add_seed(parser: argparse.ArgumentParser, what: str) -> None:
    """The seed of what is drawn at random."""
    parser.add_argument("--seed", type=whole, default=1, metavar="N", help=f"of {what} (default: 1)")


def add_plot(parser: argparse.ArgumentParser, what: str) -> None:
    """A file for a plot."""
    parser.add_argument("--plot", metavar="FILE", help=f"also draw {what}, as .png or .svg")


def check_plot(path: str | None) -> None:
    """Refuses a plot that cannot be made, before the work starts."""
    if path is not None:
        from ..drawing.plots import check_format
        from ..optional import need

        check_format(path)
        check_writable(path)
        need("matplotlib", "plot", "a plot")


def save_plot(path: str | None, draw: Callable[[], Any]) -> None:
    """Draws a figure and writes it, if there is a file for it."""
    if path is not None:
        from ..drawing.plots import save_figure

        save_figure(draw(), path)


def check_writable(path: str | None) -> None:
    """Refuses a file that cannot be written, before the work starts; None is no file."""
    if path is None:
        return
    folder = os.path.dirname(path) or os.curdir
    if not os.path.isdir(folder):
        problem = ENOENT
    elif os.path.isdir(path):
        problem = EISDIR
    elif not os.access(path if os.path.exists(path) else folder, os.W_OK):
        problem = EACCES
    else:
        return
    raise OSError(problem, os.strerror(problem), path)


def write_text(path: str, text: str) -> None:
    """Writes a file, with the same line ends on every system."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def wants_color(choice: str = "auto") -> bool:
    """Whether to print in colours; `auto` is in a terminal, unless it or its user wants none."""
    if choice == "auto":
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not plain and sys.stdout is not None and sys.stdout.isatty()
    return choice == "always"


def whole(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def metric_of(args: argparse.Namespace) -> StructIoU:
    """The metric with the options given; values that no option's parser can refuse end here."""
    if args.drop is None:
        args.drop = DEFAULT_DROP
    names = [*CHOICES, "min_iou", "drop"]
    try:
        return StructIoU(**{name: getattr(args, name) for name in names if hasattr(args, name)})
    except ValueError as error:
        parser: argparse.ArgumentParser = args.parser
        parser.error(str(error))


def check_stdin(parser: argparse.ArgumentParser, *paths: str | None) -> None:
    """Refuses standard input for more than one file."""
    if paths.count("-") > 1:
        parser.error("only one file can be standard input")


def as_json(value: Any) -> str:
    """The value as indented JSON with a line end."""
    import json

    return json.dumps(value, indent=2) + "\n"
