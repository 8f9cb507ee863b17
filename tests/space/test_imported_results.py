"""Results taken over from an export: those of other metrics are scored again, damaged ones refused."""

from __future__ import annotations

import json

import pytest

from leaderboard.people import Visitor
from leaderboard.service import Leaderboard
from leaderboard.store import Store
from leaderboard.transfer import export_lines, import_lines
from support.process import PATIENCE
from support.space_boards import REFERENCE


@pytest.fixture
def exported(settings):
    """The exported submission of a board, with its result."""
    board = Leaderboard(settings)
    data = ("\n".join(REFERENCE) + "\n").encode()
    accepted = board.submit(Visitor("ann", "x"), "english", "mine", "", "", data)
    board.start()
    try:
        assert board.wait(accepted.id, PATIENCE).state == "scored"
    finally:
        board.stop()
    *_, line = export_lines(board.store)
    return json.loads(line)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda found: found.update(bleu=found["parseval"]), id="unknown metric"),
        pytest.param(lambda found: found["parseval"]["figures"].pop("parseval_recall"), id="figure less"),
        pytest.param(lambda found: found["parseval"]["figures"].update(new=1.0), id="figure more"),
    ],
)
def test_result_of_another_version_with_other_figures_is_scored_again(exported, tmp_path, change):
    change(exported["result"]["metrics"])
    with pytest.raises(ValueError, match="line 1 is no exported submission"):
        import_lines(Store(tmp_path / "same.sqlite3"), [json.dumps(exported)])
    exported["result"]["version"] = "0.1"
    other = Store(tmp_path / "other.sqlite3")
    assert import_lines(other, [json.dumps(exported)]) == (1, 0)
    assert other.get(exported["id"]).state == "queued"
    assert other.result(exported["id"]) is None


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param(lambda one, _: one["figures"].update(parseval_f1=0.5), "not those of", id="figure"),
        pytest.param(lambda one, _: one["shown"].update(x=0.5), "are not the same", id="rounded"),
        pytest.param(lambda one, _: one["digits"].update(parseval_f1=-1), "digits", id="digits"),
        pytest.param(lambda _, rows: rows["columns"]["n_ref"].pop(), "a number for each row", id="column"),
        pytest.param(lambda _, rows: rows["status"].append(0), "a number for each row", id="status"),
        pytest.param(lambda _, rows: rows["columns"].pop("matched"), "matched", id="no column"),
        pytest.param(lambda _, rows: rows.update(rows=[0, 1, 7]), "a number for each sentence", id="rows"),
        pytest.param(lambda one, _: one.update(refused=None), "refused", id="kind"),
    ],
)
def test_damaged_result_is_refused(exported, tmp_path, change, message):
    change(exported["result"]["metrics"]["parseval"], exported["result"]["rows"]["parseval"])
    other = Store(tmp_path / "other.sqlite3")
    with pytest.raises(ValueError, match=message):
        import_lines(other, [json.dumps(exported)])
    assert other.all() == []
