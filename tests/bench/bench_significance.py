"""The cost of significance: `python tests/bench/bench_significance.py [--quick] [--json FILE]`.

10,000 resamples of 2,400 sentences must take less than 2 seconds, for an interval of a measure as well as
for all measures of two systems with tests; and memory must not grow with the samples. Of 100,000
sentences all of that must take less than 20 seconds of the processor, however busy the machine is; and time
must grow no faster than the sentences. Exit code 1 if not so, or if a value differs from that of a slow and
obvious computation.
"""

from __future__ import annotations

import math
import sys
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from bench.corpus import make_corpus
from bench.program import Program
from bench.report import Report, interleave
from structiou_metric import COMPILED
from structiou_metric.analysis.compare import compare
from structiou_metric.metrics import load_metric
from structiou_metric.stats.columns import (
    Columns,
    Statistic,
    compared_measures,
    sample_columns,
    statistic,
)
from structiou_metric.stats.intervals import Bootstrap, confidence_interval
from structiou_metric.stats.significance import Randomization, paired_test

METRICS = ("struct_iou", "parseval")

_SECONDS = 2.0
_CPU_SECONDS = 20.0  # of one core, for 100,000 sentences
_EXPONENT = 1.1  # of the growth; 1 is linear
_MEBIBYTES = 100.0  # for 100,000 sentences


class Compared(NamedTuple):
    """Two systems by one metric.

    Attributes:
        statistics: One for each measure.
        systems: The columns of both.
    """

    statistics: Mapping[str, Statistic]
    systems: list[Columns]


def statistics_of(metric: Any) -> dict[str, Statistic]:
    return {key: statistic(key, measure) for key, measure in compared_measures(metric.MEASURES).items()}


def slow_interval(columns: Columns, n_resamples: int, seed: int) -> tuple[float, float]:
    """The 95 % interval at corpus level, sample by sample."""
    rng = np.random.default_rng(seed)
    matched, n_pred, n_ref = (np.asarray(columns[name]) for name in ("matched", "n_pred", "n_ref"))
    nodes = n_pred + n_ref
    lows, highs = [], []
    for size in rng.poisson(len(matched), n_resamples):
        rows = rng.integers(0, len(matched), size=size)
        with_each = 2 * (matched[rows].sum() + matched) / (nodes[rows].sum() + nodes)
        lows.append(with_each.min())
        highs.append(with_each.max())
    return float(np.quantile(lows, 0.025)), float(np.quantile(highs, 0.975))


def measure_all(parts: Sequence[Compared], n_resamples: int) -> list[float]:
    """Every figure of two systems, as a comparison needs them."""
    bootstrap = Bootstrap([columns for part in parts for columns in part.systems], n_resamples=n_resamples)
    found = []
    for k, part in enumerate(parts):
        swaps = Randomization(*part.systems, n_resamples=n_resamples)
        first, second = 2 * k, 2 * k + 1
        for value_of in part.statistics.values():
            found += [bootstrap.interval(first, value_of).low, bootstrap.interval(second, value_of).low]
            found += [bootstrap.difference(first, second, value_of).low]
            found.append(swaps.test(value_of).p_value)
    return found


def score_systems(n_pairs: int) -> tuple[list[str], dict[str, list[str]], list[Compared]]:
    """References, the predictions of two systems, and their columns by both metrics."""
    references = make_corpus(n_pairs).references
    systems = {
        name: make_corpus(n_pairs, wrong_share=share).predictions for name, share in (("a", 0.5), ("b", 0.6))
    }
    parts = []
    for metric in map(load_metric, METRICS):
        results = [metric.corpus_score(trees, references) for trees in systems.values()]
        parts.append(Compared(statistics_of(metric), [sample_columns(result) for result in results]))
    return references, systems, parts


def imitate(parts: Sequence[Compared], n_rows: int) -> list[Compared]:
    """The columns of more sentences, drawn from those that were scored, each with numbers of its own."""
    rng = np.random.default_rng(7)
    rows = rng.integers(0, len(next(iter(parts[0].systems[0].values()))), size=n_rows)
    exact = rng.uniform(0.999, 1.0, size=(2, n_rows))
    return [
        Compared(
            part.statistics,
            [
                {
                    # Sums of shares are no whole numbers; counts are.
                    name: column[rows] if (column % 1 == 0).all() else column[rows] * exact[k]
                    for name, column in columns.items()
                }
                for k, columns in enumerate(part.systems)
            ],
        )
        for part in parts
    ]


def cpu_seconds(parts: Sequence[Compared], n_resamples: int) -> float:
    begin = process_time()
    measure_all(parts, n_resamples)
    return process_time() - begin


def most_memory(parts: Sequence[Compared], n_resamples: int) -> float:
    """In MiB, of what numpy and Python take."""
    tracemalloc.start()
    measure_all(parts, n_resamples)
    most = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return most


# ---- sections --------------------------------------------------------------------------------------


def few_sentences(report: Report, struct: Compared, n_resamples: int, rounds: int) -> None:
    a, b = struct.systems
    corpus = struct.statistics["struct_iou_corpus"]
    fast = confidence_interval(a, corpus, n_resamples=n_resamples, seed=3)
    report.agree("interval and one sample at a time", (fast.low, fast.high), slow_interval(a, n_resamples, 3))
    tasks: dict[str, Callable[[], object]] = {
        "interval of one measure": partial(confidence_interval, a, corpus, n_resamples=n_resamples),
        "approximate randomisation of one measure": partial(
            paired_test, a, b, corpus, n_resamples=n_resamples
        ),
        "two systems, four measures, intervals and tests": partial(measure_all, [struct], n_resamples),
    }
    for name, seconds in interleave(rounds, tasks).items():
        report.times(name, seconds)
        report.limit(name, max(seconds), at_most=_SECONDS, unit=" s", note="the worst run")


def memory(report: Report, struct: Compared, n_resamples: int) -> None:
    for times in (1, 4):
        # Kept of each sample: the sums of 5 columns of 2 systems, for the bootstrap and for the swaps.
        kept = times * n_resamples * 2 * 10 * 8 / 2**20
        most = most_memory([struct], times * n_resamples)
        name = f"{times * n_resamples:,} resamples"
        report.limit(name, most - kept, at_most=16.0, unit=" MiB", note=f"beyond {kept:.1f} MiB of results")


def growth(
    report: Report, parts: Sequence[Compared], sizes: Sequence[int], n_resamples: int, rounds: int
) -> None:
    """CPU seconds by the number of sentences, as ratios to the smallest; a busy machine slows all alike."""
    data = {f"{size:,} sentences": imitate(parts, size) for size in sizes}
    cpu_seconds(data[f"{sizes[0]:,} sentences"], 10)  # what happens once
    tasks = {name: partial(cpu_seconds, own, n_resamples) for name, own in data.items()}
    found = interleave(rounds, tasks)
    least = {size: min(seconds) for size, seconds in zip(sizes, found.values(), strict=True)}
    for size, (name, seconds) in zip(sizes, found.items(), strict=True):
        each = 1e9 * least[size] / (size * n_resamples)
        report.times(name, seconds, note=f"CPU; {each:.1f} ns for a sentence of a sample")
    first = sizes[0]
    for size in sizes[1:]:
        times = size / first
        ratio = least[size] / least[first]
        report.limit(
            f"growth from {first:,} to {size:,} sentences",
            math.log(ratio) / math.log(times),
            at_most=_EXPONENT,
            note=f"the exponent; {ratio:.2f} times the time for {times:g} times the sentences",
        )


def many_sentences(report: Report, parts: Sequence[Compared], n_rows: int, n_resamples: int) -> None:
    data = imitate(parts, n_rows)
    columns = data[0].systems[0]
    n_slow = min(n_resamples, 300)
    low, high = slow_interval(columns, n_slow, 3)
    fast = confidence_interval(columns, data[0].statistics["struct_iou_corpus"], n_resamples=n_slow, seed=3)
    report.agree("interval and one sample at a time", (fast.low, fast.high), (low, high))
    begin, wall = process_time(), perf_counter()
    measure_all(data, n_resamples)
    wall, took = perf_counter() - wall, process_time() - begin
    name = "two systems, seven measures, intervals and tests"
    report.limit(name, took, at_most=_CPU_SECONDS, unit=" s", note=f"CPU; {wall:.2f} s by the clock")
    # More samples take no more memory, as the section above shows.
    most = most_memory(data, min(n_resamples, 600))
    report.limit("memory", most, at_most=_MEBIBYTES, unit=" MiB")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program("Times intervals and tests.", argv, libraries=["numpy"], needs_core=False)
    report = program.report
    n_pairs, n_resamples, rounds = (120, 300, 1) if program.quick else (2400, 10_000, 5)
    sizes = (10_000, 20_000) if program.quick else (10_000, 50_000, 100_000, 200_000)
    n_growth = 20 if program.quick else 1000

    references, systems, parts = score_systems(n_pairs)
    struct = parts[0]

    report.section(f"{n_resamples:,} resamples of {n_pairs:,} sentences")
    few_sentences(report, struct, n_resamples, rounds)

    report.section("the whole comparison: scores, ParsEval, labels, lengths, sentences")
    whole = partial(compare, systems, references, n_resamples=n_resamples)
    report.times("compare, two systems", interleave(rounds, {"": whole})[""])
    if not COMPILED:
        report.fact("core", "not compiled, so that scoring takes most of it")

    report.section("memory that numpy and Python take at most")
    memory(report, struct, n_resamples)

    report.section(f"{n_growth:,} resamples of many sentences, two systems, both metrics")
    growth(report, parts, sizes, n_growth, rounds)

    n_many = 10_000 if program.quick else 100_000
    report.section(f"{n_resamples:,} resamples of {n_many:,} sentences, both metrics")
    many_sentences(report, parts, n_many, n_resamples)
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())
