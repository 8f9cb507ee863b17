"""The allow-list of routes, what is read of Gradio's own, and the look at a request before it is parsed."""

from __future__ import annotations

import asyncio
import doctest
import json
import os
import subprocess
import sys
from importlib import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bodies
from bodies import BodyError, FrameReader, frame_of
from clients import Clients, TooMuchError
from gate import ROUTES, Gate
from routes import PREFIXES
from support import process
from support.paths import SPACE
from support.process import PATIENCE
from words import explain

GRADIO = "6.31.0"  # what the lists below were made from

# Routes of Gradio that no page or program of ours uses, as it declares them.
CLOSED = {
    "/gradio_api/api/{api_name}",
    "/gradio_api/component_server",
    "/gradio_api/custom_component/{id}/{environment}/{type}/{file_name}",
    "/gradio_api/deep_link",
    "/gradio_api/dev/reload",
    "/gradio_api/file/{path:path}",
    "/gradio_api/process_recording",
    "/gradio_api/proxy={url_path:path}",
    "/gradio_api/queue/status",
    "/gradio_api/run-history/buckets",
    "/gradio_api/run-history/connect",
    "/gradio_api/run-history/records",
    "/gradio_api/run-history/records/{endpoint}/{record_id}/assets/{asset_id}",
    "/gradio_api/run/{api_name}",
    "/gradio_api/runs",
    "/gradio_api/stream/{event_id}",
    "/gradio_api/stream/{event_id}/close",
    "/gradio_api/stream/{session_hash}/{run}/{component_id}/playlist-file",
    "/gradio_api/stream/{session_hash}/{run}/{component_id}/playlist.m3u8",
    "/gradio_api/stream/{session_hash}/{run}/{component_id}/{segment_id}.{ext}",
    "/gradio_api/token",
    "/gradio_api/undo-vibe-edit",
    "/gradio_api/vibe-code",
    "/gradio_api/vibe-edit",
    "/gradio_api/vibe-starter-queries",
    "/login",
    "/monitoring",
    "/monitoring/summary",
    "/monitoring/{key}",
    "/docs",
    "/docs/oauth2-redirect",
    "/openapi.json",
    "/redoc",
}
FILL = {"{path:path}": "x", "{path_or_url:path}": "x", "{size}": "192"}


LOOK = """
import json
import os

import lighten

os.environ.update(lighten.ENVIRONMENT)

import gradio as gr
from gradio.routes import App
from gradio.state_holder import SessionState

with gr.Blocks(analytics_enabled=False) as blocks:
    box = gr.Textbox(label="A box")
    box.change(lambda text: 1 / 0, box, box)
blocks.queue()
found = {}
blocks.app = App.create_app(blocks)
stack = list(blocks.app.routes)
while stack:
    route = stack.pop()
    inner = getattr(getattr(route, "original_router", route), "routes", None)
    stack += inner or []
    for method in getattr(route, "methods", None) or ():
        found.setdefault(route.path.rstrip("/") or "/", []).append(method)

from clients import waiting_events
from words import tell_errors

(function,) = blocks.fns.values()
tell_errors(blocks)
try:
    function.fn("x")
except gr.Error as error:
    told = error.message
labels = [block.label for block in function.inputs]
lighten.lighten_sessions(blocks)
theirs, (first, second) = vars(SessionState(blocks)), (vars(blocks.state_holder[name]) for name in "ab")
config = theirs.pop("blocks_config")
print(json.dumps({
    "routes": found,
    "waiting": waiting_events(blocks),
    "labels": labels,
    "told": told,
    "described": len(theirs.pop("config_values")),
    "left out": first.pop("config_values"),
    "their session": theirs,
    "our session": {name: value for name, value in first.items() if name != "blocks_config"},
    "same functions": config.fns == first["blocks_config"].fns,
    "same parts": config.blocks == first["blocks_config"].blocks,
    "shared": [name for name, value in first.items() if isinstance(value, dict) and value is second[name]],
    "one table": blocks.app.state_holder is blocks.state_holder,
    "statistics": [blocks._queue.ANAYLTICS_CACHE_FREQUENCY, blocks._queue.ANALYTICS_MAX_EVENTS],
}))
"""


@pytest.fixture(scope="module")
def gradio():
    """What this Gradio has of what is read of its own, in a process that can be forgotten."""
    environment = process.environment(os.environ.get("PYTHONPATH", ""), str(SPACE))
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def is_open(gate, method, path):
    for text, value in FILL.items():
        path = path.replace(text, value)
    path = "/".join("x" if part.startswith("{") else part for part in path.split("/"))
    return gate._kind({"type": "http", "method": method, "path": path}) is not None


def test_every_route_of_gradio_is_open_or_closed_on_purpose(gradio):
    """A Gradio that brings a new route fails here: decide whether pages need it."""
    gate = Gate(None, 1000, None)
    found = gradio["routes"]
    assert len(found) > 40, "routes of this Gradio are declared in another way"
    opened = {path for path, methods in found.items() if any(is_open(gate, m, path) for m in methods)}
    unknown = set(found) - opened - CLOSED
    assert not unknown, (
        f"Gradio {metadata.version('gradio')} has routes that {GRADIO} does not have: {sorted(unknown)}"
    )
    assert not opened & CLOSED


def test_every_open_route_is_one_of_gradio(gradio):
    gate = Gate(None, 1000, None)
    used = set()
    for path, methods in gradio["routes"].items():
        for method in methods:
            for text, value in FILL.items():
                path = path.replace(text, value)
            filled = "/".join("x" if part.startswith("{") else part for part in path.split("/"))
            used |= {
                route
                for route, pattern in gate._routes
                if method in route.methods and pattern.fullmatch(filled)
            }
    oauth = {route for route in ROUTES if "login/" in route.path}  # declared where there is a LoginButton
    own = {route for route in ROUTES if any(name in route.path for name in ("health", "/host/import"))}
    assert used | oauth | own == set(ROUTES)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_own_routes_are_open(method):
    gate = Gate(None, 1000, None)
    for prefix in PREFIXES:
        path = f"{prefix}x/y" if prefix == "/compare/" else f"{prefix}x" if prefix.endswith("/") else prefix
        takes = "POST" if prefix == "/host/import" else "GET"
        assert is_open(gate, method, path) == (method == takes), path


def test_what_is_read_of_gradio_is_there(gradio):
    """`waiting_events`, `tell_errors`, `Gate` and `lighten` need attributes that Gradio does not promise."""
    assert metadata.version("gradio") == GRADIO, (
        "see that they still work with this Gradio, then name it here"
    )
    assert gradio["waiting"] == []
    assert gradio["labels"] == ["A box"]
    assert "something went wrong on the server; tell the host of error " in gradio["told"]
    assert gradio["described"] > 0, "Gradio describes the parts of the pages for each session"
    assert gradio["left out"] == {}
    assert gradio["our session"] == gradio["their session"]
    assert gradio["same functions"]
    assert gradio["same parts"]
    assert gradio["shared"] == []
    assert gradio["one table"]
    assert gradio["statistics"] == [10**9, 1]


def test_errors_in_words(caplog):
    assert explain(ValueError("choose a file")) == "choose a file"
    assert "disk of this server is full" in explain(OSError(28, "No space left on device"))
    assert "tell the host" in explain(KeyError("x"))
    assert len(caplog.records) == 2


# ---- the frame of a body -----------------------------------------------------------------------

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=40)
    | st.sampled_from(['"', "\\", '\\"', '{"[,']),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_frame_is_what_json_reads(value, ascii_only):
    assert frame_of(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(VALUES, st.data())
def test_frame_is_read_in_pieces(value, data):
    body = json.dumps([value, '\\\\"' * 150]).encode()
    reader = FrameReader()
    while body:
        cut = data.draw(st.integers(1, len(body)))
        reader.feed(body[:cut])
        body = body[cut:]
    assert reader.frame() == [value, ""]


def test_much_is_refused_before_all_of_it_came():
    reader = FrameReader()
    reader.feed(b'{"data": [')
    with pytest.raises(BodyError):
        reader.feed(b"[]," * 3000)


@given(st.text(alphabet='\\"[{,ab', min_size=201, max_size=300))
def test_frame_leaves_long_texts_out(text):
    assert frame_of(json.dumps({"data": [text, 1]}).encode()) == {"data": ["", 1]}


@given(st.binary(max_size=100) | st.text(alphabet='[]{}",:\\0 ', max_size=60).map(str.encode))
def test_frame_takes_json_alone(data):
    try:
        expected = json.loads(data)
    except ValueError:
        with pytest.raises(BodyError):
            frame_of(data)
    else:
        assert json.dumps(frame_of(data)) == json.dumps(expected)


@pytest.mark.parametrize(
    "body", ["[" * 17 + "]" * 17, f"[{'1,' * 2000}1]", f"[{'1' * 70_000}]", '"' * 99_999]
)
def test_frame_is_small(body):
    with pytest.raises(BodyError):
        frame_of(body.encode())


def test_example_of_the_docstring():
    assert doctest.testmod(bodies) == (0, 1)


# ---- clients -----------------------------------------------------------------------------------


def test_clients_do_not_shut_out_each_other():
    clients = Clients(requests=1, upload_bytes=100)
    with clients.busy("request", "a"):
        with pytest.raises(TooMuchError), clients.busy("request", "a"):
            pass
        with clients.busy("request", "b"):
            pass
    with clients.busy("request", "a"):
        pass
    clients.note_upload("a", 70)
    assert (clients.left_to_upload("a"), clients.left_to_upload("b")) == (30, 100)


def test_much_text_of_a_client(monkeypatch):
    now = 1000.0
    monkeypatch.setattr("clients.time.monotonic", lambda: now)
    clients = Clients()
    for _ in range(10):
        clients.take_text("a", 10_000)
    with pytest.raises(TooMuchError, match="wait 1 seconds"):
        clients.take_text("a", 1)
    clients.take_text("b", 10**9)
    with pytest.raises(TooMuchError):
        clients.take_text("b", 1)
    now += 1
    clients.take_text("a", 10_000)
    with pytest.raises(TooMuchError, match="wait 5 seconds"):
        clients.take_text("a", 1)


def test_large_texts_are_counted_by_what_has_come():
    clients = Clients(large_bytes=100)
    with clients.reading("a") as grow, clients.reading("b") as other:
        grow(60)
        other(40)
        with pytest.raises(TooMuchError):
            other(1)
    with clients.reading("c") as grow:
        grow(100)


def test_sockets_are_closed():
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(Gate(None, 1000, None)({"type": "websocket", "headers": []}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]
