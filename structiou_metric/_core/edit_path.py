"""Least-cost edit paths between two rows of numbers, such as the words of two texts.

Leaving out an item of either side costs 1, and so does pairing two that are not the same. Of the paths of
least cost one with the most pairs of the same is taken. Where there are several still, items that are the
same at the start are paired first, then those at the end; of the items left between, read from the end, two
items are paired wherever that keeps the path a best one, or else the item of the first side is left out.

The table of costs is filled in a band around the diagonal. A path that leaves a band of `d + 2 p + 1`
diagonals, `d` being the difference of the lengths, costs at least `d + 2 p + 2`; so once the band's own best
path costs less, it is the best of all, and if it does not, its cost bounds how wide a band must be
(Ukkonen 1985). Of each cell two bits are kept, which is all that walking back needs.
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


class Sames:
    """Which numbers count as the same, besides equal ones; need not be transitive.

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
    """Finds paths one after the other, in buffers that are kept; two threads must not use it at once.

    Attributes:
        partner: The place on the second side of the partner of each item of the first side, or -1.

    Args:
        sames: Which numbers count as the same.
        most: How many bytes a table may have; 0 for no limit.
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

    def path(self, first, second):
        """Return the columns of a best path, each a pair of places, one of them -1 where a side has nothing.

        >>> EditPath(Sames()).path([1, 2, 3], [2, 4, 3])
        [(0, -1), (1, 0), (-1, 1), (2, 2)]

        Args:
            first: The numbers of the first side, from 0 on.
            second: The numbers of the second side, from 0 on.
        """
        n: cython.Py_ssize_t = len(first)
        m: cython.Py_ssize_t = len(second)
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t = 0
        self.reserve(n)
        self.find(array("i", first) if n else ints(0), 0, n, array("i", second) if m else ints(0), 0, m)
        columns = []
        for i in range(n):
            if self.partner[i] >= 0:
                columns += [(-1, place) for place in range(j, self.partner[i])]
                j = self.partner[i] + 1
            columns.append((i, self.partner[i]))
        return columns + [(-1, place) for place in range(j, m)]

    def find(self, first, at, n, second, other_at, m):
        """Fill `partner`, which has `n` places, for `n` items from `at` on and `m` from `other_at` on.

        Between two pairs only one side has items, as pairing one with one would cost less than leaving
        out both; so the partners define the whole path.

        Returns:
            Whether it was given up, as the table would be too large.
        """
        i: cython.Py_ssize_t
        same_before: cython.Py_ssize_t = 0
        while same_before < n and same_before < m:
            if not self._sames.same(first[at + same_before], second[other_at + same_before]):
                break
            self.partner[same_before] = same_before
            same_before += 1
        while n > same_before and m > same_before:
            if not self._sames.same(first[at + n - 1], second[other_at + m - 1]):
                break
            n -= 1
            m -= 1
            self.partner[n] = m
        if n == same_before or m == same_before:
            for i in range(same_before, n):
                self.partner[i] = -1
            return 0
        return self._find_between(
            first,
            at + same_before,
            n - same_before,
            second,
            other_at + same_before,
            m - same_before,
            same_before,
        )

    def _find_between(self, first, at, n, second, other_at, m, shift):
        """Do the work of `find` for two sides that begin and end with items that are not the same."""
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
            edits = self._fill(first, at, n, second, other_at, m, margin)
            if margin >= shorter or edits <= difference + 2 * margin + 1:
                break
            enough = (edits - difference) // 2
            margin = min(min(margin * _WIDER, enough), shorter)
        self._trace(n, m, margin, shift)
        return 0

    def _fill(self, first, at, n, second, other_at, m, margin):
        """Fill the table in a band; return how many edits its best path has.

        Column `c` of row `i` is item `i + lowest + c` of the second side. A cost is edits and, in its lower
        half, pairs of items that are not the same: fewer of these mean more pairs of the same.
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
        edit: cython.longlong = 1 << 32
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
            listed = item < self._sames.count
            begin = -(i + 1 + lowest)  # where there is no item of the second side before
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
            before = other_at + i + lowest  # the item of the second side that belongs to column 0
            # The cell of this row in column c is below that of the last row in column c + 1, and
            # its diagonal neighbour is the last row's cell in column c. Which step is best cannot be
            # foreseen, so it is computed without a branch.
            for c in range(begin, end):
                differs = second[before + c] != item
                if listed and differs:
                    differs = not self._sames.same(item, second[before + c])
                cost = costs[c] + differs * (edit + 1)
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
