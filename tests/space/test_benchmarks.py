"""The folder of a benchmark: every mistake in it is told, and nothing half right is served."""

from __future__ import annotations

import gzip

import pytest

from leaderboard.benchmarks import load_benchmark, load_benchmarks
from leaderboard.ranking import rank_systems
from leaderboard.service import Leaderboard
from leaderboard.visitors import Visitor

from .conftest import DESCRIPTION, REFERENCE, WORSE, write_benchmark

ANN = Visitor("ann", "x")


def test_load_benchmark(tmp_path):
    benchmark = load_benchmark(write_benchmark(tmp_path, "english"))
    assert (benchmark.name, benchmark.title, benchmark.language) == ("english", "Small English", "English")
    assert benchmark.metric.options.labels == "base"
    assert benchmark.parseval == "collins"
    assert benchmark.rank_by == "sentence"
    assert benchmark.show_sentences is False
    assert len(benchmark.read_reference()) == 3


def test_reference_may_be_packed(tmp_path):
    folder = write_benchmark(tmp_path, "english")
    (folder / "gold.txt").write_bytes(gzip.compress(("\n".join(REFERENCE) + "\n").encode()))
    assert len(load_benchmark(folder).read_reference()) == 3


def test_parseval_parameters_may_be_a_file(tmp_path):
    folder = write_benchmark(tmp_path, "english", DESCRIPTION.replace("collins", "own.prm"))
    (folder / "own.prm").write_text("DEBUG 0\nLABELED 0\n", "utf-8")
    assert load_benchmark(folder).parseval == str(folder / "own.prm")


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param(("title", "titel"), "unknown key titel; choose from description, language", id="key"),
        pytest.param(('title = "Small English"', ""), "the key title is missing", id="missing"),
        pytest.param(('"Small English"', "3"), "title must be a text", id="kind"),
        pytest.param(("parseval", "show_sentences = 1\nparseval"), "must be true or false", id="truth"),
        pytest.param(('title = "', "title = "), "benchmark.toml: ", id="toml"),
        pytest.param(
            ("parseval", 'rank_by = "speed"\nparseval'), "choose from sentence, corpus", id="rank_by"
        ),
        pytest.param(
            ('parseval = "collins"', 'rank_by = "parseval"'),
            "needs parseval = a set of parameters",
            id="no parseval",
        ),
        pytest.param(('"collins"', '"rollins"'), "'rollins' is no file in this folder", id="parameters"),
        pytest.param(('"collins"', '"gold.txt"'), "unknown keyword", id="no parameters"),
        pytest.param(("gold.txt", "none.txt"), "'none.txt' is no file in this folder", id="no reference"),
        pytest.param(("gold.txt", "../english/gold.txt"), "is no file in this folder", id="other folder"),
        pytest.param(("gold.txt", "/etc/passwd"), "'/etc/passwd' is no file in this folder", id="absolute"),
        pytest.param(("gold.txt", ""), "'' is no file in this folder", id="empty"),
        pytest.param(('labels = "base"', 'labels = "bass"'), "unknown labels 'bass'", id="option"),
        pytest.param(('labels = "base"', 'average = "corpus"'), "unknown key options.average", id="average"),
        pytest.param(('labels = "base"', 'on_error = "zero"'), "unknown key options.on_error", id="on_error"),
        pytest.param(('labels = "base"', "min_iou = 2"), "min_iou must be at least 0", id="min_iou"),
        pytest.param(('labels = "base"', 'drop = "TOP"'), "drop must be a list of labels", id="drop"),
        pytest.param(('labels = "base"', 'unit = "time"'), "this word has no time", id="unit"),
        pytest.param(('[options]\nlabels = "base"', "options = 3"), "options must be a table", id="no table"),
        pytest.param(("parseval", 'layout = "square"\nparseval'), "unknown layout 'square'", id="layout"),
    ],
)
def test_description_with_a_mistake(tmp_path, change, message):
    assert change[0] in DESCRIPTION
    folder = write_benchmark(tmp_path, "english", DESCRIPTION.replace(*change, 1))
    with pytest.raises(ValueError, match="english") as caught:
        load_benchmark(folder)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "trees, message",
    [
        pytest.param(["(S (A a)"], "this '(' is never closed", id="tree"),
        pytest.param([], "there are no trees in it", id="no tree"),
        pytest.param(["(S (A a))", "()"], "row 2 is empty", id="empty tree"),
        pytest.param(["(S (A a))", "", "(S (A a))"], "row 2 is empty", id="blank line"),
    ],
)
def test_reference_with_a_mistake(tmp_path, trees, message):
    folder = write_benchmark(tmp_path, "english")
    (folder / "gold.txt").write_text("".join(f"{tree}\n" for tree in trees), "utf-8")
    with pytest.raises(ValueError, match=r"gold\.txt") as caught:
        load_benchmark(folder)
    assert message in str(caught.value)


def test_description_that_is_not_utf8(tmp_path):
    folder = write_benchmark(tmp_path, "english")
    (folder / "benchmark.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(ValueError, match=r"benchmark\.toml: "):
        load_benchmark(folder)


@pytest.mark.parametrize("name", ["English", "a b", "-x", "x" * 65, "é"])
def test_name_of_the_folder(tmp_path, name):
    with pytest.raises(ValueError, match="name the folder in small letters"):
        load_benchmark(write_benchmark(tmp_path, name))


def test_folder_without_benchmarks(tmp_path):
    (tmp_path / "x").mkdir()
    with pytest.raises(ValueError, match="there is no folder with a benchmark"):
        load_benchmarks(tmp_path)


def test_one_bad_benchmark_keeps_all_from_being_served(tmp_path):
    write_benchmark(tmp_path, "good")
    write_benchmark(tmp_path, "bad", "title = 3")
    with pytest.raises(ValueError, match="bad"):
        load_benchmarks(tmp_path)


def test_benchmarks_of_the_space_load(tmp_path):
    from .conftest import SPACE

    found = load_benchmarks(SPACE / "benchmarks")
    assert set(found) == {"english", "hebrew", "speech"}
    assert found["hebrew"].metric.options.unit == "char"


# ---- a benchmark that changes -------------------------------------------------------------------


def submit(board, rows):
    accepted = board.submit(ANN, "english", "x", "", "", ("\n".join(rows) + "\n").encode())
    return board.wait(accepted.id, 30.0)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda folder: (folder / "gold.txt").write_text("\n".join(WORSE) + "\n"), id="reference"
        ),
        pytest.param(
            lambda folder: (folder / "benchmark.toml").write_text(DESCRIPTION.replace("base", "ignore")),
            id="options",
        ),
        pytest.param(
            lambda folder: (folder / "benchmark.toml").write_text(
                DESCRIPTION.replace("collins", "spmrl").replace(
                    "parseval", 'rank_by = "parseval"\nparseval', 1
                )
            ),
            id="ranking",
        ),
    ],
)
def test_change_of_a_benchmark_scores_all_again(settings, change):
    board = Leaderboard(settings)
    board.start()
    first = submit(board, REFERENCE)
    before = board.store.result(first.id)
    board.stop()
    change(settings.benchmarks / "english")
    board = Leaderboard(settings)
    assert board.board("english") == [], "old scores do not compare with new ones"
    board.start()
    try:
        board.wait(first.id, 30.0)
        (entry,) = board.board("english")
        assert entry.result["setting"] != before["setting"]
    finally:
        board.stop()


def test_reference_of_another_length_fails_what_was_submitted(settings):
    board = Leaderboard(settings)
    board.start()
    first = submit(board, REFERENCE)
    board.stop()
    (settings.benchmarks / "english" / "gold.txt").write_text("\n".join(REFERENCE * 2) + "\n")
    board = Leaderboard(settings)
    board.start()
    try:
        done = board.wait(first.id, 30.0)
        assert done.state == "failed"
        assert board.board("english") == []
        assert submit(board, REFERENCE * 2).state == "scored"
    finally:
        board.stop()


def test_broken_reference_is_not_shown_to_submitters(board, settings):
    (settings.benchmarks / "english" / "gold.txt").write_text(
        "(S (SECRET (A xyzzy)))\n(S (SECRET xyzzy\n" + REFERENCE[0]
    )
    with pytest.raises(ValueError, match="this benchmark is being changed") as caught:
        board.submit(ANN, "english", "x", "", "", ("\n".join(REFERENCE) + "\n").encode())
    assert "xyzzy" not in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_removed_benchmark_takes_its_submissions_along(settings):
    board = Leaderboard(settings)
    board.start()
    first = submit(board, REFERENCE)
    board.stop()
    (settings.benchmarks / "english" / "benchmark.toml").unlink()
    board = Leaderboard(settings)
    with pytest.raises(ValueError, match="there is no such submission"):
        board.system(first.id)
    with pytest.raises(ValueError, match="there is no benchmark of that name"):
        board.board("english")


def test_rank_by_parseval_and_corpus(settings):
    for rank_by in ("parseval", "corpus"):
        path = settings.benchmarks / "english" / "benchmark.toml"
        path.write_text(DESCRIPTION.replace("parseval", f'rank_by = "{rank_by}"\nparseval', 1))
        board = Leaderboard(settings._replace(data=settings.data / rank_by))
        board.start()
        try:
            for system, rows in (("worse", WORSE), ("exact", REFERENCE), ("failed", ["()"] * 3)):
                accepted = board.submit(ANN, "english", system, "", "", ("\n".join(rows) + "\n").encode())
                board.wait(accepted.id, 30.0)
            assert [entry.submission.system for entry in board.board("english")] == [
                "exact",
                "worse",
                "failed",
            ]
        finally:
            board.stop()
    assert rank_systems(board.benchmark("english"), []) == []
