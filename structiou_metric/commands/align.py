"""`structiou align`: two trees and what of them is aligned."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..trees.tree import SegmentTree
from ..wording import count
from . import arguments

USAGE = "REFERENCE PREDICTION [options]"
DESCRIPTION = "Draws two trees with equal numbers at aligned nodes, and their IoU below 1."
EPILOG = """\
examples:
  structiou align "(S (NP we) (VP run))" "(S (NP we) (NP run))"
  structiou align gold.mrg parsed.txt --row 17 --color always | less -R
  structiou align gold.mrg parsed.txt --row 17 --svg trees.svg
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the arguments."""
    parser.add_argument(
        "reference", metavar="REFERENCE", help="a tree in brackets, or a treebank as for score"
    )
    parser.add_argument("prediction", metavar="PREDICTION", help="likewise")
    arguments.add_number(parser, "--row", 1, "which tree of a file")
    parser.add_argument("--json", action="store_true", help="the aligned pairs as JSON instead of a drawing")
    parser.add_argument(
        "--svg",
        metavar="FILE",
        help="also write a picture of both trees over one axis; with - it is all that is printed",
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto is in a terminal, unless NO_COLOR is set (default: auto)",
    )
    parser.add_argument(
        "--width",
        type=arguments.positive,
        metavar="N",
        help="columns to draw in (default: the terminal's, or 80)",
    )
    arguments.add_metric_options(parser, single=True)
    arguments.add_reading(parser, sides=True)


def run(args: argparse.Namespace) -> str:
    """Draws the pair."""
    from ..drawing.outline import draw_alignment

    metric = arguments.metric_of(args)
    if args.json and args.svg == "-":
        args.parser.error("--json and --svg - both print; give --svg a file")
    if args.svg != "-":
        arguments.check_writable(args.svg)
    reference = _tree(args.reference, "reference", metric.unit, args)
    prediction = _tree(args.prediction, "prediction", metric.unit, args)
    alignment = metric.align(prediction, reference)
    if args.svg is not None:
        from ..drawing.svg import draw_svg

        picture = draw_svg(alignment, theme="light", description=metric.signature)
        if args.svg == "-":
            return picture
        arguments.write_text(args.svg, picture)
    if args.json:
        return arguments.as_json({**alignment.as_dict(), "signature": metric.signature})
    width = args.width or arguments.terminal_columns()
    drawing = draw_alignment(alignment, color=arguments.wants_color(args.color), width=width)
    return f"{drawing}\n{metric.signature}\n"


def _tree(argument: str, side: str, unit: str, args: argparse.Namespace) -> SegmentTree:
    """A tree written on the command line, or the row asked for of a file."""
    if argument.lstrip().startswith("("):
        return SegmentTree.from_brackets(argument, unit, source=side)
    rows = arguments.reading_of(args, side).rows(argument)
    if args.row > len(rows):
        raise ValueError(f"{rows.title}: {count(len(rows), 'tree')}; there is no row {args.row}")
    return rows.tree(args.row - 1, unit)
