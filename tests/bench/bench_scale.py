"""Very many pairs: `python tests/bench/bench_scale.py [--quick] [--json FILE]`.

Measures, each as a ratio within this run, by processor time where one thread works:

- Arrow: a Parquet file scored from its columns, against the same file read into lists of texts; at most 0.9.
  And one null in 256 rows against none; at most 1.05.
- Memory: 3 million pairs of a Parquet file in a process of its own; at most 350 MiB.
- Dask: two worker processes against one thread, by the clock, after the cluster has started; at least 1.6.

Exit code 1 if a limit is broken.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import Corpus, make_corpus
from bench.report import Report, interleave
from structiou_metric import StructIoU
from structiou_metric.scale import score_dask, tally_parquet
from structiou_metric.scale.dask import connect

_PEAK = """
import sys
sys.path.insert(0, sys.argv[2])
from bench.report import peak_mebibytes
from structiou_metric.scale import tally_parquet
tally = tally_parquet(sys.argv[1])
print(len(tally), peak_mebibytes())
"""


def write_pairs(path: Path, corpus: Corpus, *, nulls: bool = False) -> None:
    """A Parquet file with row groups of 65,536 pairs; with `nulls`, one prediction in 256 is missing."""
    from pyarrow import parquet, table

    predictions: list[str | None] = list(corpus.predictions)
    if nulls:
        predictions[::256] = [None] * len(predictions[::256])
    columns = table({"prediction": predictions, "reference": corpus.references})
    parquet.write_table(columns, path, row_group_size=65_536)


def by_lists(path: Path) -> float:
    """The score of a file whose columns become lists of texts."""
    from pyarrow import parquet

    table = parquet.read_table(path)
    sides = (table.column(name).to_pylist() for name in ("prediction", "reference"))
    return float(StructIoU(on_error="zero").corpus_score(*sides).score)


def main(argv: Sequence[str] | None = None) -> int:
    """Run all."""
    report = Report("Arrow, Parquet and Dask.", argv, libraries=["pyarrow", "distributed"])
    quick = report.quick
    corpus = make_corpus(200 if quick else 2400)
    with TemporaryDirectory() as name:
        folder = Path(name)
        _measure_arrow(report, folder, corpus.repeated(600 if quick else 96_000), 1 if quick else 5)
        _measure_memory(report, folder, corpus, 1_000 if quick else 3_000_000)
        _measure_dask(report, folder, corpus.repeated(2_000 if quick else 1_000_000), 1 if quick else 3)
    return report.finish()


def _measure_arrow(report: Report, folder: Path, corpus: Corpus, rounds: int) -> None:
    report.section("Columns of Arrow")
    plain, nulls = folder / "plain.parquet", folder / "nulls.parquet"
    write_pairs(plain, corpus)
    write_pairs(nulls, corpus, nulls=True)
    took = interleave(
        rounds,
        {
            "columns": partial(tally_parquet, plain),
            "lists": partial(by_lists, plain),
            "nulls": partial(tally_parquet, nulls),
        },
    )
    report.ratio("columns, of the time of lists of texts", took["columns"], took["lists"], 0.9)
    report.ratio("one null in 256 rows, of the time of none", took["nulls"], took["columns"], 1.05)
    report.agree("scores", [tally_parquet(plain).figures["struct_iou"]], [by_lists(plain)], tolerance=0.0)


def _measure_memory(report: Report, folder: Path, corpus: Corpus, n_pairs: int) -> None:
    from pyarrow import parquet, table

    report.section("Memory")
    path = folder / "many.parquet"
    part = corpus.repeated(min(n_pairs, 60_000))
    columns = table({"prediction": part.predictions, "reference": part.references})
    with parquet.ParquetWriter(path, columns.schema) as writer:
        for _ in range(n_pairs // len(part.references)):
            writer.write_table(columns)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    answer = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path), str(Path(__file__).resolve().parents[1])],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    n_scored, peak = map(float, answer.stdout.split())
    report.agree("pairs", [n_scored], [n_pairs // len(part.references) * len(part.references)])
    report.limit(f"peak, {n_scored:,.0f} pairs", peak, at_most=350.0, unit=" MiB")
    path.unlink()


def _measure_dask(report: Report, folder: Path, corpus: Corpus, rounds: int) -> None:
    report.section("Dask, two workers")
    path = folder / "dask.parquet"
    write_pairs(path, corpus)
    with connect("local", n_workers=2) as client:
        score_dask(client, path)  # the workers have imported all that they need
        took = interleave(
            rounds,
            {"together": partial(score_dask, client, path), "alone": partial(tally_parquet, path)},
            perf_counter,
        )
    report.limit("faster than one thread", min(took["alone"]) / min(took["together"]), at_least=1.6)


if __name__ == "__main__":
    sys.exit(main())
