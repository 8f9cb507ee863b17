"""Alignment of the sentences of two texts, which may be segmented differently and differ in letters.

A sentence is its words without the blanks between them, in lower case. The next two sentences are paired if
they are the same, or if they differ in at most a quarter of their letters and so do the two after them.
Elsewhere sentences are put into groups, in order, so that the cost of the groups is least:

- 100 for each letter that is inserted, deleted or replaced between the two texts of a group;
- for each cut inside a group, 15 for each letter of the shorter sentence next to it, 300 at most, and 1 more;
- 1 more for a sentence without a partner.

So a sentence that one side cuts in two is joined, a sentence that only one side has is alone, and otherwise
sentences stay as they are. A group has at most three sentences of a side, or more if together they are at
most half as long again as one sentence of the other side. A sentence without words that has no partner joins
the group before it. Equal sentences at the end are paired, and so are runs of equal sentences inside the
texts; the rest is aligned in windows of a few sentences, and the first half of each window is final.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..sources.documents import RunRows
from ..sources.rows import check_as_many
from .edits import edit_distance, edit_distances
from .pairs import PlainTree, plain_tree

if TYPE_CHECKING:
    from ..sources.rows import Problems, Rows

    Sizes = list[tuple[int, int]]  # the number of sentences of either side, by group
    Bracket = tuple[str, int, int]  # label, first and last word (or group of words), half-open
    Align = Callable[[Sequence[Any], Sequence[Any]], Sizes]

READ = 256  # sentences that are read at once

# The words that `QUOTE_LABEL` may restore.
QUOTES = frozenset({"'", '"', "/"})

_EDIT = 100
_CUT_LETTER, _CUT_MOST = 15, 300
_SENTENCES, _LETTERS = 8, 2000  # the size of a window, before the shorter side is filled up
_FEW = 3  # sentences that a group may always have
_SIMILAR = 0.25  # share of letters that similar sentences may differ in
_REWARD = 50  # for each letter that the groups of a window cover


def align_sentences(first: Sequence[str], second: Sequence[str]) -> Sizes:
    """Return the groups of sentences of two texts, as the number of sentences of either side.

    >>> align_sentences(["thecatsat.", "itpurred."], ["thecatsat.itpurred.", "wewent."])
    [(2, 1), (0, 1)]
    """
    n, m = len(first), len(second)
    tail = 0
    while tail < min(n, m) and first[n - 1 - tail] == second[m - 1 - tail]:
        tail += 1
    n, m = n - tail, m - tail
    i = j = 0
    groups: Sizes = []
    while i < n or j < m:
        if i < n and j < m and (first[i] == second[j] or _go_on(first, i, n, second, j, m)):
            found: Sizes = [(1, 1)]
        else:
            p, q, whole = _window(first, i, n, second, j, m)
            found = _Window(first[i:p], second[j:q], whole).groups()
        groups += found
        i += sum(size for size, _ in found)
        j += sum(size for _, size in found)
    return _join_wordless(groups + [(1, 1)] * tail, first, second)


def _go_on(first: Sequence[str], i: int, n: int, second: Sequence[str], j: int, m: int) -> bool:
    """Return whether two sentences are nearly the same, and the two after them, too."""
    if not _similar(first[i], second[j]):
        return False
    if i + 1 == n or j + 1 == m:
        return i + 1 == n and j + 1 == m
    return _similar(first[i + 1], second[j + 1])


def _similar(a: str, b: str) -> bool:
    most = _SIMILAR * max(len(a), len(b))
    return a == b or (abs(len(a) - len(b)) <= most and edit_distance(a, b) <= most)


def _window(
    first: Sequence[str], i: int, n: int, second: Sequence[str], j: int, m: int
) -> tuple[int, int, bool]:
    """Return the end of a window on both sides, and whether all of its groups are final."""
    if max(n - i, m - j) <= _SENTENCES:
        return n, m, True
    for reach in range(1, 4 * _SENTENCES):  # two equal pairs in a row end a window
        for back in range(reach + 1):
            for p, q in ((i + reach, j + reach - back), (i + reach - back, j + reach)):
                if p + 1 < n and q + 1 < m and first[p] and first[p : p + 2] == second[q : q + 2]:
                    return p, q, True
    sides = (first, second)
    starts, ends = (i, j), (n, m)
    stops = [_reach(side, at, end) for side, at, end in zip(sides, starts, ends, strict=True)]
    letters = [sum(map(len, sides[k][starts[k] : stops[k]])) for k in (0, 1)]
    short = letters.index(min(letters))
    while stops[short] < ends[short] and letters[short] < letters[1 - short]:
        letters[short] += len(sides[short][stops[short]])
        stops[short] += 1
    return stops[0], stops[1], stops == [n, m]


def _reach(side: Sequence[str], at: int, end: int) -> int:
    """Return the end of a window on one side, before the shorter side is filled up."""
    letters = 0
    stop = at
    while stop < end and stop - at < _SENTENCES:
        letters += len(side[stop])
        if stop - at >= 2 and letters > _LETTERS:
            break
        stop += 1
    return stop


class _Window:
    """A few sentences of both sides, grouped at the least cost.

    Args:
        first: The sentences of one side.
        second: The sentences of the other side.
        whole: Whether all sentences are grouped; otherwise only the first half, which later ones hardly
            change.
    """

    def __init__(self, first: Sequence[str], second: Sequence[str], whole: bool) -> None:
        self._sides = first, second
        self._whole = whole
        self._ends = [[0, *accumulate(map(len, side))] for side in self._sides]
        self._cuts = [_cut_costs(side) for side in self._sides]
        self._letters = sum(ends[-1] for ends in self._ends)

    def groups(self) -> Sizes:
        """Return the groups of least cost, as sizes."""
        n, m = map(len, self._sides)
        most, way = min((self._cost(way), way) for way in (self._pairs(), self._joins()))
        best: dict[tuple[int, int], tuple[int, tuple[int, int]]] = {(0, 0): (0, (0, 0))}
        for p in range(n + 1):
            for q in range(m + 1):
                if (p, q) in best and (p, q) != (n, m):
                    self._extend(best, p, q, most)
        del best[0, 0]
        if self._whole:
            return _way_to((n, m), best) if best.get((n, m), (most + 1, way))[0] <= most else way
        groups = way
        if best:
            groups = _way_to(min(best, key=lambda place: best[place][0] - self._reward(*place)), best)
        ends = [tuple(map(sum, zip(*groups[: k + 1], strict=True))) for k in range(len(groups))]
        kept = 1
        while kept < len(groups) - 1 and 2 * ends[kept][0] <= n and 2 * ends[kept][1] <= m:
            kept += 1
        return groups[:kept]

    def _extend(
        self, best: dict[tuple[int, int], tuple[int, tuple[int, int]]], p: int, q: int, most: int
    ) -> None:
        """Add the places that one group leads to, unless they cost more than a known way."""
        n, m = map(len, self._sides)
        cost = best[p, q][0]
        if cost + self._least(p, q) > most:
            return
        steps = [((p + 1, q), self._alone(0, p))] if p < n else []
        steps += [((p, q + 1), self._alone(1, q))] if q < m else []
        if p < n and q < m:
            sizes = self._most(0, p, q), self._most(1, q, p)
            for (a, b), distance in self._distances(p, q, *sizes):
                if (a <= _FEW or b == 1) and (b <= _FEW or a == 1):
                    steps.append(((p + a, q + b), self._joined(p, a, q, b) + _EDIT * distance))
        for place, step in steps:
            if place not in best or cost + step < best[place][0]:
                best[place] = cost + step, (p, q)

    def _most(self, side: int, at: int, other: int) -> int:
        """Return how many sentences of a side a group may have that begins at a place."""
        ends, n = self._ends[side], len(self._sides[side])
        longest = len(self._sides[1 - side][other]) * 1.5
        size = min(_FEW, n - at)
        while at + size < n and ends[at + size + 1] - ends[at] <= longest:
            size += 1
        return size

    def _least(self, p: int, q: int) -> int:
        """Return the least cost of the rest, less the greatest reward if not all sentences are grouped."""
        rest = [ends[-1] - ends[at] for ends, at in zip(self._ends, (p, q), strict=True)]
        if self._whole:
            return _EDIT * abs(rest[0] - rest[1])
        return _REWARD * (sum(rest) - 2 * min(rest))

    def _reward(self, p: int, q: int) -> int:
        return _REWARD * (self._ends[0][p] + self._ends[1][q])

    def _alone(self, side: int, at: int) -> int:
        """Return the cost of a sentence without a partner."""
        return _EDIT * len(self._sides[side][at]) + 1

    def _joined(self, p: int, a: int, q: int, b: int) -> int:
        """Return the cost of the cuts inside a group."""
        first, second = self._cuts
        return sum(first[p + 1 : p + a]) + sum(second[q + 1 : q + b])

    def _distances(self, p: int, q: int, n: int, m: int) -> list[tuple[tuple[int, int], int]]:
        """Return the edits of each group that begins at a place, up to `n` and `m` sentences."""
        first, second = self._sides
        rows = [self._ends[0][p + a] - self._ends[0][p] for a in range(1, n + 1)]
        columns = [self._ends[1][q + b] - self._ends[1][q] for b in range(1, m + 1)]
        table = edit_distances("".join(first[p : p + n]), "".join(second[q : q + m]), rows, columns)
        return [((a + 1, b + 1), table[b][a]) for b in range(m) for a in range(n)]

    # ---- ways that are known before the search ---------------------------------------------------

    def _pairs(self) -> Sizes:
        """Return groups of one sentence of each side."""
        n, m = map(len, self._sides)
        return [(int(k < n), int(k < m)) for k in range(max(n, m))]

    def _joins(self) -> Sizes:
        """Return groups that take from the side with fewer letters while this makes both sides more equal."""
        n, m = map(len, self._sides)
        groups: Sizes = []
        p = q = 0
        while p < n and q < m:
            a = b = 1
            ahead = len(self._sides[0][p]) - len(self._sides[1][q])
            while True:
                side, at, end = (0, p + a, n) if ahead < 0 else (1, q + b, m)
                if at == end or abs(abs(ahead) - len(self._sides[side][at])) >= abs(ahead):
                    break
                ahead += len(self._sides[side][at]) * (1 if side == 0 else -1)
                a, b = (a + 1, b) if side == 0 else (a, b + 1)
            groups.append((a, b))
            p, q = p + a, q + b
        return groups + [(1, 0)] * (n - p) + [(0, 1)] * (m - q)

    def _cost(self, groups: Sizes) -> int:
        """Return the cost of a way through the window."""
        p = q = total = 0
        for a, b in groups:
            if a and b:
                total += self._joined(p, a, q, b)
                first, second = "".join(self._sides[0][p : p + a]), "".join(self._sides[1][q : q + b])
                total += _EDIT * edit_distance(first, second)
            else:
                total += self._alone(0, p) if a else self._alone(1, q)
            p, q = p + a, q + b
        return total


def _way_to(at: tuple[int, int], best: Mapping[tuple[int, int], tuple[int, tuple[int, int]]]) -> Sizes:
    """Return the groups that lead to a place."""
    groups: Sizes = []
    while at != (0, 0):
        before = best[at][1]
        groups.append((at[0] - before[0], at[1] - before[1]))
        at = before
    return groups[::-1]


def _cut_costs(side: Sequence[str]) -> list[int]:
    """Return the cost of joining each sentence to the one before it."""
    lengths = [len(text) for text in side]
    return [0] + [min(_CUT_LETTER * min(a, b), _CUT_MOST) + 1 for a, b in pairwise(lengths)]


def _join_wordless(groups: Sizes, first: Sequence[str], second: Sequence[str]) -> Sizes:
    """Put sentences without words that have no partner into the group before them, or after them."""
    joined: Sizes = []
    p = q = 0
    ahead = (0, 0)
    for a, b in groups:
        wordless = not (a and b) and not any(first[p : p + a]) and not any(second[q : q + b])
        p, q = p + a, q + b
        if not wordless:
            joined.append((ahead[0] + a, ahead[1] + b))
            ahead = (0, 0)
        elif joined:
            joined[-1] = joined[-1][0] + a, joined[-1][1] + b
        else:
            ahead = ahead[0] + a, ahead[1] + b
    return joined if ahead == (0, 0) else [*joined, ahead]


# ---- rows ------------------------------------------------------------------------------------------


class PairedRows(RunRows):
    """One side of the pairs, each a run of sentences.

    Args:
        rows: The rows of all sentences.
        sizes: The number of sentences of each pair.
        first: The number of the first pair.
        begin: The number of the first sentence.
        numbers: The number of each pair in the input: that of its document, or of its first reference.
        documents: The number of sentences of each document, if the rows of the input are documents.

    Attributes:
        apart: Whether sentences are numbered within their document.
        extra: The words that jp-evalb adds to the length of each pair.
    """

    def __init__(
        self,
        rows: Rows,
        sizes: Sequence[int],
        *,
        first: int,
        begin: int,
        numbers: Sequence[int],
        documents: Sequence[int] = (),
    ) -> None:
        super().__init__(rows, sizes, first=first, begin=begin)
        self.apart = bool(documents)
        self.extra: Sequence[int] = ()
        self._numbers = numbers
        self._documents = list(accumulate(documents, initial=0))

    @property
    def is_plain(self) -> bool:
        """Whether each sentence is a pair with the one that has the same number."""
        return not self.apart and all(size == 1 for size in self._sizes)

    def number(self, row: int) -> int:
        """Return the number of a pair in the input."""
        return self._numbers[row - self.first]

    def sentences(self, row: int) -> range:
        """Return the numbers of the sentences of a pair."""
        trees = self.trees(row)
        begin = self._documents[self.number(row) - self._numbers[0]] if self.apart else 0
        return range(trees.start - begin, trees.stop - begin)


def pair_sentences(
    predictions: Rows, references: Rows, first: int, read: Callable[[Rows, int], Sequence[Any]], align: Align
) -> tuple[PairedRows, PairedRows]:
    """Return the pairs of both sides.

    The number of a pair in the input is that of its document, or of its first reference; if it has no
    reference, that of the reference before it.

    Args:
        predictions: The predicted sentences or documents.
        references: The reference sentences or documents.
        first: The number of the first row of both.
        read: A function that returns the text of each sentence, given rows and the number of the first one.
        align: A function that returns how many sentences of both sides each pair has, given these texts.
    """
    if hasattr(predictions, "sentences") and hasattr(references, "sentences"):
        return _pair_documents(predictions, references, first, read, align)
    sizes = align(*(read(rows, first) for rows in (predictions, references)))
    numbers = []
    at = first
    for _, size in sizes:
        numbers.append(at if size else max(at - 1, first))
        at += size
    pred, ref = (
        PairedRows(rows, [size[k] for size in sizes], first=first, begin=first, numbers=numbers)
        for k, rows in enumerate((predictions, references))
    )
    return pred, ref


def _pair_documents(
    predictions: Any, references: Any, first: int, read: Callable[[Rows, int], Sequence[Any]], align: Align
) -> tuple[PairedRows, PairedRows]:
    """Return the pairs within each document; a document without sentences on both sides is an empty pair."""
    check_as_many(predictions, references)
    sides = [rows.sentences() for rows in (predictions, references)]
    texts = [read(rows, 0) for rows, _ in sides]
    sizes: Sizes = []
    numbers: list[int] = []
    i = j = 0
    for document, (n, m) in enumerate(zip(sides[0][1], sides[1][1], strict=True), first):
        found = align(texts[0][i : i + n], texts[1][j : j + m]) or [(0, 0)]
        i, j = i + n, j + m
        sizes += found
        numbers += [document] * len(found)
    pred, ref = (
        PairedRows(rows, [size[k] for size in sizes], first=first, begin=0, numbers=numbers, documents=counts)
        for k, (rows, counts) in enumerate(sides)
    )
    return pred, ref


def read_sentences(rows: Rows, first: int, take: Callable[[PlainTree, int, Problems], Any]) -> list[Any]:
    """Return the results of a function of each sentence, its number and the problems of reading."""
    scanner, trees = Scanner(), FlatTrees()
    found: list[Any] = []
    end = first + len(rows)
    for lo in range(first, end, READ):
        hi = min(lo + READ, end)
        problems = rows.load(lo, hi, "word", scanner, trees)
        found += [take(plain_tree(trees, row - lo, scanner.labels), row, problems) for row in range(lo, hi)]
    return found


# ---- one side of a pair ---


class Side(NamedTuple):
    """The trees of one side of a pair.

    Attributes:
        words: The words that are kept.
        tags: Their tags.
        brackets: The brackets that count, over the words that are kept, inner ones first.
        length: The number of words that count in the length.
        untagged: The first word without a tag of its own, or -1.
    """

    words: list[str]
    tags: list[str]
    brackets: list[Bracket]
    length: int
    untagged: int
