"""`structiou parseval`: two files of trees, as EVALB compares them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from . import arguments

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = """\
ParsEval: labelled brackets that are equal, figure for figure as EVALB counts them, in EVALB's own table.
Without -p, parameters are those of COLLINS.prm: punctuation and traces are deleted, and PRT is ADVP."""
EPILOG = """\
examples:
  structiou parseval gold.mrg parsed.txt -p COLLINS.prm
  structiou parseval gold.mrg parsed.txt --summary-only
  structiou parseval gold.txt parsed.txt --variant spmrl --count-empty --json
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the arguments."""
    arguments.add_sides(parser, nargs="?")
    parser.add_argument(
        "-c",
        "--cutoff",
        type=arguments.positive,
        metavar="N",
        help="longest sentence of the summary's second part",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--per-sentence", action="store_true", help="with --json, add a row for each sentence")
    what.add_argument("--summary-only", action="store_true", help="leave out the table of sentences")
    parser.add_argument("--json", action="store_true", help="JSON for programs, with shares from 0 to 1")
    arguments.add_number(parser, "--workers", 1, "threads")
    arguments.add_metric_options(parser, ["parseval"], aliases={"parameters": "-p", "count_empty": "-X"})


def run(args: argparse.Namespace) -> str:
    """Compares the files."""
    from ..report.evalb import write_report

    metric = arguments.metric_of(args)
    if args.cutoff is not None:
        metric = metric.with_options(parameters=metric.options.parameters._replace(cutoff=args.cutoff))
    reference, prediction = arguments.read_sides(args)
    score = metric.corpus_score(prediction, reference, workers=args.workers, progress=True)
    if args.json:
        return arguments.as_json(score.as_dict(per_sentence=args.per_sentence))
    return write_report(score, per_sentence=not args.summary_only)
