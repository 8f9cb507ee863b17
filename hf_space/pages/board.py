"""The page with the table of systems, and the page of one of them."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import gradio as gr

from leaderboard.benchmarks import Benchmark
from leaderboard.fields import FieldError
from leaderboard.phases import show_day
from leaderboard.ranking import Entry
from leaderboard.scoring import LEVEL
from leaderboard.service import Leaderboard
from leaderboard.store import Submission
from leaderboard.transfer import as_csv
from structiou_metric.metrics.metric import Metric
from structiou_metric.stats.intervals import TITLES, Interval
from structiou_metric.wording import count

from .about import tell_task
from .choices import Chosen, board_choices, first_choice, read_choice
from .controls import add_table, fill_table, show_error, show_warnings
from .downloads import write_download
from .drawings import show_drawing, show_reasons
from .rows import rounded_figures
from .standing import show_standing

_INTERVAL = f"{LEVEL:.0%} interval"
_OLD = "old, being scored again"
_WORST = 3  # sentences drawn
_MAX_LABELS = 20  # bars drawn

# How groups are made, by whether the reference trees are public.
_GROUPS = {
    True: "Systems of one group do not differ significantly from its best (approximate randomisation, "
    f"Holm-corrected over all systems from the best of the group down, p ≥ {1 - LEVEL:.2g})",
    False: "Systems of one group lie within the interval of its best",
}

SORTS = {"all": "all systems", "best": "only the first group"}

_HINT = "<p>Choose a system to see more of it below the table; a heading sorts by its column.</p>"

# What the browser does when a system has been chosen, and when the address asks for one.
REVEAL = "() => window.structiou.reveal('system')"
REVEAL_ASKED = f"() => new URLSearchParams(location.search).has('system') && ({REVEAL})()"


def add_page(board: Leaderboard) -> dict[str, Any]:
    """Builds the page; returns what the address and other pages may set."""
    names = board_choices(board)
    gr.Markdown("## Leaderboard")
    with gr.Row():
        benchmark = gr.Dropdown(
            names,
            value=first_choice(board),
            label="Benchmark",
            elem_id="benchmark",
            scale=2,
            min_width=240,
        )
        owner = gr.Dropdown([], value=None, label="Submitted by", elem_id="owner", scale=1, min_width=200)
        shown = gr.Radio(
            [(text, key) for key, text in SORTS.items()], value="all", label="Show", elem_id="shown", scale=2
        )
    about = gr.HTML(elem_id="about")
    table = add_table(elem_id="board")
    with gr.Row():
        refresh = gr.Button("Refresh", size="sm", elem_id="refresh")
        download = gr.DownloadButton("Table as CSV", size="sm", elem_id="board-csv")
    system = gr.HTML(elem_id="system")

    def show(name: str, owner: str | None, shown: str) -> tuple[Any, ...]:
        chosen, late = read_choice(board, name)
        entries = board.board(chosen.name, chosen.phase, late=late)
        owners = sorted({entry.submission.by for entry in entries})
        picked = [
            entry
            for entry in entries
            if owner not in owners or entry.submission.by == owner
            if shown == "all" or (entry.group == 1 and not entry.old)
        ]
        columns = table_columns(chosen)
        rows = [[cell(entry) for cell in columns.values()] for entry in picked]
        cells = gr.update(value=fill_table(list(columns), rows, "system"))
        choices = gr.update(choices=["everybody", *owners], value=owner if owner in owners else "everybody")
        path = write_download("leaderboard.csv", [as_csv(list(columns), rows)])
        about = describe(chosen, entries) + tell_task(board, Chosen(chosen, late))
        return about, cells, choices, path

    def select(event: gr.SelectData) -> str:
        return show_system(board, str(event.row_value[-1]))

    inputs, outputs = [benchmark, owner, shown], [about, table, owner, download]
    for event in (benchmark.change, shown.change, owner.input, refresh.click):
        event(show, inputs, outputs, api_visibility="private")
    table.select(select, None, system, api_visibility="private").then(
        None, None, None, js=REVEAL, api_visibility="private"
    )
    return {"inputs": inputs, "outputs": outputs, "show": show, "benchmark": benchmark, "system": system}


def table_columns(benchmark: Benchmark) -> dict[str, Callable[[Entry], Any]]:
    """What stands in each column of the table, by its header; the ranking metric's figures come first."""
    ranking = benchmark.ranking[0]
    others = [metric for metric in benchmark.metrics.values() if metric is not ranking]
    return {
        "rank": lambda entry: None if entry.old else entry.rank,
        "system": lambda entry: entry.submission.system,
        "by": lambda entry: entry.submission.by,
        **_figure_columns(benchmark, ranking),
        _INTERVAL: lambda entry: _OLD if entry.old else _show_interval(entry.interval, entry.digits),
        "group": lambda entry: None if entry.old else entry.group,
        **{header: cell for metric in others for header, cell in _figure_columns(benchmark, metric).items()},
        "failed parses": lambda entry: entry.result["n_empty"],
        "date": lambda entry: show_day(entry.submission.received),
        "id": lambda entry: entry.submission.id,
    }


def _figure_columns(benchmark: Benchmark, metric: Metric) -> dict[str, Callable[[Entry], Any]]:
    """The headline, the same averaged in another way, and what the benchmark ranks by."""
    first = metric.MEASURES[metric.headline]
    titles = {
        key: f"{metric.title} {measure.title}"
        for key, measure in metric.MEASURES.items()
        if key == benchmark.rank_by or measure.formula is first.formula
        if benchmark.shows_figure(key)
    }
    if first.row == metric.name and metric.headline in titles:
        titles[metric.headline] = metric.title
    return {title: partial(_cell, metric.name, key) for key, title in titles.items()}


def _cell(name: str, key: str, entry: Entry) -> float | None:
    return rounded_figures(entry.result, name).get(key)


def _show_interval(interval: Interval | None, digits: int) -> str:
    return "" if interval is None else f"{interval.low:.{digits}f}–{interval.high:.{digits}f}"


def describe(benchmark: Benchmark, entries: list[Entry]) -> str:
    """What a benchmark is and how it ranks, as HTML."""
    metric, measure = benchmark.ranking
    better = "" if measure.higher_is_better else " (lower is better)"
    n_rows = entries[0].result["n_sentences"] if entries else _count_rows(benchmark)
    sentences = f"{count(n_rows, benchmark.noun)} · " if n_rows else ""
    methods = dict.fromkeys(TITLES[entry.interval.method] for entry in entries if entry.interval)
    method = f" ({html.escape('; '.join(methods))})" if methods else ""
    return (
        f"<p>{html.escape(benchmark.description)}</p>{'' if entries else _invite(benchmark, n_rows)}"
        f'<p class="siou-small">{html.escape(benchmark.language)} · {sentences}ranked by '
        f"{html.escape(f'{metric.title}, {measure.title}')}{better}. The interval is of that figure{method}. "
        f"{_GROUPS[benchmark.gold.public]}.</p>{show_rules(benchmark)}"
        f"{_signatures(metric.signature for metric in benchmark.metrics.values())}{_HINT if entries else ''}"
    )


def show_rules(benchmark: Benchmark) -> str:
    """What the host keeps private or bounds, as HTML; empty if that is nothing."""
    lines = "".join(f"<li>{html.escape(rule)}</li>" for rule in benchmark.gold.rules())
    return f'<ul class="siou-rules siou-small">{lines}</ul>' if lines else ""


def _invite(benchmark: Benchmark, n_rows: int) -> str:
    """What to do where there is no system yet, as HTML."""
    rows = f"{count(n_rows, 'tree')}, one for each {benchmark.noun}" if n_rows else "your trees"
    return (
        '<p class="siou-empty"><b>No system is on this board yet.</b> Be the first: '
        f'<a href="?open=submit" data-page="submit">submit</a> a file with {rows}, in the benchmark’s order, '
        "and <code>()</code> where your parser failed.</p>"
    )


_counts: dict[tuple[Any, ...], int] = {}


def _count_rows(benchmark: Benchmark) -> int:
    """How many rows a benchmark has, or 0 if its file cannot be read now; read again when it changes."""
    n_rows = 0
    with suppress(OSError, ValueError):
        pieces = benchmark.pieces.values()
        changed = tuple((piece.reference, piece.reference.stat().st_mtime_ns) for piece in pieces)
        key = (changed, benchmark.layout, benchmark.documents)
        if key not in _counts:
            _counts[key] = sum(len(piece.read_reference()) for piece in pieces)
        n_rows = _counts[key]
    return n_rows


def _signatures(signatures: Iterable[str]) -> str:
    """What exactly was computed, as HTML that can be opened."""
    lines = "".join(f"<li><code>{html.escape(signature)}</code></li>" for signature in signatures)
    return f'<details class="siou-signatures"><summary>Signatures</summary><ul>{lines}</ul></details>'


def show_system(board: Leaderboard, id_: str) -> str:
    """The page of a system, as HTML."""
    try:
        submission, result, versions = board.system(id_)
    except FieldError as error:
        return show_error(error)
    benchmark = board.benchmark(submission.benchmark).in_phase(submission.phase)
    parts = [
        f'<div class="siou-system"><h3 dir="auto">{html.escape(submission.system)}</h3>',
        _facts(submission),
        show_standing(board, submission, _cells(board, benchmark, submission)),
    ]
    if result is None:
        hidden = board.hidden_until(submission.benchmark, submission.phase)
        told = f"Scores are shown from {hidden} on." if hidden else "This submission is being scored."
        parts.append(f"<p>{html.escape(submission.problem or told)}</p>")
    else:
        kept, shown = result["metrics"], benchmark.metric.name
        parts += [
            show_warnings(warning["message"] for warning in result.get("warnings", ())),
            *_bars(
                "By label",
                ("label", benchmark.metric.title, "nodes"),
                [(row["label"], row[shown], row["n_ref"]) for row in result["labels"]],
            ),
            *_bars(
                "By words of the reference",
                ("words", benchmark.metric.title, f"{benchmark.noun}s"),
                [(row["words"], row[shown], row["n_sentences"]) for row in result["lengths"]],
            ),
            *_bars(
                "By part",
                ("part", benchmark.ranking[0].title, f"{benchmark.noun}s"),
                [*_part_bars(benchmark, result)],
            ),
            *(_refusal(benchmark.metrics[name], part["refused"]) for name, part in kept.items()),
            _signatures(part["signature"] for part in kept.values()),
        ]
        if benchmark.show_sentences and not benchmark.parts:
            parts.append(_worst(board, submission))
    if len(versions) > 1:
        older = "".join(
            f"<li>{show_day(other.received)} · {html.escape(other.id)}</li>" for other in versions
        )
        parts.append(f"<h4>Submissions of this system, newest first</h4><ul>{older}</ul>")
    return "".join([*parts, "</div>"])


def _cells(board: Leaderboard, benchmark: Benchmark, submission: Submission) -> dict[str, object]:
    """What the table shows of a submission, by header; empty if it is not there."""
    for entry in board.board_of(submission):
        if entry.submission.id == submission.id:
            return {header: cell(entry) for header, cell in table_columns(benchmark).items()}
    return {}


def _refusal(metric: Metric, reason: str) -> str:
    return f"<p>{html.escape(f'{metric.title}: — ({reason}).')}</p>" if reason else ""


def _facts(submission: Submission) -> str:
    link = ""
    if submission.link:
        address = html.escape(submission.link, quote=True)
        link = f' · <a href="{address}" rel="noopener nofollow ugc" target="_blank">{address}</a>'
    return (
        f'<p class="siou-small">by {html.escape(submission.by)} · {show_day(submission.received)} · '
        f'<a href="?system={html.escape(submission.id, quote=True)}">link to this page</a>{link}</p>'
    )


def _part_bars(benchmark: Benchmark, result: dict[str, Any]) -> Iterator[tuple[str, float, int]]:
    """The figure that ranks, for each part of a benchmark with several files."""
    metric, measure = benchmark.ranking
    for part, own in result.get("parts", {}).items():
        value = rounded_figures(own, metric.name).get(benchmark.rank_by)
        if value is not None and measure.limits == (0.0, 1.0):
            yield part, value, own["n_sentences"]


def _bars(title: str, heads: tuple[str, str, str], rows: list[tuple[str, float, int]]) -> Iterator[str]:
    """The scores as bars, in a table that can be read without them; empty if there are none."""
    if not rows:
        return
    lines = "".join(
        f'<tr><th scope="row" dir="auto">{html.escape(name[:60] or "(no label)")}</th>'
        f'<td class="siou-score"><span>{score:.3f}</span>'
        f'<span class="siou-bar"><span style="width:{100 * score:.1f}%"></span></span></td><td>{n}</td></tr>'
        for name, score, n in rows[:_MAX_LABELS]
    )
    more = f"<p>and {count(len(rows) - _MAX_LABELS, 'more label')}</p>" if len(rows) > _MAX_LABELS else ""
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in heads)
    table = f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody>"
    yield f'<h4>{title}</h4><table class="siou-bars">{table}</table>{more}'


def _worst(board: Leaderboard, submission: Submission) -> str:
    noun = board.benchmark(submission.benchmark).noun.capitalize()
    drawings = "".join(
        f"<h5>{noun} {row}</h5>{show_reasons(alignment)}{show_drawing(alignment, causes=True)}"
        for row, alignment in board.worst_sentences(submission.id, _WORST)
    )
    return f"<h4>{noun}s with the lowest scores</h4>{drawings}"
