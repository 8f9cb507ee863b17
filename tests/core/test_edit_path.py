"""Edit paths against a table of all costs."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric._core.edit_path import EditPath, Sames
from support.examples import examples
from support.sparseval_oracle import edit_path

PAIRS = [(0, 1), (1, 2)]  # not transitive
ROWS = st.lists(st.integers(0, 5), max_size=12)


def same(a, b):
    return a == b or (min(a, b), max(a, b)) in PAIRS


def worded(columns, a, b):
    return [(a[i] if i >= 0 else None, b[j] if j >= 0 else None) for i, j in columns]


def cost(columns, a, b):
    alone = sum(i < 0 or j < 0 for i, j in columns)
    others = sum(i >= 0 and j >= 0 and not same(a[i], b[j]) for i, j in columns)
    return alone + others, others


def noisy(rng, row, share, n_numbers):
    """A row with that share of its items replaced, left out or followed by another."""
    found = []
    for item in row:
        kind = rng.random() / share
        if kind > 1 or kind < 0.3:
            found.append(item)
        if kind < 0.7:
            found.append(rng.randrange(n_numbers))
    return found


@given(ROWS, ROWS)
@examples(300)
def test_path_is_the_one_that_the_rule_names(a, b):
    assert worded(EditPath(Sames(PAIRS)).path(a, b), a, b) == edit_path(a, b, same)


@given(ROWS, ROWS, st.randoms(use_true_random=False))
@examples(300)
def test_of_equal_paths_one_with_most_equal_tags_is_taken(a, b, rng):
    tags, others = ([rng.randrange(3) for _ in row] for row in (a, b))
    found = EditPath(Sames(PAIRS)).path(a, b, tags, others)
    tagged = [list(zip(row, own, range(len(row)), strict=True)) for row, own in ((a, tags), (b, others))]
    best = edit_path(*tagged, lambda x, y: same(x[0], y[0]), lambda x, y: x[1] != y[1])
    assert found == [(-1 if x is None else x[2], -1 if y is None else y[2]) for x, y in best]
    # Tags decide between paths that are equally good without them, and never against them.
    assert cost(found, a, b) == cost(EditPath(Sames(PAIRS)).path(a, b), a, b)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("n_numbers", [2, 30])
def test_band_grows_until_no_path_is_better(share, n_numbers):
    rng = Random(7)
    path = EditPath(Sames(PAIRS))
    for length in (40, 90, 150):
        a = [rng.randrange(n_numbers) for _ in range(length)]
        b = noisy(rng, a, share, n_numbers)
        columns = path.path(a, b)
        best = edit_path(a, b, same)
        assert [i for i, _ in columns if i >= 0] == list(range(len(a)))
        assert [j for _, j in columns if j >= 0] == list(range(len(b)))
        differ = [x is not None and y is not None and not same(x, y) for x, y in best]
        n_edits = sum(x is None or y is None for x, y in best) + sum(differ)
        assert cost(columns, a, b) == (n_edits, sum(differ))


def test_nothing_on_a_side():
    path = EditPath(Sames())
    assert path.path([], []) == []
    assert path.path([1], []) == [(0, -1)]
    assert path.path([], [1, 2]) == [(-1, 0), (-1, 1)]
