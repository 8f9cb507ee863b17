"""All pairs: matrices, expected scores and the best of a list, against a literal reading of each."""

from __future__ import annotations

from fractions import Fraction
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU, struct_iou
from structiou_metric.analysis.pairwise import Choice, mbr, oracle, pairwise
from structiou_metric.errors import TreeFormatError
from structiou_metric.metrics import METRICS, load_metric
from support.examples import examples
from support.strategies import tree_pairs

PAIR = tree_pairs(5, allow_multiword_leaves=False).map(lambda pair: [pair[0].brackets, pair[1].brackets])
NBEST = st.lists(PAIR, min_size=1, max_size=3).map(lambda pairs: pairs[0] * len(pairs) + ["()"])


@pytest.mark.parametrize("name", [name for name in METRICS if not load_metric(name).pairs_itself])
@given(trees=NBEST)
@examples(10)
def test_matrix_is_every_pair(name, trees):
    metric = load_metric(name, on_error="zero")
    found = pairwise(trees, metric=metric)
    for i, prediction in enumerate(trees):
        for j, reference in enumerate(trees):
            [want] = metric.corpus_score([prediction], [reference]).values(metric.headline)
            assert found[i][j] == want or (want is None and isnan(found[i][j]))
    others = pairwise(trees, trees[:2], metric=metric, workers=2)
    assert [list(map(repr, row)) for row in others] == [list(map(repr, row[:2])) for row in found]


@given(
    pair=tree_pairs(8, timed=True),
    terminals=st.sampled_from(StructIoU.OPTIONS["terminals"].choices),
    labels=st.sampled_from(["exact", "ignore"]),
    unit=st.sampled_from(["word", "time"]),
)
@examples(150)
def test_struct_iou_is_symmetric_to_the_last_bit(pair, terminals, labels, unit):
    metric = StructIoU(terminals=terminals, labels=labels, unit=unit, on_error="zero")
    assert metric.symmetric
    trees = [(case.brackets, case.times) for case in pair]
    one, two = (metric.corpus_score([trees[i]], [trees[1 - i]]) for i in (0, 1))
    assert one.columns["matched"] == two.columns["matched"]


@given(
    st.lists(
        NBEST.flatmap(
            lambda trees: st.tuples(
                st.just(trees),
                st.lists(st.integers(0, 8), min_size=len(trees), max_size=len(trees)).filter(any),
            )
        ),
        min_size=1,
        max_size=3,
    ),
    st.booleans(),
)
@examples(30)
def test_mbr_is_the_best_expectation(drawn, weighs):
    candidates = [trees for trees, _ in drawn]
    weights = [numbers for _, numbers in drawn] if weighs else None
    found = mbr(candidates, weights)
    for trees, numbers, choice in zip(
        candidates, weights or [[1] * len(trees) for trees in candidates], found, strict=True
    ):
        expected = [
            sum(Fraction(weight) * Fraction(struct_iou(one, other)) for weight, other in
                zip(numbers, trees, strict=True)) / sum(numbers)
            for one in trees
        ]  # fmt: skip
        assert choice.score == pytest.approx(float(max(expected)), abs=1e-12)
        assert float(expected[choice.index]) == pytest.approx(float(max(expected)), abs=1e-12)


def test_mbr_by_hand():
    # Scores: A against B 1/2 (of two nodes one), each against itself 1.
    trees = ["(S (A a))", "(S (B a))"]
    assert mbr([trees]) == [Choice(0, 0.75)]  # equally good, so the first
    assert mbr([trees], [[1, 3]]) == [Choice(1, 0.875)]  # (0.5 · 1 + 1 · 3) / 4
    assert mbr([trees, ["()"]], [[1, 0], [2]]) == [Choice(0, 1.0), Choice(0, 1.0)]
    assert mbr([]) == []


def test_oracle_is_the_best_against_the_reference():
    candidates = [["(S (A a))", "(S (B a))"], ["()", "(T (C c))"]]
    assert oracle(candidates, ["(S (B a))", "(T (C c))"]) == [Choice(1, 1.0), Choice(1, 1.0)]
    with pytest.raises(ValueError, match="candidates of 2 sentences and 1 references; give as many"):
        oracle(candidates, ["(S (B a))"])


def test_mistakes_are_told():
    with pytest.raises(ValueError, match=r"candidates\[1\] has no tree to choose"):
        mbr([["(A a)"], []])
    with pytest.raises(TypeError, match=r"candidates\[0\] must be a list of trees, not one str"):
        mbr(["(A a)"])
    with pytest.raises(ValueError, match="a weight for each candidate of each sentence"):
        mbr([["(A a)"]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"weights\[0\] must be numbers from 0 on, not all 0, not \[-1.0\]"):
        mbr([["(A a)"]], [[-1.0]])
    with pytest.raises(TreeFormatError, match=r"candidates\[1\]\[2\]:1:1: this '\(' is never closed"):
        mbr([["(A a)"], ["(A a)", "(B a)", "(A a"]])
    with pytest.raises(ValueError, match="which rows belong together; choose another metric"):
        pairwise(["(A a)"], metric=load_metric("aligned_parseval"))
    found = mbr([["(A a)", "(A a", "(A a)"]], metric=StructIoU(on_error="zero"))
    assert found == [Choice(0, 2 / 3)]  # the one that cannot be read agrees with nothing
