"""The greedy search: from a predicted tree to its reference by moves, each the one that helps most.

Every move goes towards the reference: it makes at least one node that the reference has, or removes one that
it does not have. So the search ends, at the latest after one move for each node that only one side
has, and it ends at the reference.

At each step, moves are tried in the order of the most that they could gain. STRUCT-IoU is one minus a tree
edit distance over all nodes, so a move cannot lessen the loss by more than the distance between the trees
before and after it: 1 for each node that is added or removed, 2 for each that gets another label, or takes or
loses a run of siblings. Once the best move so far gains more than the others could, these are not tried; most
steps align few trees.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from ..._core.trial import Trial
from .candidates import INSERT, MOVE, RELABEL, REMOVE, Candidate, Candidates, Effort, Step, applied
from .layout import Layout

MOST_IN_CHAIN = 50  # nodes over the same words, where these differ

_ORDER = (MOVE, REMOVE, INSERT, RELABEL)
_DIGITS = 10  # to which scores are the same
_FREE = 1e-12  # a loss that is none
_STEP_WORK = 400  # of finding the moves of a tree, a node
_TRIAL_WORK = 12  # of trying one of them, a node
_TABLE_WORK = 0.005  # of trying one of them, by the cube of the loss, where all labels may align


class Found(NamedTuple):
    """A step of the search.

    Attributes:
        step: The move.
        before: The tree that it was found in.
        score: STRUCT-IoU of the tree after it.
        loss: The nodes of both sides less twice the matched mass, of the tree after it.
    """

    step: Step
    before: Layout
    score: float
    loss: float


class Search:
    """Searches pairs of trees for moves; two threads must not use it at once.

    Args:
        flexible: Whether nodes without child nodes align with any node.
        min_iou: The IoU at or below which pairs do not align.
    """

    def __init__(self, flexible: bool, min_iou: float) -> None:
        self._flexible = flexible
        self._trial = Trial(flexible, min_iou)

    def begin(
        self,
        reference: Layout,
        names: Sequence[str],
        n_classes: int,
        low: array[float],
        high: array[float],
    ) -> None:
        """Set the tree to be reached.

        Args:
            reference: The tree to be reached.
            names: The text of each label id.
            n_classes: A number that all label classes are below.
            low: Where each leaf starts on the axis of the metric.
            high: Where each leaf ends there.
        """
        self._reference = reference
        self._effort = Effort()
        self._candidates = Candidates(reference, names, self._flexible, self._effort)
        self._trial.begin(n_classes, low, high)
        self._trial.set_reference(reference.firsts, reference.lasts, reference.classes)

    def matched(self, tree: Layout) -> float:
        """Return the matched mass of a tree."""
        found: float = self._trial.matched(tree.firsts, tree.lasts, tree.classes)
        return found

    def refuses(self, tree: Layout) -> str:
        """Return why a pair is not searched at all; an empty text if it is."""
        for own, wanted in self._candidates.differing(tree):
            longest = max(len(own), len(wanted))
            if longest > MOST_IN_CHAIN:
                return (
                    f"a chain of {longest} nodes over the same words differs; "
                    f"chains of up to {MOST_IN_CHAIN} are searched"
                )
        return ""

    def run(self, tree: Layout) -> Iterator[Found]:
        """Return the moves that turn a tree into the reference, one by one; or a `TooMuchWorkError`."""
        n_ref = len(self._reference.labels)
        n_nodes = len(tree.labels) + n_ref
        loss = n_nodes - 2.0 * self.matched(tree)
        while not (self._flexible and loss <= _FREE):
            best = self._best(tree, loss, n_nodes)
            if best is None:
                return
            candidate, after, matched = best
            n_nodes += candidate.growth
            loss = n_nodes - 2.0 * matched
            yield Found(candidate.step, tree, 2.0 * matched / n_nodes, loss)
            tree = after

    def _best(self, tree: Layout, loss: float, n_nodes: int) -> tuple[Candidate, Layout, float] | None:
        """Return the move with the highest score after it; ties go to fewer nodes, then to the left."""
        queue = []
        alike = 1.0 if self._flexible else _alike(tree.classes, self._reference.classes)
        trial_work = _TRIAL_WORK * n_nodes + _TABLE_WORK * alike * loss**3
        self._effort.spend(_STEP_WORK * n_nodes)
        for place, candidate in enumerate(self._candidates.of(tree)):
            total = n_nodes + candidate.growth
            bound = round(1.0 - max(loss - candidate.cost, 0.0) / total, _DIGITS)
            step = candidate.step
            rank = candidate.touched, step.start, step.end, _ORDER.index(step.kind), place
            queue.append((-bound, rank, candidate))
        queue.sort(key=lambda entry: entry[:2])
        best: tuple[float, tuple[int, ...]] | None = None
        found = None
        best_bound = inf
        for bound, rank, candidate in queue:
            if best is not None and (bound > best[0] or (bound == best[0] and best_bound == best[0])):
                break
            # Nodes that are not aligned at once are aligned by tables, at most by the cube of their number.
            self._effort.spend(trial_work)
            after = applied(tree, candidate)
            matched: float = self._trial.matched(after[0], after[1], after[3])
            score = -round(2.0 * matched / (n_nodes + candidate.growth), _DIGITS)
            if best is None or (score, rank) < best:
                best, best_bound = (score, rank), bound
                found = candidate, after, matched
        if found is None:
            return None
        candidate, after, matched = found
        return candidate, Layout(*after, tree.length), matched


def _alike(classes: Sequence[int], others: Sequence[int]) -> float:
    """Return the share of pairs of nodes that have the same label."""
    counts, wanted = Counter(classes), Counter(others)
    alike = sum(n * wanted[label] for label, n in counts.items())
    return alike / max(len(classes) * len(others), 1)
