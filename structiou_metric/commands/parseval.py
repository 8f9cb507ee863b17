"""`structiou parseval`: compare two files of trees as EVALB does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..metrics.parseval.listing import list_pairs
from ..metrics.parseval.result import TooManyErrors
from ..report.evalb import (
    write_confusions,
    write_labels,
    write_line,
    write_more,
    write_report,
    write_rows,
)
from ..sources.files import TreeFile
from ..sources.rows import Rows, cut_rows
from . import arguments, inputs, outputs

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = """\
ParsEval: labelled brackets that are equal, figure for figure as EVALB counts them, in EVALB's own table.
Without -p, parameters are those of COLLINS.prm: punctuation and traces are deleted, and PRT is ADVP."""
EPILOG = """\
examples:
  structiou parseval gold.mrg parsed.txt -p COLLINS.prm
  structiou parseval gold.mrg parsed.txt --summary-only
  structiou parseval gold.txt parsed.txt --variant spmrl --count-empty --json
  structiou parseval gold.mrg induced.txt --trivial drop --unlabeled --summary-only
  structiou parseval gold.mrg parsed.txt --per-label --confusions 20
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    inputs.add_sides(parser, nargs="?")
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
    what.add_argument(
        "-d",
        "--brackets",
        action="store_true",
        help="list words and brackets of each sentence, as EVALB does",
    )
    what.add_argument("-L", "--line", action="store_true", help="one line, as EVALB_SPMRL writes it")
    what.add_argument("-l", "--short-line", action="store_true", help="likewise, up to the cutoff length")
    parser.add_argument(
        "-K", "--sentences", type=arguments.positive, metavar="N", help="compare the first N sentences only"
    )
    parser.add_argument("--unlabeled", action="store_true", help="add unlabelled figures and sentence means")
    parser.add_argument("--per-label", action="store_true", help="add a table of labels")
    parser.add_argument(
        "--confusions",
        type=arguments.positive,
        metavar="N",
        help="add the most frequent confusions of labels and tags",
    )
    parser.add_argument("--json", action="store_true", help="JSON for programs, with shares from 0 to 1")
    parser.add_argument("--strict", **arguments.STRICT)
    arguments.add_workers(parser)
    arguments.add_metric_options(parser, ["parseval"], aliases={"parameters": "-p", "count_empty": "-X"})


def run(args: argparse.Namespace) -> str:
    """Compare the files."""
    metric = arguments.metric_of(args)
    if args.cutoff is not None:
        metric = metric.with_options(parameters=metric.options.parameters._replace(cutoff=args.cutoff))
    reference, prediction = _as_evalb_reads(*inputs.read_sides(args))
    if args.sentences is not None:
        reference, prediction = (
            cut_rows(rows, range(min(args.sentences, len(rows)))) for rows in (reference, prediction)
        )
    by_label = args.per_label or args.confusions is not None
    listing = None
    if args.brackets:
        listing = list_pairs(metric, prediction, reference)
    try:
        score = metric.corpus_score(
            prediction, reference, by_label=by_label, workers=args.workers, progress=not args.quiet
        )
    except TooManyErrors as error:
        if error.result is not None and not (args.json or args.summary_only):
            error.output = write_rows(error.result, listing)
        raise
    warnings = arguments.warning_lines(args, score.warnings)
    if args.json:
        found = score.as_dict(by_label=args.per_label, per_sentence=args.per_sentence)
        if args.confusions is not None:
            for name in ("confusions", "tag_confusions"):
                pairs = [[*pair, n] for pair, n in getattr(score, name).items()]
                found[name] = pairs[: args.confusions]
        return outputs.as_json("parseval", found)
    arguments.print_warnings(warnings)
    if args.line or args.short_line:
        files = args.prediction or args.reference
        return write_line(score, files if isinstance(files, str) else files[0], short=args.short_line)
    parts = [write_report(score, per_sentence=not args.summary_only, listing=listing)]
    if args.unlabeled:
        parts.append(write_more(score))
    if args.per_label:
        parts.append(write_labels(score))
    if args.confusions is not None:
        parts.append(write_confusions(score, args.confusions))
    return "\n".join(parts)


def _as_evalb_reads(reference: Rows, prediction: Rows) -> tuple[Rows, Rows]:
    """Return the sides, with all trees of a line as one sentence if some lines have several, as in EVALB."""
    if not isinstance(reference, TreeFile) or not isinstance(prediction, TreeFile):
        return reference, prediction
    ref = pred = None
    if reference.is_crowded or prediction.is_crowded:
        ref, pred = reference.by_sentence(), prediction.by_sentence()
    if ref is None or pred is None or len(ref) != len(pred) or len(ref) == 1:
        return reference, prediction
    return ref, pred
