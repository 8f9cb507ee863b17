"""Lists of candidates: several trees for each sentence, as parsers write them."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import TreeFormatError
from .files import read_text

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_CANDIDATE = re.compile(rf"(?:({_NUMBER})\s+)?(\(.*)")  # a tree, perhaps behind its number
_ALONE = re.compile(rf"{_NUMBER}$")  # the number of the tree in the next line
_HEAD = re.compile(r"\d+\s+\S+$")  # how many trees follow, and what the sentence is called


class Candidates(NamedTuple):
    """The candidates of a sentence.

    Attributes:
        trees: The bracket texts.
        numbers: What the parser said of each, such as a logarithm of its probability; None if nothing.
        line: The line of the first one in its file.
    """

    trees: list[str]
    numbers: list[float] | None
    line: int


def read_nbest(path: str) -> list[Candidates]:
    """The candidates of each sentence of a file.

    A line is a tree, behind a number if there is one; a blank line parts sentences. So does a line with the
    number of candidates and a name, as parsers in the manner of Charniak's write it, which have numbers in
    lines of their own.

    Args:
        path: The file, perhaps packed; `-` is standard input.
    """
    text, title = read_text(path)
    found: list[Candidates] = []
    trees: list[str] = []
    numbers: list[float | None] = []
    first = 0
    number: float | None = None

    def close() -> None:
        if number is not None:
            raise TreeFormatError("there is no tree behind this number", source=title, line=at - 1)
        if trees:
            known = [value for value in numbers if value is not None]
            if known and len(known) != len(trees):
                raise TreeFormatError(
                    f"{len(known)} of {len(trees)} candidates have a number; give one to all or to none",
                    source=title,
                    line=first,
                )
            found.append(Candidates(list(trees), known or None, first))
        trees.clear()
        numbers.clear()

    at = 0
    for at, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or _HEAD.match(line):
            close()
            continue
        if _ALONE.match(line) and number is None:
            number = float(line)
            continue
        candidate = _CANDIDATE.match(line)
        if candidate is None:
            raise TreeFormatError(
                f"{line!r:.60} is no candidate; write a tree in brackets, or a number and a tree",
                source=title,
                line=at,
            )
        first = first if trees else at
        numbers.append(float(candidate[1]) if candidate[1] else number)
        trees.append(candidate[2])
        number = None
    at += 1
    close()
    if not found:
        raise TreeFormatError("there are no candidates in this file", source=title)
    return found
