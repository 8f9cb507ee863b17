"""The oracles agree with each other, with the paper's figures and with the authors' own program."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.oracle import (
    Labels,
    Terminals,
    best_by_algorithm1,
    best_by_enumeration,
    conflicted,
    read,
    struct_iou,
    violated_rules,
)
from support.paths import DATA
from support.random_trees import (
    SHAPES,
    mutate,
    random_tree,
    word_times,
)
from support.strategies import TreeCase, tree_pairs

pytestmark = pytest.mark.slow

CASES = DATA / "struct_iou_cases.jsonl"
LABELS: tuple[Labels, ...] = ("exact", "ignore")
TERMINALS: tuple[Terminals, ...] = ("strict", "flexible", "exclude")
MIN_IOUS = (0.0, 0.25, 1 / 3, 0.5, 0.9)

OPTIONS = st.fixed_dictionaries(
    {
        "labels": st.sampled_from(LABELS),
        "terminals": st.sampled_from(TERMINALS),
        "min_iou": st.sampled_from(MIN_IOUS),
    }
)


# ------------------------------------------------------------------------------------------ reading


# -------------------------------------------------------------------------------- the paper's print


@pytest.mark.parametrize(
    "first, second, rules",
    [
        ("AG", "EH", {1}),
        ("CF", "AH", {2, 3}),
        ("BH", "CF", {4}),
        ("AF", "CH", set()),
    ],
)
def test_conflicts_of_second_figure(first, second, rules):
    t1 = read("(A (B b) (C (D d) (E e)))")
    t2 = read("(F (G g) (H h))")
    place = {node.label: index for tree in (t1, t2) for index, node in enumerate(tree)}
    nodes = [place[label] for label in first + second]
    assert violated_rules(t1, t2, *nodes) == rules
    assert conflicted(t1, t2, *nodes) == bool(rules)


@pytest.mark.parametrize(
    "brackets, times, matched, want",
    [
        pytest.param(
            "(VP (VBP a) (NP (PRP b) (NN c)))",
            [(2.55, 2.56), (2.56, 2.72), (2.72, 3.01)],
            3.0,
            0.75,
            id="left tree, as printed",
        ),
        pytest.param(
            "(NP (PRP b) (NN c))",
            [(2.51, 2.70), (2.70, 3.10)],
            45 / 59 + 14 / 21 + 29 / 40,
            0.718,
            id="right tree, 0.718 where 0.81 is printed",
        ),
    ],
)
def test_struct_iou_of_first_figure(brackets, times, matched, want):
    prediction = read(brackets, times)
    reference = read("(NP (PRP Your) (NN turn))", [(2.56, 2.72), (2.72, 3.01)])
    assert best_by_enumeration(prediction, reference) == pytest.approx(matched, abs=1e-12)
    assert best_by_algorithm1(prediction, reference) == pytest.approx(matched, abs=1e-12)
    assert round(struct_iou(prediction, reference), 3) == want


# ------------------------------------------------------------------------------------- small scores


@pytest.mark.parametrize(
    "prediction, reference, options, want",
    [
        pytest.param("", "", {}, 1.0, id="both empty"),
        pytest.param("", "(A a)", {}, 0.0, id="prediction empty"),
        pytest.param("(A a)", "()", {}, 0.0, id="reference empty"),
        pytest.param("(A a)", "(B b)", {"terminals": "exclude"}, 1.0, id="both emptied"),
        pytest.param("(S (A a))", "(T (A a))", {}, 0.5, id="label differs"),
        pytest.param("(S (A a))", "(T (A a))", {"labels": "ignore"}, 1.0, id="label ignored"),
        pytest.param("(S (A a))", "(S (B a))", {"terminals": "flexible"}, 1.0, id="flexible"),
        pytest.param("(S (A a))", "(T (A a))", {"terminals": "flexible"}, 0.5, id="not so inside"),
        pytest.param("(A a b)", "(S (A a) (B b))", {}, 0.25, id="half a span"),
        pytest.param("(A a b)", "(S (A a) (B b))", {"min_iou": 0.5}, 0.0, id="at the threshold"),
    ],
)
def test_struct_iou_small_pairs(prediction, reference, options, want):
    assert struct_iou(read(prediction), read(reference), **options) == want


# ---------------------------------------------------------------------------- one against the other


def assert_oracles_agree(prediction, reference, **options):
    slow = best_by_enumeration(prediction, reference, **options)
    fast = best_by_algorithm1(prediction, reference, **options)
    assert fast == pytest.approx(slow, rel=0, abs=1e-12)


@examples(500)
@given(tree_pairs(5, labels=("A", "B"), max_unary=1), OPTIONS)
def test_oracles_agree_untimed(pair: tuple[TreeCase, TreeCase], options):
    prediction, reference = (read(*case) for case in pair)
    assert_oracles_agree(prediction, reference, **options)


@examples(500)
@given(tree_pairs(4, labels=("A", "B"), timed=True), OPTIONS)
def test_oracles_agree_timed(pair: tuple[TreeCase, TreeCase], options):
    prediction, reference = (read(*case) for case in pair)
    assert_oracles_agree(prediction, reference, **options)


@pytest.mark.parametrize("shape", SHAPES)
def test_oracles_agree_seeded(shape):
    rng = Random(f"oracles {shape}")
    for trial in range(150):
        n_words = rng.randint(1, 3 if shape == "unary" else 4)
        first = random_tree(rng, n_words, rng.randint(1, 3), shape)
        if trial % 2:
            second = mutate(rng, first, edits=rng.randint(0, 3))
        else:
            second = random_tree(rng, n_words, rng.randint(1, 3), rng.choice(SHAPES[:-1]))
        noise = rng.choice((0.0, 0.2, 0.8))
        prediction = read(first, word_times(rng, n_words, noise))
        reference = read(second, word_times(rng, n_words, noise))
        assert_oracles_agree(
            prediction,
            reference,
            labels=rng.choice(LABELS),
            terminals=rng.choice(TERMINALS),
            min_iou=rng.choice((0.0, 0.3, 0.6)),
        )


# ------------------------------------------------------------------------- the authors' own program


def test_algorithm1_matches_authors_program():
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        prediction = read(case["prediction"], case["prediction_times"])
        reference = read(case["reference"], case["reference_times"])
        assert len(prediction) == case["prediction_nodes"], case["id"]
        assert len(reference) == case["reference_nodes"], case["id"]
        score = struct_iou(
            prediction,
            reference,
            terminals="flexible" if case["flexible_terminals"] else "strict",
            min_iou=case["iou_threshold"],
        )
        assert score == pytest.approx(case["struct_iou"], rel=0, abs=1e-9), case["id"]


# ----------------------------------------------------------------------------------- the generators
