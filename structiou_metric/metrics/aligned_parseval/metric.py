"""Aligned ParsEval: brackets that are equal although words and sentences may be cut otherwise.

The idea is that of jp-evalb (Jo, Park and Park 2024). Sentences of both sides that belong together make a
pair (see `sentences`), and within a pair so do words (see `_core.word_groups`); brackets are equal if they go
from the same group of words to the same group.

What counts is what ParsEval counts, by the same parameter files: words with a deleted tag vanish, brackets
with a deleted label do not count, labels are cut at `-` and `=`, and brackets with equal spans are matched
one to one. Without parameters nothing is deleted; brackets labelled `TOP`, `S1` or not at all never count. A
tag is right if its word stands in the same group with the same tag. `EQ_WORD` makes words the same where
words are grouped; `QUOTE_LABEL` deletes quotes with such a tag on both sides; `MAX_ERROR` means nothing.

An empty prediction counts as one without brackets, and so do sentences that only one side has. Two sides
without a bracket agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ..base import Option, sign
from ..metric import ON_ERROR, Metric
from ..parseval.parameters import as_parameters
from .compat import JpRules, pair_as_jp
from .counter import AlignedCounter
from .pairing import pair_sentences
from .result import MEASURES, AlignedScore

if TYPE_CHECKING:
    from ...sources.rows import Rows

__all__ = ["AlignedParseval"]

# The modes of jp-evalb whose own figures `compat` gives.
MODES = ("default", "evalb")


def _check_compat(value: Any) -> str | None:
    if value in (None, "none"):
        return None
    if value not in MODES:
        raise ValueError(f"unknown compat {value!r}; choose from none, {', '.join(MODES)}")
    return str(value)


class AlignedParseval(Metric):
    """Aligned ParsEval with fixed options; see the module for its rules.

    Sides need not have as many sentences; with documents, sentences are aligned within each.

    >>> gold, parsed = ["(S (NP (N cats)) (VP (V purr)))"], ["(S (NP (N cat) (N s)) (VP (V purr)))"]
    >>> AlignedParseval().corpus_score(parsed, gold).figures["aligned_parseval"]
    1.0

    Args:
        parameters: What is deleted and taken for the same: `Parameters`, EVALB's parameter file, or the name
            of a built-in set. By default nothing is deleted.
        compat: Whether to give the figures of jp-evalb itself, as it runs by `default` or with `-evalb` (see
            `compat`); where it crashes, an error says so.
        on_error: `raise`, or count a pair with a sentence that cannot be read, or a word without a tag, as 0
            (`zero`) or not at all (`skip`).
    """

    name = "aligned_parseval"
    title = "Aligned ParsEval"
    HANDLES_WORDS = True
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "parameters": Option(
            None,
            "parameter file of EVALB, or a built-in set, collins or spmrl; by default nothing is deleted",
            kind="file",
            check=lambda value: None if value is None else as_parameters(value),
        ),
        "compat": Option(
            None,
            "figures of jp-evalb itself: default, or evalb for its option -evalb",
            check=_check_compat,
        ),
        "on_error": ON_ERROR,
    }
    MEASURES = MEASURES
    RESULT = AlignedScore

    @property
    def unit(self) -> None:
        """The unit is None, as words are compared by their text."""
        return None

    @property
    def signature(self) -> str:
        """Every setting and the version; MAX_ERROR changes no figure."""
        options = self.options
        told: dict[str, Any] = {"compat": options.compat or "none"}
        if options.parameters is None:
            told["parameters"] = "none"
        else:
            told |= {name: value for name, value in options.parameters._asdict().items() if value != ()}
            del told["max_error"]
        return sign(self.name, {**told, "on_error": options.on_error})

    def undefined(self, unit: str) -> str:
        """Why the metric has no meaning for trees over that unit: it needs words."""
        return "it aligns words by their letters, not by their times" if unit == "time" else ""

    def pair(self, predictions: Rows, references: Rows, first: int) -> tuple[Rows, Rows] | None:
        """The sentences that belong together, in order."""
        options = self.options
        if options.compat is None:
            return pair_sentences(predictions, references, first)
        return pair_as_jp(predictions, references, first, JpRules(options.compat, options.parameters))

    def for_ranking(self) -> AlignedParseval:
        """The same metric, as sentences without a partner count as failed; an error with `compat`."""
        if self.options.compat is not None:
            raise ValueError("jp-evalb leaves sentences out, which would pay in a ranking; leave compat out")
        return self

    def counter(self) -> AlignedCounter:
        """A new counter; every thread has one of its own."""
        return AlignedCounter(self.options)
