"""Dependencies of two sides that are the same: at the same positions, or in the same order."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.edit_path import Sames
    from cython.cimports.structiou_metric._core.heads import HeadFinder
    from cython.cimports.structiou_metric._core.utterance import LabelActions, Utterance
else:
    from .edit_path import Sames  # noqa: F401 (types)
    from .heads import HeadFinder  # noqa: F401
    from .utterance import LabelActions, Utterance  # noqa: F401

from .flat import flags, ints

_CLOSES = 8  # as in `utterance`
_TOP, _EDITED = -1, -2  # as in `heads`
_NOTHING = -1  # the class of a word that is the same as none


class Dependencies:
    """The dependencies of one side, in the order of the words that depend; buffers are kept.

    Per dependency: the classes of the word that depends and of the one that governs it, the names of the
    governing bracket and of what depends on it, whether both words are of open classes, and the position at
    which the word that depends begins.
    """

    def __init__(self):
        self.count = 0
        self._room = -1
        self.reserve(0)

    def reserve(self, words):
        """Makes room for that many."""
        if words > self._room:
            self._room = words + words // 2
            self.word = ints(self._room)
            self.governor = ints(self._room)
            self.outer = ints(self._room)
            self.inner = ints(self._room)
            self.place = ints(self._room)
            self.is_open = flags(self._room)
        return 0

    def fill(self, side, heads, actions, classes, base, top_class, keeps_headless):
        """Lists the dependencies that were found; returns how many are between open classes.

        Args:
            side: The `Utterance`.
            heads: What a `HeadFinder` found for it.
            actions: What labels do.
            classes: The class of each word.
            base: Where the classes of the utterance's words begin.
            top_class: The class of the word that governs what the root does.
            keeps_headless: Whether there is one where something edited governs, which matches nothing.
        """
        w: cython.Py_ssize_t
        g: cython.int
        n: cython.Py_ssize_t = 0
        n_open: cython.int = 0
        is_open: cython.bint
        for w in range(side.n_kept):
            g = heads.governor[w]
            if g < _TOP and not (g == _EDITED and keeps_headless):
                continue
            is_open = actions.marks[side.tag[side.kept[w]]] & _CLOSES == 0
            if g >= 0:
                self.governor[n] = classes[base + side.number[side.kept[g]]]
                is_open = is_open and actions.marks[side.tag[side.kept[g]]] & _CLOSES == 0
            elif g == _TOP:
                self.governor[n] = top_class
                is_open = is_open and not actions.closes_top
            else:
                self.governor[n] = _NOTHING
            self.word[n] = classes[base + side.number[side.kept[w]]]
            self.outer[n] = heads.outer[w]
            self.inner[n] = heads.inner[w]
            self.place[n] = side.begin[side.kept[w]]
            self.is_open[n] = is_open
            n_open += is_open
            n += 1
        self.count = n
        return n_open


class DependencyMatcher:
    """Counts the dependencies that two sides share.

    Attributes:
        n_matched: How many dependencies both sides share.
        n_open: How many of them are between open classes on both sides.

    Args:
        sames: Which classes of words count as the same.
        labeled: Whether names are compared.
    """

    def __init__(self, sames, labeled):
        self._sames = sames
        self._labeled = labeled
        self._room = -1
        self.reserve(0)

    def reserve(self, words):
        """Makes room for sides of that many dependencies."""
        if words > self._room:
            self._room = words + words // 2
            self._value = ints(self._room + 1)
            self._open = ints(self._room + 1)
        return 0

    def is_same(self, a, b, i, j):
        """Whether a dependency of one side and one of another are the same, places apart."""
        if not self._sames.same(a.word[i], b.word[j]):
            return False
        if self._labeled and (a.outer[i] != b.outer[j] or a.inner[i] != b.inner[j]):
            return False
        if a.governor[i] < 0 or b.governor[j] < 0:
            return False
        return self._sames.same(a.governor[i], b.governor[j])

    def match_in_place(self, a, b):
        """Compares the dependencies whose words begin at the same positions."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        here: cython.int
        there: cython.int
        self.n_matched = self.n_open = 0
        while i < a.count and j < b.count:
            here = a.place[i]
            there = b.place[j]
            if here == there and self.is_same(a, b, i, j):
                self.n_matched += 1
                if a.is_open[i] and b.is_open[j]:
                    self.n_open += 1
            if here <= there:
                i += 1
            if there <= here:
                j += 1
        return 0

    def match_in_order(self, a, b):
        """Finds a longest common subsequence, from the last word to the first.

        Several may be longest, and differ in how many open ones they have. A cell goes on from the one
        before it in its row; from the one above, if that is longer; or from the one above before it, if that
        could be made longer. Then its pair is tried, unless what is left could not beat the best so far.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        at: cython.Py_ssize_t
        best: cython.int = 0
        value: cython.int
        n_open: cython.int
        above: cython.int
        above_open: cython.int
        corner: cython.int  # above before the column
        corner_open: cython.int
        for j in range(b.count + 1):
            self._value[j] = 0
            self._open[j] = 0
        for i in range(a.count - 1, -1, -1):
            value = 0
            n_open = 0
            corner = 0
            corner_open = 0
            for j in range(1, b.count + 1):
                above = self._value[j]
                above_open = self._open[j]
                if above > value:
                    value = above
                    n_open = above_open
                if corner >= value:
                    value = corner
                    n_open = corner_open
                    at = b.count - j
                    if value + 1 + i > best and self.is_same(a, b, i, at):
                        value += 1
                        if a.is_open[i] and b.is_open[at]:
                            n_open += 1
                        if value > best:
                            best = value
                corner = above
                corner_open = above_open
                self._value[j] = value
                self._open[j] = n_open
        self.n_matched = self._value[b.count]
        self.n_open = self._open[b.count]
        return 0
