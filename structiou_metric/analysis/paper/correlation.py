"""How STRUCT-IoU and ParsEval F1 go together: Spearman's rho over random buckets of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from ...metrics.parseval.metric import Parseval
from ...metrics.runner import score_systems
from ...metrics.struct_iou.metric import StructIoU
from ...wording import count
from ..common_rows import Compared, places_of
from .ranks import RankCorrelation, spearman

if TYPE_CHECKING:
    from ...sources.rows import Rows

MIN_BUCKETS = 3  # below, a rank correlation has no p-value


class Bucket(NamedTuple):
    """Some sentences, by their rows, and both metrics over them."""

    rows: list[int]
    struct_iou: float
    parseval: float


class Correlation(NamedTuple):
    """What `correlate` found.

    Attributes:
        ranks: Spearman's rho with its p-value.
        buckets: What it was computed from.
        bucket_size: Sentences of each.
        seed: Of the shuffle.
        n_sentences: Pairs in the input.
        n_parseval: Left out of both metrics because ParsEval cannot score them: failed parses, and trees
            over other words.
        n_skipped: Left out of both metrics because STRUCT-IoU skipped them.
        n_rest: Left out because they do not fill a last bucket.
        n_bare: Left out in buckets without any bracket, which have no F1.
        struct_iou: Over all sentences in buckets.
        parseval: F1 over all sentences in buckets.
        signature: Of STRUCT-IoU.
        parseval_signature: Of ParsEval.
    """

    ranks: RankCorrelation
    buckets: list[Bucket]
    bucket_size: int
    seed: int
    n_sentences: int
    n_parseval: int
    n_skipped: int
    n_rest: int
    n_bare: int
    struct_iou: float
    parseval: float
    signature: str
    parseval_signature: str

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        result = self._asdict()
        ranks = result.pop("ranks")
        return {
            "rho": None if isnan(ranks.rho) else ranks.rho,  # JSON has no NaN
            "p_value": None if isnan(ranks.p_value) else ranks.p_value,
            "n_buckets": ranks.n,
            **result,
            "buckets": [bucket._asdict() for bucket in self.buckets],
        }

    def plot(self) -> Any:
        """The paper's figure: a dot for each bucket; a matplotlib figure."""
        from ...drawing.plots import new_figure

        figure, axes = new_figure(5.0, 4.0)
        shares = [100 * bucket.parseval for bucket in self.buckets]
        axes.scatter(shares, [b.struct_iou for b in self.buckets], s=22, alpha=0.6, linewidths=0)
        axes.set_xlabel("ParsEval F1")
        axes.set_ylabel("STRUCT-IoU")
        axes.set_title(describe_ranks(self.ranks), fontsize="medium")
        axes.grid(alpha=0.3)
        return figure


def correlate(
    predictions: Rows,
    references: Rows,
    *,
    metric: StructIoU | None = None,
    parseval: Parseval | None = None,
    bucket_size: int = 10,
    seed: int = 1,
    workers: int = 1,
    progress: bool = False,
) -> Correlation:
    """Shuffles the sentences into buckets, scores each by both metrics, and correlates the ranks.

    STRUCT-IoU of a bucket is the mean of its sentences' scores (or its corpus level, if the metric's option
    `average` says so); ParsEval F1 is that of the bucket as a small corpus, as EVALB reports it. Both
    see the same sentences: those that either cannot score are left out, and so is a last bucket that is
    not full.

    Args:
        predictions: Trees.
        references: As many trees.
        metric: STRUCT-IoU with all of its options.
        parseval: ParsEval with all of its options; by default only `on_error` is that of the metric.
        bucket_size: Sentences in a bucket.
        seed: Of the shuffle.
        workers: Threads.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    metric = metric or StructIoU()
    parseval = parseval or Parseval(on_error=metric.options.on_error)
    if bucket_size < 1:
        raise ValueError(f"a bucket must hold at least 1 sentence, not {bucket_size}")
    [[score, brackets]] = score_systems(
        [metric, parseval], [predictions], references, workers=workers, progress=progress
    )
    scored, scorable = Compared(metric, [score]), Compared(parseval, [brackets])
    common = set(scored.rows)
    rows = [row for row in scorable.rows if row in common]
    shuffled = rows[:]
    Random(seed).shuffle(shuffled)
    n_full = len(rows) // bucket_size
    groups = [sorted(shuffled[i * bucket_size : (i + 1) * bucket_size]) for i in range(n_full)]
    sizes = zip(brackets.rows, brackets.columns["n_pred"], brackets.columns["n_ref"], strict=True)
    with_brackets = {row for row, n_pred, n_ref in sizes if n_pred or n_ref}
    buckets = [
        Bucket(group, _headline(scored, group), _headline(scorable, group))
        for group in groups
        if not with_brackets.isdisjoint(group)
    ]
    if len(buckets) < MIN_BUCKETS:
        first = f"\nthe first that ParsEval cannot: {brackets.problems[0][1]}" if brackets.problems else ""
        raise ValueError(
            f"both metrics can score {len(rows)} of {count(len(predictions), 'sentence')}, which make "
            f"{count(len(buckets), 'bucket')} of {bucket_size}; a rank correlation needs {MIN_BUCKETS}: give "
            f"more sentences, or a smaller bucket{first}"
        )
    used = [row for bucket in buckets for row in bucket.rows]
    return Correlation(
        spearman([bucket.parseval for bucket in buckets], [bucket.struct_iou for bucket in buckets]),
        buckets,
        bucket_size,
        seed,
        len(predictions),
        len(predictions) - len(scorable.rows),
        len(scorable.rows) - len(rows),
        len(rows) - n_full * bucket_size,
        (n_full - len(buckets)) * bucket_size,
        _headline(scored, used),
        _headline(scorable, used),
        metric.signature,
        parseval.signature,
    )


def _headline(compared: Compared, rows: Sequence[int]) -> float:
    """The headline of the only system over some sentences."""
    [result] = compared.there.values()
    return result.figures_over(places_of(result, rows))[result.metric.headline]


def describe_ranks(ranks: RankCorrelation) -> str:
    """Such as `Spearman's rho = 0.821 (p = 8.2e-43, 170 buckets)`."""
    if isnan(ranks.rho):
        return f"Spearman's rho is not defined: all {ranks.n} buckets score alike"
    return f"Spearman's rho = {ranks.rho:.3f} (p = {ranks.p_value:.2g}, {ranks.n} buckets)"
