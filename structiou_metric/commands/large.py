"""Score more pairs than fit in memory, or one shard of them, for `structiou score`."""

from __future__ import annotations

import argparse
import json
import os
from contextlib import nullcontext
from glob import glob
from hashlib import file_digest, sha256
from typing import Any
from urllib.parse import urlsplit

from ..metrics.coverage import Coverage
from ..metrics.results import Result
from ..metrics.tally import CorpusTally
from ..metrics.tallying import shard, tally_rows
from ..scale.dask import connect, score_dask
from ..scale.jobs import Job
from ..scale.parquet import ENDINGS, ParquetPairs, tally_units
from ..scale.row_files import RowWriter
from ..sources.rows import check_as_many
from ..terminal import NO_LABEL, lay_out, printable
from . import inputs, outputs


def score_large(metric: Any, args: argparse.Namespace, by_label: bool, table: str | None) -> CorpusTally:
    """Add up all rows, or those of the shard; a shard may be empty.

    Args:
        metric: The metric with its options.
        args: The arguments of the command.
        by_label: Whether to add up scores by label, too.
        table: The path of Parquet files with both columns; None if other files are scored.
    """
    _check_usage(args, table)
    whole = Coverage()
    if args.dask is not None:
        how: dict[str, Any] = {"by_label": by_label, "progress": not args.quiet, "out": args.out}
        with connect(args.dask) as client:
            tally: CorpusTally = score_dask(client, table, metric=metric, **_columns(args), **how).tally()
        whole = tally.covers
    elif table is not None:
        number, n_shards = args.shard or (1, 1)
        pairs = ParquetPairs(table, **_columns(args))
        whole, units = pairs.covers, pairs.shard(number, n_shards)
        if args.out is not None:
            job = Job(args.out, metric, pairs.columns, pairs.units, by_label)
            tally = job.score_all(units, workers=args.workers, progress=not args.quiet)
        else:
            with _writer(args) as watch:
                tally = tally_units(metric, pairs.columns, units, **_how(args, by_label), watch=watch)
    else:
        references, predictions = inputs.read_sides(args)
        check_as_many(predictions, references)
        all_rows = range(len(references))
        rows = all_rows if args.shard is None else shard(len(references), *args.shard)
        with _writer(args) as watch:
            tally = tally_rows(metric, predictions, references, rows, **_how(args, by_label), watch=watch)
        name, stamp = f"{references.title} and {predictions.title}", _stamp(args)
        whole.add_rows(name, stamp, all_rows)
        tally.covers.add_rows(name, stamp, rows)
    if args.tally is not None:
        values = {**tally.to_dict(), "whole": whole.to_dict()}
        outputs.write_text(args.tally, json.dumps(values) + "\n")
    return tally


def parquet_pairs(args: argparse.Namespace) -> str | None:
    """Return the path of the Parquet files with both columns; None if other files are scored."""
    path = args.reference
    if args.prediction is not None or inputs.makes_documents(args) or not isinstance(path, str):
        return None
    is_url = "://" in path
    if (urlsplit(path).path if is_url else path).lower().endswith(ENDINGS):
        return path
    if is_url:
        return None if path.startswith(("http://", "https://")) else path
    places = [path] if os.path.lexists(path) else glob(path, recursive=True)
    return path if any(name.endswith(ENDINGS) for place in places for name in _files(place)) else None


def group_table(result: Result) -> str:
    """Return a table with the figures of each group."""
    measures = result.metric.MEASURES
    titles = [measure.short for measure in measures.values()]
    table = [["group", "rows", *titles]]
    for key, tally in result.by_group.items():
        figures = tally.figures
        table.append(
            [
                "null" if key is None else printable(key) or NO_LABEL,
                f"{len(tally):,}",
                *(f"{figures[name]:.4f}" for name in measures),
            ]
        )
    return lay_out(table, "<>") + "\n"


def _files(place: str) -> list[str]:
    """Return a file, or all files below a folder."""
    below = [os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names]
    return sorted(below) if os.path.isdir(place) else [place] * os.path.isfile(place)


def _stamp(args: argparse.Namespace) -> str:
    """Return a digest of the files of both sides, so that tallies of changed files are not merged."""
    digest = sha256()
    for place in (args.reference, args.prediction):
        for name in _files(place) if isinstance(place, str) else ():
            with open(name, "rb") as file:
                digest.update(file_digest(file, "sha256").digest())
    return f"sha256 {digest.hexdigest()[:16]}"


def _check_usage(args: argparse.Namespace, table: str | None) -> None:
    parser: argparse.ArgumentParser = args.parser
    if args.per_sentence:
        parser.error(
            "--per-sentence holds all rows; with these options, write them by --per-sentence-to FILE"
        )
    if args.why:
        parser.error("--why needs all rows; leave it out with these options")
    for path in (args.tally, args.per_sentence_to):
        outputs.check_writable(path)
    if table is None:
        for name in ("group_by", "id_column", "dask", "out"):
            if getattr(args, name) is not None:
                flag = name.replace("_", "-")
                parser.error(f"--{flag} is for Parquet files with both columns")
    if args.dask is not None and (args.shard or args.per_sentence_to):
        parser.error(
            "--dask scores all rows: leave out --shard, and --per-sentence-to, for which there is --out"
        )
    if args.out is not None and args.per_sentence_to is not None:
        parser.error("--out writes the rows, too: leave out --per-sentence-to")


def _how(args: argparse.Namespace, by_label: bool) -> dict[str, Any]:
    return {"by_label": by_label, "workers": args.workers, "progress": not args.quiet}


def _columns(args: argparse.Namespace) -> dict[str, Any]:
    names = ("prediction_column", "reference_column", "group_by", "id_column")
    return {name: getattr(args, name) for name in names}


def _writer(args: argparse.Namespace) -> Any:
    if args.per_sentence_to is None:
        return nullcontext()
    return RowWriter(args.per_sentence_to)
