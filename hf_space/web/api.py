"""Addresses for programs: JSON with typed bodies, tables, badges, health and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, JSONResponse, Response

from leaderboard.file_scores import score_uploaded_files
from leaderboard.health import check_health, write_metrics
from leaderboard.uploads import join_parts
from pairs import compare_pair
from structiou_metric.report.pair import read_form

from .context import Asking, Board
from .render import render
from .views import badge_of, columns_of, csv_of, public_benchmark, public_row, public_submission

router = APIRouter()

_OPEN = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=60"}  # for pages of others
_FRAMED = {
    **_OPEN,
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors *",
}


class _Body(BaseModel):
    """A body of a request; fields that are not known are refused."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class NewSubmission(_Body):
    """A submission: its files as texts by the names of their parts; a single file may have any name."""

    benchmark: str
    phase: str = ""
    system: str
    files: dict[str, str] = Field(min_length=1, max_length=100)
    link: str = ""
    contact: str = ""
    secret: str = ""
    team: str = ""
    team_key: str = ""


class Withdrawal(_Body):
    """The secret or team key with which a submission is withdrawn, or put back."""

    key: str = ""
    undo: bool = False


class NewTeam(_Body):
    """The name of a team."""

    name: str


class PairOfTrees(_Body):
    """Two trees in brackets, and options of the metric."""

    prediction: str
    reference: str
    options: dict[str, str | bool | float] = {}


class PairOfFiles(_Body):
    """Two files as texts, and options of the metric."""

    predictions: str
    references: str
    options: dict[str, str | bool | float] = {}
    per_sentence: bool = False


@router.get("/api/benchmarks")
def list_benchmarks(board: Board) -> list[dict[str, Any]]:
    """Return the benchmarks, with their rules and phases."""
    return [public_benchmark(board, item) for item in board.benchmarks.values()]


@router.post("/api/submissions", status_code=201)
def submit(body: NewSubmission, board: Board, visitor: Asking) -> dict[str, Any]:
    """Accept a submission; it is scored soon after, which `GET /api/submissions/ID` reports."""
    accepted = board.submit(
        visitor,
        body.benchmark,
        body.system,
        body.link,
        body.contact,
        join_files({name: text.encode() for name, text in body.files.items()}),
        body.secret,
        phase=body.phase,
        team=body.team,
        team_key=body.team_key,
    )
    secret = {"secret": accepted.secret} if accepted.secret else {}
    return {"accepted": True, **public_submission(board, accepted), **secret}


def join_files(files: Mapping[str, bytes]) -> bytes:
    """Return one upload made of the files of a submission; a single one stays as it is."""
    return join_parts(files) if len(files) > 1 else next(iter(files.values()))


@router.get("/api/submissions/{id_}")
def show_submission(id_: str, board: Board) -> dict[str, Any]:
    """Return the state of a submission, and its line of the board if it has one."""
    return public_submission(board, board.visible(id_))


@router.post("/api/submissions/{id_}/withdraw")
def withdraw(id_: str, body: Withdrawal, board: Board, visitor: Asking) -> dict[str, Any]:
    """Withdraw a submission for its owner or team, or put it back."""
    found = board.withdraw_own(visitor, id_, body.key, undo=body.undo)
    return {"id": found.id, "system": found.system, "withdrawn": bool(found.removed)}


@router.post("/api/teams", status_code=201)
def make_team(body: NewTeam, board: Board, visitor: Asking) -> dict[str, str]:
    """Make a team; its key is returned this once."""
    name, key = board.make_team(body.name, visitor)
    return {"team": name, "key": key}


@router.post("/api/pairs")
def score_pair(body: PairOfTrees, board: Board) -> dict[str, Any]:
    """Return score, precision, recall, signature and aligned nodes of two trees."""
    return compare_pair(body.prediction, body.reference, body.options, board.settings)


@router.post("/api/files")
def score_files(body: PairOfFiles, board: Board) -> dict[str, Any]:
    """Return all figures of two files, and those of each sentence if asked for."""
    texts = body.predictions.encode(), body.references.encode()
    found = score_uploaded_files(*texts, read_form(body.options), board.settings)
    return found.as_dict(per_sentence=body.per_sentence)


@router.get("/table/{name}")
def show_table(name: str, board: Board, phase: str = "", late: bool = False) -> Response:
    """Return the board of a benchmark: as a page for frames of other sites, as JSON or as CSV."""
    name, _, kind = name.partition(".")
    if kind not in ("", "json", "csv"):
        raise ValueError("there is a table as a page, without an ending, as .json and as .csv")
    entries = board.board(name, phase, late=late)
    benchmark = board.benchmark(name)
    benchmark = benchmark.in_phase(board.phase_name(benchmark, phase))
    hidden = board.hidden_until(name, benchmark.phase)
    if kind == "json":
        rows = [public_row(entry) for entry in entries]
        values = {"benchmark": name, "phase": benchmark.phase, "late": late, "hidden_until": hidden}
        return JSONResponse({**values, "entries": rows}, headers=_OPEN)
    columns = columns_of(benchmark)
    if kind == "csv":
        headers = {**_OPEN, "Content-Disposition": f'attachment; filename="{name}.csv"'}
        return Response(csv_of(benchmark, entries), media_type="text/csv", headers=headers)
    page = render("embedded.html", benchmark=benchmark, columns=columns, entries=entries, hidden=hidden)
    return HTMLResponse(page, headers=_FRAMED)


@router.get("/badge/{id_}.svg")
def show_badge(id_: str, board: Board) -> Response:
    """Return a badge with the rank and score of a system."""
    return Response(badge_of(board, id_), media_type="image/svg+xml", headers=_OPEN)


@router.get("/health")
def show_health(board: Board) -> JSONResponse:
    """Return whether submissions are accepted and scored, and the problems if not."""
    is_well, values = check_health(board)
    return JSONResponse(values, 200 if is_well else 503, {"Cache-Control": "no-store"})


@router.get("/metrics")
def show_metrics(request: Request) -> Response:
    """Return figures of the server for Prometheus."""
    return Response(write_metrics(request.app.state.registry), media_type=CONTENT_TYPE_LATEST)
