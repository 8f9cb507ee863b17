"""The Space: pages and an interface for programs around a leaderboard, and a playground to compare two trees.

`python app.py` serves it; `leaderboard/settings.py` lists the settings of a host.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from huggingface_hub import attach_huggingface_oauth
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from leaderboard.backups import open_private, restore_database, write_backup
from leaderboard.catalogue import with_dataset
from leaderboard.comparing import Comparer
from leaderboard.health import make_registry
from leaderboard.hub import HubCopy
from leaderboard.logs import start_logs
from leaderboard.service import DATABASE, Leaderboard
from leaderboard.settings import Settings, read_settings
from leaderboard.store import Store
from leaderboard.transfer import FileLines, export_lines, import_lines
from playground import mount_playground
from web import api, host, pages
from web.errors import answer_error
from web.render import FOLDER
from web.security import Guard

_LOG = logging.getLogger(__name__)
_SHORT_TOKEN = 16  # characters; shorter ones may be guessed
_PORT = 7860  # the port of a Space
_MAX_HEAD = 32 * 2**10  # bytes of the head of a request
_MAX_CONNECTIONS = 1_000


def create_app(board: Leaderboard) -> FastAPI:
    """Return the application that serves a leaderboard."""
    app = FastAPI(title="STRUCT-IoU", openapi_url="/api/openapi.json", docs_url=None, redoc_url=None)
    app.state.board = board
    app.state.registry = make_registry(board)
    app.state.comparer = Comparer(board)
    for router in (pages.router, api.router, host.router):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"))
    for kind in (HTTPException, ValueError, OSError, sqlite3.Error, Exception):
        app.add_exception_handler(kind, answer_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    if can_sign_in():
        attach_huggingface_oauth(app)
    mount_playground(app, board.settings)
    app.add_middleware(Guard, settings=board.settings, registry=app.state.registry)
    return app


def _answer_invalid(request: Any, error: Any) -> Any:
    """Answer a body with fields of the wrong kind by naming them, without repeating their values."""
    lines = [f"{'.'.join(map(str, each['loc'][1:])) or 'body'}: {each['msg']}" for each in error.errors()]
    return answer_error(request, HTTPException(422, "; ".join(lines)))


def can_sign_in() -> bool:
    """Return whether users of the Hub can sign in: on a Space whose card has `hf_oauth: true`."""
    return bool(os.environ.get("OAUTH_CLIENT_ID") and os.environ.get("SPACE_ID"))


def serve(settings: Settings, *, host: str, port: int) -> None:
    """Serve the leaderboard and the pages until the process is ended."""
    board = Leaderboard(settings)
    copy = _start_copy(board, settings)
    board.start()
    _greet(settings, f"http://{host}:{port}/")
    try:
        uvicorn.run(
            lambda: create_app(board),  # within the event loop
            factory=True,
            host=host,
            port=port,
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,  # `Guard` reads X-Forwarded-For, of named proxies only
            limit_concurrency=_MAX_CONNECTIONS,
            h11_max_incomplete_event_size=_MAX_HEAD,
            timeout_keep_alive=75,  # seconds; longer than proxies wait before they use a connection again
            timeout_graceful_shutdown=5,
        )
    finally:
        board.stop()
        if copy is not None:
            copy.stop()


def _start_copy(board: Leaderboard, settings: Settings) -> HubCopy | None:
    """Begin to copy to the Hub, if the host wants that."""
    if settings.hub_dataset is None:
        return None
    token = os.environ.get("HF_TOKEN")
    if not token:
        raise ValueError("STRUCTIOU_HUB_DATASET needs a token that may write to it; set the secret HF_TOKEN")
    copy = HubCopy(board.store, settings.hub_dataset, token, restored=board.scorer.refresh)
    try:
        _LOG.info("%d submissions restored from the Hub", copy.restore())
    except Exception:  # it is tried again and again; what comes in until then is kept
        _LOG.exception("restoring from %s", settings.hub_dataset)
    copy.start()
    board.copy = copy
    return copy


def _greet(settings: Settings, address: str) -> None:
    """Print the address of the server and of the host's pages, and the folders in use."""
    lines = [
        f"The Space is at {address}",
        f"Data (back these up): {settings.data.resolve()}",
        f"Benchmarks: {settings.benchmarks.resolve()}",
        f"The host's pages are at {address}host; their password is STRUCTIOU_ADMIN_TOKEN."
        if settings.admin_token
        else "There are no pages for the host; to have them, set a token before the start, such as by\n"
        '    export STRUCTIOU_ADMIN_TOKEN=$(python3 -c "import secrets; print(secrets.token_urlsafe())")',
        "Ctrl-C ends it.",
    ]
    if settings.clock is not None:
        lines.insert(1, f"A rehearsal: the time is that in {settings.clock}.")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve by the settings of the environment, or do one of the tasks that an option names."""
    parser = argparse.ArgumentParser(description="Serves the pages and the leaderboard of STRUCT-IoU.")
    add = parser.add_argument
    on_space = "SPACE_ID" in os.environ
    add("--host", default="0.0.0.0" if on_space else "127.0.0.1", help="the address to listen at")
    add("--port", type=int, default=_PORT, help=f"the port (default: {_PORT})")
    add("--demo", action="store_true", help="fill an empty leaderboard with a few baseline systems")
    task = parser.add_mutually_exclusive_group()
    add = task.add_argument
    add("--export", type=Path, metavar="FILE", help="write all submissions to it and end")
    add("--import", type=Path, metavar="FILE", dest="import_", help="take over such submissions and end")
    add(
        "--backup",
        type=Path,
        metavar="FILE",
        help="write a copy of the database to it and end; works at any time",
    )
    add("--restore", type=Path, metavar="FILE", help="put such a copy in the place of the database and end")
    args = parser.parse_args()
    start_logs()
    try:
        settings = with_dataset(read_settings(), os.environ.get("HF_TOKEN"))
        if args.restore or args.backup or args.export or args.import_:
            sys.stdout.write(_do_task(settings.data / DATABASE, args) + "\n")
            return
        _warn(settings)
        if args.demo:
            from demo import add_baselines

            add_baselines(settings)
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))  # so that what is left is copied
        serve(settings, host=args.host, port=args.port)
    except (ValueError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


def _do_task(database: Path, args: argparse.Namespace) -> str:
    """Copy, restore, export or import the database; return what was done."""
    if args.restore:
        count = restore_database(args.restore, database)
        return f"{count} submissions restored from {args.restore}; the old database has .old in its name"
    if args.backup:
        return f"{write_backup(database, args.backup)} submissions are in {args.backup}"
    store = Store(database)
    if args.import_:
        added, known = import_lines(store, FileLines(args.import_))
        return f"{added} imported, {known} were there already"
    with open_private(args.export) as file:
        file.writelines(line.encode("utf-8") for line in export_lines(store))
    return f"{len(store.all())} submissions are in {args.export}"


def _warn(settings: Settings) -> None:
    """Log a warning for settings that are allowed but odd."""
    if settings.admin_token is not None and len(settings.admin_token) < _SHORT_TOKEN:
        _LOG.warning("the host's token is short; one of %d characters cannot be guessed", _SHORT_TOKEN)
    if settings.require_login and not can_sign_in():
        _LOG.warning("nobody can sign in here, so nobody can submit; a Space needs hf_oauth: true for that")


if __name__ == "__main__":
    main()
