"""What is given to a projection, checked: trees with texts, and words whose times are in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ..._core.shapes import check_times
from ...errors import TreeFormatError
from ...trees.shapes import as_tree
from ...trees.tree import SegmentTree
from ..readers.checks import NOISE
from ..words import TimedWord, Transcript
from .order import is_amount, is_sign


def checked_words(words: Transcript | Iterable[Sequence[Any]], title: str) -> list[TimedWord]:
    """The words, whose times must be finite, not reversed, in order and overlap by `NOISE` at most."""
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        raise TypeError(f"words must be a Transcript or (text, start, end) each, not {type(words).__name__}")
    given = list(words.words if isinstance(words, Transcript) else words)
    for number, word in enumerate(given):
        sized = isinstance(word, Sequence) and not isinstance(word, str) and len(word) in (3, 4)
        if not sized or not isinstance(word[0], str):
            raise TreeFormatError(f"word {number}: {word!r} is not (text, start, end)", source=title)
    pairs = _without_noise(word[1:3] for word in given)
    try:
        times = check_times(pairs)
    except TreeFormatError as error:
        number = len(given) - len(list(pairs)) - 1  # the last one that was looked at
        raise TreeFormatError(f"{error.message} ({given[number][0]!r})", source=title) from None
    return [
        TimedWord(word[0], start, end, bool(word[3:] and word[3]))
        for word, (start, end) in zip(given, times, strict=True)
    ]


def _without_noise(pairs: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, Any]]:
    """The times, where a word that starts too early by what adding floats leaves starts a bit later."""
    last: Any = None
    for start, end in pairs:
        if all(isinstance(time, float) for time in (last, start, end)) and 0.0 < last - start <= NOISE:
            start, end = last, max(last, end)
        yield start, end
        last = end


def checked_tree(value: Any, source: str) -> SegmentTree:
    """A tree of any shape whose leaves have texts; `source` is its name in errors."""
    tree = as_tree(value, source=source)
    if tree.words and not any(tree.words):
        raise TreeFormatError(
            "the leaves of this tree have no text, so nothing can be aligned", source=source
        )
    return tree


def writes_signs_first(words: Sequence[TimedWord]) -> bool:
    """Whether a transcript has signs of currencies as words of their own before their numbers."""
    return any(is_sign(one.text) and is_amount(other.text) for one, other in pairwise(words))
