"""Brackets as sets of words, of pairs of trees without gaps, where sets are runs of words.

Without gaps, the brackets of a tree in postorder are sorted: by their last word, and where that is the same,
by their first one, the last first. So one walk along both sides finds what they have in common.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatTrees
else:
    from .flat import FlatTrees

from .flat import flags, ints

# What is known of a label, as bits: words with this tag, and brackets, do not count; it stands for a trace.
DELETED, TRACE = 1, 2
_DELETED, _TRACE = 1, 2

# What is counted of a pair, in this order.
COLUMNS = ("matched", "n_pred", "n_ref", "unlabeled", "complete", "correct_tags", "words")


class DiscoSide:
    """One tree of a pair; buffers are kept from tree to tree.

    Per word: its tag as label id, its place among those that are no traces or -1, and how many words before
    it count. Per word that is no trace: where it stands. Per bracket that counts: label class, how many
    words that count are before its first and up to its last one.
    """

    def __init__(self):
        self._node_room = self._word_room = -1
        self.n_words = self.n_brackets = 0
        self.reserve(0, 0)

    def reserve(self, nodes, words):
        """Makes room for trees of that many nodes and words."""
        if nodes > self._node_room:
            self._node_room = nodes + nodes // 2
            self.label = ints(self._node_room)
            self.low = ints(self._node_room)
            self.high = ints(self._node_room)
        if words > self._word_room:
            self._word_room = words + words // 2
            self.tag = ints(self._word_room)
            self.place = ints(self._word_room)
            self.kept = ints(self._word_room)
            self.before = ints(self._word_room + 1)
        return 0

    def load(self, source, t, kinds):
        """Takes the words of a tree; returns False if one has no tag of its own."""
        base: cython.Py_ssize_t = source.node_offset[t]
        n: cython.Py_ssize_t = source.word_offset[t + 1] - source.word_offset[t]
        i: cython.Py_ssize_t
        self.n_words = 0
        for i in range(n):
            self.tag[i] = -1
        for i in range(base, source.node_offset[t + 1]):
            if source.size[i] == 1 and source.last[i] == source.first[i] + 1:
                self.tag[source.first[i]] = source.label[i]
        for i in range(n):
            if self.tag[i] < 0:
                return False
            self.place[i] = -1
            if not kinds[self.tag[i]] & _TRACE:
                self.place[i] = self.n_words
                self.kept[self.n_words] = i
                self.n_words += 1
        return True

    def find_brackets(self, source, t, gone, kinds, classes):
        """Lists the brackets that count, where the words do not that have a mark in `gone`."""
        n: cython.Py_ssize_t = source.word_offset[t + 1] - source.word_offset[t]
        i: cython.Py_ssize_t
        low: cython.int
        high: cython.int
        self.before[0] = 0
        for i in range(n):
            self.before[i + 1] = self.before[i]
            if self.place[i] >= 0 and not gone[self.place[i]]:
                self.before[i + 1] += 1
        self.n_brackets = 0
        for i in range(source.node_offset[t], source.node_offset[t + 1]):
            if source.size[i] == 1 or kinds[source.label[i]] & _DELETED:
                continue
            low = self.before[source.first[i]]
            high = self.before[source.last[i]]
            if low < high:
                self.label[self.n_brackets] = classes[source.label[i]]
                self.low[self.n_brackets] = low
                self.high[self.n_brackets] = high
                self.n_brackets += 1
        return 0


class DiscoCounter:
    """Counts batches of pairs; two threads must not use it at once."""

    def __init__(self):
        self._prediction = DiscoSide()
        self._reference = DiscoSide()
        self._gone = flags(0)
        self._open = ints(0)

    def count(self, predictions, references, kinds, classes, n_classes, deleted, figures):
        """Counts what can be counted here of each pair.

        Args:
            predictions: The `FlatTrees` of the predictions.
            references: The `FlatTrees` of the references, with as many trees.
            kinds: The marks `DELETED` and `TRACE` of each label id, or'ed together (bytes).
            classes: The number of each label id, the same as those of others that are the same (C ints).
            n_classes: How many such numbers there are.
            deleted: Whether each word of all references does not count (C ints); empty if all do.
            figures: An array of doubles with a place for each pair, for each of `COLUMNS`.

        Returns:
            The numbers of pairs that are left: those that are not to be compared, have no words or have words
            that are not the same to the byte, or have a word without a tag of its own.
        """
        p: FlatTrees = predictions
        r: FlatTrees = references
        marks: cython.const[cython.uchar][::1] = kinds
        names: cython.const[cython.int][::1] = classes
        some_deleted: cython.bint = len(deleted) > 0
        words_gone: cython.const[cython.int][::1] = deleted if len(deleted) else ints(0)
        out: cython.double[::1] = figures
        n: cython.Py_ssize_t = p.n_trees
        t: cython.Py_ssize_t
        n_left: cython.Py_ssize_t = 0
        left = ints(n)
        rows: cython.int[::1] = left
        pred: DiscoSide = self._prediction
        ref: DiscoSide = self._reference
        p.write_text()
        r.write_text()
        self._reserve(p, pred)
        self._reserve(r, ref)
        self._open = ints(n_classes)
        with cython.nogil:
            for t in range(n):
                if not self._load(p, r, pred, ref, t, marks, words_gone, some_deleted):
                    rows[n_left] = t
                    n_left += 1
                    continue
                pred.find_brackets(p, t, self._gone, marks, names)
                ref.find_brackets(r, t, self._gone, marks, names)
                self._match(pred, ref)
                self._count_tags(pred, ref, names)
                out[t] = self._matched
                out[n + t] = pred.n_brackets
                out[2 * n + t] = ref.n_brackets
                out[3 * n + t] = self._unlabeled
                out[4 * n + t] = self._matched == pred.n_brackets and self._matched == ref.n_brackets
                out[5 * n + t] = self._correct
                out[6 * n + t] = self._n_words
        return left[:n_left]

    def _reserve(self, source, side):
        nodes: cython.Py_ssize_t = 0
        words: cython.Py_ssize_t = 0
        t: cython.Py_ssize_t
        for t in range(source.n_trees):
            nodes = max(nodes, source.node_offset[t + 1] - source.node_offset[t])
            words = max(words, source.word_offset[t + 1] - source.word_offset[t])
        side.reserve(nodes, words)
        if words > len(self._gone):
            self._gone = flags(words + words // 2)
        return 0

    def _load(self, p, r, pred, ref, t, kinds, deleted, some_deleted):
        """Takes both sides of a pair; marks the words that do not count; False if it is to be left."""
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t
        other: cython.Py_ssize_t
        size: cython.Py_ssize_t
        if p.error[t] or r.error[t] or not pred.load(p, t, kinds) or not ref.load(r, t, kinds):
            return False
        if ref.n_words == 0 or pred.n_words != ref.n_words:
            return False
        for k in range(ref.n_words):
            at = p.word_offset[t] + pred.kept[k]
            other = r.word_offset[t] + ref.kept[k]
            self._gone[k] = kinds[ref.tag[ref.kept[k]]] & _DELETED
            if some_deleted and deleted[other]:
                self._gone[k] = 1
            size = p.text_to[at] - p.text_from[at]
            if size != r.text_to[other] - r.text_from[other]:
                return False
            at = p.text_from[at]
            other = r.text_from[other]
            while size > 0:
                if p.text[at] != r.text[other]:
                    return False
                at += 1
                other += 1
                size -= 1
        return True

    def _match(self, pred, ref):
        """Walks along the brackets of both sides; those over the same words follow each other."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        i_end: cython.Py_ssize_t
        j_end: cython.Py_ssize_t
        k: cython.Py_ssize_t
        self._matched = self._unlabeled = 0
        while i < pred.n_brackets and j < ref.n_brackets:
            if pred.high[i] < ref.high[j] or (pred.high[i] == ref.high[j] and pred.low[i] > ref.low[j]):
                i += 1
            elif pred.high[i] != ref.high[j] or pred.low[i] != ref.low[j]:
                j += 1
            else:
                i_end = i
                while i_end < pred.n_brackets and pred.high[i_end] == pred.high[i]:
                    if pred.low[i_end] != pred.low[i]:
                        break
                    self._open[pred.label[i_end]] += 1
                    i_end += 1
                j_end = j
                while j_end < ref.n_brackets and ref.high[j_end] == ref.high[j]:
                    if ref.low[j_end] != ref.low[j]:
                        break
                    if self._open[ref.label[j_end]] > 0:
                        self._open[ref.label[j_end]] -= 1
                        self._matched += 1
                    j_end += 1
                for k in range(i, i_end):
                    self._open[pred.label[k]] = 0
                self._unlabeled += min(i_end - i, j_end - j)
                i = i_end
                j = j_end
        return 0

    def _count_tags(self, pred, ref, classes):
        """Counts the words that count, and those of them with the same tag on both sides."""
        k: cython.Py_ssize_t
        self._n_words = self._correct = 0
        for k in range(ref.n_words):
            if not self._gone[k]:
                self._n_words += 1
                if classes[pred.tag[pred.kept[k]]] == classes[ref.tag[ref.kept[k]]]:
                    self._correct += 1
        return 0
