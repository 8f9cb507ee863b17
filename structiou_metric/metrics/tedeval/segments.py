"""Words cut into segments: given as lists or as a segmentation file, and where they lie beside each other.

A segmentation file has a line `word<TAB>segment1:segment2:…` for each word as it is written, and a blank
line after each sentence. The segments are the words of the trees. A word that stands for itself, such as
`10:30<TAB>10:30`, is one segment.

Segments of the two sides are put on one axis word by word, so that those in common, by a longest common
subsequence of equal forms, begin at the same position. A word takes as many positions as the side with more
segments has, or more where segments in common push others back; the last segments of both are stretched to
its end. TedEval 2.2 stretches the last one only up to the number of segments, so that `dag:dag` ends before
`dag:o`, whose `dag` it takes for the second of the other side. Where it puts the words behind such a word is
not known; here they begin behind both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ...errors import TreeFormatError
from ...sources.files import read_text
from ...wording import brief

if TYPE_CHECKING:
    Word = tuple[str, tuple[str, ...]]  # as it is written, and its segments
    Spans = list[tuple[int, int]]  # first and last position of each segment, half-open
    Places = tuple[list[int], list[int]]  # first positions of all segments, and last ones, half-open

_MANY = 1 << 16  # words whose positions are kept


class Segments:
    """The segments of all words of one side.

    Attributes:
        texts: The segments alone, for each row.

    Args:
        rows: The words of each row of trees in order, each with its segments.
        source: The file that they are from, if any.
        lines: The line of each row's first word.
    """

    def __init__(
        self, rows: Sequence[Sequence[Word]], *, source: str = "", lines: Sequence[int] = ()
    ) -> None:
        self.rows = rows
        self.texts = [[part for _, parts in words for part in parts] for words in rows]
        self.source = source
        self._lines = lines

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Segments) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(len(self.rows))

    def __repr__(self) -> str:
        return f"<segments of {len(self)} rows>"

    def where(self, row: int, word: int) -> str:
        """What to call a word in errors, the end of a row's words among them."""
        if self.source:
            return f"{self.source}:{self._lines[row] + word}"
        return f"row {row + 1}, word {word + 1} of the segments"

    @classmethod
    def of(cls, value: Any) -> Segments | None:
        """Segments from a file, from a list for each row, or None; an option's value in its final form."""
        if value is None or isinstance(value, Segments):
            return value
        if isinstance(value, str | os.PathLike):
            return cls.read(value)
        if not isinstance(value, Iterable):
            raise ValueError(f"segments must be a list for each row, or a file, not {brief(value)}")
        return cls([[_as_word(entry, row) for entry in words] for row, words in enumerate(value)])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Segments:
        """Reads a segmentation file; `-` is standard input."""
        text, title = read_text(path)
        rows: list[list[Word]] = []
        lines: list[int] = []
        words: list[Word] = []
        texts = text.split("\n")
        if not texts[-1].strip():
            texts.pop()  # what follows the last line end
        first = 1
        for number, text in enumerate(texts, 1):
            text = text.rstrip("\r")
            if text.strip():
                words.append(_read_word(text, title, number))
            if not text.strip() or number == len(texts):
                rows.append(words)
                lines.append(first)
                words, first = [], number + 1
        return cls(rows, source=title, lines=lines)


def _read_word(text: str, source: str, line: int) -> Word:
    word, tab, segments = text.partition("\t")
    segments = segments.strip()
    if not tab or not segments:
        raise TreeFormatError(
            f"{brief(text)} has no segments; write word<TAB>segment1:segment2:…, and a blank line after each "
            "sentence",
            source=source,
            line=line,
        )
    if segments == word or not segments.strip(":"):
        return word, (segments,)
    return word, tuple(filter(None, segments.split(":")))


def _as_word(entry: Any, row: int) -> Word:
    try:
        word, segments = entry
        if isinstance(word, str) and not isinstance(segments, str):
            parts = tuple(segments)
            if parts and all(isinstance(part, str) for part in parts):
                return word, parts
    except (TypeError, ValueError):
        pass
    raise ValueError(f"row {row + 1} of the segments: {brief(entry)} is no [word, [segment, …]]")


class Positions:
    """Puts the segments of two sides on one axis; what was found for a word is kept.

    Args:
        compat: Whether to stretch segments as TedEval 2.2 does.
    """

    def __init__(self, compat: bool) -> None:
        self._compat = compat
        self._known: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[Spans, Spans]] = {}

    def of_row(self, prediction: Sequence[Word], reference: Sequence[Word]) -> tuple[Places, Places]:
        """Where all segments of a row begin and end, whose words are the same on both sides."""
        at = done = 0
        pred, ref = ([], []), ([], [])  # type: tuple[Places, Places]
        ends = [0, *accumulate(len(parts) for _, parts in prediction)]
        for k, (ours, theirs) in enumerate(zip(prediction, reference, strict=True)):
            if ours != theirs:
                at = _add_alike((pred, ref), at, ends[k] - ends[done])
                sides = self._of_word(ours[1], theirs[1])
                for (lefts, rights), spans in zip((pred, ref), sides, strict=True):
                    lefts += [at + left for left, _ in spans]
                    rights += [at + right for _, right in spans]
                at += max(sides[0][-1][1], sides[1][-1][1])
                done = k + 1
        _add_alike((pred, ref), at, ends[-1] - ends[done])
        return pred, ref

    def _of_word(self, ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[Spans, Spans]:
        found = self._known.get((ours, theirs))
        if found is None:
            if len(self._known) >= _MANY:
                self._known.clear()
            found = self._known[ours, theirs] = _positions(ours, theirs, self._compat)
        return found


def _add_alike(sides: tuple[Places, Places], at: int, n_segments: int) -> int:
    """Puts segments that are the same on both sides one behind the other; returns where they end."""
    for lefts, rights in sides:
        lefts += range(at, at + n_segments)
        rights += range(at + 1, at + n_segments + 1)
    return at + n_segments


def _positions(ours: Sequence[str], theirs: Sequence[str], compat: bool) -> tuple[Spans, Spans]:
    """The positions of the segments of one word, from 0."""
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
    """Segments one behind the other, some at given places; a gap stretches what is before it."""
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
    """The places of a longest common subsequence; where several are longest, as TedEval walks back."""
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
