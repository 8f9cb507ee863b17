"""Clips of speech with their words: real ones from a folder that the user has, and synthetic ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import soxr

from structiou_metric.speech.forced.audio import RATE, SoundFile
from structiou_metric.speech.readers.reading import read_words
from support import espeak

_LEAST_WORDS = 3  # of a piece that a clip is cut into
_PAUSE = 0.25  # seconds of silence at which a clip may be cut


class Clip(NamedTuple):
    """A recording, what is said in it, and when, where that is known."""

    name: str
    group: str  # where it comes from
    samples: Any  # float32, `RATE` a second
    words: list[str]
    times: list[tuple[float, float]] | None

    @property
    def seconds(self) -> float:
        return len(self.samples) / RATE


# ------------------------------------------------------------------------------------------ real clips

# By folder: recordings with the file of their words, a TextGrid or a text.
_REAL = {
    "praatio": {"bobby.wav": "bobby_words.TextGrid", "mary.wav": "mary.TextGrid"},
    "mfa": {
        "acoustic_corpus.wav": "acoustic_corpus.TextGrid",
        "cold_corpus.wav": "cold_corpus.TextGrid",
        "61-70968-0000.flac": "61-70968-0000.words.TextGrid",
    },
    "pocketsphinx": {},
}


def real_clips(folder: Path) -> list[Clip]:
    """Whole recordings of a folder that has those of `_REAL`; what is not there is left out."""
    clips = []
    for group, files in _REAL.items():
        for sound, grid in files.items():
            path = folder / group / sound
            samples = _read(path) if path.exists() else None
            if samples is not None:
                timed = read_words(folder / group / grid).words
                times = [(word.start, word.end) for word in timed]
                clips.append(Clip(path.stem, group, samples, [word.text for word in timed], times))
        for path in sorted((folder / group).glob("*transcription")):
            for line in path.read_text("utf-8").splitlines():
                text, _, name = line.rstrip(") ").rpartition("(")
                samples = _read(folder / group / f"{name}.wav")
                words = [word for word in text.split() if not word.startswith("<")]
                if samples is not None:
                    clips.append(Clip(name, group, samples, words, None))
    return clips


def _read(path: Path) -> Any:
    """Return the samples of a file, or None if it is not there."""
    if not path.exists():
        return None
    return SoundFile(path).read()


def pieces(clip: Clip, most: float = 6.0) -> Iterator[Clip]:
    """The clip, cut at its pauses into utterances of at least three words if it is longer than `most`."""
    if clip.times is None or clip.seconds <= most:
        yield clip
        return
    first = 0
    n = len(clip.words)
    for last in range(n):
        pause = clip.times[last + 1][0] - clip.times[last][1] if last + 1 < n else 1.0
        enough = last + 1 - first >= _LEAST_WORDS and (n - last - 1 >= _LEAST_WORDS or last + 1 == n)
        if pause < _PAUSE or not enough:
            continue
        start = max(0.0, clip.times[first][0] - _PAUSE / 2)
        end = min(clip.seconds, clip.times[last][1] + _PAUSE / 2)
        yield Clip(
            f"{clip.name} {start:.2f}",
            clip.group,
            clip.samples[round(start * RATE) : round(end * RATE)],
            clip.words[first : last + 1],
            [(a - start, b - start) for a, b in clip.times[first : last + 1]],
        )
        first = last + 1


# ------------------------------------------------------------------------------------- synthetic clips

SENTENCES = (
    "the old teacher gave us a difficult book",
    "birds will never fly under cold water",
    "a small company sold all shares before monday",
    "my brother left his keys on the kitchen table again",
    "nobody at the meeting knew what the chairman wanted",
    "we could see three boats from the window of the train",
    "she told me that her garden needs more rain this year",
    "the doctor asked whether he had slept well",
    "prices went up in spring and fell in autumn",
    "if you come late you will miss the best part",
    "they built a bridge where the river is narrow",
    "our neighbors have painted their front door green",
    "most people would rather walk than wait for a bus",
    "I have not heard that song since I was a child",
    "the judge spoke slowly and looked at every witness",
    "please put the letters into the bottom drawer",
    "a cat was sleeping between two flower pots",
    "yesterday the market opened an hour later than usual",
    "he wondered why his phone had stopped working",
    "the children were running down the hill",
    "it takes about ten minutes to boil potatoes",
    "the pilot saw nothing but clouds for half an hour",
    "you should ask your lawyer before you sign",
    "the museum keeps its oldest maps in a dark room",
    "there was a strange noise behind the wall",
    "uh well I guess so",
    "that is right",
    "not really no",
    "sounds good to me",
    "what kind of dog do you have",
)


class Voice(NamedTuple):
    """How espeak-ng speaks."""

    name: str
    speed: int


CALIBRATION_VOICES = (
    Voice("en-us", 150),
    Voice("en-us+f3", 180),
    Voice("en-gb-x-rp", 140),
    Voice("en-us+m7", 120),
)
HELD_OUT_VOICES = (
    Voice("en-us+f2", 165),
    Voice("en-gb-x-rp+f4", 170),
    Voice("en-us+m3", 200),
    Voice("en-gb-scotland", 150),
)


def synthetic_clips(sentences: Sequence[str], voices: Sequence[Voice]) -> list[Clip]:
    """Each sentence, said by each voice."""
    clips = []
    for voice in voices:
        for text in sentences:
            speech = espeak.speak(text, voice=voice.name, speed=voice.speed).padded(0.2, 0.2)
            samples = soxr.resample(numpy.array(speech.samples, numpy.float32) / 32768, speech.rate, RATE)
            words = text.split()
            alone = [word for word, _, _ in speech.words] == words  # some voices say two words as one
            times = [(start, end) for _, start, end in speech.words] if alone else None
            clips.append(Clip(f"{voice.name} {text[:20]}", "synthetic", samples, words, times))
    return clips


# ------------------------------------------------------------------------------------------ conditions


def _clean(samples: Any) -> Any:
    return samples


def _noise(decibels: float) -> Callable[[Any], Any]:
    def add(samples: Any) -> Any:
        rng = numpy.random.default_rng(7)
        power = numpy.sqrt(numpy.mean(samples**2)) * 10 ** (-decibels / 20)
        return (samples + rng.normal(scale=power, size=len(samples))).astype(numpy.float32)

    return add


def telephone(samples: Any) -> Any:
    """The sound after a telephone line: 300 to 3,400 Hz, 8,000 samples a second, mu-law of 8 bits."""
    narrow = soxr.resample(samples, RATE, 8000)
    spectrum = numpy.fft.rfft(narrow)
    hertz = numpy.fft.rfftfreq(len(narrow), 1 / 8000)
    spectrum *= 1 / (1 + (300 / numpy.maximum(hertz, 1)) ** 8)
    spectrum *= 1 / (1 + (hertz / 3400) ** 24)
    narrow = numpy.fft.irfft(spectrum, len(narrow))
    narrow = narrow / max(1.0, abs(narrow).max())
    bent = numpy.sign(narrow) * numpy.log1p(255 * abs(narrow)) / numpy.log(256)
    bent = numpy.round(bent * 127) / 127
    back = numpy.sign(bent) * (256 ** abs(bent) - 1) / 255
    return soxr.resample(back.astype(numpy.float32), 8000, RATE)


CONDITIONS: dict[str, Callable[[Any], Any]] = {
    "clean": _clean,
    "noise 10 dB": _noise(10),
    "telephone": telephone,
}
