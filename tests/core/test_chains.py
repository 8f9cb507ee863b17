"""Chains of pairs say what tables say, to the last bit and pair by pair, and cost what overlaps."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.talks import make_talk, wrapped
from structiou_metric import COMPILED, StructIoU
from support.examples import examples
from support.growth import growth
from support.product import matched_by_mode, metric_by_mode, pairs_by_mode, product_tree, unit_of
from support.random_trees import SHAPES, mutate, random_tree, timed
from support.strategies import tree_pairs

EXAMPLES = 300 if COMPILED else 40

OPTIONS = [
    {},
    {"labels": "ignore"},
    {"terminals": "flexible"},
    {"terminals": "exclude", "labels": "ignore", "min_iou": 0.4},
]


def said_by(mode, prediction, reference, **options):
    """The sum and the numbers of the paired nodes, in the order they are found."""
    pairs = pairs_by_mode(prediction, reference, mode, **options)
    return (
        matched_by_mode(prediction, reference, mode, **options),
        [(p.number, r.number, iou) for p, r, iou in pairs],
    )


@examples(EXAMPLES)
@given(tree_pairs(16) | tree_pairs(12, timed=True), st.sampled_from(OPTIONS))
def test_chains_say_what_tables_say(pair, options):
    trees = product_tree(pair[0]), product_tree(pair[1])
    options = {"unit": unit_of(pair[0]), **options}
    assert said_by("chains", *trees, **options) == said_by("left", *trees, **options)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_chains_say_what_tables_say_about_larger_trees(shape, options):
    rng = random.Random(f"{shape}{options}")
    for n_words in (20, 60) if COMPILED else (12,):
        prediction = random_tree(rng, n_words, 3, shape)
        for reference in (random_tree(rng, n_words, 3, "random"), mutate(rng, prediction, 5)):
            trees = timed(rng, prediction, 0.5), timed(rng, reference, 0.5)
            assert said_by("chains", *trees, unit="time", **options) == said_by(
                "left", *trees, unit="time", **options
            )
            # Few nodes against many: the side that leads is the other one.
            small = timed(rng, random_tree(rng, 3, 3, "random"), 0.5)
            for pair in ((small, trees[0]), (trees[0], small)):
                assert said_by("chains", *pair, unit="time", **options) == said_by(
                    "left", *pair, unit="time", **options
                )


@pytest.mark.skipif(not COMPILED, reason="slow uncompiled")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("wrap", [False, True])
def test_a_talk_is_solved_by_chains_and_equal_to_its_tables(wrap, options):
    prediction, reference = make_talk(900)
    rows = ([wrapped(prediction)], [wrapped(reference)]) if wrap else ([prediction], [reference])
    by_mode = {
        mode: metric_by_mode(mode, unit="time", **options).corpus_score(*rows, documents=not wrap)
        for mode in ("auto", "left", "right", "chains")
    }
    assert by_mode["chains"].columns["matched"] == by_mode["left"].columns["matched"]
    # Sums over the mirrored trees are added up in another order.
    for mode in ("auto", "right"):
        assert by_mode[mode].corpus == pytest.approx(by_mode["left"].corpus, abs=1e-12)
    assert by_mode["chains"].by_label == by_mode["left"].by_label


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="slow uncompiled")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("wrap", [False, True])
def test_time_grows_with_the_talk_not_with_its_square(wrap, options):
    metric = StructIoU(unit="time", **options)
    talks = {n: make_talk(n) for n in (4000, 16000)}

    def score(n):
        prediction, reference = talks[n]
        if wrap:
            return metric.corpus_score([wrapped(prediction)], [wrapped(reference)]).by_label
        return metric.corpus_score([prediction], [reference], documents=True).by_label

    assert growth(score, 4000) < 4**1.5  # by tables, and by looking at all pairs, it is 4²
