"""TIGER-XML: words `<t>` and nodes `<nt>` with edges to their children.

<s id="s1"><graph root="s1_500">
  <terminals><t id="s1_1" word="is" pos="VB"/> … </terminals>
  <nonterminals><nt id="s1_500" cat="VP"><edge idref="s1_1" label="HD"/> … </nt></nonterminals>
</graph></s>

Labels are `pos` and `cat`; other features, edge labels and secondary edges are not read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TreeFormatError
from ..content import Content
from . import Row
from .graphs import Graph


class _Corpus:
    """Collects sentences while their XML is gone through."""

    def __init__(self, content: Content) -> None:
        self.rows: list[Row] = []
        self._content = content
        self._graph: Graph | None = None
        self._begin = 0
        self._node = ""  # whose edges are read
        self._problem: TreeFormatError | None = None
        content.xml(self._start, self._end)

    def _start(self, name: str, values: dict[str, str], line: int) -> None:
        if name == "s":
            self._graph, self._begin, self._problem = Graph(), line, None
            return
        if name == "subcorpus" and "external" in values:
            raise self._content.error(
                "this part of the corpus is in another file; give that file, too, and remove this line",
                line,
            )
        graph = self._graph
        if graph is None or self._problem is not None:
            return
        try:
            if name == "t":
                graph.word(values.get("id", ""), values.get("word"), values.get("pos"))
            elif name == "nt":
                self._node = values.get("id", "")
                graph.node(self._node, values.get("cat"))
            elif name == "edge":
                graph.edge(self._node, values.get("idref", ""))
        except TreeFormatError as error:
            self._problem = self._content.error(error.message, line)

    def _end(self, name: str) -> None:
        if name == "s" and self._graph is not None:
            tree: object = self._problem
            if tree is None:
                try:
                    tree = self._graph.tree()
                except TreeFormatError as error:
                    tree = self._content.error(error.message, self._begin)
            self.rows.append(Row(self._begin, tree))
            self._graph = None


def read_tiger(content: Content) -> Sequence[Row]:
    """Return the sentences, in order."""
    return _Corpus(content).rows
