"""Plots of a report as SVG elements, made without a plotting library.

Horizontal places are shares of the width, and sizes of text and marks are pixels, so a plot fills a wide
window or a phone and remains readable. Colours are the classes `s0 … s6` of the page. Marks of several
systems at one place are drawn next to each other, so that none hides another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..terminal import NO_LABEL, printable
from ..wording import count
from .tables import decimals

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison, SystemPair

N_COLORS = 7

_LEFT, _RIGHT = 3.0, 97.0  # per cent of the width between which values are shown
_ROW = 40  # pixels for a system in a plot of intervals
_LINE = 26  # minimum height in pixels of a label in a plot of labels
_LANE = 7  # pixels between the marks of two systems in such a plot
_SHARE = 0.6  # share of a group's width over which the marks of the systems are spread
_AXIS = 24  # height in pixels of the numbers of an axis
_HEIGHT = 200  # height in pixels of a plot with a vertical axis
_N_BINS = 12  # bars on each side of a histogram
_LABEL = 22  # per cent of the width for the names of labels

# Marks around (0, 0): circle, square, diamond, triangle, cross.
_SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -6.2l6.2 6.2l-6.2 6.2l-6.2 -6.2z",
    "M0 -6l5.8 10h-11.6z",
    "M-5 -2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
)


class Scale(NamedTuple):
    """A scale from `low` to `high` with a mark every `step`."""

    low: float
    high: float
    step: float

    @classmethod
    def around(cls, values: Iterable[float], n_steps: int = 4) -> Scale:
        """Return a scale with round numbers around some values."""
        there = list(values) or [0.0, 1.0]
        low, high = min(there), max(there)
        width = (high - low) or 0.01
        power = 10.0 ** math.floor(math.log10(width / n_steps))
        step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor * n_steps >= width)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if first == last:
            first, last = (first - 1, last) if first > 0 else (first, last + 1)
        return cls(first * step, last * step, step)

    def ticks(self) -> list[float]:
        """Return the marks in ascending order."""
        return [self.low + k * self.step for k in range(round((self.high - self.low) / self.step) + 1)]

    def share(self, value: float) -> float:
        """Return the place of a value as a share of the scale, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def shown(self, value: float) -> str:
        """Return a mark as text, with as many decimals as the marks need to differ."""
        places = next((k for k in range(8) if abs(round(self.step, k) - self.step) < self.step / 1000), 8)
        return f"{value:.{places}f}".replace("-", "\N{MINUS SIGN}")


def mark(system: int, x: str = "50%", y: float = 8.0) -> str:
    """Return the mark of a system."""
    path = f'<path class="s{system % N_COLORS} dot" d="{_SHAPES[system % len(_SHAPES)]}"/>'
    return f'<svg x="{x}" y="{y:g}" overflow="visible">{path}</svg>'


def interval_chart(comparison: Comparison, key: str) -> str:
    """Draw the values of a measure with their intervals, a row for each system."""
    there = [system.figures[key] for system in comparison.systems if key in system.figures]
    scale = Scale.around(bound for found in there for bound in (found.low, found.value, found.high))
    bottom = _ROW * len(comparison.systems)
    parts = [_axis(scale, bottom)]
    for place, i in enumerate(comparison.ranked):
        system = comparison.systems[i]
        found = system.figures.get(key)
        text = f"{decimals(found.value)} {system.marks[key]}".strip() if found else decimals(None)
        y, middle = _ROW * place, _ROW * place + 26
        parts += [
            f'<text x="0" y="{y + 13}">{_short(system.name)}</text>',
            f'<text x="100%" y="{y + 13}" class="end number">{escape(text)}</text>',
        ]
        if found:
            low, high = _x(scale.share(found.low)), _x(scale.share(found.high))
            parts += [
                f'<line class="s{i % N_COLORS} bar" x1="{low}" x2="{high}" y1="{middle}" y2="{middle}"/>',
                mark(i, _x(scale.share(found.value)), middle),
            ]
    return _svg(comparison.measures[key].full_title, bottom + _AXIS, parts)


def length_chart(comparison: Comparison, key: str) -> str:
    """Draw a measure of each system over groups of sentences by length, a line for each."""
    groups, n_systems = comparison.lengths, len(comparison.systems)
    scale = Scale.around(value for group in groups for value in group.figures[key] if value is not None)
    width = (88 - _LEFT) / len(groups)
    places = [_LEFT + 9 + width * (k + 0.5) for k in range(len(groups))]

    def y(value: float) -> float:
        return 14 + (_HEIGHT - 20) * (1.0 - scale.share(value))

    parts = []
    for tick in scale.ticks():
        parts += [
            f'<line class="grid" x1="0" x2="100%" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>',
            f'<text class="small" x="0" y="{y(tick) - 3:.1f}">{scale.shown(tick)}</text>',
        ]
    parts += [
        f'<text class="small middle" x="{place:.2f}%" y="{_HEIGHT + 14}">{escape(group.title)}</text>'
        for place, group in zip(places, groups, strict=True)
    ]
    for i in range(n_systems):
        aside = width * _SHARE * ((i + 0.5) / n_systems - 0.5)
        points = [
            (f"{place + aside:.2f}%", y(value))
            for place, group in zip(places, groups, strict=True)
            if (value := group.figures[key][i]) is not None
        ]
        parts += [
            f'<line class="s{i % N_COLORS} thin" x1="{x0}" y1="{y0:.1f}" x2="{x1}" y2="{y1:.1f}"/>'
            for (x0, y0), (x1, y1) in pairwise(points)
        ]
        parts += [mark(i, place, at) for place, at in points]
    return _svg(comparison.measures[key].full_title, _HEIGHT + _AXIS, parts)


def difference_chart(comparison: Comparison, pair: SystemPair) -> str:
    """Draw a histogram of the differences of rows; rows without a difference are not shown.

    Bars have the colour of the system that gains.
    """
    deltas = pair.parsed_deltas
    most = Scale.around([0.0, *map(abs, deltas)], 2).high
    scale = Scale(-most, most, most / 2)
    counts = [0] * (2 * _N_BINS)
    for delta in deltas:
        if delta:
            counts[min(int(scale.share(delta) * len(counts)), len(counts) - 1)] += 1
    top = max(counts)
    height = _HEIGHT - 40
    width = (_RIGHT - _LEFT) / len(counts)
    parts = [_axis(scale, height)]
    for k, number in enumerate(counts):
        if number:
            size = (height - 20) * number / top
            color = f"s{(pair.first if k >= _N_BINS else pair.second) % N_COLORS}"
            x = _LEFT + k * width
            parts += [
                f'<rect class="{color} fill" x="{x + 0.15:.2f}%" width="{width - 0.3:.2f}%" '
                f'y="{height - size:.1f}" height="{size:.1f}"><title>{number}</title></rect>'
            ]
    highest = f"{count(top, comparison.noun)} at most" if top else f"no {comparison.noun} differs"
    parts.append(f'<text class="small" x="0" y="10">{highest}</text>')
    title = f"{comparison.names[pair.first]} minus {comparison.names[pair.second]}"
    return _svg(title, height + _AXIS, parts)


def label_chart(comparison: Comparison, n_labels: int) -> str:
    """Draw the systems' scores of each of some labels on one line."""
    rows = comparison.labels[:n_labels]
    n_systems = len(comparison.systems)
    scale = Scale.around(value for row in rows for value in row.scores if value is not None)
    height = max(_LINE, _LANE * n_systems + 12)
    bottom = height * len(rows)
    parts = [_axis(scale, bottom, _LABEL)]
    for k, row in enumerate(rows):
        y = height * (k + 0.5)
        places = {i: scale.share(value) for i, value in enumerate(row.scores) if value is not None}
        if places:
            left, right = (_x(most(places.values()), _LABEL) for most in (min, max))
            parts.append(f'<line class="span" x1="{left}" x2="{right}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(f'<text x="0" y="{y + 4:g}">{_short(row.label or NO_LABEL, 10)}</text>')
        for i, place in places.items():
            parts.append(mark(i, _x(place, _LABEL), y + _LANE * (i - (n_systems - 1) / 2)))
    return _svg(f"{comparison.main.title} by label", bottom + _AXIS, parts)


def _svg(title: str, height: float, parts: Iterable[str]) -> str:
    body = f"<title>{escape(printable(title))}</title>{''.join(parts)}"
    return f'<svg class="chart" role="img" width="100%" height="{height:g}">{body}</svg>'


def _short(text: str, most: int = 18) -> str:
    return escape(printable(text if len(text) <= most else text[: most - 1] + "…"))


def _x(share: float, left: float = _LEFT) -> str:
    return f"{left + (_RIGHT - left) * share:.2f}%"


def _axis(scale: Scale, bottom: float, left: float = _LEFT) -> str:
    """Return the vertical lines at the marks of a scale, with their numbers below."""
    parts = []
    for tick in scale.ticks():
        x = _x(scale.share(tick), left)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{bottom + 4}"/>')
        parts.append(f'<text class="small middle" x="{x}" y="{bottom + 18}">{scale.shown(tick)}</text>')
    return "".join(parts)
