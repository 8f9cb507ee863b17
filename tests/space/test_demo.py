"""The baselines that a newcomer sees."""

from __future__ import annotations

import pytest

from demo import add_baselines
from leaderboard.catalogue import Catalogue
from leaderboard.service import Leaderboard
from leaderboard.settings import Settings
from structiou_metric import read_trees
from support.paths import SPACE
from support.process import PATIENCE
from support.space_boards import write_benchmark


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """All baselines, scored."""
    settings = Settings(data=tmp_path_factory.mktemp("demo") / "data", benchmarks=SPACE / "benchmarks")
    n_added = add_baselines(settings)
    board = Leaderboard(settings)
    board.start()
    for submission in board.store.all():
        board.wait(submission.id, PATIENCE)
    yield board, n_added
    board.stop()


def figure(entry):
    return entry.result["metrics"]["struct_iou"]["figures"]["struct_iou_sentence"]


def test_every_baseline_is_scored(demo):
    board, n_added = demo
    found = board.store.all()
    assert len(found) == n_added
    assert {item.state for item in found} == {"scored"}
    assert {item.benchmark for item in found} == set(Catalogue(SPACE / "benchmarks").benchmarks)
    assert {item.owner for item in found} == {"demo"}


@pytest.mark.parametrize("name", ["english", "hebrew", "speech"])
def test_boards_are_worth_looking_at(demo, name):
    board, _ = demo
    entries = {entry.submission.system: entry for entry in board.board(name)}
    assert len(entries) >= 2
    baseline, flat = entries["baseline"], entries["baseline, flat"]
    benchmark = board.benchmark(name)
    folder = SPACE / "benchmarks" / name
    unit = benchmark.metric.options.unit
    trees = [read_trees(folder / file, unit) for file in ("baseline.txt", "reference.txt")]
    expected = benchmark.metric.corpus_score(*trees)
    assert benchmark.rank_by == "struct_iou_sentence"
    assert baseline.interval.value == pytest.approx(expected.sentence)
    assert figure(baseline) == expected.sentence
    assert 0.5 < figure(baseline) < 1.0
    assert figure(flat) < figure(baseline)
    assert baseline.rank < flat.rank


def test_perturbations_cost_more_the_stronger_they_are(demo):
    board, _ = demo
    for name in ("hebrew", "speech"):
        scores = {entry.submission.system: figure(entry) for entry in board.board(name)}
        kinds = {system.rsplit(" ", 1)[0] for system in scores if system.endswith("0.5")}
        assert kinds
        for kind in kinds:
            assert scores[f"{kind} 0.5"] < scores[f"{kind} 0.2"] < scores["baseline"]


def test_baselines_are_added_once(demo):
    board, n_added = demo
    assert n_added > 0
    assert add_baselines(board.settings) == 0
    assert len(board.store.all()) == n_added


def test_benchmarks_without_baselines_stay_empty(tmp_path):
    write_benchmark(tmp_path / "benchmarks", "english")
    assert add_baselines(Settings(data=tmp_path / "data", benchmarks=tmp_path / "benchmarks")) == 0
