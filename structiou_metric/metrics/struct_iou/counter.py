"""The way from rows of trees to tallies, a batch at a time: read, select, align."""

from __future__ import annotations

from array import array
from collections import namedtuple
from collections.abc import Callable, Iterator

from ..._core.align import Aligner
from ..._core.flat import FlatNodes, FlatTrees, doubles
from ..._core.scan import Scanner
from ..._core.select import DROP_LEAF, DROP_ROOT, Selector
from ...errors import TreeMismatchError
from ...trees.labels import ROOT_LABELS, base_label
from ...trees.tree import Node, SegmentTree
from ...wording import count
from .options import Options
from .result import Alignment, LabelTally, Side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...sources.rows import Problems, Rows

_BATCH = 256  # rows; enough to make a call's overhead small and few enough to stay in the cache
_LONG = 2048  # bytes of a tree; where they are longer, batches are smaller

_CURES = {
    "word": "score characters (unit 'char') or seconds (unit 'time')",
    "char": "give both sides the same text, or score seconds (unit 'time')",
}
_NOUNS = {"word": "word", "char": "character"}


def batches(predictions: Rows, references: Rows, first: int = 0) -> Iterator[tuple[int, int]]:
    """Ranges of rows to be done at once; the work on a long tree grows with the cube of its length."""
    lo = first
    end = first + len(predictions)
    while lo < end:
        hi = min(lo + _BATCH, end)
        longest = max(predictions.longest(lo, hi), references.longest(lo, hi))
        if longest > _LONG:
            hi = min(hi, lo + max(1, int(_BATCH * (_LONG / longest) ** 3)))
        yield lo, hi
        lo = hi


class Batch(namedtuple("Batch", ("matched", "n_pred", "n_ref", "problems", "n_lengthless"))):
    """What a batch of pairs came to."""

    __slots__ = ()

    matched: array[float]
    n_pred: array[int]
    n_ref: array[int]
    problems: Problems
    n_lengthless: int


class Engine:
    """Scores batches under one set of options. Not for use by two threads at once."""

    def __init__(self, options: Options, mode: str = "auto") -> None:
        self._options = options
        self._scanner = Scanner()
        self._selector = Selector()
        self._aligner = Aligner(options.terminals == "flexible", options.min_iou, mode)
        self._trees = FlatTrees(), FlatTrees()
        self._nodes = FlatNodes(), FlatNodes()
        self._actions = bytearray()
        self._classes = array("i")
        self._class_ids: dict[str, int] = {}
        self._name = _NAMES[options.labels]

    def score(self, predictions: Rows, references: Rows, lo: int, hi: int) -> Batch:
        """Tallies rows `lo … hi`."""
        problems = self._load(predictions, references, lo, hi)
        nodes_pred, nodes_ref = self._nodes
        matched = self._aligner.score(nodes_pred, nodes_ref)
        if min(matched, default=0.0) < 0.0:
            for t, value in enumerate(matched):
                if value < 0.0:
                    matched[t] = 0.0
                    problems.setdefault(lo + t, self._mismatch(predictions, references, lo, t))
        return Batch(
            matched,
            nodes_pred.counts(),
            nodes_ref.counts(),
            problems,
            nodes_pred.total_lengthless() + nodes_ref.total_lengthless(),
        )

    def check(self, predictions: Rows, references: Rows, lo: int, hi: int) -> Problems:
        """What keeps rows `lo … hi` from being compared, found without aligning them."""
        problems = self._load(predictions, references, lo, hi)
        for t in range(hi - lo):
            pred, ref = (nodes.extent_of(t) for nodes in self._nodes)
            if pred != ref and pred > 0.0 and ref > 0.0:
                problems.setdefault(lo + t, self._mismatch(predictions, references, lo, t))
        return problems

    def align(self, predictions: Rows, references: Rows) -> Alignment:
        """The alignment of the first row."""
        problems = self._load(predictions, references, 0, 1)
        if problems:
            raise problems[0]
        nodes_pred, nodes_ref = self._nodes
        found = self._aligner.pairs(nodes_pred, nodes_ref, 0)
        if found is None:
            raise self._mismatch(predictions, references, 0, 0)
        prediction = predictions.tree(0, self._options.unit)
        reference = references.tree(0, self._options.unit)
        sides = self._side(prediction, nodes_pred), self._side(reference, nodes_ref)
        return Alignment(prediction, reference, *sides, zip(*found, strict=True))

    def _side(self, tree: SegmentTree, nodes: FlatNodes) -> Side:
        """What of a tree, the only one of its batch, is compared."""
        counted = {
            i: Node(i, tree.labels[i], start, end, tree.firsts[i], tree.lasts[i], tree.sizes[i] == 1)
            for i, start, end in nodes.spans(0)
        }
        dropped = [
            word
            for i, label in enumerate(tree.labels)
            if tree.sizes[i] == 1 and self._action(label) & DROP_LEAF
            for word in range(tree.firsts[i], tree.lasts[i])
        ]
        return Side(counted, frozenset(dropped))

    def count_labels(
        self, predictions: Rows, references: Rows, lo: int, hi: int, skip: bytes
    ) -> dict[str, LabelTally]:
        """Masses and counts by label of rows `lo … hi`; rows with a 1 in `skip` are left out."""
        self._load(predictions, references, lo, hi)
        sides = []
        masses = [doubles(sum(nodes.counts())) for nodes in self._nodes]
        self._aligner.add_masses(*self._nodes, *masses)
        for trees, nodes, mass in zip(self._trees, self._nodes, masses, strict=True):
            sides.append(nodes.sums_by_label(trees, mass, skip, len(self._scanner.labels)))
        (mass_pred, n_pred), (mass_ref, n_ref) = sides
        counts: dict[str, LabelTally] = {}
        for i, label in enumerate(self._scanner.labels):
            if n_pred[i] or n_ref[i]:
                tally = LabelTally(mass_pred[i], mass_ref[i], n_pred[i], n_ref[i])
                add_label(counts, base_label(label) if self._options.labels == "base" else label, tally)
        return counts

    def _load(self, predictions: Rows, references: Rows, lo: int, hi: int) -> Problems:
        """Reads and selects both sides; the reference's errors come first."""
        unit = self._options.unit
        problems: Problems = {}
        for rows, trees in zip((predictions, references), self._trees, strict=True):
            problems = {**problems, **rows.load(lo, hi, unit, self._scanner, trees)}
        self._learn_labels()
        for trees, nodes in zip(self._trees, self._nodes, strict=True):
            self._selector.select(
                trees,
                self._actions,
                self._classes,
                self._options.terminals == "exclude",
                unit != "time",
                nodes,
            )
            nodes.n_classes = len(self._classes)
        return problems

    def _learn_labels(self) -> None:
        """Decides for labels that were not seen before what they are the same as, and if they go."""
        for label in self._scanner.labels[len(self._classes) :]:
            name = self._name(label)
            self._classes.append(self._class_ids.setdefault(name, len(self._class_ids)))
            self._actions.append(self._action(label))
        if not self._classes:  # the first batch has no label at all; buffers must not be empty
            self._scanner.intern("")
            self._learn_labels()

    def _action(self, label: str) -> int:
        if label not in self._options.drop:
            return 0
        action: int = DROP_ROOT if label in ROOT_LABELS else DROP_ROOT | DROP_LEAF
        return action

    def _mismatch(self, predictions: Rows, references: Rows, lo: int, t: int) -> TreeMismatchError:
        unit = self._options.unit
        pred, ref = (int(nodes.extent_of(t)) for nodes in self._nodes)
        return TreeMismatchError(
            f"{predictions.name(lo + t)} has {count(pred, _NOUNS[unit])} and "
            f"{references.name(lo + t)} has {count(ref, _NOUNS[unit])}; {_CURES[unit]}"
        )


def add_label(counts: dict[str, LabelTally], label: str, tally: LabelTally) -> None:
    """Adds a tally to those of its label."""
    old = counts.get(label)
    if old is not None:
        tally = LabelTally(
            old.matched_pred + tally.matched_pred,
            old.matched_ref + tally.matched_ref,
            old.n_pred + tally.n_pred,
            old.n_ref + tally.n_ref,
        )
    counts[label] = tally


_NAMES: dict[str, Callable[[str], str]] = {
    "exact": str,
    "base": base_label,
    "ignore": lambda label: "",
}
