"""Every error that a user can make says the row and the cure, and the metric can be used again."""

from __future__ import annotations

import pickle

import pytest

from support.extras import need

need("evaluate")

A = "(S (A a) (B b))"
B = "(S (A a) (C b))"
SPANS = [{"label": "S", "start": 0, "end": 2}]

ERRORS = {
    # of rows
    "unbalanced": (
        {"predictions": [A, "(S (A a)"]},
        ValueError,
        "predictions[1]:1:1: this '(' is never closed; add",
    ),
    "none first": (
        {"predictions": [None, A]},
        ValueError,
        "predictions[0]: the tree is None; give '()' for a failed",
    ),
    "number": ({"predictions": [A, 3]}, ValueError, "predictions[1]: a int is no tree; give bracket text"),
    "float column": (
        {"references": [0.5, 0.25]},
        ValueError,
        "references[0]: a float is no tree; give bracket text",
    ),
    "set": (
        {"references": [A, {"label": {1}}]},
        ValueError,
        "references[1]: a set is no part of a tree; give texts",
    ),
    "surrogate": (
        {"predictions": [A, "(S a \ud800"]},
        ValueError,
        "predictions[1]:1:1: this '(' is never closed",
    ),
    "list of predictions": (
        {"predictions": [A, [A, B]]},
        ValueError,
        "predictions[1]: this is a list of trees; give one, as only references may be several",
    ),
    "one of several": (
        {"references": [A, [B, "(S"]]},
        ValueError,
        "references[1][1]:1:1: this '(' is never closed",
    ),
    "no references": (
        {"references": [[A, B], []]},
        ValueError,
        "references[1]: an empty list of references; give at",
    ),
    # of lists
    "unequal": (
        {"references": [A]},
        ValueError,
        "predictions: 2 trees, references: 1 tree; give the same number of both: references ends",
    ),
    "one text": ({"predictions": A}, TypeError, "predictions must be a list of trees, not one str; write"),
    "no predictions": (
        {"predictions": None},
        ValueError,
        "predictions is missing; give both predictions and ref",
    ),
    "empty": (
        {"predictions": [], "references": []},
        ValueError,
        "predictions and references hold no trees to score",
    ),
    "all skipped": (
        {"predictions": ["(", "("], "on_error": "skip"},
        ValueError,
        "all 2 pairs were skipped; the first:",
    ),
    # of options
    "unknown option": (
        {"units": "word"},
        TypeError,
        "unknown option 'units'; choose from unit, texts, labels, terminals, min_",
    ),
    "singular": (
        {"prediction": [A]},
        TypeError,
        "unknown option 'prediction'; write predictions, which is a list of trees",
    ),
    "ParsEval of seconds": (
        {"parseval": True, "unit": "time"},
        ValueError,
        "ParsEval means nothing here: it compares words",
    ),
    "confidence": ({"confidence": 95}, ValueError, "confidence must be between 0 and 1, such as 0.95"),
    "min_iou": ({"min_iou": 2}, ValueError, "min_iou must be at least 0 and less than 1, not 2"),
}


@pytest.mark.parametrize("keep_in_memory", [False, True], ids=["disk", "memory"])
@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_where_and_what_to_do(load, tmp_path, name, keep_in_memory):
    wrong, kind, message = ERRORS[name]
    metric = load(keep_in_memory=keep_in_memory)
    with pytest.raises(kind) as caught:
        metric.compute(**{"predictions": [A, A], "references": [A, B], **wrong})
    assert str(caught.value).startswith(message)
    assert metric.compute(predictions=[A], references=[A])["n_sentences"] == 1
    # Where a file is left, so is its lock, and the next call waits a second for it.
    assert not list(tmp_path.rglob("*.arrow"))


def test_add_refuses_unknown_inputs_at_once(metric):
    metric.add(prediction=A, reference=A)
    with pytest.raises(ValueError, match=r"^Bad inputs"):
        metric.add(prediction=A, reference=A, gold=A)
    metric.add(prediction=A, reference=B)
    assert metric.compute()["n_sentences"] == 2


@pytest.mark.parametrize(
    "row, message",
    [
        pytest.param({"prediction": 3, "reference": A}, "predictions[1]: a int is no tree", id="number"),
        pytest.param({"prediction": A, "reference": [[{1}], 3]}, "references[1]: a set is no", id="set"),
        pytest.param(
            {"prediction": A, "reference": "\udc00"}, "references[1]:1:1: text outside", id="surrogate"
        ),
    ],
)
def test_rows_that_were_added_wait_for_what_on_error_says(metric, row, message):
    for on_error in ("skip", "zero", "raise"):
        metric.add(prediction=A, reference=A)
        metric.add(**row)
        if on_error != "raise":
            result = metric.compute(on_error=on_error)
            assert result["n_sentences"] == (1 if on_error == "skip" else 2)
            assert result["problems"][0]["message"].startswith(message)
            continue
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            metric.compute()
        assert str(caught.value).startswith(message)


# ---- after a failure


@pytest.mark.parametrize("keep_in_memory", [False, True], ids=["disk", "memory"])
def test_a_failed_compute_leaves_neither_rows_nor_files(load, tmp_path, keep_in_memory):
    """The next one waits for no lock, and can be pickled."""
    metric = load(keep_in_memory=keep_in_memory)
    metric.add(prediction=A, reference=B)
    metric.add_batch(predictions=["(S"], references=[A])
    with pytest.raises(ValueError, match=r"predictions\[1\]:1:1: this '\(' is never closed"):
        metric.compute()
    assert not list(tmp_path.rglob("*.arrow"))
    assert len(metric) == 0
    with pytest.raises(ValueError, match="no trees to score"):
        metric.compute()
    again = pickle.loads(pickle.dumps(metric))
    for one in (metric, again):
        one.add(prediction=A, reference=B)
        assert one.compute(predictions=[A], references=[A])["n_sentences"] == 2


def test_add_without_a_reference(metric):
    metric.add(prediction=A)
    with pytest.raises(
        ValueError, match=r"references\[0\]: the tree is None; give '\(\)' for a failed parse"
    ):
        metric.compute()


def test_unknown_option_does_not_lose_what_was_added(metric):
    metric.add(prediction=A, reference=B)
    with pytest.raises(TypeError, match="unknown option 'label'"):
        metric.compute(label="base")
    assert metric.compute()["struct_iou"] == 2 / 3


def test_row_numbers_go_on_from_batch_to_batch(metric):
    metric.add_batch(predictions=[A, A], references=[A, A])
    metric.add_batch(predictions=[A, "(S"], references=[A, A])
    with pytest.raises(ValueError, match=r"predictions\[3\]:1:1: this '\(' is never closed"):
        metric.compute()


def test_one_nltk_tree_is_no_list(metric):
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree.fromstring(A)
    with pytest.raises(TypeError, match="predictions must be a list of trees, not one Tree"):
        metric.compute(predictions=tree, references=tree)
