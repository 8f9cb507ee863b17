"""The one place where word times of every format are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from unicodedata import category

from ...errors import TreeFormatError
from ...wording import brief, count
from ..words import TimedWord, Transcript
from .documents import SILENCE_WORDS, Document, Entry, Track

MISSING = ("interpolate", "error")  # choices for words without times, the default first

_SLOWEST = 0.5  # seconds for a character; numerals are short in writing and long in speech

Times = list[float | None]


def fill_times(
    entries: Sequence[Entry], document: Document, missing: str, zero_is_missing: bool
) -> list[TimedWord]:
    """Return the words, with times for all of them.

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
    """Return the last of the words of one segment with no known time between them."""
    last = first
    while last + 1 < len(entries) and ends[last] is None and starts[last + 1] is None:
        here, following = entries[last], entries[last + 1]
        if (here.low, here.high) != (following.low, following.high):
            break
        last += 1
    return last


def _pace(sizes: Sequence[int], starts: Times, ends: Times) -> float:
    """Return the seconds for a character, of the words with times."""
    paces = [
        (end - start) / size
        for size, start, end in zip(sizes, starts, ends, strict=True)
        if start is not None and end is not None and end > start
    ]
    return median(paces or [0.0])


def _gap(
    entries: Sequence[Entry], starts: Times, ends: Times, first: int, last: int
) -> tuple[float | None, float | None]:
    """Return the time in which the words `first … last` may have been said; None for an unknown bound."""
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
    """Give each word of a run its share of the time; known times stay."""
    total, before, cut = sum(sizes[i] for i in run), 0, low
    for i in run:
        if starts[i] is None:
            starts[i] = cut
        before += sizes[i]
        cut = high if before == total else low + (high - low) * (before / total)
        if ends[i] is None:
            ends[i] = cut


# Two words may overlap by this much, in seconds: rounding start and duration to 0.01 does that.
# The boundary is then moved, and counted. A word may also end or start this much too early.
TOLERANCE = 0.02

OVERLAPS = ("refuse", "clip")  # choices for overlaps beyond it, the default first

NOISE = 1e-6  # overlaps from adding floats are moved, too, but not counted
_SAID = frozenset("%&@+=°")  # signs that are words of their own, as those of currencies are
_MARKED = frozenset("[<({")  # how marks of silence begin that may be among words
_OPENING = ("Ps", "Pi")  # categories of brackets and quotation marks
_TOO_LONG = 10.0  # seconds; milliseconds, samples or frames taken for seconds give more


def make_transcript(
    track: Track,
    document: Document,
    missing: str,
    is_silence: Callable[[str], bool],
    is_filler: Callable[[str], bool],
    overlap: str,
) -> Transcript:
    """Return the transcript, if its words are in order and do not overlap; raise an error if not."""
    entries, n_silences = _without_silences(track, is_silence)
    if not entries:
        only = f", only {count(n_silences, 'silence')}" if n_silences else ""
        raise TreeFormatError(f"there are no words here{only}; give another file or tier", source=track.title)
    for entry in entries:
        _check_text(entry, document)
    if not track.ordered:
        entries = _sorted(entries, document)
    entries = [
        word for entry in entries for word in split_label(entry, document, missing, track.zero_is_missing)
    ]
    words = fill_times(entries, document, missing, track.zero_is_missing)
    n_moved, n_clipped = _separate(words, entries, document, overlap)
    _check_lengths(words, document)
    kept = [word for word in words if not is_filler(word.text)]
    return Transcript(
        kept,
        track.title,
        n_silences,
        len(words) - len(kept),
        track.n_marks,
        n_moved,
        track.n_alternatives,
        n_clipped,
    )


def _without_silences(track: Track, is_silence: Callable[[str], bool]) -> tuple[list[Entry], int]:
    """Return the entries that are words, and the number of silences."""
    entries = [entry for entry in track.entries if not is_silence(entry.text)]
    if track.covering and len(entries) == len(track.entries):
        entries = [entry for entry in entries if entry.text.strip().casefold() not in SILENCE_WORDS]
    n_silences = track.n_silences + len(track.entries) - len(entries)
    kept = []
    for entry in entries:
        tokens = entry.text.split()
        if len(tokens) > 1 and not _MARKED.isdisjoint(entry.text):
            words = [token for token in tokens if token[0] not in _MARKED or not is_silence(token)]
            n_silences += len(tokens) - len(words)
            entry = entry._replace(text=" ".join(words))
        if entry.text:
            kept.append(entry)
    return kept, n_silences


def _check_text(entry: Entry, document: Document) -> None:
    """Raise an error for a label that cannot be written to a file."""
    try:
        entry.text.encode()
    except UnicodeEncodeError:
        raise document.error(f"the label {entry.text!r} is no valid Unicode", entry.place) from None


def split_label(entry: Entry, document: Document, missing: str, zero_is_missing: bool) -> list[Entry]:
    """Return the entries of the words of a label, with only the first start and the last end known.

    The words share the time between these, as words without times do.
    """
    words = label_words(entry.text)
    if len(words) == 1:
        return [entry._replace(text=words[0])]
    if missing == "error":
        raise document.error(
            f"the label {brief(entry.text)} is more than one word; choose a tier of words, split it, or use "
            "missing='interpolate'",
            entry.place,
        )
    start, end = entry.start, entry.end
    if zero_is_missing and start == end:
        start = end = None
    inner = [entry._replace(text=word, start=None, end=None) for word in words]
    inner[0] = inner[0]._replace(start=start)
    inner[-1] = inner[-1]._replace(end=end)
    return inner


def label_words(label: str) -> list[str]:
    """Return the words of a label; punctuation on its own is joined to the word next to it.

    >>> label_words(" Sri Lanka "), label_words("Bonjour !"), label_words("« Oui »"), label_words("5 %")
    (['Sri', 'Lanka'], ['Bonjour!'], ['«Oui»'], ['5', '%'])
    """
    words: list[str] = []
    before = ""  # opening punctuation of the next word
    for token in label.split():
        if _sounds(token):
            words.append(before + token)
            before = ""
        elif words and not (before or category(token[0]) in _OPENING):
            words[-1] += token
        else:
            before += token
    if before and words:
        words[-1] += before
    return words or [before]


def _sounds(token: str) -> bool:
    return any(char.isalnum() or char in _SAID or category(char) == "Sc" for char in token)


def _sorted(entries: list[Entry], document: Document) -> list[Entry]:
    """Return the entries by their times, or as they are if these are in order within the tolerance."""
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


def _separate(
    words: list[TimedWord], entries: Sequence[Entry], document: Document, overlap: str
) -> tuple[int, int]:
    """Move boundaries where words overlap; return how many were moved within the tolerance, and beyond it.

    An overlap goes to the later word: where starts and durations are rounded, a start has one error
    and an end has two.
    """
    n_moved = n_clipped = 0
    last = TimedWord("", 0.0, 0.0)
    for i, word in enumerate(words):
        clips = overlap == "clip" and last.start <= word.start < last.end - TOLERANCE and word[:3] != last[:3]
        if message := _fault(last._replace(end=word.start) if clips else last, word):
            raise document.error(message, entries[i].place)
        n_clipped += clips
        n_moved += not clips and (last.end - word.start > NOISE or word.start - word.end > NOISE)
        if word.start < last.end and i > 0:
            last = words[i - 1] = last._replace(end=max(last.start, word.start))
        start = max(last.end, word.start) + 0.0  # which is never -0.0
        last = words[i] = word._replace(start=start, end=max(start, word.end))
    return n_moved, n_clipped


def _fault(last: TimedWord, word: TimedWord) -> str:
    """Return the mistake in the times of a word after another one, or an empty text."""
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
        "speaker must not overlap: choose one with speaker= if there are several, correct the times, or give "
        "overlap='clip', which ends a word where the next one starts"
    )


def _check_lengths(words: Sequence[TimedWord], document: Document) -> None:
    """Raise an error for times that cannot be seconds."""
    lengths = [word.end - word.start for word in words if not word.estimated]
    lengths = lengths or [word.end - word.start for word in words]
    if lengths and median(lengths) > _TOO_LONG:
        raise document.error(
            f"half of the words take more than {median(lengths):g} seconds; give seconds, not milliseconds, "
            "samples or frames, or the format if it is one that counts in these: whisper-tsv, timit, htk"
        )
