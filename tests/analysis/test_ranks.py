"""Spearman's rho and its p-value, against closed forms, printed tables and scipy."""

from __future__ import annotations

from math import comb, isnan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.analysis.paper.correlation import incomplete_beta, rank, spearman
from support.examples import examples

VALUES = st.lists(st.integers(-3, 3) | st.floats(-5, 5), min_size=3, max_size=12)


@pytest.fixture(scope="module")
def scipy_stats():
    return pytest.importorskip("scipy.stats")


def slow_rank(values):
    """By counting, for each value, how many are smaller and how many are equal."""
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]


@pytest.mark.parametrize(
    "values, want",
    [
        pytest.param([], [], id="none"),
        pytest.param([7.0], [1], id="one"),
        pytest.param([3, 1, 2], [3, 1, 2], id="all different"),
        pytest.param([5, 5, 5], [2, 2, 2], id="all equal"),
        pytest.param([1, 2, 2, 3], [1, 2.5, 2.5, 4], id="two equal"),
        pytest.param([0.0, -0.0, -1], [2.5, 2.5, 1], id="zeros of both signs"),
    ],
)
def test_rank_cases(values, want):
    assert rank(values) == want


@examples(50)
@given(VALUES)
def test_rank_counts_smaller_and_equal(values):
    assert rank(values) == slow_rank(values)


@examples(50)
@given(st.permutations(range(9)))
def test_spearman_without_ties_is_the_textbook_formula(second):
    n = len(second)
    want = 1 - 6 * sum((x - y) ** 2 for x, y in enumerate(second)) / (n * (n * n - 1))
    assert spearman(range(n), second).rho == pytest.approx(want, abs=1e-12)


def test_spearman_shared_ranks_by_hand():
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5 over sqrt(4.5 * 5).
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]).rho == pytest.approx(4.5 / sqrt(22.5), abs=1e-15)


@examples(50)
@given(VALUES)
def test_spearman_is_one_with_itself_and_minus_one_reversed(values):
    if len(set(values)) > 1:
        assert spearman(values, values)[:2] == pytest.approx((1.0, 0.0), abs=1e-7)
        assert spearman(values, [-value for value in values]).rho == pytest.approx(-1.0, abs=1e-12)


@examples(50)
@given(st.permutations(range(4)))
def test_spearman_p_value_of_four_values_is_one_minus_rho(second):
    # With two degrees of freedom, the chance of a larger |t| is 1 - |t| / sqrt(2 + t²) = 1 - |rho|.
    found = spearman(range(4), second)
    assert found.p_value == pytest.approx(1 - abs(found.rho), abs=1e-12)


@pytest.mark.parametrize(
    "degrees, t, p",
    [
        pytest.param(1, 12.7062, 0.05, id="1 degree, 5 %"),
        pytest.param(5, 4.03214, 0.01, id="5 degrees, 1 %"),
        pytest.param(10, 2.22814, 0.05, id="10 degrees, 5 %"),
        pytest.param(30, 2.04227, 0.05, id="30 degrees, 5 %"),
        pytest.param(120, 3.37345, 0.001, id="120 degrees, 0.1 %"),
    ],
)
def test_incomplete_beta_gives_the_tables_of_student(degrees, t, p):
    assert incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5) == pytest.approx(p, rel=2e-4)


@examples(50)
@given(st.floats(0, 1), st.integers(1, 30), st.integers(1, 30))
def test_incomplete_beta_of_whole_numbers_is_a_binomial_sum(x, a, b):
    n = a + b - 1
    want = sum(comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1))
    assert incomplete_beta(x, a, b) == pytest.approx(want, rel=1e-9, abs=1e-12)


def test_spearman_p_value_agrees_with_the_paper():
    # The paper prints rho 0.821 and p 8.16e-43 for the 1,700 sentences, hence 170 buckets, of its text data.
    def p_value(rho):
        return incomplete_beta(1 - rho * rho, (170 - 2) / 2, 0.5)

    assert p_value(0.8215) < 8.16e-43 < p_value(0.8205)


@examples(50)
@given(st.lists(st.tuples(st.integers(0, 6), st.floats(-1, 1)), min_size=3, max_size=40))
def test_spearman_equals_scipy(scipy_stats, pairs):
    first, second = zip(*pairs, strict=True)
    if len(set(first)) > 1 and len(set(second)) > 1:
        want = scipy_stats.spearmanr(first, second)
        found = spearman(first, second)
        assert found.rho == pytest.approx(want.statistic, abs=1e-12)
        if abs(found.rho) < 1 - 1e-9:
            assert found.p_value == pytest.approx(want.pvalue, rel=1e-9)


@pytest.mark.parametrize("n", [50, 170, 377, 5000])
@pytest.mark.parametrize("rho", [0.0, 0.01, 0.3, -0.689, 0.95])
def test_incomplete_beta_equals_scipy_also_where_it_is_tiny(n, rho):
    special = pytest.importorskip("scipy.special")
    x = 1 - rho * rho
    want = special.betainc((n - 2) / 2, 0.5, x)
    assert incomplete_beta(x, (n - 2) / 2, 0.5) == pytest.approx(want, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    "first, second",
    [
        pytest.param([], [], id="no values"),
        pytest.param([1], [1], id="one value"),
        pytest.param([1, 1, 1], [1, 2, 3], id="first all equal"),
        pytest.param([1, 2, 3], [4, 4, 4], id="second all equal"),
    ],
)
def test_spearman_is_undefined(first, second):
    found = spearman(first, second)
    assert isnan(found.rho)
    assert isnan(found.p_value)
    assert found.n == len(first)


def test_spearman_of_two_values_has_no_p_value():
    assert spearman([1, 2], [3, 4]).rho == 1.0
    assert isnan(spearman([1, 2], [3, 4]).p_value)


def test_spearman_refuses_what_has_no_ranks():
    with pytest.raises(ValueError, match="ranks of 2 and of 3 values"):
        spearman([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="without a number has no rank"):
        spearman([1, float("nan"), 2], [1, 2, 3])
