"""Where systems differ: by the length of the sentence, by label, and on which sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from .._core.select import Selector
from ..metrics.base import ERROR, BaseMetric, Counter, Counts, Measure, Option
from ..metrics.batch import Batch
from ..metrics.metric import Metric
from ..metrics.selection import DROP, DropRules
from ..optional import need
from ..stats.columns import compared_measures

if TYPE_CHECKING:
    from .common_rows import Compared

__all__ = ["LENGTHS", "LabelRow", "LengthGroup", "SentenceRow"]

LENGTHS = (10, 20, 40)  # The most words of a sentence in each group; one more group is open.

_MASS = ("matched", "n_pred", "n_ref")  # columns of metrics that match nodes or brackets


@dataclass(frozen=True)
class LengthGroup:
    """The figures over sentences of about the same length.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> [(group.title, group.figures["struct_iou_sentence"]) for group in found.lengths]
    [('1–10', [1.0, 0.5])]

    Attributes:
        shortest: The fewest words that a reference of the group may have, dropped ones not counted.
        longest: The most words that a reference of the group may have, dropped ones not counted; None for no
            limit.
        n_sentences: How many sentences each metric compares, by its name.
        figures: A value for each system, by measure; None where there is none.
    """

    shortest: int
    longest: int | None
    n_sentences: Mapping[str, int]
    figures: Mapping[str, Sequence[float | None]]

    @property
    def title(self) -> str:
        """The range of lengths, such as `11–20`."""
        if self.longest is None:
            return f"{self.shortest}+"
        return f"{self.shortest}–{self.longest}" if self.longest > self.shortest else str(self.shortest)


@dataclass(frozen=True)
class LabelRow:
    """A label as each system got it.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> found.labels[0].label, found.labels[0].scores, found.labels[0].spread
    ('A', [1.0, 0.0], 1.0)

    Attributes:
        label: The label.
        tallies: What the metric summed up for the label, by system; None where neither a system nor the
            reference has such a node.
    """

    label: str
    tallies: Sequence[Any]  # of the metric's `LABEL`; None where a system and the reference have no such node

    @property
    def n_ref(self) -> int:
        """The number of the reference's nodes with this label."""
        return int(max(tally.n_ref for tally in self.tallies if tally))

    @property
    def scores(self) -> list[float | None]:
        """The score of the label for each system."""
        return [tally.score if tally else None for tally in self.tallies]

    @property
    def spread(self) -> float:
        """The difference between the scores of the best and the worst system."""
        scores = [score for score in self.scores if score is not None]
        return max(scores) - min(scores)

    @property
    def weight(self) -> float:
        """The number by which labels are ordered: the spread times the nodes that it is about."""
        n_pred = max(tally.n_pred for tally in self.tallies if tally)
        return self.spread * float(max(self.n_ref, n_pred))


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence as each system got it.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> found.sentences[0].row, found.sentences[0].scores, found.sentences[0].lost
    (0, (1.0, 0.5), (0.0, 2.0))

    Attributes:
        row: The number of the sentence in the input, from 0.
        n_words: The number of the reference's words, dropped ones not counted.
        scores: The headline of the main metric for each system.
        lost: What each system lost: nodes of both sides minus twice the matched mass; or, if the main metric
            does not count these, words of the reference times how far the score is from the best system's.
        failed: The numbers of the systems that have no parse which could be compared.
        others: The headlines of the other metrics for each system, by measure; None where there is none.
    """

    row: int
    n_words: int
    scores: Sequence[float]
    lost: Sequence[float]
    failed: Sequence[int]
    others: Mapping[str, Sequence[float | None]]

    @property
    def spread(self) -> float:
        """The number by which sentences are ordered: how much more the worst system lost than the best."""
        return max(self.lost) - min(self.lost)


class WordCount(Metric):
    """Counts the words of each reference, to be run beside metrics: its column `n_words` makes groups.

    Words of leaves whose labels are in `drop` do not count, as in `StructIoU`.

    >>> references = ["(S (NP (-NONE- *)) (VP (VB go)))", "(S"]
    >>> result = WordCount().corpus_score(["()", "()"], references)
    >>> list(result.columns["n_words"]), result.n_errors
    ([1, 0], 1)
    """

    name = "word_count"
    title = "words"
    OPTIONS: ClassVar[Mapping[str, Option]] = {"drop": DROP}
    MEASURES: ClassVar[Mapping[str, Measure]] = {}

    @classmethod
    def beside(cls, metrics: Iterable[BaseMetric]) -> WordCount:
        """A counter of the words that metrics look at, as the first one with the option `drop` drops some."""
        return cls(**next(({"drop": m.options.drop} for m in metrics if "drop" in m.OPTIONS), {}))

    def counter(self) -> _WordCounter:
        """A new counter; every thread has one of its own."""
        return _WordCounter(self.options.drop)


class _WordCounter(Counter):
    def __init__(self, drop: Collection[str]) -> None:
        self._rules = DropRules(drop)
        self._selector = Selector()

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The words of each reference; unreadable ones are errors, but no problems that end a run."""
        n_words = self._selector.count_words(batch.references, self._rules.learn(batch.labels))
        status = bytearray(len(batch))
        for t, _, _ in batch.references.errors():
            status[t] = ERROR
        return Counts({"n_words": n_words}, status, {})


def check_bounds(bounds: Sequence[int]) -> None:
    """Refuses lengths that do not rise."""
    if list(bounds) != sorted(set(bounds)) or min(bounds, default=1) < 1:
        raise ValueError(f"lengths must be whole numbers from 1 on that rise, not {list(bounds)}")


def group_by_length(
    n_words: Sequence[int], bounds: Sequence[int], compared: Sequence[Compared]
) -> list[LengthGroup]:
    """Figures by the length of the reference; groups without a sentence are left out.

    The bounds are the most words of each group but the last; `n_words` is that of each sentence of the input.
    """
    check_bounds(bounds)
    edges = [0, *bounds]
    ends = [(0, 0), *((lo + 1, hi) for lo, hi in pairwise(edges)), (edges[-1] + 1, None)]
    places = [bisect_left(edges, number) for number in n_words]
    groups = []
    for place, (shortest, longest) in enumerate(ends):
        n_sentences: dict[str, int] = {}
        figures: dict[str, list[float | None]] = {}
        for part in compared:
            rows = [row for row in part.rows if places[row] == place]
            n_sentences[part.metric.name] = len(rows)
            found = part.figures(rows)
            for key in compared_measures(part.metric.MEASURES):
                figures[key] = [None if values is None else values[key] for values in found]
        if any(n_sentences.values()):
            groups.append(LengthGroup(shortest, longest, n_sentences, figures))
    return groups


def counts_nodes(metric: Metric) -> bool:
    """Whether a metric tells of each sentence how many nodes of either side have no match."""
    summed = (measure for measure in compared_measures(metric.MEASURES).values() if not measure.mean)
    return {name for measure in summed for name in measure.columns} >= set(_MASS)


def lost_nodes(metric: Metric, tables: Iterable[Mapping[str, Any]], scores: Any, n_words: Any) -> Any:
    """What each system lost on each sentence; see `SentenceRow`.

    Args:
        metric: The main metric.
        tables: The columns of the sentences, by system.
        scores: A number for each sentence, of which more is better, by system.
        n_words: The number of words of each sentence.
    """
    np = need("numpy", "compare", "a comparison of systems")
    if not counts_nodes(metric):
        return (scores.max(axis=0) - scores) * np.maximum(n_words, 1)
    sums = [[table[name] for name in _MASS] for table in tables]
    return np.array([n_pred + n_ref - 2.0 * matched for matched, n_pred, n_ref in sums])


def compare_labels(compared: Compared) -> list[LabelRow]:
    """The labels, those first that set the systems apart the most; none if the metric does not count them."""
    if compared.metric.LABEL is None:
        return []
    counts = [result.by_label for result in compared.there.values()]
    labels = dict.fromkeys(label for found in counts for label in found)
    rows = [LabelRow(label, [found.get(label) for found in counts]) for label in labels]
    return sorted(rows, key=lambda row: (-row.weight, -row.n_ref, row.label))
