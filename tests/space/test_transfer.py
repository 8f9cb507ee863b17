"""Export and import of results, and tables for spreadsheets."""

from __future__ import annotations

import csv
import io
import json

import pytest

from leaderboard.service import Visitor
from leaderboard.store import Store
from leaderboard.transfer import TransferError, as_csv, export_lines, import_lines
from support.process import PATIENCE
from support.space_boards import REFERENCE


@pytest.fixture
def exported(board):
    for system in ("a", "b"):
        accepted = board.submit(
            Visitor("ann", "x"), "english", system, "", "me", "\n".join(REFERENCE).encode()
        )
        board.wait(accepted.id, PATIENCE)
    return board.store, list(export_lines(board.store))


def test_export_and_import_keep_everything(exported, tmp_path):
    store, lines = exported
    other = Store(tmp_path / "other.sqlite3")
    assert import_lines(other, lines) == (2, 0)
    assert other.all() == store.all()
    assert other.scored("english", summaries=True) == store.scored("english", summaries=True)
    assert [other.result(item.id) for item in other.all()] == [store.result(item.id) for item in store.all()]
    assert [other.upload(item.id) for item in other.all()] == [store.upload(item.id) for item in store.all()]
    assert import_lines(other, lines) == (0, 2)


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param(lambda line: line[:-5], "line 2 is no exported submission", id="cut"),
        pytest.param(lambda line: "[1]", "line 2 is no exported submission", id="list"),
        pytest.param(lambda line: json.dumps({**json.loads(line), "x": 1}), "unexpected keyword", id="field"),
        pytest.param(lambda line: json.dumps({**json.loads(line), "system": 3}), "wrong kind", id="kind"),
        pytest.param(lambda line: json.dumps({**json.loads(line), "upload": "*"}), "line 2", id="upload"),
        pytest.param(lambda line: json.dumps({**json.loads(line), "result": None}), "no result", id="result"),
    ],
)
def test_import_takes_all_or_nothing(exported, tmp_path, change, message):
    _, lines = exported
    other = Store(tmp_path / "other.sqlite3")
    with pytest.raises(TransferError, match=message):
        import_lines(other, [lines[0], change(lines[1])])
    assert other.all() == []


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", " =1", "\t=1", "\r=1"])
def test_csv_has_no_formulas(cell):
    ((_,), (written,)) = csv.reader(io.StringIO(as_csv(["name"], [[cell]]), newline=""))
    assert written == f"'{cell}"


def test_csv_numbers_and_quotes():
    assert as_csv(["a", "b"], [[-0.5, 'x "y", z']]) == '"a","b"\n-0.5,"x ""y"", z"\n'
