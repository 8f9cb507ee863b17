"""The way from rows of trees to ParsEval's columns, a batch at a time: read, count, word the problems."""

from __future__ import annotations

from array import array
from itertools import accumulate

from ..._core.bracket_counts import (
    COUNT_EMPTY,
    COUNT_EMPTY_AS_SPMRL,
    COUNTED,
    COUNTS_DIFFER,
    EMPTY,
    ERROR,
    FINE,
    NO_TAG_PREDICTION,
    NO_TAG_REFERENCE,
    SKIP_EMPTY,
    VALID,
    WENT_ON,
    BracketCounter,
    set_words,
)
from ..._core.flat import FlatTrees
from ..._core.scan import Scanner
from ..._core.sentence import DELETED, NO_LENGTH, QUOTE, LabelRules
from ...errors import TreeMismatchError
from ...sources.rows import Problems
from ...wording import brief, count
from .parameters import Parameters
from .result import COLUMNS, ParsevalScore

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from ...sources.rows import Rows

_CUTS = {"evalb": "-=", "spmrl": "-=#"}  # where a label ends


class _Labels:
    """What is done with each label, learned as labels are met.

    Labels are named by numbers: first come those of `EQ_LABEL`, which may be the same as others.

    Args:
        parameters: What is deleted and taken for the same.
        variant: `evalb` or `spmrl`.
        wrapper: As in `LabelRules`.
    """

    def __init__(self, parameters: Parameters, variant: str, wrapper: int) -> None:
        self._wrapper = wrapper
        self._parameters = parameters
        self._spmrl = variant == "spmrl"
        self._cuts = _CUTS[variant]
        self._same: dict[str, set[str]] = {}  # labels, each with all that it is the same as
        for a, b in parameters.equal_labels:
            self._same.setdefault(a, {a}).add(b)
            self._same.setdefault(b, {b}).add(a)
        self._ids: dict[str | None, int] = {label: i for i, label in enumerate(self._same)}
        self.equals = [sorted(self._ids[label] for label in labels) for labels in self._same.values()]
        # EVALB_SPMRL cuts these, too, so that `-NONE-` deletes whatever is nothing when cut.
        self._deleted = [self._cut(d) if self._spmrl else d for d in parameters.delete_labels]
        self._marks = bytearray()
        self._names = array("i")
        self._tag_names = array("i")
        self._weights = array("i")
        self._rules: LabelRules | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def learn(self, labels: list[str]) -> LabelRules:
        """The rules for all labels, of which some may be new."""
        if self._rules is None or len(labels) > len(self._marks):
            for label in labels[len(self._marks) :]:
                self._add(label)
            # Copies, because an array cannot grow while the rules look at it.
            self._rules = LabelRules(
                bytes(self._marks), self._names[:], self._tag_names[:], self._weights[:], self._wrapper
            )
        return self._rules

    def _add(self, label: str) -> None:
        base = self._cut(label)
        same = self._same.get(base, {base})
        n_deleting = sum(deleted in same for deleted in self._deleted)
        self._marks.append(self._mark(label))
        self._names.append(-1 if n_deleting else self._id(base if self._parameters.labeled else None))
        self._tag_names.append(self._id(base if self._spmrl else label))
        self._weights.append(1 + len(self._deleted) - n_deleting)

    def _id(self, name: str | None) -> int:
        return self._ids.setdefault(name, len(self._ids))

    def _cut(self, label: str) -> str:
        """The label up to the first character that ends it, also if nothing is left."""
        return label[: next((i for i, character in enumerate(label) if character in self._cuts), None)]

    def _mark(self, label: str) -> int:
        mark = 0
        if label in self._parameters.delete_labels and not self._spmrl:
            mark |= DELETED
        if label in self._parameters.delete_labels_for_length:
            mark |= NO_LENGTH
        if label in self._parameters.quote_labels:
            mark |= QUOTE
        return mark


class _Listener:
    """Stands for a scanner where rows are read, and notes in which text the words stand.

    `text` is None where trees were filled in by other means than scanning.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self.text: bytes | None = None

    def scan(self, buffer: bytes, *arguments: object) -> None:
        self._scanner.scan(buffer, *arguments)
        self.text = buffer

    def intern(self, label: str) -> int:
        self.text = None
        label_id: int = self._scanner.intern(label)
        return label_id


class Engine:
    """Adds batches of pairs to a score.

    Args:
        score: What is added to; its settings are those of the engine.
        predictions: Trees.
        references: As many trees.
        keep_unreadable: Whether a pair that cannot be read is counted as an error, not raised.
    """

    def __init__(
        self, score: ParsevalScore, predictions: Rows, references: Rows, *, keep_unreadable: bool
    ) -> None:
        parameters = score.parameters
        self._score = score
        self._sides = predictions, references
        self._keep_unreadable = keep_unreadable
        self._trees = FlatTrees(), FlatTrees()
        self._texts = b" ", b" "
        self._scanner = Scanner()
        no_label = self._scanner.intern("")  # so that there is a label at all, for no array may be empty
        self._labels = _Labels(parameters, score.variant, -1 if score.compat else no_label)
        self._quirks = score.compat and score.variant == "spmrl"
        self._n_errors = 0
        when_empty = SKIP_EMPTY
        if score.count_empty:
            when_empty = COUNT_EMPTY_AS_SPMRL if self._quirks else COUNT_EMPTY
        self._counter = BracketCounter(
            self._labels.equals,
            list(map(_encoded, parameters.delete_words)),
            list(map(_encoded, parameters.delete_words_for_length)),
            [(_encoded(a), _encoded(b)) for a, b in parameters.equal_words],
            when_empty,
            score.variant == "evalb" and bool(parameters.quote_labels),
            self._quirks,
        )

    def add(self, lo: int, hi: int) -> None:
        """Counts rows `lo … hi`."""
        (text_pred, unreadable), (text_ref, more) = (
            self._load(rows, lo, hi, trees) for rows, trees in zip(self._sides, self._trees, strict=True)
        )
        unreadable = {**unreadable, **more}  # of both sides, the reference's error is told
        if unreadable and not self._keep_unreadable:
            raise unreadable[min(unreadable)]
        self._texts = text_pred, text_ref
        rules = self._labels.learn(self._scanner.labels)
        columns = self._counter.count(*self._trees, *self._texts, rules, len(self._labels))
        *columns, reasons, where_pred, where_ref = columns
        first = len(self._score)
        for name, column in zip(COLUMNS, columns, strict=True):
            getattr(self._score, name).extend(column)
        self._score.rows.extend(range(lo, hi))
        if not unreadable and not any(reasons):
            return
        for t, reason in enumerate(reasons):
            row, at = lo + t, first + t
            if row in unreadable:
                _clear(self._score, at, ERROR)
                self._note(row, str(unreadable[row]), True)
            elif reason != FINE:
                status = self._score.status[at]
                message = self._describe(row, t, reason, status, (where_pred[t], where_ref[t]))
                if self._quirks:
                    first += _imitate_spmrl(self._score, at, reason)
                self._note(row, message, status == ERROR)

    def _load(self, rows: Rows, lo: int, hi: int, trees: FlatTrees) -> tuple[bytes, Problems]:
        """Reads rows; returns the text in which their words stand, and which cannot be read."""
        listener = _Listener(self._scanner)
        problems = rows.load(lo, hi, "word", listener, trees)
        if listener.text is not None:
            return listener.text, problems
        readable = (row for row in range(lo, hi) if row not in problems)
        words = [_encoded(word) for row in readable for word in rows.tree(row, "word").words]
        stops = array("q", accumulate(map(len, words)))
        set_words(trees, array("q", [0, *stops[:-1]]), stops)
        return b"".join(words) or b" ", problems

    def _note(self, row: int, message: str, is_error: bool) -> None:
        """Keeps a problem; says where EVALB stops."""
        score = self._score
        score.problems.append((row, message))
        self._n_errors += is_error
        if is_error and self._n_errors == score.parameters.max_error + 2:
            score.stops_at = row
            if score.compat:
                raise TreeMismatchError(
                    f"{message}\nThis is error number {self._n_errors}, at which EVALB stops (MAX_ERROR "
                    f"{score.parameters.max_error}); allow more, or leave compat out to count it and go on"
                )

    def _describe(self, row: int, t: int, reason: int, status: int, where: tuple[int, int]) -> str:
        """What is wrong with a row, which is pair `t` of the batch."""
        names = [rows.name(row) for rows in self._sides]
        if reason == EMPTY:
            n_words = len(self._trees[0].words(t)[0])
            what = f"all words of {names[0]} are deleted" if n_words else f"{names[0]} is empty"
            return f"{what}; counted as without brackets" if status == COUNTED else f"skipped: {what}"
        if reason in (NO_TAG_PREDICTION, NO_TAG_REFERENCE):
            side = 0 if reason == NO_TAG_PREDICTION else 1
            return (
                f"the word {self._word(side, t, where[side])} at position {where[side] + 1} of {names[side]} "
                "has no tag of its own; write (TAG word) for each word"
            )
        if reason == COUNTS_DIFFER or (reason == WENT_ON and status == VALID):
            return (
                f"word counts differ: {count(where[0], 'word')} in {names[0]}, {where[1]} in {names[1]}; "
                "ParsEval needs the same words on both sides"
            )
        words = [self._word(side, t, where[side]) for side in (0, 1)]
        return f"word differs at position {where[1] + 1}: {words[0]} in {names[0]}, {words[1]} in {names[1]}"

    def _word(self, side: int, t: int, word: int) -> str:
        _, _, text_from, text_to = self._trees[side].words(t)
        text = self._texts[side][text_from[word] : text_to[word]]
        return brief(text.decode("utf-8", "surrogatepass"))


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _clear(score: ParsevalScore, at: int, status: int) -> None:
    """Makes all counts of a sentence 0; length and status, the first two columns, are none."""
    for name in COLUMNS[2:]:
        getattr(score, name)[at] = 0
    score.status[at] = status


def _imitate_spmrl(score: ParsevalScore, at: int, reason: int) -> int:
    """Books a sentence whose word counts differ as EVALB_SPMRL does; returns how many rows that adds."""
    if reason == COUNTS_DIFFER:
        score.status[at] = VALID
    if reason != WENT_ON:
        return 0
    for name in (*COLUMNS, "rows"):
        column = getattr(score, name)
        column.insert(at, column[at])
    _clear(score, at, VALID)
    return 1
