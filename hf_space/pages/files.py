"""The page on which two files are scored."""

from __future__ import annotations

import html
import json
from typing import Any

import gradio as gr

from leaderboard.file_scores import score_uploaded_files
from leaderboard.settings import Settings
from leaderboard.transfer import as_csv
from structiou_metric import CorpusScore
from structiou_metric.report.scores import text_rows
from structiou_metric.wording import count

from .controls import (
    OPTIONS,
    add_file,
    add_options,
    read_file,
    read_options,
    show_error,
    show_figures,
    show_warnings,
)
from .downloads import write_download

SCORING: dict[str, Any] = {"concurrency_id": "scoring", "concurrency_limit": 16}  # it may take minutes

_MAX_PROBLEMS = 10  # shown


def add_page(settings: Settings) -> None:
    """Builds the page."""
    gr.Markdown(
        "## Score files\nChoose two files with as many trees, in the same order: one tree a line, or over "
        "several lines. They may be packed with gzip."
    )
    with gr.Row():
        prediction = add_file(label="Predictions", elem_id="prediction-file", height=120)
        reference = add_file(label="References", elem_id="reference-file", height=120)
    options = add_options()
    run = gr.Button("Score the files", variant="primary", elem_id="score-files")
    result = gr.HTML(elem_id="file-result")
    with gr.Row():
        table = gr.DownloadButton("Sentences as CSV", visible=False, elem_id="sentences-csv")
        data = gr.DownloadButton("Everything as JSON", visible=False, elem_id="sentences-json")

    def score(prediction: str | None, reference: str | None, *values: Any) -> tuple[Any, ...]:
        hidden = gr.update(visible=False)
        try:
            found = score_uploaded_files(
                read_file(prediction, "predictions", settings.upload_bytes),
                read_file(reference, "references", settings.upload_bytes),
                read_options(dict(zip(OPTIONS, values, strict=True))),
                settings,
            )
        except ValueError as error:
            return show_error(error), hidden, hidden
        return show_score(found), *(gr.update(value=path, visible=True) for path in _write(found))

    run.click(
        score,
        [prediction, reference, *options.values()],
        [result, table, data],
        api_visibility="private",
        **SCORING,
    )


def _write(found: CorpusScore) -> tuple[str, str]:
    """The files for downloading: the sentences as a table, and everything as JSON."""
    rows = list(found.per_sentence())
    table = as_csv(list(rows[0]), [list(row.values()) for row in rows])
    data = json.dumps(found.as_dict(per_sentence=True), indent=2)
    return write_download("sentences.csv", [table]), write_download("scores.json", [data])


def show_score(found: CorpusScore) -> str:
    """The figures of two files, as HTML."""
    metric = found.metric
    titles = {key: measure.title for key, measure in metric.MEASURES.items()}
    titles[metric.headline] = f"{metric.title}, {titles[metric.headline]}"
    figures = show_figures({title: found.figures[key] for key, title in titles.items()})
    notes = [count(found.n_counted, "sentence")]
    if found.n_empty:
        notes.append(f"{count(found.n_empty, 'failed parse')}, score 0")
    if found.n_zeroed:
        notes.append(f"{count(found.n_zeroed, 'pair')} that could not be compared, score 0")
    notes += [f"{number:,} {title}" for title, number in text_rows(found)]
    problems = "".join(
        f"<li>row {row + 1}: {html.escape(message.splitlines()[0])}</li>"
        for row, message in found.problems[:_MAX_PROBLEMS]
    )
    if len(found.problems) > _MAX_PROBLEMS:
        problems += f"<li>and {len(found.problems) - _MAX_PROBLEMS} more; the JSON file lists all</li>"
    return (
        f"{figures}<p>{html.escape('; '.join(notes))}.</p>"
        + show_warnings(warning.message for warning in found.warnings)
        + (f'<ul class="siou-why">{problems}</ul>' if problems else "")
        + f'<p class="siou-small"><code>{html.escape(found.signature)}</code></p>'
    )
