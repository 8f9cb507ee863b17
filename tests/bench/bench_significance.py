"""The cost of significance: `python tests/bench/bench_significance.py [--quick] [--json FILE]`.

10,000 resamples of 2,400 sentences must take less than 2 seconds, for an interval of a measure as well as
for all measures of two systems with both tests; and memory must not grow with the samples. Exit code 1 if
not so, or if a value differs from that of a slow and obvious computation.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import make_corpus
from bench.program import Program
from bench.report import interleave
from structiou_metric import COMPILED, StructIoU
from structiou_metric.analysis.compare import compare
from structiou_metric.analysis.resampling import (
    STATISTICS,
    Bootstrap,
    Columns,
    Randomization,
    confidence_interval,
    paired_test,
    tally_columns,
)

_SECONDS = 2.0


def slow_interval(columns: Columns, n_resamples: int, seed: int) -> tuple[float, float]:
    """The 95 % interval at corpus level, sample by sample."""
    rng = np.random.default_rng(seed)
    matched, n_pred, n_ref = (np.asarray(columns[name]) for name in ("matched", "n_pred", "n_ref"))
    values = []
    for _ in range(n_resamples):
        rows = rng.integers(0, len(matched), size=len(matched))
        values.append(2 * matched[rows].sum() / (n_pred[rows].sum() + n_ref[rows].sum()))
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def measure_all(a: Columns, b: Columns, n_resamples: int) -> list[float]:
    """Every figure of two systems, as a comparison needs them."""
    bootstrap = Bootstrap([a, b], n_resamples=n_resamples)
    swaps = Randomization(a, b, n_resamples=n_resamples)
    found = []
    for name in STATISTICS:
        found += [bootstrap.interval(0, name).low, bootstrap.interval(1, name).low]
        found += [bootstrap.difference(0, 1, name).low, bootstrap.test(0, 1, name).p_value]
        found.append(swaps.test(name).p_value)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times intervals and tests.", argv, libraries=["numpy"], needs_core=False)
    report = program.report
    n_pairs, n_resamples, rounds = (120, 300, 1) if program.quick else (2400, 10_000, 5)

    references = make_corpus(n_pairs).references
    systems = {
        name: make_corpus(n_pairs, wrong_share=share).predictions for name, share in (("a", 0.5), ("b", 0.6))
    }
    scores = [StructIoU().corpus_score(trees, references) for trees in systems.values()]
    a, b = (tally_columns(score.sentences) for score in scores)

    report.section(f"{n_resamples:,} resamples of {n_pairs:,} sentences")
    fast = confidence_interval(a, "corpus", n_resamples=n_resamples, seed=3)
    report.agree("interval and one sample at a time", (fast.low, fast.high), slow_interval(a, n_resamples, 3))
    test = partial(paired_test, a, b, "corpus", n_resamples=n_resamples)
    tasks: dict[str, Callable[[], object]] = {
        "interval of one measure": partial(confidence_interval, a, "corpus", n_resamples=n_resamples),
        "paired bootstrap test of one measure": partial(test, method="bootstrap"),
        "approximate randomisation of one measure": partial(test, method="randomization"),
        "two systems, four measures, intervals and both tests": partial(measure_all, a, b, n_resamples),
    }
    for name, seconds in interleave(rounds, tasks).items():
        report.times(name, seconds)
        report.limit(name, max(seconds), at_most=_SECONDS, unit=" s", note="the worst run")

    report.section("the whole comparison: scores, ParsEval, labels, lengths, sentences")
    whole = partial(compare, references, systems, n_resamples=n_resamples)
    report.times("compare, two systems", interleave(rounds, {"": whole})[""])
    if not COMPILED:
        report.fact("core", "not compiled, so that scoring takes most of it")

    report.section("memory that numpy and Python take at most")
    for times in (1, 4):
        tracemalloc.start()
        measure_all(a, b, times * n_resamples)
        most = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        # Kept of each sample: the sums of 5 columns of 2 systems, for the bootstrap and for the swaps.
        kept = times * n_resamples * 2 * 10 * 8 / 2**20
        name = f"{times * n_resamples:,} resamples"
        report.limit(name, most - kept, at_most=16.0, unit=" MiB", note=f"beyond {kept:.1f} MiB of results")
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())
