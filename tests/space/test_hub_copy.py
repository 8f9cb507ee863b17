"""The copy of all submissions on the Hub, and benchmarks from there, against a small Hub on loopback."""

from __future__ import annotations

import json
import logging
import re
import time

import pytest

from leaderboard.catalogue import Catalogue, with_dataset
from leaderboard.health import check_health
from leaderboard.hub import HubCopy
from leaderboard.records import Announcements, Audit, Teams
from leaderboard.service import Leaderboard, Visitor
from leaderboard.settings import Settings
from leaderboard.store import Store
from support.extras import need
from support.fake_hub import TOKEN, serve_hub
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, REFERENCE, WORSE
from support.space_client import SpaceClient
from support.space_server import SpaceServer

pytestmark = pytest.mark.slow

need("huggingface_hub")

DATASET = "host/results"
ANN = Visitor("ann", "192.0.2.1")


@pytest.fixture
def hub():
    with serve_hub() as hub:
        yield hub


@pytest.fixture
def online(hub, monkeypatch, tmp_path):
    """Lets `huggingface_hub` talk to that Hub, whatever the environment says."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(
        constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        hub.url + "/{repo_id}/resolve/{revision}/{filename}",
    )
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    return hub


@pytest.fixture
def api(online):
    from huggingface_hub import HfApi

    return HfApi(endpoint=online.url, token=TOKEN)


def copy_of(store, api, **options):
    return HubCopy(store, DATASET, TOKEN, api=api, **options)


def submit(board, system, rows=WORSE, visitor=ANN, contact="c"):
    accepted = board.submit(visitor, "english", system, "", contact, ("\n".join(rows) + "\n").encode())
    return board.wait(accepted.id, PATIENCE)


def everything(store):
    return [(item, store.upload(item.id), store.result(item.id)) for item in store.all()]


def test_push_then_restore_on_an_empty_disk(board, hub, api, tmp_path):
    first = copy_of(board.store, api)
    assert first.restore() == 0
    assert hub.private == {DATASET: True}
    one, two = submit(board, "one"), submit(board, "two", REFERENCE)
    assert first.push() == 2
    assert set(hub.files[DATASET]) == {
        f"submissions/{one.id}.jsonl",
        f"submissions/{two.id}.jsonl",
        "addresses.key",
    }
    other = Store(tmp_path / "other" / "board.sqlite3")
    assert copy_of(other, api).restore() == 2
    assert everything(other) == everything(board.store)
    assert other.secret("addresses") == board.store.secret("addresses")


def test_push_sends_only_what_changed(board, hub, api):
    copy = copy_of(board.store, api)
    copy.restore()
    one, two = submit(board, "one"), submit(board, "two", REFERENCE)
    assert copy.push() == 2
    assert copy.push() == 0
    assert len(hub.commits) == 1
    board.administer("host-token", "hide", one.id)
    assert copy.push() == 1
    assert json.loads(hub.files[DATASET][f"submissions/{one.id}.jsonl"])["hidden"] is True
    board.administer("host-token", "delete", two.id)
    assert copy.push() == 1
    assert json.loads(hub.files[DATASET][f"submissions/{two.id}.jsonl"])["removed"] == "deleted"
    board.administer("host-token", "delete for good", two.id)
    assert copy.push() == 1
    assert f"submissions/{two.id}.jsonl" not in hub.files[DATASET]
    again = copy_of(board.store, api)
    assert again.restore() == 0
    assert again.push() == 0, "what was restored need not be written again"


def test_teams_announcements_and_log_come_back(board, hub, api, tmp_path):
    copy = copy_of(board.store, api)
    copy.restore()
    _, key = board.make_team("The Owls", Visitor("ann", "x"))
    board.announcements.add("english", "It begins.", 5.0)
    copy.push()
    n_commits = len(hub.commits)
    copy.push()
    assert len(hub.commits) == n_commits
    other = Store(tmp_path / "other" / "board.sqlite3")
    again = copy_of(other, api)
    again.restore()
    assert Teams(other).check("The Owls", "", Visitor("ann", "y")) == "The Owls"
    assert Teams(other).check("The Owls", key, Visitor(None, "y")) == "The Owls"
    assert [told.text for told in Announcements(other).all()] == ["It begins."]
    assert [deed.action for deed in Audit(other).deeds()] == ["new team"]
    again.push()
    assert len(hub.commits) == n_commits, "what was restored need not be written again"


def test_many_are_pushed_in_several_commits(settings, hub, api, monkeypatch):
    from leaderboard import hub as module

    monkeypatch.setattr(module, "_MOST", 2)
    board = Leaderboard(settings)  # does not score
    for k in range(5):
        board.submit(ANN, "english", f"s{k}", "", "", ("\n".join(WORSE) + "\n").encode())
    copy = copy_of(board.store, api)
    assert copy.push() == 5
    assert hub.commits == ["2 changed", "2 changed", "1 changed"]
    for item in board.store.all()[:3]:
        board.store.delete(item.id, 0.0)
    assert copy.push() == 3
    assert hub.commits[4:] == ["2 deleted", "1 deleted"]


def test_what_the_host_deleted_does_not_come_back(board, hub, api):
    copy = copy_of(board.store, api)
    one = submit(board, "one")
    copy.push()
    board.administer("host-token", "delete", one.id)
    board.administer("host-token", "delete for good", one.id)  # and the server ends before that is copied
    again = copy_of(board.store, api)
    assert again.restore() == 0
    assert board.store.all() == []
    assert again.push() == 1
    assert set(hub.files[DATASET]) == {"addresses.key", "records.jsonl"}


def test_hub_away_is_logged_and_nothing_is_lost(board, hub, api, caplog, monkeypatch):
    from huggingface_hub.utils import _http

    monkeypatch.setattr(_http.time, "sleep", lambda seconds: None)  # it tries again by itself
    hub.away = True
    copy = copy_of(board.store, api, pause=0.01)
    one = submit(board, "one")
    with pytest.raises(Exception, match="503"):
        copy.restore()
    copy.start()
    wait_for(lambda: any("copying to" in record.message for record in caplog.records))
    hub.away = False
    wait_for(lambda: f"submissions/{one.id}.jsonl" in hub.files.get(DATASET, {}))
    two = submit(board, "two", REFERENCE)
    copy.stop()
    assert f"submissions/{two.id}.jsonl" in hub.files[DATASET], "the last are copied when the server ends"
    assert TOKEN not in caplog.text


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_late_restore_tells_the_board(settings, board, hub, api):
    one = submit(board, "one")
    copy_of(board.store, api).push()
    other = Leaderboard(settings.model_copy(update={"data": settings.data.with_name("other")}))
    other.start()
    try:
        copy = copy_of(other.store, api, restored=other.scorer.refresh)
        assert copy.push() == 0  # restores first
        assert [entry.submission.id for entry in other.board("english")] == [one.id]
    finally:
        other.stop()


def test_answer_says_what_is_not_in_the_copy_yet(board, hub, api):
    """On a disk that is not kept, half a minute of accepted submissions could be lost without a word."""
    copy = board.copy = copy_of(board.store, api, pause=3600.0)
    first = submit(board, "one")
    assert "not yet in the copy on the Hub" in board.durability(first.id)
    copy.start()
    try:
        copy.wake()
        wait_for(lambda: not board.durability(first.id))
        assert f"submissions/{first.id}.jsonl" in hub.files[DATASET]
        second = submit(board, "two", REFERENCE)  # the next commit is an hour away
        assert "submit it again" in board.durability(second.id)
    finally:
        copy.stop()
    assert board.durability(second.id) == ""
    board.copy = None
    assert board.durability(second.id) == ""


def test_submitting_wakes_the_copy(board, hub, api):
    copy = board.copy = copy_of(board.store, api, pause=5.0)
    copy.start()
    try:
        first = submit(board, "one")
        wait_for(lambda: copy.has(first.id))
    finally:
        copy.stop()


def test_health_says_that_the_copy_fails(board, hub, api, monkeypatch):
    from huggingface_hub.utils import _http

    monkeypatch.setattr(_http.time, "sleep", lambda seconds: None)
    hub.away = True
    copy = board.copy = copy_of(board.store, api, pause=0.01)
    copy.start()
    try:
        wait_for(lambda: copy.problem)
        well, details = check_health(board)
        assert not well
        assert "copying to the Hub fails (HfHubHTTPError)" in details["problems"][0]
        assert "look at the token and the dataset" in details["problems"][0]
        hub.away = False
        wait_for(lambda: not copy.problem)
        assert check_health(board)[0]
    finally:
        copy.stop()


def test_damaged_files_are_left_alone(board, hub, api, caplog):
    one = submit(board, "one")
    copy_of(board.store, api).push()
    line = hub.files[DATASET][f"submissions/{one.id}.jsonl"]
    bad = {
        "cut": line[: len(line) // 2],
        "binary": b"\xff\xfe",
        "traversal": line.replace(one.id.encode(), b"../../../README"),
        "state": line.replace(b'"scored"', b'"winner"'),
        "nan": re.sub(rb'("struct_iou_sentence": )[0-9.]+', rb"\1NaN", line),
    }
    hub.files[DATASET] |= {f"submissions/{name}.jsonl": data for name, data in bad.items()}
    hub.files[DATASET]["addresses.key"] = b"no key"
    other = Store(board.settings.data / "other.sqlite3")
    again = copy_of(other, api)
    with caplog.at_level(logging.ERROR):
        assert again.restore() == 1
    assert [item.id for item in other.all()] == [one.id]
    for name in bad:
        assert f"{name}.jsonl of {DATASET} cannot be restored" in caplog.text
    assert "addresses.key of host/results is damaged" in caplog.text
    again.push()
    assert {f"submissions/{name}.jsonl" for name in bad} <= set(hub.files[DATASET])


def test_public_dataset_is_not_written_to(board, hub, api):
    hub.files[DATASET], hub.private[DATASET] = {}, False
    submit(board, "one")
    copy = copy_of(board.store, api)
    for action in (copy.restore, copy.push):
        with pytest.raises(ValueError, match="the dataset host/results is public"):
            action()
    assert hub.files[DATASET] == {}


def test_names_of_the_anonymous_last(settings, board, hub, api, tmp_path):
    nobody = Visitor(None, "192.0.2.7")
    before = board.submit(nobody, "english", "mine", "", "", ("\n".join(WORSE) + "\n").encode())
    board.wait(before.id, PATIENCE)
    copy_of(board.store, api).push()
    other = Leaderboard(settings.model_copy(update={"data": tmp_path / "new disk"}))
    copy_of(other.store, api).restore()
    assert (
        other.submit(nobody, "english", "new", "", "", b"()\n()\n()\n", before.secret).owner == before.owner
    )


# ---- benchmarks --------------------------------------------------------------------------------


@pytest.fixture
def dataset(online):
    online.files["host/gold"] = {
        "README.md": b"# gold",
        "english/benchmark.toml": DESCRIPTION.encode(),
        "english/gold.txt": ("\n".join(REFERENCE) + "\n").encode(),
    }
    online.private["host/gold"] = True
    return online


def dataset_settings(tmp_path, **changes):
    values = {"data": tmp_path / "data", "benchmarks": tmp_path, "benchmarks_dataset": "host/gold", **changes}
    return Settings(**values)


def download(endpoint):
    from functools import partial

    from huggingface_hub import snapshot_download

    return partial(snapshot_download, endpoint=endpoint)


def test_benchmarks_from_a_dataset(dataset, tmp_path):
    found = with_dataset(dataset_settings(tmp_path), TOKEN, download=download(dataset.url))
    assert found.benchmarks.is_relative_to(tmp_path / "data")
    assert set(Catalogue(found.benchmarks).benchmarks) == {"english"}
    board = Leaderboard(found)
    board.start()
    try:
        assert submit(board, "one").state == "scored"
    finally:
        board.stop()


def test_benchmarks_follow_the_dataset(dataset, tmp_path):
    settings = dataset_settings(tmp_path)
    first = with_dataset(settings, TOKEN, download=download(dataset.url))
    files = dataset.files["host/gold"]
    files["hebrew/benchmark.toml"] = files.pop("english/benchmark.toml")
    files["hebrew/gold.txt"] = files.pop("english/gold.txt")
    dataset.commits.append("renamed")
    second = with_dataset(settings, TOKEN, download=download(dataset.url))
    assert set(Catalogue(first.benchmarks).benchmarks) == {"english"}
    assert set(Catalogue(second.benchmarks).benchmarks) == {"hebrew"}
    dataset.away = True
    assert with_dataset(settings, TOKEN, download=download(dataset.url)).benchmarks == second.benchmarks


@pytest.mark.parametrize("token, name", [("wrong", "host/gold"), (TOKEN, "host/none")])
def test_benchmarks_that_cannot_be_fetched(dataset, tmp_path, token, name):
    settings = dataset_settings(tmp_path, benchmarks_dataset=name)
    with pytest.raises(
        ValueError, match=f"cannot be fetched from the dataset {name}: 40[14] .*Does HF_TOKEN hold a token"
    ) as caught:
        with_dataset(settings, token, download=download(dataset.url))
    assert "wrong" not in str(caught.value)


def test_server_starts_from_the_hub_and_leaves_all_there(dataset, tmp_path):
    server = SpaceServer(
        tmp_path / "data",
        tmp_path / "none",
        environment={"HF_ENDPOINT": dataset.url, "HF_TOKEN": TOKEN, "HF_HUB_OFFLINE": "0"},
        HUB_DATASET=DATASET,
        BENCHMARKS_DATASET="host/gold",
    )
    try:
        server.start()
        client = SpaceClient(server.url)
        answer = client.submit("english", "left", WORSE)
        client.close()
        server.terminate()
    finally:
        server.kill()
    assert answer["state"] == "scored"
    line = json.loads(dataset.files[DATASET][f"submissions/{answer['id']}.jsonl"])
    assert line["state"] == "scored"
    assert TOKEN not in server.log.read_text("utf-8")


def test_without_a_dataset_the_folder_is_used(tmp_path):
    settings = dataset_settings(tmp_path, benchmarks_dataset=None)
    assert with_dataset(settings, None) is settings
