"""The database: transactions, repeats, quotas, versions of the schema."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from leaderboard import store as store_module
from leaderboard.quotas import Quota, QuotaError
from leaderboard.store import SCHEMA_VERSION, Store, Submission

HOUR = 3600.0


def submission(name="a", **fields):
    values = {
        "id": f"id-{name}",
        "benchmark": "english",
        "system": name,
        "link": "",
        "contact": "",
        "owner": "ann",
        "owner_kind": "user",
        "address": "x",
        "digest": f"digest-{name}",
        "received": 1000.0,
    }
    return Submission(**{**values, **fields})


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "deep" / "board.sqlite3")


def test_add_then_get(store):
    added = store.add(submission(), b"(S (A a))\n", None)
    assert added == store.get("id-a") == submission()
    assert store.upload("id-a") == b"(S (A a))\n"
    assert store.result("id-a") is None
    assert store.get("id-b") is None


def test_add_the_same_file_again_returns_the_first(store):
    store.add(submission(), b"x", None)
    again = store.add(submission(id="other", received=2000.0), b"x", Quota(1, 1))
    assert again.id == "id-a"
    assert len(store.all()) == 1


@pytest.mark.parametrize(
    "second, message",
    [
        pytest.param({"address": "y"}, "1 submissions in 24 hours are the most for a user", id="owner"),
        pytest.param(
            {"owner": "bob", "owner_kind": "visitor"},
            "2 submissions in 24 hours are the most for a network",
            id="address",
        ),
    ],
)
def test_add_over_quota(store, second, message):
    quota = Quota(1, 2)
    stranger = {"owner_kind": "visitor"}
    store.add(submission(), b"", quota)
    store.add(submission("b", owner="eve", **stranger), b"", quota)
    store.add(submission("c", owner="eva", **stranger), b"", quota)
    with pytest.raises(QuotaError, match=message):
        store.add(submission("d", **second), b"", quota)
    assert len(store.all()) == 3


def test_add_after_a_day_is_within_quota(store):
    store.add(submission(), b"", Quota(1, 1))
    with pytest.raises(QuotaError, match=r"come back in 1\.0 hours"):
        store.add(submission("b", received=1000.0 + 23 * HOUR), b"", Quota(1, 1))
    store.add(submission("b", received=1001.0 + 24 * HOUR), b"", Quota(1, 1))
    assert [item.system for item in store.all()] == ["a", "b"]


def test_quota_holds_against_parallel_adds(store):
    refused = []

    def add(k):
        try:
            store.add(submission(str(k)), b"", Quota(5, 100))
        except QuotaError:
            refused.append(k)

    threads = [threading.Thread(target=add, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.all()) == 5
    assert len(refused) == 15


RESULT = {"version": "1", "setting": "s", "ranking": {"value": 0.51, "shown": 0.5}, "rows": {"x": [1.0]}}


def test_finish_and_fail(store):
    store.add(submission(), b"", None)
    store.finish("id-a", RESULT)
    assert store.get("id-a").state == "scored"
    (scored,) = store.scored("english", summaries=True)
    assert scored[:-1] == (store.get("id-a"), "s", "1", 0.51, 0.5)
    assert "rows" not in scored.summary
    assert store.result("id-a") == RESULT
    store.requeue("id-a", 1.0)
    assert store.queued() == [store.get("id-a")]
    assert len(store.scored("english")) == 1, "the old result is shown until there is a new one"
    store.fail("id-a", "too slow")
    failed = store.get("id-a")
    assert (failed.state, failed.problem, failed.hidden) == ("failed", "too slow", False)
    assert store.scored("english") == []


def test_delete_takes_upload_and_result_along(store, tmp_path):
    store.add(submission(), b"secret", None)
    store.finish("id-a", RESULT)
    store.delete("id-a", 5.0)
    store.finish("id-a", RESULT)  # scoring ended after the host had deleted it
    db = sqlite3.connect(tmp_path / "deep" / "board.sqlite3")
    counts = [
        db.execute(f"SELECT count(*) FROM {t}").fetchone() for t in ("submissions", "uploads", "results")
    ]
    db.close()
    assert counts == [(0,)] * 3
    assert store.deleted_for_good() == {"id-a"}
    with pytest.raises(ValueError, match="there is no submission 'id-a'"):
        store.change("id-a", "hide", 6.0, {"hidden": True})


def test_error_in_a_transaction_leaves_nothing(store, monkeypatch):
    monkeypatch.setattr(store_module.zlib, "compress", lambda data: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        store.add(submission(), b"x", None)
    assert store.all() == []


def test_database_of_another_schema_is_refused(tmp_path):
    path = tmp_path / "board.sqlite3"
    Store(path).add(submission(), b"x", None)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(
        ValueError, match=f"schema version {SCHEMA_VERSION + 1}, this program has {SCHEMA_VERSION}"
    ):
        Store(path)


def test_secret_stays(store, tmp_path):
    assert len(store.secret("addresses")) == 32
    assert Store(tmp_path / "deep" / "board.sqlite3").secret("addresses") == store.secret("addresses")
