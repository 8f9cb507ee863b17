"""The ambiguity experiment: which trees there are, and what the two metrics make of them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from structiou_metric import COMPILED, SegmentTree, StructIoU
from structiou_metric.analysis.paper.ambiguity import (
    compare_plausible,
    find_lowest,
    plausible_trees,
    random_tree,
)
from structiou_metric.metrics.parseval.metric import Parameters, parseval
from support import oracle

UNLABELED = Parameters(labeled=False)


def brackets_of(text):
    """Spans of the nodes above the tags."""
    tree = SegmentTree.from_brackets(text)
    return {(node.first, node.last) for node in tree.nodes if not node.preterminal}


def all_binary_trees(tags):
    """Every binary tree over a tuple of tags, as nested tuples."""

    @cache
    def build(lo, hi):
        if hi - lo == 1:
            return [tags[lo]]
        return [(a, b) for k in range(lo + 1, hi) for a in build(lo, k) for b in build(k, hi)]

    return build(0, len(tags))


def category(tree):
    """What the grammar makes of a binary tree, or None."""
    if isinstance(tree, str):
        return {"N": "NP", "P": "P"}[tree]  # NP → N is no node of its own
    return {("NP", "PP"): "NP", ("P", "NP"): "PP"}.get(tuple(map(category, tree)))


def written(tree):
    if isinstance(tree, str):
        return {"N": "(N n)", "P": "(P p)"}[tree]
    return f"({category(tree)} {' '.join(map(written, tree))})"


def match(predictions, references):
    texts = [[parse.brackets for parse in side] for side in (predictions, references)]
    return StructIoU(labels="ignore").corpus_score(*texts).columns["matched"]


@pytest.mark.parametrize("n", range(6))
def test_plausible_trees_are_those_that_the_grammar_allows(n):
    wanted = [tree for tree in all_binary_trees(("N", *("P", "N") * n)) if category(tree) == "NP"]
    assert sorted(parse.brackets for parse in plausible_trees(n)) == sorted(map(written, wanted))


def test_plausible_trees_of_the_paper_figure():
    assert {parse.brackets for parse in plausible_trees(2)} == {
        "(NP (N n) (PP (P p) (NP (N n) (PP (P p) (N n)))))",
        "(NP (NP (N n) (PP (P p) (N n))) (PP (P p) (N n)))",
    }


def test_plausible_trees_at_eight():
    trees = plausible_trees(8)
    assert len(trees) == 1430
    assert len({parse.brackets for parse in trees}) == len({parse.spans for parse in trees}) == 1430
    assert {parse.spans.bit_count() for parse in trees} == {16}


def test_parse_spans_are_those_of_its_brackets():
    rng = Random(4)
    n_words = 9
    for parse in [*plausible_trees(4), *(random_tree(n_words, rng) for _ in range(30))]:
        bits = sum(1 << (start * (n_words + 1) + end) for start, end in brackets_of(parse.brackets))
        assert parse.spans == bits


def test_random_tree_joins_random_neighbours():
    # Of the 6 orders in which 3 gaps can close, 2 give the balanced tree and 1 each of the others.
    rng = Random(7)
    counts = Counter(random_tree(4, rng).brackets for _ in range(6000))
    balanced = "(X (X (N n) (P p)) (X (N n) (P p)))"
    assert len(counts) == 5
    assert counts.pop(balanced) == pytest.approx(2000, abs=200)
    assert all(value == pytest.approx(1000, abs=150) for value in counts.values())


def test_random_average_has_the_expected_parseval():
    # Gaps close in random order. A bracket over k words is there if its k - 1 inner gaps close before those
    # at its sides: with a chance of 2 / (k (k + 1)), of 1 / k at an end of the sentence, of 1 for all of it.
    def chance(start, end):
        k, sides = end - start, (start > 0) + (end < 17)
        return (1, 1 / k, 2 / (k * (k + 1)))[sides]

    trees = plausible_trees(8)
    rng = Random(2)
    chosen = rng.sample(trees, 5)
    random_trees = [random_tree(17, rng) for _ in range(4000)]
    for ref in chosen:
        want = sum(chance(*span) for span in brackets_of(ref.brackets))
        got = sum((ref.spans & tree.spans).bit_count() for tree in random_trees) / len(random_trees)
        assert got == pytest.approx(want, abs=0.15)


@pytest.mark.parametrize("n", [2, 3])
def test_sums_equal_the_oracle(n):
    trees = plausible_trees(n)
    for ref in trees:
        for pred in trees:
            sides = oracle.read(pred.brackets), oracle.read(ref.brackets)
            want = oracle.struct_iou(*sides, labels="ignore") * (4 * n + 1)
            assert match([pred], [ref])[0] == pytest.approx(want, abs=1e-12)


def test_find_lowest_equals_trying_all_pairs():
    trees = plausible_trees(4)
    shared = [bytes((ref.spans & tree.spans).bit_count() for tree in trees) for ref in trees]
    want = []
    for ref in trees:
        others = [tree for tree in trees if tree is not ref]
        want.append(min(match(others, [ref] * len(others))))
    tried = []

    def counted(predictions, references):
        tried.extend(predictions)
        return match(predictions, references)

    assert find_lowest(trees, trees, shared, 9, counted) == pytest.approx(want, abs=1e-9)
    assert len(tried) < len(trees) ** 2 / 2


def test_find_lowest_looks_on_where_the_bound_is_not_reached():
    trees = plausible_trees(3)
    shared = [bytes((ref.spans & tree.spans).bit_count() for tree in trees) for ref in trees]

    def raised(predictions, references):
        """Sums far above the bound, so that only trying all of them tells which is lowest."""
        return [
            12.5 + (pred.spans & ref.spans).bit_count() % 3 / 10
            for pred, ref in zip(predictions, references, strict=True)
        ]

    want = [min(raised([t for t in trees if t is not ref], [ref] * (len(trees) - 1))) for ref in trees]
    assert find_lowest(trees, trees, shared, 7, raised) == want


def test_compare_plausible_equals_the_metrics_on_all_pairs():
    found = compare_plausible(4, n_random=56, seed=3)  # a quarter of them draws all 14 plausible trees
    trees = [parse.brackets for parse in plausible_trees(4)]
    pairs = [(pred, ref) for ref in trees for pred in trees if pred != ref]
    scores = StructIoU(labels="ignore").corpus_score(*zip(*pairs, strict=True)).sentences.scores()
    brackets = parseval(*zip(*pairs, strict=True), parameters=UNLABELED)
    shares = [matched / 8 for matched in brackets.columns["matched"]]
    assert set(brackets.columns["n_pred"]) == set(brackets.columns["n_ref"]) == {8}
    for metric, values in (("struct_iou", scores), ("parseval", shares)):
        rows = [values[i : i + 13] for i in range(0, len(values), 13)]
        lowest = found.figures[metric]["plausible_lowest"]
        average = found.figures[metric]["plausible_average"]
        assert (lowest.low, lowest.high) == pytest.approx((min(map(min, rows)), max(map(min, rows))))
        assert average == pytest.approx(
            (sum(values) / len(values), min(map(sum, rows)) / 13, max(map(sum, rows)) / 13)
        )
    assert found.n_drawn == found.n_plausible == found.n_references == 14


def test_compare_plausible_at_the_paper_size():
    """Each reference has a tree that shares but 2 of 16 brackets and gets 19 of 33 nodes, and none below."""
    found = compare_plausible(8, n_random=2, n_references=None if COMPILED else 3)
    assert found.n_plausible == 1430
    assert found.figures["parseval"]["plausible_lowest"] == (0.125, 0.125, 0.125)
    assert found.figures["struct_iou"]["plausible_lowest"] == pytest.approx((19 / 33,) * 3, abs=1e-12)


def test_compare_plausible_lowest_pair_by_hand():
    # All PPs on the first N, and each on the N before it: 17 tags, the sentence and the last PP are shared.
    trees = {parse.brackets: parse for parse in plausible_trees(8)}
    left = "(N n)"
    for _ in range(8):
        left = f"(NP {left} (PP (P p) (N n)))"
    right = "(N n)"
    for _ in range(8):
        right = f"(NP (N n) (PP (P p) {right}))"
    assert (trees[left].spans & trees[right].spans).bit_count() == 2
    assert match([trees[left]], [trees[right]])[0] == pytest.approx(19)


def test_compare_plausible_depends_on_the_seed_alone():
    first, again, other = (compare_plausible(4, n_random=5, n_references=6, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.figures != other.figures
    assert (first.n_references, first.n_random) == (6, 5)
    assert len(first.random_averages) == 6


def test_as_dict_is_plain():
    found = compare_plausible(3, n_random=3).as_dict()
    assert found["template"] == "N (P N){3}"
    assert set(found["figures"]) == {"parseval", "struct_iou"}
    assert set(found["figures"]["parseval"]["random_average"]) == {"mean", "low", "high"}
    assert "paper" not in found


@pytest.mark.parametrize(
    "arguments, message",
    [
        pytest.param({"n": 1}, "n must be from 2", id="only one tree"),
        pytest.param({"n": 13}, "to 12, not 13", id="too many trees"),
        pytest.param({"n": 10}, "16,796 plausible trees; draw at most 2,976", id="too many references"),
        pytest.param({"n": 3, "n_random": 0}, "at least one random tree", id="no random tree"),
        pytest.param({"n": 3, "n_references": 0}, "and one reference", id="no reference"),
    ],
)
def test_compare_plausible_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare_plausible(**arguments)
