"""The best way of words through made-up posteriors, against all ways there are."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.speech.forced.aligner import AlignmentError
from support.extras import need

need("numpy")

import numpy  # noqa: E402

from structiou_metric.speech.forced.ctc import find_tokens  # noqa: E402

BLANK, DELIMITER = 0, 1


def written(frames, words, delimiter):
    """Whether frames, each a token, say the words: repeated tokens are one, and blanks are nothing."""
    quiet = {BLANK, delimiter}
    merged = [token for at, token in enumerate(frames) if at == 0 or frames[at - 1] != token]
    if [token for token in merged if token not in quiet] != [token for word in words for token in word]:
        return False
    letters, edges = 0, {0}
    for word in words:
        edges.add(edges and max(edges) + len(word))
    for token in merged:  # a delimiter stands between words only
        if token == delimiter and letters not in edges:
            return False
        letters += token not in quiet
    return True


def best_way(scores, words, delimiter):
    """The best sum of scores of any way, by trying all."""
    n_frames, n_tokens = scores.shape
    ways = (way for way in product(range(n_tokens), repeat=n_frames) if written(way, words, delimiter))
    return max((sum(scores[at, token] for at, token in enumerate(way)) for way in ways), default=None)


@st.composite
def cases(draw):
    n_frames = draw(st.integers(1, 6))
    words = draw(st.lists(st.lists(st.integers(2, 3), min_size=1, max_size=2), min_size=1, max_size=2))
    values = st.integers(-8, 0)
    scores = draw(st.lists(st.lists(values, min_size=4, max_size=4), min_size=n_frames, max_size=n_frames))
    return numpy.array(scores, float), words, draw(st.sampled_from([DELIMITER, None]))


@given(cases())
def test_find_tokens_is_as_good_as_the_best_of_all_ways(case):
    scores, words, delimiter = case
    if delimiter is None:
        scores = scores.copy()
        scores[:, DELIMITER] = -1000  # no way of the oracle should use it
    best = best_way(scores, words, delimiter)
    if best is None or best < -500:
        with pytest.raises(AlignmentError, match="letters need more than"):
            find_tokens(scores, words, BLANK, delimiter)
        return
    spans = find_tokens(scores, words, BLANK, delimiter)
    assert [len(word) for word in spans] == [len(word) for word in words]
    flat = [
        (span, token)
        for own, word in zip(spans, words, strict=True)
        for span, token in zip(own, word, strict=True)
    ]
    gaps = edges_of_words(words)
    total, at = 0.0, 0
    way = []
    for number, (span, token) in enumerate(flat):
        assert at <= span.first < span.last <= len(scores)
        way += quiet_frames(scores, range(at, span.first), number in gaps, delimiter)
        way += [token] * (span.last - span.first)
        assert span.score == sum(scores[frame, token] for frame in range(span.first, span.last))
        at = span.last
    way += quiet_frames(scores, range(at, len(scores)), True, delimiter)
    total = sum(scores[frame, token] for frame, token in enumerate(way))
    assert written(way, words, delimiter)
    assert total == best


def edges_of_words(words):
    """The numbers of tokens that begin a word."""
    edges, place = set(), 0
    for word in words:
        edges.add(place)
        place += len(word)
    return edges


def quiet_frames(scores, frames, is_gap, delimiter):
    """What is best said in frames without a token."""
    may_delimit = is_gap and delimiter is not None
    return [
        DELIMITER if may_delimit and scores[frame, DELIMITER] > scores[frame, BLANK] else BLANK
        for frame in frames
    ]


def test_the_same_letter_twice_needs_a_blank_between():
    scores = numpy.log(numpy.array([[0.1, 0.1, 0.8], [0.2, 0.1, 0.7], [0.1, 0.1, 0.8]]))
    ((first, second),) = find_tokens(scores, [[2, 2]], BLANK)
    assert (first.first, first.last, second.first, second.last) == (0, 1, 2, 3)
    with pytest.raises(AlignmentError, match="2 letters need more than 2 frames"):
        find_tokens(scores[:2], [[2, 2]], BLANK)


def test_too_much_at_once():
    scores = numpy.broadcast_to(numpy.zeros(3), (30_000, 3))
    with pytest.raises(AlignmentError, match="20000 letters in 30000 frames at once are too many"):
        find_tokens(scores, [[2]] * 20_000, BLANK)
