"""What aligned ParsEval found: counts for each pair, and which sentences and words are paired."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

from ..._core.flat import FlatTrees
from ..._core.scan import Scanner
from ..base import Counts, Measure, ratio
from ..batch import Batch
from ..results import Result
from ..sums import Figures
from .counter import Pairs

if TYPE_CHECKING:
    from .compat import Groups

__all__ = ["AlignedScore", "PairGroups"]

_JP_LONGEST = 40  # groups of words of a pair in the second part of jp-evalb's summary


def f1(matched: Any, gold: Any, test: Any, pairs: Any) -> Any:
    """Harmonic mean of precision and recall; two sides without a bracket agree, nothing at all is 0."""
    return ratio(2.0 * matched, gold + test, pairs > 0)


def share(matched: Any, brackets: Any, other: Any, pairs: Any) -> Any:
    """Precision or recall: the matched share of a side; without brackets 1 if the other has none either."""
    return ratio(matched, brackets, (other == 0) * (pairs > 0))


def _same(value: Any) -> Any:
    return value


def _mean(title: str, formula: Callable[..., Any], column: str, *, share: bool = True) -> Measure:
    """A mean over pairs that systems are not compared by."""
    return Measure(
        title,
        formula,
        (column,),
        short=title.replace(" ", "_"),
        row="",
        mean=True,
        compared=False,
        highest=1.0 if share else None,
        higher_is_better=share,
    )


MEASURES = {
    "aligned_parseval": Measure("F1", f1, ("matched", "gold", "test", "pairs"), short="f1"),
    "aligned_parseval_precision": Measure(
        "precision", share, ("matched", "test", "gold", "pairs"), short="precision"
    ),
    "aligned_parseval_recall": Measure("recall", share, ("matched", "gold", "test", "pairs"), short="recall"),
    "aligned_parseval_complete_match": _mean("complete match", _same, "complete"),
    "aligned_parseval_average_crossing": _mean("average crossing", _same, "cross", share=False),
    "aligned_parseval_no_crossing": _mean("no crossing", lambda cross: 1.0 * (cross == 0), "cross"),
    "aligned_parseval_two_or_less_crossing": _mean(
        "two or less crossing", lambda cross: 1.0 * (cross <= 2), "cross"
    ),
    "aligned_parseval_tagging_accuracy": Measure(
        "tagging accuracy",
        lambda tags, words, pairs: ratio(tags, words, pairs > 0),
        ("tags", "words", "pairs"),
        short="tagging_accuracy",
        row="",
        compared=False,
    ),
}


class PairGroups(namedtuple("PairGroups", ("sentences", "words"))):
    """What is paired: first what is of the reference, then what is of the prediction.

    >>> from structiou_metric.metrics.aligned_parseval.metric import AlignedParseval
    >>> result = AlignedParseval().corpus_score(["(S (N cat) (N s) (V purr))"], ["(S (N cats) (V purr))"])
    >>> result.groups
    [PairGroups(sentences=[[0], [0]], words=[[['cats'], 'purr'], [['cat', 's'], 'purr']])]

    Attributes:
        sentences: The numbers of the sentences of both sides.
        words: The words of both sides in groups; a group of words is a list, and two words that simply stand
            for each other are not.
    """

    __slots__ = ()

    sentences: list[list[int]]
    words: list[Groups]


class AlignedScore(Result):
    """What aligned ParsEval found; a row is a pair of runs of sentences.

    Its number in the input is that of its document, or of its first reference.

    >>> from structiou_metric.metrics.aligned_parseval.metric import AlignedParseval
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
        self._pairs: list[Pairs] = []

    def add(self, first: int, counts: Counts) -> None:
        """Appends a batch, and notes where its pairs come from."""
        super().add(first, counts)
        if counts.extra is not None:
            self._pairs.append(counts.extra)

    def append(self, part: Result, *, shift: int) -> None:
        """Adds the rows of another result; sentences of the predictions are numbered on, too."""
        if isinstance(part, AlignedScore):
            more = shift and max((pred.stop for _, pred in self._sentences()), default=0)
            super().append(part, shift=shift)
            for pairs in part._pairs:
                self._pairs.append(pairs._replace(moved=(pairs.moved[0] + shift, pairs.moved[1] + more)))

    def cut_out(self, places: Sequence[int], rows: Sequence[int]) -> Self:
        """Some rows, with where their pairs come from; see `Result.cut_out`."""
        part = super().cut_out(places, rows)
        every = [pairs._replace(rows=(row,)) for pairs in self._pairs for row in pairs.rows]
        part._pairs = [every[place] for place in places]
        return part

    def _sentences(self) -> Iterator[tuple[range, range]]:
        self.need_rows()
        return chain.from_iterable(pairs.sentences() for pairs in self._pairs)

    @property
    def groups(self) -> list[PairGroups]:
        """The sentences and the words of each pair; the trees are read again."""
        words = self._word_groups()
        return [PairGroups(pair, next(words)) for pair in self.sentence_groups]

    @property
    def sentence_groups(self) -> list[list[list[int]]]:
        """The numbers of the sentences of each pair, of the reference and of the prediction."""
        return [[list(references), list(predictions)] for references, predictions in self._sentences()]

    @property
    def word_groups(self) -> list[list[Groups]]:
        """The words of each pair in groups, of the reference and of the prediction; see `PairGroups`."""
        return list(self._word_groups())

    def _word_groups(self) -> Iterator[list[Groups]]:
        self.need_rows()
        counter: Any = self.metric.counter()
        scanner = Scanner()
        scanner.intern("")
        predictions, references = FlatTrees(), FlatTrees()
        for pairs in self._pairs:
            for row in pairs.rows:
                problems = pairs.sides[0].load(row, row + 1, "word", scanner, predictions)
                problems |= pairs.sides[1].load(row, row + 1, "word", scanner, references)
                batch = Batch(predictions, references, scanner.labels, row, problems, pairs.sides)
                yield list(counter.word_groups(batch, 0))

    @property
    def short(self) -> Figures:
        """The figures of pairs up to the cutoff length, which for jp-evalb is 40 groups of words."""
        return Figures(self.metric, self.section_sums("short"))

    def sections(self) -> dict[str, Sequence[int]]:
        """The pairs up to the cutoff length, which for jp-evalb is 40 groups of words."""
        options = self.metric.options
        cutoff = options.parameters.cutoff if options.parameters else _JP_LONGEST
        name, most = ("n_groups", _JP_LONGEST) if options.compat else ("length", cutoff)
        return {"short": [i for i, value in enumerate(self.columns[name]) if value <= most]}

    def per_sentence(self) -> Iterator[dict[str, Any]]:
        """One dict for each pair that was not skipped, with its groups."""
        groups = iter([g for g, state in zip(self.groups, self.status, strict=True) if self._shows(state)])
        for row in super().per_sentence():
            yield {**row, **next(groups)._asdict()}

    def tell_counts(self) -> dict[str, Any]:
        """How many rows there are of each kind, and the figures of those up to the cutoff length."""
        measures = self.metric.MEASURES
        short = {measures[key].short: value for key, value in self.short.items() if key in measures}
        return {**super().tell_counts(), "short": short}
