"""Minimum-cost edit paths between the characters of two texts that are cut into units.

Inserting, deleting and replacing a character each cost 1. Of all paths of least cost, one with the
fewest links is taken, a link being a pair of units, one of either text, with characters aligned to
each other: that keeps `in` from sharing the `ing` of `sitting`. Other ties go to paths on which units
start and end together.

That holds exactly for texts whose lengths multiply to at most `MAX_CELLS`. Longer texts are cut first, at
strings of 16, then 8, then 5 characters that occur once in either text, if they are in the same order, taken
to the outermost place in them where both texts begin a unit. A path through these need not be one of least
cost, though in texts that mostly agree it nearly always is. Stretches that are still too long are aligned by
the compiled `EditPath`, which keeps the cost least, but not always the links fewest.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import NamedTuple

from ..._core.edit_path import EditPath, Sames

MAX_CELLS = 16_384

_LADDER = (16, 8, 5)  # lengths of strings that occur once
_MAX_LARGE = 10**9  # cells, four a byte, of a stretch without anything in common; more is not even tried

# A cost is one number: edits, then links, then whether the units at hand are not linked yet, then how
# often a unit starts or ends at one of two aligned characters only. Of two ways to a place the smaller
# number never has more edits or links in the end: to be linked already saves at most one link.
_EDIT = 1 << 34
_LINK = 1 << 17
_UNLINKED = 1 << 16
_ONE_SIDED = tuple(bin(bits).count("1") for bits in range(4))  # of the bits START and END
_START, _END = 1, 2


class Text:
    """Characters in a row, cut into units."""

    def __init__(self, units: Sequence[str]) -> None:
        self.characters = "".join(units)
        self.starts = array("q", accumulate(map(len, units), initial=0))  # of units, and the end of all
        self.owner = array("q", [number for number, unit in enumerate(units) for _ in unit])  # of characters
        # For each place between characters, and both ends, whether a unit starts or ends there.
        self.edges = bytearray(len(self.characters) + 1)
        for start in self.starts:
            self.edges[start] = 1

    def __len__(self) -> int:
        return len(self.characters)


class Stretch(NamedTuple):
    """A part of two texts, half-open."""

    first_a: int
    last_a: int
    first_b: int
    last_b: int

    @property
    def lengths(self) -> tuple[int, int]:
        return self.last_a - self.first_a, self.last_b - self.first_b

    @property
    def cells(self) -> int:
        return prod(self.lengths)


class Path(NamedTuple):
    """An alignment of two texts."""

    partner: array[int]  # for each character of the first text that of the second it is aligned with, or -1
    n_matched: int  # aligned characters that are the same
    n_edits: int  # the cost: aligned characters that differ, and characters of both that are not aligned
    worst: Stretch  # with the most edits


class PoorMatchError(ValueError):
    """Texts that have too little in common to be aligned.

    Attributes:
        worst: The stretch that is too long.
    """

    def __init__(self, worst: Stretch) -> None:
        super().__init__("the texts have too little in common")
        self.worst = worst


def find_path(a: Text, b: Text, *, max_cells: int = MAX_CELLS) -> Path:
    """Align two texts.

    >>> path = find_path(Text(["ca", "nt", "go"]), Text(["cant", "just", "go"]))
    >>> list(path.partner), path.n_edits
    ([0, 1, 2, 3, 8, 9], 4)

    Args:
        a: The first text.
        b: The second text.
        max_cells: The most characters of one times those of the other that are aligned with fewest links.

    Raises:
        PoorMatchError: If a long stretch of both texts has nothing in common.
    """
    return _Aligner(a, b, max_cells).run()


class _Aligner:
    def __init__(self, a: Text, b: Text, max_cells: int) -> None:
        self._a = a
        self._b = b
        self._max_cells = max_cells
        self._whole = Stretch(0, len(a), 0, len(b))
        self._partner = array("q", [-1]) * len(a)
        self._gaps: list[Stretch] = []  # between stretches that are the same

    def run(self) -> Path:
        todo = [(self._whole, 0)]
        while todo:
            stretch, level = todo.pop()
            if self._is_same(stretch):
                continue
            if stretch.cells <= self._max_cells:
                self._solve(stretch)
            elif level > len(_LADDER):
                self._solve_large(stretch)
            else:
                same = self._trimmed(stretch) if level == 0 else self._anchors(stretch, _LADDER[level - 1])
                todo += [(gap, level + 1) for gap in self._between(stretch, same)]
                continue
            self._gaps.append(stretch)
        worst = max(self._gaps, key=lambda gap: self._counts(gap)[1], default=self._whole)
        return Path(self._partner, *self._counts(self._whole), worst)

    # ---- stretches that are the same -----------------------------------------------------------

    def _is_same(self, stretch: Stretch) -> bool:
        i, last_a, j, last_b = stretch
        if self._a.characters[i:last_a] != self._b.characters[j:last_b]:
            return False
        self._join(i, j, last_a - i)
        return True

    def _join(self, i: int, j: int, length: int) -> None:
        self._partner[i : i + length] = array("q", range(j, j + length))

    def _between(self, stretch: Stretch, same: list[tuple[int, int, int]]) -> Iterator[Stretch]:
        """Join stretches that are the same, each as (place in a, place in b, length), and yield the rest."""
        i, j = stretch.first_a, stretch.first_b
        for at_a, at_b, length in same:
            self._join(at_a, at_b, length)
            if i < at_a or j < at_b:
                yield Stretch(i, at_a, j, at_b)
            i, j = at_a + length, at_b + length
        if i < stretch.last_a or j < stretch.last_b:
            yield Stretch(i, stretch.last_a, j, stretch.last_b)

    def _trimmed(self, stretch: Stretch) -> list[tuple[int, int, int]]:
        """Return the common beginning and end of both texts; joining these does not change the least cost."""
        a, b = self._a.characters, self._b.characters
        i, last_a, j, last_b = stretch
        most = min(last_a - i, last_b - j)
        before = next((n for n in range(most) if a[i + n] != b[j + n]), most)
        while not (self._a.edges[i + before] and self._b.edges[j + before]):
            before -= 1
        most -= before
        behind = next((n for n in range(most) if a[last_a - n - 1] != b[last_b - n - 1]), most)
        while not (self._a.edges[last_a - behind] and self._b.edges[last_b - behind]):
            behind -= 1
        return [(i, j, before), (last_a - behind, last_b - behind, behind)]

    def _anchors(self, stretch: Stretch, size: int) -> list[tuple[int, int, int]]:
        """Return stretches around strings that occur once in either text, from unit to unit."""
        first_a, last_a, first_b, last_b = stretch
        once_a = _occurring_once(self._a.characters, first_a, last_a, size)
        once_b = _occurring_once(self._b.characters, first_b, last_b, size)
        places = ((i, once_b.get(string, -1)) for string, i in once_a.items() if i >= 0)
        found = []
        for i, j, length in _runs(_longest_chain([(i, j) for i, j in places if j >= 0]), size):
            edges = [n for n in range(length + 1) if self._a.edges[i + n] and self._b.edges[j + n]]
            if len(edges) > 1:
                found.append((i + edges[0], j + edges[0], edges[-1] - edges[0]))
        return found

    # ---- stretches that differ -----------------------------------------------------------------

    def _solve_large(self, stretch: Stretch) -> None:
        """Align a stretch by a path of least cost, which may not have the fewest links."""
        if stretch.cells > _MAX_LARGE:
            raise PoorMatchError(stretch)
        first_a, last_a, first_b, last_b = stretch
        letters = (self._a.characters[first_a:last_a], self._b.characters[first_b:last_b])
        for i, j in EditPath(Sames()).path(*(list(map(ord, text)) for text in letters)):
            if i >= 0 and j >= 0:
                self._partner[first_a + i] = first_b + j

    def _solve(self, stretch: Stretch) -> None:
        """Align a stretch by the whole table of costs."""
        first_a, last_a, first_b, last_b = stretch
        a = self._a.characters[first_a:last_a]
        b = self._b.characters[first_b:last_b]
        bits_a = _edge_bits(self._a, first_a, last_a)
        bits_b = _edge_bits(self._b, first_b, last_b)
        table = _cost_table(a, b, bits_a, bits_b)
        i, j = len(a), len(b)
        while i and j:
            here = table[i][j]
            bits = bits_a[i - 1], bits_b[j - 1]
            if here == _cost_after(table[i - 1][j - 1], a[i - 1] != b[j - 1], *bits):
                i, j = i - 1, j - 1
                self._partner[first_a + i] = first_b + j
            elif here == table[i - 1][j] + _EDIT | _unlinked(*bits):
                i -= 1
            else:
                j -= 1

    def _counts(self, stretch: Stretch) -> tuple[int, int]:
        """Return how many characters of a stretch match, and its cost, as far as it is solved."""
        a, b = self._a.characters, self._b.characters
        pairs = ((i, self._partner[i]) for i in range(stretch.first_a, stretch.last_a))
        same = [a[i] == b[j] for i, j in pairs if j >= 0]
        return sum(same), sum(stretch.lengths) - sum(same) - len(same)


def _edge_bits(text: Text, first: int, last: int) -> list[int]:
    """Return whether a unit starts or ends with each character, as bits."""
    edges = text.edges[first : last + 1]
    return [_START * start + _END * end for start, end in pairwise(edges)]


def _unlinked(bits_a: int, bits_b: int) -> int:
    """Return the state after the end of a unit, where nothing is linked yet; 0 elsewhere."""
    return _UNLINKED if (bits_a | bits_b) & _END else 0


def _cost_after(cost: int, differ: bool, bits_a: int, bits_b: int) -> int:
    """Return the cost after two aligned characters, given that before them."""
    if cost & _UNLINKED:
        cost += _LINK - _UNLINKED
    return cost + _ONE_SIDED[bits_a ^ bits_b] + (_EDIT if differ else 0) | _unlinked(bits_a, bits_b)


def _cost_table(a: str, b: str, bits_a: Sequence[int], bits_b: Sequence[int]) -> list[list[int]]:
    """Return the least cost of every pair of prefixes. The inner loop has `_cost_after` written out."""
    row = list(range(_UNLINKED, (len(b) + 1) * _EDIT, _EDIT))
    table = [row]
    one_sided = [[_ONE_SIDED[bits ^ other] for other in bits_b] for bits in range(4)]
    unlinked = [[_unlinked(bits, other) for other in bits_b] for bits in range(4)]
    for letter, bits in zip(a, bits_a, strict=True):
        corner = row[0]
        left = corner + _EDIT
        columns = zip(b, one_sided[bits], unlinked[bits], row[1:], strict=True)
        row = [left]
        for other, n_one_sided, flag, up in columns:
            if corner & _UNLINKED:
                corner += _UNLINKED  # which carries over to a link
            corner += n_one_sided
            if letter != other:
                corner += _EDIT
            corner |= flag
            left = left + _EDIT | flag
            if corner < left:
                left = corner
            corner = up
            up = up + _EDIT | flag
            if up < left:
                left = up
            row.append(left)
        table.append(row)
    return table


# ---- strings that occur once -------------------------------------------------------------------


def _occurring_once(text: str, first: int, last: int, size: int) -> dict[str, int]:
    """Return where each string of that size starts; -1 for those that occur more than once."""
    places: dict[str, int] = {}
    for place in range(first, last - size + 1):
        string = text[place : place + size]
        places[string] = -1 if string in places else place
    return places


def _longest_chain(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most points, ordered by their first numbers, that are also ordered by their second."""
    ends: list[int] = []  # least last second number of chains by length
    tails: list[int] = []  # which point that is
    before: list[int] = []  # the point before each in its chain
    for number, (_, j) in enumerate(points):
        length = bisect_left(ends, j)
        before.append(tails[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        tails[length : length + 1] = [number]
    chain = []
    number = tails[-1] if tails else -1
    while number >= 0:
        chain.append(points[number])
        number = before[number]
    return chain[::-1]


def _runs(chain: Sequence[tuple[int, int]], size: int) -> list[tuple[int, int, int]]:
    """Return the stretches that the same strings cover, as (place, place, length), without overlaps."""
    runs: list[tuple[int, int, int]] = []
    for i, j in chain:
        last_i, last_j, length = runs[-1] if runs else (0, 0, 0)
        overlap = max(0, last_i + length - i, last_j + length - j)
        if runs and i - j == last_i - last_j and i <= last_i + length:
            runs[-1] = last_i, last_j, i + size - last_i
        elif overlap < size:
            runs.append((i + overlap, j + overlap, size - overlap))
    return runs
