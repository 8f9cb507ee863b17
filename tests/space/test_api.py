"""The named endpoints through Gradio's own client, and `structiou submit`, against a real server."""

from __future__ import annotations

import gzip
import json
import socket

import pytest

from structiou_metric import StructIoU, struct_iou
from structiou_metric.commands import submit as submit_command
from structiou_metric.commands.main import main
from structiou_metric.metrics.parseval.metric import Parseval
from support.space_boards import REFERENCE, WORSE

ENDPOINTS = {
    "/score_pair",
    "/score_files",
    "/benchmarks",
    "/leaderboard",
    "/submit",
    "/submission",
    "/submit_files",
    "/make_team",
    "/withdraw",
}
PUBLIC = {"accepted", "id", "benchmark", "system", "state", "problem", "phase", "team", "late"}
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
    *StructIoU.MEASURES,
    *Parseval.MEASURES,
}
TELESCOPE = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (PRP it))))"


@pytest.fixture(scope="module")
def client(space):
    from gradio_client import Client

    client = Client(space.url, verbose=False, analytics_enabled=False, download_files=False)
    yield client
    client.close()


def text(rows):
    return "\n".join(rows) + "\n"


def submit(client, system, rows, benchmark="english", link="", contact=""):
    return client.predict(benchmark, system, text(rows), link, contact, api_name="/submit")


def test_only_the_endpoints_are_listed(client):
    listed = client.view_api(return_format="dict", print_info=False)
    assert set(listed["named_endpoints"]) == ENDPOINTS
    assert listed["unnamed_endpoints"] == {}


def test_score_pair(client):
    found = client.predict(TELESCOPE, TELESCOPE.replace("NP", "XP", 1), api_name="/score_pair")
    assert found["struct_iou"] == struct_iou(TELESCOPE, TELESCOPE.replace("NP", "XP", 1))
    assert found["signature"] == StructIoU().signature
    assert {"prediction", "reference", "iou"} <= set(found["pairs"][0])


def test_score_pair_with_options(client):
    times = "(S (A a<0,1>) (B b<1,2>))"
    found = client.predict(
        prediction=times,
        reference=times.replace("A", "C"),
        unit="time",
        labels="ignore",
        terminals="exclude",
        min_iou=0.25,
        drop="",
        api_name="/score_pair",
    )
    assert found["struct_iou"] == 1.0
    metric = StructIoU(unit="time", labels="ignore", terminals="exclude", min_iou=0.25, drop=[])
    assert found["signature"] == metric.signature


def test_score_pair_of_texts_that_differ(client):
    heard, said = "(S (NP we) (VP run))", "(S (NP we) (ADVP often) (VP run))"
    found = client.predict(heard, said, texts="aligned", api_name="/score_pair")
    assert found["struct_iou"] == pytest.approx(2 * 3 / (3 + 4))
    assert "|texts:aligned|" in found["signature"]


@pytest.mark.parametrize(
    "values, message",
    [
        pytest.param(["(S", TELESCOPE], "prediction:1:1: this '(' is never closed", id="tree"),
        pytest.param([TELESCOPE, "(S (A a))"], "prediction has 4 words and reference has 1 word", id="words"),
        pytest.param([TELESCOPE, 3], "reference must be a text", id="no text"),
        pytest.param([TELESCOPE, TELESCOPE, "yard"], "unknown unit 'yard'", id="unit"),
        pytest.param([TELESCOPE, TELESCOPE, ["word"]], "unknown unit", id="list"),
        pytest.param(
            [TELESCOPE, TELESCOPE, "word", "same", "exact", "strict", "x"],
            "min_iou must be a number",
            id="number",
        ),
        pytest.param(
            [TELESCOPE, TELESCOPE, "word", "same", "exact", "strict", 0.0, ["TOP"]],
            "drop must be labels",
            id="drop",
        ),
        pytest.param(
            ["(A " * 2001 + "w" + ")" * 2001, "(A w)"], "2,001 nodes; 2,000 are the most", id="deep"
        ),
        pytest.param(["x" * 100_001, "(A w)"], "100,001 characters", id="long"),
    ],
)
def test_score_pair_refuses(client, values, message):
    from gradio_client.exceptions import AppError

    with pytest.raises(AppError) as caught:
        client.predict(*values, api_name="/score_pair")
    assert message in str(caught.value)


def test_score_files(client):
    found = client.predict(text(WORSE), text(REFERENCE), api_name="/score_files", per_sentence=True)
    expected = StructIoU().corpus_score(WORSE, REFERENCE)
    assert found["struct_iou_sentence"] == expected.sentence
    assert found["struct_iou_corpus"] == expected.corpus
    assert [row["struct_iou"] for row in found["sentences"]] == expected.sentences.scores()
    assert "sentences" not in client.predict(text(WORSE), text(REFERENCE), api_name="/score_files")


def test_score_files_counts_bad_pairs_as_zero(client):
    found = client.predict(text(["(S", *WORSE[1:]]), text(REFERENCE), api_name="/score_files")
    assert found["n_zeroed"] == 1
    assert found["problems"][0]["index"] == 0


@pytest.mark.parametrize(
    "prediction, reference, message",
    [
        pytest.param(text(WORSE[:2]), text(REFERENCE), "2 trees", id="lengths"),
        pytest.param("", "", "no trees", id="nothing"),
        pytest.param(None, text(REFERENCE), "send the trees as text", id="no text"),
        pytest.param("(A " + "(A w)" * 2500 + ")\n", "(A w)\n", "a tree of more than 10,000 bytes", id="row"),
        pytest.param("\n" * 2_000_001, "(A w)\n", "more than 2,000,000 nodes or lines", id="lines"),
    ],
)
def test_score_files_refuses(client, prediction, reference, message):
    from gradio_client.exceptions import AppError

    with pytest.raises(AppError) as caught:
        client.predict(prediction, reference, api_name="/score_files")
    assert message in str(caught.value)


def test_benchmarks(client):
    english, opened, _ = client.predict(api_name="/benchmarks")
    fields = {"name", "title", "language", "description", "signatures", "rank_by", "rules"}
    task = {"parts", "teams", "citation", "licence", "phases", "announcements"}
    assert set(english) == fields | task
    assert (english["name"], opened["name"]) == ("english", "open")
    assert english["rank_by"] == "struct_iou_sentence"
    assert english["signatures"] == {
        "struct_iou": StructIoU(labels="base").signature,
        "parseval": Parseval().for_ranking().signature,
    }


def test_submit_then_ask(client):
    sent = submit(client, "api system", WORSE, link="https://example.org/paper", contact="me@example.org")
    assert set(sent) == PUBLIC | ROW | {"notices", "secret"}
    assert sent["notices"] == []
    assert sent["accepted"] is True
    assert sent["state"] == "scored"
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    assert sent["struct_iou_sentence"] == round(expected.sentence, 4)
    assert sent["interval"][0] <= sent["struct_iou_sentence"] <= sent["interval"][1]
    figures = {key: sent[key] for key in Parseval.MEASURES}
    scored = Parseval().corpus_score(WORSE, REFERENCE)
    assert figures == {key: round(scored.figures[key], 4) for key in Parseval.MEASURES}
    asked = client.predict(sent["id"], api_name="/submission")
    assert asked == {name: value for name, value in sent.items() if name not in ("accepted", "secret")}
    (row,) = [row for row in client.predict("english", api_name="/leaderboard") if row["id"] == sent["id"]]
    assert set(row) == ROW
    assert row["link"] == "https://example.org/paper"


def test_submit_refused_row_by_row(client):
    refused = submit(client, "refused", ["(S (A a", REFERENCE[1], "(S (A one))"])
    assert refused["accepted"] is False
    assert refused["n_problems"] == 2
    assert [problem["row"] for problem in refused["problems"]] == [1, 3]
    assert "file:3 has 1 word and reference:3 has 2 words" in refused["problems"][1]["message"]
    assert all(row["system"] != "refused" for row in client.predict("english", api_name="/leaderboard"))


@pytest.mark.parametrize(
    "name", ["none", "", "../english", "english/../english", None, ["english"], {"a": 1}, 3]
)
def test_unknown_benchmark(client, name):
    from gradio_client.exceptions import AppError

    for values, endpoint in (([name, "x", text(WORSE), "", ""], "/submit"), ([name], "/leaderboard")):
        with pytest.raises(
            AppError, match="there is no benchmark of that name; choose from english, open, secret"
        ):
            client.predict(*values, api_name=endpoint)


@pytest.mark.parametrize("name", ["none", "", "'; DROP TABLE submissions; --", None, ["x"], 7])
def test_unknown_submission(client, name):
    from gradio_client.exceptions import AppError

    with pytest.raises(AppError):
        client.predict(name, api_name="/submission")
    client.predict("english", api_name="/leaderboard")


# ---- structiou submit --------------------------------------------------------------------------


@pytest.fixture
def send(space, tmp_path, capsys):
    def send(data, *arguments, to=space.url, benchmark="english", system="command"):
        path = tmp_path / "trees.txt"
        path.write_bytes(data)
        options = ["--to", to, "--benchmark", benchmark, "--system", system, *arguments]
        code = main(["submit", str(path), *options])
        done = capsys.readouterr()
        return code, done.out, done.err

    return send


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_submit_command_tells_the_rank(send, pack):
    code, out, err = send(pack(text(REFERENCE).encode()), "--link", "https://example.org")
    assert (code, err) == (0, "")
    assert out.startswith("accepted as ")
    lines = dict(line.rsplit(None, 1) for line in out.splitlines()[1:])
    secret = lines.pop("secret, to replace or withdraw it, told only once:", "")
    assert len(secret) in (0, 32)
    struct_iou = ("sentence mean", "corpus level", "precision", "recall")
    figures = [*(f"STRUCT-IoU, {name}" for name in struct_iou), "ParsEval, F1", "ParsEval, precision"]
    assert lines == {"rank": "1", **dict.fromkeys([*figures, "ParsEval, recall"], "1.0000")}


def test_submit_command_json(send):
    code, out, _ = send(text(REFERENCE).encode(), "--json")
    assert code == 0
    assert set(json.loads(out)) - {"secret"} == PUBLIC | ROW | {"notices", "schema"}


def test_submit_command_replaces_with_the_secret(send, client, monkeypatch):
    first = json.loads(send(text(WORSE).encode(), "--json", system="mine")[1])
    other = json.loads(send(text(REFERENCE).encode(), "--json", system="mine")[1])
    assert other["owner"] != first["owner"], "a stranger at the same address is another one"
    again = json.loads(
        send(text(REFERENCE).encode(), "--json", "--secret", first["secret"], system="mine")[1]
    )
    assert (again["owner"], "secret" in again) == (first["owner"], False)
    board = client.predict("english", api_name="/leaderboard")
    assert [row["id"] for row in board if row["owner"] == first["owner"]] == [again["id"]]
    monkeypatch.setenv("STRUCTIOU_SECRET", "guessed")
    code, _, err = send(text(REFERENCE).encode(), system="mine")
    assert code == 1
    assert "this secret is nobody's here" in err


def test_submit_command_for_a_team(send, client, monkeypatch):
    key = client.predict("The Herons", api_name="/make_team")["key"]
    trees = text(WORSE).encode()
    sent = json.loads(send(trees, "--json", "--team", "The Herons", "--team-key", key)[1])
    assert sent["team"] == "The Herons"
    monkeypatch.setenv("STRUCTIOU_TEAM_KEY", key)
    assert json.loads(send(trees, "--json", "--team", "The Herons")[1])["team"] == "The Herons"
    monkeypatch.setenv("STRUCTIOU_TEAM_KEY", "guessed")
    code, out, err = send(trees, "--team", "The Herons")
    assert (code, out) == (1, "")
    assert "key" in err
    assert send(trees, "--team-key", key)[2].endswith("say which by --team\n")


def test_withdraw_needs_the_secret(client):
    from gradio_client.exceptions import AppError

    sent = submit(client, "withdrawn", WORSE)
    for secret in ("", "guessed"):
        with pytest.raises(AppError):
            client.predict(sent["id"], secret, api_name="/withdraw")
    gone = client.predict(sent["id"], sent["secret"], api_name="/withdraw")
    assert gone == {"id": sent["id"], "system": "withdrawn", "withdrawn": True}
    assert sent["id"] not in [row["id"] for row in client.predict("english", api_name="/leaderboard")]


def test_submit_command_tells_notices(send):
    assert "notice" not in send(text(REFERENCE).encode())[1]
    code, out, _ = send(text([tree.replace("dog", "cat") for tree in REFERENCE]).encode())
    assert code == 0
    assert "\nnotice: 1 of 3 rows: as many words on both sides, but not the same words;" in out


def test_scores_tell_notices(client):
    other = [tree.replace("dog", "cat") for tree in REFERENCE]
    found = client.predict(text(other), text(REFERENCE), api_name="/score_files")
    assert [(notice["kind"], notice["count"], notice["rows"]) for notice in found["notices"]] == [
        ("words", 1, [0])
    ]
    pair = client.predict(other[0], REFERENCE[0], api_name="/score_pair")
    assert [notice["kind"] for notice in pair["notices"]] == ["words"]


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
        pytest.param(
            {"to": "http://127.0.0.1:9"}, "http://127.0.0.1:9 cannot be reached: ", id="unreachable"
        ),
        pytest.param({"to": "not a space"}, "not a space cannot be reached: ", id="no space"),
    ],
)
def test_submit_command_fails_in_one_line(send, options, message):
    code, out, err = send(text(REFERENCE).encode(), **options)
    assert (code, out) == (1, "")
    assert err.startswith("structiou: ")
    assert message in err
    assert "Traceback" not in err


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


@pytest.mark.parametrize("answer", [None, 3, [], {}, {"accepted": True}, {"accepted": False}, "\x1b[2J"])
def test_submit_command_of_another_app(send, monkeypatch, answer):
    monkeypatch.setattr(submit_command, "_call", lambda *values: answer)
    code, _, err = send(text(REFERENCE).encode())
    assert code == 1
    assert "is no leaderboard of this kind" in err


def test_submit_command_shows_no_control_characters(send, monkeypatch):
    answer = {"accepted": False, "n_problems": 1, "problems": [{"row": 1, "message": "a\x1b[2Jb\nc"}]}
    monkeypatch.setattr(submit_command, "_call", lambda *values: answer)
    code, _, err = send(text(REFERENCE).encode())
    assert code == 1
    assert "\x1b" not in err
    assert "row 1: a" in err
