"""The host's pages, against a real server: choosing, confirming, undoing, log and import."""

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
from support.space_client import SpaceClient, message_of, words_of
from support.space_server import SpaceServer


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
    client = SpaceClient(server.url, token=HOST_TOKEN)
    yield client
    client.close()


def submit(host, system, rows=WORSE, **more):
    return host.submit("english", system, rows, **more)["id"]


def cells(table):
    """The cells of the rows of a table in HTML."""
    rows = re.findall("<tr>(.*?)</tr>", table.partition("<tbody>")[2], re.DOTALL)
    return [[words_of(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)] for row in rows]


def section(host, name):
    page = host.host("/host").text
    return page[page.index(f'<section id="{name}">') :].partition("</section>")[0]


def listed(host):
    """Lines of the host's table by id."""
    heads = ("system", "received", "state", "score", "benchmark", "phase", "team", "owner", "contact")
    rows = cells(section(host, "submissions"))
    return {row[-1]: dict(zip((*heads, "problem", "id"), row, strict=True)) for row in rows}


def log(host):
    """Who did what to what, the newest first."""
    return [tuple(row[2:5]) for row in cells(section(host, "log"))]


def test_table_has_dates_states_and_scores(host):
    id_ = submit(host, "told", contact="me@example.org")
    row = listed(host)[id_]
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    assert row["score"] == f"{expected.sentence:.4f}"
    assert (row["state"], row["system"], row["contact"]) == ("scored", "told", "me@example.org")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", row["received"])


def test_action_is_confirmed_done_logged_and_undone(host):
    ids = [submit(host, f"undone {k}", [*WORSE[:k], "()", *WORSE[k + 1 :]]) for k in range(2)]
    question = host.host("/host/act", {"action": "delete", "id": ids})
    assert "delete 2 submissions?" in words_of(question)
    assert "undone 0 of anonymous" in words_of(question)
    assert {listed(host)[id_]["state"] for id_ in ids} == {"scored"}, "nothing was done yet"
    fields = re.findall(r'name="([a-z]+)" value="([^"]*)"', question.text)
    confirmed = {name: [value for other, value in fields if other == name] for name, _ in fields}
    assert message_of(host.host("/host/act", confirmed)) == "delete: undone 0, undone 1"
    assert {listed(host)[id_]["state"] for id_ in ids} == {"scored, deleted"}
    assert log(host)[:2] == [("host", "delete", ids[1]), ("host", "delete", ids[0])]

    def undo():
        return message_of(host.host("/host/undo", {"x": "x"}))

    assert undo() == "undone: delete of 2 submissions"
    assert {listed(host)[id_]["state"] for id_ in ids} == {"scored"}
    host.act("hide", ids[0])
    host.act("withdraw", ids[0])
    assert listed(host)[ids[0]]["state"] == "scored, hidden, withdrawn"
    assert undo() == "undone: withdraw of 1 submission"
    assert undo() == "undone: hide of 1 submission"
    assert undo() == "there is nothing to undo"
    assert listed(host)[ids[0]]["state"] == "scored"


@pytest.mark.parametrize(
    "values, message",
    [
        pytest.param({"action": "delete"}, "choose submissions from the table", id="none"),
        pytest.param({"action": "delete", "id": "nothing"}, "there is no such submission", id="unknown"),
        pytest.param({"action": "explode", "confirmed": "1"}, "choose from hide, show", id="action"),
    ],
)
def test_question_about_nothing(host, values, message):
    answer = host.host("/host/act", values)
    assert answer.status_code == 422
    assert message in message_of(answer)


@pytest.mark.parametrize(
    "path", ["", "/export", "/act", "/undo", "/benchmarks", "/announce", "/take-back", "/team-key", "/import"]
)
def test_nobody_else_may(server, path):
    method = "GET" if path in ("", "/export") else "POST"
    guesser = SpaceClient(server.url, address=f"127.0.9.{1 + len(path)}")
    try:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp3cm9uZw=="}):
            answer = guesser.http.request(method, f"/host{path}", headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Basic")
        for value in ("Basic", "Basic !", "Basic /w==", "Digest x", "Bearer"):
            answer = guesser.http.request(method, f"/host{path}", headers={"Authorization": value})
            assert answer.status_code == 401
    finally:
        guesser.close()


def test_browser_sends_the_token_as_a_password(host):
    answer = host.http.get("/host", auth=("anybody", HOST_TOKEN))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"


def test_benchmark_is_added_and_mended_without_a_restart(host, server):
    folder = write_benchmark(server.benchmarks, "later", DESCRIPTION.replace("title", "titel"))

    def reread():
        return message_of(host.host("/host/benchmarks", {"x": "x"}))

    answer = reread()
    assert answer.startswith("later: broken (")
    assert "unknown key titel" in answer
    found = host.get("/health").json()["benchmarks"]
    assert found["english"] == "ok"
    assert found["later"] != "ok"
    assert 'structiou_benchmark_ok{benchmark="later"} 0.0' in host.get("/metrics").text
    (folder / "benchmark.toml").write_text(DESCRIPTION, "utf-8")
    assert reread() == "later: added (Small English, 0 phases)"
    assert log(host)[0] == ("host", "benchmark added", "later")
    assert reread() == "nothing has changed"
    assert host.submit("later", "x", WORSE)["rank"] == 1
    for page in ("/board", "/submit"):
        assert '<option value="later">' in host.get(page).text
    assert "table/later" in host.get("/board?benchmark=later").text


def test_announcement_is_published_and_removed(host):
    text = "The test phase <b>begins</b>\ntomorrow."
    answer = message_of(host.host("/host/announce", {"benchmark": "", "text": text}))
    id_ = answer.removeprefix("announced as ")
    assert "The test phase &lt;b&gt;begins&lt;/b&gt;\ntomorrow." in host.get("/board").text
    (found,) = host.get("/api/benchmarks").json()[0]["announcements"]
    assert found["text"] == text
    assert message_of(host.host("/host/take-back", {"id": id_})) == f"removed: {id_}"
    assert "begins" not in host.get("/board").text
    assert "announcement: it is empty; write a text" in message_of(host.host("/host/announce", {"text": " "}))


def test_new_key_of_a_team_makes_the_old_one_void(host):
    old = host.post("/api/teams", {"name": "The Owls"})["key"]
    answer = message_of(host.host("/host/team-key", {"team": "The Owls"}))
    key = answer.rpartition(" ")[2]

    def send(key):
        return host.submit("english", "o", WORSE, team="The Owls", team_key=key)

    assert "this is not the key of a team of that name" in send(old)
    assert send(key)["team"] == "The Owls"
    assert "The Owls" in [row[0] for row in cells(section(host, "teams"))]
    assert [deed for deed in log(host) if deed[1] == "new team key"] == [("host", "new team key", "The Owls")]


def peak(pid):
    """The most memory that a process has had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to read the memory from")
def test_import_is_larger_than_any_upload_and_takes_little_memory(host, server, tmp_path):
    submit(host, "large")
    exported = host.host("/host/export").text
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
        answer = host.host("/host/import", files={"file": file})
    assert answer.json() == {"imported": 40, "known": 0}
    assert peak(server.pid) - before < 60_000_000
    assert listed(host)[f"{7:016x}"]["system"] == "large 7"


def test_import_of_nonsense_leaves_nothing(host):
    before = listed(host).keys()
    for content, message in (
        (b"[1]\n", "line 1 is no exported submission"),
        (b"\xff\xfe\n", "line 1 is not text in UTF-8"),
        (b'{"record": "team", "name": 3}\n', "the fields of this team are not those of this program"),
        (b'{"record": "secret"}\n', "it is of an unknown kind, 'secret'"),
    ):
        answer = host.host("/host/import", files={"file": ("x.jsonl", content)})
        assert answer.status_code == 422
        assert message in answer.json()["detail"]
    assert host.host("/host/import", {"file": "x"}).status_code == 422
    assert listed(host).keys() == before


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
