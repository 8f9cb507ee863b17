"""The counter of ParsEval: it turns batches of trees into columns, and describes problems."""

from __future__ import annotations

from array import array
from collections import Counter as Tally
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._core.bracket_counts import (
    COUNT_EMPTY,
    COUNT_EMPTY_AS_SPMRL,
    COUNTS_DIFFER,
    EMPTY_PREDICTION,
    FINE,
    KEEP_QUOTES,
    LEAVE_QUOTES,
    NO_TAG_PREDICTION,
    NO_TAG_REFERENCE,
    REPEAT_QUOTES,
    SKIP_EMPTY,
    WENT_ON,
    BracketCounter,
)
from ..._core.bracket_notes import BracketNotes
from ..._core.flat import FlatTrees
from ...wording import brief, count
from ..base import COUNTED, EMPTY, ERROR, VALID, ZEROED, Batch, Counter, Counts, Options
from ..brackets import describe_untagged
from ..sums import add_labels
from .labels import LabelTable
from .parameters import Parameters

if TYPE_CHECKING:
    from ..base import Labels

    Confusions = Tally[tuple[str, str]]  # by label of the reference and of the prediction

# The columns, in the order in which they are counted; the status comes after the first.
COLUMNS = ("length", "matched", "n_pred", "n_ref", "crossing", "words", "correct_tags", "unlabeled")

_QUOTES = {"evalb": KEEP_QUOTES, "spmrl": REPEAT_QUOTES}


class ParsevalCounter(Counter):
    """Counts the brackets of batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        parameters: Parameters = options.parameters
        self._compat: bool = options.compat
        self._quirks = options.compat and options.variant == "spmrl"
        self._count_errors: bool = options.count_errors
        self._labels = LabelTable(parameters, options.variant, counts_wrappers=options.compat)
        # The notes that have the brackets of each pair that counts, of the last batch counted by label.
        self._notes: dict[int, Any] = {}
        when_empty = SKIP_EMPTY
        if options.count_empty:
            when_empty = COUNT_EMPTY_AS_SPMRL if self._quirks else COUNT_EMPTY
        self._brackets = BracketCounter(
            self._labels.equals,
            list(map(_encoded, parameters.delete_words)),
            list(map(_encoded, parameters.delete_words_for_length)),
            [(_encoded(a), _encoded(b)) for a, b in parameters.equal_words],
            when_empty,
            _QUOTES[options.variant] if parameters.quote_labels else LEAVE_QUOTES,
            self._quirks,
            options.trivial == "drop",
        )

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """Return EVALB's counts of each pair."""
        rules = self._labels.learn(batch.labels)
        notes = BracketNotes() if by_label else None
        length, states, *counted = self._brackets.count(
            batch.predictions, batch.references, rules, len(self._labels), notes
        )
        *counted, reasons, where_pred, where_ref = counted
        columns = dict(zip(COLUMNS, (length, *counted), strict=True))
        status = bytearray(states.tolist())
        remarks: list[tuple[int, str, bool]] = []
        doubled: list[int] = []  # rows that EVALB_SPMRL counts twice
        if batch.problems or any(reasons):
            for t, reason in enumerate(reasons):
                row = batch.first + t
                if row in batch.problems:
                    _clear(columns, status, t, ERROR)
                elif reason != FINE:
                    message = _describe(batch, t, reason, status[t], (where_pred[t], where_ref[t]))
                    remarks.append((row, message, status[t] == ERROR))
                    if self._quirks and reason == COUNTS_DIFFER:
                        status[t] = VALID
                    elif self._quirks and reason == WENT_ON:
                        doubled.append(t)
        failed = [t for t, state in enumerate(status) if state == ERROR] if self._count_errors else []
        labels = confusions = None
        if notes is not None:
            self._notes = {t: notes for t, state in enumerate(status) if state in COUNTED}
            taken = [t for t in self._notes if batch.first + t not in left_out]
            confusions = self._count_confusions(batch, notes, taken)
        if failed:
            self._count_failed(batch, failed, columns, status, by_label)
        if by_label:
            labels = self._sum_labels(batch, [t for t in self._notes if batch.first + t not in left_out])
        rows = None
        if doubled:
            rows = _double(columns, status, doubled, batch.first)
        columns["complete"] = self._complete(columns, status)
        return Counts(
            columns,
            status,
            batch.problems,
            remarks=remarks,
            labels=labels,
            rows=rows,
            extra=confusions,
        )

    def count_labels(self, batch: Batch, counts: Counts, groups: Sequence[Sequence[int]]) -> list[Labels]:
        """Return the sums by label of groups of pairs, from the notes that were made of all."""
        return [self._sum_labels(batch, [t for t in group if t in self._notes]) for group in groups]

    def _count_failed(
        self,
        batch: Batch,
        failed: Sequence[int],
        columns: Mapping[str, array[int]],
        status: bytearray,
        by_label: bool,
    ) -> None:
        """Count sentences that are errors as if their predictions were empty."""
        nothing = FlatTrees()
        nothing.reserve(len(batch), 0, 0)
        for _ in range(len(batch)):
            nothing.append((), (), (), (), (), (), ())
        notes = BracketNotes() if by_label else None
        rules = self._labels.learn(batch.labels)
        length, _, *counted = self._brackets.count(nothing, batch.references, rules, len(self._labels), notes)
        for name, column in zip(COLUMNS, (length, *counted), strict=False):
            for t in failed:
                columns[name][t] = column[t]
        for t in failed:
            status[t] = ZEROED
        if by_label:
            self._notes |= dict.fromkeys(failed, notes)

    def explain(self, batch: Batch) -> tuple[LabelTable, Any]:
        """Return the rules for labels, and the result of each word and bracket of the first pair."""
        rules = self._labels.learn(batch.labels)
        found = self._brackets.explain(batch.predictions, batch.references, rules, len(self._labels), 0)
        return self._labels, found

    def _sum_labels(self, batch: Batch, places: Sequence[int]) -> Labels:
        """Return the sums by label of brackets with a partner, of all and of those that cross.

        See `measures.LabelTally`. The pairs at these places must count.
        """
        predicted: Tally[tuple[int, int]] = Tally()
        wanted: Tally[tuple[int, int]] = Tally()
        for t in places:
            pred_labels, pred_flags, ref_labels, ref_flags = self._notes[t].brackets(t)
            predicted.update(zip(pred_labels, pred_flags, strict=True))
            wanted.update(zip(ref_labels, ref_flags, strict=True))
        labels: Labels = {}
        for counts, is_pred in ((predicted, True), (wanted, False)):
            for (label, flags), n in counts.items():
                matched, crossing = n * (flags & 1), n * (flags >> 1)
                sums = (matched, 0, n, 0, crossing) if is_pred else (0, matched, 0, n, 0)
                add_labels(labels, {self._labels.cut(batch.labels[label]): sums})
        return labels

    def _count_confusions(
        self, batch: Batch, notes: Any, taken: Sequence[int]
    ) -> tuple[Confusions, Confusions]:
        """Return how often a label is another one over the same words, and how often a tag is another."""
        found: tuple[Confusions, Confusions] = Tally(), Tally()
        for t in taken:
            label_ref, label_pred, tag_ref, tag_pred = notes.confusions(t)
            for a, b in zip(label_ref, label_pred, strict=True):
                found[0][self._labels.cut(batch.labels[a]), self._labels.cut(batch.labels[b])] += 1
            for a, b in zip(tag_ref, tag_pred, strict=True):
                found[1][self._labels.tag(batch.labels[a]), self._labels.tag(batch.labels[b])] += 1
        return found

    def _complete(self, columns: Mapping[str, array[int]], status: bytearray) -> array[int]:
        """Return 1 for each row in which all brackets match; with `compat` also for an empty parse."""
        complete = (VALID, EMPTY) if self._compat else (VALID,)
        return array(
            "i",
            (
                matched == n_pred == n_ref and state in complete
                for matched, n_pred, n_ref, state in zip(
                    columns["matched"], columns["n_pred"], columns["n_ref"], status, strict=True
                )
            ),
        )


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _clear(columns: Mapping[str, array[int]], status: bytearray, t: int, state: int) -> None:
    """Make all counts of a sentence 0 except its length."""
    for name in COLUMNS[1:]:
        columns[name][t] = 0
    status[t] = state


def _double(
    columns: dict[str, array[int]], status: bytearray, doubled: Sequence[int], first: int
) -> list[int]:
    """Count sentences twice, as EVALB_SPMRL does, first without any counts; return the row numbers."""
    rows = list(range(first, first + len(status)))
    for t in reversed(doubled):
        for column in (*columns.values(), rows, status):
            column.insert(t, column[t])
        _clear(columns, status, t, VALID)
    return rows


def _describe(batch: Batch, t: int, reason: int, status: int, where: tuple[int, int]) -> str:
    """Return the message for a pair that is an error, or whose prediction is empty."""
    names = batch.names(t)
    sides = batch.predictions, batch.references
    if reason == EMPTY_PREDICTION:
        n_words = batch.predictions.count_words(t)
        why = f"all words of {names[0]} are deleted" if n_words else f"{names[0]} is empty"
        return f"{why}; counted as without brackets" if status == EMPTY else f"skipped: {why}"
    if reason in (NO_TAG_PREDICTION, NO_TAG_REFERENCE):
        side = 0 if reason == NO_TAG_PREDICTION else 1
        return describe_untagged(sides[side].word(t, where[side]), where[side], names[side])
    if reason == COUNTS_DIFFER or (reason == WENT_ON and status == VALID):
        return (
            f"word counts differ: {count(where[0], 'word')} in {names[0]}, {where[1]} in {names[1]}; "
            "ParsEval needs the same words on both sides"
        )
    words = [brief(side.word(t, place)) for side, place in zip(sides, where, strict=True)]
    return f"word differs at position {where[1] + 1}: {words[0]} in {names[0]}, {words[1]} in {names[1]}"
