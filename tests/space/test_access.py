"""Who may submit how much, and who is the host."""

from __future__ import annotations

import doctest
import re
import sqlite3
import threading

import pytest

from leaderboard import people
from leaderboard import scorer as scorer_module
from leaderboard.people import (
    AccessError,
    HostToken,
    Visitor,
    find_address,
    network_of,
    new_secret,
    read_networks,
)
from leaderboard.quotas import QuotaError
from leaderboard.service import Leaderboard
from leaderboard.uploads import UploadError
from support.process import PATIENCE
from support.space_boards import REFERENCE, WORSE
from support.space_client import site_of

PROXIES = read_networks("10.0.0.0/8 172.16.0.0/12 100.64.0.0/10")
DATA = ("\n".join(REFERENCE) + "\n").encode()


@pytest.mark.parametrize(
    "forwarded, expected",
    [
        pytest.param("", "10.0.0.1", id="no header"),
        pytest.param("9.9.9.9", "9.9.9.9", id="one proxy"),
        pytest.param("1.2.3.4, 9.9.9.9", "9.9.9.9", id="made up on the left"),
        pytest.param("1.2.3.4, 9.9.9.9, 10.1.1.1", "9.9.9.9", id="two proxies"),
        pytest.param("9.9.9.9, 10.1.1.1, 172.16.0.3, 100.64.0.1", "9.9.9.9", id="four proxies"),
        pytest.param("2606:4700::1111, 10.1.1.1", "2606:4700::1111", id="IPv6"),
        pytest.param("x, 9.9.9.9:443", "9.9.9.9:443", id="port"),
        pytest.param("9.9.9.9, anything", "anything", id="nonsense on the right"),
        pytest.param("10.0.0.5, 10.0.0.6", "10.0.0.5", id="only proxies"),
        pytest.param(" , ,", "10.0.0.1", id="nothing"),
    ],
)
def test_find_address_behind_a_proxy(forwarded, expected):
    assert find_address("10.0.0.1", forwarded, PROXIES) == expected


def test_find_address_without_a_proxy_ignores_the_header():
    assert find_address("9.9.9.9", "1.2.3.4", PROXIES) == "9.9.9.9"


@pytest.mark.parametrize(
    "address, expected",
    [
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:8080", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
        ("x" * 100_000, "x" * 64),
        ("", ""),
    ],
)
def test_network_of(address, expected):
    assert network_of(address) == expected


def test_examples_of_the_docstrings():
    assert doctest.testmod(people) == (0, 3)


def submit(board, visitor, system, data=DATA):
    return board.submit(visitor, "english", system, "", "", data)


def test_quota_counts_an_ipv6_network_once(settings):
    board = Leaderboard(settings.model_copy(update={"daily_per_address": 3, "daily_per_user": 100}))
    for k in range(3):
        submit(board, Visitor(None, f"2001:db8:1:2::{k}"), f"s{k}")
    with pytest.raises(QuotaError, match="for a network address"):
        submit(board, Visitor(None, "2001:db8:1:2:ffff::1"), "s4")
    submit(board, Visitor(None, "2001:db8:1:3::1"), "s4")


def test_queue_is_bounded(settings):
    board = Leaderboard(settings.model_copy(update={"max_queued": 3}))  # does not score
    for k in range(3):
        submit(board, Visitor(f"user{k}", f"192.0.2.{k}"), "x")
    with pytest.raises(QuotaError, match="3 submissions are waiting to be scored"):
        submit(board, Visitor("late", "192.0.2.9"), "x")
    submit(board, Visitor("user0", "192.0.2.0"), "x")  # a repeat waits already
    board.start()
    try:
        board.wait(board.store.all()[-1].id, PATIENCE)
        submit(board, Visitor("late", "192.0.2.9"), "x")
    finally:
        board.stop()


def test_login_may_be_required(settings):
    board = Leaderboard(settings.model_copy(update={"require_login": True}))
    with pytest.raises(AccessError, match=r"only signed-in users may submit .*; sign in on its page"):
        submit(board, Visitor(None, "192.0.2.1"), "x")
    assert submit(board, Visitor("ann", "192.0.2.1"), "x").owner == "ann"


def test_login_required_by_the_api(settings):
    board = Leaderboard(settings.model_copy(update={"require_login": True}))
    assert "only signed-in users may submit" in site_of(board).submit("english", "x", REFERENCE)
    assert board.store.all() == []


def test_too_many_wrong_tokens_stop_an_address_for_a_while():
    now = [0.0]
    token = HostToken("right", lambda: now[0])
    for _ in range(20):
        with pytest.raises(AccessError, match="not the host's token"):
            token.check("wrong", "a")
    with pytest.raises(AccessError, match="too many wrong tokens"):
        token.check("right", "a")
    token.check("right", "b")
    now[0] = 601.0
    token.check("right", "a")


@pytest.mark.parametrize("token", ["", None, 3, b"right", ["right"], "righ", "right ", "\ud800", "é"])
def test_nothing_but_the_token_is_accepted(token):
    with pytest.raises(AccessError, match="not the host's token"):
        HostToken("right", lambda: 0.0).check(token, "")
    with pytest.raises(AccessError, match="has no host token"):
        HostToken(None, lambda: 0.0).check(token, "")


def test_old_addresses_are_forgotten():
    now = [0.0]
    token = HostToken("right", lambda: now[0])
    for k in range(1000):
        now[0] += 10.0
        with pytest.raises(AccessError):
            token.check("wrong", str(k))
    assert len(token.guesses) < 100


def test_too_many_nodes(settings):
    board = Leaderboard(settings)
    with pytest.raises(UploadError, match="more than 1,000,000 nodes or lines"):
        submit(board, Visitor("ann", "x"), "x", b"(" * 1_000_001)
    with pytest.raises(UploadError, match="more than 1,000,000 nodes or lines"):
        submit(board, Visitor("ann", "x"), "x", b"\n" * 1_000_001)


def test_error_of_the_database_does_not_end_the_worker(board, monkeypatch, caplog):
    monkeypatch.setattr(scorer_module, "_REST_SECONDS", 0.01)
    failed = threading.Event()
    finish = board.store.finish

    def fail_once(*args):
        if not failed.is_set():
            failed.set()
            raise sqlite3.OperationalError("database or disk is full")
        finish(*args)

    monkeypatch.setattr(board.store, "finish", fail_once)
    accepted = submit(board, Visitor("ann", "x"), "x")
    assert board.wait(accepted.id, PATIENCE).state == "scored"
    assert failed.is_set()


def test_board_is_read_only_when_something_changed(board, monkeypatch):
    first = submit(board, Visitor("ann", "x"), "x")
    board.wait(first.id, PATIENCE)
    assert len(board.board("english")) == 1
    monkeypatch.setattr(board.store, "scored", lambda *args, **options: pytest.fail("read again"))
    assert len(board.board("english")) == 1


def test_scoring_knows_no_secrets(board, monkeypatch):
    from leaderboard import sandbox

    seen = {}
    run = sandbox.subprocess.run

    def spy(*args, **options):
        seen.update(options["env"])
        return run(*args, **options)

    monkeypatch.setattr(sandbox.subprocess, "run", spy)
    for name in ("HF_TOKEN", "STRUCTIOU_ADMIN_TOKEN", "OAUTH_CLIENT_SECRET"):
        monkeypatch.setenv(name, "very-secret")
    accepted = submit(board, Visitor("ann", "x"), "x", ("\n".join(WORSE) + "\n").encode())
    assert board.wait(accepted.id, PATIENCE).state == "scored"
    assert "PATH" in seen
    assert "very-secret" not in seen.values()


def test_secrets_can_be_given_on_a_command_line():
    """One in 64 began with a dash, and `--secret` took it for an option."""
    found = {new_secret() for _ in range(300)}
    assert len(found) == 300
    assert all(re.fullmatch("[0-9a-f]{32}", secret) for secret in found)
