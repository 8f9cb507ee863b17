"""The sentences that say why a pair does not score 1."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU
from structiou_metric.report.reasons import cause_classes, explain
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


def test_wrong_tag_and_label():
    # Of 3 + 3 nodes, B and C have no partner: 1/6 of the score each.
    assert reasons("(S (A a) (B b))", "(S (A a) (C b))") == ["tag: B for C “b”. That costs 0.333."]
    # Of 5 + 5 nodes, X and Y.
    assert reasons("(S (X (A a) (B b)) (C c))", "(S (Y (A a) (B b)) (C c))") == [
        "label: X for Y “a b”. That costs 0.200."
    ]


def test_partial_overlap():
    # NP and VP share 1 of 2 words with their partners: 2 · (1 - 0.5) of 6 nodes each.
    assert reasons("(S (NP the) (VP dog barked))", "(S (NP the dog) (VP barked))") == [
        "boundary: NP “the dog” (IoU 0.50), VP “barked” (IoU 0.50). That costs 0.333."
    ]


def test_the_greatest_loss_comes_first():
    # The prediction has three nodes more over “a”, and another tag there: 3 and 2 of 9 nodes.
    found = reasons("(S (A (B (C (D a)))) (E b))", "(S (X a) (E b))")
    assert [reason.split(":")[0] for reason in found] == ["unary", "tag"]
    assert found[0].endswith("That costs 0.333.")
    assert found[1] == "tag: D for X “a”. That costs 0.222."


def test_long_lists_and_names_are_cut():
    prediction = "(S (A a) (B b) (C c) (D d) (E e) (F f) (G g))"
    reference = "(S " + " ".join(f"(X {word})" for word in "abcdefg") + ")"
    assert (
        "A for X “a”, B for X “b”, C for X “c”, D for X “d” and 3 more" in reasons(prediction, reference)[0]
    )
    four = "(T (A a) (B b) (C c) (D d))"
    assert "T for X “a … d”" in " ".join(reasons(f"(S {four} (E e))", f"(S (X {four[3:]} (E e))"))


def test_nodes_without_words_have_times():
    found = reasons("(S (A <0,1>) (B <1,2>))", "(S (A <0,1>) (C <1,2>))", unit="time")
    assert found == ["tag: B for C at 1–2. That costs 0.333."]


def test_no_label():
    # The node over two words has no label here, and X there.
    found = reasons("(S ((A a) (B b)) (C c))", "(S (X (A a) (B b)) (C c))", drop=[])
    assert found == ["label: ∅ for X “a b”. That costs 0.200."]


@given(st.randoms(use_true_random=False), st.sampled_from(["exact", "ignore"]))
@examples(60)
def test_costs_are_what_is_missing_from_1(random, labels):
    trees = [random_tree(random, 6, 3) for _ in range(2)]
    alignment = StructIoU(labels=labels).align(*trees)
    costs = [float(cost) for text in explain(alignment) for cost in re.findall(r"costs ([0-9.]+)\.$", text)]
    assert sum(costs) == pytest.approx(1.0 - alignment.score, abs=0.002)


def test_classes_have_the_cause_of_every_lost_node():
    alignment = StructIoU().align("(S (A (B a)) (C c))", "(S (B a) (D c))")
    classes = cause_classes(alignment)
    assert [classes.of("prediction", node) for node in range(4)] == ["", "unary", "tag", ""]
    assert [classes.of("reference", node) for node in range(3)] == ["", "tag", ""]
