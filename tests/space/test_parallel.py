"""Many at once, and a server that is killed while it works: nothing accepted is lost or doubled."""

from __future__ import annotations

import re
import secrets
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random
from zlib import crc32

import pytest

from leaderboard.store import Store
from structiou_metric import StructIoU
from support.process import PATIENCE
from support.space_boards import REFERENCE, write_benchmark
from support.space_client import SpaceClient
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow

CLIENTS = 50
TREES = REFERENCE * 10


def guess(number):
    """Another file for each number, the more wrong the greater it is."""
    random = Random(number)
    rows = random.sample(range(len(TREES)), number // 2)
    return [re.sub(r"\((NP|VP) ", "(X ", tree) if row in rows else tree for row, tree in enumerate(TREES)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parallel")
    write_benchmark(folder / "benchmarks", "english", trees=TREES)
    server = SpaceServer(
        folder / "data", folder / "benchmarks", DAILY_PER_USER=10_000, DAILY_PER_ADDRESS=10_000
    )
    try:
        server.start()
        yield server
    finally:
        server.kill()


def ask(server, call, address=None):
    """Return the answer to a visitor of its own, who comes from anywhere."""
    address = address or f"127.0.{secrets.randbelow(50)}.{1 + secrets.randbelow(250)}"
    client = SpaceClient(server.url, address=address)
    try:
        return call(client)
    finally:
        client.close()


def submit(server, number, system=None):
    """Submit and wait for the score; every system comes from an address of its own, and always from that."""
    system = system or f"system {number}"
    name, _, place = system.rpartition(" ")
    address = f"127.{1 + crc32(name.encode()) % 250}.60.{1 + int(place) if place.isdecimal() else 0}"
    return ask(server, lambda client: client.submit("english", system, guess(number)), address)


def check_database(server):
    """The file is whole, and every submission has its upload; returns the submissions by system."""
    with sqlite3.connect(server.data / "leaderboard.sqlite3") as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    db.close()
    store = Store(server.data / "leaderboard.sqlite3")
    found = store.all()
    for item in found:
        assert store.upload(item.id).startswith(b"(S ")
        assert (store.result(item.id) is not None) == (item.state == "scored")
    systems = {item.system: item for item in found}
    assert len(systems) == len(found)
    return systems


def expected_scores(numbers):
    metric = StructIoU(labels="base")
    return {number: round(metric.corpus_score(guess(number), TREES).sentence, 4) for number in numbers}


def test_there_is_no_host_page_without_a_token(server):
    for path in ("/host", "/host/export"):
        answer = ask(server, lambda client, path=path: client.get(path))
        assert answer.status_code == 404
        assert "set STRUCTIOU_ADMIN_TOKEN to have them" in answer.text


def test_50_at_once_are_recorded_once_and_ranked(server):
    barrier = threading.Barrier(CLIENTS)

    def run(number):
        barrier.wait()
        return submit(server, number)

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(run, range(CLIENTS)))
    assert [answer["state"] for answer in answers] == ["scored"] * CLIENTS
    assert len({answer["id"] for answer in answers}) == CLIENTS
    scores = expected_scores(range(CLIENTS))
    assert [answer["struct_iou_sentence"] for answer in answers] == list(scores.values())
    assert set(check_database(server)) == {f"system {number}" for number in range(CLIENTS)}
    board = ask(server, lambda client: client.board("english"))
    assert len(board) == CLIENTS
    for row in board:
        number = int(row["system"].removeprefix("system "))
        assert row["struct_iou_sentence"] == scores[number]
        assert row["rank"] == 1 + sum(other > scores[number] for other in scores.values())


def test_the_same_file_at_once_is_one_submission(server):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: submit(server, 7, "the same"), range(8)))
    assert len({answer["id"] for answer in answers}) == 1
    again = submit(server, 7, "the same")
    assert again["id"] == answers[0]["id"]
    assert [system for system in check_database(server) if system == "the same"] == ["the same"]


def test_killed_while_scoring_loses_nothing(server):
    before = check_database(server)
    accepted = []

    def run(number):
        try:
            answer = submit(server, number % 40, f"killed {number}")
        except Exception:  # the connection broke: it may be accepted or not
            return
        accepted.append(answer["system"])

    threads = [threading.Thread(target=run, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + PATIENCE
    while not (accepted and Store(server.data / "leaderboard.sqlite3").queued()):
        assert time.monotonic() < end
        time.sleep(0.01)
    server.kill()
    for thread in threads:
        thread.join()

    left = check_database(server)
    assert set(accepted) | set(before) <= set(left)
    waiting = [item.id for item in left.values() if item.state == "queued"]
    assert waiting, "it was killed too late to show anything"
    server.start()
    while Store(server.data / "leaderboard.sqlite3").queued():
        assert time.monotonic() < end
        time.sleep(0.05)
    done = check_database(server)
    assert {item.id for item in done.values()} == {item.id for item in left.values()}
    assert {item.state for item in done.values()} == {"scored"}
    scores = expected_scores(range(CLIENTS))
    board = {row["system"]: row for row in ask(server, lambda client: client.board("english"))}
    assert set(board) == set(done)
    for system, row in board.items():
        if system.startswith("killed "):
            assert row["struct_iou_sentence"] == scores[int(system.removeprefix("killed ")) % 40]
    for system in accepted:  # who sends again after the restart sends nothing new
        assert submit(server, int(system.split()[1]) % 40, system)["id"] == done[system].id
