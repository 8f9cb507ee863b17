"""Put pairs whose words differ on one axis before they are compared, for `texts="aligned"`."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ..._core.flat import FlatNodes
from ..._core.text_axis import EQUAL, NO_TEXT, Kept, TextAxis
from ..._core.word_ids import WordIds
from ...errors import TreeMismatchError
from ...trees.spelling import plain_spelling, written
from ..base import Batch
from ..selection import Selection
from .result import TEXT_COLUMNS

_MANY_WORDS = 1 << 20  # different words; with more, all are forgotten


class AlignedTexts:
    """Place the nodes of batches on the axes that both texts share.

    Args:
        unit: The unit of the metric, `word` or `char`.
        selection: The `Selection`, which says which words are dropped.
    """

    def __init__(self, unit: str, selection: Selection) -> None:
        self._unit = unit
        self._selection = selection
        self._axis = TextAxis(unit == "char")
        self._forget()

    def _forget(self) -> None:
        self._ids = WordIds()
        self._numbers: dict[str, int] = {}  # of the units of texts: words, or characters
        self._spelled_from = array("i", [1])  # after an item that keeps the buffer from being empty
        self._spelled = array("i", [0])

    def place(self, batch: Batch, nodes: tuple[FlatNodes, FlatNodes]) -> None:
        """Move the nodes of every pair whose texts differ to the columns of both texts."""
        sides = [
            Kept(trees, own, *self._selection.kept_words(trees, batch.labels))
            for trees, own in zip((batch.predictions, batch.references), nodes, strict=True)
        ]
        if not self._axis.compare(*sides):
            return
        if len(self._ids.names) > _MANY_WORDS:
            self._forget()
        numbers = [
            self._ids.number(trees, side.places)
            for trees, side in zip((batch.predictions, batch.references), sides, strict=True)
        ]
        self._spell()
        self._axis.place(*numbers, self._spelled_from, self._spelled, self._selection.classes)

    def _spell(self) -> None:
        """Learn the units of the words that were not met before."""
        number = self._numbers
        for word in self._ids.names[len(self._spelled_from) - 1 :]:
            for unit in (plain_spelling(word),) if self._unit == "word" else written(word):
                self._spelled.append(number.setdefault(unit, len(number)))
            self._spelled_from.append(len(self._spelled))

    def columns(self) -> dict[str, array[int]]:
        """Return how many words or characters each pair of the last batch has of each of `TEXT_COLUMNS`."""
        return dict(zip(TEXT_COLUMNS, self._axis.columns, strict=True))

    def columns_of_last(self, lengths: Sequence[float]) -> tuple[Sequence[int], Sequence[int]]:
        """Return the column of each word or character of both sides of the last pair.

        Args:
            lengths: The number of words or characters of each side if the texts are equal.
        """
        if self._axis.state[-1] == EQUAL:
            left, right = (range(int(length)) for length in lengths)
            return left, right
        return self._axis.prediction.column_list(), self._axis.reference.column_list()

    def refusal(self, batch: Batch, t: int) -> TreeMismatchError:
        """Return the error that says why the texts of pair `t` cannot be put on one axis."""
        prediction, reference = batch.names(t)
        if self._axis.state[t] == NO_TEXT:
            return TreeMismatchError(
                f"{prediction} or {reference} has words without text, which cannot be aligned; give their "
                "texts, or compare word by word (texts 'same')"
            )
        cure = "align words (unit 'word'), or cut" if self._unit == "char" else "cut"
        return TreeMismatchError(
            f"{prediction} and {reference} are too long for how much they differ; {cure} them into parts"
        )
