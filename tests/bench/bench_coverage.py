"""How often intervals hold the true value: `python tests/bench/bench_coverage.py [--quick] [--json FILE]`.

Two kinds of populations. Parsers of five qualities on 4,000 treebank-like sentences: 15, 30, 50, 60 and 80 of
100 sentences have errors. And scores as real parsers have them (such as Berkeley's on section 23): of mean
0.943, a third exactly 1, with a long tail to the left; and the same where one sentence in 200 is a failed
parse. Samples of 20, 50, 100 and 200 sentences are drawn from them, and of each the 95 % intervals are made
as `compare` makes them: of STRUCT-IoU's sentence mean and corpus level, of ParsEval's F1, and of the
differences of parsers. Of each figure, the share of the intervals that hold the population's value, over the
parsers and over their pairs, must be within 0.03 of 0.95; and that of plain percentiles must not be at 20
sentences, so that this can fail.

What cannot be had is printed without a limit: where one sentence in 80 is a failed parse, 78 of 100 samples
of 20 sentences hold none.

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

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.corpus import make_corpus
from bench.report import Report
from structiou_metric.metrics import load_metric
from structiou_metric.metrics.struct_iou.metric import StructIoU
from structiou_metric.sources.files import TreeFile
from structiou_metric.stats.columns import Columns, Statistic, sample_columns, statistic
from structiou_metric.stats.intervals import Bootstrap, Interval, confidence_interval
from support.paths import DATA

LEVEL = 0.95
FIGURES = {"struct_iou": ("struct_iou_sentence", "struct_iou_corpus"), "parseval": ("parseval_f1",)}
WRONG_SHARES = (0.15, 0.3, 0.5, 0.6, 0.8)
SIZES = (20, 50, 100, 200)

_WITHIN = 0.03
_N_RESAMPLES = 1000

Population = dict[str, list[dict[str, Any]]]  # by metric, the columns of each parser


def make_population(n_rows: int = 4000, wrong_shares: Sequence[float] = WRONG_SHARES) -> Population:
    """Return the columns of parsers on the same sentences, by metric."""
    references = make_corpus(n_rows).references
    predictions = [make_corpus(n_rows, wrong_share=share).predictions for share in wrong_shares]
    return {
        name: [sample_columns(load_metric(name).corpus_score(trees, references)) for trees in predictions]
        for name in FIGURES
    }


def skewed_scores(n_rows: int = 20_000, *, failed: float = 0.0, seed: int = 0) -> Any:
    """Return scores with the mean and the skew of a real parser's, a share of which are failed parses."""
    rng = np.random.default_rng(seed)
    lost = np.minimum(rng.gamma(0.9, 0.095, n_rows), 1.0)
    lost[rng.random(n_rows) < 1 / 3] = 0.0
    lost[rng.random(n_rows) < failed] = 1.0
    return 1.0 - lost


def english() -> Population:
    """Return the bundled English sentences: of 80, one is a failed parse, and one of two words nearly so."""
    sides = [TreeFile.read(DATA / name) for name in ("english.prediction.txt", "english.reference.mrg")]
    return {"struct_iou": [sample_columns(StructIoU(labels="base").corpus_score(*sides))]}


def statistics_of(metric: str) -> dict[str, Statistic]:
    """Return how each figure is made of sums."""
    measures = load_metric(metric).MEASURES
    return {key: statistic(key, measures[key]) for key in FIGURES[metric]}


def coverage(
    population: Population, n_rows: int, n_trials: int, *, seed: int = 17
) -> dict[tuple[str, str], float]:
    """Return the share of the intervals that hold the population's value, by figure and parser or pair."""
    rng = np.random.default_rng(seed)
    hits: dict[tuple[str, str], int] = {}
    tables = [table for own in population.values() for table in own]
    size = len(next(iter(tables[0].values())))
    for trial in range(n_trials):
        rows = rng.integers(0, size, n_rows)
        drawn = [{name: column[rows] for name, column in table.items()} for table in tables]
        bootstrap = Bootstrap(drawn, n_resamples=_N_RESAMPLES, seed=trial)
        for name, interval, true in _intervals(population, bootstrap):
            hits[name] = hits.get(name, 0) + _holds(interval, true)
    return {name: number / n_trials for name, number in hits.items()}


def coverage_of_scores(scores: Any, n_rows: int, n_trials: int, *, plain: bool = False) -> float:
    """Return the share of the intervals of the mean of some scores that hold that of all of them.

    With `plain` they are percentiles of ordinary bootstrap samples.
    """
    rng = np.random.default_rng(17)
    hits = 0
    for trial in range(n_trials):
        drawn = rng.choice(scores, n_rows)
        if plain:
            means = rng.choice(drawn, (_N_RESAMPLES, n_rows)).mean(axis=1)
            low, high = np.quantile(means, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
            interval = Interval(drawn.mean(), low, high, "percentile")
        else:
            interval = confidence_interval(
                {"n": np.ones(n_rows), "score": drawn}, mean, n_resamples=_N_RESAMPLES, seed=trial
            )
        hits += _holds(interval, scores.mean())
    return hits / n_trials


def mean(sums: Mapping[str, Any]) -> Any:
    return sums["score"] / sums["n"]


def _intervals(
    population: Population, bootstrap: Bootstrap
) -> Iterator[tuple[tuple[str, str], Interval, float]]:
    """Figure and parser, the interval, and the value in the population."""
    first = 0
    for metric, own in population.items():
        places = range(first, first + len(own))
        first += len(own)
        for key, value_of in statistics_of(metric).items():
            true = [value_of({name: column.sum() for name, column in table.items()}) for table in own]
            for place, value in zip(places, true, strict=True):
                yield (key, f"parser {place - places[0] + 1}"), bootstrap.interval(place, value_of), value
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
            mean,
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
            mean_share = fmean(values.values())
            report.limit(
                f"{figure}, {kind}",
                abs(mean_share - LEVEL),
                at_most=_WITHIN,
                note=f"away; {mean_share:.3f}, of each {', '.join(f'{v:.3f}' for v in values.values())}",
            )


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all."""
    report = Report(
        "Simulates how often intervals hold the true value.", argv, libraries=["numpy"], needs_core=False
    )
    n_trials = 20 if report.quick else 2000
    population = make_population(200 if report.quick else 4000)
    for n_rows in SIZES:
        report.section(f"{n_trials:,} samples of {n_rows} sentences, {LEVEL:.0%} intervals")
        judge(report, coverage(population, n_rows, n_trials))

    report.section("scores with the skew of a real parser's, sentence mean")
    for n_rows in SIZES:
        share = coverage_of_scores(skewed_scores(), n_rows, n_trials)
        report.limit(f"{n_rows} sentences", abs(share - LEVEL), at_most=_WITHIN, note=f"away; {share:.3f}")
    share = coverage_of_scores(skewed_scores(), 20, n_trials, plain=True)
    report.limit("20, plain percentiles", abs(share - LEVEL), at_least=_WITHIN, note=f"away; {share:.3f}")

    report.section("rare errors, which no interval of few sentences can know of")
    for n_rows in SIZES:
        share = coverage_of_scores(skewed_scores(failed=0.005), n_rows, n_trials)
        report.fact(f"a failed parse in 200, {n_rows} sentences", f"{share:.3f}")
    for n_rows in SIZES:
        for (key, _), value in coverage(english(), n_rows, n_trials).items():
            name = f"English, a failed parse in 80, {key} of {n_rows} sentences"
            report.fact(name, f"{value:.3f}")

    report.section("20 and 150 documents of 5 to 15 sentences that are alike")
    for n_documents in (20, 150):
        right, wrong = (
            cluster_coverage(n_documents, n_trials, by_document=by_document) for by_document in (True, False)
        )
        name = f"intervals over {n_documents} documents"
        report.limit(name, abs(right - LEVEL), at_most=_WITHIN, note=f"away; coverage {right:.3f}")
        report.limit("the same over sentences", wrong, at_most=0.85, note="coverage")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
