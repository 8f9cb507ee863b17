"""A badge: two short texts side by side, as SVG, for a README or a project's page."""

from __future__ import annotations

import html

_CHARACTER = 6.6  # average width of a character
_PAD = 10


def draw_badge(left: str, right: str) -> str:
    """Draw a badge, whose description is both texts.

    >>> draw_badge("licence", "MIT").count("<rect")
    2
    """
    widths = [len(text) * _CHARACTER + 2 * _PAD for text in (left, right)]
    total = sum(widths)
    label = html.escape(f"{left}: {right}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:.0f}" height="22" role="img" '
        f'aria-label="{label}">'
        f"<title>{label}</title>"
        f'<rect width="{widths[0]:.1f}" height="22" fill="#3d4450"/>'
        f'<rect x="{widths[0]:.1f}" width="{widths[1]:.1f}" height="22" fill="#005a8c"/>'
        '<g fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{widths[0] / 2:.1f}" y="15">{html.escape(left)}</text>'
        f'<text x="{widths[0] + widths[1] / 2:.1f}" y="15">{html.escape(right)}</text></g></svg>'
    )
