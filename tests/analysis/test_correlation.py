"""The correlation experiment, against both metrics run on each bucket alone."""

from __future__ import annotations

from math import isnan
from random import Random

import pytest

pytest.importorskip("scipy")

from structiou_metric import StructIoU
from structiou_metric.analysis.paper.correlation import RankCorrelation, correlate, describe_ranks, spearman
from structiou_metric.metrics import load_metric
from structiou_metric.metrics.parseval.metric import Parameters, Parseval, parseval
from structiou_metric.sources.files import TreeFile
from structiou_metric.sources.rows import ListRows
from support.paths import DATA
from support.random_trees import mutate, random_tree

PERFECT = "(S (NP (A a)) (VP (B b)))"
WRONG = "(S (NP (A a)) (NP (B b)))"  # 2 of 3 brackets; 4 of 5 nodes
FAILED = "()"


def rows(trees):
    return ListRows(trees, "trees")


@pytest.fixture(scope="module")
def corpus():
    """Bracket texts of 64 random pairs, of which ParsEval cannot score three."""
    rng = Random(5)
    references = [random_tree(rng, rng.randint(2, 12), 4) for _ in range(64)]
    predictions = [mutate(rng, tree, rng.randint(0, 4)) for tree in references]
    predictions[3] = predictions[40] = FAILED
    predictions[8] = predictions[8].replace("w0", "other")
    return predictions, references


@pytest.mark.parametrize("average", ["sentence", "corpus"])
def test_correlate_equals_both_metrics_on_each_bucket(corpus, average):
    predictions, references = corpus
    metric = StructIoU(average=average)
    found = correlate(
        rows(predictions), rows(references), metrics=[metric, "parseval"], bucket_size=7, seed=2
    )
    assert (len(found.buckets), found.n_left_out["parseval"], found.n_rest, found.n_bare) == (
        8,
        3,
        61 - 56,
        0,
    )
    seen = [row for bucket in found.buckets for row in bucket.rows]
    assert len(seen) == len(set(seen)) == 56
    assert not {3, 8, 40} & set(seen)
    for bucket in found.buckets:
        sides = [[side[row] for row in bucket.rows] for side in corpus]
        assert bucket.figures["struct_iou"] == pytest.approx(metric.corpus_score(*sides).score, abs=1e-12)
        assert bucket.figures["parseval"] == pytest.approx(parseval(*sides).f1, abs=1e-12)
    sides = [[side[row] for row in seen] for side in corpus]
    assert found.figures["struct_iou"] == pytest.approx(metric.corpus_score(*sides).score, abs=1e-12)
    assert found.figures["parseval"] == pytest.approx(parseval(*sides).f1, abs=1e-12)
    want = spearman(*([b.figures[name] for b in found.buckets] for name in ("struct_iou", "parseval")))
    assert found.ranks == pytest.approx(want)


def test_correlate_shuffles_by_the_seed(corpus):
    predictions, references = corpus
    first, again, other = (
        correlate(rows(predictions), rows(references), bucket_size=7, seed=seed) for seed in (0, 0, 1)
    )
    assert first == again
    assert [bucket.rows for bucket in first.buckets] != [bucket.rows for bucket in other.buckets]


def test_correlate_files_of_trees():
    sides = [TreeFile.read(DATA / f"english.{name}") for name in ("prediction.txt", "reference.mrg")]
    found = correlate(*sides, metrics=[StructIoU(labels="base"), "parseval"])
    assert (found.n_sentences, len(found.buckets), found.n_left_out["parseval"], found.n_rest) == (
        80,
        7,
        1,
        9,
    )
    assert found.as_dict()["n_buckets"] == 7


def test_correlate_leaves_out_what_struct_iou_skips():
    # ParsEval deletes the comma and compares the rest; STRUCT-IoU counts it as a word.
    predictions = [PERFECT, WRONG, PERFECT, "(S (NP (A a)) (VP (B b)) (, ,))"]
    metrics = [StructIoU(on_error="skip"), "parseval"]
    found = correlate(rows(predictions), rows([PERFECT] * 4), metrics=metrics, bucket_size=1)
    assert (found.n_left_out, len(found.buckets)) == ({"struct_iou": 1, "parseval": 0}, 3)
    assert found.ranks.rho == pytest.approx(1)


def test_correlate_leaves_out_buckets_without_brackets():
    predictions = [PERFECT, WRONG, PERFECT, "(A a)"]
    references = [PERFECT, PERFECT, PERFECT, "(A a)"]
    found = correlate(rows(predictions), rows(references), bucket_size=1)
    assert (found.n_bare, len(found.buckets)) == (1, 3)


def test_correlate_by_hand():
    found = correlate(rows([PERFECT, WRONG, PERFECT]), rows([PERFECT] * 3), bucket_size=1)
    values = sorted(tuple(bucket.figures.values()) for bucket in found.buckets)
    assert values == [(0.8, pytest.approx(2 / 3)), (1, 1), (1, 1)]


def test_correlate_of_buckets_that_are_all_alike():
    found = correlate(rows([PERFECT] * 3), rows([PERFECT] * 3), bucket_size=1)
    assert isnan(found.ranks.rho)
    assert found.as_dict()["rho"] is found.as_dict()["p_value"] is None
    assert describe_ranks(found.ranks) == "Spearman's rho is not defined: all 3 buckets score alike"


def test_correlate_by_other_options_of_parseval():
    # Without a deleted label TOP is a bracket, too.
    trees = [f"(TOP {tree})" for tree in (PERFECT, WRONG, PERFECT)]
    references = rows([f"(TOP {PERFECT})"] * 3)
    plain = correlate(rows(trees), references, bucket_size=1)
    spmrl, all_kept = (
        correlate(rows(trees), references, bucket_size=1, metrics=["struct_iou", Parseval(**options)])
        for options in ({"variant": "spmrl"}, {"parameters": Parameters()})
    )
    assert min(bucket.figures["parseval"] for bucket in plain.buckets) == pytest.approx(2 / 3)
    assert min(bucket.figures["parseval"] for bucket in all_kept.buckets) == pytest.approx(3 / 4)
    assert "variant:spmrl" in spmrl.as_dict()["signatures"]["parseval"]


def test_correlate_any_two_metrics_as_each_alone(corpus):
    predictions, references = corpus
    found = correlate(
        rows(predictions), rows(references), metrics=["tree_edit", "leaf_ancestor"], bucket_size=7
    )
    assert (len(found.buckets), found.n_left_out) == (9, {"tree_edit": 0, "leaf_ancestor": 0})
    for bucket in found.buckets:
        sides = [[side[row] for row in bucket.rows] for side in corpus]
        for name, value in bucket.figures.items():
            assert value == pytest.approx(load_metric(name).corpus_score(*sides).figures[name], abs=1e-12)


def test_correlate_repeats_are_the_next_seeds(corpus):
    sides = [rows(side) for side in corpus]
    alone = [correlate(*sides, bucket_size=7, seed=seed).ranks.rho for seed in (4, 5, 6)]
    found = correlate(*sides, bucket_size=7, seed=4, repeats=3)
    assert found.rhos == alone
    assert found.ranks.rho == alone[0]
    mean = sum(alone) / 3
    deviation = (sum((rho - mean) ** 2 for rho in alone) / 2) ** 0.5
    assert found.spread == pytest.approx((mean, deviation))


def test_correlate_takes_two_different_metrics(corpus):
    with pytest.raises(ValueError, match="parseval is given twice"):
        correlate(*map(rows, corpus), metrics=["parseval", "parseval"])


def test_correlate_needs_three_buckets():
    message = r"(?s)1 of 2 sentences, which make 0 buckets of 10.*cannot: skipped: trees\[1\] is empty"
    with pytest.raises(ValueError, match=message):
        correlate(rows([PERFECT, FAILED]), rows([PERFECT, PERFECT]))
    with pytest.raises(ValueError, match="at least 1 sentence, not 0"):
        correlate(rows([PERFECT]), rows([PERFECT]), bucket_size=0)


def test_describe_ranks():
    text = describe_ranks(RankCorrelation(0.8212, 8.16e-43, 170))
    assert text == "Spearman's rho = 0.821 (p = 8.2e-43, 170 buckets)"
