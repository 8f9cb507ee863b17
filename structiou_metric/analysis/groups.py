"""Where systems differ: by the length of the sentence, by label, and on which sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..metrics.struct_iou.counter import Engine, add_label, batches
from ..trees.labels import ROOT_LABELS
from .resampling import STATISTICS

if TYPE_CHECKING:
    from ..metrics.struct_iou.options import Options
    from ..metrics.struct_iou.result import LabelTally
    from ..sources.rows import Rows

LENGTHS = (10, 20, 40)  # words that a sentence of each group has at most; one more group is open


@dataclass(frozen=True)
class LengthGroup:
    """Sentences of about the same length.

    Attributes:
        shortest: Words of the reference, dropped ones not counted.
        longest: Likewise; None for no limit.
        n_sentences: How many sentences STRUCT-IoU compares.
        n_parseval: How many ParsEval compares.
        figures: By measure, a value for each system; None where there is none.
    """

    shortest: int
    longest: int | None
    n_sentences: int
    n_parseval: int
    figures: Mapping[str, Sequence[float | None]]

    @property
    def title(self) -> str:
        """Such as `11–20`."""
        if self.longest is None:
            return f"{self.shortest}+"
        return f"{self.shortest}–{self.longest}" if self.longest > self.shortest else str(self.shortest)


@dataclass(frozen=True)
class LabelRow:
    """A label as each system got it."""

    label: str
    tallies: Sequence[LabelTally | None]  # None where a system and the reference have no such node

    @property
    def n_ref(self) -> int:
        """Nodes of the reference with this label."""
        return max(tally.n_ref for tally in self.tallies if tally)

    @property
    def scores(self) -> list[float | None]:
        """STRUCT-IoU of the label by system."""
        return [tally.score if tally else None for tally in self.tallies]

    @property
    def spread(self) -> float:
        """Between the best and the worst system."""
        scores = [score for score in self.scores if score is not None]
        return max(scores) - min(scores)

    @property
    def weight(self) -> float:
        """By what labels are ordered: the spread times the nodes that it is about."""
        n_pred = max(tally.n_pred for tally in self.tallies if tally)
        return self.spread * max(self.n_ref, n_pred)


@dataclass(frozen=True)
class SentenceRow:
    """A sentence as each system got it.

    Attributes:
        row: Its number in the input, from 0.
        n_words: Words of the reference, dropped ones not counted.
        scores: STRUCT-IoU by system.
        parseval: F1 by system; None where ParsEval does not compare it.
    """

    row: int
    n_words: int
    scores: Sequence[float]
    parseval: Sequence[float | None]

    @property
    def spread(self) -> float:
        """Between the best and the worst system."""
        return max(self.scores) - min(self.scores)


@dataclass(frozen=True)
class Compared:
    """The sentences on which a metric compares systems.

    Attributes:
        rows: Their numbers in the input.
        columns: Arrays over these rows for each system; None for a system that is not compared.
    """

    rows: Sequence[int]
    columns: Sequence[Mapping[str, Any] | None]

    def within(self, rows: Container[int]) -> list[int]:
        """Places of those sentences that are among the rows."""
        return [place for place, row in enumerate(self.rows) if row in rows]

    def values(self, statistic: str, places: Sequence[int]) -> list[float | None]:
        """A statistic of each system over some of the sentences."""
        measure = STATISTICS[statistic]
        values: list[float | None] = []
        for columns in self.columns:
            if columns is None or not places:
                values.append(None)
            else:
                sums = {name: column[places].sum() for name, column in columns.items()}
                values.append(float(measure(sums)))
        return values

    def by_sentence(self, statistic: str) -> Iterator[tuple[float | None, ...]]:
        """A statistic of each system for each sentence."""
        measure = STATISTICS[statistic]
        nothing = [None] * len(self.rows)
        series = [nothing if columns is None else measure(columns).tolist() for columns in self.columns]
        return zip(*series, strict=True)


def count_words(references: Rows, options: Options) -> list[int | None]:
    """Words of each reference tree, without those that the options drop; None of unreadable ones.

    >>> from structiou_metric.metrics.struct_iou.options import Options
    >>> from structiou_metric.sources.rows import ListRows
    >>> count_words(ListRows(["(S (-NONE- *) (VP (VB go)))", "(S"], "references"), Options())
    [1, None]
    """
    scanner, trees = Scanner(), FlatTrees()
    dropped = set(options.drop) - ROOT_LABELS
    lengths: list[int | None] = []
    for lo, hi in batches(references, references):
        unreadable = references.load(lo, hi, options.unit, scanner, trees)
        ids = {i for i, label in enumerate(scanner.labels) if label in dropped}
        for t in range(hi - lo):
            if lo + t in unreadable:
                lengths.append(None)
                continue
            n_words = len(trees.words(t)[0])
            labels, sizes, firsts, lasts = trees.nodes(t)
            if not ids.isdisjoint(labels):
                n_words -= sum(
                    lasts[i] - firsts[i] for i, label in enumerate(labels) if label in ids and sizes[i] == 1
                )
            lengths.append(n_words)
    return lengths


def check_bounds(bounds: Sequence[int]) -> None:
    """Refuses lengths that do not rise."""
    if list(bounds) != sorted(set(bounds)) or min(bounds, default=1) < 1:
        raise ValueError(f"lengths must be whole numbers from 1 on that rise, not {list(bounds)}")


def group_by_length(
    lengths: Sequence[int], bounds: Sequence[int], struct: Compared, parseval: Compared
) -> list[LengthGroup]:
    """Scores by the length of the reference; groups without a sentence are left out.

    Args:
        lengths: Words of each row.
        bounds: The most words of each group but the last, rising.
        struct: What STRUCT-IoU compares.
        parseval: What ParsEval compares.
    """
    check_bounds(bounds)
    edges = [0, *bounds]
    ends = [(0, 0), *((lo + 1, hi) for lo, hi in pairwise(edges)), (edges[-1] + 1, None)]
    members: list[set[int]] = [set() for _ in ends]
    for row, length in enumerate(lengths):
        members[bisect_left(edges, length)].add(row)
    groups = []
    for (shortest, longest), rows in zip(ends, members, strict=True):
        inside, inside_parseval = struct.within(rows), parseval.within(rows)
        if inside or inside_parseval:
            figures = {
                "struct_iou_sentence": struct.values("sentence", inside),
                "struct_iou_corpus": struct.values("corpus", inside),
                "parseval_f1": parseval.values("bracket_f1", inside_parseval),
            }
            groups.append(LengthGroup(shortest, longest, len(inside), len(inside_parseval), figures))
    return groups


def compare_labels(
    references: Rows, systems: Sequence[Rows], options: Options, left_out: Iterable[int]
) -> list[LabelRow]:
    """The labels, those first that set the systems apart the most.

    Args:
        references: The reference trees.
        systems: The predictions of each system.
        options: Of the metric.
        left_out: Rows that do not count.
    """
    skip = bytearray(len(references))
    for row in left_out:
        skip[row] = 1
    counts: list[dict[str, LabelTally]] = []
    for predictions in systems:
        engine = Engine(options)
        found: dict[str, LabelTally] = {}
        for lo, hi in batches(predictions, references):
            for label, tally in engine.count_labels(
                predictions, references, lo, hi, bytes(skip[lo:hi])
            ).items():
                add_label(found, label, tally)
        counts.append(found)
    labels = dict.fromkeys(label for found in counts for label in found)
    rows = [LabelRow(label, [found.get(label) for found in counts]) for label in labels]
    return sorted(rows, key=lambda row: (-row.weight, -row.n_ref, row.label))
