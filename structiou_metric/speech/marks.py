"""Marks: where in a recording each utterance is, read from tables, corpora and annotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import NamedTuple

from ..errors import TreeFormatError
from ..wording import check_choice
from .readers.documents import SILENCES, Document, label_test
from .readers.elan import read_tiers as read_eaf_tiers
from .readers.formats import RTTM_TYPES, guess_marks, is_number, mark_rows
from .readers.reading import open_words
from .readers.textgrid import read_tiers as read_textgrid_tiers
from .readers.tiers import choose_tier, listed, refuse

# Names of tiers with utterances, also after a speaker, as `Anna - utterances`.
UTTERANCE_TIERS = (
    ("utterances", "utterance", "sentences", "sentence"),
    ("ipus", "ipu", "turns", "turn", "segments", "segment", "phrases", "phrase", "transcription"),
)


class Mark(NamedTuple):
    """A stretch of a recording in which something is said.

    >>> mark = Mark(0.5, 2.25, speaker="A")
    >>> mark.end - mark.start, mark.speaker
    (1.75, 'A')

    Attributes:
        start: Where the stretch starts, in seconds.
        end: Where the stretch ends; None is where the recording does.
        recording: The name of the recording in the file, if it has one.
        channel: The channel, such as `1` or `A`, if the file has one.
        speaker: The name of the speaker, if the file has one.
        text: The words of the utterance, if the file has them.
        place: The line of the mark, or the name of its entry.
    """

    start: float
    end: float | None
    recording: str = ""
    channel: str = ""
    speaker: str = ""
    text: str = ""
    place: int | str = ""


def read_marks(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    recording: str | None = None,
    channel: int | None = None,
    speaker: str | None = None,
    tier: str | None = None,
    encoding: str | None = None,
) -> list[Mark]:
    """Read the utterances of one recording, in the order of the file.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "segments")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("a-1 a 0.5 2.25\\nb-1 b 0 1\\n")
    ...     marks = read_marks(path, recording="a")
    >>> [(mark.start, mark.end) for mark in marks]
    [(0.5, 2.25)]

    Args:
        path: A file, perhaps gzipped; `-` is standard input.
        format: The format, one of `MARKS`; by default as the file's name and its content say.
        recording: The recording, where the format names recordings; their folders and suffixes do not count.
        channel: The channel, from 1, where the format names channels; by default all.
        speaker: The speaker, where the format names speakers; by default all.
        tier: The tier of a TextGrid or of ELAN; by default the only one with utterances, as their names say,
            or the only one there is.
        encoding: The encoding of text; by default UTF-8, or that of a byte-order mark.
    """
    if format is not None:
        check_choice("format of marks", format, MARKS)
    document = open_words(path, encoding)
    if not document.data.strip():
        raise document.error("the file is empty; give a line with start and end for each utterance")
    format = format or guess_marks(document)
    if format in _TIERED:
        marks = _read_tier(document, format, tier, speaker)
    else:
        refuse("tier", tier, document)
        if format in ("table", "segments"):
            refuse("speaker", speaker, document)
        marks = list(_LINES[format](document))
    for mark in marks:
        _check(mark, document)
    if format in _NAMING:
        marks = _chosen(marks, "recording", recording and _stem(recording), document, _recording)
        if channel is not None:
            names = (str(channel), chr(ord("A") + channel - 1) if channel <= 26 else "")
            marks = _of_channel(marks, names, channel, document)
    if speaker is not None and format not in _TIERED:
        marks = _chosen(marks, "speaker", speaker, document, lambda mark: mark.speaker)
    if not marks:
        raise document.error("there are no utterances here; give a line with start and end for each")
    return marks


# ---- lines --------------------------------------------------------------------------------------------


def _read_table(document: Document) -> Iterator[Mark]:
    """Read start and end on each line; other fields are ignored."""
    lines = document.text.split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) < 2 or not (is_number(fields[0]) and is_number(fields[1])):
            raise _no_stretch(document, line, number)
        yield Mark(float(fields[0]), float(fields[1]), place=number)


def _read_segments(document: Document) -> Iterator[Mark]:
    """Read Kaldi's `segments`: utterance, recording, start and end; an end of -1 is that of the recording."""
    for number, fields in mark_rows(document):
        if len(fields) not in (4, 5):
            raise document.error(
                f"{len(fields)} fields; a line of segments has utterance, recording, start, end", number
            )
        start, end = _times(document, fields[2:4], number)
        yield Mark(
            start, None if end == -1 else end, fields[1], fields[4] if len(fields) > 4 else "", place=number
        )


def _read_stm(document: Document) -> Iterator[Mark]:
    """Read NIST's STM: recording, channel, speaker, start, end, perhaps a label in angle brackets, and text.

    Stretches that are not to be scored are no utterances.
    """
    for number, fields in mark_rows(document):
        if len(fields) < 5:
            raise document.error(
                f"{len(fields)} fields; a line of STM has recording, channel, speaker, start, end and text",
                number,
            )
        recording, channel, speaker, *times = fields[:5]
        words = fields[5:]
        if words and words[0].startswith("<") and words[0].endswith(">"):
            words = words[1:]
        start, end = _times(document, times, number)
        text = " ".join(words)
        if text.upper() == "IGNORE_TIME_SEGMENT_IN_SCORING" or speaker in _UNSCORED:
            continue
        yield Mark(start, end, recording, channel, speaker, text, number)


def _read_rttm(document: Document) -> Iterator[Mark]:
    """Read turns of NIST's RTTM: SPEAKER, recording, channel, start, duration, two empty fields, speaker."""
    for number, fields in mark_rows(document):
        if fields[0] != "SPEAKER":
            if fields[0].upper() not in RTTM_TYPES:
                raise document.error(f"{fields[0]!r} is no type of RTTM; a turn begins with SPEAKER", number)
            continue
        if len(fields) < 8:
            raise document.error(
                f"{len(fields)} fields; a turn of RTTM has SPEAKER, recording, channel, start, duration, "
                "<NA>, <NA>, speaker",
                number,
            )
        start, length = _times(document, fields[3:5], number)
        yield Mark(start, round(start + length, 9), fields[1], fields[2], fields[7], place=number)


_UNSCORED = ("inter_segment_gap", "excluded_region")
_LINES: dict[str, Callable[[Document], Iterator[Mark]]] = {
    "table": _read_table,
    "segments": _read_segments,
    "stm": _read_stm,
    "rttm": _read_rttm,
}
_NAMING = ("segments", "stm", "rttm")  # formats that name recordings
_TIERED = {"textgrid": read_textgrid_tiers, "eaf": read_eaf_tiers}
MARKS = (*_LINES, *_TIERED)  # The formats of marks.


def _times(document: Document, fields: Sequence[str], number: int) -> tuple[float, float]:
    for field in fields:
        if not is_number(field):
            raise document.error(f"{field!r} is no number of seconds", number)
    return float(fields[0]), float(fields[1])


def _no_stretch(document: Document, line: str, place: int | str) -> TreeFormatError:
    return document.error(
        f"{line!r} is not a start and a later end in seconds; write such as '12.5 17.25', also for a failed "
        "parse",
        place,
    )


def _check(mark: Mark, document: Document) -> None:
    end = mark.start + 1 if mark.end is None else mark.end
    if not (0 <= mark.start < end and isfinite(end)):
        raise _no_stretch(document, f"{mark.start:g} {end:g}", mark.place)


# ---- tiers --------------------------------------------------------------------------------------------


def _read_tier(document: Document, format: str, tier: str | None, speaker: str | None) -> list[Mark]:
    """Return the labels of a tier that are not silence."""
    tiers = _TIERED[format](document)
    names = [found.name for found in tiers]
    chosen = tiers[choose_tier(names, tier, speaker, document, UTTERANCE_TIERS)]
    is_silence = label_test(SILENCES, "silences")
    marks = []
    for entry in chosen.entries:
        if is_silence(entry.text):
            continue
        if entry.start is None or entry.end is None:
            raise document.error(f"the utterance {entry.text[:60]!r} has no times; give it some", entry.place)
        marks.append(
            Mark(entry.start, entry.end, speaker=speaker or "", text=entry.text.strip(), place=entry.place)
        )
    return marks


def names_recordings(path: str | os.PathLike[str]) -> bool:
    """Return whether a file of marks may be of several recordings, as its format names them."""
    return guess_marks(open_words(path)) in _NAMING


# ---- which ---------------------------------------------------------------------------------------------


def _stem(name: str) -> str:
    """Return a recording without its folder and suffix."""
    return os.path.splitext(os.path.basename(name))[0]


def _recording(mark: Mark) -> str:
    return mark.recording


def _chosen(
    marks: list[Mark], noun: str, name: str | None, document: Document, value: Callable[[Mark], str]
) -> list[Mark]:
    """Return the marks of one recording or speaker, which must be chosen if there are several."""
    names = list(dict.fromkeys(map(value, marks)))
    if name is None:
        if len(names) > 1:
            raise document.error(f"there are several {noun}s; choose with {noun}= from {listed(names)}")
        return marks
    found = [
        mark for mark in marks if value(mark) == name or (noun == "recording" and _stem(value(mark)) == name)
    ]
    if not found:
        raise document.error(f"there is no {noun} {name!r}; choose with {noun}= from {listed(names)}")
    return found


def _of_channel(marks: list[Mark], names: tuple[str, ...], channel: int, document: Document) -> list[Mark]:
    """Return the marks of one channel, and those that name none."""
    found = [mark for mark in marks if not mark.channel or mark.channel.upper() in names]
    if not found:
        known = listed(list(dict.fromkeys(mark.channel for mark in marks)))
        raise document.error(f"nothing is said in channel {channel}, only in {known}; give another channel=")
    return found
