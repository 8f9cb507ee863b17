"""Heads of brackets by rules, and the dependencies that follow from them.

A bracket's head is the word that its head child is or has. Every other child depends on the bracket: its head
on the bracket's head. So each word has one dependency at most, in which it is the one that depends.
What is edited is the head of a bracket only where no other child fits the same rule, and it has no head word:
what depends on such a bracket is told apart, and so is a bracket whose head it is.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.utterance import LabelActions, Utterance
else:
    from .utterance import LabelActions, Utterance  # noqa: F401 (types)

from .flat import flags, ints

# Instead of the word that governs: the root governs, or something edited, or there is no dependency.
TOP, EDITED, NONE = -1, -2, -3
_TOP, _EDITED, _NONE = -1, -2, -3


class HeadTable:
    """Head rules as numbers.

    Args:
        rules: The rules of each of the first names, in order, each a pair: whether to look from the left, and
            the names that fit, of which none means any. The rules of the default come last.
        n_names: How many names are mentioned in rules; they come first among all names.
    """

    def __init__(self, rules, n_names):
        flat = [rule for own in rules for rule in own]
        n: cython.Py_ssize_t = len(rules) - 1
        i: cython.Py_ssize_t
        self.n_labels = n
        self._width = n_names + 1  # the last column is for names that no rule mentions
        self._from = ints(n + 2)
        for i in range(n + 1):
            self._from[i + 1] = self._from[i] + len(rules[i])
        self._left = array("B", [left for left, _ in flat] or [0])
        fits = bytearray(max(len(flat), 1) * self._width)
        for number, (_, names) in enumerate(flat):
            lo = number * self._width
            if names:
                for name in names:
                    fits[lo + name] = 1
            else:
                fits[lo : lo + self._width] = b"\1" * self._width
        self._fits = bytes(fits)

    def has(self, rule, name):
        """Whether a child of that name fits a rule."""
        return self._fits[rule * self._width + (name if name < self._width else self._width - 1)]


class HeadFinder:
    """The dependencies of an utterance; buffers are kept from one to the next.

    Per kept word: the word that governs it, or `TOP`, `EDITED`, `NONE`; the name of the governing bracket;
    and the name of the outermost bracket or tag of which it is the head.

    Args:
        table: The `HeadTable`.
    """

    def __init__(self, table):
        self._table = table
        self._word_room = self._item_room = -1
        self._has_misfit = False
        self.reserve(0, 0)

    def reserve(self, words, brackets):
        """Makes room for that many words, and for words and brackets together."""
        if words > self._word_room:
            self._word_room = words + words // 2
            self.governor = ints(self._word_room)
            self.outer = ints(self._word_room)
            self.inner = ints(self._word_room)
        if brackets > self._item_room:
            self._item_room = brackets + brackets // 2
            self._first = ints(self._item_room)
            self._name = ints(self._item_room)
            self._head = ints(self._item_room)
            self._is_edit = flags(self._item_room)
        return 0

    def find(self, side, actions):
        """Finds the dependencies of an `Utterance` whose brackets are known; False if no rule fits.

        Children wait on a stack until their bracket comes.
        """
        i: cython.Py_ssize_t
        base: cython.Py_ssize_t
        c: cython.Py_ssize_t
        head: cython.Py_ssize_t
        self._n_items = 0
        self._next_word = 0
        self._has_misfit = False
        for i in range(side.n_kept):
            self.governor[i] = _NONE
        for i in range(side.n_below_root):
            self._push_words(side, actions, side.last[i])
            if side.is_edit[i]:
                self._push(side.first[i], side.name[i], -1, True)
                continue
            base = self._n_items
            while base > 0 and self._first[base - 1] >= side.first[i]:
                base -= 1
            head = self._head_child(self._table, base, side.name[i])
            if head < 0:
                self._misfit_name = side.name[i]
                self._misfit_from = base
                self._has_misfit = True
                return False
            for c in range(base, self._n_items):
                if c != head:
                    self._depend(c, _EDITED if self._head[head] < 0 else self._head[head], side.name[i])
            head = self._head[head]
            self._n_items = base
            self._push(side.first[i], side.name[i], head, False)
        self._push_words(side, actions, side.n_present)
        for c in range(self._n_items):
            self._depend(c, _TOP, actions.top)
        return True

    @property
    def misfit(self):
        """The name of a bracket that no rule fits, and those of its children; None if all have heads."""
        if not self._has_misfit:
            return None
        return self._misfit_name, list(self._name[self._misfit_from : self._n_items])

    def _push_words(self, side, actions, until):
        """Puts the words up to a present one on the stack, but for edited and deleted ones."""
        k: cython.Py_ssize_t
        for k in range(self._next_word, until):
            if side.edited[k] < 0 and not side.deleted[k]:
                self._push(k, actions.names[side.tag[k]], side.kept_before[k], False)
        if until > self._next_word:
            self._next_word = until
        return 0

    def _push(self, first, name, head, is_edit):
        n: cython.Py_ssize_t = self._n_items
        self._first[n] = first
        self._name[n] = name
        self._head[n] = head
        self._is_edit[n] = is_edit
        self._n_items = n + 1
        return 0

    def _depend(self, child, governor, name):
        """Makes a child's head depend on a word, or on `TOP` or `EDITED`, by a bracket of that name."""
        word: cython.int = self._head[child]
        if word >= 0:
            self.governor[word] = governor
            self.outer[word] = name
            self.inner[word] = self._name[child]
        return 0

    def _head_child(self, table, base, name):
        """The head among the items from `base` on; -1 if no rule fits any."""
        found: cython.Py_ssize_t = -1
        if name < table.n_labels:
            found = self._first_fit(table, table._from[name], table._from[name + 1], base)
        if found < 0:
            found = self._first_fit(table, table._from[table.n_labels], table._from[table.n_labels + 1], base)
        return found

    def _first_fit(self, table, rule, until, base):
        c: cython.Py_ssize_t
        step: cython.Py_ssize_t
        edited: cython.Py_ssize_t
        while rule < until:
            edited = -1
            step = 1 if table._left[rule] else -1
            c = base if step > 0 else self._n_items - 1
            while base <= c < self._n_items:
                if table.has(rule, self._name[c]):
                    if not self._is_edit[c]:
                        return c
                    if edited < 0:
                        edited = c
                c += step
            if edited >= 0:
                return edited
            rule += 1
        return -1
