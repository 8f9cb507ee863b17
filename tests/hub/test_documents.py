"""Documents through `evaluate`: rows are lists of trees."""

from __future__ import annotations

import pytest

from structiou_metric import SegmentTree, StructIoU
from support.extras import need

need("evaluate")

PREDICTIONS = [["(S (A a))", "(T (B b))"], ["(S (A a))"], []]
REFERENCES = [["(S (A a) (B b))"], ["(S (A a))"], []]
SCORES = [4 / 7, 1.0, 1.0]  # by hand: A and B of 4 + 3 nodes; all; nothing against nothing


def test_compute(metric):
    found = metric.compute(
        predictions=PREDICTIONS, references=REFERENCES, documents=True, return_per_sentence=True
    )
    assert [row["struct_iou"] for row in found["sentences"]] == pytest.approx(SCORES)
    assert (found["n_documents"], found["n_sentences_pred"], found["n_sentences_ref"]) == (3, 3, 2)
    assert found["struct_iou"] == pytest.approx(sum(SCORES) / 3)
    assert found["n_failed"] == 0


def test_rows_may_be_added_before(metric):
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    metric.add_batch(predictions=PREDICTIONS[1:2], references=REFERENCES[1:2])
    found = metric.compute(
        predictions=PREDICTIONS[2:], references=REFERENCES[2:], documents=True, return_alignments=True
    )
    assert found["struct_iou"] == pytest.approx(sum(SCORES) / 3)
    pairs = [
        (pair["prediction"]["label"], pair["prediction"]["start"]) for pair in found["alignments"][0]["pairs"]
    ]
    assert pairs == [("A", 0.0), ("B", 1.0)]


def test_sentences_of_any_shape(metric):
    """A list of spans is a tree here, not a list of trees."""
    spans = [{"label": "S", "start": 0, "end": 1}, {"label": "A", "start": 0, "end": 1}]
    tree = SegmentTree.from_brackets("(T (B b))")
    found = metric.compute(
        predictions=[[spans, tree], ["()"]], references=[["(S (A a) (B b))"], ["(S (A a))"]], documents=True
    )
    want = StructIoU().corpus_score(
        [["(S (A a))", "(T (B b))"], ["()"]], [["(S (A a) (B b))"], ["(S (A a))"]], documents=True
    )
    assert found["struct_iou"] == want.score
    assert found["n_empty"] == 1


def test_a_sentence_that_is_none_is_told(metric):
    with pytest.raises(ValueError, match=r"predictions\[0\]\[1\]: the tree is None; give '\(\)'"):
        metric.compute(predictions=[["(S (A a))", None]], references=[["(S (A a))"]], documents=True)


def test_what_is_no_list_is_told(metric):
    with pytest.raises(TypeError, match=r"references\[1\] is one str; with documents every row is a list"):
        metric.compute(predictions=PREDICTIONS[:2], references=[REFERENCES[0], "(S (A a))"], documents=True)
    assert metric.compute(predictions=["(S (A a))"], references=["(S (A a))"])["struct_iou"] == 1.0


def test_lists_without_documents_are_told(metric):
    with pytest.raises(
        ValueError, match=r"predictions\[0\]: this is a list of trees; give one, .* documents=True"
    ):
        metric.compute(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    metric.add(prediction=PREDICTIONS[0], reference="(S (A a) (B b))")
    with pytest.raises(ValueError, match=r"predictions\[0\]: this is a list of trees; give one"):
        metric.compute()


@pytest.mark.parametrize("row", [None, float("nan"), [3], ["(S (A a))", float("nan")]])
def test_documents_that_are_none_obey_on_error(metric, row):
    metric.add(prediction=row, reference=["(S (A a))"])
    found = metric.compute(
        predictions=[["(S (A a))"], row],
        references=[["(S (A a))"], ["(S (A a))"]],
        documents=True,
        on_error="skip",
    )
    assert (found["n_documents"], found["n_skipped"]) == (1, 2)
