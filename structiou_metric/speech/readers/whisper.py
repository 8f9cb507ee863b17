"""JSON of Whisper and its kin, such as WhisperX, faster-whisper and transformers, and of whisper.cpp.

Beside these, whisper-timestamped and OpenAI's API write it; that of whisper.cpp is of another shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .documents import Document, Entry, Track, join_tokens
from .tiers import refuse, stream_track

_SPECIAL = re.compile(r"\[_[A-Za-z_]+\d*_?\]|<\|.*\|>")  # tokens of whisper.cpp that are no text
_LISTS = ("words", "word_segments", "chunks")


def read_whisper(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of all segments.

    A word of zero length got no time from the model; WhisperX leaves out times of numerals and symbols,
    and the words of segments that it could not align. All of these are words without times. Where
    WhisperX has found speakers, all are one stream of words, of which `speaker` chooses one.
    """
    refuse("tier", tier, document)
    words = list(_words(document))
    if not words:
        raise document.error("there are no words here; the recording may be silent")
    return stream_track(words, speaker, document)._replace(zero_is_missing=True)


def _words(document: Document) -> Iterator[tuple[Entry, str | None]]:
    """The words, each with its speaker if it has one."""
    value = document.json
    lists = value if isinstance(value, dict) else {"segments": value}
    segments = lists.get("segments")
    if isinstance(segments, list) and any(isinstance(one, dict) and one.get("words") for one in segments):
        for number, segment in enumerate(segments):
            yield from _segment_words(document, segment, f"segments[{number}]")
        return
    for name in _LISTS:
        if isinstance(lists.get(name), list):
            for number, word in enumerate(lists[name]):
                yield _word(document, word, f"{name}[{number}]", None, None, None)
            return
    if segments == []:
        return
    if isinstance(segments, list):
        raise document.error(
            "the segments have no words; run Whisper with word times (--word_timestamps True)"
        )
    raise document.error(
        'there are no "segments" or "words": this is no JSON of Whisper; give the format it has'
    )


def _segment_words(document: Document, segment: Any, place: str) -> Iterator[tuple[Entry, str | None]]:
    if not isinstance(segment, dict):
        raise document.error("a segment is an object with words", place)
    low = document.seconds(segment.get("start"), place, "start")
    high = document.seconds(segment.get("end"), place, "end")
    speaker, words = segment.get("speaker"), segment.get("words")
    if not words:  # not aligned: its text is all there is
        text = segment.get("text") or ""
        words = [{"word": word} for word in text.split()] if isinstance(text, str) else text
    if not isinstance(words, list):
        raise document.error("the words are no list", place)
    for number, word in enumerate(words):
        yield _word(document, word, f"{place}.words[{number}]", low, high, speaker)


def _word(
    document: Document, word: Any, place: str, low: float | None, high: float | None, speaker: Any
) -> tuple[Entry, str | None]:
    text = word.get("word", word.get("text")) if isinstance(word, dict) else None
    if not isinstance(text, str):
        raise document.error('a word is an object such as {"word": "yes", "start": 0.5, "end": 0.8}', place)
    start, end = word.get("start"), word.get("end")
    if "timestamp" in word:
        if not isinstance(word["timestamp"], list) or len(word["timestamp"]) != 2:
            raise document.error("a timestamp is a list [start, end]", place)
        start, end = word["timestamp"]
    entry = document.entry(text, start, end, place)._replace(low=low, high=high)
    who = word.get("speaker", speaker)
    return entry, None if who is None else str(who)


def read_cpp(document: Document, *, tier: str | None, speaker: str | None) -> Track:
    """The words of whisper.cpp: tokens of `--output-json-full` joined to words, or else the segments.

    These are words with `--max-len 1`, and else share their time among several.
    """
    refuse("tier", tier, document)
    refuse("speaker", speaker, document)
    value = document.json
    segments = value.get("transcription") if isinstance(value, dict) else None
    if not isinstance(segments, list):
        raise document.error(
            'there is no "transcription": this is no JSON of whisper.cpp; give the format it has'
        )
    entries: list[Entry] = []
    for number, segment in enumerate(segments):
        place = f"transcription[{number}]"
        words = _offsets(document, segment, place)
        tokens = segment.get("tokens")
        if isinstance(tokens, list):
            parts = [_offsets(document, one, f"{place}.tokens[{n}]") for n, one in enumerate(tokens)]
            said = [(part, None) for part in parts if not _SPECIAL.fullmatch(part.text.strip())]
            entries += [part._replace(low=words.start, high=words.end) for part, _ in join_tokens(said)]
        else:
            entries.append(words)
    if not entries:
        raise document.error("there are no words here; the recording may be silent")
    return Track(entries, document.title, zero_is_missing=True)


def _offsets(document: Document, value: Any, place: str) -> Entry:
    """The entry of a segment or token, whose times are milliseconds."""
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise document.error('this is no object with "text" and "offsets"', place)
    offsets = value.get("offsets")
    times = offsets if isinstance(offsets, dict) else {}
    start, end = (document.seconds(times.get(key), place, key) for key in ("from", "to"))
    return Entry(text, None if start is None else start / 1000, None if end is None else end / 1000, place)
