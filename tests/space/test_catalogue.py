"""Benchmarks that come, change, break and go while the server runs."""

from __future__ import annotations

import pytest

from leaderboard.catalogue import Catalogue
from leaderboard.fields import FieldError
from leaderboard.people import Visitor
from leaderboard.service import Leaderboard
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, REFERENCE, WORSE, write_benchmark
from support.space_client import site_of, words_of
from web.views import columns_of

ANN = Visitor("ann", "10.0.0.1")
DATA = ("\n".join(REFERENCE) + "\n").encode()


def submit(board, system, rows=REFERENCE, benchmark="english"):
    data = ("\n".join(rows) + "\n").encode()
    return board.wait(board.submit(ANN, benchmark, system, "", "", data).id, PATIENCE)


def test_one_bad_benchmark_does_not_stop_the_others(settings):
    bad = write_benchmark(settings.benchmarks, "bad", DESCRIPTION.replace("title", "titel"))
    board = Leaderboard(settings)
    assert list(board.benchmarks) == ["english", "hebrew"]
    assert "unknown key titel" in board.catalogue.broken["bad"]
    assert "unknown key titel" in words_of(site_of(board).host("/host"))
    (bad / "benchmark.toml").write_text(DESCRIPTION, "utf-8")
    (change,) = board.scorer.look()
    assert change[:2] == ("bad", "added")
    assert list(board.benchmarks) == ["bad", "english", "hebrew"]
    assert board.scorer.look() == []


def test_only_bad_benchmarks_are_an_error(tmp_path):
    write_benchmark(tmp_path, "bad", DESCRIPTION.replace("title", "titel"))
    with pytest.raises(ValueError, match="unknown key titel"):
        Catalogue(tmp_path)


def test_benchmark_is_added_without_a_restart(board, settings):
    with pytest.raises(FieldError, match="choose from english, hebrew"):
        submit(board, "x", benchmark="new")
    write_benchmark(settings.benchmarks, "new")
    assert [change[:2] for change in board.scorer.look()] == [("new", "added")]
    assert submit(board, "x", benchmark="new").state == "scored"
    assert [(deed.who, deed.action, deed.subject) for deed in board.audit.deeds()] == [
        ("server", "benchmark added", "new")
    ]


def test_a_link_that_leads_nowhere_hides_no_change(board, settings):
    folder = settings.benchmarks / "english"
    (folder / "a-link").symlink_to("nowhere")  # before the other files, by its name
    board.scorer.look()
    assert board.scorer.look() == []
    (folder / "gold.txt").write_text("\n".join(WORSE) + "\n", "utf-8")
    assert [change[:2] for change in board.scorer.look()] == [("english", "changed")]


def test_the_server_looks_by_itself(settings):
    board = Leaderboard(settings.model_copy(update={"look_seconds": 0.05}))
    board.start()
    try:
        write_benchmark(settings.benchmarks, "new")
        with board.scorer.changed:
            assert board.scorer.changed.wait_for(lambda: "new" in board.benchmarks, PATIENCE)
    finally:
        board.stop()


def test_benchmark_that_breaks_is_shown_and_waits(board, settings):
    done = submit(board, "x")
    path = settings.benchmarks / "english" / "gold.txt"
    good = path.read_text("utf-8")
    path.write_text("(S (A a)\n", "utf-8")
    (change,) = board.scorer.look()
    assert (change.name, change.kind) == ("english", "broken")
    with pytest.raises(FieldError, match="this benchmark is being changed; try again later"):
        submit(board, "y")
    board.administer("host-token", "re-score", done.id)
    assert board.store.get(done.id).state == "queued"
    assert submit(board, "x", ["(S (NP (NN הבית)) (ADJP (JJ גדול)))"], "hebrew").state == "scored"
    assert board.store.get(done.id).state == "queued", "it waits for the benchmark to be right again"
    path.write_text(good, "utf-8")
    board.scorer.look()
    assert board.wait(done.id, PATIENCE).state == "scored"


def test_folder_that_is_gone_takes_its_board_along(board, settings):
    submit(board, "x")
    folder = settings.benchmarks / "english"
    folder.rename(settings.benchmarks.parent / "away")
    assert [change[:2] for change in board.scorer.look()] == [("english", "gone")]
    with pytest.raises(FieldError, match="there is no benchmark of that name"):
        board.board("english")
    (settings.benchmarks.parent / "away").rename(folder)
    board.scorer.look()
    assert len(board.board("english")) == 1


def test_gold_that_changes_is_told_and_scored_again(settings):
    board = Leaderboard(settings)  # does not score, so that what is between can be seen
    scorer = Leaderboard(settings)
    scorer.start()
    try:
        done = submit(scorer, "x", WORSE)
    finally:
        scorer.stop()
    before = board.board("english")[0].result["metrics"]["struct_iou"]["figures"]["struct_iou_sentence"]
    assert before < 1.0
    gold = settings.benchmarks / "english" / "gold.txt"
    gold.write_text("\n".join(WORSE) + "\n", "utf-8")
    assert [change[:2] for change in board.scorer.look()] == [("english", "changed")]
    (entry,) = board.board("english")
    assert entry.old
    cells = {column.title: column.cell(entry) for column in columns_of(board.benchmark("english"))}
    assert (cells["rank"], cells["group"], cells["STRUCT-IoU"]) == (None, None, round(before, 4))
    assert cells["95% interval"] == "old, being scored again"
    site = site_of(board)
    assert "have changed. 1 system with older figures" in site.get("/board?benchmark=english").text
    assert "This submission is being scored." in site.get(f"/system/{done.id}").text
    assert next((deed.action, deed.detail) for deed in board.audit.deeds()) == (
        "re-score",
        "the reference trees or options have changed",
    )
    assert board.store.get(done.id).state == "queued"
    board.start()
    try:
        board.wait(done.id, PATIENCE)
        (entry,) = board.board("english")
        assert not entry.old
        assert entry.interval.value == 1.0
    finally:
        board.stop()
