"""ParsEval: labelled brackets that are equal, figure for figure as EVALB counts them.

The variant `spmrl` is EVALB_SPMRL, as used for morphologically rich languages: words are never deleted,
and labels, also those of tags, are cut at `#`, too.

Where we differ from the programs, unless `compat` asks for their quirks:

- nothing is too deep or too long, and too many errors (`MAX_ERROR`) do not end the run without a summary;
- an outermost bracket without a label that wraps one tree, as in the Penn Treebank's own files, is no
  bracket, which EVALB counts as one with an empty label, whatever the other side has;
- F1 is 0 where precision and recall are 0, not `nan`;
- words that stand beside each other in one bracket, or beside a bracket, make the sentence an error, where
  EVALB gives up;
- EVALB_SPMRL counts a sentence with too few or too many words as valid, without brackets, and so as a
  complete match, and if the reference is one word long it counts it twice. Here it is an error;
- EVALB_SPMRL's option `-X` counts a reference's brackets many times over, and an empty parse of a sentence
  without brackets as a complete match. With `count_empty` they count once, and it is none.

In no case does `QUOTE_LABEL` mean anything to the variant `spmrl`, which has no words to bring back, and a
bracket without words is empty however it is written: EVALB takes `(NP )` for a word without letters.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ...progress import Progress
from ...sources.rows import as_rows, check_as_many
from ...wording import check_choice
from .counter import Engine
from .parameters import BUILT_IN, Parameters, as_parameters
from .result import ParsevalScore, Totals

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

    from ...sources.rows import Rows

__all__ = ["ON_ERROR", "VARIANTS", "Parameters", "ParsevalScore", "Totals", "parseval"]

# The parameters of each variant where none are given.
_DEFAULTS = {"evalb": "collins", "spmrl": "spmrl"}
VARIANTS = tuple(_DEFAULTS)
ON_ERROR = ("raise", "skip")

_BATCH = 256  # rows; enough to make a call's overhead small and few enough to stay in the cache


def parseval(
    predictions: Iterable[Any] | Rows,
    references: Iterable[Any] | Rows,
    *,
    parameters: Parameters | str | os.PathLike[str] | None = None,
    variant: str = "evalb",
    count_empty: bool = False,
    compat: bool = False,
    on_error: str = "raise",
    progress: bool = False,
) -> ParsevalScore:
    """ParsEval of two lists of trees, as EVALB counts it.

    >>> predictions = ["(TOP (S (NP (PRP we)) (VP (VBP run))))"]
    >>> references = ["(TOP (S (NP (PRP we)) (NP (NN run))))"]
    >>> score = parseval(predictions, references)
    >>> score.f1, score.matched[0], score.n_pred[0], score.tagging_accuracy
    (0.6666666666666666, 2, 3, 0.5)

    Both sides of a sentence must have the same words once those that the parameters delete are gone; if not,
    the sentence is an error, counted in `n_errors`, told in `problems`, and part of no figure. A sentence
    whose prediction has no words is skipped. `n_valid` are left.

    Args:
        predictions: Trees, each bracket text, a `SegmentTree` or another shape that `shapes.as_tree` takes;
            or rows of trees such as a `files.TreeFile`.
        references: As many trees.
        parameters: What is deleted and taken for the same: `Parameters`, EVALB's parameter file, or the name
            of a built-in set. By default `collins` (punctuation and traces deleted, `PRT` is `ADVP`), and
            `spmrl` for that variant.
        variant: `evalb`, or `spmrl` for EVALB_SPMRL.
        count_empty: Whether the brackets and words of a reference count where the prediction is empty (option
            `-X` of EVALB_SPMRL) instead of skipping the sentence.
        compat: Whether to reproduce what is listed above as quirks of the variant's program, and to stop
            with an error where it does.
        on_error: `raise`, or count a sentence that cannot be read as an error (`skip`).
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    check_choice("variant", variant, VARIANTS)
    check_choice("on_error", on_error, ON_ERROR)
    rules = as_parameters(BUILT_IN[_DEFAULTS[variant]] if parameters is None else parameters)
    if variant == "spmrl" and rules.delete_words:
        raise ValueError("the variant 'spmrl' deletes no words; leave DELETE_WORD out, or use 'evalb'")
    if compat and count_empty and variant != "spmrl":
        raise ValueError("EVALB skips empty predictions; leave count_empty or compat out, or use 'spmrl'")
    left, right = as_rows(predictions, "predictions"), as_rows(references, "references")
    check_as_many(left, right)
    if not len(left):
        raise ValueError(f"{left.title} and {right.title} hold no trees to score")
    score = ParsevalScore(rules, variant, count_empty=count_empty, compat=compat)
    engine = Engine(score, left, right, keep_unreadable=on_error == "skip")
    with Progress(len(left), "counting", show=progress) as bar:
        for lo in range(0, len(left), _BATCH):
            hi = min(lo + _BATCH, len(left))
            engine.add(lo, hi)
            bar.add(hi - lo)
    return score
