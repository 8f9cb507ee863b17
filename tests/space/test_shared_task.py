"""A whole shared task, played through against a real server whose clock the test sets."""

from __future__ import annotations

import pytest

from leaderboard.records import Teams
from leaderboard.store import Store
from structiou_metric import StructIoU
from support.process import wait_until
from support.space_boards import HOST_TOKEN, REFERENCE, WORSE, write_benchmark
from support.space_client import SpaceClient, words_of
from support.space_server import SpaceServer

HIDDEN_TREES = [
    "(S (NP (DT a) (NN cat)) (VP (VBD saw) (NP (PRP us))))",
    "(S (NP (PRP they)) (VP (VBP sing)))",
    "(S (NP (NN snow)) (VP (VBD fell) (ADVP (RB here))))",
    "(S (NP (PRP you)) (VP (VBP know) (NP (PRP him))))",
]
# Going down, each loses something more of the trees above.
TEST_GOOD = [HIDDEN_TREES[0].replace("VP", "XP"), *HIDDEN_TREES[1:]]
TEST_FAIR = [TEST_GOOD[0], HIDDEN_TREES[1].replace("VP", "XP"), *HIDDEN_TREES[2:]]
TEST_BAD = [*TEST_FAIR[:2], HIDDEN_TREES[2].replace("VP", "XP"), "()"]
TASK = """
title = "Shared task"
language = "English"
description = "Two phases."
reference = "gold.txt"
teams = true
citation = "@misc{task2026}"
licence = "CC BY 4.0"
time_zone = "AoE"
gold = { public = true }

[metrics.parseval]
parameters = "collins"

[metrics.struct_iou]
labels = "base"

[[phases]]
name = "dev"
title = "Development"
opens = 2026-09-01
closes = 2026-09-30
per_day = 2

[[phases]]
name = "test"
title = "Test"
opens = 2026-10-01T12:00:00
closes = 2026-10-08
scores_from = 2026-10-15T00:00:00
reference = "hidden.txt"
per_day = 2
in_total = 3
late = true
"""
TEAMS = ("Alpha", "Beta", "Gamma")


def text(rows):
    return "\n".join(rows) + "\n"


def score(rows, references):
    """What the metric itself says, as the board rounds it."""
    return round(StructIoU(labels="base").corpus_score(rows, references).sentence, 4)


class Task:
    """The server, its clock, and what a submitter or a host does."""

    def __init__(self, folder, benchmarks, clock):
        self.clock = clock
        self.server = SpaceServer(
            folder / "data",
            benchmarks,
            ADMIN_TOKEN=HOST_TOKEN,
            DAILY_PER_ADDRESS=100,
            CLOCK=clock,
        )
        self.server.start()
        self.client = SpaceClient(self.server.url, token=HOST_TOKEN)
        self.keys = {}

    def at(self, time):
        self.clock.write_text(time, "utf-8")

    def submit(self, team, system, rows, phase="", key=None):
        """What the server answers, an error as a text."""
        key = self.keys.get(team) if key is None else key
        return self.client.submit(f"task/{phase}", system, rows, team=team, team_key=key or "")

    def withdraw(self, id_, key):
        return self.client.post(f"/api/submissions/{id_}/withdraw", {"key": key})

    def table(self, query=""):
        return self.client.get(f"/table/task.json{query}").json()

    def ranks(self, query=""):
        return [
            (row["rank"], row["team"], row["system"], row["struct_iou_sentence"])
            for row in self.table(query)["entries"]
        ]


@pytest.fixture
def benchmarks(tmp_path):
    folder = tmp_path / "benchmarks"
    path = write_benchmark(folder, "task", TASK)
    (path / "hidden.txt").write_text(text(HIDDEN_TREES), "utf-8")
    return folder


@pytest.fixture
def start(tmp_path, benchmarks):
    """Starts servers, each with a data folder of its own and the same clock."""
    clock = tmp_path / "clock.txt"
    clock.write_text("2026-08-01T00:00:00Z", "utf-8")
    started = []

    def start(name):
        started.append(Task(tmp_path / name, benchmarks, clock))
        return started[-1]

    yield start
    for task in started:
        task.client.close()
        task.server.kill()


def test_shared_task(start):
    task = start("first")

    # Before it begins.
    task.keys = {team: task.client.post("/api/teams", {"name": team})["key"] for team in TEAMS}
    for team in TEAMS:  # they share an address, and nobody can sign in here
        Teams(Store(task.server.data / "leaderboard.sqlite3")).vouch(team)
    assert "looks like 'Alpha', which is taken" in task.client.post("/api/teams", {"name": "alpha"})
    assert "Development: opens 2026-09-01 00:00 AoE" in task.submit("Alpha", "parser", WORSE)

    # Development: scores are seen at once; two submissions a day for a team.
    task.at("2026-09-02T12:00:00Z")
    assert "not the key of a team" in task.submit("Alpha", "parser", WORSE, key=task.keys["Beta"])
    assert "not the key of a team" in task.submit("", "parser", WORSE)
    first = task.submit("Alpha", "parser", WORSE)
    assert (first["phase"], first["team"], first["rank"]) == ("dev", "Alpha", 1)
    assert first["struct_iou_sentence"] == score(WORSE, REFERENCE)
    assert task.submit("Beta", "parser", REFERENCE)["rank"] == 1
    assert task.submit("Alpha", "parser", ["()", *WORSE[1:]])["accepted"]
    refused = "2 submissions to dev in 24 hours are the most for a team"
    assert refused in task.submit("Alpha", "parser", ["()", "()", WORSE[2]])
    assert task.submit("Gamma", "tree maker", ["()", "()", REFERENCE[2]])["accepted"]
    assert task.ranks() == [
        (1, "Beta", "parser", 1.0),
        (2, "Alpha", "parser", score(["()", *WORSE[1:]], REFERENCE)),
        (3, "Gamma", "tree maker", score(["()", "()", REFERENCE[2]], REFERENCE)),
    ]
    task.at("2026-09-03T12:00:01Z")
    again = task.submit("Alpha", "parser", REFERENCE)
    assert again["accepted"]
    assert again["rank"] == 1
    dev = task.ranks("?phase=dev")
    assert [row[:3] for row in dev] == [
        (1, "Beta", "parser"),
        (1, "Alpha", "parser"),
        (3, "Gamma", "tree maker"),
    ]

    # Test: nobody sees scores, on any page or address.
    task.at("2026-10-02T01:00:00Z")  # two hours after it opened at noon, anywhere on Earth
    assert "Development takes no submissions now: closed 2026-10-01 00:00 AoE" in task.submit(
        "Alpha", "parser", WORSE, "dev"
    )
    n_seen = len(task.client.seen)
    entered = {
        "Alpha": task.submit("Alpha", "parser", TEST_FAIR),
        "Beta": task.submit("Beta", "parser", TEST_BAD),
        "Gamma": task.submit("Gamma", "tree maker", HIDDEN_TREES),
    }
    assert {answer["phase"] for answer in entered.values()} == {"test"}
    assert {answer["state"] for answer in entered.values()} == {"scored"}
    assert {answer["hidden_until"] for answer in entered.values()} == {"2026-10-15 00:00 AoE"}
    assert task.table() == {
        "benchmark": "task",
        "phase": "test",
        "late": False,
        "hidden_until": "2026-10-15 00:00 AoE",
        "entries": [],
    }
    ids = {team: answer["id"] for team, answer in entered.items()}
    client = task.client
    assert "hidden_until" in client.get(f"/api/submissions/{ids['Alpha']}").json()
    assert client.get("/table/task.csv?phase=test").text.count("\n") == 1, "the heading alone"
    assert "Scores are shown from 2026-10-15" in client.get("/table/task?phase=test").text
    assert "scores from 2026-10-15" in client.get(f"/badge/{ids['Alpha']}.svg").text
    answer = client.get(f"/compare?system={ids['Alpha']}&system={ids['Beta']}")
    assert answer.status_code == 404
    assert "there are no scores to be seen of it yet" in answer.text
    board = words_of(client.get("/board?benchmark=task/test"))
    assert "Scores of this phase are shown from 2026-10-15" in board
    assert "Scores are shown from 2026-10-15 00:00 AoE on." in words_of(client.get(f"/system/{ids['Alpha']}"))
    assert client.get("/metrics").status_code == 200
    seen = "".join(client.seen[n_seen:])
    for rows in (TEST_FAIR, TEST_BAD):
        assert str(score(rows, HIDDEN_TREES)) not in seen
    # The host sees them.
    assert f"{score(TEST_FAIR, HIDDEN_TREES):.4f}" in client.host("/host").text

    # Three in the whole phase, whatever becomes of them.
    assert task.submit("Alpha", "parser", TEST_BAD)["accepted"]
    task.at("2026-10-04T01:00:00Z")
    assert task.submit("Alpha", "parser", TEST_GOOD)["accepted"]
    assert "3 submissions to test in all are the most for a team" in task.submit(
        "Alpha", "parser", HIDDEN_TREES
    )

    # Gamma withdraws; the phase closes; Beta is late.
    assert "not the key of a team" in task.withdraw(ids["Gamma"], task.keys["Beta"])
    gone = task.withdraw(ids["Gamma"], task.keys["Gamma"])
    assert gone == {"id": ids["Gamma"], "system": "tree maker", "withdrawn": True}
    assert "scored, withdrawn" in client.host("/host").text
    task.at("2026-10-10T00:00:00Z")
    late = task.submit("Beta", "parser", HIDDEN_TREES)
    assert late["late"] is True

    # All is told.
    task.at("2026-10-15T12:00:00Z")
    assert task.ranks("?phase=test") == [
        (1, "Alpha", "parser", score(TEST_GOOD, HIDDEN_TREES)),
        (2, "Beta", "parser", score(TEST_BAD, HIDDEN_TREES)),
    ]
    assert task.ranks("?phase=test&late=1") == [(1, "Beta", "parser", 1.0)]
    assert task.ranks("?phase=dev") == dev
    assert client.get(f"/api/submissions/{ids['Gamma']}").json()["detail"] == "there is no such submission"
    assert "2 of 2" in words_of(client.get(f"/system/{ids['Beta']}"))
    page = client.get("/table/task").text
    assert "Shared task, Test" in page
    assert "hidden_until" not in page

    # The same board on another machine.
    queries = ("?phase=dev", "?phase=test", "?phase=test&late=1")
    wait_until(
        lambda: None not in {row["group"] for query in queries for row in task.table(query)["entries"]}
    )
    boards = [task.table(query) for query in queries]
    exported = client.host("/host/export").text
    assert client.http.get("/host/export").status_code == 401
    other = start("second")
    file = {"file": ("export.jsonl", exported.encode())}
    assert other.client.http.post("/host/import", files=file).status_code == 401
    answer = other.client.host("/host/import", files=file)
    assert answer.json() == {"imported": 11, "known": 0}  # 5 and 5, and one that is late
    wait_until(lambda: [other.table(query) for query in queries] == boards)  # groups are found again
    other.keys = task.keys
    assert other.submit("Beta", "late parser", TEST_GOOD)["late"] is True
    assert other.client.act("restore", ids["Gamma"]) == "restore: tree maker"
    assert other.ranks("?phase=test")[0] == (1, "Gamma", "tree maker", 1.0)
