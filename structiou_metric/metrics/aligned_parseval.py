"""Aligned ParsEval: brackets that are equal although words and sentences may be segmented differently.

The idea is that of jp-evalb (Jo, Park and Park 2024). Sentences of both sides that belong together make a
pair (see `sentence_pairs`). Within a pair, words are put into groups from the left: two words that are the
same except for case are a group. Elsewhere a group takes words from the side with more letters left until the
next words are the same, or both sides have the same number of letters left; if one side ends, the rest of the
other joins the last group. Both sides have the same number of groups, so spans are counted in groups.

A bracket is a label and a span of groups, and brackets of the two sides are matched one to one. With m
matched of p predicted and r reference brackets, precision is m / p, recall m / r, and F1 2 m / (p + r).

The same things count as in ParsEval, by the same parameter files: words with a deleted tag vanish, brackets
with a deleted label do not count, and labels are cut at `-` and `=`. Without parameters nothing is deleted;
brackets labelled `TOP`, `S1` or not at all never count. A tag is right if its word is in the same group with
the same tag. `EQ_WORD` makes words the same where words are grouped; `QUOTE_LABEL` deletes quotes with such a
tag on both sides; `MAX_ERROR` has no effect.

An empty prediction counts as one without brackets, and so do sentences that only one side has. Two sides
without a bracket agree.

With `compat` the figures are those of jp-evalb itself, whose rules are in `jp_evalb`. Where the program
crashes there is an error.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from ..errors import TreeFormatError, TreeMismatchError
from ..wording import brief, count
from .base import EMPTY, ERROR, VALID, Batch, Counts, Measure, Option, Options, ratio
from .brackets import (
    ASIDE,
    complete_match,
    count_crossing,
    crossing_measures,
    describe_untagged,
    equal_labels,
)
from .jp_evalb import CURE, MODES, JpRules, pair_as_jp
from .metric import ON_ERROR, Metric, sign
from .pairs import PairCounter, PlainTree, plain_tree, ranks_of
from .parseval.parameters import Parameters, as_parameters
from .results import Result
from .sentence_pairs import (
    QUOTES,
    PairedRows,
    Side,
    align_sentences,
    pair_sentences,
    read_sentences,
)

if TYPE_CHECKING:
    from ..sources.rows import Problems, Rows
    from .sentence_pairs import Bracket

    Groups = list[str | list[str]]  # a word that is paired with a single word is not in a list

__all__ = ["AlignedParseval", "AlignedScore", "PairGroups"]

COLUMNS = ("length", "matched", "gold", "test", "cross", "words", "tags", "n_groups")

# Labels of brackets that only hold a tree together, as they are compared.
_FRAMES = frozenset({"TOP", "S1", ""})
_JP_LONGEST = 40  # groups of words of a pair in the second part of jp-evalb's summary


def f1(matched: Any, gold: Any, test: Any, pairs: Any) -> Any:
    """Return the harmonic mean of precision and recall; 1 for two sides without a bracket."""
    return ratio(2.0 * matched, gold + test, pairs > 0)


def share(matched: Any, brackets: Any, other: Any, pairs: Any) -> Any:
    """Return the matched share of a side; without brackets it is 1 if the other side has none either."""
    return ratio(matched, brackets, (other == 0) * (pairs > 0))


MEASURES = {
    "aligned_parseval": Measure("F1", f1, ("matched", "gold", "test", "pairs"), short="f1"),
    "aligned_parseval_precision": Measure(
        "precision", share, ("matched", "test", "gold", "pairs"), short="precision"
    ),
    "aligned_parseval_recall": Measure("recall", share, ("matched", "gold", "test", "pairs"), short="recall"),
    "aligned_parseval_complete_match": complete_match(lambda complete: complete, "complete"),
    **crossing_measures("aligned_parseval", "cross"),
    "aligned_parseval_tagging_accuracy": Measure(
        "tagging accuracy",
        lambda tags, words, pairs: ratio(tags, words, pairs > 0),
        ("tags", "words", "pairs"),
        short="tagging_accuracy",
        **ASIDE,
    ),
}


# ---- results --------------------------------------------------------------------------------------


class PairGroups(NamedTuple):
    """The sentences and words of a pair: first those of the reference, then those of the prediction.

    >>> from structiou_metric.metrics.aligned_parseval import AlignedParseval
    >>> result = AlignedParseval().corpus_score(["(S (N cat) (N s) (V purr))"], ["(S (N cats) (V purr))"])
    >>> result.groups
    [PairGroups(sentences=[[0], [0]], words=[[['cats'], 'purr'], [['cat', 's'], 'purr']])]

    Attributes:
        sentences: The numbers of the sentences of both sides.
        words: The words of both sides in groups; a group is a list of words, or a word that is paired with a
            single word.
    """

    sentences: list[list[int]]
    words: list[Groups]


class _Source(NamedTuple):
    """The rows and sentences that a pair comes from.

    Attributes:
        sides: The rows of the predictions and of the references.
        row: The number of the pair in both.
        references: The numbers of the reference sentences.
        predictions: The numbers of the predicted sentences.
        apart: Whether these are numbers within a document.
    """

    sides: tuple[Rows, Rows]
    row: int
    references: range
    predictions: range
    apart: bool

    def moved(self, by_references: int, by_predictions: int) -> _Source:
        """Return the same with greater numbers of sentences, except for those within a document."""
        if self.apart:
            return self
        ref, pred = self.references, self.predictions
        return self._replace(
            references=range(ref.start + by_references, ref.stop + by_references),
            predictions=range(pred.start + by_predictions, pred.stop + by_predictions),
        )


class AlignedScore(Result):
    """The result of aligned ParsEval, in which a row is a pair of one or more sentences of either side.

    The number of a row is that of its document, or of its first reference sentence.

    >>> from structiou_metric.metrics.aligned_parseval import AlignedParseval
    >>> result = AlignedParseval().corpus_score(["(S (A a))", "(S (B b))"], ["(S (A a) (B b))"])
    >>> result.sentence_groups
    [[[0], [0, 1]]]

    Attributes:
        columns: `length` (words of the reference without those that parameters except), `matched` (brackets
            with a partner), `gold` and `test` (brackets of the reference and of the prediction), `cross`
            (predicted brackets that cross one of the reference), `words` (of the reference that are kept),
            `tags` (words whose tags are the same), `n_groups` (of words), `complete` (1 where all brackets
            have a partner), and `pairs` (1 where the pair was compared).
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._sources: list[_Source] = []

    def _add(self, first: int, counts: Counts) -> None:
        """Append a batch, with the sources of its pairs."""
        super()._add(first, counts)
        self._sources += counts.extra or []

    def _append(self, part: Result, *, shift: int) -> None:
        """Add the rows of another result; its sentences are numbered after those that are there."""
        if isinstance(part, AlignedScore):
            more = shift and max((source.predictions.stop for source in self._sources), default=0)
            super()._append(part, shift=shift)
            self._sources += [source.moved(shift, more) for source in part._sources]

    def _cut_out(self, places: Sequence[int], rows: Sequence[int]) -> Self:
        """Return some rows, with the sources of their pairs; see `Result._cut_out`."""
        part = super()._cut_out(places, rows)
        part._sources = [self._sources[place] for place in places]
        return part

    @property
    def groups(self) -> list[PairGroups]:
        """The sentences and the words of each pair; the trees are read again."""
        pairs = zip(self.sentence_groups, self.word_groups, strict=True)
        return [PairGroups(sentences, words) for sentences, words in pairs]

    @property
    def sentence_groups(self) -> list[list[list[int]]]:
        """The numbers of the sentences of each pair, of the reference and of the prediction."""
        len(self.status)  # refuses a result without rows
        return [[list(source.references), list(source.predictions)] for source in self._sources]

    @property
    def word_groups(self) -> list[list[Groups]]:
        """The words of each pair in groups, of the reference and of the prediction; see `PairGroups`."""
        len(self.status)  # refuses a result without rows
        counter: AlignedCounter = self.metric.counter()  # type: ignore[assignment]
        scanner = Scanner()
        scanner.intern("")  # so that there is a label at all, for no buffer may be empty
        trees = FlatTrees(), FlatTrees()
        found = []
        for source in self._sources:
            problems: Problems = {}
            for rows, own in zip(source.sides, trees, strict=True):
                problems |= rows.load(source.row, source.row + 1, "word", scanner, own)
            batch = Batch(*trees, scanner.labels, source.row, problems, source.sides)
            found.append(counter.word_groups(batch, 0))
        return found

    @property
    def short(self) -> Mapping[str, float]:
        """The figures of pairs up to the cutoff length, which for jp-evalb is 40 groups of words."""
        return self._section_sums("short").figures

    def _sections(self) -> dict[str, Sequence[int]]:
        """Return the pairs up to the cutoff length, which for jp-evalb is 40 groups of words."""
        options = self.metric.options
        cutoff = options.parameters.cutoff if options.parameters else Parameters().cutoff
        name, most = ("n_groups", _JP_LONGEST) if options.compat else ("length", cutoff)
        return {"short": [i for i, value in enumerate(self.columns[name]) if value <= most]}

    def per_sentence(self) -> Iterator[dict[str, Any]]:
        """Return one dict for each pair that was not skipped, with its groups."""
        groups = iter([g for g, state in zip(self.groups, self.status, strict=True) if self._shows(state)])
        for row in super().per_sentence():
            yield {**row, **next(groups)._asdict()}

    def _counts(self) -> dict[str, Any]:
        """Return the number of rows of each kind, and the figures of pairs up to the cutoff length."""
        measures = self.metric.MEASURES
        short = {measures[key].short: value for key, value in self.short.items() if key in measures}
        return {**super()._counts(), "short": short}


# ---- the metric ------------------------------------------------------------------------------------


def _check_compat(value: Any) -> str | None:
    if value in (None, "none"):
        return None
    if value not in MODES:
        raise ValueError(f"unknown compat {value!r}; choose from none, {', '.join(MODES)}")
    return str(value)


class AlignedParseval(Metric):
    """Aligned ParsEval with fixed options; see the module for its rules.

    The two sides need not have the same number of sentences; with documents, sentences are aligned within
    each.

    >>> gold, parsed = ["(S (NP (N cats)) (VP (V purr)))"], ["(S (NP (N cat) (N s)) (VP (V purr)))"]
    >>> AlignedParseval().corpus_score(parsed, gold).figures["aligned_parseval"]
    1.0

    Args:
        parameters: The labels and words that are deleted and taken for the same: `Parameters`, EVALB's
            parameter file, or the name of a built-in set. By default nothing is deleted.
        compat: None, or the figures of jp-evalb itself: by `default`, or with its option `-evalb`.
        on_error: `raise`, or count a pair with a sentence that cannot be read, or a word without a tag, as 0
            (`zero`) or not at all (`skip`).
    """

    name = "aligned_parseval"
    title = "Aligned ParsEval"
    pairs_itself = True
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
    def signature(self) -> str:
        """Every setting and the version, without MAX_ERROR, which changes no figure."""
        options = self.options
        values: dict[str, Any] = {"compat": options.compat or "none"}
        if options.parameters is None:
            values["parameters"] = "none"
        else:
            values |= {name: value for name, value in options.parameters._asdict().items() if value != ()}
            del values["max_error"]
        return sign(self.name, {**values, "on_error": options.on_error})

    def undefined(self, unit: str) -> str:
        """Return why the metric has no meaning for trees over that unit: it needs words."""
        return "it aligns words by their letters, not by their times" if unit == "time" else ""

    def pair(self, predictions: Rows, references: Rows, first: int) -> tuple[Rows, Rows]:
        """Return the sentences that belong together, in order."""
        if not len(predictions) or not len(references):
            return predictions, references
        if self.options.compat is not None:
            return pair_as_jp(predictions, references, first, JpRules(self.options))
        pairs = pair_sentences(predictions, references, first, _read_texts, align_sentences)
        return (predictions, references) if all(side.is_plain for side in pairs) else pairs

    def for_ranking(self) -> AlignedParseval:
        """Return the same metric, which counts sentences without a partner as failed."""
        if self.options.compat is not None:
            raise ValueError("jp-evalb leaves sentences out, which would pay in a ranking; leave compat out")
        return self

    def counter(self) -> AlignedCounter:
        """Return a new counter; every thread has one of its own."""
        return AlignedCounter(self.options)


def _read_texts(rows: Rows, first: int) -> list[str]:
    """Return each sentence without blanks, in lower case; those that cannot be read are empty."""
    return read_sentences(rows, first, lambda tree, row, problems: "".join(tree.words).lower())


# ---- one side of a pair ----------------------------------------------------------------------------


class Rules:
    """The rules for what is deleted, and what counts as the same.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        self._parameters: Parameters = options.parameters or Parameters()
        self._same = equal_labels(self._parameters.equal_labels)
        self._equal_words = {pair for a, b in self._parameters.equal_words for pair in ((a, b), (b, a))}
        self.bracket_label = cache(self._bracket_label)

    def same_labels(self, label: str) -> Collection[str]:
        """Return the labels, of brackets or of tags, that count as the same as one, with itself."""
        return self._same.get(label, (label,))

    def same_words(self, a: str, b: str) -> bool:
        """Return whether two words count as the same."""
        return a == b or (a, b) in self._equal_words

    def same_but_case(self, a: str, b: str) -> bool:
        """Return whether two words count as the same, or are the same but for case."""
        return self.same_words(a, b) or a.lower() == b.lower()

    def _bracket_label(self, label: str) -> str | None:
        """Return the label of a bracket as it is compared; None if the bracket does not count."""
        label = re.split("[-=]", label, maxsplit=1)[0]
        if label in _FRAMES or any(d in self.same_labels(label) for d in self._parameters.delete_labels):
            return None
        return label if self._parameters.labeled else ""

    def side(self, tree: PlainTree) -> Side:
        """Return one side of a pair, without what is deleted."""
        parameters = self._parameters
        tags: list[str | None] = [None] * len(tree.words)
        for label, size, first, last in zip(tree.labels, tree.sizes, tree.firsts, tree.lasts, strict=True):
            if size == 1 and last == first + 1:
                tags[first] = label
        kept = [
            not (
                tag in parameters.delete_labels
                or word in parameters.delete_words
                or (tag in parameters.quote_labels and word in QUOTES)
            )
            for tag, word in zip(tags, tree.words, strict=True)
        ]
        length = sum(
            tag not in parameters.delete_labels_for_length and word not in parameters.delete_words_for_length
            for tag, word in zip(tags, tree.words, strict=True)
        )
        rank = ranks_of(kept)
        brackets = []
        for label, size, first, last in zip(tree.labels, tree.sizes, tree.firsts, tree.lasts, strict=True):
            name = self.bracket_label(label) if size > 1 and rank[first] < rank[last] else None
            if name is not None:
                brackets.append((name, rank[first], rank[last]))
        return Side(
            [word for word, keep in zip(tree.words, kept, strict=True) if keep],
            [tag or "" for tag, keep in zip(tags, kept, strict=True) if keep],
            brackets,
            length,
            tags.index(None) if None in tags else -1,
        )


# ---- a pair ----------------------------------------------------------------------------------------


class AlignedCounter(PairCounter):
    """Counts the brackets of batches of pairs over groups of words.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(dict.fromkeys(COLUMNS, "i"), options)
        self._rules = Rules(options)
        self._jp = JpRules(options) if options.compat else None
        self._refused: dict[int, str] = {}  # messages for pairs of a batch that are errors to jp-evalb

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Return the counts of each pair; its number is that of its document or first reference."""
        self._refused.clear()
        counts = super().count(batch, by_label, left_out)
        references = batch.sides[1]
        numbers: Sequence[int] = range(batch.first, batch.first + len(batch))
        if isinstance(references, PairedRows):
            numbers = [references.number(row) for row in numbers]
        problems: Problems = {}
        remarks: list[tuple[int, str, bool]] = []
        for row, error in counts.problems.items():
            number = numbers[row - batch.first]
            if problems.setdefault(number, error) is not error:  # another pair of the same document
                remarks.append((number, str(error), True))
        for t, message in self._refused.items():
            counts.status[t] = ERROR
            remarks.append((numbers[t], message, True))
        columns = dict(counts.columns)
        brackets = zip(columns["matched"], columns["gold"], columns["test"], counts.status, strict=True)
        columns["pairs"] = array("i", (state in (VALID, EMPTY) for state in counts.status))
        columns["complete"] = array("i", (m == g == p and state == VALID for m, g, p, state in brackets))
        return Counts(columns, counts.status, problems, remarks, rows=numbers, extra=_sources(batch))

    def compare(self, batch: Batch, t: int) -> tuple[Sequence[int], bool]:
        """Return the counts of a pair, and whether only the reference has words."""
        pred, ref = self._sides(batch, t)
        names = batch.names(t)
        if self._jp is not None:
            return self._count_as_jp(batch, t, pred, ref), False
        for side, trees, name in zip((pred, ref), (batch.predictions, batch.references), names, strict=True):
            if side.untagged >= 0:
                raise TreeFormatError(describe_untagged(trees.word(t, side.untagged), side.untagged, name))
        return self._count(pred, ref), bool(ref.words) and not pred.words

    def count_apart(self, batch: Batch, t: int) -> Sequence[int]:
        """Return the counts of a pair that cannot be compared, in which nothing matches."""
        pred, ref = self._sides(batch, t)
        gold, test, n_groups = len(ref.brackets), len(pred.brackets), max(len(pred.words), len(ref.words))
        if pred.untagged >= 0 or ref.untagged >= 0:
            gold = test = n_groups = 0
        return ref.length, 0, gold, test, 0, len(ref.words), 0, n_groups

    def word_groups(self, batch: Batch, t: int) -> list[Groups]:
        """Return the words of the reference and of the prediction of a pair in groups."""
        pred, ref = self._sides(batch, t)
        return list(self._group(pred, ref))[::-1]

    def _sides(self, batch: Batch, t: int) -> tuple[Side, Side]:
        rules = self._jp or self._rules
        pred, ref = (
            rules.side(plain_tree(trees, t, batch.labels)) for trees in (batch.predictions, batch.references)
        )
        return pred, ref

    def _group(self, pred: Side, ref: Side) -> tuple[Groups, Groups]:
        if self._jp is None:
            return group_words(pred.words, ref.words, self._rules.same_but_case)
        try:
            return group_words(pred.words, ref.words, self._jp.same_but_case, as_jp=True)
        except IndexError:
            raise TreeMismatchError(
                f"jp-evalb ends with IndexError where it aligns {brief(' '.join(pred.words))} with "
                f"{brief(' '.join(ref.words))}; {CURE}"
            ) from None

    def _count(self, pred: Side, ref: Side) -> Sequence[int]:
        """Return the counts of a pair by the metric's own rules."""
        groups = self._group(pred, ref)
        of_pred, of_ref = map(_numbers, groups)
        gold, test = _in_groups(ref.brackets, of_ref), _in_groups(pred.brackets, of_pred)
        matched = cross = tags = 0
        if pred.words and ref.words:
            matched = count_matched(test, gold, self._rules.same_labels)
            cross = count_crossing(test, gold)
            tags = self._count_tags(pred, ref, of_pred, of_ref)
        n_groups = len(groups[1] or groups[0])
        return ref.length, matched, len(gold), len(test), cross, len(ref.words), tags, n_groups

    def _count_tags(self, pred: Side, ref: Side, of_pred: Sequence[int], of_ref: Sequence[int]) -> int:
        """Return how many words of the reference have the same tag in their group of the prediction."""
        n_right = 0
        free: dict[int, list[int]] = {}  # words of the prediction without a partner, by group
        for i, group in enumerate(of_pred):
            free.setdefault(group, []).append(i)
        for tag, word, group in zip(ref.tags, ref.words, of_ref, strict=True):
            for i in free.get(group, ()):
                same = self._rules.same_words(word, pred.words[i])
                if same and pred.tags[i] in self._rules.same_labels(tag):
                    free[group].remove(i)
                    n_right += 1
                    break
        return n_right

    def _count_as_jp(self, batch: Batch, t: int, pred: Side, ref: Side) -> Sequence[int]:
        """Return the counts of a pair as jp-evalb has them."""
        rules: JpRules = self._jp  # type: ignore[assignment]
        groups = self._group(pred, ref)
        references = batch.sides[1]
        length = ref.length
        if isinstance(references, PairedRows):
            length = len(ref.words) + references.extra[batch.first + t - references.first]
        if rules.is_positional and len(pred.words) != len(ref.words):
            names = batch.names(t)
            n_words = count(len(pred.words), "word")
            self._refused[t] = f"word counts differ: {n_words} in {names[0]}, {len(ref.words)} in {names[1]}"
            return length, 0, 0, 0, 0, 0, 0, len(ref.words)
        of_pred, of_ref = map(_numbers, groups)
        test = [b for b in _in_groups(pred.brackets, of_pred) if b[0] not in ("TOP", "", "S1")]
        gold = [b for b in _in_groups(ref.brackets, of_ref) if b[0] not in ("TOP", "")]
        common = set(test) & set(gold)
        matched = len(common)
        rest = [bracket for bracket in test if bracket not in common]
        for label, *span in gold:
            if (label, *span) not in common:
                matched += sum(span == other and rules.same(label, name) for name, *other in rest)
        tagged = [list(zip(side.tags, side.words, strict=True)) for side in (pred, ref)]
        if rules.is_positional:
            tags = sum(map(tuple.__eq__, *tagged))
        else:
            tags = (Tally(tagged[0]) & Tally(tagged[1])).total()
        cross = count_crossing(test, gold)
        return length, matched, len(gold), len(test), cross, len(ref.words), tags, len(groups[1])


def _sources(batch: Batch) -> list[_Source]:
    """Return the sources of the pairs of a batch."""
    predictions, references = batch.sides
    found = []
    for row in range(batch.first, batch.first + len(batch)):
        sentences = range(row, row + 1), range(row, row + 1)
        apart = False
        if isinstance(predictions, PairedRows) and isinstance(references, PairedRows):
            sentences = references.sentences(row), predictions.sentences(row)
            apart = references.apart
        found.append(_Source(batch.sides, row, *sentences, apart))
    return found


def group_words(
    pred: Sequence[str], ref: Sequence[str], same: Callable[[str, str], bool], *, as_jp: bool = False
) -> tuple[Groups, Groups]:
    """Return the words of both sides in groups; a word that is paired with a single word is not in a list.

    >>> group_words(["cat", "s", "purr"], ["cats", "purr"], str.__eq__)
    ([['cat', 's'], 'purr'], [['cats'], 'purr'])

    Args:
        pred: The words of the prediction.
        ref: The words of the reference.
        same: A function that returns whether two words are the same.
        as_jp: Whether to raise an IndexError where jp-evalb does: where a group of several words reaches the
            last word of one side and not that of the other.
    """
    if not pred or not ref:
        return list(pred), list(ref)
    groups: tuple[Groups, Groups] = ([], [])
    left_pred, left_ref = sum(map(len, pred)), sum(map(len, ref))  # letters after the group
    n, m = len(pred), len(ref)
    i = j = 0
    while i < n and j < m:
        ours, theirs = [pred[i]], [ref[j]]
        left_pred -= len(pred[i])
        left_ref -= len(ref[j])
        i, j = i + 1, j + 1
        if same(ours[0], theirs[0]) or (i == n and j == m):
            groups[0].append(ours[0])
            groups[1].append(theirs[0])
            continue
        while i < n and j < m and not same(pred[i], ref[j]) and left_pred != left_ref:
            if left_pred > left_ref:
                ours.append(pred[i])
                left_pred -= len(pred[i])
                i += 1
            else:
                theirs.append(ref[j])
                left_ref -= len(ref[j])
                j += 1
        if (i == n) != (j == m):  # one side ends, and the group takes the rest of the other
            if as_jp and len(ours) + len(theirs) > 2:
                raise IndexError
            ours += pred[i:]
            theirs += ref[j:]
            i, j = n, m
        groups[0].append(ours)
        groups[1].append(theirs)
    rest = list(pred[i:]), list(ref[j:])  # of one side, which joins the last group
    for own, words in zip(groups, rest, strict=True):
        if words or (any(rest) and not as_jp):
            own[-1] = ([own[-1]] if isinstance(own[-1], str) else own[-1]) + words
    return groups


def _numbers(groups: Groups) -> list[int]:
    """Return the number of the group of each word."""
    return [g for g, group in enumerate(groups) for _ in ([group] if isinstance(group, str) else group)]


def _in_groups(brackets: Sequence[Bracket], numbers: Sequence[int]) -> list[Bracket]:
    """Return brackets with spans counted in groups."""
    return [(label, numbers[start], numbers[end - 1] + 1) for label, start, end in brackets]


def count_matched(
    test: Sequence[Bracket], gold: Sequence[Bracket], same_labels: Callable[[str], Collection[str]]
) -> int:
    """Return how many brackets have a partner with the same span and a label that counts as the same.

    For each span, the brackets of the reference are taken from the outermost in, each with the outermost
    bracket of the prediction that fits and has no partner yet.
    """
    free: dict[Bracket, list[int]] = {}  # places of predicted brackets, the outermost last
    for place, bracket in enumerate(test):
        free.setdefault(bracket, []).append(place)
    matched = 0
    for label, start, end in reversed(gold):
        places = [free.get((other, start, end)) for other in same_labels(label)]
        best = max((own for own in places if own), key=lambda own: own[-1], default=None)
        if best is not None:
            best.pop()
            matched += 1
    return matched
