"""How many nodes two trees have in common, words among them: same name, same span.

In postorder, nodes are sorted by end, and by start from the right where ends are equal, also if each word
is put before the first node that ends with it or behind it. So nodes with equal spans are found by one
merge, and those with equal spans of one tree are neighbours.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatNodes
else:
    from .flat import FlatNodes

from .flat import ints, longs

_N_COLUMNS = 5


class NodeList:
    """The nodes of one tree, words among them, in postorder; buffers are kept from tree to tree.

    Attributes:
        n: How many there are.
        n_roots: How many of them are roots, before equal nodes are counted once.
        name: The name of each node, a number that is the same for what counts as the same.
        left: The position where each begins.
        right: The position where each ends.
    """

    def __init__(self):
        self.n = self.n_roots = 0
        self._node_room = self._name_room = -1
        self._stamp = 0
        self.reserve(0, 0)

    def reserve(self, nodes, names):
        """Makes room for that many nodes, with names below that number."""
        if nodes > self._node_room:
            self._node_room = nodes + nodes // 2
            self.name = ints(self._node_room)
            self.left = ints(self._node_room)
            self.right = ints(self._node_room)
        if names > self._name_room:
            self._name_room = names + names // 2
            self._seen = longs(self._name_room)
        return 0

    def fill(self, nodes, t, names, words, lefts, rights, lo, hi, filler, distinct):
        """Takes the nodes of tree `t` and its words `lo … hi` of the batch.

        Args:
            nodes: What counts of the trees, with spans in words.
            t: The number of the tree.
            names: The name of each word by its number; a negative one makes it no node.
            words: The number of each word.
            lefts: The position where each word begins.
            rights: The position where each word ends.
            lo: The first word.
            hi: The end of the words.
            filler: The name of the words, each one position wide, that stand for a wider one.
            distinct: Whether nodes with equal names and spans count once.
        """
        i: cython.Py_ssize_t
        word: cython.Py_ssize_t = lo
        last: cython.Py_ssize_t
        self.n = self.n_roots = 0
        self._stamp += 1
        for i in range(nodes.offset[t], nodes.offset[t + 1]):
            last = lo + cython.cast(cython.Py_ssize_t, nodes.end[i])
            while word < last:
                self._add_word(names[words[word]], lefts[word], rights[word], filler, distinct)
                word += 1
            self._add(
                nodes.label[i],
                lefts[lo + cython.cast(cython.Py_ssize_t, nodes.start[i])],
                rights[last - 1],
                distinct,
            )
        i = nodes.offset[t + 1] - 1
        while i >= nodes.offset[t]:
            self.n_roots += 1
            i -= nodes.size[i]
        return 0

    def _add_word(self, name, left, right, filler, distinct):
        place: cython.int
        if right - left == 1:
            if name >= 0:
                self._add(name, left, right, distinct)
            return 0
        for place in range(left, right):
            self._add(filler, place, place + 1, distinct)
        return 0

    def _add(self, name, left, right, distinct):
        n: cython.Py_ssize_t = self.n
        if distinct:
            if n == 0 or self.left[n - 1] != left or self.right[n - 1] != right:
                self._stamp += 1
            elif self._seen[name] == self._stamp:
                return 0
            self._seen[name] = self._stamp
        self.name[n] = name
        self.left[n] = left
        self.right[n] = right
        self.n = n + 1
        return 0


class NodeCounter:
    """Counts batches of pairs; two threads must not use it at once.

    Args:
        distinct: Whether nodes of a tree with equal names and spans count once.
    """

    def __init__(self, distinct):
        self._distinct = distinct
        self._prediction = NodeList()
        self._reference = NodeList()
        self._name_room = -1
        self._reserve(0)

    def _reserve(self, names):
        if names > self._name_room:
            self._name_room = names + names // 2
            self._tally = array("i", [0]) * max(self._name_room, 1)
        return 0

    def count(self, predictions, references, words_pred, words_ref, word_names, n_names, filler):
        """Counts each pair of trees.

        Args:
            predictions: The `FlatNodes` of the predictions, with spans in words, whose labels are the names
                of its nodes.
            references: The `FlatNodes` of the references, with as many trees.
            words_pred: Four arrays: where the words of each tree begin in the others (64-bit integers), the
                number of each word, and the positions where it begins and ends (C ints).
            words_ref: The same for the references.
            word_names: The name of each word by its number (C ints); a negative one makes it no node.
            n_names: A number that all names are below.
            filler: The name of the words that stand for one that is wider than a position.

        Returns:
            An array each of: common nodes, nodes of the prediction and of the reference, roots of the
            prediction and of the reference.
        """
        p: FlatNodes = predictions
        r: FlatNodes = references
        n: cython.Py_ssize_t = p.n_trees
        t: cython.Py_ssize_t
        columns = tuple([ints(n) for _ in range(_N_COLUMNS)])
        common: cython.int[::1] = columns[0]
        n_pred: cython.int[::1] = columns[1]
        n_ref: cython.int[::1] = columns[2]
        roots_pred: cython.int[::1] = columns[3]
        roots_ref: cython.int[::1] = columns[4]
        pred: NodeList = self._prediction
        ref: NodeList = self._reference
        offset_p: cython.longlong[::1] = words_pred[0]
        word_p: cython.int[::1] = words_pred[1]
        left_p: cython.int[::1] = words_pred[2]
        right_p: cython.int[::1] = words_pred[3]
        offset_r: cython.longlong[::1] = words_ref[0]
        word_r: cython.int[::1] = words_ref[1]
        left_r: cython.int[::1] = words_ref[2]
        right_r: cython.int[::1] = words_ref[3]
        names: cython.int[::1] = word_names
        fill: cython.int = filler
        self._reserve(n_names)
        pred.reserve(_largest(p, offset_p, left_p, right_p), n_names)
        ref.reserve(_largest(r, offset_r, left_r, right_r), n_names)
        with cython.nogil:
            for t in range(n):
                pred.fill(
                    p, t, names, word_p, left_p, right_p, offset_p[t], offset_p[t + 1], fill, self._distinct
                )
                ref.fill(
                    r, t, names, word_r, left_r, right_r, offset_r[t], offset_r[t + 1], fill, self._distinct
                )
                common[t] = self._match(pred, ref)
                n_pred[t] = pred.n
                n_ref[t] = ref.n
                roots_pred[t] = pred.n_roots
                roots_ref[t] = ref.n_roots
        return tuple([column[:n] for column in columns])

    def _match(self, pred, ref):
        """How many nodes have a partner."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        i_end: cython.Py_ssize_t
        j_end: cython.Py_ssize_t
        left: cython.int
        right: cython.int
        k: cython.Py_ssize_t
        common: cython.int = 0
        while i < pred.n and j < ref.n:
            left = pred.left[i]
            right = pred.right[i]
            if right < ref.right[j] or (right == ref.right[j] and left > ref.left[j]):
                i += 1
                continue
            if right > ref.right[j] or left < ref.left[j]:
                j += 1
                continue
            i_end = i + 1
            while i_end < pred.n and pred.left[i_end] == left and pred.right[i_end] == right:
                i_end += 1
            j_end = j + 1
            while j_end < ref.n and ref.left[j_end] == left and ref.right[j_end] == right:
                j_end += 1
            if i_end - i == 1 and j_end - j == 1:
                common += pred.name[i] == ref.name[j]
            else:
                for k in range(i, i_end):
                    self._tally[pred.name[k]] += 1
                for k in range(j, j_end):
                    if self._tally[ref.name[k]] > 0:
                        self._tally[ref.name[k]] -= 1
                        common += 1
                for k in range(i, i_end):
                    self._tally[pred.name[k]] = 0
            i = i_end
            j = j_end
        return common


def one_position_each(offsets):
    """Where words begin and end if each takes a position, as two arrays.

    Args:
        offsets: Where the words of each tree begin, and where those of the last end (64-bit integers).
    """
    offset: cython.longlong[::1] = offsets
    n: cython.Py_ssize_t = len(offsets) - 1
    t: cython.Py_ssize_t
    word: cython.Py_ssize_t
    lefts = ints(offset[n])
    rights = ints(offset[n])
    left: cython.int[::1] = lefts
    right: cython.int[::1] = rights
    for t in range(n):
        for word in range(offset[t], offset[t + 1]):
            left[word] = word - offset[t]
            right[word] = word - offset[t] + 1
    return lefts, rights


def _largest(nodes, offset, left, right):
    """The most nodes of a tree, words among them, each as often as it is wide."""
    t: cython.Py_ssize_t
    word: cython.Py_ssize_t
    size: cython.Py_ssize_t
    largest: cython.Py_ssize_t = 0
    for t in range(nodes.n_trees):
        size = nodes.offset[t + 1] - nodes.offset[t]
        for word in range(offset[t], offset[t + 1]):
            size += right[word] - left[word]
        largest = max(largest, size)
    return largest
