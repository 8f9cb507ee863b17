"""Forced aligners: what one must do, how one is chosen, and what is checked of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from inspect import signature
from math import isfinite
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ...optional import load_plugin
from ...wording import count
from ..readers.checks import fill_times
from ..readers.documents import Document, Entry
from ..words import TimedWord

# Aligners by name; whatever stands behind the colon is called with the options that are given to make one.
ALIGNERS = {
    "ctc": "structiou_metric.speech.forced.ctc:CtcAligner",
    "mms": "structiou_metric.speech.forced.mms:MmsAligner",
    "pocketsphinx": "structiou_metric.speech.forced.sphinx:SphinxAligner",
    "pocketsphinx-lenient": "structiou_metric.speech.forced.sphinx:make_lenient",
}

# Seconds, two frames of most aligners, by which times may be off: behind the end of the sound, before its
# start, an end before its start, a start before the end of the word before. They are then moved.
_ROUNDING = 0.02


class AlignmentError(ValueError):
    """Words that an aligner could not find in a recording, or an answer of it that cannot be right.

    >>> try:
    ...     check_alignment([("so", 0.0, 2.0)], ["so"], 1.0)
    ... except AlignmentError as error:
    ...     print("behind the end of the sound")
    behind the end of the sound

    Attributes:
        confidence: How sure the aligner is of words that it refuses, from 0 to 1, if it tells.
    """

    def __init__(self, message: str, confidence: float | None = None) -> None:
        super().__init__(message)
        self.confidence = confidence


@runtime_checkable
class Aligner(Protocol):
    """Finds given words in sound.

    Any object with this method will do. It may also have a dict `guesses` with words whose
    pronunciation it had to guess; `confidence`, from 0 to 1, that the words of the last call are those
    of the sound; and `uncovered`, the seconds of speech in which the last call found no word, and those
    of all speech. All of them are reported. `reads_digits` may be False, if English numbers are to be
    given to it in letters. If `judges_parts` is True, `align` takes `parts=`, too, the number of words of
    each tree: it then refuses none of them, but gives the confidence of each in `part_confidences`, and
    those below `min_confidence` are refused tree by tree. Trees below `suspect_confidence` are warned of.

    >>> class Evenly:
    ...     def align(self, samples, rate, words):
    ...         step = len(samples) / rate / len(words)
    ...         return [(word, i * step, (i + 1) * step) for i, word in enumerate(words)]
    >>> isinstance(Evenly(), Aligner), Evenly().align([0.0] * 16_000, 16_000, ["we", "run"])
    (True, [('we', 0.0, 0.5), ('run', 0.5, 1.0)])
    """

    def align(self, samples: Any, rate: int, words: Sequence[str]) -> Sequence[TimedWord]:
        """Says where each word is.

        Args:
            samples: The sound, a numpy array of float32 with full scale ±1, one channel.
            rate: The number of samples a second, always 16,000.
            words: What is said, in its order.

        Returns:
            As many words in the same order, with start and end in seconds from the first sample.
            `TimedWord` or any `(text, start, end)`. A time may be None if the aligner does not know it,
            but not all of them: it is then estimated from the words around.
        """
        ...


def load_aligner(
    aligner: str | Aligner, *, model: str | None = None, min_confidence: float | None = None
) -> Aligner:
    """The aligner of a name, made once and kept.

    Args:
        aligner: A name in `ALIGNERS`, or `module:name` of a class, of a function that makes an aligner,
            or of an aligner; an aligner itself is returned as it is.
        model: The folder of a model, which is handed to what makes the aligner, if given.
        min_confidence: The confidence from 0 to 1, handed on in the same way, below which words are an error.
    """
    if min_confidence is not None and not 0.0 <= min_confidence <= 1.0:
        raise ValueError(f"min_confidence must be from 0 to 1, not {min_confidence!r}")
    options = _Options(model, min_confidence)
    if isinstance(aligner, str):
        return _load(aligner, options)
    if options.given():
        raise ValueError(
            f"{_listed(options)} are for an aligner given by its name; set them where it is made"
        )
    return _checked(aligner, type(aligner).__name__)


class _Options(NamedTuple):
    """What an aligner is made with; None is not handed on."""

    model: str | None
    min_confidence: float | None

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in self._asdict().items() if value is not None}


def _listed(options: _Options) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in options.given().items())


@cache
def _load(name: str, options: _Options) -> Aligner:
    if name not in ALIGNERS and not all(name.partition(":")):
        raise ValueError(
            f"unknown aligner {name!r}; choose from {', '.join(sorted(ALIGNERS))}, "
            "or give your own as module:name"
        )
    found = load_plugin(ALIGNERS.get(name, name), "aligner")
    is_maker = isinstance(found, type) or not hasattr(found, "align")
    if is_maker and callable(found):
        return _checked(_make(found, name, options), name)
    if options.given():
        raise ValueError(f"aligner {name!r} is made already, so it takes no {_listed(options)}")
    return _checked(found, name)


def _make(maker: Any, name: str, options: _Options) -> Any:
    """Calls what makes an aligner, if it takes the options."""
    try:
        known = signature(maker)
    except (TypeError, ValueError):  # as of some functions in C
        return maker(**options.given())
    try:
        known.bind(**options.given())
    except TypeError as error:
        raise ValueError(
            f"aligner {name!r} cannot be made with {_listed(options) or 'nothing'}: {error}"
        ) from None
    return maker(**options.given())


def _checked(aligner: Any, name: str) -> Aligner:
    if isinstance(aligner, type) or not callable(getattr(aligner, "align", None)):
        raise ValueError(f"aligner {name!r} has no method align(samples, rate, words)")
    checked: Aligner = aligner
    return checked


def check_alignment(answer: Iterable[Any], words: Sequence[str], seconds: float) -> list[TimedWord]:
    """Checks an aligner's answer for `words` in so many seconds of sound.

    Times that are off by rounding are moved; those that are None are estimated (see `fill_times`).

    >>> check_alignment([("so", 0.0, 0.30000000000000004), ("what", 0.3, 0.5)], ["so", "what"], 0.5)[1].text
    'what'
    >>> check_alignment([("so", 0, 0.25), ("5", None, None), ("he", 0.5, 0.75)], ["so", "5", "he"], 1.0)[1]
    TimedWord(text='5', start=0.25, end=0.5, estimated=True)

    Raises:
        AlignmentError: If words are missing, not in order, overlap or lie outside the sound.
    """
    found = [_entry(item, number, seconds) for number, item in enumerate(answer, 1)]
    if len(found) != len(words):
        raise AlignmentError(
            f"the aligner gave times of {count(len(found), 'word')} for {count(len(words), 'word')}"
        )
    checked = []
    previous = 0.0
    for number, (given, (entry, estimated)) in enumerate(zip(words, found, strict=True), 1):
        where = f"the aligner's word {number}, {_told(entry)},"
        if entry.text != given:
            raise AlignmentError(f"{where} should be {given!r}")
        if entry.start is not None and entry.end is not None and entry.end < entry.start - _ROUNDING:
            raise AlignmentError(f"{where} ends before it starts")
        start, end = (
            None if time is None else _moved(time, previous, seconds, where)
            for time in (entry.start, entry.end)
        )
        end = end if end is None or start is None else max(start, end)
        previous = next((time for time in (end, start) if time is not None), previous)
        checked.append((entry._replace(start=start, end=end), estimated))
    return _filled(checked)


def _moved(time: float, previous: float, seconds: float, where: str) -> float:
    """The time, moved within the sound and behind the word before, from which it may differ by rounding."""
    if not isfinite(time):
        raise AlignmentError(f"{where} is not finite")
    if not -_ROUNDING <= time <= seconds + _ROUNDING:
        raise AlignmentError(f"{where} is outside the sound, which lasts {seconds:.3f} s")
    if time < previous - _ROUNDING:
        raise AlignmentError(f"{where} starts before the end of the word before it, {previous:g} s")
    return min(max(time, previous), seconds)


def _filled(entries: Sequence[tuple[Entry, bool]]) -> list[TimedWord]:
    """Words with times for all."""
    if not entries:
        return []
    if all(entry.start is None and entry.end is None for entry, _ in entries):
        raise AlignmentError("the aligner gave no word a time")
    filled = fill_times([entry for entry, _ in entries], Document(b"", "aligner"), "interpolate", False)
    return [
        word._replace(estimated=word.estimated or estimated)
        for word, (_, estimated) in zip(filled, entries, strict=True)
    ]


def _entry(item: Any, number: int, seconds: float) -> tuple[Entry, bool]:
    """A word of the answer, and whether the aligner itself says that it is estimated."""
    try:
        text, start, end, *estimated = item
        first, last = (None if time is None else float(time) for time in (start, end))
    except (TypeError, ValueError):
        raise AlignmentError(
            f"the aligner's word {number} is not (text, start, end) but {item!r:.100}"
        ) from None
    return Entry(str(text), first, last, number, 0.0, seconds), any(estimated[:1])


def _told(entry: Entry) -> str:
    """A word and its times, for errors."""
    start, end = ("?" if time is None else f"{time:g}" for time in (entry.start, entry.end))
    return f"{entry.text!r} at {start} to {end} s"
