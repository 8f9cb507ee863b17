# cython: infer_types=True
"""The common ground of both trees of a pair: an order that does not know the sides, and places for nodes.

Places are words or characters; for seconds, words where both sides have as many, else the boundaries of both
sides' words in time.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .flat import FlatNodes, FlatTrees
    from .spans import Spans

from .flat import flags


class PairPlaces:
    """Orders pairs, and finds places for their nodes; two threads must not use it at once.

    Args:
        timed: Whether spans are seconds.
    """

    def __init__(self, timed=False):
        self._timed = timed
        self._spans = Spans()

    # ---- before the alignment ------------------------------------------------------------------

    def find_order(self, prediction, reference, ranks):
        """Return a byte for each pair: 1 if the reference is first in an order that does not know the sides.

        Several alignments may be best. Which of them is found depends on which tree comes first; so the one
        with fewer nodes does, or the one with the lesser sizes, labels and spans.

        Args:
            prediction: The compared nodes of the predicted trees.
            reference: The compared nodes of the reference trees.
            ranks: The place of each class of labels in an order that does not depend on the batch.
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
        """Return a byte for each pair: 1 if both sides have as many words; offsets are from `kept_words`."""
        equal = flags(n_trees)
        for t in range(n_trees):
            words = offsets[t + 1] - offsets[t]
            equal[t] = words > 0 and words == other_offsets[t + 1] - other_offsets[t]
        return equal

    def fill_words(self, nodes, trees, offsets, places, out):
        """Fill `out` with the same nodes over words instead of seconds.

        Args:
            nodes: The compared nodes of the trees.
            trees: The trees as they were read.
            offsets: The offsets of the words that count, as those of `kept_words`, beside `places`.
            places: The places of the words that count, as those of `kept_words`.
            out: The `FlatNodes` that is filled.
        """
        own: FlatNodes = nodes
        source: FlatTrees = trees
        to: FlatNodes = out
        offset: cython.longlong[::1] = offsets
        place: cython.longlong[::1] = places
        spans: Spans = self._spans
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

    # ---- places --------------------------------------------------------------------------------

    def begin(self, prediction, reference, words, by_words):
        """Set the trees of a batch.

        Args:
            prediction: The predicted trees as they were read.
            reference: The reference trees as they were read.
            words: The words that count of both sides, for seconds, each two arrays as those of `kept_words`.
            by_words: A byte for each pair, not 0 where places are words, not seconds.
        """
        self._p_trees, self._r_trees = prediction, reference
        self._by_words = by_words
        if self._timed:
            self._p_words, self._p_places = words[0]
            self._r_words, self._r_places = words[1]
        return 0

    def reserve(self, p, r, left, right):
        """Reserve space in both spans for every pair; return the number of nodes of the largest tree."""
        most: cython.Py_ssize_t = 0
        places: cython.Py_ssize_t = 0
        for t in range(p.n_trees):
            most = max(most, p.offset[t + 1] - p.offset[t], r.offset[t + 1] - r.offset[t])
            places = max(places, cython.cast(cython.Py_ssize_t, max(p.extent[t], r.extent[t])))
        if self._timed:
            places = 2 * self._reserve_words(self._p_trees, left)
            places += 2 * self._reserve_words(self._r_trees, right)
        left.reserve(most, places)
        right.reserve(most, places)
        return most

    def place(self, p, r, t, left, right):
        """Find the places of all nodes of a pair; return the greatest."""
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
