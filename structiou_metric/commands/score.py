"""`structiou score`: two files of trees."""

from __future__ import annotations

import argparse

from ..metrics.struct_iou.result import CorpusScore
from .arguments import add_metric_options, add_sides, add_workers, as_json, check_stdin, metric_of, read_sides

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
    add_sides(parser, prediction="optional")
    parser.add_argument("--per-sentence", action="store_true", help="add a table with a row for each pair")
    parser.add_argument("--per-label", action="store_true", help="add a table with a row for each label")
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of tables")
    add_workers(parser)
    add_metric_options(parser)


def run(args: argparse.Namespace) -> str:
    """Scores the files."""
    check_stdin(args.parser, args.reference, args.prediction)
    metric = metric_of(args)
    reference, prediction = read_sides(args)
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
