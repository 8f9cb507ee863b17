"""Options of `structiou score` for more pairs than should be held at once, or for a part of them."""

from __future__ import annotations

from ..sources.rows import check_as_many
from . import arguments
from .plain import refusal

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from ..metrics.tally import CorpusTally

_PARQUET = (".parquet", ".pq")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
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
        help="score the Kth of N parts of the rows; with --tally, for as many jobs",
    )
    group.add_argument(
        "--group-by", metavar="COLUMN", help="of a Parquet table: tell figures by what this column holds, too"
    )
    group.add_argument(
        "--id-column", metavar="COLUMN", help="of a Parquet table: what rows are called in messages"
    )
    group.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="score a Parquet table on the Dask cluster with this scheduler, such as tcp://host:8786, or "
        "local for one of this machine's processors",
    )


def is_asked(args: argparse.Namespace, metrics: Sequence[Any]) -> bool:
    """Whether rows are to be added up as they come, and not to be held."""
    names = ("per_sentence_to", "tally", "shard", "group_by", "id_column", "dask")
    if any(getattr(args, name) is not None for name in names):
        if len(metrics) > 1 and (args.tally or args.per_sentence_to):
            args.parser.error("--tally and --per-sentence-to are for one metric")
        return True
    needs_all = args.per_sentence or args.why or any(metric.pairs_itself for metric in metrics)
    return not needs_all and _pairs(args) is not None


def score(metric: Any, args: argparse.Namespace, by_label: bool) -> CorpusTally:
    """What all rows, or those of the shard, add up to; a shard may have none."""
    _check_usage(args)
    from ..metrics.tallying import shard, tally_pieces, tally_rows

    with _writer(args) as watch:
        how: dict[str, Any] = {"by_label": by_label, "workers": args.workers, "progress": not args.quiet}
        how["watch"] = watch
        table = _pairs(args)
        if args.dask is not None:
            from ..scale.dask import connect, score_dask

            columns = _columns(args)
            how = {"by_label": by_label, "progress": not args.quiet}
            with connect(args.dask) as client:
                tally: CorpusTally = score_dask(client, table, metric=metric, **columns, **how).tally()
        elif table is not None:
            from ..scale.parquet import ParquetPairs

            pairs = ParquetPairs(table, **_columns(args))
            rows = range(len(pairs)) if args.shard is None else shard(len(pairs), *args.shard)
            tally = tally_pieces(metric, pairs.pieces([rows]), total=len(rows), **how)
        else:
            references, predictions = arguments.read_sides(args)
            check_as_many(predictions, references)
            rows = range(len(references)) if args.shard is None else shard(len(references), *args.shard)
            tally = tally_rows(metric, predictions, references, rows, **how)
    if args.tally is not None:
        import json

        number, n_shards = args.shard or (1, 1)
        values = {**tally.to_dict(), "shard": number, "n_shards": n_shards}
        arguments.write_text(args.tally, json.dumps(values) + "\n")
    return tally


def tell_groups(groups: dict[str, CorpusTally]) -> str:
    """A table with the figures of each group."""
    from ..terminal import lay_out, printable

    metric = next(iter(groups.values())).metric
    titles = [measure.short for measure in metric.MEASURES.values()]
    table = [["group", "rows", *titles]]
    for key, tally in sorted(groups.items()):
        figures = tally.figures
        table.append(
            [printable(key), f"{len(tally):,}", *(f"{figures[name]:.4f}" for name in metric.MEASURES)]
        )
    return lay_out(table, "<>") + "\n"


def _check_usage(args: argparse.Namespace) -> None:
    parser: argparse.ArgumentParser = args.parser
    if args.per_sentence:
        parser.error(
            "--per-sentence holds all rows; with these options, write them by --per-sentence-to FILE"
        )
    if args.why:
        parser.error("--why is not told with these options")
    for path in (args.tally, args.per_sentence_to):
        arguments.check_writable(path)
    if _pairs(args) is None:
        for name in ("group_by", "id_column", "dask"):
            if getattr(args, name) is not None:
                flag = name.replace("_", "-")
                parser.error(f"--{flag} is for one Parquet table with both columns")
    if args.dask is not None and (args.shard or args.per_sentence_to):
        parser.error("--dask scores all rows and keeps none: leave out --shard and --per-sentence-to")


def _pairs(args: argparse.Namespace) -> str | None:
    """The path of the Parquet table with both columns, if that is what is scored."""
    if args.prediction is not None or arguments.makes_documents(args):
        return None
    path = args.reference
    return path if isinstance(path, str) and path.lower().endswith(_PARQUET) else None


def _columns(args: argparse.Namespace) -> dict[str, Any]:
    names = ("prediction_column", "reference_column", "group_by", "id_column")
    return {name: getattr(args, name) for name in names}


def _writer(args: argparse.Namespace) -> Any:
    if args.per_sentence_to is None:
        from contextlib import nullcontext

        return nullcontext()
    from ..scale.row_files import RowWriter

    return RowWriter(args.per_sentence_to)


def _shard(text: str) -> tuple[int, int]:
    """The number of a shard and how many there are, from a text such as `3/64`."""
    parts: Sequence[str] = text.split("/")
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        number, n_shards = map(int, parts)
        if 1 <= number <= n_shards:
            return number, n_shards
    raise refusal(f"{text!r} is not such as 3/64, which is the third of 64 parts")
