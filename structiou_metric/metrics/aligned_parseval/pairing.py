"""From all sentences of both sides to the pairs that are compared: runs of sentences of either side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..._core.flat import FlatTrees
from ..._core.scan import Scanner
from ..._core.word_groups import texts_of
from ...sources.documents import RunRows
from ...sources.rows import check_as_many
from .sentences import align_sentences

if TYPE_CHECKING:
    from ...sources.rows import Rows
    from .sentences import Sizes

READ = 256  # sentences read at once


class PairedRows(RunRows):
    """One side of the pairs, each a run of sentences.

    Args:
        rows: The rows of all sentences.
        sizes: How many sentences each pair has.
        first: The number of the first pair.
        begin: The number of the first sentence.
        numbers: The number in the input that each pair goes by.
        documents: How many sentences each document has, if the input's rows are documents.

    Attributes:
        numbers: The number in the input that each pair goes by.
        apart: Whether sentences are counted in their document.
        extra: How many words jp-evalb adds to the length of each pair.
    """

    def __init__(
        self,
        rows: Rows,
        sizes: Sequence[int],
        *,
        first: int,
        begin: int,
        numbers: Sequence[int],
        documents: Sequence[int] = (),
    ) -> None:
        super().__init__(rows, sizes, first=first, begin=begin)
        self.numbers = numbers
        self.apart = bool(documents)
        self.extra: Sequence[int] = ()
        self._documents = list(accumulate(documents, initial=0))

    def number(self, row: int) -> int:
        """The number in the input that a pair goes by."""
        return self.numbers[row - self.first]

    def sentences(self, row: int) -> range:
        """The numbers of the sentences of a pair."""
        trees = self.trees(row)
        begin = self._documents[self.number(row) - self.numbers[0]] if self.apart else 0
        return range(trees.start - begin, trees.stop - begin)


def pair_sentences(
    predictions: Rows,
    references: Rows,
    first: int,
    *,
    read: Callable[[Rows, int], Sequence[Any]] | None = None,
    align: Callable[[Sequence[Any], Sequence[Any]], Sizes] | None = None,
) -> tuple[PairedRows, PairedRows] | None:
    """The pairs of both sides; None if each sentence is compared with that of the same number.

    A pair goes by the number of its document, or by that of its first reference; if it has none, by that of
    the reference before it.

    Args:
        predictions: The predicted sentences or documents.
        references: The reference sentences or documents.
        first: The number of the first row of both.
        read: A function that tells what is compared of each sentence, of rows that begin with a number.
        align: A function that tells how many sentences of both sides each pair has, by what was read.
    """
    if not len(predictions) or not len(references):
        check_as_many(predictions, references)
        return None
    read, align = read or read_texts, align or _align
    if hasattr(predictions, "sentences") and hasattr(references, "sentences"):
        return _pair_documents(predictions, references, first, read, align)
    texts = [read(rows, first) for rows in (predictions, references)]
    if texts[0] == texts[1] and align is _align:
        return None
    sizes = align(*texts)
    numbers = []
    at = first
    for _, size in sizes:
        numbers.append(at if size else max(at - 1, first))
        at += size
    return (
        PairedRows(predictions, [a for a, _ in sizes], first=first, begin=first, numbers=numbers),
        PairedRows(references, [b for _, b in sizes], first=first, begin=first, numbers=numbers),
    )


def _pair_documents(
    predictions: Any,
    references: Any,
    first: int,
    read: Callable[[Rows, int], Sequence[Any]],
    align: Callable[[Sequence[Any], Sequence[Any]], Sizes],
) -> tuple[PairedRows, PairedRows]:
    """The pairs within each document; one without a sentence on either side is a pair without sentences."""
    check_as_many(predictions, references)
    sides = [rows.sentences() for rows in (predictions, references)]
    texts = [read(rows, 0) for rows, _ in sides]
    sizes: Sizes = []
    numbers: list[int] = []
    i = j = 0
    for document, (n, m) in enumerate(zip(sides[0][1], sides[1][1], strict=True), first):
        found = align(texts[0][i : i + n], texts[1][j : j + m]) or [(0, 0)]
        i, j = i + n, j + m
        sizes += found
        numbers += [document] * len(found)
    pairs = [
        PairedRows(rows, [size[k] for size in sizes], first=first, begin=0, numbers=numbers, documents=counts)
        for k, (rows, counts) in enumerate(sides)
    ]
    return pairs[0], pairs[1]


def read_texts(rows: Rows, first: int) -> list[bytes]:
    """All words of each sentence as one; sentences that cannot be read have none."""
    scanner, trees = Scanner(), FlatTrees()
    texts: list[bytes] = []
    end = first + len(rows)
    for lo in range(first, end, READ):
        rows.load(lo, min(lo + READ, end), "word", scanner, trees)
        texts += texts_of(trees)
    return texts


def _align(first: Sequence[bytes], second: Sequence[bytes]) -> Sizes:
    return align_sentences(_folded(first), _folded(second))


def _folded(texts: Sequence[bytes]) -> list[str]:
    return [text.decode("utf-8", "surrogatepass").lower() for text in texts]
