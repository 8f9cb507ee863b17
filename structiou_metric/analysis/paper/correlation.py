"""Correlation of two metrics: Spearman's rho over random buckets of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan
from random import Random
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from ...drawing.plots import new_figure
from ...metrics.runner import score_systems
from ...optional import need
from ...wording import count
from ..compare import Compared, as_metrics

if TYPE_CHECKING:
    from ...metrics.metric import Metric
    from ...sources.rows import Rows


MIN_BUCKETS = 3  # below, a rank correlation has no p-value


class Bucket(NamedTuple):
    """Some sentences, by their rows, and the figure of each metric for them, by its name."""

    rows: list[int]
    figures: dict[str, float]


class Correlation(NamedTuple):
    """The result of `correlate`.

    Attributes:
        metrics: The two metrics.
        ranks: Spearman's rho with its p-value.
        buckets: The buckets that it was computed from.
        bucket_size: The number of sentences of each bucket.
        seed: The seed of the shuffle.
        rhos: The rho of each repeat, that of `ranks` first; NaN where a repeat has none.
        n_sentences: The number of pairs in the input.
        n_left_out: The number of sentences left out of both because a metric does not count them, by its
            name, the second metric's first: failed parses, trees over other words, skipped ones.
        n_rest: The number of sentences left out because they do not fill a last bucket.
        n_bare: The number of sentences left out in buckets that have nothing for a metric to count, such as
            brackets.
        figures: The headline over all sentences in buckets, by the name of a metric.
        signatures: The signature of each metric, by its name.
    """

    metrics: tuple[Metric, Metric]
    ranks: RankCorrelation
    buckets: list[Bucket]
    bucket_size: int
    seed: int
    rhos: list[float]
    n_sentences: int
    n_left_out: dict[str, int]
    n_rest: int
    n_bare: int
    figures: dict[str, float]
    signatures: dict[str, str]

    @property
    def spread(self) -> tuple[float, float]:
        """Return the mean and the standard deviation of rho over the repeats; NaN where there are too few."""
        rhos = [rho for rho in self.rhos if not isnan(rho)]
        return mean(rhos) if rhos else nan, stdev(rhos) if len(rhos) > 1 else nan

    def as_dict(self) -> dict[str, Any]:
        """Return the correlation as values that JSON can hold."""
        result = self._asdict()
        del result["metrics"]
        ranks, rhos, signatures = (result.pop(name) for name in ("ranks", "rhos", "signatures"))
        rho_mean, rho_sd = self.spread
        return {
            "rho": _plain(ranks.rho),
            "p_value": _plain(ranks.p_value),
            "n_buckets": ranks.n,
            "rhos": [_plain(rho) for rho in rhos],
            "rho_mean": _plain(rho_mean),
            "rho_sd": _plain(rho_sd),
            **result,
            "buckets": [bucket._asdict() for bucket in self.buckets],
            "signatures": signatures,
        }

    def plot(self) -> Any:
        """Return the paper's figure, with a dot for each bucket, as a figure of matplotlib."""
        first, second = self.metrics
        figure, axes = new_figure(5.0, 4.0)
        x, y = ([bucket.figures[metric.name] for bucket in self.buckets] for metric in (second, first))
        axes.scatter(x, y, s=22, alpha=0.6, linewidths=0)
        axes.set_xlabel(title_of(second))
        axes.set_ylabel(title_of(first))
        axes.set_title(describe_ranks(self.ranks), fontsize="medium")
        axes.grid(alpha=0.3)
        return figure


def _plain(value: float) -> float | None:
    return None if isnan(value) else value  # JSON has no NaN


def title_of(metric: Metric) -> str:
    """Return a metric with its headline, such as `ParsEval, F1`."""
    return f"{metric.title}, {metric.MEASURES[metric.headline].title}"


def correlate(
    predictions: Rows,
    references: Rows,
    *,
    metrics: Sequence[Metric | str] = ("struct_iou", "parseval"),
    bucket_size: int = 10,
    seed: int = 1,
    repeats: int = 1,
    workers: int | str = 1,
    progress: bool = False,
) -> Correlation:
    """Shuffle the sentences into buckets, score each by two metrics, and correlate the ranks.

    The figure of a bucket is the metric's headline over it: of STRUCT-IoU the mean of its sentences' scores
    (or its corpus level, if `average` asks for it), of ParsEval F1 that of the bucket as a small corpus, as
    EVALB reports it. Both see the same sentences: those that either does not count are left out, and so is a
    last bucket that is not full.

    Args:
        predictions: Trees, as `Metric.corpus_score` takes them.
        references: The reference trees, one for each prediction.
        metrics: Two metrics with their options, or names in `METRICS`, which are for default options with
            the `on_error` of the first.
        bucket_size: The number of sentences in a bucket.
        seed: The seed of the shuffle; the next repeat has the next one.
        repeats: How often the sentences are shuffled, as one shuffle moves rho by some hundredths.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    first, second = as_metrics(metrics)
    if bucket_size < 1:
        raise ValueError(f"a bucket must hold at least 1 sentence, not {bucket_size}")
    [found] = score_systems([first, second], [predictions], references, workers=workers, progress=progress)
    parts = [Compared(metric, [result]) for metric, result in zip((first, second), found, strict=True)]
    common = set(parts[0].rows)
    rows = [row for row in parts[1].rows if row in common]
    draws = [_draw(parts, rows, bucket_size, seed + k) for k in range(repeats)]
    buckets = draws[0]
    if len(buckets) < MIN_BUCKETS:
        problems = [(part.metric, result.problems) for part, result in zip(parts, found, strict=True)]
        reason = next(
            (f"\nthe first that {metric.title} cannot: {own[0][1]}" for metric, own in problems[::-1] if own),
            "",
        )
        raise ValueError(
            f"both metrics can score {len(rows)} of {count(len(predictions), 'sentence')}, which make "
            f"{count(len(buckets), 'bucket')} of {bucket_size}; a rank correlation needs {MIN_BUCKETS}: give "
            f"more sentences, or a smaller bucket{reason}"
        )
    used = [row for bucket in buckets for row in bucket.rows]
    n_full = len(rows) // bucket_size
    n_second = len(predictions) - len(parts[1].rows)
    ranks = [_ranks(draw, first, second) for draw in draws]
    return Correlation(
        (first, second),
        ranks[0],
        buckets,
        bucket_size,
        seed,
        [found.rho for found in ranks],
        len(predictions),
        {second.name: n_second, first.name: len(parts[1].rows) - len(rows)},
        len(rows) - n_full * bucket_size,
        (n_full - len(buckets)) * bucket_size,
        _figures(parts, used),
        {result.metric.name: result.signature for result in found},
    )


def _draw(parts: Sequence[Compared], rows: Sequence[int], size: int, seed: int) -> list[Bucket]:
    """Return full buckets of shuffled sentences, without buckets in which a metric has nothing to count."""
    shuffled = list(rows)
    Random(seed).shuffle(shuffled)
    groups = [sorted(shuffled[i * size : (i + 1) * size]) for i in range(len(rows) // size)]
    filled = [_filled(part) for part in parts]
    return [
        Bucket(group, _figures(parts, group))
        for group in groups
        if not any(there is not None and there.isdisjoint(group) for there in filled)
    ]


def _filled(part: Compared) -> set[int] | None:
    """Return the sentences with anything that the headline adds up; None if it is a mean."""
    [result] = part.there.values()
    measure = part.metric.MEASURES[part.metric.headline]
    if measure.mean:
        return None
    columns = zip(*(result.columns[name] for name in measure.columns), strict=True)
    return {row for row, values in zip(result.rows, columns, strict=True) if any(values)}


def _ranks(buckets: Sequence[Bucket], first: Metric, second: Metric) -> RankCorrelation:
    return spearman(*([bucket.figures[metric.name] for bucket in buckets] for metric in (second, first)))


def _figures(parts: Sequence[Compared], rows: Sequence[int]) -> dict[str, float]:
    """Return the headline of each metric for the only system over some sentences."""
    figures = {}
    for part in parts:
        [over] = part.figures(rows)
        assert over is not None  # there are rows
        figures[part.metric.name] = over[part.metric.headline]
    return figures


def describe_ranks(ranks: RankCorrelation) -> str:
    """Return the correlation in a line, such as `Spearman's rho = 0.821 (p = 8.2e-43, 170 buckets)`."""
    if isnan(ranks.rho):
        return f"Spearman's rho is not defined: all {ranks.n} buckets score alike"
    return f"Spearman's rho = {ranks.rho:.3f} (p = {ranks.p_value:.2g}, {ranks.n} buckets)"


# ---- Spearman's rank correlation -------------------------------------------------------------------


class RankCorrelation(NamedTuple):
    """The result of `spearman`.

    Attributes:
        rho: Spearman's rho from -1 to 1; NaN where all values of a side are equal, or there are fewer than
            two.
        p_value: How likely a rho this far from 0 is without any relation; NaN below three values.
        n: The number of pairs of values.
    """

    rho: float
    p_value: float
    n: int


def spearman(first: Sequence[float], second: Sequence[float]) -> RankCorrelation:
    """Return Spearman's rho of two lists of values, with the two-sided p-value of a t-test.

    The p-value is a good approximation from about ten values on.

    >>> found = spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(found.rho, 12), round(found.p_value, 4)
    (0.8, 0.1041)
    """
    stats = need("scipy.stats", "compare", "a rank correlation")
    n = len(first)
    if n < 2 or len(set(first)) == 1 or len(set(second)) == 1:
        return RankCorrelation(nan, nan, n)
    found = stats.spearmanr(first, second)
    return RankCorrelation(float(found.statistic), float(found.pvalue) if n > 2 else nan, n)
