"""How STRUCT-IoU and ParsEval F1 go together: Spearman's rho over random buckets of sentences."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from ...metrics.parseval.metric import Parseval
from ...metrics.runner import score_systems
from ...metrics.struct_iou.metric import StructIoU
from ...wording import count
from .ranks import RankCorrelation, spearman

if TYPE_CHECKING:
    from ...metrics.results import Result
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
    scored, scorable = _Counted(score), _Counted(brackets)
    rows = [row for row in scorable.places if row in scored.places]
    shuffled = rows[:]
    Random(seed).shuffle(shuffled)
    n_full = len(rows) // bucket_size
    groups = [sorted(shuffled[i * bucket_size : (i + 1) * bucket_size]) for i in range(n_full)]
    buckets = [
        Bucket(group, scored.figure(group), scorable.figure(group))
        for group in groups
        if scorable.has_brackets(group)
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
        len(predictions) - len(scorable.places),
        len(scorable.places) - len(rows),
        len(rows) - n_full * bucket_size,
        (n_full - len(buckets)) * bucket_size,
        scored.figure(used),
        scorable.figure(used),
        metric.signature,
        parseval.signature,
    )


class _Counted:
    """The sentences that a metric counts, by their rows."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self.places = {row: i for i, row in enumerate(result.rows) if result.counts(i)}

    def figure(self, rows: Iterable[int]) -> float:
        """The headline over some sentences."""
        figures = self._result.figures_over([self.places[row] for row in rows])
        return figures[self._result.metric.headline]

    def has_brackets(self, rows: Iterable[int]) -> bool:
        """Whether a side has any in these sentences."""
        columns = self._result.columns
        return any(columns[side][self.places[row]] for side in ("n_pred", "n_ref") for row in rows)


def draw_correlation(found: Correlation) -> Any:
    """The paper's figure: a dot for each bucket; a matplotlib figure."""
    from ...drawing.plots import new_figure

    figure, axes = new_figure(5.0, 4.0)
    axes.scatter(
        [100 * bucket.parseval for bucket in found.buckets],
        [bucket.struct_iou for bucket in found.buckets],
        s=22,
        alpha=0.6,
        linewidths=0,
    )
    axes.set_xlabel("ParsEval F1")
    axes.set_ylabel("STRUCT-IoU")
    axes.set_title(describe_ranks(found.ranks), fontsize="medium")
    axes.grid(alpha=0.3)
    return figure


def describe_ranks(ranks: RankCorrelation) -> str:
    """Such as `Spearman's rho = 0.821 (p = 8.2e-43, 170 buckets)`."""
    if isnan(ranks.rho):
        return f"Spearman's rho is not defined: all {ranks.n} buckets score alike"
    return f"Spearman's rho = {ranks.rho:.3f} (p = {ranks.p_value:.2g}, {ranks.n} buckets)"
