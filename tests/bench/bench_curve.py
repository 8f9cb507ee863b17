"""The cost of a perturbation curve: `python tests/bench/bench_curve.py [--quick] [--json FILE]`.

The paper's 11 levels of 3 kinds of perturbation, 5 times each, on 2,400 sentences must take less than a
minute on two cores. Exit code 1 if not so, or if a value differs. What the curve shows is printed, too,
and what the kinds of perturbation cost sentences of different lengths.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import machine
from bench.corpus import Corpus, make_corpus, with_times
from bench.report import Report, interleave
from structiou_metric import COMPILED, struct_iou
from structiou_metric.analysis.curves import DELTAS, SEED, Curve, perturbation_curve
from structiou_metric.analysis.perturbation import KINDS, generator_for, perturb


def measure(report: Report, corpus: Corpus, deltas: Sequence[float], repeats: int, rounds: int) -> None:
    """The whole curve, in one process and in two."""
    curves: dict[int, Curve] = {}
    processor_seconds: list[float] = []

    def run(workers: int) -> None:
        begin = process_time()
        curves[workers] = perturbation_curve(
            corpus.predictions, corpus.references, deltas=deltas, repeats=repeats, workers=workers
        )
        if workers == 1:
            processor_seconds.append(process_time() - begin)

    report.section(
        f"a curve with {len(deltas)} × {len(KINDS)} × {repeats} points, in seconds: {corpus.describe()}"
    )
    tasks: dict[str, Callable[[], object]] = {str(n): partial(run, n) for n in (1, 2)}
    seconds = interleave(rounds, tasks)
    report.times("one process", seconds["1"], f"{min(processor_seconds):.3g} s of processor time")
    report.times("two processes", seconds["2"])
    note = f"load average {machine.load()}, cores {machine.cores()}"
    report.limit("two processes, best", min(seconds["2"]), at_most=60.0, unit=" s", note=note)
    one, two = ([score for point in curves[n].points for score in point.scores] for n in (1, 2))
    report.agree("one process and two", one, two, 0.0)
    check_point(report, curves[2], corpus)
    for kind, points in curves[2].by_kind().items():
        means = [point.mean for point in points]
        report.fact(f"{kind}, means by δ", " ".join(f"{mean:.3f}" for mean in means), means=means)
    for claim, holds, detail in curves[2].findings():
        report.fact(f"the paper finds: {claim}", f"{'so' if holds else 'not so'} here: {detail}", holds=holds)


def check_point(report: Report, curve: Curve, corpus: Corpus) -> None:
    """One repeat of one level of each kind, by single trees."""
    for points in curve.by_kind().values():
        kind, delta, scores, *_ = points[len(points) // 2]
        slow = [
            struct_iou(perturb(pred, kind, delta, generator_for(SEED, kind, delta, 0, row)), ref, unit="time")
            for row, (pred, ref) in enumerate(zip(corpus.predictions, corpus.references, strict=True))
        ]
        report.agree(f"{kind}, δ = {delta:g}, and trees one by one", scores[:1], [fmean(slow)], 1e-12)


def compare_lengths(report: Report, n_pairs: int) -> None:
    """The kinds on sentences of one length, their predictions without a parser's errors."""
    delta = 0.5
    report.section(f"mean scores at δ = {delta:g} by length, for correct trees, silences closed")
    for n_words in (1, 2, 4, 8, 16, 32):
        corpus = with_times(make_corpus(n_pairs, n_words=n_words, wrong_share=0.0), noise=0.0)
        curve = perturbation_curve(
            corpus.predictions, corpus.references, deltas=[delta], repeats=2, gaps="close"
        )
        means = {point.kind: point.mean for point in curve.points}
        text = ", ".join(f"{kind} {mean:.3f}" for kind, mean in means.items())
        report.fact(f"{n_words} words" if n_words > 1 else "1 word", text, n_words=n_words, means=means)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    parser = argparse.ArgumentParser(description="Times a perturbation curve.")
    parser.add_argument("--quick", action="store_true", help="small and few; limits are not judged")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    args = parser.parse_args(argv)
    why_not = "a quick run" if args.quick else "not compiled"
    report = Report(judged=COMPILED and not args.quick, why_not=why_not)
    about = machine.describe(None)
    del about["prototype"]  # has no part in this
    for name, value in about.items():
        print(f"{name:<12} {value}")
    deltas, repeats, rounds = ((0.0, 0.5, 1.0), 2, 1) if args.quick else (DELTAS, 5, 3)
    measure(report, with_times(make_corpus(12 if args.quick else 2400), noise=0.0), deltas, repeats, rounds)
    compare_lengths(report, 3 if args.quick else 400)
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())
