"""Rows that are lists of trees on one axis: read, refused, and scored like a tree with a root above them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeFormatError, TreeMismatchError
from support.examples import examples
from support.strategies import tree_cases

WRAPPER = "WRAPPER"  # a label that no tree of these tests has


def score(predictions, references, **options):
    return StructIoU(**options).corpus_score(predictions, references, documents=True)


# By hand. In the first, S (2 of 3 words) would keep A over c from being aligned, so it is not.
@pytest.mark.parametrize(
    "prediction, reference, matched, n_pred, n_ref",
    [
        pytest.param(["(S (A a) (B b))", "(T (A c))"], ["(S (A a) (B b) (A c))"], 3.0, 5, 4, id="cut in two"),
        pytest.param(["(S (A a))", "(S (B b))"], ["(S (A a))", "(S (B b))"], 4.0, 4, 4, id="the same"),
        pytest.param(["(S (A a))"], ["(S (A a))"], 2.0, 2, 2, id="one sentence"),
        pytest.param(
            ["(TOP (S (A a)))", "(TOP (S (B b)))"], ["(S (A a))", "(S (B b))"], 4.0, 4, 4, id="roots"
        ),
        pytest.param([], ["(S (A a))"], 0.0, 0, 2, id="empty document"),
        pytest.param(["()"], ["(S (A a))"], 0.0, 0, 2, id="failed parse"),
        pytest.param(["(S (A a))", "()"], ["()", "(S (A a))"], 2.0, 2, 2, id="failed parse among others"),
    ],
)
def test_documents_by_hand(prediction, reference, matched, n_pred, n_ref):
    found = score([prediction], [reference])
    assert [list(found.columns[name]) for name in ("matched", "n_pred", "n_ref")] == [
        [matched],
        [n_pred],
        [n_ref],
    ]


@st.composite
def documents(draw):
    """Two documents over as many words, cut into sentences at different places."""
    n_words = draw(st.integers(1, 8))
    sides = []
    for _ in range(2):
        left, side = n_words, []
        while left:
            case = draw(tree_cases(min(left, 4), labels=("A", "B")))
            side.append(case.brackets)
            left -= case.brackets.count("w")
        sides.append(side)
    return tuple(sides)


@given(st.lists(documents(), min_size=1, max_size=4), st.sampled_from(["strict", "flexible", "exclude"]))
@examples(60)
def test_a_document_is_a_tree_without_its_root(pairs, terminals):
    """A root that both sides have and nothing else can align with adds 1 to all three columns."""
    predictions, references = ([pair[side] for pair in pairs] for side in (0, 1))
    found = score(predictions, references, terminals=terminals)
    wrapped = StructIoU(terminals=terminals).corpus_score(
        *([f"({WRAPPER} {' '.join(document)})" for document in side] for side in (predictions, references))
    )
    for name in ("matched", "n_pred", "n_ref"):
        assert [value + 1 for value in found.columns[name]] == pytest.approx(
            list(wrapped.columns[name]), abs=1e-12
        )


def test_timed_sentences_keep_their_times():
    prediction = ["(S (A <0,1>))", "(S (B <5,6>))"]
    reference = ["(S (A <0,1>))", "(S (B <5,7>))"]
    found = score([prediction], [reference], unit="time")
    assert found.columns["matched"][0] == pytest.approx(2 + 2 * 0.5)


def test_characters_are_counted_through():
    assert score([["(S (A ab))", "(S (B c))"]], [["(S (A abc))"]], unit="char").columns["matched"][
        0
    ] == pytest.approx(2 * 2 / 3)


def test_many_documents_in_batches_and_threads():
    predictions = [["(S (A a) (B b))"] * (k % 3 + 1) for k in range(700)]
    references = [["(S (A a) (C b))"] * (k % 3 + 1) for k in range(700)]
    one = score(predictions, references)
    many = StructIoU().corpus_score(predictions, references, documents=True, workers=3)
    assert list(one.columns["matched"]) == [2.0 * (k % 3 + 1) for k in range(700)]
    assert many.columns == one.columns


def test_words_are_kept_for_metrics_that_compare_them():
    from structiou_metric.metrics import load_metric

    same = ["(S (NP (A a)) (B b))", "(S (NP (A c)) (B d))"]
    other = ["(S (NP (A a)) (B b))", "(S (NP (A c)) (B x))"]
    metric = load_metric("parseval", on_error="skip")
    assert metric.corpus_score([same, other], [same, same], documents=True).n_errors == 1
    found = metric.corpus_score([[SegmentTree.from_brackets(tree) for tree in same]], [same], documents=True)
    assert (found.n_errors, found.columns["matched"][0]) == (0, 4)


def test_the_sentence_of_an_error_is_named():
    with pytest.raises(TreeFormatError, match=r"predictions\[1\]\[2\]:1:1: this '\(' is never closed"):
        score([["(S (A a))"], ["(S (A a))", "(S (A a))", "(S (A a)"]], [["(S (A a))"]] * 2)
    found = score([["(S (A a)", "(B"], ["(S (A a))"]], [["(S (A a))"]] * 2, on_error="zero")
    assert [row for row, _ in found.problems] == [0]
    assert "predictions[0][0]" in found.problems[0][1]
    assert list(found.columns["n_pred"]) == [0, 2]


def test_unequal_texts_are_errors_of_the_document():
    with pytest.raises(
        TreeMismatchError, match=r"predictions\[0\] has 3 words and references\[0\] has 2 words"
    ):
        score([["(S (A a))", "(S (A b) (A c))"]], [["(S (A a))", "(S (A b))"]])


@pytest.mark.parametrize("row, kind", [("(S (A a))", "str"), (None, "NoneType"), ({"label": "S"}, "dict")])
def test_a_row_that_is_no_list_is_named(row, kind):
    with pytest.raises(
        TypeError, match=rf"references\[1\] is one {kind}; with documents every row is a list"
    ):
        score([["(S (A a))"]] * 2, [["(S (A a))"], row])


def test_sentences_that_are_no_trees_are_named():
    with pytest.raises(TreeFormatError, match=r"predictions\[0\]\[1\]"):
        score([["(S (A a))", 5]], [["(S (A a))"]])
