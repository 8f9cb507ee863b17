"""ParsEval: labelled brackets that are equal, figure for figure as EVALB counts them.

The variant `spmrl` is EVALB_SPMRL, as used for morphologically rich languages: words are never deleted,
and labels, also those of tags, are cut at `#`, too.

Differences from the programs, unless `compat` asks for their quirks:

- nothing is too deep or too long, and too many errors (`MAX_ERROR`) do not end the run without a summary;
- an outermost bracket without a label that wraps one tree, as in the Penn Treebank's own files, does not
  count; EVALB counts it as a bracket with an empty label;
- F1 is 0 where precision and recall are 0, not `nan`;
- words that are next to each other in one bracket, or next to a bracket, make the sentence an error; EVALB
  ends there;
- EVALB_SPMRL counts a sentence with too few or too many words as valid, without brackets, and so as a
  complete match; if the reference is one word long, it counts the sentence twice. Here it is an error;
- EVALB_SPMRL's option `-X` counts the brackets of a reference several times, and an empty parse of a sentence
  without brackets as a complete match. With `count_empty` they count once, and such a parse does not match.

With the variant `spmrl`, which deletes no words that could be restored, `QUOTE_LABEL` repeats words, as in
EVALB_SPMRL. EVALB reads `(NP )`, with white space, as a word without letters; so does `compat`, and otherwise
it is a bracket without words. EVALB reads several trees on a line as one sentence; so do `compat`, files of
the layout `sentence`, and documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..base import Option, Options
from ..metric import ON_ERROR, Metric, sign
from ..results import describe_left_out
from .counter import ParsevalCounter
from .measures import MEASURES, LabelTally
from .parameters import BUILT_IN, Parameters, as_parameters
from .result import ParsevalScore

if TYPE_CHECKING:
    from ...sources.rows import Rows

__all__ = ["VARIANTS", "Parameters", "Parseval", "ParsevalScore", "parseval"]

# The parameters of each variant where none are given.
_DEFAULTS = {"evalb": "collins", "spmrl": "spmrl"}

# The programs whose rules ParsEval can follow: EVALB, and EVALB_SPMRL.
VARIANTS = tuple(_DEFAULTS)


OPTIONS = {
    "parameters": Option(
        None,
        "parameter file of EVALB, or a built-in set, collins or spmrl; by default that of the variant",
        kind="file",
    ),
    "variant": Option(
        "evalb",
        "as EVALB, or as EVALB_SPMRL, which deletes no words and cuts labels at '#', too",
        choices=VARIANTS,
    ),
    "count_empty": Option(
        False, "count the brackets of sentences without a parse", kind="flag", check=bool, corpus=True
    ),
    "count_errors": Option(
        False,
        "count the brackets of sentences that cannot be compared as not found",
        kind="flag",
        check=bool,
        corpus=True,
    ),
    "trivial": Option(
        "keep",
        "brackets over a single word or the whole sentence: keep, or drop them as unsupervised parsing does",
        choices=("keep", "drop"),
    ),
    "compat": Option(False, "reproduce the quirks of EVALB and EVALB_SPMRL", kind="flag", check=bool),
    "on_error": ON_ERROR,
}


class Parseval(Metric):
    """ParsEval with fixed options; see the module for its rules.

    Both sides of a sentence must have the same words, without those that the parameters delete; if not, the
    sentence is an error, counted in `n_errors`, listed in `problems`, and part of no figure. A sentence whose
    prediction has no words is skipped. The others are counted in `n_valid`.

    >>> gold, parsed = ["(S (NP (PRP we)) (VP (VBP run)))"], ["(S (NP (PRP we)) (NP (NN run)))"]
    >>> round(Parseval(count_empty=True).corpus_score(parsed, gold).figures["parseval_f1"], 4)
    0.6667

    Args:
        parameters: What is deleted and taken for the same: `Parameters`, EVALB's parameter file, or the name
            of a built-in set. By default `collins` (punctuation and traces deleted, `PRT` is `ADVP`), and
            `spmrl` for that variant.
        variant: The program that is followed: `evalb`, or `spmrl` for EVALB_SPMRL.
        count_empty: Whether the brackets and words of a reference count where the prediction is empty (option
            `-X` of EVALB_SPMRL) instead of skipping the sentence.
        count_errors: Whether a sentence that is an error counts as if its prediction were empty, with
            `count_empty`, instead of being part of no figure.
        trivial: Whether to `keep` brackets over one word, or over all words that are kept, or to `drop` them
            on both sides, as is usual where trees are induced without supervision.
        compat: Whether to reproduce the quirks of the variant's program that the module lists, and to stop
            with an error where the program stops.
        on_error: `raise`, or count a sentence that cannot be read as an error, like one whose words differ
            (`zero` or `skip`).
    """

    name = "parseval"
    title = "ParsEval"
    HANDLES_WORDS = True
    OPTIONS = OPTIONS
    MEASURES = MEASURES
    LABEL = LabelTally
    RESULT = ParsevalScore

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        values = self.options.as_dict()
        if values["parameters"] is None:
            values["parameters"] = BUILT_IN[_DEFAULTS[values["variant"]]]
        values["parameters"] = as_parameters(values["parameters"])
        if values["variant"] == "spmrl" and values["parameters"].delete_words:
            raise ValueError("the variant 'spmrl' deletes no words; leave DELETE_WORD out, or use 'evalb'")
        if values["compat"] and values["count_empty"] and values["variant"] != "spmrl":
            raise ValueError("EVALB skips empty predictions; leave count_empty or compat out, or use 'spmrl'")
        if values["count_errors"] and not values["count_empty"]:
            raise ValueError("count_errors counts sentences as if they were empty; set count_empty, too")
        if values["compat"] and values["count_errors"]:
            raise ValueError("EVALB leaves errors out; leave count_errors or compat out")
        if values["compat"] and values["trivial"] == "drop":
            raise ValueError("EVALB keeps trivial brackets; leave trivial or compat out")
        self.options = Options(values)
        self.reads_as_evalb = values["compat"]

    @property
    def signature(self) -> str:
        """Every setting and the version, without `on_error` and MAX_ERROR, which change no figure.

        `trivial` and `count_errors` are named if they are not the default, and lists if they are not empty.
        """
        values = self.options.as_dict()
        parameters: Parameters = values["parameters"]
        settings = {name: values[name] for name in ("variant", "count_empty", "compat")}
        for name in ("count_errors", "trivial"):
            if values[name] != OPTIONS[name].default:
                settings[name] = values[name]
        named = {name: value for name, value in parameters._asdict().items() if value != ()}
        del named["max_error"]
        return sign(self.name, {**settings, **named})

    def undefined(self, unit: str) -> str:
        """Return why the metric has no meaning for trees over that unit: it needs words."""
        return "it compares words, and trees over seconds need no common words" if unit == "time" else ""

    def refuses(self, result: Any, unit: str) -> str:
        """Return why the figures mean nothing over characters, unless both sides have the same words."""
        if unit == "char" and (result.n_errors or result.n_zeroed):
            return f"it needs the same words on both sides; {describe_left_out(result)}"
        return super().refuses(result, unit)

    def for_ranking(self) -> Parseval:
        """Return the same metric, which counts sentences that EVALB leaves out as failed."""
        if self.options.compat:
            raise ValueError("EVALB leaves sentences out, which would pay in a ranking; leave compat out")
        return self.with_options(count_empty=True, count_errors=True)

    def counter(self) -> ParsevalCounter:
        """Return a new counter; every thread has one of its own."""
        return ParsevalCounter(self.options)


def parseval(
    predictions: Iterable[Any] | Rows,
    references: Iterable[Any] | Rows,
    *,
    workers: int | str = 1,
    progress: bool = False,
    **options: Any,
) -> ParsevalScore:
    """Return ParsEval of two lists of trees, as EVALB counts it.

    >>> predictions = ["(TOP (S (NP (PRP we)) (VP (VBP run))))"]
    >>> references = ["(TOP (S (NP (PRP we)) (NP (NN run))))"]
    >>> score = parseval(predictions, references)
    >>> score.f1, score.columns["matched"][0], score.columns["n_pred"][0], score.tagging_accuracy
    (0.6666666666666666, 2, 3, 0.5)

    Args:
        predictions: Trees, as `Metric.corpus_score` takes them.
        references: The same number of trees.
        workers: The number of threads, or `auto` for one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
        **options: The options of `Parseval`.
    """
    metric = Parseval(**options)
    score: ParsevalScore = metric.corpus_score(predictions, references, workers=workers, progress=progress)
    return score
