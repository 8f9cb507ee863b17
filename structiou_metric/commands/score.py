"""`structiou score`: two files of trees."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..metrics import METRICS
from .arguments import (
    add_metric_options,
    add_sides,
    add_workers,
    as_json,
    check_stdin,
    find_metrics,
    metric_of,
    option_files,
    read_sides,
)

if TYPE_CHECKING:
    from ..metrics.results import Result

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = "Scores predicted trees against reference trees, pair by pair."
EPILOG = """\
examples:
  structiou score gold.mrg parsed.txt --labels base --per-label
  structiou score gold.txt.gz parsed.txt --unit char --on-error zero
  structiou score gold.mrg parsed.txt --metric parseval --json
  my-parser < text | structiou score gold.mrg - --json
  structiou score both.jsonl --reference-column gold --prediction-column parsed
"""

# What a result may count, besides what the metric adds up.
_COUNTS = {
    "n_counted": "sentences",
    "n_empty": "failed parses, score 0",
    "n_zeroed": "not comparable, score 0",
    "n_errors": "not comparable, left out",
    "n_skipped": "not comparable, skipped",
    "n_lengthless": "nodes without length",
}
_REMARKS = {"zeroed": "not comparable", "error": "not comparable", "skipped": "skipped"}
_SIDES = {"n_pred": "predicted", "n_ref": "reference"}
_MAX_PROBLEMS = 5  # listed below the table


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Adds the arguments; the options are those of the metric that the command line names."""
    default = next(iter(METRICS))
    add_sides(parser, prediction="optional")
    parser.add_argument(
        "--metric",
        choices=METRICS,
        default=default,
        help=f"what is computed; with --help, its options are told (default: {default})",
    )
    parser.add_argument("--per-sentence", action="store_true", help="add a table with a row for each pair")
    parser.add_argument("--per-label", action="store_true", help="add a table with a row for each label")
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of tables")
    add_workers(parser)
    add_metric_options(parser, find_metrics(argv, "--metric", default))


def run(args: argparse.Namespace) -> str:
    """Scores the files."""
    check_stdin(args.parser, args.reference, args.prediction, *option_files(args))
    metric = metric_of(args)
    unit = metric.unit or "word"
    if args.per_label and metric.LABEL is None:
        args.parser.error(f"--per-label: {metric.title} does not count by label")
    reason = metric.undefined(unit)
    if not reason:
        reference, prediction = read_sides(args)
        result = metric.corpus_score(
            prediction, reference, by_label=args.per_label, workers=args.workers, progress=True
        )
        reason = metric.refuses(result, unit)
    if reason:
        raise ValueError(f"{metric.title} means nothing here: {reason}")
    if args.json:
        return as_json(result.as_dict(by_label=args.per_label, per_sentence=args.per_sentence))
    parts = []
    if args.per_sentence:
        parts.append(_sentence_table(result))
    if args.per_label:
        parts.append(_label_table(result))
    parts.append(_summary(result))
    return "\n".join(parts)


def _summary(result: Result) -> str:
    metric, figures = result.metric, result.figures
    keys = dict.fromkeys([metric.headline, *metric.MEASURES])
    titles = [metric.MEASURES[key].line or f"{metric.title}, {metric.MEASURES[key].title}" for key in keys]
    counts = [(title, getattr(result, name, 0)) for name, title in _COUNTS.items()]
    width = max(25, *map(len, titles))
    lines = [f"{title:<{width}}  {figures[key]:>8.4f}" for title, key in zip(titles, keys, strict=True)]
    lines += [f"{title:<{width}}  {count:>8}" for title, count in counts if count]
    for row, message in result.problems[:_MAX_PROBLEMS]:
        lines.append(f"row {row + 1}: {message.splitlines()[0]}")
    if len(result.problems) > _MAX_PROBLEMS:
        lines.append(f"and {len(result.problems) - _MAX_PROBLEMS} more rows; --json lists all")
    return "\n".join([*lines, result.signature, ""])


def _sentence_table(result: Result) -> str:
    figures = [measure.row for measure in result.metric.MEASURES.values() if measure.row]
    names = [*figures, *(name for name in _SIDES if name in result.columns)]
    lines = ["  ".join(["   row", *(f"{_SIDES.get(name, name):>6}" for name in names)])]
    for row in result.per_sentence():
        cells = _cells(names, row)
        remark = _REMARKS.get(row["status"])
        lines.append("  ".join([f"{row['index'] + 1:>6}", *cells, *([remark] if remark else [])]))
    return "\n".join([*lines, ""])


def _label_table(result: Result) -> str:
    from ..terminal import NO_LABEL, cells, isolated, printable

    names = [result.metric.name, "precision", "recall", *_SIDES]
    rows = result.as_dict(by_label=True)["by_label"]
    labels = [printable(label) or NO_LABEL for label in rows]
    width = max(map(cells, ["label", *labels]))
    lines = ["  ".join([f"{'label':<{width}}", *(f"{_SIDES.get(name, name):>6}" for name in names)])]
    for label, row in zip(labels, rows.values(), strict=True):
        lines.append("  ".join([isolated(label) + " " * (width - cells(label)), *_cells(names, row)]))
    return "\n".join([*lines, ""])


def _cells(names: Iterable[str], row: dict[str, Any]) -> list[str]:
    """Values below their titles: figures with four digits, counts as they are, a dash for none."""
    cells = []
    for name in names:
        value = row[name]
        text = "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        cells.append(f"{text:>{max(6, len(_SIDES.get(name, name)))}}")
    return cells
