"""One side of a pair for ParsEval: words with tags, some of them deleted, and brackets over the words kept.

A node over nothing but one word is the tag of that word; all others are brackets. Spans are counted in the
words that are kept. Everything is numbers and bytes: the rules for labels come as arrays by label id.
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

# Marks of a label, for the words that it tags, as bits.
DELETED, NO_LENGTH, QUOTE, UNWANTED = 1, 2, 4, 8
_DELETED, _NO_LENGTH, _QUOTE = 1, 2, 4

# The states of a word.
KEPT, GONE_BY_LABEL, GONE_BY_TEXT = 0, 1, 2
_KEPT, _GONE_BY_LABEL, _GONE_BY_TEXT = 0, 1, 2


class WordList:
    """A few words as bytes, to be searched from the first to the last."""

    def __init__(self, words):
        self.count = len(words)
        self._text = b"".join(words) or b" "
        self._from = ints(self.count)
        self._to = ints(self.count)
        at = 0
        for i, word in enumerate(words):
            self._from[i] = at
            at += len(word)
            self._to[i] = at

    def has(self, text, lo, hi):
        """Return whether a byte range is one of the words."""
        i: cython.Py_ssize_t
        for i in range(self.count):
            if self.is_word(i, text, lo, hi):
                return True
        return False

    def is_word(self, i, text, lo, hi):
        """Return whether a byte range is word `i`."""
        at: cython.Py_ssize_t = self._from[i]
        k: cython.Py_ssize_t
        if self._to[i] - at != hi - lo:
            return False
        for k in range(hi - lo):
            if self._text[at + k] != text[lo + k]:
                return False
        return True


class LabelRules:
    """The rules for each label, by its id.

    Attributes:
        marks: The marks `DELETED`, `NO_LENGTH`, `QUOTE` and `UNWANTED` (the label deletes brackets but not
            words) or'ed together, for words with that tag (bytes).
        names: A number that names the label of a bracket; -1 deletes the bracket (C ints).
        tag_names: A number that names the label of a tag.
        weights: The number of brackets that EVALB_SPMRL counts for one bracket if the prediction is empty.
        wrapper: The label of roots that do not count if they only wrap one tree; -1 for none.
    """

    def __init__(self, marks, names, tag_names, weights, wrapper):
        self.marks = marks
        self.names = names
        self.tag_names = tag_names
        self.weights = weights
        self.wrapper = wrapper


class Sentence:
    """One side of a pair; its buffers are used again for the next pair.

    For each word it has the label of its tag (-1 for none), its state, the number of words kept before it,
    and the number of its repetitions. For each word kept it has its number among all words. For each bracket,
    in postorder, it has its span, name and node, and if notes are taken its partner and whether it crosses
    one.

    Args:
        deleted_words: Words that vanish, as bytes.
        lengthless_words: Words that do not count in the length.
        drops_trivial: Whether brackets over one word, or over all words, do not count.
    """

    def __init__(self, deleted_words, lengthless_words, drops_trivial=False):
        self.text = b" "
        self._drops_trivial = drops_trivial
        self._deleted_words = WordList(deleted_words)
        self._lengthless_words = WordList(lengthless_words)
        self._word_room = self._place_room = self._node_room = -1
        self.repeats = False
        self.reserve(0, 0)

    def reserve(self, words, nodes):
        if words > self._word_room:
            self._word_room = words + words // 2
            self.tag = ints(self._word_room)
            self.gone = flags(self._word_room)
            self.rank = ints(self._word_room + 1)
            self.extra = ints(self._word_room)
        if words > self._place_room:
            self._place_room = words + words // 2
            self.place = ints(self._place_room)
        if nodes > self._node_room:
            self._node_room = nodes + nodes // 2
            self.start = ints(self._node_room)
            self.end = ints(self._node_room)
            self.name = ints(self._node_room)
            self.below = ints(self._node_room)
            self.node = ints(self._node_room)
            self.partner = ints(self._node_room)
            self.crosses = flags(self._node_room)
        return 0

    def reserve_places(self, words):
        """Reserve space for a number of words kept, which with repetitions may exceed the number of words."""
        if words > self._place_room:
            self._place_room = words + words // 2
            self.place = ints(self._place_room)
        return 0

    def attach(self, trees):
        """Reserve space for the largest of some trees, and return the number of its words."""
        source: FlatTrees = trees
        t: cython.Py_ssize_t
        words: cython.Py_ssize_t = 0
        nodes: cython.Py_ssize_t = 0
        for t in range(source.n_trees):
            words = max(words, source.word_offset[t + 1] - source.word_offset[t])
            nodes = max(nodes, source.node_offset[t + 1] - source.node_offset[t])
        self.reserve(words, nodes)
        source.write_text()
        self.text = source.text
        return words

    def read_words(self, source, t, rules):
        """Find the tags of all words of tree `t`, its length, and which words are kept."""
        base: cython.Py_ssize_t = source.word_offset[t]
        i: cython.Py_ssize_t
        word: cython.Py_ssize_t
        at: cython.Py_ssize_t
        mark: cython.int
        self.n_all = source.word_offset[t + 1] - base
        for word in range(self.n_all):
            self.tag[word] = -1
        for i in range(source.node_offset[t], source.node_offset[t + 1]):
            if source.size[i] == 1 and source.last[i] - source.first[i] == 1:
                self.tag[source.first[i]] = source.label[i]
        self.length = 0
        self.untagged = -1
        self.repeats = False
        for word in range(self.n_all):
            mark = 0
            if self.tag[word] >= 0:
                mark = rules.marks[self.tag[word]]
            elif self.untagged < 0:
                self.untagged = word
            self.gone[word] = _GONE_BY_LABEL if mark & _DELETED else _KEPT
            at = base + word
            if self._deleted_words.count > 0 and self._deleted_words.has(
                self.text, source.text_from[at], source.text_to[at]
            ):
                self.gone[word] = _GONE_BY_TEXT
            if mark & _NO_LENGTH == 0 and not (
                self._lengthless_words.count > 0
                and self._lengthless_words.has(self.text, source.text_from[at], source.text_to[at])
            ):
                self.length += 1
        self.number_words()
        return 0

    def number_words(self):
        """Number the words that are kept, with their repetitions, if any."""
        word: cython.Py_ssize_t
        kept: cython.int = 0
        more: cython.int
        for word in range(self.n_all):
            self.rank[word] = kept
            if self.gone[word] == _KEPT:
                self.place[kept] = word
                kept += 1
                if self.repeats:
                    for more in range(self.extra[word]):
                        self.place[kept + more] = word
                    kept += self.extra[word]
        self.rank[self.n_all] = kept
        self.n_words = kept
        return 0

    def is_quote(self, source, t, word, rules):
        """Return whether a word is ', \" or / with a label for quotes, unless its text deleted it."""
        at: cython.Py_ssize_t = source.word_offset[t] + word
        byte: cython.int
        if self.gone[word] == _GONE_BY_TEXT or rules.marks[self.tag[word]] & _QUOTE == 0:
            return False
        if source.text_to[at] - source.text_from[at] != 1:
            return False
        byte = self.text[source.text_from[at]]
        return byte == 39 or byte == 34 or byte == 47

    def find_brackets(self, source, t, rules):
        """List the brackets over at least one word that is kept, unless their labels are deleted."""
        i: cython.Py_ssize_t
        n: cython.int = 0
        n_wrappers: cython.int = 0
        start: cython.int
        end: cython.int
        name: cython.int
        first: cython.Py_ssize_t = source.node_offset[t]
        i = source.node_offset[t + 1] - 1
        while i >= first:  # from root to root, right to left
            if (
                source.label[i] == rules.wrapper
                and source.size[i] > 1
                and source.size[i - 1] == source.size[i] - 1
            ):
                self.below[n_wrappers] = i - first
                n_wrappers += 1
            i -= source.size[i]
        for i in range(first, source.node_offset[t + 1]):
            if n_wrappers > 0 and i - first == self.below[n_wrappers - 1]:
                n_wrappers -= 1
            elif source.size[i] > 1:
                start = self.rank[source.first[i]]
                end = self.rank[source.last[i]]
                name = rules.names[source.label[i]]
                if start < end and name >= 0:
                    if self._drops_trivial and (end - start == 1 or end - start == self.n_words):
                        continue
                    self.start[n] = start
                    self.end[n] = end
                    self.name[n] = name
                    self.node[n] = i - first
                    n += 1
        self.n_brackets = n
        return 0
