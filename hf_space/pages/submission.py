"""The page on which predictions are submitted."""

from __future__ import annotations

import html
from typing import Any

import gradio as gr

from leaderboard.service import Leaderboard
from leaderboard.store import Submission
from leaderboard.uploads import UploadError

from .board import show_system
from .controls import add_file, read_file, show_error, visitor_of

_PATIENCE = 60.0  # seconds that a page waits for the score


def add_page(board: Leaderboard) -> Any:
    """Builds the page; returns the event of a submission."""
    settings = board.settings
    names = [(item.title, item.name) for item in board.benchmarks.values()]
    gr.Markdown(
        "## Submit\nChoose a file with a tree for each sentence of the benchmark, in its order, and `()` "
        "where your parser failed. It may be packed with gzip. You can submit "
        f"{settings.daily_per_user} files a day; a file with errors is refused and does not count."
        + (" You have to be signed in." if settings.require_login else "")
    )
    with gr.Row():
        benchmark = gr.Dropdown(names, value=names[0][1], label="Benchmark", elem_id="submit-benchmark")
        system = gr.Textbox(label="Name of the system", max_lines=1, elem_id="submit-system")
    with gr.Row():
        link = gr.Textbox(
            label="Link", info="a paper or repository; may stay empty", max_lines=1, elem_id="submit-link"
        )
        contact = gr.Textbox(
            label="Contact",
            info="only the host sees it; may stay empty",
            max_lines=1,
            elem_id="submit-contact",
        )
    upload = add_file(label="Predictions", elem_id="submit-file", height=120)
    send = gr.Button("Submit", variant="primary", elem_id="submit")
    result = gr.HTML(elem_id="submit-result")

    def send_file(
        benchmark: str,
        system: str,
        link: str,
        contact: str,
        path: str | None,
        request: gr.Request,
        profile: gr.OAuthProfile | None,
    ) -> str:
        try:
            data = read_file(path, "predictions", settings.upload_bytes)
            visitor = visitor_of(request, profile, settings)
            accepted = board.submit(visitor, benchmark, system or "", link or "", contact or "", data)
        except UploadError as error:
            return show_problems(error)
        except ValueError as error:
            return show_error(error)
        return show_receipt(board, board.wait(accepted.id, _PATIENCE))

    return send.click(send_file, [benchmark, system, link, contact, upload], result, api_visibility="private")


def show_problems(error: UploadError) -> str:
    """What is wrong with a file, row by row."""
    lines = "".join(f"<li><pre>{html.escape(line)}</pre></li>" for line in error.lines())
    message = "The file was not accepted and does not count."
    return f'<div class="siou-error" role="alert">{message}<ul>{lines}</ul></div>'


def show_receipt(board: Leaderboard, submission: Submission) -> str:
    """What became of a submission."""
    if submission.state == "queued":
        return (
            f"<p data-say>Accepted as <code>{submission.id}</code>; it will be scored soon. "
            f'<a href="?system={submission.id}">Look again</a></p>'
        )
    if submission.state == "failed":
        return f'<div class="siou-error" role="alert">{html.escape(submission.problem)}</div>'
    rank = next(
        (entry.rank for entry in board.board(submission.benchmark) if entry.submission.id == submission.id),
        None,
    )
    place = f", rank {rank}" if rank else ""
    return (
        f"<p data-say><b>Accepted as <code>{submission.id}</code>{place}.</b></p>"
        f"{show_system(board, submission.id)}"
    )
