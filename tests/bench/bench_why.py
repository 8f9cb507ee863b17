"""The cost of causes: `python tests/bench/bench_why.py [--quick] [--json FILE]`.

What is lost by which cause must cost at most 5 times as much as scoring the same corpus with labels counted,
in words and in seconds, by processor time. Exit code 1 if not so, or if the causes do not add up to the loss.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from math import fsum
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import Corpus, make_corpus, with_times
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric import StructIoU


def measure(report: Report, corpus: Corpus, unit: str, rounds: int) -> None:
    """Beside scoring with labels."""
    report.section(f"unit {unit}: {corpus.describe()}")
    metric = StructIoU(unit=unit)
    sides = corpus.predictions, corpus.references
    result = metric.explaining().corpus_score(*sides)
    columns = result.columns
    lost = [
        n_pred + n_ref - 2.0 * matched
        for n_pred, n_ref, matched in zip(
            columns["n_pred"], columns["n_ref"], columns["matched"], strict=True
        )
    ]
    told = [fsum(row) for row in zip(*result.losses.columns.values(), strict=True)]
    report.agree("causes of each pair, and what it loses", told, lost)
    tasks = {
        "scores with labels": partial(metric.corpus_score, *sides, by_label=True),
        "scores with causes": partial(metric.explaining().corpus_score, *sides),
    }
    seconds = interleave(rounds, tasks, process_time)
    for name in tasks:
        report.times(name, seconds[name])
    report.ratio("causes / labels", seconds["scores with causes"], seconds["scores with labels"], at_most=5.0)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times what is lost by which cause.", argv)
    corpus = make_corpus(120 if program.quick else 2400)
    rounds = 2 if program.quick else 11
    measure(program.report, corpus, "word", rounds)
    measure(program.report, with_times(corpus), "time", rounds)
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())
