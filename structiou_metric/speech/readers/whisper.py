"""JSON of Whisper and its kin: WhisperX, faster-whisper, whisper-timestamped, transformers, OpenAI's API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .documents import Document, Entry, Track
from .tiers import stream_track

_LISTS = ("words", "word_segments", "chunks")


def read_whisper(document: Document, *, speaker: str | None) -> Track:
    """Read the words of all segments.

    A word of zero length got no time from the model; WhisperX leaves out times of numerals and symbols,
    and the words of segments that it could not align. All of these are words without times. Where
    WhisperX has found speakers, all are one stream of words, and `speaker` chooses those of one.
    """
    words = list(_words(document))
    if not words:
        raise document.error("there are no words here; the recording may be silent")
    return stream_track(words, speaker, document)._replace(zero_is_missing=True)


def _words(document: Document) -> Iterator[tuple[Entry, str | None]]:
    """Return the words, each with its speaker if it has one."""
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
