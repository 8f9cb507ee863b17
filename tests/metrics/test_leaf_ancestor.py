"""Leaf-ancestor against disco-dop and against an oracle."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import COMPILED
from structiou_metric.metrics import load_metric
from support import leaf_ancestor_oracle as oracle
from support.examples import examples
from support.paths import DATA
from support.random_trees import SHAPES, count_words, mutate, random_tree
from support.strategies import tree_cases, tree_pairs
from support.twin import source_twin

EXAMPLES = 300 if COMPILED else 60


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


@given(
    st.lists(tree_pairs(8), min_size=1, max_size=3), st.sampled_from(["{}", "(TOP {})", "(S {} (-NONE- *))"])
)
@examples(EXAMPLES)
def test_scores_equal_the_oracle(pairs, frame):
    texts = [tuple(frame.format(case.brackets) for case in pair) for pair in pairs]
    assert scores(texts) == pytest.approx([oracle.score(*pair) for pair in texts], abs=1e-12)


@given(st.lists(tree_cases(4), max_size=3), st.lists(tree_cases(4), max_size=3))
@examples(EXAMPLES // 2)
def test_documents_are_forests(ours, theirs):
    sides = [[case.brackets for case in side] for side in (ours, theirs)]
    lengths = [sum(map(count_words, side)) for side in sides]
    if lengths[0] != lengths[1] and all(lengths):
        return
    metric = load_metric("leaf_ancestor")
    result = metric.corpus_score(sides[:1], sides[1:], documents=True)
    assert result.columns["score"][0] == pytest.approx(oracle.score(*map(" ".join, sides)), abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_scores_of_larger_trees_equal_the_oracle(shape):
    rng = random.Random(shape)
    pairs = []
    for n_labels in (1, 4):
        tree = random_tree(rng, 30, n_labels, shape)
        pairs += [(tree, mutate(rng, tree, 6)), (tree, random_tree(rng, 30, n_labels, rng.choice(SHAPES)))]
    assert scores(pairs) == pytest.approx([oracle.score(*pair) for pair in pairs], abs=1e-12)


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
    message = r"predictions\[0\] has 2 words and references\[0\] has 1 word; .*; leaf-ancestor needs as many"
    with pytest.raises(ValueError, match=message):
        load_metric("leaf_ancestor").corpus_score(*pair)
    zeroed, skipped = (
        load_metric("leaf_ancestor", on_error=on_error).corpus_score(*pair) for on_error in ("zero", "skip")
    )
    assert (zeroed.n_zeroed, zeroed.figures["leaf_ancestor"]) == (1, 0.0)
    assert skipped.n_skipped == 1


@pytest.mark.skipif(not COMPILED, reason="takes long uncompiled")
def test_deep_and_wide_trees():
    n = 100_000
    deep = "(A " * n + "(B b)" + ")" * n
    deeper = "(A " * n + "(C (B b))" + ")" * n
    wide = "(S " + "(A a) " * n + ")"
    found = scores([(deep, deep), (deep, deeper), (wide, wide)])
    assert found == [1.0, pytest.approx(1 - 1 / (2 * n + 5)), 1.0]


def test_uncompiled_gives_the_same(tmp_path_factory):
    twin = source_twin(tmp_path_factory.mktemp("twin"))
    rng = random.Random(5)
    references = [random_tree(rng, 15, 4, shape) for shape in SHAPES]
    predictions = [mutate(rng, tree, 4) for tree in references]
    ours = load_metric("leaf_ancestor").corpus_score(predictions, references)
    theirs = twin.metrics.load_metric("leaf_ancestor").corpus_score(predictions, references)
    assert ours.columns == theirs.columns
