"""What a host tells of a benchmark beside its scores: phases, announcements, licence, citation, embedding."""

from __future__ import annotations

import html

from leaderboard.phases import show_minute
from leaderboard.service import Leaderboard
from structiou_metric.wording import count

from .choices import Chosen


def tell_task(board: Leaderboard, chosen: Chosen) -> str:
    """All that a host tells of a benchmark, as HTML."""
    benchmark = chosen.benchmark
    now = board.clock()
    parts = [
        f'<p class="siou-warnings" role="note">{show_minute(told.time)}: '
        f"{html.escape(told.text).replace(chr(10), '<br>')}</p>"
        for told in board.announcements.all(benchmark.name)
    ]
    if benchmark.name in board.catalogue.broken:
        parts.append(_note("This benchmark is being changed by its host; nothing can be submitted now."))
    if chosen.late:
        parts.append(_note("These came after the phase had closed, and do not rank with the others."))
    if hidden := board.hidden_until(benchmark.name, benchmark.phase):
        parts.append(_note(f"Scores of this phase are shown from {hidden} on."))
    n_old = 0 if hidden else sum(entry.old for entry in board.full_board(benchmark, late=chosen.late))
    if n_old:
        parts.append(
            _note(
                "The reference trees or the options of this benchmark have changed. "
                f"{count(n_old, 'system')} with figures of before, marked as old: being scored again."
            )
        )
    if benchmark.phases:
        lines = "".join(
            f"<li>{'<b>' if phase.name == benchmark.phase else ''}{html.escape(phase.title)}"
            f"{'</b>' if phase.name == benchmark.phase else ''}: {html.escape(phase.describe(now))}</li>"
            for phase in benchmark.phases
        )
        parts.append(f'<ul class="siou-phases">{lines}</ul>')
    if benchmark.parts:
        told = ", ".join(map(html.escape, benchmark.parts))
        parts.append(
            f"<p>A submission is a file for each of: {told}; its figures are the means of theirs.</p>"
        )
    if benchmark.licence:
        parts.append(f'<p class="siou-small">Licence: {html.escape(benchmark.licence)}</p>')
    if benchmark.citation:
        parts.append(
            "<details><summary>How to cite it</summary>"
            f"<pre>{html.escape(benchmark.citation)}</pre></details>"
        )
    parts.append(_embedding(chosen))
    return "".join(parts)


def _note(text: str) -> str:
    return f'<p class="siou-warnings" role="note">{html.escape(text)}</p>'


def _embedding(chosen: Chosen) -> str:
    """Where the table is for other sites and programs."""
    name, phase = chosen.benchmark.name, chosen.benchmark.phase
    query = "&amp;".join(([f"phase={phase}"] if phase else []) + (["late=1"] if chosen.late else []))
    query = f"?{query}" if query else ""
    return (
        f'<p class="siou-small">This table <a href="table/{name}{query}">to embed</a> and '
        f'<a href="table/{name}.json{query}">as JSON</a></p>'
    )
