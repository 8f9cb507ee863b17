"""Databases and exports of version 0.1.0: results in their form are made anew, and nothing else is lost."""

from __future__ import annotations

import json

import pytest

from leaderboard.service import Leaderboard
from leaderboard.store import Store
from leaderboard.transfer import export_lines, import_lines
from leaderboard.visitors import Visitor
from pages.board import show_system
from support.process import PATIENCE
from support.space_boards import REFERENCE

COLUMNS = {"matched": [6.0, 7.0, 5.0], "n_pred": [6, 7, 5], "n_ref": [6, 7, 5]}
OLD = {
    "version": "0.1.0",
    "setting": "0" * 64,
    "signature": "structiou|unit:word|version:0.1.0",
    "sentence": 1.0,
    "corpus": 1.0,
    "precision": 1.0,
    "recall": 1.0,
    "n_sentences": 3,
    "n_empty": 0,
    "columns": COLUMNS,
    "labels": [{"label": "NP", "struct_iou": 1.0, "n_pred": 4, "n_ref": 4}],
    "lengths": [{"words": "1–10", "n_sentences": 3, "struct_iou": 1.0}],
    "parseval": {"f1": 1.0, "n_valid": 3, "columns": {**COLUMNS, "status": [0, 0, 0]}},
}


@pytest.fixture
def old(settings):
    """A board that does not score yet, with a submission that version 0.1.0 scored."""
    board = Leaderboard(settings)
    data = ("\n".join(REFERENCE) + "\n").encode()
    accepted = board.submit(Visitor("ann", "x"), "english", "old", "", "", data)
    board.store.finish(accepted.id, OLD)
    return board, accepted.id


def scored(board, id_):
    """The line of the board after the submission is scored anew."""
    board.start()
    try:
        assert board.wait(id_, PATIENCE).state == "scored"
        (entry,) = board.board("english")
    finally:
        board.stop()
    return entry


def test_old_result_is_not_shown_but_made_anew(old):
    board, id_ = old
    assert board.board("english") == []
    assert board.system(id_)[1] is None
    assert "This submission is being scored." in show_system(board, id_)
    entry = scored(board, id_)
    assert entry.submission.id == id_
    assert entry.result["metrics"]["struct_iou"]["figures"]["struct_iou_sentence"] == 1.0


@pytest.mark.parametrize("state", ["scored", "queued"])
def test_old_export_is_scored_anew(old, settings, state):
    board, id_ = old
    *_, line = export_lines(board.store)
    values = {**json.loads(line), "state": state}
    assert values["result"] == OLD
    other = Leaderboard(settings._replace(data=settings.data.with_name("other")))
    assert import_lines(other.store, [json.dumps(values)]) == (1, 0)
    assert other.store.get(id_).state == "queued"
    assert other.store.result(id_) is None
    assert scored(other, id_).submission.system == "old"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda kept: kept.update(bleu=kept["parseval"]), id="unknown metric"),
        pytest.param(lambda kept: kept["parseval"]["figures"].pop("parseval_recall"), id="figure less"),
        pytest.param(lambda kept: kept["parseval"]["figures"].update(new=1.0), id="figure more"),
    ],
)
def test_result_with_other_figures_is_made_anew(old, tmp_path, change):
    board, id_ = old
    scored(board, id_)
    *_, line = export_lines(board.store)
    values = json.loads(line)
    change(values["result"]["metrics"])
    other = Store(tmp_path / "other.sqlite3")
    assert import_lines(other, [json.dumps(values)]) == (1, 0)
    assert other.get(id_).state == "queued"


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param(lambda kept: kept["figures"].update(parseval_f1=0.5), "not those of", id="figure"),
        pytest.param(lambda kept: kept["columns"]["n_ref"].pop(), "a number for each row", id="column"),
        pytest.param(lambda kept: kept["status"].append(0), "a number for each row", id="status"),
        pytest.param(lambda kept: kept["columns"].pop("matched"), "matched", id="no column"),
        pytest.param(lambda kept: kept.update(rows=[0, 1, 7]), "a number for each sentence", id="rows"),
        pytest.param(lambda kept: kept.update(refused=None), "refused", id="kind"),
    ],
)
def test_damaged_result_is_refused(old, tmp_path, change, message):
    board, id_ = old
    scored(board, id_)
    *_, line = export_lines(board.store)
    values = json.loads(line)
    change(values["result"]["metrics"]["parseval"])
    other = Store(tmp_path / "other.sqlite3")
    with pytest.raises(ValueError, match=message):
        import_lines(other, [json.dumps(values)])
    assert other.all() == []
