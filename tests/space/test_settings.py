"""What a host sets by the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from leaderboard import settings as module
from leaderboard.people import Visitor, read_networks
from leaderboard.settings import Settings
from leaderboard.store import Store
from support.paths import SPACE
from support.process import PATIENCE


def test_defaults():
    settings = Settings.from_environment({})
    assert settings == Settings(SPACE / "data", SPACE / "benchmarks")
    assert settings.admin_token is None
    assert settings.proxies == ()
    assert not settings.require_login


def test_every_variable():
    settings = Settings.from_environment(
        {
            "STRUCTIOU_DATA": "/d",
            "STRUCTIOU_BENCHMARKS": "/b",
            "STRUCTIOU_ADMIN_TOKEN": " secret ",
            "STRUCTIOU_DAILY_PER_USER": "1",
            "STRUCTIOU_DAILY_PER_ADDRESS": "2",
            "STRUCTIOU_UPLOAD_BYTES": "3",
            "STRUCTIOU_SCORING_SECONDS": "4",
            "STRUCTIOU_SCORING_BYTES": "5",
            "STRUCTIOU_HUB_DATASET": "host/results",
            "STRUCTIOU_BENCHMARKS_DATASET": "host/gold.v1",
            "STRUCTIOU_REQUIRE_LOGIN": "Yes",
            "STRUCTIOU_MAX_QUEUED": "6",
            "STRUCTIOU_PROXIES": "192.0.2.0/24, 10.0.0.1",
            "STRUCTIOU_ORIGINS": "A.example b.example",
            "SPACE_ID": "host/space",
        }
    )
    assert settings == Settings(
        data=Path("/d"),
        benchmarks=Path("/b"),
        admin_token="secret",
        daily_per_user=1,
        daily_per_address=2,
        upload_bytes=3,
        scoring_seconds=4,
        scoring_bytes=5,
        hub_dataset="host/results",
        benchmarks_dataset="host/gold.v1",
        require_login=True,
        max_queued=6,
        proxies=read_networks("192.0.2.0/24 10.0.0.1"),
        origins=("a.example", "b.example"),
    )


def test_empty_variables_are_unset():
    names = [name for name in Settings._fields if name != "behind_proxy"]
    empty = {f"STRUCTIOU_{name.upper()}": " " for name in names}
    assert Settings.from_environment(empty) == Settings.from_environment({})


@pytest.mark.parametrize("there, expected", [(True, "space"), (False, SPACE / "data")])
def test_data_of_a_space_with_storage(tmp_path, monkeypatch, there, expected):
    folder = tmp_path / "space"
    if there:
        folder.mkdir()
    monkeypatch.setattr(module, "_SPACE_DATA", folder)
    found = Settings.from_environment({"SPACE_ID": "host/space"}).data
    assert found == (folder if expected == "space" else expected)


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("DAILY_PER_USER", "0", "give a whole number from 1 on"),
        ("DAILY_PER_USER", "-1", "give a whole number from 1 on"),
        ("UPLOAD_BYTES", "20M", "give a whole number from 1 on"),
        ("UPLOAD_BYTES", "1e6", "give a whole number from 1 on"),
        ("MAX_QUEUED", "٣", "give a whole number from 1 on"),
        ("SCORING_SECONDS", "9" * 5000, "give a whole number from 1 on"),
        ("REQUIRE_LOGIN", "maybe", "give 1 or 0"),
        ("HUB_DATASET", "results", "give the name of a dataset, such as owner/name"),
        ("HUB_DATASET", "https://huggingface.co/datasets/a/b", "give the name of a dataset"),
        ("BENCHMARKS_DATASET", "../gold", "give the name of a dataset"),
    ],
)
def test_bad_values_are_named(name, value, message):
    with pytest.raises(ValueError, match=f"STRUCTIOU_{name}=") as caught:
        Settings.from_environment({f"STRUCTIOU_{name}": value})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "variables, message",
    [
        pytest.param({"STRUCTIOU_DAILY_PER_USER": "x"}, "STRUCTIOU_DAILY_PER_USER=x: give", id="number"),
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
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    monkeypatch.setattr(sys, "argv", ["app.py"])
    monkeypatch.setattr(app.signal, "signal", lambda *args: None)
    monkeypatch.setattr(app, "_launch", lambda *args, **options: pytest.fail("it serves"))
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


def test_login_is_the_default_where_the_hub_offers_it():
    offered = {"OAUTH_CLIENT_ID": "x"}
    assert Settings.from_environment(offered).require_login
    assert not Settings.from_environment({**offered, "STRUCTIOU_REQUIRE_LOGIN": "0"}).require_login


def test_proxies_of_the_hub_are_its_own():
    settings = Settings.from_environment({"SPACE_ID": "host/space"})
    assert read_networks("10.0.0.0/8")[0] in settings.proxies
    assert read_networks("127.0.0.0/8")[0] not in settings.proxies
    with pytest.raises(ValueError, match=r"STRUCTIOU_PROXIES=x: .*give addresses or networks"):
        Settings.from_environment({"STRUCTIOU_PROXIES": "x"})
