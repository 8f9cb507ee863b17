# cython: infer_types=True
"""Sparse tables: the best alignment of a gap when most node pairs cannot align.

The table of a pair (u, v) depends on the first leaves of u and v alone, so all pairs with the same
two first leaves form a group and share one table, as under the keyroots of Zhang and Shasha (1989).
A table is made only for groups that hold a candidate pair still to be solved.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import doubles, ints, longs
from .gap import table

INFINITY = float("inf")


class Tables:
    """Solves gaps group by group, in buffers that are kept from gap to gap.

    `cells_left` is how many cells may still be filled; below 0, tables are left unsolved.

    Args:
        chains: A `Chains`, which solves large tables with few candidates.
    """

    def __init__(self, chains):
        self._chains = chains
        self.cells_left = INFINITY
        self._room = -1
        self._stamp = 0
        self._reserve(0)
        self._reserve_cells(0)

    def _reserve(self, n):
        if n > self._room:
            self._room = n + n // 2
            self._above = ints(self._room)
            self._newest = ints(self._room + 1)
            self._group_stamp = longs(self._room + 1)
            self._group_u = ints(self._room + 1)
            self._group_v = ints(self._room + 1)
            self._group_at = ints(self._room + 1)
            self._row_of = longs(self._room + 2)
            self._below = doubles(self._room + 2)
        return 0

    def _reserve_cells(self, n):
        self._cells = table(n + n // 2)
        self._cell_room = n + n // 2
        return 0

    def cost(self, gap):
        """How many cells the tables of a gap have in all."""
        return self._visit_groups(gap, gap.rows, gap.columns, True)

    def solve(self, gap):
        """Return the best total of a gap and leave every candidate's value solved.

        The total is -infinity, and values mean nothing, if this takes more cells than are left.
        """
        self._visit_groups(gap, gap.rows, gap.columns, False)
        return self._table(gap, gap.rows, gap.columns, 0, 0, gap.rows.n - 1, gap.columns.n - 1, True)

    def _visit_groups(self, gap, rows, columns, count_only):
        """Makes (or counts) the tables of all groups but (0, 0), innermost groups first."""
        cells: cython.double = 0.0
        if max(rows.n, columns.n) > self._room:
            with cython.gil:
                self._reserve(max(rows.n, columns.n))
        # `_above[u]`: the next node up with the same first leaf.
        for a in range(rows.slots + 1):
            self._newest[a] = -1
        for i in range(rows.n):
            self._above[i] = -1
            if self._newest[rows.open[i]] >= 0:
                self._above[self._newest[rows.open[i]]] = i
            self._newest[rows.open[i]] = i
        for a in range(rows.slots - 1, -1, -1):
            if rows.leaf[a] < 0:
                continue
            self._stamp += 1
            groups = 0
            low, high = 0, -1
            u = self._above[rows.leaf[a]]  # the leaf itself has no table
            while u >= 0:
                for k in range(gap.row[u], gap.row[u + 1]):
                    if gap.done[k]:
                        continue
                    b = gap.column_open[k]
                    if self._group_stamp[b] != self._stamp:
                        self._group_stamp[b] = self._stamp
                        self._group_v[b] = gap.column[k]
                        self._group_at[groups] = b
                        low = b if groups == 0 else min(low, b)
                        high = max(high, b)
                        groups += 1
                    self._group_u[b] = u
                    self._group_v[b] = max(self._group_v[b], gap.column[k])
                u = self._above[u]
            if count_only:
                for i in range(groups):
                    b = self._group_at[i]
                    cells += (rows.close[self._group_u[b]] - a) * (columns.close[self._group_v[b]] - b + 0.0)
            elif groups <= 8 or high - low > 16 * groups:
                self._sort_groups(groups)
                for i in range(groups):
                    b = self._group_at[i]
                    if a > 0 or b > 0:
                        self._table(gap, rows, columns, a, b, self._group_u[b], self._group_v[b], False)
            else:
                for b in range(high, low - 1, -1):
                    if self._group_stamp[b] == self._stamp and (a > 0 or b > 0):
                        self._table(gap, rows, columns, a, b, self._group_u[b], self._group_v[b], False)
        return cells

    def _sort_groups(self, groups):
        """Puts the groups in descending order (Shell 1959)."""
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
        """Solves the candidates (u, v) with `open` (a, b) up to (u_last, v_last).

        Cell (x, y) is the best total of aligning nodes with open >= a, close <= a + x to nodes with
        open >= b, close <= b + y. Pairing u with v adds the best of what lies strictly below both:
        all of row `close(u)` so far lies below u; of the columns, those up to `close(v) - 1`, and
        at `close(v)` what began right of b, kept in `_below`. Rows without a candidate are shared.

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
        chained: cython.bint = cells >= self._chains.least and self._chains.pay(
            gap, u_first, u_last, v_first, v_last, cells
        )
        self.cells_left -= self._chains.cost if chained else cells
        if self.cells_left < 0.0:
            return -INFINITY
        if chained:
            return self._chains.solve(gap, u_first, u_last, v_first, v_last, whole)
        if cells > self._cell_room:
            with cython.gil:
                self._reserve_cells(cells)
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
                self._solve_row(gap, k, k_end, b, current)
                if u == u_last and not whole:
                    break
            if owner != x:
                for y in range(stride):
                    self._cells[current + stride + y] = self._cells[current + y]
                current += stride
                self._row_of[x] = current
                owner = x
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
        """Adds to u's unsolved candidates that begin at b the best of what lies below."""
        while k < k_end:
            if not gap.done[k] and gap.column_open[k] == b:
                y = gap.column_close[k] - b
                gap.value[k] += max(self._cells[current + y - 1], self._below[y])
            k += 1
        return 0

    def _first_at_least(self, gap, k, end, v):
        """The first candidate of `k … end` whose column is at least v."""
        while end - k > 16:
            middle = (k + end) // 2
            if gap.column[middle] < v:
                k = middle + 1
            else:
                end = middle
        while k < end and gap.column[k] < v:
            k += 1
        return k
