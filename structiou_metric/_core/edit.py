"""Ordered tree edit distance: the mapping of nodes with the greatest weight. Words do not matter.

Inserting and deleting a node cost 1. Mapping a node to one with the same label costs nothing; mapping it to
one with another label costs less than 2, or is not allowed. With weight 1 for equal labels and 1 - cost / 2
for others, the distance of trees of n and m nodes is n + m - 2 W, where W is the greatest weight of a mapping
that keeps order and ancestry. As no weight is above 1, most of two similar trees needs no table:

- Equal trees at the left ends of two forests F and G are mapped node by node, and so are those at the right
  ends. To see why, call the tree T, and take a best mapping. A pair from F's T to the right of G's T would
  cross a pair from the right of F's T into G's T, so there are no pairs of one of the two kinds, say the
  second. Then all pairs that touch G's T come from F's T. F's T has at most |T| pairs, so replacing them by
  the identity on T, of weight |T|, loses nothing.
- If both forests are single trees with the same label at the root, the roots are mapped to each other. At
  most one of them is mapped to another node, which is below the other root, and that root can take its place.
- If labels are never changed, a node whose label does not occur on the other side is removed, and its
  children take its place.

The rest is solved by tables over the pairs that a mapping of some cost may have, see `edit_candidates`. If
the distance found is within that cost it is right, because a best mapping has such pairs only. If not, it is
the cost of some mapping, and a greater cost is tried, up to that one.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.edit_candidates import EditCandidates
    from cython.cimports.structiou_metric._core.flat import FlatNodes
    from cython.cimports.structiou_metric._core.gap import Gap
    from cython.cimports.structiou_metric._core.solver import Solver
else:
    from .edit_candidates import EditCandidates
    from .flat import FlatNodes
    from .gap import Gap
    from .solver import Solver

from .flat import doubles, ints, longs
from .solver import MODES

_AUTO, _NO_PEEL, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE = 0, 1, 3, 4, 5  # as in `MODES`

_ROUNDS = 8  # times that nodes are removed; removing none is right, too
_FIRST_EXCESS = 4.0  # by which the distance may exceed its lower bound in the first table
_ROUNDING = 1e-6  # more than the error of sums of costs, less than the difference between two costs


class TreeEditor:
    """Finds best mappings for batches of trees. Every thread has its own object, which keeps its buffers.

    Args:
        rename: The cost of giving a node another label; None, or 2 or more, rules it out.
        mode: A key of `solver.MODES`; all but `auto` skip peeling and consider all pairs.

    Attributes:
        too_large: The pairs of the last batch for which this machine has not enough memory, with the reason.
    """

    def __init__(self, rename=None, mode="auto"):
        self._rename = 2.0 if rename is None else min(rename, 2.0)
        self._mode = MODES[mode]
        self.too_large = {}
        self._prediction = FlatNodes()
        self._reference = FlatNodes()
        self._gap = None
        self._nodes = self._labels = 0
        self._stamp = 0

    def _attach(self, nodes, labels):
        """Make larger buffers if a batch has larger trees or more labels than those before."""
        if self._gap is None or nodes > self._nodes or labels > self._labels:
            self._nodes = nodes + nodes // 2
            self._labels = labels + labels // 2
            self._gap = Gap(False, 0.0, self._nodes, self._labels)
            self._candidates = EditCandidates(self._rename, self._nodes, self._labels)
            self._solver = Solver(self._nodes, self._mode)
            self._kept = ints(self._nodes)
            self._seen_prediction = longs(self._labels)
            self._seen_reference = longs(self._labels)
            self._tally = ints(self._labels)
        return 0

    def matched(self, predictions, references):
        """Return the greatest weight of a mapping of each pair of trees; -1 for a pair that is too large.

        Args:
            predictions: The `FlatNodes` of the predictions; only labels and sizes matter.
            references: The `FlatNodes` of the references, with the same number of trees.
        """
        p: FlatNodes = predictions
        r: FlatNodes = references
        n: cython.Py_ssize_t = p.n_trees
        t: cython.Py_ssize_t = 0
        nodes: cython.Py_ssize_t = max(p.largest(), r.largest())
        labels: cython.Py_ssize_t = max(p.n_classes, r.n_classes)
        self._prediction.reserve(1, nodes)
        self._reference.reserve(1, nodes)
        self._attach(nodes, labels)
        self.too_large = {}
        matched = doubles(n)
        out: cython.double[::1] = matched
        while t < n:
            try:
                with cython.nogil:
                    while t < n:
                        out[t] = self._match(p, r, t, self._prediction, self._reference)
                        t += 1
            except MemoryError as error:
                self.too_large[t] = str(error) or "the system has no memory left"
                self._gap = None  # some of its buffers may have grown, and others not
                self._attach(nodes, labels)
                out[t] = -1.0
                t += 1
        return matched[:n]

    def _match(self, p, r, t, own_p, own_r):
        n: cython.Py_ssize_t = p.offset[t + 1] - p.offset[t]
        m: cython.Py_ssize_t = r.offset[t + 1] - r.offset[t]
        if n == 0 or m == 0:
            return 0.0
        self._note_labels(p, p.offset[t], p.offset[t + 1], r, r.offset[t], r.offset[t + 1])
        n = self._copy(p, p.offset[t], p.offset[t + 1], self._seen_reference, own_p, 0)
        m = self._copy(r, r.offset[t], r.offset[t + 1], self._seen_prediction, own_r, 0)
        if self._mode != _AUTO:
            return self._solve(own_p, own_r, 0, n, 0, m)
        return self._peel(own_p, own_r, n, m)

    # ---- nodes ---------------------------------------------------------------------------------

    def _note_labels(self, p, i0, i1, r, j0, j1):
        """Mark the labels that occur in two ranges."""
        i: cython.Py_ssize_t
        self._stamp += 1
        for i in range(i0, i1):
            self._seen_prediction[p.label[i]] = self._stamp
        for i in range(j0, j1):
            self._seen_reference[r.label[i]] = self._stamp
        return 0

    def _copy(self, source, lo, hi, seen, out, to):
        """Copy the nodes that may be mapped, perhaps to their own place, and return their number."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t
        for i in range(lo, hi):
            self._kept[i - lo] = n
            if self._rename >= 2.0 and seen[source.label[i]] != self._stamp:
                continue
            size = source.size[i]
            out.label[to + n] = source.label[i]
            out.size[to + n] = n - self._kept[i - lo - size + 1] + 1
            out.start[to + n] = 0.0  # for tables, all nodes overlap each other
            out.end[to + n] = 1.0
            out.dead[to + n] = False
            n += 1
        return n

    # ---- without tables ------------------------------------------------------------------------

    def _peel(self, p, r, n, m):
        """Map nodes that need no table, and solve the rest.

        `left` and `right` count nodes that are equal from either end of the two ranges. Both ranges lose the
        same number of nodes there, so nodes that were found equal stay so.
        """
        i0: cython.Py_ssize_t = 0
        i1: cython.Py_ssize_t = n
        j0: cython.Py_ssize_t = 0
        j1: cython.Py_ssize_t = m
        left: cython.Py_ssize_t = 0
        right: cython.Py_ssize_t = 0
        cut: cython.Py_ssize_t
        rounds: cython.int = 1
        total: cython.double = 0.0
        while True:
            while i0 < i1 and j0 < j1 and p.size[i1 - 1] == r.size[j1 - 1]:
                cut = p.size[i1 - 1]
                while right < cut and self._equal(p, r, i1 - 1 - right, j1 - 1 - right):
                    right += 1
                if right < cut:
                    break
                i1 -= cut
                j1 -= cut
                right -= cut
                total += cut
            while left < i1 - i0 and left < j1 - j0 and self._equal(p, r, i0 + left, j0 + left):
                left += 1
            cut = self._common_trees(p, r, i0, i1, j0, j1, left)
            i0 += cut
            j0 += cut
            left -= cut
            total += cut
            if i0 == i1 or j0 == j1:
                return total
            if p.size[i1 - 1] == i1 - i0 and r.size[j1 - 1] == j1 - j0 and p.label[i1 - 1] == r.label[j1 - 1]:
                i1 -= 1
                j1 -= 1
                right = max(right - 1, 0)
                total += 1.0
                continue
            if self._rename >= 2.0 and rounds < _ROUNDS:
                self._note_labels(p, i0, i1, r, j0, j1)
                n = self._copy(p, i0, i1, self._seen_reference, p, i0)
                m = self._copy(r, j0, j1, self._seen_prediction, r, j0)
                if n < i1 - i0 or m < j1 - j0:
                    rounds += 1
                    i1 = i0 + n
                    j1 = j0 + m
                    left = right = 0
                    continue
            return total + self._solve(p, r, i0, i1, j0, j1)

    def _equal(self, p, r, i, j):
        return p.label[i] == r.label[j] and p.size[i] == r.size[j]

    def _common_trees(self, p, r, i0, i1, j0, j1, equal):
        """Return the size of the longest run of whole trees at the left within the first `equal` nodes."""
        x: cython.Py_ssize_t = i1 - i0
        y: cython.Py_ssize_t = j1 - j0
        while x != y or x > equal:
            if x >= y:
                x -= p.size[i0 + x - 1]
            else:
                y -= r.size[j0 + y - 1]
        return x

    # ---- with tables ---------------------------------------------------------------------------

    def _solve(self, p, r, i0, i1, j0, j1):
        """Return the greatest weight for two ranges."""
        nodes: cython.double = (i1 - i0) + (j1 - j0)
        limit: cython.double = nodes
        total: cython.double
        if i0 == i1 or j0 == j1:
            return 0.0
        if self._mode == _AUTO:
            limit = self._lower_bound(p, r, i0, i1, j0, j1) + _FIRST_EXCESS
        while True:
            total = self._solve_within(p, r, i0, i1, j0, j1, limit + _ROUNDING)
            if nodes - 2.0 * total <= limit + _ROUNDING:
                return total
            limit = min(2.0 * limit, nodes - 2.0 * total)

    def _lower_bound(self, p, r, i0, i1, j0, j1):
        """Return the least cost of any mapping: equal labels cost nothing, and the rest is renamed."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = i1 - i0
        m: cython.Py_ssize_t = j1 - j0
        same: cython.Py_ssize_t = 0
        for i in range(i0, i1):
            self._tally[p.label[i]] += 1
        for i in range(j0, j1):
            if self._tally[r.label[i]] > 0:
                self._tally[r.label[i]] -= 1
                same += 1
        for i in range(i0, i1):
            self._tally[p.label[i]] = 0
        return max(n, m) - min(n, m) + self._rename * (min(n, m) - same)

    def _solve_within(self, p, r, i0, i1, j0, j1, limit):
        """Return the greatest weight of mappings whose pairs are possible at a cost of `limit`."""
        mode: cython.int = self._mode
        if mode == _AUTO or mode == _NO_PEEL:
            mode = self._solver.choose_side(p, r, i0, i1, j0, j1)
            self._load(p, r, i0, i1, j0, j1, mode, limit)
            mode = self._solver.choose_layer(self._gap, mode)
            if mode == _SPINE_PREDICTION or mode == _SPINE_REFERENCE:
                self._load(p, r, i0, i1, j0, j1, mode, limit)
        else:
            self._load(p, r, i0, i1, j0, j1, mode, limit)
        return self._solver.solve(self._gap, mode)

    def _load(self, p, r, i0, i1, j0, j1, mode, limit):
        mirrored: cython.bint = mode == _RIGHT
        if mode == _SPINE_REFERENCE:
            self._load_side(self._gap.rows, r, j0, j1, mirrored)
            self._load_side(self._gap.columns, p, i0, i1, mirrored)
        else:
            self._load_side(self._gap.rows, p, i0, i1, mirrored)
            self._load_side(self._gap.columns, r, j0, j1, mirrored)
        self._candidates.find(self._gap, limit)
        return 0

    def _load_side(self, side, nodes, lo, hi, mirrored):
        side.take(nodes, lo, hi, None, lo, False)
        return side.load(nodes, mirrored)
