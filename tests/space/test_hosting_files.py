"""The files for hosting on a machine of one's own: nginx runs on loopback, those for Docker are read."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from contextlib import contextmanager, suppress

import pytest

import app
from leaderboard.settings import Settings
from support import process
from support.extras import need
from support.paths import ROOT, SPACE
from support.space_boards import REFERENCE, write_benchmark
from support.space_client import SpaceClient, any_address
from support.space_server import SpaceServer, _free_port
from web import security

DEPLOY = SPACE / "deploy"
CONFIGURATION = (DEPLOY / "nginx.conf").read_text("utf-8")
NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")

with_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@contextmanager
def nginx(folder, server, **changes):
    """Run nginx with the configuration, other ports and folders, and other values; return its port."""
    port = _free_port()
    text = CONFIGURATION
    folders = "".join(f"{name}_temp_path {folder}/{name};\n" for name in TEMPORARY)
    changes = {"listen 8080": f"listen 127.0.0.1:{port}", "http {": "http {\n" + folders, **changes}
    for old, new in {**changes, "server 127.0.0.1:7860": f"server 127.0.0.1:{server.port}"}.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "nginx.conf"
    path.write_text(text, "utf-8")
    own = f"pid {folder}/nginx.pid; error_log {folder}/error.log; daemon off;"
    command = [NGINX, "-p", str(folder), "-c", str(path), "-e", str(folder / "error.log"), "-g", own]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert "syntax is ok" in checked.stderr
    running = subprocess.Popen(command)
    try:
        process.wait_until(lambda: can_connect(port))
        yield port
    finally:
        running.terminate()
        running.wait(process.PATIENCE)


def can_connect(port):
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A Space that believes nginx, and takes three changes a minute."""
    folder = tmp_path_factory.mktemp("behind")
    write_benchmark(folder / "benchmarks", "english")
    server = SpaceServer(folder / "data", folder / "benchmarks", PROXIES="127.0.0.1", CHANGES_PER_MINUTE=3)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def port(server, tmp_path_factory):
    with nginx(tmp_path_factory.mktemp("nginx"), server) as port:
        yield port


@contextmanager
def visitor(port, address=None):
    """Requests from an address that sent nothing so far."""
    client = SpaceClient(f"http://127.0.0.1:{port}", address=address or any_address())
    yield client
    client.close()


def send(port, head, address=None):
    """Send the beginning of a request; return the connection."""
    connection = socket.create_connection(
        ("127.0.0.1", port), process.PATIENCE, source_address=(address or any_address(), 0)
    )
    connection.sendall(head.replace("\n", "\r\n").encode())
    return connection


def read_to_end(connection):
    """Return what comes until the other side closes, perhaps by a reset."""
    found = b""
    with connection, suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            found += part
    return found


@with_nginx
def test_pages_and_submissions_pass(port):
    with visitor(port) as client:
        assert client.get("/board?benchmark=english").status_code == 200
        assert client.submit("english", "through nginx", REFERENCE)["state"] == "scored"
        # A form of the page that nginx serves is no form of another site.
        own = {"Origin": f"http://127.0.0.1:{port}"}
        assert client.form("/score", {}, headers=own).status_code != 403
        assert client.form("/score", {}, headers={"Origin": "http://else.org"}).status_code == 403


@with_nginx
def test_playground_answers_by_its_stream(port):
    with visitor(port) as client:
        config = client.get("/playground/config").json()
        run = next(item for item in config["dependencies"] if item["targets"] and len(item["inputs"]) == 8)
        data = ["(S (A a))", "(S (A a))", "word", "same", "exact", "strict", 0, ""]
        body = {"fn_index": run["id"], "data": data, "session_hash": "behindnginx"}
        assert client.send("POST", "/playground/gradio_api/queue/join", json=body).status_code == 200
        place = "/playground/gradio_api/queue/data"
        with client.http.stream("GET", place, params={"session_hash": "behindnginx"}) as stream:
            messages = (json.loads(line[5:]) for line in stream.iter_lines() if line.startswith("data:"))
            done = next(item for item in messages if item["msg"] == "process_completed")
        assert done["success"]
        assert "1.0000" in done["output"]["data"][0]


@with_nginx
def test_space_counts_visitors_and_not_what_they_claim(port):
    pair = {"prediction": "(S (A a))", "reference": "(S (A a))"}
    with visitor(port) as one, visitor(port) as other:
        for number in range(3):
            headers = {"X-Forwarded-For": f"192.0.2.{number}"}
            assert one.send("POST", "/api/pairs", json=pair, headers=headers).status_code == 200
        refused = one.send("POST", "/api/pairs", json=pair, headers={"X-Forwarded-For": "192.0.2.9"})
        assert refused.status_code == 429
        assert "your network" in refused.json()["detail"], "the Space refuses, not nginx"
        assert other.send("POST", "/api/pairs", json=pair).status_code == 200


@with_nginx
def test_bodies_too_large_are_refused_at_once(port):
    head = "POST /api/pairs HTTP/1.1\nHost: space\nConnection: close\nContent-Length: {}\n\n"
    assert read_to_end(send(port, head.format(22 * 2**20 + 1))).startswith(b"HTTP/1.1 413 ")
    # The import goes on to the Space, which asks for the host's token.
    answer = read_to_end(send(port, head.replace("/api/pairs", "/host/import").format(2) + "{}"))
    assert re.match(rb"HTTP/1.1 40[134] ", answer), answer


@with_nginx
@pytest.mark.slow
def test_slow_heads_end_and_others_are_served(port):
    slow = [send(port, "GET / HTTP/1.1\nHost: space\nX-Slow: ") for _ in range(300)]
    with visitor(port) as client:
        assert client.get("/health").status_code == 200
    for connection in slow:
        assert read_to_end(connection)[:13] in (b"", b"HTTP/1.1 408 ")


@with_nginx
def test_connections_of_an_address_are_limited(tmp_path, server):
    address = any_address()
    head = "POST /api/pairs HTTP/1.1\nHost: space\nContent-Length: 1000\n\n{"
    changes = {"client_body_timeout 15s": "client_body_timeout 1h", "connections 100": "connections 4"}
    with nginx(tmp_path, server, **changes) as port:
        held = [send(port, head, address) for _ in range(4)]
        with visitor(port, address) as one, visitor(port) as other:
            process.wait_until(lambda: one.get("/static/icon.svg").status_code == 429)
            assert other.get("/static/icon.svg").status_code == 200
            for connection in held:
                connection.close()
            process.wait_until(lambda: one.get("/static/icon.svg").status_code == 200)


@with_nginx
def test_rate_of_an_address_is_limited(tmp_path, server):
    changes = {"rate=20r/s": "rate=1r/m", "burst=200": "burst=2"}
    with nginx(tmp_path, server, **changes) as port, visitor(port) as one, visitor(port) as other:
        found = [one.get("/static/icon.svg").status_code for _ in range(20)]
        assert found[:3] == [200, 200, 200]
        assert 429 in found
        assert other.get("/static/icon.svg").status_code == 200


def test_limits_and_ports_are_those_of_the_space():
    limits = [int(found) * 2**20 for found in re.findall(r"client_max_body_size (\d+)m;", CONFIGURATION)]
    fields = Settings.model_fields
    own = (fields["upload_bytes"].default, fields["import_bytes"].default)
    assert limits == [limit + security._EXTRA_BYTES for limit in own]
    assert re.findall(r"server (\S+);", CONFIGURATION) == [f"127.0.0.1:{app._PORT}"]
    rate = int(re.search(r"rate=(\d+)r/s", CONFIGURATION)[1])
    assert rate * 60 == fields["requests_per_minute"].default


def test_compose_fits_the_other_files():
    need("yaml")
    import yaml

    values = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    web, space = values["services"]["nginx"], values["services"]["space"]
    top = (DEPLOY / space["build"]["context"]).resolve()
    assert top == ROOT
    assert (top / space["build"]["dockerfile"]) == DEPLOY / "Dockerfile"
    listens = re.search(r"listen (\d+);", CONFIGURATION)[1]
    assert [port.rpartition(":")[2] for port in web["ports"]] == [listens]
    assert "ports" not in space, "nobody gets past nginx"
    # Both have one network, so that 127.0.0.1 in nginx.conf is the Space, and the proxy that it believes.
    assert space["network_mode"] == "service:nginx"
    assert space["environment"]["STRUCTIOU_PROXIES"] == "127.0.0.1"
    assert web["volumes"] == ["./nginx.conf:/etc/nginx/nginx.conf:ro"]
    docker = (DEPLOY / "Dockerfile").read_text("utf-8")
    stored = dict(re.findall(r"STRUCTIOU_(DATA|BENCHMARKS)=(\S+)", docker))
    assert f"data:{stored['DATA']}" in space["volumes"]
    assert list(values["volumes"]) == ["data"]
    (shared,) = re.findall(r"\$\{BENCHMARKS:-(\S+)\}:(\S+):ro", " ".join(space["volumes"]))
    assert (DEPLOY / shared[0]).resolve() == SPACE / "benchmarks"
    assert shared[1] == stored["BENCHMARKS"]
    known = {f"STRUCTIOU_{name.upper()}" for name in Settings.model_fields}
    assert set(space["environment"]) - {"HF_TOKEN"} <= known


def test_files_of_the_image_exist():
    """From the top of the repository, as compose.yaml says."""
    docker = (DEPLOY / "Dockerfile").read_text("utf-8")
    copied = [line.split()[1:-1] for line in docker.splitlines() if line.startswith("COPY ")]
    names = [name for line in copied for name in line if not name.startswith(("--from", "/"))]
    assert {"pyproject.toml", "hf_space"} <= set(names)
    for name in names:
        assert (ROOT / name).exists() or name in ("structiou_metric", "spacy_structiou"), name
    assert re.search(r'^CMD \["python", "app.py"\]$', docker, re.MULTILINE)
    assert (SPACE / "app.py").is_file()
