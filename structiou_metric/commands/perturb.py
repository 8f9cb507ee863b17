"""`structiou perturb`: perturb the word boundaries of trees; also the options that `curve` shares."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .._core.scan import UNITS
from ..analysis.perturbation import KINDS, Draw, Parser, with_seconds
from ..optional import load_plugin, look_here
from ..progress import Progress
from ..speech.silence import GAPS, without_gaps
from . import arguments, inputs, outputs

USAGE = "TREES --kind KIND --delta X [options]"
DESCRIPTION = """\
Perturbs the word boundaries of trees as the paper on STRUCT-IoU does, and writes timed brackets:
  noise   every inner boundary moves, by up to X of the way to one of its neighbours
  insert  every word is split in two with probability X, and its preterminal copied
  delete  every inner boundary goes with probability X; without --parser, a merged word hangs in the
          lowest node that has all of its words, under the preterminal of the longest of them\
"""
EPILOG = """\
examples:
  structiou perturb pred.timed --kind noise --delta 0.3 -o noisy.timed
  structiou perturb parsed.mrg --kind insert --delta 0.1 --seed 7 --unit word
  structiou perturb pred.timed --kind delete --delta 0.5 --parser my_parser:parse

The draws for a tree depend on the seed, the kind, the level, the repeat and the row of the tree, and
on nothing else. A level of 0 changes nothing.
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    parser.add_argument("trees", metavar="TREES", help="treebank, as for score; - is standard input")
    parser.add_argument("--kind", choices=KINDS, required=True, help="of perturbation")
    parser.add_argument(
        "--delta", type=arguments.share, required=True, metavar="X", help="its level, from 0 to 1"
    )
    arguments.add_number(
        parser, "--repeat", 0, "draw as the repeat with this number in a curve, the first being 0", least=0
    )
    parser.add_argument(
        "--unit",
        choices=UNITS,
        default="time",
        help="length of a word: 1 second, a second for each written character, or its own (default: time)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the trees there, one a line, instead of printing them"
    )
    add_draw_options(parser)
    inputs.add_reading(parser)


def run(args: argparse.Namespace) -> str:
    """Perturb the file."""
    outputs.check_writable(args.output)
    parser = find_parser(args.parser_name)
    rows = inputs.reading_of(args).rows(args.trees)
    draw = Draw(args.seed, args.kind, args.delta, args.repeat)
    lines = []
    with Progress(len(rows), "perturbing", show=not args.quiet) as bar:
        for row in range(len(rows)):
            tree = with_seconds(rows.tree(row, args.unit))
            if args.gaps == "close":
                tree = without_gaps(tree)
            lines.append(f"{draw.perturb(tree, row, rows.name(row), parser)}\n")
            bar.add(1)
    text = "".join(lines)
    if args.output is None:
        return text
    outputs.write_text(args.output, text)
    return ""


def add_draw_options(parser: argparse.ArgumentParser) -> None:
    """Add options for drawing perturbed trees, apart from kind and level."""
    arguments.add_number(parser, "--seed", 1, "of the draws", least=0)
    parser.add_argument(
        "--gaps",
        choices=GAPS,
        default=GAPS[0],
        help="keep silences between words, or close them beforehand, as the paper does: the words beside "
        f"one meet in its middle (default: {GAPS[0]})",
    )
    parser.add_argument(
        "--parser",
        dest="parser_name",
        metavar="MODULE:FUNCTION",
        help="a Python function that predicts a tree after delete, as the paper's parser does: it is called "
        "with the words (merged ones joined by a space) and their [start, end], and returns a tree over "
        "the same number of words; the module may be in the current folder",
    )


def find_parser(name: str | None) -> Parser | None:
    """Return the function named `module:function`, if one is named; the current folder is searched, too."""
    if name is None:
        return None
    look_here()
    parser: Parser = load_plugin(name, "--parser")
    if not callable(parser):
        raise ValueError(f"--parser {name!r}: this is no function")
    return parser
