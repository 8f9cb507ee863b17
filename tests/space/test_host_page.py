"""The host's page and addresses, against a real server: choosing, confirming, undoing, log and import."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import time
from pathlib import Path

import pytest

from structiou_metric import StructIoU
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, HOST_TOKEN, REFERENCE, WORSE, write_benchmark
from support.space_client import RawClient
from support.space_server import SpaceServer

BEARER = {"Authorization": f"Bearer {HOST_TOKEN}"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("host")
    write_benchmark(folder / "benchmarks", "english")
    server = SpaceServer(
        folder / "data",
        folder / "benchmarks",
        ADMIN_TOKEN=HOST_TOKEN,
        DAILY_PER_USER=100,
        DAILY_PER_ADDRESS=100,
        LOOK_SECONDS=3600,
    )
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def host(server):
    client = RawClient(server.url)
    yield client
    client.close()


def submit(host, system, rows=WORSE, contact=""):
    values = ["english", system, "\n".join(rows) + "\n", "", contact, ""]
    (answer,) = host.call(host.event("submit"), values)
    return answer["id"]


def listed(host):
    """Lines of the host's table by id."""
    _, table = host.call(host.event("show", 1), [HOST_TOKEN])
    headers = table["headers"]
    return {row[0]: dict(zip(headers, row, strict=True)) for row in table["data"]}


def log(host):
    """Who did what to what, the newest first."""
    table, _, _ = host.call(host.event("show_task"), [HOST_TOKEN])
    return [tuple(row[1:4]) for row in table["data"]]


def test_table_tells_dates_states_and_scores(host):
    id_ = submit(host, "told", contact="me@example.org")
    row = listed(host)[id_]
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    assert row["score"] == round(expected.sentence, 4)
    assert (row["state"], row["system"], row["contact"]) == ("scored", "told", "me@example.org")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", row["received"])


def test_lines_are_chosen_and_taken_out(host):
    def choose(before, id_):
        data = {"index": [0, 0], "value": id_, "row_value": [id_, "x"], "col_value": [], "selected": True}
        return host.call(host.event("pick"), [before], event_data=data)

    assert choose("", "a") == ["a"]
    assert choose("a", "b") == ["a b"]
    assert choose("a b", "a") == ["b"]


def test_action_is_confirmed_done_logged_and_undone(host):
    ids = [submit(host, f"undone {k}", [*WORSE[:k], "()", *WORSE[k + 1 :]]) for k in range(2)]
    chosen = " ".join(ids)
    question, update = host.call(host.event("ask"), [HOST_TOKEN, "delete", chosen])
    assert question.startswith("delete 2 submissions? Press Confirm. undone 0 of anonymous")
    assert update["visible"] is True
    assert {listed(host)[id_]["state"] for id_ in ids} == {"scored"}, "nothing was done yet"
    assert host.call(host.event("run", 3), [HOST_TOKEN, "delete", chosen]) == ["delete: undone 0, undone 1"]
    assert {listed(host)[id_]["state"] for id_ in ids} == {"scored, deleted"}
    assert log(host)[:2] == [("host", "delete", ids[1]), ("host", "delete", ids[0])]
    assert host.call(host.event("take_undo"), [HOST_TOKEN]) == ["undone: delete of 2 submissions"]
    assert {listed(host)[id_]["state"] for id_ in ids} == {"scored"}
    host.call(host.event("run", 3), [HOST_TOKEN, "hide", ids[0]])
    host.call(host.event("run", 3), [HOST_TOKEN, "withdraw", ids[0]])
    assert listed(host)[ids[0]]["state"] == "scored, hidden, withdrawn"
    assert host.call(host.event("take_undo"), [HOST_TOKEN]) == ["undone: withdraw of 1 submission"]
    assert host.call(host.event("take_undo"), [HOST_TOKEN]) == ["undone: hide of 1 submission"]
    assert host.call(host.event("take_undo"), [HOST_TOKEN]) == ["there is nothing to undo"]
    assert listed(host)[ids[0]]["state"] == "scored"


@pytest.mark.parametrize(
    "values, message",
    [
        pytest.param(["delete", ""], "choose submissions from the table", id="none"),
        pytest.param(["delete", "nothing"], "there is no such submission", id="unknown"),
    ],
)
def test_question_about_nothing(host, values, message):
    answer, update = host.call(host.event("ask"), [HOST_TOKEN, *values])
    assert (answer, update["visible"]) == (message, False)


@pytest.mark.parametrize(
    "event, values",
    [
        ("ask", ["hide", "x"]),
        ("take_undo", []),
        ("reread", []),
        ("tell", ["all benchmarks", "x"]),
        ("untell", ["x"]),
        ("renew", ["x"]),
        ("write", []),
    ],
)
def test_nobody_else_may(host, event, values):
    answer = host.call(host.event(event, len(values) + 1), ["wrong", *values])
    assert answer[0] in ("this is not the host's token", "too many wrong tokens; try again in some minutes")


def test_benchmark_is_added_and_mended_without_a_restart(host, server):
    folder = write_benchmark(server.benchmarks, "later", DESCRIPTION.replace("title", "titel"))
    (answer,) = host.call(host.event("reread"), [HOST_TOKEN])
    assert answer.startswith("later: broken (")
    assert "unknown key titel" in answer
    assert host.get("/health").json()["benchmarks"] == {
        "english": "ok",
        "later": "not right; the host's page tells why",
    }
    assert 'structiou_benchmark_ok{benchmark="later"} 0.0' in host.get("/metrics").text
    (folder / "benchmark.toml").write_text(DESCRIPTION, "utf-8")
    (answer,) = host.call(host.event("reread"), [HOST_TOKEN])
    assert answer == "later: added (Small English, 0 phases)"
    assert log(host)[0] == ("host", "benchmark added", "later")
    assert host.call(host.event("reread"), [HOST_TOKEN]) == ["nothing has changed"]
    values = ["later", "x", "\n".join(WORSE) + "\n", "", "", ""]
    assert host.call(host.event("submit"), values)[0]["rank"] == 1
    (choice,) = host.call(host.event("refresh_choices"), [])
    assert choice["choices"] == [["Small English", "english"], ["Small English", "later"]]
    opened = host.call(host.event("open_page"), [], params={"benchmark": "later"})
    assert "table/later" in str(opened)


def test_announcement_is_told_and_taken_back(host):
    text = "The test phase <b>begins</b>\ntomorrow."
    (answer,) = host.call(host.event("tell"), [HOST_TOKEN, "all benchmarks", text])
    id_ = answer.removeprefix("announced as ")
    about = host.call(host.event("show", 3), ["english", None, "all"])[0]
    assert "The test phase &lt;b&gt;begins&lt;/b&gt;<br>tomorrow." in about
    (told,) = host.call(host.event("benchmarks"), [])[0][0]["announcements"]
    assert told["text"] == text
    assert host.call(host.event("untell"), [HOST_TOKEN, id_]) == [f"taken back: {id_}"]
    assert "begins" not in host.call(host.event("show", 3), ["english", None, "all"])[0]


def test_new_key_of_a_team_makes_the_old_one_void(host):
    old = host.call(host.event("make_team"), ["The Owls"])[0]["key"]
    (answer,) = host.call(host.event("renew"), [HOST_TOKEN, "The Owls"])
    key = answer.rpartition(" ")[2]

    def send(key):
        text = "\n".join(WORSE) + "\n"
        return host.call(
            host.event("submit_files"), ["english", "o", {"x": text}, "", "", "The Owls", key, ""]
        )

    assert "this is not the key of a team of that name" in send(old)
    assert send(key)[0]["team"] == "The Owls"
    _, _, teams = host.call(host.event("show_task"), [HOST_TOKEN])
    assert ["team", "The Owls"] in [row[:2] for row in teams["data"]]
    key_log = [detail for detail in log(host) if detail[1] == "new team key"]
    assert key_log == [("host", "new team key", "The Owls")]


def peak(pid):
    """The most memory that a process has had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to read the memory from")
def test_import_is_larger_than_any_upload_and_takes_little_memory(host, server, tmp_path):
    submit(host, "large")
    exported = host.http.get("/host/export", headers=BEARER).text
    line = next(line for line in exported.splitlines() if '"system": "large"' in line)
    generator = random.Random(1)
    path = tmp_path / "export.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for k in range(40):
            data = generator.randbytes(1_500_000)
            own = {"id": f"{k:016x}", "system": f"large {k}", "digest": hashlib.sha256(data).hexdigest()}
            values = {**json.loads(line), **own, "upload": base64.b64encode(data).decode()}
            file.write(json.dumps(values) + "\n")
    assert path.stat().st_size > 75_000_000, "many times what a visitor may upload"
    before = peak(server.pid)
    with path.open("rb") as file:
        answer = host.http.post("/host/import", content=file, headers=BEARER)
    assert answer.text == "40 imported, 0 were there already"
    assert peak(server.pid) - before < 40_000_000
    assert listed(host)[f"{7:016x}"]["system"] == "large 7"
    assert list(server.data.glob("import-*")) == [], "nothing is left behind"


def test_import_of_nonsense_leaves_nothing(host, server):
    before = listed(host).keys()
    for content, message in (
        (b"[1]\n", "line 1 is no exported submission"),
        (b"\xff\xfe\n", "this is no text in UTF-8"),
        (b'{"record": "team", "name": 3}\n', "the fields of this team are not those of this program"),
        (b'{"record": "secret"}\n', "it is of an unknown kind, 'secret'"),
    ):
        answer = host.http.post("/host/import", content=content, headers=BEARER)
        assert 400 <= answer.status_code < 500
        assert message in answer.text
    assert listed(host).keys() == before
    assert list(server.data.glob("import-*")) == []


def test_log_is_lines_of_json_without_what_was_sent(host, server):
    host.http.get("/host/export", headers={"Authorization": "Bearer wrong-token-1234"})
    host.get("/table/nothing?secret=xyzzy")
    refused = []
    end = time.monotonic() + PATIENCE
    while not refused and time.monotonic() < end:  # a line is written after the answer was sent
        text = server.log.read_text("utf-8")
        lines = [json.loads(line) for line in text.split("\n")[:-1] if line.startswith("{")]
        refused = [line for line in lines if line.get("path") == "/table/nothing"]
    assert (refused[-1]["status"], refused[-1]["level"]) == (404, "warning")
    assert any(line["message"] == "scored" and line["seconds"] >= 0 for line in lines)
    for secret in (HOST_TOKEN, "wrong-token-1234", "xyzzy", "me@example.org", "barked"):
        assert secret not in text
    assert "Data (back these up): " in text
    assert server.url in text
