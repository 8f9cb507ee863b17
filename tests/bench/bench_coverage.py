"""How often intervals hold the true value: `python tests/bench/bench_coverage.py [--quick] [--json FILE]`.

Parsers of five qualities on 4,000 treebank-like sentences are the populations: 15, 30, 50, 60 and 80 of 100
sentences have errors. Samples of 20, 50 and 200 sentences are drawn from them, and of each the 95 %
intervals are made as `compare` makes them, of STRUCT-IoU's sentence mean and corpus level, of ParsEval's F1,
and of the differences of parsers. Of each figure, the share of the intervals that hold the population's
value must be within 0.02 of 0.95, over the parsers and over their pairs; and that of plain percentiles must
not be at 20 sentences, so that this can fail. Each parser and pair by itself must be within 0.02 and twice
the standard error of such a share, 0.007.

What cannot be had is told without a limit: where one sentence in 80 is a failed parse, 78 of 100 samples of
20 sentences hold none.

Sentences of one document are made alike in a second simulation: intervals over documents must hold the value
as often, and intervals over sentences must not. Exit code 1 if not so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import make_corpus
from bench.program import Program
from bench.report import Report
from structiou_metric.analysis import resampling
from structiou_metric.analysis.intervals import FEW, Interval
from structiou_metric.analysis.resampling import Bootstrap, Columns, Statistic, confidence_interval
from structiou_metric.analysis.samples import sample_columns, statistic
from structiou_metric.metrics import load_metric
from structiou_metric.metrics.struct_iou.metric import StructIoU
from structiou_metric.sources.files import TreeFile
from support.paths import DATA

LEVEL = 0.95
FIGURES = {"struct_iou": ("struct_iou_sentence", "struct_iou_corpus"), "parseval": ("parseval_f1",)}
WRONG_SHARES = (0.15, 0.3, 0.5, 0.6, 0.8)

_WITHIN = 0.02
_WITHIN_EACH = _WITHIN + 0.007
_N_RESAMPLES = 2000

Population = dict[str, list[dict[str, Any]]]  # by metric, the columns of each parser


def make_population(n_rows: int = 4000, wrong_shares: Sequence[float] = WRONG_SHARES) -> Population:
    """The columns of parsers on the same sentences, by metric."""
    references = make_corpus(n_rows).references
    predictions = [make_corpus(n_rows, wrong_share=share).predictions for share in wrong_shares]
    return {
        name: [sample_columns(load_metric(name).corpus_score(trees, references)) for trees in predictions]
        for name in FIGURES
    }


def english() -> Population:
    """The bundled English sentences: of 80, one is a failed parse, and one of two words is nearly so."""
    sides = [TreeFile.read(DATA / name) for name in ("english.prediction.txt", "english.reference.mrg")]
    return {"struct_iou": [sample_columns(StructIoU(labels="base").corpus_score(*sides))]}


def statistics_of(metric: str) -> dict[str, tuple[Statistic, tuple[float, float | None]]]:
    """By figure, how it is made of sums, and its limits."""
    measures = load_metric(metric).MEASURES
    return {key: (statistic(key, measures[key]), measures[key].limits) for key in FIGURES[metric]}


def coverage(
    population: Population, n_rows: int, n_trials: int, *, few: int = FEW, seed: int = 17
) -> dict[tuple[str, str], float]:
    """By figure and parser, or pair of parsers, the share of the intervals that hold the population's value.

    With `few` of 0 all intervals are percentiles.
    """
    rng = np.random.default_rng(seed)
    hits: dict[tuple[str, str], int] = {}
    tables = [table for own in population.values() for table in own]
    size = len(next(iter(tables[0].values())))
    with patch.object(resampling, "FEW", few):
        for trial in range(n_trials):
            rows = rng.integers(0, size, n_rows)
            drawn = [{name: column[rows] for name, column in table.items()} for table in tables]
            bootstrap = Bootstrap(drawn, n_resamples=_N_RESAMPLES, seed=trial)
            for name, interval, true in _intervals(population, bootstrap, with_limits=few > 0):
                hits[name] = hits.get(name, 0) + _holds(interval, true)
    return {name: number / n_trials for name, number in hits.items()}


def _intervals(
    population: Population, bootstrap: Bootstrap, with_limits: bool
) -> Iterator[tuple[tuple[str, str], Interval, float]]:
    """Figure and parser, the interval, and the value in the population."""
    first = 0
    for metric, own in population.items():
        places = range(first, first + len(own))
        first += len(own)
        for key, (value_of, limits) in statistics_of(metric).items():
            true = [value_of({name: column.sum() for name, column in table.items()}) for table in own]
            for place, value in zip(places, true, strict=True):
                interval = bootstrap.interval(place, value_of, limits=limits if with_limits else None)
                yield (key, f"parser {place - places[0] + 1}"), interval, value
            for (a, x), (b, y) in pairwise(zip(places, true, strict=True)):
                name = f"parser {a - places[0] + 1} minus {b - places[0] + 1}"
                yield (key, name), bootstrap.difference(a, b, value_of), x - y


def _holds(interval: Interval, value: float) -> bool:
    return interval.low - 1e-12 <= float(value) <= interval.high + 1e-12


# ---- documents -------------------------------------------------------------------------------------


def cluster_coverage(
    n_documents: int, n_trials: int, *, by_document: bool, level: float = LEVEL, seed: int = 5
) -> float:
    """Of scores that differ by document, the share of the intervals of the mean that hold the true one."""
    rng = np.random.default_rng(seed)
    hits = 0
    for trial in range(n_trials):
        documents = np.repeat(np.arange(n_documents), rng.integers(5, 16, n_documents))
        scores = 0.9 + 0.03 * rng.normal(size=n_documents)[documents] + 0.05 * rng.normal(size=len(documents))
        columns: Columns = {"n": np.ones(len(scores)), "score": scores}
        interval = confidence_interval(
            columns,
            lambda sums: sums["score"] / sums["n"],
            level=level,
            n_resamples=500,
            seed=trial,
            clusters=documents.tolist() if by_document else None,
        )
        hits += _holds(interval, 0.9)
    return hits / n_trials


# ---- sections --------------------------------------------------------------------------------------


def judge(report: Report, found: Mapping[tuple[str, str], float]) -> None:
    """Each figure over the parsers and over their differences, and each parser by itself."""
    kinds: dict[str, Callable[[str], bool]] = {
        "parsers": lambda name: "minus" not in name,
        "differences": lambda name: "minus" in name,
    }
    for figure in dict.fromkeys(key for key, _ in found):
        for kind, belongs in kinds.items():
            values = {name: value for (key, name), value in found.items() if key == figure and belongs(name)}
            mean = fmean(values.values())
            report.limit(
                f"{figure}, {kind}",
                abs(mean - LEVEL),
                at_most=_WITHIN,
                note=f"away; coverage {mean:.3f}, of each {', '.join(f'{v:.3f}' for v in values.values())}",
            )
    worst = max(found, key=lambda name: abs(found[name] - LEVEL))
    report.limit("any parser", abs(found[worst] - LEVEL), at_most=_WITHIN_EACH, note=f"away; {worst}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    program = Program(
        "Simulates how often intervals hold the true value.", argv, libraries=["numpy"], needs_core=False
    )
    report = program.report
    n_trials = 20 if program.quick else 4000
    population = make_population(200 if program.quick else 4000)
    for n_rows in (20, 50, 200):
        report.section(f"{n_trials:,} samples of {n_rows} sentences, {LEVEL:.0%} intervals")
        judge(report, coverage(population, n_rows, n_trials))

    report.section(f"{n_trials:,} samples of 20 sentences, plain percentiles")
    plain = coverage(population, 20, n_trials, few=0)
    for figure in dict.fromkeys(key for key, _ in plain):
        values = [value for (key, _), value in plain.items() if key == figure]
        each = ", ".join(f"{value:.3f}" for value in values)
        report.limit(figure, abs(fmean(values) - LEVEL), at_least=_WITHIN, note=f"away; of each {each}")

    report.section(
        "rare errors, which no interval of few sentences can know of: English, a failed parse in 80"
    )
    for n_rows in (20, 50, 200):
        found, before = (coverage(english(), n_rows, n_trials, few=few) for few in (FEW, 0))
        for (key, name), value in found.items():
            text = f"{value:.3f}, percentiles {before[key, name]:.3f}"
            report.fact(f"{key} of {n_rows} sentences", text, value=value)

    report.section("20 and 150 documents of 5 to 15 sentences that are alike")
    for n_documents in (20, 150):
        right, wrong = (
            cluster_coverage(n_documents, n_trials, by_document=by_document) for by_document in (True, False)
        )
        name = f"intervals over {n_documents} documents"
        report.limit(name, abs(right - LEVEL), at_most=_WITHIN, note=f"away; coverage {right:.3f}")
        report.limit("the same over sentences", wrong, at_most=0.85, note="coverage")
    return program.finish()


if __name__ == "__main__":
    sys.exit(main())
