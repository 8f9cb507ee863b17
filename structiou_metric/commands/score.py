"""`structiou score`: score two files of trees."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..metrics import METRICS
from ..metrics.results import Result
from ..metrics.runner import score_all
from ..metrics.signatures import shorten
from ..metrics.struct_iou.metric import StructIoU
from ..metrics.struct_iou.result import CorpusScore
from ..metrics.warnings import gather_warnings
from ..report.latex import write_results
from ..report.scores import count_rows, figure_rows
from ..report.why import write_causes, write_causes_latex
from ..terminal import NO_LABEL, lay_out, printable
from ..wording import count, list_problems
from . import arguments, inputs, outputs
from .large import group_table, parquet_pairs, score_large

USAGE = "REFERENCE [PREDICTION] [options]"
DESCRIPTION = "Score predicted trees against reference trees, pair by pair."
EPILOG = """\
examples:
  structiou score gold.mrg parsed.txt --labels base --per-label
  structiou score gold.mrg parsed.txt --metric all --latex > table.tex
  structiou score both.jsonl --reference-column gold --prediction-column parsed
  structiou score transcripts/ recognised/ --documents file --unit time
  structiou score pairs.parquet --group-by language --per-sentence-to x.jsonl
"""

COMMON_OPTIONS = (
    *("--metric", "--per-sentence", "--per-label", "--why", "--full", "--json", "--latex"),
    *("--unit", "--texts", "--labels", "--terminals", "--on-error"),
)

_REMARKS = {"zeroed": "not comparable", "error": "not comparable", "skipped": "skipped"}
_SIDES = {"n_pred": "predicted", "n_ref": "reference"}


def configure(parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Add the arguments; the options are those of the metrics that the command line names."""
    inputs.add_sides(parser, nargs="?")
    inputs.add_documents(parser)
    group = parser.add_argument_group("options for very many pairs")
    group.add_argument(
        "--per-sentence-to",
        metavar="FILE",
        help="write a row for each pair there while scoring: .jsonl, or .parquet",
    )
    group.add_argument("--tally", metavar="FILE", help="write the exact sums there, for structiou merge")
    group.add_argument(
        "--shard",
        type=_shard,
        metavar="K/N",
        help="score the Kth of N parts of the rows; with --tally, for N jobs",
    )
    group.add_argument(
        "--group-by", metavar="COLUMN", help="of Parquet files: add figures for each value of this column"
    )
    group.add_argument(
        "--id-column", metavar="COLUMN", help="of Parquet files: the names of rows in messages"
    )
    group.add_argument(
        "--out",
        metavar="PREFIX",
        help="a folder or a URL where the exact sums and the rows of each unit of Parquet files are kept, "
        "so that a job that was broken off goes on; structiou merge takes it, too",
    )
    group.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="score Parquet files on the Dask cluster with this scheduler, such as tcp://host:8786, or "
        "local for one of this machine's processors",
    )
    add_scoring(parser, argv)


def _shard(text: str) -> tuple[int, int]:
    """Return the number of a shard and the number of shards, from a text such as `3/64`."""
    parts: Sequence[str] = text.split("/")
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        number, n_shards = map(int, parts)
        if 1 <= number <= n_shards:
            return number, n_shards
    raise argparse.ArgumentTypeError(f"{text!r} is not such as 3/64, which is the third of 64 parts")


def add_scoring(
    parser: argparse.ArgumentParser, argv: Sequence[str], fixed: Mapping[str, Any] | None = None
) -> None:
    """Add options for figures and outputs; `fixed` is that of `arguments.add_metric_options`."""
    default = next(iter(METRICS))
    parser.add_argument(
        "--metric",
        type=arguments.metric_names,
        default=[default],
        metavar="NAMES",
        help=f"all, or some of {', '.join(METRICS)}, separated by commas (default: {default})",
    )
    parser.add_argument(
        "--per-sentence",
        action="store_true",
        help="add a table of pairs, counted from 1 (JSON: from 0)",
    )
    parser.add_argument("--per-label", action="store_true", help="add a table with a row for each label")
    parser.add_argument(
        "--why",
        action="store_true",
        help="add a table of losses by cause",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="print all figures and full signatures",
    )
    parser.add_argument(
        "--signature",
        metavar="LINE",
        help="repeat a run: take the metric and its options from a signature, short or full",
    )
    arguments.add_formats(parser)
    parser.add_argument("--strict", **arguments.STRICT)
    arguments.add_workers(parser)
    arguments.add_metric_options(parser, arguments.find_metrics(argv, "--metric", default), fixed=fixed)


def run(args: argparse.Namespace) -> str:
    """Score the files by each metric; an undefined metric is an error if it is the only one."""
    metrics = arguments.metrics_of(args)
    documents = inputs.makes_documents(args)
    return write_scores(args, metrics, lambda: inputs.read_sides(args), documents)


def write_scores(
    args: argparse.Namespace,
    metrics: Sequence[Any],
    read_sides: Callable[[], Sequence[Any]],
    documents: bool,
    *,
    kind: str = "score",
    more: Mapping[str, Any] | None = None,
) -> str:
    """Score two sides by each metric, and return the text to print.

    Args:
        args: The arguments, with the options of `add_scoring`.
        metrics: The metrics that the arguments name.
        read_sides: A function that returns reference and prediction; it is called only if they are needed.
        documents: Whether rows are documents.
        kind: The kind of the JSON, as in `outputs.as_json`.
        more: Further entries of the JSON.
    """
    sides: Sequence[Any] = ()
    found: dict[str, Result] = {}
    refused: dict[str, str] = {}
    if args.why:
        if not any(isinstance(metric, StructIoU) for metric in metrics):
            args.parser.error(f"--why: only {StructIoU.title} tells what is lost by which cause")
        metrics = [metric.explaining() if isinstance(metric, StructIoU) else metric for metric in metrics]
    unit = next((metric.unit for metric in metrics if metric.unit), "word")
    table = parquet_pairs(args) if kind == "score" else None
    is_large = kind == "score" and _is_large(args, metrics, table)
    how = {"documents": documents, "workers": args.workers, "progress": not args.quiet}
    together: dict[str, Result] = {}
    meant = [metric for metric in metrics if not metric.undefined(unit)]
    if len(meant) > 1 and not is_large:
        sides = read_sides()
        together = _score_together(meant, sides, by_label=args.per_label, **how)
    for metric in metrics:
        labels = args.per_label and metric.LABEL is not None
        if args.per_label and not labels and len(metrics) == 1:
            args.parser.error(f"--per-label: {metric.title} does not count by label")
        reason = metric.undefined(unit)
        if not reason:
            sides = sides or (() if is_large else read_sides())
            try:
                if is_large:
                    tally = score_large(metric, args, labels, table)
                    if args.shard and not len(tally):
                        return f"shard {args.shard[0]} of {args.shard[1]} has no rows\n"
                    result = tally.result()
                elif metric.name in together:
                    result = together[metric.name]
                else:
                    result = metric.corpus_score(sides[1], sides[0], by_label=labels, **how)
                reason = metric.refuses(result, unit)
            except ValueError as error:
                if len(metrics) == 1:
                    raise
                reason = str(error)
        if reason:
            refused[metric.name] = f"{metric.title} means nothing here: {reason}"
        else:
            found[metric.name] = result
    if not found:
        raise ValueError("\n".join(refused.values()))
    text = format_results(found, args, refused=refused, sides=sides, kind=kind, more=more)
    return text + (_next_step(found, args) if kind == "score" else "")


def _is_large(args: argparse.Namespace, metrics: Sequence[Any], table: str | None) -> bool:
    """Return whether to add up rows one by one instead of keeping them in memory."""
    names = ("per_sentence_to", "tally", "shard", "group_by", "id_column", "dask", "out")
    if any(getattr(args, name) is not None for name in names):
        if len(metrics) > 1 and (args.tally or args.per_sentence_to):
            args.parser.error("--tally and --per-sentence-to are for one metric")
        return True
    needs_all = args.per_sentence or args.why or any(metric.pairs_itself for metric in metrics)
    return not needs_all and table is not None


def _score_together(metrics: Sequence[Any], sides: Sequence[Any], **how: Any) -> dict[str, Result]:
    """Return the result of each metric; none if any fails, because then each is scored alone to name it."""
    try:
        found = score_all(metrics, sides[1], sides[0], **how)
    except ValueError:
        return {}
    return {result.metric.name: result for result in found}


def format_results(
    found: dict[str, Result],
    args: argparse.Namespace,
    *,
    refused: Mapping[str, str] | None = None,
    sides: Sequence[Any] = (),
    kind: str = "score",
    more: Mapping[str, Any] | None = None,
) -> str:
    """Return results as the text to print.

    Args:
        found: The result of each metric, by the metric's name.
        args: The arguments, with the flags of `arguments.add_formats`, and perhaps others of this command.
        refused: The reason why a metric is undefined here, by the metric's name.
        sides: The rows of reference and prediction, if they were read.
        kind: The kind of the object that is printed as JSON.
        more: Further entries of the JSON.
    """
    refused = refused or {}
    per_sentence, why = getattr(args, "per_sentence", False), getattr(args, "why", False)
    full = getattr(args, "full", False)
    warnings = arguments.warning_lines(args, gather_warnings(found.values()))
    comments = {
        side: getattr(rows, "n_comments", 0)
        for side, rows in zip(("reference", "prediction"), sides, strict=False)
    }
    n_separators = getattr(sides[0], "n_separators", 0) if sides else 0
    if args.json:
        removed: dict[str, Any] = {"n_comments": comments} if any(comments.values()) else {}
        if n_separators:
            removed["n_separators"] = n_separators
        return outputs.as_json(kind, {**_as_dict(found, refused, args), **removed, **(more or {})})
    if args.latex:
        figures = write_results(
            list(found.values()),
            per_label=args.per_label,
            per_sentence=per_sentence,
            remarks=[*refused.values(), *warnings],
        )
        causes = [
            write_causes_latex(result) for result in found.values() if why and isinstance(result, CorpusScore)
        ]
        return "\n".join([figures, *causes])
    tables = []
    for result in found.values():
        tables += [_sentence_table(result)] if per_sentence else []
        tables += [_label_table(result)] if args.per_label and result.metric.LABEL is not None else []
        tables += [write_causes(result)] if why and isinstance(result, CorpusScore) else []
        if result.by_group:
            tables.append(group_table(result))
        if full or len(found) == 1:
            tables.append(_summary(result, full=full))
    if not full and len(found) > 1:
        tables.append(_headlines(list(found.values())))
    tables += [f"{reason}\n" for reason in refused.values()]
    lines = [
        f"{count(number, 'comment line')} of the {side} left out"
        for side, number in comments.items()
        if number
    ]
    if n_separators:
        lines.append(f"{count(n_separators, 'blank line')} of both sides left out, as they separate trees")
    return "\n".join(tables) + "".join(f"{line}\n" for line in (*lines, *warnings))


def _next_step(found: dict[str, Result], args: argparse.Namespace) -> str:
    """Return a suggestion for people at a terminal; an empty text in pipes."""
    result = found.get(StructIoU.name)
    for_people = not args.quiet and sys.stdout is not None and sys.stdout.isatty()
    if not for_people or args.json or args.latex or args.why or result is None or result.score == 1.0:
        return ""
    files = [side if isinstance(side, list) else [side] for side in (args.reference, args.prediction) if side]
    command = ["structiou", "why", *(path for side in files for path in side)]
    return f"\nnext: {shlex.join(command)} tells what is lost, and by which mistakes\n"


def _as_dict(
    found: dict[str, Result], refused: Mapping[str, str], args: argparse.Namespace
) -> dict[str, Any]:
    """Return the result of the only metric, or the results and reasons of several, by metric."""
    plain = {
        name: result.as_dict(
            by_label=args.per_label and result.metric.LABEL is not None,
            per_sentence=getattr(args, "per_sentence", False),
        )
        for name, result in found.items()
    }
    for name, result in found.items():
        if getattr(args, "why", False) and isinstance(result, CorpusScore):
            plain[name]["losses"] = result.losses.as_dict()
    if len(found) + len(refused) == 1:
        return next(iter(plain.values()))
    return {"metrics": plain, "refused": dict(refused)}


def _summary(result: Result, *, full: bool) -> str:
    """Return the table of a result: all figures, counts, problems and the signature."""
    figures, counts = figure_rows(result), count_rows(result)
    width = max(25, *(len(title) for title, _ in (*figures, *counts)))
    lines = [f"{title:<{width}}  {value:>8.4f}" for title, value in figures]
    lines += [f"{title:<{width}}  {number:>8}" for title, number in counts]
    signature = result.signature if full else shorten(result.signature, result.metric)
    return "\n".join([*lines, *_problems(result), signature, ""])


def _headlines(results: Sequence[Result]) -> str:
    """Return a table with the headline of each metric, the number of rows, problems and short signatures."""
    table = [["metric", "figure", "value", f"{results[0].noun}s"]]
    for result in results:
        metric = result.metric
        table.append([metric.title, _headline_title(result), f"{result.score:.4f}", f"{result.n_counted:,}"])
    problems = [line for result in results for line in _problems(result)]
    signatures = [shorten(result.signature, result.metric) for result in results]
    return "\n".join([lay_out(table, "<<>>"), *dict.fromkeys(problems), "", *signatures, ""])


def _headline_title(result: Result) -> str:
    """Return the title of the headline figure without the title of the metric."""
    metric = result.metric
    return metric.MEASURES[metric.headline].title.replace("sentence", result.noun)


def _problems(result: Result) -> list[str]:
    return list_problems(result.problems, result.tally().n_problems) if result.problems else []


def _sentence_table(result: Result) -> str:
    figures = [measure.row for measure in result.metric.MEASURES.values() if measure.row]
    names = [*figures, *(name for name in _SIDES if name in result.columns)]
    titles = ["   row", *_titles(names)]
    lines = ["  ".join(titles)]
    for row in result.per_sentence():
        cells = zip([str(row["index"] + 1), *_cells(names, row)], map(len, titles), strict=True)
        remark = _REMARKS.get(row["status"], "")
        lines.append("  ".join([*(cell.rjust(width) for cell, width in cells), remark]).rstrip())
    return "\n".join([*lines, ""])


def _label_table(result: Result) -> str:
    names = [result.metric.name, "precision", "recall", *_SIDES]
    table = [["label", *_titles(names)]]
    for label, row in result.as_dict(by_label=True)["by_label"].items():
        table.append([printable(label) or NO_LABEL, *_cells(names, row)])
    return lay_out(table, "<>") + "\n"


def _titles(names: Iterable[str]) -> list[str]:
    return [f"{_SIDES.get(name, name):>6}" for name in names]


def _cells(names: Iterable[str], row: dict[str, Any]) -> list[str]:
    """Return figures with four digits, counts as they are, and dashes for missing ones."""
    values = (row[name] for name in names)
    return [
        "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        for value in values
    ]
