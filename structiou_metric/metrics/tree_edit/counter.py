"""The way from trees that were read to the columns of the tree edit distance."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..._core.edit import TreeEditor
from ..._core.flat import FlatNodes
from ...errors import TreeSizeError
from ..base import EMPTY, SKIPPED, ZEROED, Counter, Counts, Options
from ..batch import Batch
from ..selection import Selection

if TYPE_CHECKING:
    from ...sources.rows import Problems


class TreeEditCounter(Counter):
    """Finds the distances of batches of pairs.

    Args:
        options: The options of the metric.
        mode: The mode of the solver; `auto` is the fastest, others are there for tests.
    """

    def __init__(self, options: Options, mode: str = "auto") -> None:
        self._on_error: str = options.on_error
        self._selection = Selection("word", options.labels, options.terminals, options.drop)
        self._editor = TreeEditor(options.rename, mode)
        self._nodes = FlatNodes(), FlatNodes()

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The distance and the nodes of both sides, of each pair."""
        self._selection.select_sides(batch, self._nodes)
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
        """The errors that keep rows from being compared: any two trees that can be read can be compared."""
        return batch.problems
