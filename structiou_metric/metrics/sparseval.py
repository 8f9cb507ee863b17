"""SParseval (Roark et al. 2006): brackets and dependencies of speech, whose words may be misrecognised.

All roots are called `TOP`. Labels are cut before their first `-` or `=` that is neither first nor last. Empty
nodes vanish; deleted words vanish, and deleted brackets leave their children; and words that the speaker
takes back (`EDITED`) are flattened, raised from the edges of brackets, and joined with their neighbours:
every run of edited words is one bracket, and any other bracket reaches from its first to its last word that
is not edited.

Aligned words share a position; a bracket spans from the end of the word before it in its own tree to the end
of its last word. With m brackets that have equal labels and spans on both sides, p predicted and r reference
ones, precision is m / p, recall m / r, and F1 2 m / (p + r).

Head rules give every word except edited ones a dependency: the outermost bracket that has the word as its
head depends on the bracket around it. Two dependencies are the same if the dependent words are at the same
position, and the labels of both brackets and both words are equal; the governing word may be at any position.
Words are equal if they differ only in case and hyphens, or if the parameters declare them equal. Figures of
dependencies are made like those of brackets, and again for the dependencies between words of open classes.

Differences from the program SParseval:

- it aligns words by position, or by an alignment file; here the default is a least-cost edit path;
- it takes any two characters 32 code points apart for the same, such as `N` and `.`; here only case is
  ignored;
- a word that joins two entries of an alignment reaches to the end of the second entry, and a word that only
  the other side cuts into pieces reaches to the end of its entry;
- an alignment whose words are not those of the trees is an error, not a warning;
- in the mode `bag` it compares only a band of the dependencies if there are more than 2,000; here all are;
- F1, recall and precision of nothing on both sides are 1; it prints `nan`;
- unknown lines of a parameter file give a warning.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.edit_path import EditPath, Sames
from ..errors import TreeMismatchError
from ..wording import brief, count
from .base import Measure, Option, Options, ratio
from .brackets import ASIDE, complete_match, count_crossing, crossing_measures, describe_untagged
from .metric import ON_ERROR, Metric, sign
from .pairs import PairCounter, PlainTree, plain_tree, ranks_of
from .speech_files import (
    BUILT_IN_PARAMETERS,
    DEFAULT,
    NO_HEADS,
    Alignments,
    HeadRules,
    Label,
    SpeechParameters,
    as_alignments,
    as_heads,
    as_parameters,
    normal,
    place_by_number,
)

if TYPE_CHECKING:
    from ..sources.rows import Rows
    from .base import Batch
    from .results import Result
    from .speech_files import Rule, Spans

__all__ = ["Alignments", "HeadRules", "Sparseval", "SpeechParameters"]

_COUNTS = ("match", "gold", "test")
COLUMNS = (*_COUNTS, "cross", *(f"{what}_{name}" for what in ("head", "open") for name in _COUNTS))

MODES = ("edit", "position", "bag")

_TOP = "TOP"  # the name of every root, and the word on which the head of a tree depends
_KNOWN = 1 << 16  # brackets with their children whose heads are remembered

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


# ---- figures ---------------------------------------------------------------------------------------


def f_measure(match: Any, gold: Any, test: Any) -> Any:
    """Return the harmonic mean of recall and precision; 1 for nothing, where SParseval prints `nan`."""
    return ratio(2.0 * match, gold + test, 1.0)


def share(match: Any, own: Any, other: Any) -> Any:
    """Return the matched share of a side; for nothing, 1 if the other side has nothing either."""
    return ratio(match, own, other == 0)


def _measures(prefix: str, what: str, key: str, short: str) -> dict[str, Measure]:
    """Return the F1, recall and precision of brackets or dependencies."""
    match, gold, test = f"{prefix}match", f"{prefix}gold", f"{prefix}test"
    part = f"{short}_" if short else ""
    return {
        key: Measure(f"{what} F1", f_measure, (match, gold, test), short=f"{part}f1"),
        f"{key}_recall": Measure(
            f"{what} recall", share, (match, gold, test), short=f"{part}recall", **ASIDE
        ),
        f"{key}_precision": Measure(
            f"{what} precision", share, (match, test, gold), short=f"{part}precision", **ASIDE
        ),
    }


BRACKETS = {
    **_measures("", "bracket", "sparseval", ""),
    "sparseval_complete_match": complete_match(
        lambda match, gold, test: 1.0 * ((match == gold) & (gold == test)), "match", "gold", "test"
    ),
    **crossing_measures("sparseval", "cross"),
}
DEPENDENCIES = {
    **_measures("head_", "head dependency", "sparseval_heads", "heads"),
    **_measures("open_", "open-class dependency", "sparseval_open", "open"),
}


class _Measures:
    """All measures for the class; for an object those that its options count."""

    def __get__(self, metric: Sparseval | None, owner: type) -> Mapping[str, Measure]:
        if metric is None:
            return {**BRACKETS, **DEPENDENCIES}
        found = {} if metric.is_bag else BRACKETS
        return found if metric.options.heads == NO_HEADS else {**found, **DEPENDENCIES}


# ---- the metric ------------------------------------------------------------------------------------


class Sparseval(Metric):
    """SParseval with fixed options; see the module for its rules.

    The headline is the F1 of brackets, or in the mode `bag`, in which there are none, of dependencies. A row
    is a sentence or, with `documents`, the side of a conversation, whose sentences may be segmented
    differently. Two sides without any words agree; in a prediction without words nothing matches.

    >>> prediction = "(S1 (S (NP (PRP it)) (VP (VBZ 's) (NP (NNP Monday)))))"
    >>> reference = "(S1 (S (INTJ (UH uh)) (NP (PRP it)) (VP (VBZ 's) (NP (NN money)))))"
    >>> result = Sparseval().corpus_score([prediction], [reference])
    >>> [result.columns[name][0] for name in ("match", "gold", "test", "head_match")]
    [3, 5, 4, 2]

    Columns: `match`, `gold`, `test` (brackets that are equal, of the reference and of the prediction),
    `cross` (predicted brackets that cross one of the reference), `head_match`, `head_gold`, `head_test` (the
    same of dependencies), and `open_match`, `open_gold`, `open_test` (those between words of open classes).

    Args:
        parameters: The labels and words that are deleted and taken for the same: `SpeechParameters`, a file,
            or the name of a built-in set, `english` or `none`.
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

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        values = self.options.as_dict()
        if values["heads"] is None:
            is_built_in = values["parameters"] in BUILT_IN_PARAMETERS.values()
            values["heads"] = "english" if is_built_in else NO_HEADS
        values["heads"] = as_heads(values["heads"])
        self.options = Options(values)
        if self.is_bag and self.options.heads == NO_HEADS:
            raise ValueError("the mode 'bag' compares dependencies only; give it head rules (heads)")

    @property
    def is_bag(self) -> bool:
        """Whether words are not aligned, so that there are no brackets to compare."""
        return self.options.mode == "bag" and self.options.alignment is None

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
        lists = {name: value for name, value in parameters._asdict().items() if value != ()}
        return sign(self.name, {**settings, **lists})

    def undefined(self, unit: str) -> str:
        """Return why the metric has no meaning for trees over that unit: it needs words."""
        return "it compares words, and trees over seconds need none" if unit == "time" else ""

    def counter(self) -> SparsevalCounter:
        """Return a new counter; every thread has one of its own."""
        return SparsevalCounter(self.options)

    def corpus_score(
        self, predictions: Iterable[Any] | Rows, references: Iterable[Any] | Rows, **settings: Any
    ) -> Any:
        """Score two lists of trees, or of documents; the arguments are those of `Metric.corpus_score`."""
        result: Result = super().corpus_score(predictions, references, **settings)
        alignment: Alignments | None = self.options.alignment
        if alignment is not None and len(alignment) > len(result):
            raise TreeMismatchError(
                f"{alignment.source} aligns {count(len(alignment), 'row')}, but there are {len(result)} to "
                "score; give one alignment for each"
            )
        return result


# ---- words -----------------------------------------------------------------------------------------


class SameWords:
    """Compares words, and aligns those of two sides.

    Args:
        parameters: The parameters, which declare words equal.
    """

    def __init__(self, parameters: SpeechParameters) -> None:
        pauses: dict[str, str] = {}
        for kind, word in parameters.filled_pauses:
            pauses[normal(word)] = kind  # the last line with a word decides its class
        pairs = [(normal(a), normal(b)) for a, b in parameters.equal_words]
        pairs += [(a, b) for a in pauses for b in pauses if pauses[a] == pauses[b]]
        self._pairs = {*pairs, *((b, a) for a, b in pairs)}
        self._numbers = {word: number for number, word in enumerate(dict.fromkeys(a for a, _ in self._pairs))}
        self._path = EditPath(Sames([(self._numbers[a], self._numbers[b]) for a, b in self._pairs]))

    def same(self, a: str | None, b: str | None) -> bool:
        """Return whether two words in their normal form count as the same; None is the same as no word."""
        return (a == b and a is not None) or (a, b) in self._pairs

    def align(self, pred: Sequence[str], ref: Sequence[str]) -> tuple[Spans, Spans]:
        """Return the positions of words in their normal form by a least-cost edit path, a position a step."""
        numbers = dict(self._numbers)
        sides = [[numbers.setdefault(word, len(numbers)) for word in words] for words in (ref, pred)]
        ref_spans: Spans = []
        pred_spans: Spans = []
        for at, (i, j) in enumerate(self._path.path(*sides)):
            if i >= 0:
                ref_spans.append((at, at + 1))
            if j >= 0:
                pred_spans.append((at, at + 1))
        return pred_spans, ref_spans


# ---- one side of a pair ----------------------------------------------------------------------------


class Utterance:
    """A tree, or a run of trees under one root, without what is empty.

    Args:
        tree: The tree.
        labels: The rule for the label of each node.
        deletes_first: Whether deleted words vanish at once; otherwise they still separate edited words from
            the edges of brackets, and vanish only when brackets are found.

    Attributes:
        words: The words.
        tags: Their tags.
        edited: The name of the edited bracket that each word is in, or None.
        deleted: Whether each word is deleted after all.
        untagged: The number in the tree of a word without a tag of its own, or -1.
    """

    def __init__(self, tree: PlainTree, labels: Sequence[Label], deletes_first: bool) -> None:
        sizes, firsts, lasts = tree.sizes, tree.firsts, tree.lasts
        n_words = len(tree.words)
        tags: list[Label | None] = [None] * n_words
        edited: list[str | None] = [None] * n_words
        empty = [False] * n_words
        nodes: list[int] = []  # brackets below the roots that may count
        root = len(labels) - 1
        for i in range(len(labels) - 1, -1, -1):  # outer brackets come first
            label, first, last = labels[i], firsts[i], lasts[i]
            is_root = i == root
            if is_root:
                root -= sizes[i]
            if sizes[i] == 1 and last - first == 1:
                tags[first] = label
            elif is_root:
                continue  # all roots are called TOP
            elif not (label.empties or label.edits or label.deletes):
                nodes.append(i)
            if label.empties:
                empty[first:last] = [True] * (last - first)
            elif label.edits and first < last and edited[first] is None and not empty[first]:
                edited[first:last] = [label.name] * (last - first)
        self.words: list[str] = []
        self.tags: list[Label] = []
        self.edited: list[str | None] = []
        self.deleted: list[bool] = []
        self.untagged = -1
        n_before = []  # words before each word of the tree
        for k, tag in enumerate(tags):
            n_before.append(len(self.words))
            if empty[k]:
                continue
            if tag is None:
                self.untagged = k if self.untagged < 0 else self.untagged
            elif not (deletes_first and tag.deletes):
                self.words.append(tree.words[k])
                self.tags.append(tag)
                self.edited.append(edited[k])
                self.deleted.append(tag.deletes)
        n_before.append(len(self.words))
        self._nodes = [(labels[i].name, n_before[firsts[i]], n_before[lasts[i]]) for i in reversed(nodes)]

    def brackets(self) -> list[tuple[str, int, int, bool]]:
        """Return the name, first and last word of each bracket below the root, and whether it is edited.

        They come in postorder. Those without a word that is not deleted are left out.
        """
        n = len(self.words)
        n_kept = ranks_of([not deleted for deleted in self.deleted])
        runs: list[tuple[int, int]] = []  # of edited words
        plain_from, plain_until = list(range(n + 1)), list(range(n + 1))  # the next word that is not edited
        for k in range(n - 1, -1, -1):
            if self.edited[k] is not None:
                plain_from[k] = plain_from[k + 1]
        for k in range(n):
            if self.edited[k] is not None:
                plain_until[k + 1] = plain_until[k]
                if k and self.edited[k - 1] is not None:
                    runs[-1] = runs[-1][0], k + 1
                else:
                    runs.append((k, k + 1))
        found: list[tuple[str, int, int, bool]] = []
        runs.reverse()

        def add_runs(until: int) -> None:
            while runs and runs[-1][0] < until:
                lo, hi = runs.pop()
                found.append((self.edited[lo] or "", lo, hi, True))

        for name, first, last in self._nodes:
            lo, hi = plain_from[first], plain_until[last]
            if lo < hi:
                add_runs(hi)
                found.append((name, lo, hi, False))
        add_runs(n)
        return [bracket for bracket in found if n_kept[bracket[1]] < n_kept[bracket[2]]]


# ---- heads and dependencies ------------------------------------------------------------------------


class Dependency(NamedTuple):
    """A word that depends on another.

    Attributes:
        place: Where the word begins.
        word: The word in its normal form.
        governor: The governing word in its normal form; None if it is edited.
        outer: The label of the governing bracket.
        inner: The label of the outermost bracket that the word is the head of, or its tag.
        is_open: Whether both words are of open classes.
    """

    place: int
    word: str
    governor: str | None
    outer: str
    inner: str
    is_open: bool


class _Child(NamedTuple):
    """A bracket or a word whose bracket around it is not read yet; its head is a word, or None if edited."""

    first: int
    name: str
    head: int | None
    is_edit: bool


class HeadFinder:
    """Finds the heads of brackets, and the dependencies that follow from them.

    The head of a bracket is its head child, if that is a word, or the head of that child. The heads of all
    other children depend on the head of the bracket. An edited bracket is the head child only if no other
    child fits the same rule, and it has no head word.

    Args:
        rules: The head rules.
        closes_top: Whether the root is of a closed class.
        keeps_headless: Whether dependencies on edited brackets count; they match nothing.
    """

    def __init__(self, rules: HeadRules, closes_top: bool, keeps_headless: bool) -> None:
        self._rules = rules
        self._closes_top = closes_top
        self._keeps_headless = keeps_headless
        self._head_place = lru_cache(_KNOWN)(self._find_place)

    def find(self, side: Utterance, places: Sequence[int], name: str) -> list[Dependency]:
        """Return the dependencies of an utterance, in the order of the words that depend.

        Args:
            side: The utterance.
            places: The position at which each of its words begins.
            name: The name of the tree in errors.
        """
        found: dict[int, Dependency] = {}
        waiting: list[_Child] = []
        n_read = 0

        def read_words(until: int) -> int:
            for k in range(n_read, until):
                if side.edited[k] is None and not side.deleted[k]:
                    waiting.append(_Child(k, side.tags[k].name, k, False))
            return max(n_read, until)

        def depend(child: _Child, governor: int | None, outer: str, *, on_top: bool = False) -> None:
            if child.head is None or (governor is None and not on_top and not self._keeps_headless):
                return
            is_open = not side.tags[child.head].closes
            if governor is not None:
                is_open = is_open and not side.tags[governor].closes
            elif on_top:
                is_open = is_open and not self._closes_top
            words = side.words
            text = normal(_TOP) if on_top else None if governor is None else normal(words[governor])
            found[child.head] = Dependency(
                places[child.head], normal(words[child.head]), text, outer, child.name, is_open
            )

        for label, first, last, is_edit in side.brackets():
            n_read = read_words(last)
            if is_edit:
                waiting.append(_Child(first, label, None, True))
                continue
            base = len(waiting)
            while base and waiting[base - 1].first >= first:
                base -= 1
            children = waiting[base:]
            del waiting[base:]
            place = self._head_place(label, tuple([(child.name, child.is_edit) for child in children]))
            if place is None:
                raise self._misfit(label, children, name)
            head = children[place].head
            for k, child in enumerate(children):
                if k != place:
                    depend(child, head, label)
            waiting.append(_Child(first, label, head, False))
        read_words(len(side.words))
        for child in waiting:
            depend(child, None, _TOP, on_top=True)
        return [found[word] for word in sorted(found)]

    def _find_place(self, label: str, children: Sequence[tuple[str, bool]]) -> int | None:
        """Return the place of the head among children, which may be edited; None if no rule fits."""
        rules: Sequence[Rule] = (*self._rules.rules.get(label, ()), *self._rules.rules[DEFAULT])
        for from_left, labels in rules:
            fits = [k for k, (name, _) in enumerate(children) if not labels or name in labels]
            fits = [k for k in fits if not children[k][1]] or fits  # edited ones if there are no others
            if fits:
                return fits[0] if from_left else fits[-1]
        return None

    def _misfit(self, label: str, children: Sequence[_Child], name: str) -> TreeMismatchError:
        labels = brief(" ".join(child.name for child in children))
        return TreeMismatchError(
            f"{self._rules.where(label)}: no rule for {label}, nor for {DEFAULT}, fits a bracket over "
            f"{labels} in {name}; end the rules of {DEFAULT} with (l) or (r), which takes any child"
        )


# ---- a pair ----------------------------------------------------------------------------------------


class SparsevalCounter(PairCounter):
    """Counts the brackets and dependencies of batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(dict.fromkeys(COLUMNS, "i"), options)
        self._alignment: Alignments | None = options.alignment
        self._mode: str = options.mode if options.alignment is None else "given"
        self._labeled: bool = options.labeled
        self._words = SameWords(options.parameters)
        self._label = cache(options.parameters.label)
        self._top = self._label(_TOP)
        self._heads = None
        if options.heads != NO_HEADS:
            self._heads = HeadFinder(options.heads, self._top.closes, self._mode == "bag")

    def compare(self, batch: Batch, t: int) -> tuple[Sequence[int], bool]:
        """Return the counts of a pair, and whether only the reference has words."""
        names = batch.names(t)
        pred, ref = self._sides(batch, t)
        for side, trees, name in zip((pred, ref), (batch.predictions, batch.references), names, strict=True):
            if side.untagged >= 0:
                raise TreeMismatchError(describe_untagged(trees.word(t, side.untagged), side.untagged, name))
        pred_spans, ref_spans = self._place(batch.first + t, pred, ref, names)
        match, gold, test, cross = self._count_brackets(pred, pred_spans, ref, ref_spans)
        heads: tuple[int, ...] = (0,) * 6
        if self._heads is not None:
            ours = self._heads.find(pred, [start for start, _ in pred_spans], names[0])
            theirs = self._heads.find(ref, [start for start, _ in ref_spans], names[1])
            heads = self._count_dependencies(ours, theirs)
        failed = not all(ref.deleted) and all(pred.deleted)
        return (match, gold, test, cross, *heads), failed

    def count_apart(self, batch: Batch, t: int) -> Sequence[int]:
        """Return the brackets and dependencies that each side has."""
        brackets, heads, opens = [], [], []
        for side, name in zip(self._sides(batch, t), batch.names(t), strict=True):
            spans = [(k, k + 1) for k in range(len(side.words))]
            brackets.append(0 if self._mode == "bag" else len(self._spans(side, spans)))
            found: list[Dependency] = []
            if self._heads is not None:
                with suppress(TreeMismatchError):  # if no rule fits, there are no dependencies
                    found = self._heads.find(side, range(len(spans)), name)
            heads.append(len(found))
            opens.append(sum(dependency.is_open for dependency in found))
        return 0, *brackets[::-1], 0, 0, *heads[::-1], 0, *opens[::-1]

    def _sides(self, batch: Batch, t: int) -> tuple[Utterance, Utterance]:
        """Return the prediction and the reference of a pair."""
        found = []
        for trees in (batch.predictions, batch.references):
            tree = plain_tree(trees, t, batch.labels)
            labels = [self._label(label) for label in tree.labels]
            found.append(Utterance(tree, labels, self._mode != "position"))
        return found[0], found[1]

    def _place(
        self, row: int, pred: Utterance, ref: Utterance, names: tuple[str, str]
    ) -> tuple[Spans, Spans]:
        """Return the positions of all words of both sides; in the mode `position`, mark words as deleted."""
        if self._alignment is not None:
            alignment = self._alignment.row(row)
            same = lambda a, b: self._words.same(normal(a), normal(b))  # noqa: E731
            ref_spans, pred_spans, _ = alignment.place((ref.words, pred.words), names[::-1], same)
            return pred_spans, ref_spans
        if self._mode == "edit":
            return self._words.align([normal(w) for w in pred.words], [normal(w) for w in ref.words])
        ref_spans = [(k, k + 1) for k in range(len(ref.words))]
        if self._mode == "bag":
            return [(k, k + 1) for k in range(len(pred.words))], ref_spans
        pred_spans = place_by_number(pred.words, ref.words, names)
        for k, (at, _) in enumerate(pred_spans):  # words at the place of deleted ones are deleted, too
            pred.deleted[k] = pred.deleted[k] or ref.deleted[at]
        return pred_spans, ref_spans

    def _spans(self, side: Utterance, spans: Spans) -> list[tuple[str, int, int]]:
        """Return the brackets of a side, from the end of the word before to the end of the last word."""
        kept = [not deleted for deleted in side.deleted]
        n_before = ranks_of(kept)
        ends = [0, *(end for (_, end), keep in zip(spans, kept, strict=True) if keep)]
        brackets = [(name, ends[n_before[lo]], ends[n_before[hi]]) for name, lo, hi, _ in side.brackets()]
        if not self._top.deletes and len(ends) > 1:
            brackets.append((_TOP, 0, ends[-1]))
        return brackets if self._labeled else [("", start, end) for _, start, end in brackets]

    def _count_brackets(
        self, pred: Utterance, pred_spans: Spans, ref: Utterance, ref_spans: Spans
    ) -> tuple[int, int, int, int]:
        """Return how many brackets are equal, of the reference, of the prediction, and crossing."""
        if self._mode == "bag":
            return 0, 0, 0, 0
        test, gold = self._spans(pred, pred_spans), self._spans(ref, ref_spans)
        match = (Tally(test) & Tally(gold)).total()
        return match, len(gold), len(test), count_crossing(test, gold)

    def _count_dependencies(self, pred: Sequence[Dependency], ref: Sequence[Dependency]) -> tuple[int, ...]:
        """Return the dependencies that are equal, of the reference, and of the prediction; then open ones."""
        if self._mode == "bag":
            match, open_match = self._match_in_order(ref, pred)
        else:
            places = {dependency.place: dependency for dependency in ref}
            both = [(d, places[d.place]) for d in pred if d.place in places]
            same = [(a, b) for a, b in both if self._same(b, a)]
            match, open_match = len(same), sum(a.is_open and b.is_open for a, b in same)
        opens = (sum(dependency.is_open for dependency in side) for side in (ref, pred))
        return match, len(ref), len(pred), open_match, *opens

    def _same(self, a: Dependency, b: Dependency) -> bool:
        """Return whether two dependencies are the same, except for their places."""
        if self._labeled and (a.outer != b.outer or a.inner != b.inner):
            return False
        return self._words.same(a.word, b.word) and self._words.same(a.governor, b.governor)

    def _match_in_order(self, ref: Sequence[Dependency], pred: Sequence[Dependency]) -> tuple[int, int]:
        """Return the length of a longest common subsequence, read from the end, and its open dependencies.

        Several may be longest, with different numbers of open dependencies; SParseval's order of steps
        decides. A cell continues the one to its left; the one above, if that is longer; or the one above on
        the left, if that is not shorter. In the last case its pair is tried, unless the rest could not exceed
        the best so far.
        """
        above = [(0, 0)] * (len(pred) + 1)
        best = 0
        for left in range(len(ref) - 1, -1, -1):
            row = [(0, 0)]
            for j, candidate in enumerate(reversed(pred), 1):
                cell = row[-1]
                if above[j][0] > cell[0]:
                    cell = above[j]
                if above[j - 1][0] >= cell[0]:
                    cell = above[j - 1]
                    if cell[0] + 1 + left > best and self._same(ref[left], candidate):
                        cell = cell[0] + 1, cell[1] + (ref[left].is_open and candidate.is_open)
                        best = max(best, cell[0])
                row.append(cell)
            above = row
        return above[-1]
