"""Tree edit distance against disco-dop, against an oracle, and against itself in other modes."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import COMPILED
from structiou_metric._core.solver import MODES
from structiou_metric.metrics import load_metric
from structiou_metric.metrics.tree_edit import TreeEdit, TreeEditCounter
from support import tree_edit_oracle as oracle
from support.examples import examples
from support.paths import DATA
from support.random_trees import SHAPES, mutate, random_tree
from support.strategies import tree_cases, tree_pairs
from support.twin import source_twin

EXAMPLES = 300 if COMPILED else 40
COSTS = (None, 0, 0.5, 1, 1.75, 2, 3)


class Forced(TreeEdit):
    """The metric with a fixed way to solve it."""

    mode = "auto"

    def counter(self):
        return TreeEditCounter(self.options, self.mode)


def distances(pairs, mode="auto", **options):
    metric = Forced(**options)
    metric.mode = mode
    return list(metric.corpus_score([p for p, _ in pairs], [r for _, r in pairs]).columns["distance"])


# ---- disco-dop -------------------------------------------------------------------------------------


def test_distances_are_those_of_disco_dop():
    """Its nodes are brackets with tags, without words and the deleted TOP; renaming costs 1."""
    with open(DATA / "peers" / "discodop_cases.jsonl", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    assert len(cases) == 72
    result = load_metric("tree_edit", rename=1).corpus_score(
        [case["hypothesis"] for case in cases], [case["reference"] for case in cases]
    )
    nodes = list(map(sum, zip(result.columns["n_pred"], result.columns["n_ref"], strict=True)))
    assert list(result.columns["distance"]) == [case["tree_distance"] for case in cases]
    assert nodes == [case["dice_denominator"] for case in cases]
    assert result.values("tree_edit_sentence") == pytest.approx(
        [1 - case["tree_distance"] / case["dice_denominator"] for case in cases]
    )


# ---- the oracle ------------------------------------------------------------------------------------

any_pairs = st.one_of(
    tree_pairs(7),
    tree_pairs(7, ("A", "B", "C", "D", "E", "F")),
    tree_pairs(8, ("A",), max_unary=3),
    st.tuples(tree_cases(6), tree_cases(6)),  # other numbers of words
)


@given(any_pairs, st.sampled_from(COSTS), st.sampled_from(list(MODES)))
@examples(EXAMPLES)
def test_distance_equals_the_oracle(pair, rename, mode):
    texts = [case.brackets for case in pair]
    wanted = oracle.distance(*map(oracle.forest, texts), rename)
    assert distances([texts], mode, rename=rename) == [pytest.approx(wanted, abs=1e-9)]


@given(
    st.lists(tree_cases(4), max_size=3),
    st.lists(tree_cases(4), max_size=3),
    st.sampled_from(COSTS),
)
@examples(EXAMPLES // 2)
def test_documents_are_forests(ours, theirs, rename):
    sides = [[case.brackets for case in side] for side in (ours, theirs)]
    wanted = oracle.distance(*(oracle.forest(" ".join(side)) for side in sides), rename)
    metric = load_metric("tree_edit", rename=rename)
    result = metric.corpus_score(sides[:1], sides[1:], documents=True)
    assert result.columns["distance"][0] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rename", [None, 0.7])
def test_all_modes_agree_on_larger_trees(shape, rename):
    rng = random.Random(f"{shape} {rename}")
    n_words = 40 if COMPILED else 12
    pairs = []
    for n_labels in (1, 3, 12):
        tree = random_tree(rng, n_words, n_labels, shape)
        pairs += [(tree, mutate(rng, tree, edits)) for edits in (1, 4, 15)]
        pairs.append((tree, random_tree(rng, n_words + 5, n_labels, rng.choice(SHAPES))))
    found = {mode: distances(pairs, mode, rename=rename) for mode in MODES}
    for mode in MODES:
        assert found[mode] == pytest.approx(found["auto"], abs=1e-9), mode


# ---- laws ------------------------------------------------------------------------------------------


@given(st.tuples(tree_cases(6), tree_cases(6), tree_cases(6)), st.sampled_from(COSTS))
@examples(100)
def test_distance_is_a_metric(cases, rename):
    a, b, c = (case.brackets for case in cases)
    same, there, back, first, second = distances([(a, a), (a, b), (b, a), (a, c), (c, b)], rename=rename)
    assert same == 0
    assert there == pytest.approx(back, abs=1e-9)
    assert there <= first + second + 1e-9


def test_words_are_no_nodes():
    result = load_metric("tree_edit").corpus_score(["(S (A a) (B b))"], ["(TOP (S (A x) (B y z)))"])
    assert [result.columns[name][0] for name in ("distance", "n_pred", "n_ref")] == [0.0, 3, 3]


@pytest.mark.parametrize(
    "options, distance, nodes",
    [
        ({}, 4.0, 8),
        ({"rename": 1}, 2.0, 8),
        ({"labels": "base"}, 2.0, 8),
        ({"labels": "base", "terminals": "exclude"}, 0.0, 4),
        ({"labels": "ignore"}, 0.0, 8),
        ({"drop": ()}, 5.0, 9),
    ],
)
def test_options(options, distance, nodes):
    result = load_metric("tree_edit", **options).corpus_score(
        ["(TOP (S (NP-SBJ (A a)) (B b)))"], ["(S (NP (C a)) (B b))"]
    )
    assert result.columns["distance"][0] == distance
    assert result.columns["n_pred"][0] + result.columns["n_ref"][0] == nodes


def test_failed_parses():
    pairs = [("()", "(S (A a))"), ("()", "()"), ("(S (A a))", "()"), ("(S (A a))", "(S (A a))")]
    result = load_metric("tree_edit").corpus_score([p for p, _ in pairs], [r for _, r in pairs])
    assert result.values("tree_edit_sentence") == [0.0, 1.0, 0.0, 1.0]
    assert result.n_empty == 1
    assert result.figures["tree_edit"] == 1 - 4 / 8
    assert load_metric("tree_edit", average="sentence").headline == "tree_edit_sentence"


@pytest.mark.parametrize("value", [-1, "much", float("nan")])
def test_rename_must_be_a_cost(value):
    with pytest.raises(ValueError, match="rename must be a cost from 0 on, or None"):
        load_metric("tree_edit", rename=value)


@pytest.mark.skipif(not COMPILED, reason="takes long uncompiled")
def test_deep_and_wide_trees():
    n = 100_000
    deep = "(A " * n + "(B b)" + ")" * n
    deeper = "(A " * (n // 2) + "(C " + "(A " * (n // 2) + "(B b)" + ")" * (n + 1)
    wide = "(S " + "(A a) " * n + ")"
    wider = "(S " + "(A a) " * n + "(B b))"
    assert distances([(deep, deep), (deep, deeper), (wide, wider)]) == [0.0, 1.0, 1.0]


def test_uncompiled_gives_the_same(tmp_path_factory):
    twin = source_twin(tmp_path_factory.mktemp("twin"))
    rng = random.Random(3)
    references = [random_tree(rng, 12, 4, shape) for shape in SHAPES]
    predictions = [mutate(rng, tree, 4) for tree in references]
    for rename in (None, 0.3):
        ours = load_metric("tree_edit", rename=rename).corpus_score(predictions, references)
        theirs = twin.metrics.load_metric("tree_edit", rename=rename).corpus_score(predictions, references)
        assert ours.columns == theirs.columns
