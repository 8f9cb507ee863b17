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

SUBMITTING: dict[str, Any] = {"concurrency_id": "submitting", "concurrency_limit": 16}  # waits for the score

_PATIENCE = 60.0  # seconds that a page waits for the score


def add_page(board: Leaderboard) -> Any:
    """Builds the page; returns the event of a submission."""
    settings = board.settings
    names = [(item.title, item.name) for item in board.benchmarks.values()]
    gr.Markdown(
        "A file with a tree for each sentence of the benchmark, in its order, and `()` where your parser "
        f"failed; perhaps packed with gzip. {settings.daily_per_user} submissions a day are the most; "
        "a file with errors does not count."
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
        secret = _add_secret(
            "that of your earlier submission, to replace it; empty if it is new or you are signed in",
            "submit-secret",
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
        secret: str,
        request: gr.Request,
        profile: gr.OAuthProfile | None,
    ) -> str:
        try:
            data = read_file(path, "predictions", settings.upload_bytes)
            visitor = visitor_of(request, profile, settings)
            accepted = board.submit(
                visitor, benchmark, system or "", link or "", contact or "", data, secret or ""
            )
        except UploadError as error:
            return show_problems(error)
        except ValueError as error:
            return show_error(error)
        return show_secret(accepted.secret) + show_receipt(board, board.wait(accepted.id, _PATIENCE))

    _add_keys(board)
    inputs = [benchmark, system, link, contact, upload, secret]
    return send.click(send_file, inputs, result, api_visibility="private", **SUBMITTING)


def _add_secret(info: str, name: str) -> Any:
    return gr.Textbox(label="Secret", info=info, type="password", max_lines=1, elem_id=name)


def _add_keys(board: Leaderboard) -> None:
    """What an owner may do later: withdraw a system, and let programs submit."""
    with gr.Accordion("Withdraw a system, or let programs submit", open=False):
        with gr.Row():
            name = gr.Textbox(label="Submission", info="its id", max_lines=1, elem_id="withdraw-id")
            secret = _add_secret("that came with it; empty if you are signed in", "withdraw-secret")
        with gr.Row():
            take = gr.Button("Withdraw", variant="stop", elem_id="withdraw")
            make = gr.Button("New secret for programs", elem_id="make-secret")
        done = gr.HTML(elem_id="withdraw-result")

    def take_off(id_: str, secret: str, request: gr.Request, profile: gr.OAuthProfile | None) -> str:
        try:
            visitor = visitor_of(request, profile, board.settings)
            return f"<p>{html.escape(board.withdraw(visitor, (id_ or '').strip(), secret or ''))}</p>"
        except ValueError as error:
            return show_error(error)

    def make_secret(request: gr.Request, profile: gr.OAuthProfile | None) -> str:
        try:
            return show_secret(board.make_secret(visitor_of(request, profile, board.settings)))
        except ValueError as error:
            return show_error(error)

    take.click(take_off, [name, secret], done, api_visibility="private")
    make.click(make_secret, None, done, api_visibility="private")


def show_secret(secret: str) -> str:
    """A secret that is told this once, as HTML; nothing if there is none."""
    if not secret:
        return ""
    return (
        '<p class="siou-secret">Keep this secret; it is not shown again: '
        f"<code>{html.escape(secret)}</code>. "
        "With it, and only with it, you can replace or withdraw what you submitted "
        "(<code>structiou submit --secret</code>).</p>"
    )


def show_problems(error: UploadError) -> str:
    """What is wrong with a file, row by row."""
    lines = "".join(f"<li><pre>{html.escape(line)}</pre></li>" for line in error.lines())
    message = "The file was not accepted and does not count."
    return f'<div class="siou-error" role="alert">{message}<ul>{lines}</ul></div>'


def show_receipt(board: Leaderboard, submission: Submission) -> str:
    """What became of a submission."""
    if submission.state == "queued":
        return (
            f"<p>Accepted as <code>{submission.id}</code>; it will be scored soon. "
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
        f"<p><b>Accepted as <code>{submission.id}</code>{place}.</b></p>{show_system(board, submission.id)}"
    )
