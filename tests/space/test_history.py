"""Rank history against a board that is ranked anew after each submission."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks import load_benchmark
from leaderboard.people import Actor
from leaderboard.ranking import newest, rank_history
from leaderboard.store import Scored, Submission
from support.space_boards import DESCRIPTION, write_benchmark


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    return load_benchmark(write_benchmark(tmp_path_factory.mktemp("history"), "english", DESCRIPTION))


def submissions(scores):
    """Submissions of owners in turn, a second apart; without a score the metric means nothing."""
    found = []
    for time, (owner, score) in enumerate(scores):
        item = Submission(
            f"{time:016x}", "english", "x", "", "", owner, "user", "", "", float(time), "scored"
        )
        found.append(Scored(item, "", "", score, None))
    return found


def slow_history(results, owner):
    """The rank after each submission, by counting who is better."""
    ranks = []
    for end in range(1, len(results) + 1):
        ranked = [item for item in results[:end] if item.figure is not None]
        now = {item.submission.owner: item.figure for item in newest(ranked)}
        if owner in now and results[end - 1] in ranked:
            own = now[owner]
            line = (1 + sum(value > own for value in now.values()), len(now), own)
            if not ranks or ranks[-1][1:] != line:
                ranks.append((float(end - 1), *line))
    return ranks


@given(
    scores=st.lists(
        st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.sampled_from([0.2, 0.5, 0.8]))), max_size=12
    )
)
def test_history_is_that_of_boards_ranked_anew(benchmark, scores):
    results = submissions(scores)
    for owner in "abc":
        assert rank_history(benchmark, results, (Actor("user", owner), "x"), exact=True) == slow_history(
            results, owner
        )


def test_history_by_hand(benchmark):
    results = submissions([("a", 0.5), ("b", 0.8), ("c", 0.1), ("a", 0.9)])
    found = rank_history(benchmark, results, (Actor("user", "a"), "x"), exact=True)
    assert [rank[:3] for rank in found] == [
        (0.0, 1, 1),
        (1.0, 2, 2),
        (2.0, 2, 3),
        (3.0, 1, 3),
    ]
