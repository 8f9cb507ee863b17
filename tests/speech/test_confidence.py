"""From fits to a confidence, by hand; no sound is needed."""

from __future__ import annotations

import pytest

from structiou_metric.speech.forced.sphinx import (
    MIDDLE,
    MIN_CONFIDENCE,
    N_WRONG,
    WIDTH,
    Segment,
    confidence_of,
    relative_fit,
    running_gap,
    uncovered_frames,
    wrong_words,
)

BY_SOUNDS = {1: ["a", "i"], 2: ["be", "to", "we"], 3: ["cat", "dog", "sun"]}


def segments(*parts):
    """From `(name, frames, nats a frame)` each, one behind the other; silences begin with `<` or `[`."""
    made, at = [], 0
    for name, length, score in parts:
        made.append(Segment(name, at, at + length, score * length, name.startswith(("<", "["))))
        at += length
    return made


def test_relative_fit_is_between_wrong_words_and_free_sounds():
    words = segments(("<sil>", 10, -1.0), ("so", 30, -5.0))  # -4 a frame
    free = segments(("S", 40, -2.0))
    gap = running_gap(words, free)[-1] / 40
    assert relative_fit(gap, 8.0) == pytest.approx((10 - 4) / (10 - 2))  # wrong words are at -10 a frame
    assert relative_fit(0.0, 8.0) == 1.0
    assert relative_fit(8.0, 8.0) == 0.0


def test_relative_fit_where_nothing_can_be_told():
    assert relative_fit(1.0, 0.1) == pytest.approx(-0.9 / 0.5)


def test_the_gap_of_each_frame_is_summed_up():
    words = segments(("so", 2, -3.0), ("<sil>", 1, -1.0), ("we", 2, -7.0))
    free = segments(("S", 4, -2.0), ("W", 1, -1.0))
    assert running_gap(words, free) == pytest.approx([0.0, 1.0, 2.0, 1.0, 6.0, 12.0])


def test_confidence_grows_with_the_fit():
    fits = [-1e9, -1.0, MIDDLE - WIDTH, MIDDLE, MIDDLE + WIDTH, 1.0, 1e9]
    sure = [confidence_of(fit) for fit in fits]
    assert sure == sorted(sure)
    assert sure[0] < 1e-100
    assert sure[3] == 0.5
    assert sure[-1] == 1.0
    assert confidence_of(0.02) < MIN_CONFIDENCE < confidence_of(0.03)


def test_wrong_words_are_the_words_in_other_orders():
    words = ["we", "be", "cat", "dog", "sun", "to"]
    lists = wrong_words(words, len, BY_SOUNDS)
    assert len(lists) == N_WRONG
    assert all(sorted(one) == sorted(words) and one != words for one in lists)
    assert len(set(map(tuple, lists))) == N_WRONG
    assert lists == wrong_words(words, len, BY_SOUNDS)


def test_wrong_words_of_few_words_are_partly_others_of_the_same_length():
    lists = wrong_words(["we", "be", "cats"], len, BY_SOUNDS)
    assert len(lists) == N_WRONG
    orders = [one for one in lists if sorted(one) == ["be", "cats", "we"]]
    assert len(orders) == N_WRONG // 2
    assert all([len(word) for word in one] == [2, 2, 3] for one in lists if one not in orders)


def test_wrong_words_of_one_word():
    assert all(one in (["be"], ["to"], ["we"]) for one in wrong_words(["we"], len, BY_SOUNDS))
    assert len(wrong_words(["to", "to"], len, BY_SOUNDS)) == N_WRONG


def test_uncovered_speech_is_that_in_long_gaps():
    words = segments(
        ("so", 50, -4), ("<sil>", 60, -9), ("[NOISE]", 60, -9), ("what", 50, -4), ("<sil>", 90, -9)
    )
    free = segments(*[("AH", 20, -2)] * 5, ("<sil>", 20, -1), *[("N", 20, -2)] * 5, ("S", 90, -2))
    # The long gap is 50 to 170: there is speech at 50 to 100 and at 120 to 170; the last sound is too long.
    assert uncovered_frames(words, free, 100.0) == (100, 200)
    assert uncovered_frames(segments(("so", 310, -4)), free, 100.0) == (0, 200)
