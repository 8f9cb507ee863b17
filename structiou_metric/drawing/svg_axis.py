"""The horizontal axis that two trees share: where a place in words, characters or seconds is drawn.

The places at which a word of either tree starts or ends cut the axis into intervals. Within each the
scale is linear, but each has a scale of its own: wide enough for the words and labels over it, and no
wider than `MAX_INTERVAL` without them. So places keep their order, equal places stay equal, and a picture
of a long silence or of a very short word stays readable; the ticks tell the true seconds or characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import ceil, floor, log10
from typing import NamedTuple

MAX_INTERVAL = 240.0  # pixels of an interval that no text needs to be wider
MIN_INTERVAL = 1.0
_FOLDED = 60.0  # pixels likewise of an interval over which nothing but a folded node is drawn
_BASE = {"word": 24.0, "char": 10.0}  # pixels for a word or character, if no text needs more
_TICK = 40.0  # pixels between ticks, about
_LONGEST, _SHORTEST = 1e300, 1e-300  # keep products and quotients of seconds finite


class Need(NamedTuple):
    """A stretch of the axis and the pixels that its text takes."""

    start: float
    end: float
    pixels: float
    is_word: bool  # or a preterminal; these decide how many pixels a second has


class Axis:
    """Turns places into pixels."""

    def __init__(
        self,
        unit: str,
        places: Iterable[float],
        needs: Sequence[Need],
        mirrored: bool,
        folded: Iterable[tuple[float, float]] = (),
    ) -> None:
        self._unit = unit
        self._places = sorted(set(places))
        self._index = {place: i for i, place in enumerate(self._places)}
        self.mirrored = mirrored  # whether it runs from right to left
        self._lengths = [min(end - start, _LONGEST) for start, end in pairwise(self._places)]
        self._scale = _BASE.get(unit) or _scale_of_seconds(needs)
        limits = [MAX_INTERVAL] * len(self._lengths)
        for start, end in folded:
            if self._index[end] == self._index[start] + 1:
                limits[self._index[start]] = _FOLDED
        wanted = [self._scale * length for length in self._lengths]
        widths = [max(MIN_INTERVAL, min(pair)) for pair in zip(wanted, limits, strict=True)]
        self._cramped = {i for i, limit in enumerate(limits) if wanted[i] > 2 * limit}
        self._widen(widths, needs)
        self._x = list(accumulate(widths, initial=0.0))
        self.width = self._x[-1]  # pixels from the first place to the last

    def _widen(self, widths: list[float], needs: Sequence[Need]) -> None:
        """Gives every need its pixels, the shortest stretches first, in proportion to what is there."""
        index = self._index
        stretches = sorted(
            (index[need.end] - index[need.start], index[need.start], need.pixels) for need in needs
        )
        for n, first, pixels in stretches:
            if n * MIN_INTERVAL >= pixels:
                continue
            have = sum(widths[first : first + n])
            if 0.0 < have < pixels:
                for i in range(first, first + n):
                    widths[i] *= pixels / have

    def at(self, place: float) -> float:
        """The x of a place; places beyond the ends are at the ends."""
        if not self._places:
            return 0.0
        i = bisect_right(self._places, place) - 1
        if i < 0:
            x = 0.0
        elif i >= len(self._lengths):
            x = self.width
        else:
            part = min(place - self._places[i], _LONGEST) / self._lengths[i]
            x = self._x[i] + part * (self._x[i + 1] - self._x[i])
        return self.width - x if self.mirrored else x

    def span(self, start: float, end: float) -> tuple[float, float]:
        """The left and the right end of a stretch in pixels."""
        left, right = self.at(start), self.at(end)
        return (right, left) if self.mirrored else (left, right)

    def inside(self, start: float, end: float, inset: float) -> tuple[float, float]:
        """The left and the right end of what is drawn over a stretch, `inset` away from its own ends.

        Both ends must be places. Where the interval there is narrow, the inset is a quarter of it. So each
        end depends on its own place alone, and two bars have in the picture exactly that in common which
        is drawn over their common stretch.
        """
        first, last = self._index[start], self._index[end]
        before = min(inset, (self._x[first + 1] - self._x[first]) / 4)
        after = min(inset, (self._x[last] - self._x[last - 1]) / 4)
        left, right = self._x[first] + before, self._x[last] - after
        return (self.width - right, self.width - left) if self.mirrored else (left, right)

    def cramped(self) -> Iterator[tuple[float, float, float]]:
        """The ends and the true length of the intervals drawn at less than half of the scale."""
        for i in sorted(self._cramped):
            yield *self.span(self._places[i], self._places[i + 1]), self._lengths[i]

    def ticks(self, number_width: float) -> Iterator[tuple[float, str]]:
        """The places in pixels and the numbers along the axis with room for them, by the width of a digit."""
        candidates = self._round_seconds() if self._unit == "time" else self._boundaries()
        free = -number_width
        for place, text in candidates:
            x = self.at(place)
            along = self.width - x if self.mirrored else x
            half = len(text) * number_width / 2
            if free <= along - half and along + half <= self.width + number_width:
                yield x, text
                free = along + half + number_width

    def _boundaries(self) -> Iterator[tuple[float, str]]:
        for place in self._places:
            yield place, f"{place:.6g}"

    def _round_seconds(self) -> Iterator[tuple[float, str]]:
        """The round times, but none inside of cramped intervals."""
        free = [i for i in range(len(self._lengths)) if i not in self._cramped]
        seconds = sum(self._lengths[i] for i in free)
        pixels = sum(self._x[i + 1] - self._x[i] for i in free)
        step, digits = _round_step(_TICK * max(seconds, _SHORTEST) / max(pixels, 1.0))
        last: int | None = None
        for i in free:
            start, end = self._places[i], self._places[i + 1]
            if max(abs(start), abs(end)) / step > 1e12 or end / step - start / step > MAX_INTERVAL:
                continue  # no digits for such steps, or no room
            for k in range(ceil(start / step - 1e-9), floor(end / step + 1e-9) + 1):
                if k != last:
                    plain = digits <= 6 and abs(k * step) < 1e7
                    yield min(max(k * step, start), end), f"{k * step:{f'.{digits}f' if plain else '.6g'}}"
                    last = k
        if last is None:
            yield from self._boundaries()


def _scale_of_seconds(needs: Sequence[Need]) -> float:
    """The pixels for a second: what half of the words are content with."""
    scales = sorted(need.pixels / max(need.end - need.start, _SHORTEST) for need in needs if need.is_word)
    return scales[len(scales) // 2] if scales else 100.0


def _round_step(least: float) -> tuple[float, int]:
    """The next of 1, 2 or 5 times a power of ten, and its digits behind the point."""
    power = floor(log10(least))
    for factor in (1, 2, 5, 10):
        step = factor * 10.0**power
        if step >= least:
            break
    return step, max(0, -power - (factor == 10))
