"""Warnings and `--strict` on the command line: lines behind the table, JSON, exit code 1."""

from __future__ import annotations

import json

import pytest

from support.cli import failed, runner, succeeded
from support.paths import DATA

GOLD = ["(S (NP-SBJ we) (VP run))", "(S (NP-SBJ dogs) (VP sleep) (ADVP well))"]
PARSED = ["(S (NP we) (VP run))", "(S (NP dogs) (VP sleep) (ADVP sound))"]
WORDS = (
    "1 of 2 rows: the same number of words on both sides, but different words; are these the same sentences? "
)
TAGS = "2 of 2 rows: function tags such as -SBJ in the reference, and none in the prediction; "


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.mrg").write_text("\n".join(GOLD) + "\n")
    (tmp_path / "parsed.txt").write_text("\n".join(PARSED) + "\n")
    return "gold.mrg", "parsed.txt"


def test_score_tells_warnings_behind_the_table(capsys, files):
    structiou = runner(capsys, "score", *files)
    lines = succeeded(structiou()).splitlines()
    assert lines[-3].startswith("structiou|")
    assert lines[-2] == f"warning: {WORDS}(first in row 2)"
    assert lines[-1].startswith(f"warning: {TAGS}")
    warnings = json.loads(succeeded(structiou("--json")))["warnings"]
    assert [(warning["kind"], warning["count"], warning["rows"]) for warning in warnings] == [
        ("words", 1, [1]),
        ("tags", 2, [0, 1]),
    ]
    assert "warning" not in succeeded(runner(capsys, "score", "gold.mrg", "gold.mrg")())


def test_score_tells_what_several_metrics_say_once(capsys, files):
    out = succeeded(runner(capsys, "score", *files, "--metric", "struct_iou,leaf_ancestor")())
    assert out.count(WORDS) == 1
    assert out.count(TAGS) == 1


def test_strict_makes_them_errors(capsys, files):
    assert WORDS in failed(runner(capsys, "score", *files, "--strict", "--labels", "base")())
    for command in ("score", "compare"):
        if command == "compare":
            pytest.importorskip("numpy")
        err = failed(runner(capsys, command, *files, "--strict")())
        assert err.startswith("structiou: ")
        assert WORDS in err
        assert TAGS in err
        assert succeeded(runner(capsys, command, "gold.mrg", "gold.mrg", "--strict")())


def test_compare_tells_them_among_its_notes(capsys, files, tmp_path):
    pytest.importorskip("numpy")
    structiou = runner(capsys, "compare", *files, "--metric", "struct_iou", "--resamples", "50")
    out = succeeded(structiou("--html", "page.html"))
    assert f"parsed: {WORDS}" in " ".join(out.split())
    assert "but different words" in (tmp_path / "page.html").read_text("utf-8")
    found = json.loads(succeeded(structiou("--json")))
    assert [warning["kind"] for warning in found["warnings"]["parsed"]] == ["words", "tags"]


def test_align(capsys):
    trees = "(S (NP we) (VP run))", "(S (NP dogs) (VP sleep))"
    structiou = runner(capsys, "align", *trees)
    line = (
        "the pair: the same number of words on both sides, but different words; are these the same sentences?"
    )
    assert succeeded(structiou("--width", "60")).endswith(f"\nwarning: {line}\n")
    assert [warning["kind"] for warning in json.loads(succeeded(structiou("--json")))["warnings"]] == [
        "words"
    ]
    assert failed(structiou("--strict")) == f"structiou: {line}\n"


def test_parseval_keeps_its_table(capsys, files, tmp_path):
    """EVALB's table is standard output; what is suspicious stands beside it."""
    rows = [f"(S (DT the) (NN n{i}) (VBD v{i}) (RB a{i}))" for i in range(8)]
    (tmp_path / "gold.mrg").write_text("\n".join(rows[:-1]) + "\n")
    (tmp_path / "parsed.txt").write_text("\n".join(rows[1:]) + "\n")
    for command in ("parseval", "sparseval"):
        code, out, err = runner(capsys, command, *files)()
        assert code == 0
        assert "warning" not in out
        assert err.startswith(
            "structiou: warning: 6 of 7 rows: the prediction has the words of the reference "
        )
        assert "one row before or after" in failed(runner(capsys, command, *files, "--strict")())


@pytest.mark.parametrize(
    "options",
    [("english", "mrg", "--labels", "base"), ("hebrew", "txt", "--unit", "char")],
    ids=lambda o: o[0],
)
def test_bundled_trees_are_not_suspicious(capsys, options):
    name, suffix, *flags = options
    sides = DATA / f"{name}.reference.{suffix}", DATA / f"{name}.prediction.txt"
    assert "warning" not in succeeded(runner(capsys, "score", *map(str, sides), *flags)())
