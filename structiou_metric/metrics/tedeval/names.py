"""What of a tree is a node for TedEval, and which nodes have the same name."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ..._core.flat import FlatNodes, FlatTrees
from ..._core.word_ids import WordIds
from ..base import Options
from ..selection import Selection

# Words that are no nodes to TedEval.
_NO_NODES = frozenset(("-", "--", ";"))

_MANY = 1 << 20  # words that are remembered


class Naming:
    """Selects the nodes of batches and names them; words and labels are learned as they are met.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        self._labeled: bool = options.labeled
        self._compat: bool = options.compat
        self._options = options
        self._reset()

    def _reset(self) -> None:
        self._selection = Selection("word", self._name_label, "strict", self._options.drop)
        self._ids = WordIds()
        self._word_names = array("i")
        self.filler = self._selection.class_id(self._word_key("_"))

    def select(
        self, sides: Sequence[FlatTrees], labels: Sequence[str], nodes: Sequence[FlatNodes]
    ) -> list[tuple[array[int], array[int]]]:
        """Fills the nodes of both sides, whose labels are names.

        Returns:
            Where the words of each tree begin, and the number of each word, for each side.
        """
        if len(self._ids.names) > _MANY:
            self._reset()
        found = []
        for trees, out in zip(sides, nodes, strict=True):
            self._selection.select(trees, labels, out)
            offsets, places = self._selection.kept_words(trees, labels)
            n_words = offsets[trees.n_trees]
            numbers = self._ids.number(trees, places[:n_words])
            found.append((offsets[: trees.n_trees + 1], numbers))
        self._word_names.extend(map(self._name_word, self._ids.names[len(self._word_names) :]))
        return found

    @property
    def word_names(self) -> array[int]:
        """The name of each word by its number, -1 for those that are no nodes; one at least."""
        return self._word_names[:] or array("i", [-1])

    @property
    def n_names(self) -> int:
        """A number that all names are below."""
        return self._selection.n_classes

    @property
    def blank(self) -> int:
        """The name of a bracket that stands for brackets without a common label."""
        return self._selection.class_id("_")

    def texts(self, numbers: Sequence[int]) -> list[str]:
        """The words by their numbers."""
        names: list[str] = self._ids.names
        return [names[number] for number in numbers]

    def _name_label(self, label: str) -> str:
        if not self._labeled:
            return "{}"
        return label.upper().replace("-", "") if self._compat else label.upper()

    def _name_word(self, word: str) -> int:
        if self._compat and word in _NO_NODES:
            return -1
        return self._selection.class_id(self._word_key(word))

    def _word_key(self, word: str) -> object:
        """The key of a word; for TedEval, a tag and a word of the same letters are the same."""
        return word.upper() if self._compat else ("word", word.upper())
