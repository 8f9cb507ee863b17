"""The results of a comparison of systems: figures, pairs of systems, and sentences where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..metrics.struct_iou.losses import CAUSES
from ..stats.columns import compared_measures
from ..stats.intervals import Interval
from ..trees.surgery import dropped_words
from ..wording import count

if TYPE_CHECKING:
    from ..metrics.base import Measure
    from ..metrics.metric import Metric
    from ..metrics.warnings import RowWarning
    from ..sources.rows import Rows

__all__ = [
    "CauseComparison",
    "Comparison",
    "Difference",
    "LabelRow",
    "LengthGroup",
    "MetricMeasure",
    "Resampling",
    "SentenceRow",
    "SystemPair",
    "SystemScores",
]


class MetricMeasure(NamedTuple):
    """A measure with the metric that it belongs to.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> found.measures["struct_iou_sentence"].full_title
    'STRUCT-IoU, sentence mean'

    Attributes:
        metric: The metric with its options.
        measure: The measure, one of the metric's `MEASURES`.
        noun: The word for a row, `sentence` or `document`.
    """

    metric: Metric
    measure: Measure
    noun: str

    @property
    def title(self) -> str:
        """Return the name of the measure, such as `sentence mean`."""
        return self.measure.title.replace("sentence", self.noun)

    @property
    def full_title(self) -> str:
        """Return the name of the measure with that of its metric, such as `STRUCT-IoU, sentence mean`."""
        return f"{self.metric.title}, {self.title}"


@dataclass(frozen=True)
class SystemScores:
    """The figures of one system, with intervals and marks.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> found.systems[1].name, found.systems[1].figures["struct_iou_sentence"].value
    ('new', 0.5)

    Attributes:
        name: The name of the system.
        figures: The value with an interval, by measure; a measure that is not defined is missing.
        marks: Letters by measure (systems that share one do not differ significantly), or with a baseline `*`
            where the system differs from it.
        counts: The number of the system's own rows that are errors, or were zeroed, skipped or empty, by
            metric.
        own: The figures over the rows that count for the system alone, where these are not the rows that
            count for all.
    """

    name: str
    figures: Mapping[str, Interval]
    marks: Mapping[str, str]
    counts: Mapping[str, Mapping[str, int]]
    own: Mapping[str, float]


@dataclass(frozen=True)
class Difference:
    """The difference of two systems by a measure.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> difference = found.pairs[0].differences["struct_iou_sentence"]
    >>> difference.interval.value, difference.p_randomization, difference.exact  # new minus old
    (-0.5, 1.0, True)

    Attributes:
        interval: The first system's value minus the second's, with its confidence interval.
        p_randomization: The p-value of approximate randomisation.
        exact: Whether the randomisation made all possible swaps.
        p_holm: The value of `p_randomization` corrected for the number of pairs, for each measure by itself.
        significant: Whether `p_holm` is below 1 minus the level of the intervals.
    """

    interval: Interval
    p_randomization: float
    exact: bool
    p_holm: float
    significant: bool


def flipped(found: Difference) -> Difference:
    """Return the difference of the second system minus the first."""
    old = found.interval
    return replace(found, interval=replace(old, value=-old.value, low=-old.high, high=-old.low))


@dataclass(frozen=True)
class SystemPair:
    """How two systems differ, the first minus the second.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=10)
    >>> [pair] = found.pairs
    >>> found.names[pair.first], found.names[pair.second], pair.deltas, pair.n_worse
    ('new', 'old', [-0.5], 1)

    Attributes:
        first: The number of the first system.
        second: The number of the second system.
        differences: The difference of the two, by measure.
        deltas: How much better the first is than the second by the main metric, for each sentence.
        failed: The places in `deltas` of sentences for which one of the two has no parse that could be
            compared.
    """

    first: int
    second: int
    differences: Mapping[str, Difference]
    deltas: Sequence[float] = field(repr=False)
    failed: Sequence[int] = field(repr=False)

    @property
    def parsed_deltas(self) -> list[float]:
        """Return the differences of the sentences that both have parsed."""
        failed = set(self.failed)
        return [delta for place, delta in enumerate(self.deltas) if place not in failed]

    def flipped(self) -> SystemPair:
        """Return the same pair as the second system minus the first."""
        differences = {key: flipped(found) for key, found in self.differences.items()}
        return SystemPair(self.second, self.first, differences, [-d for d in self.deltas], self.failed)

    @property
    def n_better(self) -> int:
        """Return the number of sentences on which the first system is better."""
        return sum(delta > 0.0 for delta in self.deltas)

    @property
    def n_worse(self) -> int:
        """Return the number of sentences on which the second system is better."""
        return sum(delta < 0.0 for delta in self.deltas)

    @property
    def n_equal(self) -> int:
        """Return the number of sentences on which both have the same score."""
        return len(self.deltas) - self.n_better - self.n_worse


@dataclass(frozen=True)
class CauseComparison:
    """The losses of systems by cause.

    >>> from structiou_metric.analysis.compare import compare
    >>> systems = {"old": ["(S (A a))"], "new": ["(S (B a))"]}
    >>> found = compare(systems, ["(S (A a))"], why=True, n_resamples=10)
    >>> found.causes.causes, found.causes.figures[1]["tag"].value
    (['tag'], 1.0)

    Attributes:
        figures: The nodes lost by a cause on both sides, per node of the reference, by system and cause.
        differences: The first system minus the second, by pair of systems and cause; p-values are
            Holm-corrected over all pairs and causes.
    """

    figures: Sequence[Mapping[str, Interval]]
    differences: Mapping[tuple[int, int], Mapping[str, Difference]]

    @property
    def causes(self) -> list[str]:
        """Return the causes that cost some system anything, the costliest first."""
        most = {cause: max(found[cause].value for found in self.figures) for cause in CAUSES}
        return sorted((cause for cause in CAUSES if most[cause]), key=lambda cause: -most[cause])


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
        """Return the range of lengths, such as `11–20`."""
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
        tallies: The sums of the metric for the label, by system; None where neither a system nor the
            reference has such a node.
    """

    label: str
    tallies: Sequence[Any]  # of the metric's `LABEL`; None where a system and the reference have no such node

    @property
    def n_ref(self) -> int:
        """Return the number of the reference's nodes with this label."""
        return int(max(tally.n_ref for tally in self.tallies if tally))

    @property
    def scores(self) -> list[float | None]:
        """Return the score of the label for each system."""
        return [tally.score if tally else None for tally in self.tallies]

    @property
    def spread(self) -> float:
        """Return the difference between the scores of the best and the worst system."""
        scores = [score for score in self.scores if score is not None]
        return max(scores) - min(scores)

    @property
    def weight(self) -> float:
        """Return the number by which labels are ordered: the spread times the nodes that it is about."""
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
        lost: The loss of each system: nodes of both sides minus twice the matched mass; or, if the main
            metric does not count these, words of the reference times the distance from the best score.
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
        """Return the number that orders sentences: how much more the worst system lost than the best."""
        return max(self.lost) - min(self.lost)


@dataclass(frozen=True)
class Resampling:
    """The settings of intervals and p-values.

    >>> from structiou_metric.analysis.compare import compare
    >>> found = compare({"old": ["(S (A a))"], "new": ["(S (B a))"]}, ["(S (A a))"], n_resamples=99)
    >>> found.resampling.n_resamples, round(found.resampling.alpha, 4), found.resampling.floor
    (99, 0.05, 0.01)

    Attributes:
        level: The share of such intervals that should hold the true value.
        n_resamples: How many samples were drawn.
        seed: The seed of the samples.
    """

    level: float
    n_resamples: int
    seed: int

    @property
    def alpha(self) -> float:
        """Return the p-value below which differences are significant."""
        return round(1.0 - self.level, 12)  # without the rounding, 0.05 would be below that of 0.95

    @property
    def floor(self) -> float:
        """Return the least p-value that this number of resamples can find; the true one may be lower."""
        return 1.0 / (self.n_resamples + 1)


MASS = ("matched", "n_pred", "n_ref")  # columns of metrics that match nodes or brackets


def counts_nodes(metric: Metric) -> bool:
    """Return whether a metric counts the nodes of each sentence that have no match."""
    summed = (measure for measure in compared_measures(metric.MEASURES).values() if not measure.mean)
    return {name for measure in summed for name in measure.columns} >= set(MASS)


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `compare`: figures, pairs of systems, and the sentences where they differ.

    >>> from structiou_metric.analysis.compare import compare
    >>> references = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> systems = {"old": ["(S (NP (PRP we)) (NP (NN run)))", "(INTJ (UH yes))"], "new": references}
    >>> found = compare(systems, references, n_resamples=100)
    >>> found.names, found.ranked, found.sentences[0].row
    (['old', 'new'], [1, 0], 0)

    Attributes:
        systems: The scores of each system.
        pairs: The pairs of systems: all, or each with the baseline.
        baseline: The number of the baseline, or None if all pairs were tested.
        lengths: The figures by the length of the reference.
        labels: The labels, those first that set the systems apart the most by the main metric.
        sentences: The sentences on which the systems differ by the main metric, and that all have parsed:
            those first on which one lost the most nodes more than another.
        failed: The sentences for which some system has no parse that could be compared, in the same order.
        n_rows: The number of sentences in the input.
        n_sentences: The number of sentences that a metric compares, by metric; they are the same for all
            systems that it compares.
        n_clusters: The number of clusters that these are from, by metric; empty if sentences were resampled
            one by one.
        resampling: How intervals and p-values were made.
        signatures: Every option and the version, by metric that has figures.
        notes: Remarks for the reader: rows left out, metrics that are not defined, and the warnings.
        warnings: Signs of mistakes in data that could still be scored, by system; `notes` has them, too.
        metrics: The metrics, the main one first.
        unit: The unit of the trees.
        drop: Labels of leaves whose words do not count.
        trees: The reference trees, and the predictions of each system.
        causes: The losses of systems by cause, if they were asked for and STRUCT-IoU compares all systems.
    """

    systems: Sequence[SystemScores]
    pairs: Sequence[SystemPair]
    baseline: int | None
    lengths: Sequence[LengthGroup]
    labels: Sequence[LabelRow]
    sentences: Sequence[SentenceRow]
    failed: Sequence[SentenceRow]
    n_rows: int
    n_sentences: Mapping[str, int]
    n_clusters: Mapping[str, int]
    resampling: Resampling
    signatures: Mapping[str, str]
    notes: Sequence[str]
    warnings: Mapping[str, Sequence[RowWarning]]
    metrics: Sequence[Metric]
    unit: str
    drop: Sequence[str]
    trees: tuple[Rows, Sequence[Rows]]
    causes: CauseComparison | None = None

    @property
    def names(self) -> list[str]:
        """Return the names of the systems, in the order given."""
        return [system.name for system in self.systems]

    @cached_property
    def ranked(self) -> list[int]:
        """Return the numbers of the systems, the best by the headline first; ties keep their order."""
        key = self.main.headline
        return sorted(
            range(len(self.systems)),
            key=lambda i: self.systems[i].figures[key].value,
            reverse=self.main.MEASURES[key].higher_is_better,
        )

    @cached_property
    def ranks(self) -> list[int]:
        """Return the rank of each system, from 1; those with the same figure share one."""
        values = [system.figures[self.main.headline].value for system in self.systems]
        order = self.ranked
        first = {values[i]: place for place, i in reversed(list(enumerate(order, 1)))}
        return [first[value] for value in values]

    @cached_property
    def ranked_pairs(self) -> list[SystemPair]:
        """Return the pairs, best systems first: the better minus the worse, or each minus the baseline."""
        place = {i: k for k, i in enumerate(self.ranked)}
        pairs: Iterable[SystemPair] = self.pairs
        if self.baseline is None:
            pairs = (pair if place[pair.first] < place[pair.second] else pair.flipped() for pair in pairs)
        return sorted(pairs, key=lambda pair: (place[pair.first], place[pair.second]))

    def causes_of(self, pair: SystemPair) -> dict[str, Difference]:
        """Return the differences by each cause that costs anything; none if causes were not compared."""
        if self.causes is None:
            return {}
        found = self.causes.differences
        own = found.get((pair.first, pair.second))
        if own is None:
            own = {cause: flipped(other) for cause, other in found[pair.second, pair.first].items()}
        return {cause: own[cause] for cause in self.causes.causes}

    @property
    def counts_nodes(self) -> bool:
        """Return whether the main metric counts the nodes that are lost."""
        return counts_nodes(self.main)

    @property
    def main(self) -> Metric:
        """Return the metric by which sentences and labels are ordered."""
        return self.metrics[0]

    @property
    def noun(self) -> str:
        """Return the noun for a row: sentence or document."""
        return getattr(self.trees[0], "noun", "sentence")

    @property
    def measures(self) -> dict[str, MetricMeasure]:
        """Return the measures for which a system has a figure, by metric, each headline first."""
        return {
            key: MetricMeasure(metric, metric.MEASURES[key], self.noun)
            for metric in self.metrics
            for key in dict.fromkeys((metric.headline, *metric.MEASURES))
            if any(key in system.figures for system in self.systems)
        }

    @property
    def headlines(self) -> dict[str, MetricMeasure]:
        """Return the headline of each metric, the main one first."""
        return {key: found for key, found in self.measures.items() if key == found.metric.headline}

    @property
    def can_align(self) -> bool:
        """Return whether the main metric aligns nodes, so that its alignments can be drawn."""
        return hasattr(self.main, "align")

    def align(self, row: int, system: int) -> Any:
        """Return a best alignment of a sentence's trees by the main metric, to be drawn."""
        references, predictions = self.trees
        metric: Any = self.main
        return metric.align(predictions[system].tree(row, self.unit), references.tree(row, self.unit))

    def tell_failure(self, row: int, system: int) -> str:
        """Return the name of a system without a parse of a sentence, with the reason if there is one."""
        name = self.systems[system].name
        try:
            if self.can_align:
                self.align(row, system)
        except ValueError as error:
            return f"{name} ({error})"
        return name

    def words(self, row: int) -> str:
        """Return the text of the reference, without dropped words."""
        references, _ = self.trees
        tree = references.tree(row, self.unit)
        dropped = dropped_words(tree, self.drop)
        return " ".join(word for i, word in enumerate(tree.words) if i not in dropped)

    def extremes(self, sentence: SentenceRow) -> list[int]:
        """Return the systems with the highest and the lowest score, the earlier one first."""
        numbers = range(len(self.systems))
        return sorted(
            {max(numbers, key=sentence.scores.__getitem__), min(numbers, key=sentence.scores.__getitem__)}
        )

    def __repr__(self) -> str:
        key = self.main.headline
        scores = ", ".join(
            f"{self.systems[i].name} {self.systems[i].figures[key].value:.4f}" for i in self.ranked
        )
        return f"<Comparison by {key}: {scores}; {count(self.n_rows, self.noun)}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: who is best and how sure that is, the figures, and tables to open."""
        from ..report.notebook import comparison_html

        return comparison_html(self)

    def as_dict(self, *, n_sentences: int | None = None) -> dict[str, Any]:
        """Return the comparison as values that JSON can hold.

        Args:
            n_sentences: How many of the sentences on which systems differ to list; by default all.
        """
        names = self.names
        return {
            "systems": [
                {
                    "name": system.name,
                    "figures": {key: asdict(figure) for key, figure in system.figures.items()},
                    "marks": dict(system.marks),
                    "counts": {name: dict(counts) for name, counts in system.counts.items()},
                    "own_figures": dict(system.own),
                }
                for system in self.systems
            ],
            "headline": self.main.headline,
            "baseline": None if self.baseline is None else names[self.baseline],
            "pairs": [
                {
                    "first": names[pair.first],
                    "second": names[pair.second],
                    "differences": {key: asdict(found) for key, found in pair.differences.items()},
                    "n_better": pair.n_better,
                    "n_equal": pair.n_equal,
                    "n_worse": pair.n_worse,
                }
                for pair in self.pairs
            ],
            "lengths": [
                {**asdict(group), "figures": _by_name(names, group.figures)} for group in self.lengths
            ],
            "labels": [
                {
                    "label": row.label,
                    "n_ref": row.n_ref,
                    self.main.name: dict(zip(names, row.scores, strict=True)),
                }
                for row in self.labels
            ],
            "sentences": [_sentence_as_dict(self, row) for row in self.sentences[:n_sentences]],
            "failed": [_sentence_as_dict(self, row) for row in self.failed[:n_sentences]],
            "n_failed": len(self.failed),
            "n_rows": self.n_rows,
            "n_sentences": dict(self.n_sentences),
            "n_clusters": dict(self.n_clusters),
            **asdict(self.resampling),
            "signatures": dict(self.signatures),
            "notes": list(self.notes),
            "warnings": {name: [warning.as_dict() for warning in own] for name, own in self.warnings.items()},
            **({} if self.causes is None else {"causes": _causes_as_dict(names, self.causes)}),
        }


# ---- parts of comparisons, for JSON ----------------------------------------------------------------


def _causes_as_dict(names: Sequence[str], found: CauseComparison) -> dict[str, Any]:
    """Return the losses of the systems by cause as values that JSON can hold."""
    return {
        "systems": {
            name: {cause: asdict(figures[cause]) for cause in found.causes}
            for name, figures in zip(names, found.figures, strict=True)
        },
        "pairs": [
            {
                "first": names[first],
                "second": names[second],
                "differences": {cause: asdict(by_cause[cause]) for cause in found.causes},
            }
            for (first, second), by_cause in found.differences.items()
        ],
    }


def _sentence_as_dict(comparison: Comparison, row: SentenceRow) -> dict[str, Any]:
    """Return a sentence on which systems differ."""
    names = comparison.names
    return {
        "index": row.row,
        "n_words": row.n_words,
        comparison.main.name: dict(zip(names, row.scores, strict=True)),
        "lost": dict(zip(names, row.lost, strict=True)),
        "failed": [names[i] for i in row.failed],
        **_by_name(names, row.others),
    }


def _by_name(
    names: Sequence[str], figures: Mapping[str, Sequence[float | None]]
) -> dict[str, dict[str, float | None]]:
    return {key: dict(zip(names, values, strict=True)) for key, values in figures.items()}
