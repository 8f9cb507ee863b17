"""Forced alignment with pocketsphinx and the model of American English that comes with it, offline.

The confidence that words are those of a recording is where their fit lies between those of wrong words and of
free sounds. Three fits are compared, each the log likelihood of frames:

- that of the words, in their forced alignment;
- that of sounds in any order, which are decoded freely: about the fit that the right words should reach;
- that of wrong words, the best of several lists: the same words in other orders, and where there are few,
  other words of a dictionary with the same number of sounds.

The *relative fit* of words is 0 if they fit as the best wrong words do and 1 if they fit as free sounds do.
Noise, narrow bands and unusual voices worsen all three fits, so that they change it little. Each tree of
several is compared in the sound where it was found, as if that had been marked. The confidence is a logistic
function of the relative fit, whose middle and width were fitted to clips with right and wrong words: see
docs/speech.md.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, groupby, islice, pairwise
from random import Random
from threading import Lock
from typing import Any, NamedTuple

from ...optional import need
from ...wording import count
from .aligner import AlignedWords, AlignmentError
from .audio import RATE
from .pronunciation import find, guess

MIDDLE = 0.16  # the relative fit at which words are as likely right as wrong
WIDTH = 0.04  # by how much more they are e times as likely right

N_WRONG = 6  # lists of wrong words
LONG = 60.0  # seconds; in longer sound unlikely ways are given up
_COMPARED = 20.0  # seconds; of words that take longer, those in the middle are compared
_FEW = 5  # words
_LEAST_SPAN = 0.5  # nats a frame: if free sounds fit no better than wrong words by that, nothing is known
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
        """Return the number of frames."""
        return self.last - self.first

    @property
    def form(self) -> str:
        """Return the word without the number of its pronunciation."""
        return self.name.partition("(")[0]

    def moved(self, frames: int) -> Segment:
        """Return the segment that much later."""
        return self._replace(first=self.first + frames, last=self.last + frames)


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
    """Return lists of wrong words, which are the same for the same words.

    They are the words in other orders. If there are fewer than `_FEW` words, too many orders are nearly
    right, and half of the lists have other words of the dictionary in the place of each.

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
    """Return the number of frames of speech in long gaps between words, and of all frames of speech.

    Speech is where sounds other than silence and noise are decoded freely, of usual length.

    Args:
        words: The words in their order.
        free: The sounds that are decoded freely.
        rate: The number of frames a second.
    """
    speech = [
        (segment.first, segment.last)
        for segment in free
        if not segment.is_filler and segment.length <= _LONGEST_SOUND * rate
    ]
    edges = [0, *(edge for word in words for edge in (word.first, word.last)), free[-1].last if free else 0]
    gaps = [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    long = [(start, end) for start, end in gaps if end - start >= _LONG_GAP * rate]
    lost = sum(max(0, min(last, end) - max(first, start)) for first, last in speech for start, end in long)
    return lost, sum(last - first for first, last in speech)


def _fit(segments: Sequence[Segment]) -> float:
    """Return the fit in nats a frame."""
    return sum(segment.score for segment in segments) / max(sum(segment.length for segment in segments), 1)


_FRAME = 160  # samples
_MARGIN = 5  # frames before and after the words of a tree that are compared with them
_MIDDLE = 125  # samples by which the middle of a window of 410 lies after that of its frame
_SHORTEST = 0.1  # seconds
_LONGEST = 1800.0  # seconds: takes about a gigabyte
_SCORE_SCALE = 1024  # scores of the decoder are log likelihoods divided by this
_FILLERS = ("<", "[", "+", "SIL")  # how the names of silences and noises begin
_FREE = "free sounds"  # name of the search for sounds in any order
_WRONG = "wrong words"  # that of the search for the best of several lists
_SOME = "some parts"  # that of the search for the parts that are said
_SKIPPED = "(NULL)"  # written by the decoder for a part that is skipped
_SKIPPING = 1e-12  # the probability of skipping one
# Of the three beams. With the default, one in five right transcripts found no alignment; with 0 all ways are
# kept, so that partly wrong words are found, too, in memory that grows with the square of the stretch.
_ALL_WAYS, _WIDE = 0.0, 1e-300


class SphinxAligner:
    """Finds English words in sound.

    Words that the dictionary of the model lacks are guessed from their letters. It may be used from several
    threads; one at a time is served. The attributes are as in `Aligner`.
    """

    judges_parts = True
    min_confidence = 0.03  # that of a stretch with a relative fit of 0.02
    suspect_confidence = 0.5

    def __init__(self) -> None:
        """Load the model, which takes a fraction of a second."""
        self._sphinx = need("pocketsphinx", "speech", "forced alignment")
        self._decoder = self._make_decoder(_ALL_WAYS)
        self._ways: dict[str, Sequence[str]] = {}  # pronunciations of words that were added to the dictionary
        self._forms: dict[str, str] = {}  # of each word in the decoder's dictionary
        self._guesses: dict[str, str] = {}  # of each word that is not in it, in ARPAbet
        self._lock = Lock()

    def _make_decoder(self, beam: float) -> Any:
        decoder = self._sphinx.Decoder(
            lm=None,
            samprate=RATE,
            loglevel="FATAL",
            bestpath=False,  # it would leave out words
            beam=beam,
            wbeam=beam,
            pbeam=beam,
            cmn="batch",  # over the utterance alone
            compallsen=True,  # or scores would be relative to the sounds of these words alone
        )
        decoder.add_allphone_file(_FREE)
        return decoder

    @cached_property
    def _pruning(self) -> Any:
        """Return the decoder for long stretches, which gives up ways that are very unlikely."""
        decoder = self._make_decoder(_WIDE)
        for name, ways in self._ways.items():
            _add_ways(decoder, name, ways)
        return decoder

    def align(
        self, samples: Any, rate: int, words: Sequence[str], *, parts: Sequence[int] | None = None
    ) -> AlignedWords:
        """Find each word, in steps of 10 ms.

        In long sound with several parts, those that are not found there are skipped: their words have no
        times, and their confidence is 0.

        Args:
            samples: The sound.
            rate: The number of samples a second.
            words: All words of the stretch, in order.
            parts: The number of words of each tree; each tree gets a confidence.

        Raises:
            AlignmentError: If the words cannot be found in the sound.
            ValueError: If a word cannot be pronounced in English.
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
            return AlignedWords([])
        data = _as_16_bits(samples)
        ends = list(accumulate([len(words)] if parts is None else parts, initial=0))
        with self._lock:
            forms = [self._form(word) for word in words]
            guesses = {word: self._guesses[word] for word in words if word in self._guesses}
            in_parts = [forms[at:end] for at, end in pairwise(ends)]
            sure: list[float | None]
            if sum(map(bool, in_parts)) == 1 and seconds <= _COMPARED:
                segments = self._align(data, forms, self._decoder)
                spoken = [segment for segment in segments if not segment.is_filler]
                found = [spoken if own else [] for own in in_parts]
                free = self._free(data)
                sure = [self._confidence(data, forms, segments, free) if own else None for own in in_parts]
            else:
                found = self._find(data, in_parts)
                free = self._free(data)
                sure = [
                    (self._judge(data, segments) if segments else 0.0) if own else None
                    for own, segments in zip(in_parts, found, strict=True)
                ]
        if not any(found):
            raise AlignmentError(
                f"pocketsphinx finds no way in which {count(len(forms), 'word')} could be said in these "
                f"{seconds:.2f} s; are they those of another recording or stretch, or is it cut too short?"
            )
        timed: list[tuple[str, float | None, float | None]] = []
        for (at, end), own in zip(pairwise(ends), found, strict=True):
            times = [(_seconds(one.first, seconds), _seconds(one.last, seconds)) for one in own]
            unknown = [(None, None)] * (end - at)
            timed += [(word, *time) for word, time in zip(words[at:end], times or unknown, strict=True)]
        spoken = [segment for own in found for segment in own]
        lost, speech = (n * _FRAME / RATE for n in uncovered_frames(spoken, free, RATE / _FRAME))
        known = [one for one in sure if one is not None]
        confidence = known[0] if len(known) == 1 else None
        return AlignedWords(timed, confidence, [] if parts is None else sure, (lost, speech), guesses)

    # ---- where words are -------------------------------------------------------------------------

    def _find(self, data: bytes, parts: Sequence[Sequence[str]]) -> list[list[Segment]]:
        """Return the words of each part where they are; none of a part that is not there."""
        forms = [form for own in parts for form in own]
        is_long = len(data) > 2 * LONG * RATE
        if is_long and sum(map(bool, parts)) > 1:
            return self._find_again(data, parts, self._find_some(data, parts))
        segments = self._align(data, forms, self._pruning if is_long else self._decoder)
        words = [segment for segment in segments if not segment.is_filler]
        ends = accumulate(map(len, parts), initial=0)
        return [words[at:end] for at, end in pairwise(ends)]

    def _find_some(self, data: bytes, parts: Sequence[Sequence[str]]) -> list[list[Segment]]:
        """Return the words of those parts that are easily found; the search may skip each of them.

        Otherwise a search that gives up unlikely paths would fail where a part is not said.
        """
        n_states = len(parts) + 1  # before, between and after parts; further ones are within a part
        steps: list[tuple[int, int, float] | tuple[int, int, float, str]] = []
        for number, forms in enumerate(parts):
            inner = range(n_states, n_states + max(len(forms) - 1, 0))
            n_states = inner.stop
            ways = zip((number, *inner), (*inner, number + 1), forms, strict=False)
            steps += [(at, to, 1.0, form) for at, to, form in ways]
            steps.append((number, number + 1, _SKIPPING))
        decoder = self._pruning
        decoder.add_fsg(_SOME, decoder.create_fsg(_SOME, 0, len(parts), steps))
        decoder.activate_search(_SOME)
        words = [segment for segment in self._decode(decoder, data) if not segment.is_filler]
        places = _places(parts, [word.form for word in words])
        return [
            [] if place is None else words[place : place + len(own)]
            for own, place in zip(parts, places, strict=True)
        ]

    def _find_again(
        self, data: bytes, parts: Sequence[Sequence[str]], found: Sequence[list[Segment]]
    ) -> list[list[Segment]]:
        """Look for the words of parts that were skipped between those that were found."""
        again = list(found)
        for is_found, group in groupby(range(len(parts)), key=lambda number: bool(found[number])):
            run = list(group)
            forms = [form for number in run for form in parts[number]]
            if is_found or not forms:
                continue
            start = next((found[number][-1].last for number in range(run[0] - 1, -1, -1) if found[number]), 0)
            following = range(run[-1] + 1, len(parts))
            end = next(
                (found[number][0].first for number in following if found[number]), len(data) // 2 // _FRAME
            )
            if not _SHORTEST * RATE <= (end - start) * _FRAME <= LONG * RATE:
                continue
            segments = self._align(data[2 * start * _FRAME : 2 * end * _FRAME], forms, self._decoder)
            spoken = iter([segment.moved(start) for segment in segments if not segment.is_filler])
            if segments:
                for number in run:
                    again[number] = list(islice(spoken, len(parts[number])))
        return again

    def _align(self, data: bytes, forms: Sequence[str], decoder: Any) -> list[Segment]:
        """Return the words where they are, and silences between them; nothing if they cannot be there."""
        decoder.set_align_text(" ".join(forms))
        found = self._decode(decoder, data)
        return found if _said(found) == list(forms) else []

    def _free(self, data: bytes) -> list[Segment]:
        """Return the sounds that are decoded freely."""
        self._decoder.activate_search(_FREE)
        return self._decode(self._decoder, data)

    # ---- how sure that is ------------------------------------------------------------------------

    def _judge(self, data: bytes, words: Sequence[Segment]) -> float:
        """Return the confidence of words in the sound in which they were found; of many, in its middle."""
        longest = round(_COMPARED * RATE / _FRAME)
        first = (words[0].first + words[-1].last - longest) // 2
        inner = [one for one in words if first <= one.first and one.last <= first + longest]
        words = words if words[-1].last - words[0].first <= longest else inner or words[:1]
        start, end = max(words[0].first - _MARGIN, 0), words[-1].last + _MARGIN
        data = data[2 * start * _FRAME : 2 * end * _FRAME]
        forms = [word.form for word in words]
        return self._confidence(data, forms, self._align(data, forms, self._decoder), self._free(data))

    def _confidence(
        self, data: bytes, forms: Sequence[str], found: Sequence[Segment], free: Sequence[Segment]
    ) -> float:
        """Return the confidence that some words, which are aligned, are those of the sound."""
        if not found:
            return 0.0
        wrong = self._align_best(data, wrong_words(forms, self._n_sounds, self._words_by_sounds))
        # If no wrong words fit into that time, there is no evidence for the right ones, either.
        span = _fit(free) - _fit(wrong) if wrong else 0.0
        return confidence_of(relative_fit(_fit(free) - _fit(found), span))

    def _align_best(self, data: bytes, lists: Sequence[Sequence[str]]) -> list[Segment]:
        """Return the same of that list of words which fits best.

        One search looks for all of them, because they share the scores of the sound, which take most of the
        time.
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
        return found if _said(found) in lists else []

    def _decode(self, decoder: Any, data: bytes) -> list[Segment]:
        """Return the words found by the active search of a decoder; none if the search finds no end."""
        decoder.reinit_feat()  # forgets the noise of the recording before
        decoder.start_utt()
        try:
            decoder.process_raw(data, full_utt=True)
        finally:
            decoder.end_utt()
        tiny = 1e-300  # below the likelihood of any word of usual length
        return [
            Segment(
                one.word,
                one.start_frame,
                one.end_frame + 1,  # the last frame belongs to it
                _SCORE_SCALE * math.log(max(one.ascore, tiny)),
                one.word.startswith(_FILLERS),
            )
            for one in (() if decoder.hyp() is None else decoder.seg())
            if one.word != _SKIPPED
        ]

    def _n_sounds(self, form: str) -> int:
        return len(self._decoder.lookup_word(form).split())

    @cached_property
    def _words_by_sounds(self) -> dict[int, list[str]]:
        """Return the words of the dictionary that have only ASCII letters, by the number of their sounds."""
        found: dict[int, list[str]] = {}
        with open(os.fspath(self._decoder.config["dict"]), encoding="utf-8") as file:
            for line in file:
                word, *sounds = line.split()
                if re.fullmatch("[a-z]+", word):
                    found.setdefault(len(sounds), []).append(word)
        return found

    def _form(self, word: str) -> str:
        """Return the name of a word in the decoder's dictionary, to which it is added where needed."""
        if word not in self._forms:
            lookup = self._decoder.lookup_word
            self._forms[word] = find(word, lookup) or self._add(word, guess(word, lookup))
        return self._forms[word]

    def _add(self, word: str, ways: Sequence[str]) -> str:
        """Add a word with its guessed sounds, under a name that no written word has."""
        name = "~" + "~".join(ways).replace(" ", "_")
        if name not in self._ways:
            self._ways[name] = ways
            _add_ways(self._decoder, name, ways)
            if "_pruning" in vars(self):
                _add_ways(self._pruning, name, ways)
        self._guesses[word] = ways[0]
        return name


def _add_ways(decoder: Any, name: str, ways: Sequence[str]) -> None:
    """Add a word to the dictionary of a decoder, with all ways to say it."""
    for number, sounds in enumerate(ways, 1):
        decoder.add_word(name if number == 1 else f"{name}({number})", sounds, update=False)


def _said(found: Sequence[Segment]) -> list[str]:
    """Return the words without silences."""
    return [segment.form for segment in found if not segment.is_filler]


def _places(parts: Sequence[Sequence[str]], said: Sequence[str]) -> list[int | None]:
    """Return where each part begins in words that are some of the parts; None for the others.

    >>> _places([["we", "go"], ["yes"], ["no"]], ["we", "go", "no"])
    [0, None, 2]
    """
    reached = [{0}]  # how many of the words may be those of the first parts
    for own in parts:
        ends = {at + len(own) for at in reached[-1] if said[at : at + len(own)] == list(own)}
        reached.append(reached[-1] | ends)
    at = len(said) if len(said) in reached[-1] else 0  # else the search found no end
    places: list[int | None] = []
    for own, before in zip(reversed(parts), reversed(reached[:-1]), strict=True):
        is_there = bool(own) and at - len(own) in before and said[at - len(own) : at] == list(own)
        at -= len(own) if is_there else 0
        places.append(at if is_there else None)
    return places[::-1]


def _seconds(frame: int, end: float) -> float:
    """Return where a frame starts, in sound that ends there."""
    return min((frame * _FRAME + _MIDDLE) / RATE, end)


def _as_16_bits(samples: Any) -> bytes:
    """Return the samples as little-endian whole numbers, scaled down if some are beyond full scale."""
    numpy = need("numpy", "speech", "forced alignment")
    peak = float(abs(samples).max())
    if peak == 0.0:
        raise AlignmentError("the sound is nothing but digital silence")
    scaled = samples * (32767.0 / max(peak, 1.0))
    return bytes(numpy.rint(scaled).astype("<i2").tobytes())
