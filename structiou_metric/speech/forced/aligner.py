"""Forced aligners: what one must do, how one is chosen, and what is checked of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import isfinite
from typing import Any, Protocol, runtime_checkable

from ...optional import load_plugin
from ...wording import count
from ..words import TimedWord

# Aligners by name; whatever stands behind the colon is called without arguments to make one.
ALIGNERS = {
    "pocketsphinx": "structiou_metric.speech.forced.sphinx:SphinxAligner",
    "pocketsphinx-lenient": "structiou_metric.speech.forced.sphinx:make_lenient",
}

_ROUNDING = 0.02  # seconds, two frames of most aligners, by which an end may lie behind that of the sound


class AlignmentError(ValueError):
    """Words that an aligner could not find in a recording, or an answer of it that cannot be right."""


@runtime_checkable
class Aligner(Protocol):
    """Finds given words in sound.

    Any object with this method will do. It may also have a dict `guesses` with words whose
    pronunciation it had to guess, which is reported.
    """

    def align(self, samples: Any, rate: int, words: Sequence[str]) -> Sequence[TimedWord]:
        """Says where each word is.

        Args:
            samples: The sound, a numpy array of float32 with full scale ±1, one channel.
            rate: Samples a second, always 16,000.
            words: What is said, in its order.

        Returns:
            As many words in the same order, with start and end in seconds from the first sample.
            `TimedWord` or any `(text, start, end)`.
        """
        ...


def load_aligner(aligner: str | Aligner) -> Aligner:
    """The aligner of a name, made once and kept.

    Args:
        aligner: A name in `ALIGNERS`, or `module:name` of a class, of a function that makes an aligner,
            or of an aligner; an aligner itself is returned as it is.
    """
    return _load(aligner) if isinstance(aligner, str) else _checked(aligner, type(aligner).__name__)


@cache
def _load(name: str) -> Aligner:
    if name not in ALIGNERS and not all(name.partition(":")):
        raise ValueError(
            f"unknown aligner {name!r}; choose from {', '.join(sorted(ALIGNERS))}, "
            "or give your own as module:name"
        )
    found = load_plugin(ALIGNERS.get(name, name), "aligner")
    is_maker = isinstance(found, type) or not hasattr(found, "align")
    if is_maker and callable(found):
        found = found()
    return _checked(found, name)


def _checked(aligner: Any, name: str) -> Aligner:
    if isinstance(aligner, type) or not callable(getattr(aligner, "align", None)):
        raise ValueError(f"aligner {name!r} has no method align(samples, rate, words)")
    checked: Aligner = aligner
    return checked


def check_alignment(answer: Iterable[Any], words: Sequence[str], seconds: float) -> list[TimedWord]:
    """Checks an aligner's answer for `words` in so many seconds of sound.

    >>> check_alignment([("so", 0.0, 0.25), ("what", 0.25, 0.5)], ["so", "what"], 0.5)[1].text
    'what'

    Raises:
        AlignmentError: If words are missing, not in order, overlap or lie outside the sound.
    """
    found = [_timed(item, number) for number, item in enumerate(answer, 1)]
    if len(found) != len(words):
        raise AlignmentError(
            f"the aligner gave times of {count(len(found), 'word')} for {count(len(words), 'word')}"
        )
    checked = []
    previous = 0.0
    for number, (given, word) in enumerate(zip(words, found, strict=True), 1):
        where = f"the aligner's word {number}, {word.text!r} at {word.start:g} to {word.end:g} s,"
        if word.text != given:
            raise AlignmentError(f"{where} should be {given!r}")
        if not (isfinite(word.start) and isfinite(word.end)):
            raise AlignmentError(f"{where} is not finite")
        if word.start > word.end:
            raise AlignmentError(f"{where} ends before it starts")
        if word.start < 0 or word.end > seconds + _ROUNDING:
            raise AlignmentError(f"{where} is outside the sound, which lasts {seconds:.3f} s")
        if word.start < previous:
            raise AlignmentError(f"{where} starts before the end of the word before it, {previous:g} s")
        previous = min(word.end, seconds)
        checked.append(word._replace(start=min(word.start, seconds), end=previous))
    return checked


def _timed(item: Any, number: int) -> TimedWord:
    try:
        text, start, end, *estimated = item
        return TimedWord(str(text), float(start), float(end), any(estimated[:1]))
    except (TypeError, ValueError):
        raise AlignmentError(
            f"the aligner's word {number} is not (text, start, end) but {item!r:.100}"
        ) from None
