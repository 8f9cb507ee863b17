"""`structiou sparseval`: compare two files of trees as SParseval does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..report.sparseval import write_report
from ..sources.documents import DocumentRows
from ..sources.rows import Rows
from . import arguments, inputs, outputs
from .parser import Parser

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = """\
SParseval: equal brackets and head dependencies of trees over speech, whose words need not be the same, in
the tables that SParseval prints. Words are aligned by a least-cost edit path, or as -a, -b or --mode
choose. SParseval's -h is -H here."""
EPILOG = """\
examples:
  structiou sparseval gold.mrg parsed.txt -p SPEECHPAR.prm -H headInfo.txt -v
  structiou sparseval side-A.mrg recognised-A.txt --documents
  structiou sparseval side-A.mrg recognised-A.txt -a side-A.align -u
  structiou sparseval gold.mrg parsed.txt -b --json
"""


def configure(parser: Parser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    inputs.add_sides(parser, nargs="?")
    parser.add_argument(
        "-c",
        "--documents",
        action="store_true",
        help="compare the files as a whole: their trees are one unit, and their numbers may differ",
    )
    parser.add_argument("-v", "--per-sentence", action="store_true", help="add a row for each unit")
    parser.add_argument("--json", action="store_true", help="JSON for programs, with shares from 0 to 1")
    parser.add_argument("--strict", **arguments.STRICT)
    arguments.add_workers(parser)
    aliases = {"parameters": "-p", "heads": "-H", "alignment": "-a"}
    arguments.add_metric_options(parser, ["sparseval"], aliases=aliases)
    short = parser.add_argument_group("as in SParseval")
    short.add_argument(
        "-b", dest="mode", action="store_const", const="bag", default=argparse.SUPPRESS, help="--mode bag"
    )
    short.add_argument(
        "-u", dest="labeled", action="store_false", default=argparse.SUPPRESS, help="--no-labeled"
    )


def run(args: argparse.Namespace) -> str:
    """Compare the files."""
    metric = arguments.metric_of(args)
    reference, prediction = inputs.read_sides(args)
    alignment = metric.options.alignment
    if args.documents or (alignment is not None and len(alignment) == 1):  # as -a implies -c in SParseval
        reference, prediction = _as_document(reference), _as_document(prediction)
    score = metric.corpus_score(prediction, reference, workers=args.workers, progress=not args.quiet)
    warnings = arguments.warning_lines(args, score.warnings)
    if args.json:
        return outputs.as_json("sparseval", score.as_dict(per_sentence=args.per_sentence))
    arguments.print_warnings(warnings)
    return write_report(score, per_sentence=args.per_sentence)


def _as_document(rows: Rows) -> Rows:
    """Return all trees of a file as one row."""
    return DocumentRows([[rows.tree(row, "word") for row in range(len(rows))]], rows.title)
