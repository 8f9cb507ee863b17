"""The correlation experiment, against both metrics run on each bucket alone."""

from __future__ import annotations

from math import isnan
from random import Random

import pytest

from structiou_metric import StructIoU
from structiou_metric.analysis.paper.correlation import correlate, describe_ranks
from structiou_metric.analysis.paper.ranks import RankCorrelation, spearman
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
    found = correlate(rows(predictions), rows(references), metric=metric, bucket_size=7, seed=2)
    assert (len(found.buckets), found.n_parseval, found.n_rest, found.n_bare) == (8, 3, 61 - 56, 0)
    seen = [row for bucket in found.buckets for row in bucket.rows]
    assert len(seen) == len(set(seen)) == 56
    assert not {3, 8, 40} & set(seen)
    for bucket in found.buckets:
        sides = [[side[row] for row in bucket.rows] for side in corpus]
        assert bucket.struct_iou == pytest.approx(metric.corpus_score(*sides).score, abs=1e-12)
        assert bucket.parseval == pytest.approx(parseval(*sides).f1, abs=1e-12)
    sides = [[side[row] for row in seen] for side in corpus]
    assert found.struct_iou == pytest.approx(metric.corpus_score(*sides).score, abs=1e-12)
    assert found.parseval == pytest.approx(parseval(*sides).f1, abs=1e-12)
    want = spearman([b.struct_iou for b in found.buckets], [b.parseval for b in found.buckets])
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
    found = correlate(*sides, metric=StructIoU(labels="base"))
    assert (found.n_sentences, len(found.buckets), found.n_parseval, found.n_rest) == (80, 7, 1, 9)
    assert found.as_dict()["n_buckets"] == 7


def test_correlate_leaves_out_what_struct_iou_skips():
    # ParsEval deletes the comma and compares the rest; STRUCT-IoU counts it as a word.
    predictions = [PERFECT, WRONG, PERFECT, "(S (NP (A a)) (VP (B b)) (, ,))"]
    found = correlate(
        rows(predictions), rows([PERFECT] * 4), metric=StructIoU(on_error="skip"), bucket_size=1
    )
    assert (found.n_skipped, found.n_parseval, len(found.buckets)) == (1, 0, 3)
    assert found.ranks.rho == pytest.approx(1)


def test_correlate_leaves_out_buckets_without_brackets():
    predictions = [PERFECT, WRONG, PERFECT, "(A a)"]
    references = [PERFECT, PERFECT, PERFECT, "(A a)"]
    found = correlate(rows(predictions), rows(references), bucket_size=1)
    assert (found.n_bare, len(found.buckets)) == (1, 3)


def test_correlate_by_hand():
    found = correlate(rows([PERFECT, WRONG, PERFECT]), rows([PERFECT] * 3), bucket_size=1)
    assert sorted(bucket[1:] for bucket in found.buckets) == [(0.8, pytest.approx(2 / 3)), (1, 1), (1, 1)]


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
    spmrl = correlate(rows(trees), references, bucket_size=1, parseval=Parseval(variant="spmrl"))
    kept = Parseval(parameters=Parameters())
    all_kept = correlate(rows(trees), references, bucket_size=1, parseval=kept)
    assert min(bucket.parseval for bucket in plain.buckets) == pytest.approx(2 / 3)
    assert min(bucket.parseval for bucket in all_kept.buckets) == pytest.approx(3 / 4)
    assert "variant:spmrl" in spmrl.parseval_signature


def test_correlate_needs_three_buckets():
    message = r"(?s)1 of 2 sentences, which make 0 buckets of 10.*cannot: skipped: trees\[1\] is empty"
    with pytest.raises(ValueError, match=message):
        correlate(rows([PERFECT, FAILED]), rows([PERFECT, PERFECT]))
    with pytest.raises(ValueError, match="at least 1 sentence, not 0"):
        correlate(rows([PERFECT]), rows([PERFECT]), bucket_size=0)


def test_describe_ranks():
    text = describe_ranks(RankCorrelation(0.8212, 8.16e-43, 170))
    assert text == "Spearman's rho = 0.821 (p = 8.2e-43, 170 buckets)"
