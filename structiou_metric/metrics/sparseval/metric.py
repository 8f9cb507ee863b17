"""SParseval (Roark et al. 2006): brackets and dependencies of speech, whose words may be misrecognised.

Every root is called `TOP`, whatever its label. Labels are cut before their first `-` or `=` that is neither
first nor last. What is marked as empty vanishes, what is deleted vanishes or leaves its children, and what
the speaker takes back (`EDITED`) is flattened, raised from the edges of brackets, and joined with its
neighbours. Words that are aligned share a position; a bracket spans from the end of the word before it in its
own tree to the end of its last word. Head rules give every word but edited ones a dependency: the outermost
bracket that it is the head of depends on the bracket around it. Two are the same if the words that depend
stand at the same position, the labels of both brackets are equal and so are both words, whatever the position
of the word that governs. Words are equal but for case and hyphens, or if parameters say so.

Where we differ from the program:

- it aligns words by position, or as an alignment file says; here a least-cost edit path does, by default;
- it takes any two characters 32 code points apart for the same, such as `N` and `.`; here it is case;
- a word that joins two entries of an alignment reaches to the end of the second, and one that is not cut
  where the other side's is, to the end of its entry;
- an alignment whose words are not those of the trees is an error, not a warning;
- in the mode `bag` it looks only at a band of dependencies where there are more than 2,000;
- F1, recall and precision of nothing on both sides are 1, of which it says `nan`;
- unknown lines of a parameter file give a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import TreeMismatchError
from ...wording import count
from ..base import Measure, Option, Options, sign
from ..metric import ON_ERROR, Metric
from .alignment import Alignments, as_alignments
from .counter import SparsevalCounter
from .heads import NO_HEADS, HeadRules, as_heads
from .parameters import BUILT_IN, SpeechParameters, as_parameters
from .result import BRACKETS, DEPENDENCIES, SparsevalScore

if TYPE_CHECKING:
    from ...sources.rows import Rows

__all__ = ["Alignments", "HeadRules", "Sparseval", "SparsevalScore", "SpeechParameters"]

MODES = ("edit", "position", "bag")

OPTIONS = {
    "parameters": Option(
        "english",
        "parameter file of SParseval, or a built-in set: english or none",
        kind="file",
        check=as_parameters,
    ),
    "heads": Option(
        None,
        "file of head rules, english for the built-in ones, or none to count no dependencies; by default "
        "english with built-in parameters, and none with a parameter file, as in SParseval",
        kind="file",
    ),
    "mode": Option(
        "edit",
        "how words are aligned where no alignment is given: by a least-cost edit path, by position, or not "
        "at all, so that dependencies alone are compared",
        choices=MODES,
    ),
    "alignment": Option(
        None,
        "alignment file of SParseval, a blank line after each row; in Python also a list with the pairs of "
        "words of each row",
        kind="file",
        check=as_alignments,
    ),
    "labeled": Option(True, "compare labels, too", kind="flag", check=bool),
    "on_error": ON_ERROR,
}


class _Measures:
    """All measures of the class, and of an object those that its options let it count."""

    def __get__(self, metric: Sparseval | None, owner: type) -> Mapping[str, Measure]:
        if metric is None:
            return {**BRACKETS, **DEPENDENCIES}
        found = {} if metric.is_bag else BRACKETS
        return found if metric.options.heads == NO_HEADS else {**found, **DEPENDENCIES}


class Sparseval(Metric):
    """SParseval with fixed options; see the module for its rules.

    The headline is the F1 of brackets, or in the mode `bag`, in which there are none, of dependencies. A row
    is a sentence or, with `documents`, the side of a conversation, whose sentences need not be cut alike.
    Two sides without any words agree; a prediction without words has nothing that matches.

    >>> prediction = "(S1 (S (NP (PRP it)) (VP (VBZ 's) (NP (NNP Monday)))))"
    >>> reference = "(S1 (S (INTJ (UH uh)) (NP (PRP it)) (VP (VBZ 's) (NP (NN money)))))"
    >>> result = Sparseval().corpus_score([prediction], [reference])
    >>> [result.columns[name][0] for name in ("match", "gold", "test", "head_match")]
    [3, 5, 4, 2]

    Args:
        parameters: What is deleted and taken for the same: `SpeechParameters`, a file, or the name of a
            built-in set, `english` or `none`.
        heads: `HeadRules`, a file, `english` for the built-in ones, or `none` to count no dependencies. By
            default `english` with built-in parameters, and `none` where other parameters are given.
        mode: How words are aligned where no `alignment` is given: by a least-cost edit path (`edit`), one by
            one (`position`), or not at all (`bag`): then dependencies are compared in order, as their longest
            common subsequence.
        alignment: The alignment of each row, a list with a pair for each entry: the reference's word and the
            prediction's, None for a side without a word; or the file of a row. A single file is for all rows.
        labeled: Whether labels are compared.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "sparseval"
    title = "SParseval"
    HANDLES_WORDS = True
    OPTIONS = OPTIONS
    MEASURES = _Measures()
    RESULT = SparsevalScore

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        values = self.options.as_dict()
        if values["heads"] is None:
            values["heads"] = "english" if values["parameters"] in BUILT_IN.values() else NO_HEADS
        values["heads"] = as_heads(values["heads"])
        self.options = Options(values)
        if self.is_bag and self.options.heads == NO_HEADS:
            raise ValueError("the mode 'bag' compares dependencies only; give it head rules (heads)")

    @property
    def is_bag(self) -> bool:
        """Whether words are not aligned, so that there are no brackets to compare."""
        return self.options.mode == "bag" and self.options.alignment is None

    @property
    def unit(self) -> None:
        """The unit is None, as words are compared by their text."""
        return None

    @property
    def headline(self) -> str:
        """The key of the F1 of brackets, or of dependencies where no brackets are compared."""
        return "sparseval_heads" if self.is_bag else "sparseval"

    @property
    def signature(self) -> str:
        """Every setting and the version."""
        values = self.options.as_dict()
        heads: HeadRules | str = values["heads"]
        parameters: SpeechParameters = values["parameters"]
        settings = {
            "mode": values["mode"] if values["alignment"] is None else "given",
            "labeled": values["labeled"],
            "heads": heads.signature if isinstance(heads, HeadRules) else heads,
            "on_error": values["on_error"],
        }
        told = {name: value for name, value in parameters._asdict().items() if value != ()}
        return sign(self.name, {**settings, **told})

    def undefined(self, unit: str) -> str:
        """Why the metric has no meaning for trees over that unit: it needs words."""
        return "it compares words, and trees over seconds need none" if unit == "time" else ""

    def counter(self) -> SparsevalCounter:
        """A new counter; every thread has one of its own."""
        return SparsevalCounter(self.options)

    def corpus_score(
        self, predictions: Iterable[Any] | Rows, references: Iterable[Any] | Rows, **settings: Any
    ) -> SparsevalScore:
        """Scores two lists of trees, or of documents; the arguments are those of `Metric.corpus_score`."""
        result: SparsevalScore = super().corpus_score(predictions, references, **settings)
        alignment: Alignments | None = self.options.alignment
        if alignment is not None and len(alignment) > len(result):
            raise TreeMismatchError(
                f"{alignment.source} aligns {count(len(alignment), 'row')}, but there are {len(result)} to "
                "score; give one alignment for each"
            )
        return result
