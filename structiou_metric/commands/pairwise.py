"""`structiou pairwise`: score several systems against each other."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..drawing.shades import draw_table
from ..metrics import METRICS
from ..metrics.signatures import shorten
from ..metrics.warnings import RowWarning
from ..sources.files import remove_separators
from ..sources.prepared import PreparedTrees
from ..sources.rows import check_as_many, sign_reading
from ..terminal import lay_out, printable
from . import arguments, inputs, outputs

USAGE = "FILE FILE… [options]"
DESCRIPTION = "Scores the trees of every file against those of every other; each tree is read once."
EPILOG = """\
examples:
  structiou pairwise gold.mrg berkeley.txt benepar.txt supar.txt --labels base
  structiou pairwise runs/*.txt --svg agreement.svg
"""


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments."""
    default = next(iter(METRICS))
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="treebanks with the same number of trees, in the same order"
    )
    parser.add_argument(
        "--metric",
        choices=[name for name in METRICS if name != "aligned_parseval"],
        default=default,
        metavar="NAME",
        help=f"what is computed (default: {default})",
    )
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of a table")
    parser.add_argument("--strict", **arguments.STRICT)
    parser.add_argument("--svg", metavar="FILE", help="draw the table there, in shades")
    arguments.add_workers(parser)
    inputs.add_reading(parser)
    arguments.add_metric_options(parser, arguments.find_metrics(argv, "--metric", default))


def run(args: argparse.Namespace) -> str:
    """Make a table with a row and a column for each file; predictions are the rows."""
    if len(args.files) < 2:
        args.parser.error("give two files at least")
    outputs.check_writable(args.svg)
    metric = arguments.metric_of(args)
    reading = inputs.reading_of(args)
    trees = [reading.rows(path) for path in args.files]
    remove_separators(trees)
    systems = list(map(PreparedTrees, trees))
    for system in systems[1:]:
        check_as_many(system, systems[0])
    table: list[list[float]] = [[0.0] * len(systems) for _ in systems]
    warnings: dict[str, list[RowWarning]] = {}
    for i, predictions in enumerate(systems):
        for j, references in enumerate(systems):
            if j < i and metric.symmetric:
                table[i][j] = table[j][i]
                continue
            result = metric.corpus_score(predictions, references, workers=args.workers)
            table[i][j] = result.score
            if i < j and result.warnings:
                warnings[f"{args.files[i]} and {args.files[j]}"] = result.warnings
    lines = [
        line
        for names, found in warnings.items()
        for line in arguments.warning_lines(args, found, f"{names}: ")
    ]
    if args.svg is not None:
        outputs.write_text(args.svg, draw_table(args.files, table, metric.MEASURES[metric.headline]))
    if args.json:
        found = {
            "signature": metric.signature + sign_reading(*trees),
            "systems": args.files,
            "scores": table,
            "warnings": {names: [warning.as_dict() for warning in own] for names, own in warnings.items()},
        }
        return outputs.as_json("pairwise", found)

    numbers = [str(i) for i in range(1, len(systems) + 1)]
    rows = [["", "system", *numbers]]
    for number, path, row in zip(numbers, args.files, table, strict=True):
        rows.append([number, printable(path), *(f"{value:.4f}" for value in row)])
    signature = shorten(metric.signature + sign_reading(*trees), metric)
    return "\n".join([lay_out(rows, "><>"), signature, *lines, ""])
