"""Discontinuous ParsEval: labelled brackets that are equal as sets of words, as disco-dop counts them.

A bracket is a label and the set of the words below it, which may have gaps. Brackets that both sides have are
right; a bracket that occurs several times is right as often as both sides have it. On continuous trees this
is ParsEval.

Parameters are those of EVALB, with disco-dop's rules: words go on both sides where the *reference's* tag, or
the word, is deleted; brackets with a deleted label, and those left without words, do not count; `EQ_LABEL A
B` and `EQ_LABEL B C` make A and C the same. Labels are compared without function tags and indices. Where no
parameters are given they are those of disco-dop's `proper.prm`: punctuation goes.

Both sides need the same words, except for traces (`-NONE-`, if deleted), and each word needs a tag of its
own. A failed parse has no brackets, and those of its reference count. Discontinuous brackets are those whose
words, without the deleted ones, have gaps; their figures are 1 where neither side has any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import TreeMismatchError
from ..trees.brackets import unescape
from ..trees.labels import TRACE, base_label
from ..trees.spelling import ESCAPES
from ..wording import brief, count
from .base import Measure, Option, Options, ratio
from .brackets import ASIDE, complete_match, f1, share
from .metric import ON_ERROR, Metric, sign
from .pairs import PairCounter, plain_tree
from .parseval.parameters import as_parameters

if TYPE_CHECKING:
    from .base import Batch

    Bracket = tuple[
        str, int, int, int
    ]  # label, first and last word, and the words themselves if there are gaps

__all__ = ["DiscoParseval"]

_DEFAULT = "proper"

OPTIONS = {
    "parameters": Option(
        None,
        "parameter file of EVALB or disco-dop, or a built-in set, proper, collins or spmrl (default: proper)",
        kind="file",
    ),
    "on_error": ON_ERROR,
}


def _disc(part: Any, *whole: Any) -> Any:
    """Return a share, or the F1 of two sides; 1 where there is nothing, because then nothing is wrong."""
    return ratio(len(whole) * part, sum(whole), 1.0)


_DISC = ("disc_matched", "disc_pred", "disc_ref")

MEASURES = {
    "disco_parseval_f1": Measure("F1", f1, ("matched", "n_pred", "n_ref"), short="f1"),
    "disco_parseval_precision": Measure("precision", share, ("matched", "n_pred"), short="precision"),
    "disco_parseval_recall": Measure("recall", share, ("matched", "n_ref"), short="recall"),
    "disco_parseval_unlabeled_f1": Measure(
        "unlabelled F1", f1, ("unlabeled", "n_pred", "n_ref"), short="unlabeled_f1", **ASIDE
    ),
    "disco_parseval_complete_match": complete_match(lambda complete: complete, "complete"),
    "disco_parseval_tagging_accuracy": Measure(
        "tagging accuracy", share, ("correct_tags", "words"), short="tagging_accuracy", **ASIDE
    ),
    "disco_parseval_only_f1": Measure(
        "F1 of discontinuous brackets", _disc, _DISC, short="only_f1", optional=True, **ASIDE
    ),
    "disco_parseval_only_precision": Measure(
        "precision of discontinuous brackets",
        _disc,
        _DISC[:2],
        short="only_precision",
        optional=True,
        **ASIDE,
    ),
    "disco_parseval_only_recall": Measure(
        "recall of discontinuous brackets", _disc, _DISC[::2], short="only_recall", optional=True, **ASIDE
    ),
}


class DiscoParseval(Metric):
    """Discontinuous ParsEval with fixed options; see the module for its rules.

    >>> gold, parsed = ["(S (VP (V is) (A rich)) (N John))"], ["(S (V is) (VP (A rich) (N John)))"]
    >>> DiscoParseval().corpus_score(parsed, gold).figures["disco_parseval_f1"]
    0.5

    Args:
        parameters: The labels and words that are deleted and taken for the same: `Parameters`, a parameter
            file, or the name of a built-in set; by default `proper`.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "disco_parseval"
    title = "Discontinuous ParsEval"
    OPTIONS = OPTIONS
    MEASURES = MEASURES
    HANDLES_WORDS = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        values = self.options.as_dict()
        values["parameters"] = as_parameters(values["parameters"] or _DEFAULT)
        self.options = Options(values)

    @property
    def signature(self) -> str:
        """The parameters that are used, `on_error`, and the version."""
        parameters = self.options.parameters._asdict()
        used = ("delete_labels", "delete_words", "equal_labels", "equal_words")
        values = {name: parameters[name] for name in used if parameters[name]}
        values["labeled"] = parameters["labeled"]
        return sign(self.name, {**values, "on_error": self.options.on_error})

    def undefined(self, unit: str) -> str:
        """Return why the metric has no meaning for trees over that unit: it needs words."""
        return "it compares words, and trees over seconds need no common words" if unit == "time" else ""

    def counter(self) -> DiscoParsevalCounter:
        """Return a new counter; every thread has one of its own."""
        return DiscoParsevalCounter(self.options)


class Figures(NamedTuple):
    """The columns of a pair: brackets that both sides have, and those of each side.

    Names with `disc` count brackets whose words have gaps.
    """

    matched: int = 0
    n_pred: int = 0
    n_ref: int = 0
    unlabeled: int = 0
    disc_matched: int = 0
    disc_pred: int = 0
    disc_ref: int = 0
    complete: bool = False
    correct_tags: int = 0
    words: int = 0


class Side(NamedTuple):
    """A tree as flat lists in postorder; its words are numbered in the order of the tree.

    Attributes:
        name: The name of the tree in errors.
        labels: The labels of the nodes, as they are compared.
        sizes: The number of nodes in the subtree of each node.
        firsts: The first word of each node.
        lasts: The word after the last one of each node.
        words: The words in the order of the sentence.
        order: The place of each word in the sentence; -1 for traces that do not count.
    """

    name: str
    labels: Sequence[str]
    sizes: Sequence[int]
    firsts: Sequence[int]
    lasts: Sequence[int]
    words: Sequence[str]
    order: Sequence[int]

    def tags(self) -> list[str]:
        """Return the tag of each word of the sentence, or raise an error that names the tree."""
        tags: list[str | None] = [None] * len(self.words)
        for label, size, first, last in self.nodes():
            if size == 1 and last == first + 1 and self.order[first] >= 0:
                tags[self.order[first]] = label
        if None in tags:
            word = self.words[tags.index(None)]
            raise TreeMismatchError(
                f"{self.name}: the word {brief(word)} has no tag of its own; write it as (TAG {word})"
            )
        return tags  # type: ignore[return-value]

    def nodes(self) -> Iterable[tuple[str, int, int, int]]:
        """Return the label, size, first and last word of each node."""
        return zip(self.labels, self.sizes, self.firsts, self.lasts, strict=True)

    def without_traces(self) -> Side:
        """Return the same sentence without its traces, which are not spoken words."""
        traces = {
            self.order[first]
            for label, size, first, last in self.nodes()
            if label == TRACE and size == 1 and last == first + 1
        }
        kept = [place for place in range(len(self.words)) if place not in traces]
        places = {place: new for new, place in enumerate(kept)}
        words = [self.words[place] for place in kept]
        return self._replace(words=words, order=[places.get(place, -1) for place in self.order])


class DiscoParsevalCounter(PairCounter):
    """Counts the brackets of batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(dict.fromkeys(Figures._fields, "d"), options)
        parameters = options.parameters
        labels, words = _closure(parameters.equal_labels), _closure(parameters.equal_words)

        @cache
        def label_of(label: str) -> str:
            base = base_label(label if label in ESCAPES else unescape(label))
            return labels.get(base, base)

        def word_of(word: str) -> str:
            word = unescape(word)
            return words.get(word, word)

        self._label_of, self._word_of = label_of, word_of
        self._labeled: bool = parameters.labeled
        self._deleted = frozenset(map(label_of, parameters.delete_labels))
        self._deleted_words = frozenset(map(word_of, parameters.delete_words))

    # ---- reading a side ------------------------------------------------------------------------

    def unreadable(self, batch: Batch, t: int) -> ValueError | None:
        """Return the error of a pair that cannot be read; trees with crossing branches can."""
        if batch.first + t in batch.problems:
            for k in (1, 0):
                try:
                    self._side(batch, t, k)
                except ValueError as error:
                    return error
        return None

    def _side(self, batch: Batch, t: int, k: int) -> Side:
        """Return the prediction (0) or the reference (1) of a pair, or raise why it cannot be read."""
        row, rows = batch.first + t, batch.sides[k]
        trees = (batch.predictions, batch.references)[k]
        if row in batch.problems:
            crossing = rows.crossing(row) if hasattr(rows, "crossing") else None
            if crossing is not None:
                nodes = crossing.labels, crossing.sizes, crossing.firsts, crossing.lasts
                return self._made(rows.name(row), *nodes, crossing.sentence, crossing.order)
            if any(t == bad for bad, _, _ in trees.errors()):
                rows.tree(row, "word")  # which may raise an error that says more
                raise batch.problems[row]
        tree = plain_tree(trees, t, batch.labels)
        return self._made(rows.name(row), *tree, range(len(tree.words)))

    def _made(
        self,
        name: str,
        labels: Iterable[str],
        sizes: Sequence[int],
        firsts: Sequence[int],
        lasts: Sequence[int],
        words: Iterable[str],
        order: Sequence[int],
    ) -> Side:
        names = [self._label_of(label) for label in labels]
        side = Side(name, names, sizes, firsts, lasts, [self._word_of(word) for word in words], order)
        return side.without_traces() if TRACE in self._deleted and TRACE in names else side

    # ---- a pair --------------------------------------------------------------------------------

    def compare(self, batch: Batch, t: int) -> tuple[Figures, bool]:
        """Return the figures of a pair, and whether its prediction has no words though the reference has."""
        reference, prediction = self._side(batch, t, 1), self._side(batch, t, 0)
        return self._count(prediction, reference), bool(reference.words) and not prediction.words

    def count_apart(self, batch: Batch, t: int) -> Figures:
        """Return the brackets of each side that can be counted by itself; none has a partner."""
        found = []
        for k in (0, 1):
            try:
                side = self._side(batch, t, k)
                found.append(self._count(side, side))
            except ValueError:
                found.append(Figures())
        pred, ref = found
        return Figures(
            n_pred=pred.n_pred,
            n_ref=ref.n_ref,
            disc_pred=pred.disc_pred,
            disc_ref=ref.disc_ref,
            words=ref.words,
        )

    def _count(self, prediction: Side, reference: Side) -> Figures:
        """Return the figures of a pair, or raise why it cannot be compared."""
        tags = reference.tags()
        failed = bool(reference.words) and not prediction.words
        if not failed:
            _check_words(prediction, reference)
        found_tags = [] if failed else prediction.tags()
        ranks: list[int] = []  # of each word among those that are not deleted, or -1
        n_words = 0
        for tag, word in zip(tags, reference.words, strict=True):
            deleted = tag in self._deleted or word in self._deleted_words
            ranks.append(-1 if deleted else n_words)
            n_words += not deleted
        pred, ref = self._brackets(prediction, ranks), self._brackets(reference, ranks)
        both = pred & ref
        unlabeled = (_without_labels(pred) & _without_labels(ref)).total()
        counted = zip(tags, found_tags, ranks, strict=False)  # a failed parse has no tags
        return Figures(
            both.total() if self._labeled else unlabeled,
            pred.total(),
            ref.total(),
            unlabeled,
            _with_gaps(both),
            _with_gaps(pred),
            _with_gaps(ref),
            pred == ref and not failed,
            sum(tag == found for tag, found, rank in counted if rank >= 0),
            n_words,
        )

    def _brackets(self, side: Side, ranks: Sequence[int]) -> Counter[Bracket]:
        """Return the brackets that count, each with its label and its words.

        Words are numbered without those that are deleted. The words of a bracket without gaps are given by
        its first and its last word; those of a bracket with gaps by the bits of a number.
        """
        places = [ranks[place] if place >= 0 else -1 for place in side.order]
        n_before = [0]  # words that count, in the order of the tree
        for place in places:
            n_before.append(n_before[-1] + (place >= 0))
        found: Counter[Bracket] = Counter()
        reaches: list[tuple[int, int]] = []  # the first and the last word of each node
        for i, (label, size, first, last) in enumerate(side.nodes()):
            n_words = n_before[last] - n_before[first]
            low, high = len(ranks), -1  # a node without words changes no other reach
            if size == 1 and n_words:
                low = high = places[first]
            child = i - 1
            while child > i - size:
                low, high = min(low, reaches[child][0]), max(high, reaches[child][1])
                child -= side.sizes[child]
            reaches.append((low, high))
            if size > 1 and n_words and label not in self._deleted:
                words = 0
                if high - low + 1 > n_words:
                    words = sum(1 << (place - low) for place in places[first:last] if place >= 0)
                found[label, low, high, words] += 1
        return found


def _check_words(prediction: Side, reference: Side) -> None:
    """Refuse two sentences with different words."""
    needs = "brackets of words need the same words on both sides"
    if len(prediction.words) != len(reference.words):
        raise TreeMismatchError(
            f"{prediction.name} has {count(len(prediction.words), 'word')} and {reference.name} has "
            f"{count(len(reference.words), 'word')}; {needs}"
        )
    for one, other in zip(prediction.words, reference.words, strict=True):
        if one != other:
            raise TreeMismatchError(
                f"{prediction.name} has {brief(one)} where {reference.name} has {brief(other)}; {needs}"
            )


def _without_labels(brackets: Counter[Bracket]) -> Counter[tuple[int, int, int]]:
    found: Counter[tuple[int, int, int]] = Counter()
    for (_, low, high, words), number in brackets.items():
        found[low, high, words] += number
    return found


def _with_gaps(brackets: Counter[Bracket]) -> int:
    """Return how many brackets have gaps between their words."""
    return sum(number for (_, _, _, words), number in brackets.items() if words)


def _closure(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the name of each text in the pairs; all texts that pairs connect have the same one."""
    classes: dict[str, list[str]] = {}
    for one, other in pairs:
        one, other = unescape(one), unescape(other)
        joined = sorted({*classes.get(one, [one]), *classes.get(other, [other])})
        classes.update(dict.fromkeys(joined, joined))
    return {name: joined[0] for name, joined in classes.items()}
