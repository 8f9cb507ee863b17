"""XML of Alpino and Lassy: nodes within nodes, whose words have their places.

<alpino_ds><node cat="top" begin="0" end="3">
  <node cat="np" begin="0" end="1"><node pt="n" begin="0" end="1" word="Jan"/></node> …
</node><sentence>Jan is rijk</sentence></alpino_ds>

Labels are `cat`, and of words `pt` or else `pos`. A node that only refers to another by its `index`, and has
neither words nor nodes, is left out, as is one that holds nothing else. A file may have many sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TreeFormatError
from ...trees.brackets import escape
from ...wording import brief
from ..content import Content
from . import Row
from .graphs import join_roots


class _Corpus:
    """Collects sentences while their XML is gone through."""

    def __init__(self, content: Content) -> None:
        self.rows: list[Row] = []
        self._content = content
        self._begin = 0  # the line of the sentence that is read; 0 is none
        self._clear()
        content.xml(self._start, self._end)

    def _clear(self) -> None:
        self._labels: list[str] = []
        self._parents: list[int] = []
        self._filled: list[bool] = []  # whether a node has words
        self._above: list[int] = []
        self._words: list[tuple[int, int, str, int]] = []  # start, end, text and node
        self._problem: TreeFormatError | None = None

    def _start(self, name: str, values: dict[str, str], line: int) -> None:
        if name == "alpino_ds":
            self._clear()
            self._begin = line
        elif name == "node" and self._begin:
            node = len(self._labels)
            self._parents.append(self._above[-1] if self._above else -1)
            self._labels.append(escape(values.get("cat") or values.get("pt") or values.get("pos") or ""))
            self._filled.append("word" in values)
            self._above.append(node)
            if "word" in values:
                self._add_word(values, node, line)

    def _add_word(self, values: dict[str, str], node: int, line: int) -> None:
        text, begin, end = (values.get(name, "") for name in ("word", "begin", "end"))
        if text and begin.isdecimal() and end.isdecimal() and int(begin) < int(end):
            self._words.append((int(begin), int(end), escape(text), node))
        elif self._problem is None:
            what = f"the word {brief(text)}" if text else "a word without text"
            self._problem = self._content.error(
                f"{what} from {brief(begin)} to {brief(end)}: words need a text, a begin and a later end",
                line,
            )

    def _end(self, name: str) -> None:
        if name == "node" and self._begin:
            node = self._above.pop()
            if self._filled[node] and self._above:
                self._filled[self._above[-1]] = True
        elif name == "alpino_ds":
            tree: object = self._problem
            if tree is None:
                try:
                    tree = self._tree()
                except TreeFormatError as error:
                    tree = self._content.error(error.message, self._begin)
            self.rows.append(Row(self._begin, tree))
            self._begin = 0

    def _tree(self) -> object:
        at = 0
        self._words.sort()
        for begin, end, text, _ in self._words:
            if begin != at:
                what = "two words are" if begin < at else "no word is"
                raise TreeFormatError(
                    f"{what} at {min(begin, at)}, before {brief(text)}; check begin and end"
                )
            at = end
        numbers: dict[int, int] = {}
        for node, filled in enumerate(self._filled):
            if filled:
                numbers[node] = len(numbers)
        labels = [self._labels[node] for node in numbers]
        parents = [numbers.get(self._parents[node], -1) for node in numbers]
        return join_roots(
            labels, parents, [word[2] for word in self._words], [numbers[word[3]] for word in self._words]
        )


def read_alpino(content: Content) -> Sequence[Row]:
    """Return the sentences, in order."""
    rows = _Corpus(content).rows
    if not rows:
        raise content.error("there is no <alpino_ds> here; give files of Alpino or Lassy")
    return rows
