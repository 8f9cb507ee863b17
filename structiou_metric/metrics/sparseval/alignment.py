"""Alignments given from outside, row by row: entries of a word of the reference and one of the prediction.

An alignment file, as SParseval's `-a` takes it, has an entry a line with tabs between: both words and three
digits for deletion, insertion and substitution; `word<TAB>100` has a word of the reference alone, and
`<TAB>word<TAB>010` one of the prediction. It lists the words that parameters do not delete. A blank line
ends the entries of a row; a file without any is of one row.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import TreeFormatError, TreeMismatchError
from ...sources.files import read_text
from ...wording import brief

if TYPE_CHECKING:
    Entry = tuple[str | None, str | None]  # of the reference, and of the prediction
    Spans = list[tuple[int, int]]  # where each word begins and ends, in positions

_SIDES = ("reference", "prediction")


class RowAlignment:
    """The entries of one row.

    Args:
        entries: Words of the reference and of the prediction.
        source: What to call them in errors.
        lines: The line of each entry, if they came from a file.
    """

    def __init__(self, entries: Sequence[Entry], source: str, lines: Sequence[int] | None = None) -> None:
        self.entries = entries
        self.source = source
        self._lines = lines

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowAlignment) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(tuple(self.entries))

    def where(self, entry: int) -> str:
        """The place of an entry."""
        return f"{self.source}[{entry}]" if self._lines is None else f"{self.source}:{self._lines[entry]}"

    def place(
        self,
        words: tuple[Sequence[str], Sequence[str]],
        names: tuple[str, str],
        same: Callable[[str, str], bool],
    ) -> tuple[Spans, Spans, int]:
        """The positions of the words of reference and prediction, and how many positions there are.

        An entry is as many positions long as either side's trees cut its word into pieces; the last piece
        reaches to its end. A word of a tree that joins the words of two entries takes both.

        Args:
            words: The words of the reference's tree and of the prediction's.
            names: What to call both trees in errors.
            same: A function that tells whether two words count as the same.
        """
        sides = [self._fit(side, words[side], names[side], same) for side in (0, 1)]
        lengths = [1] * len(self.entries)
        for fitted in sides:
            for entry, piece, _ in fitted:
                lengths[entry] = max(lengths[entry], piece + 1)
        starts = [0]
        for length in lengths:
            starts.append(starts[-1] + length)
        spans = [
            [
                (starts[entry] + piece, starts[entry] + piece + 1 if until is None else starts[until])
                for entry, piece, until in fitted
            ]
            for fitted in sides
        ]
        return spans[0], spans[1], starts[-1]

    def _fit(
        self, side: int, words: Sequence[str], name: str, same: Callable[[str, str], bool]
    ) -> list[tuple[int, int, int | None]]:
        """The entry of each word, which piece of that it is, and, for a last piece, the entry behind."""
        entries = [i for i, entry in enumerate(self.entries) if entry[side] is not None]
        fitted: list[tuple[int, int, int | None]] = []
        at, piece, rest = 0, 0, ""
        for number, word in enumerate(words, 1):
            if not piece:
                if at == len(entries):
                    raise TreeMismatchError(
                        f"{self.source} ends before the word {brief(word)}, number {number} of {name}; "
                        f"list all words of the {_SIDES[side]} that the parameters do not delete"
                    )
                rest = self.entries[entries[at]][side] or ""
            entry = entries[at]
            following = at + 1 < len(entries) and entries[at + 1] == entry + 1
            if normal(word) == normal(rest):
                fitted.append((entry, piece, entry + 1))
            elif len(word) < len(rest) and rest.lower().startswith(word.lower()):
                fitted.append((entry, piece, None))
                piece, rest = piece + 1, rest[len(word) :]
                continue
            elif (
                not piece
                and following
                and normal(word) == normal(rest + (self.entries[entry + 1][side] or ""))
            ):
                fitted.append((entry, 0, entry + 2))
                at += 1
            elif same(word, rest):
                fitted.append((entry, piece, entry + 1))
            else:
                raise TreeMismatchError(
                    f"{self.where(entry)}: the {_SIDES[side]}'s word is {brief(rest)}, but word {number} of "
                    f"{name} is {brief(word)}; list the words that the parameters do not delete, as in trees"
                )
            at, piece = at + 1, 0
        if at < len(entries):
            left = rest if piece else self.entries[entries[at]][side]
            raise TreeMismatchError(
                f"{self.where(entries[at])}: {name} ends before {brief(left)}; "
                f"list only words of the {_SIDES[side]} that the parameters do not delete"
            )
        return fitted


class Alignments(list[RowAlignment]):
    """The alignment of each row.

    >>> rows = as_alignments([[("a", "a"), ("uh", None), (None, "b")]])
    >>> rows.row(0).entries
    [('a', 'a'), ('uh', None), (None, 'b')]

    Args:
        rows: The alignments in the order of rows.
        source: What to call them all in errors.
    """

    def __init__(self, rows: Iterable[RowAlignment], source: str = "alignment") -> None:
        super().__init__(rows)
        self.source = source

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Alignments:
        """Reads an alignment file; `-` is standard input."""
        text, title = read_text(path)
        return cls.from_text(text, source=title)

    @classmethod
    def from_text(cls, text: str, *, source: str = "alignment") -> Alignments:
        """Reads the text of an alignment file.

        >>> Alignments.from_text("a\\ta\\t000\\nuh\\t100\\n\\tb\\t010")[0].entries
        [('a', 'a'), ('uh', None), (None, 'b')]
        """
        rows: list[tuple[list[Entry], list[int]]] = [([], [])]
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                rows[-1][0].append(_entry(line, source, number))
                rows[-1][1].append(number)
            elif rows[-1][0]:
                rows.append(([], []))
        if not rows[-1][0]:
            rows.pop()
        return cls((RowAlignment(entries, source, lines) for entries, lines in rows), source)

    def row(self, row: int) -> RowAlignment:
        """The alignment of a row, or an error that says that there is none."""
        if row < len(self):
            return self[row]
        raise TreeMismatchError(
            f"{self.source} aligns {len(self)} of the rows, but there is a row {row + 1}; in a file, end the "
            "entries of each row by a blank line, or compare whole files as documents"
        )


def normal(word: str) -> str:
    """What two words share that differ in case and hyphens alone."""
    return word.replace("-", "").lower()


def _entry(line: str, source: str, number: int) -> Entry:
    fields = re.split(r"[ \t]+", line.rstrip())
    digits = fields.pop()
    if re.fullmatch("[01]{3}", digits):
        if len(fields) == 1 and fields[0] and digits == "100":
            return fields[0], None
        if len(fields) == 2 and fields[1] and digits[0] == "0" and bool(fields[0]) == (digits[1] == "0"):
            return fields[0] or None, fields[1]
    raise TreeFormatError(
        f"no entry of an alignment: {brief(line)}; write both words and 000 or 001 with tabs between, a word "
        "of the reference alone as word, tab, 100, and one of the prediction alone as tab, word, tab, 010",
        source=source,
        line=number,
    )


def as_alignments(value: Any) -> Alignments | None:
    """Alignments as they are, from a file, or from a list with a file or the pairs of words for each row."""
    if value is None or isinstance(value, Alignments):
        return value
    if isinstance(value, (str, os.PathLike)):
        return Alignments.read(value)
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"alignment must be a file or a list of rows, not {type(value).__name__}")
    return Alignments(_row(item, f"alignment[{row}]") for row, item in enumerate(value))


def _row(value: Any, source: str) -> RowAlignment:
    if isinstance(value, RowAlignment):
        return value
    if isinstance(value, os.PathLike) or (isinstance(value, str) and value):
        [*rows] = Alignments.read(value)
        entries = [entry for row in rows for entry in row.entries]
        return RowAlignment(entries, os.fspath(value), [line for row in rows for line in row._lines or ()])
    entries = []
    for at, pair in enumerate(value if isinstance(value, (list, tuple)) else [value]):
        if (
            not isinstance(pair, (list, tuple))
            or len(pair) != 2
            or not all(word is None or isinstance(word, str) for word in pair)
            or pair[0] is pair[1] is None
        ):
            raise TypeError(
                f"{source}[{at}] is {brief(pair)}; write a list for each row, and in it for each entry a "
                "pair: the reference's word and the prediction's, or None for a side without a word"
            )
        entries.append((pair[0], pair[1]))
    return RowAlignment(entries, source)
