"""Notices: what is suspicious about rows though they can be compared. They change no figure.

A byte for each row says what is suspicious about it, so that results can be cut and joined; what is told of
all rows is made of these bytes. One `NoticeFinder` looks at a batch for all metrics that look at it alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

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
from ..errors import NoticeError
from ..records import NamedTuple
from ..trees.labels import TRACE, base_label, dropped_leaves
from ..wording import count
from .batch import Doubts, is_lent
from .selection import kept_texts

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

    from .._core.flat import FlatTrees
    from ..sources.prepared import ReadTrees
    from .base import BaseMetric
    from .batch import Batch, Edge

__all__ = ["KINDS", "Notice"]

# What metrics look for, by the kinds of notices.
KINDS = {
    "words": WORDS,
    "boundaries": BOUNDARIES,
    "shifted": SHIFTED,
    "timed": TIMED,
    "apart": APART,
    "tags": TAGS_PREDICTION | TAGS_REFERENCE,
}

_BITS = tuple(1 << i for i in range(8) if any(bits >> i & 1 for bits in KINDS.values()))
_FIRST = 10  # rows that a notice names
_ALIKE = 0.5  # share of words that a row must have in common with a neighbour to be taken for it
_FEW = 4  # different words; rows with fewer must be the same as their neighbour


class Notice(NamedTuple):
    """Something that is suspicious about some rows, though they can be compared.

    >>> from structiou_metric import StructIoU
    >>> [notice] = StructIoU().corpus_score(["(S (A we) (B ran))"], ["(S (A we) (B run))"]).notices
    >>> notice.kind, notice.count, notice.rows
    ('words', 1, [0])

    Attributes:
        kind: A key of `KINDS`.
        count: How many rows it is about.
        rows: The first of these rows, numbered from 0 as those of problems.
        message: What is suspicious and what to do, in a line.
    """

    kind: str
    count: int  # type: ignore[assignment]
    rows: list[int]
    message: str

    def as_dict(self) -> dict[str, Any]:
        """The notice as plain values for JSON."""
        return dict(self._asdict())


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


def find_notices(metric: BaseMetric, batch: Batch) -> list[Notice]:
    """What is suspicious about the pairs of one batch."""
    doubts = NoticeFinder(*finder_key(metric)).look(batch)
    doubts = masked(doubts, kinds_of(metric))
    rows = range(batch.first, batch.first + len(batch))
    return NoticeCounts.of(doubts.bits, rows).tell(metric)


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


# ---- what is told ----------------------------------------------------------------------------------


class NoticeCounts:
    """How many rows are suspicious in which way, and which are the first of them.

    Attributes:
        n_rows: How many rows there are at all.
        found: The number of rows and the numbers of the first ones, by the bit of `_core.suspects`.
    """

    def __init__(self, n_rows: int = 0, found: Mapping[int, tuple[int, list[int]]] | None = None) -> None:
        self.n_rows = n_rows
        self.found = dict(found or {})

    @classmethod
    def of(cls, bits: bytes | bytearray, rows: Sequence[int]) -> NoticeCounts:
        """The counts of rows with these numbers and a byte each."""
        counts = cls(len(rows) if isinstance(rows, range) else len(set(rows)))
        kinds = 0
        for byte in set(bits):
            kinds |= byte
        for bit in _BITS:
            if bit & kinds:
                suspicious = (row for byte, row in zip(bits, rows, strict=True) if byte & bit)
                numbers = list(dict.fromkeys(suspicious))  # a row may have several places
                counts.found[bit] = len(numbers), numbers[:_FIRST]
        return counts

    def add(self, bit: int, row: int) -> None:
        """Counts one more row in some way."""
        n_before, first = self.found.get(bit, (0, []))
        self.found[bit] = n_before + 1, sorted([*first, row])[:_FIRST]

    def __add__(self, other: NoticeCounts) -> NoticeCounts:
        """The counts of the rows of both."""
        both = NoticeCounts(self.n_rows + other.n_rows, self.found)
        for bit, (n_more, rows) in other.found.items():
            n_before, first = both.found.get(bit, (0, []))
            both.found[bit] = n_before + n_more, sorted([*first, *rows])[:_FIRST]
        return both

    def moved(self, by: int) -> NoticeCounts:
        """The same counts, with rows numbered from there."""
        found = {bit: (n, [row + by for row in rows]) for bit, (n, rows) in self.found.items()}
        return NoticeCounts(self.n_rows, found)

    def tell(self, metric: BaseMetric) -> list[Notice]:
        """The notices for people."""
        unit = metric.unit or "word"
        told = []
        for kind, wanted in KINDS.items():
            sides = [bit for bit in _BITS if bit & wanted and bit in self.found]
            if len(sides) != 1:
                continue  # no such row, or function tags on both sides
            n_found, rows = self.found[sides[0]]
            what = f"{n_found:,} of {count(self.n_rows, 'row')}" if self.n_rows > 1 else "the pair"
            text = _TEXTS[kind, unit] if (kind, unit) in _TEXTS else _TEXTS[kind]
            side, other = ("prediction", "reference")[:: -1 if sides[0] == TAGS_REFERENCE else 1]
            message = f"{what}: {text.format(side=side, other=other)}"
            if self.n_rows > 1:
                message += f" (first in row {rows[0] + 1})"
            told.append(Notice(kind, n_found, rows, message))
        return told


_TEXTS: dict[Any, str] = {
    "words": "as many words on both sides, but not the same words; are these the same sentences?",
    (
        "words",
        "char",
    ): "as many characters on both sides, but not the same text; are these the same sentences?",
    "boundaries": "as many words over the same characters, cut in other places; score characters "
    "(unit 'char') instead of words",
    "shifted": "the prediction has the words of the reference one row before or behind; is a row missing, "
    "or one too many?",
    "timed": "the words have times, which do not count; score seconds (unit 'time') if they should",
    "apart": "prediction and reference do not overlap in time; do the rows belong together, and are both "
    "sides' seconds counted from the same start?",
    "tags": "function tags such as -SBJ in the {side}, and none in the {other}; compare labels without them "
    "(labels 'base')",
}


def gather_notices(results: Iterable[Any]) -> list[Notice]:
    """The notices of several results over the same rows; what several metrics tell alike is told once."""
    found: dict[tuple[str, str], Notice] = {}
    for result in results:
        for notice in result.notices:
            found.setdefault((notice.kind, notice.message), notice)
    return list(found.values())


def refuse_notices(notices: Sequence[Notice], whose: str = "") -> None:
    """Raises a `NoticeError` if there is any; `whose` stands before each."""
    if notices:
        raise NoticeError("\n".join(f"{whose}{notice.message}" for notice in notices))
