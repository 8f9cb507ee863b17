"""Draw a square table of figures as SVG, in which better figures have darker cells."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..metrics.base import Measure

_CELL = 64
_LETTER = 7.2  # approximate width of a character
_MARGIN = 12
_DARK = (8, 64, 129)
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1b1f24}.on-dark{fill:#fff}"
    "@media (prefers-color-scheme:dark){.name{fill:#e6e6e6}}"
)


def draw_table(names: Sequence[str], table: Sequence[Sequence[float]], measure: Measure) -> str:
    """Draw the table with its names at the left and the numbers of the rows above.

    >>> drawn = draw_table(["a", "b"], [[1.0, 0.5], [0.5, 1.0]], Measure("F1", max, ("x",), short="f1"))
    >>> drawn.count("<rect")
    4

    Args:
        names: The names of the rows, which are also those of the columns.
        table: The figures.
        measure: The measure of the figures, which has the title and whether greater is better.
    """
    left = _MARGIN + _LETTER * (max(map(len, names)) + 4)
    width = left + _CELL * len(names) + _MARGIN
    height = _MARGIN + 24 + _CELL * len(names) + _MARGIN
    values = [value for row in table for value in row]
    low, high = min(values), max(values)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" height="{height}"><title>{escape(measure.title)}</title>'
        f"<style>{_STYLE}</style>"
    ]
    for i, (name, row) in enumerate(zip(names, table, strict=True)):
        x, y = left + _CELL * (i + 0.5), _MARGIN + 24 + _CELL * i
        parts.append(f'<text class="name" x="{x:.1f}" y="{_MARGIN + 14}" text-anchor="middle">{i + 1}</text>')
        parts.append(
            f'<text class="name" x="{left - 8:.1f}" y="{y + _CELL / 2 + 4:.1f}" text-anchor="end">'
            f"{escape(name)}  {i + 1}</text>"
        )
        for j, value in enumerate(row):
            share = (value - low) / (high - low) if high > low else 1.0
            parts.append(
                _cell(left + _CELL * j, y, value, share if measure.higher_is_better else 1.0 - share)
            )
    return "".join([*parts, "</svg>\n"])


def _cell(x: float, y: float, value: float, share: float) -> str:
    shade = ",".join(f"{255 + (dark - 255) * share * 0.9:.0f}" for dark in _DARK)
    kind = ' class="on-dark"' if share > 0.5 else ""
    middle = f'x="{x + _CELL / 2:.1f}" y="{y + _CELL / 2 + 4:.1f}" text-anchor="middle"'
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{_CELL}" height="{_CELL}" fill="rgb({shade})"/>'
        f"<text{kind} {middle}>{value:.3f}</text>"
    )
