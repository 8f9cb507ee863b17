# cython: infer_types=True
"""One tree by the places where its nodes begin and end, beside another tree over the same places.

Places are small numbers that both trees of a pair share: words, characters, or the boundaries of words in
time. In postorder, nodes are sorted by end, and by start from the right where ends are equal; so nodes of two
trees with the same span are found by one merge, and those of one tree are neighbours.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import flags, ints


class Spans:
    """The nodes of one tree; buffers are kept from tree to tree.

    Attributes:
        n: How many nodes there are.
        base: Where they begin in the batch.
        label: The class of each label.
        size: The number of nodes of the subtree.
        low: The place where each begins.
        high: The place where each ends.
        leaf: Whether a node is a preterminal.
        phrase: Whether it is more than a preterminal over a single word.
        above: The parent, -1 for a root.
        parent: The lowest node above that has a larger span, -1 if there is none.
        partner: The node of the other tree that it is aligned with, or -1.
        match: The unaligned counterpart of the node in the other tree, with the same span, or -1.
        twin: The lowest node of the other tree with the same span, or -1.
        before: The last node of the other tree that comes before it in the order of both, or -1.
        inside: The innermost phrase that begins before each place and ends after it, or -1.
        cover: The innermost node that covers the unit after each place, or -1.
        first_common: The smallest node that begins at each place and has a twin, or -1.
        next_common: The next larger node that begins at the place of each such node, or -1.
    """

    def __init__(self):
        self.n = self.base = 0
        self._node_room = self._place_room = self._word_room = -1
        self.reserve(0, 0)
        self.reserve_words(0)

    def reserve(self, nodes, places):
        """Reserve space for a tree of that many nodes, and for that many places."""
        if nodes > self._node_room:
            self._node_room = nodes + nodes // 2
            self.label = ints(self._node_room)
            self.size = ints(self._node_room)
            self.low = ints(self._node_room)
            self.high = ints(self._node_room)
            self.leaf = flags(self._node_room)
            self.phrase = flags(self._node_room)
            self.above = ints(self._node_room)
            self.parent = ints(self._node_room)
            self.partner = ints(self._node_room)
            self.match = ints(self._node_room)
            self.twin = ints(self._node_room)
            self.before = ints(self._node_room)
            self.next_common = ints(self._node_room)
        if places > self._place_room:
            self._place_room = places + places // 2
            self.inside = ints(self._place_room + 1)
            self.cover = ints(self._place_room + 1)
            self.first_common = ints(self._place_room + 1)
            self._open = ints(self._place_room + 1)
        return 0

    def reserve_words(self, words):
        """Reserve space for the ranks and places of that many words."""
        if words > self._word_room:
            self._word_room = words + words // 2
            self.rank = ints(self._word_room + 1)
            self.word_low = ints(self._word_room)
            self.word_high = ints(self._word_room)
        return 0

    def load(self, nodes, trees, t, all_phrases):
        """Take the nodes of tree `t`, but for places and partners.

        Args:
            nodes: The compared nodes of the trees.
            trees: The trees as they were read.
            t: The number of the tree.
            all_phrases: Whether preterminals are no nodes, so that a node without a child is a phrase.
        """
        self.base = nodes.offset[t]
        self.n = nodes.offset[t + 1] - self.base
        for i in range(self.n):
            at = self.base + i
            source = trees.node_offset[t] + nodes.origin[at]
            self.label[i] = nodes.label[at]
            self.size[i] = nodes.size[at]
            self.leaf[i] = nodes.size[at] == 1 and not all_phrases
            # A preterminal over several words is a phrase as well.
            self.phrase[i] = not self.leaf[i] or trees.last[source] - trees.first[source] > 1
            self.above[i] = self.match[i] = -1
            # Children are found from right to left: each ends where the subtree after it begins.
            child: cython.Py_ssize_t = i - 1
            while child > i - self.size[i]:
                self.above[child] = i
                child -= self.size[child]
        return 0

    def rank_words(self, trees, t, offset, place):
        """Note how many words before each word of tree `t` are kept; arrays are those of `kept_words`."""
        first: cython.Py_ssize_t = trees.word_offset[t]
        # `kept` also is the rank of the current word among the kept ones.
        kept: cython.int = 0
        for word in range(trees.word_offset[t + 1] - first):
            self.rank[word] = kept
            if offset[t] + kept < offset[t + 1] and place[offset[t] + kept] == first + word:
                kept += 1
        self.rank[trees.word_offset[t + 1] - first] = kept
        return kept

    def place_by_words(self, nodes, trees, t):
        """Find the places of the nodes by those of their words."""
        for i in range(self.n):
            source = trees.node_offset[t] + nodes.origin[self.base + i]
            self.low[i] = self.word_low[self.rank[trees.first[source]]]
            self.high[i] = self.word_high[self.rank[trees.last[source]] - 1]
        return 0

    def place_by_text(self, nodes):
        """Find the places of nodes whose spans count words or characters."""
        for i in range(self.n):
            self.low[i] = cython.cast(cython.int, nodes.start[self.base + i])
            self.high[i] = cython.cast(cython.int, nodes.end[self.base + i])
        return 0

    def find_parents(self):
        """Find for each node the lowest one above with a larger span."""
        # From the root down, so that the parent of a parent is known.
        i: cython.Py_ssize_t = self.n - 1
        while i >= 0:
            up = self.above[i]
            # Same span: skip to the node above that is larger.
            if up >= 0 and self.low[up] == self.low[i] and self.high[up] == self.high[i]:
                up = self.parent[up]
            self.parent[i] = up
            i -= 1
        return 0

    def index_places(self, places):
        """Fill the tables over places 0 … `places`; twins are known by then."""
        for place in range(places + 1):
            self.inside[place] = self.cover[place] = -1
            self.first_common[place] = -1
        self._find_innermost(self.inside, True)
        self._find_innermost(self.cover, False)
        # From the last node to the first, because larger nodes come later: lists end with the largest.
        i: cython.Py_ssize_t = self.n - 1
        while i >= 0:
            self.next_common[i] = -1
            if self.is_common(i):
                self.next_common[i] = self.first_common[self.low[i]]
                self.first_common[self.low[i]] = i
            i -= 1
        return 0

    def _find_innermost(self, found, within):
        """Find for each place the innermost phrase around it, or the innermost node over the next unit."""
        height: cython.Py_ssize_t = 0
        place: cython.int = 0
        for i in range(self.n):
            if within and not self.phrase[i]:
                continue
            # Places are pushed as the walk over the nodes passes them.
            while place < self.high[i]:
                self._open[height] = place
                height += 1
                place += 1
            # A node takes all open places within it; the first node to take a place is the innermost.
            while height > 0 and self._open[height - 1] >= self.low[i] + within:
                height -= 1
                found[self._open[height]] = i
        return 0

    def is_same(self, other, i, j):
        """Return whether node `i` and node `j` of the other tree have the same span."""
        return self.low[i] == other.low[j] and self.high[i] == other.high[j]

    def is_chain(self, i):
        """Return whether the node after `i` in postorder has the same span."""
        return i + 1 < self.n and self.low[i] == self.low[i + 1] and self.high[i] == self.high[i + 1]

    def is_common(self, i):
        """Return whether node `i` is the topmost with its span, and the other tree has that span, too."""
        return self.twin[i] >= 0 and not self.is_chain(i)


def find_twins(left, right):
    """Find the lowest node of the other tree with the same span, and the place of each in the other."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = left.n
    m: cython.Py_ssize_t = right.n
    # Merge both postorders by (end, -start), as `Gap.find_twins` does.
    while i < n or j < m:
        if j >= m:
            order = -1
        elif i >= n:
            order = 1
        elif left.high[i] != right.high[j]:
            order = -1 if left.high[i] < right.high[j] else 1
        elif left.low[i] != right.low[j]:
            order = -1 if left.low[i] > right.low[j] else 1
        else:
            order = 0
        # `before` is the node of the other side that the merge passed last.
        if order < 0:
            left.twin[i] = -1
            left.before[i] = j - 1
            i += 1
        elif order > 0:
            right.twin[j] = -1
            right.before[j] = i - 1
            j += 1
        else:
            # Equal spans: both chains, each node of them points to the lowest node of the other.
            first, other_first = i, j
            low, high = left.low[i], left.high[i]
            while i < n and left.low[i] == low and left.high[i] == high:
                left.twin[i] = other_first
                left.before[i] = other_first - 1
                i += 1
            while j < m and right.low[j] == low and right.high[j] == high:
                right.twin[j] = first
                right.before[j] = first - 1
                j += 1
    return 0
