"""`structiou score`: two files of trees."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..files import TreeFile
from ..score import CorpusScore
from .arguments import add_layout, add_metric_options, as_json, check_stdin, metric_of, positive

if TYPE_CHECKING:
    from ..rows import Rows

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = "Scores predicted trees against reference trees, pair by pair."
EPILOG = """\
examples:
  structiou score gold.mrg parsed.txt --labels base --per-label
  structiou score gold.txt.gz parsed.txt --unit char --on-error zero
  my-parser < text | structiou score gold.mrg - --json
  structiou score both.jsonl --reference-column gold --prediction-column parsed
"""

_MAX_PROBLEMS = 5  # listed below the table


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument(
        "reference",
        metavar="REFERENCE",
        help="file of trees, perhaps gzipped; - is standard input; or a table: a .jsonl, .csv or .parquet "
        "file, or the folder of a saved Dataset",
    )
    parser.add_argument(
        "prediction",
        nargs="?",
        metavar="PREDICTION",
        help="likewise, with as many trees; may be missing if REFERENCE is a table with both",
    )
    for side in ("reference", "prediction"):
        parser.add_argument(
            f"--{side}-column",
            metavar="NAME",
            help=f"column of a table with the trees (default: {side}, or the only column of a file)",
        )
    parser.add_argument("--per-sentence", action="store_true", help="add a table with a row for each pair")
    parser.add_argument("--per-label", action="store_true", help="add a table with a row for each label")
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of tables")
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="threads (default: 1)")
    add_metric_options(parser)
    add_layout(parser)


def run(args: argparse.Namespace) -> str:
    """Scores the files."""
    check_stdin(args.parser, args.reference, args.prediction)
    metric = metric_of(args)
    reference, prediction = _read_sides(args)
    result = metric.score_rows(prediction, reference, workers=args.workers, progress=True)
    if args.json:
        return as_json(result.as_dict(by_label=args.per_label, per_sentence=args.per_sentence))
    parts = []
    if args.per_sentence:
        parts.append(_sentence_table(result))
    if args.per_label:
        parts.append(_label_table(result))
    parts.append(_summary(result))
    return "\n".join(parts)


def _read_sides(args: argparse.Namespace) -> Sequence[Rows]:
    """Reference and prediction, from one table or from two files of any kind."""
    from ..tabular import is_table, read_columns

    paths = {"reference": args.reference, "prediction": args.prediction}
    columns = {side: getattr(args, f"{side}_column") for side in paths}
    if args.prediction is None:
        if not is_table(args.reference):
            args.parser.error("the following arguments are required: PREDICTION")
        return read_columns(args.reference, columns)
    sides: list[Rows] = []
    for side, path in paths.items():
        if is_table(path):
            sides += read_columns(path, {side: columns[side]})
        elif columns[side] is not None:
            args.parser.error(f"--{side}-column: {path} is no table (.jsonl, .csv, .parquet or a folder)")
        else:
            sides.append(TreeFile.read(path, args.layout))
    return sides


def _summary(result: CorpusScore) -> str:
    figures = [("STRUCT-IoU, sentence mean", result.sentence), ("STRUCT-IoU, corpus level", result.corpus)]
    if result.options.average == "corpus":
        figures.reverse()
    figures += [("precision, corpus level", result.precision), ("recall, corpus level", result.recall)]
    counts = (
        ("sentences", len(result.sentences)),
        ("failed parses, score 0", result.n_empty),
        ("not comparable, score 0", result.n_zeroed),
        ("not comparable, skipped", result.n_skipped),
        ("nodes without length", result.n_lengthless),
    )
    lines = [f"{name:<25}  {value:>8.4f}" for name, value in figures]
    lines += [f"{name:<25}  {count:>8}" for name, count in counts if count]
    for row, message in result.problems[:_MAX_PROBLEMS]:
        lines.append(f"row {row + 1}: {message.splitlines()[0]}")
    if len(result.problems) > _MAX_PROBLEMS:
        lines.append(f"and {len(result.problems) - _MAX_PROBLEMS} more rows; --json lists all")
    return "\n".join([*lines, result.signature, ""])


def _sentence_table(result: CorpusScore) -> str:
    lines = ["   row  struct_iou  precision  recall  predicted  reference"]
    for row in result.rows():
        lines.append(
            f"{row['index'] + 1:>6}  {row['struct_iou']:>10.4f}  {row['precision']:>9.4f}"
            f"  {row['recall']:>6.4f}  {row['n_pred']:>9}  {row['n_ref']:>9}"
            + ("  not comparable" if row["failed"] else "")
        )
    return "\n".join([*lines, ""])


def _label_table(result: CorpusScore) -> str:
    from ..terminal import NO_LABEL, cells, isolated, printable

    labels = [printable(label) or NO_LABEL for label in result.by_label]
    width = max(map(cells, ["label", *labels]))
    lines = [f"{'label':<{width}}  struct_iou  precision  recall  predicted  reference"]
    for label, tally in zip(labels, result.by_label.values(), strict=True):
        lines.append(
            f"{isolated(label)}{' ' * (width - cells(label))}"
            f"  {tally.score:>10.4f}  {tally.precision:>9.4f}  {tally.recall:>6.4f}"
            f"  {tally.n_pred:>9}  {tally.n_ref:>9}"
        )
    return "\n".join([*lines, ""])
