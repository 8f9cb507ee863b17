# cython: infer_types=True
"""A gap: two lists of sibling trees to be aligned by dynamic programming, and which nodes may pair.

Slots. Number a forest in postorder and open a new slot at every leaf and at every node with one
child. `close[x]` is the slot open when `x` ends, `open[x]` the one before its first leaf. Then `x'`
lies wholly left of `x` iff `close[x'] <= open[x]`; it lies strictly below `x` iff
`open[x'] >= open[x]`, `close[x'] <= close[x]` and `x' != x`; and (open, close) tells nodes apart.
Tables over slots have about a third of the cells of tables over nodes.
"""

from __future__ import annotations

import os

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import doubles, flags, grown, ints, longs

_MANY = 1 << 26  # in a gap with more node pairs than this, candidates are counted before they are stored
_CANDIDATE_SIZE = 21  # bytes
_WIDE = 1 << 14  # in a gap with more node pairs than this, pairs that lie far apart are not looked at
_LARGE = 1 << 30  # requests for memory below this many bytes are not questioned


def check_memory(size):
    """Raises MemoryError for a table that this machine cannot hold.

    Asking first matters: many systems grant any request and end the process when it is used.
    """
    if size < _LARGE or not hasattr(os, "sysconf"):
        return 0
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if 2 * size > memory:
        raise MemoryError(
            f"aligning these two trees needs a table of {size / 2**30:.0f} GiB and this machine has "
            f"{memory / 2**30:.0f} GiB; cut the trees into sentences"
        )
    return 0


def table(n):
    """`n` cells of a table, if this machine can hold them."""
    check_memory(8 * n)
    return doubles(n)


class Side:
    """One forest of a gap in postorder, left to right or mirrored, with its slots.

    Mirroring turns every interval (s, e) into (-e, -s): children come in the opposite order and all
    IoUs stay. `leaf[slot]` is the leaf whose `open` is that slot, or -1.
    """

    def __init__(self):
        self.n = 0
        self.slots = 0
        self._room = -1
        self._reserve(0)

    def _reserve(self, n):
        if n > self._room:
            self._room = n + n // 2
            self.label = ints(self._room)
            self.size = ints(self._room)
            self.open = ints(self._room)
            self.close = ints(self._room)
            self.leaf = ints(self._room + 1)
            self.origin = ints(self._room)
            self.start = doubles(self._room)
            self.end = doubles(self._room)
            self._stack = ints(self._room)
        return 0

    def load(self, nodes, lo, hi, mirrored):
        """Copies the live nodes of `lo … hi`. Below a live node all are live, so sizes hold."""
        top: cython.Py_ssize_t = 0
        if hi - lo > self._room:
            with cython.gil:
                self._reserve(hi - lo)
        self.n = 0
        self.slots = 0
        if not mirrored:
            for i in range(lo, hi):
                if not nodes.dead[i]:
                    self._add(nodes, i, nodes.start[i], nodes.end[i])
            return 0
        # Right to left, postorder is the preorder of the mirrored forest: a node is finished when
        # the walk leaves its subtree.
        for i in range(hi - 1, lo - 1, -1):
            if nodes.dead[i]:
                continue
            while top > 0 and i <= self._stack[top - 1] - nodes.size[self._stack[top - 1]]:
                top -= 1
                node = self._stack[top]
                self._add(nodes, node, -nodes.end[node], -nodes.start[node])
            self._stack[top] = i
            top += 1
        while top > 0:
            top -= 1
            node = self._stack[top]
            self._add(nodes, node, -nodes.end[node], -nodes.start[node])
        return 0

    def _add(self, nodes, i, start, end):
        k: cython.Py_ssize_t = self.n
        size: cython.int = nodes.size[i]
        self.label[k] = nodes.label[i]
        self.size[k] = size
        self.origin[k] = i
        self.start[k] = start
        self.end[k] = end
        if size == 1:
            self.leaf[self.slots] = k
            self.open[k] = self.slots
            self.slots += 1
        else:
            self.open[k] = self.open[k - size + 1]
            if self.size[k - 1] == size - 1:
                self.leaf[self.slots] = -1
                self.slots += 1
        self.close[k] = self.slots
        self.n = k + 1
        return 0


class Gap:
    """Two forests and their candidate pairs: nodes that may be aligned, with what that is worth.

    The candidates of node `u` of `rows` are `row[u] … row[u + 1]`, in order of the node `column[k]`
    of `columns`. `value[k]` is the IoU of the pair, and once solved the best total of an alignment
    of the two subtrees that pairs their roots. `done[k]` says that it is solved already: a leaf has
    nothing below it, and equal subtrees are paired node by node.
    """

    def __init__(self, flexible, min_iou):
        self.flexible = flexible
        self.min_iou = min_iou
        self.rows = Side()
        self.columns = Side()
        self.n_candidates = 0
        self.swapped = False
        self._label_stamp = 0
        self._room = self._pair_room = -1
        self.reserve(0)
        self.column = self.column_open = self.column_close = ints(0)
        self.value = doubles(0)
        self.done = flags(0)
        self.reserve_candidates(0)

    def attach(self, prediction, reference):
        """Takes the batch whose gaps will be loaded."""
        self.prediction = prediction
        self.reference = reference
        prediction.clear_marks()
        reference.clear_marks()
        self._n_labels = max(prediction.n_classes, reference.n_classes)
        self._label_head = ints(self._n_labels)
        self._label_seen = longs(self._n_labels)
        self._label_from = ints(self._n_labels + 2)
        self._label_stamp = 0
        return 0

    def load(self, i0, i1, j0, j1, mirrored, swapped):
        """Loads the live nodes of two ranges; `swapped` puts the reference into the rows."""
        self.swapped = swapped
        if swapped:
            self.rows.load(self.reference, j0, j1, mirrored)
            self.columns.load(self.prediction, i0, i1, mirrored)
        else:
            self.rows.load(self.prediction, i0, i1, mirrored)
            self.columns.load(self.reference, j0, j1, mirrored)
        self._find_candidates(self.rows, self.columns)
        return 0

    def reserve(self, n):
        """Makes room for `n` nodes on a side."""
        if n > self._room:
            self._room = n + n // 2
            self.row = longs(self._room + 1)
            self._next = ints(self._room)
            self._sorted = ints(self._room)
            self._jump = ints(self._room + 1)
            self._diagonal_at = ints(2 * self._room)
            self._diagonal_run = ints(2 * self._room)
        return 0

    def reserve_candidates(self, n):
        """Makes room for `n` candidates; keeps those found so far."""
        kept: cython.Py_ssize_t = self.n_candidates
        if n > self._pair_room:
            self._pair_room = n if n > _MANY else n + n // 2
            if kept == 0:  # old and new need not fit into the memory together
                self.column = self.column_open = self.column_close = ints(0)
                self.value = doubles(0)
                self.done = flags(0)
            self.column = grown(self.column, ints(self._pair_room), kept)
            self.column_open = grown(self.column_open, ints(self._pair_room), kept)
            self.column_close = grown(self.column_close, ints(self._pair_room), kept)
            self.value = grown(self.value, doubles(self._pair_room), kept)
            self.done = grown(self.done, flags(self._pair_room), kept)
        return 0

    def _find_candidates(self, rows, columns):
        if max(rows.n, columns.n) > self._room:
            with cython.gil:
                self.reserve(max(rows.n, columns.n))
        self.n_candidates = 0
        for u in range(rows.n + columns.n):
            self._diagonal_at[u] = -2
        if self.flexible or rows.n * columns.n > _WIDE:
            return self._find_overlapping(rows, columns)
        self._label_stamp += 1
        for v in range(columns.n - 1, -1, -1):
            label = columns.label[v]
            if self._label_seen[label] != self._label_stamp:
                self._label_seen[label] = self._label_stamp
                self._label_head[label] = -1
            self._next[v] = self._label_head[label]
            self._label_head[label] = v
        for u in range(rows.n):
            self.row[u] = self.n_candidates
            label = rows.label[u]
            if self.n_candidates + columns.n > self._pair_room:
                with cython.gil:
                    self.reserve_candidates(self.n_candidates + columns.n)
            if self._label_seen[label] == self._label_stamp:
                v = self._label_head[label]
                while v >= 0:
                    self._add_candidate(rows, columns, u, v)
                    v = self._next[v]
        self.row[rows.n] = self.n_candidates
        return 0

    def _find_overlapping(self, rows, columns):
        """Finds the candidates without looking at pairs that lie far apart.

        In a very large gap they are counted first, to end at once where the memory is too small: growing
        while they are found would fill it.
        """
        count: cython.Py_ssize_t = columns.n
        checked: cython.Py_ssize_t = 0
        self._sort_columns(columns)
        if rows.n * columns.n > _MANY:
            for u in range(rows.n):
                count += self._visit_overlapping(rows, columns, u, False)
                if count > checked + _MANY or u + 1 == rows.n:
                    checked = count
                    with cython.gil:
                        check_memory(_CANDIDATE_SIZE * count)
            with cython.gil:
                self.reserve_candidates(count)
        for u in range(rows.n):
            self.row[u] = self.n_candidates
            if self.n_candidates + columns.n > self._pair_room:
                with cython.gil:
                    self.reserve_candidates(self.n_candidates + columns.n)
            self._visit_overlapping(rows, columns, u, True)
        self.row[rows.n] = self.n_candidates
        return 0

    def _sort_columns(self, columns):
        """Lists the columns of each label together, or all of them where labels need not agree.

        The columns of label c stand from `_label_from[c]` to `_label_from[c + 1]` of `_sorted`. Their ends
        never decrease there, as in postorder. `_jump[p]` is the next place whose column starts before that
        of p.
        """
        p: cython.Py_ssize_t
        first: cython.Py_ssize_t
        end: cython.Py_ssize_t
        n_labels: cython.Py_ssize_t = 1 if self.flexible else self._n_labels
        for label in range(n_labels + 1):
            self._label_from[label] = 0
        for v in range(columns.n):
            label = 0 if self.flexible else columns.label[v]
            self._label_from[label] += 1
        for label in range(1, n_labels + 1):
            self._label_from[label] += self._label_from[label - 1]
        for v in range(columns.n - 1, -1, -1):
            label = 0 if self.flexible else columns.label[v]
            self._label_from[label] -= 1
            self._sorted[self._label_from[label]] = v
        for label in range(n_labels):
            first = self._label_from[label]
            end = self._label_from[label + 1]
            for p in range(end - 1, first - 1, -1):
                jump = p + 1
                while jump < end and columns.start[self._sorted[jump]] >= columns.start[self._sorted[p]]:
                    jump = self._jump[jump]
                self._jump[p] = jump
        return 0

    def _visit_overlapping(self, rows, columns, u, store):
        """Visits the columns that overlap row u and may align with it; stores candidates, or counts them."""
        label: cython.Py_ssize_t = 0 if self.flexible else rows.label[u]
        p: cython.Py_ssize_t = self._label_from[label]
        end: cython.Py_ssize_t = self._label_from[label + 1]
        high: cython.Py_ssize_t = end
        count: cython.Py_ssize_t = 0
        start: cython.double = rows.start[u]
        stop: cython.double = rows.end[u]
        while p < high:  # the first that ends after u starts
            middle = (p + high) // 2
            if columns.end[self._sorted[middle]] <= start:
                p = middle + 1
            else:
                high = middle
        while p < end:
            v = self._sorted[p]
            if columns.start[v] >= stop:
                p = self._jump[p]
                continue
            if rows.label[u] == columns.label[v] or rows.size[u] == 1 or columns.size[v] == 1:
                count += 1
                if store:
                    self._add_candidate(rows, columns, u, v)
            p += 1
        return count

    def _add_candidate(self, rows, columns, u, v):
        k: cython.Py_ssize_t = self.n_candidates
        size: cython.int = rows.size[u]
        low: cython.double = max(rows.start[u], columns.start[v])
        high: cython.double = min(rows.end[u], columns.end[v])
        if low >= high:
            return 0
        self.done[k] = size == 1 or columns.size[v] == 1
        if rows.start[u] == columns.start[v] and rows.end[u] == columns.end[v]:
            iou = 1.0
            if size == columns.size[v] and rows.label[u] == columns.label[v]:
                # The subtrees are equal iff the last `size` pairs on this diagonal of the two
                # postorders agreed like this one.
                diagonal = v - u + rows.n
                if self._diagonal_at[diagonal] == u - 1:
                    self._diagonal_run[diagonal] += 1
                else:
                    self._diagonal_run[diagonal] = 1
                self._diagonal_at[diagonal] = u
                if self._diagonal_run[diagonal] >= size:
                    iou = size
                    self.done[k] = True
        else:
            iou = (high - low) / (max(rows.end[u], columns.end[v]) - min(rows.start[u], columns.start[v]))
            if iou <= self.min_iou:
                return 0
        self.value[k] = iou
        self.column[k] = v
        self.column_open[k] = columns.open[v]
        self.column_close[k] = columns.close[v]
        self.n_candidates = k + 1
        return 0
