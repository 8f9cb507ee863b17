"""Several references: the best counts, and the result tells."""

from __future__ import annotations

import json

import pytest
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeFormatError, TreeMismatchError
from structiou_metric.metrics import METRICS, load_metric
from structiou_metric.metrics.parseval.metric import Parseval
from structiou_metric.metrics.runner import score_systems
from structiou_metric.sources.rows import ListRows
from structiou_metric.trees.shapes import alternatives

A = "(S (A a) (B b))"
B = "(S (A a) (C b))"  # 2/3 like A
C = "(T (X a) (Y b))"  # nothing like A or B
SPANS = [{"label": "S", "start": 0, "end": 2}, {"label": "A", "start": 0, "end": 1}]
NESTED = {"label": "S", "children": ["a", "b"]}
BY_COLUMN = {"label": ["S"], "start": [0], "end": [2]}
COLUMNS = {"labels": ["S"], "starts": [0], "ends": [2], "parents": [-1]}


def test_best_reference_counts():
    found = StructIoU().corpus_score([A, B, A], [[C, A], B, [B, C, A]])
    assert found.sentences[:] == StructIoU().corpus_score([A, B, A], [A, B, A]).sentences[:]
    assert found.used == {0: 1, 2: 2}
    assert found.as_dict()["references_used"] == [1, 0, 2]
    assert found.as_dict()["n_multi_reference"] == 2


def test_first_of_equals_counts():
    assert StructIoU().corpus_score([A], [[C, B, B]]).used == {0: 1}


@pytest.mark.parametrize("row", [A, [A], [A, C]])
def test_signature_tells_whether_there_was_a_choice(row):
    found = StructIoU().corpus_score([A], [row])
    assert found.sentence == 1.0
    assert found.signature == StructIoU().signature + ("|references:best" if row == [A, C] else "")
    assert [set(sentence) >= {"reference"} for sentence in found.per_sentence()] == [row == [A, C]]
    assert ("references_used" in found.as_dict()) is (row == [A, C])


def test_corpus_level_takes_the_best_pairs():
    found = StructIoU(average="corpus").corpus_score([A, A], [[C, B], [A, C]])
    assert found.used == {0: 1, 1: 0}
    assert found.score == pytest.approx(2 * 5 / 12)


def test_by_label_is_of_the_references_that_counted():
    for by_label in (False, True):
        found = StructIoU().corpus_score([A, A], [[C, A], A], by_label=by_label)
        assert {label: tally.n_ref for label, tally in found.by_label.items()} == {"S": 2, "A": 2, "B": 2}
        assert found.used == {0: 1}


def test_skipped_rows_keep_their_numbers():
    found = StructIoU(on_error="skip").corpus_score(["(S", A], [[A, B], [C, A]])
    assert [(row["index"], row["reference"]) for row in found.per_sentence()] == [(1, 1)]
    assert found.n_skipped == 1
    assert [row for row, _ in found.problems] == [0]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_result_is_that_of_the_chosen_references(name, on_error):
    metric = load_metric(name, on_error=on_error)
    a, b, c = (f"(TOP {tree})" for tree in (A, B, C))  # for metrics to which the root is none like others
    predictions = [a, "(S", b, "()", a, c]
    references = [[c, a], [a, b], a, [a, b], ["(S", b, "(S a)"], [[], c]]
    alone = metric.corpus_score(predictions, [a, a, a, a, b, c])
    for by_label in (False, True):
        found = metric.corpus_score(predictions, references, by_label=by_label)
        assert found.as_dict()["references_used"] == [1, 0, 0, 0, 1, 1]
        assert found.figures == alone.figures
        assert found._counts() == alone._counts()
        assert [row for row, _ in found.problems] == [row for row, _ in alone.problems]
        if metric.LABEL is not None:
            assert found.by_label == alone.by_label


def test_best_is_that_of_the_metric(monkeypatch):
    """Where less is better, the reference with the least of it counts."""
    crossing = Parseval.MEASURES["parseval_average_crossing"]
    assert not crossing.higher_is_better
    monkeypatch.setattr(Parseval, "headline", "parseval_average_crossing")
    prediction, crossed = "(S (X (A a) (B b)) (C c))", "(S (A a) (Y (B b) (C c)))"
    found = Parseval().corpus_score(
        [prediction] * 2, [[crossed, "(S (A a) (B b) (C c))"], [crossed, crossed]]
    )
    assert found.used == {0: 1, 1: 0}
    assert found.values("parseval_average_crossing") == [0, 1]


# ---- what cannot be compared


@pytest.mark.parametrize(
    "predictions, references, message",
    [
        pytest.param([A, A], [[A, B], [A, "(S"]], "references[1][1]:1:1: this '(' is never", id="unbalanced"),
        pytest.param(["(S"], [[A, B]], "predictions[0]:1:1: this '(' is never closed", id="prediction"),
        pytest.param([A], [[A, None]], "references[0][1]: the tree is None; give '()'", id="none"),
        pytest.param([A, A], [[A, B], []], "references[1]: an empty list of references; give", id="empty"),
        pytest.param([A, A], [[A, B], "[]"], "references[1]: an empty list of references", id="empty text"),
        pytest.param(
            [A], [[A, "(S a)"]], "predictions[0] has 2 words and references[0][1] has 1", id="length"
        ),
        pytest.param([A], [["(S a)"]], "predictions[0] has 2 words and references[0][0] has 1", id="one"),
        pytest.param([A], [[A, B], A], "predictions: 1 tree, references: 2 trees", id="rows"),
    ],
)
def test_errors_name_the_reference(predictions, references, message):
    with pytest.raises((TreeFormatError, TreeMismatchError)) as caught:
        StructIoU().corpus_score(predictions, references)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_references_that_cannot_be_compared_are_passed_over(on_error):
    found = StructIoU(on_error=on_error).corpus_score([A, A], [["(S", "(S a)", C, B], A])
    assert found.used == {0: 3}
    assert found.problems == []


@pytest.mark.parametrize("on_error", ["zero", "skip"])
def test_rows_without_a_usable_reference_are_counted(on_error):
    result = StructIoU(on_error=on_error).corpus_score([A, A, A], [["(S", None], [A, B], []])
    assert result.n_zeroed + result.n_skipped == 2
    assert [row for row, _ in result.problems] == [0, 2]
    assert result.problems[0][1].startswith("references[0][0]:1:1: this '(' is never closed")
    assert result.sentence == (1 / 3 if on_error == "zero" else 1.0)


# ---- one tree or several


@pytest.mark.parametrize(
    "row, trees",
    [
        pytest.param(A, None, id="brackets"),
        pytest.param(SPANS, None, id="spans"),
        pytest.param([("S", 0, 2), ["A", 0, 1]], None, id="triples"),
        pytest.param(json.dumps(SPANS), None, id="JSON of spans"),
        pytest.param(json.dumps(NESTED), None, id="JSON of a tree"),
        pytest.param((A, [[0, 1], [1, 2]]), None, id="brackets and times"),
        pytest.param('["(S a)", 3]', None, id="JSON of something else"),
        pytest.param('["(S a)', None, id="no JSON"),
        pytest.param([A, 3], None, id="list of something else"),
        pytest.param(None, None, id="nothing"),
        pytest.param([], [], id="empty"),
        pytest.param("[ ]", [], id="JSON of an empty list"),
        pytest.param([A, B], [A, B], id="two brackets"),
        pytest.param((A, B), [A, B], id="tuple"),
        pytest.param([A], [A], id="one bracket"),
        pytest.param(json.dumps([A, B], indent=1), [A, B], id="JSON of brackets"),
        pytest.param([NESTED, COLUMNS], [NESTED, COLUMNS], id="dicts"),
        pytest.param([SPANS, []], [SPANS, []], id="lists of spans"),
        pytest.param([BY_COLUMN], [BY_COLUMN], id="spans by column"),
        pytest.param([None, A], [None, A], id="with nothing"),
    ],
)
def test_alternatives(row, trees):
    assert alternatives(row) == trees


def test_alternatives_of_tree_objects():
    tree = SegmentTree.from_brackets(A)
    assert alternatives(tree) is None
    assert alternatives([tree, A]) == [tree, A]


def test_alternatives_of_nltk_trees():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree.fromstring(A)
    assert alternatives(tree) is None
    assert alternatives([tree]) == [tree]
    assert StructIoU().corpus_score([A], [[B, tree]]).used == {0: 1}


# ---- many rows, and rows from elsewhere


def test_joined_results_number_on():
    parts = [StructIoU().corpus_score([A, A], [[B, A], A]), StructIoU().corpus_score([A], [A])]
    whole = type(parts[0]).joined([*parts, parts[0]])
    assert whole.used == {0: 1, 3: 1}
    assert whole.signature.endswith("|references:best")
    assert whole.as_dict()["references_used"] == [1, 0, 0, 1, 0]


def test_systems_are_compared_by_one_reference():
    sides = [ListRows([A], "parsed"), ListRows([[A, B]], "gold")]
    with pytest.raises(ValueError, match=r"^gold: a row has several references, .*; give one$"):
        score_systems([StructIoU()], sides[:1], sides[1])


trees = st.sampled_from([A, B, C, "(S a b)", "()", "(S (A a)", None])
rows = st.tuples(trees, st.lists(trees, min_size=1, max_size=3) | trees)
