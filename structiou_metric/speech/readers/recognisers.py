"""JSON of recognisers: the format of a program is one row here, or one for each of its versions.

A row is the way to the words, the names of their keys, and the unit of their times.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .documents import Document, Entry, Track, join_tokens
from .tiers import choose_track, stream_track

_STEP = re.compile(r"(?P<key>\w+)(?P<list>\[[0#]?\])?")
_VARIANT = re.compile(r"\(\d+\)$")  # of a pronunciation, as in and(2)
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")  # ISO 8601


class Dialect(NamedTuple):
    """The way in which one program writes words.

    A way is made of keys with dots between them; after a list, `[]` means all of its items, `[0]` the
    first, where the others are alternatives, and `[#]` all, each a channel with words of its own. An empty
    way is the whole value, which is one of a list.
    """

    words: str  # the way to the words
    text: tuple[str, ...] = ("word",)  # ways to its text, from the word; the first that is there counts
    start: Mapping[str, float] = {"start": 1.0}  # ways to its start, each with its unit in seconds
    end: Mapping[str, float] = {"end": 1.0}
    duration: Mapping[str, float] = {}
    speaker: tuple[str, ...] = ("speaker",)  # ways to its speaker, from the word or an object around it
    marks: tuple[str, ...] = ()  # its `type`, where it is no word
    turns: tuple[str, str, str] | None = (
        None  # way to the turns of speakers, and the keys of start and speaker
    )
    needs: tuple[str, ...] = ()  # keys of the whole; one of them is there
    word_needs: tuple[str, ...] = ()  # keys of a word, which are all there
    recording: str = ""  # key of the whole that names the recording, where a file has several
    retold: bool = False  # whether words with speakers repeat those without
    variants: bool = False  # whether words bear numbers of their pronunciations, as and(2) does
    whole: bool = False  # whether times are whole numbers, unlike those of another dialect
    tokens: bool = False  # whether they are parts of words; a first part begins with a blank
    silent: str = ""  # tokens without text, as a regular expression
    zero_is_missing: bool = False  # whether a word of zero length is one that got no time


class Found(NamedTuple):
    """A word as it is in the file."""

    value: Any
    place: str
    speaker: Any
    channel: str  # or recording, or "" if words are not separated by these


class Recogniser:
    """Reads the words that one program writes, in one of several dialects."""

    def __init__(self, name: str, *dialects: Dialect, without: str = "") -> None:
        """Set the name of the program, its dialects, and the advice for words without times."""
        self.name = name
        self._dialects = dialects
        self._without = without

    def fits(self, value: Any) -> bool:
        """Return whether a value looks like the output of this program."""
        return self._dialect([value]) is not None

    def _dialect(self, values: list[Any]) -> Dialect | None:
        objects = [value for value in values if isinstance(value, dict)]
        return next((d for d in self._dialects if any(_fits(d, value) for value in objects)), None)

    def __call__(self, document: Document, *, speaker: str | None) -> Track:
        """Return the words of all segments; if the program has separated speakers, `speaker` chooses one.

        Without it, all speakers are one stream of words; channels and recordings are not.
        """
        values = document.values
        if len(values) == 1 and isinstance(values[0], list):
            values = values[0]
        dialect = self._dialect(values)
        if dialect is None:
            ways = " or ".join(d.words.replace("[#]", "[]") for d in self._dialects)
            raise document.error(
                f"this is no JSON of {self.name}, with words in {ways}; give the format it has"
            )
        walk = _Walk(dialect)
        found: list[Found] = []
        for number, value in enumerate(values):
            if isinstance(value, dict):
                place = "" if len(values) == 1 else f"[{number}]."
                found += walk.words(value, place, str(value.get(dialect.recording, "")))
        if dialect.retold and any(_spoken_by(dialect, one) for one in found):
            found = [one for one in found if _spoken_by(dialect, one)]
        if not found and self._without:
            raise document.error(self._without)
        turns = [turn for value in values for turn in _turns(dialect, value, document)]
        return _track(dialect, found, sorted(turns), walk.n_alternatives, document, speaker)


def _fits(dialect: Dialect, value: dict[str, Any]) -> bool:
    if dialect.needs and not any(key in value for key in dialect.needs):
        return False
    walk = _Walk(dialect)
    first = next(walk.words(value, ""), None)
    if first is None:
        return walk.arrived and (bool(dialect.needs) or not dialect.word_needs)
    if dialect.whole and not all(map(_is_whole, walk.words(value, ""))):
        return False
    if isinstance(first.value, list):
        return len(first.value) >= 3 and dialect.text == ("0",)
    return isinstance(first.value, dict) and all(key in first.value for key in dialect.word_needs)


def _is_whole(one: Found) -> bool:
    """Return whether a word has whole numbers as its times."""
    return isinstance(one.value, dict) and all(type(one.value.get(key)) is int for key in ("start", "end"))


class _Walk:
    """Follows a way to the words of a value."""

    def __init__(self, dialect: Dialect) -> None:
        self.n_alternatives = 0
        self.arrived = False  # whether there was a list at the end of the way
        self._dialect = dialect
        self._steps = [(match["key"], match["list"]) for match in _STEP.finditer(dialect.words)]

    def words(self, value: Any, place: str, channel: str = "") -> Iterator[Found]:
        """Return each word, with the speaker of the nearest object that names one."""
        yield from self._go(value, place, 0, None, channel)

    def _go(self, value: Any, place: str, depth: int, speaker: Any, channel: str) -> Iterator[Found]:
        if not isinstance(value, dict):
            return
        if not self._steps:
            yield Found(value, place.rstrip("."), None, channel)
            return
        speaker = _first(value, self._dialect.speaker, speaker)
        key, kind = self._steps[depth]
        inner = value.get(key)
        place += key
        last = depth + 1 == len(self._steps)
        if kind is None:
            yield from self._go(inner, place + ".", depth + 1, speaker, channel)
            return
        if not isinstance(inner, list):
            self.arrived = self.arrived or (last and key in value and inner is None)
            return
        self.arrived = self.arrived or last
        if kind == "[0]":
            self.n_alternatives += max(0, len(inner) - 1)
            inner = inner[:1]
        for number, one in enumerate(inner):
            if last:
                yield Found(one, f"{place}[{number}]", speaker, channel)
                continue
            of = channel
            if kind == "[#]" and len(inner) > 1:
                of = str(_first(one, self._dialect.speaker, f"channel {number + 1}"))
            yield from self._go(one, f"{place}[{number}].", depth + 1, speaker, of)


def _first(value: Any, ways: tuple[str, ...], default: Any = None) -> Any:
    return next((found for way in ways if (found := _get(value, way)) is not None), default)


def _spoken_by(dialect: Dialect, one: Found) -> bool:
    """Return whether a word itself names a speaker; 0 is none."""
    return bool(_first(one.value, dialect.speaker))


def _get(value: Any, way: str) -> Any:
    """Return the value at the end of a way of keys and places in lists, or None."""
    for step in way.split("."):
        if isinstance(value, list) and step.isdecimal():
            value = value[int(step)] if len(value) > int(step) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _turns(dialect: Dialect, value: Any, document: Document) -> Iterator[tuple[float, str]]:
    """Return when speakers begin to speak, where the program keeps that apart from the words."""
    if dialect.turns is None:
        return
    way, start, speaker = dialect.turns
    for turn in _Walk(dialect._replace(words=way)).words(value, ""):
        if not isinstance(turn.value, dict) or turn.value.get(speaker) is None:
            raise document.error(f"a turn is an object with {start} and {speaker}", turn.place)
        time = document.seconds(turn.value.get(start), turn.place, start)
        if time is not None:
            yield time, str(turn.value[speaker])


def _track(
    dialect: Dialect,
    found: list[Found],
    turns: list[tuple[float, str]],
    n_alternatives: int,
    document: Document,
    speaker: str | None,
) -> Track:
    channels: dict[str, list[tuple[Entry, str | None]]] = {}
    n_marks = 0
    starts = [start for start, _ in turns]
    for one in found:
        word = _as_object(one, document)
        text = next((t for way in dialect.text if (t := _text(_get(word, way))) is not None), None)
        if word.get("type") in dialect.marks:
            n_marks += text is None or not text.isspace()
            continue
        if text is not None and dialect.silent and re.fullmatch(dialect.silent, text.strip()):
            continue
        if text is None:
            raise document.error(f"there is no text of a word ({' or '.join(dialect.text)})", one.place)
        times = [
            _time(word, keys, one.place, document) for keys in (dialect.start, dialect.end, dialect.duration)
        ]
        if dialect.variants:
            text = _VARIANT.sub("", text)
        entry = document.entry(text, times[0], times[1], one.place, times[2])
        who = _first(word, dialect.speaker, one.speaker)
        if who is None and starts and entry.start is not None:
            who = turns[max(0, bisect_right(starts, entry.start + 1e-6) - 1)][1]
        name = None if who is None or isinstance(who, (dict, list)) else str(who)
        channels.setdefault(one.channel, []).append((entry, name))
    if dialect.tokens:
        channels = {name: join_tokens(words) for name, words in channels.items()}
    if not channels:
        raise document.error("there are no words here; the recording may be silent")
    if len(channels) > 1:
        tracks = {
            name: Track([entry for entry, _ in words], document.title) for name, words in channels.items()
        }
        noun = "recording" if dialect.recording else "channel"
        track = choose_track(tracks, speaker, document, noun)
    else:
        [words] = channels.values()
        track = stream_track(words, speaker, document)
    return track._replace(
        n_marks=n_marks, n_alternatives=n_alternatives, zero_is_missing=dialect.zero_is_missing
    )


def _text(value: Any) -> str | None:
    """Return a text, or several lines joined as one; None if the value is neither."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return " ".join(value)
    return value if isinstance(value, str) else None


def _as_object(one: Found, document: Document) -> dict[str, Any]:
    """Return a word with its keys; those of a list are its places."""
    if isinstance(one.value, list) and len(one.value) >= 3:
        return {str(number): value for number, value in enumerate(one.value)}
    if not isinstance(one.value, dict):
        raise document.error("this is no word with its times", one.place)
    return one.value


def _time(word: Mapping[str, Any], keys: Mapping[str, float], place: str, document: Document) -> float | None:
    """Return a time of a word in seconds, however it is written."""
    key = next((key for key in keys if _get(word, key) is not None), None)
    if key is None:
        return None
    value = _get(word, key)
    if isinstance(value, dict):  # as protocol buffers have it
        parts = [document.seconds(value.get(part, 0), place, key) for part in ("seconds", "nanos")]
        return round((parts[0] or 0.0) + 1e-9 * (parts[1] or 0.0), 9)
    if isinstance(value, str) and value[-1:] == "s":
        value = value[:-1]
    if isinstance(value, str) and (match := _DURATION.fullmatch(value)):
        hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return 3600 * hours + 60 * minutes + seconds
    number = document.seconds(value, place, key)
    return None if number is None else number if keys[key] == 1.0 else round(number * keys[key], 9)


_MS, _TICK = 1e-3, 1e-7  # seconds

_SPOKEN = ("alternatives.0.content",)
_AWS_TIMES: dict[str, Any] = {
    "text": _SPOKEN,
    "start": {"start_time": 1.0},
    "end": {"end_time": 1.0},
    "speaker": ("speaker_label", "channel_label"),
    "marks": ("punctuation",),
}
_GOOGLE_TIMES: dict[str, Any] = {
    "start": {"startTime": 1.0, "startOffset": 1.0, "start_time": 1.0, "start_offset": 1.0},
    "end": {"endTime": 1.0, "endOffset": 1.0, "end_time": 1.0, "end_offset": 1.0},
    "speaker": ("speakerTag", "speakerLabel", "speaker_tag", "speaker_label", "channelTag"),
    "word_needs": ("word",),
    "retold": True,
}
_AZURE_TIMES: dict[str, Any] = {
    "text": ("word", "Word", "text"),
    "start": {"offsetInTicks": _TICK, "offsetMilliseconds": _MS, "Offset": _TICK, "offset": 1.0},
    "duration": {"durationInTicks": _TICK, "durationMilliseconds": _MS, "Duration": _TICK, "duration": 1.0},
    "end": {},
    "speaker": ("speaker", "SpeakerId", "channel"),
}
_NEMO_TIMES: dict[str, Any] = {
    "start": {"start": 1.0, "start_time": 1.0},
    "end": {"end": 1.0, "end_time": 1.0},
    "speaker": ("speaker_label", "speaker"),
    "recording": "audio_filepath",
}
_FRAGMENT: dict[str, Any] = {
    "text": ("lines",),
    "start": {"begin": 1.0},
    "word_needs": ("begin", "lines"),
}

_CPP_TIMES: dict[str, Any] = {
    "text": ("text",),
    "start": {"offsets.from": _MS},
    "end": {"offsets.to": _MS},
    "speaker": (),
    "word_needs": ("text", "offsets"),
    "zero_is_missing": True,
}

RECOGNISERS = {
    "aws": Recogniser(
        "Amazon Transcribe",
        Dialect("results.channel_labels.channels[#].items[]", **_AWS_TIMES),
        Dialect(
            "results.items[]",
            **_AWS_TIMES,
            turns=("results.speaker_labels.segments[].items[]", "start_time", "speaker_label"),
        ),
    ),
    "google": Recogniser(
        "Google Speech-to-Text",
        Dialect("results[].alternatives[0].words[]", **_GOOGLE_TIMES),
        Dialect("response.results[].alternatives[0].words[]", **_GOOGLE_TIMES),
    ),
    "ibm": Recogniser(
        "IBM Watson",
        *(
            Dialect(
                f"{way}alternatives[0].timestamps[]",
                text=("0",),
                start={"1": 1.0},
                end={"2": 1.0},
                turns=("speaker_labels[]", "from", "speaker"),
            )
            for way in ("results[].", "results[].results[].")
        ),
    ),
    "azure": Recogniser(
        "Azure Speech",
        Dialect("recognizedPhrases[].nBest[0].words[]", **_AZURE_TIMES),
        Dialect("NBest[0].Words[]", **_AZURE_TIMES),
        Dialect("phrases[].words[]", **_AZURE_TIMES),
        without="there are no times of words here, as these were not asked for; recognise it again with "
        "wordLevelTimestampsEnabled (RequestWordLevelTimestamps in the SDK)",
    ),
    "deepgram": Recogniser("Deepgram", Dialect("results.channels[#].alternatives[0].words[]")),
    "assemblyai": Recogniser(
        "AssemblyAI",
        Dialect(
            "words[]",
            text=("text",),
            start={"start": _MS},
            end={"end": _MS},
            needs=("audio_url", "acoustic_model", "language_model", "speech_model", "audio_duration"),
            word_needs=("text",),
        ),
        Dialect(  # the words alone
            "words[]",
            text=("text",),
            start={"start": _MS},
            end={"end": _MS},
            word_needs=("text", "start", "end", "confidence"),
            whole=True,
        ),
    ),
    "vosk": Recogniser("Vosk", Dialect("result[]"), Dialect("alternatives[0].result[]")),
    "nemo": Recogniser(
        "NeMo",
        Dialect("word[]", **_NEMO_TIMES, needs=("audio_filepath", "pred_text"), word_needs=("word",)),
        Dialect("timestamps_word[]", **_NEMO_TIMES),
        Dialect("timestamp.word[]", **_NEMO_TIMES),
        Dialect("words[]", **_NEMO_TIMES, needs=("session_id", "speaker_count"), word_needs=("word",)),
        Dialect(
            "monologues[].terms[]",
            text=("text",),
            speaker=("speaker.name", "speaker.id"),
            marks=("PUNCTUATION",),
        ),
    ),
    "speechmatics": Recogniser(
        "Speechmatics",
        Dialect(
            "results[]",
            text=_SPOKEN,
            start={"start_time": 1.0},
            end={"end_time": 1.0},
            speaker=("alternatives.0.speaker", "channel"),
            marks=("punctuation",),
            word_needs=("alternatives", "type"),
        ),
        Dialect(
            "words[]",
            text=("name",),
            start={"time": 1.0},
            end={},
            duration={"duration": 1.0},
            speaker=(),
            turns=("speakers[]", "time", "name"),
            word_needs=("name", "time"),
        ),
    ),
    "rev": Recogniser(
        "Rev AI",
        Dialect(
            "monologues[].elements[]",
            text=("value",),
            start={"ts": 1.0},
            end={"end_ts": 1.0},
            marks=("punct", "unknown"),
        ),
    ),
    "bbc-kaldi": Recogniser(
        "BBC-Kaldi",
        Dialect("retval.words[]", text=("word", "text")),
        Dialect("words[]", word_needs=("word", "punct", "index")),
        Dialect("words[]", text=("text",), word_needs=("text", "punct")),
    ),
    "pocketsphinx": Recogniser(
        "pocketsphinx",
        Dialect(
            "w[]", text=("t",), start={"b": 1.0}, end={}, duration={"d": 1.0}, needs=("b", "d"), variants=True
        ),
    ),
    "gentle": Recogniser(
        "gentle",
        Dialect("words[]", text=("word", "alignedWord"), word_needs=("case",), needs=("transcript", "words")),
    ),
    "aeneas": Recogniser(  # fragments may hold smaller ones, down to words
        "aeneas",
        Dialect("fragments[].children[].children[]", **_FRAGMENT),
        Dialect("fragments[].children[]", **_FRAGMENT),
        Dialect("fragments[]", **_FRAGMENT),
    ),
    "parakeet": Recogniser(
        "Parakeet", Dialect("sentences[].tokens[]", text=("text",), needs=("sentences",), tokens=True)
    ),
    "gladia": Recogniser(
        "Gladia",
        Dialect("result.transcription.utterances[].words[]"),
        Dialect("transcription.utterances[].words[]"),
    ),
    "soniox": Recogniser(
        "Soniox",
        Dialect(
            "tokens[]",
            text=("text",),
            start={"start_ms": _MS},
            end={"end_ms": _MS},
            word_needs=("text", "start_ms"),
            tokens=True,
        ),
    ),
    "seglst": Recogniser(
        "SegLST",
        Dialect(
            "",
            text=("words",),
            start={"start_time": 1.0},
            end={"end_time": 1.0},
            recording="session_id",
            word_needs=("session_id", "words", "start_time"),
        ),
    ),
    "whisper-cpp": Recogniser(
        "whisper.cpp",
        Dialect(
            "transcription[].tokens[]", **_CPP_TIMES, tokens=True, silent=r"\[_[A-Za-z_]+\d*_?\]|<\|.*\|>"
        ),
        Dialect("transcription[]", **_CPP_TIMES),
    ),
}
