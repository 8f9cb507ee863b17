"""Trees of many documents from their labelled spans, read at once and copied as a metric asks for them."""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatTrees
else:
    from .flat import FlatTrees

from .flat import flags, ints, longs

_SLOTS = 1024  # labels that are found without asking a dict; a power of 2


class Constituents:
    """Trees over the tokens of documents, as flat arrays.

    The spans of a document stand in pre-order: outer ones first, left to right. One that begins where the
    tree before it has ended begins another tree.

    Args:
        spans: How many spans stand before each document, and in all (64-bit integers).
        starts: The first token of each span, counted within its document (C ints).
        ends: The token behind the last one of each span.
        labels: A number for the label of each span, whatever it is (unsigned 64-bit integers).
        tokens: How many tokens stand before each document, and in all (64-bit integers).
        words: How many words stand before each token of all documents, and in all (64-bit integers); a token
            is one word or none.

    Attributes:
        n_trees: How many trees there are.
        keys: The labels, numbered in order of appearance.
        key_documents: A document that has each of these labels.
        odd: Whether the spans of each document are something else, so that it has no trees here.
    """

    def __init__(self, spans, starts, ends, labels, tokens, words):
        n_documents: cython.Py_ssize_t = len(spans) - 1
        n_spans: cython.Py_ssize_t = len(starts)
        self.keys = []
        self.key_documents = []
        self.odd = flags(n_documents)[:n_documents]
        self.n_trees = 0
        self._n_nodes = 0
        self._numbers = {}
        self._slot_key = array("Q", [0]) * _SLOTS
        self._slot_number = array("i", [-1]) * _SLOTS
        self._label, self._size = ints(n_spans), ints(n_spans)
        self._first, self._last = ints(n_spans), ints(n_spans)
        self._node_offset = longs(n_spans + 1)
        self._document, self._start, self._end = ints(n_spans), ints(n_spans), ints(n_spans)
        self._word_from, self._word_to = longs(n_spans), longs(n_spans)
        self._span_start = starts if n_spans else ints(0)
        self._span_end = ends if n_spans else ints(0)
        self._key = labels if n_spans else array("Q", [0])
        self._token_offset = tokens
        self._words_before = words
        self._above, self._below = ints(n_spans), ints(n_spans)
        span_offset: cython.const[cython.longlong][::1] = spans
        d: cython.Py_ssize_t
        n_trees: cython.Py_ssize_t
        n_nodes: cython.Py_ssize_t
        for d in range(n_documents):
            n_trees, n_nodes = self.n_trees, self._n_nodes
            if not self._read(d, span_offset[d], span_offset[d + 1]):
                self.odd[d] = 1
                self.n_trees, self._n_nodes = n_trees, n_nodes

    def _read(self, d, lo, hi):
        """Adds the trees of a document; returns 0 if its spans are not in pre-order, or have no tokens."""
        n_tokens: cython.Py_ssize_t = self._token_offset[d + 1] - self._token_offset[d]
        i: cython.Py_ssize_t
        start: cython.int
        end: cython.int
        previous: cython.int = 0
        depth: cython.Py_ssize_t = 0
        for i in range(lo, hi):
            start, end = self._span_start[i], self._span_end[i]
            if start < previous or start >= end or end > n_tokens:
                return 0
            previous = start
            while depth and self._span_end[self._above[depth - 1]] <= start:
                depth -= 1
                self._close(d, depth)
            if depth and end > self._span_end[self._above[depth - 1]]:
                return 0
            self._above[depth] = i
            self._below[depth] = self._n_nodes
            depth += 1
        while depth:
            depth -= 1
            self._close(d, depth)
        return 1

    def _close(self, d, depth):
        """Adds the node that is open at a depth; the root is the last of its tree."""
        span: cython.Py_ssize_t = self._above[depth]
        root: cython.Py_ssize_t = self._above[0]
        token: cython.Py_ssize_t = self._token_offset[d]
        base: cython.longlong = self._words_before[token + self._span_start[root]]
        node: cython.Py_ssize_t = self._n_nodes
        tree: cython.Py_ssize_t = self.n_trees
        self._label[node] = self._number_of(self._key[span], d)
        self._size[node] = node - self._below[depth] + 1
        self._first[node] = self._words_before[token + self._span_start[span]] - base
        self._last[node] = self._words_before[token + self._span_end[span]] - base
        self._n_nodes = node + 1
        if depth == 0:
            self._document[tree] = d
            self._start[tree] = self._span_start[span]
            self._end[tree] = self._span_end[span]
            self._word_from[tree] = base
            self._word_to[tree] = base + self._last[node]
            self._node_offset[tree + 1] = node + 1
            self.n_trees = tree + 1
        return 0

    def _number_of(self, key, d):
        """The number of a label."""
        slot: cython.Py_ssize_t = key & (_SLOTS - 1)
        if self._slot_number[slot] < 0 or self._slot_key[slot] != key:
            number = self._numbers.get(key)
            if number is None:
                number = self._numbers[key] = len(self.keys)
                self.keys.append(key)
                self.key_documents.append(d)
            self._slot_key[slot] = key
            self._slot_number[slot] = number
        return self._slot_number[slot]

    def places(self):
        """The document, the tokens (half-open) and the words (half-open) of each tree.

        Tokens are counted within a document, words in all of them.
        """
        return [
            (self._document[t], self._start[t], self._end[t], self._word_from[t], self._word_to[t])
            for t in range(self.n_trees)
        ]

    def nodes(self, t: cython.Py_ssize_t):
        """The numbers of labels, sizes, first and last words of tree `t`, as four arrays."""
        lo: cython.Py_ssize_t = self._node_offset[t]
        hi: cython.Py_ssize_t = self._node_offset[t + 1]
        return (
            array("i", self._label[lo:hi]),
            array("i", self._size[lo:hi]),
            array("i", self._first[lo:hi]),
            array("i", self._last[lo:hi]),
        )

    def word_range(self, t: cython.Py_ssize_t):
        """The first word and the one behind the last of tree `t`, counted in all documents."""
        return self._word_from[t], self._word_to[t]

    def count_nodes(self, t: cython.Py_ssize_t):
        """How many nodes tree `t` has."""
        return self._node_offset[t + 1] - self._node_offset[t]

    def copy(self, numbers, ids, places, words, timed, trees):
        """Copies trees, in place of what was there.

        Args:
            numbers: The numbers of the trees; -1 for an empty tree, and -2 for an unreadable one.
            ids: The id of each label in `keys` (C ints).
            places: Where each of all words starts, and where the last ends (doubles).
            words: The texts of all words, as a list.
            timed: Whether the words of each document have times, whatever the unit is (bytes).
            trees: The `FlatTrees` to copy them to.
        """
        out: FlatTrees = trees
        place: cython.const[cython.double][::1] = places
        label_id: cython.const[cython.int][::1] = ids if len(ids) else ints(0)
        n_nodes: cython.Py_ssize_t = 0
        n_words: cython.Py_ssize_t = 0
        number: cython.Py_ssize_t
        for number in numbers:
            if number >= 0:
                n_nodes += self._node_offset[number + 1] - self._node_offset[number]
                n_words += self._word_to[number] - self._word_from[number]
        out.reserve(len(numbers), n_nodes, n_words)
        for number in numbers:
            if number == -1:
                out.append((), (), (), (), (), (), ())
            elif number < 0:
                out.append_error(1)
            else:
                self._copy(number, label_id, place, out)
                out.timed[out.n_trees - 1] = timed[self._document[number]]
                out._unwritten.append(words[self._word_from[number] : self._word_to[number]])

    def _copy(self, number, label_id, place, out):
        """Adds a tree, its words aside."""
        lo: cython.Py_ssize_t = self._node_offset[number]
        hi: cython.Py_ssize_t = self._node_offset[number + 1]
        word_lo: cython.Py_ssize_t = self._word_from[number]
        word_hi: cython.Py_ssize_t = self._word_to[number]
        t: cython.Py_ssize_t = out.n_trees
        node: cython.Py_ssize_t = out.node_offset[t]
        word: cython.Py_ssize_t = out.word_offset[t]
        i: cython.Py_ssize_t
        solid: cython.int = 2
        for i in range(lo, hi):
            out.label[node] = label_id[self._label[i]]
            out.size[node] = self._size[i]
            out.first[node] = self._first[i]
            out.last[node] = self._last[i]
            if self._first[i] == self._last[i]:
                solid = 0
            node += 1
        for i in range(word_lo, word_hi):
            out.start[word] = place[i] - place[word_lo]
            out.end[word] = place[i + 1] - place[word_lo]
            if place[i + 1] <= place[i]:
                solid = 0
            elif place[i + 1] - place[i] != 1.0 and solid == 2:
                solid = 1
            word += 1
        out.node_offset[t + 1] = node
        out.word_offset[t + 1] = word
        out.error[t] = 0
        out.solid[t] = solid
        out.n_trees = t + 1
        return 0
