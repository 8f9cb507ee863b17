"""What somebody may try who wants others to wait, against a running Space on loopback."""

from __future__ import annotations

import gzip
import json
import re
import secrets
import selectors
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from leaderboard.sandbox import BusyError, Lane
from pages import trees
from pages.controls import OPTIONS
from support.process import PATIENCE, wait_until
from support.space_boards import HOST_TOKEN, REFERENCE, write_benchmark
from support.space_client import PREFIX, RawClient, any_address
from support.space_server import SpaceServer, stored

pytestmark = pytest.mark.slow

TREE = REFERENCE[0]
PLAIN = ["word", "same", "exact", "strict", 0, ""]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jamming")
    write_benchmark(folder / "benchmarks", "english")
    server = SpaceServer(
        folder / "data",
        folder / "benchmarks",
        ADMIN_TOKEN=HOST_TOKEN,
        DAILY_PER_USER=3,
        DAILY_PER_ADDRESS=1000,
    )
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture
def client(server):
    client = RawClient(server.url, address=any_address())
    yield client
    client.close()


def cpu(server):
    """Seconds of processor time that the server itself has used."""
    parts = Path(f"/proc/{server.pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / 100


def memory(server):
    """MiB that the server has at the moment."""
    text = Path(f"/proc/{server.pid}/status").read_text("ascii")
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def comb(n, right):
    tree = "(A w)"
    for _ in range(n - 1):
        tree = f"(X (A w) {tree})" if right else f"(X {tree} (A w))"
    return tree


def join(client, event, data, session=None):
    """Puts an event into the queue and does not wait for it."""
    body = {"fn_index": event, "data": data, "session_hash": session or secrets.token_hex(8)}
    return client.http.post(f"{PREFIX}/queue/join", json=body)


# ---- uploads are read in the bounded process ---------------------------------------------------


def test_gzip_of_many_empty_members(client, server):
    """8 MB of them took the server 47 seconds of processor time."""
    bomb = gzip.compress(b"") * 400_000
    value = client.upload(bomb, "x.gz")
    before = cpu(server)
    answer = client.call(client.event("send_file"), ["english", "x", "", "", value, ""])[0]
    assert "this gzip file is in too many pieces; pack it again as a whole" in answer
    answer = client.call(client.event("score"), [value, value, *PLAIN])[0]
    assert "too many pieces" in answer
    assert cpu(server) - before < 5, "it is read elsewhere"


# ---- the queue ---------------------------------------------------------------------------------


def test_heavy_pairs_are_refused_by_their_cost(client, server):
    before = cpu(server)
    for event in ("score_pair", "run"):
        number = client.event(event, 8)
        answer = json.dumps(client.call(number, [comb(990, True), comb(990, False), *PLAIN]))
        assert "takes more than 2e+08 cells of tables, the limit that is set" in answer
    assert cpu(server) - before < 5, "each took a second or more to align, and another to draw"
    long = "(S " + " ".join(f"(NP (DT the) (NN w{k}))" for k in range(400)) + ")"
    assert client.call(client.event("score_pair"), [long, long, *PLAIN])[0]["struct_iou"] == 1.0


def test_heavy_pairs_wait_for_each_other(monkeypatch):
    """480 words a side are no long text, and took a processor for a seventh of a second each."""
    options = dict(zip(OPTIONS, PLAIN, strict=True))
    monkeypatch.setattr(trees, "_HEAVY", Lane(1, 0, "comparing long trees"))
    with trees._HEAVY:
        with pytest.raises(BusyError), trees.comparing(comb(480, True), comb(480, False), options):
            pass
        with trees.comparing(TREE, TREE, options) as (_, alignment):
            assert alignment.score == 1.0
    with trees.comparing(comb(480, True), comb(480, False), options) as (_, alignment):
        assert 0 < alignment.score < 1


def test_one_client_cannot_fill_the_queue(client, server):
    """264 pairs of one client were 503 for everybody."""
    number = client.event("score_pair")
    pair = [comb(400, True), comb(400, False), *PLAIN]
    with ThreadPoolExecutor(30) as pool:
        codes = [answer.status_code for answer in pool.map(lambda _: join(client, number, pair), range(90))]
    assert set(codes) == {200, 503}
    other = RawClient(server.url, address="127.0.1.2")
    try:
        found = other.call(other.event("score_pair"), [TREE, TREE, *PLAIN])
        assert found[0]["struct_iou"] == 1.0
        assert other.call(other.event("leaderboard"), ["english"]) == [[]]
    finally:
        other.close()
    wait_until(lambda: join(client, client.event("benchmarks"), []).status_code == 200)


def test_one_session_cannot_fill_the_queue(client):
    number = client.event("score_files")
    answers = [join(client, number, [TREE, TREE, *PLAIN, False], "one-session") for _ in range(10)]
    assert answers[0].status_code == 200
    refused = [answer for answer in answers if answer.status_code == 503]
    assert refused
    assert "you have asked for much already" in refused[0].text
    wait_until(lambda: join(client, client.event("benchmarks"), []).status_code == 200)


# ---- bodies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, status",
    [
        ("[" + "[]," * 6_000_000 + "[]]", 422),
        ("[" * 5000 + "]" * 5000, 422),
        ("[" + "0," * 5000 + "0]", 422),
        ("[" + '"",' * 100_000 + '""]', 422),
        (json.dumps(["x" * 3_000_000]), 413),
    ],
    ids=["empty lists", "deep", "many", "many texts", "a text where none belongs"],
)
def test_large_json_is_not_parsed(client, server, value, status):
    """20 MB of empty lists made everybody wait for 6 seconds, and took 1 GB."""
    number = client.event("leaderboard")
    body = f'{{"fn_index": {number}, "session_hash": "s", "data": {value}}}'
    before, used = memory(server), cpu(server)
    headers = {"Content-Type": "application/json"}
    answer = client.http.post(f"{PREFIX}/queue/join", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert cpu(server) - used < 2
    assert memory(server) - before < 200


def test_long_texts_belong_into_submissions(client):
    rows = "\n".join([*REFERENCE[:2], REFERENCE[2] + " " * 5_000_000])
    done = client.call(client.event("submit"), ["english", "long", rows, "", "", ""])
    assert done[0]["state"] == "scored"


# ---- uploads that are broken off, and slow bodies ----------------------------------------------


def begin_upload(server, address, size):
    """A connection on which a part of an upload has been sent."""
    connection = socket.create_connection(
        ("127.0.0.1", server.port), timeout=PATIENCE, source_address=(address, 0)
    )
    head = (
        f"POST {PREFIX}/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        f"Content-Length: {size + 1000}\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
    )
    connection.sendall(head.encode() + b"x" * size)
    return connection


def test_broken_uploads_are_removed(server):
    """2 GiB of them stayed for an hour."""
    before = stored(server)
    for turn in range(3):
        connections = [begin_upload(server, f"127.0.70.{1 + turn}", 5_000_000) for _ in range(4)]
        wait_until(lambda: stored(server) > before + 10_000_000)
        for connection in connections:
            connection.close()
        wait_until(lambda: stored(server) <= before)


def test_uploads_of_a_client_are_bounded(server):
    client = RawClient(server.url, address="127.0.1.4")
    try:
        codes = []
        for _ in range(13):
            files = {"files": ("x", b"x" * 18_000_000)}
            codes.append(client.http.post(f"{PREFIX}/upload", files=files).status_code)
        assert codes[:5] == [200] * 5
        assert codes[-1] == 503
    finally:
        client.close()
    other = RawClient(server.url, address="127.0.1.5")
    assert other.upload(b"x")
    other.close()


def connect(server, address, data):
    """A connection from an address on which something was sent."""
    connection = socket.create_connection(
        ("127.0.0.1", server.port), timeout=PATIENCE, source_address=(address, 0)
    )
    connection.sendall(data)
    return connection


def read_all(connection):
    """What the server sends until it closes a connection."""
    parts = []
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            parts.append(part)
    connection.close()
    return b"".join(parts)


def trickle(connection):
    """Sends a byte now and then, until there is something to read."""
    with suppress(OSError):
        while not readable([connection], 0.3):
            connection.sendall(b"x")
    return read_all(connection)


def readable(connections, seconds=0.0):
    """Those on which there is something to read, or that were closed."""
    with selectors.DefaultSelector() as found:
        for connection in connections:
            found.register(connection, selectors.EVENT_READ)
        return [key.fileobj for key, _ in found.select(seconds)]


def test_slow_requests_are_ended(server):
    """600 of them stayed open, and there was no end to the head of a request."""
    bodies = {
        "127.0.71.1": ("/queue/join", "application/json", '{"data'),
        "127.0.71.2": ("/upload", "multipart/form-data; boundary=b", "--b\r\nContent-"),
    }
    stream = connect(server, "127.0.71.3", f"GET {PREFIX}/heartbeat/x HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    slow = {}
    for address, (path, kind, begin) in bodies.items():
        head = f"POST {PREFIX}{path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: 100000"
        sent = f"{head}\r\n\r\n{begin}".encode()
        slow[address] = [connect(server, address, sent) for _ in range(20)]
    heads = [connect(server, "127.0.71.3", b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ") for _ in range(20)]
    silent = connect(server, "127.0.71.3", b"")
    second = connect(server, "127.0.71.3", b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    assert second.recv(65536).startswith(b"HTTP/1.1 200")
    second.sendall(b"GET / HTTP/1.1\r\n")
    with ThreadPoolExecutor(22) as pool:
        told = list(pool.map(trickle, [*heads, second]))
        assert all(b"HTTP/1.1 408" in one and b"came too slowly" in one for one in told)
    assert b"HTTP/1.1 408" in read_all(silent)
    assert readable([stream], PATIENCE)
    told = stream.recv(10**6)
    assert told.startswith(b"HTTP/1.1 200")
    assert b"408" not in told, "what the server itself keeps open is no slow request"
    stream.close()
    for connections in slow.values():
        answers = [read_all(connection)[:12] for connection in connections]
        assert set(answers) == {b"HTTP/1.1 408", b"HTTP/1.1 503"}, "too slow, or too many at a time"
        assert answers.count(b"HTTP/1.1 408") == 8


def test_many_faults_are_refused_unread(server):
    address = any_address()
    head = (
        f"POST {PREFIX}/queue/join HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
    )
    answers = [read_all(connect(server, address, f"{head}1\r\n\r\n[".encode())) for _ in range(8)]
    assert {answer[:12] for answer in answers} == {b"HTTP/1.1 422"}
    answer = read_all(connect(server, address, f"{head}1000000\r\n".encode()))
    assert answer.startswith(b"HTTP/1.1 503"), "not even the head has come"
    assert b"many of your requests were broken off or could not be read; wait a minute" in answer
    other = RawClient(server.url, address=address)
    assert other.get("/").status_code == 200, "who shares the address can still read"
    other.close()


def test_connections_of_a_client_are_bounded(server, client):
    address = any_address()
    connections = [connect(server, address, b"") for _ in range(600)]
    try:
        wait_until(lambda: len(readable(connections)) >= 600 - 512)
        assert len(readable(connections)) == 600 - 512
        assert client.get("/health").status_code == 200
    finally:
        for connection in connections:
            connection.close()


# ---- who asks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "file://"])
def test_foreign_pages_change_nothing(server, origin):
    client = RawClient(server.url, {"Origin": origin}, address="127.0.1.7")
    try:
        for path in ("/queue/join", "/upload", "/cancel", "/reset", "/call/submit"):
            answer = client.http.post(f"{PREFIX}{path}", json={})
            assert answer.status_code == 403
            assert "from a page of somebody else" in answer.text
        client.http.headers["Origin"] = server.url
        assert client.call(client.event("leaderboard"), ["english"])
    finally:
        client.close()


def test_forwarded_addresses_are_not_believed(server):
    """Over loopback 60 of 60 quotas were passed by a header, and no token was locked."""
    answers = []
    for k in range(5):
        client = RawClient(server.url, {"X-Forwarded-For": f"198.51.100.{k}"}, address="127.0.1.8")
        values = ["english", f"system {k}", "\n".join(REFERENCE), "", "", ""]
        answers.append(client.call(client.event("submit"), values))
        client.close()
    assert [isinstance(answer, list) for answer in answers] == [True] * 3 + [False] * 2
    assert "3 submissions in 24 hours are the most" in answers[-1]
    for k in range(21):
        client = RawClient(server.url, {"X-Forwarded-For": f"198.51.100.{k}"}, address="127.0.1.9")
        answer = client.call(client.event("show", 1), ["guess"])[0]
        client.close()
    assert answer == "too many wrong tokens; try again in some minutes"


@pytest.mark.parametrize("event, data", [("run", ["TOKEN", "hide"]), ("submit", ["english", "x", "TOKEN"])])
def test_wrong_number_of_arguments(client, server, event, data):
    """The input stood in the log in clear, and the answer was `null`."""
    number = client.event(event, {"run": 3, "submit": None}[event])
    values = [HOST_TOKEN if value == "TOKEN" else value for value in data]
    answer = client.call(number, values)
    assert (
        f"{event} takes" in answer
        or "takes 3 values in the list `data` (Host token, Action, Chosen)" in answer
    )
    assert f"{len(values)} came" in answer
    assert HOST_TOKEN not in server.log.read_text("utf-8")
    too_many = client.call(client.event("leaderboard"), ["english", HOST_TOKEN])
    assert "leaderboard takes 1 values" in too_many
    assert HOST_TOKEN not in server.log.read_text("utf-8")


def test_pages_are_read_while_files_are_scored(server, client):
    """Many who compare long trees do not keep others from the board."""
    pair = [comb(480, True), comb(480, False), *PLAIN]
    busy = [RawClient(server.url, address=f"127.0.2.{k}", config=client.config) for k in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(one.call, one.event("run", 8), pair) for one in busy]
        for _ in range(3):
            assert isinstance(client.call(client.event("leaderboard"), ["english"]), list)
            assert client.call(client.event("score_pair"), [TREE, TREE, *PLAIN])[0]["struct_iou"] == 1.0
        texts = [json.dumps(job.result()) for job in jobs]
    told = ("<svg", "too many are comparing long trees", "too many long texts are waiting")
    assert all(any(word in text for word in told) for text in texts)
    for one in busy:
        one.close()
