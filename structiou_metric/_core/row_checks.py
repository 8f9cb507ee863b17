# cython: infer_types=True
"""Suspicious pairs of trees, which can be compared nevertheless, found in one pass without the GIL.

Most pairs have the same words, which is seen by comparing their bytes. Only where they differ is looked
closer: at traces, at quotes and brackets, at where words begin and end.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:  # the `.pxd` imports the others
    from cython.cimports.libc.string import memcmp
else:
    from .flat import FlatTrees
    from .scan import eight_bytes

from .flat import flags, ints, longs

# The kinds of suspicion about a pair, as bits.
WORDS, BOUNDARIES, TIMED, APART, SHIFTED, SCALED, MOVED, LABELS = 1, 2, 4, 8, 16, 32, 64, 128
_WORDS, _BOUNDARIES, _TIMED, _APART, _SCALED, _MOVED, _LABELS = 1, 2, 4, 8, 32, 64, 128

# The marks of a label, as bits: it has a function tag, is of a binarized tree, joins several nodes, or is in
# lower case; leaves with it go, and their words.
TAG, BINARIZED, COLLAPSED, LOWER, DROPPED = 1, 2, 4, 8, 16
_CLASSES, _DROPPED = 15, 16

# By how much the first four of these are shifted to be bits of a pair, for labels of either side.
IN_PREDICTION, IN_REFERENCE = 8, 12
_IN_PREDICTION, _IN_REFERENCE = 8, 12

# How many times longer words of one side last on average where the unit must be another; and the shares of a
# word's length that a side is at least moved by, and of this that its start and its end may differ by.
_SCALE, _STEP, _SLACK = 10.0, 0.5, 0.25

_WORD, _TIME = 0, 2  # units, as in `scan`

SKETCH = 16  # numbers of 64 bits that a sketch has
_SKETCH = 16

_MASK = 0xFFFFFFFFFFFFFFFF  # C wraps by itself, Python does not
_OFFSET, _PRIME = 0xCBF29CE484222325, 0x100000001B3  # of the hash by Fowler, Noll and Vo
_MULTIPLIER = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio, as in Fibonacci hashing

# Bytes of words that may be written otherwise: quotes, dashes, brackets, escapes, and all beyond ASCII.
_SPECIAL = array("B", [0]) * 128 + array("B", [1]) * 128
for _sign in "\"'`\\-()[]{}":
    _SPECIAL[ord(_sign)] = 1


class RowChecks:
    """Looks at batches of pairs; two threads must not use it at once."""

    def __init__(self):
        self._marks = b" "
        self._seen = longs(0)
        self._pair = 0
        self._special = _SPECIAL
        self._room = -1
        self._reserve(0)

    def _reserve(self, words):
        if words > self._room:
            self._room = words + words // 2
            self._pred = longs(self._room)
            self._ref = longs(self._room)
        return 0

    def look(self, predictions, references, marks, groups, unit, found):
        """Find the bits of each pair.

        Args:
            predictions: The `FlatTrees` of the predictions.
            references: The `FlatTrees` of the references, with as many trees.
            marks: The marks of each label id, or'ed together (bytes).
            groups: The number of each label id, equal for labels that differ in function tags alone; -1 if a
                label says nothing about a tree (32-bit integers).
            unit: The unit of the trees, a value of `scan.UNITS`.
            found: A number for each pair, to which bits are added (unsigned 16-bit integers).

        Returns:
            The numbers of the pairs whose words differ; and as many flags: 1 where they may be the same,
            written differently, so that nothing is said of them in `found` yet.
        """
        p: FlatTrees = predictions
        r: FlatTrees = references
        view: cython.ushort[::1] = found
        group: cython.const[cython.int][::1] = groups
        unit_: cython.int = unit
        # Most labels have no marks, and then no tree is looked at for them.
        any_mark: cython.bint = any(marks)
        compares: cython.bint = any_mark or not p.has_same_words(r)
        largest: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t = 0
        marked: cython.int = 0
        # No more pairs can differ than there are.
        rows, unsure = ints(p.n_trees), flags(p.n_trees)
        rows_view: cython.int[::1] = rows
        unsure_view: cython.uchar[::1] = unsure
        if compares:
            p.write_text()
            r.write_text()
            for t in range(p.n_trees):
                largest = max(largest, p.word_offset[t + 1] - p.word_offset[t])
                largest = max(largest, r.word_offset[t + 1] - r.word_offset[t])
            self._reserve(largest)
        # Only set while this method runs, so that the caller can append marks.
        self._marks = marks
        with cython.nogil:
            for t in range(p.n_trees):
                if any_mark:
                    marked = self._marks_in(p, t, self._marks)
                    view[t] |= (marked & _CLASSES) << _IN_PREDICTION
                    other = self._marks_in(r, t, self._marks)
                    view[t] |= (other & _CLASSES) << _IN_REFERENCE
                    marked |= other
                if p.word_offset[t + 1] == p.word_offset[t] or r.word_offset[t + 1] == r.word_offset[t]:
                    continue  # an empty tree
                if not self._share_label(p, r, t, group):
                    view[t] |= _LABELS
                if unit_ == _TIME:
                    view[t] |= self._compare_times(p, r, t)
                elif p.timed[t] and r.timed[t]:
                    view[t] |= _TIMED
                # Equal words may differ in which of them are dropped.
                # `_differs` sets `_doubt` and `_unsure`; over seconds, different words are only sketched.
                if not compares or (not marked & _DROPPED and self._has_equal_words(p, r, t)):
                    continue
                self._doubt = 0
                self._unsure = False
                if unit_ == _TIME or self._differs(p, r, t, unit_):
                    view[t] |= self._doubt
                    rows_view[n] = t
                    unsure_view[n] = self._unsure
                    n += 1
        self._marks = b" "
        return rows[:n], unsure[:n]

    def sketches(self, trees, rows, marks):
        """Return the words that some trees have, as `SKETCH` numbers of 64 bits each: a bit for each word.

        The bit is that of a hash, so two words may share one. Case makes no difference.
        """
        source: FlatTrees = trees
        found = array("Q", [0]) * (_SKETCH * len(rows))
        hash_: cython.ulonglong
        bit: cython.ulonglong
        byte: cython.int
        k: cython.Py_ssize_t = 0
        source.write_text()
        self._marks = marks
        for t in rows:
            self._reserve(source.word_offset[t + 1] - source.word_offset[t])
            n = self._keep(source, t, self._pred)
            # A hash of the word in lower case; the ten highest bits of a product choose one of 1,024.
            for i in range(n):
                hash_ = _OFFSET
                for at in range(source.text_from[self._pred[i]], source.text_to[self._pred[i]]):
                    byte = source.text[at]
                    if 65 <= byte <= 90:
                        byte += 32
                    hash_ = ((hash_ ^ byte) * _PRIME) & _MASK
                hash_ = ((hash_ * _MULTIPLIER) & _MASK) >> 54
                bit = 1
                bit = bit << (hash_ & 63)
                found[k + (hash_ >> 6)] |= bit
            k += _SKETCH
        self._marks = b" "
        return found

    def _marks_in(self, source, t, marks):
        """Return the marks of all labels of a tree, or'ed together."""
        found: cython.int = 0
        for i in range(source.node_offset[t], source.node_offset[t + 1]):
            found |= marks[source.label[i]]
        return found

    def _share_label(self, p, r, t, group):
        """Return whether both trees have a label in common, mostly that of the roots or first leaves."""
        lo: cython.Py_ssize_t = p.node_offset[t]
        hi: cython.Py_ssize_t = p.node_offset[t + 1]
        other_lo: cython.Py_ssize_t = r.node_offset[t]
        other_hi: cython.Py_ssize_t = r.node_offset[t + 1]
        own: cython.int
        # An empty tree is a failed parse, about which nothing is suspicious.
        if lo == hi or other_lo == other_hi:
            return True
        own = group[p.label[hi - 1]]
        if own >= 0 and own == group[r.label[other_hi - 1]]:
            return True
        own = group[p.label[lo]]
        if own >= 0 and own == group[r.label[other_lo]]:
            return True
        # Stamp the groups of the prediction, then look for a stamp among those of the reference.
        self._pair += 1
        for i in range(lo, hi):
            own = group[p.label[i]]
            if own >= 0:
                self._seen[own] = self._pair
        for i in range(other_lo, other_hi):
            own = group[r.label[i]]
            if own >= 0 and self._seen[own] == self._pair:
                return True
        return False

    def expect(self, n_groups):
        """Reserve space for groups of labels with numbers below this."""
        if n_groups > len(self._seen):
            self._seen = longs(2 * n_groups)

    def _compare_times(self, p, r, t):
        """Return the bits that the times of two trees give rise to."""
        first: cython.Py_ssize_t = p.word_offset[t]
        last: cython.Py_ssize_t = p.word_offset[t + 1] - 1
        other_first: cython.Py_ssize_t = r.word_offset[t]
        other_last: cython.Py_ssize_t = r.word_offset[t + 1] - 1
        length: cython.double = 0.0  # of a word, on average
        other_length: cython.double = 0.0
        begin: cython.double = p.start[first] - r.start[other_first]
        end: cython.double = p.end[last] - r.end[other_last]
        found: cython.int = 0
        if p.end[last] <= r.start[other_first] or r.end[other_last] <= p.start[first]:
            found |= _APART
        for i in range(first, last + 1):
            length += p.end[i] - p.start[i]
        for i in range(other_first, other_last + 1):
            other_length += r.end[i] - r.start[i]
        # Averages, because both sides may have different numbers of words.
        length /= last + 1 - first
        other_length /= other_last + 1 - other_first
        if length <= 0.0 or other_length <= 0.0:
            return found
        if length > _SCALE * other_length or other_length > _SCALE * length:
            found |= _SCALED
        # Twice the shift of the middle, against twice the step.
        elif found == 0 and abs(begin + end) >= 2.0 * _STEP * max(length, other_length):
            if 2.0 * abs(begin - end) <= _SLACK * abs(begin + end):
                found |= _MOVED
        return found

    def _has_equal_words(self, p, r, t):
        """Return whether two trees have the same words to the byte, dropped ones among them.

        If all is the same from the first word to the last, brackets and labels too, so are the words. Where
        trees were not scanned, there is nothing between words.
        """
        i: cython.Py_ssize_t = p.word_offset[t]
        j: cython.Py_ssize_t = r.word_offset[t]
        end: cython.Py_ssize_t = p.word_offset[t + 1]
        size: cython.Py_ssize_t = p.text_to[end - 1] - p.text_from[i]
        if end - i != r.word_offset[t + 1] - j:
            return False
        if (
            size == r.text_to[r.word_offset[t + 1] - 1] - r.text_from[j]
            and end - i > 1
            and p.text_to[i] < p.text_from[i + 1]
            and r.text_to[j] < r.text_from[j + 1]
            and p.timed[t] == r.timed[t]
            and _have_equal_bytes(p, r, p.text_from[i], r.text_from[j], size)
        ):
            return True
        while i < end:
            if not self._is_equal(p, r, i, j):
                return False
            i += 1
            j += 1
        return True

    def _is_equal(self, p, r, i, j):
        at: cython.Py_ssize_t = p.text_from[i]
        size: cython.Py_ssize_t = p.text_to[i] - at
        other: cython.Py_ssize_t = r.text_from[j]
        differing: cython.ulonglong
        if size != r.text_to[j] - other:
            return False
        if 0 < size <= 8 and at + 8 <= len(p.text) and other + 8 <= len(r.text):
            differing = eight_bytes(p.text, at) ^ eight_bytes(r.text, other)
            return (differing << (64 - 8 * size)) & _MASK == 0  # the bytes after the words are shifted out
        return size == 0 or _have_equal_bytes(p, r, at, other, size)

    def _differs(self, p, r, t, unit):
        """Return whether the kept words differ; set `_doubt` to the kind, or `_unsure` if they may not.

        A word without text is any word. Where the lengths differ, the pair cannot be compared anyway, and
        there is nothing to warn of.
        """
        n_pred: cython.Py_ssize_t = self._keep(p, t, self._pred)
        n_ref: cython.Py_ssize_t = self._keep(r, t, self._ref)
        differs: cython.bint = False
        if unit == _WORD and n_pred == n_ref:
            for i in range(n_pred):
                word = self._pred[i]
                other = self._ref[i]
                if p.text_from[word] == p.text_to[word] or r.text_from[other] == r.text_to[other]:
                    continue
                if not self._is_equal(p, r, word, other):
                    differs = True
                    if self._is_special(p, word) or self._is_special(r, other):
                        self._unsure = True
            if not differs:
                return False
            if self._has_equal_text(p, r, n_pred, n_ref):
                self._unsure = False
                self._doubt = _BOUNDARIES
            elif not self._unsure:
                self._doubt = _WORDS
            return True
        if unit == _WORD:
            return True
        if self._has_equal_text(p, r, n_pred, n_ref):
            return False
        for i in range(n_pred):
            self._unsure = self._unsure or self._is_special(p, self._pred[i])
            if p.text_from[self._pred[i]] == p.text_to[self._pred[i]]:
                return False
        for i in range(n_ref):
            self._unsure = self._unsure or self._is_special(r, self._ref[i])
            if r.text_from[self._ref[i]] == r.text_to[self._ref[i]]:
                return False
        if self._extent(p, self._pred, n_pred) != self._extent(r, self._ref, n_ref):
            self._unsure = False
        elif not self._unsure:
            self._doubt = _WORDS
        return True

    def _keep(self, source, t, kept):
        """List the words of a tree without those of leaves to drop; return how many there are."""
        base: cython.Py_ssize_t = source.word_offset[t]
        n_words: cython.Py_ssize_t = source.word_offset[t + 1] - base
        n: cython.Py_ssize_t = 0
        for word in range(n_words):
            kept[word] = base + word
        for i in range(source.node_offset[t], source.node_offset[t + 1]):
            if source.size[i] == 1 and self._marks[source.label[i]] & _DROPPED:
                for word in range(source.first[i], source.last[i]):
                    kept[word] = -1
        for word in range(n_words):
            if kept[word] >= 0:
                kept[n] = kept[word]
                n += 1
        return n

    def _has_equal_text(self, p, r, n_pred, n_ref):
        """Return whether the kept words have the same bytes one after the other, wherever words end."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0  # within the word
        other: cython.Py_ssize_t = 0
        while True:
            while i < n_pred and p.text_from[self._pred[i]] + at == p.text_to[self._pred[i]]:
                i += 1
                at = 0
            while j < n_ref and r.text_from[self._ref[j]] + other == r.text_to[self._ref[j]]:
                j += 1
                other = 0
            if i == n_pred or j == n_ref:
                return i == n_pred and j == n_ref
            if p.text[p.text_from[self._pred[i]] + at] != r.text[r.text_from[self._ref[j]] + other]:
                return False
            at += 1
            other += 1

    def _extent(self, source, kept, n):
        """Return the length of the kept words in the unit."""
        extent: cython.double = 0.0
        for i in range(n):
            extent += source.end[kept[i]] - source.start[kept[i]]
        return extent

    def _is_special(self, source, i):
        """Return whether a word has a byte that may be written otherwise."""
        for at in range(source.text_from[i], source.text_to[i]):
            if self._special[source.text[at]]:
                return True
        return False


def _have_equal_bytes(p, r, at, other, size):
    """Return whether that many bytes of two texts are the same."""
    if cython.compiled:
        return memcmp(cython.address(p.text[at]), cython.address(r.text[other]), size) == 0
    return p.text[at : at + size] == r.text[other : other + size]
