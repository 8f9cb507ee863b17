"""Warnings: rows that are suspicious although they can be compared. They change no figure.

A `WarningFinder` looks at each batch once for all metrics that look at it alike, and gives every row a number
of bits, so that results can be cut and joined. `WarningCounts` counts these bits over all rows, decides which
of them are suspicious there, and words them for people.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.row_checks import (
    APART,
    BINARIZED,
    BOUNDARIES,
    COLLAPSED,
    DROPPED,
    IN_PREDICTION,
    IN_REFERENCE,
    LABELS,
    LOWER,
    MOVED,
    SCALED,
    SHIFTED,
    SKETCH,
    TAG,
    TIMED,
    WORDS,
    RowChecks,
)
from .._core.scan import UNITS
from ..errors import StrictError
from ..trees.labels import ROOT_LABELS, TRACE, base_label, dropped_leaves
from ..trees.spelling import plain_spelling
from ..wording import count
from .base import Batch, Edge, RowMarks
from .selection import kept_texts

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from .metric import Metric


__all__ = ["KINDS", "RowWarning"]

# The bits of a row by the kind of warning. Those of marks of labels come in pairs: prediction, reference.
KINDS = {
    "words": WORDS,
    "boundaries": BOUNDARIES,
    "shifted": SHIFTED,
    "timed": TIMED,
    "apart": APART,
    "scale": SCALED,
    "offset": MOVED,
    "tags": TAG << IN_PREDICTION | TAG << IN_REFERENCE,
    "binarized": BINARIZED << IN_PREDICTION | BINARIZED << IN_REFERENCE,
    "collapsed": COLLAPSED << IN_PREDICTION | COLLAPSED << IN_REFERENCE,
    "case": LOWER << IN_PREDICTION | LOWER << IN_REFERENCE,
    "labels": LABELS,
}

_ALIKE = 0.5  # share of words that a row must have in common with a neighbour to be taken for it
_FEW = 4  # different words; rows with fewer must be the same as their neighbour
_BITS = tuple(1 << i for i in range(16))
FIRST_ROWS = 10  # rows that a warning names

# Single rows may have these by chance: a warning needs this share of all rows at least.
_SHARES = {"scale": 0.5, "offset": 0.5, "labels": 0.5, "binarized": 0.05, "collapsed": 0.05, "case": 0.05}
_SIDED = ("tags", "binarized", "collapsed", "case")  # kinds about labels of one side
_OF_PREDICTION = (1 << IN_REFERENCE) - (1 << IN_PREDICTION)  # bits about labels of the prediction
_LEAST = {"labels": 3}  # rows; two small trees may well have no label in common
_ONE_SIDED = 0.1  # share of one side's rows with such labels that the other side may have at most


class RowWarning(NamedTuple):
    """Something that is suspicious about some rows, though they can be compared.

    >>> from structiou_metric import StructIoU
    >>> [warning] = StructIoU().corpus_score(["(S (A we) (B ran))"], ["(S (A we) (B run))"]).warnings
    >>> warning.kind, warning.count, warning.rows
    ('words', 1, [0])

    Attributes:
        kind: A key of `KINDS`; or `uncommon`, of a comparison of systems.
        count: How many rows it is about.
        rows: The first of these rows, numbered from 0 as those of problems.
        message: What is suspicious and what to do, in a line.
    """

    kind: str
    count: int  # type: ignore[assignment]
    rows: list[int]
    message: str

    def as_dict(self) -> dict[str, Any]:
        """Return the warning as plain values for JSON."""
        return dict(self._asdict())


class WarningFinder:
    """Looks at batches, for metrics with the same unit that drop the same leaves; each thread needs its own.

    Args:
        unit: The unit of the metrics, `word`, `char` or `time`.
        drop: Labels of leaves whose words do not count.
    """

    def __init__(self, unit: str, drop: Collection[str]) -> None:
        self._unit = unit
        self._drop = drop
        self._marks = bytearray()  # of each label id, as `RowChecks.look` takes them
        self._groups = array("i")  # of each label id, as `RowChecks.look` takes them
        self._numbers: dict[str, int] = {}  # of the labels that are counted as different
        self._checks = RowChecks()

    def look(self, batch: Batch) -> RowMarks:
        """Return the bits of each row of a batch."""
        bits = array("H", bytes(2 * max(len(batch), 1)))  # no buffer may be empty
        self._learn(batch.labels)
        sides = batch.predictions, batch.references
        rows, unsure = self._checks.look(*sides, self._marks, self._groups, UNITS[self._unit], bits)
        if not rows:
            return RowMarks(bits[: len(batch)])
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
        return RowMarks(bits[: len(batch)], edges.get(0), edges.get(len(batch) - 1))

    def _learn(self, labels: Sequence[str]) -> None:
        """Append the marks and the groups of the labels that have none yet."""
        for label in labels[len(self._marks) :]:
            base, found = base_label(label), 0
            if label in self._drop or not label.isalpha() or not label.isupper():
                found = _marks_of(label, base) | (DROPPED if label in self._drop else 0)
            self._marks.append(found)
            self._groups.append(
                -1 if base in ROOT_LABELS else self._numbers.setdefault(base, len(self._numbers))
            )
        self._checks.expect(len(self._numbers))

    def _words(self, trees: FlatTrees, t: int) -> list[str]:
        """Return the words of a tree that count, in their plain spelling."""
        return list(map(plain_spelling, kept_texts(trees, t, self._marks, DROPPED)))

    def _compare(self, prediction: list[str], reference: list[str]) -> int:
        """Return how words differ that are not the same to the byte."""
        same_text = "".join(prediction) == "".join(reference)
        found: int = BOUNDARIES if same_text else WORDS
        if self._unit == "char":
            same = same_text
        else:
            same = all(a == b or not a or not b for a, b in zip(prediction, reference, strict=True))
        return 0 if same else found

    def _sketches(self, trees: FlatTrees, rows: Sequence[int]) -> list[int]:
        """Return which words some trees have, as the bits of a number for each tree."""
        data = self._checks.sketches(trees, rows, self._marks).tobytes()
        size = 8 * SKETCH
        return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


def _marks_of(label: str, base: str) -> int:
    """Return the marks of a label, as bits of `_core.row_checks`."""
    found: int = LOWER if label != label.upper() and label == label.lower() else 0
    if label[:1] == "@" < label or "|<" in label:
        found |= BINARIZED
        return found
    if "::" in label or "+" in label.strip("+"):
        found |= COLLAPSED
    if base != label:
        found |= TAG
    return found


def look_of(metric: Metric) -> tuple[tuple[str, frozenset[str]], int]:
    """Return the arguments of a metric's `WarningFinder`, and the bits of its kinds of warnings."""
    options, unit = vars(metric.options), metric.unit or "word"
    drop = options.get("drop")
    leaves = frozenset({TRACE}) if drop is None else dropped_leaves(drop)
    timed = unit == "time"
    handles_words = metric.HANDLES_WORDS or options.get("texts") == "aligned"
    has_labels = options.get("labels") != "ignore" and options.get("labeled", True)
    asked = {
        "words": not timed and not handles_words,
        "boundaries": not timed and not handles_words,
        "shifted": not metric.pairs_itself,
        "timed": options.get("unit", "time") != "time",
        "apart": timed,
        "scale": timed,
        "offset": timed,
        "tags": options.get("labels") == "exact",
        "binarized": has_labels,
        "collapsed": has_labels,
        "case": has_labels,
        "labels": has_labels,
    }
    return (unit, leaves), sum(KINDS[kind] for kind, wanted in asked.items() if wanted)


def is_more_like(row: Edge, neighbour: Edge) -> bool:
    """Return whether the prediction of a row is much more like another reference than its own."""
    prediction, reference = row
    here, there = _share(prediction, reference), _share(prediction, neighbour[1])
    if prediction.bit_count() < _FEW:
        return here == 0.0 and there == 1.0
    return there >= _ALIKE and here < _ALIKE * there


def _share(a: int, b: int) -> float:
    return (a & b).bit_count() / ((a | b).bit_count() or 1)


def find_warnings(metric: Metric, batch: Batch) -> list[RowWarning]:
    """Return the warnings about the pairs of one batch."""
    how, kinds = look_of(metric)
    marks = WarningFinder(*how).look(batch).of_kinds(kinds)
    rows = range(batch.first, batch.first + len(batch))
    return WarningCounts.of(marks.bits, rows).messages(metric)


class WarningCounts:
    """How many rows are suspicious in which way, and which are the first of them.

    Attributes:
        n_rows: How many rows there are at all.
        found: The number of rows and the numbers of the first ones, by the bit of `_core.row_checks`.
    """

    def __init__(self, n_rows: int = 0, found: Mapping[int, tuple[int, list[int]]] | None = None) -> None:
        self.n_rows = n_rows
        self.found = dict(found or {})

    @classmethod
    def of(cls, bits: array[int], rows: Sequence[int]) -> WarningCounts:
        """Return the counts of rows with these numbers and the bits of each."""
        counts = cls(len(rows) if isinstance(rows, range) else len(set(rows)))
        kinds = 0
        for found in set(bits):
            kinds |= found
        for bit in _BITS:
            if bit & kinds:
                suspicious = (row for found, row in zip(bits, rows, strict=True) if found & bit)
                numbers = list(dict.fromkeys(suspicious))  # a row may have several places
                counts.found[bit] = len(numbers), numbers[:FIRST_ROWS]
        return counts

    def add(self, bit: int, row: int) -> None:
        """Count one more row in some way."""
        n_before, first = self.found.get(bit, (0, []))
        self.found[bit] = n_before + 1, sorted([*first, row])[:FIRST_ROWS]

    def __add__(self, other: WarningCounts) -> WarningCounts:
        """Return the counts of the rows of both."""
        both = WarningCounts(self.n_rows + other.n_rows, self.found)
        for bit, (n_more, rows) in other.found.items():
            n_before, first = both.found.get(bit, (0, []))
            both.found[bit] = n_before + n_more, sorted([*first, *rows])[:FIRST_ROWS]
        return both

    def moved(self, by: int) -> WarningCounts:
        """Return the same counts, with rows numbered from there."""
        found = {bit: (n, [row + by for row in rows]) for bit, (n, rows) in self.found.items()}
        return WarningCounts(self.n_rows, found)

    def messages(self, metric: Metric) -> list[RowWarning]:
        """Return the warnings for people."""
        unit = metric.unit or "word"
        messages: list[RowWarning] = []
        for kind, wanted in KINDS.items():
            sides = sorted((bit for bit in _BITS if bit & wanted), key=self._count, reverse=True)
            n_found, n_other = self._count(sides[0]), sum(map(self._count, sides[1:]))
            if n_found < max(1, _SHARES.get(kind, 0.0) * self.n_rows, _LEAST.get(kind, 0)):
                continue
            if n_other > _ONE_SIDED * n_found:
                continue  # both sides have such labels
            if kind == "labels" and any(warning.kind in _SIDED for warning in messages):
                continue  # the cause has a warning
            rows = self.found[sides[0]][1]
            what = f"{n_found:,} of {count(self.n_rows, 'row')}" if self.n_rows > 1 else "the pair"
            text = _TEXTS[kind, unit] if (kind, unit) in _TEXTS else _TEXTS[kind]
            side, other = ("prediction", "reference")[:: 1 if sides[0] & _OF_PREDICTION else -1]
            few = f"in {count(n_other, 'row')} only" if n_other else "none"
            message = f"{what}: {text.format(side=side, other=other, few=few)}"
            if self.n_rows > 1:
                message += f" (first in row {rows[0] + 1})"
            messages.append(RowWarning(kind, n_found, rows, message))
        return messages

    def _count(self, bit: int) -> int:
        """Return how many rows have a bit."""
        return self.found[bit][0] if bit in self.found else 0


_TEXTS: dict[Any, str] = {
    "words": "the same number of words on both sides, but different words; are these the same sentences?",
    (
        "words",
        "char",
    ): "the same number of characters on both sides, but different text; are these the same sentences?",
    "boundaries": "the same number of words over the same characters, divided differently; score characters "
    "(unit 'char') instead of words",
    "shifted": "the prediction has the words of the reference one row before or after; is a row missing, "
    "or one too many?",
    "timed": "the words have times, which do not count; score seconds (unit 'time') if they should",
    "apart": "prediction and reference do not overlap in time; do the rows belong together, and are both "
    "sides' seconds counted from the same start?",
    "scale": "words of one side last more than ten times as long as those of the other; are both sides' "
    "times in seconds, or are some milliseconds or frames?",
    "offset": "the prediction is moved in time as a whole; are both sides' seconds counted from the same "
    "start?",
    "tags": "function tags such as -SBJ in the {side}, and {few} in the {other}; compare labels without them "
    "(labels 'base')",
    "binarized": "labels of binarized trees, such as @NP, in the {side}, and {few} in the {other}; undo the "
    "binarization",
    "collapsed": "labels that join several nodes, such as NP::PRP, in the {side}, and {few} in the {other}; "
    "write each node with its own label",
    "case": "labels in lower case in the {side}, and {few} in the {other}; write labels alike on both sides",
    "labels": "prediction and reference have no label in common; do both sides use the same labels?",
}


def gather_warnings(results: Iterable[Any]) -> list[RowWarning]:
    """Return the warnings of several results over the same rows, each one once."""
    found: dict[tuple[str, str], RowWarning] = {}
    for result in results:
        for warning in result.warnings:
            found.setdefault((warning.kind, warning.message), warning)
    return list(found.values())


def refuse_warnings(warnings: Sequence[RowWarning], whose: str = "") -> None:
    """Raise a `StrictError` if there is any; `whose` is put before each."""
    if warnings:
        raise StrictError("\n".join(f"{whose}{warning.message}" for warning in warnings))
