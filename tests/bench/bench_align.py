"""The cost of scores: `python tests/bench/bench_align.py [--quick] [--json FILE]`.

Generates a treebank-like corpus and measures in one run, as processor time where one thread works: the corpus
under several options, worst cases, documents, the command, two threads, and all metrics. Instructions are
counted by `instructions.py`. Exit code 1 if a limit is not kept or if values differ.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import comb, make_corpus, random_binary, retokenized, with_times, zigzag
from bench.report import Report, interleave
from bench.talks import Talk, make_talk, wrapped
from structiou_metric import METRICS, StructIoU, load_metric
from structiou_metric._core.flat import FlatTrees
from structiou_metric._core.scan import Scanner
from structiou_metric.sources.rows import join_texts, scan

_PAIRS = 2416  # as many as section 23 of the Wall Street Journal has
_PEERS = 8.0  # seconds for all metrics on that many pairs
_SPARSEVAL = 10.0  # the time of SParseval here over that of its program

# Seconds of the programs that metrics implement, as measured once on section 23; others were not measured.
_PROGRAMS = {
    "parseval": ("EVALB", 0.056),
    "aligned_parseval": ("jp-evalb", 3.55),
    "sparseval": ("SParseval, with a given alignment", 0.18),
}


def read_only(*sides: Sequence[str]) -> None:
    """Read all strings as the metric does, and nothing else."""
    scanner, trees = Scanner(), FlatTrees()
    for side in sides:
        for at in range(0, len(side), 1024):
            scan(scanner, *join_texts(side[at : at + 1024]), "word", trees)


def measure_corpus(report: Report) -> None:
    """Lists of bracket strings to the corpus score."""
    corpus = make_corpus(120 if report.quick else 2400)
    report.section(f"lists of bracket strings to the corpus score: {corpus.describe()}")
    variants: dict[str, tuple[Any, dict[str, Any]]] = {
        "words": (corpus, {}),
        "unlabeled": (corpus, {"labels": "ignore"}),
        "flexible terminals": (corpus, {"terminals": "flexible"}),
        "characters": (retokenized(corpus), {"unit": "char"}),
        "noisy times": (with_times(corpus), {"unit": "time"}),
    }
    tasks: dict[str, Callable[[], object]] = {
        name: partial(StructIoU(**options).corpus_score, trees.predictions, trees.references)
        for name, (trees, options) in variants.items()
    }
    tasks["reading alone"] = partial(read_only, corpus.predictions, corpus.references)
    seconds = interleave(2 if report.quick else 30, tasks)
    for name in tasks:
        report.times(name, seconds[name])
    report.ratio("words / reading alone", seconds["words"], seconds["reading alone"], 4.0)


def measure_growth(report: Report) -> None:
    """Single pairs of long trees that have nothing in common, and recordings of several lengths."""
    sizes = (20, 40, 80) if report.quick else (200, 400, 800)
    unlabeled = StructIoU(labels="ignore")
    shapes: dict[str, Callable[[int], tuple[str, str]]] = {
        "left comb, right comb": lambda n: (comb(n, "left"), comb(n, "right")),
        "zigzag, zigzag": lambda n: (zigzag(n, True), zigzag(n, False)),
        "zigzag, left comb": lambda n: (zigzag(n, True), comb(n, "left")),
        "random binary": lambda n: (random_binary(n, 1), random_binary(n, 2)),
    }
    report.section("worst cases, unlabeled: one pair")
    for shape, make in shapes.items():
        measure_pairs(report, shape, {n: partial(unlabeled.align, *make(n)) for n in sizes}, at_most=3.1)

    report.section("documents in seconds, with times that are off and sentences cut differently")
    talks = {n: make_talk(n) for n in ((100, 400) if report.quick else (1_000, 10_000, 100_000))}
    timed = StructIoU(unit="time")
    ways: dict[str, Callable[[Talk, Talk], object]] = {
        "documents": lambda p, r: timed.corpus_score([p], [r], documents=True).score,
        "documents, with their pairs": lambda p, r: timed.align(p, r, documents=True).score,
        "one tree a side": lambda p, r: timed.corpus_score([wrapped(p)], [wrapped(r)]).score,
    }
    for name, way in ways.items():
        measure_pairs(report, name, {n: partial(way, *talk) for n, talk in talks.items()}, at_most=1.2)


def measure_pairs(report: Report, name: str, tasks: dict[int, Callable[[], object]], at_most: float) -> None:
    """Print the time of pairs of several sizes, and limit the power of the size with which it grows."""
    best = {n: min(interleave(2, {name: task})[name]) for n, task in tasks.items()}
    small, large = min(best), max(best)
    growth = log(max(best[large], 1e-9) / max(best[small], 1e-9)) / log(large / small)
    times = ", ".join(f"{n:,} words {1000 * seconds:,.3g} ms" for n, seconds in best.items())
    report.limit(f"{name}: exponent", growth, at_most=at_most, note=times)


def measure_command(report: Report, folder: Path) -> None:
    """The command on the files of the corpus, and two threads; by the clock."""
    corpus = make_corpus(120 if report.quick else 2400)
    report.section("by the clock")
    paths = folder / "reference.txt", folder / "prediction.txt"
    for path, trees in zip(paths, (corpus.references, corpus.predictions), strict=True):
        path.write_text("".join(f"{tree}\n" for tree in trees), encoding="utf-8")
    python = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    many = corpus.repeated(4_000 if report.quick else 100_000)
    score = partial(StructIoU().corpus_score, many.predictions, many.references)
    tasks: dict[str, Callable[[], object]] = {
        "structiou score": partial(
            python, [sys.executable, "-m", "structiou_metric", "score", *map(str, paths)]
        ),
        "python -c pass": partial(python, [sys.executable, "-c", "pass"]),
        "many pairs, one thread": score,
        "many pairs, two threads": partial(score, workers=2),
    }
    seconds = interleave(2 if report.quick else 9, tasks, perf_counter)
    for name in tasks:
        report.times(name, seconds[name])
    report.agree("one thread and two", [score().sentence], [score(workers=2).sentence], 0.0)
    report.ratio(
        "two threads / one", seconds["many pairs, two threads"], seconds["many pairs, one thread"], 0.6
    )


def measure_metrics(report: Report) -> None:
    """All metrics on the same pairs, next to the programs that they implement."""
    n_pairs = 60 if report.quick else _PAIRS
    corpus = make_corpus(n_pairs)
    report.section(f"all metrics, from lists of strings: {corpus.describe()}")
    tasks: dict[str, Callable[[], object]] = {
        name: partial(_figure, name, corpus.predictions, corpus.references) for name in METRICS
    }
    seconds = interleave(1 if report.quick else 3, tasks)
    for name in tasks:
        program, took = _PROGRAMS.get(name, ("", 0.0))
        report.times(name, seconds[name], f"{program}: {took:g} s for {_PAIRS:,}" if program else "")
    report.limit("all", sum(min(own) for own in seconds.values()), at_most=_PEERS, unit=" s")
    slower = min(seconds["sparseval"]) / (_PROGRAMS["sparseval"][1] * n_pairs / _PAIRS)
    report.limit("sparseval / its program", slower, at_most=_SPARSEVAL)


def _figure(name: str, predictions: Sequence[str], references: Sequence[str]) -> float:
    return load_metric(name).corpus_score(predictions, references).figures[name]


def main(argv: Sequence[str] | None = None) -> int:
    """Run all."""
    report = Report("Times scores of generated trees.", argv)
    measure_corpus(report)
    measure_growth(report)
    measure_metrics(report)
    with TemporaryDirectory(prefix="structiou-bench-") as folder:
        measure_command(report, Path(folder))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
