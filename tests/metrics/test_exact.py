"""`Exact` against sums of fractions."""

from __future__ import annotations

import pickle
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.metrics.exact import Exact
from support.examples import examples

FLOATS = st.lists(st.floats(-1e290, 1e290, allow_nan=False), max_size=12)


@given(FLOATS)
@examples(300)
def test_is_the_sum_of_fractions(values):
    exact = Exact(values)
    wanted = sum(map(Fraction, values), Fraction(0))
    assert float(exact) == float(wanted)
    assert sum(map(Fraction, exact.parts()), Fraction(0)) == wanted
    assert Exact(exact.parts()) == exact
    assert pickle.loads(pickle.dumps(exact)) == exact
    assert bool(exact) == bool(wanted)


@given(FLOATS, FLOATS)
@examples(200)
def test_grouping_and_order_change_nothing(one, other):
    both = Exact(one) + Exact(other)
    assert both == Exact([*other, *one])
    assert hash(both) == hash(Exact([*one, *other]))
    assert sum([Exact([value]) for value in one], Exact(other)) == both
    assert both.parts() == Exact([*reversed(one), *other]).parts()


def test_smallest_and_largest():
    tiny, huge = 5e-324, 1.7976931348623157e308
    assert float(Exact([huge, tiny, -huge])) == tiny
    assert Exact([huge, tiny]).parts() == [huge, tiny]
    assert Exact.of_units(3, 1) == Exact([1.5])
