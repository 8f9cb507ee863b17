"""Find least-cost edit paths between two rows of numbers, such as the words of two texts.

Leaving out an item of either side costs 1, and so does pairing two that are not the same. Of the paths of
least cost, those with the most pairs of the same are best; if items have tags, of these the ones with the
most pairs of equal tags. If several paths are equally good, items that are the same at the start (and have
the same tag) are paired first, then those at the end; of the items between, read from the end, two are paired
wherever that keeps the path a best one, or else the item of the first side is left out.

The table of costs is filled in a band around the diagonal. A path that leaves a band of `d + 2 p + 1`
diagonals, `d` being the difference of the lengths, costs at least `d + 2 p + 2`; so once the band's own best
path costs less, it is the best of all, and if it does not, its cost bounds how wide a band must be at most
(Ukkonen 1985). Each cell stores two bits, which is all that walking back needs.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from . import _cython as cython

from .flat import flags, ints, longs

# The last step of the best path to a cell: both items, the first side's alone, the second side's alone.
_BOTH, _FIRST, _SECOND = 0, 1, 2

_NARROW = 8  # diagonals on either side that are tried first
_WIDER = 4  # how many times wider the next band may be
_FAR = 1 << 60  # a cost beyond all others
# The most items of both sides for which tags count: their numbers of edits, of pairs that are not the same
# and of pairs with different tags fit into one number of 60 bits.
_MOST_TAGGED = 1 << 19


class Sames:
    """Know which numbers count as the same, besides equal ones; this need not be transitive.

    Args:
        pairs: Pairs of numbers from 0 on, in any order. Numbers beyond these are the same as themselves only.
    """

    def __init__(self, pairs=()):
        found = {}
        for a, b in pairs:
            if a != b:
                found.setdefault(a, set()).add(b)
                found.setdefault(b, set()).add(a)
        self.count = max(found, default=-1) + 1
        lists = [sorted(found.get(number, ())) for number in range(self.count)]
        self._from = ints(self.count + 1)
        i: cython.Py_ssize_t
        for i in range(self.count):
            self._from[i + 1] = self._from[i] + len(lists[i])
        self._others = array("i", [other for others in lists for other in others] or [0])

    def same(self, a, b):
        """Return whether two numbers count as the same."""
        k: cython.Py_ssize_t
        if a == b:
            return True
        if a < self.count and b < self.count:
            for k in range(self._from[a], self._from[a + 1]):
                if self._others[k] == b:
                    return True
        return False


class EditPath:
    """Find one path after another in the same buffers; two threads must not use it at once.

    Attributes:
        partner: The place on the second side of the partner of each item of the first side, or -1.

    Args:
        sames: The `Sames` that says which numbers count as the same.
        most: The most bytes that a table may have; 0 for no limit.
    """

    def __init__(self, sames, most=0):
        self._sames = sames
        self._most = most
        self._row_room = self._step_room = -1
        self.reserve(0)
        self._reserve_row(0)
        self._reserve_steps(0)

    def reserve(self, items):
        """Reserve space for a first side of that many items."""
        self.partner = ints(items)
        return 0

    def _reserve_row(self, cells):
        if cells > self._row_room:
            self._row_room = cells + cells // 2
            self._cost = longs(self._row_room)
        return 0

    def _reserve_steps(self, cells):
        if cells > self._step_room:
            self._step_room = cells + cells // 4
            self._steps = flags(self._step_room)
        return 0

    def path(self, first, second, tags=None, other_tags=None):
        """Return the columns of a best path, each a pair of places, one of them -1 where a side has nothing.

        >>> EditPath(Sames()).path([1, 2, 3], [2, 4, 3])
        [(0, -1), (1, 0), (-1, 1), (2, 2)]
        >>> EditPath(Sames()).path([1], [2, 3], [7], [7, 8]), EditPath(Sames()).path([1], [2, 3], [7], [8, 7])
        ([(0, 0), (-1, 1)], [(-1, 0), (0, 1)])

        Args:
            first: The numbers of the first side, from 0 on.
            second: The numbers of the second side, from 0 on.
            tags: The tag of each item of the first side, a number; None if there are no tags.
            other_tags: The tag of each item of the second side.
        """
        n: cython.Py_ssize_t = len(first)
        m: cython.Py_ssize_t = len(second)
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t = 0
        self.reserve(n)
        has_tags: cython.bint = tags is not None
        one = array("i", first) if n else ints(0)
        other = array("i", second) if m else ints(0)
        own_tags = array("i", tags) if has_tags and n else one
        others = array("i", other_tags) if has_tags and m else other
        self.find(one, own_tags, n, other, others, m, has_tags)
        columns = []
        for i in range(n):
            if self.partner[i] >= 0:
                columns += [(-1, place) for place in range(j, self.partner[i])]
                j = self.partner[i] + 1
            columns.append((i, self.partner[i]))
        return columns + [(-1, place) for place in range(j, m)]

    def find(self, first, tags, n, second, other_tags, m, has_tags):
        """Fill `partner`, which has `n` places, for the first `n` items of one side and `m` of the other.

        Between two pairs only one side has items, as pairing one with one would cost less than leaving
        out both; so the partners determine the whole path.

        Args:
            first: The numbers of the first side.
            tags: Their tags, or any numbers if there are none.
            n: The number of items of the first side.
            second: The numbers of the second side.
            other_tags: Their tags, or any numbers if there are none.
            m: The number of items of the second side.
            has_tags: Whether there are tags.

        Returns:
            Whether it was given up because the table would be too large.
        """
        i: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        if n + m > _MOST_TAGGED:
            has_tags = False
        # Pairing two items that are the same, with the same tag, at an end costs nothing. So it can replace
        # the steps of a best path for the two, which cost as much at least.
        while start < n and start < m and self._sames.same(first[start], second[start]):
            if has_tags and tags[start] != other_tags[start]:
                break
            self.partner[start] = start
            start += 1
        while n > start and m > start and self._sames.same(first[n - 1], second[m - 1]):
            if has_tags and tags[n - 1] != other_tags[m - 1]:
                break
            n -= 1
            m -= 1
            self.partner[n] = m
        if n == start or m == start:
            for i in range(start, n):
                self.partner[i] = -1
            return 0
        return self._find_between(first, tags, second, other_tags, start, n - start, m - start, has_tags)

    def _find_between(self, first, tags, second, other_tags, at, n, m, has_tags):
        """Do what `find` does for `n` and `m` items from the place `at` on, which differ at both ends."""
        difference: cython.Py_ssize_t = n - m if n > m else m - n
        shorter: cython.Py_ssize_t = m if n > m else n
        # A band that is as wide again as the difference makes it costs little more.
        margin: cython.Py_ssize_t = max(_NARROW, difference // 2)
        edits: cython.Py_ssize_t
        enough: cython.Py_ssize_t
        width: cython.Py_ssize_t
        if shorter < 4 * _NARROW or margin > shorter:
            margin = shorter
        while True:
            width = difference + 2 * margin + 1
            if self._most > 0 and (width + 3) // 4 > self._most // n:
                return 1
            edits = self._fill(first, tags, second, other_tags, at, n, m, margin, has_tags)
            if margin >= shorter or edits <= difference + 2 * margin + 1:
                break
            enough = (edits - difference) // 2
            margin = min(min(margin * _WIDER, enough), shorter)
        self._trace(n, m, margin, at)
        return 0

    def _fill(self, first, tags, second, other_tags, at, n, m, margin, has_tags):
        """Fill the table in a band; return the number of edits of its best path.

        Column `c` of row `i` is item `i + lowest + c` of the second side. A cost is edits; below these, pairs
        of items that are not the same; and in the lowest bits, pairs of different tags. Paths with equal
        numbers of edits and of pairs that are not the same have equal numbers of pairs, so that fewer pairs
        with different tags mean more with equal ones.
        """
        lowest: cython.Py_ssize_t = (m - n if m < n else 0) - margin
        width: cython.Py_ssize_t = (m - n if m > n else n - m) + 2 * margin + 1
        stride: cython.Py_ssize_t = (width + 3) // 4
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        j: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        end: cython.Py_ssize_t
        row: cython.Py_ssize_t
        before: cython.Py_ssize_t
        item: cython.int
        listed: cython.bint
        differs: cython.bint
        packed: cython.int
        tag: cython.int
        # Lengths are below 1 << 20 if tags count, and below 1 << 31 otherwise.
        unequal_tag: cython.longlong = 1 if has_tags else 0
        unequal: cython.longlong = 1 << 20 if has_tags else 1
        edit: cython.longlong = 1 << 40 if has_tags else 1 << 32
        replaced: cython.longlong = edit + unequal
        cost: cython.longlong
        other: cython.longlong
        left: cython.longlong
        step: cython.int
        if width + 1 > self._row_room or stride * n > self._step_room:
            with cython.gil:
                self._reserve_row(width + 1)
                self._reserve_steps(stride * n)
        costs: cython.longlong[::1] = self._cost
        steps: cython.uchar[::1] = self._steps
        for c in range(width + 1):  # the cost of pairing no item of the first side
            j = lowest + c
            costs[c] = j * edit if 0 <= j <= m else _FAR
        for i in range(n):
            item = first[at + i]
            tag = tags[at + i]
            listed = item < self._sames.count
            begin = -(i + 1 + lowest)  # there is no item of the second side before
            if begin < 0:
                begin = 0
            end = min(width, m - (i + 1 + lowest) + 1)
            row = stride * i
            packed = 0
            left = _FAR
            if begin > 0:
                costs[begin - 1] = _FAR
            if i + 1 + lowest + begin == 0:
                left = costs[begin] = (i + 1) * edit
                packed = _FIRST << (2 * (begin & 3))
                if begin & 3 == 3:
                    steps[row + (begin >> 2)] = packed
                    packed = 0
                begin += 1
            before = at + i + lowest  # the item of the second side that belongs to column 0
            # The cell of this row in column c is below that of the last row in column c + 1, and
            # its diagonal neighbour is the last row's cell in column c. A branch would be mispredicted
            # often, so the best step is computed without one.
            for c in range(begin, end):
                differs = second[before + c] != item
                if listed and differs:
                    differs = not self._sames.same(item, second[before + c])
                cost = costs[c] + differs * replaced + (other_tags[before + c] != tag) * unequal_tag
                other = costs[c + 1] + edit
                step = _FIRST if other < cost else _BOTH
                cost = other if other < cost else cost
                left += edit
                step = _SECOND if left < cost else step
                left = left if left < cost else cost
                costs[c] = left
                packed |= step << (2 * (c & 3))
                if c & 3 == 3:
                    steps[row + (c >> 2)] = packed
                    packed = 0
            if end & 3:
                steps[row + (end >> 2)] = packed
            costs[end] = _FAR
        return self._cost[m - n - lowest] // edit

    def _trace(self, n, m, margin, shift):
        """Walk back from the end."""
        lowest: cython.Py_ssize_t = (m - n if m < n else 0) - margin
        width: cython.Py_ssize_t = (m - n if m > n else n - m) + 2 * margin + 1
        stride: cython.Py_ssize_t = (width + 3) // 4
        i: cython.Py_ssize_t = n
        j: cython.Py_ssize_t = m
        c: cython.Py_ssize_t
        step: cython.int
        while i > 0:
            c = j - i - lowest
            step = (self._steps[stride * (i - 1) + (c >> 2)] >> (2 * (c & 3))) & 3
            if step == _SECOND:
                j -= 1
                continue
            i -= 1
            if step == _BOTH:
                j -= 1
                self.partner[shift + i] = shift + j
            else:
                self.partner[shift + i] = -1
        return 0
