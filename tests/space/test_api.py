"""The interface for programs, and `structiou submit`, against a real server."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from structiou_metric import StructIoU, struct_iou
from structiou_metric.commands.main import main
from structiou_metric.metrics.parseval.metric import Parseval
from support.space_boards import REFERENCE, WORSE
from support.space_client import text

PUBLIC = {"accepted", "durability", "id", "benchmark", "system", "state", "problem", "phase", "team", "late"}
ROW = {
    "rank",
    "group",
    "interval",
    "interval_method",
    "id",
    "system",
    "owner",
    "link",
    "received",
    "n_empty",
    "team",
    "phase",
    "late",
    "old",
    "digits",
    *StructIoU.MEASURES,
    *Parseval.MEASURES,
}
TELESCOPE = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (PRP it))))"


def pair(client, prediction, reference, **options):
    body = {"prediction": prediction, "reference": reference, "options": options}
    return client.post("/api/pairs", body)


def files(client, predictions, references, **more):
    return client.post("/api/files", {"predictions": predictions, "references": references, **more})


def test_every_address_is_described(raw):
    paths = set(raw.get("/api/openapi.json").json()["paths"])
    assert {path for path in paths if path.startswith("/api/")} == {
        "/api/benchmarks",
        "/api/files",
        "/api/pairs",
        "/api/submissions",
        "/api/submissions/{id_}",
        "/api/submissions/{id_}/withdraw",
        "/api/teams",
    }


def test_score_pair(raw):
    found = pair(raw, TELESCOPE, TELESCOPE.replace("NP", "XP", 1))
    assert found["struct_iou"] == struct_iou(TELESCOPE, TELESCOPE.replace("NP", "XP", 1))
    assert found["signature"] == StructIoU().signature
    assert {"prediction", "reference", "iou"} <= set(found["pairs"][0])


def test_score_pair_with_options(raw):
    times = "(S (A a<0,1>) (B b<1,2>))"
    options = {"unit": "time", "labels": "ignore", "terminals": "exclude", "min_iou": 0.25, "drop": ""}
    found = pair(raw, times, times.replace("A", "C"), **options)
    assert found["struct_iou"] == 1.0
    assert found["signature"] == StructIoU(**{**options, "drop": []}).signature


def test_score_pair_of_texts_that_differ(raw):
    found = pair(raw, "(S (NP we) (VP run))", "(S (NP we) (ADVP often) (VP run))", texts="aligned")
    assert found["struct_iou"] == pytest.approx(2 * 3 / (3 + 4))
    assert "|texts:aligned|" in found["signature"]


@pytest.mark.parametrize(
    "values, message",
    [
        pytest.param(["(S", TELESCOPE], "prediction, line 1, column 1: this '(' is never closed", id="tree"),
        pytest.param([TELESCOPE, "(S (A a))"], "prediction has 4 words and reference has 1 word", id="words"),
        pytest.param([TELESCOPE, 3], "reference: Input should be a valid string", id="no text"),
        pytest.param([TELESCOPE, TELESCOPE, {"unit": "yard"}], "unknown unit 'yard'", id="unit"),
        pytest.param([TELESCOPE, TELESCOPE, {"unit": ["word"]}], "options.unit", id="list"),
        pytest.param([TELESCOPE, TELESCOPE, {"min_iou": "x"}], "min_iou must be a number", id="number"),
        pytest.param([TELESCOPE, TELESCOPE, {"drop": True}], "drop must be labels", id="drop"),
        pytest.param(
            ["(A " * 2001 + "w" + ")" * 2001, "(A w)"], "2,001 nodes; 2,000 are the most", id="deep"
        ),
        pytest.param(["x" * 100_001, "(A w)"], "100,001 characters", id="long"),
    ],
)
def test_score_pair_refuses(raw, values, message):
    prediction, reference, *options = values
    body = {"prediction": prediction, "reference": reference, "options": options[0] if options else {}}
    answer = raw.send("POST", "/api/pairs", json=body)
    assert answer.status_code == 422
    assert message in answer.json()["detail"]


def test_unknown_fields_are_refused_and_not_repeated(raw):
    answer = raw.send("POST", "/api/teams", json={"name": "x", "label": "whisper"})
    assert answer.status_code == 422
    assert "label: Extra inputs are not permitted" in answer.text
    assert "whisper" not in answer.text


def test_score_files(raw):
    found = files(raw, text(WORSE), text(REFERENCE), per_sentence=True)
    expected = StructIoU().corpus_score(WORSE, REFERENCE)
    assert found["struct_iou_sentence"] == expected.sentence
    assert found["struct_iou_corpus"] == expected.corpus
    assert [row["struct_iou"] for row in found["sentences"]] == expected.sentences.scores()
    assert "sentences" not in files(raw, text(WORSE), text(REFERENCE))


def test_score_files_counts_bad_pairs_as_zero(raw):
    found = files(raw, text(["(S", *WORSE[1:]]), text(REFERENCE))
    assert found["n_zeroed"] == 1
    assert found["problems"][0]["index"] == 0


@pytest.mark.parametrize(
    "prediction, reference, message",
    [
        pytest.param(text(WORSE[:2]), text(REFERENCE), "2 trees", id="lengths"),
        pytest.param("", "", "no trees", id="nothing"),
        pytest.param("(A " + "(A w)" * 2500 + ")\n", "(A w)\n", "a tree of more than 10,000 bytes", id="row"),
        pytest.param("\n" * 2_000_001, "(A w)\n", "more than 2,000,000 nodes or lines", id="lines"),
    ],
)
def test_score_files_refuses(raw, prediction, reference, message):
    assert message in files(raw, prediction, reference)


def test_benchmarks(raw):
    english, opened, _ = raw.get("/api/benchmarks").json()
    fields = {"name", "title", "language", "description", "signatures", "rank_by", "rules"}
    task = {"parts", "teams", "citation", "licence", "phases", "announcements"}
    assert set(english) == fields | task
    assert (english["name"], opened["name"]) == ("english", "open")
    assert english["rank_by"] == "struct_iou_sentence"
    assert english["signatures"] == {
        "struct_iou": StructIoU(labels="base").signature,
        "parseval": Parseval().for_ranking().signature,
    }


def test_submit_then_ask(raw):
    sent = raw.submit(
        "english", "api system", WORSE, link="https://example.org/paper", contact="me@example.org"
    )
    assert set(sent) == PUBLIC | ROW | {"warnings", "secret"}
    assert sent["warnings"] == []
    assert sent["accepted"] is True
    assert sent["state"] == "scored"
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    assert sent["struct_iou_sentence"] == round(expected.sentence, 4)
    assert sent["interval"][0] <= sent["struct_iou_sentence"] <= sent["interval"][1]
    figures = {key: sent[key] for key in Parseval.MEASURES}
    scored = Parseval().corpus_score(WORSE, REFERENCE)
    assert figures == {key: round(scored.figures[key], 4) for key in Parseval.MEASURES}
    asked = raw.get(f"/api/submissions/{sent['id']}").json()
    assert asked == {name: value for name, value in sent.items() if name not in ("accepted", "secret")}
    (row,) = [row for row in raw.board("english") if row["id"] == sent["id"]]
    assert set(row) == ROW
    assert row["link"] == "https://example.org/paper"


def test_submit_refused_row_by_row(raw):
    refused = raw.submit("english", "refused", ["(S (A a", REFERENCE[1], "(S (A one))"])
    assert refused["n_problems"] == 2
    assert [problem["row"] for problem in refused["problems"]] == [1, 3]
    assert "file:3 has 1 word and reference:3 has 2 words" in refused["problems"][1]["message"]
    assert all(row["system"] != "refused" for row in raw.board("english"))


@pytest.mark.parametrize("name", ["none", "..", "<script>"])
def test_unknown_benchmark(raw, name):
    message = "there is no benchmark of that name; choose from english, open, secret"
    assert raw.submit(name, "x", WORSE) == message
    answer = raw.get(f"/table/{name.replace('/', '%2f')}.json")
    assert answer.status_code == 404


@pytest.mark.parametrize("name", ["none", "'; DROP TABLE submissions; --", "%00"])
def test_unknown_submission(raw, name):
    answer = raw.get(f"/api/submissions/{name}")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "there is no such submission"}
    raw.board("english")


# ---- structiou submit --------------------------------------------------------------------------


@pytest.fixture
def send(space, tmp_path, capsys):
    def send(data, *arguments, to=space.url, benchmark="english", system="command"):
        path = tmp_path / "trees.txt"
        path.write_bytes(data)
        options = ["--to", to, "--benchmark", benchmark, "--system", system, *arguments]
        return run(["submit", str(path), *options])

    def run(words):
        code = main(words)
        done = capsys.readouterr()
        return code, done.out, done.err

    send.run = run
    return send


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_submit_command_reports_the_rank(send, pack):
    code, out, err = send(pack(text(REFERENCE).encode()), "--link", "https://example.org")
    assert (code, err) == (0, "")
    assert out.startswith("accepted as ")
    lines = dict(line.rsplit(None, 1) for line in out.splitlines()[1:])
    secret = lines.pop("secret, to replace or withdraw it, shown only once:", "")
    assert len(secret) in (0, 32)
    struct_iou = ("sentence mean", "corpus level", "precision", "recall")
    figures = [*(f"STRUCT-IoU, {name}" for name in struct_iou), "ParsEval, F1", "ParsEval, precision"]
    assert lines == {"rank": "1", **dict.fromkeys([*figures, "ParsEval, recall"], "1.0000")}


def test_submit_command_json(send):
    code, out, _ = send(text(REFERENCE).encode(), "--json")
    assert code == 0
    assert set(json.loads(out)) - {"secret"} == PUBLIC | ROW | {"warnings", "schema"}


def test_submit_command_shows_the_digits_of_the_grid(send):
    rows = ["(S (NP (DT a) (NN b)) (VP (VBD c)))", *WORSE[1:]]
    code, out, _ = send(text(rows).encode(), benchmark="secret")
    assert code == 0
    [figure] = [line.split()[-1] for line in out.splitlines() if line.startswith("STRUCT-IoU, sentence mean")]
    assert len(figure) == len("0.1"), "three sentences justify a step of 0.1"


def test_submit_command_replaces_and_withdraws_with_the_secret(send, raw, space, monkeypatch):
    first = json.loads(send(text(WORSE).encode(), "--json", system="mine")[1])
    other = json.loads(send(text(REFERENCE).encode(), "--json", system="mine")[1])
    assert other["owner"] != first["owner"], "a stranger at the same address is another one"
    again = json.loads(
        send(text(REFERENCE).encode(), "--json", "--secret", first["secret"], system="mine")[1]
    )
    assert (again["owner"], "secret" in again) == (first["owner"], False)

    def shown():
        return [row["id"] for row in raw.board("english") if row["owner"] == first["owner"]]

    assert shown() == [again["id"]]
    take_off = ["submit", "--to", space.url, "--withdraw", again["id"]]
    monkeypatch.setenv("STRUCTIOU_SECRET", "guessed")
    code, _, err = send(text(REFERENCE).encode(), system="mine")
    assert code == 1
    assert "this secret is unknown here" in err
    assert send.run(take_off)[0] == 1
    monkeypatch.setenv("STRUCTIOU_SECRET", first["secret"])
    assert send.run(take_off) == (0, "withdrawn: mine\n", "")
    assert shown() == [first["id"]], "the one before it counts again"
    assert send.run([*take_off, "--undo"]) == (0, "back on the board: mine\n", "")
    assert shown() == [again["id"]]


def test_submit_command_for_a_team(send, space, monkeypatch):
    code, out, _ = send.run(["submit", "--to", space.url, "--make-team", "The Herons"])
    assert code == 0
    name, key = (line.rpartition(" ")[2] for line in out.splitlines())
    assert (name, len(key)) == ("Herons", 32)
    trees = text(WORSE).encode()
    sent = json.loads(send(trees, "--json", "--team", "The Herons", "--team-key", key)[1])
    assert sent["team"] == "The Herons"
    monkeypatch.setenv("STRUCTIOU_TEAM_KEY", key)
    assert json.loads(send(trees, "--json", "--team", "The Herons")[1])["team"] == "The Herons"
    monkeypatch.setenv("STRUCTIOU_TEAM_KEY", "guessed")
    code, out, err = send(trees, "--team", "The Herons")
    assert (code, out) == (1, "")
    assert "key" in err
    assert send(trees, "--team-key", key)[2].endswith("name the team by --team\n")


def test_withdraw_needs_the_secret(raw):
    sent = raw.submit("english", "withdrawn", WORSE)
    path = f"/api/submissions/{sent['id']}/withdraw"
    for key in ("", "guessed"):
        assert raw.send("POST", path, json={"key": key}).status_code == 403
    gone = raw.post(path, {"key": sent["secret"]})
    assert gone == {"id": sent["id"], "system": "withdrawn", "withdrawn": True}
    assert sent["id"] not in [row["id"] for row in raw.board("english")]


def test_submit_command_shows_warnings(send):
    assert "warning" not in send(text(REFERENCE).encode())[1]
    code, out, _ = send(text([tree.replace("dog", "cat") for tree in REFERENCE]).encode())
    assert code == 0
    assert "\nwarning: 1 of 3 rows: the same number of words on both sides, but different words;" in out


def test_scores_have_warnings(raw):
    other = [tree.replace("dog", "cat") for tree in REFERENCE]
    found = files(raw, text(other), text(REFERENCE))
    assert [(warning["kind"], warning["count"], warning["rows"]) for warning in found["warnings"]] == [
        ("words", 1, [0])
    ]
    assert [warning["kind"] for warning in pair(raw, other[0], REFERENCE[0])["warnings"]] == ["words"]


def test_submit_command_refused_with_rows(send):
    code, out, err = send(text(["(S (A a", *REFERENCE[1:]]).encode())
    assert (code, out) == (1, "")
    assert "trees.txt was not accepted, and does not count:" in err
    assert "\nrow 1: file:1:4: this '(' is never closed" in err


@pytest.mark.parametrize(
    "options, message",
    [
        pytest.param({"benchmark": "none"}, "there is no benchmark of that name", id="benchmark"),
        pytest.param({"system": " "}, "name of the system: it is missing", id="system"),
        pytest.param({"to": "http://127.0.0.1:9"}, "cannot be reached: ", id="unreachable"),
        pytest.param({"to": "not a space"}, "--to not a space: give a Space", id="no space"),
        pytest.param({"to": "file:///etc/passwd"}, "give a Space", id="file"),
    ],
)
def test_submit_command_fails_in_one_line(send, options, message):
    code, out, err = send(text(REFERENCE).encode(), **options)
    assert (code, out) == (1, "")
    assert err.startswith("structiou: ")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["PREDICTION", "--benchmark", "--system"])
def test_submit_command_names_what_is_missing(send, space, tmp_path, name):
    path = tmp_path / "x.txt"
    path.write_text(text(REFERENCE), "utf-8")
    words = {"PREDICTION": [str(path)], "--benchmark": ["--benchmark", "x"], "--system": ["--system", "x"]}
    del words[name]
    code, _, err = send.run(
        ["submit", "--to", space.url, *(word for part in words.values() for word in part)]
    )
    assert code == 1
    assert f"{name} is missing" in err


def test_submit_command_not_utf8(send):
    code, _, err = send("(S (A é))".encode("latin-1"))
    assert code == 1
    assert "byte 0xe9 is not UTF-8" in err


def test_submit_command_of_a_server_that_hangs_up(send):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))  # nobody listens
        code, _, err = send(text(REFERENCE).encode(), to=f"http://127.0.0.1:{server.getsockname()[1]}")
    assert code == 1
    assert "cannot be reached" in err


@pytest.fixture
def stranger():
    """A server that answers every request with the same text."""

    class Handler(BaseHTTPRequestHandler):
        status, answer = 200, b""

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(Handler.status)
            self.end_headers()
            self.wfile.write(Handler.answer)

        def log_message(self, *values):
            """Write nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Handler.url = f"http://127.0.0.1:{server.server_port}"
    yield Handler
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("status", [200, 422])
@pytest.mark.parametrize("answer", [b"", b"null", b"3", b"[]", b"{}", b"<html>", b'{"id": 3}', b"\xff"])
def test_submit_command_of_another_app(send, stranger, status, answer):
    stranger.status, stranger.answer = status, answer
    code, out, err = send(text(REFERENCE).encode(), to=stranger.url)
    assert (code, out) == (1, "")
    assert err.startswith("structiou: ")
    assert "Traceback" not in err


def test_submit_command_shows_no_control_characters(send, stranger):
    problems = {"detail": "x", "n_problems": 1, "problems": [{"row": 1, "message": "a\x1b[2Jb\nc"}]}
    stranger.status, stranger.answer = 422, json.dumps(problems).encode()
    code, _, err = send(text(REFERENCE).encode(), to=stranger.url)
    assert code == 1
    assert "\x1b" not in err
    assert "row 1: a" in err


def test_several_files(tmp_path, capsys):
    """A benchmark of two parts takes two files, which are named after them."""
    from support.space_boards import DESCRIPTION, write_benchmark
    from support.space_server import SpaceServer

    parts = DESCRIPTION.replace('reference = "gold.txt"\n', "") + '\n[reference]\nnews = "gold.txt"\n'
    folder = write_benchmark(tmp_path / "benchmarks", "both", parts + 'talk = "talk.txt"\n')
    (folder / "talk.txt").write_text(text(REFERENCE[:1]), "utf-8")
    for name, rows in (("news", WORSE), ("talk", REFERENCE[:1])):
        (tmp_path / f"{name}.parsed.txt").write_text(text(rows), "utf-8")
    server = SpaceServer(tmp_path / "data", tmp_path / "benchmarks")
    try:
        server.start()
        paths = [str(tmp_path / f"{name}.parsed.txt") for name in ("talk", "news")]
        words = ["--to", server.url, "--benchmark", "both", "--system", "s", "--json"]
        assert main(["submit", *paths, *words]) == 0
        found = json.loads(capsys.readouterr().out)
        news = StructIoU(labels="base").corpus_score(WORSE, REFERENCE).sentence
        assert found["struct_iou_sentence"] == round((news + 1.0) / 2, 4)
        assert set(found["parts"]) == {"news", "talk"}
        assert main(["submit", paths[0], *words]) == 1
        assert "this benchmark takes 2 files, one for each of news, talk" in capsys.readouterr().err
        assert main(["submit", paths[0], paths[0], *words]) == 1
        assert "two files are called talk" in capsys.readouterr().err
    finally:
        server.kill()
