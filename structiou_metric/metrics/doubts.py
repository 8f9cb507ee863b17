"""What is suspicious about the rows of a batch, found once for all metrics that look at it alike.

A byte for each row says what it is, so that results can be cut and joined; `notices` words it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from .._core.scan import UNITS
from .._core.suspects import (
    APART,
    BOUNDARIES,
    DROPPED,
    SHIFTED,
    SKETCH,
    TAG,
    TAGS_PREDICTION,
    TAGS_REFERENCE,
    TIMED,
    WORDS,
    Suspects,
)
from ..trees.labels import TRACE, base_label, dropped_leaves
from .batch import Doubts, is_lent
from .selection import kept_texts

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from ..sources.prepared import ReadTrees
    from .base import BaseMetric
    from .batch import Batch, Edge

# What metrics look for, by the kinds of notices.
KINDS = {
    "words": WORDS,
    "boundaries": BOUNDARIES,
    "shifted": SHIFTED,
    "timed": TIMED,
    "apart": APART,
    "tags": TAGS_PREDICTION | TAGS_REFERENCE,
}


_ALIKE = 0.5  # share of words that a row must have in common with a neighbour to be taken for it
_FEW = 4  # different words; rows with fewer must be the same as their neighbour


class NoticeFinder:
    """Looks at batches, for metrics with the same unit that drop the same leaves; each thread needs its own.

    Args:
        unit: The unit of the metrics, `word`, `char` or `time`.
        drop: Labels of leaves whose words do not count.
    """

    def __init__(self, unit: str, drop: Collection[str]) -> None:
        self._unit = unit
        self._drop = drop
        self._marks = bytearray()
        self._tagged = False  # whether a label has a function tag
        self._suspects = Suspects()
        self._known: dict[ReadTrees, bytes | None] = {}

    def look(self, batch: Batch) -> Doubts:
        """What is suspicious about each row of a batch."""
        pred, ref = batch.read
        if is_lent(pred) and is_lent(ref):
            bits = bytearray(len(batch))
            marks = self._marks_of(pred.source), self._marks_of(ref.source)
            trees = pred.source.trees, pred.places, ref.source.trees, ref.places
            if self._suspects.is_plain(*trees, *marks, UNITS[self._unit], bits):
                return Doubts(bytes(bits))
        for label in batch.labels[len(self._marks) :]:
            has_tag = base_label(label) != label
            self._tagged = self._tagged or has_tag
            self._marks.append((TAG if has_tag else 0) | (DROPPED if label in self._drop else 0))
        bits = bytearray(max(len(batch), 1))  # no buffer may be empty
        sides = batch.predictions, batch.references
        rows, unsure = self._suspects.look(*sides, self._marks, self._tagged, UNITS[self._unit], bits)
        if not rows:
            return Doubts(bytes(bits[: len(batch)]))
        differing = []
        for t, closely in zip(rows, unsure, strict=True):
            if closely:
                found = self._compare(self._words(sides[0], t), self._words(sides[1], t))
                bits[t] |= found
                if not found:
                    continue
            differing.append(t)
        sketches = (self._sketches(trees, differing) for trees in sides)
        edges = dict(zip(differing, zip(*sketches, strict=True), strict=True))
        for t in differing:
            for other in (t - 1, t + 1):
                if other in edges and is_more_like(edges[t], edges[other]):
                    bits[t] |= SHIFTED
        return Doubts(bytes(bits[: len(batch)]), edges.get(0), edges.get(len(batch) - 1))

    def _marks_of(self, source: ReadTrees) -> bytes | None:
        """Whether each label id of lent trees has a function tag; None if none has."""
        if source not in self._known:
            marks = bytes(TAG if base_label(label) != label else 0 for label in source.labels)
            self._known[source] = marks if any(marks) else None
        return self._known[source]

    def _words(self, trees: FlatTrees, t: int) -> list[str]:
        """The words of a tree that count, in their plain spelling."""
        from ..trees.spelling import plain_spelling

        return list(map(plain_spelling, kept_texts(trees, t, self._marks, DROPPED)))

    def _compare(self, prediction: list[str], reference: list[str]) -> int:
        """How words differ that are not the same to the byte."""
        same_text = "".join(prediction) == "".join(reference)
        found: int = BOUNDARIES if same_text else WORDS
        if self._unit == "char":
            same = same_text
        else:
            same = all(a == b or not a or not b for a, b in zip(prediction, reference, strict=True))
        return 0 if same else found

    def _sketches(self, trees: FlatTrees, rows: Sequence[int]) -> list[int]:
        """Which words some trees have, as the bits of a number for each tree."""
        data = self._suspects.sketches(trees, rows, self._marks).tobytes()
        size = 8 * SKETCH
        return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


def finder_key(metric: BaseMetric) -> tuple[str, frozenset[str]]:
    """What a `NoticeFinder` is made of for a metric."""
    drop = metric.options.as_dict().get("drop")
    leaves = frozenset({TRACE}) if drop is None else dropped_leaves(drop)
    return metric.unit or "word", leaves


def kinds_of(metric: BaseMetric) -> int:
    """The bits of what is suspicious under the options of a metric."""
    return sum(KINDS[kind] for kind in metric.notices)


def masked(doubts: Doubts, kinds: int) -> Doubts:
    """What is suspicious of these kinds alone."""
    if doubts.bits.count(0) == len(doubts.bits):
        return doubts if kinds & SHIFTED else Doubts(doubts.bits)
    bits = doubts.bits.translate(bytes(byte & kinds for byte in range(256)))
    return doubts.with_bits(bits) if kinds & SHIFTED else Doubts(bits)


def is_more_like(row: Edge, neighbour: Edge) -> bool:
    """Whether the prediction of a row has much more in common with another reference than with its own."""
    prediction, reference = row
    here, there = _share(prediction, reference), _share(prediction, neighbour[1])
    if prediction.bit_count() < _FEW:
        return here == 0.0 and there == 1.0
    return there >= _ALIKE and here < _ALIKE * there


def _share(a: int, b: int) -> float:
    return (a & b).bit_count() / ((a | b).bit_count() or 1)
