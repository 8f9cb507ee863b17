"""The best way of given words through the posteriors of a CTC model, found exactly.

CTC writes a token for one or more frames, and blanks between tokens, which are a must only between two that
are the same. Here a word is its tokens in that manner. Between words, and before and behind all of them,
there may be any number of *gap* frames, in which the model says either blank or its mark between words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...optional import need
from .aligner import AlignmentError

_MOST_CELLS = 600_000_000  # of the table of ways, a byte each


class TokenSpan(NamedTuple):
    """Where a token is."""

    first: int  # frame
    last: int  # one past the last frame
    score: float  # sum of its log probabilities


def find_tokens(
    log_probabilities: Any, words: Sequence[Sequence[int]], blank: int, delimiter: int | None = None
) -> list[list[TokenSpan]]:
    """The frames of each token of each word, on the best way through all frames.

    Args:
        log_probabilities: The log probability of each token in each frame: an array of frames by tokens.
        words: The tokens of each word, at least one each.
        blank: The token that says nothing.
        delimiter: The token between words, if the model has one.

    Raises:
        AlignmentError: There are fewer frames than the words need.
    """
    numpy = need("numpy", "ctc", "forced alignment with a CTC model")
    tokens = [token for word in words for token in word]
    n_frames, n_states = len(log_probabilities), 2 * len(tokens) + 1
    if n_frames * n_states > _MOST_CELLS:
        raise AlignmentError(
            f"{len(tokens)} letters in {n_frames} frames at once are too many; cut it by time marks"
        )
    scores = _emissions(log_probabilities, words, tokens, blank, delimiter, numpy)
    # A token may follow the one before it without a blank if it is another one.
    may_skip = numpy.zeros(n_states, bool)
    may_skip[3::2] = [one != other for one, other in pairwise(tokens)]
    best = numpy.full(n_states, -numpy.inf)
    best[:2] = scores[0, :2]
    steps = numpy.zeros((n_frames, n_states), numpy.int8)  # by how many states the best way went on
    for frame in range(1, n_frames):
        ways = numpy.full((3, n_states), -numpy.inf)
        ways[0] = best
        ways[1, 1:] = best[:-1]
        ways[2, 2:] = numpy.where(may_skip[2:], best[:-2], -numpy.inf)
        steps[frame] = ways.argmax(axis=0)
        best = ways.max(axis=0) + scores[frame]
    last = n_states - 1 if best[-1] >= best[-2] else n_states - 2
    if best[last] == -numpy.inf:
        raise AlignmentError(
            f"{len(tokens)} letters need more than {n_frames} frames; are they those of another recording or "
            "stretch, or is it cut too short?"
        )
    states = _way_back(steps, last)
    return _spans(states, scores, words)


def _emissions(
    log_probabilities: Any,
    words: Sequence[Sequence[int]],
    tokens: Sequence[int],
    blank: int,
    delimiter: int | None,
    numpy: Any,
) -> Any:
    """The log probability of each state in each frame: a blank or gap, a token, and so on by turns."""
    quiet = log_probabilities[:, blank]
    gap = quiet if delimiter is None else numpy.maximum(quiet, log_probabilities[:, delimiter])
    scores = numpy.empty((len(log_probabilities), 2 * len(tokens) + 1))
    scores[:, 0::2] = quiet[:, None]
    scores[:, 1::2] = log_probabilities[:, list(tokens)]
    place = 0
    for word in words:
        scores[:, 2 * place] = gap
        place += len(word)
    scores[:, -1] = gap
    return scores


def _way_back(steps: Any, last: int) -> list[int]:
    """The state in each frame."""
    states = [last]
    for frame in range(len(steps) - 1, 0, -1):
        states.append(states[-1] - int(steps[frame, states[-1]]))
    return states[::-1]


def _spans(states: Sequence[int], scores: Any, words: Sequence[Sequence[int]]) -> list[list[TokenSpan]]:
    """The frames of the tokens, whose states are the odd ones."""
    frames: dict[int, list[int]] = {}
    for frame, state in enumerate(states):
        frames.setdefault(state, []).append(frame)
    spans: list[list[TokenSpan]] = []
    state = 1
    for word in words:
        spans.append([])
        for _ in word:
            own = frames[state]
            score = float(sum(scores[frame, state] for frame in own))
            spans[-1].append(TokenSpan(own[0], own[-1] + 1, score))
            state += 2
    return spans
