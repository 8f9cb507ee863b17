"""Leaf-ancestor (Sampson 2000; Sampson and Babarczy 2003): how alike the ways to each word are.

The way to a word is the labels of the brackets above its tag, from the top down; a mark `)` stands before
the label of the highest bracket that ends with the word, and a mark `(` after the label of the highest that
begins with it. Two ways are compared by the Levenshtein distance d of their labels and marks: a word scores
`1 - d / (length of one way + length of the other)`, and 1 if both are empty. A sentence scores the mean over
its words, a corpus the mean over its sentences.

Tags are not compared; a word without a tag of its own has all brackets around it above it. What counts as a
bracket is decided as for STRUCT-IoU: wrapping roots such as `TOP`, traces with what they empty, and brackets
without words do not. With the default, figures are those of disco-dop's `--la` with `DELETE_LABEL TOP` for
trees with `TOP` over one bracket.

Words pair up by their places, so both sides need as many; their forms are not compared. A failed parse, a
prediction without words, scores 0; two trees without words agree. The words of a document are those of all
its trees.
"""

from __future__ import annotations

from ..base import Measure
from ..metric import ON_ERROR, Metric
from ..selection import DROP, LABELS
from .counter import LeafAncestorCounter

__all__ = ["LeafAncestor"]

OPTIONS = {
    "labels": LABELS,
    "drop": DROP,
    "on_error": ON_ERROR,
}

MEASURES = {
    "leaf_ancestor": Measure("sentence mean", float, ("score",), short="leaf_ancestor", mean=True),
}


class LeafAncestor(Metric):
    """Leaf-ancestor with fixed options; see the module for its rules.

    >>> result = LeafAncestor().corpus_score(["(S (NP (A a)) (B b))"], ["(S (A a) (B b))"])
    >>> round(result.columns["score"][0], 4)  # the ways: S ( ) NP and S (, and ) S twice
    0.8333

    Args:
        labels: Which labels are the same: `exact`, `base` (function tags and indices cut) or `ignore`.
        drop: Labels that are no constituents: roots over one child, and leaves such as `-NONE-` with
            what they empty.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "leaf_ancestor"
    title = "Leaf-ancestor"
    OPTIONS = OPTIONS
    MEASURES = MEASURES

    @property
    def unit(self) -> str:
        """The unit is `word`, as leaf-ancestor counts words."""
        return "word"

    def undefined(self, unit: str) -> str:
        """Why the metric has no meaning for trees over that unit: it needs words."""
        return "it pairs up words, and trees over seconds need no common words" if unit == "time" else ""

    def counter(self) -> LeafAncestorCounter:
        """A new counter; every thread has one of its own."""
        return LeafAncestorCounter(self.options)
