"""What somebody may try who means harm, against a running Space."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import secrets
import socket
import sqlite3
import zipfile
import zlib
from pathlib import Path

import pytest

from structiou_metric import StructIoU
from structiou_metric.metrics.parseval.metric import Parseval
from support.process import PATIENCE, wait_until
from support.space_boards import HOST_TOKEN, REFERENCE, SECRET, WORSE
from support.space_client import PREFIX, RawClient, any_address, file_value, find_dangers
from support.space_server import stored

pytestmark = pytest.mark.slow

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img/src=x/onerror=alert(1)>'
LABELS = [
    SCRIPT.replace("(", "[").replace(")", "]"),
    IMAGE.replace("(", "[").replace(")", "]"),
    "'onmouseover='x",
    "]]><![CDATA[",
    "&lt;b&gt;",
    "{{7*7}}",
    "javascript:x",
]
SELECTED = {"index": [0, 0], "value": "", "row_value": [], "col_value": [], "selected": True}


def lines(rows):
    return ("\n".join(rows) + "\n").encode()


def words_replaced(rows, word="w"):
    """The same trees over other words: an attacker does not know those of the reference."""
    return [re.sub(r"[^ ()]+(?=\))", word, row) for row in rows]


@pytest.fixture(autouse=True)
def nothing_leaks(space, raw):
    """After every attack: no answer and no line of the log holds what is private, and the server lives."""
    raw.seen.clear()
    begin = space.log.stat().st_size
    yield
    with space.log.open(encoding="utf-8", errors="replace") as log:
        log.seek(begin)
        answers = "\n".join([*raw.seen, log.read()])
    assert "xyzzy" not in answers
    assert "root:x:0" not in answers
    assert "SQLite format" not in answers
    assert HOST_TOKEN not in answers
    assert raw.get("/robots.txt").status_code == 200


def api(raw, name, *data):
    return raw.call(raw.event(name), list(data))


def submit(raw, system, rows, benchmark="english", link="", contact="", secret=""):
    """Submits by the API; returns the answer."""
    answer = api(raw, "submit", benchmark, system, lines(rows).decode(), link, contact, secret)
    assert isinstance(answer, list), answer
    return answer[0]


def send_file(raw, value, system="attack", benchmark="english"):
    """Submits by the page; returns its HTML, or the error."""
    answer = raw.call(raw.event("send_file"), [benchmark, system, "", "", value, ""])
    return answer[0] if isinstance(answer, list) else answer


def show_board(raw, benchmark="english"):
    """HTML, rows and the address of the CSV file of the page with the table."""
    about, table, _, download = raw.call(raw.event("show", 3), [benchmark, None, "all"])
    return about, table["value"]["data"], download


def open_page(raw, **params):
    """All that the page shows when it is opened with that address."""
    return raw.call(raw.event("open_page"), [], params=params)


def count_submissions(space):
    with sqlite3.connect(space.data / "leaderboard.sqlite3") as db:
        (count,) = db.execute("SELECT count(*) FROM submissions").fetchone()
    db.close()
    return count


# ---- script and HTML ---------------------------------------------------------------------------


@pytest.mark.parametrize("attack", [SCRIPT, IMAGE, "<b onclick=x>", "{{7*7}}${7*7}", "<svg/onload=x>"])
def test_html_in_the_name_is_text_everywhere(raw, attack):
    done = submit(raw, attack, words_replaced(REFERENCE))
    assert done["system"] == attack
    system = open_page(raw, system=done["id"])[-1]
    assert "<h3" in system
    assert find_dangers(system) == []
    chosen = raw.call(raw.event("select"), [], event_data={**SELECTED, "row_value": [1, done["id"]]})
    assert chosen == [system]
    about, rows, _ = show_board(raw)
    assert find_dangers(about) == []
    assert any(row[1] == attack for row in rows)  # as text: the browser tests see that it is shown as such


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", 'https://x/"onclick="y', "//x", " "]
)
def test_link_is_of_the_web_or_refused(raw, link):
    answer = api(raw, "submit", "english", "linked", lines(REFERENCE).decode(), link, "", "")
    if link.strip():
        assert answer == "link: write an address that begins with https:// or http://"
    else:
        assert answer[0]["accepted"]


def test_html_in_labels_and_words(raw):
    """One tree after the other has an attack for each of its labels and words."""
    labels = [*LABELS, "x", "x"]
    rows = [
        row.replace("NP", labels[3 * k])
        .replace("VP", labels[3 * k + 1])
        .replace("S ", labels[3 * k + 2] + " ")
        for k, row in enumerate(REFERENCE)
    ]
    for benchmark in ("english", "open"):
        html = send_file(raw, raw.upload(lines(rows)), "labels", benchmark)
        assert "Accepted as" in html
        assert find_dangers(html) == []
    tree = "(S " + " ".join(f"({label} {label})" for label in LABELS) + ")"
    html, pairs = raw.call(raw.event("run", 8), [tree, tree, "word", "same", "exact", "strict", 0, ""])
    assert "<svg" in html
    assert find_dangers(html) == []
    assert {row[0] for row in pairs["value"]["data"]} == {*LABELS, "S"}


@pytest.mark.parametrize("label", LABELS[:3])
def test_html_in_what_errors_quote(raw, label):
    html = send_file(raw, raw.upload(lines([f"(S ({label} {label}", *REFERENCE[1:]])))
    assert "row 1: file:1:" in html
    assert find_dangers(html) == []
    html, _ = raw.call(raw.event("run", 8), [f"({label}", "", "word", "same", "exact", "strict", 0, label])
    assert find_dangers(html) == []
    files = [raw.upload(lines([text])) for text in (f"(S ({label} x", "(S (A x))")]
    html, *_ = raw.call(raw.event("score"), [*files, "word", "same", "exact", "strict", 0, ""])
    assert "could not be compared" in html
    assert find_dangers(html) == []


@pytest.mark.parametrize("name", ["trees", "system", "benchmark", "view"])
@pytest.mark.parametrize(
    "value", [SCRIPT, "../../etc/passwd", "\ud800".encode("utf-8", "surrogatepass"), "x" * 9000]
)
def test_html_in_the_address(raw, name, value):
    shown = open_page(raw, **{name: value})
    assert isinstance(shown, list)
    for html in (shown[-1], shown[8]):
        assert find_dangers(html if isinstance(html, str) else "") == []


@pytest.mark.parametrize(
    "state",
    [
        [],
        {"prediction": 1, "reference": []},
        {"prediction": "(A w)", "reference": "(A w)", "unit": ["word"]},
        {"prediction": "(A w)", "reference": "(A w)", "min_iou": "x"},
        {"prediction": "(A w)", "reference": "(A w)", "min_iou": float("nan")},
        {"prediction": "(A w)", "reference": "(A w)", "drop": {"__type__": "update", "visible": False}},
    ],
)
def test_link_with_a_made_up_state(raw, state):
    from pages.links import encode_state

    shown = open_page(raw, trees=encode_state(state))
    assert "this link is damaged" in json.dumps(shown)


# ---- names of files and folders ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "../../../../tmp/x",
        "..\\..\\x",
        "/etc/passwd",
        "a/b/c",
        "x\0y",
        "..",
        ".",
        "",
        "é" * 500,
        "CON",
        "leaderboard.sqlite3",
    ],
    ids=repr,
)
def test_names_of_uploads_lead_nowhere(raw, space, name):
    boundary = secrets.token_hex(8)
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    body = head.encode() + b"x" + f"\r\n--{boundary}--\r\n".encode()
    before = sorted(space.data.iterdir())
    answer = raw.http.post(
        f"{PREFIX}/upload",
        content=body,
        headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
    )
    if answer.status_code == 200:
        (stored,) = answer.json()
        assert Path(stored).resolve().is_relative_to(space.uploads.resolve())
    assert sorted(space.data.iterdir()) == before


def test_uploads_are_never_shown_as_pages(raw):
    for name in ("x.html", "x.svg", "x.xml", "x.js", "x"):
        value = raw.upload(SCRIPT.encode(), name)
        answer = raw.get(f"{PREFIX}/file={value['path']}")
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["content-type"] == "application/octet-stream"


# ---- size --------------------------------------------------------------------------------------


def memory(space):
    """The most MiB that the server has ever had, where the system tells."""
    status = Path(f"/proc/{space.pid}/status")
    if not status.exists():
        pytest.skip("only Linux tells")
    return int(re.search(r"VmHWM:\s+(\d+)", status.read_text("ascii"))[1]) / 1024


def test_bombs_are_not_unpacked(raw, space):
    before = memory(space)
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join([packer.compress(bytes(2**20)) for _ in range(200)]) + packer.flush()
    assert "larger than 20,971,520 bytes, unpacked" in send_file(raw, raw.upload(bomb, "x.gz"))
    assert "was not accepted" in send_file(raw, raw.upload(gzip.compress(bomb), "twice.gz"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../x", bytes(10**7))
    assert "this is an archive" in send_file(raw, raw.upload(buffer.getvalue(), "x.zip"))
    assert memory(space) < before + 150


def connect(space, path, *headers):
    """A connection, of somebody who is not known yet, on which a request has begun."""
    connection = socket.create_connection(
        ("127.0.0.1", space.port), timeout=PATIENCE, source_address=(any_address(), 0)
    )
    head = "\r\n".join([f"POST {PREFIX}{path} HTTP/1.1", "Host: x", *headers])
    connection.sendall(f"{head}\r\n\r\n".encode())
    return connection


def test_too_long_a_request_is_refused_before_it_is_sent(space):
    for path, kind in (("/upload", "multipart/form-data; boundary=b"), ("/queue/join", "application/json")):
        with connect(space, path, f"Content-Type: {kind}", "Content-Length: 100000000") as connection:
            assert connection.recv(1000).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "path, kind, begin",
    [
        pytest.param("/queue/join", "application/json", b'{"data": ["', id="json"),
        pytest.param(
            "/upload",
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n',
            id="upload",
        ),
    ],
)
def test_100_mb_without_a_length_are_refused_and_not_kept(space, path, kind, begin):
    before = stored(space)
    sent = 0
    with connect(space, path, f"Content-Type: {kind}", "Transfer-Encoding: chunked") as connection:
        part = begin
        connection.setblocking(True)
        try:
            while sent < 100_000_000:
                connection.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                sent += len(part)
                part = b"x" * 1_000_000
        except OSError:  # the server has hung up
            pass
        else:
            assert connection.recv(1000).startswith(b"HTTP/1.1 413")
    assert sent < 60_000_000  # 20 MiB, and what the system buffers
    wait_until(lambda: stored(space) <= before + 100_000)


def test_many_files_in_one_request_are_one_request(space):
    before = stored(space)
    part = (
        b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
        + b"x" * 8_000_000
        + b"\r\n"
    )
    with connect(
        space, "/upload", "Content-Type: multipart/form-data; boundary=b", "Transfer-Encoding: chunked"
    ) as connection:
        sent = 0
        try:
            while sent < 12:
                connection.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                sent += 1
        except OSError:
            pass
    assert sent < 8
    wait_until(lambda: stored(space) <= before + 100_000)


@pytest.mark.parametrize(
    "row",
    [
        "(A " * 900_000 + "w" + ")" * 900_000,
        "(" * 999_000,
        ")" * 999_000,
        "(A " * 300_000,
        "(A w<0,1>)" * 90_000,
    ],
    ids=["chain", "open", "close", "unclosed", "wide"],
)
def test_deep_and_long_trees(raw, row):
    html = send_file(raw, raw.upload(lines([row, *WORSE[1:]])))
    assert find_dangers(html) == []
    assert "row 1: " in html or "Accepted as" in html or "the benchmark 3" in html


@pytest.mark.parametrize("char", ["(", "\n"])
def test_too_many_nodes_or_lines_are_not_even_read(raw, char):
    html = send_file(raw, raw.upload(char.encode() * 20_000_000))
    assert "more than 1,000,000 nodes or lines" in html


def test_huge_trees_are_not_drawn(raw):
    chain = "(X " * 20_000 + "(S (NP w w) (VP w))" + ")" * 20_000
    done = submit(raw, "huge", [chain, *WORSE[1:]], "open")
    assert done["state"] == "scored"
    page = open_page(raw, system=done["id"])[-1]
    assert "Sentence 2" in page
    assert "Sentence 1" not in page
    assert len(page) < 200_000


def test_many_labels_are_not_kept(raw):
    labels = iter(range(100_000))
    row = (
        "(S " + " ".join(f"(L{next(labels)} (M{next(labels)} " for _ in range(5000)) + "w" + "))" * 5000 + ")"
    )
    rows = ["(S " + row + " (A w) (A w))", *WORSE[1:]]
    done = submit(raw, "labels", rows)
    assert done["state"] == "scored"
    page = open_page(raw, system=done["id"])[-1]
    assert page.count("<tr>") < 50


@pytest.mark.parametrize(
    "body",
    [
        '{"data": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"data": ["\\ud800", "\\udfff", "\\u0000", "", ""], "fn_index": FN, "session_hash": "s"}',
        '{"data": {"a": 1}, "fn_index": FN, "session_hash": "s"}',
        '{"data": [], "fn_index": FN, "session_hash": "s"}',
        '{"data": [], "fn_index": 99999, "session_hash": "s"}',
        '{"data": [], "fn_index": -1, "session_hash": "../../x"}',
        '{"data": [1, 2, 3, 4, 5, 6, 7, 8, 9], "fn_index": FN, "session_hash": "s"}',
        '{"data": [null, null, null, null, null], "fn_index": FN, "session_hash": "s"}',
        '{"data": [[], {}, NaN, 1e999, true], "fn_index": FN, "session_hash": "s"}',
        "",
        "\xff",
    ],
    ids=range(11),
)
def test_bodies_that_no_page_sends(raw, space, body):
    before = count_submissions(space)
    headers = {"Content-Type": "application/json"}
    text = body.replace("FN", str(raw.event("submit"))).encode("latin-1")
    other = RawClient(space.url, config=raw.config, address=any_address())
    try:
        answer = other.http.post(f"{PREFIX}/queue/join", content=text, headers=headers)
    finally:
        other.close()
    raw.seen.append(answer.text)
    assert isinstance(api(raw, "benchmarks"), list)  # what was sent before has been looked at
    assert count_submissions(space) == before


@pytest.mark.parametrize(
    "data", [b"\xff\xfe(\x00S\x00", "(S (NP é))".encode("latin-1"), b"\x80" * 100, b"\x00" * 50]
)
def test_files_that_are_not_text(raw, data):
    html = send_file(raw, raw.upload(data))
    assert "The file was not accepted and does not count." in html


# ---- tables for spreadsheets -------------------------------------------------------------------


def test_exports_have_no_formulas(raw):
    for attack in ("=HYPERLINK(1)", "+1", "-1+cmd|x", "@SUM(1)", "\uff1dA1"):
        submit(raw, attack, words_replaced(WORSE))
    _, rows, download = show_board(raw)
    answer = raw.get(f"{PREFIX}/file={download['path']}")
    table = list(csv.reader(io.StringIO(answer.text)))
    assert len(table) == len(rows) + 1
    assert [cell for row in table for cell in row if cell.startswith(("=", "+", "-", "@", "\uff1d"))] == []
    assert {"'=HYPERLINK(1)", "'@SUM(1)"} <= {row[1] for row in table}


# ---- private fields ----------------------------------------------------------------------------


def test_contact_and_address_are_the_hosts_alone(raw, space):
    contact = "whisper-4711@example.org"
    other = RawClient(space.url, address="127.0.0.23")
    try:
        done = submit(other, "private", words_replaced(WORSE), contact=contact)
    finally:
        other.close()
    asked = [
        *other.seen,
        json.dumps(api(raw, "submission", done["id"])),
        json.dumps(api(raw, "leaderboard", "english")),
        json.dumps(open_page(raw, system=done["id"])),
        json.dumps(show_board(raw)),
        raw.get("/").text,
        raw.get("/config").text,
        raw.get(f"{PREFIX}/info").text,
        raw.get(f"{PREFIX}/openapi.json").text,
        raw.get(f"{PREFIX}/file={show_board(raw)[2]['path']}").text,
        space.log.read_text("utf-8"),
    ]
    with sqlite3.connect(space.data / "leaderboard.sqlite3") as db:
        ((stored, address),) = db.execute(
            "SELECT contact, address FROM submissions WHERE id = ?", (done["id"],)
        )
    db.close()
    assert stored == contact
    for answer in asked:
        assert contact not in answer
        assert address not in answer
        assert "127.0.0.23" not in answer
    message, table = raw.call(raw.event("show", 1), ["guess"])
    assert message == "this is not the host's token"
    assert table["data"] in ([], [[""] * 8])
    _, table = host_call(raw, "show", HOST_TOKEN, n_inputs=1)
    assert contact in json.dumps(table)


def host_call(raw, name, *data, n_inputs=None):
    """An event of the host's page; what it answers is not looked through for private things."""
    answer = raw.call(raw.event(name, n_inputs), list(data))
    del raw.seen[:]
    return answer


def test_anonymous_owners_cannot_be_taken_by_a_name(raw):
    owner = submit(raw, "owner", words_replaced(WORSE))["owner"]
    assert re.fullmatch("anonymous [0-9a-f]{8}", owner)  # a name on the Hub has no space


# ---- reference trees and files of the server ---------------------------------------------------


def places(space):
    return [
        "/etc/passwd",
        str(space.benchmarks / "secret" / "gold.txt"),
        str(space.data / "leaderboard.sqlite3"),
        str(space.data / "leaderboard.sqlite3-wal"),
        str(space.log),
        "/proc/self/environ",
        "app.py",
    ]


def test_files_of_the_server_are_not_served(raw, space):
    for place in places(space):
        for path in (
            f"{PREFIX}/file={place}",
            f"{PREFIX}/file/{place}",
            f"/file={place}",
            f"{PREFIX}/file={space.uploads}/../{Path(place).relative_to('/') if place[0] == '/' else place}",
            f"{PREFIX}/file={space.uploads}/%2e%2e/data/leaderboard.sqlite3",
            f"{PREFIX}/file=file://{place}",
            f"/static/../../{place}",
            f"/assets/..%2f..%2f{place}",
            f"/svelte/..%2f..%2f{place}",
            f"{PREFIX}/custom_component/1/client/x/..%2f..%2f{place}",
        ):
            assert raw.get(path).status_code in (400, 403, 404), path


@pytest.mark.parametrize("event", ["send_file", "send_files", "score"])
@pytest.mark.parametrize("shape", ["value", "stream", "plain", "no meta", "list", "url", "web", "local web"])
def test_files_of_the_server_are_not_read(raw, space, event, shape):
    before = count_submissions(space)
    for place in places(space)[:3]:
        value = {
            "value": file_value(place),
            "stream": file_value(place, is_stream=True),
            "plain": place,
            "no meta": {"path": place},
            "list": [file_value(place)],
            "url": file_value("x", url=f"file://{place}"),
            "web": file_value("https://example.org/x", url="https://example.org/x"),
            "local web": file_value(f"{space.url}/config", is_stream=True),
        }[shape]
        data = {
            "send_file": ["secret", "stolen", "", "", value, ""],
            "score": [value, value, "word", "same", "exact", "strict", 0, ""],
            "send_files": ["secret", "stolen", "", "", [value, value], "", "", ""],
        }[event]
        answer = raw.call(raw.event(event), data)
        assert "upload the file itself" in json.dumps(answer)
    assert count_submissions(space) == before


def test_uploads_of_others_need_their_unguessable_path(raw):
    value = raw.upload(b"(S (A private))")
    folder = Path(value["path"]).parent
    assert re.fullmatch("[0-9a-f]{64}", folder.name)
    assert raw.get(f"{PREFIX}/file={folder}").status_code == 403
    assert raw.get(f"{PREFIX}/file={folder.parent}").status_code == 403


def test_reference_is_not_in_errors(raw):
    for rows in (["(S (A a))"] * 3, SECRET[:1], ["(S"] * 3, ["(S (A a) (B b)))"] * 3):
        for benchmark in ("secret",):
            rows = words_replaced(rows)
            send_file(raw, raw.upload(lines(rows)), "errors", benchmark)
            answer = api(raw, "submit", benchmark, "errors", lines(rows).decode(), "", "", "")
            assert answer[0]["accepted"] is False


def test_reference_is_not_on_pages_where_the_host_keeps_it(raw):
    done = submit(raw, "secret", words_replaced(SECRET), "secret")
    assert done["state"] == "scored"
    page = open_page(raw, system=done["id"])[-1]
    assert "Sentences with the lowest scores" not in page
    assert "By label" not in page
    assert "By label" in open_page(raw, system=submit(raw, "open", WORSE, "open")["id"])[-1]
    show_board(raw, "secret")


def test_scores_have_few_digits(raw):
    """More would tell the score of a single sentence in a large benchmark."""
    row = submit(raw, "digits", WORSE)
    for key in (*StructIoU.MEASURES, *Parseval.MEASURES):
        assert row[key] == round(row[key], 4)
    assert row["interval"] == [round(value, 4) for value in row["interval"]]


@pytest.mark.parametrize(
    "path",
    [
        "/monitoring",
        "/monitoring/summary",
        f"{PREFIX}/proxy=https://example.org",
        f"{PREFIX}/file=http://127.0.0.1:1/",
        f"{PREFIX}/file=HTTPS://example.org",
        f"{PREFIX}/deep_link?session_hash=x",
        f"{PREFIX}/runs",
        f"{PREFIX}/run-history/buckets",
        f"{PREFIX}/stream/a/b/1/playlist.m3u8",
        f"{PREFIX}/vibe-code",
        f"{PREFIX}/process_recording",
        f"{PREFIX}/component_server",
    ],
)
def test_parts_of_gradio_that_are_not_used_are_closed(raw, path):
    assert raw.get(path).status_code == 404
    assert raw.http.post(path, json={}).status_code == 404


def test_events_cannot_be_called_past_the_queue(raw):
    for path in ("/run/predict", "/api/predict", "/run/submit", "/api/submit/"):
        body = {"fn_index": raw.event("submit"), "data": ["english", "past", lines(WORSE).decode(), "", ""]}
        assert raw.http.post(f"{PREFIX}{path}", json=body).status_code == 404


# ---- the host ----------------------------------------------------------------------------------


def test_host_actions_need_the_token(raw, space):
    assert "Host token" in [item["props"].get("label") for item in raw.config["components"]]
    done = submit(raw, "kept", words_replaced(WORSE))
    for token in (None, HOST_TOKEN[:-1], [HOST_TOKEN]):
        for action in ("hide", "delete", "re-score", "re-score all"):
            answer = raw.call(raw.event("run", 3), [token, action, done["id"]])
            assert answer is None or "host's token" in answer[0] or "too many wrong tokens" in answer[0]
        for event, data in (("show", [token]), ("write", [token]), ("take_undo", [token])):
            answer = raw.call(raw.event(event, len(data)), data)
            assert answer is None or "token" in answer[0]
    assert api(raw, "submission", done["id"])[0]["state"] == "scored"


def test_guessing_shuts_out_only_the_guesser(raw, space):
    guesser = RawClient(space.url, address="127.0.0.99")
    host = RawClient(space.url, address="127.0.0.98")
    try:
        answers = [guesser.call(guesser.event("show", 1), [f"guess {k}"])[0] for k in range(21)]
        assert answers[-1] == "too many wrong tokens; try again in some minutes"
        assert "too many" in guesser.call(guesser.event("show", 1), [HOST_TOKEN])[0]
        assert host.call(host.event("show", 1), [HOST_TOKEN])[0].endswith("submissions")
    finally:
        guesser.close()
        host.close()


def test_states_of_a_submission(raw, space):
    host = RawClient(space.url, address="127.0.0.2")
    act = host.event("run", 3)

    def listed():
        return done["id"] in [row["id"] for row in api(raw, "leaderboard", "english")[0]]

    try:
        done = submit(raw, "states", words_replaced(WORSE))
        assert listed()
        assert host.call(act, [HOST_TOKEN, "hide", done["id"]]) == ["hide: states"]
        assert not listed()
        assert api(raw, "submission", done["id"]) == "there is no such submission"
        assert open_page(raw, system=done["id"])[-1].startswith('<div class="siou-error"')
        again = submit(raw, "states", words_replaced(WORSE))
        assert again["id"] == done["id"]
        assert not listed(), "who is hidden does not come back by submitting again"
        assert host.call(act, [HOST_TOKEN, "show", done["id"]]) == ["show: states"]
        assert listed()
        assert host.call(act, [HOST_TOKEN, "re-score", done["id"]]) == ["re-score: states"]
        assert listed()
        assert host.call(act, [HOST_TOKEN, "delete", done["id"]]) == ["delete: states"]
        assert not listed()
        assert host.call(act, [HOST_TOKEN, "restore", done["id"]]) == ["restore: states"]
        assert listed()
        for action in ("delete", "delete for good"):
            assert host.call(act, [HOST_TOKEN, action, done["id"]]) == [f"{action}: states"]
        for action in ("hide", "show", "delete", "re-score"):
            assert host.call(act, [HOST_TOKEN, action, done["id"]]) == ["there is no such submission"]
        refusal = host.call(act, [HOST_TOKEN, "explode", done["id"]])
        assert "explode" in refusal
    finally:
        host.close()


def test_host_exports_and_imports(raw, space):
    host = RawClient(space.url, address="127.0.0.3")

    def read(line):
        bearer = {"Authorization": f"Bearer {HOST_TOKEN}"}
        return host.http.post("/host/import", content=f"{line}\n".encode(), headers=bearer).text

    try:
        done = submit(raw, "exported", words_replaced(WORSE), contact="c")
        message, update = host.call(host.event("write"), [HOST_TOKEN])
        assert message == "exported"
        path = update["value"]["path"]
        text = host.get(f"{PREFIX}/file={path}").text
        line = next(line for line in text.split("\n") if f'"id": "{done["id"]}"' in line)
        assert json.loads(line)["contact"] == "c"
        for action in ("delete", "delete for good"):
            answer = host.call(host.event("run", 3), [HOST_TOKEN, action, done["id"]])
            assert answer == [f"{action}: exported"]
        assert read(line) == "1 imported, 0 were there already"
        assert api(raw, "submission", done["id"])[0]["struct_iou_sentence"] == done["struct_iou_sentence"]
        forged = line.replace('"link": ""', '"link": "javascript:x"')
        assert "line 1 is no exported submission: link: write an address" in read(forged)
    finally:
        host.close()
