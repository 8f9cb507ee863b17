"""Bounds of intervals: against a literal computation, another program, and simulations of their coverage."""

from __future__ import annotations

import math
from itertools import product
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.analysis import resampling
from structiou_metric.analysis.intervals import FEW, find_interval, student_quantile
from structiou_metric.analysis.resampling import (
    Bootstrap,
    confidence_interval,
    join_clusters,
    paired_test,
)

np = pytest.importorskip("numpy")

NORMAL = NormalDist()


def mean(sums):
    return sums["score"] / sums["n"]


def columns_of(scores):
    return {"n": np.ones(len(scores)), "score": np.asarray(scores, dtype=float)}


def slow_bounds(scores, samples, level, t):
    """The bounds of a mean, step by step; `t` is the quantile of Student's distribution."""
    n = len(scores)
    value = sum(scores) / n
    below = sum(sample < value - 1e-12 for sample in samples)
    equal = sum(abs(sample - value) <= 1e-12 for sample in samples)
    z0 = NORMAL.inv_cdf((below + equal / 2 + 0.5) / (len(samples) + 1))
    left_out = [(sum(scores) - score) / (n - 1) for score in scores]
    middle = sum(left_out) / n
    a = sum((middle - x) ** 3 for x in left_out) / (6 * sum((middle - x) ** 2 for x in left_out) ** 1.5)
    shares = []
    for z in (-t * math.sqrt(n / (n - 1)), t * math.sqrt(n / (n - 1))):
        shares.append(NORMAL.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))))
    return np.quantile(samples, shares)


def test_bca_is_what_its_definition_says():
    scores = [0.9, 1.0, 0.4, 0.95, 0.8]
    samples = np.array([sum(rows) / 5 for rows in product(scores, repeat=5)])
    left_out = np.array([(sum(scores) - score) / 4 for score in scores])
    found = find_interval(sum(scores) / 5, samples, left_out, 0.9)
    # 2.1318 is below which Student's t with 4 degrees of freedom is with a chance of 0.95, by tables.
    assert (found.low, found.high) == pytest.approx(slow_bounds(scores, samples, 0.9, 2.13184679), abs=1e-9)
    assert found.method == "bca"


@pytest.mark.parametrize(
    "differences", [[0.4, 0.1, -0.1, 0.05, 0.0], [-0.4, 0.3, 0.2, 0.1, -0.1], [0.3, 0.0, 0.0, 0.0, 0.0]]
)
def test_differences_reach_as_far_as_student(differences):
    t = 2.77644511  # below which Student's t with 4 degrees of freedom is with a chance of 0.975, by tables
    samples = np.array([sum(rows) / 5 for rows in product(differences, repeat=5)])
    value = sum(differences) / 5
    left_out = np.array([(sum(differences) - one) / 4 for one in differences])
    found = find_interval(value, samples, left_out, 0.95, paired=True)
    low, high = slow_bounds(differences, samples, 0.95, t)
    reach = t * np.std(differences, ddof=1) / math.sqrt(5)
    assert found.low == pytest.approx(min(low, max(value - reach, min(samples))), abs=1e-8)
    assert found.high == pytest.approx(max(high, min(value + reach, max(samples))), abs=1e-8)
    assert found.method == "bca_t"


def test_bca_without_the_wider_quantiles_is_that_of_scipy(monkeypatch):
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(8)
    scores = rng.beta(8, 1, 40)
    n_units = len(scores)
    monkeypatch.setattr(
        "structiou_metric.analysis.intervals.student_quantile",
        lambda share, freedom: NORMAL.inv_cdf(share) / math.sqrt(n_units / (n_units - 1)),
    )
    found = confidence_interval(columns_of(scores), mean, n_resamples=20_000)
    theirs = stats.bootstrap((scores,), np.mean, n_resamples=20_000, method="BCa", rng=3).confidence_interval
    # Their samples are others: a quantile is off by about 2.7 deviations over the root of the samples.
    deviation = scores.std() / math.sqrt(n_units)
    assert (found.low, found.high) == pytest.approx(
        tuple(theirs), abs=6 * 2.7 * deviation / math.sqrt(20_000)
    )


@pytest.mark.parametrize(
    "share, freedom, t",
    [  # from tables
        (0.975, 1, 12.7062),
        (0.975, 2, 4.3027),
        (0.95, 5, 2.0150),
        (0.975, 19, 2.0930),
        (0.995, 30, 2.7500),
        (0.975, 98, 1.9845),
        (0.5, 7, 0.0),
    ],
)
def test_quantiles_of_student(share, freedom, t):
    assert student_quantile(share, freedom) == pytest.approx(t, abs=5e-5)


def test_the_number_of_sentences_decides():
    scores = np.linspace(0.5, 1.0, FEW)
    assert FEW == 100
    assert confidence_interval(columns_of(scores), mean, n_resamples=20).method == "percentile"
    assert confidence_interval(columns_of(scores[1:]), mean, n_resamples=20).method == "bca"
    pair = Bootstrap([columns_of(scores[1:]), columns_of(scores[:-1])], n_resamples=20)
    assert pair.difference(0, 1, mean).method == "bca_t"
    many = Bootstrap([columns_of(scores), columns_of(scores / 2)], n_resamples=20)
    assert many.difference(0, 1, mean).method == "percentile"


def test_clusters_decide_not_sentences():
    columns = columns_of(np.linspace(0.5, 1.0, 300))
    assert confidence_interval(columns, mean, n_resamples=20).method == "percentile"
    clusters = [k // 4 for k in range(300)]
    assert confidence_interval(columns, mean, n_resamples=20, clusters=clusters).method == "bca"


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=12),
    st.sampled_from([0.5, 0.95, 0.999]),
    st.integers(1, 40),
)
def test_bounds_are_numbers_among_the_samples(scores, level, n_resamples):
    found = confidence_interval(columns_of(scores), mean, level=level, n_resamples=n_resamples)
    assert min(scores) - 1e-9 <= found.low <= found.high + 1e-12 <= max(scores) + 1e-9


def test_sentences_that_are_all_equal_have_no_width():
    found = confidence_interval(columns_of([0.7] * 9), mean, n_resamples=50)
    assert (found.low, found.high) == pytest.approx((0.7, 0.7))


@pytest.mark.parametrize(
    "value, n_units, low, high",
    [  # 0.025 is the root of the number of sentences times the share of what was seen
        (1.0, 1, 0.025, 1.0),
        (1.0, 2, math.sqrt(0.025), 1.0),
        (0.0, 2, 0.0, 1.0 - math.sqrt(0.025)),
        (0.5, 2, 0.5 * math.sqrt(0.025), 1.0 - 0.5 * math.sqrt(0.025)),
    ],
)
def test_sentences_that_are_all_equal_leave_room_for_others(value, n_units, low, high):
    columns = columns_of([value] * n_units)
    found = confidence_interval(columns, mean, n_resamples=50, limits=(0.0, 1.0))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.method == "unseen"
    assert confidence_interval(columns, mean, n_resamples=50, limits=(0.0, None)).low == value


def test_limits_change_nothing_where_sentences_differ():
    columns = columns_of([0.7] * 30 + [0.8])
    found = confidence_interval(columns, mean, n_resamples=200, limits=(0.0, 1.0))
    assert found == confidence_interval(columns, mean, n_resamples=200)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.168])
def test_unseen_kinds_are_missed_no_more_often_than_said(share):
    """Exact: of sentences that are perfect, or worth nothing with a chance of at most `share`."""
    n_units = 20
    found = confidence_interval(columns_of([1.0] * n_units), mean, n_resamples=20, limits=(0.0, 1.0))
    missed = (1.0 - share) ** n_units if 1.0 - share < found.low else 0.0
    assert missed <= 0.025 + 1e-9


# ---- documents -------------------------------------------------------------------------------------


def slow_clusters(scores, clusters, n_resamples, seed):
    """The mean in samples of whole documents, drawn one by one."""
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys(clusters))
    values = []
    for _ in range(n_resamples):
        drawn = [names[k] for k in rng.integers(0, len(names), size=len(names))]
        rows = [i for name in drawn for i, cluster in enumerate(clusters) if cluster == name]
        values.append(sum(scores[i] for i in rows) / len(rows))
    return values


def test_documents_are_drawn_as_in_a_loop(monkeypatch):
    monkeypatch.setattr(resampling, "FEW", 0)
    rng = np.random.default_rng(2)
    clusters = [f"d{k}" for k in rng.integers(0, 9, 60)]
    scores = rng.random(60)
    found = confidence_interval(columns_of(scores), mean, n_resamples=200, seed=6, clusters=clusters)
    want = np.quantile(slow_clusters(scores, clusters, 200, 6), (0.025, 0.975))
    assert (found.low, found.high) == pytest.approx(tuple(want), abs=1e-12)


def test_documents_are_swapped_as_a_whole():
    # By hand: of documents with 2 and 1 sentences, 4 swaps; as far as the data's are it and all swapped.
    a, b = columns_of([0.5, 0.6, 0.9]), columns_of([0.4, 0.5, 0.7])
    found = paired_test(a, b, mean, method="randomization", clusters=["x", "x", "y"])
    assert (found.p_value, found.exact) == (0.5, True)
    assert paired_test(a, b, mean, method="randomization").p_value == 0.25


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
    from bench.bench_coverage import coverage, make_population

    population = make_population(1000, wrong_shares=[0.15, 0.5])
    n_trials = 600
    noise = 3 * math.sqrt(0.95 * 0.05 / n_trials)
    found = coverage(population, 20, n_trials)
    assert all(abs(share - 0.95) <= 0.02 + noise for share in found.values()), found
    plain = coverage(population, 20, n_trials, few=0)
    assert all(plain[name] < share for name, share in found.items())


@pytest.mark.slow
def test_coverage_of_documents():
    from bench.bench_coverage import cluster_coverage

    n_trials = 400
    assert abs(cluster_coverage(20, n_trials, by_document=True) - 0.95) <= 0.02 + 3 * math.sqrt(
        0.95 * 0.05 / n_trials
    )
    assert cluster_coverage(20, n_trials, by_document=False) < 0.85
