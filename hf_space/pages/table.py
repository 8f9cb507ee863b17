"""The board as a plain page that other sites can show in a frame: a table, and nothing that runs."""

from __future__ import annotations

from leaderboard.benchmarks import Benchmark
from leaderboard.ranking import Entry
from structiou_metric.report.page import render
from structiou_metric.report.tables import Table

from .board import table_columns

_CSS = """
body { font-family: system-ui, sans-serif; margin: 0.5rem; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid #ccc; text-align: start; }
.scroll { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
    body { color: #eee; background: #16181d; }
    th, td { border-color: #444; }
}
"""


def write_table(benchmark: Benchmark, entries: list[Entry], hidden: str) -> str:
    """The board of a benchmark as a page of HTML.

    Args:
        benchmark: The benchmark in the phase at hand.
        entries: The entries of the board.
        hidden: When scores will be shown, in words, if they are not.
    """
    title = benchmark.title
    if benchmark.phase:
        phase = next(phase for phase in benchmark.phases if phase.name == benchmark.phase)
        title += f", {phase.title}"
    if hidden:
        content: str | Table = f"Scores are shown from {hidden} on."
    elif not entries:
        content = "Nothing was submitted yet."
    else:
        columns = table_columns(benchmark)
        # The first cell of a row is its heading: the system.
        order = ["system", *(header for header in columns if header not in ("system", "id"))]
        content = Table("", order, [[_cell(columns[header](entry)) for header in order] for entry in entries])
    return render("plain.html", title=title, parts=[content], signature="", css=_CSS)


def _cell(value: object) -> str:
    if value is None or value == "":
        return "—"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
