"""How sure it is that words are those of a recording: their fit, between wrong words and free sounds.

Three fits of the same stretch are compared, each the log likelihood of all of its frames:

- that of the words, in their forced alignment;
- that of sounds in any order, which are decoded freely: about what the right words should reach;
- that of wrong words, on average: the same words in other orders, and where there are few, other words of a
  dictionary with as many sounds.

The *relative fit* of the words is 0 if they fit as wrong words do and 1 if they fit as free sounds do. Noise
and narrow bands worsen all three, so that they change it little. The confidence is a logistic function of it,
whose middle and width were fitted to clips with right and with wrong words: see docs/speech.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

MIDDLE = 0.27  # the relative fit at which words are as likely right as wrong
WIDTH = 0.05  # by how much more they are e times as likely right
MIN_CONFIDENCE = 0.07  # that of a relative fit of 0.14

N_WRONG = 6  # lists of wrong words
N_WRONG_LONG = 2  # the same, for long stretches, over which their fits differ little
LONG = 60.0  # seconds
_FEW = 5  # words
_LEAST_SPAN = 0.5  # nats a frame: if free sounds fit no better than wrong words by that, nothing can be told
_USUAL_SPAN = 4.0  # nats a frame, where wrong words cannot even be aligned
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


def relative_fit(
    words: Sequence[Segment], free: Sequence[Segment], wrong: Sequence[Sequence[Segment]]
) -> float:
    """Where the fit of the words is between those of wrong words, 0, and of free sounds, 1.

    Args:
        words: The forced alignment, silences included.
        free: The sounds that are decoded freely.
        wrong: Alignments of wrong words, of which there may be none.
    """
    own, best = _fit(words), _fit(free)
    worst = sum(map(_fit, wrong)) / len(wrong) if wrong else best - _USUAL_SPAN
    return (own - worst) / max(best - worst, _LEAST_SPAN)


def confidence_of(fit: float) -> float:
    """The confidence, from 0 to 1, of a relative fit.

    >>> confidence_of(MIDDLE), round(confidence_of(MIDDLE + WIDTH), 3)
    (0.5, 0.731)
    """
    return 1 / (1 + math.exp(min((MIDDLE - fit) / WIDTH, 700.0)))


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


def _fit(segments: Sequence[Segment]) -> float:
    """The fit in nats a frame."""
    return sum(segment.score for segment in segments) / max(sum(segment.length for segment in segments), 1)
