"""TedEval (Tsarfaty, Nivre and Andersson 2011, 2012): which nodes must be inserted and deleted.

Nodes are all brackets, preterminals and the root among them, and all words; each has a label (a word its
form) and a span. The distance is the number of nodes that only one side has: as renaming is ruled out and
nesting follows from spans, no shorter way leads from one tree to the other. The score of a pair is
`1 - distance / (nodes of the prediction + nodes of the reference - roots of both)`, but not less than 0.

The plain rule, which is the default:

- Nodes are counted as often as they stand there: a doubled unary, `NP` over `NP`, is two nodes on either
  side, and without labels (`labeled=False`) each bracket of a unary chain counts. The order in a chain does
  not matter.
- Every word is a node, and never the same as a bracket with the same letters, such as that of `(, ,)`.
- Labels and words are compared without regard to upper and lower case. Function tags count: `NP-SBJ` is
  not `NP`.
- Brackets without words are no nodes. An outermost bracket without a label that wraps one tree, and traces
  (`-NONE-`) with what they empty, are dropped; the option `drop` says so. Any other root, `TOP` too, counts.

Under `compat` the figures are those of the program TedEval 2.2, whose nodes are a set: doubled unaries count
once, without labels a unary chain is one node, a tag and a word with the same letters are one; the words
`-`, `--` and `;` are no nodes; labels are compared without their hyphens, so that `-LRB-` is another node as
a tag than as a word, and `NP-SBJ` is the same as `NPSBJ`; and nothing is dropped.

Without segments every word takes one position, its form may differ, and both sides need as many. With
segments (see `segments`), words as they are written must be the same, and may be cut in different ways.

A failed parse, a prediction without words, scores 0, and all nodes of the reference are to be inserted.
Two trees without words agree. Where a row is a document, each of its trees has a root.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..base import Measure, Option, Options, sign
from ..metric import ON_ERROR, Metric
from ..selection import check_drop
from .counter import TedEvalCounter
from .segments import Segments

if TYPE_CHECKING:
    from ...sources.rows import Rows

__all__ = ["TedEval"]

_NUMBERS = (int, float)
_DROP = ("", "-NONE-")
_SEGMENTS = ("prediction_segments", "reference_segments")


def edit_score(distance: Any, norm: Any) -> Any:
    """One minus the distance over all that could be edited, but not less than 0; for numbers, and for arrays.

    Where nothing could be edited, 1 if there is no distance.

    >>> edit_score(1, 4), edit_score(3, 2), edit_score(0, 0), edit_score(1, 0)
    (0.75, 0.0, 1.0, 0.0)
    """
    if norm.__class__ in _NUMBERS:
        return max(0.0, 1.0 - distance / norm) if norm else float(distance == 0)
    from numpy import maximum, where

    return where(norm > 0, maximum(0.0, 1.0 - distance / where(norm > 0, norm, 1.0)), distance == 0)


OPTIONS = {
    "labeled": Option(
        True, "compare the labels of brackets; words are always compared", kind="flag", check=bool
    ),
    "prediction_segments": Option(
        None,
        "segmentation file of the predictions: word<TAB>segment1:segment2:… a line, a blank line after each "
        "sentence",
        kind="file",
        check=Segments.of,
    ),
    "reference_segments": Option(
        None, "segmentation file of the references, likewise", kind="file", check=Segments.of
    ),
    "average": Option(
        "corpus",
        "which figure is the headline, tedeval: of all edits together, or the mean over sentences",
        choices=("corpus", "sentence"),
        corpus=True,
    ),
    "compat": Option(
        False,
        "reproduce TedEval 2.2: nodes are a set, some words are no nodes, nothing is dropped",
        kind="flag",
        check=bool,
    ),
    "drop": Option(
        _DROP,
        "labels that are no nodes: roots over one child, and leaves such as -NONE- with what they empty",
        kind="labels",
        check=check_drop,
    ),
    "on_error": ON_ERROR,
}

MEASURES = {
    "tedeval_corpus": Measure(
        "corpus level", edit_score, ("distance", "norm"), short="tedeval_corpus", row=""
    ),
    "tedeval_sentence": Measure(
        "sentence mean",
        edit_score,
        ("distance", "norm"),
        short="tedeval_sentence",
        row="tedeval",
        mean=True,
    ),
    "tedeval_exact": Measure(
        "exact match", lambda distance: float(distance == 0), ("distance",), short="exact", mean=True
    ),
}


class TedEval(Metric):
    """TedEval with fixed options; see the module for its rules.

    >>> metric = TedEval()
    >>> result = metric.corpus_score(["(S (NP (A we)) (B run))"], ["(S (A we) (VP (B run)))"])
    >>> result.columns["distance"][0], result.columns["n_ref"][0], result.figures["tedeval"]
    (2, 6, 0.8)

    Args:
        labeled: Whether the labels of brackets are compared.
        prediction_segments: The words of each row as they are written, each with its segments, which are the
            words of the tree: `[["bbit", ["b", "bit"]], …]`; or a segmentation file.
        reference_segments: The same for the references. If only one of the two is given, each word of the
            other side is one segment.
        average: Which figure is the headline, `corpus` (TedEval's default) or `sentence` (its `-micro`).
        compat: Whether to count as TedEval 2.2 does.
        drop: Labels that are no nodes; nothing under `compat`.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "tedeval"
    title = "TedEval"
    HANDLES_WORDS = True
    OPTIONS = OPTIONS
    MEASURES = MEASURES

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self.options.compat and self.options.drop:
            if self.options.drop != _DROP:
                raise ValueError("TedEval 2.2 drops nothing; leave drop or compat out")
            self.options = Options({**self.options.as_dict(), "drop": ()})

    @property
    def unit(self) -> str:
        """The unit is `word`, as positions are counted in words."""
        return "word"

    @property
    def headline(self) -> str:
        """The key of the figure that the option `average` asks for."""
        return f"tedeval_{self.options.average}"

    @property
    def signature(self) -> str:
        """Every option and the version; for segments, whether they are given."""
        values = self.options.as_dict()
        for name in _SEGMENTS:
            if name in values:
                values[name] = "none" if values[name] is None else "given"
        return sign(self.SIGNATURE or self.name, values)

    def undefined(self, unit: str) -> str:
        """Why the metric has no meaning for trees over that unit: it needs words."""
        return "it compares words, and trees over seconds need no common words" if unit == "time" else ""

    def counter(self) -> TedEvalCounter:
        """A new counter; every thread has one of its own."""
        return TedEvalCounter(self.options)

    def corpus_score(
        self, predictions: Iterable[Any] | Rows, references: Iterable[Any] | Rows, **settings: Any
    ) -> Any:
        """Scores two lists of trees pair by pair; the arguments are those of `Metric.corpus_score`."""
        result = super().corpus_score(predictions, references, **settings)
        for name in _SEGMENTS:
            segments: Segments | None = getattr(self.options, name)
            if segments is not None and len(segments) > len(result):
                raise ValueError(
                    f"{segments.where(len(result), 0)}: there are {len(segments)} sentences in {name} and "
                    f"{len(result)} trees; give segments and trees of the same sentences"
                )
        return result
