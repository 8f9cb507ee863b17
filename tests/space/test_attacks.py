"""What somebody may try who means harm, against a running Space."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sqlite3
import zipfile
import zlib
from pathlib import Path

import pytest

from structiou_metric import StructIoU
from structiou_metric.metrics.parseval.metric import Parseval
from support.space_boards import HOST_TOKEN, REFERENCE, SECRET, WORSE
from support.space_client import SpaceClient, find_dangers, text, words_of

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
    assert "Traceback" not in answers
    assert raw.get("/board").status_code == 200


def send_file(raw, data, system="attack", benchmark="english", name="trees.txt"):
    """Submit by the page; return the page."""
    values = {"benchmark": benchmark, "system": system}
    return raw.form("/submit", values, [("files", (name, data))])


def count_submissions(space):
    with sqlite3.connect(space.data / "leaderboard.sqlite3") as db:
        (count,) = db.execute("SELECT count(*) FROM submissions").fetchone()
    db.close()
    return count


# ---- script and HTML ---------------------------------------------------------------------------


@pytest.mark.parametrize("attack", [SCRIPT, IMAGE, "<b onclick=x>", "{{7*7}}${7*7}", "<svg/onload=x>"])
def test_html_in_names_is_text_everywhere(raw, attack):
    team = raw.post("/api/teams", {"name": attack})
    done = raw.submit("english", attack, words_replaced(REFERENCE), team=attack, team_key=team["key"])
    assert (done["system"], done["team"]) == (attack, attack)
    raw.submit("english", f"{attack} 2", words_replaced(REFERENCE))
    for path in ("/board", "/board?by=" + attack, f"/system/{done['id']}", "/table/english"):
        page = raw.get(path)
        assert find_dangers(page.text) == [], path
        assert attack in words_of(page) or "by=" in path
    assert find_dangers(raw.get(f"/badge/{done['id']}.svg").text) == []
    host = raw.host("/host")
    del raw.seen[:]
    assert find_dangers(host.text) == []


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", 'https://x/"onclick="y', "//x", " "]
)
def test_link_is_of_the_web_or_refused(raw, link):
    answer = raw.submit("english", "linked", REFERENCE, link=link)
    if link.strip():
        assert answer == "link: write an address that begins with https:// or http://"
    else:
        assert answer["accepted"]


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
        done = raw.submit(benchmark, "labels", rows)
        assert done["state"] == "scored"
        assert find_dangers(raw.get(f"/system/{done['id']}").text) == []


@pytest.mark.parametrize("label", LABELS[:3])
def test_html_in_what_errors_quote(raw, label):
    page = send_file(raw, text([f"(S ({label} {label}", *REFERENCE[1:]]))
    assert "row 1: file:1:" in words_of(page)
    assert find_dangers(page.text) == []
    files = [("prediction", ("p", text([f"(S ({label} x"]))), ("reference", ("r", text(["(S (A x))"])))]
    page = raw.form("/score", {"option-drop": label}, files)
    assert "could not be compared" in words_of(page)
    assert find_dangers(page.text) == []
    page = raw.form("/score", {"option-unit": label, "option-min_iou": label}, files)
    assert page.status_code == 422
    assert find_dangers(page.text) == []


@pytest.mark.parametrize(
    "path", ["/board?benchmark=", "/board?by=", "/board?column=", "/submit?benchmark=", "/system/"]
)
@pytest.mark.parametrize("value", [SCRIPT, "../../etc/passwd", "%ed%a0%80", "%00", "x" * 9000])
def test_html_in_the_address(raw, path, value):
    page = raw.get(path + value)
    assert page.status_code in (200, 404)
    assert find_dangers(page.text) == []


# ---- names of files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../../../../tmp/x", "..\\..\\x", "/etc/passwd", "a/b/c", "..", ".", "é" * 500, "leaderboard.sqlite3"],
    ids=repr,
)
def test_names_of_uploads_lead_nowhere(raw, space, name):

    def files():
        return {path.name for path in space.data.iterdir() if not path.name.endswith(("-wal", "-shm"))}

    before = files()
    assert send_file(raw, text(words_replaced(REFERENCE)), f"named {len(name)}", name=name).status_code == 200
    assert files() == before


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
    assert "larger than 20,971,520 bytes, unpacked" in words_of(send_file(raw, bomb))
    assert "was not accepted" in words_of(send_file(raw, gzip.compress(bomb)))
    assert "in too many pieces; pack it again" in words_of(send_file(raw, gzip.compress(b"") * 400_000))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../x", bytes(10**7))
    assert "this is an archive" in words_of(send_file(raw, buffer.getvalue()))
    assert memory(space) < before + 150


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
    page = send_file(raw, text([row, *WORSE[1:]]))
    assert find_dangers(page.text) == []
    words = words_of(page)
    assert "row 1: " in words or "accepted as" in words or "the benchmark 3" in words


@pytest.mark.parametrize("char", ["(", "\n"])
def test_too_many_nodes_or_lines_are_not_even_read(raw, char):
    assert "more than 1,000,000 nodes or lines" in words_of(send_file(raw, char * 20_000_000))


def test_huge_trees_are_not_drawn(raw):
    chain = "(X " * 20_000 + "(S (NP w w) (VP w))" + ")" * 20_000
    done = raw.submit("open", "huge", [chain, *WORSE[1:]])
    assert done["state"] == "scored"
    page = raw.get(f"/system/{done['id']}").text
    assert "Sentence 2" in page
    assert "Sentence 1" not in page
    assert len(page) < 200_000


def test_many_labels_are_not_kept(raw):
    labels = iter(range(100_000))
    row = (
        "(S " + " ".join(f"(L{next(labels)} (M{next(labels)} " for _ in range(5000)) + "w" + "))" * 5000 + ")"
    )
    done = raw.submit("english", "labels", ["(S " + row + " (A w) (A w))", *WORSE[1:]])
    assert done["state"] == "scored"
    assert raw.get(f"/system/{done['id']}").text.count("<tr>") < 50


@pytest.mark.parametrize(
    "data", [b"\xff\xfe(\x00S\x00", "(S (NP é))".encode("latin-1"), b"\x80" * 100, b"\x00" * 50, b""]
)
def test_files_that_are_not_text(raw, data):
    answer = send_file(raw, data)
    assert answer.status_code == 422
    assert "The file was not accepted and does not count." in words_of(answer)


def test_form_without_a_file(raw, space):
    before = count_submissions(space)
    for files in ([], [("files", ("", b""))]):
        answer = raw.form("/submit", {"benchmark": "english", "system": "x"}, files)
        assert answer.status_code == 422
    assert count_submissions(space) == before


# ---- tables for spreadsheets -------------------------------------------------------------------


def test_exports_have_no_formulas(raw):
    for attack in ("=HYPERLINK(1)", "+1", "-1+cmd|x", "@SUM(1)", "\uff1dA1"):
        raw.submit("english", attack, words_replaced(WORSE))
    answer = raw.get("/table/english.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="english.csv"'
    table = list(csv.reader(io.StringIO(answer.text)))
    assert len(table) == len(raw.board("english")) + 1
    assert [cell for row in table for cell in row if cell.startswith(("=", "+", "-", "@", "\uff1d"))] == []
    assert {"'=HYPERLINK(1)", "'@SUM(1)"} <= {row[1] for row in table}


# ---- private fields ----------------------------------------------------------------------------


def test_contact_and_address_are_the_hosts_alone(raw, space):
    contact = "whisper-4711@example.org"
    other = SpaceClient(space.url, address="127.0.0.23")
    try:
        done = other.submit("english", "private", words_replaced(WORSE), contact=contact)
    finally:
        other.close()
    paths = ["/", "/board", "/table/english", "/table/english.json", "/table/english.csv", "/api/benchmarks"]
    paths += [f"/api/submissions/{done['id']}", f"/system/{done['id']}", "/metrics", "/health"]
    asked = [*other.seen, *(raw.get(path).text for path in paths), space.log.read_text("utf-8")]
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
    assert contact not in raw.get("/host").text
    assert contact in raw.host("/host").text
    del raw.seen[:]


def test_anonymous_owners_cannot_be_taken_by_a_name(raw):
    owner = raw.submit("english", "owner", words_replaced(WORSE))["owner"]
    assert re.fullmatch("anonymous [0-9a-f]{8}", owner)  # a name on the Hub has no space


# ---- reference trees ---------------------------------------------------------------------------


def test_reference_is_not_in_errors(raw):
    for rows in (["(S (A a))"] * 3, SECRET[:1], ["(S"] * 3, ["(S (A a) (B b)))"] * 3):
        rows = words_replaced(rows)
        assert send_file(raw, text(rows), "errors", "secret").status_code == 422
        assert raw.submit("secret", "errors", rows)["n_problems"]


def test_reference_is_not_on_pages_where_the_host_keeps_it(raw):
    done = raw.submit("secret", "secret", words_replaced(SECRET))
    assert done["state"] == "scored"
    page = raw.get(f"/system/{done['id']}").text
    assert "with the lowest scores" not in page
    assert "By label" not in page
    opened = raw.submit("open", "open", WORSE)["id"]
    assert "By label" in raw.get(f"/system/{opened}").text
    raw.get("/board?benchmark=secret")


def test_scores_have_few_digits(raw):
    """More would tell the score of a single sentence in a large benchmark."""
    row = raw.submit("english", "digits", WORSE)
    for key in (*StructIoU.MEASURES, *Parseval.MEASURES):
        assert row[key] == round(row[key], 4)
    assert row["interval"] == [round(value, 4) for value in row["interval"]]


# ---- the host ----------------------------------------------------------------------------------


def test_host_actions_need_the_token(raw, space):
    done = raw.submit("english", "kept", words_replaced(WORSE))
    stranger = SpaceClient(space.url, address="127.0.0.97", token=HOST_TOKEN[:-1])
    try:
        for action in ("hide", "delete", "re-score", "re-score all"):
            values = {"action": action, "id": done["id"], "confirmed": "1"}
            assert stranger.host("/host/act", values).status_code == 401
        assert stranger.host("/host/export").status_code == 401
    finally:
        stranger.close()
    assert raw.get(f"/api/submissions/{done['id']}").json()["state"] == "scored"


def test_guessing_shuts_out_only_the_guesser(space):
    guesser = SpaceClient(space.url, address="127.0.0.99", token="guess")
    host = SpaceClient(space.url, address="127.0.0.98", token=HOST_TOKEN)
    try:
        answers = [words_of(guesser.host("/host")) for _ in range(21)]
        assert "too many wrong tokens; try again in some minutes" in answers[-1]
        guesser.token = HOST_TOKEN
        assert guesser.host("/host").status_code == 401
        assert host.host("/host").status_code == 200
    finally:
        guesser.close()
        host.close()


def test_states_of_a_submission(raw):
    done = raw.submit("english", "states", words_replaced(WORSE))
    id_ = done["id"]

    def listed():
        return id_ in [row["id"] for row in raw.board("english")]

    assert listed()
    assert raw.act("hide", id_) == "hide: states"
    assert not listed()
    assert raw.get(f"/api/submissions/{id_}").json() == {"detail": "there is no such submission"}
    assert raw.get(f"/system/{id_}").status_code == 404
    again = raw.post(
        "/api/submissions",
        {"benchmark": "english", "system": "states", "files": {"x": text(words_replaced(WORSE))}},
    )
    assert again["id"] == id_
    assert not listed(), "what is hidden does not come back by submitting again"
    assert raw.act("show", id_) == "show: states"
    assert listed()
    assert raw.act("re-score", id_) == "re-score: states"
    assert listed()
    assert raw.act("delete", id_) == "delete: states"
    assert not listed()
    assert raw.act("restore", id_) == "restore: states"
    assert listed()
    for action in ("delete", "delete for good"):
        assert raw.act(action, id_) == f"{action}: states"
    for action in ("hide", "show", "delete", "re-score"):
        assert raw.act(action, id_) == "there is no such submission"
    del raw.seen[:]


def test_host_exports_and_imports(raw):
    def read(line):
        return raw.host("/host/import", files={"file": ("x.jsonl", f"{line}\n".encode())}).json()

    done = raw.submit("english", "exported", words_replaced(WORSE), contact="c")
    exported = raw.host("/host/export").text
    line = next(line for line in exported.split("\n") if f'"id": "{done["id"]}"' in line)
    assert json.loads(line)["contact"] == "c"
    for action in ("delete", "delete for good"):
        assert raw.act(action, done["id"]) == f"{action}: exported"
    assert read(line) == {"imported": 1, "known": 0}
    found = raw.get(f"/api/submissions/{done['id']}").json()
    assert found["struct_iou_sentence"] == done["struct_iou_sentence"]
    forged = line.replace('"link": ""', '"link": "javascript:x"')
    assert "line 1 is no exported submission: link: write an address" in read(forged)["detail"]
    del raw.seen[:]
