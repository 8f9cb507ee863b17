"""Tree edit distance: how many nodes must be inserted, deleted and renamed to make one tree the other.

Nodes are brackets with their labels, preterminals among them. Words are not nodes, so the two sides may have
different words and different numbers of words. The same brackets are nodes as for STRUCT-IoU: wrapping roots
such as `TOP`, traces, and brackets without words are not.

The distance is the least cost of a script that deletes nodes (their children take their place), inserts
nodes, and renames nodes, without changing the order of siblings (Tai 1979; Zhang and Shasha 1989). Inserting
and deleting cost 1. The option `rename` is the cost of renaming, which is ruled out by default; at 2 or more
it never pays. `tree_edit` is the distance normalised after Dice, `1 - distance / (nodes of both sides)`: with
renaming ruled out, this is F1 over the nodes of a best mapping.

With `rename=1` distances and nodes are those of disco-dop's `--ted` with `DELETE_LABEL TOP`.

A failed parse, a prediction without nodes, scores 0; two trees without nodes agree. The distance of
documents is that of their forests: trees need not stay trees.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from .._core.edit import TreeEditor
from .._core.flat import FlatNodes
from ..errors import TreeSizeError
from .base import EMPTY, SKIPPED, ZEROED, Counter, Counts, Measure, Option, Options, ratio
from .metric import ON_ERROR, Metric
from .selection import DROP, LABELS, Selection

if TYPE_CHECKING:
    from ..sources.rows import Problems
    from .base import Batch

__all__ = ["TreeEdit"]


def dice(distance: Any, n_pred: Any, n_ref: Any) -> Any:
    """Return one minus the distance over all nodes; two empty trees agree."""
    nodes = n_pred + n_ref
    return ratio(nodes - distance, nodes, 1.0)


def _check_rename(value: Any) -> float | None:
    if value is None:
        return None
    try:
        cost = float(value)
    except (TypeError, ValueError):
        cost = -1.0
    if not cost >= 0.0:
        raise ValueError(f"rename must be a cost from 0 on, or None to rule renaming out, not {value!r}")
    return cost


OPTIONS = {
    "rename": Option(
        None,
        "cost of giving a node another label; by default that is ruled out",
        kind="number",
        check=_check_rename,
    ),
    "labels": LABELS,
    "terminals": Option(
        "strict", "preterminals are nodes like others, or no nodes", choices=("strict", "exclude")
    ),
    "drop": DROP,
    "average": Option(
        "corpus",
        "which figure is the headline, tree_edit: of all nodes together, or the mean over sentences",
        choices=("corpus", "sentence"),
        corpus=True,
    ),
    "on_error": ON_ERROR,
}

MEASURES = {
    "tree_edit_corpus": Measure(
        "corpus level", dice, ("distance", "n_pred", "n_ref"), short="tree_edit_corpus", row=""
    ),
    "tree_edit_sentence": Measure(
        "sentence mean",
        dice,
        ("distance", "n_pred", "n_ref"),
        short="tree_edit_sentence",
        row="tree_edit",
        mean=True,
    ),
}


class TreeEdit(Metric):
    """Tree edit distance with fixed options; see the module for its rules.

    >>> result = TreeEdit(rename=1).corpus_score(["(S (NP (A a)) (B b))"], ["(S (A a) (C b))"])
    >>> result.columns["distance"][0], result.columns["n_pred"][0], round(result.figures["tree_edit"], 4)
    (2.0, 4, 0.7143)

    Args:
        rename: The cost of giving a node another label; None rules it out.
        labels: Which labels are the same: `exact`, `base` (function tags and indices cut) or `ignore`.
        terminals: Whether preterminals are nodes (`strict`) or not (`exclude`).
        drop: Labels that do not count: roots over one child, and leaves such as `-NONE-` with the brackets
            that they leave empty.
        average: Which figure is the headline, `corpus` or `sentence`.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "tree_edit"
    title = "Tree edit distance"
    unit = "word"  # a node over a word is over something, however long that is
    HANDLES_WORDS = True
    OPTIONS = OPTIONS
    MEASURES = MEASURES

    @property
    def headline(self) -> str:
        """The key of the figure that the option `average` asks for."""
        return f"tree_edit_{self.options.average}"

    def counter(self) -> TreeEditCounter:
        """Return a new counter; every thread has one of its own."""
        return TreeEditCounter(self.options)


class TreeEditCounter(Counter):
    """Finds the distances of batches of pairs.

    Args:
        options: The options of the metric.
        mode: The mode of the solver; `auto` is the fastest, the others are for tests.
    """

    def __init__(self, options: Options, mode: str = "auto") -> None:
        self._on_error: str = options.on_error
        self._selection = Selection("word", options.labels, options.terminals, options.drop)
        self._editor = TreeEditor(options.rename, mode)
        self._nodes = FlatNodes(), FlatNodes()

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Return the distance and the number of nodes of both sides for each pair."""
        for trees, nodes in zip((batch.predictions, batch.references), self._nodes, strict=True):
            self._selection.select(trees, batch.labels, nodes)
        matched = self._editor.matched(*self._nodes)
        problems = dict(batch.problems)
        for t, reason in self._editor.too_large.items():
            problems.setdefault(batch.first + t, TreeSizeError.of(batch.names(t), reason))
        n_pred, n_ref = (nodes.counts() for nodes in self._nodes)
        status = bytearray(len(batch))
        if 0 in n_pred:
            for t, nodes in enumerate(n_pred):
                if not nodes and n_ref[t]:
                    status[t] = EMPTY
        for row in problems:
            t = row - batch.first
            matched[t] = 0.0
            status[t] = ZEROED
            if self._on_error == "skip":
                status[t] = SKIPPED
                n_pred[t] = n_ref[t] = 0
        distance = array("d", (p + r - 2.0 * m for p, r, m in zip(n_pred, n_ref, matched, strict=True)))
        return Counts({"distance": distance, "n_pred": n_pred, "n_ref": n_ref}, status, problems)

    def check(self, batch: Batch) -> Problems:
        """Return the errors of rows; any two trees that can be read can be compared."""
        return batch.problems
