"""`structiou sparseval`."""

from __future__ import annotations

import json

import pytest

from support.cli import failed, runner, succeeded
from support.paths import DATA

PEERS = DATA / "peers"
CASES = [json.loads(line) for line in (PEERS / "sparseval_cases.jsonl").read_text("utf-8").splitlines()]
SETTINGS = "-p", str(PEERS / "sparseval_own.prm"), "-H", str(PEERS / "sparseval_own.heads")


@pytest.fixture
def case(tmp_path):
    """A conversation side with sentences cut elsewhere, as files."""
    found = next(c for c in CASES if len(c["reference"]) != len(c["hypothesis"]))
    (tmp_path / "gold.mrg").write_text("\n".join(found["reference"]) + "\n")
    (tmp_path / "test.txt").write_text("\n\n".join(found["hypothesis"]) + "\n")
    lines = [
        f"{ref}\t{pred}\t00{int(ref != pred)}" if ref and pred else f"{ref}\t100" if ref else f"\t{pred}\t010"
        for ref, pred in found["alignment"]
    ]
    (tmp_path / "side.align").write_text("\n".join(lines) + "\n")
    return found


@pytest.fixture
def sparseval(capsys, tmp_path):
    return runner(capsys, "sparseval", str(tmp_path / "gold.mrg"), str(tmp_path / "test.txt"), *SETTINGS)


def total(text):
    [line] = [line for line in text.splitlines() if line.startswith("Total:")]
    return list(map(int, line.removeprefix("Total:").split()))


def test_alignment_file_makes_files_units(sparseval, case, tmp_path):
    text = succeeded(sparseval("-a", tmp_path / "side.align"))
    assert total(text) == list(case["figures"]["aligned"].values())
    text = succeeded(sparseval("-a", tmp_path / "side.align", "-u", "-v"))
    assert total(text) == list(case["figures"]["aligned_unlabeled"].values())
    assert "    1 " in text
    assert "Unlabeled Bracketing Recall:" in text


def test_bag_of_documents(sparseval, case):
    text = succeeded(sparseval("-b", "-c"))
    assert total(text) == list(case["figures"]["bag"].values())
    assert "Bracketing" not in text


def test_report(capsys):
    files = str(DATA / "english.reference.mrg"), str(DATA / "english.prediction.txt")
    structiou = runner(capsys, "sparseval", *files)
    text = succeeded(structiou("--per-sentence"))
    found = json.loads(succeeded(structiou("--json", "--per-sentence")))
    rows = [line.split() for line in text.splitlines() if line[:5].strip().isdigit()]
    assert len(rows) == len(found["sentences"]) == 80
    assert list(map(int, rows[1]))[1:5] == [
        found["sentences"][1][name] for name in ("match", "gold", "test", "cross")
    ]
    told = dict(line.rsplit(":", 1) for line in text.splitlines() if ": " in line and "|" not in line)
    assert float(told["Labeled Bracketing F-measure"]) == pytest.approx(100 * found["f1"], abs=0.005)
    assert float(told["Labeled Head-dependency F-measure"]) == pytest.approx(
        100 * found["heads_f1"], abs=0.005
    )
    assert float(told["Labeled Open-class head-dependency Recall"]) == pytest.approx(
        100 * found["open_recall"], abs=0.005
    )
    assert int(told["Number of sentences"]) == 80
    assert int(told["Complete match"]) == round(80 * found["complete_match"])
    assert found["signature"] in text


def test_warnings_go_to_standard_error(capsys):
    files = str(DATA / "english.reference.mrg"), str(DATA / "english.prediction.txt")
    structiou = runner(capsys, "sparseval", *files)
    code, out, err = structiou("-p", DATA / "COLLINS.prm")
    assert code == 0
    assert "Total:" in out
    assert f"structiou: warning: {DATA / 'COLLINS.prm'}:1: unknown keyword 'DEBUG' is ignored" in err


def test_unequal_files_name_both(sparseval, case):
    assert "give the same number of both" in failed(sparseval())


def test_alignment_that_does_not_fit(sparseval, case, tmp_path):
    (tmp_path / "bad.align").write_text("nonsense\t100\n")
    message = failed(sparseval("-a", tmp_path / "bad.align"))
    assert f"{tmp_path / 'bad.align'}:1: the reference's word is 'nonsense'" in message
