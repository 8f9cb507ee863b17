# cython: infer_types=True
"""Chains of pairs: the values of a table without its cells, where few cells differ from their neighbours.

A cell (x, y) of a table is the best total of a chain of candidate pairs, each wholly left of the next on both
sides, that ends at or before slots x and y. In two long texts candidates lie near the diagonal, so nearly all
cells repeat a neighbour. Here one side is swept from left to right, and the best totals so far, by the slots
of the other side, are kept as prefix maxima (Fenwick 1994): they are asked for the best chain before a pair
when the sweep passes the slot where that pair begins. Time and memory grow with the candidates, not with the
product of the two lengths. Sums are those that tables make, so the results are equal to the last bit.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import doubles, ints, longs
from .gap import table

_CANDIDATE_COST = 16  # a candidate costs about as much as this many cells of a table (measured)


class Chains:
    """Solves or links the candidates between a range of rows and one of columns of a gap.

    `pay` finds the candidates of two ranges and has to be asked before. The side with fewer nodes leads the
    sweep. The candidates of a row are a run of the gap's; those of a column are listed once columns lead. `p`
    is a place in the list that leads.

    `cost` is the cost of the chains in cells, as `pay` found it. `row_of[k]` is the row of candidate k. After
    `link`, `before[k]` is the candidate before k in the best chain that ends with k, or -1.

    Args:
        n: The most nodes that a side may have.
        always: Whether to use chains at any cost, for tests.
    """

    def __init__(self, n, always):
        self._always = always
        self._by_column = False
        self._row_above = ints(n)
        self._column_above = ints(n)
        self._newest = ints(n + 1)
        # By node of the side that leads: its places in the list, from one up to another.
        self._from = longs(n)
        self._to = longs(n)
        self._column_at = longs(n + 1)
        # By slot of the other side. Both trees of maxima are empty between two sweeps.
        self._best = doubles(n + 2)
        self._below = doubles(n + 2)
        self._best_pair = array("q", [-1]) * (n + 2)
        # By candidate.
        self.row_of = ints(0)
        self.before = longs(0)
        self._in_column = longs(0)
        self._total = doubles(0)
        self.forget()

    def forget(self):
        """Forget the candidates of the gap before."""
        self._has_rows = self._has_columns = False
        return 0

    # ---- candidates of two ranges --------------------------------------------------------------

    def pay(self, gap, u_first, u_last, v_first, v_last, cells):
        """Return whether two ranges cost less by chains than by a table of that many cells."""
        count: cython.Py_ssize_t = 0
        # Too many candidates for chains to win against a table of the whole gap.
        if not self._always and gap.n_candidates * _CANDIDATE_COST > gap.rows.n * gap.columns.n:
            return False
        self._list_rows(gap, gap.rows, gap.columns)
        # Columns lead only if they are far fewer, because their candidates have to be listed first.
        self._by_column = 4 * (v_last - v_first) < u_last - u_first
        if self._by_column:
            self._list_columns(gap, gap.columns)
            for v in range(v_first, v_last + 1):
                count += self._find_range(gap, v, u_first, u_last)
        else:
            for u in range(u_first, u_last + 1):
                count += self._find_range(gap, u, v_first, v_last)
        self.cost = count * _CANDIDATE_COST
        return self._always or self.cost < cells

    def _list_rows(self, gap, rows, columns):
        """Note the row of each candidate."""
        if self._has_rows:
            return 0
        if gap.n_candidates > len(self.row_of):
            with cython.gil:
                self.row_of = ints(gap.n_candidates + gap.n_candidates // 4)
                self._total = table(gap.n_candidates + gap.n_candidates // 4)
        self._find_above(rows, self._row_above)
        for u in range(rows.n):
            for k in range(gap.row[u], gap.row[u + 1]):
                self.row_of[k] = u
        self._has_rows = True
        return 0

    def _list_columns(self, gap, columns):
        """List the candidates of each column, in order of their rows."""
        at: cython.longlong = 0
        if self._has_columns:
            return 0
        if gap.n_candidates > len(self._in_column):
            with cython.gil:
                self._in_column = longs(gap.n_candidates + gap.n_candidates // 4)
        self._find_above(columns, self._column_above)
        for v in range(columns.n + 1):
            self._column_at[v] = 0
        # Counting sort of the candidates by column; from the end, so that rows stay in order.
        for k in range(gap.n_candidates):
            self._column_at[gap.column[k]] += 1
        for v in range(columns.n + 1):
            at += self._column_at[v]
            self._column_at[v] = at
        for k in range(gap.n_candidates - 1, -1, -1):
            v = gap.column[k]
            self._column_at[v] -= 1
            self._in_column[self._column_at[v]] = k
        self._has_columns = True
        return 0

    def _find_above(self, side, above):
        """Find for each node the next one up with the same first leaf, or -1."""
        for a in range(side.slots + 1):
            self._newest[a] = -1
        for i in range(side.n):
            above[i] = -1
            if self._newest[side.open[i]] >= 0:
                above[self._newest[side.open[i]]] = i
            self._newest[side.open[i]] = i
        return 0

    def _above(self, node):
        return self._column_above[node] if self._by_column else self._row_above[node]

    def _pair(self, p):
        """Return the candidate at a place."""
        return self._in_column[p] if self._by_column else p

    def _partner(self, gap, p):
        """Return the node of the other side at a place."""
        return self.row_of[self._in_column[p]] if self._by_column else gap.column[p]

    def _find_range(self, gap, node, first, last):
        """Note in `_from` and `_to` the places of the partners `first … last` of a node; return how many."""
        lo: cython.Py_ssize_t
        hi: cython.Py_ssize_t
        if self._by_column:
            lo = self._column_at[node]
            hi = self._column_at[node + 1]
        else:
            lo = gap.row[node]
            hi = gap.row[node + 1]
        self._from[node] = lo = self._first_at_least(gap, lo, hi, first)
        self._to[node] = hi = self._first_at_least(gap, lo, hi, last + 1)
        return hi - lo

    def _first_at_least(self, gap, p, end, partner):
        """Return the first place of `p … end` with that partner or a later one."""
        while p < end:
            middle = (p + end) // 2
            if self._partner(gap, middle) < partner:
                p = middle + 1
            else:
                end = middle
        return p

    # ---- best totals ---------------------------------------------------------------------------

    def solve(self, gap, u_first, u_last, v_first, v_last, whole):
        """Solve the candidates of a group as `Solver._table` does; with `whole`, returns the best total."""
        if self._by_column:
            return self._sweep(gap, gap.columns, gap.rows, v_first, v_last, u_first, u_last, whole)
        return self._sweep(gap, gap.rows, gap.columns, u_first, u_last, v_first, v_last, whole)

    def _sweep(self, gap, lead, other, lead_first, lead_last, other_first, other_last, whole):
        """Fill as `Solver._table` does, with the side that leads for the rows.

        `_total[k]` is the best total before candidate k, and later with it. `_best` holds the prefix maxima:
        place i those of the slots up to i from the one where the last bit of i is taken off.
        """
        a: cython.Py_ssize_t = lead.open[lead_first]
        b: cython.Py_ssize_t = other.open[other_first]
        width: cython.Py_ssize_t = other.close[other_last] - b
        total: cython.double
        for node in range(lead_first, lead_last + 1):
            if lead.size[node] == 1:
                self._look_up(gap, other, node, lead_last, b, lead.open[node] == a)
            if lead.open[node] == a:
                self._solve_node(gap, other, node, b)
                if node == lead_last and not whole:
                    break
            for p in range(self._from[node], self._to[node]):
                # Candidates of one node are raised together, so that none of them can precede another.
                k = self._pair(p)
                partner = self._partner(gap, p)
                y = other.close[partner] - b
                total = self._total[k] + gap.value[k]
                # `_below[y]` has the totals that end at y and begin right of b, strictly below a node there.
                if other.open[partner] > b and total > self._below[y]:
                    self._below[y] = total
                self._raise(y, width, total)
        total = self._best_up_to(width)
        for node in range(lead_first, lead_last + 1):  # leaves nothing for the next group
            for p in range(self._from[node], self._to[node]):
                y = other.close[self._partner(gap, p)] - b
                self._below[y] = 0.0
                while y <= width and self._best[y] > 0.0:
                    self._best[y] = 0.0
                    y += y & -y
        return total

    def _look_up(self, gap, other, leaf, last, b, first):
        """Find the best totals before all candidates of the nodes that begin with a leaf."""
        node: cython.Py_ssize_t = leaf
        while 0 <= node <= last:
            for p in range(self._from[node], self._to[node]):
                k = self._pair(p)
                # A candidate follows all candidates that end at or before the slot where its partner opens.
                self._total[k] = 0.0 if first else self._best_up_to(other.open[self._partner(gap, p)] - b)
            node = self._above(node)
        return 0

    def _solve_node(self, gap, other, node, b):
        """Add to a node's unsolved candidates that begin at b the best total of the nodes below."""
        for p in range(self._from[node], self._to[node]):
            k = self._pair(p)
            partner = self._partner(gap, p)
            if not gap.done[k] and other.open[partner] == b:
                y = other.close[partner] - b
                # The pair adds the best total that ends before the partner does, or at it but begins after b.
                gap.value[k] += max(self._best_up_to(y - 1), self._below[y])
        return 0

    def _best_up_to(self, y):
        best: cython.double = 0.0
        while y > 0:
            if self._best[y] > best:
                best = self._best[y]
            # Take off the last bit: the maxima of the slots before this run.
            y &= y - 1
        return best

    def _raise(self, y, width, total):
        while y <= width and self._best[y] < total:
            self._best[y] = total
            # Add the last bit: the next larger run that holds this slot.
            y += y & -y
        return 0

    # ---- which pairs ---------------------------------------------------------------------------

    def link(self, gap, u_first, u_last, v_first, v_last):
        """Link solved candidates into their best chains; return the last one of the best, or -1.

        Of several best chains it is the one that `Trace` finds in a table.
        """
        if gap.n_candidates > len(self.before):
            with cython.gil:
                self.before = longs(gap.n_candidates + gap.n_candidates // 4)
        if self._by_column:
            return self._sweep_links(gap, gap.columns, gap.rows, v_first, v_last, u_first, u_last)
        return self._sweep_links(gap, gap.rows, gap.columns, u_first, u_last, v_first, v_last)

    def _sweep_links(self, gap, lead, other, lead_first, lead_last, other_first, other_last):
        """Sweeps as `_sweep` does, but all is solved, and `_best_pair` holds candidates instead of totals."""
        b: cython.Py_ssize_t = other.open[other_first]
        width: cython.Py_ssize_t = other.close[other_last] - b
        for node in range(lead_first, lead_last + 1):
            if lead.size[node] == 1:
                self._look_up_links(gap, other, node, lead_last, b)
            for p in range(self._from[node], self._to[node]):
                k = self._pair(p)
                self._total[k] += gap.value[k]
                self._raise_pair(gap, gap.rows, other.close[self._partner(gap, p)] - b, width, k)
        last = self._best_pair_up_to(gap, gap.rows, width)
        for node in range(lead_first, lead_last + 1):
            for p in range(self._from[node], self._to[node]):
                y = other.close[self._partner(gap, p)] - b
                while y <= width and self._best_pair[y] >= 0:
                    self._best_pair[y] = -1
                    y += y & -y
        return last

    def _look_up_links(self, gap, other, leaf, last, b):
        node: cython.Py_ssize_t = leaf
        while 0 <= node <= last:
            for p in range(self._from[node], self._to[node]):
                k = self._pair(p)
                before = self._best_pair_up_to(gap, gap.rows, other.open[self._partner(gap, p)] - b)
                self.before[k] = before
                self._total[k] = self._total[before] if before >= 0 else 0.0
            node = self._above(node)
        return 0

    def _best_pair_up_to(self, gap, rows, y):
        best: cython.Py_ssize_t = -1
        while y > 0:
            if self._best_pair[y] >= 0 and self._is_better(gap, rows, self._best_pair[y], best):
                best = self._best_pair[y]
            y &= y - 1
        return best

    def _raise_pair(self, gap, rows, y, width, k):
        while y <= width and self._is_better(gap, rows, k, self._best_pair[y]):
            self._best_pair[y] = k
            y += y & -y
        return 0

    def _is_better(self, gap, rows, k, old):
        """Return whether a chain should end with candidate k rather than with another, or with none (-1).

        On equal totals the earlier column goes first, then the earlier row, each by its slot, then the outer
        row and the inner column.
        """
        if old < 0 or self._total[k] > self._total[old]:
            return True
        if self._total[k] < self._total[old]:
            return False
        if gap.column_close[k] != gap.column_close[old]:
            return gap.column_close[k] < gap.column_close[old]
        if rows.close[self.row_of[k]] != rows.close[self.row_of[old]]:
            return rows.close[self.row_of[k]] < rows.close[self.row_of[old]]
        if self.row_of[k] != self.row_of[old]:
            return self.row_of[k] > self.row_of[old]
        return gap.column[k] < gap.column[old]
