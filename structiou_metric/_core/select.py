# cython: infer_types=True
"""The nodes that are compared: from trees as read to the constituents of the metric.

Numbers only: which labels are dropped, and which labels are the same, come in as arrays by label id.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if not cython.compiled:  # else the `.pxd` imports them
    from .flat import FlatNodes, FlatTrees

from .flat import doubles, flags, ints, longs

# The effect of a label, as bits.
DROP_ROOT, DROP_LEAF = 1, 2
_DROP_ROOT, _DROP_LEAF = 1, 2


class Selector:
    """Applies the drop rules and the options on labels and terminals to a batch of trees."""

    def __init__(self):
        self._room = -1
        self._reserve(0)

    def _reserve(self, size):
        if size > self._room:
            self._room = size + size // 2
            self._dropped = flags(self._room)
            self._word_rank = ints(self._room + 1)
            self._kept = ints(self._room)
            self._start = doubles(self._room)
            self._end = doubles(self._room)
        return 0

    def select(self, trees, actions, classes, exclude_terminals, contiguous, nodes):
        """Fill `nodes` with the constituents of `trees`.

        Args:
            trees: The `FlatTrees` as they were read.
            actions: The actions `DROP_ROOT` and `DROP_LEAF` of each label id, or'ed together (bytes).
            classes: The class of each label id, in which labels count as the same (C ints).
            exclude_terminals: Whether preterminals are no nodes.
            contiguous: Whether positions close up after a dropped word (words and characters do,
                seconds do not) and the two texts of a pair must be equally long.
            nodes: The `FlatNodes` that is filled.
        """
        source: FlatTrees = trees
        out: FlatNodes = nodes
        exclude: cython.bint = exclude_terminals
        close_up: cython.bint = contiguous
        drops_leaves: cython.bint = any(flag & DROP_LEAF for flag in actions)
        largest: cython.Py_ssize_t = 0
        for t in range(source.n_trees):
            largest = max(
                largest,
                source.node_offset[t + 1] - source.node_offset[t],
                source.word_offset[t + 1] - source.word_offset[t],
            )
        self._reserve(largest)
        self._action = actions
        self._class = classes
        out.reserve(source.n_trees, source.node_offset[source.n_trees])
        with cython.nogil:
            for t in range(source.n_trees):
                if not self._select_solid(source, t, exclude, close_up, drops_leaves, out):
                    self._select_tree(source, t, exclude, close_up, drops_leaves, out)
        out.n_trees = source.n_trees
        self._action = self._class = None  # so that the caller can grow them

    def count_words(self, trees, actions):
        """Return the number of kept words of each tree; `actions` is that of `select`."""
        source: FlatTrees = trees
        counts = ints(source.n_trees)
        self._action = actions
        for t in range(source.n_trees):
            n = source.word_offset[t + 1] - source.word_offset[t]
            for i in range(source.node_offset[t], source.node_offset[t + 1]):
                if source.size[i] == 1 and self._action[source.label[i]] & _DROP_LEAF:
                    n -= source.last[i] - source.first[i]
            counts[t] = n
        self._action = None
        return counts[: source.n_trees]

    def kept_words(self, trees, actions):
        """Return the words but those of leaves to drop; `actions` is that of `select`.

        Returns:
            Where the words of each tree begin in the second array, and the place of each word among all words
            of the batch, as two arrays.
        """
        source: FlatTrees = trees
        drops_leaves: cython.bint = any(flag & DROP_LEAF for flag in actions)
        some_dropped: cython.bint
        t: cython.Py_ssize_t
        word: cython.Py_ssize_t
        largest: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t = 0
        # Buffers are sized for the largest tree.
        for t in range(source.n_trees):
            largest = max(largest, source.word_offset[t + 1] - source.word_offset[t])
        self._reserve(largest)
        self._action = actions
        offsets = longs(source.n_trees + 1)
        places = longs(source.word_offset[source.n_trees])
        offset: cython.longlong[::1] = offsets
        place: cython.longlong[::1] = places
        for t in range(source.n_trees):
            some_dropped = drops_leaves and self._mark_dropped_words(source, t)
            for word in range(source.word_offset[t + 1] - source.word_offset[t]):
                if not (some_dropped and self._dropped[word]):
                    place[n] = source.word_offset[t] + word
                    n += 1
            offset[t + 1] = n
        self._action = None
        return offsets, places

    def _select_solid(self, source, t, exclude, close_up, drops_leaves, out):
        """Selects the nodes of a tree with one root that loses no words, and no nodes but roots to drop.

        Returns:
            Whether the tree is such a one.
        """
        base: cython.Py_ssize_t = source.node_offset[t]
        n: cython.Py_ssize_t = source.node_offset[t + 1] - base
        to: cython.Py_ssize_t = out.offset[t]
        word: cython.Py_ssize_t = source.word_offset[t]
        drops: cython.int = 0
        # `solid` says that every node has a length; several roots would need `_drop_roots`.
        if n == 0 or source.solid[t] == 0 or source.size[base + n - 1] != n:
            return False
        # A root to drop goes only if it has one child with the same words.
        while (
            n > 1
            and self._action[source.label[base + n - 1]] & _DROP_ROOT
            and source.size[base + n - 2] == n - 1
            and source.first[base + n - 2] == source.first[base + n - 1]
            and source.last[base + n - 2] == source.last[base + n - 1]
        ):
            n -= 1
        if drops_leaves:
            for i in range(base, base + n):
                drops |= self._action[source.label[i]]
            if drops & _DROP_LEAF:
                return False
        for i in range(n):
            out.label[to + i] = self._class[source.label[base + i]]
        for i in range(n):
            out.size[to + i] = source.size[base + i]
        for i in range(n):
            out.origin[to + i] = i
        # With words as unit, positions are the numbers of words.
        if source.solid[t] == 2:
            for i in range(n):
                out.start[to + i] = source.first[base + i]
            for i in range(n):
                out.end[to + i] = source.last[base + i]
        else:
            for i in range(n):
                out.start[to + i] = source.start[word + source.first[base + i]]
                out.end[to + i] = source.end[word + source.last[base + i] - 1]
        if exclude:
            n = self._exclude_terminals(out, to, n)
        out.offset[t + 1] = to + n
        out.lengthless[t] = 0
        # Sides with equal extents can be compared; -1 means that lengths need not agree.
        out.extent[t] = source.end[source.word_offset[t + 1] - 1] if close_up else -1.0
        return True

    def _select_tree(self, source, t, exclude, close_up, drops_leaves, out):
        base: cython.Py_ssize_t = source.node_offset[t]
        count: cython.Py_ssize_t = source.node_offset[t + 1] - base
        words: cython.Py_ssize_t = source.word_offset[t + 1] - source.word_offset[t]
        some_dropped: cython.bint
        to: cython.Py_ssize_t = out.offset[t]
        n: cython.int = 0
        lengthless: cython.int = 0
        some_dropped = drops_leaves and self._mark_dropped_words(source, t)
        words_kept = self._place_words(source, t, words, some_dropped, close_up)

        # `_kept[i]` nodes are kept below i, so a kept subtree's size is a difference. Where words
        # were dropped, a node's words are counted again; a node that has lost all of them goes, too.
        for i in range(count):
            first = source.first[base + i]
            last = source.last[base + i]
            self._kept[i] = n
            if some_dropped:
                if first < last and self._word_rank[first] == self._word_rank[last]:
                    continue
                first = self._word_rank[first]
                last = self._word_rank[last]
            # A node without words has no span, and one whose words have no length has an empty one.
            start = self._start[first] if first < last else 0.0
            end = self._end[last - 1] if first < last else 0.0
            if not start < end:
                lengthless += 1
                continue
            out.label[to + n] = source.label[base + i]
            out.size[to + n] = n - self._kept[i - source.size[base + i] + 1] + 1
            out.start[to + n] = start
            out.end[to + n] = end
            out.origin[to + n] = i
            n += 1

        n = self._drop_roots(out, to, n)
        if exclude:
            n = self._exclude_terminals(out, to, n)
        # Labels become classes last, because `_drop_roots` looks at label ids.
        for i in range(to, to + n):
            out.label[i] = self._class[out.label[i]]
        out.offset[t + 1] = to + n
        out.lengthless[t] = lengthless if words > 0 else 0  # a tree without a word is just empty
        out.extent[t] = -1.0
        if close_up:
            out.extent[t] = self._end[words_kept - 1] if words_kept > 0 else 0.0
        return 0

    def _mark_dropped_words(self, source, t):
        """Mark the words of leaves to drop; return whether there are any."""
        base: cython.Py_ssize_t = source.node_offset[t]
        found: cython.bint = False
        for i in range(base, source.node_offset[t + 1]):
            if source.size[i] == 1 and self._action[source.label[i]] & _DROP_LEAF:
                if not found:
                    found = True
                    for word in range(source.word_offset[t + 1] - source.word_offset[t]):
                        self._dropped[word] = 0
                for word in range(source.first[i], source.last[i]):
                    self._dropped[word] = 1
        return found

    # `_start` and `_end` hold the words of the current tree, without dropped ones.
    def _place_words(self, source, t, words, some_dropped, close_up):
        """Copy the spans of the kept words; return how many there are."""
        base: cython.Py_ssize_t = source.word_offset[t]
        kept: cython.int = 0
        gone: cython.double = 0.0
        if not some_dropped:
            for word in range(words):
                self._start[word] = source.start[base + word]
                self._end[word] = source.end[base + word]
            return words
        for word in range(words):
            self._word_rank[word] = kept
            if self._dropped[word]:
                # Later words move left by the length of the dropped ones.
                if close_up:
                    gone += source.end[base + word] - source.start[base + word]
                continue
            self._start[kept] = source.start[base + word] - gone
            self._end[kept] = source.end[base + word] - gone
            kept += 1
        self._word_rank[words] = kept
        return kept

    def _drop_roots(self, out, to, count):
        """Take roots to drop that only wrap one tree out of a run of trees; return how many nodes stay."""
        n: cython.Py_ssize_t = count  # the first that goes
        root: cython.Py_ssize_t = count - 1
        while root >= 0:
            if (
                out.size[to + root] > 1
                and self._action[out.label[to + root]] & _DROP_ROOT
                and out.size[to + root - 1] == out.size[to + root] - 1
                and out.start[to + root - 1] == out.start[to + root]
                and out.end[to + root - 1] == out.end[to + root]
            ):
                out.size[to + root] = 0
                n = root
                root -= 1
            else:
                root -= out.size[to + root]
        for i in range(n, count):
            if out.size[to + i] > 0:
                out.size[to + n] = out.size[to + i]
                self._move(out, to + i, to + n)
                n += 1
        return n

    def _exclude_terminals(self, out, to, count):
        """Take the nodes without child nodes out of a tree's run; return how many stay."""
        n: cython.int = 0
        for i in range(count):
            self._kept[i] = n
            if out.size[to + i] == 1:
                continue
            out.size[to + n] = n - self._kept[i - out.size[to + i] + 1] + 1
            self._move(out, to + i, to + n)
            n += 1
        return n

    def _move(self, out, i, to):
        """Put a node to another place, all but its size."""
        out.label[to] = out.label[i]
        out.start[to] = out.start[i]
        out.end[to] = out.end[i]
        out.origin[to] = out.origin[i]
        return 0
