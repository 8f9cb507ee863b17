"""A metric of one file and a line in `METRICS` is enough for a benchmark to rank by it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leaderboard.benchmarks import load_benchmark
from leaderboard.people import Visitor
from leaderboard.service import Leaderboard
from structiou_metric import __version__
from structiou_metric.metrics import METRICS
from support import process, space_toy
from support.space_boards import DESCRIPTION, REFERENCE, write_benchmark
from support.space_client import words_of

PLACE = f"{space_toy.__name__}:Toy"
TOY = 'rank_by = "toy"\n' + DESCRIPTION.replace(
    "[metrics.struct_iou]", "[metrics.toy]\nweight = 2\n\n[metrics.struct_iou]"
)
RENAMED = [re.sub("[A-Z]+", "X", tree) for tree in REFERENCE]  # as many brackets
DEEPER = [
    REFERENCE[0].replace("(NN dog)", "(NX (NN dog))"),
    *REFERENCE[1:],
]  # one bracket more than 6 + 7 + 5
DISTANCE = 2 * 1 / 18  # its weight, a bracket, and those of the reference


@pytest.fixture
def board(settings, tmp_path, monkeypatch):
    """A board that ranks by the toy; `sitecustomize` adds its line for the process that scores."""
    monkeypatch.setitem(METRICS, "toy", PLACE)
    folder = tmp_path / "line"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        f"from structiou_metric.metrics import METRICS\nMETRICS['toy'] = {PLACE!r}\n", "utf-8"
    )
    tests = Path(space_toy.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", process.environment(str(folder), str(tests))["PYTHONPATH"])
    (settings.benchmarks / "english" / "benchmark.toml").write_text(TOY, "utf-8")
    board = Leaderboard(settings)
    board.start()
    for system, rows in {"renamed": RENAMED, "deeper": DEEPER}.items():
        accepted = board.submit(
            Visitor("ann", "x"), "english", system, "", "", ("\n".join(rows) + "\n").encode()
        )
        assert board.wait(accepted.id, process.PATIENCE).state == "scored"
    yield board
    board.stop()


def test_board_ranks_by_it(board):
    first, second = board.board("english")
    assert (first.submission.system, first.rank, first.interval.value) == ("renamed", 1, 0.0)
    assert (first.interval.low, first.interval.high) == (0.0, 0.0)
    assert (second.submission.system, second.rank) == ("deeper", 2)
    assert second.interval.value == pytest.approx(DISTANCE)
    assert second.interval.low == 0.0  # (2 / 3) ** 3 of all samples are without the first sentence
    assert second.interval.high == pytest.approx(2 / 6)  # 1 / 27 of them have nothing else
    figures = [
        entry.result["metrics"]["struct_iou"]["figures"]["struct_iou_sentence"] for entry in (first, second)
    ]
    assert figures[0] < figures[1], "STRUCT-IoU ranks them the other way round"


def test_pages_show_it(board, site):
    page = site.get("/board?benchmark=english").text
    head = page[page.index("<thead>") :]
    assert head.index(">Toy distance<") < head.index(">STRUCT-IoU<")
    assert f"{DISTANCE:.4f}" in page
    signature = f"toy|weight:2.0|on_error:raise|version:{__version__}"
    words = words_of(page)
    assert "ranked by Toy, distance (lower is better)" in words
    assert "The interval is of that figure (without width where all rows" in words
    assert "percentiles of the bootstrap, with the lowest or highest row" in words
    assert signature in words
    second = board.board("english")[1].submission.id
    assert signature in words_of(site.get(f"/system/{second}"))


def test_api_has_it(site):
    row = site.board("english")[1]
    assert row["toy"] == round(DISTANCE, 4)
    assert row["interval"] == [0.0, round(2 / 6, 4)]
    assert row["interval_method"] == "percentile"


def test_metric_must_be_in_the_table(tmp_path):
    with pytest.raises(ValueError, match="unknown metric 'toy'; choose from struct_iou, parseval"):
        load_benchmark(write_benchmark(tmp_path / "other", "english", TOY))
