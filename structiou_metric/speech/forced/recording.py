"""Forced alignment: the times of a transcript's words in a recording."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...wording import count
from ..words import Transcript
from .aligner import AlignedWords, Aligner, AlignmentError, check_alignment, load_aligner
from .audio import RATE, SoundFile

MAX_UNCOVERED = 0.1  # share of the speech; if there are no words for more, the report warns

_SHOWN = 12  # words in an error or a summary


def align_audio(
    words: Sequence[str],
    path: str | os.PathLike[str],
    *,
    start: float = 0.0,
    end: float | None = None,
    channel: int | None = None,
    aligner: str | Aligner = "pocketsphinx",
    model: str | None = None,
    min_confidence: float | None = None,
) -> Transcript:
    """Find words in a recording; needs the extra `speech`.

    For example, `align_audio("we all run".split(), "talk.wav", start=12.5, end=14.0).words`.

    >>> import os, tempfile, wave
    >>> class Evenly:  # in place of a model
    ...     def align(self, samples, rate, words):
    ...         step = len(samples) / rate / len(words)
    ...         return [(word, i * step, (i + 1) * step) for i, word in enumerate(words)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "talk.wav")
    ...     with wave.open(path, "wb") as sound:
    ...         sound.setparams((1, 2, 16_000, 0, "NONE", ""))
    ...         sound.writeframes(bytes(64_000))
    ...     transcript = align_audio(["we", "run"], path, start=1.0, aligner=Evenly())
    >>> [(word.text, word.start, word.end) for word in transcript.words]
    [('we', 1.0, 1.5), ('run', 1.5, 2.0)]

    Args:
        words: All words of the stretch, in order; punctuation and case make no difference.
            `spoken_words(tree)` gives them for a tree.
        path: The file: wav or SPHERE of any rate, 8 to 32 bits or floating point, mu-law or A-law; FLAC, MP3,
            Ogg or AIFF.
        start: Where the stretch starts, in seconds.
        end: Where the stretch ends; by default where the file does.
        channel: The channel, from 1; by default the mean of all.
        aligner: A name in `ALIGNERS`, `module:name` of your own, or an object; see `Aligner`. Those given
            by name are made once and kept.
        model: The folder of a model, for an aligner that needs one.
        min_confidence: The confidence from 0 to 1 below which words are refused; by default the aligner's
            own. 0 refuses none.

    Raises:
        AlignmentError: If the words could not be found there.
        ValueError: If the file cannot be read, or a word cannot be pronounced.
    """
    found = ForcedAligner(path, aligner=aligner, channel=channel, model=model, min_confidence=min_confidence)
    return found.align(words, start, end)


class ForcedAligner:
    """Find the words of many stretches of a recording, which it reads one at a time.

    It is for one thread; several threads may share an aligner.

    Attributes:
        file: The recording that is open.
        aligner: The aligner, which does the work.
        min_confidence: The confidence below which words are refused.
        suspect_confidence: The confidence below which there is a warning.
        reads_digits: Whether the aligner takes English numbers in digits.
        n_stretches: The number of stretches that were aligned.
        n_words: The number of words that were found.
        guesses: The words whose pronunciation was guessed, with the guess.
        confidence: The confidence, from 0 to 1, that the words of the last stretch, also of one that was
            refused, are those said there; None if it is not known.
        part_confidences: The confidence of each part of the last stretch, if the aligner judges parts.
        least_confidence: The least confidence of a stretch that was aligned, or of a part of it, and the
            start and the end of the stretch.
        uncovered: The seconds of speech in which no word was found, and of all speech, in all stretches that
            were aligned; None if they are not known.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        aligner: str | Aligner = "pocketsphinx",
        channel: int | None = None,
        model: str | None = None,
        min_confidence: float | None = None,
    ) -> None:
        """Open the file and make the aligner; the arguments are those of `align_audio`."""
        if min_confidence is not None and not 0.0 <= min_confidence <= 1.0:
            raise ValueError(f"min_confidence must be from 0 to 1, not {min_confidence!r}")
        self.file = SoundFile(path)
        self.aligner = load_aligner(aligner, model=model)
        own = getattr(self.aligner, "min_confidence", 0.0)
        self.min_confidence: float = own if min_confidence is None else min_confidence
        self.suspect_confidence: float = getattr(self.aligner, "suspect_confidence", 0.0)
        self.reads_digits: bool = getattr(self.aligner, "reads_digits", True)
        self.n_stretches = 0
        self.n_words = 0
        self.guesses: dict[str, str] = {}
        self.confidence: float | None = None
        self.part_confidences: Sequence[float | None] = ()
        self.least_confidence: tuple[float, float, float] | None = None
        self.uncovered: tuple[float, float] | None = None
        self._channel = channel

    def align(
        self,
        words: Sequence[str],
        start: float = 0.0,
        end: float | None = None,
        *,
        parts: Sequence[int] | None = None,
    ) -> Transcript:
        """Find words in a stretch; see `align_audio`.

        Args:
            words: All words of the stretch.
            start: Where the stretch starts, in seconds.
            end: Where the stretch ends.
            parts: The number of words of each tree, for an aligner that judges these one by one. Nothing is
                refused then: the caller decides about each tree by its confidence.
        """
        self.confidence, self.part_confidences = None, ()
        words = _checked_words(words)
        start, end = self.file.bounds(start, end)
        title = f"{self.file.path}, {start:.2f} to {end:.2f} s"
        if not words:
            return Transcript([], title)
        samples = self.file.read(start, end, channel=self._channel)
        try:
            judged = {"parts": parts} if parts and getattr(self.aligner, "judges_parts", False) else {}
            answer = self.aligner.align(samples, RATE, words, **judged)
            found = answer if isinstance(answer, AlignedWords) else AlignedWords(answer)
            timed = check_alignment(found.words, words, len(samples) / RATE)
            self.confidence, self.part_confidences = found.confidence, found.part_confidences
            if parts is None and found.confidence is not None and found.confidence < self.min_confidence:
                raise AlignmentError(f"the words {misfit(found.confidence, self.min_confidence)}")
        except AlignmentError as error:
            self.confidence = self.confidence if error.confidence is None else error.confidence
            raise AlignmentError(f"{title}, '{_listed(words)}': {error}", self.confidence) from None
        except ValueError as error:
            raise ValueError(f"{title}: {error}") from error
        self._add_up(found, len(words), start, end)
        in_file = [  # to a tenth of a millisecond
            word._replace(start=round(start + word.start, 4), end=round(min(start + word.end, end), 4))
            for word in timed
        ]
        return Transcript(in_file, title)

    def _add_up(self, found: AlignedWords, n_words: int, start: float, end: float) -> None:
        """Add a stretch to the figures of all."""
        self.n_stretches += 1
        self.n_words += n_words
        self.guesses.update(found.guesses)
        known = [one for one in found.part_confidences or [found.confidence] if one is not None]
        if known:
            here = min(known), start, end
            self.least_confidence = min(here, self.least_confidence or here)
        if found.uncovered is not None:
            lost, speech = self.uncovered or (0.0, 0.0)
            self.uncovered = lost + found.uncovered[0], speech + found.uncovered[1]

    def summary(self) -> str:
        """Return the aligned words and the guessed pronunciations in one line."""
        parts = [
            f"{self.file.path}: {count(self.n_words, 'word')} found by forced alignment, "
            f"{count(self.n_stretches, 'piece')}"
        ]
        if self.guesses:
            words = sorted(self.guesses)
            parts.append(f"pronunciation guessed of {count(len(words), 'word')}: {_listed(words, ', ')}")
        if self.least_confidence is not None:
            confidence, start, end = self.least_confidence
            parts.append(f"confidence at least {confidence:.2f}, at {start:.2f} to {end:.2f} s")
        return "; ".join(parts)

    @property
    def warning(self) -> str:
        """Return the warning about speech without words in all aligned stretches, or an empty text."""
        lost, speech = self.uncovered or (0.0, 0.0)
        if lost <= MAX_UNCOVERED * speech:
            return ""
        return (
            f"no words are given for {lost:.1f} of {speech:.1f} s of speech: is another speaker heard there, "
            "or are trees missing? Give all that is said, or time marks (--marks)"
        )


def misfit(confidence: float, least: float, where: str = "") -> str:
    """Return why words are refused, as the end of a sentence.

    Args:
        confidence: Their confidence.
        least: The confidence from which they would not be refused.
        where: The place where they were found.
    """
    return (
        f"do not fit the sound{where} (confidence {confidence:.2f}, from min_confidence={least:g} on they "
        "count as a match); are they those of another recording or stretch, of another speaker, or in "
        "another order? If not, min_confidence=0 takes them"
    )


def _checked_words(words: Sequence[str]) -> list[str]:
    """Return the words as a list, if each is a text without white space."""
    if isinstance(words, str):
        raise TypeError("words must be a sequence of words, not one text; split it")
    checked = list(words)
    for word in checked:
        if not isinstance(word, str):
            raise TypeError(f"a word must be a str, not {type(word).__name__}")
        if word.split() != [word]:
            raise ValueError(f"the word {word!r} is empty or has white space in it; give one word at a time")
    return checked


def _listed(words: Sequence[str], comma: str = " ") -> str:
    return comma.join([*words[:_SHOWN], *(["…"] if len(words) > _SHOWN else [])])
