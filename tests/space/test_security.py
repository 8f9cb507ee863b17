"""What every request passes first: origins, addresses, limits of rate, size and time."""

from __future__ import annotations

import ast
import json
import re
import secrets
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from support.paths import SPACE
from support.process import PATIENCE
from support.space_boards import HOST_TOKEN, REFERENCE, write_benchmark
from support.space_client import SpaceClient, any_address, site_of
from support.space_server import SpaceServer

CHANGES = (
    "/api/submissions",
    "/api/teams",
    "/api/pairs",
    "/submit",
    "/owner/withdraw",
    "/host/act",
    "/host/import",
    "/playground/gradio_api/queue/join",
)
LIBRARIES = ("gradio", "uvicorn", "starlette", "fastapi", "limits", "huggingface_hub")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("security")
    write_benchmark(folder / "benchmarks", "english")
    server = SpaceServer(
        folder / "data",
        folder / "benchmarks",
        ADMIN_TOKEN=HOST_TOKEN,
        DAILY_PER_ADDRESS=3,
    )
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture
def client(server):
    client = SpaceClient(server.url, address=any_address(), token=HOST_TOKEN)
    yield client
    client.close()


def memory(server):
    """MiB that the server has at the moment."""
    status = Path(f"/proc/{server.pid}/status").read_text("ascii")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


# ---- other people's libraries ------------------------------------------------------------------


def private_names(tree):
    """Private attributes of others that a module uses, and private names that it imports."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
            is_own = isinstance(node.value, ast.Name) and (
                node.value.id in ("self", "cls") or node.value.id in own
            )
            if not is_own:
                yield node.attr
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(LIBRARIES):
            yield from (alias.name for alias in node.names if alias.name.startswith("_"))
            yield from (part for part in node.module.split(".") if part.startswith("_"))


@pytest.mark.parametrize("path", [SPACE / "app.py", SPACE / "playground.py", *(SPACE / "web").glob("*.py")])
def test_nothing_private_of_a_library_is_used(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert set(private_names(tree)) <= {"_asdict", "_replace", "_fields"}, "those of named tuples are public"
    code = path.read_text("utf-8")
    assert "setattr(" not in code
    assert "monkeypatch" not in code


def test_gradio_makes_the_playground_only():
    users = [
        path.name
        for path in SPACE.rglob("*.py")
        if re.search(r"^\s*(import|from) gradio", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert users == ["playground.py"]


# ---- who asks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "file://"])
def test_foreign_pages_change_nothing(client, origin):
    for path in CHANGES:
        answer = client.send("POST", path, json={}, headers={"Origin": origin})
        assert answer.status_code == 403, path
        assert "from the page of another site" in answer.text
    answer = client.send("POST", "/api/teams", json={"name": "x"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


def test_own_pages_and_named_ones_may(settings):
    from leaderboard.service import Leaderboard

    site = site_of(Leaderboard(settings.model_copy(update={"origins": ("portal.example",)})))
    for number, origin in enumerate(("http://testserver", "https://portal.example")):
        answer = site.send("POST", "/api/teams", json={"name": f"t{number}"}, headers={"Origin": origin})
        assert answer.status_code == 201


def test_forwarded_addresses_are_not_believed(server):
    """By a header, every quota could be passed, and the host's token be guessed for ever."""
    answers, address = [], any_address()
    for k in range(5):
        client = SpaceClient(server.url, {"X-Forwarded-For": f"198.51.100.{k}"}, address=address)
        answers.append(client.submit("english", f"system {k}", REFERENCE))
        client.close()
    assert [isinstance(answer, dict) for answer in answers] == [True] * 3 + [False] * 2
    assert "3 submissions in 24 hours are the most" in answers[-1]
    for k in range(21):
        client = SpaceClient(server.url, {"X-Forwarded-For": f"198.51.100.{k}"}, address=address)
        answer = client.http.get("/host", headers={"Authorization": "Bearer guess"})
        client.close()
    assert "too many wrong tokens; try again in some minutes" in answer.text


def test_requests_of_a_network_are_limited(settings):
    from leaderboard.service import Leaderboard

    limits = {"requests_per_minute": 12, "changes_per_minute": 3}
    site = site_of(Leaderboard(settings.model_copy(update=limits)))
    codes = [site.send("POST", "/api/teams", json={"name": f"t{k}"}).status_code for k in range(5)]
    assert codes == [201] * 3 + [429] * 2
    codes = [site.get("/health").status_code for _ in range(9)]
    assert codes[:7] == [503] * 7, "this board does not score"
    assert codes[7:] == [429] * 2


def test_headers(client):
    page = client.get("/board")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert "frame-ancestors 'self' https://huggingface.co" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "server" not in page.headers
    assert "frame-ancestors *" in client.get("/table/english").headers["content-security-policy"]


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"]
)
def test_way_back_from_signing_in_stays_here(client, target):
    answer = client.get("/oauth/huggingface/callback", params={"_target_url": target})
    assert answer.status_code == 400


# ---- size and time -----------------------------------------------------------------------------


def connect(server, path, *headers, address=None):
    """A connection, of somebody who is not known yet, on which a request has begun."""
    connection = socket.create_connection(
        ("127.0.0.1", server.port), timeout=PATIENCE, source_address=(address or any_address(), 0)
    )
    head = "\r\n".join([f"POST {path} HTTP/1.1", "Host: x", *headers])
    connection.sendall(f"{head}\r\n\r\n".encode())
    return connection


PATHS = [("/submit", "multipart/form-data; boundary=b"), ("/api/submissions", "application/json")]
BEGIN = {
    "/submit": b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n',
    "/api/submissions": b'{"benchmark": "',
}


@pytest.mark.parametrize("path, kind", PATHS)
def test_too_long_a_request_is_refused_before_it_is_sent(server, path, kind):
    with connect(server, path, f"Content-Type: {kind}", "Content-Length: 100000000") as connection:
        assert connection.recv(1000).startswith(b"HTTP/1.1 413")


@pytest.mark.slow
@pytest.mark.parametrize("path, kind", PATHS)
def test_100_mb_without_a_length_are_refused(server, path, kind):
    before, sent = memory(server), 0
    with connect(server, path, f"Content-Type: {kind}", "Transfer-Encoding: chunked") as connection:
        part = BEGIN[path]
        with suppress(OSError):  # the server hangs up
            while sent < 100_000_000:
                connection.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                sent += len(part)
                part = b"x" * 1_000_000
    assert sent < 60_000_000  # 20 MiB, and what the system buffers
    assert memory(server) - before < 150


@pytest.mark.slow
def test_slow_bodies_are_ended(server):
    heads = [(path, f"Content-Type: {kind}", "Content-Length: 100000") for path, kind in PATHS]
    slow = [connect(server, *head) for head in heads * 5]
    for connection, head in zip(slow, heads * 5, strict=True):
        connection.sendall(BEGIN[head[0]])

    def trickle(connection):
        connection.settimeout(0.3)
        while True:
            try:
                return connection.recv(10_000)
            except TimeoutError:
                connection.sendall(b"x")

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(trickle, slow))
    for connection in slow:
        connection.close()
    assert {answer[:12] for answer in answers} == {b"HTTP/1.1 408"}


@pytest.mark.slow
def test_large_bodies_of_one_client_are_few_at_a_time(server):
    """Others are served meanwhile."""
    address = any_address()
    head = ("/api/submissions", "Content-Type: application/json", "Content-Length: 10000000")
    held = [connect(server, *head, address=address) for _ in range(2)]
    try:
        for connection in held:
            connection.sendall(b"x" * 1_000_000)
        other = connect(server, *head, address=address)
        with other:
            for _ in range(10):
                with suppress(OSError):
                    other.sendall(b"x" * 100_000)
            assert other.recv(1000).startswith(b"HTTP/1.1 503")
        stranger = SpaceClient(server.url, address=any_address())
        assert stranger.submit("english", "meanwhile", REFERENCE[:1] * 3)["n_problems"]
        assert stranger.get("/board").status_code == 200
        stranger.close()
    finally:
        for connection in held:
            connection.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "value",
    [
        "[" + "[]," * 6_000_000 + "[]]",
        "[" * 50_000 + "]" * 50_000,
        "[" + '"",' * 100_000 + '""]',
        "1e999",
        "NaN",
    ],
    ids=["empty lists", "deep", "many texts", "infinite", "no number"],
)
def test_json_that_no_program_sends(client, server, value):
    body = f'{{"benchmark": "english", "system": "x", "files": {value}}}'
    answer = client.send(
        "POST", "/api/submissions", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422), answer.text
    assert len(answer.text) < 10_000
    assert client.get("/board").status_code == 200


@pytest.mark.parametrize("body", [b"", b"\xff", b"{", b'"text"', b"null", b'{"name": "\\ud800"}'])
def test_bodies_that_are_not_read(client, body):
    answer = client.send("POST", "/api/teams", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("head", ["--b\r\n", "", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--"])
def test_forms_that_no_browser_sends(client, head):
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = client.send("POST", "/submit", content=head.encode(), headers=headers)
    assert answer.status_code in (400, 422)


# ---- closed addresses --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "monitoring",
        "monitoring/summary",
        "gradio_api/upload",
        "gradio_api/proxy=https://example.org",
        "gradio_api/file=http://127.0.0.1:1/",
        "gradio_api/file=/etc/passwd",
        "gradio_api/deep_link?session_hash=x",
        "gradio_api/runs",
        "gradio_api/run-history/buckets",
        "gradio_api/stream/a/b/1/playlist.m3u8",
        "gradio_api/vibe-code",
        "gradio_api/process_recording",
        "gradio_api/component_server",
        "gradio_api/run/predict",
        "gradio_api/api/predict",
        "gradio_api/call/run",
        "gradio_api/dev/reload",
        "login",
        "docs",
        "openapi.json",
        "%2e%2e/host",
    ],
)
def test_parts_of_gradio_that_are_not_used_are_closed(client, path):
    for method in ("GET", "POST"):
        answer = client.send(method, f"/playground/{path}", **({"json": {}} if method == "POST" else {}))
        assert answer.status_code == 404


def places(server):
    return [
        "/etc/passwd",
        str(server.benchmarks / "english" / "gold.txt"),
        str(server.data / "leaderboard.sqlite3"),
        str(server.log),
        "/proc/self/environ",
        "app.py",
    ]


def test_files_of_the_server_are_not_served(client, server):
    for place in places(server):
        for path in (
            f"/static/../../{place}",
            f"/static/..%2f..%2f{place}",
            f"/static/%2e%2e/%2e%2e/{place}",
            f"/static/{place}",
            f"/playground/assets/..%2f..%2f{place}",
            f"/playground/static/..%2f..%2f{place}",
            f"/playground/svelte/..%2f..%2f{place}",
            f"/playground/static/img/../../{place}",
            f"/file={place}",
        ):
            answer = client.get(path)
            assert answer.status_code in (400, 403, 404), path


@pytest.mark.parametrize("shape", ["file", "url", "web", "plain"])
def test_playground_fetches_and_reads_nothing(client, server, shape):
    """A text field is no file, whatever is sent for it."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.2)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
    meta = {"meta": {"_type": "gradio.FileData"}}
    value = {
        "file": {"path": "/etc/passwd", **meta},
        "url": {"path": "x", "url": address, **meta},
        "web": {"path": address, "url": address, **meta},
        "plain": address,
    }[shape]
    config = client.get("/playground/config").json()
    run = next(item for item in config["dependencies"] if item["targets"] and len(item["inputs"]) == 8)
    session = secrets.token_hex(8)
    data = [value, "(A a)", "word", "same", "exact", "strict", 0, ""]
    body = {"fn_index": run["id"], "data": data, "session_hash": session}
    answer = client.send("POST", "/playground/gradio_api/queue/join", json=body)
    if answer.status_code == 200:
        url = "/playground/gradio_api/queue/data"
        with client.http.stream("GET", url, params={"session_hash": session}) as stream:
            for line in stream.iter_lines():
                assert "root:x:0" not in line
                if json.loads(line.removeprefix("data:") or "{}").get("msg") in (
                    "process_completed",
                    "close_stream",
                ):
                    break
    with pytest.raises(TimeoutError):
        listener.accept()
    listener.close()
