# cython: infer_types=True
"""The aligner: pairs up two trees so that ancestors stay ancestors and the sum of IoUs is largest.

Top down, most of two similar trees is paired without any table:

Forced match lemma. Let p and q be aligned in some best alignment (or be the roots above the roots),
u a child of p and v a child of q with the same span and labels that may align. Then some best
alignment also pairs u with v. For a pair in conflict with (u, v) overlaps that span; p and q are
aligned to each other, so only (u, y) with y below v, or (x, v) with x below u, can be in conflict,
and not both, for they conflict with each other. Swapping it for (u, v), with IoU 1, loses nothing.

So equal siblings under an aligned pair are aligned, and only the gaps between them need dynamic
programming. A node whose label does not occur on the other side of its gap never aligns: it is
spliced out (its children take its place), and the gap is tried again.

The lemma is false for equal nodes in general: chains with spans 10, 9, 8 and 12, 11, 10 do better
when shifted than when the two 10s are aligned.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .gap import INFINITY, Gap
    from .solver import Solver
    from .trace import Trace

from .flat import doubles, longs
from .solver import MODES

# Whether the core runs compiled; if not, results are the same and take longer.
COMPILED = cython.compiled

_AUTO, _NO_PEEL, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE = 0, 1, 3, 4, 5  # as in `MODES`


class Aligner:
    """Aligns batches of trees. Every thread has an object of its own; buffers are kept from pair to pair.

    Args:
        flexible: Whether a node without child nodes may align with any node, with any label.
        min_iou: The IoU at or below which pairs do not align; less than 1.
        mode: A key of `solver.MODES`; all but `auto` skip peeling.
        max_cells: The number of cells of tables that a pair may fill; None for any number.

    Attributes:
        n_refused: The number of pairs of the last batch that have no sum; see `score`.
        too_large: Why this machine has not enough memory for a pair of the last batch, by the pair.
    """

    def __init__(self, flexible=False, min_iou=0.0, mode="auto", max_cells=None):
        self._flexible = flexible
        self._mode = MODES[mode]
        self._min_iou = min_iou
        self._max_cells = INFINITY if max_cells is None else max_cells
        self._gap = None
        self._nodes = self._labels = 0
        self.n_refused = 0
        self.too_large = {}

    def _attach(self, p, r, trace):
        """Take a batch; make all buffers again if it has larger trees or more labels than those before.

        Solver and trace are made when a gap first needs them, as most pairs of trees have none.
        """
        self.prediction = p
        self.reference = r
        # Marks of nodes that were spliced out in an earlier use of the batch.
        p.clear_marks()
        r.clear_marks()
        nodes: cython.Py_ssize_t = max(p.largest(), r.largest())
        labels: cython.Py_ssize_t = max(p.n_classes, r.n_classes)
        if self._gap is None or nodes > self._nodes or labels > self._labels:
            # Half as much again, so that slightly larger trees need no new buffers.
            self._nodes = nodes + nodes // 2
            self._labels = labels + labels // 2
            self._gap = Gap(self._flexible, self._min_iou, self._nodes, self._labels)
            self._solver = self._trace = None
            self._tasks = longs(8 * self._nodes + 8)  # four numbers for each node of both sides at most
            self._seen_prediction = longs(self._labels)
            self._seen_reference = longs(self._labels)
            self._stamp = 0
        self._gap.attach(p, r)
        if trace and self._trace is None:
            self._trace = Trace(self._nodes)
        return 0

    def _give_up(self, t, error, trace):
        """Note that there is not enough memory for a pair, and make the buffers again for the next."""
        self.too_large[t] = str(error) or "the system has no memory left"
        self._gap = None  # some of its buffers may have grown, and others not
        return self._attach(self.prediction, self.reference, trace)

    def score(self, prediction, reference, by_prediction=None, by_reference=None):
        """Return the best sum of IoUs of each pair of trees, as an array.

        A pair whose texts must be equally long and are not gets -1, and so does one that is too large for
        this machine. A tree without text is no such case: it has no nodes, and the sum is 0. A pair that
        needs more cells of tables than are allowed gets -infinity.

        With two arrays of doubles that have a place for each node of the batch, every aligned pair's IoU is
        added to the places of its nodes.
        """
        trace: cython.bint = by_prediction is not None
        left: cython.double[::1] = by_prediction
        right: cython.double[::1] = by_reference
        t: cython.Py_ssize_t = 0
        self.n_refused = 0
        self.too_large = {}
        self._attach(prediction, reference, trace)
        n = self.prediction.n_trees
        matched = doubles(n)
        out: cython.double[::1] = matched
        while t < n:
            try:
                with cython.nogil:
                    while t < n:
                        out[t] = self._align(self.prediction, self.reference, t, trace, self._max_cells)
                        # Below 0 are pairs that were refused, see above.
                        if out[t] < 0.0:
                            self.n_refused += 1
                        if trace:
                            for k in range(self._trace.n_pairs):
                                i = self._trace.prediction[k]
                                j = self._trace.reference[k]
                                iou = self._iou(self.prediction, self.reference, i, j)
                                left[i] += iou
                                right[j] += iou
                        t += 1
            except MemoryError as error:
                self._give_up(t, error, trace)
                out[t] = -1.0
                self.n_refused += 1
                t += 1
        return matched[:n]

    def link(self, prediction, reference, prediction_partner, reference_partner, marks, mark: cython.int):
        """Write down the partners of all aligned nodes in pairs that carry a mark, in any number of cells.

        Those of a pair that is too large are left as they are.

        Args:
            prediction: The nodes of one side that are compared.
            reference: The nodes of the other side that are compared.
            prediction_partner: C ints, a place for each node of the batch; the partner's place is put there.
            reference_partner: The same for the other side.
            marks: A byte for each pair.
            mark: The mark of the pairs that are aligned; others are left as they are.
        """
        left: cython.int[::1] = prediction_partner
        right: cython.int[::1] = reference_partner
        marked: cython.uchar[::1] = marks
        t: cython.Py_ssize_t = 0
        self.too_large = {}
        self._attach(prediction, reference, True)
        n = self.prediction.n_trees
        while t < n:
            try:
                with cython.nogil:
                    while t < n:
                        if marked[t] == mark:
                            self._align(self.prediction, self.reference, t, True, INFINITY)
                            for k in range(self._trace.n_pairs):
                                left[self._trace.prediction[k]] = self._trace.reference[k]
                                right[self._trace.reference[k]] = self._trace.prediction[k]
                        t += 1
            except MemoryError as error:
                self._give_up(t, error, True)
                t += 1

    def _iou(self, p, r, i, j):
        low: cython.double = max(p.start[i], r.start[j])
        high: cython.double = min(p.end[i], r.end[j])
        return (high - low) / (max(p.end[i], r.end[j]) - min(p.start[i], r.start[j]))

    def _align(self, p, r, t, trace, max_cells):
        """Return the sum that `score` reports for pair `t`; with `trace`, leave its pairs in `_trace`."""
        total: cython.double
        self._gap.cells_left = max_cells
        if trace:
            self._trace.n_pairs = 0
        if p.extent[t] != r.extent[t] and p.extent[t] > 0.0 and r.extent[t] > 0.0:
            return -1.0
        if p.offset[t] == p.offset[t + 1] or r.offset[t] == r.offset[t + 1]:
            return 0.0
        if self._mode == _AUTO:
            total = self._peel(p, r, p.offset[t], p.offset[t + 1], r.offset[t], r.offset[t + 1], trace)
        else:
            total = self._solve_gap(p, r, p.offset[t], p.offset[t + 1], r.offset[t], r.offset[t + 1], trace)
        if total < 0.0 and trace:
            self._trace.n_pairs = 0  # of the gaps that were solved before the cells were used up
        return total

    def _push(self, height, i0, i1, j0, j1):
        self._tasks[height] = i0
        self._tasks[height + 1] = i1
        self._tasks[height + 2] = j0
        self._tasks[height + 3] = j1
        return height + 4

    def _peel(self, p, r, i0, i1, j0, j1, trace):
        """Align equal siblings below aligned nodes, from the right, and solve the gaps between.

        Most pairs of trees begin and end alike. Two ranges within these parts are aligned node by node; ones
        are added one by one, as where they are found one by one, for sums to be the same to the last bit.
        """
        total: cython.double = 0.0
        # A task is a pair of ranges that are still to be aligned, as four numbers on the stack `_tasks`.
        height: cython.Py_ssize_t = self._push(0, i0, i1, j0, j1)
        # Equal nodes from either end, counted on both sides together so that they never overlap.
        most: cython.Py_ssize_t = min(i1 - i0, j1 - j0)
        same: cython.Py_ssize_t = 0
        shift: cython.Py_ssize_t = j0 - i0
        end_shift: cython.Py_ssize_t = j1 - i1
        while same < most and self._equal(p, r, i0 + same, j0 + same):
            same += 1
        same_to: cython.Py_ssize_t = i0 + same
        same_from: cython.Py_ssize_t = i1
        while same < most and self._equal(p, r, same_from - 1, same_from - 1 + end_shift):
            same_from -= 1
            same += 1
        while height > 0:
            height -= 4
            i0 = self._tasks[height]
            j0 = self._tasks[height + 2]
            i_gap = self._tasks[height + 1]
            j_gap = self._tasks[height + 3]
            # The ranges lie within the equal beginning or the equal end, so node i goes with node i + shift.
            if j_gap - i_gap == j0 - i0 and (
                (j0 - i0 == shift and i_gap <= same_to) or (j0 - i0 == end_shift and i0 >= same_from)
            ):
                for i in range(i0, i_gap):
                    total += 1.0
                    if trace:
                        self._trace.add(i, i - i0 + j0)
                continue
            i = i_gap - 1
            j = j_gap - 1
            # Walk both sides from the right over siblings, skipping whole subtrees that start elsewhere.
            while i >= i0 and j >= j0:
                if p.dead[i]:
                    i -= 1
                elif r.dead[j]:
                    j -= 1
                elif p.start[i] > r.start[j]:
                    i -= p.size[i]
                elif p.start[i] < r.start[j]:
                    j -= r.size[j]
                elif p.end[i] == r.end[j] and (
                    p.label[i] == r.label[j] or (self._flexible and (p.size[i] == 1 or r.size[j] == 1))
                ):
                    # Equal span and compatible label: some best alignment pairs these two.
                    total += 1.0
                    if trace:
                        self._trace.add(i, j)
                    # The siblings right of the pair are a gap of their own.
                    if i + 1 < i_gap and j + 1 < j_gap:
                        height = self._close_gap(p, r, height, i + 1, i_gap, j + 1, j_gap)
                        if self._unsolved:
                            total += self._solve_gap(p, r, i + 1, i_gap, j + 1, j_gap, trace)
                    # The children of the pair are aligned later; the walk goes on left of it.
                    i_gap = i - p.size[i] + 1
                    j_gap = j - r.size[j] + 1
                    if p.size[i] > 1 and r.size[j] > 1:
                        height = self._push(height, i_gap, i, j_gap, j)
                    i = i_gap - 1
                    j = j_gap - 1
                else:
                    i -= p.size[i]
                    j -= r.size[j]
            # The siblings left of the last pair.
            if i0 < i_gap and j0 < j_gap:
                height = self._close_gap(p, r, height, i0, i_gap, j0, j_gap)
                if self._unsolved:
                    total += self._solve_gap(p, r, i0, i_gap, j0, j_gap, trace)
        return total

    def _equal(self, p, r, i, j):
        return (
            p.size[i] == r.size[j]
            and p.label[i] == r.label[j]
            and p.end[i] == r.end[j]
            and p.start[i] == r.start[j]
        )

    def _close_gap(self, p, r, height, i0, i1, j0, j1):
        """Splice the nodes that cannot align out of a gap, and if there were any, peel it again.

        Says in `_unsolved` whether a gap is left that needs tables; returns the height of `_tasks`.
        """
        self._unsolved = True
        # With one class, or flexible leaves, every node may find a partner.
        if self._flexible or (p.n_classes == 1 and r.n_classes == 1):
            return height
        # Stamps say which labels occur on either side of this gap.
        self._stamp += 1
        for i in range(i0, i1):
            if not p.dead[i]:
                self._seen_prediction[p.label[i]] = self._stamp
        for i in range(j0, j1):
            if not r.dead[i]:
                self._seen_reference[r.label[i]] = self._stamp
        spliced: cython.bint = self._splice(p, i0, i1, self._seen_reference)
        if self._splice(r, j0, j1, self._seen_prediction) or spliced:
            self._unsolved = False
            return self._push(height, i0, i1, j0, j1)
        return height

    def _splice(self, nodes, lo, hi, seen):
        """Splice out nodes with labels that the other side lacks; return whether there were any."""
        i: cython.Py_ssize_t = hi - 1
        spliced: cython.bint = False
        while i >= lo:
            if nodes.dead[i]:
                i -= 1
            elif seen[nodes.label[i]] != self._stamp:
                nodes.dead[i] = spliced = True
                i -= 1
            else:
                i -= nodes.size[i]
        return spliced

    def _solve_gap(self, p, r, i0, i1, j0, j1, trace):
        """Return the best sum of a gap by whichever tables cost less."""
        total: cython.double
        mode: cython.int = self._mode
        folds: cython.bint = mode == _AUTO
        self._gap.find_twins(p, r, i0, i1, j0, j1)
        self._gap.take(i0, i1, j0, j1, folds, False)
        if self._gap.is_folded() and not trace:
            return self._gap.rows.n_inside
        if self._solver is None:
            with cython.gil:
                self._solver = Solver(self._nodes, self._mode)
        if mode == _AUTO or mode == _NO_PEEL:
            mode = self._solver.choose_side(p, r, i0, i1, j0, j1)
            if folds and self._solver.is_large():
                self._gap.take(i0, i1, j0, j1, False, False)
            self._gap.load(mode == _RIGHT)
            mode = self._solver.choose_layer(self._gap, mode)
        else:
            self._gap.load(mode == _RIGHT)
        if self._gap.n_candidates == self._gap.rows.n_folded and not trace:
            return self._gap.rows.n_inside
        if self._gap.rows.n == 0 or self._gap.columns.n == 0:
            return 0.0
        if mode == _SPINE_PREDICTION or mode == _SPINE_REFERENCE:
            self._gap.take(i0, i1, j0, j1, False, mode == _SPINE_REFERENCE)
            self._gap.load(False)
        total = self._solver.solve(self._gap, mode)
        if trace and total >= 0.0:
            self._trace.add_gap(self._gap, self._solver)
        return total
