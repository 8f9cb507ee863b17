# cython: infer_types=True
"""Heavy-path tables: the worst-case guarantee, O(n m² log n) for any two forests.

Klein (1998), over slots: the rows' forest is taken apart along heavy paths, from the root to the
largest child each time. A forest grown upward from a path's leaf, first by the trees on its left and
then by those on its right, is enough to solve every node of the path against every column, and a
node is added again only where a light edge lies above it, at most log n times.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import doubles, flags, ints
from .gap import table


class Spine:
    """Solves gaps of any shape that were loaded left to right.

    `_grid[b, y]` is the best total of aligning the forest grown so far to the columns with open >= b
    and close <= y. `_inside[v]` is the same for v's own cell, v itself left out, as far as the
    neighbouring cells do not show it.
    """

    def __init__(self, n):
        """Reserve space for `n` nodes on a side; the grid grows with the gaps."""
        # By node of the rows: the largest child, and whether another path begins there.
        self._heavy = ints(n)
        self._is_top = flags(n)
        self._path = ints(n)  # the nodes of a path from its top
        self._stack = ints(n)
        # By place in the order in which nodes are added at a side of the path, with their slots there.
        self._order = ints(n)
        self._x_open = ints(n)
        self._x_close = ints(n)
        # By node of the columns: its slots among those that overlap the path's top.
        self._open = ints(n)
        self._close = ints(n)
        self._kept = ints(n)
        self._column_stack = ints(n)
        self._inside = doubles(n)
        # By slot, the first column that opens (closes) there, and by column the next one.
        self._by_open = ints(n + 1)
        self._next_by_open = ints(n)
        self._by_close = ints(n + 1)
        self._next_by_close = ints(n)
        self._at_cell = ints(8 * (n + 1))  # the column of a cell, or -1; for eight neighbouring ends at once
        self._has_node = flags(n + 1)
        self._grid = doubles(0)
        self._cells = doubles(0)

    def cost(self, rows, columns):
        """About how many cells `solve` fills: the sizes of all path tops, times half the grid."""
        total: cython.double = rows.n
        for u in range(rows.n):
            largest = 0
            child = u - 1
            while child > u - rows.size[u]:
                largest = max(largest, rows.size[child])
                child -= rows.size[child]
            # All children but the largest are grown once for each path they hang beside.
            total += rows.size[u] - 1 - largest
        return total * columns.slots * columns.slots * 0.5

    def solve(self, gap):
        """Return the best total of a gap; leaves every candidate's value solved."""
        return self._solve(gap, gap.rows, gap.columns)

    def _solve(self, gap, rows, columns):
        for u in range(rows.n):
            self._is_top[u] = False
            self._heavy[u] = self._choose_heavy(rows, u - rows.size[u] + 1, u)
        top = self._choose_heavy(rows, 0, rows.n)
        for u in range(rows.n):  # postorder: the subtrees beside a path come before the path's top
            if self._is_top[u] and rows.size[u] > 1:
                self._climb(gap, rows, u, False)
        return self._climb(gap, rows, top, True)

    def _choose_heavy(self, rows, lo, hi):
        """Return the largest tree of `lo … hi`, or -1; marks the others as tops of their own paths."""
        heavy: cython.Py_ssize_t = -1
        tree: cython.Py_ssize_t = hi - 1
        while tree >= lo:
            self._is_top[tree] = True
            if heavy < 0 or rows.size[tree] > rows.size[heavy]:
                # A path goes on in the largest child, so at most log n paths are above a node.
                heavy = tree
            tree -= rows.size[tree]
        if heavy >= 0:
            self._is_top[heavy] = False
        return heavy

    def _climb(self, gap, rows, top, whole):
        """Solve all nodes on the heavy path from `top`; with `whole`, go on to the full forest."""
        length: cython.Py_ssize_t = 0
        u: cython.Py_ssize_t = top
        child: cython.Py_ssize_t = -1
        while u >= 0:
            self._path[length] = u
            length += 1
            u = self._heavy[u]
        slots = self._restrict(gap.columns, rows.start[top], rows.end[top], whole)
        if slots == 0:
            return 0.0
        # From the lowest node of the path up: grow the forest by the trees on both sides, then by the node.
        for i in range(length - 1, -1, -1):
            u = self._path[i]
            if child >= 0:
                self._add_left(gap, rows, u - rows.size[u] + 1, child - rows.size[child] + 1, slots)
                self._add_right(gap, rows, child + 1, u, slots)
            self._solve_node(gap, u, slots)
            child = u
            if i > 0 or whole:
                self._add_node(gap, u, slots)
        if not whole:
            return 0.0
        self._add_left(gap, rows, 0, top - rows.size[top] + 1, slots)
        self._add_right(gap, rows, top + 1, rows.n, slots)
        return self._grid[slots]

    def _restrict(self, columns, start, end, whole):
        """Give slots to the columns that overlap the span, and an empty grid; return the slots."""
        kept: cython.Py_ssize_t = 0
        depth: cython.Py_ssize_t = 0
        slots: cython.Py_ssize_t = 0
        for v in range(columns.n):
            # Columns that do not overlap the path's top cannot align with a node below it.
            if not whole and not (columns.start[v] < end and start < columns.end[v]):
                continue
            children = 0
            first = -1
            while depth > 0 and self._column_stack[depth - 1] > v - columns.size[v]:
                depth -= 1
                first = self._column_stack[depth]
                children += 1
            # Slots are numbered as in `Side`, but only among the columns that are kept.
            self._open[v] = slots if children == 0 else self._open[first]
            if children <= 1:
                slots += 1
            self._close[v] = slots
            self._column_stack[depth] = v
            depth += 1
            self._kept[kept] = v
            kept += 1
        room: cython.Py_ssize_t = (slots + 1) * (slots + 1)
        if room > len(self._grid):
            with cython.gil:
                self._grid = table(room + room // 2)
        for i in range(room):
            self._grid[i] = 0.0
        for i in range(slots + 1):
            self._by_open[i] = self._by_close[i] = -1
        for i in range(kept):
            v = self._kept[i]
            self._inside[v] = 0.0
            self._next_by_open[v] = self._by_open[self._open[v]]
            self._by_open[self._open[v]] = v
            self._next_by_close[v] = self._by_close[self._close[v]]
            self._by_close[self._close[v]] = v
        return slots

    def _solve_node(self, gap, u, slots):
        """Add to u's candidates the best total of the nodes strictly below both."""
        stride: cython.Py_ssize_t = slots + 1
        for k in range(gap.row[u], gap.row[u + 1]):
            if gap.done[k]:
                continue
            v = gap.column[k]
            # Narrower cells do not include v itself; `_inside` has the totals that reach both edges.
            cell = self._open[v] * stride + self._close[v]
            gap.value[k] += max(self._inside[v], self._grid[cell - 1], self._grid[cell + stride])
        return 0

    def _add_node(self, gap, u, slots):
        """Add a path node to the forest: its values, and all wider cells."""
        stride: cython.Py_ssize_t = slots + 1
        if gap.row[u] == gap.row[u + 1]:
            return 0
        for k in range(gap.row[u], gap.row[u + 1]):
            cell = self._open[gap.column[k]] * stride + self._close[gap.column[k]]
            self._grid[cell] = max(self._grid[cell], gap.value[k])
        # Each cell becomes the greatest of the cells within it: smaller b first, then smaller y.
        for b in range(slots - 1, -1, -1):
            cell = b * stride
            for y in range(b + 1, stride):
                self._grid[cell + y] = max(self._grid[cell + y], self._grid[cell + stride + y])
            self._prefix_maximum(cell + b, cell + slots)
        return 0

    def _prefix_maximum(self, cell, last):
        most: cython.double = self._grid[cell]
        while cell < last:
            cell += 1
            if self._grid[cell] < most:
                self._grid[cell] = most
            else:
                most = self._grid[cell]
        return 0

    def _slot_up(self, rows, i, u):
        """Place node u as the i-th that is added; `_order` up to i is a postorder of its side."""
        size: cython.int = rows.size[u]
        before: cython.int = self._x_close[i - 1] if i > 0 else 0
        self._order[i] = u
        if size == 1:
            self._x_open[i] = before
            self._x_close[i] = before + 1
        else:
            self._x_open[i] = self._x_open[i - size + 1]
            self._x_close[i] = before + (rows.size[self._order[i - 1]] == size - 1)
        return 0

    def _add_right(self, gap, rows, lo, hi, slots):
        """Add the trees `lo … hi` on the right: for each b, rows over y."""
        count: cython.Py_ssize_t = hi - lo
        stride: cython.Py_ssize_t = slots + 1
        if count <= 0:
            return 0
        # Slots of the trees that are added, in the order in which they are added.
        for i in range(count):
            self._slot_up(rows, i, lo + i)
        cells: cython.Py_ssize_t = (
            self._x_close[count - 1] + 1
        ) * stride  # a row for each slot, and the first
        if cells > len(self._cells):
            with cython.gil:
                self._cells = table(cells + cells // 2)
        # One table for each b: rows are slots of the trees that are added, columns are places y.
        for b in range(slots):
            for y in range(b, stride):
                self._at_cell[y] = -1
                self._cells[y] = self._grid[b * stride + y]
            v = self._by_open[b]
            while v >= 0:
                self._at_cell[self._close[v]] = v
                v = self._next_by_open[v]
            to = 0
            i = 0
            while i < count:
                x = self._x_close[i]
                while to < x * stride:
                    for y in range(b, stride):
                        self._cells[to + stride + y] = self._cells[to + y]
                    to += stride
                y_low = slots
                # All nodes that close at this slot share a row.
                while i < count and self._x_close[i] == x:
                    u = self._order[i]
                    source = self._x_open[i] * stride
                    for k in range(gap.row[u], gap.row[u + 1]):
                        v = gap.column[k]
                        begin = self._open[v]
                        if begin < b:
                            continue
                        y = self._close[v]
                        # The pair follows everything that ends where both nodes begin.
                        total = self._cells[source + begin] + gap.value[k]
                        if begin > b and self._at_cell[y] >= 0 and total > self._inside[self._at_cell[y]]:
                            self._inside[self._at_cell[y]] = total
                        if total > self._cells[to + y]:
                            self._cells[to + y] = total
                            y_low = min(y_low, y)
                    i += 1
                total = self._cells[to + y_low]
                for y in range(y_low + 1, stride):
                    if self._cells[to + y] < total:
                        self._cells[to + y] = total
                    else:
                        total = self._cells[to + y]
            for y in range(b, stride):
                self._grid[b * stride + y] = self._cells[to + y]
        return 0

    def _add_left(self, gap, rows, lo, hi, slots):
        """Add the trees `lo … hi` on the left: for each y, rows over b downwards.

        Eight neighbouring y are done at once, side by side in memory, so that a compiler can use
        vector instructions; `[…, 8 * b + lane]` belongs to y_base + lane.
        """
        count: cython.Py_ssize_t = self._order_mirrored(rows, lo, hi)
        stride: cython.Py_ssize_t = 8 * (slots + 1)
        i: cython.Py_ssize_t
        b_high: cython.Py_ssize_t
        if count == 0:
            return 0
        cells: cython.Py_ssize_t = (
            self._x_close[count - 1] + 1
        ) * stride  # a row for each slot, and the first
        if cells > len(self._cells):
            with cython.gil:
                self._cells = table(cells + cells // 2)
        # One table for eight neighbouring y; a lane is one of them.
        for y_base in range(1, slots + 1, 8):
            lanes = min(8, slots - y_base + 1)
            y_last = y_base + lanes - 1
            for b in range(y_last + 1):
                self._has_node[b] = False
                for lane in range(8):
                    self._at_cell[8 * b + lane] = -1
                    self._cells[8 * b + lane] = 0.0
                for lane in range(lanes):
                    self._cells[8 * b + lane] = self._grid[b * (slots + 1) + y_base + lane]
            # Columns that close at one of the eight ends.
            for lane in range(lanes):
                v = self._by_close[y_base + lane]
                while v >= 0:
                    self._has_node[self._open[v]] = True
                    self._at_cell[8 * self._open[v] + lane] = v
                    v = self._next_by_close[v]
            to = 0
            i = 0
            while i < count:
                x = self._x_close[i]
                while to < x * stride:
                    for cell in range(8 * (y_last + 1)):
                        self._cells[to + stride + cell] = self._cells[to + cell]
                    to += stride
                b_high = 0
                while i < count and self._x_close[i] == x:
                    u = self._order[i]
                    for k in range(gap.row[u], gap.row[u + 1]):
                        v = gap.column[k]
                        stop = self._close[v]
                        if stop > y_last:
                            continue
                        begin = self._open[v]
                        b_high = max(b_high, begin)
                        value = gap.value[k]
                        source = self._x_open[i] * stride + 8 * stop
                        cell = to + 8 * begin
                        if self._has_node[begin]:
                            for lane in range(max(0, stop + 1 - y_base), lanes):
                                v = self._at_cell[8 * begin + lane]
                                if v >= 0:
                                    self._inside[v] = max(self._inside[v], self._cells[source + lane] + value)
                        # Lanes before `stop` do not hold the column.
                        if stop <= y_base:
                            for lane in range(8):
                                total = self._cells[source + lane] + value
                                self._cells[cell + lane] = max(self._cells[cell + lane], total)
                        else:
                            for lane in range(stop - y_base, 8):
                                total = self._cells[source + lane] + value
                                self._cells[cell + lane] = max(self._cells[cell + lane], total)
                    i += 1
                # Cells of smaller b hold those of larger b.
                for b in range(b_high - 1, -1, -1):
                    for lane in range(8):
                        cell = to + 8 * b + lane
                        self._cells[cell] = max(self._cells[cell], self._cells[cell + 8])
            for b in range(y_last + 1):
                for lane in range(max(0, b - y_base), lanes):
                    self._grid[b * (slots + 1) + y_base + lane] = self._cells[to + 8 * b + lane]
        return 0

    def _order_mirrored(self, rows, lo, hi):
        """Orders the trees `lo … hi` right to left, nodes below first; return how many nodes."""
        count: cython.Py_ssize_t = 0
        top: cython.Py_ssize_t = 0
        for i in range(hi - 1, lo - 1, -1):
            while top > 0 and i <= self._stack[top - 1] - rows.size[self._stack[top - 1]]:
                top -= 1
                self._slot_up(rows, count, self._stack[top])
                count += 1
            self._stack[top] = i
            top += 1
        while top > 0:
            top -= 1
            self._slot_up(rows, count, self._stack[top])
            count += 1
        return count
