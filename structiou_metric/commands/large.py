"""Scores more pairs than should be held at once, or a part of them, for `structiou score`."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from typing import Any

from ..metrics.results import Result
from ..metrics.tally import CorpusTally
from ..metrics.tallying import shard, tally_pieces, tally_rows
from ..scale.dask import connect, score_dask
from ..scale.parquet import ParquetPairs
from ..scale.row_files import RowWriter
from ..sources.rows import check_as_many
from ..terminal import lay_out, printable
from . import inputs, outputs


def score_large(metric: Any, args: argparse.Namespace, by_label: bool, table: str | None) -> CorpusTally:
    """What all rows, or those of the shard, add up to; a shard may have none.

    Args:
        metric: The metric with its options.
        args: The arguments of the command.
        by_label: Whether to sum up by label, too.
        table: The path of a Parquet table with both columns, if that is what is scored.
    """
    _check_usage(args, table)

    with _writer(args) as watch:
        how: dict[str, Any] = {"by_label": by_label, "workers": args.workers, "progress": not args.quiet}
        how["watch"] = watch
        if args.dask is not None:
            columns = _columns(args)
            how = {"by_label": by_label, "progress": not args.quiet}
            with connect(args.dask) as client:
                tally: CorpusTally = score_dask(client, table, metric=metric, **columns, **how).tally()
        elif table is not None:
            pairs = ParquetPairs(table, **_columns(args))
            rows = range(len(pairs)) if args.shard is None else shard(len(pairs), *args.shard)
            tally = tally_pieces(metric, pairs.pieces([rows]), total=len(rows), **how)
        else:
            references, predictions = inputs.read_sides(args)
            check_as_many(predictions, references)
            rows = range(len(references)) if args.shard is None else shard(len(references), *args.shard)
            tally = tally_rows(metric, predictions, references, rows, **how)
    if args.tally is not None:
        number, n_shards = args.shard or (1, 1)
        values = {**tally.to_dict(), "shard": number, "n_shards": n_shards}
        outputs.write_text(args.tally, json.dumps(values) + "\n")
    return tally


def group_table(result: Result) -> str:
    """A table with the figures of each group."""
    measures = result.metric.MEASURES
    titles = [measure.short for measure in measures.values()]
    table = [["group", "rows", *titles]]
    for key, tally in sorted(result.by_group.items()):
        figures = tally.figures
        table.append([printable(key), f"{len(tally):,}", *(f"{figures[name]:.4f}" for name in measures)])
    return lay_out(table, "<>") + "\n"


def _check_usage(args: argparse.Namespace, table: str | None) -> None:
    parser: argparse.ArgumentParser = args.parser
    if args.per_sentence:
        parser.error(
            "--per-sentence holds all rows; with these options, write them by --per-sentence-to FILE"
        )
    if args.why:
        parser.error("--why is not told with these options")
    for path in (args.tally, args.per_sentence_to):
        outputs.check_writable(path)
    if table is None:
        for name in ("group_by", "id_column", "dask"):
            if getattr(args, name) is not None:
                flag = name.replace("_", "-")
                parser.error(f"--{flag} is for one Parquet table with both columns")
    if args.dask is not None and (args.shard or args.per_sentence_to):
        parser.error("--dask scores all rows and keeps none: leave out --shard and --per-sentence-to")


def _columns(args: argparse.Namespace) -> dict[str, Any]:
    names = ("prediction_column", "reference_column", "group_by", "id_column")
    return {name: getattr(args, name) for name in names}


def _writer(args: argparse.Namespace) -> Any:
    if args.per_sentence_to is None:
        return nullcontext()

    return RowWriter(args.per_sentence_to)
