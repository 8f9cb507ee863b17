"""Leaf-ancestor scores: for each word, how alike the labels above it are in two trees."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatNodes
else:
    from .flat import FlatNodes

from .flat import doubles, ints

# Marks among the labels of a way.
_BEGINS, _ENDS = -1, -2


class Ways:
    """The ways from each word of a tree to its root; buffers are kept from tree to tree.

    Attributes:
        item: The labels and marks of one way, from the word up.
        n: How many there are.
    """

    def __init__(self):
        self.n = 0
        self._node_room = self._word_room = -1
        self.reserve(0, 0)

    def reserve(self, nodes, words):
        """Makes room for that many nodes and words."""
        if nodes > self._node_room:
            self._node_room = nodes + nodes // 2
            self._above = ints(self._node_room)
            self.item = ints(self._node_room + 2)
        if words > self._word_room:
            self._word_room = words + words // 2
            self._lowest = ints(self._word_room)
            self._skip = ints(self._word_room)  # where to go on behind the widest node that begins here
        return 0

    def attach(self, nodes, t, words):
        """Takes a tree: finds the node above each node, and the lowest node around each word."""
        lo: cython.Py_ssize_t = nodes.offset[t]
        i: cython.Py_ssize_t
        child: cython.Py_ssize_t
        word: cython.Py_ssize_t
        start: cython.Py_ssize_t
        end: cython.Py_ssize_t
        for word in range(words):
            self._lowest[word] = -1
        for i in range(lo, nodes.offset[t + 1]):
            self._above[i - lo] = -1
            child = i - 1
            while child > i - nodes.size[i]:
                self._above[child - lo] = i - lo
                child -= nodes.size[child]
            start = word = cython.cast(cython.Py_ssize_t, nodes.start[i])
            end = cython.cast(cython.Py_ssize_t, nodes.end[i])
            while word < end:
                if self._lowest[word] < 0:
                    self._lowest[word] = i - lo
                    self._skip[word] = word + 1
                word = self._skip[word]
            self._skip[start] = end
        return 0

    def walk(self, nodes, t, word):
        """Fills `item` with the way of a word of the tree that was attached."""
        lo: cython.Py_ssize_t = nodes.offset[t]
        i: cython.Py_ssize_t = self._lowest[word]
        begins: cython.Py_ssize_t = -1  # the highest node that begins with the word
        ends: cython.Py_ssize_t = -1
        n: cython.Py_ssize_t = 0
        if i >= 0 and nodes.size[lo + i] == 1 and nodes.end[lo + i] - nodes.start[lo + i] == 1.0:
            i = self._above[i]  # the word's own tag
        while i >= 0:
            if nodes.start[lo + i] == word:
                begins = n
            if nodes.end[lo + i] == word + 1:
                ends = n
            self.item[n] = nodes.label[lo + i]
            n += 1
            i = self._above[i]
        # From the word up, the mark of what begins stands before its label, and that of what ends after it.
        if begins >= 0:
            for i in range(n, begins, -1):
                self.item[i] = self.item[i - 1]
            self.item[begins] = _BEGINS
            n += 1
            if ends >= begins:
                ends += 1
        if ends >= 0:
            for i in range(n, ends + 1, -1):
                self.item[i] = self.item[i - 1]
            self.item[ends + 1] = _ENDS
            n += 1
        self.n = n
        return 0


class AncestorScorer:
    """Scores batches of pairs; two threads must not use it at once."""

    def __init__(self):
        self._prediction = Ways()
        self._reference = Ways()
        self._room = -1
        self._reserve(0)

    def _reserve(self, n):
        if n > self._room:
            self._room = n + n // 2
            self._row = ints(self._room + 1)
        return 0

    def score(self, predictions, references):
        """The mean over the words of each pair of trees, as an array.

        Two trees without words score 1, and trees with other numbers of words 0.

        Args:
            predictions: The `FlatNodes` of the predictions, with spans in words.
            references: The `FlatNodes` of the references, with as many trees.
        """
        p: FlatNodes = predictions
        r: FlatNodes = references
        n: cython.Py_ssize_t = p.n_trees
        t: cython.Py_ssize_t
        words: cython.Py_ssize_t = 0
        nodes_p: cython.Py_ssize_t = 0
        nodes_r: cython.Py_ssize_t = 0
        for t in range(n):
            nodes_p = max(nodes_p, p.offset[t + 1] - p.offset[t])
            nodes_r = max(nodes_r, r.offset[t + 1] - r.offset[t])
            words = max(words, cython.cast(cython.Py_ssize_t, p.extent[t]))
        self._prediction.reserve(nodes_p, words)
        self._reference.reserve(nodes_r, words)
        self._reserve(nodes_r + 2)
        scores = doubles(n)
        out: cython.double[::1] = scores
        with cython.nogil:
            for t in range(n):
                if p.extent[t] != r.extent[t]:
                    out[t] = 0.0
                elif self._is_same(p, r, t):
                    out[t] = 1.0
                else:
                    out[t] = self._score(p, r, t, self._prediction, self._reference)
        return scores[:n]

    def _is_same(self, p, r, t):
        """Whether two trees are equal, as two without words are."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t = r.offset[t]
        if p.offset[t + 1] - p.offset[t] != r.offset[t + 1] - j:
            return False
        for i in range(p.offset[t], p.offset[t + 1]):
            if p.label[i] != r.label[j] or p.start[i] != r.start[j] or p.end[i] != r.end[j]:
                return False
            j += 1
        return True

    def _score(self, p, r, t, pred, ref):
        words: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, p.extent[t])
        word: cython.Py_ssize_t
        distance: cython.double
        total: cython.double = 0.0
        pred.attach(p, t, words)
        ref.attach(r, t, words)
        for word in range(words):
            pred.walk(p, t, word)
            ref.walk(r, t, word)
            distance = self._distance(pred.item, pred.n, ref.item, ref.n)
            total += 1.0 if pred.n + ref.n == 0 else 1.0 - distance / (pred.n + ref.n)
        return total / words

    def _distance(self, a, n, b, m):
        """The Levenshtein distance of the first `n` and `m` items of two arrays."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        first: cython.Py_ssize_t = 0
        left_above: cython.int
        above: cython.int
        value: cython.int
        while first < n and first < m and a[first] == b[first]:
            first += 1
        while n > first and m > first and a[n - 1] == b[m - 1]:
            n -= 1
            m -= 1
        if n == first or m == first:
            return (n - first) + (m - first)
        for j in range(m - first + 1):
            self._row[j] = j
        for i in range(first, n):
            left_above = self._row[0]
            self._row[0] = i - first + 1
            for j in range(first, m):
                above = self._row[j - first + 1]
                value = left_above + (a[i] != b[j])
                value = min(value, above + 1, self._row[j - first] + 1)
                self._row[j - first + 1] = value
                left_above = above
        return self._row[m - first]
