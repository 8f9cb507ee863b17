"""The way from trees that were read to SParseval's columns: number words and labels, count, word problems."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..._core.edit_path import Sames
from ..._core.heads import HeadTable
from ..._core.speech_counts import BAG, EDIT, FINE, GIVEN, NO_TAG, POSITION, TO_BE_PLACED, SpeechCounter
from ..._core.utterance import CLOSES, DELETES, EDITS, EMPTIES, LabelActions
from ..._core.word_ids import WordIds
from ...errors import TreeMismatchError
from ...wording import brief, count
from ..base import EMPTY, SKIPPED, ZEROED, Counter, Counts, Options
from ..batch import Batch
from .alignment import Alignments, normal
from .heads import DEFAULT, NO_HEADS, HeadRules
from .parameters import SpeechParameters
from .result import COLUMNS

if TYPE_CHECKING:
    from ...sources.rows import Problems
    from .alignment import Spans

_MODES = {"edit": EDIT, "position": POSITION, "bag": BAG}
_TOP = "TOP"  # what every root is called, and the word that governs what the root does
_MAX_WORDS = 1 << 19  # different ones, before all are forgotten


class _Labels:
    """What is done with each label, learned as labels are met; names of head rules come first.

    Args:
        parameters: The parameters, which say what labels do.
        heads: The head rules, or None.
    """

    def __init__(self, parameters: SpeechParameters, heads: HeadRules | None) -> None:
        self._parameters = parameters
        self._renamed = dict(parameters.equal_labels)
        rules = {} if heads is None else heads.rules
        ruled = [label for label in rules if label != DEFAULT]
        mentioned = (label for own in rules.values() for _, labels in own for label in labels)
        self._ids = {label: i for i, label in enumerate(dict.fromkeys((*ruled, *mentioned)))}
        self.table: HeadTable | None = None
        if heads is not None:
            numbers = [
                [(left, [self._ids[label] for label in labels]) for left, labels in rules[label]]
                for label in (*ruled, DEFAULT)
            ]
            self.table = HeadTable(numbers, len(self._ids))
        self._top = self._id(_TOP)
        self._marks = bytearray()
        self._names = array("i")
        self._actions: LabelActions | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def learn(self, labels: Sequence[str]) -> LabelActions:
        """What is done with all labels, of which some may be new."""
        if self._actions is None or len(labels) > len(self._marks):
            for label in labels[len(self._marks) :]:
                name = cut_label(label)
                name = self._renamed.get(name, name)
                self._marks.append(self._mark(name))
                self._names.append(self._id(name))
            top = self._mark(_TOP)
            # Copies, because an array cannot grow while others look at it.
            self._actions = LabelActions(
                bytes(self._marks), self._names[:], self._top, not top & DELETES, bool(top & CLOSES)
            )
        return self._actions

    def name(self, number: int) -> str:
        """The label of a number."""
        return next(label for label, i in self._ids.items() if i == number)

    def _id(self, name: str) -> int:
        return self._ids.setdefault(name, len(self._ids))

    def _mark(self, name: str) -> int:
        parameters = self._parameters
        mark: int = (
            EMPTIES * (name in parameters.empty_nodes)
            | DELETES * (name in parameters.delete_labels)
            | EDITS * (name in parameters.edit_labels)
            | CLOSES * (name in parameters.closed_classes)
        )
        return mark


def cut_label(label: str) -> str:
    """A label before its first `-` or `=` that is neither its first nor its last character.

    >>> [cut_label(label) for label in ("NP-SBJ-1", "NP=2", "-NONE-", "S-")]
    ['NP', 'NP', '-NONE-', 'S-']
    """
    return label[: next((i for i in range(1, len(label) - 1) if label[i] in "-="), None)]


class _Words:
    """Classes of words that are equal but for case and hyphens, and which classes are the same.

    Args:
        parameters: The parameters, which say which words are the same.
    """

    def __init__(self, parameters: SpeechParameters) -> None:
        self._ids = WordIds()
        self._first: dict[str, int] = {}
        self.top = self._first.setdefault(normal(_TOP), 0)
        pauses: dict[str, str] = {}
        for kind, word in parameters.filled_pauses:
            pauses[normal(word)] = kind  # the last line with a word says its class
        pairs = [(normal(a), normal(b)) for a, b in parameters.equal_words]
        pairs += [(a, b) for a in pauses for b in pauses if pauses[a] == pauses[b]]
        for word in (word for pair in pairs for word in pair):
            self._first.setdefault(word, len(self._first))
        self._pairs = {(self._first[a], self._first[b]) for a, b in pairs}
        self.sames = Sames(self._pairs)
        self._classes = dict(self._first)
        self._by_id = array("i")

    def number(self, batch: Batch) -> tuple[array[int], array[int]]:
        """The class of each word of predictions and references."""
        if len(self._by_id) > _MAX_WORDS:
            self._ids, self._classes, self._by_id = WordIds(), dict(self._first), array("i")
        numbers = self._ids.number(batch.predictions), self._ids.number(batch.references)
        for word in self._ids.names[len(self._by_id) :]:
            self._by_id.append(self._classes.setdefault(normal(word), len(self._classes)))
        for own in numbers:
            self._ids.translate(own, self._by_id)
        return numbers

    def same(self, a: str, b: str) -> bool:
        """Whether two words count as the same."""
        a, b = normal(a), normal(b)
        if a == b:
            return True
        classes = self._first.get(a, -1), self._first.get(b, -1)
        return classes in self._pairs or classes[::-1] in self._pairs


class SparsevalCounter(Counter):
    """Counts the brackets and dependencies of batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        self._failed = SKIPPED if options.on_error == "skip" else ZEROED
        self._heads: HeadRules | None = None if options.heads == NO_HEADS else options.heads
        self._alignment: Alignments | None = options.alignment
        self._labels = _Labels(options.parameters, self._heads)
        self._words = _Words(options.parameters)
        self._counts = SpeechCounter(
            _MODES[options.mode] if options.alignment is None else GIVEN,
            options.labeled,
            self._words.sames,
            self._words.top,
            self._labels.table,
        )

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Equal brackets and dependencies of each pair, and how many there are."""
        problems = dict(batch.problems)
        actions = self._labels.learn(batch.labels)
        words = self._words.number(batch)
        counts = self._counts
        counts.begin(batch.predictions, batch.references, actions, len(self._labels), *words)
        counts.count()
        reasons = counts.reasons
        if any(reasons):
            self._solve(batch, problems)
        counts.end()
        columns = dict(zip(COLUMNS, counts.columns, strict=True))
        status = bytearray(len(batch))
        n_pred, n_ref = counts.n_words
        if 0 in n_pred:
            for t, words_pred in enumerate(n_pred):
                if not words_pred and n_ref[t]:
                    status[t] = EMPTY
        for row in problems:
            t = row - batch.first
            status[t] = self._failed
            for name, column in columns.items():
                if self._failed == SKIPPED or name == "cross" or name.endswith("match"):
                    column[t] = 0
        return Counts(columns, status, problems)

    def _solve(self, batch: Batch, problems: Problems) -> None:
        """Places the words of pairs for which that is not done, and words what is wrong with others."""
        reasons = self._counts.reasons
        for t, reason in enumerate(reasons):
            row = batch.first + t
            if reason == TO_BE_PLACED:
                try:
                    self._place(batch, t)
                except TreeMismatchError as error:
                    self._counts.count_apart(t)
                    problems.setdefault(row, error)
                reason = reasons[t]
            if reason == NO_TAG:
                problems.setdefault(row, self._no_tag(batch, t))
            elif reason not in (FINE, TO_BE_PLACED):
                problems.setdefault(row, self._no_head(batch, t))

    def _place(self, batch: Batch, t: int) -> None:
        numbers = self._counts.words(t)
        pred = [batch.predictions.word(t, number) for number in numbers[0]]
        ref = [batch.references.word(t, number) for number in numbers[1]]
        names = batch.names(t)
        if self._alignment is None:
            ref_spans: Spans = [(k, k + 1) for k in range(len(ref))]
            pred_spans = _place_by_number(pred, ref, names)
            n_positions = len(ref)
        else:
            alignment = self._alignment.row(batch.first + t)
            ref_spans, pred_spans, n_positions = alignment.place((ref, pred), names[::-1], self._words.same)
        self._counts.count_placed(t, pred_spans, ref_spans, n_positions)

    def _no_tag(self, batch: Batch, t: int) -> TreeMismatchError:
        for trees, name, number in zip(
            (batch.predictions, batch.references), batch.names(t), self._counts.untagged(t), strict=True
        ):
            if number >= 0:
                return TreeMismatchError(
                    f"the word {brief(trees.word(t, number))} at position {number + 1} of {name} has no tag "
                    "of its own; write (TAG word) for each word"
                )
        raise AssertionError("one of them has no tag")

    def _no_head(self, batch: Batch, t: int) -> TreeMismatchError:
        for name, misfit in zip(batch.names(t), self._counts.misfits(t), strict=True):
            if misfit is not None and self._heads is not None:
                label, *children = map(self._labels.name, (misfit[0], *misfit[1]))
                return TreeMismatchError(
                    f"{self._heads.where(label)}: no rule for {label}, nor for {DEFAULT}, fits a bracket "
                    f"over {brief(' '.join(children))} in {name}; let the rules of {DEFAULT} end with (l) or "
                    "(r), which takes any child"
                )
        raise AssertionError("one of them has no head")


def _place_by_number(pred: Sequence[str], ref: Sequence[str], names: tuple[str, str]) -> Spans:
    """Gives each word of the prediction the next position, or the next two if it joins what stands there."""
    spans: Spans = []
    at = 0
    for word in pred:
        if at >= len(ref):
            raise TreeMismatchError(
                f"{names[0]} has {count(len(pred), 'word')} and {names[1]} has {len(ref)}, so that words "
                "cannot be aligned by position; use the mode 'edit', or give an alignment"
            )
        joins = (
            at + 1 < len(ref)
            and normal(word) != normal(ref[at])
            and normal(word) == normal(ref[at] + ref[at + 1])
        )
        spans.append((at, at + 2 if joins else at + 1))
        at += 2 if joins else 1
    return spans
