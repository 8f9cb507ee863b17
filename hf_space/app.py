"""The Space: a first page, a page to compare trees, a page to score files, and a leaderboard.

`python app.py` serves it; `leaderboard/settings.py` lists what a host can set.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr
from starlette.middleware import Middleware

import lighten
from api import add_endpoints
from clients import Clients
from connections import bound_connections
from gate import Gate
from kept import KeptPages
from leaderboard.backups import open_private, restore_database, write_backup
from leaderboard.catalogue import with_dataset
from leaderboard.health import make_registry
from leaderboard.hub import HubCopy
from leaderboard.logs import start_logs
from leaderboard.service import DATABASE, Leaderboard
from leaderboard.settings import Settings
from leaderboard.store import Store
from leaderboard.transfer import FileLines, export_lines, import_lines
from look import look
from pages import board as board_page
from pages import files, host, start, submission, trees
from pages.choices import board_choices, first_choice, submit_choices
from pages.controls import OPTIONS, read_options, show_error, show_options
from pages.links import decode_state
from routes import make_routes, remove_drafts
from tidy import Tidier, make_folder
from watch import Watch
from words import tell_errors

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

_LOG = logging.getLogger(__name__)
_LONG = 16  # characters
_THREADS = 64
_TITLE = "# STRUCT-IoU\nHow alike are two parse trees whose words need not be the same?"


def build(board: Leaderboard) -> gr.Blocks:
    """The app for a leaderboard."""
    app: gr.Blocks = gr.Blocks(title="STRUCT-IoU", analytics_enabled=False, delete_cache=(3600, 3600))
    with app:
        gr.Markdown(_TITLE)
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            with _add_tab("Start", "start"):
                start.add_page()
            with _add_tab("Compare trees", "trees"):
                tree_page = trees.add_page()
            with _add_tab("Score files", "files"):
                files.add_page(board.settings)
            with _add_tab("Leaderboard", "board"):
                table = board_page.add_page(board)
            with _add_tab("Submit", "submit"):
                if os.environ.get("OAUTH_CLIENT_ID"):  # a Space with `hf_oauth: true`
                    gr.LoginButton()
                sent = submission.add_page(board)
            if board.settings.admin_token is not None:
                with _add_tab("Host", "host"):
                    host.add_page(board)
        sent["sent"].then(table["show"], table["inputs"], table["outputs"], api_visibility="private")

        def refresh_choices() -> Any:
            """Benchmarks may be new, and phases others, since the server was started."""
            return gr.update(choices=submit_choices(board), value=first_choice(board))

        app.load(refresh_choices, None, sent["benchmark"], api_visibility="private")
        _follow_links(app, board, tabs, tree_page, table)
        add_endpoints(board)
    return app


def _add_tab(title: str, name: str) -> gr.Tab:
    """Adds a page, which links and scripts know by its name."""
    return gr.Tab(title, id=name, elem_id=f"page-{name}")


def _follow_links(
    app: gr.Blocks, board: Leaderboard, tabs: gr.Tabs, tree_page: dict[str, Any], table: dict[str, Any]
) -> None:
    """Opens what the address asks for: `?open=…`, `?trees=…`, `?system=…` or `?benchmark=…`."""
    tree_parts = [*tree_page["inputs"], *tree_page["outputs"]]
    parts = [tabs, *tree_parts, table["benchmark"], *table["outputs"], table["system"]]

    def open_page(request: gr.Request) -> list[Any]:
        asked = dict(request.query_params)
        name = first_choice(board)
        tab: Any = gr.skip()  # somebody may have gone to another one before this is done
        shown, system = [gr.skip()] * len(tree_parts), ""
        if asked.get("trees"):
            tab, shown = gr.Tabs(selected="trees"), _open_trees(tree_page, asked["trees"])
        elif asked.get("system"):
            tab, system = gr.Tabs(selected="board"), board_page.show_system(board, asked["system"])
            with suppress(ValueError):
                found = board.system(asked["system"])[0]
                name = first_choice(board, found.benchmark, found.phase)
        elif asked.get("benchmark"):
            with suppress(ValueError):
                name = first_choice(board, asked["benchmark"], asked.get("phase", ""))
                tab = gr.Tabs(selected="board")
        elif asked.get("open") in start.PAGES:
            tab = gr.Tabs(selected=asked["open"])
        benchmark = gr.update(choices=board_choices(board), value=name)  # some may be new
        return [tab, *shown, benchmark, *table["show"](name, None, "all"), system]

    app.load(open_page, None, parts, api_visibility="private").then(
        None, None, None, js=board_page.REVEAL_ASKED, api_visibility="private"
    )


def _open_trees(tree_page: dict[str, Any], word: str) -> list[Any]:
    """The trees and options of a link, and what comparing them shows."""
    try:
        state = decode_state(word)
        metric = read_options({name: state[name] for name in OPTIONS if name in state})
        values = [state["prediction"], state["reference"], *show_options(metric).values()]
        if not all(isinstance(text, str) for text in values[:2]):
            raise ValueError("a tree is no text")
    except (ValueError, KeyError, TypeError):
        error = ValueError("this link is damaged; copy it again")
        return [gr.skip()] * len(tree_page["inputs"]) + [show_error(error), gr.update(visible=False)]
    return [*values, *tree_page["run"](*values)]


def serve(settings: Settings, *, host: str | None, port: int | None) -> None:
    """Serves the leaderboard and the pages, until the process is ended."""
    tidier = Tidier(make_folder(settings.data))
    board = Leaderboard(settings)
    remove_drafts(settings.data)
    registry = make_registry(board)
    copy = _start_copy(board, settings)
    board.start()
    tidier.start()
    os.environ.update(lighten.ENVIRONMENT)
    app = build(board)
    tell_errors(app)
    app.queue(default_concurrency_limit=_THREADS // 2, max_size=2048, api_open=False)
    os.environ["FORWARDED_ALLOW_IPS"] = ""  # Gradio's server would believe whoever calls from this machine
    try:
        _launch(app, board, tidier, registry, host, port)
    finally:
        if copy is not None:
            copy.stop()


def _start_copy(board: Leaderboard, settings: Settings) -> HubCopy | None:
    """Begins to copy to the Hub, if the host wants that."""
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


def _launch(
    app: gr.Blocks,
    board: Leaderboard,
    tidier: Tidier,
    registry: CollectorRegistry,
    host: str | None,
    port: int | None,
) -> None:
    settings = board.settings
    clients = Clients(upload_bytes=10 * settings.upload_bytes)
    gate = Middleware(
        Gate,
        limit=settings.upload_bytes,
        tidier=tidier,
        blocks=app,
        proxies=settings.proxies,
        origins=settings.origins,
        clients=clients,
    )
    _, address, _ = app.launch(
        server_name=host,
        server_port=port,
        share=False,
        ssr_mode=False,
        _frontend=False,  # no look at the own first page: Gradio ends where that takes 3 seconds
        run_history=False,  # or browsers would keep what was typed, the host's token too
        enable_monitoring=False,
        max_threads=_THREADS,
        quiet=True,  # `_greet` tells what matters
        prevent_thread_lock=True,
        app_kwargs={
            "middleware": [Middleware(Watch, registry=registry), gate, Middleware(KeptPages)],
            "routes": make_routes(board, registry),
        },
        max_file_size=settings.upload_bytes,
        blocked_paths=[str(settings.data.resolve()), str(settings.benchmarks.resolve())],
        footer_links=["api"],
        **look(),
    )
    lighten.lighten_sessions(app)
    bound_connections(app.server, clients, settings.proxies)
    _greet(settings, address)
    app.block_thread()


def _greet(settings: Settings, address: str) -> None:
    """Tells who started the server where it is, and what to do next."""
    lines = [
        f"The Space is at {address}",
        f"Data (back these up): {settings.data.resolve()}",
        f"Benchmarks: {settings.benchmarks.resolve()}",
        "The host's page is open to whoever has STRUCTIOU_ADMIN_TOKEN."
        if settings.admin_token
        else "There is no host's page; to have one, set a token before the start, such as by\n"
        '    export STRUCTIOU_ADMIN_TOKEN=$(python3 -c "import secrets; print(secrets.token_urlsafe())")',
        "Ctrl-C ends it.",
    ]
    if settings.clock is not None:
        lines.insert(1, f"A rehearsal: the time is what {settings.clock} says.")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serves by the settings of the environment."""
    parser = argparse.ArgumentParser(description="Serves the pages and the leaderboard of STRUCT-IoU.")
    parser.add_argument("--host", help="the address to listen at (default: Gradio's, loopback)")
    parser.add_argument("--port", type=int, help="the port (default: Gradio's, from 7860 on)")
    parser.add_argument(
        "--demo", action="store_true", help="fill an empty leaderboard with a few baseline systems"
    )
    parser.add_argument("--export", type=Path, metavar="FILE", help="write all submissions to it and end")
    parser.add_argument(
        "--import", type=Path, metavar="FILE", dest="import_", help="take over such submissions and end"
    )
    parser.add_argument(
        "--backup",
        type=Path,
        metavar="FILE",
        help="write a copy of the database to it and end; may be any time",
    )
    parser.add_argument(
        "--restore", type=Path, metavar="FILE", help="put such a copy in the place of the database and end"
    )
    args = parser.parse_args()
    start_logs()
    try:
        settings = with_dataset(Settings.from_environment(), os.environ.get("HF_TOKEN"))
        if args.restore:
            count = restore_database(args.restore, settings.data / DATABASE)
            _LOG.info("%d submissions restored; the old database has .old in its name", count)
            return
        if args.backup:
            count = write_backup(settings.data / DATABASE, args.backup)
            _LOG.info("%d submissions are in %s", count, args.backup)
            return
        if args.export or args.import_:
            _transfer(Store(settings.data / DATABASE), args.export, args.import_)
            return
        _warn(settings)
        if args.demo:
            from demo import add_baselines

            add_baselines(settings)
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))  # so that what is left is copied
        serve(settings, host=args.host, port=args.port)
    except (ValueError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


def _transfer(store: Store, export: Path | None, import_: Path | None) -> None:
    """Writes or reads all submissions, as the page of the host does."""
    if import_ is not None:
        added, known = import_lines(store, FileLines(import_))
        sys.stdout.write(f"{added} imported, {known} were there already\n")
    if export is not None:
        with open_private(export) as file:
            file.writelines(line.encode("utf-8") for line in export_lines(store))


def _warn(settings: Settings) -> None:
    """Tells the host of settings that are allowed but odd."""
    if settings.admin_token is not None and len(settings.admin_token) < _LONG:
        _LOG.warning("the host's token is short; one of %d characters cannot be guessed", _LONG)
    if settings.require_login and not os.environ.get("OAUTH_CLIENT_ID"):
        _LOG.warning("nobody can sign in here, so nobody can submit; a Space needs hf_oauth: true for that")


if __name__ == "__main__":
    main()
