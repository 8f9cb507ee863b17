"""Subtitles: SRT, WebVTT and Advanced SubStation, also with a time for each word.

A cue of several words without times of their own is a label of several words, which share its time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import NamedTuple

from .documents import Document, Entry, Track, join_tokens
from .tiers import stream_track

_CLOCK = r"(?:(\d{1,6}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,6})"
_TIMES = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?")
_INNER = re.compile(rf"<{_CLOCK}>")  # when the words after it begin
_UNDERLINED = re.compile(r"<u>([^<]*)</u>")  # the word of Whisper's --highlight_words
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]*)>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|\{\\[^{}]*\}")
_ASS_TIME = re.compile(r"(\d{1,6}):([0-5]?\d):([0-5]?\d)[.](\d{1,6})")
_ASS_TAG = re.compile(r"\{[^{}]*\}")
_KARAOKE = re.compile(r"\{[^{}]*\\[kK][of]?(\d{1,6})[^{}]*\}([^{}]*)")  # centiseconds and a syllable
_COLOURED = re.compile(r"\{\\1?c&H[0-9a-fA-F]+&?\}(.*?)\{\\(?:r|1?c)[^{}]*\}")
_ROLLED = 4  # lines of a cue that the next may repeat


class _Cue(NamedTuple):
    start: float
    end: float
    lines: list[str]
    line: int  # where its times are


def read_vtt(document: Document, *, speaker: str | None) -> Track:
    """Read the words of WebVTT cues; `speaker` chooses one of the voices `<v …>`.

    In captions of YouTube, a cue repeats the line before and has the time at which each word of the next line
    begins.
    """
    if not document.text.lstrip().startswith("WEBVTT"):
        raise document.error("this is no WebVTT: it does not begin with WEBVTT; give the format it has", 1)
    return read_srt(document, speaker=speaker)


def read_ass(document: Document, *, speaker: str | None) -> Track:
    """Read the words of the dialogue lines of Advanced SubStation; `speaker` chooses one of their names.

    Where one word of each line has a colour of its own, it is that word's time, as stable-ts writes it; with
    karaoke tags, each syllable has its own.
    """
    names: list[str] = []
    found: list[tuple[Entry, str | None]] = []
    lines = [(number, line.strip()) for number, line in enumerate(document.text.split("\n"), 1)]
    coloured = any(_COLOURED.search(line) for _, line in lines)
    for number, line in lines:
        kind, _, rest = line.partition(":")
        if kind == "Format":
            names = [name.strip() for name in rest.split(",")]
        if kind != "Dialogue":
            continue
        if not {"Start", "End", "Text"} <= set(names):
            raise document.error("no line Format: before this one names Start, End and Text", number)
        cells = dict(zip(names, rest.split(",", len(names) - 1), strict=False))
        times = [_ASS_TIME.fullmatch(cells.get(name, "").strip()) for name in ("Start", "End")]
        if times[0] is None or times[1] is None or "Text" not in cells:
            raise document.error("a dialogue line has a start, an end such as 0:00:01.50, and a text", number)
        start, end = (_seconds(time.groups()) for time in times if time is not None)
        text = cells["Text"].replace("\\N", " ").replace("\\n", " ").replace("\\h", " ")
        who = cells.get("Name", "").strip() or None
        if coloured:
            text = " ".join(_COLOURED.findall(text))
        syllables = _KARAOKE.findall(text)
        at = start
        parts = []
        for length, part in syllables:
            parts.append((Entry(_ASS_TAG.sub("", part), at, round(at + int(length) / 100, 6), number), who))
            at = round(at + int(length) / 100, 6)
        if parts:
            first = parts[0][0]
            parts[0] = first._replace(text=" " + first.text), who
        elif _ASS_TAG.sub("", text).strip():
            parts = [(Entry(_ASS_TAG.sub("", text).strip(), start, end, number), who)]
        found += _syllables_joined(parts) if syllables else parts
    if not found:
        raise document.error("there are no dialogue lines with a text here; give the format it has")
    return stream_track(found, speaker, document)


def _syllables_joined(parts: list[tuple[Entry, str | None]]) -> list[tuple[Entry, str | None]]:
    """Return the words of syllables, in which a blank may be before or after a word."""
    moved = []
    blank = ""
    for part, who in parts:
        moved.append((part._replace(text=blank + part.text.rstrip()), who))
        blank = " " if part.text != part.text.rstrip() else ""
    return join_tokens(moved)


def read_srt(document: Document, *, speaker: str | None) -> Track:
    """Read the words of cues, of SRT or WebVTT."""
    cues = list(_cues(document))
    if not cues:
        raise document.error(
            "there are no cues such as 00:00:01,000 --> 00:00:02,500 here; give the format it has"
        )
    find = _choose(cues)
    said = [[text for line in cue.lines if (text := _unmarked(line))] for cue in cues]
    found: list[tuple[Entry, str | None]] = []
    for number, cue in enumerate(cues):
        voice = next((match[1].strip() for line in cue.lines if (match := _VOICE.search(line))), None)
        before = said[number - 1] if number else []
        after = said[number + 1] if number + 1 < len(said) else []
        entries = find(cue, said[number], before, after)
        found += [(entry, voice) for entry in entries]
    return stream_track(found, speaker, document)


def _cues(document: Document) -> Iterator[_Cue]:
    """Return the cues, without other blocks between blank lines, such as notes and styles."""
    lines = document.text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if "-->" not in line:
            continue
        match = _TIMES.fullmatch(line)
        if match is None:
            raise document.error(
                f"{line.strip()[:60]!r} is no start --> end such as 00:00:01,000 --> 00:00:02,500", number
            )
        start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        first = number
        while number < len(lines) and not _ends(lines, number, first):
            number += 1
        yield _Cue(start, end, lines[first:number], first)


def _ends(lines: list[str], number: int, first: int) -> bool:
    """Return whether a cue ends before a line: at one that is empty, or where the number of the next cue is.

    YouTube begins a cue with a line of one blank, which becomes empty in programs that trim lines.
    """
    if "-->" in lines[number]:
        return True
    if lines[number] == "":
        return (
            number > first
            or number + 1 == len(lines)
            or not lines[number + 1].strip()
            or "<c>" not in lines[number + 1]
        )
    following = lines[number + 1] if number + 1 < len(lines) else ""
    return lines[number].strip().isdecimal() and "-->" in following


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return round(3600 * int(hours or 0) + 60 * int(minutes or 0) + float(f"{seconds}.{fraction}"), 6)


def _unmarked(line: str) -> str:
    return " ".join(unescape(_TAG.sub("", _INNER.sub("", line))).split())


def _choose(cues: list[_Cue]) -> Callable[[_Cue, list[str], list[str], list[str]], list[Entry]]:
    """Return the function that finds the words of a cue from its text and those of the cues around it."""
    if any("<u>" in line for cue in cues for line in cue.lines):
        return _highlighted
    if any(_INNER.search(line) for cue in cues for line in cue.lines):
        return _rolling
    return _whole


def _whole(cue: _Cue, said: list[str], before: list[str], after: list[str]) -> list[Entry]:
    """Return all words of a cue as one label."""
    return [Entry(" ".join(said), cue.start, cue.end, cue.line)] if said else []


def _rolling(cue: _Cue, said: list[str], before: list[str], after: list[str]) -> list[Entry]:
    """Return the words of lines that are new in a cue, each from its own time to that of the next."""
    lines = [line for line in cue.lines if _unmarked(line)]
    most = min(len(said), len(before), _ROLLED)
    repeated = next((n for n in range(most, 0, -1) if said[:n] == before[-n:]), 0)
    entries = []
    for line in lines[repeated:]:
        start, at = cue.start, 0
        for match in _INNER.finditer(line):
            time = _seconds(match.groups())
            if text := _unmarked(line[at : match.start()]):
                entries.append(Entry(text, start, time, cue.line))
            start, at = time, match.end()
        if text := _unmarked(line[at:]):
            entries.append(Entry(text, start, cue.end, cue.line))
    return entries


def _highlighted(cue: _Cue, said: list[str], before: list[str], after: list[str]) -> list[Entry]:
    """Return the underlined word of a cue; one without any repeats another cue, or is all new."""
    text = "\n".join(cue.lines)
    words = [_unmarked(match[1]) for match in _UNDERLINED.finditer(text)]
    if words:
        return [Entry(" ".join(words), cue.start, cue.end, cue.line)]
    return [] if said in (before, after) else _whole(cue, said, before, after)
