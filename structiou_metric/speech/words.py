"""Words with the times at which they were said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class TimedWord(NamedTuple):
    """A word of a recording.

    Attributes:
        text: As the transcript writes it, without white space.
        start: Where it starts, in seconds.
        end: Where it ends.
        estimated: Whether the times were interpolated because the source had none.
    """

    text: str
    start: float
    end: float
    estimated: bool = False


class Transcript(NamedTuple):
    """The words of one recording in their order, silences left out.

    Attributes:
        words: They do not overlap.
        title: Where they come from, for errors: a file, perhaps with a tier or speaker.
        n_silences: Marks of silence that were left out.
        n_fillers: Words that were left out as fillers, where that was asked for.
    """

    words: Sequence[TimedWord]
    title: str = "words"
    n_silences: int = 0
    n_fillers: int = 0
