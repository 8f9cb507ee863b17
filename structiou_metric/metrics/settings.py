"""Settings of metrics that come from files: the segments of TedEval, and checks of parameters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ..errors import TreeFormatError, TreeMismatchError
from ..sources.files import read_text
from ..wording import brief, count

if TYPE_CHECKING:
    Word = tuple[str, tuple[str, ...]]  # as it is written, and its segments


def check_lists(record: Any, lists: Iterable[str], pairs: Iterable[str]) -> Any:
    """Return a named tuple with tuples for all lists; raise a ValueError for a field that is no list.

    Args:
        record: The named tuple.
        lists: The names of its fields that are lists of texts.
        pairs: The names of its fields that are lists of pairs of texts.
    """
    values: dict[str, Any] = {}
    for name in lists:
        values[name] = value = tuple(getattr(record, name))
        if isinstance(getattr(record, name), str) or not all(isinstance(text, str) for text in value):
            raise ValueError(f"{name} must be a list of texts, not {getattr(record, name)!r}")
    for name in pairs:
        values[name] = found = tuple(tuple(pair) for pair in getattr(record, name))
        if any(len(pair) != 2 or not all(isinstance(text, str) for text in pair) for pair in found):
            raise ValueError(f"{name} must be a list of pairs of texts, not {getattr(record, name)!r}")
    return record._replace(**values)


# ---- segments of TedEval ---


@dataclass(frozen=True)
class Segments:
    """The segments of all words of one side.

    Attributes:
        rows: The words of each row of trees in order, each with its segments.
        source: The file that they were read from, if any.
        lines: The line of each row's first word.
    """

    rows: Sequence[Sequence[Word]]
    source: str = field(default="", compare=False)
    lines: Sequence[int] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, row: int, word: int) -> str:
        """Return what to call a word in errors, or the end of a row's words."""
        if self.source:
            return f"{self.source}:{self.lines[row] + word}"
        return f"row {row + 1}, word {word + 1} of the segments"

    @classmethod
    def of(cls, value: Any) -> Segments | None:
        """Return segments as they are, from a file, or from a list for each row; None stays."""
        if value is None or isinstance(value, Segments):
            return value
        if isinstance(value, str | os.PathLike):
            return cls.read(value)
        if not isinstance(value, Iterable):
            raise ValueError(f"segments must be a list for each row, or a file, not {brief(value)}")
        return cls([[_as_word(entry, row) for entry in words] for row, words in enumerate(value)])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Segments:
        """Read a segmentation file; `-` is standard input."""
        text, title = read_text(path)
        rows: list[list[Word]] = []
        lines: list[int] = []
        words: list[Word] = []
        texts = text.split("\n")
        if not texts[-1].strip():
            texts.pop()  # the rest after the last line end
        first = 1
        for number, text in enumerate(texts, 1):
            text = text.rstrip("\r")
            if text.strip():
                words.append(_read_word(text, title, number))
            if not text.strip() or number == len(texts):
                rows.append(words)
                lines.append(first)
                words, first = [], number + 1
        return cls(rows, title, lines)

    def cut(self, row: int, texts: list[str], name: str) -> Sequence[Word]:
        """Return the words of a row with their segments, which must be the words of its tree.

        Args:
            row: The number of the row.
            texts: The words of the tree.
            name: What to call the tree in errors.
        """
        if row >= len(self):
            raise TreeMismatchError(
                f"{self.source or 'the segments'}: there are {count(len(self), 'sentence')}, and {name} "
                f"is in row {row + 1}; give the segments of every row, a blank line after each"
            )
        words = self.rows[row]
        parts = [(k, part) for k, (_, segments) in enumerate(words) for part in segments]
        for at, (part, text) in enumerate(zip_longest((part for _, part in parts), texts)):
            if part is None:
                raise TreeMismatchError(
                    f"{self.where(row, len(words))}: the segments end before word {at + 1} of {name}, "
                    f"{brief(text)}; segments must be the words of the tree"
                )
            if part != text:
                k = parts[at][0]
                found = "there is no word left" if text is None else f"word {at + 1} is {brief(text)}"
                raise TreeMismatchError(
                    f"{self.where(row, k)}: segment {brief(part)} of {brief(words[k][0])}, but in {name} "
                    f"{found}; segments must be the words of the tree"
                )
        return words


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
