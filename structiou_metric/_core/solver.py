"""Which tables solve a gap at the least cost: left to right, mirrored, or along the heavy paths of a side."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .spine import Spine
    from .tables import INFINITY, Tables

from .flat import ints

# How gaps are solved. All but AUTO are for tests: they skip peeling and force one layer.
MODES = {
    "auto": 0,
    "no peel": 1,
    "left": 2,
    "right": 3,
    "spine prediction": 4,
    "spine reference": 5,
    "chains": 6,
}
_AUTO, _NO_PEEL, _LEFT, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE = 0, 1, 2, 3, 4, 5

# Listing a pair of nodes that may align costs about as much as this many cells of a table (measured).
_CANDIDATE_CELLS = 16

# Below this many cells tables are always quick enough not to ask for the spine's cost.
_MANY_CELLS = 1e7
# A cell of the spine's dense grids costs about a quarter of a sparse table's (measured).
_SPINE_GAIN = 4.0


class Solver:
    """Solves gaps, in buffers that are kept from gap to gap.

    Args:
        chains: A `Chains`, for tables with few candidates.
    """

    def __init__(self, chains):
        self._chains = chains
        self._tables = Tables(chains)
        self._spine = Spine()
        self._cells = self._left = self._right = 0.0
        self._room = -1
        self.reserve(0)

    def reserve(self, n):
        """Makes room for gaps with `n` nodes on a side."""
        if n > self._room:
            self._room = n + n // 2
            self._mark = ints(self._room)
        return 0

    def choose_side(self, p, r, i0, i1, j0, j1):
        """The mode `left`, or `right` where the mirrored tables of two ranges of nodes cost less."""
        left: cython.double
        right: cython.double
        self._weigh(p, i0, i1)
        left = self._left
        right = self._right
        self._weigh(r, j0, j1)
        left *= self._left
        right *= self._right
        self._cells = min(left, right)
        return _RIGHT if right < left else _LEFT

    def is_large(self):
        """Whether the gap of `choose_side` has so many cells that the spine is considered."""
        return self._cells > _MANY_CELLS

    def choose_layer(self, gap, mode):
        """The mode with the least cells for a loaded gap: its tables, or the spine of one side.

        Args:
            gap: The gap, loaded as `choose_side` said, without swapping.
            mode: The mode that `choose_side` said.
        """
        tables: cython.double
        by_prediction: cython.double
        by_reference: cython.double
        if not self.is_large():
            return mode
        tables = _SPINE_GAIN * self._tables.cost(gap)
        by_prediction = self._spine.cost(gap.rows, gap.columns)
        by_reference = self._spine.cost(gap.columns, gap.rows)
        if by_prediction < tables and by_prediction <= by_reference:
            return _SPINE_PREDICTION
        if by_reference < tables:
            return _SPINE_REFERENCE
        return mode

    def allow(self, max_cells):
        """Set how many cells may be filled from now on, whatever the number of gaps."""
        self._tables.cells_left = max_cells
        return 0

    def solve(self, gap, mode):
        """Return the best total of a gap, loaded for the mode: for a spine unmirrored, its side in the rows.

        The total is -infinity if this takes more cells than are left, and for all gaps that follow.
        """
        self._chains.forget()
        self._tables.cells_left -= gap.n_candidates * _CANDIDATE_CELLS
        if mode == _SPINE_PREDICTION or mode == _SPINE_REFERENCE:
            self._tables.cells_left -= self._spine.cost(gap.rows, gap.columns)
            return -INFINITY if self._tables.cells_left < 0.0 else self._spine.solve(gap)
        return self._tables.solve(gap)

    def _weigh(self, nodes, lo, hi):
        """Finds what the tables of a side cost.

        Left to right, `_left`: the sum of the sizes of all nodes that are no first child, for those are the
        topmost over their first leaf. Mirrored, `_right`: of all that are no last child.
        """
        i: cython.Py_ssize_t
        first: cython.Py_ssize_t
        size: cython.int
        left: cython.Py_ssize_t = 0
        right: cython.Py_ssize_t = 0
        for i in range(lo, hi):
            if nodes.dead[i]:
                continue
            size = nodes.size[i]
            first = i - lo - size + 1
            left += size
            if size > 1:
                left -= self._mark[first]  # what is below and begins there is no topmost node
            self._mark[first] = size
            if i + 1 == hi or nodes.dead[i + 1] or nodes.size[i + 1] == 1:
                right += size
        self._left = left
        self._right = right
        return 0
