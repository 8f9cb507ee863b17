"""Sentence mean against corpus level, over the sentences up to each length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...drawing.plots import new_figure
from ...metrics.base import COUNTED
from ...metrics.results import figures_over
from ...metrics.runner import score_systems
from ...metrics.struct_iou.metric import StructIoU
from ...metrics.struct_iou.result import CorpusScore
from ..compare import WordCount

if TYPE_CHECKING:
    from ...sources.rows import Rows

_MAX_STEPS = 20  # lengths that are looked at by default


class LengthPoint(NamedTuple):
    """Both figures over the sentences with at most `max_words` words; None where there are none."""

    max_words: int
    n_sentences: int
    struct_iou_sentence: float | None
    struct_iou_corpus: float | None


class ByLength(NamedTuple):
    """The result of `score_by_length`.

    Attributes:
        points: The points by rising length.
        n_one_word: The number of sentences with one word, whose score is an IoU of two intervals or little
            else.
        n_unmeasured: The number of scored sentences whose reference cannot be read, which no point has.
        score: The score of all sentences.
    """

    points: list[LengthPoint]
    n_one_word: int
    n_unmeasured: int
    score: CorpusScore

    def as_dict(self) -> dict[str, Any]:
        """Return the points as values that JSON can hold."""
        return {
            "points": [point._asdict() for point in self.points],
            "n_one_word": self.n_one_word,
            "n_unmeasured": self.n_unmeasured,
            **self.score.as_dict(),
        }

    def plot(self) -> Any:
        """Return the paper's figure, both figures over the maximum length, as a figure of matplotlib."""
        figure, axes = new_figure()
        points = [point for point in self.points if point.n_sentences]
        words = [point.max_words for point in points]
        means = [point.struct_iou_sentence for point in points]
        axes.plot(words, means, marker="o", markersize=4, label="sentence mean")
        levels = [point.struct_iou_corpus for point in points]
        axes.plot(words, levels, marker="s", markersize=4, linestyle="--", label="corpus level")
        axes.set_xlabel("sentences with at most so many words")
        axes.set_ylabel("STRUCT-IoU")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        return figure


def score_by_length(
    predictions: Rows,
    references: Rows,
    *,
    metric: StructIoU | None = None,
    limits: Iterable[int] | None = None,
    workers: int | str = 1,
    progress: bool = False,
) -> ByLength:
    """Score trees once, and sum the pairs up by the number of the reference's words.

    >>> from structiou_metric.sources.rows import ListRows
    >>> references = ListRows(["(A a)", "(S (A a) (B b))"], "references")
    >>> predictions = ListRows(["(A a)", "(S (A a) (C b))"], "predictions")
    >>> for point in score_by_length(predictions, references).points:
    ...     print(*point[:2], round(point.struct_iou_sentence, 4), point.struct_iou_corpus)
    1 1 1.0 1.0
    2 2 0.8333 0.75

    Args:
        predictions: Trees, as `Metric.corpus_score` takes them.
        references: One tree for each prediction. Words that the metric drops, such as traces, do not count.
        metric: The metric with its options.
        limits: The most words of a sentence at each point; by default up to 20 even steps to the longest.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    metric = metric or StructIoU()
    metrics = [metric, WordCount.beside([metric])]
    [[score, words]] = score_systems(metrics, [predictions], references, workers=workers, progress=progress)
    n_words = words.columns["n_words"]
    measured = sorted(
        (n_words[i], i) for i in range(len(score)) if {score.status[i], words.status[i]} <= COUNTED
    )
    if limits is None:
        limits = even_steps(measured[-1][0] if measured else 1)
    points = []
    for limit in sorted(set(limits)):
        places = [place for length, place in measured if length <= limit]
        figures = figures_over(score, places) if places else {}
        both = (figures.get(f"struct_iou_{average}") for average in ("sentence", "corpus"))
        points.append(LengthPoint(limit, len(places), *both))
    return ByLength(
        points,
        sum(length == 1 for length, _ in measured),
        score.n_counted - len(measured),
        score,
    )


def even_steps(longest: int) -> list[int]:
    """Return at most 20 lengths at round distances, with the longest itself as the last.

    >>> even_steps(7), even_steps(47)[-3:]
    ([1, 2, 3, 4, 5, 6, 7], [40, 45, 47])
    """
    step = next(
        digit * 10**power
        for power in range(len(str(longest)) + 1)
        for digit in (1, 2, 5)
        if longest <= _MAX_STEPS * digit * 10**power
    )
    return [*range(step, longest, step), longest]
