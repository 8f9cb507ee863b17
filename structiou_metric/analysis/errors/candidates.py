"""The moves that the search may choose from: all that go towards the reference."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import ceil, inf
from typing import NamedTuple

from .layout import TOP, Layout, Span, common_length

MOVE, INSERT, REMOVE, RELABEL = "move", "insert", "remove", "relabel"

_RUN_WORK = 3  # of the moves of a run, by the square of the number of nodes that may take it

_Change = tuple[int, int, int]  # a node, and where it will begin and end


class Step(NamedTuple):
    """One move, exactly; nodes are named by `(start, end, level)`, with level 0 the outermost of a span.

    Attributes:
        kind: The kind of move, `MOVE`, `INSERT`, `REMOVE` or `RELABEL`.
        start: Where the run of siblings that moves, or the node, begins.
        end: Where it ends.
        level: The level of the node among those with its span: that it has, or will have if it is inserted.
        label: The new label of a node that is relabelled or inserted; else None.
        target: The node that takes the run; None if it becomes another root.
        wrap: The label of a new node over `target` and the run, if there is one; else None.
        drops_parent: Whether the node that held the run is removed, as it is left with one child.
    """

    kind: str
    start: int
    end: int
    level: int = 0
    label: str | None = None
    target: tuple[int, int, int] | None = None
    wrap: str | None = None
    drops_parent: bool = False


class Candidate(NamedTuple):
    """A move to be tried.

    Attributes:
        step: The move.
        changed: The node, the new beginning and the new end of each node that changes its span.
        removed: The node that is removed, or -1.
        wrapped: The node that a new node is put over, or -1.
        label: The id of the new label, if there is one, or -1.
        name: The class of that label.
        cost: The distance between the trees before and after it.
        growth: How many nodes more there are after it.
    """

    step: Step
    changed: list[_Change]
    removed: int
    wrapped: int
    label: int
    name: int
    cost: float
    growth: int

    @property
    def touched(self) -> int:
        """Return how many nodes it changes, adds or removes."""
        spans = len(self.changed) - any(node == self.removed for node, _, _ in self.changed)
        return spans + (self.removed >= 0) + (self.wrapped >= 0) + (self.step.kind in (INSERT, RELABEL))


class Candidates:
    """Makes the moves of trees towards one reference.

    Args:
        reference: The tree to be reached.
        names: The text of each label id.
        flexible: Whether nodes without child nodes align with any node.
        effort: The `Effort` that counts the work.
    """

    def __init__(self, reference: Layout, names: Sequence[str], flexible: bool, effort: Effort) -> None:
        self._effort = effort
        self._reference = reference
        self._names = names
        self._flexible = flexible
        self._chains = {span: reference.chain(span) for span in reference.by_span}

    def differing(self, tree: Layout) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Return the classes of the nodes with each span where a tree and the reference are not the same."""
        for span in {**tree.by_span, **self._chains}:
            own, wanted = tree.chain(span), self._chains.get(span, ())
            if own != wanted:
                yield own, wanted

    def of(self, tree: Layout) -> Iterator[Candidate]:
        """Return every move towards the reference."""
        runs: set[Span] = set()
        lacking: dict[Span, tuple[int, ...]] = {}
        chains = self._chains
        for span in tree.by_span:
            own, wanted = tree.chain(span), chains.get(span, ())
            if own != wanted:
                yield from self._removals(tree, span, own, wanted)
        for span, wanted in chains.items():
            own = tree.chain(span)
            if own != wanted:
                common = common_length(own, wanted)
                if common < len(wanted):
                    lacking[span] = wanted
                    yield from self._insertions(tree, span, own, wanted, common)
                    yield from self._relabellings(tree, span, own, wanted, common)
                    _add_runs(tree, span, wanted, runs)
        for start, end in sorted(runs):
            if tree.is_run(start, end):
                yield from self._moves(tree, start, end, lacking)

    def _removals(
        self, tree: Layout, span: Span, own: tuple[int, ...], wanted: tuple[int, ...]
    ) -> Iterator[Candidate]:
        common = common_length(own, wanted)
        if common == len(own):
            return
        for level, node in enumerate(tree.by_span[span]):
            if level and own[level] == own[level - 1]:
                continue  # the same tree again
            if not common or common_length(own[:level] + own[level + 1 :], wanted) == common:
                yield Candidate(Step(REMOVE, *span, level), [], node, -1, -1, -1, self._cost(1.0), -1)

    def _insertions(
        self, tree: Layout, span: Span, own: tuple[int, ...], wanted: tuple[int, ...], common: int
    ) -> Iterator[Candidate]:
        if not own and not tree.fits(*span):
            return
        for level in range(len(own) + 1):
            for name in dict.fromkeys(wanted):
                if level and own[level - 1] == name:
                    continue  # the same tree again
                if not common or common_length((*own[:level], name, *own[level:]), wanted) > common:
                    label = self._label(span, name)
                    step = Step(INSERT, *span, level, self._names[label])
                    yield Candidate(step, [], -1, -1, label, name, self._cost(1.0), 1)

    def _relabellings(
        self, tree: Layout, span: Span, own: tuple[int, ...], wanted: tuple[int, ...], common: int
    ) -> Iterator[Candidate]:
        for level in range(len(own)):
            for name in dict.fromkeys(wanted):
                after = (*own[:level], name, *own[level + 1 :])
                if name != own[level] and common_length(after, wanted) > common:
                    label = self._label(span, name)
                    step = Step(RELABEL, *span, level, self._names[label])
                    yield Candidate(step, [], -1, -1, label, name, self._cost(2.0), 0)

    def _label(self, span: Span, name: int) -> int:
        """Return the label that the reference has for a class of labels there."""
        tree = self._reference
        return next(tree.labels[node] for node in tree.by_span[span] if tree.classes[node] == name)

    def _cost(self, distance: float) -> float:
        # With flexible terminals, a node that loses or gets its only child node aligns otherwise, too.
        return inf if self._flexible else distance

    def _moves(
        self, tree: Layout, start: int, end: int, lacking: dict[Span, tuple[int, ...]]
    ) -> Iterator[Candidate]:
        """Return the moves of one run of siblings to every other node that may take it."""
        firsts, lasts, classes = tree.firsts, tree.lasts, tree.classes
        parent = tree.holder(start, end)
        droppable = parent != TOP and _leaves_one(tree, parent, start, end)
        # The nodes next to the run, and those that have it at their edge; inner nodes first.
        lefts = tree.by_last.get(start, [])[::-1]
        rights = tree.by_first.get(end, [])[::-1]
        left_holders = [node for node in reversed(tree.by_last.get(end, [])) if firsts[node] < start]
        right_holders = [node for node in reversed(tree.by_first.get(start, [])) if lasts[node] > end]
        holders = left_holders or right_holders
        size = len(lefts) + len(rights) + len(holders) + 1
        self._effort.spend(_RUN_WORK * size * size)  # every way changes up to that many nodes
        above = tree.parents[holders[-1]] if holders else parent
        left_joins = [(node, firsts[node], end) for node in lefts]
        left_leaves = [(node, firsts[node], start) for node in left_holders]
        right_joins = [(node, start, lasts[node]) for node in rights]
        right_leaves = [(node, end, lasts[node]) for node in right_holders]
        left_ways = _ways(left_joins, left_leaves, right_leaves)
        right_ways = _ways(right_joins, right_leaves, left_leaves)
        left_nodes, right_nodes = [*lefts, *left_holders], [*rights, *right_holders]
        # The last way, to the node above both sides, is the same for both.
        targets = zip([*left_nodes, above, *right_nodes], [*left_ways, *right_ways[:-1]], strict=True)
        for target, changed in targets:
            if any(classes[node] in lacking.get((first, last), ()) for node, first, last in changed):
                yield from self._variants(tree, (start, end), target, changed, parent, droppable, None)
        for nodes, ways in ((left_nodes, left_ways), (right_nodes, right_ways)):
            for node, changed in zip(nodes, ways[1:], strict=True):
                span = min(firsts[node], start), max(lasts[node], end)
                if changed and classes[node] in self._chains.get(span, ()):
                    drops = droppable and node != parent
                    yield from self._variants(tree, (start, end), node, changed, parent, drops, span)

    def _variants(
        self,
        tree: Layout,
        run: Span,
        target: int,
        changed: list[_Change],
        parent: int,
        droppable: bool,
        wrap: Span | None,
    ) -> Iterator[Candidate]:
        """Return a move of a run, its old parent left or dropped, if it makes a node of the reference."""
        wrapped = -1 if wrap is None else target
        name = -1 if wrap is None else tree.classes[target]
        label = -1 if wrap is None else self._label(wrap, name)
        text = None if wrap is None else self._names[label]
        address = None if target == TOP else (tree.firsts[target], tree.lasts[target], tree.level(target))
        for drops in (False, True) if droppable else (False,):
            removed = parent if drops else -1
            if self._gained(tree, changed, removed, wrapped, wrap) > 0:
                # A node that holds other leaves after the move counts as a different node.
                others = sum(node != removed for node, _, _ in changed)
                cost = self._cost(2.0 * others + drops + (wrapped >= 0))
                step = Step(MOVE, *run, 0, None, address, text, drops)
                growth = (wrapped >= 0) - drops
                yield Candidate(step, changed, removed, wrapped, label, name, cost, growth)

    def _gained(
        self, tree: Layout, changed: list[_Change], removed: int, wrapped: int, wrap: Span | None
    ) -> int:
        """Return how many nodes more the tree has in common with the reference after a move."""
        classes, by_span = tree.classes, tree.by_span
        moved = {node: (first, last) for node, first, last in changed}
        spans = {(tree.firsts[node], tree.lasts[node]) for node in moved}
        spans.update(moved.values())
        if removed >= 0:
            spans.add((tree.firsts[removed], tree.lasts[removed]))
        if wrap is not None:
            spans.add(wrap)
        gained = 0
        for span in spans:
            wanted = self._chains.get(span)
            if wanted is None:
                continue
            nodes: list[float] = [node for node in by_span.get(span, ()) if node not in moved]
            nodes += [node for node, new in moved.items() if new == span]
            if removed in nodes:
                nodes.remove(removed)
            if span == wrap:
                nodes.append(wrapped - 0.5)  # just outside of the node that it is put over
            nodes.sort()
            after = tuple([classes[ceil(node)] for node in nodes])
            gained += common_length(after, wanted) - common_length(tree.chain(span), wanted)
        return gained


def _ways(joins: list[_Change], leaves: list[_Change], others: list[_Change]) -> list[list[_Change]]:
    """Return the changes if a run moves to each node of a side, inner ones first, and to the nodes above.

    Args:
        joins: The nodes next to the run, as they will be if they take it.
        leaves: The nodes of that side that hold it, as they will be if they do not.
        others: The nodes of the other side that hold it, which will not.
    """
    inside = [[*joins[k:], *others] for k in range(len(joins))]
    return [*inside, *([*leaves[:k], *others] for k in range(len(leaves) + 1))]


def _add_runs(tree: Layout, span: Span, wanted: tuple[int, ...], runs: set[Span]) -> None:
    """Add the runs that would have to join or leave a node with the right label to give it the span."""
    start, end = span
    for node in tree.by_first.get(start, ()):
        last = tree.lasts[node]
        if last != end and tree.classes[node] in wanted:
            runs.add((last, end) if last < end else (end, last))
    for node in tree.by_last.get(end, ()):
        first = tree.firsts[node]
        if first != start and tree.classes[node] in wanted:
            runs.add((first, start) if first < start else (start, first))


def _leaves_one(tree: Layout, parent: int, start: int, end: int) -> bool:
    """Return whether a node without a run of its children would have one child."""
    first, last = tree.firsts[parent], tree.lasts[parent]
    if first < start and end < last:
        return False
    return tree.is_one_child(first, start) if first < start else tree.is_one_child(end, last)


def applied(tree: Layout, candidate: Candidate) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return the tree after a move: beginnings, ends, labels and classes of its nodes, in order."""
    columns = firsts, lasts, labels, classes = tree.firsts[:], tree.lasts[:], tree.labels[:], tree.classes[:]
    step = candidate.step
    span = step.start, step.end
    new = candidate.label, candidate.name
    gone = candidate.removed
    if step.kind == RELABEL:
        node = tree.by_span[span][step.level]
        labels[node], classes[node] = new
    elif step.kind == INSERT:
        at = _place(tree, span, step.level)
        for column, value in zip(columns, (*span, *new), strict=True):
            column.insert(at, value)
    for node, first, last in candidate.changed:
        firsts[node], lasts[node] = first, last
    at = candidate.wrapped
    if at >= 0:
        span = min(firsts[at], step.start), max(lasts[at], step.end)
        for column, value in zip(columns, (*span, *new), strict=True):
            column.insert(at, value)
        gone += gone >= at
    if gone >= 0:
        for column in columns:
            del column[gone]
    if step.kind == MOVE:
        # A node that takes the run from the right comes before it now.
        order = sorted(range(len(labels)), key=lambda node: (firsts[node], -lasts[node]))
        firsts, lasts, labels, classes = ([column[node] for node in order] for column in columns)
    return firsts, lasts, labels, classes


def _place(tree: Layout, span: Span, level: int) -> int:
    """Return the place of a new node in the order of nodes."""
    nodes = tree.by_span.get(span)
    if nodes:
        return nodes[0] + level
    firsts, lasts = tree.firsts, tree.lasts
    key = span[0], -span[1]
    return bisect_left(range(len(firsts)), key, key=lambda node: (firsts[node], -lasts[node]))


# ---- a bound on the work of one search, counted rather than timed, so that it is the same on every----


MOST_WORK = 5 * 10**7  # each 20 to 40 nanoseconds on a slow machine, so 2 seconds at most


class TooMuchWorkError(Exception):
    """A search that takes more than `MOST_WORK`."""


class Effort:
    """The work that was done so far."""

    def __init__(self) -> None:
        self._spent = 0.0

    def spend(self, work: float) -> None:
        """Add some work, or ends the search by a `TooMuchWorkError`."""
        self._spent += work
        if self._spent > MOST_WORK:
            raise TooMuchWorkError
