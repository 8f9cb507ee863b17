# cython: infer_types=True
"""A gap: two lists of sibling trees to be aligned by dynamic programming, and which nodes may pair.

Slots. Number a forest in postorder and open a new slot at every leaf and at every node with one
child. `close[x]` is the slot open when `x` ends, `open[x]` the one before its first leaf. Then `x'`
lies wholly left of `x` iff `close[x'] <= open[x]`; it lies strictly below `x` iff
`open[x'] >= open[x]`, `close[x'] <= close[x]` and `x' != x`; and (open, close) identifies a node.
Tables over slots have about a third of the cells of tables over nodes.

Folding. Let the subtrees of u and v be equal, and all nodes above u and above v be clearly longer. Then a
best alignment pairs the two subtrees node by node, or leaves both out. For a pair that touches one of them
and something above the other, say (x, y) with x above u and y below or at v, has an IoU clearly below 1, and
everything else that touches them then lies below x and y. All other pairs relate to (u, v) as to (x, y),
so pairing the equal nodes instead is allowed, and gains. Likewise for pairs within the two subtrees that are
not those of equal nodes. So they are loaded as two leaves that only align with each other. Where nodes above
are hardly longer, ties and rounding would have a say, and nothing is folded.
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
_SHORTER = 0.99  # a subtree is folded if it is shorter than its parent by this factor
INFINITY = float("inf")
_LARGE = 1 << 30  # requests for memory below this many bytes are not questioned


def check_memory(size):
    """Raise MemoryError for a table that this machine cannot hold.

    Asking first matters: many systems grant any request and end the process when it is used.
    """
    if size < _LARGE or not hasattr(os, "sysconf"):
        return 0
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if 2 * size > memory:
        raise MemoryError(
            f"that takes a table of at least {size / 2**30:.1f} GiB, more than half of this machine's "
            f"{memory / 2**30:.1f} GiB of memory"
        )
    return 0


def table(n):
    """`n` cells of a table, if this machine can hold them."""
    check_memory(8 * n)
    return doubles(n)


class Side:
    """One forest of a gap in postorder, left to right or mirrored, with its slots.

    Mirroring turns every interval (s, e) into (-e, -s): children come in the opposite order and all
    IoUs stay. `leaf[slot]` is the leaf whose `open` is that slot, or -1. `origin[k]` is the place of node k
    in its batch, `whole[k]` the size of its subtree there, `twin[k]` the place of the equal subtree of the
    other side, or -1. A folded subtree is a leaf here, with the label -1; `folded` lists them in order, and
    `n_inside` is how many nodes they have.
    """

    def __init__(self, n):
        """Reserve space for `n` nodes."""
        self.n = self.n_folded = self.n_inside = 0
        self.slots = 0
        # By node, in the order of the side.
        self.label = ints(n)
        self.size = ints(n)
        self.open = ints(n)
        self.close = ints(n)
        self.origin = ints(n)
        self.whole = ints(n)
        self.twin = ints(n)
        self.start = doubles(n)
        self.end = doubles(n)
        self.leaf = ints(n + 1)
        self.folded = ints(n)
        # The nodes that `take` lists for `load`, from right to left; and the twin, or -2 minus it if folded.
        self._taken = ints(n)
        self._taken_twin = ints(n)
        self._order = ints(n)
        self._stack = ints(n)

    def take(self, nodes, lo, hi, twin, base, folds):
        """List the live nodes of `lo … hi` for `load`; of a subtree that is folded, its root.

        Args:
            nodes: The nodes of a batch. Below a live node all are live, so sizes hold.
            lo: The first node.
            hi: The end of the nodes.
            twin: The twins that `Gap.find_twins` found, that of node i at place i - base; or None.
            base: The number that is subtracted from a node to find the place of its twin.
            folds: Whether subtrees are folded.
        """
        # From right to left, so that a folded subtree is skipped by its size when its root is met.
        i: cython.Py_ssize_t = hi - 1
        taken: cython.Py_ssize_t = 0
        other: cython.int = -1
        self.n_folded = self.n_inside = 0
        while i >= lo:
            if nodes.dead[i]:
                i -= 1
                continue
            if twin is not None:
                other = twin[i - base]
            self._taken[taken] = i
            if folds and other >= 0:
                # The twin of a folded root is stored as -2 minus its place, which no other entry can be.
                self._taken_twin[taken] = -2 - other
                self.n_folded += 1
                self.n_inside += nodes.size[i]
                i -= nodes.size[i]
            else:
                # Twins that must not be folded are stored as -2 minus their place; here they are like others.
                self._taken_twin[taken] = other if other >= -1 else -2 - other
                i -= 1
            taken += 1
        self.n = taken
        return 0

    def load(self, nodes, mirrored):
        """Copy the nodes of the batch that were taken."""
        taken: cython.Py_ssize_t = self.n
        folded: cython.Py_ssize_t = 0
        # Slots are numbered in the order of leaves; a node spans the slots `open … close` (half-open).
        slots: cython.int = 0
        size: cython.int
        child: cython.Py_ssize_t
        self._order_nodes(nodes, mirrored)
        for k in range(taken):
            at = self._order[k]
            i = self._taken[at]
            first = i - nodes.size[i] + 1
            size = nodes.size[i]
            if self._taken_twin[at] < -1:
                self.label[k] = -1
                self.twin[k] = -2 - self._taken_twin[at]
                self.folded[folded] = k
                folded += 1
                size = 1
            else:
                self.label[k] = nodes.label[i]
                self.twin[k] = self._taken_twin[at]
            # Folded subtrees have become one leaf each, so sizes are added up again from the children.
            if self.n_folded > 0 and size > 1:
                size = 1
                child = k - 1
                while child >= 0 and first <= self.origin[child] < i:
                    size += self.size[child]
                    child -= self.size[child]
            self.size[k] = size
            self.origin[k] = i
            self.whole[k] = i - first + 1
            # Mirroring turns (s, e) into (-e, -s), which keeps all IoUs.
            self.start[k] = -nodes.end[i] if mirrored else nodes.start[i]
            self.end[k] = -nodes.start[i] if mirrored else nodes.end[i]
            # A leaf opens a slot of its own.
            if size == 1:
                self.leaf[slots] = k
                self.open[k] = slots
                slots += 1
            else:
                # Any other node opens where its first leaf does. A node with one child closes one slot
                # later than the child, so that (open, close) still identifies a node.
                self.open[k] = self.open[k - size + 1]
                if self.size[k - 1] == size - 1:
                    self.leaf[slots] = -1
                    slots += 1
            self.close[k] = slots
        self.slots = slots
        return 0

    def _order_nodes(self, nodes, mirrored):
        """Write into `_order` which of the nodes that were taken, right to left, comes when."""
        taken: cython.Py_ssize_t = self.n
        ordered: cython.Py_ssize_t = 0
        top: cython.Py_ssize_t = 0
        if not mirrored:
            for k in range(taken):
                self._order[k] = taken - 1 - k
            return 0
        # Right to left, postorder is the preorder of the mirrored forest: a node is finished when
        # the walk leaves its subtree.
        for k in range(taken):
            if nodes.size[self._taken[k]] == 1:
                self._order[ordered] = k
                ordered += 1
            else:
                self._stack[top] = k
                top += 1
            while top > 0:
                i = self._taken[self._stack[top - 1]]
                if k + 1 < taken and self._taken[k + 1] > i - nodes.size[i]:
                    break
                top -= 1
                self._order[ordered] = self._stack[top]
                ordered += 1
        return 0


class Gap:
    """Two forests and their candidate pairs: nodes that may be aligned, with the value of the pair.

    The candidates of node `u` of `rows` are `row[u] … row[u + 1]`, in order of the node `column[k]`
    of `columns`. `value[k]` is the IoU of the pair, and once solved the best total of an alignment
    of the two subtrees that pairs their roots. `done[k]` says that it is solved already: a leaf has
    nothing below it, and equal subtrees are paired node by node.

    `cells_left` is the number of cells of tables that may still be filled, in this gap and those that follow;
    below 0, gaps are left unsolved.
    """

    def __init__(self, flexible, min_iou, n, n_labels):
        """Reserve space for gaps of trees with up to `n` nodes, whose labels are below `n_labels`."""
        self.flexible = flexible
        self.min_iou = min_iou
        self.cells_left = INFINITY
        self.rows = Side(n)
        self.columns = Side(n)
        self.swapped = False
        # By label: the columns with it as a linked list, if the stamp is the newest; or where those of the
        # label begin in `_sorted`.
        self._n_labels = n_labels
        self._label_head = ints(n_labels)
        self._label_seen = longs(n_labels)
        self._label_from = ints(n_labels + 2)
        self._label_stamp = 0
        self._next = ints(n)
        self._sorted = ints(n)
        self._jump = ints(n + 1)
        self._twin = ints(2 * n)
        # By candidate; `row` is by node of the rows.
        self.n_candidates = 0
        self.row = longs(n + 1)
        self.column = ints(n)
        self.column_open = ints(n)
        self.column_close = ints(n)
        self.value = doubles(n)
        self.done = flags(n)

    def attach(self, prediction, reference):
        """Take the batch whose gaps will be loaded."""
        self.prediction = prediction
        self.reference = reference
        return 0

    def take(self, i0, i1, j0, j1, folds, swapped):
        """List the live nodes of two ranges whose twins are found.

        Args:
            i0: The first node of the prediction.
            i1: The end of the prediction's nodes.
            j0: The first node of the reference.
            j1: The end of the reference's nodes.
            folds: Whether equal subtrees are folded.
            swapped: Whether the reference is put into the rows.
        """
        self.swapped = swapped
        # `_twin` holds the places of the prediction's nodes first, then those of the reference's.
        p_base: cython.Py_ssize_t = i0
        r_base: cython.Py_ssize_t = j0 - (i1 - i0)
        if swapped:
            self.rows.take(self.reference, j0, j1, self._twin, r_base, folds)
            self.columns.take(self.prediction, i0, i1, self._twin, p_base, folds)
        else:
            self.rows.take(self.prediction, i0, i1, self._twin, p_base, folds)
            self.columns.take(self.reference, j0, j1, self._twin, r_base, folds)
        return 0

    def is_folded(self):
        """Return whether only folded subtrees were taken on some side, so that nothing else aligns."""
        return self.rows.n == self.rows.n_folded or self.columns.n == self.columns.n_folded

    def load(self, mirrored):
        """Load the nodes that were taken and find their candidates."""
        if self.swapped:
            self.rows.load(self.reference, mirrored)
            self.columns.load(self.prediction, mirrored)
        else:
            self.rows.load(self.prediction, mirrored)
            self.columns.load(self.reference, mirrored)
        self._find_candidates(self.rows, self.columns)
        return 0

    # ---- equal subtrees ------------------------------------------------------------------------

    def find_twins(self, p, r, i0, i1, j0, j1):
        """Find equal subtrees of two ranges, and which of them can be folded.

        Twins have the same spans, so a walk along both postorders by ends meets them together: the subtrees
        of two nodes are equal iff the last nodes met, as many as they have, all met their like.

        `_twin` has a place for each node of the prediction, then one for each of the reference: the node's
        twin, or -1; or -2 minus the twin where the two must not be folded.
        """
        i: cython.Py_ssize_t = i0
        j: cython.Py_ssize_t = j0
        p_base: cython.Py_ssize_t = i0
        r_base: cython.Py_ssize_t = j0 - (i1 - i0)
        # The number of equal nodes met in a row, up to the current ones.
        run: cython.Py_ssize_t = 0
        found: cython.bint = False
        while i < i1 or j < j1:
            if i < i1 and p.dead[i]:
                i += 1
            elif j < j1 and r.dead[j]:
                j += 1
            # In postorder, the node with the smaller end comes first; of equal ends, the later start.
            elif j == j1 or (
                i < i1 and (p.end[i] < r.end[j] or (p.end[i] == r.end[j] and p.start[i] > r.start[j]))
            ):
                run = 0
                self._twin[i - p_base] = -1
                if found and p.size[i] > 1:
                    self._keep_unfolded(p, i, p_base, r_base)
                i += 1
            elif i == i1 or p.end[i] > r.end[j] or p.start[i] < r.start[j]:
                run = 0
                self._twin[j - r_base] = -1
                if found and r.size[j] > 1:
                    self._keep_unfolded(r, j, r_base, p_base)
                j += 1
            else:
                run += 1
                if p.size[i] != r.size[j] or not (
                    p.label[i] == r.label[j] or (self.flexible and p.size[i] == 1)
                ):
                    run = 0
                # The last `size` pairs met were all equal, so these are the two subtrees.
                if run >= p.size[i]:
                    found = True
                    self._twin[i - p_base] = j
                    self._twin[j - r_base] = i
                else:
                    self._twin[i - p_base] = self._twin[j - r_base] = -1
                    if found:
                        self._keep_unfolded(p, i, p_base, r_base)
                        self._keep_unfolded(r, j, r_base, p_base)
                i += 1
                j += 1
        return 0

    def _keep_unfolded(self, nodes, i, base, other_base):
        """Keep a child that is about as long as its parent, a node without twin, from being folded.

        If such a child has a twin, so has its own such child, and so on: none of them is folded.
        """
        length: cython.double
        child: cython.Py_ssize_t
        other: cython.Py_ssize_t
        while i >= 0:
            length = _SHORTER * (nodes.end[i] - nodes.start[i])
            child = i - 1
            while child > i - nodes.size[i] and nodes.end[child] - nodes.start[child] <= length:
                child -= nodes.size[child]
            # No child is nearly as long as the node, or it has no twin that could be folded.
            if child <= i - nodes.size[i] or self._twin[child - base] < 0:
                return 0
            other = self._twin[child - base]
            self._twin[child - base] = -2 - other
            self._twin[other - other_base] = -2 - child
            i = child
        return 0

    def reserve(self, n):
        """Reserve space for `n` candidates; keep those found so far."""
        kept: cython.Py_ssize_t = self.n_candidates
        if n > len(self.value):
            n = n if n > _MANY else n + n // 2
            if kept == 0:  # old and new need not fit into the memory together
                self.column = self.column_open = self.column_close = ints(0)
                self.value = doubles(0)
                self.done = flags(0)
            self.column = grown(self.column, ints(n), kept)
            self.column_open = grown(self.column_open, ints(n), kept)
            self.column_close = grown(self.column_close, ints(n), kept)
            self.value = grown(self.value, doubles(n), kept)
            self.done = grown(self.done, flags(n), kept)
        return 0

    def _find_candidates(self, rows, columns):
        self.n_candidates = 0
        # Labels of their own lists pay for small gaps only; the sorted columns find overlaps by a search.
        if self.flexible or rows.n * columns.n > _WIDE:
            return self._find_overlapping(rows, columns)
        self._label_stamp += 1
        # Lists are built from the last column to the first, so each list begins with the first column.
        for v in range(columns.n - 1, -1, -1):
            label = columns.label[v]
            if label < 0:
                continue
            if self._label_seen[label] != self._label_stamp:
                self._label_seen[label] = self._label_stamp
                self._label_head[label] = -1
            self._next[v] = self._label_head[label]
            self._label_head[label] = v
        folded: cython.Py_ssize_t = 0
        for u in range(rows.n):
            self.row[u] = self.n_candidates
            label = rows.label[u]
            # A row has at most one candidate for each column.
            if self.n_candidates + columns.n > len(self.value):
                with cython.gil:
                    self.reserve(self.n_candidates + columns.n)
            if label < 0:
                self._add_candidate(rows, columns, u, columns.folded[folded])
                folded += 1
            elif self._label_seen[label] == self._label_stamp:
                v = self._label_head[label]
                while v >= 0:
                    self._add_candidate(rows, columns, u, v)
                    v = self._next[v]
        self.row[rows.n] = self.n_candidates
        return 0

    def _find_overlapping(self, rows, columns):
        """Find the candidates without looking at pairs that lie far apart.

        In a very large gap they are counted first, to end at once where the memory is too small: growing
        while they are found would fill it.
        """
        count: cython.Py_ssize_t = columns.n
        checked: cython.Py_ssize_t = 0
        folded: cython.Py_ssize_t = 0
        self._sort_columns(columns)
        if rows.n * columns.n > _MANY:
            for u in range(rows.n):
                if rows.label[u] < 0:
                    count += 1
                else:
                    count += self._visit_overlapping(rows, columns, u, False)
                if count > checked + _MANY or u + 1 == rows.n:
                    checked = count
                    with cython.gil:
                        check_memory(_CANDIDATE_SIZE * count)
            with cython.gil:
                self.reserve(count)
        for u in range(rows.n):
            self.row[u] = self.n_candidates
            if self.n_candidates + columns.n > len(self.value):
                with cython.gil:
                    self.reserve(self.n_candidates + columns.n)
            if rows.label[u] < 0:
                self._add_candidate(rows, columns, u, columns.folded[folded])
                folded += 1
            else:
                self._visit_overlapping(rows, columns, u, True)
        self.row[rows.n] = self.n_candidates
        return 0

    def _sort_columns(self, columns):
        """List the columns of each label together, or all of them where labels need not agree.

        The columns of label c are at `_label_from[c]` to `_label_from[c + 1]` of `_sorted`. Their ends
        never decrease there, as in postorder. `_jump[p]` is the next place whose column starts before that
        of p.
        """
        p: cython.Py_ssize_t
        first: cython.Py_ssize_t
        end: cython.Py_ssize_t
        n_labels: cython.Py_ssize_t = 1 if self.flexible else self._n_labels
        # Counting sort: count the columns of each label, add up, then fill from the end.
        for label in range(n_labels + 1):
            self._label_from[label] = 0
        for v in range(columns.n):
            if columns.label[v] >= 0:
                label = 0 if self.flexible else columns.label[v]
                self._label_from[label] += 1
        for label in range(1, n_labels + 1):
            self._label_from[label] += self._label_from[label - 1]
        for v in range(columns.n - 1, -1, -1):
            if columns.label[v] >= 0:
                label = 0 if self.flexible else columns.label[v]
                self._label_from[label] -= 1
                self._sorted[self._label_from[label]] = v
        # `_jump` skips columns that start too late at once, as in a stack of decreasing starts.
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
        # Ends never decrease among the columns of a label, so the first overlap is found by bisection.
        while p < high:  # the first that ends after u starts
            middle = (p + high) // 2
            if columns.end[self._sorted[middle]] <= start:
                p = middle + 1
            else:
                high = middle
        while p < end:
            v = self._sorted[p]
            if columns.start[v] >= stop:
                # All columns up to the jump start at or after this one, so none of them overlaps the row.
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
        start: cython.double = rows.start[u]
        end: cython.double = rows.end[u]
        low: cython.double = max(start, columns.start[v])
        high: cython.double = min(end, columns.end[v])
        # Pairs that do not overlap have IoU 0 and never align.
        if low >= high:
            return 0
        # Nothing lies below a leaf, so its pairs are solved by their IoU alone.
        self.done[k] = rows.size[u] == 1 or columns.size[v] == 1
        if start == columns.start[v] and end == columns.end[v]:
            iou = 1.0
            # Equal subtrees are paired node by node, each with IoU 1.
            if rows.twin[u] == columns.origin[v]:
                iou = rows.whole[u]
                self.done[k] = True
        else:
            iou = (high - low) / (max(end, columns.end[v]) - min(start, columns.start[v]))
            if iou <= self.min_iou:
                return 0
        self.value[k] = iou
        self.column[k] = v
        self.column_open[k] = columns.open[v]
        self.column_close[k] = columns.close[v]
        self.n_candidates = k + 1
        return 0
