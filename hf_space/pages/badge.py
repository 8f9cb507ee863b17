"""A badge with the rank and the score of a system, as SVG, for a README or a project's page."""

from __future__ import annotations

import html

from leaderboard.fields import FieldError
from leaderboard.privacy import DIGITS
from leaderboard.service import Leaderboard

from .rows import rounded_figures

_CHARACTER = 6.6  # width of one, on average
_PAD = 10
_MOST = 40  # characters of the left half


def draw_badge(board: Leaderboard, id_: str) -> str:
    """The badge of the system of a submission; that of its newest one, as on the board."""
    submission, _, _ = board.system(id_)
    benchmark = board.benchmark(submission.benchmark).in_phase(submission.phase)
    left = benchmark.title if len(benchmark.title) <= _MOST else f"{benchmark.title[: _MOST - 1]}…"
    if hidden := board.hidden_until(submission.benchmark, submission.phase):
        return _draw(left, f"scores from {hidden}")
    for entry in board.board_of(submission):
        if entry.submission.key == submission.key:
            metric = benchmark.ranking[0]
            value = rounded_figures(entry.result, metric.name).get(benchmark.rank_by)
            score = "—" if value is None else f"{value:.{DIGITS}f}"
            place = (
                "being re-scored" if entry.old else f"{'late, ' if submission.late else ''}rank {entry.rank}"
            )
            return _draw(left, f"{place} · {metric.title} {score}")
    if submission.state == "failed":
        raise FieldError("this submission could not be scored, so there is no badge")
    return _draw(left, "being scored")


def _draw(left: str, right: str) -> str:
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
