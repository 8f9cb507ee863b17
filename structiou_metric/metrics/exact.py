"""`Exact`: a sum of floats that is never rounded, so that neither order nor grouping changes a bit of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import Labels

_SCALE = 1074  # every float is a whole number of units of 2 ** -1074
_ONE = 1 << _SCALE


class Exact:
    """The sum of some floats, which is rounded only where it is asked for as a float.

    >>> float(Exact([0.1] * 10)), sum([0.1] * 9, 0.1)
    (1.0, 0.9999999999999999)
    >>> Exact([1e16, 1.0]) + Exact([-1e16]) == Exact([1.0])
    True

    Args:
        values: The floats, all of them finite.
    """

    __slots__ = ("_units",)

    def __init__(self, values: Sequence[float] = ()) -> None:
        units = 0
        # Each round gives the float nearest to what the rounds before have left; after the last nothing is.
        parts: list[float] = []
        while rest := fsum(chain(values, parts)):
            parts.append(-rest)
            units += _units_of(rest)
        self._units = units

    @classmethod
    def of_units(cls, units: int, scale: int) -> Exact:
        """The sum of that many units of `2 ** -scale`."""
        found = cls()
        found._units = units << (_SCALE - scale)
        return found

    def __add__(self, other: Any) -> Exact:
        if isinstance(other, Exact):
            return self.of_units(self._units + other._units, _SCALE)
        return self + Exact([other])

    __radd__ = __add__

    def __float__(self) -> float:
        return self._units / _ONE

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and self._units == other._units

    def __hash__(self) -> int:
        return hash(self._units)

    def __bool__(self) -> bool:
        return self._units != 0

    def __repr__(self) -> str:
        return f"Exact({self.parts()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Exact, (self.parts(),)

    def parts(self) -> list[float]:
        """The few floats that add up to the sum, the largest first; they are the same for equal sums."""
        found, units = [], self._units
        while units:
            found.append(units / _ONE)
            units -= _units_of(found[-1])
        return found


def _units_of(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return numerator * (_ONE // denominator)


def number(value: Any) -> Any:
    """An exact sum as a float; other numbers stay as they are."""
    return float(value) if value.__class__ is Exact else value


def exact_total(values: Any) -> int | Exact:
    """The sum of an array: an integer for integers, an exact one for floats."""
    return Exact(values) if values.typecode in "df" else sum(values)


def add_sums(sums: dict[Any, Any], more: Iterable[tuple[Any, Any]]) -> None:
    """Adds sums to others with the same keys."""
    for key, value in more:
        sums[key] = sums[key] + value if key in sums else value


def add_labels(labels: Labels, more: Labels) -> None:
    """Adds sums by label to others."""
    for label, sums in more.items():
        old = labels.get(label)
        labels[label] = sums if old is None else tuple(a + b for a, b in zip(old, sums, strict=True))


def tally_labels(kind: Any, labels: Labels) -> dict[str, Any]:
    """What was summed up by label, as that kind of tally, the most frequent in the reference first."""
    tallies = {label: kind(*map(number, sums)) for label, sums in labels.items()}
    return dict(sorted(tallies.items(), key=lambda item: (-item[1].n_ref, -item[1].n_pred, item[0])))
