"""Forced alignment with pocketsphinx and the model of American English that it brings along, offline.

How sure it is that words are those of a recording is their fit, between wrong words and free sounds. Three
fits are compared, each the log likelihood of frames:

- that of the words, in their forced alignment;
- that of sounds in any order, which are decoded freely: about what the right words should reach;
- that of wrong words, the best of several lists: the same words in other orders, and where there are few,
  other words of a dictionary with as many sounds.

The *relative fit* of words is 0 if they fit as the best wrong words do and 1 if they fit as free sounds do.
It is that of all frames, and that of each tree in the frames from its first word to its last. Noise and
narrow bands worsen all three fits, so that they change it little. The confidence is a logistic function of
it, whose middle and width were fitted to clips with right and wrong words: see docs/speech.md.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from random import Random
from threading import Lock, local
from typing import Any, NamedTuple

from ...optional import need
from ...wording import count
from ..words import TimedWord
from .aligner import AlignmentError
from .audio import RATE
from .pronunciation import find, guess

MIDDLE = 0.16  # the relative fit at which all words of a stretch are as likely right as wrong
WIDTH = 0.04  # by how much more they are e times as likely right
PART_MIDDLE = 0.25  # the same for one tree of several, which wrong words pull to where they fit best
PART_WIDTH = 0.07  # so that a tree is refused from where wrong words fit as well
MIN_CONFIDENCE = 0.03  # that of a relative fit of 0.02

N_WRONG = 6  # lists of wrong words
LONG = 60.0  # seconds; in longer stretches unlikely ways are given up
_COMPARED = 20.0  # seconds; in longer stretches wrong words are looked for in so much of the middle
_FEW = 5  # words
_LEAST_SPAN = 0.5  # nats a frame: if free sounds fit no better than wrong words by that, nothing can be told
_LONG_GAP = 1.0  # seconds without a word, from which on speech counts as uncovered
_LONGEST_SOUND = 0.5  # seconds; freely decoded sounds that last longer are mostly noise


class Segment(NamedTuple):
    """A word, a sound or a silence that a decoder found."""

    name: str
    first: int  # frame
    last: int  # one past the last frame
    score: float  # log likelihood, in nats, relative to the best state of each frame
    is_filler: bool  # whether it is a silence or a noise

    @property
    def length(self) -> int:
        return self.last - self.first


def relative_fit(gap: float, span: float) -> float:
    """Return where the fit of words is between those of wrong words, 0, and of free sounds, 1.

    >>> relative_fit(0.0, 4.0), relative_fit(1.0, 4.0), relative_fit(4.0, 4.0)
    (1.0, 0.75, 0.0)

    Args:
        gap: How much better free sounds fit than the words, in nats a frame.
        span: How much better free sounds fit than wrong words.
    """
    return (span - gap) / max(span, _LEAST_SPAN)


def confidence_of(fit: float, middle: float = MIDDLE, width: float = WIDTH) -> float:
    """Return the confidence, from 0 to 1, of a relative fit.

    >>> confidence_of(MIDDLE), round(confidence_of(MIDDLE + WIDTH), 3)
    (0.5, 0.731)
    """
    return 1 / (1 + math.exp(min((middle - fit) / width, 700.0)))


def wrong_words(
    forms: Sequence[str],
    n_sounds: Callable[[str], int],
    by_sounds: Mapping[int, Sequence[str]],
    n_lists: int = N_WRONG,
) -> list[list[str]]:
    """Lists of wrong words, the same for the same words.

    They are the words in other orders; if there are fewer than `_FEW` words, of which too many orders are
    nearly right, half of the lists have other words of the dictionary in the place of each.

    Args:
        forms: The words as the dictionary has them.
        n_sounds: How many sounds a form has.
        by_sounds: Words of the dictionary by the number of their sounds.
        n_lists: The number of lists.
    """
    rng = Random(" ".join(forms))
    n_orders = n_lists if len(forms) >= _FEW else n_lists // 2
    lists: list[list[str]] = []
    for _ in range(4 * n_lists):
        other = rng.sample(forms, len(forms))
        if len(lists) < n_orders and other != list(forms) and other not in lists:
            lists.append(other)
    longest = max(by_sounds)
    lengths = [min(n_sounds(form), longest) for form in forms]
    while len(lists) < n_lists:
        lists.append([rng.choice(by_sounds[length]) for length in lengths])
    return lists


def uncovered_frames(words: Sequence[Segment], free: Sequence[Segment], rate: float) -> tuple[int, int]:
    """The number of frames of speech in long gaps between words, and of all frames of speech.

    Speech is where sounds other than silence and noise are decoded freely, of usual length.

    Args:
        words: The forced alignment, silences included.
        free: The sounds that are decoded freely.
        rate: The number of frames a second.
    """
    speech = [
        (segment.first, segment.last)
        for segment in free
        if not segment.is_filler and segment.length <= _LONGEST_SOUND * rate
    ]
    gaps = [gap for gap in _gaps(words) if gap[1] - gap[0] >= _LONG_GAP * rate]
    lost = sum(max(0, min(last, to) - max(first, at)) for first, last in speech for at, to in gaps)
    return lost, sum(last - first for first, last in speech)


def _gaps(segments: Iterable[Segment]) -> list[tuple[int, int]]:
    """The stretches without a word."""
    gaps: list[tuple[int, int]] = []
    for segment in segments:
        if not segment.is_filler:
            continue
        if gaps and gaps[-1][1] == segment.first:
            gaps[-1] = gaps[-1][0], segment.last
        else:
            gaps.append((segment.first, segment.last))
    return gaps


def running_gap(words: Sequence[Segment], free: Sequence[Segment]) -> list[float]:
    """Return by how much free sounds fit better than words, summed up to each frame, from 0 on."""
    scores = [
        [segment.score / segment.length for segment in segments for _ in range(segment.length)]
        for segments in (free, words)
    ]
    return list(accumulate((best - own for best, own in zip(*scores, strict=False)), initial=0.0))


def _fit(segments: Sequence[Segment]) -> float:
    """Return the fit in nats a frame."""
    return sum(segment.score for segment in segments) / max(sum(segment.length for segment in segments), 1)


_FRAME = 160  # samples
_MIDDLE = 125  # samples by which the middle of a window of 410 lies behind that of its frame
_SHORTEST = 0.1  # seconds
_LONGEST = 1800.0  # seconds: takes about a gigabyte
_SCORE_SCALE = 1024  # scores of the decoder are log likelihoods divided by this
_FILLERS = ("<", "[", "+", "SIL")  # how the names of silences and noises begin
_FREE = "free sounds"  # name of the search for sounds in any order
_WRONG = "wrong words"  # that of the search for the best of several lists
# Of the three beams. With the default, one in five right transcripts found no alignment; with 0 all ways are
# kept, so that partly wrong words are found, too, in memory that grows with the square of the stretch.
_ALL_WAYS, _WIDE = 0.0, 1e-300


class SphinxAligner:
    """Finds English words in sound.

    `judges_parts` and `suspect_confidence` are as in `Aligner`. Words that the dictionary of the model lacks
    are guessed from their letters. It may be used from several threads; one at a time is served.

    Attributes:
        guesses: The words whose sounds were guessed, and the first guess in ARPAbet.
    """

    judges_parts = True
    suspect_confidence = 0.5

    def __init__(self, *, min_confidence: float = MIN_CONFIDENCE) -> None:
        """Loads the model, which takes a fraction of a second.

        Args:
            min_confidence: The confidence below which words are an error, as they are probably those of
                another recording; 0 takes all that can be aligned.
        """
        self._sphinx = need("pocketsphinx", "speech", "forced alignment")
        self._decoder = self._make_decoder(_ALL_WAYS)
        self._ways: dict[str, Sequence[str]] = {}  # how words are said that were added to the dictionary
        self.min_confidence = min_confidence
        self._forms: dict[str, str] = {}  # of each word in the decoder's dictionary
        self._lock = Lock()
        self._last = local()
        self.guesses: dict[str, str] = {}

    def _make_decoder(self, beam: float) -> Any:
        decoder = self._sphinx.Decoder(
            lm=None,
            samprate=RATE,
            loglevel="FATAL",
            bestpath=False,  # it would leave out words
            beam=beam,
            wbeam=beam,
            pbeam=beam,
            cmn="batch",  # over the utterance, whatever came before it
            compallsen=True,  # or scores would be relative to the sounds of these words alone
        )
        decoder.add_allphone_file(_FREE)
        return decoder

    @cached_property
    def _pruning(self) -> Any:
        """The decoder for long stretches, which gives up ways that are very unlikely."""
        decoder = self._make_decoder(_WIDE)
        for name, ways in self._ways.items():
            _add_ways(decoder, name, ways)
        return decoder

    @property
    def confidence(self) -> float | None:
        """How sure it is, from 0 to 1, that the words of this thread's last call are those of the sound."""
        return getattr(self._last, "confidence", None)

    @property
    def uncovered(self) -> tuple[float, float] | None:
        """The seconds of speech in which this thread's last call found no word, and of all speech."""
        return getattr(self._last, "uncovered", None)

    @property
    def part_confidences(self) -> list[float | None]:
        """How sure it is of each part of this thread's last call; None of one without words."""
        return getattr(self._last, "part_confidences", [])

    def align(
        self, samples: Any, rate: int, words: Sequence[str], *, parts: Sequence[int] | None = None
    ) -> list[TimedWord]:
        """Say where each word is, in steps of 10 ms.

        Args:
            samples: The sound.
            rate: The number of samples a second.
            words: What is said, in its order.
            parts: The number of words of each tree. How sure it is of each is in `part_confidences` then, and
                whoever asks decides which of them are refused.

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
            found = self._align(data, forms, self._decoder if seconds <= LONG else self._pruning)
            if found is None:
                raise AlignmentError(
                    f"pocketsphinx finds no way in which {count(len(forms), 'word')} could be said in these "
                    f"{seconds:.2f} s; are they those of another recording or stretch, or is it cut "
                    "too short?"
                )
            self._judge(data, forms, found, parts)
        spoken = (segment for segment in found if not segment.is_filler)
        return [
            TimedWord(word, _seconds(at.first, seconds), _seconds(at.last, seconds))
            for word, at in zip(words, spoken, strict=True)
        ]

    def _judge(
        self, data: bytes, forms: Sequence[str], found: Sequence[Segment], parts: Sequence[int] | None
    ) -> None:
        """Find out how sure the words are, and refuse them if it is not enough."""
        free = self._free(data)
        span = self._span(data, forms, found, free)
        gaps = running_gap(found, free)
        confidence = confidence_of(relative_fit(gaps[-1] / max(len(gaps) - 1, 1), span))
        self._last.confidence = confidence
        lost, speech = uncovered_frames(found, free, RATE / _FRAME)
        self._last.uncovered = lost * _FRAME / RATE, speech * _FRAME / RATE
        self._last.part_confidences = []
        if parts is not None and sum(count > 0 for count in parts) > 1:
            spoken = [segment for segment in found if not segment.is_filler]
            at = 0
            for n_words in parts:
                own = spoken[at : at + n_words]
                at += n_words
                self._last.part_confidences.append(_part_confidence(own, gaps, span) if own else None)
            return
        if parts is not None:
            self._last.part_confidences = [confidence if n_words else None for n_words in parts]
        if confidence < self.min_confidence:
            raise AlignmentError(
                f"the words do not fit the sound (confidence {confidence:.2f}, from min_confidence="
                f"{self.min_confidence:g} on they count as a match); are they those of another recording or "
                "stretch, of another speaker, or in another order? If not, min_confidence=0 takes them",
                confidence,
            )

    def _free(self, data: bytes) -> list[Segment]:
        """Return the sounds that are decoded freely."""
        self._decoder.activate_search(_FREE)
        return self._decode(self._decoder, data)

    def _span(
        self, data: bytes, forms: Sequence[str], found: Sequence[Segment], free: Sequence[Segment]
    ) -> float:
        """Return by how much free sounds fit better than wrong words, in a long stretch in its middle."""
        if len(data) > 2 * _COMPARED * RATE:
            n_frames = round(_COMPARED * RATE / _FRAME)
            first = (found[-1].last - n_frames) // 2
            spoken = [segment for segment in found if not segment.is_filler]
            inner = [n for n, one in enumerate(spoken) if first <= one.first and one.last <= first + n_frames]
            if inner:
                forms = forms[inner[0] : inner[-1] + 1]
                begin, end = spoken[inner[0]].first, spoken[inner[-1]].last
                data = data[2 * begin * _FRAME : 2 * end * _FRAME]
                free = self._free(data)
        lists = wrong_words(forms, self._n_sounds, self._words_by_sounds)
        wrong = self._align_best(data, lists)
        # Where no wrong words can be said in that time, nothing speaks for the right ones, either.
        return 0.0 if wrong is None else _fit(free) - _fit(wrong)

    def _align(self, data: bytes, forms: Sequence[str], decoder: Any) -> list[Segment] | None:
        """Return the words where they are, and silences between them, or None if they cannot be there."""
        decoder.set_align_text(" ".join(forms))
        found = self._decode(decoder, data)
        return found if _said(found) == list(forms) else None

    def _align_best(self, data: bytes, lists: Sequence[Sequence[str]]) -> list[Segment] | None:
        """The same of that list of words which fits best.

        One search looks for all of them: most of the time goes into scores of the sound, which they share.
        """
        end = 1 + sum(len(forms) - 1 for forms in lists)  # 0 is the start; in between each has its own states
        state = 1
        steps = []
        for forms in lists:
            inner = range(state, state + len(forms) - 1)
            state = inner.stop
            ways = zip((0, *inner), (*inner, end), forms, strict=True)
            steps += [(at, to, 1.0, form) for at, to, form in ways]
        self._decoder.add_fsg(_WRONG, self._decoder.create_fsg(_WRONG, 0, end, steps))
        self._decoder.activate_search(_WRONG)
        found = self._decode(self._decoder, data)
        return found if _said(found) in lists else None

    def _decode(self, decoder: Any, data: bytes) -> list[Segment]:
        """Return what the active search of a decoder finds; nothing if it comes to no end."""
        decoder.reinit_feat()  # forgets the noise of the recording before
        decoder.start_utt()
        try:
            decoder.process_raw(data, full_utt=True)
        finally:
            decoder.end_utt()
        tiny = 1e-300  # what no word of usual length gets
        return [
            Segment(
                one.word,
                one.start_frame,
                one.end_frame + 1,  # the last frame belongs to it
                _SCORE_SCALE * math.log(max(one.ascore, tiny)),
                one.word.startswith(_FILLERS),
            )
            for one in (() if decoder.hyp() is None else decoder.seg())
        ]

    def _n_sounds(self, form: str) -> int:
        return len(self._decoder.lookup_word(form).split())

    @cached_property
    def _words_by_sounds(self) -> dict[int, list[str]]:
        """The plain words of the dictionary by the number of their sounds."""
        found: dict[int, list[str]] = {}
        with open(os.fspath(self._decoder.config["dict"]), encoding="utf-8") as file:
            for line in file:
                word, *sounds = line.split()
                if re.fullmatch("[a-z]+", word):
                    found.setdefault(len(sounds), []).append(word)
        return found

    def _form(self, word: str) -> str:
        """The name of a word in the decoder's dictionary, to which it is added where needed."""
        if word not in self._forms:
            lookup = self._decoder.lookup_word
            self._forms[word] = find(word, lookup) or self._add(word, guess(word, lookup))
        return self._forms[word]

    def _add(self, word: str, ways: Sequence[str]) -> str:
        """Adds a word with its guessed sounds under a name that no written word has."""
        name = "~" + "~".join(ways).replace(" ", "_")
        if name not in self._ways:
            self._ways[name] = ways
            _add_ways(self._decoder, name, ways)
            if "_pruning" in vars(self):
                _add_ways(self._pruning, name, ways)
        self.guesses[word] = ways[0]
        return name


def make_lenient() -> SphinxAligner:
    """An aligner that takes all words that can be aligned, however badly they fit."""
    return SphinxAligner(min_confidence=0.0)


def _add_ways(decoder: Any, name: str, ways: Sequence[str]) -> None:
    """Add a word to the dictionary of a decoder, with all ways to say it."""
    for number, sounds in enumerate(ways, 1):
        decoder.add_word(name if number == 1 else f"{name}({number})", sounds, update=False)


def _part_confidence(words: Sequence[Segment], gaps: Sequence[float], span: float) -> float:
    """Return how sure some words are, from all frames between the first and the last of them."""
    first, last = words[0].first, min(words[-1].last, len(gaps) - 1)
    gap = (gaps[last] - gaps[first]) / max(last - first, 1)
    return confidence_of(relative_fit(gap, span), PART_MIDDLE, PART_WIDTH)


def _said(found: Sequence[Segment]) -> list[str]:
    """The words without numbers of their pronunciations."""
    return [segment.name.partition("(")[0] for segment in found if not segment.is_filler]


def _seconds(frame: int, end: float) -> float:
    """Where a frame starts, in sound that ends there."""
    return min((frame * _FRAME + _MIDDLE) / RATE, end)


def _as_16_bits(samples: Any) -> bytes:
    """The samples as little-endian whole numbers; sound beyond full scale is made softer as a whole."""
    numpy = need("numpy", "speech", "forced alignment")
    peak = float(abs(samples).max())
    if peak == 0.0:
        raise AlignmentError("the sound is nothing but digital silence")
    scaled = samples * (32767.0 / max(peak, 1.0))
    return bytes(numpy.rint(scaled).astype("<i2").tobytes())
