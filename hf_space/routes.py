"""Plain addresses beside the app's pages: health, metrics, tables and badges, comparisons, the import."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from leaderboard.comparing import Comparer
from leaderboard.health import check_health, write_metrics
from leaderboard.people import HOST, AccessError
from leaderboard.sandbox import BusyError
from leaderboard.service import Leaderboard
from leaderboard.transfer import FileLines, export_lines
from pages.badge import badge_of
from pages.controls import visitor_of
from pages.rows import public_row
from pages.table import write_table

# Where each begins, for whatever stands before the app and lets only known addresses through.
PREFIXES = ("/health", "/metrics", "/table/", "/badge/", "/compare/", "/host/import", "/host/export")

_OPEN = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=60"}
_BEARER = "bearer "
_DRAFT = "import-"  # begins the name of a file that is being imported


def make_routes(board: Leaderboard, registry: CollectorRegistry) -> list[Route]:
    """All plain addresses of a leaderboard."""
    comparer = Comparer(board)

    def health(request: Request) -> Response:
        well, told = check_health(board)
        return JSONResponse(told, 200 if well else 503, {"Cache-Control": "no-store"})

    def metrics(request: Request) -> Response:
        return Response(write_metrics(registry), media_type=CONTENT_TYPE_LATEST)

    def table(request: Request) -> Response:
        name, _, kind = request.path_params["benchmark"].partition(".")
        phase = request.query_params.get("phase", "")
        late = request.query_params.get("late", "") not in ("", "0")
        entries = board.board(name, phase, late=late)
        benchmark = board.benchmark(name)
        phase = board.phase_name(benchmark, phase)
        hidden = board.hidden_until(name, phase)
        if kind == "json":
            told = {
                "benchmark": name,
                "phase": phase,
                "late": late,
                "hidden_until": hidden,
                "entries": [public_row(entry) for entry in entries],
            }
            return JSONResponse(told, headers=_OPEN)
        if kind:
            raise ValueError("there is a table as HTML, without an ending, and as .json")
        return _page(write_table(benchmark.in_phase(phase), entries, hidden), frames=True)

    def badge(request: Request) -> Response:
        id_ = request.path_params["id"].removesuffix(".svg")
        return Response(badge_of(board, id_), media_type="image/svg+xml", headers=_OPEN)

    def compare(request: Request) -> Response:
        return _page(comparer.page(request.path_params["first"], request.path_params["second"]))

    def export(request: Request) -> Response:
        _check_host(board, request)
        board.audit.write(board.clock(), HOST, "export")
        lines = (line.encode("utf-8") for line in export_lines(board.store))
        headers = {
            "Content-Disposition": 'attachment; filename="leaderboard.jsonl"',
            "Cache-Control": "no-store",
        }
        return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)

    async def import_(request: Request) -> Response:
        await run_in_threadpool(_check_host, board, request)
        number, name = tempfile.mkstemp(prefix=_DRAFT, dir=board.settings.data)
        try:
            with os.fdopen(number, "wb") as file:
                size = 0
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > board.settings.import_bytes:
                        raise ValueError(
                            f"the export is larger than {board.settings.import_bytes:,} bytes; raise "
                            "STRUCTIOU_IMPORT_BYTES, or import it with app.py --import FILE"
                        )
                    file.write(chunk)
            token, address = _credentials(board, request)
            added, known = await run_in_threadpool(
                board.import_lines, token, FileLines(Path(name)), address=address
            )
        finally:
            Path(name).unlink()
        return PlainTextResponse(f"{added} imported, {known} were there already")

    return [
        Route("/health", _told(health)),
        Route("/metrics", _told(metrics)),
        Route("/table/{benchmark}", _told(table)),
        Route("/badge/{id}", _told(badge)),
        Route("/compare/{first}/{second}", _told(compare)),
        Route("/host/export", _told(export)),
        Route("/host/import", _told_async(import_), methods=["POST"]),
    ]


def remove_drafts(data: Path) -> None:
    """Removes what an import left behind that ended with its server."""
    for path in data.glob(f"{_DRAFT}*"):
        path.unlink(missing_ok=True)


def _told(function: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """The function, with errors in words."""

    def answer(request: Request) -> Response:
        try:
            return function(request)
        except (ValueError, OSError) as error:
            return _refusal(error)

    return answer


def _told_async(function: Callable[[Request], Any]) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        try:
            response: Response = await function(request)
            return response
        except (ValueError, OSError, ClientDisconnect) as error:
            refusal = _refusal(error)
            refusal.headers["Connection"] = "close"  # whatever else was to come is not read
            return refusal

    return answer


def _refusal(error: Exception) -> Response:
    status = (
        403 if isinstance(error, AccessError) else 503 if isinstance(error, (BusyError, OSError)) else 404
    )
    if isinstance(error, UnicodeDecodeError):
        return PlainTextResponse("this is no text in UTF-8", 400)
    text = "the disk or the database failed; try again later" if isinstance(error, OSError) else str(error)
    return PlainTextResponse(text, status, {"Cache-Control": "no-store"})


def _credentials(board: Leaderboard, request: Request) -> tuple[str, str]:
    """The token that a request bears, and where it comes from."""
    told = request.headers.get("authorization", "")
    token = told[len(_BEARER) :].strip() if told.lower().startswith(_BEARER) else ""
    return token, visitor_of(request, None, board.settings).address


def _check_host(board: Leaderboard, request: Request) -> None:
    token, address = _credentials(board, request)
    board.check_token(token, address)


def _page(text: str, *, frames: bool = False) -> Response:
    """A page that runs nothing; other sites may show it in a frame only if it is meant for that."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:"
    policy += "; frame-ancestors *" if frames else ""
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        **(_OPEN if frames else {}),
    }
    return HTMLResponse(text, headers=headers)
