"""Very many pairs: `python tests/bench/bench_scale.py [--quick] [--json FILE] [--old FOLDER]`.

Measures, each as a ratio within this run, by processor time where one thread works:

- Arrow: a Parquet file scored from its columns, against the same file read into lists of texts; at most 0.9.
  And one null in 256 rows against none; at most 1.05.
- Memory: 3 million pairs of a Parquet file in a process of its own; at most 350 MiB.
- Dask: two worker processes against one thread, by the clock, after the cluster has started; at least 1.6.
- Prepared trees against prepared trees, against texts; at most 0.6.
- `mbr` of 50 candidates for each sentence against all pairs as texts, with equal results; at most 0.40 of
  what they take in version 0.1.0. That is measured with `--old`, a checkout of it with a compiled core;
  without it, the bound is held against the present version. Candidates of a list are partly the same, as in
  n-best lists; how it is where all of them are different is told, too.

Exit code 1 if a limit is broken.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import Corpus, make_corpus
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric import StructIoU
from structiou_metric.analysis.pairwise import Choice, mbr
from structiou_metric.scale import score_dask, tally_parquet
from structiou_metric.scale.dask import connect
from structiou_metric.sources.prepared import PreparedTrees
from support.random_trees import mutate

_PEAK = """
import sys
sys.path.insert(0, sys.argv[2])
from bench.fresh import peak_mebibytes
from structiou_metric.scale import tally_parquet
tally = tally_parquet(sys.argv[1])
print(len(tally), peak_mebibytes())
"""


# Scores texts by the package of another folder: one line in for each run, the seconds and the score out.
_OLD = """
import json, sys
from time import process_time
sys.path.insert(0, sys.argv[1])
import structiou_metric
from structiou_metric import StructIoU
assert structiou_metric.__file__.startswith(sys.argv[1]), structiou_metric.__file__
assert structiou_metric.COMPILED, "its core is not compiled"
predictions, references = json.loads(sys.stdin.readline())
for _ in sys.stdin:
    begin = process_time()
    score = StructIoU().corpus_score(predictions, references).sentence
    print(json.dumps([process_time() - begin, score]), flush=True)
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


def all_pairs(candidates: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """Every candidate of a sentence beside every other, in both orders."""
    pairs = [(one, other) for own in candidates for one in own for other in own]
    return [one for one, _ in pairs], [other for _, other in pairs]


def mbr_by_texts(candidates: Sequence[Sequence[str]]) -> list[Choice]:
    """The same choice by all pairs in both orders, as whoever has no `mbr` would write it."""
    metric = StructIoU()
    values: list[Any] = metric.corpus_score(*all_pairs(candidates)).values(metric.headline)
    chosen, at = [], 0
    for own in candidates:
        rows = [values[at + i * len(own) : at + (i + 1) * len(own)] for i in range(len(own))]
        expected = [sum(row) / len(own) for row in rows]
        chosen.append(Choice(expected.index(max(expected)), max(expected)))
        at += len(own) ** 2
    return chosen


class OldVersion:
    """Version 0.1.0 in a process of its own, which scores all pairs of candidates as texts.

    Args:
        folder: A checkout with a compiled core.
        candidates: The trees of each sentence.
    """

    def __init__(self, folder: str, candidates: Sequence[Sequence[str]]) -> None:
        command = [sys.executable, "-c", _OLD, str(Path(folder).resolve())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.score = 0.0
        self._tell(json.dumps(all_pairs(candidates)))

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def seconds(self) -> float:
        """Scores once; the processor time that it took."""
        assert self._process.stdout is not None
        self._tell("")
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the old version did not answer; is its core compiled?")
        seconds, self.score = json.loads(answer)
        return float(seconds)

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    program = Program(
        "Arrow, Parquet, Dask, and all pairs.",
        argv,
        libraries=["pyarrow", "distributed"],
        more={"--old": "a checkout of version 0.1.0 with a compiled core, to measure mbr against"},
    )
    report, quick = program.report, program.quick
    corpus = make_corpus(200 if quick else 2400)
    rounds = 1 if quick else 5
    with TemporaryDirectory() as name:
        folder = Path(name)
        _measure_arrow(report, folder, corpus.repeated(600 if quick else 96_000), rounds)
        _measure_memory(report, folder, corpus, 1_000 if quick else 3_000_000)
        _measure_dask(
            report, folder, corpus.repeated(2_000 if quick else 1_000_000), rounds=1 if quick else 3
        )
    report.section("Trees that are read once")
    sides = PreparedTrees(corpus.predictions), PreparedTrees(corpus.references)
    metric = StructIoU()
    took = _times(
        3 * rounds,
        prepared=partial(metric.corpus_score, *sides),
        texts=partial(metric.corpus_score, corpus.predictions, corpus.references),
    )
    report.ratio("prepared trees, of the time of texts", took["prepared"], took["texts"], 0.6)
    _measure_mbr(report, corpus, (3, 5) if quick else (40, 50), 1 if quick else 3, program.args.old)
    return program.finish()


def _times(
    rounds: int, clock: Callable[[], float] = process_time, **tasks: Callable[[], Any]
) -> dict[str, list[float]]:
    """The seconds of each run of some tasks, which take turns; what they return is no time."""

    def silent(task: Callable[[], Any]) -> None:
        task()

    return interleave(rounds, {name: partial(silent, task) for name, task in tasks.items()}, clock)


def _measure_mbr(report: Report, corpus: Corpus, size: tuple[int, int], rounds: int, old: str | None) -> None:
    report.section("Minimum Bayes risk")
    rng = Random(50)
    n_sentences, n_best = size
    candidates = [
        [tree, *(mutate(rng, tree, rng.randint(0, 4)) for _ in range(n_best - 1))]
        for tree in corpus.references[:n_sentences]
    ]
    different = [list(dict.fromkeys(own)) for own in candidates]
    took = _times(
        rounds,
        once=partial(mbr, candidates),
        often=partial(mbr_by_texts, candidates),
        once_each=partial(mbr, different),
        often_each=partial(mbr_by_texts, different),
    )
    n_different = sum(map(len, different)) / sum(map(len, candidates))
    report.fact("different candidates, of all", f"{n_different:.2f}")
    title = "mbr, of the time of all pairs of texts"
    if old is None:
        report.ratio(title, took["once"], took["often"], 0.40)
    else:
        version = OldVersion(old, candidates)
        seconds = [version.seconds() for _ in range(rounds)]
        version.close()
        report.ratio(f"{title} in version 0.1.0", took["once"], seconds, 0.40)
        report.ratio(title, took["once"], took["often"], None)
        now = StructIoU().corpus_score(*all_pairs(candidates)).score
        report.agree("mean of all pairs, then and now", [version.score], [now], tolerance=1e-12)
    report.ratio(f"{title}, all different", took["once_each"], took["often_each"], None)
    expected = [[choice.score for choice in found] for found in (mbr(candidates), mbr_by_texts(candidates))]
    report.agree("expected scores", *expected, tolerance=1e-12)


def _measure_arrow(report: Report, folder: Path, corpus: Corpus, rounds: int) -> None:
    report.section("Columns of Arrow")
    plain, nulls = folder / "plain.parquet", folder / "nulls.parquet"
    write_pairs(plain, corpus)
    write_pairs(nulls, corpus, nulls=True)
    took = _times(
        rounds,
        columns=partial(tally_parquet, plain),
        lists=partial(by_lists, plain),
        nulls=partial(tally_parquet, nulls),
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
        took = _times(
            rounds,
            perf_counter,
            together=partial(score_dask, client, path),
            alone=partial(tally_parquet, path),
        )
    report.limit("faster than one thread", min(took["alone"]) / min(took["together"]), at_least=1.6)


if __name__ == "__main__":
    sys.exit(main())
