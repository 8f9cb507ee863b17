"""Spearman's rank correlation and its p-value, with the standard library alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import exp, fsum, isnan, lgamma, log, log1p, nan, sqrt
from typing import NamedTuple

_TINY = 1e-300  # stands for 0 where a continued fraction would divide by it
_PRECISION = 1e-15
_MAX_STEPS = 10_000


class RankCorrelation(NamedTuple):
    """What `spearman` found.

    Attributes:
        rho: Spearman's rho from -1 to 1; NaN where all values of a side are equal, or there are fewer than
            two.
        p_value: How likely a rho this far from 0 is without any relation; NaN below three values.
        n: The number of pairs of values.
    """

    rho: float
    p_value: float
    n: int


def spearman(first: Sequence[float], second: Sequence[float]) -> RankCorrelation:
    """Spearman's rho of two lists of values, with the two-sided p-value of a t-test.

    Equal values share the mean of their ranks, and rho is the correlation of the ranks. With n - 2
    degrees of freedom, t is `rho * sqrt((n - 2) / (1 - rho²))`, which is a good approximation from about
    ten values on.

    >>> found = spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(found.rho, 12), round(found.p_value, 4)
    (0.8, 0.1041)
    """
    if len(first) != len(second):
        raise ValueError(
            f"ranks of {len(first)} and of {len(second)} values; give as many of one as of the other"
        )
    if any(map(isnan, first)) or any(map(isnan, second)):
        raise ValueError("a value without a number has no rank; leave its pair out")
    rho = _correlation(rank(first), rank(second))
    return RankCorrelation(rho, _p_value(rho, len(first)), len(first))


def rank(values: Sequence[float]) -> list[float]:
    """The rank of each value, from 1; equal values share the mean of theirs.

    >>> rank([30, 10, 20, 10])
    [4.0, 1.5, 3.0, 1.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    lo = 0
    for _, group in groupby(order, values.__getitem__):
        equal = list(group)
        for i in equal:
            ranks[i] = lo + (len(equal) + 1) / 2
        lo += len(equal)
    return ranks


def _correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Pearson's r of two lists of ranks, whose mean is (n + 1) / 2 with ties or without."""
    middle = (len(first) + 1) / 2
    spread = fsum((x - middle) ** 2 for x in first) * fsum((y - middle) ** 2 for y in second)
    if not spread:
        return nan
    common = fsum((x - middle) * (y - middle) for x, y in zip(first, second, strict=True))
    return max(-1.0, min(1.0, common / sqrt(spread)))


def _p_value(rho: float, n: int) -> float:
    """The two-sided p-value: the chance of a `|t|` at least as large is I(1 - rho²; (n - 2) / 2, 1 / 2)."""
    if isnan(rho) or n < 3:
        return nan
    return incomplete_beta((1.0 - rho) * (1.0 + rho), (n - 2) / 2, 0.5)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I(x; a, b), for 0 <= x <= 1 and positive a and b.

    Accurate to about 12 digits also where it is tiny, for parameters into the thousands.

    >>> round(incomplete_beta(0.5, 2, 3), 12)
    0.6875
    """
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1) / (a + b + 2):  # the fraction converges on the other side
        return 1.0 - incomplete_beta(1.0 - x, b, a)
    log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    return exp(a * log(x) + b * log1p(-x) - log_beta) * _beta_fraction(x, a, b) / a


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The fraction 1 / (1 + d₁ / (1 + d₂ / (1 + …))), from the front (the modified method of Lentz)."""
    value, c, d = 1.0, 1.0, 0.0
    for step in range(1, _MAX_STEPS):
        m, odd = divmod(step, 2)
        term = -(a + m) * (a + b + m) if odd else m * (b - m)
        term *= x / ((a + step - 1) * (a + step))
        d = 1.0 / _away_from_zero(1.0 + term * d)
        c = _away_from_zero(1.0 + term / c)
        value *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return 1.0 / value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
