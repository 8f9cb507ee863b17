"""Spearman's rho and its p-value, against closed forms."""

from __future__ import annotations

from math import isnan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.analysis.paper.correlation import spearman
from support.examples import examples

VALUES = st.lists(st.integers(-3, 3) | st.floats(-5, 5), min_size=3, max_size=12)

pytest.importorskip("scipy.stats")


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
    assert spearman([1, 2], [3, 4]).rho == pytest.approx(1.0)
    assert isnan(spearman([1, 2], [3, 4]).p_value)
