"""A tree, or a run of trees under one root, as SParseval sees it: words, and brackets without disfluencies.

Labels may empty a bracket (it vanishes with its words), delete it (a word vanishes, a bracket leaves its
children) or mark it as edited. What is edited is flattened, moves up from the edges of brackets, and joins
with what is edited beside it. In words: every run of edited words is one bracket, and any other bracket
reaches from its first to its last word that is not edited. Numbers only: what labels do comes in as arrays.

Words are deleted before that (`deletes_first`), or else they still stand between what is edited and the edges
of brackets, and vanish only then. So there are words that are *present* while edits move, and *kept* ones.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatTrees
    from cython.cimports.structiou_metric._core.sentence import Sentence
else:
    from .flat import FlatTrees
    from .sentence import Sentence

from .flat import flags, ints

# What a label does, as bits.
EMPTIES, DELETES, EDITS, CLOSES = 1, 2, 4, 8
_EMPTIES, _DELETES, _EDITS = 1, 2, 4


class LabelActions:
    """What is done with a label, by its id.

    Attributes:
        marks: The marks `EMPTIES`, `DELETES`, `EDITS` and `CLOSES` (words with that tag are of a closed
            class) or'ed together, as bytes.
        names: A number that names the label (C ints).
        top: The name of the root, whatever its label.
        counts_top: Whether the root is a bracket.
        closes_top: Whether the root is of a closed class.
    """

    def __init__(self, marks, names, top, counts_top, closes_top):
        self.marks = marks
        self.names = names
        self.top = top
        self.counts_top = counts_top
        self.closes_top = closes_top


class Utterance:
    """One side of a pair; buffers are kept from pair to pair.

    Per present word: its number in the tree, its tag, whether it is deleted after all, the name of the edited
    bracket that it is in (-1 for none), and its position: where it begins and ends.
    Per kept word: which of the present ones it is.
    Per bracket, in postorder: its name, its present words (half-open), whether it is an edited one; and in
    `spans` its positions. The root comes last, if it counts.
    """

    def __init__(self):
        self.spans = Sentence([], [])
        self._word_room = self._node_room = -1
        self._reserve(0, 0)

    def _reserve(self, words, nodes):
        if words > self._word_room:
            self._word_room = words + words // 2
            self._state = ints(self._word_room)
            self._present_before = ints(self._word_room + 1)
            self._all_tags = ints(self._word_room)
            self.number = ints(self._word_room)
            self.tag = ints(self._word_room)
            self.edited = ints(self._word_room)
            self.begin = ints(self._word_room)
            self.end = ints(self._word_room)
            self.deleted = flags(self._word_room)
            self.kept_before = ints(self._word_room + 1)
            self.kept = ints(self._word_room)
            self._plain_from = ints(self._word_room + 1)
            self._plain_until = ints(self._word_room + 1)
        if words + nodes > self._node_room:
            self._node_room = words + nodes + (words + nodes) // 2
            self.first = ints(self._node_room + 1)
            self.last = ints(self._node_room + 1)
            self.name = ints(self._node_room + 1)
            self.is_edit = flags(self._node_room + 1)
        self.spans.reserve(words, words + nodes + 1)
        return 0

    def attach(self, trees):
        """Makes room for the largest of some trees; returns how many words and brackets it has at most."""
        source: FlatTrees = trees
        t: cython.Py_ssize_t
        words: cython.Py_ssize_t = 0
        nodes: cython.Py_ssize_t = 0
        for t in range(source.n_trees):
            words = max(words, source.word_offset[t + 1] - source.word_offset[t])
            nodes = max(nodes, source.node_offset[t + 1] - source.node_offset[t])
        self._reserve(words, nodes)
        return words + nodes + 1

    def read_words(self, source, t, actions, deletes_first):
        """Finds the present words of tree `t`; `untagged` is a word without a tag of its own, or -1."""
        first: cython.Py_ssize_t = source.node_offset[t]
        i: cython.Py_ssize_t
        root: cython.Py_ssize_t
        word: cython.Py_ssize_t
        mark: cython.int
        n: cython.int = 0
        n_all: cython.Py_ssize_t = source.word_offset[t + 1] - source.word_offset[t]
        for word in range(n_all):
            self._state[word] = -1  # the name of an edited bracket, -1 for none, -2 for a word that vanishes
            self._all_tags[word] = -1
        i = source.node_offset[t + 1] - 1
        root = i
        while i >= first:  # outer brackets come first; a root is one whatever its label
            mark = actions.marks[source.label[i]]
            if source.size[i] == 1 and source.last[i] - source.first[i] == 1:
                self._all_tags[source.first[i]] = source.label[i]
            elif i == root:
                mark = 0
            if mark & (_EMPTIES | _EDITS) and source.first[i] < source.last[i]:
                if mark & _EMPTIES:
                    if self._state[source.first[i]] != -2:  # or a bracket around it did that
                        for word in range(source.first[i], source.last[i]):
                            self._state[word] = -2
                elif self._state[source.first[i]] == -1:
                    for word in range(source.first[i], source.last[i]):
                        self._state[word] = actions.names[source.label[i]]
            if i == root:
                root = i - source.size[i]
            i -= 1
        self.untagged = -1
        for word in range(n_all):
            self._present_before[word] = n
            if self._state[word] == -2:
                continue
            if self._all_tags[word] < 0:
                if self.untagged < 0:
                    self.untagged = word
                continue
            mark = actions.marks[self._all_tags[word]]
            if deletes_first and mark & _DELETES:
                continue
            self.number[n] = word
            self.tag[n] = self._all_tags[word]
            self.edited[n] = self._state[word]
            self.deleted[n] = mark & _DELETES != 0
            n += 1
        self._present_before[n_all] = n
        self.n_present = n
        return 0

    def keep(self):
        """Numbers the words that are not deleted."""
        k: cython.Py_ssize_t
        n: cython.int = 0
        for k in range(self.n_present):
            self.kept_before[k] = n
            if not self.deleted[k]:
                self.kept[n] = k
                n += 1
        self.kept_before[self.n_present] = n
        self.n_kept = n
        return 0

    def find_brackets(self, source, t, actions):
        """Lists the brackets that hold kept words; `keep` comes before."""
        first: cython.Py_ssize_t = source.node_offset[t]
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        run: cython.Py_ssize_t = 0  # edited words before it have their bracket
        lo: cython.Py_ssize_t
        hi: cython.Py_ssize_t
        n_roots: cython.Py_ssize_t = 0
        last_plain: cython.int = 0
        self.n_brackets = 0
        for k in range(self.n_present):
            self._plain_until[k] = last_plain
            if self.edited[k] < 0:
                last_plain = k + 1
        self._plain_until[self.n_present] = last_plain
        self._plain_from[self.n_present] = self.n_present
        for k in range(self.n_present - 1, -1, -1):
            self._plain_from[k] = k if self.edited[k] < 0 else self._plain_from[k + 1]
        i = source.node_offset[t + 1] - 1
        while i >= first:  # from root to root, right to left
            self.spans.below[n_roots] = i
            n_roots += 1
            i -= source.size[i]
        for i in range(first, source.node_offset[t + 1]):
            if n_roots > 0 and i == self.spans.below[n_roots - 1]:
                n_roots -= 1
                continue
            if source.size[i] == 1 and source.last[i] - source.first[i] == 1:
                continue
            if actions.marks[source.label[i]] & (_EMPTIES | _DELETES | _EDITS):
                continue
            lo = self._plain_from[self._present_before[source.first[i]]]
            hi = self._plain_until[self._present_before[source.last[i]]]
            if lo < hi:
                run = self._add_edits(run, hi)
                self._add(lo, hi, actions.names[source.label[i]], False)
        self._add_edits(run, self.n_present)
        self.n_below_root = self.n_brackets
        if actions.counts_top:
            self._add(0, self.n_present, actions.top, False)
        return 0

    def _add_edits(self, run, until):
        """Adds a bracket for each run of edited words that ends by `until`; returns where to go on."""
        k: cython.Py_ssize_t = run
        while k < until:
            if self.edited[k] < 0:
                k += 1
                continue
            run = k
            while k < self.n_present and self.edited[k] >= 0:
                k += 1
            self._add(run, k, self.edited[run], True)
        return k

    def _add(self, lo, hi, name, is_edit):
        """Adds a bracket over some present words, unless all of them are deleted."""
        n: cython.Py_ssize_t = self.n_brackets
        if self.kept_before[lo] == self.kept_before[hi]:
            return 0
        self.first[n] = lo
        self.last[n] = hi
        self.is_edit[n] = is_edit
        self.name[n] = name
        self.n_brackets = n + 1
        return 0

    def place_brackets(self, labeled):
        """Gives brackets their positions: from the end of the kept word before to the end of the last.

        Args:
            labeled: Whether they keep their names in `spans`, or all get the same one.
        """
        i: cython.Py_ssize_t
        before: cython.Py_ssize_t
        for i in range(self.n_brackets):
            before = self.kept_before[self.first[i]]
            self.spans.start[i] = self.end[self.kept[before - 1]] if before > 0 else 0
            self.spans.end[i] = self.end[self.kept[self.kept_before[self.last[i]] - 1]]
            self.spans.name[i] = self.name[i] if labeled else 0
        self.spans.n_brackets = self.n_brackets
        return 0

    # ---- for Python ----------------------------------------------------------------------------

    def numbers(self):
        """The numbers that the present words have in their tree."""
        return array("i", self.number[: self.n_present]) if self.n_present else array("i")

    def put(self, spans):
        """Sets where each present word begins and ends."""
        k: cython.Py_ssize_t
        for k in range(self.n_present):
            self.begin[k], self.end[k] = spans[k]
        return 0
