"""Forced alignment: where the words of a transcript are in a recording."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...wording import count
from ..words import Transcript
from .aligner import Aligner, AlignmentError, check_alignment, load_aligner
from .audio import open_sound
from .sound import RATE

_SHOWN = 12  # words in an error or a summary


def align_audio(
    words: Sequence[str],
    path: str | os.PathLike[str],
    *,
    start: float = 0.0,
    end: float | None = None,
    channel: int | None = None,
    aligner: str | Aligner = "pocketsphinx",
) -> Transcript:
    """Finds words in a recording. Needs the extra `speech`.

    For example, `align_audio("we all run".split(), "talk.wav", start=12.5, end=14.0).words`.

    Args:
        words: All that is said in the stretch, in its order; punctuation and case make no difference.
            `spoken_words(tree)` gives them for a tree.
        path: The file: wav or SPHERE of any rate, 8 to 32 bits or floating point, mu-law or A-law; FLAC, MP3,
            Ogg or AIFF.
        start: Where the stretch starts, in seconds.
        end: Where it ends; by default where the file does.
        channel: Which channel, from 1; by default the mean of all.
        aligner: A name in `ALIGNERS`, `module:name` of your own, or an object; see `Aligner`. Those given
            by name are made once and kept.

    Raises:
        AlignmentError: If the words could not be found there.
        ValueError: If the file cannot be read, or a word cannot be said.
    """
    return ForcedAligner(path, aligner=aligner, channel=channel).align(words, start, end)


class ForcedAligner:
    """Finds the words of many stretches of a recording, of which it reads one at a time.

    For one thread; several may share an aligner.

    Attributes:
        file: The file.
        aligner: What does the work.
        n_stretches: How many were aligned.
        n_words: Words that were found.
        guesses: Words whose pronunciation the aligner had to guess, and how.
        worst_misfit: How badly words of a stretch fitted at worst, and its start and end; None if the
            aligner does not tell.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        aligner: str | Aligner = "pocketsphinx",
        channel: int | None = None,
    ) -> None:
        """Opens the file and makes the aligner; the arguments are those of `align_audio`."""
        self.file = open_sound(path)
        self.aligner = load_aligner(aligner)
        self.n_stretches = 0
        self.n_words = 0
        self.guesses: dict[str, str] = {}
        self.worst_misfit: tuple[float, float, float] | None = None
        self._channel = channel

    def align(self, words: Sequence[str], start: float = 0.0, end: float | None = None) -> Transcript:
        """Finds words in a stretch; see `align_audio`."""
        words = _checked_words(words)
        start, end = self.file.bounds(start, end)
        title = f"{self.file.path}, {start:.2f} to {end:.2f} s"
        if not words:
            return Transcript([], title)
        samples = self.file.read(start, end, channel=self._channel)
        try:
            answer = self.aligner.align(samples, RATE, words)
            found = check_alignment(answer, words, len(samples) / RATE)
        except AlignmentError as error:
            raise AlignmentError(f"{title}, '{_listed(words)}': {error}") from None
        except ValueError as error:
            raise ValueError(f"{title}: {error}") from error
        self._note(words, start, end)
        in_file = [  # to a tenth of a millisecond
            word._replace(start=round(start + word.start, 4), end=round(min(start + word.end, end), 4))
            for word in found
        ]
        return Transcript(in_file, title)

    def _note(self, words: Sequence[str], start: float, end: float) -> None:
        """Keeps what the summary tells."""
        self.n_stretches += 1
        self.n_words += len(words)
        guesses = getattr(self.aligner, "guesses", {})
        self.guesses.update((word, guesses[word]) for word in words if word in guesses)
        misfit = getattr(self.aligner, "misfit", None)
        if misfit is not None and (self.worst_misfit is None or misfit > self.worst_misfit[0]):
            self.worst_misfit = misfit, start, end

    def summary(self) -> str:
        """What was aligned, and what was guessed, in one line."""
        parts = [
            f"{self.file.path}: {count(self.n_words, 'word')} found by forced alignment, "
            f"{count(self.n_stretches, 'piece')}"
        ]
        if self.guesses:
            words = sorted(self.guesses)
            parts.append(f"pronunciation guessed of {count(len(words), 'word')}: {_listed(words, ', ')}")
        if self.worst_misfit is not None:
            misfit, start, end = self.worst_misfit
            parts.append(f"misfit at most {misfit:.1f}, at {start:.2f} to {end:.2f} s")
        return "; ".join(parts)


def _checked_words(words: Sequence[str]) -> list[str]:
    """The words as a list of texts without white space."""
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
