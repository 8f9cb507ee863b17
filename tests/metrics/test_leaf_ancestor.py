"""Leaf-ancestor against disco-dop and by hand."""

from __future__ import annotations

import json

import pytest

from structiou_metric.metrics import load_metric
from support.paths import DATA


def scores(pairs, **options):
    result = load_metric("leaf_ancestor", **options).corpus_score(
        [p for p, _ in pairs], [r for _, r in pairs]
    )
    return list(result.columns["score"])


def test_scores_are_those_of_disco_dop():
    with open(DATA / "peers" / "discodop_cases.jsonl", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    assert len(cases) == 72
    found = scores([(case["hypothesis"], case["reference"]) for case in cases])
    for case, score in zip(cases, found, strict=True):
        assert score == pytest.approx(case["leaf_ancestor"], abs=1e-9), case["id"]


@pytest.mark.parametrize(
    "prediction, reference, options, score",
    [
        # A word under its tag alone has an empty way.
        pytest.param("(A a)", "(B a)", {}, 1.0, id="tags are not compared"),
        pytest.param("(A a)", "(S (B a))", {}, 0.0, id="nothing against something"),
        # ) S ( against ) S ( NP: one of 7
        pytest.param("(S (A a))", "(S (NP (A a)))", {}, 1 - 1 / 7, id="a bracket too many"),
        pytest.param("(S-X (A a))", "(S (A a))", {"labels": "base"}, 1.0, id="base labels"),
        pytest.param("(S-X (A a))", "(S (A a))", {}, 1 - 1 / 6, id="another label"),
        pytest.param("(X (A a))", "(S (A a))", {"labels": "ignore"}, 1.0, id="no labels"),
        pytest.param("(TOP (S (A a)))", "(S (A a))", {}, 1.0, id="TOP is dropped"),
        # ) TOP ( S against ) S (: two of 7
        pytest.param("(TOP (S (A a)))", "(S (A a))", {"drop": ()}, 1 - 2 / 7, id="TOP is kept"),
        pytest.param("(S a b)", "(S (NP a) (NP b))", {}, 1.0, id="words without tags"),
        pytest.param("()", "(S (A a))", {}, 0.0, id="failed parse"),
        pytest.param("(S (A a))", "()", {}, 0.0, id="nothing to be found"),
        pytest.param("()", "()", {}, 1.0, id="nothing at all"),
    ],
)
def test_rules(prediction, reference, options, score):
    assert scores([(prediction, reference)], **options) == [pytest.approx(score)]


def test_figure_is_the_mean_over_rows():
    result = load_metric("leaf_ancestor").corpus_score(["(S (A a))", "()"], ["(S (A a))", "(S (A a))"])
    assert result.figures["leaf_ancestor"] == 0.5
    assert result.n_empty == 1


def test_words_must_pair_up():
    pair = ["(S (A a) (B b))"], ["(S (A a))"]
    message = r"predictions\[0\] has 2 words and references\[0\] has 1 word; .*; leaf-ancestor needs the same"
    with pytest.raises(ValueError, match=message):
        load_metric("leaf_ancestor").corpus_score(*pair)
    zeroed, skipped = (
        load_metric("leaf_ancestor", on_error=on_error).corpus_score(*pair) for on_error in ("zero", "skip")
    )
    assert (zeroed.n_zeroed, zeroed.figures["leaf_ancestor"]) == (1, 0.0)
    assert skipped.n_skipped == 1


def test_documents_are_forests():
    """Above `a` ) S ( both times; above `b` and `c`, ) S ( is S ( and ) S: one of five symbols each."""
    metric = load_metric("leaf_ancestor")
    pred, ref = ["(S (A a))", "(S (B b))", "(S (C c))"], ["(S (A a))", "(S (B b) (C c))"]
    result = metric.corpus_score([pred, pred, []], [ref, pred, ref], documents=True)
    assert list(result.columns["score"]) == [pytest.approx((1 + 4 / 5 + 4 / 5) / 3), 1.0, 0.0]


def test_traces_are_no_part_of_a_lineage():
    """Without the trace, `b` has ) S VP ( and ) S: two edits of 6 symbols; `a` has S ( both times."""
    found = scores([("(S (A a) (VP (B b) (NP (-NONE- *))))", "(S (A a) (B b))")])
    assert found == [pytest.approx((1 + 1 - 2 / 6) / 2)]


def test_deep_and_wide_trees():
    n = 100_000
    deep = "(A " * n + "(B b)" + ")" * n
    deeper = "(A " * n + "(C (B b))" + ")" * n
    wide = "(S " + "(A a) " * n + ")"
    found = scores([(deep, deep), (deep, deeper), (wide, wide)])
    assert found == [1.0, pytest.approx(1 - 1 / (2 * n + 5)), 1.0]
