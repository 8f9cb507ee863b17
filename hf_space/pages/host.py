"""The page with the host's actions."""

from __future__ import annotations

from typing import Any

import gradio as gr

from leaderboard.service import Leaderboard
from leaderboard.transfer import export_lines

from .controls import add_file, read_file, visitor_of
from .downloads import write_download

ACTIONS = ("hide", "show", "delete", "re-score", "re-score all")
_MAX_IMPORT = 2**30
_HEADERS = ["id", "benchmark", "system", "owner", "contact", "state", "problem", "hidden"]


def add_page(board: Leaderboard) -> None:
    """Builds the page."""
    gr.Markdown(
        "## Host\nHide, show, delete and score again what was submitted; export and import everything."
    )
    token = gr.Textbox(label="Host token", type="password", max_lines=1, elem_id="host-token")
    with gr.Row():
        action = gr.Radio(list(ACTIONS), value=ACTIONS[0], label="Action")
        name = gr.Textbox(label="Submission", info="its id", max_lines=1, elem_id="host-submission")
    with gr.Row():
        act = gr.Button("Do it", variant="stop", elem_id="host-act")
        list_all = gr.Button("List all submissions", elem_id="host-list")
    done = gr.Textbox(label="Done", interactive=False, elem_id="host-done")
    table = gr.Dataframe(headers=_HEADERS, interactive=False, label="Submissions", elem_id="host-table")
    with gr.Row():
        export = gr.Button("Export everything")
        exported = gr.DownloadButton("Export", visible=False)
    with gr.Row():
        lines = add_file(label="JSON lines of an export", height=100)
        import_ = gr.Button("Import")

    def address_of(request: gr.Request) -> str:
        return visitor_of(request, None, board.settings).address

    def run(token: str, action: str, name: str, request: gr.Request) -> str:
        try:
            return board.administer(token, action, (name or "").strip(), address=address_of(request))
        except ValueError as error:
            return str(error)

    def show(token: str, request: gr.Request) -> tuple[str, list[list[Any]]]:
        try:
            board.check_token(token, address_of(request))
        except ValueError as error:
            return str(error), []
        rows = [[getattr(item, key) for key in ("id", *_HEADERS[1:])] for item in board.store.all()]
        return f"{len(rows)} submissions", rows

    def write(token: str, request: gr.Request) -> tuple[str, Any]:
        try:
            board.check_token(token, address_of(request))
        except ValueError as error:
            return str(error), gr.update(visible=False)
        path = write_download("leaderboard.jsonl", export_lines(board.store))
        return "exported", gr.update(value=path, visible=True)

    def read(token: str, path: str | None, request: gr.Request) -> str:
        try:
            board.check_token(token, address_of(request))
            text = read_file(path, "JSON lines", _MAX_IMPORT).decode("utf-8")
            added, known = board.import_lines(token, text.split("\n"), address=address_of(request))
        except ValueError as error:
            return str(error)
        return f"{added} imported, {known} were there already"

    act.click(run, [token, action, name], done, api_visibility="private")
    list_all.click(show, token, [done, table], api_visibility="private")
    export.click(write, token, [done, exported], api_visibility="private")
    import_.click(read, [token, lines], done, api_visibility="private")
