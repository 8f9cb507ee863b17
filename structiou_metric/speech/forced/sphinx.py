"""Forced alignment with pocketsphinx and the model of American English that it brings along, offline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from threading import Lock, local
from typing import Any

from ...optional import need
from ...wording import count
from ..words import TimedWord
from .aligner import AlignmentError
from .audio import RATE
from .pronunciation import find, guess

# Nats a frame by which the best of all sounds fits the recording better than the words do. Measured, with
# the right words: 2.8 to 3.6 for 11 clips of read speech, up to 6.6 with white noise at 5 dB, up to 9.5
# for synthetic voices with foreign accents. With the words of another clip: no alignment at all, or mostly
# 7 to 12. So this limit refused none of 213 right transcripts, and 480 of 639 wrong ones.
MAX_MISFIT = 10.0

_FRAME = 160  # samples
_SHORTEST = 0.1  # seconds
_LONGEST = 1800.0  # seconds: takes about a gigabyte
_SCORE_SCALE = 1024  # scores of the decoder are log likelihoods divided by this
_FILLERS = ("<", "[", "+")  # first letters of silences and noises among the words
_WIDE = 1e-300  # of the three beams: with the default, one in five right transcripts found no alignment


class SphinxAligner:
    """Finds English words in sound.

    Words that the dictionary of the model lacks are guessed from their letters. It may be used from
    several threads; one at a time is served.

    Attributes:
        guesses: Words whose sounds were guessed, and the first guess in ARPAbet.
    """

    def __init__(self, *, max_misfit: float = MAX_MISFIT) -> None:
        """Loads the model, which takes a fraction of a second.

        Args:
            max_misfit: Words that fit worse are an error, as they are probably those of another
                recording; `math.inf` takes all that can be aligned.
        """
        sphinx = need("pocketsphinx", "speech", "forced alignment")
        self._decoder = sphinx.Decoder(
            lm=None,
            samprate=RATE,
            loglevel="FATAL",
            bestpath=False,  # it would leave out words
            beam=_WIDE,
            wbeam=_WIDE,
            pbeam=_WIDE,
            cmn="batch",  # over the utterance, whatever came before it
            compallsen=True,  # or scores would be relative to the sounds of these words alone
        )
        self._max_misfit = max_misfit
        self._forms: dict[str, str] = {}  # of each word in the decoder's dictionary
        self._lock = Lock()
        self._last = local()
        self.guesses: dict[str, str] = {}

    @property
    def misfit(self) -> float | None:
        """How badly the words of this thread's last call fit, in nats a frame; see `MAX_MISFIT`."""
        return getattr(self._last, "misfit", None)

    def align(self, samples: Any, rate: int, words: Sequence[str]) -> list[TimedWord]:
        """Says where each word is, in steps of 10 ms.

        Raises:
            AlignmentError: If the words cannot be found in the sound, or fit it too badly.
            ValueError: If a word cannot be said in English.
        """
        if rate != RATE:
            raise ValueError(f"this aligner needs {RATE} samples a second, not {rate}")
        seconds = len(samples) / rate
        if not _SHORTEST <= seconds <= _LONGEST:
            raise AlignmentError(
                f"{seconds:g} s of sound at once is too {'short' if seconds < 1 else 'long'}; "
                f"cut it by time marks into pieces of {_SHORTEST:g} to {_LONGEST:g} s"
            )
        if not words:
            return []
        data = _as_16_bits(samples)
        with self._lock:
            forms = [self._form(word) for word in words]
            segments = self._decode(data, forms)
        misfit = self._last.misfit = _misfit(segments)
        if misfit > self._max_misfit:
            raise AlignmentError(
                f"the words do not fit the sound ({misfit:.1f} nats a frame from the best sounds, up to "
                f"{self._max_misfit:g} count as a match); are they those of another recording or stretch? "
                "If not, the aligner pocketsphinx-lenient takes them"
            )
        return [
            TimedWord(word, at.start_frame * _FRAME / rate, min((at.end_frame + 1) * _FRAME / rate, seconds))
            for word, at in zip(words, segments, strict=True)
        ]

    def _decode(self, data: bytes, forms: Sequence[str]) -> list[Any]:
        """Aligns; returns the decoder's segments of the words alone, whose last frames belong to them."""
        decoder = self._decoder
        decoder.reinit_feat()  # forgets the noise of the recording before
        decoder.set_align_text(" ".join(forms))
        decoder.start_utt()
        try:
            decoder.process_raw(data, full_utt=True)
        finally:
            decoder.end_utt()
        found = () if decoder.hyp() is None else decoder.seg()
        segments = [segment for segment in found if not segment.word.startswith(_FILLERS)]
        if [segment.word.partition("(")[0] for segment in segments] != list(forms):
            raise AlignmentError(
                f"pocketsphinx finds no way in which {count(len(forms), 'word')} could be said in these "
                f"{len(data) / 2 / RATE:.2f} s; are they those of another recording or stretch, or is it cut "
                "too short?"
            )
        return segments

    def _form(self, word: str) -> str:
        """The name of a word in the decoder's dictionary, to which it is added where needed."""
        if word not in self._forms:
            lookup = self._decoder.lookup_word
            self._forms[word] = find(word, lookup) or self._add(word, guess(word, lookup))
        return self._forms[word]

    def _add(self, word: str, ways: Sequence[str]) -> str:
        """Adds a word with its guessed sounds under a name that no written word has."""
        name = "~" + "~".join(ways).replace(" ", "_")
        if self._decoder.lookup_word(name) is None:
            for number, sounds in enumerate(ways, 1):
                self._decoder.add_word(name if number == 1 else f"{name}({number})", sounds, update=False)
        self.guesses[word] = ways[0]
        return name


def make_lenient() -> SphinxAligner:
    """An aligner that takes all words that can be aligned, however badly they fit."""
    return SphinxAligner(max_misfit=math.inf)


def _misfit(segments: Sequence[Any]) -> float:
    frames: int = sum(segment.end_frame + 1 - segment.start_frame for segment in segments)
    tiny = 1e-300  # what no word of this length gets
    return -_SCORE_SCALE * sum(math.log(max(segment.ascore, tiny)) for segment in segments) / frames


def _as_16_bits(samples: Any) -> bytes:
    """Little-endian whole numbers; sound beyond full scale is made softer as a whole."""
    numpy = need("numpy", "speech", "forced alignment")
    peak = float(abs(samples).max())
    if peak == 0.0:
        raise AlignmentError("the sound is nothing but digital silence")
    scaled = samples * (32767.0 / max(peak, 1.0))
    return bytes(numpy.rint(scaled).astype("<i2").tobytes())
