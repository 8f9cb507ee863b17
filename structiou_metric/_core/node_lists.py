"""Trees from lists of their nodes that lie in flat arrays, such as child arrays of Arrow, a batch at once.

These are the labelled spans and flat columns of `plain.read_spans`, read by the same rules, but no node and
no row becomes an object of Python. Of whatever is not plain this reader says so, and others read it.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.structiou_metric._core.flat import FlatTrees
    from cython.cimports.structiou_metric._core.scan import Scanner
else:
    from .flat import FlatTrees
    from .scan import Scanner

from .flat import NOTHING, doubles, flags, ints, longs

_FAR = 9007199254740992.0  # 2 ** 53; whole numbers beyond it are not all doubles


class NodeLists:
    """The nodes of many trees, row behind row, each with outer nodes first, left to right.

    Args:
        labels: The labels: the bytes of all of them; where each node's begins, and where the last one ends
            (64-bit integers); whether each node has one (bytes).
        words: The same for words; None where there are none.
        starts: The start of each node (doubles).
        ends: The end of each node.
        parents: Where the node above each one stands in its row, -1 for the first (64-bit integers); None
            where nodes nest as they lie.
        whole: Whether starts and ends were whole numbers.
    """

    def __init__(self, labels, words, starts, ends, parents, whole):
        n: cython.Py_ssize_t = len(starts)
        nothing = NOTHING, longs(n + 1), flags(n)
        self._n_nodes = n
        self._start, self._end = (starts, ends) if n else (doubles(0), doubles(0))
        self._label_text, self._label_at, self._has_label = labels if n else nothing
        self._word_text, self._word_at, self._has_word = words if n and words is not None else nothing
        self._has_parents = parents is not None
        self._parent = parents if n and parents is not None else longs(0)
        self._whole = whole

    def read(self, lengths, timed: cython.bint, most_words: cython.Py_ssize_t, scanner, trees):
        """Fills `trees` with all rows; those without nodes are empty trees.

        Args:
            lengths: How many nodes each row has (64-bit integers).
            timed: Whether the unit is seconds; else it is words.
            most_words: How many words the ends of nodes may ask for where no word is named.
            scanner: The `Scanner` that numbers labels.
            trees: The `FlatTrees` to fill, in place of what was there.

        Returns:
            Whether all rows are plain; if not, what is in `trees` is of no use.
        """
        reader: Scanner = scanner
        out: FlatTrees = trees
        n_rows: cython.Py_ssize_t = len(lengths)
        length: cython.const[cython.longlong][::1] = lengths if n_rows else longs(0)
        longest: cython.Py_ssize_t = 0
        row: cython.Py_ssize_t
        base: cython.Py_ssize_t = 0
        plain: cython.bint = True
        for row in range(n_rows):
            longest = max(longest, length[row])
        self._above, self._first, self._below = ints(longest), ints(longest), ints(longest)
        self._is_leaf = flags(longest)
        out.reserve(n_rows, self._n_nodes, 2 * self._n_nodes)  # silences between words may be words, too
        out.text = self._word_text
        reader._interner.text = self._label_text
        for row in range(n_rows):
            out.node_offset[row + 1] = out.node_offset[row]
            out.word_offset[row + 1] = out.word_offset[row]
            out.error[row] = out.timed[row] = out.solid[row] = 0
            if length[row] and not self._read_row(row, base, length[row], timed, most_words, reader, out):
                plain = False
                break
            base += length[row]
            out.n_trees = row + 1
        reader._interner.text = NOTHING
        return plain

    def _read_row(self, t, base, n, in_seconds, most_words, reader, out):
        """Adds the tree of a row that has nodes; returns 0 if it is not plain."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t  # of node i among all
        up: cython.Py_ssize_t
        top: cython.Py_ssize_t
        n_words: cython.Py_ssize_t = 0
        n_closed: cython.Py_ssize_t = 0
        depth: cython.Py_ssize_t = 0
        lo: cython.double
        hi: cython.double
        place: cython.double
        in_order: cython.bint = True  # whether words are numbered one by one
        timed: cython.bint = True
        named: cython.bint
        node_base: cython.Py_ssize_t = out.node_offset[t]
        word_base: cython.Py_ssize_t = out.word_offset[t]
        self._n_words = 0
        for at in range(base, base + n):
            lo, hi = self._start[at], self._end[at]
            if not (-_FAR < lo <= hi < _FAR):
                return 0
            if self._has_word[at]:
                if lo != n_words or hi != n_words + 1:
                    in_order = False
                n_words += 1
            elif not self._has_label[at]:
                return 0
        named = n_words > 0
        if named:
            if not in_seconds:
                timed = not in_order
                if self._whole and timed:
                    return 0
        else:
            timed = in_seconds
            if self._start[base] == self._end[base]:
                return 0
            if not timed and not (self._whole and self._start[base] == 0 and self._end[base] <= most_words):
                return 0
        if not self._has_label[base]:
            return 0
        place = self._start[base]
        for i in range(n + 1):
            at = base + i
            up = -1
            lo = hi = 0.0
            if i < n:
                lo, hi = self._start[at], self._end[at]
                if self._has_parents:
                    if not -1 <= self._parent[at] < i or (i == 0) != (self._parent[at] == -1):
                        return 0
                    up = self._parent[at]
                elif i and lo == self._start[at - 1] and hi > self._end[at - 1]:
                    return 0
            # Closes what does not hold the node.
            while depth:
                top = self._above[depth - 1]
                if i < n:
                    if self._has_parents:
                        if top == up:
                            break
                    elif self._end[base + top] > lo or (
                        hi <= self._end[base + top] and (lo == self._start[base + top] or depth == 1)
                    ):
                        break
                depth -= 1
                if not named and timed:
                    if place < self._end[base + top]:
                        if not self._add_word(word_base, place, self._end[base + top], -1, out):
                            return 0
                    elif self._is_leaf[top] and self._start[base + top] == self._end[base + top]:
                        if not self._add_word(word_base, self._start[base + top], place, -1, out):
                            return 0
                elif not named:
                    self._n_words = cython.cast(cython.Py_ssize_t, self._end[base + top])
                place = max(place, self._end[base + top])
                if not self._has_label[base + top]:
                    continue
                if named and not self._spans_words(base + top, self._first[top], word_base, timed, out):
                    return 0
                out.label[node_base + n_closed] = reader._interner.find(
                    self._label_at[base + top], self._label_at[base + top + 1]
                )
                out.size[node_base + n_closed] = n_closed - self._below[top] + 1
                out.first[node_base + n_closed] = self._first[top]
                out.last[node_base + n_closed] = self._n_words
                n_closed += 1
            if i == n:
                break
            if depth:
                up = self._above[depth - 1]
                if lo < self._start[base + up] or hi > self._end[base + up] or lo < place:
                    return 0
                if self._has_word[base + up]:
                    return 0
                if not named and timed and self._is_leaf[up] and place < lo:
                    if not self._add_word(word_base, place, lo, -1, out):
                        return 0
                self._is_leaf[up] = 0
            elif i:
                return 0
            place = lo
            self._above[depth] = i
            depth += 1
            self._is_leaf[i] = 1
            self._below[i] = n_closed
            self._first[i] = self._n_words if named or timed else cython.cast(cython.Py_ssize_t, lo)
            if self._has_word[at] and not self._add_word(word_base, lo, hi, at, out):
                return 0
        if not named and not timed:
            while word_base + self._n_words > out.word_room:
                out.grow_words()
            for i in range(word_base, word_base + self._n_words):
                out.text_from[i] = out.text_to[i] = 0
        if not in_seconds:
            for i in range(self._n_words):
                out.start[word_base + i] = i
                out.end[word_base + i] = i + 1
        out.timed[t] = timed
        out.node_offset[t + 1] = node_base + n_closed
        out.word_offset[t + 1] = word_base + self._n_words
        return 1

    def _add_word(self, word_base, lo, hi, at, out):
        """Adds a word, that of node `at` or, for -1, an empty one; returns 0 if it begins too early."""
        word: cython.Py_ssize_t = word_base + self._n_words
        if self._n_words and lo < out.end[word - 1]:
            return 0
        out.start[word] = lo
        out.end[word] = hi
        out.text_from[word] = self._word_at[at] if at >= 0 else 0
        out.text_to[word] = self._word_at[at + 1] if at >= 0 else 0
        self._n_words += 1
        return 1

    def _spans_words(self, at, first, word_base, timed, out):
        """Whether a node spans exactly the words that were added since it was opened."""
        if first == self._n_words:
            return self._start[at] == self._end[at]
        if not timed:
            return self._start[at] == first and self._end[at] == self._n_words
        return (
            self._start[at] == out.start[word_base + first]
            and self._end[at] == out.end[word_base + self._n_words - 1]
        )
