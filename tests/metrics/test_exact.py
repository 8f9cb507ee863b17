"""Exact sums against sums of fractions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.metrics.sums import exact_sum, float_parts
from support.examples import examples

FLOATS = st.lists(st.floats(-1e290, 1e290, allow_nan=False), max_size=12)


@given(FLOATS)
@examples(300)
def test_is_the_sum_of_fractions(values):
    exact = exact_sum(values)
    assert exact == sum(map(Fraction, values), Fraction(0))
    assert sum(map(Fraction, float_parts(exact)), Fraction(0)) == exact


@given(FLOATS, FLOATS)
@examples(200)
def test_grouping_and_order_change_nothing(one, other):
    both = exact_sum(one) + exact_sum(other)
    assert both == exact_sum([*other, *one])
    assert float_parts(both) == float_parts(exact_sum([*reversed(one), *other]))


def test_smallest_and_largest():
    tiny, huge = 5e-324, 1.7976931348623157e308
    assert float(exact_sum([huge, tiny, -huge])) == tiny
    assert float_parts(exact_sum([huge, tiny])) == [huge, tiny]
