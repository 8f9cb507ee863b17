"""The host's pages: they ask for the host's token as a password, and programs send it as a bearer token."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from typing import Annotated, Any, BinaryIO, NamedTuple

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from leaderboard.fields import FieldError
from leaderboard.people import AccessError
from leaderboard.service import ACTIONS, Leaderboard

from .context import Board, show_page
from .errors import explain, status_of
from .render import show_value
from .views import board_choices, csv_of

_ALL_ACTION = "re-score all"  # takes no submissions
_LOG_LINES = 100  # of a page
_NO_STORE = {"Cache-Control": "no-store"}


class Host(NamedTuple):
    """The host, as the token of a request shows.

    Attributes:
        token: The host's token.
        address: The network address that it comes from.
        is_program: Whether a program sent it, which reads no pages.
    """

    token: str
    address: str
    is_program: bool


def _check_host(request: Request, board: Board) -> Host:
    """Refuse whoever does not have the host's token; browsers then ask for it."""
    if board.settings.admin_token is None:
        raise HTTPException(
            404, "this leaderboard has no pages for its host; set STRUCTIOU_ADMIN_TOKEN to have them"
        )
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    ask = {"WWW-Authenticate": 'Basic realm="host of the leaderboard (any name, the token as password)"'}
    if scheme.lower() == "basic":
        try:
            value = base64.b64decode(value, validate=True).decode("utf-8").partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            value = ""
    elif scheme.lower() != "bearer":
        raise HTTPException(
            401, "send the host's token as the password of any user, or as a bearer token", ask
        )
    try:
        board.check_token(value.strip(), request.state.address)
    except AccessError as error:
        raise HTTPException(401, str(error), ask) from None
    return Host(value.strip(), request.state.address, scheme.lower() == "bearer")


TheHost = Annotated[Host, Depends(_check_host)]
router = APIRouter(prefix="/host", dependencies=[Depends(_check_host)])


def _show(request: Request, board: Leaderboard, host: Host, **messages: Any) -> HTMLResponse:
    """Return the host's page; each message is shown in the form with its name."""
    problems = [message["error"] for message in messages.values() if "error" in message]
    before = request.query_params.get("before", "")
    log = board.log(
        host.token,
        before=int(before) if before.isdecimal() and len(before) < 16 else None,
        most=_LOG_LINES,
        address=host.address,
    )
    page = show_page(
        request,
        "host.html",
        status=status_of(problems[0]) if problems else 200,
        submissions=_submission_rows(board, host),
        actions=ACTIONS,
        log=log,
        older=log[-1].number if len(log) == _LOG_LINES else None,
        benchmarks=_benchmark_rows(board),
        benchmark_titles=[(name, item.title) for name, item in board.benchmarks.items()],
        boards=board_choices(board),
        announcements=board.announcements.all(),
        teams=board.teams.all(),
        messages={
            name: {"problem": explain(message["error"])} if "error" in message else message
            for name, message in messages.items()
        },
    )
    page.headers.update(_NO_STORE)
    return page


def _do(
    request: Request, board: Leaderboard, host: Host, name: str, action: Callable[[], Any]
) -> HTMLResponse:
    """Do an action of the host; return the host's page with the outcome in the form of that name."""
    try:
        done = action()
    except ValueError as error:
        return _show(request, board, host, **{name: {"error": error}})
    return _show(request, board, host, **{name: done if isinstance(done, dict) else {"text": done}})


@router.get("")
def show_host(request: Request, board: Board, host: TheHost) -> HTMLResponse:
    """Return the host's page; `before` is the number of the log's line after those that are shown."""
    return _show(request, board, host)


@router.get("/board/{name}.csv")
def show_exact_board(name: str, board: Board, host: TheHost, phase: str = "", late: bool = False) -> Response:
    """Return a board with exact figures as a table for spreadsheets, even if scores are hidden."""
    entries = board.exact_board(host.token, name, phase, late=late, address=host.address)
    item = board.benchmark(name)
    headers = {**_NO_STORE, "Content-Disposition": f'attachment; filename="{name}-exact.csv"'}
    return Response(csv_of(item.in_phase(board.phase_name(item, phase)), entries), headers=headers)


@router.post("/act")
def act(
    request: Request,
    board: Board,
    host: TheHost,
    action: Annotated[str, Form()] = "",
    id_: Annotated[list[str], Form(alias="id")] = [],  # noqa: B006 (FastAPI copies it)
    confirmed: Annotated[bool, Form()] = False,
) -> HTMLResponse:
    """Do an action to the ticked submissions, after a page that asks for a confirmation."""
    ids = " ".join(id_)
    if confirmed:
        return _do(
            request,
            board,
            host,
            "act",
            lambda: board.administer(host.token, action, ids, address=host.address),
        )
    try:
        chosen = [] if action == _ALL_ACTION else board.chosen(ids)
    except ValueError as error:
        return _show(request, board, host, act={"error": error})
    return show_page(request, "confirm.html", action=action, chosen=chosen)


@router.post("/undo")
def undo(
    request: Request, board: Board, host: TheHost, number: Annotated[int | None, Form()] = None
) -> HTMLResponse:
    """Undo a line of the log, or the last action on submissions."""
    return _do(request, board, host, "log", lambda: board.undo(host.token, number, address=host.address))


@router.post("/benchmarks")
def read_again(request: Request, board: Board, host: TheHost) -> HTMLResponse:
    """Read the benchmarks again."""

    def read() -> str:
        changes = board.look(host.token, address=host.address)
        lines = [f"{change.name}: {change.kind} ({change.detail})" for change in changes]
        return "; ".join(lines) or "nothing has changed"

    return _do(request, board, host, "benchmarks", read)


@router.post("/announce")
def announce(
    request: Request,
    board: Board,
    host: TheHost,
    benchmark: Annotated[str, Form()] = "",
    text: Annotated[str, Form()] = "",
) -> HTMLResponse:
    """Publish an announcement for a benchmark, or for all."""

    def add() -> str:
        return f"announced as {board.announce(host.token, benchmark, text, address=host.address)}"

    return _do(request, board, host, "announce", add)


@router.post("/take-back")
def take_back(
    request: Request, board: Board, host: TheHost, id_: Annotated[str, Form(alias="id")] = ""
) -> HTMLResponse:
    """Remove an announcement."""

    def remove() -> str:
        board.take_back(host.token, id_, address=host.address)
        return f"removed: {id_}"

    return _do(request, board, host, "announce", remove)


@router.post("/team-key")
def renew_key(
    request: Request, board: Board, host: TheHost, team: Annotated[str, Form()] = ""
) -> HTMLResponse:
    """Make a new key for a team and show it this once."""

    def make() -> dict[str, str]:
        key = board.new_team_key(host.token, team, address=host.address)
        return {"text": f"The new key of {team}, shown only this once:", "key": key}

    return _do(request, board, host, "teams", make)


@router.post("/vouch")
def vouch(
    request: Request,
    board: Board,
    host: TheHost,
    team: Annotated[str, Form()] = "",
    vouched: Annotated[bool, Form()] = False,
) -> HTMLResponse:
    """Have the submissions of a team count for the team alone, or no longer."""

    def change() -> str:
        board.vouch(host.token, team, vouched=vouched, address=host.address)
        return f"{team}: submissions count for {'the team alone' if vouched else 'their network, too'}"

    return _do(request, board, host, "teams", change)


@router.get("/export")
def export(board: Board, host: TheHost) -> Response:
    """Return everything as lines of JSON, private fields too."""
    lines = (line.encode("utf-8") for line in board.export(host.token, address=host.address))
    headers = {**_NO_STORE, "Content-Disposition": 'attachment; filename="leaderboard.jsonl"'}
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


@router.post("/import")
async def import_(request: Request, board: Board, host: TheHost) -> Response:
    """Take over an export; its form is read here, so that nothing is read before the token was checked."""
    form = await request.form()
    file = form.get("file")
    try:
        if not isinstance(file, UploadFile) or not file.filename:
            raise FieldError("choose a file of an export")
        lines = _Lines(file.file)
        added, known = await run_in_threadpool(board.import_lines, host.token, lines, address=host.address)
    except ValueError as error:
        if host.is_program:
            return JSONResponse({"detail": explain(error)}, status_of(error), _NO_STORE)
        return await run_in_threadpool(_show, request, board, host, transfer={"error": error})
    finally:
        await form.close()
    if host.is_program:
        return JSONResponse({"imported": added, "known": known}, headers=_NO_STORE)
    message = {"text": f"{added} imported, {known} were there already"}
    return await run_in_threadpool(_show, request, board, host, transfer=message)


class _Lines:
    """The lines of an uploaded file, which can be read several times without holding all of them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __iter__(self) -> Iterator[str]:
        self._file.seek(0)
        for number, line in enumerate(self._file, 1):
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError:
                raise FieldError(f"line {number} is not text in UTF-8; choose a file of an export") from None


# ---- lists --------------------------------------------------------------------------------


def _submission_rows(board: Leaderboard, host: Host) -> list[dict[str, Any]]:
    """Return all submissions, the newest first, with their exact scores, which the host always sees."""
    rows = []
    for item, figure in board.all_submissions(host.token, address=host.address):
        marks = [item.state, "late" if item.late else "", "hidden" if item.hidden else "", item.removed]
        rows.append({"item": item, "state": ", ".join(filter(None, marks)), "score": show_value(figure)})
    return rows


def _benchmark_rows(board: Leaderboard) -> list[tuple[str, str, str, str, int]]:
    """Return name, title, phase, state and number of submissions of all benchmarks."""
    now, items, broken = board.clock(), board.store.all(), board.catalogue.broken
    rows = []
    for name, item in board.benchmarks.items():
        own = [other for other in items if other.benchmark == name]
        for phase in item.phases:
            n_own = sum((other.phase or item.phases[0].name) == phase.name for other in own)
            rows.append((name, item.title, phase.title, broken.get(name, "") or phase.describe(now), n_own))
        if not item.phases:
            rows.append((name, item.title, "", broken.get(name, "") or "served", len(own)))
    for name, problem in broken.items():
        if name not in board.benchmarks:
            rows.append((name, "", "", problem, sum(other.benchmark == name for other in items)))
    return rows
