"""What a comparison of systems found: figures, pairs of systems, and where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .resampling import Interval

if TYPE_CHECKING:
    from ..metrics.struct_iou.metric import StructIoU
    from ..metrics.struct_iou.result import Alignment
    from ..sources.rows import Rows
    from .groups import LabelRow, LengthGroup, SentenceRow

METRICS = {"struct_iou": "STRUCT-IoU", "parseval": "ParsEval"}


class Measure(NamedTuple):
    """A figure of a system: its metric, its name beside that of the metric, and its statistic."""

    metric: str
    title: str
    statistic: str

    @property
    def full_title(self) -> str:
        """Such as `STRUCT-IoU, sentence mean`."""
        return f"{METRICS[self.metric]}, {self.title}"


MEASURES = {
    "struct_iou_sentence": Measure("struct_iou", "sentence mean", "sentence"),
    "struct_iou_corpus": Measure("struct_iou", "corpus level", "corpus"),
    "struct_iou_precision": Measure("struct_iou", "precision", "precision"),
    "struct_iou_recall": Measure("struct_iou", "recall", "recall"),
    "parseval_f1": Measure("parseval", "F1", "bracket_f1"),
    "parseval_precision": Measure("parseval", "precision", "bracket_precision"),
    "parseval_recall": Measure("parseval", "recall", "bracket_recall"),
}


@dataclass(frozen=True)
class SystemScores:
    """One system.

    Attributes:
        name: What it is called.
        figures: By measure, its value with an interval; a measure that is not defined is missing.
        marks: By measure, letters (systems that share one do not differ significantly), or with a
            baseline `*` where the system differs from it.
        counts: Rows of the system's own that were zeroed, skipped or empty, and of ParsEval those with
            errors or skipped.
        own: Figures over the rows that the system alone could be compared on, where these are not
            the rows that all could be compared on.
    """

    name: str
    figures: Mapping[str, Interval]
    marks: Mapping[str, str]
    counts: Mapping[str, int]
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
        deltas: STRUCT-IoU of the first minus that of the second, for each sentence.
    """

    first: int
    second: int
    differences: Mapping[str, Difference]
    deltas: Sequence[float] = field(repr=False)

    @property
    def n_better(self) -> int:
        """Sentences on which the first system has the higher STRUCT-IoU."""
        return sum(delta > 0.0 for delta in self.deltas)

    @property
    def n_worse(self) -> int:
        """Sentences on which the second system has the higher STRUCT-IoU."""
        return sum(delta < 0.0 for delta in self.deltas)

    @property
    def n_equal(self) -> int:
        """Sentences on which they have the same."""
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

    def describe(self) -> str:
        """A line for people."""
        return f"{100 * self.level:g}% intervals, {self.n_resamples:,} resamples, seed {self.seed}"


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Attributes:
        systems: The scores of each.
        pairs: Pairs of systems: all, or each with the baseline.
        baseline: Number of the baseline, or None if all pairs were tested.
        lengths: Scores by the length of the reference.
        labels: Labels, those first that set the systems apart the most.
        sentences: The sentences on which the systems differ, the most different first.
        n_rows: Sentences in the input.
        n_sentences: Those that STRUCT-IoU compares, the same for all systems.
        n_parseval: Those that ParsEval compares, the same for all systems that it compares.
        resampling: How intervals and p-values were made.
        signatures: By metric, every option and the version.
        notes: What a reader must know: rows left out, measures that are not defined.
    """

    systems: Sequence[SystemScores]
    pairs: Sequence[SystemPair]
    baseline: int | None
    lengths: Sequence[LengthGroup]
    labels: Sequence[LabelRow]
    sentences: Sequence[SentenceRow]
    n_rows: int
    n_sentences: int
    n_parseval: int
    resampling: Resampling
    signatures: Mapping[str, str]
    notes: Sequence[str]
    metric: StructIoU = field(repr=False)
    trees: tuple[Rows, Sequence[Rows]] = field(repr=False)  # the reference, the systems

    @property
    def names(self) -> list[str]:
        """Of the systems."""
        return [system.name for system in self.systems]

    @property
    def headline(self) -> str:
        """The measure that the option `average` asks for."""
        return f"struct_iou_{self.metric.options.average}"

    @property
    def measures(self) -> dict[str, Measure]:
        """Those that at least one system has a figure of, the headline first."""
        return {
            key: MEASURES[key]
            for key in sorted(MEASURES, key=lambda key: key != self.headline)
            if any(key in system.figures for system in self.systems)
        }

    def align(self, row: int, system: int) -> Alignment:
        """A best alignment of a sentence's trees, to be drawn."""
        references, predictions = self.trees
        unit = self.metric.options.unit
        return self.metric.align(predictions[system].tree(row, unit), references.tree(row, unit))

    def words(self, row: int) -> str:
        """The text of the reference, without dropped words."""
        references, _ = self.trees
        tree = references.tree(row, self.metric.options.unit)
        side = self.metric.align(tree, tree).reference_side
        return " ".join(word for i, word in enumerate(tree.words) if i not in side.dropped_words)

    def extremes(self, sentence: SentenceRow) -> list[int]:
        """The systems with the best and the worst score, the earlier one first."""
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
                    "counts": dict(system.counts),
                    "own_figures": dict(system.own),
                }
                for system in self.systems
            ],
            "headline": self.headline,
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
                    "struct_iou": dict(zip(names, row.scores, strict=True)),
                }
                for row in self.labels
            ],
            "sentences": [
                {
                    "index": row.row,
                    "n_words": row.n_words,
                    "struct_iou": dict(zip(names, row.scores, strict=True)),
                    "parseval_f1": dict(zip(names, row.parseval, strict=True)),
                }
                for row in self.sentences[:n_sentences]
            ],
            "n_rows": self.n_rows,
            "n_sentences": self.n_sentences,
            "n_parseval": self.n_parseval,
            **asdict(self.resampling),
            "signatures": dict(self.signatures),
            "notes": list(self.notes),
        }


def _by_name(
    names: Sequence[str], figures: Mapping[str, Sequence[float | None]]
) -> dict[str, dict[str, float | None]]:
    return {key: dict(zip(names, values, strict=True)) for key, values in figures.items()}
