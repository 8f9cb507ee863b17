"""TedEval (Tsarfaty, Nivre and Andersson 2011, 2012): which nodes must be inserted and deleted.

Nodes are all brackets, preterminals and the root among them, and all words; each has a label (a word its
form) and a span of positions. With A and B the nodes of the two trees, the distance is |A △ B|, the number of
nodes that only one side has: as renaming is ruled out and nesting follows from spans, no shorter way leads
from one tree to the other. The score of a pair is `1 - distance / (|A| + |B| - roots of both)`, but not less
than 0.

By default:

- Each node is counted as often as it occurs: a doubled unary, `NP` over `NP`, is two nodes, and without
  labels (`labeled=False`) each bracket of a unary chain counts. The order in a chain does not matter.
- Every word is a node, and never the same as a bracket with the same letters, such as that of `(, ,)`.
- Labels and words are compared without regard to upper and lower case. Function tags count: `NP-SBJ` is
  not `NP`.
- Brackets without words do not count. The option `drop` drops an outermost bracket without a label that wraps
  one tree, and traces (`-NONE-`) with the brackets that they leave empty. Any other root, also `TOP`, counts.

With `compat` the figures are those of the program TedEval 2.2, whose nodes are a set: doubled unaries count
once, without labels a unary chain is one node, and a tag and a word with the same letters are one node; the
words `-`, `--` and `;` do not count; labels are compared without their hyphens, so that `-LRB-` is one node
as a tag and another one as a word, and `NP-SBJ` is the same as `NPSBJ`; and nothing is dropped.

Without segments every word takes one position, its form may differ, and both sides need the same number of
words. With segments, both sides need the same written words, which may be cut into different segments. The
segments, which are the words of the trees, come in lists or in a file with a line
`word<TAB>segment1:segment2:…` for each written word, and a blank line after each sentence. A word that is its
own segment, such as `10:30<TAB>10:30`, is not cut. Segments of the two sides are put on one axis word by
word, so that common ones, by a longest common subsequence of equal forms, begin at the same position. A word
takes as many positions as the side with more segments has, or more where common segments push others back;
the last segments of both sides are stretched to its end. (TedEval 2.2 stretches the last one only up to the
number of segments, so that `dag:dag` ends before `dag:o`, whose `dag` it aligns with the second one of the
other side. It is not known where it puts the words after such a word; here they begin after both.)

A failed parse, a prediction without words, scores 0, and all nodes of the reference must be inserted. Two
trees without words agree. If a row is a document, each of its trees has a root.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.flat import FlatNodes, FlatTrees
from .._core.scan import Scanner
from ..errors import TreeMismatchError
from ..sources.rows import as_rows, check_as_many
from ..wording import brief, count
from .base import EMPTY, SKIPPED, VALID, ZEROED, Counts, Measure, Option, Options
from .metric import ON_ERROR, Metric, sign
from .pairs import PairCounter
from .results import Result, result_of
from .selection import Selection, check_drop
from .settings import Segments

if TYPE_CHECKING:
    from ..sources.rows import Problems, Rows
    from .base import Batch
    from .settings import Word

    Nodes = Counter[tuple[Any, ...]]  # name, first and last position, half-open; words begin with "word"
    Spans = list[tuple[int, int]]  # first and last position of each segment, half-open

__all__ = ["TedEval", "tedeval_pair"]

_NUMBERS = (int, float)
_DROP = ("", "-NONE-")
_SEGMENTS = ("prediction_segments", "reference_segments")

# Words that TedEval 2.2 does not count as nodes.
_NO_NODES = frozenset(("-", "--", ";"))

# The word at each position of a word that takes several positions, and the label of a generalised bracket
# where both references have no label in common.
_FILLER = _BLANK = "_"


def edit_score(distance: Any, norm: Any) -> Any:
    """Return one minus the distance over all that could be edited, but not less than 0.

    Takes numbers and arrays. Where nothing could be edited, the score is 1 if there is no distance.

    >>> edit_score(1, 4), edit_score(3, 2), edit_score(0, 0), edit_score(1, 0)
    (0.75, 0.0, 1.0, 0.0)
    """
    if norm.__class__ in _NUMBERS:
        return max(0.0, 1.0 - distance / norm) if norm else float(distance == 0)
    from numpy import maximum, where

    return where(norm > 0, maximum(0.0, 1.0 - distance / where(norm > 0, norm, 1.0)), distance == 0)


# ---- segments --------------------------------------------------------------------------------------


def place_segments(
    prediction: Sequence[Word], reference: Sequence[Word], compat: bool
) -> tuple[Spans, Spans]:
    """Return the positions of all segments of both sides, whose words are the same.

    >>> place_segments([("bbit", ("b", "bit")), ("a", ("a",))], [("bbit", ("bit",)), ("a", ("a",))], False)
    ([(0, 1), (1, 2), (2, 3)], [(1, 2), (2, 3)])
    """
    sides: tuple[Spans, Spans] = ([], [])
    at = 0
    for (_, ours), (_, theirs) in zip(prediction, reference, strict=True):
        found = _place_word(ours, theirs, compat)
        for side, spans in zip(sides, found, strict=True):
            side += [(at + left, at + right) for left, right in spans]
        at += max(spans[-1][1] for spans in found)
    return sides


def _place_word(ours: Sequence[str], theirs: Sequence[str], compat: bool) -> tuple[Spans, Spans]:
    """Return the positions of the segments of one word on both sides, from 0."""
    gap_ours = gap_theirs = 0
    begins_ours: dict[int, int] = {}
    begins_theirs: dict[int, int] = {}
    for i, j in _common_places(ours, theirs):
        place = max(i + gap_ours, j + gap_theirs)
        gap_ours, gap_theirs = place - i, place - j
        begins_ours[i] = begins_theirs[j] = place
    sides = _spread(len(ours), begins_ours), _spread(len(theirs), begins_theirs)
    width = max(len(ours), len(theirs))
    if not compat:
        width = max(width, *(spans[-1][1] for spans in sides))
    for spans in sides:
        left, right = spans[-1]
        spans[-1] = left, max(right, width)
    return sides


def _spread(n_segments: int, begins: dict[int, int]) -> Spans:
    """Return segments one after the other, some at given positions; a gap stretches the segment before it."""
    spans: Spans = []
    end = 0
    for i in range(n_segments):
        begin = begins.get(i, end)
        if begin > end and spans:
            spans[-1] = spans[-1][0], begin
        spans.append((begin, begin + 1))
        end = begin + 1
    return spans


def _common_places(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence; of several, the one that TedEval finds."""
    lengths = [[0] * (len(theirs) + 1)]
    for a in ours:
        above = lengths[-1]
        row = [0]
        for j, b in enumerate(theirs):
            row.append(above[j] + 1 if a == b else max(above[j + 1], row[j]))
        lengths.append(row)
    i, j = len(ours), len(theirs)
    places = []
    while i and j:
        if ours[i - 1] == theirs[j - 1]:
            i -= 1
            j -= 1
            places.append((i, j))
        elif lengths[i - 1][j] > lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    places.reverse()
    return places


# ---- the metric ------------------------------------------------------------------------------------


OPTIONS = {
    "labeled": Option(
        True, "compare the labels of brackets; words are always compared", kind="flag", check=bool
    ),
    "prediction_segments": Option(
        None,
        "segmentation file of the predictions: word<TAB>segment1:segment2:… a line, a blank line after "
        "each sentence",
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
        prediction_segments: The written words of each row, each with its segments, which are the words of the
            tree: `[["bbit", ["b", "bit"]], …]`; or a segmentation file.
        reference_segments: The same for the references. If only one of the two is given, each word of the
            other side is one segment.
        average: Which figure is the headline, `corpus` (TedEval's default) or `sentence` (its `-micro`).
        compat: Whether to count as TedEval 2.2 does.
        drop: Labels that do not count; nothing with `compat`.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    name = "tedeval"
    title = "TedEval"
    unit = "word"  # positions are counted in words
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
    def headline(self) -> str:
        """The key of the figure that the option `average` asks for."""
        return f"tedeval_{self.options.average}"

    @property
    def signature(self) -> str:
        """Every option and the version; of segments, whether there are any."""
        values = self.options.as_dict()
        for name in _SEGMENTS:
            if name in values:
                values[name] = "none" if values[name] is None else "given"
        return sign(self.SIGNATURE or self.name, values)

    def undefined(self, unit: str) -> str:
        """Return why the metric has no meaning for trees over that unit: it needs words."""
        return "it compares words, and trees over seconds need no common words" if unit == "time" else ""

    def counter(self) -> TedEvalCounter:
        """Return a new counter; every thread has one of its own."""
        return TedEvalCounter(self.options)

    def corpus_score(
        self, predictions: Iterable[Any] | Rows, references: Iterable[Any] | Rows, **settings: Any
    ) -> Any:
        """Score two lists of trees pair by pair; the arguments are those of `Metric.corpus_score`."""
        result = super().corpus_score(predictions, references, **settings)
        for name in _SEGMENTS:
            segments: Segments | None = getattr(self.options, name)
            if segments is not None and len(segments) > len(result):
                raise ValueError(
                    f"{segments.where(len(result), 0)}: there are {len(segments)} sentences in {name} and "
                    f"{len(result)} trees; give segments and trees of the same sentences"
                )
        return result


# ---- nodes -----------------------------------------------------------------------------------------


class NodeReader:
    """Reads the nodes of trees: brackets and words with their positions.

    Args:
        options: The options of the metric.
        n_sides: The number of trees in a row.
    """

    def __init__(self, options: Options, n_sides: int) -> None:
        self._labeled: bool = options.labeled
        self._compat: bool = options.compat
        self._selection = Selection("word", self._name_label, "strict", options.drop)
        self._nodes = [FlatNodes() for _ in range(n_sides)]
        self._trees: Sequence[FlatTrees] = ()
        self._labels: Sequence[str] = ()
        self._names: list[str] = []

    def read(self, trees: Sequence[FlatTrees], labels: Sequence[str]) -> None:
        """Take the trees of all sides of some rows; `labels` has the text of each label id."""
        self._trees, self._labels = trees, labels
        for own, nodes in zip(trees, self._nodes, strict=True):
            self._selection.select(own, labels, nodes)
        self._names = self._selection.names

    def words(self, side: int, t: int) -> list[str]:
        """Return the words of a tree."""
        return self._selection.kept_texts(self._trees[side], t, self._labels)

    def brackets(self, side: int, t: int, places: Spans) -> Nodes:
        """Return the brackets of a tree over words at some positions."""
        nodes = self._nodes[side]
        return self._counted(
            (self._names[label], places[int(start)][0], places[int(end) - 1][1])
            for label, (_, start, end) in zip(nodes.classes(t), nodes.spans(t), strict=True)
        )

    def leaves(self, words: Sequence[str], places: Spans) -> Nodes:
        """Return the nodes of words; a word that takes several positions is one node at each of them."""
        found = []
        for word, (left, right) in zip(words, places, strict=True):
            if right - left > 1:
                found += [(_FILLER, place, place + 1) for place in range(left, right)]
            elif not (self._compat and word in _NO_NODES):
                found.append((word.upper(), left, right))
        if self._compat:
            return self._counted(found)
        return self._counted(("word", *leaf) for leaf in found)  # never the same as a bracket

    def union(self, brackets: Nodes, leaves: Nodes) -> Nodes:
        """Return the brackets and the words of a tree together."""
        both = brackets + leaves
        return Counter(both.keys()) if self._compat else both

    def nodes(self, side: int, t: int, words: Sequence[str], places: Spans) -> Nodes:
        """Return all nodes of a tree."""
        return self.union(self.brackets(side, t, places), self.leaves(words, places))

    def n_roots(self, side: int, t: int) -> int:
        """Return the number of trees in a row, which is more than one in a document."""
        n_roots, left = 0, float("inf")
        for _, start, end in reversed(self._nodes[side].spans(t)):
            if end <= left:  # it is not within the root to the right
                n_roots, left = n_roots + 1, start
        return n_roots

    def _name_label(self, label: str) -> str:
        if not self._labeled:
            return "{}"
        return label.upper().replace("-", "") if self._compat else label.upper()

    def _counted(self, nodes: Iterable[tuple[Any, ...]]) -> Nodes:
        """Return nodes with how often each occurs, which is once in TedEval 2.2."""
        return Counter(set(nodes) if self._compat else nodes)


def one_position_each(n_words: int) -> Spans:
    """Return the positions of words that take one each."""
    return [(i, i + 1) for i in range(n_words)]


class TedEvalCounter(PairCounter):
    """Counts the nodes to be inserted and deleted in batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(dict.fromkeys(("distance", "n_pred", "n_ref", "norm"), "i"), options)
        self._compat: bool = options.compat
        self._reader = NodeReader(options, 2)
        self._segments: tuple[Segments | None, Segments | None] = (
            options.prediction_segments,
            options.reference_segments,
        )

    def begin(self, batch: Batch) -> None:
        """Select the nodes of both sides."""
        self._reader.read((batch.predictions, batch.references), batch.labels)

    def compare(self, batch: Batch, t: int) -> tuple[Sequence[int], bool]:
        """Return the distance of a pair, the nodes of both sides, and the greatest possible distance."""
        words = self._reader.words(0, t), self._reader.words(1, t)
        places = one_position_each(len(words[0])), one_position_each(len(words[1]))
        if words[0] and words[1]:
            if self._segments != (None, None):
                places = self._place(batch, t, words)
            elif len(words[0]) != len(words[1]):
                names = batch.names(t)
                raise TreeMismatchError(
                    f"{names[0]} has {count(len(words[0]), 'word')} and {names[1]} has "
                    f"{count(len(words[1]), 'word')}; give the segments of each word "
                    "(prediction_segments, reference_segments)"
                )
        pred, ref = (self._reader.nodes(k, t, words[k], places[k]) for k in (0, 1))
        return self._row(t, pred, ref, (pred & ref).total()), bool(ref) and not pred

    def count_apart(self, batch: Batch, t: int) -> Sequence[int]:
        """Return the columns of a pair that cannot be compared: no node is in common."""
        pred, ref = (
            self._reader.nodes(k, t, words, one_position_each(len(words)))
            for k, words in enumerate((self._reader.words(0, t), self._reader.words(1, t)))
        )
        return self._row(t, pred, ref, 0)

    def _row(self, t: int, pred: Nodes, ref: Nodes, n_common: int) -> Sequence[int]:
        n_pred, n_ref = pred.total(), ref.total()
        norm = sum(max(0, n - self._reader.n_roots(k, t)) for k, n in enumerate((n_pred, n_ref)))
        return n_pred + n_ref - 2 * n_common, n_pred, n_ref, norm

    def _place(self, batch: Batch, t: int, texts: tuple[list[str], list[str]]) -> tuple[Spans, Spans]:
        """Return the positions of the segments of a row, or raise an error if both sides do not fit."""
        row, names = batch.first + t, batch.names(t)
        sides = [
            segments.cut(row, own, name) if segments else [(text, (text,)) for text in own]
            for segments, own, name in zip(self._segments, texts, names, strict=True)
        ]
        for k, written in enumerate(zip_longest(*([word for word, _ in side] for side in sides))):
            if written[0] != written[1]:
                found = " and ".join(
                    f"{segments.where(row, min(k, len(side))) if segments else name} has "
                    f"{'no word left' if word is None else brief(word)}"
                    for segments, side, name, word in zip(self._segments, sides, names, written, strict=True)
                )
                raise TreeMismatchError(f"{found}; both sides need the same words, cut into segments or not")
        return place_segments(sides[0], sides[1], self._compat)


# ---- two experiments -------------------------------------------------------------------------------


_PAIR_OPTIONS = {name: option for name, option in OPTIONS.items() if name not in _SEGMENTS}
_PAIR_MEASURES = {
    "tedeval_corpus": MEASURES["tedeval_corpus"],
    "tedeval_sentence": MEASURES["tedeval_sentence"],
    "tedeval_exact": Measure("exact match with the reference", float, ("same",), short="exact", mean=True),
    "tedeval_exact_gen": Measure(
        "same number of edits as the reference",
        lambda edits, reference_edits: float(edits == reference_edits),
        ("edits", "reference_edits"),
        short="exact_gen",
        mean=True,
    ),
}


class GeneralizedTedEval(TedEval):
    """The metric of the results of `tedeval_pair`, with the options of `TedEval` except segments."""

    title = "TedEval, generalised"
    SIGNATURE = "tedeval_pair"
    OPTIONS = _PAIR_OPTIONS
    MEASURES = _PAIR_MEASURES


class Generalized(NamedTuple):
    """The columns of one of two experiments; see `tedeval_pair`."""

    distance: int = 0
    n_pred: int = 0
    n_ref: int = 0
    norm: int = 0
    n_gen: int = 0
    edits: int = 0
    reference_edits: int = 0
    same: bool = False


def tedeval_pair(
    predictions_1: Iterable[Any] | Rows,
    references_1: Iterable[Any] | Rows,
    predictions_2: Iterable[Any] | Rows,
    references_2: Iterable[Any] | Rows,
    **options: Any,
) -> tuple[Result, Result]:
    """Return TedEval of two experiments whose references differ, such as two annotations of the same text.

    Both parses of a sentence are compared with a generalisation of the two references. It has the words of
    the first reference, and brackets over each span that has brackets in both: with the labels that both have
    there, or one bracket with the label `_` if they have no label in common. Of the edits that turn a parse
    into the generalisation, only those count that its reference does not need. The score of a parse is
    `1 - such edits / (nodes of the parse + nodes of the generalisation - 2)`, but not less than 0.

    >>> first, second = tedeval_pair(
    ...     ["(S (NP (A we)) (B run))"], ["(S (NP (A we)) (B run))"],
    ...     ["(S (NP (A we)) (B run))"], ["(S (A we) (VP (B run)))"],
    ... )
    >>> first.figures["tedeval_corpus"], second.columns["distance"][0], second.columns["n_gen"][0]
    (1.0, 1, 5)

    Args:
        predictions_1: The parses of the first experiment, as `Metric.corpus_score` takes them.
        references_1: The references of the first experiment.
        predictions_2: The parses of the second experiment.
        references_2: The references of the second experiment.
        **options: The options `labeled`, `average`, `compat`, `drop` and `on_error` of `TedEval`.

    Returns:
        The results of both. Columns: `distance` (the edits that count), `n_pred`, `n_ref`, `n_gen` (nodes
        of parse, reference and generalisation), `norm`, `edits` and `reference_edits` (all edits from
        parse and from reference to the generalisation), `same` (whether parse and reference are equal).
    """
    metric = GeneralizedTedEval(**options)
    named = {
        "predictions_1": predictions_1,
        "references_1": references_1,
        "predictions_2": predictions_2,
        "references_2": references_2,
    }
    sides = [as_rows(rows, name) for name, rows in named.items()]
    scanner = Scanner()
    scanner.intern("")  # so that there is a label at all, for no buffer may be empty
    trees = [FlatTrees() for _ in sides]
    problems: Problems = {}
    for rows, own in zip(sides, trees, strict=True):
        check_as_many(rows, sides[1])
        problems = {**rows.load(0, len(rows), "word", scanner, own), **problems}
    reader = NodeReader(metric.options, len(sides))
    reader.read(trees, scanner.labels)
    pairs = []
    for t in range(len(sides[0])):
        words = [reader.words(k, t) for k in range(len(sides))]
        if len({len(own) for own in words if own}) > 1:
            lengths = ", ".join(
                f"{rows.name(t)} has {count(len(own), 'word')}"
                for rows, own in zip(sides, words, strict=True)
            )
            error = TreeMismatchError(f"{lengths}; both experiments need the same sentences")
            problems.setdefault(t, error)
        pairs.append(_compare_pair(reader, t, words))
    if problems and metric.options.on_error == "raise":
        raise problems[min(problems)]
    first, second = zip(*pairs, strict=True) if pairs else ((), ())
    return _result(metric, first, problems), _result(metric, second, problems)


def _result(metric: GeneralizedTedEval, counted: Sequence[Generalized], problems: Problems) -> Result:
    """Return the result of one experiment."""
    rows: list[Generalized] = []
    status = bytearray()
    for t, row in enumerate(counted):
        state = EMPTY if row.n_ref and not row.n_pred else VALID
        if t in problems and metric.options.on_error == "skip":
            row, state = Generalized(), SKIPPED
        elif t in problems:  # nothing is in common
            n_nodes = row.n_pred + row.n_gen
            row, state = row._replace(distance=n_nodes, edits=n_nodes, same=False), ZEROED
        rows.append(row)
        status.append(state)
    columns = {name: array("i", map(attrgetter(name), rows)) for name in Generalized._fields}
    result: Result = result_of(metric, Counts(columns, status, problems))
    return result._finish()


def _compare_pair(
    reader: NodeReader, t: int, words: Sequence[Sequence[str]]
) -> tuple[Generalized, Generalized]:
    """Return the columns of a row of both experiments, whose four sides have these words."""
    places = [one_position_each(len(own)) for own in words]
    parse_1, reference_1, parse_2, reference_2 = (
        reader.nodes(k, t, own, place) for k, (own, place) in enumerate(zip(words, places, strict=True))
    )
    brackets = _generalize(reader.brackets(1, t, places[1]), reader.brackets(3, t, places[3]))
    gen = reader.union(brackets, reader.leaves(words[1], places[1]))
    return _compare(parse_1, reference_1, gen), _compare(parse_2, reference_2, gen)


def _generalize(ours: Nodes, theirs: Nodes) -> Nodes:
    """Return the brackets over spans that both references have brackets over."""
    gen = ours & theirs
    labeled, *both = ({(left, right) for _, left, right in side} for side in (gen, ours, theirs))
    for left, right in (both[0] & both[1]) - labeled:
        gen[_BLANK, left, right] = 1
    return gen


def _compare(parse: Nodes, reference: Nodes, gen: Nodes) -> Generalized:
    """Return the columns of one experiment."""
    deleted, inserted = parse - gen, gen - parse
    deleted_ref, inserted_ref = reference - gen, gen - reference
    distance = (deleted - deleted_ref).total() + (inserted - inserted_ref).total()
    n_pred, n_gen = parse.total(), gen.total()
    return Generalized(
        distance=distance if parse else n_gen,
        n_pred=n_pred,
        n_ref=reference.total(),
        norm=max(0, n_pred - 1) + max(0, n_gen - 1),
        n_gen=n_gen,
        edits=deleted.total() + inserted.total(),
        reference_edits=deleted_ref.total() + inserted_ref.total(),
        same=parse == reference,
    )
