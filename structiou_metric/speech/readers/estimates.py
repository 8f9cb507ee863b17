"""Times for words that a source gives none, from those of their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ..words import TimedWord
from .documents import Document
from .entries import Entry

MISSING = ("interpolate", "error")  # what is done about words without times, the default first

_SLOWEST = 0.5  # seconds for a character; numerals are short in writing and long in speech

Times = list[float | None]


def fill_times(
    entries: Sequence[Entry], document: Document, missing: str, zero_is_missing: bool
) -> list[TimedWord]:
    """The words, with times for all of them.

    Words that follow each other without times divide the gap between their neighbours by their numbers
    of characters. The gap does not reach beyond the segment they are in, where the source has segments;
    of a long one they take half a second for each character, from its start if that is not known
    otherwise. Where it has one end only, as before the first word of a list, they have the pace of
    the words with times.
    """
    starts: Times = [entry.start for entry in entries]
    ends: Times = [entry.end for entry in entries]
    for i, entry in enumerate(entries):
        if zero_is_missing and starts[i] is not None and starts[i] == ends[i]:
            starts[i] = ends[i] = None
        if missing == "error" and None in (starts[i], ends[i]):
            raise document.error(
                f"the word {entry.text!r} has {_lack(entry)}; give it times, or use missing='interpolate'",
                entry.place,
            )
    estimated = [None in times for times in zip(starts, ends, strict=True)]
    sizes = [len(entry.text) for entry in entries]
    pace = _pace(sizes, starts, ends) if any(estimated) else 0.0
    for first in range(len(entries)):
        if None not in (starts[first], ends[first]):
            continue
        last = _run(entries, starts, ends, first)
        size = sum(sizes[first : last + 1])
        low, high = _gap(entries, starts, ends, first, last)
        if low is None:
            if high is None:
                raise document.error("no word has times here; give a file with the times of words")
            low = max(0.0, high - pace * size)
        elif high is None:
            high = low + pace * size
        elif ends[last] is None:
            high = min(high, low + _SLOWEST * size)
        elif starts[first] is None:
            low = max(low, high - _SLOWEST * size)
        _divide(sizes, starts, ends, range(first, last + 1), low, high)
    return [
        TimedWord(entry.text, start, end, guess)
        for entry, start, end, guess in zip(entries, starts, ends, estimated, strict=True)
        if start is not None and end is not None  # as all have times now
    ]


def _lack(entry: Entry) -> str:
    if entry.start is None and entry.end is None:
        return "no times"
    return "zero length" if entry.start == entry.end else "only one time"


def _run(entries: Sequence[Entry], starts: Times, ends: Times, first: int) -> int:
    """The last of the words of one segment with no known time between them."""
    last = first
    while last + 1 < len(entries) and ends[last] is None and starts[last + 1] is None:
        here, following = entries[last], entries[last + 1]
        if (here.low, here.high) != (following.low, following.high):
            break
        last += 1
    return last


def _pace(sizes: Sequence[int], starts: Times, ends: Times) -> float:
    """The seconds for a character, of the words with times."""
    paces = [
        (end - start) / size
        for size, start, end in zip(sizes, starts, ends, strict=True)
        if start is not None and end is not None and end > start
    ]
    return median(paces or [0.0])


def _gap(
    entries: Sequence[Entry], starts: Times, ends: Times, first: int, last: int
) -> tuple[float | None, float | None]:
    """The time in which the words `first … last` may have been said; None where nothing says that."""
    low, high = starts[first], ends[last]
    if low is None and first > 0:
        low = ends[first - 1]
    if high is None and last + 1 < len(entries):
        high = starts[last + 1]
    if starts[first] is None and _fits(low, entries[first].low, high):
        low = entries[first].low
    if ends[last] is None and _fits(low, entries[last].high, high):
        high = entries[last].high
    if low is not None and high is not None:
        high = max(low, high)
    return low, high


def _fits(low: float | None, time: float | None, high: float | None) -> bool:
    return time is not None and (low is None or low <= time) and (high is None or time <= high)


def _divide(sizes: Sequence[int], starts: Times, ends: Times, run: range, low: float, high: float) -> None:
    """Gives each word of a run its share of the time; what is known stays."""
    total, before, cut = sum(sizes[i] for i in run), 0, low
    for i in run:
        if starts[i] is None:
            starts[i] = cut
        before += sizes[i]
        cut = high if before == total else low + (high - low) * (before / total)
        if ends[i] is None:
            ends[i] = cut
