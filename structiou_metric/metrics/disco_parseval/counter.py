"""The way from trees that were read to the columns of discontinuous ParsEval."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..._core.disco_counts import COLUMNS, DELETED, DiscoCounter
from ..._core.disco_counts import TRACE as TRACED
from ..._core.flat import doubles
from ..._core.word_ids import WordIds
from ...trees.brackets import ESCAPES, unescape
from ...trees.labels import TRACE, base_label
from ..base import EMPTY, SKIPPED, ZEROED, Counter, Counts, Options
from ..batch import Batch
from .brackets import Figures, Places, Side, compare

if TYPE_CHECKING:
    from ...sources.rows import Problems

_NOTHING = Figures(0, 0, 0, 0, 0, 0, 0, False, 0, 0)


class DiscoParsevalCounter(Counter):
    """Counts brackets of batches of pairs, most of them by the compiled core.

    What is left to this module: trees with gaps, whose words differ to the byte, and all that is an error.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        parameters = options.parameters
        self._on_error: str = options.on_error
        self._labeled: bool = parameters.labeled
        self._classes = _closure(parameters.equal_labels)
        self._word_classes = _closure(parameters.equal_words)
        self._deleted = frozenset(map(self._label, parameters.delete_labels))
        self._deleted_words = frozenset(map(self._word, parameters.delete_words))
        self._places = Places()
        self._core = DiscoCounter()
        self._kinds = bytearray()  # by label id, as are the next
        self._class_numbers = array("i")
        self._numbers: dict[str, int] = {}  # by class of labels
        self._word_ids = WordIds()
        self._gone_words = array("i")  # by word number

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The figures of each pair."""
        n = len(batch)
        status = bytearray(n)
        problems: Problems = {}
        columns, left = self._count_plain(batch)
        for t in left:
            sides: list[Any] = [self._side(batch, t, side) for side in range(2)]
            try:
                for side in reversed(sides):
                    if isinstance(side, ValueError):
                        raise side
                prediction, reference = sides
                figures = self._compare(prediction, reference, batch.names(t))
                if reference.words and not prediction.words:
                    status[t] = EMPTY
            except ValueError as error:
                problems[batch.first + t] = error
                status[t] = SKIPPED if self._on_error == "skip" else ZEROED
                figures = _NOTHING if self._on_error == "skip" else self._alone(sides)
            for name, value in zip(Figures._fields, figures, strict=True):
                columns[name][t] = value
        if not self._labeled:
            columns["matched"] = columns["unlabeled"]
        return Counts(columns, status, problems)

    def _count_plain(self, batch: Batch) -> tuple[dict[str, array[float]], list[int]]:
        """The columns with the figures of pairs without gaps and errors, and the numbers of all others."""
        n = len(batch)
        for label in batch.labels[len(self._kinds) :]:
            name = self._label(label)
            deleted = name in self._deleted
            self._kinds.append((DELETED if deleted else 0) | (TRACED if deleted and name == TRACE else 0))
            self._class_numbers.append(self._numbers.setdefault(name, len(self._numbers)))
        found = doubles(len(COLUMNS) * n)
        left = self._core.count(
            batch.predictions,
            batch.references,
            self._kinds,
            self._class_numbers,
            len(self._numbers),
            self._find_deleted(batch),
            found,
        )
        columns = {name: array("d", bytes(8 * n)) for name in Figures._fields}
        columns |= {name: found[k * n : (k + 1) * n] for k, name in enumerate(COLUMNS)}
        return columns, sorted({*left, *(row - batch.first for row in batch.problems)})

    def _find_deleted(self, batch: Batch) -> Sequence[int]:
        """Whether each word of the references is one that does not count; empty if there are none."""
        if not self._deleted_words:
            return ()
        numbers: array[int] = self._word_ids.number(batch.references)
        for word in self._word_ids.names[len(self._gone_words) :]:
            self._gone_words.append(self._word(word) in self._deleted_words)
        self._word_ids.translate(numbers, self._gone_words)
        return numbers

    def _compare(self, prediction: Any, reference: Any, names: tuple[str, str]) -> Figures:
        return compare(prediction, reference, names, self._deleted, self._deleted_words, self._places)

    def _alone(self, sides: Sequence[Any]) -> Figures:
        """The brackets of a pair that cannot be compared: none of those that can be counted has a partner."""
        found = []
        for side in sides:
            try:
                found.append(
                    _NOTHING if isinstance(side, ValueError) else self._compare(side, side, ("", ""))
                )
            except ValueError:
                found.append(_NOTHING)
        pred, ref = found
        return _NOTHING._replace(
            n_pred=pred.n_pred,
            n_ref=ref.n_ref,
            disc_pred=pred.disc_pred,
            disc_ref=ref.disc_ref,
            words=ref.words,
        )

    def _side(self, batch: Batch, t: int, side: int) -> Side | ValueError:
        """One tree of a pair, also one with crossing branches; or the error that keeps it from being read."""
        row = batch.first + t
        rows, trees = batch.sides[side], (batch.predictions, batch.references)[side]
        if row in batch.problems:
            tree = rows.crossing(row) if hasattr(rows, "crossing") else None
            if tree is not None:
                return self._made(tree.labels, tree.sizes, tree.firsts, tree.lasts, tree.sentence, tree.order)
            if any(t == bad for bad, _, _ in trees.errors()):
                try:
                    rows.tree(row, "word")
                except ValueError as error:
                    return error
                return batch.problems[row]
        ids, sizes, firsts, lasts = trees.nodes(t)
        words = [trees.word(t, i) for i in range(len(trees.words(t)[0]))]
        labels = [batch.labels[i] for i in ids]
        return self._made(labels, sizes, firsts, lasts, words, range(len(words)))

    def _made(
        self,
        labels: Iterable[str],
        sizes: Sequence[int],
        firsts: Sequence[int],
        lasts: Sequence[int],
        words: Iterable[str],
        order: Sequence[int],
    ) -> Side:
        names = tuple(map(self._label, labels))
        side = Side(names, sizes, firsts, lasts, tuple(map(self._word, words)), order)
        return side.without(TRACE) if TRACE in self._deleted and TRACE in names else side

    def _label(self, label: str) -> str:
        base = base_label(label if label in ESCAPES else unescape(label))
        return self._classes.get(base, base)

    def _word(self, word: str) -> str:
        word = unescape(word)
        return self._word_classes.get(word, word)


def _closure(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """One name for all that pairs join, by each of them; with `A B` and `B C`, A and C are the same."""
    classes: dict[str, list[str]] = {}
    for one, other in pairs:
        one, other = unescape(one), unescape(other)
        joined = sorted({*classes.get(one, [one]), *classes.get(other, [other])})
        classes.update(dict.fromkeys(joined, joined))
    return {name: joined[0] for name, joined in classes.items()}
