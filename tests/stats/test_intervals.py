"""Intervals: against a literal computation, a law of order, and simulations of their coverage."""

from __future__ import annotations

import math
import sys
from itertools import chain, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.analysis.compare import compare
from structiou_metric.stats.columns import join_clusters
from structiou_metric.stats.intervals import Bootstrap, confidence_interval, unseen_share
from structiou_metric.stats.significance import paired_test

np = pytest.importorskip("numpy")


def mean(sums):
    return sums["score"] / sums["n"]


def ratio(sums):
    return 2 * sums["matched"] / (sums["n_pred"] + sums["n_ref"])


def columns_of(scores):
    return {"n": np.ones(len(scores)), "score": np.asarray(scores, dtype=float)}


def slow_bounds(rows, figure, samples, tail):
    """The bounds by their definition: samples are lists of numbers of rows."""
    lows, highs = [], []
    for sample in samples:
        values = [figure([*(rows[i] for i in sample), last]) for last in rows]
        lows.append(min(values))
        highs.append(max(values))
    return float(np.quantile(lows, tail)), float(np.quantile(highs, 1 - tail))


def slow_mean(rows):
    return math.fsum(rows) / len(rows)


def slow_ratio(rows):
    matched, n_pred, n_ref = (math.fsum(column) for column in zip(*rows, strict=True))
    return 2 * matched / (n_pred + n_ref)


def samples_of(n_rows, n_resamples, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.poisson(n_rows, n_resamples).tolist()
    return [rng.integers(0, n_rows, size=size).tolist() for size in sizes]


def test_bounds_of_a_mean_are_what_their_definition_says():
    scores = [0.9, 1.0, 0.4, 0.95, 0.8, 0.2, 0.7]
    found = confidence_interval(columns_of(scores), mean, level=0.9, n_resamples=400, seed=3)
    want = slow_bounds(scores, slow_mean, samples_of(7, 400, 3), 0.05)
    assert (found.low, found.high) == pytest.approx(want, abs=1e-12)
    assert found.method == "percentile"


def test_bounds_of_a_ratio_are_what_their_definition_says():
    rows = [(3, 5, 4), (1, 9, 2), (2, 2, 2), (0, 0, 7), (6, 8, 8), (5, 6, 20)]
    columns = dict(zip(("matched", "n_pred", "n_ref"), zip(*rows, strict=True), strict=True))
    found = confidence_interval(columns, ratio, n_resamples=500, seed=8)
    want = slow_bounds(rows, slow_ratio, samples_of(6, 500, 8), 0.025)
    assert (found.low, found.high) == pytest.approx(want, abs=1e-12)


def test_bounds_of_a_difference_are_what_their_definition_says():
    a, b = [0.9, 1.0, 0.4, 0.95, 0.8], [0.7, 1.0, 0.5, 0.6, 0.8]
    pair = Bootstrap([columns_of(a), columns_of(b)], n_resamples=500, seed=2)
    found = pair.difference(0, 1, mean)
    gains = [x - y for x, y in zip(a, b, strict=True)]
    want = slow_bounds(gains, slow_mean, samples_of(5, 500, 2), 0.025)
    assert found.value == pytest.approx(slow_mean(gains))
    assert (found.low, found.high) == pytest.approx(want, abs=1e-12)


def test_bounds_are_near_those_of_the_distribution():
    """Of two rows worth 0 and 1 each comes a Poisson number of times, and the first once more."""
    found = confidence_interval(columns_of([0.0, 1.0]), mean, level=0.8, n_resamples=20_000)
    chance = [math.exp(-1) / math.factorial(k) for k in range(12)]
    everything = [
        (ones / (ones + zeros + 1), chance[zeros] * chance[ones])
        for zeros, ones in product(range(12), repeat=2)
    ]
    below = sum(p for value, p in everything if value < found.low - 1e-9)
    up_to = sum(p for value, p in everything if value <= found.low + 1e-9)
    tolerance = 4.9 * math.sqrt(0.1 * 0.9 / 20_000)
    assert below <= 0.1 + tolerance
    assert up_to >= 0.1 - tolerance
    assert found.high == pytest.approx(1 - found.low)


# ---- order -----------------------------------------------------------------------------------------

SCORES = st.sampled_from([0.0, 0.1, 0.5, 0.7, 0.9, 0.95, 1.0])


@given(st.data())
def test_raising_a_value_never_lowers_a_bound(data):
    scores = data.draw(st.lists(SCORES, min_size=1, max_size=30))
    row = data.draw(st.integers(0, len(scores) - 1))
    better = [*scores]
    better[row] += data.draw(st.floats(0, 1)) * (1 - better[row])
    level = data.draw(st.sampled_from([0.5, 0.95, 0.999]))
    low, high = (
        confidence_interval(columns_of(own), mean, level=level, n_resamples=150) for own in (scores, better)
    )
    assert high.low >= low.low - 1e-9
    assert high.high >= low.high - 1e-9


@given(st.data())
def test_matching_more_never_lowers_a_bound(data):
    sizes = data.draw(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=12))
    matched = [data.draw(st.floats(0, min(pair))) for pair in sizes]
    row = data.draw(st.integers(0, len(sizes) - 1))
    better = [*matched]
    better[row] += data.draw(st.floats(0, 1)) * (min(sizes[row]) - better[row])
    n_pred, n_ref = zip(*sizes, strict=True)
    low, high = (
        confidence_interval({"matched": own, "n_pred": n_pred, "n_ref": n_ref}, ratio, n_resamples=100)
        for own in (matched, better)
    )
    assert high.low >= low.low - 1e-9
    assert high.high >= low.high - 1e-9


TREES = [
    "(S (NP (DT a) (NN b)) (VP (VBZ c) (NP (NN d))))",
    "(S (NP (DT a) (NN b)) (VP (VBZ c) (NP (JJ d))))",
    "(S (NP (DT a) (NN b)) (XP (VBZ c) (NP (JJ d))))",
    "(X (XP (DT a) (NN b)) (XP (VBZ c) (XP (JJ d))))",
]  # of the same nodes, each with more of them wrong than the one before


@given(st.lists(st.integers(0, 3), min_size=2, max_size=20), st.data())
def test_a_better_system_has_no_lower_bound_of_a_worse_one(errors, data):
    """The law through `compare`: each system is the one before with one sentence mended."""
    rows = [row for row, number in enumerate(errors) if number] or [0]
    row = data.draw(st.sampled_from(rows))
    mended = [*errors]
    mended[row] = data.draw(st.integers(0, errors[row]))
    systems = {
        name: [TREES[number] for number in own]
        for name, own in (("worse", errors), ("better", mended), ("perfect", [0] * len(errors)))
    }
    found = compare(systems, [TREES[0]] * len(errors), n_resamples=100)
    for key in found.measures:
        worse, better, perfect = (system.figures[key] for system in found.systems)
        assert worse.low <= better.low + 1e-9
        assert better.low <= perfect.low + 1e-9
        assert worse.high <= better.high + 1e-9
        assert better.high <= perfect.high + 1e-9


def test_twenty_perfect_sentences_against_one_wrong_tag():
    perfect = [TREES[0]] * 20
    found = compare({"perfect": perfect, "one": [TREES[1], *perfect[1:]]}, perfect, n_resamples=1000)
    first, second = (system.figures["struct_iou_sentence"] for system in found.systems)
    assert (first.low, first.high, first.method) == (1.0, 1.0, "alike")
    assert second.low < second.value < second.high <= 1.0


# ---- few rows --------------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=12),
    st.sampled_from([0.5, 0.95, 0.999]),
    st.integers(1, 40),
)
def test_bounds_are_numbers_among_the_scores(scores, level, n_resamples):
    found = confidence_interval(columns_of(scores), mean, level=level, n_resamples=n_resamples)
    assert min(scores) - 1e-9 <= found.low <= found.high + 1e-12 <= max(scores) + 1e-9


@pytest.mark.parametrize("score", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("n_rows", [1, 2, 20])
def test_sentences_that_are_all_equal_have_no_width(score, n_rows):
    found = confidence_interval(columns_of([score] * n_rows), mean, n_resamples=50)
    assert found.low == found.high == found.value == pytest.approx(score)
    assert found.method == "alike"


@pytest.mark.parametrize("n_rows", [1, 20, 300])
def test_what_is_not_seen_is_missed_as_often_as_said(n_rows):
    assert (1 - unseen_share(n_rows, 0.95)) ** n_rows == pytest.approx(0.05)


def test_one_sentence_alone_makes_no_difference():
    """By hand: a resample lacks that sentence with a chance of 1 / e, and then both are equal."""
    a = [1.0] * 20
    pair = Bootstrap([columns_of(a), columns_of([0.0, *a[1:]])], n_resamples=2000)
    found = pair.difference(0, 1, mean)
    assert found.value == pytest.approx(0.05)
    assert found.low == 0.0 < found.high
    assert paired_test(columns_of(a), columns_of([0.0, *a[1:]]), mean).p_value == 1.0


def test_columns_that_never_change():
    columns = {"count": [1] * 30, "score": [0.1] * 30, "none": [0] * 30}
    bootstrap = Bootstrap([columns], n_resamples=10)
    assert bootstrap.interval(0, lambda sums: sums["score"] / sums["count"]).high == pytest.approx(0.1)
    nothing = bootstrap.interval(0, lambda sums: sums["none"] / sums["count"])
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 0.0)


# ---- seeds, blocks, systems ------------------------------------------------------------------------


@pytest.fixture
def noise():
    rng = np.random.default_rng(0)
    return [columns_of(rng.random(333)) for _ in range(3)]


def test_interval_repeats_with_its_seed(noise):
    found = [confidence_interval(noise[0], mean, n_resamples=999, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_samples_do_not_depend_on_the_other_systems(noise):
    bootstrap = Bootstrap(noise, n_resamples=500, seed=4)
    assert bootstrap.interval(2, mean) == confidence_interval(noise[2], mean, n_resamples=500, seed=4)


def test_metrics_with_other_columns_share_the_samples(noise):
    other = {"matched": [1] * 333, "n_pred": range(1, 334), "n_ref": [3] * 333}
    both = Bootstrap([noise[0], other], n_resamples=300, seed=2)
    assert both.interval(0, mean) == confidence_interval(noise[0], mean, n_resamples=300, seed=2)
    assert both.interval(1, ratio) == confidence_interval(other, ratio, n_resamples=300, seed=2)
    with pytest.raises(ValueError, match=r"same columns, not \['n', 'score'\] and \['matched', "):
        both.difference(0, 1, mean)


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_interval_refuses_levels_that_are_no_shares(level):
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        confidence_interval(columns_of([1, 2]), mean, level=level)


def test_numpy_is_asked_for_by_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ImportError, match=r"needs numpy: pip install 'structiou-metric\[compare\]'"):
        confidence_interval({"n": [1, 1], "score": [1, 2]}, mean)


# ---- documents -------------------------------------------------------------------------------------


def test_documents_are_drawn_as_a_whole():
    rng = np.random.default_rng(2)
    clusters = [f"d{k}" for k in rng.integers(0, 7, 60)]
    scores = rng.random(60).tolist()
    found = confidence_interval(columns_of(scores), mean, n_resamples=200, seed=6, clusters=clusters)
    documents = [
        [score for score, own in zip(scores, clusters, strict=True) if own == name]
        for name in dict.fromkeys(clusters)
    ]
    want = slow_bounds(
        documents, lambda drawn: slow_mean([*chain(*drawn)]), samples_of(len(documents), 200, 6), 0.025
    )
    assert (found.low, found.high) == pytest.approx(want, abs=1e-12)


def test_documents_are_swapped_as_a_whole():
    # By hand: of documents with 2 and 1 sentences, 4 swaps; as far as the data's are it and all swapped.
    a, b = columns_of([0.5, 0.6, 0.9]), columns_of([0.4, 0.5, 0.7])
    found = paired_test(a, b, mean, clusters=["x", "x", "y"])
    assert (found.p_value, found.exact) == (0.5, True)
    assert paired_test(a, b, mean).p_value == 0.25


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=10))
def test_joined_clusters_keep_the_sums(rows):
    clusters, values = zip(*rows, strict=True)
    found = join_clusters({"x": values}, clusters)["x"]
    want = {}
    for cluster, value in rows:
        want[cluster] = want.get(cluster, 0) + value
    assert found.tolist() == list(want.values())


def test_clusters_are_one_for_each_sentence():
    with pytest.raises(ValueError, match="column 'n' has 3 sentences and there are 2 clusters"):
        confidence_interval(columns_of([1, 0, 1]), mean, clusters=["a", "b"])


# ---- coverage --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_coverage_of_few_sentences():
    """A part of `bench_coverage`, which judges more samples, more figures and more sentences."""
    from bench.bench_coverage import coverage, coverage_of_scores, make_population, skewed_scores

    n_trials = 600
    noise = 3 * math.sqrt(0.95 * 0.05 / n_trials)
    found = coverage(make_population(1000, wrong_shares=[0.3, 0.5]), 20, n_trials)
    assert all(abs(share - 0.95) <= 0.03 + noise for share in found.values()), found
    skewed = coverage_of_scores(skewed_scores(), 20, n_trials)
    assert abs(skewed - 0.95) <= 0.03 + noise
    assert coverage_of_scores(skewed_scores(), 20, n_trials, plain=True) < skewed - 0.01


@pytest.mark.slow
def test_coverage_of_documents():
    from bench.bench_coverage import cluster_coverage

    n_trials = 400
    assert abs(cluster_coverage(20, n_trials, by_document=True) - 0.95) <= 0.03 + 3 * math.sqrt(
        0.95 * 0.05 / n_trials
    )
    assert cluster_coverage(20, n_trials, by_document=False) < 0.85
