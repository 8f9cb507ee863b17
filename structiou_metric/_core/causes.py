# cython: infer_types=True
"""Why nodes of two trees are lost: each node's share of the loss goes to one cause.

The loss of a pair is all its nodes less twice the sum of IoUs: 1 - IoU for each aligned node, 1 for each
other. `docs/why.md` defines the causes. They are told by an alignment over places that both trees share; for
seconds, where both sides have as many words, that is an alignment over words, and what loses nothing by
it is lost by times alone. Every rule speaks of a node's own side and the other side, never of prediction and
reference, so that causes do not depend on which is which.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .flat import FlatNodes, FlatTrees
    from .spans import Spans, find_twins

from .flat import doubles, flags, ints, longs

# The causes, in the order in which they are told; 0 is no loss.
NO_LOSS, ATTACHMENT, LABEL, TAG, UNARY, MISSING, EXTRA, BLOCKED, BOUNDARY, TIMING, FAILED = range(11)
_NO_LOSS, _ATTACHMENT, _LABEL, _TAG, _UNARY, _MISSING, _EXTRA = 0, 1, 2, 3, 4, 5, 6
_BLOCKED, _BOUNDARY, _TIMING, _FAILED, _N_CAUSES = 7, 8, 9, 10, 11

MOST_MOVED = 8  # nodes that may be attached elsewhere beside another
_MOST_MOVED = 8


class Causes:
    """Finds causes for batches of pairs. Not for use by two threads at once.

    Args:
        flexible: Whether a node without child nodes may align with any node.
        all_phrases: Whether preterminals are no nodes.
        timed: Whether spans are seconds.
    """

    def __init__(self, flexible=False, all_phrases=False, timed=False):
        self._flexible = flexible
        self._all_phrases = all_phrases
        self._timed = timed
        self._left = Spans()
        self._right = Spans()
        self._stamp = 0
        self._class_room = self._first_tile = -1

    # ---- before the alignment ------------------------------------------------------------------

    def find_order(self, prediction, reference, ranks):
        """A byte for each pair, 1 where the reference comes first in an order that does not know the sides.

        Several alignments may be best. Which of them is found depends on which tree comes first; so the one
        with fewer nodes does, or the one with the lesser sizes, labels and spans.

        Args:
            prediction: What counts of the predicted trees.
            reference: What counts of the reference trees.
            ranks: For each class of labels, its place in an order that does not depend on the batch.
        """
        p: FlatNodes = prediction
        r: FlatNodes = reference
        rank: cython.int[::1] = ranks
        turned = flags(p.n_trees)
        out: cython.uchar[::1] = turned
        with cython.nogil:
            for t in range(p.n_trees):
                out[t] = self._compare(p, r, t, rank) > 0
        return turned

    def _compare(self, p, r, t, rank):
        n: cython.Py_ssize_t = p.offset[t + 1] - p.offset[t]
        m: cython.Py_ssize_t = r.offset[t + 1] - r.offset[t]
        if n != m:
            return -1 if n < m else 1
        for k in range(n):
            i = p.offset[t] + k
            j = r.offset[t] + k
            if p.size[i] != r.size[j]:
                return -1 if p.size[i] < r.size[j] else 1
            if p.label[i] != r.label[j]:
                return -1 if rank[p.label[i]] < rank[r.label[j]] else 1
            if p.start[i] != r.start[j]:
                return -1 if p.start[i] < r.start[j] else 1
            if p.end[i] != r.end[j]:
                return -1 if p.end[i] < r.end[j] else 1
        return 0

    def find_equally_long(self, offsets, other_offsets, n_trees):
        """A byte for each pair, 1 where both sides have as many words; offsets as of `kept_words`."""
        equal = flags(n_trees)
        for t in range(n_trees):
            words = offsets[t + 1] - offsets[t]
            equal[t] = words > 0 and words == other_offsets[t + 1] - other_offsets[t]
        return equal

    def fill_words(self, nodes, trees, offsets, places, out):
        """Fills `out` with the same nodes over words instead of seconds.

        Args:
            nodes: What counts of the trees.
            trees: As they were read.
            offsets: With `places`, the words that count, as of `kept_words`.
            places: Of the words.
            out: The `FlatNodes` that is filled anew.
        """
        own: FlatNodes = nodes
        source: FlatTrees = trees
        to: FlatNodes = out
        offset: cython.longlong[::1] = offsets
        place: cython.longlong[::1] = places
        spans: Spans = self._left
        to.reserve(own.n_trees, own.offset[own.n_trees])
        self._reserve_words(source, spans)
        with cython.nogil:
            for t in range(own.n_trees):
                spans.rank_words(source, t, offset, place)
                to.offset[t + 1] = own.offset[t + 1]
                to.extent[t] = -1.0
                to.lengthless[t] = own.lengthless[t]
                for i in range(own.offset[t], own.offset[t + 1]):
                    at = source.node_offset[t] + own.origin[i]
                    to.label[i] = own.label[i]
                    to.size[i] = own.size[i]
                    to.origin[i] = own.origin[i]
                    to.start[i] = spans.rank[source.first[at]]
                    to.end[i] = spans.rank[source.last[at]]
        to.n_trees = own.n_trees
        to.n_classes = own.n_classes
        return 0

    def _reserve_words(self, trees, spans):
        largest: cython.Py_ssize_t = 0
        for t in range(trees.n_trees):
            largest = max(largest, trees.word_offset[t + 1] - trees.word_offset[t])
        spans.reserve_words(largest)
        return largest

    # ---- the causes ----------------------------------------------------------------------------

    def explain(self, prediction, reference, failed, words, by_words):
        """Finds the causes of all pairs of a batch.

        Args:
            prediction: Of the predicted trees, a tuple: what counts (`FlatNodes`), as they were read
                (`FlatTrees`), the partner of each node of the batch or -1 (C ints), and its partner over
                words in pairs whose places are words.
            reference: The same of the reference trees.
            failed: A byte for each pair, not 0 where it could not be compared and counts as 0.
            words: For seconds, the words that count of both sides, each two arrays as of `kept_words`.
            by_words: A byte for each pair, not 0 where places are words, not seconds.
        """
        self._p, self._p_trees = prediction[0], prediction[1]
        self._r, self._r_trees = reference[0], reference[1]
        self._p_partner, self._p_told = prediction[2], prediction[3]
        self._r_partner, self._r_told = reference[2], reference[3]
        self._failed = failed
        self._by_words = by_words
        self._reserve(words)
        with cython.nogil:
            for t in range(self._p.n_trees):
                self._explain_pair(self._p, self._r, t, self._left, self._right)
        return 0

    def _reserve(self, words):
        p: FlatNodes = self._p
        r: FlatNodes = self._r
        n_pred: cython.Py_ssize_t = p.offset[p.n_trees]
        n_ref: cython.Py_ssize_t = r.offset[r.n_trees]
        most: cython.Py_ssize_t = 0
        places: cython.Py_ssize_t = 0
        classes: cython.Py_ssize_t = max(p.n_classes, r.n_classes, 1)
        for t in range(p.n_trees):
            most = max(most, p.offset[t + 1] - p.offset[t], r.offset[t + 1] - r.offset[t])
            places = max(places, cython.cast(cython.Py_ssize_t, max(p.extent[t], r.extent[t])))
        if self._timed:
            self._p_words, self._p_places = words[0]
            self._r_words, self._r_places = words[1]
            places = 2 * self._reserve_words(self._p_trees, self._left)
            places += 2 * self._reserve_words(self._r_trees, self._right)
        self._left.reserve(most, places)
        self._right.reserve(most, places)
        if classes > self._class_room:
            self._class_room = classes + classes // 2
            self._head = ints(self._class_room)
            self._seen = longs(self._class_room)
            self._stamp = 0
        self._next = ints(most)
        self.p_cause, self.r_cause = flags(n_pred), flags(n_ref)
        self.p_loss, self.r_loss = doubles(n_pred), doubles(n_ref)
        self.p_other, self.r_other = ints(n_pred), ints(n_ref)
        self.p_site, self.r_site = ints(n_pred), ints(n_ref)
        self.p_other_site, self.r_other_site = ints(n_pred), ints(n_ref)
        return 0

    def _explain_pair(self, p, r, t, left, right):
        empty: cython.bint = p.offset[t] == p.offset[t + 1] or r.offset[t] == r.offset[t + 1]
        if empty or self._failed[t]:
            for i in range(p.offset[t], p.offset[t + 1]):
                self._note(True, i, _FAILED, -1)
                self.p_loss[i] = 1.0
            for i in range(r.offset[t], r.offset[t + 1]):
                self._note(False, i, _FAILED, -1)
                self.r_loss[i] = 1.0
            return 0
        lossy: cython.bint = False
        for i in range(p.offset[t], p.offset[t + 1]):
            self._note(True, i, _NO_LOSS, self._p_partner[i])
            self.p_loss[i] = 1.0
            j = self._p_partner[i]
            if j >= 0:
                self.p_loss[i] = 1.0 - self._iou(p, r, i, j)
            if self.p_loss[i] > 0.0:
                lossy = True
        for j in range(r.offset[t], r.offset[t + 1]):
            self._note(False, j, _NO_LOSS, self._r_partner[j])
            i = self._r_partner[j]
            self.r_loss[j] = 1.0 if i < 0 else self.p_loss[i]
            if self.r_loss[j] > 0.0:
                lossy = True
        if not lossy:
            return 0
        left.load(p, self._p_trees, t, self._all_phrases)
        right.load(r, self._r_trees, t, self._all_phrases)
        told: cython.bint = self._by_words[t]
        for i in range(left.n):
            at = left.base + i
            left.partner[i] = self._p_told[at] if told else self._p_partner[at]
            if left.partner[i] >= 0:
                left.partner[i] -= right.base
        for j in range(right.n):
            at = right.base + j
            right.partner[j] = self._r_told[at] if told else self._r_partner[at]
            if right.partner[j] >= 0:
                right.partner[j] -= left.base
        places = self._place(p, r, t, left, right)
        left.find_parents()
        right.find_parents()
        find_twins(left, right)
        left.index_places(places)
        right.index_places(places)
        self._explain_spans(left, right)
        self._explain_side(left, right, True)
        self._explain_side(right, left, False)
        return 0

    def _iou(self, p, r, i, j):
        low: cython.double = max(p.start[i], r.start[j])
        high: cython.double = min(p.end[i], r.end[j])
        return (high - low) / (max(p.end[i], r.end[j]) - min(p.start[i], r.start[j]))

    def _note(self, on_left, i, cause, other):
        """Writes down the cause of a node of the batch, and the node of the other side that it is about."""
        if on_left:
            self.p_cause[i] = cause
            self.p_other[i] = other
            self.p_site[i] = self.p_other_site[i] = -1
        else:
            self.r_cause[i] = cause
            self.r_other[i] = other
            self.r_site[i] = self.r_other_site[i] = -1
        return 0

    def _note_site(self, on_left, i, site, other_site):
        """Writes down between which parents an attachment was confused."""
        if on_left:
            self.p_site[i] = site
            self.p_other_site[i] = other_site
        else:
            self.r_site[i] = site
            self.r_other_site[i] = other_site
        return 0

    # ---- places --------------------------------------------------------------------------------

    def _place(self, p, r, t, left, right):
        """Finds the places of all nodes of a pair; returns the greatest."""
        most: cython.Py_ssize_t
        if not self._timed:
            left.place_by_text(p)
            right.place_by_text(r)
            return max(left.high[left.n - 1], right.high[right.n - 1])
        n: cython.Py_ssize_t = left.rank_words(self._p_trees, t, self._p_words, self._p_places)
        m: cython.Py_ssize_t = right.rank_words(self._r_trees, t, self._r_words, self._r_places)
        if self._by_words[t]:
            for word in range(n):
                left.word_low[word] = right.word_low[word] = word
                left.word_high[word] = right.word_high[word] = word + 1
            most = n
        else:
            most = self._merge_words(t, n, m, left, right)
        left.place_by_words(p, self._p_trees, t)
        right.place_by_words(r, self._r_trees, t)
        return most

    def _merge_words(self, t, n, m, left, right):
        """Numbers the boundaries of both sides' words in time; silence between words takes no place."""
        i: cython.Py_ssize_t = 0  # boundaries of the left side that have a number: two a word
        j: cython.Py_ssize_t = 0
        place: cython.int = 0
        now: cython.double = 0.0
        first: cython.bint = True
        while i < 2 * n or j < 2 * m:
            a: cython.double = 0.0
            b: cython.double = 0.0
            if i < 2 * n:
                at = self._p_places[self._p_words[t] + i // 2]
                a = self._p_trees.end[at] if i % 2 else self._p_trees.start[at]
            if j < 2 * m:
                at = self._r_places[self._r_words[t] + j // 2]
                b = self._r_trees.end[at] if j % 2 else self._r_trees.start[at]
            take_left: cython.bint = i < 2 * n and (j >= 2 * m or a <= b)
            time: cython.double = a if take_left else b
            if not first and time > now and (i % 2 or j % 2):
                place += 1
            if first or time > now:
                now = time
            first = False
            if take_left:
                if i % 2:
                    left.word_high[i // 2] = place
                else:
                    left.word_low[i // 2] = place
                i += 1
            else:
                if j % 2:
                    right.word_high[j // 2] = place
                else:
                    right.word_low[j // 2] = place
                j += 1
        return place

    # ---- nodes whose span the other side has ---------------------------------------------------

    def _explain_spans(self, left, right):
        """Goes through the spans that both sides have."""
        i: cython.Py_ssize_t = 0
        while i < left.n:
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

    def _may_align(self, own, other, i, j):
        return own.label[i] == other.label[j] or (self._flexible and (own.size[i] == 1 or other.size[j] == 1))

    def _is_free(self, own, i, low, high):
        """Whether a node is not aligned with one of `low … high`, and has no match among them yet."""
        return own.partner[i] < low or own.partner[i] > high

    def _explain_span(self, left, right, i0, i1, j0, j1):
        """Tells what became of nodes `i0 … i1` and `j0 … j1`, which all have the same span, lowest first."""
        tagged: cython.bint = (
            left.leaf[i0]
            and right.leaf[j0]
            and left.partner[i0] < 0
            and right.partner[j0] < 0
            and not self._may_align(left, right, i0, j0)
        )
        if tagged:
            self._match(left, right, i0, j0, _TAG)
        self._find_blocked(left, right, i0, i1, j0, j1)
        self._pair_rest(left, right, i0, i1, j0, j1)
        return 0

    def _match(self, left, right, i, j, cause):
        """Puts two nodes with the same span together; the cause is that of those that are not aligned."""
        left.match[i] = j
        right.match[j] = i
        if left.partner[i] < 0:
            self._note(True, left.base + i, cause, right.base + j)
        if right.partner[j] < 0:
            self._note(False, right.base + j, cause, left.base + i)
        return 0

    def _find_blocked(self, left, right, i0, i1, j0, j1):
        """Puts together nodes with matching labels that are not aligned within this span, from the top."""
        self._stamp += 1
        for j in range(j0, j1 + 1):
            if right.match[j] < 0 and self._is_free(right, j, i0, i1):
                label = right.label[j]
                self._next[j] = self._head[label] if self._seen[label] == self._stamp else -1
                self._seen[label] = self._stamp
                self._head[label] = j
        i: cython.Py_ssize_t = i1
        while i >= i0:
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
        """The same for leaves that may align with any node: first with each other, then with the topmost."""
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
        """Pairs what is left between nodes that are aligned here, from the top; the rest is too much."""
        i: cython.Py_ssize_t = i1
        j: cython.Py_ssize_t = j1
        while i >= i0 or j >= j0:
            while i >= i0 and self._is_free(left, i, j0, j1) and not self._is_left_over(left, i):
                i -= 1
            while j >= j0 and self._is_free(right, j, i0, i1) and not self._is_left_over(right, j):
                j -= 1
            more_left: cython.bint = i >= i0 and self._is_left_over(left, i)
            more_right: cython.bint = j >= j0 and self._is_left_over(right, j)
            if more_left and more_right:
                self._match(left, right, i, j, _LABEL)
            elif more_left:
                self._note(True, left.base + i, _UNARY, right.base + j1)
            elif more_right:
                self._note(False, right.base + j, _UNARY, left.base + i1)
            if more_left or not more_right:
                i -= 1
            if more_right or not more_left:
                j -= 1
        return 0

    def _is_left_over(self, own, i):
        return own.partner[i] < 0 and own.match[i] < 0

    # ---- other nodes ---------------------------------------------------------------------------

    def _explain_side(self, own, other, on_left):
        """Tells why the nodes of a side are lost whose span decides alone; drops causes without a loss."""
        for i in range(own.n):
            at = own.base + i
            loss = self.p_loss[at] if on_left else self.r_loss[at]
            cause = self.p_cause[at] if on_left else self.r_cause[at]
            j = own.partner[i]
            if loss == 0.0:
                if cause != _NO_LOSS:
                    self._note(on_left, at, _NO_LOSS, self._p_partner[at] if on_left else self._r_partner[at])
            elif j >= 0 and own.is_same(other, i, j):
                self._note(on_left, at, _TIMING, other.base + j)
            elif j >= 0:
                self._explain_aligned(own, other, i, j, on_left)
            elif own.twin[i] < 0:
                self._explain_span_alone(own, other, i, on_left)
            elif cause == _UNARY:
                self._explain_by_move(own, other, i, on_left)
        return 0

    def _explain_aligned(self, own, other, i, j, on_left):
        """Tells whether two aligned nodes differ by moved nodes."""
        self._first_tile = -1
        low = min(own.low[i], other.low[j])
        high = max(own.high[i], other.high[j])
        moved: cython.bint = (
            own.phrase[i]
            and other.phrase[j]
            and self._is_moved(own, other, low, max(own.low[i], other.low[j]))
            and self._is_moved(own, other, min(own.high[i], other.high[j]), high)
        )
        self._note(on_left, own.base + i, _ATTACHMENT if moved else _BOUNDARY, other.base + j)
        if moved:
            self._note_tile(own, other, i, on_left)
        return 0

    def _note_tile(self, own, other, i, on_left):
        """Writes down the two parents of the first moved node."""
        site = own.parent[self._first_tile]
        other_site = other.parent[own.twin[self._first_tile]]
        self._note_site(
            on_left,
            own.base + i,
            -1 if site < 0 else own.base + site,
            -1 if other_site < 0 else other.base + other_site,
        )
        return 0

    def _is_moved(self, own, other, low, high):
        """Whether a stretch is nothing, or a few nodes that both sides have, each under another parent.

        Leaves the first of them in `_first_tile` if there was none.
        """
        place: cython.int = low
        n: cython.int = 0
        while place < high:
            n += 1
            best: cython.int = -1
            i: cython.int = own.first_common[place]
            while i >= 0 and own.high[i] <= high:
                best = i
                i = own.next_common[i]
            if best < 0 or n > _MOST_MOVED or not self._is_moved_node(own, other, best):
                return False
            if self._first_tile < 0:
                self._first_tile = best
            place = own.high[best]
        return True

    def _is_moved_node(self, own, other, i):
        """Whether the parents of a node that both sides have do not stand for each other."""
        up = own.parent[i]
        other_up = other.parent[own.twin[i]]
        if up < 0 or other_up < 0:
            return up >= 0 or other_up >= 0
        return own.partner[up] != other_up and own.match[up] != other_up

    def _explain_span_alone(self, own, other, i, on_left):
        """Tells why a node is lost whose span the other side does not have."""
        at = own.base + i
        if own.phrase[i]:
            j = other.inside[own.low[i]]
            if j >= 0 and other.high[j] < own.high[i]:
                self._note(on_left, at, _ATTACHMENT, other.base + j)
                self._note_crossing(own, other, i, j, self._begin_tile(own, i, other.high[j]), on_left)
                return 0
            j = other.inside[own.high[i]]
            if j >= 0 and other.low[j] > own.low[i]:
                self._note(on_left, at, _ATTACHMENT, other.base + j)
                self._note_crossing(own, other, i, j, self._end_tile(own, i, other.low[j]), on_left)
                return 0
        if not self._explain_by_move(own, other, i, on_left):
            self._note(on_left, at, _EXTRA if on_left else _MISSING, -1)
        return 0

    def _explain_by_move(self, own, other, i, on_left):
        """Says so if a node would have a counterpart but for nodes that are attached elsewhere."""
        if not own.phrase[i]:
            return False
        j = self._find_smaller(own, other, i)
        if j < 0:
            j = self._find_larger(own, other, i)
        if j < 0:
            return False
        self._note(on_left, own.base + i, _ATTACHMENT, other.base + j)
        self._note_tile(own, other, i, on_left)
        return True

    def _may_be(self, own, other, i, j):
        """Whether node `j` of the other side may align with `i`, or is mistaken for one with its label."""
        if not other.phrase[j]:
            return False
        mistaken: cython.int = other.match[j]
        return self._may_align(own, other, i, j) or (mistaken >= 0 and own.label[mistaken] == own.label[i])

    def _begin_tile(self, own, i, place):
        """The largest node of both sides that begins there within node `i`, or -1."""
        best: cython.int = -1
        k: cython.int = own.first_common[place]
        while k >= 0 and own.high[k] <= own.high[i]:
            best = k
            k = own.next_common[k]
        return best

    def _end_tile(self, own, i, place):
        """The largest node of both sides that ends there within node `i`, or -1."""
        best: cython.int = -1
        k: cython.int = own.first_end[place]
        while 0 <= k < own.n and own.high[k] == place and own.low[k] >= own.low[i]:
            if own.is_common(k):
                best = k
            k += 1
        return best

    def _note_crossing(self, own, other, i, j, tile, on_left):
        """Writes down the parents of the node that a crossing is about, or else the nodes that cross."""
        self._first_tile = tile
        if tile >= 0:
            return self._note_tile(own, other, i, on_left)
        return self._note_site(on_left, own.base + i, own.base + i, other.base + j)

    def _find_smaller(self, own, other, i):
        """A node of the other side that would be node `i` but for moved nodes beside it, or -1.

        It is one of the largest within the span, and the others make up the rest.
        """
        best: cython.int = -1
        n: cython.int = 0
        k: cython.int = own.before[i]
        while k >= 0 and other.low[k] >= own.low[i]:
            n += 1
            if n > 2 * _MOST_MOVED + 1:
                return -1
            named = self._find_label(own, other, i, k)
            if (
                named >= 0
                and (best < 0 or other.high[k] - other.low[k] >= other.high[best] - other.low[best])
                and self._is_moved(own, other, own.low[i], other.low[k])
                and self._is_moved(own, other, other.high[k], own.high[i])
            ):
                best = named
            k -= other.size[k]
        if best >= 0:
            self._first_tile = -1
            self._is_moved(own, other, own.low[i], other.low[best])
            self._is_moved(own, other, other.high[best], own.high[i])
        return best

    def _find_label(self, own, other, i, top):
        """The topmost phrase with the span of `top` that node `i` may align with, or -1."""
        k: cython.int = top
        while k >= 0 and other.low[k] == other.low[top] and other.high[k] == other.high[top]:
            if self._may_be(own, other, i, k):
                return k
            k -= 1
        return -1

    def _find_larger(self, own, other, i):
        """A node of the other side that would be node `i` but for moved nodes that it has more, or -1."""
        k: cython.int = own.before[i]
        if k < 0 or other.low[k] < own.low[i]:
            k = other.cover[own.low[i]]
        while k >= 0 and (
            other.low[k] > own.low[i] or other.high[k] < own.high[i] or own.is_same(other, i, k)
        ):
            k = other.above[k]
        up: cython.int = own.parent[i]
        while k >= 0:
            if up >= 0 and (other.low[k] < own.low[up] or other.high[k] > own.high[up]):
                return -1
            self._first_tile = -1
            if (
                self._may_be(own, other, i, k)
                and self._is_moved(own, other, other.low[k], own.low[i])
                and self._is_moved(own, other, own.high[i], other.high[k])
            ):
                return k
            k = other.above[k]
        return -1

    # ---- sums ----------------------------------------------------------------------------------

    def sums(self, skip):
        """What each cause comes to in each pair: an array of doubles, by pair, then by cause from 0.

        Args:
            skip: A byte for each pair, not 0 where it does not count.
        """
        p: FlatNodes = self._p
        r: FlatNodes = self._r
        sums = doubles(p.n_trees * _N_CAUSES)
        out: cython.double[::1] = sums
        left_out: cython.uchar[::1] = skip
        for t in range(p.n_trees):
            if not left_out[t]:
                for i in range(p.offset[t], p.offset[t + 1]):
                    out[t * _N_CAUSES + self.p_cause[i]] += self.p_loss[i]
                for i in range(r.offset[t], r.offset[t + 1]):
                    out[t * _N_CAUSES + self.r_cause[i]] += self.r_loss[i]
        return sums

    def confusions(self, skip):
        """Label ids that were confused, as `(pair, cause, predicted, in the reference, loss)` for each node.

        For `LABEL` and `TAG` they are those of the two nodes, for `ATTACHMENT` those of the two parents, -1
        where there is none. `skip` as in `sums`.
        """
        p: FlatNodes = self._p
        r: FlatNodes = self._r
        predicted: cython.int
        wanted: cython.int
        found = []
        for t in range(p.n_trees):
            if skip[t]:
                continue
            for i in range(p.offset[t], p.offset[t + 1]):
                if self.p_cause[i] == _LABEL or self.p_cause[i] == _TAG:
                    predicted = self._label_id(True, t, i)
                    wanted = self._label_id(False, t, self.p_other[i])
                elif self.p_cause[i] == _ATTACHMENT:
                    predicted = self._label_id(True, t, self.p_site[i])
                    wanted = self._label_id(False, t, self.p_other_site[i])
                else:
                    continue
                found.append((t, self.p_cause[i], predicted, wanted, self.p_loss[i]))
            for i in range(r.offset[t], r.offset[t + 1]):
                if self.r_cause[i] == _LABEL or self.r_cause[i] == _TAG:
                    predicted = self._label_id(True, t, self.r_other[i])
                    wanted = self._label_id(False, t, i)
                elif self.r_cause[i] == _ATTACHMENT:
                    predicted = self._label_id(True, t, self.r_other_site[i])
                    wanted = self._label_id(False, t, self.r_site[i])
                else:
                    continue
                found.append((t, self.r_cause[i], predicted, wanted, self.r_loss[i]))
        return found

    def _label_id(self, on_left, t, i):
        nodes: FlatNodes = self._p if on_left else self._r
        trees: FlatTrees = self._p_trees if on_left else self._r_trees
        return -1 if i < 0 else trees.label[trees.node_offset[t] + nodes.origin[i]]

    def losses(self):
        """Of each node of the first pair that is lost: `(predicted, node, cause, loss, other)`.

        Nodes have the numbers that they had when read; `other` is that of the node on the other side that the
        cause is about, or -1.
        """
        p: FlatNodes = self._p
        r: FlatNodes = self._r
        found = []
        for i in range(p.offset[0], p.offset[1]):
            if self.p_loss[i] > 0.0:
                other = -1 if self.p_other[i] < 0 else r.origin[self.p_other[i]]
                found.append((True, p.origin[i], self.p_cause[i], self.p_loss[i], other))
        for i in range(r.offset[0], r.offset[1]):
            if self.r_loss[i] > 0.0:
                other = -1 if self.r_other[i] < 0 else p.origin[self.r_other[i]]
                found.append((False, r.origin[i], self.r_cause[i], self.r_loss[i], other))
        return found
