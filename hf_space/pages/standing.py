"""How a system stands: its figures, its place, how that came about, and with whom to compare it."""

from __future__ import annotations

import html

from leaderboard.phases import show_day
from leaderboard.ranking import Entry, Rank
from leaderboard.service import Leaderboard
from leaderboard.store import Submission

_MAX_OTHERS = 20  # that it can be compared with
_MAX_RANKS = 12  # lines of its history
_LEFT_OUT = ("system", "by", "date", "id")


def show_standing(board: Leaderboard, submission: Submission, cells: dict[str, object]) -> str:
    """The figures, rank history and links of a system, as HTML.

    Args:
        board: The leaderboard.
        submission: The submission of the system.
        cells: What the table shows of the system, by its header; empty if it is not there.
    """
    entries = board.board_of(submission)
    facts = [f"phase {submission.phase}"] if submission.phase else []
    facts += ["late"] if submission.late else []
    facts += [f"submitted by {submission.owner}"] if submission.team else []
    figures = "".join(
        f'<div class="siou-figure"><span>{html.escape(header)}</span>'
        f"<b>{html.escape(_shown(value))}</b></div>"
        for header, value in cells.items()
        if header not in _LEFT_OUT and value not in (None, "")
    )
    badge = f"badge/{submission.id}.svg"
    return "".join(
        [
            f'<p class="siou-small">{html.escape(" · ".join(facts))}</p>' if facts else "",
            f'<div class="siou-figures">{figures}</div>' if figures else "",
            _show_history(board.history(submission.id)),
            _show_others(submission, entries),
            f'<p class="siou-small"><a href="{badge}">badge of this system</a></p>' if cells else "",
        ]
    )


def _shown(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _show_history(ranks: list[Rank]) -> str:
    """The ranks, newest first."""
    if len(ranks) < 2:
        return ""
    lines = "".join(
        f"<tr><td>{show_day(item.time)}</td><td>{item.rank} of {item.n_systems}</td>"
        f"<td>{item.value:.4f}</td></tr>"
        for item in reversed(ranks[-_MAX_RANKS:])
    )
    head = '<tr><th scope="col">from</th><th scope="col">rank</th><th scope="col">score</th></tr>'
    return (
        f'<details><summary>Rank history</summary><table class="siou-ranks">{head}{lines}</table></details>'
    )


def _show_others(submission: Submission, entries: list[Entry]) -> str:
    """The links to comparisons with the best of the others."""
    if all(entry.submission.id != submission.id or entry.old for entry in entries):
        return ""
    others = [entry.submission for entry in entries if entry.submission.id != submission.id and not entry.old]
    links = "".join(
        f'<li><a href="compare/{submission.id}/{other.id}">'
        f"{html.escape(f'{other.system}, {other.by}')}</a></li>"
        for other in others[:_MAX_OTHERS]
    )
    return f"<details><summary>Compare with</summary><ul>{links}</ul></details>" if links else ""
