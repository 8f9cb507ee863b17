"""A badge with the rank and the score of a system, as SVG, for a README or a project's page."""

from __future__ import annotations

from leaderboard.fields import FieldError
from leaderboard.service import Leaderboard
from structiou_metric.drawing.badge import draw_badge

from .rows import rounded_figures

_MOST = 40  # characters of the left half


def badge_of(board: Leaderboard, id_: str) -> str:
    """The badge of the system of a submission; that of its newest one, as on the board."""
    submission, _, _ = board.system(id_)
    benchmark = board.benchmark(submission.benchmark).in_phase(submission.phase)
    left = benchmark.title if len(benchmark.title) <= _MOST else f"{benchmark.title[: _MOST - 1]}…"
    if hidden := board.hidden_until(submission.benchmark, submission.phase):
        return draw_badge(left, f"scores from {hidden}")
    for entry in board.board_of(submission):
        if entry.submission.key == submission.key:
            metric = benchmark.ranking[0]
            value = rounded_figures(entry.result, metric.name).get(benchmark.rank_by)
            score = "—" if value is None else f"{value:.{entry.digits}f}"
            place = (
                "being re-scored" if entry.old else f"{'late, ' if submission.late else ''}rank {entry.rank}"
            )
            return draw_badge(left, f"{place} · {metric.title} {score}")
    if submission.state == "failed":
        raise FieldError("this submission could not be scored, so there is no badge")
    return draw_badge(left, "being scored")
