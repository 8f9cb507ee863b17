"""The page on which predictions are submitted."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.people import Visitor
from leaderboard.service import Leaderboard
from leaderboard.store import Submission
from leaderboard.uploads import UploadError, join_parts

from .board import show_system
from .choices import first_choice, submit_choices
from .controls import add_file, read_file, show_error, visitor_of

SUBMITTING: dict[str, Any] = {"concurrency_id": "submitting", "concurrency_limit": 16}  # waits for the score

_PATIENCE = 60.0  # seconds that a page waits for the score


def add_page(board: Leaderboard) -> dict[str, Any]:
    """Builds the page; returns the event of a submission, and the choice of a benchmark."""
    settings = board.settings
    names = submit_choices(board)
    gr.Markdown(
        "## Submit\nChoose a file with a tree for each sentence of the benchmark, in its order, and `()` "
        "where your parser failed. It may be packed with gzip. You can submit "
        f"{settings.daily_per_user} files a day; a file with errors is refused and does not count."
        + (" You have to be signed in." if settings.require_login else "")
    )
    with gr.Row():
        benchmark = gr.Dropdown(
            names, value=first_choice(board), label="Benchmark", elem_id="submit-benchmark"
        )
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
    with gr.Accordion("For a team, or several files", open=False, elem_id="submit-task"):
        files = add_file(
            label="Predictions: one file, or one for each part of the benchmark, named after it (hebrew.txt)",
            file_count="multiple",
            elem_id="submit-files",
            height=120,
        )
        with gr.Row():
            team = gr.Textbox(label="Team", info="may stay empty", max_lines=1, elem_id="submit-team")
            team_key = gr.Textbox(
                label="Key of the team",
                info="signed-in members need none",
                type="password",
                max_lines=1,
                elem_id="submit-key",
            )
        make = gr.Button("Make a new team of that name", elem_id="make-team")
        made = gr.HTML(elem_id="made-team")
        send_task = gr.Button("Submit these", variant="primary", elem_id="submit-these")
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
        visitor = visitor_of(request, profile, settings)
        fields = system or "", link or "", contact or ""
        return send_data(
            visitor, benchmark, fields, secret, lambda: read_file(path, "predictions", settings.upload_bytes)
        )

    def send_files(
        benchmark: str,
        system: str,
        link: str,
        contact: str,
        paths: list[str] | None,
        team: str,
        team_key: str,
        secret: str,
        request: gr.Request,
        profile: gr.OAuthProfile | None,
    ) -> str:
        visitor = visitor_of(request, profile, settings)
        fields = system or "", link or "", contact or ""
        own = {"team": team or "", "team_key": team_key or ""}
        return send_data(
            visitor, benchmark, fields, secret, lambda: read_parts(paths, settings.upload_bytes), **own
        )

    def send_data(
        visitor: Visitor,
        benchmark: str,
        fields: tuple[str, str, str],
        secret: str,
        read: Callable[[], bytes],
        **team: str,
    ) -> str:
        name, _, phase = (benchmark or "").partition("/")
        try:
            accepted = board.submit(visitor, name, *fields, read(), secret or "", phase=phase, **team)
        except UploadError as error:
            return show_problems(error)
        except ValueError as error:
            return show_error(error)
        return show_secret(accepted.secret) + show_receipt(board, board.wait(accepted.id, _PATIENCE))

    def new_team(team: str, request: gr.Request, profile: gr.OAuthProfile | None) -> str:
        try:
            name, key = board.make_team(team or "", visitor_of(request, profile, settings))
        except ValueError as error:
            return show_error(error)
        return (
            f"<p>The team {html.escape(name)} is there. Its key, which is told this once: "
            f"<code>{html.escape(key)}</code></p>"
        )

    make.click(new_team, team, made, api_visibility="private")
    fields = [benchmark, system, link, contact]
    send_task.click(
        send_files, [*fields, files, team, team_key, secret], result, api_visibility="private", **SUBMITTING
    )
    _add_keys(board)
    sent = send.click(send_file, [*fields, upload, secret], result, api_visibility="private", **SUBMITTING)
    return {"sent": sent, "benchmark": benchmark}


def _add_secret(info: str, name: str) -> Any:
    return gr.Textbox(label="Secret", info=info, type="password", max_lines=1, elem_id=name)


def _add_keys(board: Leaderboard) -> None:
    """Adds what an owner may do later: withdraw a submission, and let programs submit."""
    with gr.Accordion("Withdraw a submission, or let programs submit", open=False):
        with gr.Row():
            name = gr.Textbox(
                label="Submission to withdraw",
                info="its id; the one before it of the same system then counts",
                max_lines=1,
                elem_id="withdraw-id",
            )
            secret = _add_secret(
                "that came with it, or the key of its team; empty if you are signed in", "withdraw-secret"
            )
            undo = gr.Checkbox(label="put it back instead", elem_id="withdraw-undo")
        with gr.Row():
            take = gr.Button("Withdraw", variant="stop", elem_id="withdraw")
            make = gr.Button("New secret for programs", elem_id="make-secret")
        done = gr.HTML(elem_id="withdraw-result")

    def take_off(
        id_: str, secret: str, undo: bool, request: gr.Request, profile: gr.OAuthProfile | None
    ) -> str:
        visitor = visitor_of(request, profile, board.settings)
        try:
            known = board.withdraw_own(visitor, (id_ or "").strip(), secret or "", undo=bool(undo))
        except ValueError as error:
            return show_error(error)
        return f"<p>{'withdrawn' if known.removed else 'back on the board'}: {html.escape(known.system)}</p>"

    def make_secret(request: gr.Request, profile: gr.OAuthProfile | None) -> str:
        try:
            return show_secret(board.make_secret(visitor_of(request, profile, board.settings)))
        except ValueError as error:
            return show_error(error)

    take.click(take_off, [name, secret, undo], done, api_visibility="private")
    make.click(make_secret, None, done, api_visibility="private")


def show_secret(secret: str) -> str:
    """A secret that is told this once, as HTML; empty if there is none."""
    if not secret:
        return ""
    return (
        '<p class="siou-secret">Keep this secret; it is not shown again: '
        f"<code>{html.escape(secret)}</code>. "
        "With it, and only with it, you can replace or withdraw what you submitted "
        "(<code>structiou submit --secret</code>).</p>"
    )


def read_parts(paths: Sequence[str] | None, limit: int) -> bytes:
    """One upload of several files, named up to the first dot like their parts; a single one stays so."""
    if not paths or len(paths) == 1:
        return read_file(paths[0] if paths else None, "predictions", limit)
    found: dict[str, bytes] = {}
    for path in paths:
        name = Path(path).name.partition(".")[0]
        if name in found:
            raise ValueError(f"two files are called {name}; give each the name of its part")
        found[name] = read_file(path, name, limit)
    if sum(map(len, found.values())) > limit:
        raise ValueError(f"the files are larger than {limit:,} bytes together; make them smaller")
    return join_parts(found)


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
    entries = board.board_of(submission)
    rank = next((entry.rank for entry in entries if entry.submission.id == submission.id), None)
    place = f", rank {rank}" if rank else ""
    return (
        f"<p data-say><b>Accepted as <code>{submission.id}</code>{place}.</b></p>"
        f"{show_system(board, submission.id)}"
    )
