"""Speech from the synthesiser espeak-ng, with its own word times.

Called through its C library, which comes with the program: only that tells when each word starts. The library
keeps a state from one text to the next, by which the same text never sounds quite the same again. So each
text is said in a process of its own, of which this file is also the program: then it always sounds the same.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import re
import subprocess
import sys
import wave
from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PATIENCE = 30  # seconds for a text
_SYNCHRONOUS = 2
_PHONEME_EVENTS = 1
_DONT_EXIT = 0x8000
_RATE_PARAMETER = 1
_UTF8 = 1
_WORD, _PHONEME = 1, 7  # kinds of events; the list ends with 0


class Speech(NamedTuple):
    """What was synthesised.

    Attributes:
        samples: 16 bits each, one channel.
        rate: Samples a second.
        words: `(text, start, end)` in seconds. Words that the voice says as one, such as `of the`,
            are one entry with a space in it.
    """

    samples: array[int]
    rate: int
    words: list[tuple[str, float, float]]

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

    def padded(self, before: float, after: float) -> Speech:
        """With silence around it, in seconds."""
        shift = round(before * self.rate)
        samples = (
            array("h", bytes(2 * shift)) + self.samples + array("h", bytes(2 * round(after * self.rate)))
        )
        return Speech(samples, self.rate, shifted(self.words, shift / self.rate))


def shifted(words: list[tuple[str, float, float]], seconds: float) -> list[tuple[str, float, float]]:
    """The words so much later."""
    return [(text, start + seconds, end + seconds) for text, start, end in words]


def joined(parts: Sequence[Speech]) -> tuple[Speech, list[tuple[float, float]]]:
    """One recording after the other; also where each starts and ends."""
    whole = Speech(array("h"), parts[0].rate, [])
    marks = []
    for part in parts:
        start = whole.seconds
        whole.samples.extend(part.samples)
        whole.words.extend(shifted(part.words, start))
        marks.append((start, whole.seconds))
    return whole, marks


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("string", ctypes.c_char * 8),
    )


_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


def _library() -> tuple[ctypes.CDLL, int] | None:
    """The library and its sample rate, or None where it is not installed."""
    for name in (ctypes.util.find_library("espeak-ng"), "libespeak-ng.so.1"):
        try:
            library = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if library is not None:
            rate = library.espeak_Initialize(_SYNCHRONOUS, 0, None, _PHONEME_EVENTS | _DONT_EXIT)
            return (library, rate) if rate > 0 else None
    return None


def need() -> None:
    """Skips the calling test file where espeak-ng is not installed."""
    import pytest

    if not _is_installed():
        pytest.skip("espeak-ng is not installed", allow_module_level=True)


@cache
def _is_installed() -> bool:
    return _answer("a", "en-us", 150) is not None


@cache
def _answer(text: str, voice: str, speed: int) -> str | None:
    """What this file prints as a program; None where there is no espeak-ng."""
    done = subprocess.run(
        [sys.executable, "-I", __file__, text, voice, str(speed)],
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout if done.stdout.strip() else None


def speak(text: str, *, voice: str = "en-us", speed: int = 150) -> Speech:
    """Says a text.

    Args:
        text: Words with white space between them.
        voice: A name that `espeak-ng --voices` lists, perhaps with a variant, such as `en-us+f3`.
        speed: Words a minute, roughly.
    """
    answer = json.loads(_answer(text, voice, speed) or "{}")
    samples = array("h", b64decode(answer["samples"]))
    return Speech(samples, answer["rate"], [(word, start, end) for word, start, end in answer["words"]])


def _speak_here(text: str, voice: str, speed: int) -> Speech | None:
    """Says a text in this process; None where there is no espeak-ng."""
    found = _library()
    if found is None:
        return None
    library, rate = found
    samples: array[int] = array("h")
    events: list[tuple[int, int, float, bytes]] = []

    def receive(wav, count, event):
        if wav:
            samples.extend(wav[:count])
        i = 0
        while event[i].type:
            one = event[i]
            events.append((one.type, one.text_position, one.audio_position / 1000, one.string))
            i += 1
        return 0

    callback = _Callback(receive)
    library.espeak_SetSynthCallback(callback)
    assert library.espeak_SetVoiceByName(voice.encode()) == 0, f"espeak-ng has no voice {voice}"
    library.espeak_SetParameter(_RATE_PARAMETER, speed, 0)
    data = text.encode()
    status = library.espeak_Synth(data, ctypes.c_size_t(len(data) + 1), 0, 1, 0, _UTF8, None, None)
    assert status == 0, f"espeak-ng could not say {text!r}"
    library.espeak_Synchronize()
    return Speech(samples, rate, _word_times(text, events, len(samples) / rate))


def _word_times(
    text: str, events: list[tuple[int, int, float, bytes]], seconds: float
) -> list[tuple[str, float, float]]:
    """Puts word events, which name a place in the text, on its words; a pause ends the word before it."""
    tokens = list(re.finditer(r"\S+", text))
    words: list[tuple[int, float]] = []  # token and start of each
    ends: list[float] = []
    is_open = False
    for kind, place, second, name in events:
        if kind == _WORD:
            token = sum(found.start() < place for found in tokens) - 1
            if token < (words[-1][0] if words else 0):
                continue  # some versions add an event that goes back to the start
            if words and words[-1][0] == token:  # a number that is said as several words
                if not is_open:
                    ends.pop()
            else:
                if is_open:
                    ends.append(second)
                words.append((token, second))
            is_open = True
        elif kind == _PHONEME and name.startswith(b"_") and is_open:
            ends.append(second)
            is_open = False
    if is_open:
        ends.append(seconds)
    edges = [*(token for token, _ in words[1:]), len(tokens)]
    return [
        (" ".join(found.group() for found in tokens[token:stop]), start, end)
        for (token, start), stop, end in zip(words, edges, ends, strict=True)
    ]


def write_wav(path: Path, samples: array[int], rate: int, channels: int = 1) -> Path:
    """Writes samples of 16 bits; those of several channels by turns."""
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    return path


def _main(text: str, voice: str, speed: str) -> None:
    """Prints the speech as JSON, or nothing where there is no espeak-ng."""
    speech = _speak_here(text, voice, int(speed))
    if speech is not None:
        samples = b64encode(speech.samples.tobytes()).decode()
        sys.stdout.write(json.dumps({"samples": samples, "rate": speech.rate, "words": speech.words}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
