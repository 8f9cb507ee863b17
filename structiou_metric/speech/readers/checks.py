"""The one place where word times of every format are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from ...errors import TreeFormatError
from ...wording import count
from ..words import TimedWord, Transcript
from .documents import Document
from .entries import Entry, Track
from .estimates import fill_times

# Two words may overlap by this much, in seconds: rounding start and duration to 0.01 does that.
# The boundary is then moved, and counted. A word may also end or start this much too early.
TOLERANCE = 0.02

NOISE = 1e-6  # what adding floats may leave is moved, too, but does not count
_TOO_LONG = 10.0  # seconds; milliseconds, samples or frames taken for seconds give more


def make_transcript(
    track: Track,
    document: Document,
    missing: str,
    is_silence: Callable[[str], bool],
    is_filler: Callable[[str], bool],
) -> Transcript:
    """Words that are in order and do not overlap, or an error that says where and why."""
    entries = [entry for entry in track.entries if not is_silence(entry.text)]
    n_silences = track.n_silences + len(track.entries) - len(entries)
    if not entries:
        only = f", only {count(n_silences, 'silence')}" if n_silences else ""
        raise TreeFormatError(f"there are no words here{only}; give another file or tier", source=track.title)
    entries = [_checked(entry, document) for entry in entries]
    if not track.ordered:
        entries = _sorted(entries, document)
    words = fill_times(entries, document, missing, track.zero_is_missing)
    n_moved = _separate(words, entries, document)
    _check_lengths(words, document)
    kept = [word for word in words if not is_filler(word.text)]
    return Transcript(kept, track.title, n_silences, len(words) - len(kept), track.n_marks, n_moved)


def _checked(entry: Entry, document: Document) -> Entry:
    """The entry without blanks around its label, which is one word and such as a file can hold."""
    if len(entry.text.split()) > 1:
        label = entry.text if len(entry.text) <= 60 else entry.text[:57] + "..."
        raise document.error(
            f"the label {label!r} is more than one word; choose a tier of words, or split it", entry.place
        )
    try:
        entry.text.encode()
    except UnicodeEncodeError:
        raise document.error(f"the label {entry.text!r} is no valid Unicode", entry.place) from None
    return entry._replace(text=entry.text.strip())


def _sorted(entries: list[Entry], document: Document) -> list[Entry]:
    """The entries by their times, or as they are if these are in order within the tolerance."""
    timed = [(e.start, e.end) for e in entries if e.start is not None and e.end is not None]
    if all(end - TOLERANCE <= start for (_, end), (start, _) in pairwise(timed)):
        return entries
    for entry in entries:
        if entry.start is None or entry.end is None:
            raise document.error(
                f"the word {entry.text!r} has no times, and others are not in order; sort the file",
                entry.place,
            )
    return sorted(entries, key=lambda entry: (entry.start, entry.end))


def _separate(words: list[TimedWord], entries: Sequence[Entry], document: Document) -> int:
    """Moves boundaries that overlap within the tolerance; the number of those that were moved.

    An overlap goes to the later word: where starts and durations are rounded, a start has one error
    and an end has two.
    """
    n_moved = 0
    last = TimedWord("", 0.0, 0.0)
    for i, word in enumerate(words):
        if message := _fault(last, word):
            raise document.error(message, entries[i].place)
        n_moved += last.end - word.start > NOISE or word.start - word.end > NOISE
        if word.start < last.end and i > 0:
            last = words[i - 1] = last._replace(end=max(last.start, word.start))
        start = max(last.end, word.start) + 0.0  # which is never -0.0
        last = words[i] = word._replace(start=start, end=max(start, word.end))
    return n_moved


def _fault(last: TimedWord, word: TimedWord) -> str:
    """What is wrong with a word after another one, if anything."""
    text, start, end, _ = word
    if start < -TOLERANCE:
        return f"the word {text!r} starts at {start}, before 0; times count from the start of the recording"
    if end < start - TOLERANCE:
        return f"the word {text!r} ends at {end} before it starts at {start}; swap or correct its times"
    if start >= last.end - TOLERANCE:
        return ""
    if word[:3] == last[:3]:
        return f"the word {text!r} from {start} to {end} is there twice; remove one"
    if end <= last.start + TOLERANCE:
        return (
            f"the word {text!r} at {start} comes after {last.text!r} at {last.start}; sort the words by time"
        )
    return (
        f"the word {text!r} starts at {start} before {last.text!r} ends at {last.end}; words of one "
        "speaker must not overlap: choose one with speaker= if there are several, or correct the times"
    )


def _check_lengths(words: Sequence[TimedWord], document: Document) -> None:
    """Refuses times that cannot be seconds."""
    lengths = [word.end - word.start for word in words if not word.estimated]
    if lengths and median(lengths) > _TOO_LONG:
        raise document.error(
            f"half of the words take more than {median(lengths):g} seconds; give seconds, not milliseconds, "
            "samples or frames"
        )
