"""Results: what a pair, a label and a corpus score."""

from __future__ import annotations

from array import array
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum

from ...trees.tree import Node, SegmentTree
from .options import Options

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any


def _ratio(matched: float, nodes: float, other_nodes: float) -> float:
    """`matched / nodes`; without nodes 1 if the other side has none either, else 0."""
    if nodes:
        return matched / nodes
    return 0.0 if other_nodes else 1.0


class Tally(namedtuple("Tally", ("matched", "n_pred", "n_ref", "failed"), defaults=(False,))):
    """The facts of one pair, which add up to those of a corpus.

    Attributes:
        matched: Sum of the IoUs of the aligned nodes.
        n_pred: Nodes of the prediction.
        n_ref: Nodes of the reference.
        failed: Whether the pair could not be compared and counts as 0.
    """

    __slots__ = ()

    matched: float
    n_pred: int
    n_ref: int
    failed: bool

    @property
    def score(self) -> float:
        """STRUCT-IoU; two empty trees agree."""
        nodes = self.n_pred + self.n_ref
        if nodes:
            return 2.0 * self.matched / nodes
        return 0.0 if self.failed else 1.0

    @property
    def precision(self) -> float:
        """Matched share of the prediction's nodes."""
        return 0.0 if self.failed else _ratio(self.matched, self.n_pred, self.n_ref)

    @property
    def recall(self) -> float:
        """Matched share of the reference's nodes."""
        return 0.0 if self.failed else _ratio(self.matched, self.n_ref, self.n_pred)


class LabelTally(namedtuple("LabelTally", ("matched_pred", "matched_ref", "n_pred", "n_ref"))):
    """The facts of one label.

    The two masses differ only where nodes with different labels may align.
    """

    __slots__ = ()

    matched_pred: float
    matched_ref: float
    n_pred: int
    n_ref: int

    @property
    def precision(self) -> float:
        """Matched share of the predicted nodes with this label."""
        return _ratio(self.matched_pred, self.n_pred, self.n_ref)

    @property
    def recall(self) -> float:
        """Matched share of the reference's nodes with this label."""
        return _ratio(self.matched_ref, self.n_ref, self.n_pred)

    @property
    def score(self) -> float:
        """Both masses over all nodes with this label."""
        return (self.matched_pred + self.matched_ref) / (self.n_pred + self.n_ref)


class Side(namedtuple("Side", ("nodes", "dropped_words"))):
    """What of a tree was compared.

    Attributes:
        nodes: The nodes that count, by their number in the tree.
        dropped_words: Numbers of the words that were dropped with their leaves.
    """

    __slots__ = ()

    nodes: dict[int, Node]
    dropped_words: frozenset[int]


class Alignment:
    """A best alignment of two trees.

    Attributes:
        prediction: The predicted tree, in the unit of the metric.
        reference: The reference tree, likewise.
        pairs: `(prediction node, reference node, IoU)`, in postorder of the reference. Their spans are
            those that were compared: words and characters are counted without dropped words.
        prediction_side: Which nodes and words of the prediction count.
        reference_side: Likewise of the reference.
        tally: The sums.
    """

    __slots__ = ("pairs", "prediction", "prediction_side", "reference", "reference_side", "tally")

    def __init__(
        self,
        prediction: SegmentTree,
        reference: SegmentTree,
        prediction_side: Side,
        reference_side: Side,
        pairs: Iterable[tuple[int, int, float]],
    ) -> None:
        self.prediction = prediction
        self.reference = reference
        self.prediction_side = prediction_side
        self.reference_side = reference_side
        left, right = prediction_side.nodes, reference_side.nodes
        self.pairs = [(left[i], right[j], iou) for i, j, iou in sorted(pairs, key=lambda pair: pair[1])]
        matched = fsum(iou for _, _, iou in self.pairs)
        self.tally = Tally(matched, len(left), len(right))

    @property
    def score(self) -> float:
        """STRUCT-IoU of the two trees."""
        return self.tally.score

    @property
    def precision(self) -> float:
        """Matched share of the prediction's nodes."""
        return self.tally.precision

    @property
    def recall(self) -> float:
        """Matched share of the reference's nodes."""
        return self.tally.recall

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: the scores, and the pairs with label and span of both nodes."""
        return {
            "struct_iou": self.score,
            "precision": self.precision,
            "recall": self.recall,
            "pairs": [
                {
                    "prediction": {"node": p.number, "label": p.label, "start": p.start, "end": p.end},
                    "reference": {"node": r.number, "label": r.label, "start": r.start, "end": r.end},
                    "iou": iou,
                }
                for p, r, iou in self.pairs
            ],
        }

    def __repr__(self) -> str:
        return f"<Alignment {len(self.pairs)} pairs, score {self.score:.4f}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the scores and a picture of the trees."""
        from ...drawing.svg import draw_html

        return draw_html(self)


class Tallies(Sequence[Tally]):
    """The tallies of many pairs, held as columns; skipped pairs are not among them.

    Attributes:
        matched: Sum of IoUs by pair.
        n_pred: Prediction nodes by pair.
        n_ref: Reference nodes by pair.
        failed: 1 where a pair counts as 0.
        rows: The number that each pair had in the input, or None if none was skipped.
    """

    __slots__ = ("failed", "matched", "n_pred", "n_ref", "rows")

    def __init__(self) -> None:
        self.matched = array("d")
        self.n_pred = array("i")
        self.n_ref = array("i")
        self.failed = bytearray()
        self.rows: array[int] | None = None

    def __len__(self) -> int:
        return len(self.matched)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        return Tally(self.matched[i], self.n_pred[i], self.n_ref[i], bool(self.failed[i]))

    def scores(self) -> list[float]:
        """STRUCT-IoU of each pair."""
        if any(self.failed):
            return [tally.score for tally in self]
        return [
            2.0 * matched / (n_pred + n_ref) if n_pred + n_ref else 1.0
            for matched, n_pred, n_ref in zip(self.matched, self.n_pred, self.n_ref, strict=True)
        ]

    def total(self) -> Tally:
        """All pairs as one."""
        return Tally(fsum(self.matched), sum(self.n_pred), sum(self.n_ref))

    def count_empty(self) -> int:
        """Pairs whose prediction has no nodes although the reference has, failed ones aside."""
        if 0 not in self.n_pred:
            return 0
        columns = zip(self.n_pred, self.n_ref, self.failed, strict=True)
        return sum(not n_pred and n_ref > 0 and not failed for n_pred, n_ref, failed in columns)

    def row(self, i: int) -> int:
        """The number that pair `i` had in the input."""
        return i if self.rows is None else self.rows[i]


class CorpusScore:
    """What `StructIoU.corpus_score` found.

    Attributes:
        sentences: A `Tally` for each scored pair.
        sentence: Mean of the pairs' scores.
        corpus: All matched IoU over all nodes.
        precision: All matched IoU over all predicted nodes.
        recall: All matched IoU over all reference nodes.
        score: `sentence` or `corpus`, as the option `average` says.
        problems: Row and message of every pair that was zeroed or skipped.
        n_zeroed: Pairs that could not be compared and count as 0.
        n_skipped: Pairs that could not be compared and were left out.
        n_empty: Pairs whose prediction is empty although the reference is not: failed parses.
        n_lengthless: Nodes left out because they have no words, characters or seconds.
        signature: Every option and the version.
    """

    def __init__(
        self,
        options: Options,
        sentences: Tallies,
        problems: list[tuple[int, str]],
        n_lengthless: int,
        count_labels: Callable[[], dict[str, LabelTally]],
    ) -> None:
        self.options = options
        self.sentences = sentences
        self.problems = problems
        self.n_zeroed = len(problems) if options.on_error == "zero" else 0
        self.n_skipped = len(problems) if options.on_error == "skip" else 0
        self.n_empty = sentences.count_empty()
        self.n_lengthless = n_lengthless
        total = sentences.total()
        self.sentence = fsum(sentences.scores()) / len(sentences)
        self.corpus = total.score
        self.precision = total.precision
        self.recall = total.recall
        self.signature = options.signature()
        self._count_labels = count_labels
        self._by_label: dict[str, LabelTally] | None = None

    @property
    def score(self) -> float:
        """The headline figure."""
        return self.sentence if self.options.average == "sentence" else self.corpus

    @property
    def by_label(self) -> dict[str, LabelTally]:
        """A tally for each label, the most frequent in the reference first.

        Aligns the trees again on first use, because a score alone does not need to know the pairs.
        Where several alignments are best, the shares of single labels are those of the one found.
        """
        if self._by_label is None:
            counts = self._count_labels()
            self._by_label = dict(
                sorted(counts.items(), key=lambda item: (-item[1].n_ref, -item[1].n_pred, item[0]))
            )
        return self._by_label

    def as_dict(self, *, by_label: bool = False, per_sentence: bool = False) -> dict[str, Any]:
        """Plain numbers for JSON and logs."""
        result: dict[str, Any] = {
            "struct_iou": self.score,
            "struct_iou_sentence": self.sentence,
            "struct_iou_corpus": self.corpus,
            "precision": self.precision,
            "recall": self.recall,
            "n_sentences": len(self.sentences),
            "n_zeroed": self.n_zeroed,
            "n_skipped": self.n_skipped,
            "n_empty": self.n_empty,
            "n_lengthless": self.n_lengthless,
            "signature": self.signature,
        }
        if self.problems:
            result["problems"] = [{"index": row, "message": message} for row, message in self.problems]
        if by_label:
            result["by_label"] = {
                label: {
                    "struct_iou": tally.score,
                    "precision": tally.precision,
                    "recall": tally.recall,
                    "n_pred": tally.n_pred,
                    "n_ref": tally.n_ref,
                }
                for label, tally in self.by_label.items()
            }
        if per_sentence:
            result["sentences"] = list(self.rows())
        return result

    def rows(self) -> Iterator[dict[str, Any]]:
        """One dict for each scored pair."""
        for i, tally in enumerate(self.sentences):
            yield {
                "index": self.sentences.row(i),
                "struct_iou": tally.score,
                "precision": tally.precision,
                "recall": tally.recall,
                "matched": tally.matched,
                "n_pred": tally.n_pred,
                "n_ref": tally.n_ref,
                "failed": tally.failed,
            }

    def __repr__(self) -> str:
        return (
            f"<CorpusScore sentence {self.sentence:.4f}, corpus {self.corpus:.4f}, "
            f"{len(self.sentences)} pairs, {self.signature}>"
        )
