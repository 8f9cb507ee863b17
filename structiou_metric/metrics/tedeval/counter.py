"""The way from trees that were read to TedEval's columns: name the nodes, place the words, count."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..._core.flat import FlatNodes
from ..._core.node_counts import NodeCounter, one_position_each
from ...errors import TreeMismatchError
from ...wording import brief, count
from ..base import EMPTY, SKIPPED, ZEROED, Counter, Counts, Options
from ..batch import Batch
from .names import Naming
from .segments import Positions, Segments

if TYPE_CHECKING:
    from ...sources.rows import Problems
    from .segments import Places, Word

    Words = tuple[array[int], array[int]]  # where those of each tree begin, and the number of each


class TedEvalCounter(Counter):
    """Counts what is to be inserted and deleted in batches of pairs.

    Args:
        options: The options of the metric.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._naming = Naming(options)
        self._nodes = FlatNodes(), FlatNodes()
        self._counter = NodeCounter(options.compat)
        self._segments: tuple[Segments | None, Segments | None] = (
            options.prediction_segments,
            options.reference_segments,
        )
        self._positions = Positions(options.compat)

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The distance, the nodes of both sides, and what the distance is measured against, of each pair."""
        words, problems = self._select(batch)
        places = self._place(batch, words, problems)
        naming = self._naming
        common, n_pred, n_ref, roots_pred, roots_ref = self._counter.count(
            *self._nodes,
            (*words[0], *places[0]),
            (*words[1], *places[1]),
            naming.word_names,
            naming.n_names,
            naming.filler,
        )
        status = bytearray(len(batch))
        for row in problems:
            status[row - batch.first] = SKIPPED if self._options.on_error == "skip" else ZEROED
            common[row - batch.first] = 0
        if 0 in n_pred:
            for t, nodes in enumerate(n_pred):
                if not nodes and n_ref[t] and status[t] != SKIPPED and status[t] != ZEROED:
                    status[t] = EMPTY
        columns = {
            "distance": array("i", (p + r - 2 * c for p, r, c in zip(n_pred, n_ref, common, strict=True))),
            "n_pred": n_pred,
            "n_ref": n_ref,
            "norm": array(
                "i",
                (
                    max(0, p - a) + max(0, r - b)
                    for p, a, r, b in zip(n_pred, roots_pred, n_ref, roots_ref, strict=True)
                ),
            ),
        }
        for t, state in enumerate(status):
            if state == SKIPPED:
                for column in columns.values():
                    column[t] = 0
        return Counts(columns, status, problems)

    def check(self, batch: Batch) -> Problems:
        """The errors that keep rows from being compared, found without comparing them."""
        words, problems = self._select(batch)
        self._place(batch, words, problems)
        return problems

    def _select(self, batch: Batch) -> tuple[list[Words], Problems]:
        sides = batch.predictions, batch.references
        return self._naming.select(sides, batch.labels, self._nodes), dict(batch.problems)

    def _place(self, batch: Batch, words: list[Words], problems: Problems) -> list[Words]:
        """The first and last positions of all words; adds the rows that have none to `problems`."""
        places = [one_position_each(offsets) for offsets, _ in words]
        segmented = self._segments[0] is not None or self._segments[1] is not None
        pred_from, ref_from = words[0][0], words[1][0]
        for t in range(len(batch)):
            n_pred, n_ref = pred_from[t + 1] - pred_from[t], ref_from[t + 1] - ref_from[t]
            if not n_pred or not n_ref or batch.first + t in problems:
                continue
            if segmented:
                try:
                    aligned = self._align(batch, t, words)
                except ValueError as error:
                    problems[batch.first + t] = error
                    continue
                if aligned is None:
                    continue
                begins = pred_from[t], ref_from[t]
                for (lefts, rights), begin, found in zip(places, begins, aligned, strict=True):
                    end = begin + len(found[0])
                    lefts[begin:end], rights[begin:end] = (array("i", own) for own in found)
            elif n_pred != n_ref:
                prediction, reference = batch.names(t)
                problems[batch.first + t] = TreeMismatchError(
                    f"{prediction} has {count(n_pred, 'word')} and {reference} has {count(n_ref, 'word')}; "
                    "say how they are cut by prediction_segments and reference_segments"
                )
        return places

    def _align(self, batch: Batch, t: int, words: list[Words]) -> tuple[Places, Places] | None:
        """The positions of the segments of a row, None for one each, or the error that it has none."""
        row = batch.first + t
        names = batch.names(t)
        pred, ref = (
            _cut(segments, row, self._naming.texts(numbers[offsets[t] : offsets[t + 1]]), name)
            for (offsets, numbers), segments, name in zip(words, self._segments, names, strict=True)
        )
        if pred == ref:
            return None
        _check_words(pred, ref, self._segments, row, names)
        return self._positions.of_row(pred, ref)


def _cut(segments: Segments | None, row: int, texts: list[str], name: str) -> Sequence[Word]:
    """The words of a row with their segments, which must be the words of its tree.

    Args:
        segments: The segments of the side; without them, each word is one segment.
        row: The number of the row.
        texts: The words of its tree.
        name: What to call the tree in errors.
    """
    if segments is None:
        return [(text, (text,)) for text in texts]
    if row >= len(segments):
        raise TreeMismatchError(
            f"{segments.source or 'the segments'}: there are {count(len(segments), 'sentence')}, and {name} "
            f"is in row {row + 1}; give the segments of every row, a blank line after each"
        )
    words = segments.rows[row]
    if segments.texts[row] == texts:
        return words
    at = 0
    for k, (word, parts) in enumerate(words):
        for part in parts:
            if at == len(texts) or texts[at] != part:
                found = f"word {at + 1} is {brief(texts[at])}" if at < len(texts) else "there is no word left"
                raise TreeMismatchError(
                    f"{segments.where(row, k)}: segment {brief(part)} of {brief(word)}, but in {name} "
                    f"{found}; segments must be the words of the tree"
                )
            at += 1
    raise TreeMismatchError(
        f"{segments.where(row, len(words))}: the segments end before word {at + 1} of {name}, "
        f"{brief(texts[at])}; segments must be the words of the tree"
    )


def _check_words(
    pred: Sequence[Word],
    ref: Sequence[Word],
    segments: tuple[Segments | None, Segments | None],
    row: int,
    names: tuple[str, str],
) -> None:
    """Refuses words that are not written the same on both sides."""
    if [word for word, _ in pred] == [word for word, _ in ref]:
        return
    for k in range(max(len(pred), len(ref))):
        if k < min(len(pred), len(ref)) and pred[k][0] == ref[k][0]:
            continue
        told = []
        for words, side, name in zip((pred, ref), segments, names, strict=True):
            where = side.where(row, min(k, len(words))) if side else name
            told.append(f"{where} has {brief(words[k][0]) if k < len(words) else 'no word left'}")
        raise TreeMismatchError(
            f"{told[0]} and {told[1]}; both sides need the same words, cut into segments or not"
        )
