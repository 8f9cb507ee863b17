"""The search for moves against the letter of its definition."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structiou_metric import StructIoU
from structiou_metric.analysis.errors import find_moves
from support import moves_oracle, oracle
from support.strategies import tree_pairs

OPTIONS = [
    {},
    {"labels": "ignore"},
    {"terminals": "exclude"},
    {"min_iou": 0.5},
    {"terminals": "flexible"},
]


def found_for(prediction, reference, **options):
    return find_moves(prediction, reference, StructIoU(drop=(), **options))


def score(forest, reference, **options):
    return oracle.struct_iou(moves_oracle.flat(forest), moves_oracle.flat(reference), **options)


def trees_of(prediction, moves):
    """The trees before the first move and after each."""
    trees = [prediction]
    for move in moves:
        trees.append(moves_oracle.apply_step(trees[-1], move.step))
    return trees


def without_tags(forest):
    """The tree whose nodes without child nodes are no nodes."""
    found = []
    for item in forest:
        if isinstance(item, int):
            found.append(item)
        elif all(isinstance(child, int) for child in item[1]):
            found += item[1]
        else:
            found.append([item[0], without_tags(item[1])])
    return found


def without_labels(forest):
    return [item if isinstance(item, int) else ["", without_labels(item[1])] for item in forest]


@pytest.mark.parametrize(
    "options, counted, seen",
    [
        ({}, list, list),
        ({"min_iou": 0.5}, list, list),
        ({"terminals": "exclude"}, without_tags, list),
        ({"labels": "ignore"}, list, without_labels),
    ],
)
@given(tree_pairs(6, max_unary=2))
def test_moves_give_the_reference(options, counted, seen, pair):
    prediction, reference = (case.brackets for case in pair)
    moves = found_for(prediction, reference, **options)
    if moves and moves[0].kind == "failed":
        return
    goal = seen(counted(moves_oracle.nested(reference)))
    trees = [seen(tree) for tree in trees_of(counted(moves_oracle.nested(prediction)), moves)]
    assert trees[-1] == goal
    assert goal not in trees[:-1]
    assert all(one != other for one, other in pairwise(trees))


@given(tree_pairs(4, labels=("A", "B"), max_unary=1))
@settings(max_examples=40)
def test_every_move_gains_the_most(pair):
    prediction, reference = (case.brackets for case in pair)
    goal = moves_oracle.nested(reference)
    moves = found_for(prediction, reference)
    trees = trees_of(moves_oracle.nested(prediction), moves)
    before = score(trees[0], goal)
    for tree, after, move in zip(trees, trees[1:], moves, strict=False):
        options = {repr(other): other for other in moves_oracle.moves_towards(tree, goal)}
        assert repr(after) in options
        best = max(score(other, goal) for other in options.values())
        now = score(after, goal)
        assert now == pytest.approx(best, abs=1e-9)
        assert move.gain == pytest.approx(now - before, abs=1e-9)
        before = now


@given(tree_pairs(8), st.sampled_from(OPTIONS))
def test_gains_add_up(pair, options):
    prediction, reference = (case.brackets for case in pair)
    moves = found_for(prediction, reference, **options)
    alignment = StructIoU(drop=(), **options).align(prediction, reference)
    assert sum(move.gain for move in moves) == pytest.approx(1.0 - alignment.score, abs=1e-9)
    tally = alignment.tally
    loss = tally.n_pred + tally.n_ref - 2.0 * tally.matched
    assert sum(move.mass for move in moves) == pytest.approx(loss, abs=1e-9)
    assert moves == found_for(prediction, reference, **options)
