# cython: infer_types=True
"""Which nodes are aligned: walks back through a solved gap.

Every candidate's value is known by then, so one dense table for the nodes below each aligned pair,
filled and walked back, shows the pairs next down. On ties the walk leaves out the later column
first, then the later row.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import doubles, ints
from .gap import table


class Trace:
    """Collects the aligned pairs of solved gaps, and of pairs that were aligned without one.

    Args:
        n: The most nodes that a side of a pair of trees may have.
    """

    def __init__(self, n):
        self.n_pairs = 0
        # By pair: the place of the node of either side in its batch.
        self.prediction = ints(n)
        self.reference = ints(n)
        self._todo = ints(2 * n)  # pairs (u, v) of a gap below which there are more
        self._last_at = ints(n + 1)  # by slot of the rows: the outermost node that closes there
        self._cells = doubles(0)

    def add(self, prediction, reference):
        """Note a pair by its places in the batch."""
        self.prediction[self.n_pairs] = prediction
        self.reference[self.n_pairs] = reference
        self.n_pairs += 1
        return 0

    def add_gap(self, gap, solver):
        """Note the pairs of a best alignment of a gap that the solver has solved."""
        return self._add_gap(gap, solver, gap.rows, gap.columns)

    def _add_gap(self, gap, solver, rows, columns):
        # The last node to close at a slot is the outermost.
        for i in range(rows.n):
            self._last_at[rows.close[i]] = i
        todo = self._add_forest(
            gap, solver, rows, columns, 0, rows.n, columns.n, 0, 0, rows.slots, columns.slots
        )
        # `_todo` is a stack of pairs whose subtrees are still to be aligned.
        while todo > 0:
            todo -= 2
            u = self._todo[todo]
            v = self._todo[todo + 1]
            todo = self._add_forest(
                gap,
                solver,
                rows,
                columns,
                todo,
                u,
                v,
                rows.open[u],
                columns.open[v],
                rows.close[u],
                columns.close[v],
            )
        return 0

    def _add_forest(self, gap, solver, rows, columns, todo, u_end, v_end, a, b, x_last, y_last):
        """Align the nodes before rows' `u_end` within slots a … x_last, and the columns in the same way.

        Notes the outermost pairs; puts those with something below onto `_todo` and returns its
        height.
        """
        stride: cython.Py_ssize_t = y_last - b + 1
        x: cython.Py_ssize_t = x_last
        y: cython.Py_ssize_t = y_last
        u_first: cython.Py_ssize_t = rows.leaf[a]
        v_first: cython.Py_ssize_t = columns.leaf[b]
        cells: cython.Py_ssize_t = (x_last - a + 1) * stride
        # Chains know the predecessor of each pair, so no table is needed.
        if solver.chain_pays(gap, u_first, u_end - 1, v_first, v_end - 1, cells):
            k = solver.chains.link(gap, u_first, u_end - 1, v_first, v_end - 1)
            while k >= 0:
                todo = self._add_candidate(gap, todo, solver.chains.row_of[k], k)
                k = solver.chains.before[k]
            return todo
        self._fill(gap, rows, columns, u_end, v_end, a, b, x_last, y_last)
        # Walk back: a cell equal to its neighbour on the left or above gained nothing there.
        while x > a and y > b:
            cell = (x - a) * stride + y - b
            if self._cells[cell] == self._cells[cell - 1]:
                y -= 1
            elif self._cells[cell] == self._cells[cell - stride]:
                x -= 1
            else:
                k = self._find(gap, rows, u_end, v_end, a, b, x, y, stride)
                u = self._found_row
                todo = self._add_candidate(gap, todo, u, k)
                # The rest lies left of both nodes.
                x = rows.open[u]
                y = columns.open[gap.column[k]]
        return todo

    def _fill(self, gap, rows, columns, u_end, v_end, a, b, x_last, y_last):
        """Fill cell (x, y) with the best total of rows up to slot x and columns up to slot y."""
        stride: cython.Py_ssize_t = y_last - b + 1
        size: cython.Py_ssize_t = (x_last - a + 1) * stride
        u: cython.Py_ssize_t = rows.leaf[a]
        v_first: cython.int = columns.leaf[b]
        to: cython.Py_ssize_t = 0
        if size > len(self._cells):
            with cython.gil:
                self._cells = table(size + size // 2)
        for y in range(stride):
            self._cells[y] = 0.0
        for x in range(a + 1, x_last + 1):
            to += stride
            for y in range(stride):
                self._cells[to + y] = self._cells[to - stride + y]
            while u < u_end and rows.close[u] == x:
                source = (rows.open[u] - a) * stride
                for k in range(gap.row[u], gap.row[u + 1]):
                    if v_first <= gap.column[k] < v_end:
                        y = gap.column_close[k] - b
                        self._cells[to + y] = max(
                            self._cells[to + y],
                            self._cells[source + gap.column_open[k] - b] + gap.value[k],
                        )
                u += 1
            for y in range(1, stride):
                self._cells[to + y] = max(self._cells[to + y], self._cells[to + y - 1])
        return 0

    def _find(self, gap, rows, u_end, v_end, a, b, x, y, stride):
        """Return the candidate that gave cell (x, y) its total; outer rows are tried first."""
        u: cython.Py_ssize_t = min(self._last_at[x], u_end - 1)
        want: cython.double = self._cells[(x - a) * stride + y - b]
        while u >= 0 and rows.close[u] == x:
            if rows.open[u] >= a:
                for k in range(gap.row[u], gap.row[u + 1]):
                    if (
                        gap.column_close[k] == y
                        and gap.column_open[k] >= b
                        and gap.column[k] < v_end
                        and self._cells[(rows.open[u] - a) * stride + gap.column_open[k] - b] + gap.value[k]
                        == want
                    ):
                        self._found_row = u
                        return k
            u -= 1
        with cython.gil:
            raise RuntimeError("the alignment cannot be traced back; please report this pair of trees")

    def _add_candidate(self, gap, todo, u, k):
        """Note a candidate's pair, and on `_todo` that there is something below; return its height."""
        if gap.done[k]:
            self._add_done(gap, u, k)
            return todo
        self._add(gap, u, gap.column[k])
        self._todo[todo] = u
        self._todo[todo + 1] = gap.column[k]
        return todo + 2

    def _add(self, gap, u, v):
        if gap.swapped:
            self.add(gap.columns.origin[v], gap.rows.origin[u])
        else:
            self.add(gap.rows.origin[u], gap.columns.origin[v])
        return 0

    def _add_done(self, gap, u, k):
        """Note a pair that needed no table: a leaf's alone, or equal subtrees node by node."""
        row: cython.Py_ssize_t = gap.rows.origin[u]
        column: cython.Py_ssize_t = gap.columns.origin[gap.column[k]]
        i: cython.Py_ssize_t
        # Equal subtrees are runs of the same size that end with the pair.
        for i in range(gap.rows.whole[u] if gap.rows.twin[u] == column else 1):
            if gap.swapped:
                self.add(column - i, row - i)
            else:
                self.add(row - i, column - i)
        return 0
