# cython: infer_types=True
"""Why nodes of two trees are lost: each node's share of the loss goes to one cause.

The loss of a pair is all its nodes less twice the sum of IoUs: 1 - IoU for each aligned node, 1 for each
other. `docs/why.md` defines the causes. They are found by an alignment over places that both trees share; for
seconds, where both sides have as many words, that is an alignment over words, and a node without loss by
it is lost by times alone. Every rule speaks of a node's own side and the other side, never of prediction and
reference, so that causes do not depend on which is which.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .attachments import Attachments
    from .flat import FlatNodes, FlatTrees
    from .spans import Spans, find_twins

from .flat import doubles, flags, ints, longs

# The causes by their numbers, which are those of `CAUSES` in `metrics/struct_iou/losses.py`; 0 is no loss.
_NO_LOSS, _ATTACHMENT, _LABEL, _TAG, _UNARY, _MISSING, _EXTRA = 0, 1, 2, 3, 4, 5, 6
_BLOCKED, _BOUNDARY, _TIMING, _FAILED, _N_CAUSES = 7, 8, 9, 10, 11


class LossNotes:
    """Notes on the nodes of one side of a batch.

    Attributes:
        cause: The cause of each node.
        loss: The loss of each node.
        other: The node of the other side that the cause is about, or -1.
    """

    def __init__(self):
        self.begin(FlatNodes(), FlatTrees())

    def begin(self, nodes, trees):
        """Take the trees of a batch: the nodes that are compared, and the trees as they were read."""
        self._nodes = nodes
        self._trees = trees
        n: cython.Py_ssize_t = nodes.offset[nodes.n_trees]
        self.cause = flags(n)
        self.loss = doubles(n)
        self.other = ints(n)
        return 0

    def note(self, i, cause, other):
        """Write down the cause of a node, and the node of the other side that it is about."""
        self.cause[i] = cause
        self.other[i] = other
        return 0

    def add_to(self, sums, skip):
        """Add the loss by each cause; the arrays are those of `Causes.sums`."""
        out: cython.double[::1] = sums
        # The arrays of the batch have one block of `_N_CAUSES` cells for each pair.
        left_out: cython.const[cython.uchar][::1] = skip
        nodes: FlatNodes = self._nodes
        for t in range(nodes.n_trees):
            if not left_out[t]:
                for i in range(nodes.offset[t], nodes.offset[t + 1]):
                    out[t * _N_CAUSES + self.cause[i]] += self.loss[i]
        return 0

    def confused(self, t, facing):
        """Return cause, both label ids and loss of each node of pair `t` with a different label or tag."""
        nodes: FlatNodes = self._nodes
        found = []
        for i in range(nodes.offset[t], nodes.offset[t + 1]):
            cause = self.cause[i]
            if cause == _LABEL or cause == _TAG:
                own, other = self._label_id(t, i), facing._label_id(t, self.other[i])
                found.append((cause, own, other, self.loss[i]))
        return found

    def _label_id(self, t, i):
        return self._trees.label[self._trees.node_offset[t] + self._nodes.origin[i]]

    def lost(self, facing):
        """Return `(node, cause, loss, other)` for each lost node of the first pair; see `Causes.losses`."""
        nodes: FlatNodes = self._nodes
        others: FlatNodes = facing._nodes
        found = []
        # Only the first pair: callers explain single pairs by it.
        for i in range(nodes.offset[0], nodes.offset[1]):
            if self.loss[i] > 0.0:
                other = -1 if self.other[i] < 0 else others.origin[self.other[i]]
                found.append((nodes.origin[i], self.cause[i], self.loss[i], other))
        return found


class Causes:
    """Finds causes for batches of pairs; two threads must not use it at once.

    Args:
        places: The places of nodes.
        flexible: Whether a node without child nodes may align with any node.
        all_phrases: Whether preterminals are no nodes.
    """

    def __init__(self, places, flexible=False, all_phrases=False):
        self._places = places
        self._attachments = Attachments(flexible)
        self._flexible = flexible
        self._all_phrases = all_phrases
        self._left, self._right = Spans(), Spans()
        self._left_notes, self._right_notes = LossNotes(), LossNotes()
        self._stamp = 0
        self._class_room = -1

    def explain(self, prediction, reference, failed, words, by_words):
        """Find the causes of all pairs of a batch.

        Args:
            prediction: A tuple for the predicted trees: the compared nodes (`FlatNodes`), as they were read
                (`FlatTrees`), the partner of each node of the batch or -1 (C ints), and its partner over
                words in pairs whose places are words.
            reference: The same for the reference trees.
            failed: A byte for each pair, not 0 where it could not be compared and counts as 0.
            words: The words that count of both sides, for seconds, each two arrays as those of `kept_words`.
            by_words: A byte for each pair, not 0 where places are words, not seconds.
        """
        self._p, self._p_trees = prediction[0], prediction[1]
        self._r, self._r_trees = reference[0], reference[1]
        self._p_partner, self._p_word_partner = prediction[2], prediction[3]
        self._r_partner, self._r_word_partner = reference[2], reference[3]
        self._failed = failed
        self._by_words = by_words
        self._places.begin(self._p_trees, self._r_trees, words, by_words)
        self._left_notes.begin(self._p, self._p_trees)
        self._right_notes.begin(self._r, self._r_trees)
        self._reserve()
        with cython.nogil:
            for t in range(self._p.n_trees):
                self._explain_pair(self._p, self._r, t, self._left, self._right)
        return 0

    def _reserve(self):
        most: cython.Py_ssize_t = self._places.reserve(self._p, self._r, self._left, self._right)
        classes: cython.Py_ssize_t = max(self._p.n_classes, self._r.n_classes, 1)
        if classes > self._class_room:
            self._class_room = classes + classes // 2
            self._head = ints(self._class_room)
            self._seen = longs(self._class_room)
            self._stamp = 0
        self._next = ints(most)
        return 0

    def _explain_pair(self, p, r, t, left, right):
        # A side without nodes loses all nodes of the other side, and a failed pair loses all of both.
        empty: cython.bint = p.offset[t] == p.offset[t + 1] or r.offset[t] == r.offset[t + 1]
        if empty or self._failed[t]:
            for i in range(p.offset[t], p.offset[t + 1]):
                self._left_notes.note(i, _FAILED, -1)
                self._left_notes.loss[i] = 1.0
            for i in range(r.offset[t], r.offset[t + 1]):
                self._right_notes.note(i, _FAILED, -1)
                self._right_notes.loss[i] = 1.0
            return 0
        # Losses come from the alignment that gives the score; causes may come from another one, see below.
        lossy: cython.bint = False
        for i in range(p.offset[t], p.offset[t + 1]):
            self._left_notes.note(i, _NO_LOSS, self._p_partner[i])
            self._left_notes.loss[i] = 1.0
            # An aligned node loses 1 - IoU, any other 1.
            j = self._p_partner[i]
            if j >= 0:
                self._left_notes.loss[i] = 1.0 - self._iou(p, r, i, j)
            if self._left_notes.loss[i] > 0.0:
                lossy = True
        for j in range(r.offset[t], r.offset[t + 1]):
            self._right_notes.note(j, _NO_LOSS, self._r_partner[j])
            i = self._r_partner[j]
            # Both nodes of a pair lose the same, so the value is taken over to the last bit.
            self._right_notes.loss[j] = 1.0 if i < 0 else self._left_notes.loss[i]
            if self._right_notes.loss[j] > 0.0:
                lossy = True
        # Perfect pairs, which are most of them, need no causes.
        if not lossy:
            return 0
        left.load(p, self._p_trees, t, self._all_phrases)
        right.load(r, self._r_trees, t, self._all_phrases)
        # Causes are found over words if both sides have as many, otherwise over the axis of the score.
        by_words: cython.bint = self._by_words[t]
        for i in range(left.n):
            at = left.base + i
            left.partner[i] = self._p_word_partner[at] if by_words else self._p_partner[at]
            # Partners are places in the batch; here they become numbers within the pair.
            if left.partner[i] >= 0:
                left.partner[i] -= right.base
        for j in range(right.n):
            at = right.base + j
            right.partner[j] = self._r_word_partner[at] if by_words else self._r_partner[at]
            if right.partner[j] >= 0:
                right.partner[j] -= left.base
        places = self._places.place(p, r, t, left, right)
        left.find_parents()
        right.find_parents()
        find_twins(left, right)
        left.index_places(places)
        right.index_places(places)
        self._explain_spans(left, right)
        self._explain_side(left, right, self._left_notes, self._p_partner, _EXTRA)
        self._explain_side(right, left, self._right_notes, self._r_partner, _MISSING)
        return 0

    def _iou(self, p, r, i, j):
        low: cython.double = max(p.start[i], r.start[j])
        high: cython.double = min(p.end[i], r.end[j])
        return (high - low) / (max(p.end[i], r.end[j]) - min(p.start[i], r.start[j]))

    # ---- nodes whose span the other side has ---------------------------------------------------

    def _explain_spans(self, left, right):
        """Go through the spans that both sides have."""
        i: cython.Py_ssize_t = 0
        while i < left.n:
            # All nodes of one tree with the same span are a chain, from the lowest to `top`.
            top = i
            while left.is_chain(top):
                top += 1
            j = left.twin[i]
            if j >= 0:
                other_top = j
                while right.is_chain(other_top):
                    other_top += 1
                self._explain_span(left, right, i, top, j, other_top)
            i = top + 1
        return 0

    def _is_free(self, own, i, low, high):
        """Return whether a node is not aligned with one of `low … high`, and has no match among them yet."""
        return own.partner[i] < low or own.partner[i] > high

    def _explain_span(self, left, right, i0, i1, j0, j1):
        """Compare nodes `i0 … i1` with `j0 … j1`, which all have the same span, from the lowest up."""
        # Preterminals with different labels, both unaligned: the tag is wrong.
        tagged: cython.bint = (
            left.leaf[i0]
            and right.leaf[j0]
            and left.partner[i0] < 0
            and right.partner[j0] < 0
            and not self._attachments.may_align(left, right, i0, j0)
        )
        if tagged:
            self._match(left, right, i0, j0, _TAG)
        self._find_blocked(left, right, i0, i1, j0, j1)
        self._pair_rest(left, right, i0, i1, j0, j1)
        return 0

    def _match(self, left, right, i, j, cause):
        """Put two nodes with the same span together; the cause is that of those that are not aligned."""
        left.match[i] = j
        right.match[j] = i
        # An aligned node keeps its cause; only the unaligned node of the two is explained by the match.
        if left.partner[i] < 0:
            self._left_notes.note(left.base + i, cause, right.base + j)
        if right.partner[j] < 0:
            self._right_notes.note(right.base + j, cause, left.base + i)
        return 0

    def _find_blocked(self, left, right, i0, i1, j0, j1):
        """Put together nodes with matching labels that are not aligned within this span, from the top."""
        self._stamp += 1
        # Build lists of the unaligned nodes by label; the list of a label begins with the topmost node.
        for j in range(j0, j1 + 1):
            if right.match[j] < 0 and self._is_free(right, j, i0, i1):
                label = right.label[j]
                self._next[j] = self._head[label] if self._seen[label] == self._stamp else -1
                self._seen[label] = self._stamp
                self._head[label] = j
        i: cython.Py_ssize_t = i1
        while i >= i0:
            # The topmost node of a label on the left is matched with the topmost on the right.
            label = left.label[i]
            if (
                left.match[i] < 0
                and self._is_free(left, i, j0, j1)
                and self._seen[label] == self._stamp
                and self._head[label] >= 0
            ):
                j = self._head[label]
                self._head[label] = self._next[j]
                self._match(left, right, i, j, _BLOCKED)
            i -= 1
        if self._flexible:
            self._find_blocked_leaves(left, right, i0, i1, j0, j1)
        return 0

    def _find_blocked_leaves(self, left, right, i0, i1, j0, j1):
        """Pair leaves that may align with any node: first with each other, then with the topmost."""
        leaf_left: cython.bint = left.size[i0] == 1 and left.match[i0] < 0 and self._is_free(left, i0, j0, j1)
        leaf_right: cython.bint = (
            right.size[j0] == 1 and right.match[j0] < 0 and self._is_free(right, j0, i0, i1)
        )
        if leaf_left and leaf_right:
            self._match(left, right, i0, j0, _BLOCKED)
            return 0
        if leaf_left:
            j: cython.Py_ssize_t = j1
            while j >= j0 and not (right.match[j] < 0 and self._is_free(right, j, i0, i1)):
                j -= 1
            if j >= j0:
                self._match(left, right, i0, j, _BLOCKED)
        elif leaf_right:
            i: cython.Py_ssize_t = i1
            while i >= i0 and not (left.match[i] < 0 and self._is_free(left, i, j0, j1)):
                i -= 1
            if i >= i0:
                self._match(left, right, i, j0, _BLOCKED)
        return 0

    def _pair_rest(self, left, right, i0, i1, j0, j1):
        """Pair the nodes left between nodes that are aligned here, from the top; unpaired nodes are extra."""
        i: cython.Py_ssize_t = i1
        j: cython.Py_ssize_t = j1
        # Walk down both chains at once. Aligned nodes divide them into stretches, paired from the top.
        while i >= i0 or j >= j0:
            while i >= i0 and self._is_free(left, i, j0, j1) and not self._is_left_over(left, i):
                i -= 1
            while j >= j0 and self._is_free(right, j, i0, i1) and not self._is_left_over(right, j):
                j -= 1
            more_left: cython.bint = i >= i0 and self._is_left_over(left, i)
            more_right: cython.bint = j >= j0 and self._is_left_over(right, j)
            # Both have a node left: one span with two labels. If one side alone has, it is a unary node.
            if more_left and more_right:
                self._match(left, right, i, j, _LABEL)
            elif more_left:
                self._left_notes.note(left.base + i, _UNARY, right.base + j1)
            elif more_right:
                self._right_notes.note(right.base + j, _UNARY, left.base + i1)
            if more_left or not more_right:
                i -= 1
            if more_right or not more_left:
                j -= 1
        return 0

    def _is_left_over(self, own, i):
        return own.partner[i] < 0 and own.match[i] < 0

    # ---- other nodes ---------------------------------------------------------------------------

    def _explain_side(self, own, other, notes, partner, alone):
        """Report why the nodes of a side are lost whose span decides alone; drop causes without a loss.

        Args:
            own: The side.
            other: The other side.
            notes: The notes on the side.
            partner: The partners of its nodes in the batch.
            alone: The cause of nodes that the other side does not have.
        """
        for i in range(own.n):
            at = own.base + i
            j = own.partner[i]
            # A match may have noted a cause for a node that loses nothing.
            if notes.loss[at] == 0.0:
                if notes.cause[at] != _NO_LOSS:
                    notes.note(at, _NO_LOSS, partner[at])
            # The same place in both trees, so only the times differ.
            elif j >= 0 and own.is_same(other, i, j):
                notes.note(at, _TIMING, other.base + j)
            elif j >= 0:
                moved = self._attachments.differ_by_moves(own, other, i, j)
                notes.note(at, _ATTACHMENT if moved else _BOUNDARY, other.base + j)
            # The other side does not have the span at all.
            elif own.twin[i] < 0:
                if not self._explain_by_attachment(own, other, i, notes, True):
                    notes.note(at, alone, -1)
            elif notes.cause[at] == _UNARY:
                self._explain_by_attachment(own, other, i, notes, False)
        return 0

    def _explain_by_attachment(self, own, other, i, notes, may_cross):
        """Report so if a node crosses one of the other side, or lacks a counterpart by moved nodes alone."""
        j: cython.Py_ssize_t = self._attachments.find_crossing(own, other, i) if may_cross else -1
        if j < 0:
            j = self._attachments.find_counterpart(own, other, i)
        if j < 0:
            return False
        notes.note(own.base + i, _ATTACHMENT, other.base + j)
        return True

    # ---- the losses that were found -------------------------------------------------------------

    def sums(self, skip):
        """Return the loss by each cause in each pair: an array of doubles, by pair, then by cause from 0.

        Args:
            skip: A byte for each pair, not 0 where it does not count.
        """
        sums = doubles(self._p.n_trees * _N_CAUSES)
        self._left_notes.add_to(sums, skip)
        self._right_notes.add_to(sums, skip)
        return sums

    def confusions(self, skip):
        """Label ids that were confused, as `(pair, cause, predicted, in the reference, loss)` for each node.

        `skip` is as in `sums`.
        """
        found = []
        for t in range(self._p.n_trees):
            if not skip[t]:
                for cause, predicted, wanted, loss in self._left_notes.confused(t, self._right_notes):
                    found.append((t, cause, predicted, wanted, loss))
                for cause, wanted, predicted, loss in self._right_notes.confused(t, self._left_notes):
                    found.append((t, cause, predicted, wanted, loss))
        return found

    def losses(self):
        """Return `(predicted, node, cause, loss, other)` for each lost node of the first pair.

        Nodes have the numbers that they had when read; `other` is that of the node on the other side that the
        cause is about, or -1.
        """
        left, right = self._left_notes, self._right_notes
        return [(True, *lost) for lost in left.lost(right)] + [(False, *lost) for lost in right.lost(left)]
