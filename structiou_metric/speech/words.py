"""Words with the times at which they were said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..wording import count

# All marks that may be for an apostrophe, for `str.translate`; some count as letters in Unicode.
APOSTROPHES = str.maketrans(
    dict.fromkeys("\u2019\u2018\u201b\u02bc\u02bb\u02bd\u02b9\u00b4\u0060\u2032\uff07\u05f3", "'")
)


class TimedWord(NamedTuple):
    """A word of a recording.

    >>> word = TimedWord("yes", 0.5, 0.75)
    >>> word.end - word.start, word.estimated
    (0.25, False)

    Attributes:
        text: The text as the transcript writes it, without white space.
        start: Where the word starts, in seconds.
        end: Where the word ends.
        estimated: Whether the times were interpolated because the source had none.
    """

    text: str
    start: float
    end: float
    estimated: bool = False


class Transcript(NamedTuple):
    """The words of one recording in their order, silences left out.

    >>> words = [TimedWord("so", 0.5, 0.75), TimedWord("yes", 0.75, 1.0, estimated=True)]
    >>> transcript = Transcript(words, "a.ctm")
    >>> len(transcript.words), transcript.n_estimated
    (2, 1)

    Attributes:
        words: The words, which do not overlap.
        title: The source of the words, for errors: a file, perhaps with a tier or speaker.
        n_silences: The number of marks of silence that were left out.
        n_fillers: The number of words that were left out as fillers, where that was asked for.
        n_marks: The number of marks of punctuation and traces that were left out where the source marks them
            as such.
        n_moved: The number of boundaries that were moved because two words overlapped within the tolerance.
        n_alternatives: The number of other readings that were left out, where the source gives several.
        n_clipped: The number of words that end earlier than the source says, where the next one starts.
    """

    words: Sequence[TimedWord]
    title: str = "words"
    n_silences: int = 0
    n_fillers: int = 0
    n_marks: int = 0
    n_moved: int = 0
    n_alternatives: int = 0
    n_clipped: int = 0

    @property
    def n_estimated(self) -> int:
        """Return the number of words whose times were interpolated."""
        return sum(word.estimated for word in self.words)

    def summary(self) -> str:
        """Return a summary in one line of the words read, left out and changed.

        >>> Transcript([TimedWord("so", 0.5, 0.75)], "a.ctm", n_silences=2).summary()
        'a.ctm: 1 word; left out: 2 silences'
        """
        left_out = (
            (self.n_silences, "silence", ""),
            (self.n_fillers, "filler", ""),
            (self.n_marks, "mark", " without sound"),
            (self.n_alternatives, "alternative", ""),
        )
        texts = [count(number, noun) + rest for number, noun, rest in left_out if number]
        parts = [f"{self.title}: {count(len(self.words), 'word')}"]
        if self.n_estimated:
            parts.append(f"times estimated: {self.n_estimated}")
        if self.n_moved:
            parts.append(f"boundaries moved: {self.n_moved}")
        if self.n_clipped:
            parts.append(f"overlaps clipped: {self.n_clipped}")
        if texts:
            parts.append("left out: " + ", ".join(texts))
        return "; ".join(parts)
