"""Pairs of nodes of a gap that may be mapped to each other in a tree edit of at most a given cost.

A mapping with the pair (u, v) maps nodes to the left of u to nodes to the left of v, and the same holds for
the nodes below, above and to the right of them. So the numbers of nodes there differ by no more than the
number of nodes that are inserted and deleted; if they differ by more than the cost allowed, the pair is not
possible.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import ints, longs
from .gap import check_memory

_MANY = 1 << 26  # candidates of gaps with more node pairs than this are counted before they are stored
_CANDIDATE_SIZE = 21  # bytes


class EditCandidates:
    """Finds the candidates of gaps whose two sides are loaded; its buffers are used again for the next gap.

    Args:
        rename: The cost of giving a node another label; 2 or more rules it out.
        n: The greatest number of nodes of a side.
        n_labels: A number above all labels.
    """

    def __init__(self, rename, n, n_labels):
        self._rename = rename
        self._rename_weight = 1.0 - 0.5 * rename
        self._renames = rename < 2.0
        self._row_depth = ints(n)
        self._column_depth = ints(n)
        self._next = ints(n)
        self._diagonal_at = ints(2 * n)
        self._diagonal_run = ints(2 * n)
        self._label_head = ints(n_labels)
        self._label_seen = longs(n_labels)
        self._label_stamp = 0

    def find(self, gap, limit):
        """Fill a gap with its candidates: pairs that a mapping of cost `limit` or less may have.

        The value of a pair is half of what it saves of the cost of 2 for deleting one node and inserting the
        other.
        """
        return self._find(gap, gap.rows, gap.columns, limit)

    def _find(self, gap, rows, columns, limit):
        u: cython.Py_ssize_t
        reach: cython.Py_ssize_t = rows.n + columns.n
        if limit < reach:
            reach = cython.cast(cython.Py_ssize_t, limit)
        self._find_depths(rows, self._row_depth)
        self._find_depths(columns, self._column_depth)
        gap.n_candidates = 0
        if rows.n * min(columns.n, 2 * reach + 1) > _MANY:
            self._visit(gap, rows, columns, limit, reach, False)
        for u in range(rows.n + columns.n):
            self._diagonal_at[u] = -2
        self._visit(gap, rows, columns, limit, reach, True)
        return 0

    def _find_depths(self, side, depth):
        """Find the number of nodes above each node."""
        u: cython.Py_ssize_t = side.n - 1
        child: cython.Py_ssize_t
        while u >= 0:
            depth[u] = 0
            u -= side.size[u]
        for u in range(side.n - 1, -1, -1):
            child = u - 1
            while child > u - side.size[u]:
                depth[child] = depth[u] + 1
                child -= side.size[child]
        return 0

    def _visit(self, gap, rows, columns, limit, reach, store):
        """Store all candidates; or count them, allocate, and raise a MemoryError if there is not enough."""
        u: cython.Py_ssize_t
        v: cython.Py_ssize_t
        label: cython.int
        count: cython.Py_ssize_t = 0
        checked: cython.Py_ssize_t = 0
        self._list_labels(columns)
        for u in range(rows.n):
            if store:
                gap.row[u] = gap.n_candidates
                # Candidates are in a window of columns, because a pair costs at least |u - v|.
                if gap.n_candidates + min(columns.n, 2 * reach + 1) > len(gap.column):
                    with cython.gil:
                        gap.reserve(gap.n_candidates + min(columns.n, 2 * reach + 1))
            elif count > checked + _MANY:
                checked = count
                with cython.gil:
                    check_memory(_CANDIDATE_SIZE * count)
            label = rows.label[u]
            if self._renames:
                for v in range(max(u - reach, 0), min(u + reach + 1, columns.n)):
                    count += self._try(gap, rows, columns, u, v, limit, store)
            elif self._label_seen[label] == self._label_stamp:
                v = self._label_head[label]
                while v >= 0 and v < u - reach:
                    v = self._next[v]
                self._label_head[label] = v
                while v >= 0 and v <= u + reach:
                    count += self._try(gap, rows, columns, u, v, limit, store)
                    v = self._next[v]
        if store:
            gap.row[rows.n] = gap.n_candidates
        else:
            with cython.gil:
                check_memory(_CANDIDATE_SIZE * count)
                gap.reserve(count + min(columns.n, 2 * reach + 1))
        return 0

    def _list_labels(self, columns):
        """List the columns of each label from the first to the last."""
        v: cython.Py_ssize_t
        label: cython.int
        self._label_stamp += 1
        for v in range(columns.n - 1, -1, -1):
            label = columns.label[v]
            if self._label_seen[label] != self._label_stamp:
                self._label_seen[label] = self._label_stamp
                self._label_head[label] = -1
            self._next[v] = self._label_head[label]
            self._label_head[label] = v
        return 0

    def _try(self, gap, rows, columns, u, v, limit, store):
        """Return whether a pair is a candidate; if it is, and if asked to, store it."""
        same: cython.bint = rows.label[u] == columns.label[v]
        size: cython.int = rows.size[u]
        above: cython.int = self._row_depth[u] - self._column_depth[v]
        right: cython.int = (rows.n - u) - (columns.n - v) - above
        left: cython.int = (u - size) - (v - columns.size[v])
        below: cython.int = size - columns.size[v]
        k: cython.Py_ssize_t = gap.n_candidates
        diagonal: cython.Py_ssize_t
        if abs(above) + abs(right) + abs(left) + abs(below) + (0.0 if same else self._rename) > limit:
            return 0
        if not store:
            return 1
        gap.done[k] = size == 1 or columns.size[v] == 1
        gap.value[k] = 1.0 if same else self._rename_weight
        if same and below == 0:
            # The subtrees are equal if and only if the last `size` pairs on this diagonal of the two
            # postorders have equal labels and sizes, too. They are all candidates if this pair is one,
            # because the numbers of nodes around them have the same differences.
            diagonal = v - u + rows.n
            if self._diagonal_at[diagonal] == u - 1:
                self._diagonal_run[diagonal] += 1
            else:
                self._diagonal_run[diagonal] = 1
            self._diagonal_at[diagonal] = u
            if self._diagonal_run[diagonal] >= size:
                gap.value[k] = size
                gap.done[k] = True
        gap.column[k] = v
        gap.column_open[k] = columns.open[v]
        gap.column_close[k] = columns.close[v]
        gap.n_candidates = k + 1
        return 1
