"""The sentences that say why a pair does not score 1."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages.explanation import explain

from structiou_metric import StructIoU
from support.examples import examples
from support.random_trees import random_tree


def reasons(prediction, reference, **options):
    return explain(StructIoU(**options).align(prediction, reference))


def test_equal_trees():
    tree = "(S (NP (PRP we)) (VP (VBP run)))"
    assert reasons(tree, tree) == ["Every node has an equal partner: the trees agree."]


@pytest.mark.parametrize(
    "prediction, reference, expected",
    [
        ("()", "(S (A a))", "The prediction is empty, so no node has a partner."),
        ("(S (A a))", "()", "The reference is empty, so no node has a partner."),
        ("()", "", "Both trees are empty, so they agree."),
    ],
)
def test_empty_trees(prediction, reference, expected):
    assert reasons(prediction, reference) == [expected]


def test_wrong_label():
    # Of 3 + 3 nodes, B and C have no partner: 1/6 of the score each.
    assert reasons("(S (A a) (B b))", "(S (A a) (C b))") == [
        "1 reference node has no partner: C “b”. That costs 0.167.",
        "1 predicted node has no partner: B “b”. That costs 0.167.",
    ]


def test_partial_overlap_and_order():
    # NP and VP share 1 of 2 words with their partners: 2 · (1 - 0.5) of 6 nodes each.
    assert reasons("(S (NP the) (VP dog barked))", "(S (NP the dog) (VP barked))") == [
        "2 pairs overlap only in part: NP “the dog” (IoU 0.50), VP “barked” (IoU 0.50). That costs 0.333."
    ]


def test_the_greatest_loss_comes_first():
    found = reasons("(S (A (B (C (D a)))) (E b))", "(S (X a) (E b))")
    assert found[0].startswith("4 predicted nodes have no partner: ")
    assert found[1].startswith("1 reference node has no partner: X “a”")


def test_long_lists_and_names_are_cut():
    prediction = "(S (A a) (B b) (C c) (D d) (E e) (F (G f) (H g)))"
    reference = "(S " + " ".join(f"(X {word})" for word in "abcdefg") + ")"
    text = " ".join(reasons(prediction, reference))
    assert "F “f g”, A “a”, B “b”, C “c” and 4 more" in text
    four = "(T (A a) (B b) (C c) (D d))"
    assert "X “a … d”" in " ".join(reasons(f"(S {four})", f"(S (X {four[3:]})"))


def test_nodes_without_words_have_times():
    found = reasons("(S (A <0,1>) (B <1,2>))", "(S (A <0,1>) (C <1,2.5>))", unit="time")
    assert "B at 1–2" in " ".join(found)
    assert "C at 1–2.5" in " ".join(found)


def test_no_label():
    # The node over both words has no label here, and X there.
    assert "(no label) “a b”" in " ".join(reasons("(S ((A a) (B b)))", "(S (X (A a) (B b)))", drop=[]))


@given(st.randoms(use_true_random=False), st.sampled_from(["exact", "ignore"]))
@examples(60)
def test_costs_are_what_is_missing_from_1(random, labels):
    trees = [random_tree(random, 6, 3) for _ in range(2)]
    alignment = StructIoU(labels=labels).align(*trees)
    costs = [float(cost) for text in explain(alignment) for cost in re.findall(r"costs ([0-9.]+)\.$", text)]
    assert sum(costs) == pytest.approx(1.0 - alignment.score, abs=0.002)
