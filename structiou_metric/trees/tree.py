"""`SegmentTree`: a constituency tree whose words have places on an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.shapes import check_times, read_columns, read_dict, read_objects, read_spans
from ..errors import TreeFormatError
from ..wording import count
from .brackets import read_text
from .parts import Parts
from .writers import to_brackets, to_columns, to_dict, to_nltk, to_spans


class Node(NamedTuple):
    """A constituent of a tree.

    >>> tree = SegmentTree.from_brackets("(NP (DT the) (NN dog))")
    >>> node = tree.nodes[-1]
    >>> node.label, node.start, node.end, node.preterminal
    ('NP', 0.0, 2.0, False)

    Attributes:
        number: The place of the node in the tree, in postorder.
        label: The label of the node.
        start: Where the node starts on the axis of the tree's unit.
        end: Where the node ends.
        first: The first word of the node.
        last: The word after its last one.
        preterminal: Whether the node has no child nodes.
    """

    number: int
    label: str
    start: float
    end: float
    first: int
    last: int
    preterminal: bool


class SegmentTree(Parts):
    """The paper's relaxed segment tree, as flat arrays in postorder.

    Words are half-open segments that do not overlap; a node spans from its first word's start to its
    last word's end, so children are disjoint and lie in their parent. The subtree of node `i` is
    `i - sizes[i] + 1 … i`; the last node is the root.

    >>> tree = SegmentTree.from_brackets("(S (NP (DT the) (NN dog)) (VP (VBD barked)))")
    >>> len(tree), tree.words, tree.depth
    (6, ('the', 'dog', 'barked'), 3)
    >>> tree.spans()[:2]
    [('S', 0.0, 3.0), ('NP', 0.0, 2.0)]

    Attributes:
        labels: The label of each node.
        sizes: The number of nodes in each node's subtree, itself included.
        firsts: The first word of each node.
        lasts: The word after the last one of each node.
        words: The texts of the words; empty strings where only times are known.
        times: The start and the end of each word in seconds, or None.
        unit: The unit of spans: `word`, `char` or `time`.
    """

    __slots__ = ()

    # ---- builders ------------------------------------------------------------------------------

    @classmethod
    def from_brackets(cls, text: str, unit: str | None = None, *, source: str = "") -> SegmentTree:
        """Read one tree such as `(NP (DT the) (NN dog))` or `(NP (DT the<0.1,0.2>) …)`.

        Args:
            text: The brackets of one tree; blank text and `()` are the empty tree.
            unit: The unit of spans; by default seconds if every word has times, else words.
            source: The name of the text in errors.
        """
        if not isinstance(text, str):
            raise TypeError(f"bracket text must be a str, not {type(text).__name__}")
        return cls.from_parts(read_text(text, unit, source))

    @classmethod
    def from_nltk(cls, tree: Any, unit: str = "word") -> SegmentTree:
        """Build from an `nltk.Tree`, or anything with `label()` that iterates over its children.

        A leaf that is a pair of a word and its tag becomes the word under a preterminal. Trees as Stanza
        has them, with `label` and `children`, are taken, too.
        """
        return cls(*read_objects(tree, unit))

    @classmethod
    def from_dict(cls, nested: Mapping[str, Any], unit: str | None = None) -> SegmentTree:
        """Build from `{"label": …, "children": [...]}` whose leaves have `word`, or `start` and `end`."""
        return cls(*read_dict(nested, unit))

    @classmethod
    def from_spans(
        cls, spans: Iterable[Any], unit: str | None = None, *, words: Sequence[str] | None = None
    ) -> SegmentTree:
        """Build from labelled spans, each `{"label", "start", "end"}` or a triple, in any order.

        Spans that contain one another nest; of equal ones, the first is the outer. With whole
        numbers (or `words`) they count words, else seconds. Words may also be named in the spans: by
        a `word` beside the label of a node that holds nothing else, or by a span with the label None.
        """
        return cls(*read_spans(spans, unit, words))

    @classmethod
    def from_columns(
        cls,
        labels: Sequence[str | None],
        starts: Sequence[float],
        ends: Sequence[float],
        parents: Sequence[int],
        unit: str | None = None,
        *,
        words: Sequence[str | None] | None = None,
    ) -> SegmentTree:
        """Build from one row of flat columns, in any order.

        Args:
            labels: The label of each node; None for a word beside nodes, or one of several in a node.
            starts: Where each node starts: words before it, or seconds.
            ends: Where each node ends.
            parents: The place of each node's parent in the columns; -1 for the root.
            unit: The unit of spans; by default words if all numbers are whole, else seconds.
            words: The word of each node that holds nothing else, and of each word; None elsewhere.
        """
        return cls(*read_columns(labels, starts, ends, parents, unit, words))

    @classmethod
    def from_parts(cls, parts: Parts) -> SegmentTree:
        """Return the tree of arrays that a reader has checked, such as that of brackets."""
        return cls(*parts.values())

    def with_times(self, word_times: Iterable[Sequence[float]]) -> SegmentTree:
        """Return the same tree over seconds, given `[start, end]` for each word."""
        times = check_times(word_times)
        if len(times) != len(self.words):
            raise TreeFormatError(
                f"{count(len(times), 'word time')} for {count(len(self.words), 'word')}; "
                "give one pair per word"
            )
        return SegmentTree(self.labels, self.sizes, self.firsts, self.lasts, self.words, times, "time")

    def with_unit(self, unit: str) -> SegmentTree:
        """Return the same tree with spans in words, characters or seconds."""
        if unit == self.unit:
            return self
        return SegmentTree(self.labels, self.sizes, self.firsts, self.lasts, self.words, self.times, unit)

    # ---- content -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.labels)

    def __bool__(self) -> bool:
        """Return whether the tree has a word; one without any is a failed parse."""
        return bool(self.words)

    def __eq__(self, other: object) -> bool:
        return self.values() == other.values() if isinstance(other, SegmentTree) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.labels, self.words, self.unit))

    def __repr__(self) -> str:
        try:
            text = self.to_brackets() if len(self) <= 40 else ""
        except TreeFormatError:  # words without text, or with white space
            text = ""
        text = text or f"{count(len(self), 'node')}, {count(len(self.words), 'word')}"
        return f"<SegmentTree {text} unit={self.unit}>"

    def __str__(self) -> str:
        return self.to_brackets()

    def _repr_html_(self) -> str:
        """Return a picture of the tree for a notebook."""
        from ..drawing.svg_tree import draw_tree_html

        return draw_tree_html(self)

    @property
    def nodes(self) -> list[Node]:
        """Return all nodes in postorder; a node without words has the start of the next word."""
        starts, ends = self.word_positions()
        last_end = ends[-1] if ends else 0.0
        nodes = []
        for i, (first, last) in enumerate(zip(self.firsts, self.lasts, strict=True)):
            start = starts[first] if first < len(starts) else last_end
            end = ends[last - 1] if first < last else start
            nodes.append(Node(i, self.labels[i], start, end, first, last, self.sizes[i] == 1))
        return nodes

    def spans(self) -> list[tuple[str, float, float]]:
        """Return the triple `(label, start, end)` of each node, outer nodes first and left to right."""
        nodes = self.nodes
        return [nodes[i][1:4] for i in self.preorder()]

    @property
    def depth(self) -> int:
        """Return the number of nodes on the longest way from the root to a word."""
        return max(self.depths(), default=0)

    # ---- other shapes --------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as a nested dict, which `from_dict` reads.

        >>> SegmentTree.from_brackets("(NP (DT the) (NN dog))").to_dict()["children"][0]
        {'label': 'DT', 'word': 'the'}
        """
        return to_dict(self)

    def to_spans(self, unit: str | None = None) -> list[dict[str, Any]]:
        """Return the tree as labelled spans with their words, outer ones first, which `from_spans` reads.

        >>> SegmentTree.from_brackets("(NP (DT the) (NN dog))").to_spans()[1]
        {'label': 'DT', 'start': 0, 'end': 1, 'word': 'the'}

        Args:
            unit: The unit of spans, `word` or `time`; by default seconds if the tree has times. Over words,
                times are left out.
        """
        return to_spans(self, unit)

    def to_columns(self, unit: str | None = None) -> dict[str, list[Any]]:
        """Return the tree as columns `labels`, `starts`, `ends`, `parents` and `words` for `from_columns`.

        >>> SegmentTree.from_brackets("(NP (DT the) (NN dog))").to_columns()["parents"]
        [-1, 0, 0]

        Args:
            unit: The unit of spans, `word` or `time`; by default seconds if the tree has times. Over words,
                times are left out.
        """
        return to_columns(self, unit)

    def to_nltk(self, *, drop_times: bool = False) -> Any:
        """Return the tree as an `nltk.Tree`, which has no place for times."""
        return to_nltk(self, drop_times)

    def to_brackets(self, *, times: bool | None = None) -> str:
        """Write the tree on one line; with times (the default if it has any) as timed brackets.

        Brackets inside words are written as -LRB- and -RRB-, and read back as that.
        """
        return to_brackets(self, self.times is not None if times is None else times)
