"""Many trees as flat arrays: `FlatTrees` as they were read, `FlatNodes` as the metric compares them.

Nodes are in postorder, so the subtree of node `i` is the run `i - size[i] + 1 … i`. Node `i` of
tree `t` has index `node_offset[t] + i` in the arrays. All numbers; labels are ids of a `Scanner`.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython


def ints(count):
    """Return an array of `count` C ints."""
    return array("i", [0]) * max(count, 1)


def longs(count):
    """Return an array of `count` 64-bit integers."""
    return array("q", [0]) * max(count, 1)


def doubles(count):
    """Return an array of `count` doubles."""
    return array("d", [0.0]) * max(count, 1)


def flags(count):
    """Return an array of `count` unsigned bytes."""
    return array("B", [0]) * max(count, 1)


def grown(old, new, kept):
    """Return the array `new` with the first `kept` items of `old`."""
    if kept:
        memoryview(new)[:kept] = memoryview(old)[:kept]
    return new


def put(items, at, more):
    """Copy an array into another of its kind, from place `at` on."""
    memoryview(items)[at : at + len(more)] = memoryview(more)


NOTHING = b" "  # a buffer must not be empty
MASS_SCALE = 128  # sums of masses are in units of 2 ** -MASS_SCALE
_BASE = 4294967296.0  # 2 ** 32
_NO_SUMS = (0, 0, 0, 0)


class FlatTrees:
    """Trees with every bracket and word that was written.

    Per node: label id, subtree size, first and last word (half-open, counted within the tree).
    Per word: the place of its bytes in `text`, its start and end in the unit of the scan.
    Per tree: an error code (0 is fine) with the byte where reading stopped, whether it is timed, and a code
    for its spans: with 1 every node is longer than nothing, with 2 each word is also one unit long, and
    with 0 nothing is known.
    """

    def __init__(self):
        self.n_trees = 0
        self.n_errors = 0
        self._tree_room = self.node_room = self.word_room = -1
        self.reserve(0, 0, 0)

    def reserve(self, trees, nodes, words):
        """Reserve space for a new batch of that many trees, nodes and words; forget the old one."""
        self.n_trees = 0
        self.n_errors = 0
        self.text = NOTHING
        self._unwritten = []
        if trees > self._tree_room:
            self._tree_room = trees + trees // 8
            self.node_offset = longs(self._tree_room + 1)
            self.word_offset = longs(self._tree_room + 1)
            self.error = ints(self._tree_room)
            self.error_at = longs(self._tree_room)
            self.timed = flags(self._tree_room)
            self.solid = flags(self._tree_room)
        if nodes > self.node_room:
            self.node_room = nodes + nodes // 8
            self.label = ints(self.node_room)
            self.size = ints(self.node_room)
            self.first = ints(self.node_room)
            self.last = ints(self.node_room)
        if words > self.word_room:
            self.word_room = words + words // 8
            self.start = doubles(self.word_room)
            self.end = doubles(self.word_room)
            self.text_from = longs(self.word_room)
            self.text_to = longs(self.word_room)
        return 0

    def grow_nodes(self):
        """Double the space for nodes; keep those there are."""
        kept: cython.Py_ssize_t = self.node_room
        self.node_room = 2 * kept + 1
        self.label = grown(self.label, ints(self.node_room), kept)
        self.size = grown(self.size, ints(self.node_room), kept)
        self.first = grown(self.first, ints(self.node_room), kept)
        self.last = grown(self.last, ints(self.node_room), kept)
        return 0

    def grow_words(self):
        """Double the space for words; keep those there are."""
        kept: cython.Py_ssize_t = self.word_room
        self.word_room = 2 * kept + 1
        self.start = grown(self.start, doubles(self.word_room), kept)
        self.end = grown(self.end, doubles(self.word_room), kept)
        self.text_from = grown(self.text_from, longs(self.word_room), kept)
        self.text_to = grown(self.text_to, longs(self.word_room), kept)
        return 0

    def append(self, labels, sizes, firsts, lasts, starts, ends, words, timed=False):
        """Add one tree.

        Args:
            labels: An array of C ints, as are sizes, firsts and lasts: a number for each node.
            sizes: The sizes of the subtrees.
            firsts: The first word of each node.
            lasts: The word after the last one of each node.
            starts: An array of doubles, as are ends: a number for each word.
            ends: The ends of the words.
            words: The texts of the words.
            timed: Whether the words have times, with any unit.
        """
        t: cython.Py_ssize_t = self.n_trees
        node: cython.Py_ssize_t = self.node_offset[t]
        word: cython.Py_ssize_t = self.word_offset[t]
        n_nodes: cython.Py_ssize_t = len(labels)
        n_words: cython.Py_ssize_t = len(starts)
        i: cython.Py_ssize_t
        if n_nodes:  # no buffer may be empty
            label: cython.const[cython.int][::1] = labels
            size: cython.const[cython.int][::1] = sizes
            first: cython.const[cython.int][::1] = firsts
            last: cython.const[cython.int][::1] = lasts
            for i in range(n_nodes):
                self.label[node + i] = label[i]
                self.size[node + i] = size[i]
                self.first[node + i] = first[i]
                self.last[node + i] = last[i]
        if n_words:
            start: cython.const[cython.double][::1] = starts
            end: cython.const[cython.double][::1] = ends
            for i in range(n_words):
                self.start[word + i] = start[i]
                self.end[word + i] = end[i]
        self.node_offset[t + 1] = node + n_nodes
        self.word_offset[t + 1] = word + n_words
        self.error[t] = 0
        self.timed[t] = timed
        self.solid[t] = 0
        self.n_trees = t + 1
        self._unwritten.append(words)

    def append_error(self, code):
        """Add an empty tree that carries an error code, so that rows keep their numbers."""
        t: cython.Py_ssize_t = self.n_trees
        self.append((), (), (), (), (), (), ())
        self.error[t] = code
        self.n_errors += 1

    def mark_error(self, t: cython.Py_ssize_t, code: cython.int):
        """Report that an empty tree is one that could not be read."""
        if not self.error[t]:
            self.n_errors += 1
        self.error[t] = code

    def add_times(self, counts, starts, ends, moves: cython.bint):
        """Report when the words of trees without times were spoken.

        Args:
            counts: How many words each tree is to have.
            starts: An array of doubles, as are ends: a number for each word of all trees.
            ends: The ends of the words.
            moves: Whether words are at their times from now on.

        Returns:
            Whether every tree has its number of words and no times yet; if not, nothing is changed.
        """
        t: cython.Py_ssize_t
        n_words: cython.Py_ssize_t
        for t in range(self.n_trees):
            n_words = counts[t]
            if self.timed[t] or self.word_offset[t + 1] - self.word_offset[t] != n_words:
                return False
        if moves and len(starts):
            put(self.start, 0, starts)
            put(self.end, 0, ends)
        for t in range(self.n_trees):
            self.timed[t] = self.word_offset[t + 1] > self.word_offset[t]
            self.solid[t] = 0
        return True

    def join(self, counts, contiguous: cython.bint):
        """Make one entry of as many trees that follow each other as `counts` says, again and again.

        Its nodes are a run of trees, and its words are numbered through. If one of the trees carries an
        error, the entry is empty and carries the first one.

        Args:
            counts: How many trees each entry has, of all there are.
            contiguous: Whether each tree's words begin where those of the tree before it end. Where they
                have places of their own and begin before that, the entry is empty and carries an error.

        Returns:
            The tuple `(tree, start, end before it)` of the first tree of each entry that begins too early,
            the trees numbered as they were.
        """
        entry: cython.Py_ssize_t
        t: cython.Py_ssize_t = 0
        stop: cython.Py_ssize_t
        i: cython.Py_ssize_t
        node: cython.Py_ssize_t = 0
        word: cython.Py_ssize_t = 0
        rank: cython.Py_ssize_t
        shift: cython.double
        bad: cython.Py_ssize_t
        early: cython.Py_ssize_t
        latest: cython.double
        n_entries: cython.Py_ssize_t = len(counts)
        too_early = []
        self.write_text()
        nodes = longs(self.n_trees + 1)
        words = longs(self.n_trees + 1)
        for t in range(self.n_trees + 1):
            nodes[t] = self.node_offset[t]
            words[t] = self.word_offset[t]
        errors = [(self.error[t], self.error_at[t], self.timed[t]) for t in range(self.n_trees)]
        if n_entries > self._tree_room:
            self._tree_room = n_entries
            self.node_offset = longs(self._tree_room + 1)
            self.word_offset = longs(self._tree_room + 1)
            self.error = ints(self._tree_room)
            self.error_at = longs(self._tree_room)
            self.timed = flags(self._tree_room)
            self.solid = flags(self._tree_room)
        self.n_errors = 0
        t = 0
        for entry in range(n_entries):
            stop = t + counts[entry]
            bad = early = -1
            timed = True
            latest = 0.0
            for i in range(t, stop):
                timed = timed and errors[i][2]
                if errors[i][0] and bad < 0:
                    bad = i
                if not contiguous and early < 0 and words[i] < words[i + 1]:
                    if self.start[words[i]] < latest:
                        early = i
                        too_early.append((i, self.start[words[i]], latest))
                    latest = self.end[words[i + 1] - 1]
            self.error[entry] = 0
            self.timed[entry] = timed
            self.solid[entry] = 0
            if bad >= 0:
                self.error[entry], self.error_at[entry] = errors[bad][:2]
            elif early >= 0:
                self.error[entry], self.error_at[entry] = 1, 0
            if bad >= 0 or early >= 0:
                self.n_errors += 1
                t = stop
            rank = 0
            shift = 0.0
            while t < stop:
                for i in range(nodes[t], nodes[t + 1]):
                    self.label[node] = self.label[i]
                    self.size[node] = self.size[i]
                    self.first[node] = self.first[i] + rank
                    self.last[node] = self.last[i] + rank
                    node += 1
                for i in range(words[t], words[t + 1]):
                    self.start[word] = self.start[i] + shift
                    self.end[word] = self.end[i] + shift
                    self.text_from[word] = self.text_from[i]
                    self.text_to[word] = self.text_to[i]
                    word += 1
                rank += words[t + 1] - words[t]
                if contiguous and rank:
                    shift = self.end[word - 1]
                t += 1
            self.node_offset[entry + 1] = node
            self.word_offset[entry + 1] = word
        self.n_trees = n_entries
        return too_early

    def gather(self, source, places, ids):
        """Fill these arrays with trees of another `FlatTrees`, whose words stay in its text.

        Args:
            source: The other trees; their text is written.
            places: The numbers of the trees in the order in which they are wanted (64-bit integers).
            ids: The label id here of each label id of the source (C ints).
        """
        trees: FlatTrees = source
        n: cython.Py_ssize_t = len(places)
        place: cython.const[cython.longlong][::1] = places if n else longs(0)
        new_id: cython.const[cython.int][::1] = ids
        t: cython.Py_ssize_t
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        node: cython.Py_ssize_t = 0
        word: cython.Py_ssize_t = 0
        for t in range(n):
            at = place[t]
            node += trees.node_offset[at + 1] - trees.node_offset[at]
            word += trees.word_offset[at + 1] - trees.word_offset[at]
        self.reserve(n, node, word)
        self.text = trees.text
        node = word = 0
        for t in range(n):
            at = place[t]
            for i in range(trees.node_offset[at], trees.node_offset[at + 1]):
                self.label[node] = new_id[trees.label[i]]
                self.size[node] = trees.size[i]
                self.first[node] = trees.first[i]
                self.last[node] = trees.last[i]
                node += 1
            for i in range(trees.word_offset[at], trees.word_offset[at + 1]):
                self.start[word] = trees.start[i]
                self.end[word] = trees.end[i]
                self.text_from[word] = trees.text_from[i]
                self.text_to[word] = trees.text_to[i]
                word += 1
            self.node_offset[t + 1] = node
            self.word_offset[t + 1] = word
            self.timed[t] = trees.timed[at]
            self.solid[t] = trees.solid[at]
            self.error[t] = trees.error[at]
            self.error_at[t] = trees.error_at[at]
            if trees.error[at]:
                self.n_errors += 1
        self.n_trees = n

    def write_text(self):
        """See to it that `text` holds the words, also of trees that were appended, not scanned."""
        i: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0
        if not self._unwritten:
            return
        parts = []
        for words in self._unwritten:
            for word in words:
                data = word.encode("utf-8", "surrogatepass")
                parts.append(data)
                self.text_from[i] = at
                at += len(data)
                self.text_to[i] = at
                i += 1
        self.text = b"".join(parts) or NOTHING
        self._unwritten = []

    def has_same_words(self, other):
        """Return whether these and others are trees that were appended with equal words; False if scanned."""
        others: FlatTrees = other
        return bool(self._unwritten) and self._unwritten == others._unwritten

    def word(self, t: cython.Py_ssize_t, i: cython.Py_ssize_t):
        """Return the text of word `i` of tree `t`."""
        self.write_text()
        at: cython.Py_ssize_t = self.word_offset[t] + i
        return bytes(self.text[self.text_from[at] : self.text_to[at]]).decode("utf-8", "surrogatepass")

    def count_words(self, t: cython.Py_ssize_t):
        """Return the number of words of tree `t`."""
        return self.word_offset[t + 1] - self.word_offset[t]

    def nodes(self, t: cython.Py_ssize_t):
        """Return the label ids, sizes, first and last words of tree `t`, as four arrays."""
        lo: cython.Py_ssize_t = self.node_offset[t]
        hi: cython.Py_ssize_t = self.node_offset[t + 1]
        return (
            array("i", self.label[lo:hi]),
            array("i", self.size[lo:hi]),
            array("i", self.first[lo:hi]),
            array("i", self.last[lo:hi]),
        )

    def words(self, t: cython.Py_ssize_t):
        """Return starts, ends, first and last byte (half-open) of the words of tree `t`, in four arrays."""
        lo: cython.Py_ssize_t = self.word_offset[t]
        hi: cython.Py_ssize_t = self.word_offset[t + 1]
        return (
            array("d", self.start[lo:hi]),
            array("d", self.end[lo:hi]),
            array("q", self.text_from[lo:hi]),
            array("q", self.text_to[lo:hi]),
        )

    def is_timed(self, t: cython.Py_ssize_t):
        """Return whether every word of tree `t` carried times."""
        return bool(self.timed[t])

    def errors(self):
        """Return the tuple `(tree, error code, byte)` of each unreadable tree."""
        return [(t, self.error[t], self.error_at[t]) for t in range(self.n_trees) if self.error[t] != 0]


class FlatNodes:
    """The constituents of many trees: only nodes that are compared, with their spans.

    Per node: label class, subtree size, start, end, the number it had in its tree as read, and a mark
    of the aligner on those that it spliced out.
    Per tree: length of the text (words or characters; negative where lengths need not agree), and
    how many nodes had no length and were left out.
    """

    def __init__(self):
        self.n_trees = 0
        self.n_classes = 0
        self._tree_room = self._node_room = -1
        self.reserve(0, 0)

    def reserve(self, trees, nodes):
        """Reserve space for a new batch of that many trees and nodes; forget the old one."""
        self.n_trees = 0
        if trees > self._tree_room:
            self._tree_room = trees + trees // 8
            self.offset = longs(self._tree_room + 1)
            self.extent = doubles(self._tree_room)
            self.lengthless = ints(self._tree_room)
        if nodes > self._node_room:
            self._node_room = nodes + nodes // 8
            self.label = ints(self._node_room)
            self.size = ints(self._node_room)
            self.start = doubles(self._node_room)
            self.end = doubles(self._node_room)
            self.origin = ints(self._node_room)
            self.dead = flags(self._node_room)
        return 0

    def clear_marks(self):
        """Make all nodes live."""
        i: cython.Py_ssize_t
        dead: cython.uchar[::1] = self.dead
        for i in range(self.offset[self.n_trees]):
            dead[i] = False
        return 0

    def largest(self):
        """Return the number of nodes of the largest tree."""
        t: cython.Py_ssize_t
        largest: cython.longlong = 0
        for t in range(self.n_trees):
            largest = max(largest, self.offset[t + 1] - self.offset[t])
        return largest

    def counts(self):
        """Return how many nodes each tree has."""
        t: cython.Py_ssize_t
        counts = ints(self.n_trees)
        view: cython.int[::1] = counts
        for t in range(self.n_trees):
            view[t] = self.offset[t + 1] - self.offset[t]
        return counts[: self.n_trees]

    def failed(self, other):
        """Return the numbers of trees that have no nodes though those of `other` have some."""
        others: FlatNodes = other
        t: cython.Py_ssize_t
        found = []
        for t in range(self.n_trees):
            if self.offset[t + 1] == self.offset[t] and others.offset[t + 1] > others.offset[t]:
                found.append(t)
        return found

    def lengthless_counts(self, other):
        """Return how many nodes without length were left out of each tree, here and in `other` together."""
        others: FlatNodes = other
        t: cython.Py_ssize_t
        counts = ints(self.n_trees)
        view: cython.int[::1] = counts
        for t in range(self.n_trees):
            view[t] = self.lengthless[t] + others.lengthless[t]
        return counts[: self.n_trees]

    def add_by_label(self, trees, masses, groups, names, sums, side):
        """Add the masses and the number of nodes of some groups of trees to their sums by label.

        Masses are added as integers in units of `2 ** -MASS_SCALE`, so that sums do not depend on the order
        of nodes. A group takes the time of its own nodes, so there may be as many groups as trees.

        Args:
            trees: The `FlatTrees` that the nodes were selected from.
            masses: A double from 0 to 1 for each node.
            groups: The numbers of the trees of each group.
            names: The name of each label id; some may be the same.
            sums: A dictionary for each group, by name: the masses of predictions and references, and the
                numbers of their nodes.
            side: 0 for nodes of predictions, 1 for those of references.
        """
        source: FlatTrees = trees
        mass: cython.double[::1] = masses
        t: cython.Py_ssize_t
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        label: cython.Py_ssize_t
        whole: cython.longlong
        rest: cython.double
        part: object
        number: object
        n_nodes: cython.int[::1] = ints(len(names))
        # For each label the ones, and four digits to the base 2 ** 32 of the fraction.
        digit: cython.longlong[::1] = longs(5 * len(names))
        for group, by_label in zip(groups, sums, strict=True):
            found = []
            for t in group:
                for i in range(self.offset[t], self.offset[t + 1]):
                    label = source.label[source.node_offset[t] + self.origin[i]]
                    if n_nodes[label] == 0:
                        found.append(label)
                    n_nodes[label] += 1
                    rest = mass[i]
                    k = 5 * label
                    while rest > 0.0 and k < 5 * label + 5:
                        whole = cython.cast(cython.longlong, rest)
                        digit[k] += whole
                        rest = (rest - whole) * _BASE
                        k += 1
            for label in found:
                number = 0
                for k in range(5):
                    if digit[5 * label + k]:
                        part = digit[5 * label + k]
                        number += part << (MASS_SCALE - 32 * k)
                        digit[5 * label + k] = 0
                # Not lists that are added to: the garbage collector would go through each of them again.
                name = names[label]
                mass_pred, mass_ref, n_pred, n_ref = by_label.get(name, _NO_SUMS)
                if side == 0:
                    by_label[name] = mass_pred + number, mass_ref, n_pred + n_nodes[label], n_ref
                else:
                    by_label[name] = mass_pred, mass_ref + number, n_pred, n_ref + n_nodes[label]
                n_nodes[label] = 0

    def extent_of(self, t: cython.Py_ssize_t):
        """Return the length of the text of tree `t`."""
        return self.extent[t]

    def classes(self, t: cython.Py_ssize_t):
        """Return the label class of each node of tree `t`."""
        return [self.label[i] for i in range(self.offset[t], self.offset[t + 1])]

    def spans(self, t: cython.Py_ssize_t):
        """Return the tuple `(node as read, start, end)` for each node of tree `t`."""
        lo: cython.Py_ssize_t = self.offset[t]
        hi: cython.Py_ssize_t = self.offset[t + 1]
        return [(self.origin[i], self.start[i], self.end[i]) for i in range(lo, hi)]
