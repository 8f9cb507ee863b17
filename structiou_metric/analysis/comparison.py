"""What a comparison of systems found: figures, pairs of systems, and where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..trees.surgery import dropped_words
from .resampling import Interval

if TYPE_CHECKING:
    from ..metrics.base import Measure
    from ..metrics.metric import Metric
    from ..metrics.notices import Notice
    from ..sources.rows import Rows
    from .groups import LabelRow, LengthGroup, SentenceRow


class MetricMeasure(NamedTuple):
    """A measure, and the metric that it belongs to."""

    metric: Metric
    measure: Measure

    @property
    def full_title(self) -> str:
        """Such as `STRUCT-IoU, sentence mean`."""
        return f"{self.metric.title}, {self.measure.title}"


@dataclass(frozen=True)
class SystemScores:
    """One system.

    Attributes:
        name: What it is called.
        figures: By measure, its value with an interval; a measure that is not defined is missing.
        marks: By measure, letters (systems that share one do not differ significantly), or with a
            baseline `*` where the system differs from it.
        counts: By metric, rows of the system's own that are errors, or were zeroed, skipped or empty.
        own: Figures over the rows that count for the system alone, where these are not the rows that
            count for all.
    """

    name: str
    figures: Mapping[str, Interval]
    marks: Mapping[str, str]
    counts: Mapping[str, Mapping[str, int]]
    own: Mapping[str, float]


@dataclass(frozen=True)
class Difference:
    """A measure of two systems.

    Attributes:
        interval: Of the first system's value minus the second's.
        p_bootstrap: Of the paired bootstrap test.
        p_randomization: Of approximate randomisation.
        exact: Whether the randomisation made all possible swaps.
        p_holm: `p_randomization` corrected for the number of pairs, for each measure by itself.
        significant: Whether `p_holm` is below 1 minus the level of the intervals.
    """

    interval: Interval
    p_bootstrap: float
    p_randomization: float
    exact: bool
    p_holm: float
    significant: bool


@dataclass(frozen=True)
class SystemPair:
    """Two systems, the first minus the second.

    Attributes:
        first: Number of the first system.
        second: Number of the second.
        differences: By measure.
        deltas: By how much the first is better than the second by the main metric, for each sentence.
    """

    first: int
    second: int
    differences: Mapping[str, Difference]
    deltas: Sequence[float] = field(repr=False)

    @property
    def n_better(self) -> int:
        """Sentences on which the first system is better."""
        return sum(delta > 0.0 for delta in self.deltas)

    @property
    def n_worse(self) -> int:
        """Sentences on which the second system is better."""
        return sum(delta < 0.0 for delta in self.deltas)

    @property
    def n_equal(self) -> int:
        """Sentences on which they have the same score."""
        return len(self.deltas) - self.n_better - self.n_worse


@dataclass(frozen=True)
class Resampling:
    """How intervals and p-values were made."""

    level: float
    n_resamples: int
    seed: int

    @property
    def alpha(self) -> float:
        """Differences are significant if their p is below it."""
        return round(1.0 - self.level, 12)  # without the rounding, 0.05 would be below that of 0.95


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Attributes:
        systems: The scores of each.
        pairs: Pairs of systems: all, or each with the baseline.
        baseline: Number of the baseline, or None if all pairs were tested.
        lengths: Figures by the length of the reference.
        labels: Labels, those first that set the systems apart the most by the main metric.
        sentences: The sentences on which the systems differ by the main metric, the most different first.
        n_rows: Sentences in the input.
        n_sentences: By metric, those that it compares, the same for all systems that it compares.
        resampling: How intervals and p-values were made.
        signatures: By metric that has figures, every option and the version.
        notes: What a reader must know: rows left out, metrics that are not defined, what looks suspicious.
        notices: By system, what is suspicious though it can be computed; it is among the notes, too.
        metrics: The main one first.
        unit: Of the trees.
        drop: Labels of leaves whose words do not count.
        trees: The reference, and the predictions of each system.
    """

    systems: Sequence[SystemScores]
    pairs: Sequence[SystemPair]
    baseline: int | None
    lengths: Sequence[LengthGroup]
    labels: Sequence[LabelRow]
    sentences: Sequence[SentenceRow]
    n_rows: int
    n_sentences: Mapping[str, int]
    resampling: Resampling
    signatures: Mapping[str, str]
    notes: Sequence[str]
    notices: Mapping[str, Sequence[Notice]]
    metrics: Sequence[Metric] = field(repr=False)
    unit: str = field(repr=False)
    drop: Sequence[str] = field(repr=False)
    trees: tuple[Rows, Sequence[Rows]] = field(repr=False)

    @property
    def names(self) -> list[str]:
        """Of the systems."""
        return [system.name for system in self.systems]

    @property
    def main(self) -> Metric:
        """The metric by which sentences and labels are told apart."""
        return self.metrics[0]

    @property
    def measures(self) -> dict[str, MetricMeasure]:
        """Those that at least one system has a figure of, by metric, the headline of each first."""
        return {
            key: MetricMeasure(metric, metric.MEASURES[key])
            for metric in self.metrics
            for key in dict.fromkeys((metric.headline, *metric.MEASURES))
            if any(key in system.figures for system in self.systems)
        }

    @property
    def headlines(self) -> dict[str, MetricMeasure]:
        """Those of the measures that stand for a metric, the main one's first."""
        return {key: found for key, found in self.measures.items() if key == found.metric.headline}

    @property
    def can_align(self) -> bool:
        """Whether the main metric aligns nodes, so that there is something to draw."""
        return hasattr(self.main, "align")

    def align(self, row: int, system: int) -> Any:
        """A best alignment of a sentence's trees by the main metric, to be drawn."""
        references, predictions = self.trees
        metric: Any = self.main
        return metric.align(predictions[system].tree(row, self.unit), references.tree(row, self.unit))

    def words(self, row: int) -> str:
        """The text of the reference, without dropped words."""
        references, _ = self.trees
        tree = references.tree(row, self.unit)
        dropped = dropped_words(tree, self.drop)
        return " ".join(word for i, word in enumerate(tree.words) if i not in dropped)

    def extremes(self, sentence: SentenceRow) -> list[int]:
        """The systems with the highest and the lowest score, the earlier one first."""
        numbers = range(len(self.systems))
        return sorted(
            {max(numbers, key=sentence.scores.__getitem__), min(numbers, key=sentence.scores.__getitem__)}
        )

    def as_dict(self, *, n_sentences: int | None = None) -> dict[str, Any]:
        """Plain values for JSON.

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
            "sentences": [
                {
                    "index": row.row,
                    "n_words": row.n_words,
                    self.main.name: dict(zip(names, row.scores, strict=True)),
                    **_by_name(names, row.others),
                }
                for row in self.sentences[:n_sentences]
            ],
            "n_rows": self.n_rows,
            "n_sentences": dict(self.n_sentences),
            **asdict(self.resampling),
            "signatures": dict(self.signatures),
            "notes": list(self.notes),
            "notices": {name: [notice.as_dict() for notice in own] for name, own in self.notices.items()},
        }


def _by_name(
    names: Sequence[str], figures: Mapping[str, Sequence[float | None]]
) -> dict[str, dict[str, float | None]]:
    return {key: dict(zip(names, values, strict=True)) for key, values in figures.items()}
