"""Forced aligners: their interface, how one is chosen, and how its answer is checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from inspect import signature
from math import isfinite
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ...optional import load_plugin
from ...wording import count
from ..readers.checks import fill_times
from ..readers.documents import Document, Entry
from ..words import TimedWord

# Aligners by name; the function or class after the colon is called to make one.
ALIGNERS = {
    "ctc": "structiou_metric.speech.forced.ctc:CtcAligner",
    "mms": "structiou_metric.speech.forced.mms:MmsAligner",
    "pocketsphinx": "structiou_metric.speech.forced.sphinx:SphinxAligner",
}

# Seconds, two frames of most aligners, by which times may be off: after the end of the sound, before its
# start, an end before its start, a start before the end of the word before. They are then moved.
_ROUNDING = 0.02


class AlignmentError(ValueError):
    """Words that could not be found in a recording, or an aligner's answer that cannot be right.

    >>> try:
    ...     check_alignment([("so", 0.0, 2.0)], ["so"], 1.0)
    ... except AlignmentError as error:
    ...     print("after the end of the sound")
    after the end of the sound

    Attributes:
        confidence: The confidence, from 0 to 1, of words that are refused, if it is known.
    """

    def __init__(self, message: str, confidence: float | None = None) -> None:
        super().__init__(message)
        self.confidence = confidence


class AlignedWords(NamedTuple):
    """The times of words in a sound, and the confidence in them.

    >>> AlignedWords([("we", 0.0, 0.5)], confidence=0.75).part_confidences
    ()

    Attributes:
        words: Text, start and end of each word, in seconds from the first sample. A time may be None if it is
            not known, but not all of them: it is then estimated from the words around.
        confidence: How sure it is, from 0 to 1, that the words are those of the sound; None if not known.
        part_confidences: The confidence of each part, if parts were asked for; None for one without words.
        uncovered: The seconds of speech in which no word was found, and of all speech; None if not known.
        guesses: The words whose pronunciation had to be guessed, with the guess.
    """

    words: Sequence[Sequence[Any]]
    confidence: float | None = None
    part_confidences: Sequence[float | None] = ()
    uncovered: tuple[float, float] | None = None
    guesses: Mapping[str, str] = {}


@runtime_checkable
class Aligner(Protocol):
    """Finds given words in sound.

    Any object with this method will do. It may also have these attributes: `reads_digits` is False if English
    numbers are to be given to it in letters; `min_confidence` is the confidence below which words are refused
    (0 by default), and `suspect_confidence` the one below which there is a warning. If `judges_parts` is
    True, `align` takes `parts=`, too, the number of words of each tree, and answers with the confidence of
    each.

    >>> class Evenly:
    ...     def align(self, samples, rate, words):
    ...         step = len(samples) / rate / len(words)
    ...         return [(word, i * step, (i + 1) * step) for i, word in enumerate(words)]
    >>> isinstance(Evenly(), Aligner), Evenly().align([0.0] * 16_000, 16_000, ["we", "run"])
    (True, [('we', 0.0, 0.5), ('run', 0.5, 1.0)])
    """

    def align(self, samples: Any, rate: int, words: Sequence[str]) -> AlignedWords | Sequence[Sequence[Any]]:
        """Find each word.

        Args:
            samples: The sound, a numpy array of float32 with full scale ±1, one channel.
            rate: The number of samples a second, always 16,000.
            words: All words of the stretch, in order.

        Returns:
            All words in the same order, each as (text, start, end), or an `AlignedWords` of them.
        """
        ...


def load_aligner(aligner: str | Aligner, *, model: str | None = None) -> Aligner:
    """Return the aligner of a name, which is made once and kept.

    Args:
        aligner: A name in `ALIGNERS`, or `module:name` of a class, of a function that makes an aligner,
            or of an aligner; an aligner itself is returned as it is.
        model: The folder of a model, which is given to the class or function that makes the aligner.
    """
    if isinstance(aligner, str):
        return _load(aligner, model)
    if model is not None:
        raise ValueError(f"model={model!r} is for an aligner given by its name; set it where it is made")
    return _checked(aligner, type(aligner).__name__)


@cache
def _load(name: str, model: str | None) -> Aligner:
    if name not in ALIGNERS and not all(name.partition(":")):
        raise ValueError(
            f"unknown aligner {name!r}; choose from {', '.join(sorted(ALIGNERS))}, "
            "or give your own as module:name"
        )
    found = load_plugin(ALIGNERS.get(name, name), "aligner")
    if not callable(found) or (hasattr(found, "align") and not isinstance(found, type)):
        if model is not None:
            raise ValueError(f"aligner {name!r} is made already, so it takes no model={model!r}")
        return _checked(found, name)
    options = {} if model is None else {"model": model}
    try:
        signature(found).bind(**options)
    except TypeError as error:
        given = f"model={model!r}" if options else "no model="
        raise ValueError(f"aligner {name!r} cannot be made with {given}: {error}") from None
    except ValueError:  # which some functions written in C have no signature for
        pass
    return _checked(found(**options), name)


def _checked(aligner: Any, name: str) -> Aligner:
    if isinstance(aligner, type) or not callable(getattr(aligner, "align", None)):
        raise ValueError(f"aligner {name!r} has no method align(samples, rate, words)")
    checked: Aligner = aligner
    return checked


def check_alignment(answer: Iterable[Any], words: Sequence[str], seconds: float) -> list[TimedWord]:
    """Check an aligner's answer for words in some seconds of sound, and fill in missing times.

    Times that are off by rounding are moved; those that are None are estimated (see `fill_times`).

    >>> check_alignment([("so", 0.0, 0.30000000000000004), ("what", 0.3, 0.5)], ["so", "what"], 0.5)[1].text
    'what'
    >>> check_alignment([("so", 0, 0.25), ("5", None, None), ("he", 0.5, 0.75)], ["so", "5", "he"], 1.0)[1]
    TimedWord(text='5', start=0.25, end=0.5, estimated=True)

    Raises:
        AlignmentError: If words are missing, not in order, overlap or lie outside the sound.
    """
    found = list(answer)
    if len(found) != len(words):
        raise AlignmentError(
            f"the aligner gave times of {count(len(found), 'word')} for {count(len(words), 'word')}"
        )
    entries: list[Entry] = []
    estimated: list[bool] = []  # according to the aligner itself
    previous = 0.0
    for number, (item, given) in enumerate(zip(found, words, strict=True), 1):
        try:
            text, *times, guessed = item if len(item) > 3 else (*item, False)
            start, end = (None if time is None else float(time) for time in times)
        except (TypeError, ValueError):
            raise AlignmentError(
                f"the aligner's word {number} is not (text, start, end) but {item!r:.100}"
            ) from None
        where = f"the aligner's word {number}, {_described(text, start, end)},"
        if text != given:
            raise AlignmentError(f"{where} should be {given!r}")
        if start is not None and end is not None and end < start - _ROUNDING:
            raise AlignmentError(f"{where} ends before it starts")
        start, end = (
            None if time is None else _moved(time, previous, seconds, where) for time in (start, end)
        )
        end = end if end is None or start is None else max(start, end)
        previous = next((time for time in (end, start) if time is not None), previous)
        entries.append(Entry(given, start, end, number, 0.0, seconds))
        estimated.append(bool(guessed))
    if entries and all(entry.start is None and entry.end is None for entry in entries):
        raise AlignmentError("the aligner gave no word a time")
    filled = fill_times(entries, Document(b"", "aligner"), "interpolate", False)
    return [
        word._replace(estimated=word.estimated or guessed)
        for word, guessed in zip(filled, estimated, strict=True)
    ]


def _moved(time: float, previous: float, seconds: float, where: str) -> float:
    """Move a time that is off by rounding into the sound, and after the word before."""
    if not isfinite(time):
        raise AlignmentError(f"{where} is not finite")
    if not -_ROUNDING <= time <= seconds + _ROUNDING:
        raise AlignmentError(f"{where} is outside the sound, which lasts {seconds:.3f} s")
    if time < previous - _ROUNDING:
        raise AlignmentError(f"{where} starts before the end of the word before it, {previous:g} s")
    return min(max(time, previous), seconds)


def _described(text: str, *times: float | None) -> str:
    """Return a word and its times, for errors."""
    start, end = ("?" if time is None else f"{time:g}" for time in times)
    return f"{text!r} at {start} to {end} s"
