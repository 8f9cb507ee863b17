"""A tree over numbered leaves with the places of its nodes, as the search for moves needs it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

TOP = -1  # above all trees of a row

Span = tuple[int, int]


class Layout:
    """A tree, or several side by side, over leaves: words, or characters.

    Nodes are in order, outer ones first and left to right. Leaves and the boundaries between them are
    numbered from 0; a node over leaves `first … last` (half-open) begins at boundary `first` and ends at
    `last`.

    Attributes:
        firsts: Where each node begins.
        lasts: Where each node ends.
        labels: The id of each node's label.
        classes: The number of the class of each node's label; labels of one class are the same to the metric.
        length: How many leaves there are.
        parents: The parent of each node, or `TOP`.
        around: The lowest node that has each boundary inside, or `TOP`.
        by_first: The nodes that begin at each boundary, outer ones first.
        by_last: The nodes that end at each boundary, outer ones first.
        by_span: The nodes with each span, outer ones first.
    """

    __slots__ = (
        "around",
        "by_first",
        "by_last",
        "by_span",
        "classes",
        "firsts",
        "labels",
        "lasts",
        "length",
        "parents",
    )

    def __init__(
        self, firsts: list[int], lasts: list[int], labels: list[int], classes: list[int], length: int
    ) -> None:
        self.firsts = firsts
        self.lasts = lasts
        self.labels = labels
        self.classes = classes
        self.length = length
        self.parents: list[int] = []
        self.around = [TOP] * (length + 1)
        self.by_first: dict[int, list[int]] = {}
        self.by_last: dict[int, list[int]] = {}
        self.by_span: dict[Span, list[int]] = {}
        self._link()

    def _link(self) -> None:
        around, parents = self.around, self.parents
        path: list[int] = []  # the nodes that are open
        places: list[int] = []  # how far each of them is filled
        for node, (first, last) in enumerate(zip(self.firsts, self.lasts, strict=True)):
            while path and self.lasts[path[-1]] <= first:
                self._close(path.pop(), places.pop())
            if path:
                parent = path[-1]
                begin = self.firsts[parent]
                for boundary in range(places[-1], first + 1):
                    if boundary > begin:
                        around[boundary] = parent
                places[-1] = last
                parents.append(parent)
            else:
                parents.append(TOP)
            path.append(node)
            places.append(first)
            self.by_first.setdefault(first, []).append(node)
            self.by_last.setdefault(last, []).append(node)
            self.by_span.setdefault((first, last), []).append(node)
        while path:
            self._close(path.pop(), places.pop())

    def _close(self, node: int, place: int) -> None:
        begin = self.firsts[node]
        for boundary in range(place, self.lasts[node]):
            if boundary > begin:
                self.around[boundary] = node

    def chain(self, span: Span) -> tuple[int, ...]:
        """Return the classes of the nodes with a span, outer ones first."""
        classes = self.classes
        return tuple([classes[node] for node in self.by_span.get(span, ())])

    def is_run(self, start: int, end: int) -> bool:
        """Return whether these leaves are some, but not all, of the leaves of one node, or of all leaves."""
        if start > 0:
            holder = self.around[start]
            if holder != TOP and self.lasts[holder] < end:
                return False
        if end < self.length:
            holder = self.around[end]
            if holder != TOP and self.firsts[holder] > start:
                return False
        return start > 0 or end < self.length

    def holder(self, start: int, end: int) -> int:
        """Return the lowest node that holds a run and more: of two around the same leaf, the later one."""
        return max(self.around[start] if start > 0 else TOP, self.around[end] if end < self.length else TOP)

    def fits(self, start: int, end: int) -> bool:
        """Return whether a node with this span would cross none."""
        return (start == 0 and end == self.length) or self.is_run(start, end)

    def is_one_child(self, start: int, end: int) -> bool:
        """Return whether a run is a single leaf or a single child node."""
        return end - start == 1 or (start, end) in self.by_span

    def has_child_nodes(self, node: int) -> bool:
        """Return whether there are nodes below a node."""
        return node + 1 < len(self.parents) and self.parents[node + 1] == node

    def items(self, parent: int, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Return the children of a node within a run: node (or -1 for a leaf), start and end of each."""
        while start < end:
            node, last = -1, start + 1
            nodes = self.by_first.get(start, ())
            place = bisect_right(nodes, parent)  # children come right after their parent
            if place < len(nodes) and self.parents[nodes[place]] == parent:
                node = nodes[place]
                last = self.lasts[node]
            yield node, start, last
            start = last

    def level(self, node: int) -> int:
        """Return the place of a node among those with its span; 0 is the outermost."""
        return self.by_span[self.firsts[node], self.lasts[node]].index(node)


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the length of the longest common subsequence.

    >>> common_length((1, 2, 3), (2, 1, 3))
    2
    """
    if one == other:
        return len(one)
    if len(one) == 1:
        return int(one[0] in other)
    if len(other) == 1:
        return int(other[0] in one)
    row = [0] * (len(other) + 1)
    for a in one:
        corner = 0
        for k, b in enumerate(other, 1):
            corner, row[k] = row[k], corner + 1 if a == b else max(row[k], row[k - 1])
    return row[-1]
