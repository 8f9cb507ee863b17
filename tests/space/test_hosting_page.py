"""The host's guide: its descriptions load, its settings are read, its addresses are there."""

from __future__ import annotations

import re

import pytest

from leaderboard.benchmarks import load_benchmark
from leaderboard.service import ACTIONS
from leaderboard.settings import Settings
from support.paths import ROOT, SPACE
from support.space_boards import REFERENCE, write_benchmark

GUIDE = (ROOT / "docs" / "hosting.md").read_text("utf-8")
DESCRIPTIONS = re.findall(r"^```toml\n(.*?)^```$", GUIDE, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("number", range(3))
def test_descriptions_load(tmp_path, number):
    folder = write_benchmark(tmp_path, "dialogues", DESCRIPTIONS[number])
    for name in ("dev", "test", "news", "talk", "mail"):
        (folder / f"{name}.txt").write_text("\n".join(REFERENCE) + "\n", "utf-8")
    benchmark = load_benchmark(folder)
    if number == 1:
        dev, test = benchmark.phases
        assert benchmark.teams
        assert list(benchmark.metrics) == ["struct_iou", "parseval"]
        assert (test.per_day, test.in_total, test.late, dev.late) == (2, 3, True, False)
        assert test.show(test.scores_from) == "2026-10-15 00:00 AoE"
        assert dev.show(dev.closes) == "2026-10-01 00:00 AoE"
        assert benchmark.in_phase("test").reference.name == "test.txt"
    if number == 2:
        assert list(benchmark.parts) == ["news", "talk", "mail"]


def test_there_are_no_more_descriptions():
    assert len(DESCRIPTIONS) == 3


def test_settings_are_those_of_the_program():
    known = {f"STRUCTIOU_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"STRUCTIOU_[A-Z_]+", GUIDE)) <= known
    table = (SPACE / "README.md").read_text("utf-8")
    assert all(f"`{name}`" in table for name in known), "the table of settings has all of them"


def test_actions_are_all_told():
    (table,) = re.findall(r"^\| action \|.*\n\|-.*\n((?:\|.*\n)+)", GUIDE, flags=re.MULTILINE)
    told = re.findall(r"^\| ([a-z, -]+) \|", table, flags=re.MULTILINE)
    assert {name for line in told for name in line.split(", ")} == set(ACTIONS)


def test_addresses_are_those_of_the_program(site):
    for address in ("/health", "/metrics", "/table/english", "/table/english.json", "/host", "/host/export"):
        assert address.partition("english")[0] in GUIDE
        assert site.host(address).status_code in (200, 503), address
