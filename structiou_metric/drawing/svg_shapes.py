"""The shapes of a picture, as SVG."""

from __future__ import annotations

from collections.abc import Callable

BAR = 20.0  # height of a bar, in pixels


def rect(left: float, right: float, y: float, look: str) -> str:
    """A bar with rounded corners."""
    left, right = round(left, 1), round(right, 1)  # both, so that equal ends of two bars stay equal
    return f'<rect x="{px(left)}" y="{px(y)}" width="{px(right - left)}" height="{px(BAR)}" rx="4" {look}/>'


def bar_shape(
    left: float, right: float, y: float, before: bool, behind: bool, mirrored: bool
) -> Callable[[str], str]:
    """Writes a bar in a look; one that goes on in the line before or behind is open at that side."""
    if not (before or behind):
        return lambda look: rect(left, right, y, look)
    open_left, open_right = (behind, before) if mirrored else (before, behind)
    top, bottom = px(y), px(y + BAR)
    if open_left and open_right:
        path = f"M{px(left)} {top}H{px(right)}M{px(left)} {bottom}H{px(right)}"
    else:
        start, end = (left, right) if open_left else (right, left)
        path = f"M{px(start)} {top}H{px(end)}V{bottom}H{px(start)}"
    return lambda look: f'<path d="{path}" {look}/>'


def px(number: float) -> str:
    """A coordinate in pixels, with one digit behind the point at most."""
    return f"{number:.1f}".removesuffix(".0")
