"""The way from pairs that were read to the columns of aligned ParsEval: group words, count brackets."""

from __future__ import annotations

from array import array
from collections import namedtuple
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..._core.flat import ints
from ..._core.word_groups import GroupCounter
from ...errors import TreeFormatError
from ...wording import brief, count
from ..base import EMPTY, ERROR, SKIPPED, VALID, ZEROED, Counter, Counts, Options
from ..batch import Batch
from ..parseval.labels import LabelTable
from ..parseval.parameters import Parameters
from .compat import JpRules, count_pair, group_words
from .pairing import PairedRows

if TYPE_CHECKING:
    from ...sources.rows import Rows
    from .compat import Groups

# The columns, in the order in which they are counted; `complete` is made of them.
COLUMNS = ("length", "matched", "gold", "test", "cross", "words", "tags", "n_groups")

# Labels of brackets that only hold a tree together, as they are when cut.
_FRAMES = frozenset({"TOP", "S1", ""})


class Pairs(namedtuple("Pairs", ("sides", "rows", "moved"), defaults=((0, 0),))):
    """Where some pairs come from.

    Attributes:
        sides: The rows of the predictions and of the references.
        rows: The numbers of the pairs in both.
        moved: How much greater the numbers of reference and predicted sentences are than in these.
    """

    __slots__ = ()

    sides: tuple[Rows, Rows]
    rows: Sequence[int]
    moved: tuple[int, int]

    def sentences(self) -> Iterator[tuple[range, range]]:
        """The numbers of the reference sentences and of the predicted ones, for each pair."""
        predictions, references = self.sides
        for row in self.rows:
            found = range(row, row + 1), range(row, row + 1)
            if isinstance(predictions, PairedRows) and isinstance(references, PairedRows):
                found = references.sentences(row), predictions.sentences(row)
                if references.apart:  # numbers within a document
                    yield found
                    continue
            yield _moved(found[0], self.moved[0]), _moved(found[1], self.moved[1])


def _moved(numbers: range, by: int) -> range:
    return range(numbers.start + by, numbers.stop + by)


class AlignedCounter(Counter):
    """Counts the brackets of batches of pairs over groups of words.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        self._failed = SKIPPED if options.on_error == "skip" else ZEROED
        self._jp = JpRules(options.compat, options.parameters) if options.compat else None
        parameters: Parameters = options.parameters or Parameters()
        self._labels = LabelTable(parameters, "evalb", counts_wrappers=True, uncounted=_FRAMES)
        self._brackets = GroupCounter(
            self._labels.equals,
            list(map(_encoded, parameters.delete_words)),
            list(map(_encoded, parameters.delete_words_for_length)),
            [(_encoded(a), _encoded(b)) for a, b in parameters.equal_words],
            bool(parameters.quote_labels),
        )

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The counts of each pair."""
        sides = batch.sides
        numbers: Sequence[int] = range(batch.first, batch.first + len(batch))
        pairs = Pairs(sides, numbers)
        if isinstance(sides[1], PairedRows):
            numbers = [sides[1].number(row) for row in numbers]
        errors = {row - batch.first: error for row, error in batch.problems.items()}
        remarks: list[tuple[int, str, bool]] = []
        status = bytearray(len(batch))
        if self._jp is None:
            columns = self._count(batch, status, errors)
        else:
            columns = self._count_as_jp(batch, self._jp, status, numbers, remarks)
        problems: dict[int, ValueError] = {}
        for t, error in sorted(errors.items()):
            status[t] = self._failed
            for name in COLUMNS if self._failed == SKIPPED else ("matched", "cross", "tags"):
                columns[name][t] = 0
            if problems.setdefault(numbers[t], error) is not error:  # another pair of the same document
                remarks.append((numbers[t], str(error), True))
        columns["pairs"] = array("i", (state in (VALID, EMPTY) for state in status))
        columns["complete"] = array(
            "i",
            (
                matched == gold == test and state == VALID
                for matched, gold, test, state in zip(
                    columns["matched"], columns["gold"], columns["test"], status, strict=True
                )
            ),
        )
        return Counts(columns, status, problems, remarks=remarks, rows=numbers, extra=pairs)

    def _count(self, batch: Batch, status: bytearray, errors: dict[int, ValueError]) -> dict[str, array[int]]:
        """Counts the pairs by the metric's own rules."""
        rules = self._labels.learn(batch.labels)
        *counted, predicted, untagged_pred, untagged_ref = self._brackets.count(
            batch.predictions, batch.references, rules, len(self._labels)
        )
        columns = dict(zip(COLUMNS, counted, strict=True))
        if 0 in predicted:
            for t, words in enumerate(columns["words"]):
                if words and not predicted[t]:
                    status[t] = EMPTY
        for side, untagged in enumerate((untagged_pred, untagged_ref)):
            if max(untagged, default=-1) >= 0:
                for t, word in enumerate(untagged):
                    if word >= 0:
                        errors.setdefault(t, _no_tag(batch, t, side, word))
        return columns

    def _count_as_jp(
        self,
        batch: Batch,
        rules: JpRules,
        status: bytearray,
        numbers: Sequence[int],
        remarks: list[tuple[int, str, bool]],
    ) -> dict[str, array[int]]:
        """Counts the pairs as jp-evalb does."""
        columns = {name: ints(len(batch)) for name in COLUMNS}
        references: Any = batch.sides[1]
        for t in range(len(batch)):
            pred, ref = (
                rules.side(trees, t, batch.labels) for trees in (batch.predictions, batch.references)
            )
            names = batch.names(t)
            found = count_pair(pred, ref, rules, names)
            paired = isinstance(references, PairedRows)
            extra = references.extra[batch.first - references.first + t] if paired else ref.n_deleted
            columns["length"][t] = len(ref.words) + extra
            if found is None:
                status[t] = ERROR
                columns["n_groups"][t] = len(ref.words)
                what = f"word counts differ: {count(len(pred.words), 'word')} in {names[0]}"
                remarks.append((numbers[t], f"{what}, {len(ref.words)} in {names[1]}", True))
            else:
                for name, value in found.items():
                    columns[name][t] = value
        return columns

    def word_groups(self, batch: Batch, t: int) -> tuple[Groups, Groups]:
        """The words of the reference and of the prediction of a pair in groups.

        A group of words is a list; two words that simply stand for each other are not.
        """
        sides = batch.predictions, batch.references
        if self._jp is not None:
            pred, ref = (self._jp.side(trees, t, batch.labels) for trees in sides)
            groups = group_words(pred.words, ref.words, batch.names(t))
            return groups[1], groups[0]
        places_pred, of_pred, places_ref, of_ref, plain = self._brackets.groups(
            *sides, self._labels.learn(batch.labels), t
        )
        found = [
            _texts(sides[1], t, places_ref, of_ref, plain),
            _texts(sides[0], t, places_pred, of_pred, plain),
        ]
        return found[0], found[1]


def _texts(trees: Any, t: int, places: Sequence[int], of: Sequence[int], plain: bytes) -> Groups:
    """The words of a side by groups."""
    groups: list[list[str]] = [[] for _ in plain] if places else []
    for place, group in zip(places, of, strict=True):
        groups[group].append(trees.word(t, place))
    return [words[0] if plain[k] else words for k, words in enumerate(groups)]


def _no_tag(batch: Batch, t: int, side: int, word: int) -> TreeFormatError:
    text = brief((batch.predictions, batch.references)[side].word(t, word))
    return TreeFormatError(
        f"the word {text} at position {word + 1} of {batch.names(t)[side]} has no tag of its own; "
        "write (TAG word) for each word"
    )


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")
