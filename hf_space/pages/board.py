"""The page with the table of systems, and the page of one of them."""

from __future__ import annotations

import html
from datetime import datetime, timezone
from typing import Any

import gradio as gr

from leaderboard.benchmarks import RANKINGS, Benchmark
from leaderboard.fields import FieldError
from leaderboard.ranking import LEVEL, Entry
from leaderboard.service import Leaderboard
from leaderboard.store import Submission
from leaderboard.transfer import as_csv
from structiou_metric.drawing.svg import draw_svg
from structiou_metric.wording import count

from .controls import show_error
from .downloads import write_download

HEADERS = [
    "rank",
    "system",
    "by",
    "STRUCT-IoU",
    "corpus",
    f"{LEVEL:.0%} interval",
    "group",
    "ParsEval F1",
    "failed parses",
    "date",
    "id",
]
_KINDS: Any = ["number", "str", "str", "number", "number", "str", "number", "number", "number", "str", "str"]
DIGITS = 4  # of a score
_WORST = 3  # sentences drawn
_MAX_LABELS = 20  # bars drawn

SORTS = {"all": "all systems", "best": "only the first group"}


def add_page(board: Leaderboard) -> dict[str, Any]:
    """Builds the page; returns what the address and other pages may set."""
    names = [(item.title, item.name) for item in board.benchmarks.values()]
    with gr.Row():
        benchmark = gr.Dropdown(names, value=names[0][1], label="Benchmark", elem_id="benchmark", scale=2)
        owner = gr.Dropdown([], value=None, label="Submitted by", elem_id="owner", scale=1)
        shown = gr.Radio(
            [(text, key) for key, text in SORTS.items()], value="all", label="Show", elem_id="shown", scale=2
        )
    about = gr.HTML(elem_id="about")
    table = gr.Dataframe(
        headers=HEADERS,
        datatype=_KINDS,
        interactive=False,
        show_search="filter",
        pinned_columns=2,
        label="Systems",
        elem_id="board",
        max_height=600,
    )
    with gr.Row():
        refresh = gr.Button("Refresh", elem_id="refresh")
        download = gr.DownloadButton("Table as CSV", elem_id="board-csv")
    gr.Markdown("Choose a line of the table to see more of the system.")
    system = gr.HTML(elem_id="system")

    def show(name: str, owner: str | None, shown: str) -> tuple[Any, ...]:
        chosen = board.benchmark(name)
        entries = board.board(name)
        owners = sorted({entry.submission.owner for entry in entries})
        picked = [
            entry
            for entry in entries
            if owner not in owners or entry.submission.owner == owner
            if shown == "all" or entry.group == 1
        ]
        rows = [table_row(entry) for entry in picked]
        choices = gr.update(choices=["everybody", *owners], value=owner if owner in owners else "everybody")
        return describe(chosen, entries), rows, choices, _csv(rows)

    def select(event: gr.SelectData) -> str:
        return show_system(board, str(event.row_value[-1]))

    inputs, outputs = [benchmark, owner, shown], [about, table, owner, download]
    for event in (benchmark.change, shown.change, owner.input, refresh.click):
        event(show, inputs, outputs, api_visibility="private")
    table.select(select, None, system, api_visibility="private")
    return {"inputs": inputs, "outputs": outputs, "show": show, "benchmark": benchmark, "system": system}


def table_row(entry: Entry) -> list[Any]:
    """A line of the table; scores have as many digits as a test set can bear."""
    result = entry.result
    parseval = result["parseval"]
    return [
        entry.rank,
        entry.submission.system,
        entry.submission.owner,
        round(result["sentence"], DIGITS),
        round(result["corpus"], DIGITS),
        f"{entry.interval.low:.{DIGITS}f}–{entry.interval.high:.{DIGITS}f}",
        entry.group,
        None if parseval is None else round(parseval["f1"], DIGITS),
        result["n_empty"],
        _day(entry.submission.received),
        entry.submission.id,
    ]


def describe(benchmark: Benchmark, entries: list[Entry]) -> str:
    """What a benchmark is and how it ranks, as HTML."""
    metric = benchmark.metric
    sentences = f"{entries[0].result['n_sentences']} sentences · " if entries else ""
    return (
        f"<p>{html.escape(benchmark.description)}</p>"
        f'<p class="siou-small">{html.escape(benchmark.language)} · {sentences}ranked by '
        f"{html.escape(RANKINGS[benchmark.rank_by])}, which the interval is of; systems of a group do not "
        f"differ significantly from its best (paired bootstrap, p ≥ {1 - LEVEL:.2g}) · "
        f"<code>{html.escape(metric.signature)}</code></p>"
    )


def show_system(board: Leaderboard, id_: str) -> str:
    """The page of a system, as HTML."""
    try:
        submission, result, versions = board.system(id_)
    except FieldError as error:
        return show_error(error)
    benchmark = board.benchmark(submission.benchmark)
    parts = [
        f'<div class="siou-system"><h3 dir="auto">{html.escape(submission.system)}</h3>',
        _facts(submission),
    ]
    if result is None:
        parts.append(f"<p>{html.escape(submission.problem or 'This submission is being scored.')}</p>")
    else:
        parts += [
            _bars("By label", [(row["label"], row["struct_iou"], row["n_ref"]) for row in result["labels"]]),
            _bars(
                "By words of the reference",
                [(row["words"], row["struct_iou"], row["n_sentences"]) for row in result["lengths"]],
            ),
            f'<p class="siou-small"><code>{html.escape(result["signature"])}</code></p>',
        ]
        if benchmark.show_sentences:
            parts.append(_worst(board, submission))
    if len(versions) > 1:
        older = "".join(f"<li>{_day(other.received)} · {html.escape(other.id)}</li>" for other in versions)
        parts.append(f"<h4>Submissions of this system, newest first</h4><ul>{older}</ul>")
    return "".join([*parts, "</div>"])


def _facts(submission: Submission) -> str:
    link = ""
    if submission.link:
        address = html.escape(submission.link, quote=True)
        link = f' · <a href="{address}" rel="noopener nofollow ugc" target="_blank">{address}</a>'
    return (
        f'<p class="siou-small">by {html.escape(submission.owner)} · {_day(submission.received)} · '
        f'<a href="?system={html.escape(submission.id, quote=True)}">link to this page</a>{link}</p>'
    )


def _bars(title: str, rows: list[tuple[str, float, int]]) -> str:
    """Scores as bars, in a table that can be read without them."""
    lines = "".join(
        f'<tr><th dir="auto">{html.escape(name[:60] or "(no label)")}</th>'
        f'<td><div class="siou-bar"><div style="width:{100 * score:.1f}%"></div></div></td>'
        f"<td>{score:.3f}</td><td>{n}</td></tr>"
        for name, score, n in rows[:_MAX_LABELS]
    )
    more = f"<p>and {count(len(rows) - _MAX_LABELS, 'more label')}</p>" if len(rows) > _MAX_LABELS else ""
    return f'<h4>{title}</h4><table class="siou-bars">{lines}</table>{more}'


def _worst(board: Leaderboard, submission: Submission) -> str:
    drawings = "".join(
        f'<p>Sentence {row}</p><div class="siou-drawing" tabindex="0">{draw_svg(alignment)}</div>'
        for row, alignment in board.worst_sentences(submission.id, _WORST)
    )
    return f"<h4>Sentences with the lowest scores</h4>{drawings}"


def _csv(rows: list[list[Any]]) -> str:
    return write_download("leaderboard.csv", [as_csv(HEADERS, rows)])


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d")
