"""Moves: the changes that turn a predicted tree into the reference, described in words."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from operator import ge
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._core.flat import FlatNodes, FlatTrees
from ...metrics.struct_iou.counter import StructIouCounter
from ...wording import count
from .candidates import INSERT, RELABEL, REMOVE, Step, TooMuchWorkError
from .classes import Namer
from .layout import Layout
from .search import Search
from .styles import FAILED, TIMING, Style

if TYPE_CHECKING:
    from ...metrics.base import Batch, Counts, Options
    from ...metrics.selection import Selection

_SHOWN = 60  # characters of the words that a move is about


class Move(NamedTuple):
    """One event: all that one wrong decision of a parser has changed.

    >>> from structiou_metric.analysis.errors import find_moves
    >>> [move] = find_moves("(S (NP (NN time)) (VP (VBZ flies)))", "(S (NP (NN time)) (VP (NNS flies)))")
    >>> move.kind, move.error, move.text, move.labels
    ('relabel', 'tag', 'flies', ('VBZ', 'NNS'))

    Attributes:
        kind: The kind of change: `move`, `insert`, `remove` or `relabel`; `timing` or `failed` where it
            stays as it is.
        error: The class of the error, a key of `CLASSES`.
        start: The first leaf that the move is about: word, or character if the metric's unit is that.
        end: The leaf after the last one.
        text: The words there.
        labels: The labels of the siblings that hang elsewhere, or of the node; of a node that gets another
            label, the old and the new one.
        source: The label of the node above it; nothing where there is none.
        target: The label of the node that the siblings should hang on; nothing if it is the top, or if this
            is about a node.
        attaches: Whether this is about siblings that hang on another node, not about a node.
        gain: How much the move raises STRUCT-IoU of the pair, in the order of the moves.
        mass: How much the move lessens the loss, the nodes of both sides less twice the matched mass.
        step: The change of the tree, exactly; None where it stays as it is.
    """

    kind: str
    error: str
    start: int
    end: int
    text: str
    labels: tuple[str, ...]
    source: str
    target: str
    attaches: bool
    gain: float
    mass: float
    step: Step | None = None

    def describe(self) -> str:
        """Return the move in words, with its gain.

        >>> Move("relabel", "label", 0, 1, "red", ("NP", "ADJP"), "VP", "", False, 0.125, 2.0).describe()
        'relabel NP “red” as ADJP (+0.125)'
        """
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[: _SHOWN - 1].rstrip()}…"
        label = " ".join(name for name in self.labels if name)
        if self.attaches:
            phrase = f"move {label} “{text}” from {self.source or 'the top'} to {self.target or 'the top'}"
        elif self.kind == RELABEL:
            phrase = f"relabel {self.labels[0]} “{text}” as {self.labels[1]}"
        elif self.kind == INSERT:
            phrase = f"add {label} over “{text}”" + (f" in {self.source}" if self.source else "")
        elif self.kind == REMOVE:
            phrase = f"remove {label} over “{text}”" + (f" in {self.source}" if self.source else "")
        elif self.kind == TIMING:
            phrase = "move the words to their times"
        else:
            phrase = text
        return f"{phrase} ({self.gain:+.3f})"

    def as_dict(self) -> dict[str, Any]:
        """Return the move as values that JSON can hold."""
        return {
            "kind": self.kind,
            "class": self.error,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "labels": list(self.labels),
            "from": self.source,
            "to": self.target,
            "gain": self.gain,
            "mass": self.mass,
            "description": self.describe(),
        }


class Analysis(NamedTuple):
    """The moves of one row.

    >>> from structiou_metric import StructIoU
    >>> from structiou_metric.analysis.errors import explain_corpus
    >>> report = explain_corpus(StructIoU(), ["(S (A a))"], ["(S (B a))"])
    >>> [move.kind for move in report.analyses[0].moves], report.analyses[0].reason
    (['relabel'], '')

    Attributes:
        moves: The moves in the order in which they turn the prediction into the reference; none if both are
            the same.
        reason: Why the row was not searched; an empty text if it was.
    """

    moves: tuple[Move, ...] = ()
    reason: str = ""


class MoveCounter(StructIouCounter):
    """Counts as STRUCT-IoU does, and searches the pairs that are not the same for moves.

    Args:
        options: The options of the metric.
        style: The meanings of labels.
        record: A function that is called with the number of each such row and its analysis.
    """

    def __init__(self, options: Options, style: Style, record: Callable[[int, Analysis], None]) -> None:
        super().__init__(options)
        self._style = style
        self._record = record
        self._search = Search(options.terminals == "flexible", options.min_iou)

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Return the counts of STRUCT-IoU, and search for moves unless labels are to be counted."""
        counts = super().count(batch, by_label, left_out)
        if by_label:
            return counts
        matched, n_pred, n_ref = (counts.columns[name] for name in ("matched", "n_pred", "n_ref"))
        trees = batch.predictions, batch.references
        readers = [
            _Reader(side, nodes, batch.labels, self._options.unit, self._selection)
            for side, nodes in zip(trees, self._nodes, strict=True)
        ]
        for t in range(len(batch)):
            row = batch.first + t
            if row in counts.problems:
                self._record(row, Analysis(reason=str(counts.problems[row]).splitlines()[0]))
            elif 2.0 * matched[t] != n_pred[t] + n_ref[t]:
                one, other = (reader.side(t) for reader in readers)
                self._record(row, self._analyse(one, other, matched[t], batch.labels))
        return counts

    def _analyse(self, one: _Side, other: _Side, matched: float, labels: Sequence[str]) -> Analysis:
        """Return the moves from one tree to the other."""
        n_nodes = len(one.tree.labels) + len(other.tree.labels)
        score, loss = 2.0 * matched / n_nodes, n_nodes - 2.0 * matched
        for side, name in ((one, "prediction"), (other, "reference")):
            if not side.tree.labels:
                text = f"the {name} has no constituents"
                return Analysis((Move(FAILED, FAILED, 0, 0, text, (), "", "", False, 1.0 - score, loss),))
        reason = _unlike(one, other)
        search = self._search
        if not reason:
            search.begin(other.tree, labels, self._selection.n_classes, other.low, other.high)
            reason = search.refuses(one.tree)
        if reason:
            return Analysis(reason=reason)
        moves = []
        if one.low != other.low or one.high != other.high:
            now = search.matched(one.tree)
            after, left = 2.0 * now / n_nodes, n_nodes - 2.0 * now
            span, text = (0, other.tree.length), " ".join(other.texts)
            moves.append(Move(TIMING, TIMING, *span, text, (), "", "", False, after - score, loss - left))
            score, loss = after, left
        is_tagged = self._options.terminals != "exclude"
        namer = Namer(self._style, labels, other.tags, is_tagged, other.words, other.text, other.tree)
        try:
            steps = list(search.run(one.tree))
        except TooMuchWorkError:
            return Analysis(reason="the trees are too long and too different to be searched for moves")
        for found in steps:
            named = namer.name(found)
            text = other.text(*named.span)
            gain, mass = found.score - score, loss - found.loss
            moves.append(
                Move(
                    found.step.kind,
                    named.error,
                    *named.span,
                    text,
                    named.labels,
                    named.source,
                    named.target,
                    named.attaches,
                    gain,
                    mass,
                    found.step,
                )
            )
            score, loss = found.score, found.loss
        return Analysis(tuple(moves))


class _Side(NamedTuple):
    """One tree of a pair.

    Attributes:
        tree: The nodes of the tree that count, over leaves.
        low: Where each leaf starts on the axis of the metric.
        high: Where each leaf ends there.
        words: Where each word begins among the leaves, and where the last one ends.
        texts: The text of each word.
        tags: The tag of each leaf.
    """

    tree: Layout
    low: array[float]
    high: array[float]
    words: list[int]
    texts: list[str]
    tags: list[str]

    def text(self, start: int, end: int) -> str:
        """Return the words that some leaves are part of."""
        return " ".join(self.texts[bisect_right(self.words, start) - 1 : bisect_left(self.words, end)])


class _Reader:
    """Makes a `_Side` of a tree of a batch."""

    def __init__(
        self, trees: FlatTrees, nodes: FlatNodes, labels: Sequence[str], unit: str, selection: Selection
    ) -> None:
        self._trees = trees
        self._nodes = nodes
        self._labels = labels
        self._unit = unit
        self._selected = selection.kept_words(trees, labels)
        self._offsets = [0, *accumulate(len(trees.words(t)[0]) for t in range(trees.n_trees))]

    def side(self, t: int) -> _Side:
        """Return the side that tree `t` of the batch makes."""
        offsets, places = self._selected
        begin = self._offsets[t]
        kept = [place - begin for place in places[offsets[t] : offsets[t + 1]]]
        labels, sizes, firsts, lasts = self._trees.nodes(t)
        starts, ends = self._trees.words(t)[:2]
        tag_of = {
            first: self._labels[label]
            for label, size, first, last in zip(labels, sizes, firsts, lasts, strict=True)
            if size == 1 and last - first == 1
        }
        nodes = self._nodes.spans(t)
        if self._unit == "time":
            low, high = (array("d", [column[word] for word in kept]) for column in (starts, ends))
            spans = [
                (bisect_left(kept, firsts[node]), bisect_left(kept, lasts[node])) for node, _, _ in nodes
            ]
            widths = [1] * len(kept)
        else:
            spans = [(int(first), int(last)) for _, first, last in nodes]
            widths = [int(ends[word] - starts[word]) for word in kept]
            low = array("d", range(sum(widths)))
            high = array("d", range(1, sum(widths) + 1))
        # Outer nodes first and left to right; of two with the same span, the later in postorder is the outer.
        order = sorted(range(len(spans)), key=lambda k: (spans[k][0], -spans[k][1], -k))
        classes = self._nodes.classes(t)
        tree = Layout(
            [spans[k][0] for k in order],
            [spans[k][1] for k in order],
            [labels[nodes[k][0]] for k in order],
            [classes[k] for k in order],
            len(low),
        )
        tags = [tag_of.get(word, "") for word, width in zip(kept, widths, strict=True) for _ in range(width)]
        texts = [self._trees.word(t, word) for word in kept]
        return _Side(tree, low, high, [0, *accumulate(widths)], texts, tags)


def _unlike(one: _Side, other: _Side) -> str:
    """Return why moves of one tree mean nothing for the other; an empty text if they do."""
    if len(one.low) != len(other.low):
        return (
            f"the prediction has {count(len(one.low), 'word')} and the reference {len(other.low)}, "
            "so that they do not pair up"
        )
    if one.low != other.low or one.high != other.high:  # else both are over the same axis
        for mine, theirs in zip(one.texts, other.texts, strict=True):
            if mine and theirs and mine.casefold() != theirs.casefold():
                return f"the prediction has the word {mine!r} where the reference has {theirs!r}"
    if any(map(ge, one.low, one.high)) or any(map(ge, other.low, other.high)):
        return "a word has no length"
    return ""
