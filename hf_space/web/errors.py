"""Errors as answers: a status, and for visitors a text with place, cause and cure."""

from __future__ import annotations

import errno
import logging
import secrets
import sqlite3

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from leaderboard.people import AccessError
from leaderboard.quotas import QuotaError
from leaderboard.sandbox import BusyError
from leaderboard.uploads import UploadError

from .context import show_page
from .render import describe_error

_LOG = logging.getLogger(__name__)
_FULL = "the disk of this server is full, so nothing can be stored; the host has to free some"
_DAMAGED = "the database of this server is damaged; the host has to restore it from a backup"
_BROKEN = "something went wrong on the server; report this number to the host"
_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (AccessError, 403),
    (QuotaError, 429),
    (BusyError, 503),
    (UnicodeError, 500),
    (ValueError, 422),
    (OSError, 503),
    (sqlite3.Error, 503),
)


def status_of(error: Exception) -> int:
    """Return the status of the answer to a request that failed by an error."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def explain(error: Exception) -> str:
    """Return the text of an error for a visitor; faults of the server have a number, and are logged."""
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return describe_error(error)
    number = secrets.token_hex(4)
    _LOG.error("error %s", number, exc_info=error)
    is_full = "disk is full" in str(error) or (isinstance(error, OSError) and error.errno == errno.ENOSPC)
    is_damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
    return f"{_FULL if is_full else _DAMAGED if is_damaged else _BROKEN} (error {number})"


def answer_error(request: Request, error: Exception) -> Response:
    """Return the answer to a request that failed: JSON for programs, else a page."""
    if isinstance(error, HTTPException):
        status, text, headers = error.status_code, str(error.detail), dict(error.headers or {})
    else:
        status, text, headers = status_of(error), explain(error), {}
        if status == 422 and request.method == "GET":
            status = 404  # the address names something that is not there
    headers["Cache-Control"] = "no-store"
    path = request.url.path
    if path.startswith("/api/") or path.endswith(".json"):
        values: dict[str, object] = {"detail": text}
        if isinstance(error, UploadError):
            values["problems"] = [{"row": row, "message": message} for row, message in error.problems]
            values["n_problems"] = error.n_problems
        return JSONResponse(values, status, headers)
    page = show_page(request, "error.html", status=status, title="This did not work", text=text)
    page.headers.update(headers)
    return page
