"""The page on which two files are scored."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import gradio as gr

from leaderboard.settings import Settings
from leaderboard.transfer import as_csv
from structiou_metric import CorpusScore
from structiou_metric.metrics.runner import score_pieces
from structiou_metric.sources.files import TreeFile
from structiou_metric.wording import count

from .controls import (
    OPTIONS,
    add_file,
    add_options,
    read_file,
    read_options,
    show_error,
    show_figures,
    show_notices,
)
from .downloads import write_download

if TYPE_CHECKING:
    from structiou_metric.sources.rows import Rows

SCORING: dict[str, Any] = {"concurrency_id": "scoring", "concurrency_limit": 2}  # it may take minutes

_STEP = 64  # pairs between two looks at the clock
_MAX_ROW = 10_000  # bytes of a tree; aligning two of the worst shape takes seconds, and cannot be stopped
_MAX_NODES = 2_000_000  # of a file
_MAX_PROBLEMS = 10  # shown


class _Cut:
    """Rows `lo … hi` of others, with the numbers that they have there."""

    def __init__(self, rows: Rows, lo: int, hi: int) -> None:
        self.title = rows.title
        self.name, self.longest, self.load, self.tree = rows.name, rows.longest, rows.load, rows.tree
        self._length = hi - lo

    def __len__(self) -> int:
        return self._length


def score_texts(
    prediction: bytes,
    reference: bytes,
    options: dict[str, Any],
    seconds: float,
    tell: Callable[[float], None] = lambda share: None,
) -> CorpusScore:
    """Scores two files; pairs that cannot be compared count as 0 and are listed.

    Args:
        prediction: A file of trees.
        reference: A file with as many.
        options: Of the metric.
        seconds: After that time it gives up with a ValueError.
        tell: Is told the share that is done.
    """
    metric = read_options(options).with_options(on_error="zero")
    for title, text in (("prediction", prediction), ("reference", reference)):
        if max(text.count(b"("), text.count(b"\n")) > _MAX_NODES:
            raise ValueError(f"{title}: more than {_MAX_NODES:,} nodes or lines; use the command line")
    predictions, references = TreeFile(prediction, "prediction"), TreeFile(reference, "reference")
    for rows in (predictions, references):
        if len(rows) and rows.longest(0, len(rows)) > _MAX_ROW:
            raise ValueError(
                f"{rows.title}: there is a tree of more than {_MAX_ROW:,} bytes; use the command line"
            )
    found: CorpusScore
    if len(predictions) != len(references) or not len(predictions):
        found = metric.corpus_score(predictions, references)  # says what is wrong
        return found
    end = time.monotonic() + seconds

    def pieces() -> Iterator[tuple[int, Rows, Rows]]:
        lo = 0
        while lo < len(predictions):
            tell(lo / len(predictions))
            if time.monotonic() > end:
                raise ValueError(
                    f"this took longer than {seconds:g} seconds; use the command line, structiou score"
                )
            hi = _find_stop(predictions, references, lo)
            yield lo, _Cut(predictions, lo, hi), _Cut(references, lo, hi)
            lo = hi

    found = score_pieces(metric, pieces(), total=len(predictions))
    return found


def _find_stop(predictions: TreeFile, references: TreeFile, lo: int) -> int:
    """Where the piece that begins at a row ends: soon, where the trees are long."""
    hi, size = lo, 0
    while hi < min(lo + _STEP, len(predictions)) and size < _MAX_ROW:
        size += min(predictions.longest(hi, hi + 1), references.longest(hi, hi + 1))
        hi += 1
    return hi


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

    def score(
        prediction: str | None,
        reference: str | None,
        *values: Any,
        progress: gr.Progress = gr.Progress(),  # noqa: B008 - how Gradio is asked for one
    ) -> tuple[Any, ...]:
        hidden = gr.update(visible=False)
        try:
            found = score_texts(
                read_file(prediction, "predictions", settings.upload_bytes),
                read_file(reference, "references", settings.upload_bytes),
                dict(zip(OPTIONS, values, strict=True)),
                settings.scoring_seconds,
                lambda share: progress(share),
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
    """Files for downloading: the sentences as a table, and everything as JSON."""
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
    notes += [f"{number:,} {title}" for title, number in found.tell_texts().items()]
    problems = "".join(
        f"<li>row {row + 1}: {html.escape(message.splitlines()[0])}</li>"
        for row, message in found.problems[:_MAX_PROBLEMS]
    )
    if len(found.problems) > _MAX_PROBLEMS:
        problems += f"<li>and {len(found.problems) - _MAX_PROBLEMS} more; the JSON file lists all</li>"
    return (
        f"{figures}<p>{html.escape('; '.join(notes))}.</p>"
        + show_notices(notice.message for notice in found.notices)
        + (f'<ul class="siou-why">{problems}</ul>' if problems else "")
        + f'<p class="siou-small"><code>{html.escape(found.signature)}</code></p>'
    )
