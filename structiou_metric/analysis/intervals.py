"""The bounds of a confidence interval, from a statistic's values in bootstrap samples.

- **percentile**: from the `(1 - level) / 2` quantile of the samples' values to that as far from the top.
- **bca**, where there are fewer than `FEW` units (sentences, or clusters that are drawn as a whole) but not
  just one: the same with other quantiles. BCa ("bias-corrected and accelerated", Efron 1987) moves them by
  how far the value is from the middle of the samples, and by how skewed the values with one unit left out
  are. Samples of n units spread less than they should, by the root of (n - 1) / n, and quantiles of the
  normal distribution take that spread for known; so those of Student's t distribution, times the root of
  n / (n - 1), stand in their place (Hesterberg 2015, "expanded" percentiles).
- **bca_t**, of the difference of two systems where there are few units: as **bca**, but at least as far as
  Student's t interval around the value, within the samples' values. Systems agree on most sentences, so that
  a few make the difference; and of few, the skew that BCa corrects by cannot be known.
- **unseen**, of a figure with a least and a greatest value, where all units are alike, such as 20 perfect
  sentences: samples all have the same value, and say nothing. Units of other kinds may make up a share `u` of
  the population with `(1 - u)^n = (1 - level) / 2` and still be missed by n units that often; the interval
  reaches as far as they could take the value.

`tests/bench/bench_coverage.py` measures how often such intervals hold the true value: scores are bounded by 1
and skewed, and of 20 sentences neither percentiles nor BCa by itself reach far enough. No interval knows of
what is not in the data: where one sentence in 80 is a failed parse, most samples of 20 hold none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from ..optional import need

__all__ = ["Interval"]

FEW = 100  # units; an interval of fewer is `bca`
UNSEEN = "unseen"
TITLES = {
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap, widened by Student's t",
    "bca_t": "BCa bootstrap, at least Student's t interval",
    UNSEEN: "where all rows of a system are alike, as far as others, not seen, could take the figure",
}

_NORMAL = NormalDist()
_SLACK = 1e-10  # relative; values this close are equal, for sums are rounded


@dataclass(frozen=True)
class Interval:
    """A value and the bounds of its confidence interval.

    >>> from structiou_metric.analysis.resampling import confidence_interval
    >>> columns = {"matched": [3, 1, 2, 4], "n_pred": [4, 4, 4, 4]}
    >>> found = confidence_interval(columns, lambda sums: sums["matched"] / sums["n_pred"])
    >>> found.value, found.method
    (0.625, 'bca')

    Attributes:
        value: The value in the data.
        low: The lower bound.
        high: The upper bound.
        method: How the bounds were made, a key of `TITLES`.
    """

    value: float
    low: float
    high: float
    method: str


def check_level(level: float, name: str = "level") -> None:
    """Refuses a level that no interval has; `name` is the option that it came by."""
    if not isinstance(level, (int, float)) or not 0.0 < level < 1.0:
        raise ValueError(f"{name} must be between 0 and 1, such as 0.95, not {level!r}")


def find_interval(
    value: float, samples: Any, left_out: Any | None, level: float, *, paired: bool = False
) -> Interval:
    """The interval of a value.

    Args:
        value: The value in the data.
        samples: The values in bootstrap samples, an array.
        left_out: The values in the data without each of the units; None if there are not few of them.
        level: The share of such intervals that should hold the true value.
        paired: Whether the value is a difference of two systems.
    """
    check_level(level)
    np = need("numpy", "compare", "a significance test")
    tail = (1.0 - level) / 2.0
    if left_out is None:
        low, high = np.quantile(samples, (tail, 1.0 - tail))
        return Interval(value, float(low), float(high), "percentile")
    n_units = len(left_out)
    student = student_quantile(1.0 - tail, n_units - 1)
    away = left_out.mean() - left_out
    squares = float((away**2).sum())
    wide = student * math.sqrt(n_units / (n_units - 1))
    bias = _bias(value, samples)
    varied = squares > (_SLACK * abs(value)) ** 2 * n_units
    acceleration = float((away**3).sum()) / (6.0 * squares**1.5) if varied else 0.0
    shares = [_share(bias, acceleration, place) for place in (-wide, wide)]
    low, high = map(float, np.quantile(samples, shares))
    if not paired:
        return Interval(value, low, high, "bca")
    reach = student * math.sqrt(squares * (n_units - 1) / n_units)
    low = min(low, max(value - reach, float(samples.min())))
    high = max(high, min(value + reach, float(samples.max())))
    return Interval(value, low, high, "bca_t")


def find_unseen(value: float, n_units: int, limits: tuple[float, float], level: float) -> Interval:
    """The interval of a value that all units have.

    >>> found = find_unseen(1.0, 20, (0.0, 1.0), level=0.95)
    >>> round(found.low, 4), found.high
    (0.8316, 1.0)

    Args:
        value: The value in the data.
        n_units: The number of units.
        limits: The least value that the figure can have, and the greatest.
        level: The share of such intervals that should hold the true value.
    """
    check_level(level)
    share = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / n_units)
    lowest, highest = limits
    return Interval(value, value - share * (value - lowest), value + share * (highest - value), UNSEEN)


def are_alike(value: float, samples: Any) -> bool:
    """Whether all samples have the value."""
    return bool((abs(samples - value) <= _SLACK * abs(value)).all())


def _bias(value: float, samples: Any) -> float:
    """How far the value is from the middle of the samples, in deviations of a normal distribution."""
    slack = _SLACK * abs(value)
    below = int((samples < value - slack).sum())
    equal = int((samples <= value + slack).sum()) - below
    return _NORMAL.inv_cdf((below + equal / 2.0 + 0.5) / (len(samples) + 1.0))


def _share(bias: float, acceleration: float, place: float) -> float:
    """The share of the samples below a place, which a normal distribution would have there."""
    moved = bias + place
    room = 1.0 - acceleration * moved
    return _NORMAL.cdf(bias + moved / room) if room > 0.0 else float(moved > 0.0)


def student_quantile(share: float, freedom: int) -> float:
    """The value below which Student's t is with that chance, from 0.5 to 1, given its degrees of freedom.

    >>> round(student_quantile(0.975, 19), 4), round(student_quantile(0.975, 1), 4)
    (2.093, 12.7062)
    """
    low, high = 0.0, math.pi / 2.0  # of the angle whose tangent is t over the root of the degrees
    for _ in range(60):
        middle = (low + high) / 2.0
        if 0.5 + _within(middle, freedom) / 2.0 < share:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The chance of a t between both angles (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    cosine = math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    total *= math.sin(angle)
    return 2.0 / math.pi * (angle + total) if odd else total
