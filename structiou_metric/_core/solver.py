# cython: infer_types=True
"""Solves gaps: sparse tables, unless chains or the heavy paths of a side cost less.

The table of a pair (u, v) depends on the first leaves of u and v alone, so all pairs with the same
two first leaves form a group and share one table, as under the keyroots of Zhang and Shasha (1989).
A table is made only for groups that hold a candidate pair still to be solved. Both trees are mirrored
where that needs fewer cells; a large table with few candidates is solved by `chains`, and a gap whose
tables would be too large by `spine`.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .chains import Chains
    from .gap import INFINITY
    from .spine import Spine

from .flat import doubles, ints, longs
from .gap import table

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
_AUTO, _NO_PEEL, _LEFT, _RIGHT, _SPINE_PREDICTION, _SPINE_REFERENCE, _CHAINS = 0, 1, 2, 3, 4, 5, 6

# Listing a pair of nodes that may align costs about as much as this many cells of a table (measured).
_CANDIDATE_CELLS = 16
# Tables with fewer cells are always quick enough not to ask for the cost of chains.
_CHAIN_CELLS = 1 << 15
# Below this many cells tables are always quick enough not to ask for the spine's cost.
_MANY_CELLS = 1e7
# A cell of the spine's dense grids costs about a quarter of a sparse table's (measured).
_SPINE_GAIN = 4.0


class Solver:
    """Solves gaps of up to a number of nodes on a side, in buffers that are kept from gap to gap.

    Args:
        n: The most nodes that a side may have.
        mode: A value of `MODES`.

    Attributes:
        chains: The `Chains`; None until a large table was met.
    """

    def __init__(self, n, mode):
        self._n = n
        self.always_chains = mode == _CHAINS
        self.chains = self._spine = None
        self._side_cells = self._left = self._right = 0.0
        self._mark = ints(n)
        # By node of the rows.
        self._above = ints(n)
        # By slot: the newest node that opens there, and of a group by the slot of its columns, the last row
        # and the last column. A group is set if its stamp is that of the visit.
        self._newest = ints(n + 1)
        self._group_stamp = longs(n + 1)
        self._group_u = ints(n + 1)
        self._group_v = ints(n + 1)
        self._group_at = ints(n + 1)
        self._stamp = 0
        # Of the table that is filled: where each row begins among the cells, and `below` of `_table`.
        self._row_of = longs(n + 2)
        self._below = doubles(n + 2)
        self._cells = doubles(0)

    # ---- which layer ---------------------------------------------------------------------------

    def choose_side(self, p, r, i0, i1, j0, j1):
        """Return the mode `left`, or `right` where the mirrored tables of two ranges of nodes cost less."""
        left: cython.double
        right: cython.double
        # The cells of all tables are the product of the sums of both sides.
        self._weigh(p, i0, i1)
        left = self._left
        right = self._right
        self._weigh(r, j0, j1)
        left *= self._left
        right *= self._right
        self._side_cells = min(left, right)
        return _RIGHT if right < left else _LEFT

    def is_large(self):
        """Return whether the gap of `choose_side` has enough cells for the spine to be considered."""
        return self._side_cells > _MANY_CELLS

    def choose_layer(self, gap, mode):
        """Return the mode with the least cells for a loaded gap: its tables, or the spine of one side.

        Args:
            gap: The gap, loaded as `choose_side` said, without swapping.
            mode: The mode that `choose_side` said.
        """
        tables: cython.double
        by_prediction: cython.double
        by_reference: cython.double
        if not self.is_large():
            return mode
        if self._spine is None:
            with cython.gil:
                self._spine = Spine(self._n)
        # The spine's cells cost more than those of tables, so it must save by this factor.
        tables = _SPINE_GAIN * self._visit_groups(gap, gap.rows, gap.columns, True)
        by_prediction = self._spine.cost(gap.rows, gap.columns)
        by_reference = self._spine.cost(gap.columns, gap.rows)
        if by_prediction < tables and by_prediction <= by_reference:
            return _SPINE_PREDICTION
        if by_reference < tables:
            return _SPINE_REFERENCE
        return mode

    def solve(self, gap, mode):
        """Return the best total of a gap and leave every candidate's value solved.

        For a spine, the gap is loaded unmirrored, with the side of the spine in the rows. If this takes more
        cells than the gap's `cells_left`, the total is -infinity, here and for all gaps that follow until
        more are allowed, and values mean nothing.
        """
        gap.cells_left -= gap.n_candidates * _CANDIDATE_CELLS
        if mode == _SPINE_PREDICTION or mode == _SPINE_REFERENCE:
            if self._spine is None:
                with cython.gil:
                    self._spine = Spine(self._n)
            gap.cells_left -= self._spine.cost(gap.rows, gap.columns)
            return -INFINITY if gap.cells_left < 0.0 else self._spine.solve(gap)
        if self.chains is not None:
            self.chains.forget()
        self._visit_groups(gap, gap.rows, gap.columns, False)
        return self._table(gap, gap.rows, gap.columns, 0, 0, gap.rows.n - 1, gap.columns.n - 1, True)

    def chain_pays(self, gap, u_first, u_last, v_first, v_last, cells):
        """Return whether chains cost less than a table of that many cells; if so, list them."""
        if cells < _CHAIN_CELLS and not self.always_chains:
            return False
        if self.chains is None:
            with cython.gil:
                self.chains = Chains(self._n, self.always_chains)
        return self.chains.pay(gap, u_first, u_last, v_first, v_last, cells)

    def _weigh(self, nodes, lo, hi):
        """Find the cost of the tables of a side.

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
                left -= self._mark[first]  # nodes below that begin there are no topmost nodes
            # The newest node that begins at a place is the largest so far.
            self._mark[first] = size
            # A node is a last child iff the next one in postorder is its parent, which then is no leaf.
            if i + 1 == hi or nodes.dead[i + 1] or nodes.size[i + 1] == 1:
                right += size
        self._left = left
        self._right = right
        return 0

    # ---- tables --------------------------------------------------------------------------------

    def _visit_groups(self, gap, rows, columns, count_only):
        """Make (or counts) the tables of all groups but (0, 0), innermost groups first."""
        cells: cython.double = 0.0
        # `_above[u]`: the next node up with the same first leaf.
        for a in range(rows.slots + 1):
            self._newest[a] = -1
        for i in range(rows.n):
            self._above[i] = -1
            if self._newest[rows.open[i]] >= 0:
                self._above[self._newest[rows.open[i]]] = i
            self._newest[rows.open[i]] = i
        # From the last leaf to the first: a table reads values of nodes that begin at or right of its own.
        for a in range(rows.slots - 1, -1, -1):
            if rows.leaf[a] < 0:
                continue  # the slot of a node with one child, which opens where that does
            self._stamp += 1
            groups = 0
            u = self._above[rows.leaf[a]]  # the leaf itself has no table
            while u >= 0:
                for k in range(gap.row[u], gap.row[u + 1]):
                    if gap.done[k]:
                        continue
                    b = gap.column_open[k]
                    # The first candidate of a group in this visit sets up the group.
                    if self._group_stamp[b] != self._stamp:
                        self._group_stamp[b] = self._stamp
                        self._group_v[b] = gap.column[k]
                        self._group_at[groups] = b
                        groups += 1
                    self._group_u[b] = u
                    self._group_v[b] = max(self._group_v[b], gap.column[k])
                u = self._above[u]
            # The cells of a table are its rows times its columns.
            if count_only:
                for i in range(groups):
                    b = self._group_at[i]
                    cells += (rows.close[self._group_u[b]] - a) * (columns.close[self._group_v[b]] - b + 0.0)
            else:
                # A table reads the values of pairs below its own, which open at or right of b.
                self._sort_groups(groups)
                for i in range(groups):
                    b = self._group_at[i]
                    if a > 0 or b > 0:
                        self._table(gap, rows, columns, a, b, self._group_u[b], self._group_v[b], False)
        return cells

    def _sort_groups(self, groups):
        """Put the groups in descending order (Shell 1959)."""
        step: cython.Py_ssize_t = 1
        while 9 * step < groups:
            step = 3 * step + 1
        while step > 0:
            for i in range(step, groups):
                b = self._group_at[i]
                j = i
                while j >= step and self._group_at[j - step] < b:
                    self._group_at[j] = self._group_at[j - step]
                    j -= step
                self._group_at[j] = b
            step //= 3
        return 0

    def _table(self, gap, rows, columns, a, b, u_last, v_last, whole):
        """Solve the candidates (u, v) with `open` (a, b) up to (u_last, v_last).

        Cell (x, y) is the best total of aligning nodes with open >= a, close <= a + x to nodes with
        open >= b, close <= b + y. Pairing u with v adds the best total of the nodes strictly below both:
        all of row `close(u)` so far lies below u; of the columns, those up to `close(v) - 1`, and
        at `close(v)` the totals that began right of b, kept in `_below`. Rows without a candidate are shared.

        Returns:
            The last cell; with `whole`, that of the whole forests. It is -infinity if no cells are left.
        """
        width: cython.Py_ssize_t = columns.close[v_last] - b
        stride: cython.Py_ssize_t = width + 1
        u_first: cython.Py_ssize_t = rows.leaf[a]
        v_first: cython.int = columns.leaf[b]
        filled: cython.Py_ssize_t = 0  # rows 0 … filled of `_row_of` are set
        current: cython.Py_ssize_t = 0  # offset of the newest row's cells
        owner: cython.Py_ssize_t = 0  # the slot that the newest row belongs to
        few: cython.bint
        cells: cython.Py_ssize_t = stride * (rows.close[u_last] - a + 2)
        # A large table is weighed against chains before its cells are subtracted.
        chained: cython.bint = self.chain_pays(gap, u_first, u_last, v_first, v_last, cells)
        gap.cells_left -= self.chains.cost if chained else cells
        if gap.cells_left < 0.0:
            return -INFINITY
        if chained:
            return self.chains.solve(gap, u_first, u_last, v_first, v_last, whole)
        if cells > len(self._cells):
            with cython.gil:
                self._cells = table(cells + cells // 2)
        for y in range(stride):
            self._cells[y] = 0.0
            self._below[y] = 0.0
        self._row_of[0] = 0
        for u in range(u_first, u_last + 1):
            k = gap.row[u]
            k_end = gap.row[u + 1]
            if not whole:
                k = self._first_at_least(gap, k, k_end, v_first)
                k_end = self._first_at_least(gap, k, k_end, v_last + 1)
            if k == k_end:
                continue
            x = rows.close[u] - a
            while filled < x:
                filled += 1
                self._row_of[filled] = current
            source = 0  # the empty row: nothing lies left of a node that begins at a
            if rows.open[u] > a:
                source = self._row_of[rows.open[u] - a]
            else:
                # All that lies below u is in the newest row, and nothing else: u begins where the table does.
                self._solve_row(gap, k, k_end, b, current)
                if u == u_last and not whole:
                    break
            if owner != x:  # the first node with candidates that ends at this slot copies the row
                for y in range(stride):
                    self._cells[current + stride + y] = self._cells[current + y]
                current += stride
                self._row_of[x] = current
                owner = x
            # A cell is the greatest of those before it. Few totals are spread to the right at once, many by
            # one pass over the row once all are in.
            few = k_end - k <= 4
            y_low = width
            while k < k_end:
                begin = gap.column_open[k] - b
                y = gap.column_close[k] - b
                total = self._cells[source + begin] + gap.value[k]
                if begin > 0 and total > self._below[y]:
                    self._below[y] = total
                if few:
                    while y <= width and self._cells[current + y] < total:
                        self._cells[current + y] = total
                        y += 1
                elif self._cells[current + y] < total:
                    self._cells[current + y] = total
                    y_low = min(y_low, y)
                k += 1
            if not few:
                total = self._cells[current + y_low]
                for y in range(y_low + 1, stride):
                    if self._cells[current + y] < total:
                        self._cells[current + y] = total
                    else:
                        total = self._cells[current + y]
        return self._cells[current + width]

    def _solve_row(self, gap, k, k_end, b, current):
        """Add to u's unsolved candidates that begin at b the best total of the nodes below."""
        while k < k_end:
            if not gap.done[k] and gap.column_open[k] == b:
                y = gap.column_close[k] - b
                gap.value[k] += max(self._cells[current + y - 1], self._below[y])
            k += 1
        return 0

    def _first_at_least(self, gap, k, end, v):
        """Return the first candidate of `k … end` whose column is at least v."""
        while end - k > 16:
            middle = (k + end) // 2
            if gap.column[middle] < v:
                k = middle + 1
            else:
                end = middle
        while k < end and gap.column[k] < v:
            k += 1
        return k
