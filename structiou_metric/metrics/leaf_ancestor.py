"""Leaf-ancestor (Sampson 2000; Sampson and Babarczy 2003): how similar the labels above each word are.

The lineage of a word is the labels of the brackets above its tag, from the top down, with two marks: `)`
before the label of the highest bracket that ends with the word, and `(` after the label of the highest
bracket that begins with it. Two lineages are compared by their Levenshtein distance d: a word scores
`1 - d / (length of one lineage + length of the other)`, and 1 if both are empty. A sentence scores the mean
over its words, a corpus the mean over its sentences.

Tags are not compared; a word without a tag of its own has all brackets around it in its lineage. The same
brackets count as for STRUCT-IoU: wrapping roots such as `TOP`, traces with the brackets that they leave
empty, and brackets without words do not. With the default options, figures are those of disco-dop's `--la`
with `DELETE_LABEL TOP` for trees with `TOP` over one bracket.

Words are paired by their positions, so both sides need the same number of words; their forms are not
compared. A failed parse, a prediction without words, scores 0; two trees without words agree. The words of a
document are those of all its trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .._core.flat import FlatNodes
from ..errors import TreeMismatchError
from ..wording import count
from .base import Measure, Options
from .edits import edit_distance
from .metric import ON_ERROR, Metric
from .pairs import PairCounter
from .selection import DROP, LABELS, Selection

if TYPE_CHECKING:
    from .base import Batch

__all__ = ["LeafAncestor"]

OPTIONS = {
    "labels": LABELS,
    "drop": DROP,
    "on_error": ON_ERROR,
}

MEASURES = {
    "leaf_ancestor": Measure("sentence mean", float, ("score",), short="leaf_ancestor", mean=True),
}

# The marks in a lineage, where labels are numbers from 0 on.
_BEGINS, _ENDS = -1, -2

_CURE = "leaf-ancestor needs the same words on both sides"


class LeafAncestor(Metric):
    """Leaf-ancestor with fixed options; see the module for its rules.

    >>> result = LeafAncestor().corpus_score(["(S (NP (A a)) (B b))"], ["(S (A a) (B b))"])
    >>> round(result.columns["score"][0], 4)  # lineages of the first word: S ( ) NP and S (
    0.8333

    Args:
        labels: Which labels are the same: `exact`, `base` (function tags and indices cut) or `ignore`.
        drop: Labels that do not count: roots over one child, and leaves such as `-NONE-` with the brackets
            that they leave empty.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "leaf_ancestor"
    title = "Leaf-ancestor"
    unit = "word"
    OPTIONS = OPTIONS
    MEASURES = MEASURES

    def undefined(self, unit: str) -> str:
        """Return why the metric has no meaning for trees over that unit: it needs words."""
        return "it pairs up words, and trees over seconds need no common words" if unit == "time" else ""

    def counter(self) -> LeafAncestorCounter:
        """Return a new counter; every thread has one of its own."""
        return LeafAncestorCounter(self.options)


class LeafAncestorCounter(PairCounter):
    """Scores batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        super().__init__({"score": "d"}, options)
        self._selection = Selection("word", options.labels, "strict", options.drop)
        self._nodes = FlatNodes(), FlatNodes()

    def begin(self, batch: Batch) -> None:
        """Select the brackets that count."""
        for trees, nodes in zip((batch.predictions, batch.references), self._nodes, strict=True):
            self._selection.select(trees, batch.labels, nodes)

    def compare(self, batch: Batch, t: int) -> tuple[Sequence[float], bool]:
        """Return the mean score of the words of a pair."""
        pred, ref = self._nodes
        n_words = int(ref.extent_of(t))
        if n_words and not int(pred.extent_of(t)):
            return [0.0], True
        self._check_words(batch, t, int(pred.extent_of(t)), n_words)
        if not n_words:
            return [float(not pred.extent_of(t))], False
        total = 0.0
        for ours, theirs in zip(lineages(pred, t), lineages(ref, t), strict=True):
            length = len(ours) + len(theirs)
            total += 1.0 - edit_distance(ours, theirs) / length if length else 1.0
        return [total / n_words], False

    def _check_words(self, batch: Batch, t: int, n_pred: int, n_ref: int) -> None:
        """Refuse two trees with different numbers of words; a reference without words is compared."""
        if n_pred != n_ref and n_ref:
            prediction, reference = batch.names(t)
            why = self._selection.explain_lengths(batch, t, {"tokens": _CURE, "text": _CURE}, "word")
            raise TreeMismatchError(
                f"{prediction} has {count(n_pred, 'word')} and {reference} has {count(n_ref, 'word')}; {why}"
            )


def lineages(nodes: FlatNodes, t: int) -> Iterator[list[int]]:
    """Return the labels and marks above each word of tree `t`, from the top down."""
    labels = nodes.classes(t)
    spans = [(int(start), int(end)) for _, start, end in nodes.spans(t)]
    parent = [-1] * len(spans)
    lowest: list[int] = []  # the lowest node above each word
    roots: list[int] = []  # nodes that have no parent yet
    free: list[int] = []  # words that have no node yet
    for node, (start, end) in enumerate(spans):  # in postorder
        while len(lowest) < end:
            free.append(len(lowest))
            lowest.append(-1)
        while free and free[-1] >= start:
            lowest[free.pop()] = node
        while roots and spans[roots[-1]][0] >= start:
            parent[roots.pop()] = node
        roots.append(node)
    lowest += [-1] * (int(nodes.extent_of(t)) - len(lowest))
    for word, node in enumerate(lowest):
        if node >= 0 and spans[node] == (word, word + 1):
            node = parent[node]  # the word's own tag is not compared
        above = []
        while node >= 0:
            above.append(node)
            node = parent[node]
        lineage: list[int] = []
        begun = ended = False
        for node in reversed(above):
            start, end = spans[node]
            if end == word + 1 and not ended:
                lineage.append(_ENDS)
                ended = True
            lineage.append(labels[node])
            if start == word and not begun:
                lineage.append(_BEGINS)
                begun = True
        yield lineage
