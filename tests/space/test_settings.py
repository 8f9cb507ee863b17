"""The settings that a host makes by environment variables."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from leaderboard import settings as module
from leaderboard.people import Visitor, read_networks
from leaderboard.settings import Settings, read_settings
from leaderboard.store import Store
from support.paths import SPACE
from support.process import PATIENCE

EVERY_VARIABLE = {
    "DATA": ("/d", Path("/d")),
    "BENCHMARKS": ("/b", Path("/b")),
    "ADMIN_TOKEN": (" secret ", "secret"),
    "DAILY_PER_USER": ("1", 1),
    "DAILY_PER_ADDRESS": ("2", 2),
    "UPLOAD_BYTES": ("3", 3),
    "SCORING_SECONDS": ("4", 4.0),
    "SCORING_BYTES": ("5", 5),
    "HUB_DATASET": ("host/results", "host/results"),
    "BENCHMARKS_DATASET": ("host/gold.v1", "host/gold.v1"),
    "REQUIRE_LOGIN": ("Yes", True),
    "MAX_QUEUED": ("6", 6),
    "PROXIES": ("192.0.2.0/24, 10.0.0.1", read_networks("192.0.2.0/24 10.0.0.1")),
    "ORIGINS": ("A.example b.example", ("a.example", "b.example")),
    "IMPORT_BYTES": ("7", 7),
    "LOOK_SECONDS": ("0.5", 0.5),
    "CLOCK": ("/c", Path("/c")),
    "REQUESTS_PER_MINUTE": ("8", 8),
    "CHANGES_PER_MINUTE": ("9", 9),
}


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    """Without the variables of whoever runs the tests."""
    for name in [*os.environ]:
        if name.startswith("STRUCTIOU_") or name in ("SPACE_ID", "OAUTH_CLIENT_ID"):
            monkeypatch.delenv(name)


def test_defaults():
    settings = read_settings()
    assert (settings.data, settings.benchmarks) == (SPACE / "data", SPACE / "benchmarks")
    assert settings.admin_token is None
    assert settings.proxies == ()
    assert not settings.require_login


def test_every_variable(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "host/space")
    assert {name.lower() for name in EVERY_VARIABLE} == set(Settings.model_fields)
    for name, (text, _) in EVERY_VARIABLE.items():
        monkeypatch.setenv(f"STRUCTIOU_{name}", text)
    found = read_settings()
    assert {name: getattr(found, name.lower()) for name in EVERY_VARIABLE} == {
        name: value for name, (_, value) in EVERY_VARIABLE.items()
    }


def test_empty_variables_are_unset(monkeypatch):
    defaults = read_settings()
    for name in Settings.model_fields:
        monkeypatch.setenv(f"STRUCTIOU_{name.upper()}", "")
    assert read_settings() == defaults


@pytest.mark.parametrize("there, expected", [(True, "space"), (False, SPACE / "data")])
def test_data_of_a_space_with_storage(tmp_path, monkeypatch, there, expected):
    folder = tmp_path / "space"
    if there:
        folder.mkdir()
    monkeypatch.setattr(module, "_SPACE_DATA", folder)
    monkeypatch.setenv("SPACE_ID", "host/space")
    assert read_settings().data == (folder if expected == "space" else expected)


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("DAILY_PER_USER", "0", "greater than 0"),
        ("DAILY_PER_USER", "-1", "greater than 0"),
        ("UPLOAD_BYTES", "20M", "valid integer"),
        ("UPLOAD_BYTES", "1e6", "valid integer"),
        ("SCORING_SECONDS", "soon", "valid number"),
        ("REQUIRE_LOGIN", "maybe", "valid boolean"),
        ("HUB_DATASET", "results", "match pattern"),
        ("HUB_DATASET", "https://huggingface.co/datasets/a/b", "match pattern"),
        ("BENCHMARKS_DATASET", "../gold", "match pattern"),
        ("PROXIES", "x", "'x' does not appear to be an IPv4 or IPv6 network"),
    ],
)
def test_bad_values_are_named(monkeypatch, name, value, message):
    monkeypatch.setenv(f"STRUCTIOU_{name}", value)
    monkeypatch.setenv("STRUCTIOU_ADMIN_TOKEN", "the-token")
    with pytest.raises(ValueError, match=f"STRUCTIOU_{name}: ") as caught:
        read_settings()
    assert message in str(caught.value)
    assert "the-token" not in str(caught.value)


def test_token_is_not_printed(monkeypatch):
    monkeypatch.setenv("STRUCTIOU_ADMIN_TOKEN", "the-token")
    assert "the-token" not in repr(read_settings())


@pytest.mark.parametrize(
    "variables, message",
    [
        pytest.param({"STRUCTIOU_DAILY_PER_USER": "x"}, "STRUCTIOU_DAILY_PER_USER: ", id="number"),
        pytest.param(
            {"STRUCTIOU_BENCHMARKS": "/nowhere"}, "there is no folder with a benchmark", id="benchmarks"
        ),
        pytest.param({"STRUCTIOU_HUB_DATASET": "a/b"}, "set the secret HF_TOKEN", id="no token"),
    ],
)
def test_app_ends_with_one_line(monkeypatch, tmp_path, capsys, variables, message):
    import app

    for name, value in {"STRUCTIOU_DATA": str(tmp_path), "HF_TOKEN": "", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["app.py"])
    monkeypatch.setattr(app.signal, "signal", lambda *args: None)
    monkeypatch.setattr(app.uvicorn, "run", lambda *args, **options: pytest.fail("it serves"))
    with pytest.raises(SystemExit) as caught:
        app.main()
    assert caught.value.code == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("app.py: ")
    assert message in last


def test_app_exports_and_imports(board, monkeypatch, tmp_path):
    import app

    accepted = board.submit(Visitor("ann", "x"), "english", "x", "", "c", b"()\n()\n()\n")
    board.wait(accepted.id, PATIENCE)
    for data, option in ((board.settings.data, "--export"), (tmp_path / "new", "--import")):
        monkeypatch.setenv("STRUCTIOU_DATA", str(data))
        monkeypatch.setattr(sys, "argv", ["app.py", option, str(tmp_path / "all.jsonl")])
        app.main()
    assert Store(tmp_path / "new" / "leaderboard.sqlite3").all() == board.store.all()


def test_login_is_the_default_where_the_hub_offers_it(monkeypatch):
    monkeypatch.setenv("OAUTH_CLIENT_ID", "x")
    assert read_settings().require_login
    monkeypatch.setenv("STRUCTIOU_REQUIRE_LOGIN", "0")
    assert not read_settings().require_login


def test_proxies_of_the_hub_are_its_own(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "host/space")
    settings = read_settings()
    assert read_networks("10.0.0.0/8")[0] in settings.proxies
    assert read_networks("127.0.0.0/8")[0] not in settings.proxies
