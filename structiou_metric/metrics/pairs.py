"""The counter of metrics in plain Python, which compares pair by pair, and the trees that it is given."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .base import EMPTY, SKIPPED, VALID, ZEROED, Counter, Counts, Options

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from ..sources.rows import Problems
    from .base import Batch


class PairCounter(Counter):
    """Counts pairs one by one; a subclass implements `compare`.

    Args:
        columns: The name and the array type code of each column.
        options: The options of the metric.
    """

    def __init__(self, columns: Mapping[str, str], options: Options) -> None:
        self._columns = columns
        self._skips: bool = options.on_error == "skip"

    def begin(self, batch: Batch) -> None:
        """Prepare for the pairs of a batch."""

    def unreadable(self, batch: Batch, t: int) -> ValueError | None:
        """Return the error of a pair that cannot be read, or None."""
        return batch.problems.get(batch.first + t)

    def compare(self, batch: Batch, t: int) -> tuple[Sequence[float], bool]:
        """Return the columns of pair `t`, and whether its prediction is a failed parse.

        Raises:
            ValueError: The two trees cannot be compared.
        """
        raise NotImplementedError

    def count_apart(self, batch: Batch, t: int) -> Sequence[float]:
        """Return the columns of a pair that cannot be compared: counts of each side, without any match."""
        return [0] * len(self._columns)

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Return the columns of all pairs of a batch."""
        self.begin(batch)
        problems: Problems = {}
        status = bytearray(len(batch))
        rows: list[Sequence[float]] = []
        for t in range(len(batch)):
            problem = self.unreadable(batch, t)
            if problem is None:
                try:
                    counted, failed = self.compare(batch, t)
                    rows.append(counted)
                    status[t] = EMPTY if failed else VALID
                    continue
                except ValueError as error:
                    problem = error
            problems[batch.first + t] = problem
            rows.append([0] * len(self._columns) if self._skips else self.count_apart(batch, t))
            status[t] = SKIPPED if self._skips else ZEROED
        columns = {
            name: array(code, column)
            for (name, code), column in zip(self._columns.items(), zip(*rows, strict=True), strict=True)
        }
        return Counts(columns, status, problems)


class PlainTree(NamedTuple):
    """A tree as it was read, or the trees of a document: nodes in postorder, and words.

    Attributes:
        labels: The label of each node.
        sizes: The number of nodes in the subtree of each node.
        firsts: The first word of each node.
        lasts: The word after the last one of each node.
        words: The words.
    """

    labels: Sequence[str]
    sizes: Sequence[int]
    firsts: Sequence[int]
    lasts: Sequence[int]
    words: Sequence[str]


def plain_tree(trees: FlatTrees, t: int, labels: Sequence[str]) -> PlainTree:
    """Return tree `t` of a batch; `labels` has the text of each label id."""
    ids, sizes, firsts, lasts = trees.nodes(t)
    words = [trees.word(t, i) for i in range(trees.count_words(t))]
    return PlainTree([labels[i] for i in ids], sizes, firsts, lasts, words)


def ranks_of(kept: Sequence[bool]) -> list[int]:
    """Return how many words are kept before each word, and before the end."""
    ranks = [0]
    for keep in kept:
        ranks.append(ranks[-1] + keep)
    return ranks
