"""Notices: what is suspicious about rows though they can be compared. They change no figure.

What is told of all rows is made of the bytes of `doubts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.suspects import TAGS_REFERENCE
from ..errors import NoticeError
from ..wording import count
from .doubts import KINDS, NoticeFinder, finder_key, kinds_of, masked

if TYPE_CHECKING:
    from .base import BaseMetric
    from .batch import Batch

__all__ = ["KINDS", "Notice"]

_BITS = tuple(1 << i for i in range(8) if any(bits >> i & 1 for bits in KINDS.values()))
_FIRST = 10  # rows that a notice names


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


def find_notices(metric: BaseMetric, batch: Batch) -> list[Notice]:
    """What is suspicious about the pairs of one batch."""
    doubts = NoticeFinder(*finder_key(metric)).look(batch)
    doubts = masked(doubts, kinds_of(metric))
    rows = range(batch.first, batch.first + len(batch))
    return NoticeCounts.of(doubts.bits, rows).tell(metric)


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
