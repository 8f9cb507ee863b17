"""JSON of recognisers: what a program writes is one row here, or one for each of its versions.

A row is the way to the words, the names of their keys, and the unit of their times.
"""

from __future__ import annotations

from typing import Any

from .dialects import Dialect, Recogniser

_MS, _TICK = 1e-3, 1e-7  # seconds

_SPOKEN = ("alternatives.0.content",)
_AWS_TIMES: dict[str, Any] = {
    "text": _SPOKEN,
    "start": {"start_time": 1.0},
    "end": {"end_time": 1.0},
    "speaker": ("speaker_label", "channel_label"),
    "marks": ("punctuation",),
}

aws = Recogniser(
    "Amazon Transcribe",
    Dialect("results.channel_labels.channels[#].items[]", **_AWS_TIMES),
    Dialect(
        "results.items[]",
        **_AWS_TIMES,
        turns=("results.speaker_labels.segments[].items[]", "start_time", "speaker_label"),
    ),
)
_GOOGLE_TIMES: dict[str, Any] = {
    "start": {"startTime": 1.0, "startOffset": 1.0, "start_time": 1.0, "start_offset": 1.0},
    "end": {"endTime": 1.0, "endOffset": 1.0, "end_time": 1.0, "end_offset": 1.0},
    "speaker": ("speakerTag", "speakerLabel", "speaker_tag", "speaker_label", "channelTag"),
    "word_needs": ("word",),
    "retold": True,
}
google = Recogniser(
    "Google Speech-to-Text",
    Dialect("results[].alternatives[0].words[]", **_GOOGLE_TIMES),
    Dialect("response.results[].alternatives[0].words[]", **_GOOGLE_TIMES),
)
ibm = Recogniser(
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
)
_AZURE_TIMES: dict[str, Any] = {
    "text": ("word", "Word", "text"),
    "start": {"offsetInTicks": _TICK, "offsetMilliseconds": _MS, "Offset": _TICK, "offset": 1.0},
    "duration": {"durationInTicks": _TICK, "durationMilliseconds": _MS, "Duration": _TICK, "duration": 1.0},
    "end": {},
    "speaker": ("speaker", "SpeakerId", "channel"),
}
azure = Recogniser(
    "Azure Speech",
    Dialect("recognizedPhrases[].nBest[0].words[]", **_AZURE_TIMES),
    Dialect("NBest[0].Words[]", **_AZURE_TIMES),
    Dialect("phrases[].words[]", **_AZURE_TIMES),
)
deepgram = Recogniser("Deepgram", Dialect("results.channels[#].alternatives[0].words[]"))
assemblyai = Recogniser(
    "AssemblyAI",
    Dialect(
        "words[]",
        text=("text",),
        start={"start": _MS},
        end={"end": _MS},
        needs=("audio_url", "acoustic_model", "language_model", "speech_model", "audio_duration"),
        word_needs=("text",),
    ),
)
vosk = Recogniser("Vosk", Dialect("result[]"), Dialect("alternatives[0].result[]"))
_NEMO_TIMES: dict[str, Any] = {
    "start": {"start": 1.0, "start_time": 1.0},
    "end": {"end": 1.0, "end_time": 1.0},
    "speaker": ("speaker_label", "speaker"),
    "recording": "audio_filepath",
}
nemo = Recogniser(
    "NeMo",
    Dialect("word[]", **_NEMO_TIMES, needs=("audio_filepath", "pred_text"), word_needs=("word",)),
    Dialect("timestamps_word[]", **_NEMO_TIMES),
    Dialect("timestamp.word[]", **_NEMO_TIMES),
    Dialect("words[]", **_NEMO_TIMES, needs=("session_id", "speaker_count"), word_needs=("word",)),
    Dialect(
        "monologues[].terms[]", text=("text",), speaker=("speaker.name", "speaker.id"), marks=("PUNCTUATION",)
    ),
)
speechmatics = Recogniser(
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
)
rev = Recogniser(
    "Rev AI",
    Dialect(
        "monologues[].elements[]",
        text=("value",),
        start={"ts": 1.0},
        end={"end_ts": 1.0},
        marks=("punct", "unknown"),
    ),
)
bbc_kaldi = Recogniser(
    "BBC-Kaldi", Dialect("retval.words[]"), Dialect("words[]", word_needs=("word", "punct", "index"))
)
pocketsphinx = Recogniser(
    "pocketsphinx",
    Dialect(
        "w[]", text=("t",), start={"b": 1.0}, end={}, duration={"d": 1.0}, needs=("b", "d"), variants=True
    ),
)
gentle = Recogniser(
    "gentle",
    Dialect("words[]", text=("word", "alignedWord"), word_needs=("case",), needs=("transcript", "words")),
)

RECOGNISERS = {
    "aws": aws,
    "google": google,
    "ibm": ibm,
    "azure": azure,
    "deepgram": deepgram,
    "assemblyai": assemblyai,
    "vosk": vosk,
    "nemo": nemo,
    "speechmatics": speechmatics,
    "rev": rev,
    "bbc-kaldi": bbc_kaldi,
    "pocketsphinx": pocketsphinx,
    "gentle": gentle,
}
