"""The page with the host's actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from leaderboard.people import HOST
from leaderboard.phases import show_minute
from leaderboard.privacy import DIGITS
from leaderboard.service import ACTIONS, Leaderboard
from leaderboard.store import Submission
from leaderboard.transfer import export_lines
from structiou_metric.wording import count

from .controls import visitor_of
from .downloads import write_download

_HEADERS = [
    "id",
    "received",
    "system",
    "state",
    "score",
    "benchmark",
    "phase",
    "team",
    "owner",
    "contact",
    "problem",
]
_LOG_HEADERS = ["time", "who", "what", "to", "detail"]
_BENCHMARK_HEADERS = ["name", "title", "phase", "state", "submissions"]
_TOLD_HEADERS = ["what", "name", "since", "detail"]
_EVERYWHERE = "all benchmarks"

# Sends the chosen file as it is, however large, and tells what came of it.
_IMPORT = """async (token) => {
    const file = document.querySelector('#import-file').files[0];
    if (!file) return 'choose a file of an export first';
    const headers = {Authorization: `Bearer ${token}`};
    const answer = await fetch('host/import', {method: 'POST', headers, body: file});
    return await answer.text();
}"""

# Gradio gives the box above the table a hint and no name, which readers of screens need.
_NAME_FILTER = """
    const name = () => document.querySelector('#host-table .search-input')
        ?.setAttribute('aria-label', 'Filter submissions');
    new MutationObserver(name).observe(document.body, {childList: true, subtree: true});
    name();
"""


def add_page(board: Leaderboard) -> None:
    """Builds the page."""
    gr.Markdown(
        "## Host\nHide, show, delete and score again what was submitted; export and import everything."
    )
    token = gr.Textbox(label="Host token", type="password", max_lines=1, elem_id="host-token")
    list_all = gr.Button("Show everything", elem_id="host-list")
    done = gr.Textbox(label="Done", interactive=False, elem_id="host-done")
    gr.HTML(
        "<p>Choose submissions by their lines in the table; once more takes one out again.</p>",
        js_on_load=_NAME_FILTER,
    )
    table = gr.Dataframe(
        headers=_HEADERS,
        interactive=False,
        show_search="filter",
        label="Submissions",
        elem_id="host-table",
        max_height=500,
    )
    with gr.Row():
        action = gr.Radio(list(ACTIONS), value=ACTIONS[0], label="Action", elem_id="host-action")
        name = gr.Textbox(label="Chosen", info="their ids", max_lines=1, elem_id="host-submission")
    with gr.Row():
        act = gr.Button("Do it", variant="stop", elem_id="host-act")
        confirm = gr.Button("Confirm", variant="stop", visible=False, elem_id="host-confirm")
        undo = gr.Button("Undo the last action", elem_id="host-undo")
    log = gr.Dataframe(
        headers=_LOG_HEADERS, interactive=False, label="Log", elem_id="host-log", max_height=300
    )
    benchmarks = gr.Dataframe(
        headers=_BENCHMARK_HEADERS, interactive=False, label="Benchmarks", elem_id="host-benchmarks"
    )
    look = gr.Button("Read benchmarks again", elem_id="host-look")
    with gr.Row():
        about = gr.Dropdown([_EVERYWHERE, *board.benchmarks], value=_EVERYWHERE, label="Announce to")
        text = gr.Textbox(label="Announcement", lines=2, elem_id="host-text")
        announce = gr.Button("Announce", elem_id="host-announce")
    teams = gr.Dataframe(
        headers=_TOLD_HEADERS, interactive=False, label="Announcements and teams", elem_id="host-teams"
    )
    with gr.Row():
        told = gr.Textbox(label="Announcement to take back, or team that needs a new key", max_lines=1)
        take_back = gr.Button("Take back")
        new_key = gr.Button("New team key")
    with gr.Row():
        export = gr.Button("Export everything")
        exported = gr.DownloadButton("Export", visible=False)
        gr.HTML('<label>An export, of any size: <input type="file" id="import-file"></label>')
        import_ = gr.Button("Import", elem_id="host-import")

    def address_of(request: gr.Request) -> str:
        return visitor_of(request, None, board.settings).address

    def told_by(request: gr.Request, token: str, function: Callable[[], str]) -> str:
        """What a function of the host's returns, or its error."""
        try:
            board.check_token(token, address_of(request))
            return function()
        except ValueError as error:
            return str(error)

    def ask(token: str, action: str, name: str, request: gr.Request) -> tuple[str, Any]:
        def question() -> str:
            if action == "re-score all":
                return "score all submissions of another version or setting again? Press Confirm."
            chosen = board.chosen(name)
            told = "; ".join(f"{item.system} of {item.by}, {show_minute(item.received)}" for item in chosen)
            return f"{action} {count(len(chosen), 'submission')}? Press Confirm. {told}"

        answer = told_by(request, token, question)
        return answer, gr.update(visible="Press Confirm" in answer)

    def run(token: str, action: str, name: str, request: gr.Request) -> str:
        try:
            return board.administer(token, action, name, address=address_of(request))
        except ValueError as error:
            return str(error)

    def take_undo(token: str, request: gr.Request) -> str:
        return told_by(request, token, lambda: board.undo(token, address=address_of(request)))

    def show(token: str, request: gr.Request) -> tuple[str, list[list[Any]]]:
        try:
            board.check_token(token, address_of(request))
        except ValueError as error:
            return str(error), []
        rows = submission_rows(board)
        return f"{len(rows)} submissions", rows

    def show_task(token: str, request: gr.Request) -> tuple[list[list[Any]], ...]:
        try:
            board.check_token(token, address_of(request))
        except ValueError:
            return [], [], []
        return log_rows(board), benchmark_rows(board), team_rows(board)

    def reread(token: str, request: gr.Request) -> str:
        def read() -> str:
            found = [
                f"{item.name}: {item.kind} ({item.detail})"
                for item in board.look(token, address=address_of(request))
            ]
            return "; ".join(found) or "nothing has changed"

        return told_by(request, token, read)

    def tell(token: str, about: str, text: str, request: gr.Request) -> str:
        def add() -> str:
            return f"announced as {board.announce(token, '' if about == _EVERYWHERE else about, text)}"

        return told_by(request, token, add)

    def untell(token: str, name: str, request: gr.Request) -> str:
        def remove() -> str:
            board.take_back(token, (name or "").strip())
            return f"taken back: {name}"

        return told_by(request, token, remove)

    def renew(token: str, name: str, request: gr.Request) -> str:
        def make() -> str:
            key = board.new_team_key(token, (name or "").strip())
            return f"the new key of {name}, told this once: {key}"

        return told_by(request, token, make)

    def write(token: str, request: gr.Request) -> tuple[str, Any]:
        try:
            board.check_token(token, address_of(request))
        except ValueError as error:
            return str(error), gr.update(visible=False)
        path = write_download("leaderboard.jsonl", export_lines(board.store))
        board.audit.write(board.clock(), HOST, "export")
        return "exported", gr.update(value=path, visible=True)

    def pick(chosen: str, event: gr.SelectData) -> str:
        id_ = str(event.row_value[0])
        names = (chosen or "").split()
        return " ".join(item for item in names if item != id_) if id_ in names else " ".join([*names, id_])

    def hide() -> Any:
        return gr.update(visible=False)

    private: dict[str, Any] = {"api_visibility": "private"}

    def then_show(event: Any) -> None:
        event.then(show, token, [done_rows, table], **private).then(
            show_task, token, [log, benchmarks, teams], **private
        )

    done_rows = gr.Textbox(visible=False)
    act.click(ask, [token, action, name], [done, confirm], **private)
    ran = confirm.click(run, [token, action, name], done, **private)
    ran.then(hide, None, confirm, **private)
    then_show(ran)
    then_show(undo.click(take_undo, token, done, **private))
    then_show(look.click(reread, token, done, **private))
    then_show(announce.click(tell, [token, about, text], done, **private))
    then_show(take_back.click(untell, [token, told], done, **private))
    new_key.click(renew, [token, told], done, **private)
    listed = list_all.click(show, token, [done, table], **private)
    listed.then(show_task, token, [log, benchmarks, teams], **private)
    export.click(write, token, [done, exported], **private)
    then_show(import_.click(None, token, done, js=_IMPORT, **private))
    table.select(pick, name, name, **private)


def submission_rows(board: Leaderboard) -> list[list[Any]]:
    """All submissions, the newest first, with their scores, whoever else may see these."""
    scores = {
        item.submission.id: item.figure for name in board.benchmarks for item in board.store.scored(name)
    }
    return [_row(board, item, scores.get(item.id)) for item in reversed(board.store.all())]


def _row(board: Leaderboard, item: Submission, worth: float | None) -> list[Any]:
    score = None if worth is None else round(worth, DIGITS)
    marks = [item.state, *(["late"] if item.late else []), *(["hidden"] if item.hidden else [])]
    state = ", ".join([*marks, *([item.removed] if item.removed else [])])
    told = [item.benchmark, item.phase, item.team, item.owner, item.contact]
    return [item.id, show_minute(item.received), item.system, state, score, *told, item.problem]


def log_rows(board: Leaderboard) -> list[list[Any]]:
    """What was done, the newest first."""
    return [
        [show_minute(deed.time), deed.who, deed.action, deed.subject, deed.detail]
        for deed in board.audit.deeds()
    ]


def team_rows(board: Leaderboard) -> list[list[Any]]:
    """The announcements and the teams."""
    told = [
        ["announcement", item.id, show_minute(item.time), f"{item.benchmark or _EVERYWHERE}: {item.text}"]
        for item in board.announcements.all()
    ]
    return told + [
        ["team", team.name, show_minute(team.created), ", ".join(team.members)] for team in board.teams.all()
    ]


def benchmark_rows(board: Leaderboard) -> list[list[Any]]:
    """The benchmarks and their phases, those that are not right with what is wrong."""
    now = board.clock()
    items = board.store.all()
    rows = []
    for name, item in board.benchmarks.items():
        wrong = board.catalogue.broken.get(name, "")
        own = [other for other in items if other.benchmark == name]
        for phase in item.phases:
            n_own = sum((other.phase or item.phases[0].name) == phase.name for other in own)
            rows.append([name, item.title, phase.title, wrong or phase.describe(now), n_own])
        if not item.phases:
            rows.append([name, item.title, "", wrong or "served", len(own)])
    for name, wrong in board.catalogue.broken.items():
        if name not in board.benchmarks:
            rows.append([name, "", "", wrong, sum(other.benchmark == name for other in items)])
    return rows
