"""`structiou parseval`: two files of trees, as EVALB compares them."""

from __future__ import annotations

import argparse

from .arguments import add_sides, as_json, check_stdin, positive, read_sides

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


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    add_sides(parser, prediction="optional")
    parser.add_argument(
        "-p",
        "--parameters",
        metavar="FILE",
        help="parameter file of EVALB; or a built-in set, collins or spmrl (default: collins, and spmrl with "
        "--variant spmrl)",
    )
    parser.add_argument(
        "--variant",
        choices=("evalb", "spmrl"),
        default="evalb",
        help="spmrl: as EVALB_SPMRL, which deletes no words and cuts labels at '#', too (default: evalb)",
    )
    parser.add_argument(
        "-c", "--cutoff", type=positive, metavar="N", help="longest sentence of the summary's second part"
    )
    parser.add_argument(
        "-X", "--count-empty", action="store_true", help="count the brackets of sentences without a parse"
    )
    parser.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="a pair that cannot be read ends the run, or is an error sentence (default: raise)",
    )
    parser.add_argument(
        "--compat",
        action="store_true",
        help="print what EVALB prints and nothing more, stop at its MAX_ERROR, and keep to the oddities of "
        "EVALB_SPMRL",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--per-sentence", action="store_true", help="with --json, add a row for each sentence")
    what.add_argument("--summary-only", action="store_true", help="leave out the table of sentences")
    parser.add_argument("--json", action="store_true", help="JSON for programs, with shares from 0 to 1")


def run(args: argparse.Namespace) -> str:
    """Compares the files."""
    from ..metrics.parseval.metric import parseval
    from ..metrics.parseval.parameters import as_parameters
    from ..report.evalb import write_report

    check_stdin(args.parser, args.reference, args.prediction, args.parameters)
    parameters = as_parameters(args.parameters or ("spmrl" if args.variant == "spmrl" else "collins"))
    if args.cutoff is not None:
        parameters = parameters._replace(cutoff=args.cutoff)
    if args.compat and args.count_empty and args.variant != "spmrl":
        args.parser.error("--compat with --count-empty needs --variant spmrl, for EVALB has no such option")
    reference, prediction = read_sides(args)
    score = parseval(
        prediction,
        reference,
        parameters=parameters,
        variant=args.variant,
        count_empty=args.count_empty,
        compat=args.compat,
        on_error=args.on_error,
        progress=True,
    )
    if args.json:
        return as_json(score.as_dict(per_sentence=args.per_sentence))
    return write_report(score, per_sentence=not args.summary_only)
