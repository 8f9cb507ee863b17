"""`structiou why`, and what other commands tell of causes."""

from __future__ import annotations

import json
import re
import sys

import pytest

from structiou_metric import StructIoU
from structiou_metric.sources.files import TreeFile
from support.cli import failed, runner, succeeded
from support.paths import DATA

ENGLISH = str(DATA / "english.reference.mrg"), str(DATA / "english.prediction.txt")
SPEECH = str(DATA / "speech.reference.txt"), str(DATA / "speech.prediction.txt")

# The telescope: the outer NP of the prediction is what is lost, 1 of 11 + 12 nodes.
HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NN hat)))))"
LOW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NN hat))))))"
N_NODES = HIGH.count("(") + LOW.count("(")
N_REF = HIGH.count("(") + 3 + 2  # of the reference in `files`


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return runner(capsys)


@pytest.fixture
def files(structiou, tmp_path):
    (tmp_path / "gold.mrg").write_text(f"{HIGH}\n(S (A a) (B b))\n(S (A a))\n", "utf-8")
    (tmp_path / "parsed.txt").write_text(f"{LOW}\n(S (A a) (C b))\n()\n", "utf-8")
    return "gold.mrg", "parsed.txt"


def table(text, title):
    """The rows below a title, up to a blank line, by their first cell."""
    lines = text.split(title, 1)[1].split("\n\n")[0].splitlines()[2:]
    return {re.split(r"  +", line)[0]: re.split(r"  +", line)[1:] for line in lines}


def test_causes_of_a_corpus(structiou, files):
    out = succeeded(structiou("why", *files))
    causes = table(out, "what is lost")
    n_nodes = N_NODES + 6 + 2
    assert causes["attachment"][:4] == ["1.00", "20.0%", f"-{1 / n_nodes:.4f}", "1"]
    assert causes["tag"][:4] == ["2.00", "40.0%", f"-{2 / n_nodes:.4f}", "1"]
    assert causes["failed"][:4] == ["2.00", "40.0%", f"-{2 / n_nodes:.4f}", "1"]
    assert causes["all"] == ["5.00", "100.0%", f"-{5 / n_nodes:.4f}", "3"]
    assert set(causes) == {"attachment", "tag", "failed", "all"}


def test_moves_of_a_corpus(structiou, files):
    moves = table(succeeded(structiou("why", *files)), "by class of error")
    assert moves["PP attachment"][:3] == ["1", "1", f"+{1 / N_NODES / 3:.4f}"]
    assert moves["tag"][:3] == ["1", "1", f"+{1 / 9:.4f}"]  # one third of a third
    assert moves["failed"][:3] == ["1", "1", f"+{1 / 3:.4f}"]
    assert "by class of error" not in succeeded(structiou("why", *files, "--no-moves"))


def test_confusions_of_a_corpus(structiou, files):
    out = succeeded(structiou("why", *files))
    assert table(out, "tags confused") == {"C": ["B", "2.00"]}
    assert table(out, "where a phrase hangs")["PP attachment"] == ["NP", "VP", "1", "1.00"]
    out = succeeded(structiou("why", *files, "--top", "0"))
    assert "confused" not in out
    assert "where a phrase hangs" not in out


def test_one_pair(structiou, files):
    out = succeeded(structiou("why", *files, "--row", "1", "--svg", "why.svg"))
    assert "NP  attachment" in out
    assert f"attachment: predicted NP “a … hat”. That costs {1 / N_NODES:.3f}." in out
    assert f"PP attachment: move PP “with hat” from NP to VP (+{1 / N_NODES:.3f})" in out
    with open("why.svg", encoding="utf-8") as file:
        assert "attachment" in file.read()


def test_one_pair_of_brackets_is_that_of_a_file(structiou, files):
    assert succeeded(structiou("why", HIGH, LOW)) == succeeded(structiou("why", *files, "--row", "1"))


def test_json_adds_up(structiou, files):
    found = json.loads(succeeded(structiou("why", *ENGLISH, "--labels", "base", "--json")))
    result = StructIoU(labels="base").corpus_score(*map(TreeFile.read, reversed(ENGLISH)))
    n_nodes = sum(result.columns["n_pred"]) + sum(result.columns["n_ref"])
    assert sum(found["losses"]["by_cause"].values()) == pytest.approx(n_nodes * (1 - result.corpus), abs=1e-9)
    gains = [total["corpus_gain"] for total in found["moves"]["classes"].values()]
    assert sum(gains) == pytest.approx(1 - result.corpus, abs=1e-9)
    assert found["schema"] == "structiou.why.v1"


def test_json_of_a_pair(structiou):
    found = json.loads(succeeded(structiou("why", "(S (A a) (B b))", "(S (A a) (C b))", "--json")))
    assert found["losses"] == [
        {
            "side": side,
            "cause": "tag",
            "loss": 1.0,
            "node": {"label": own, "start": 1, "end": 2},
            "other": {"label": other, "start": 1, "end": 2},
        }
        for side, own, other in (("prediction", "C", "B"), ("reference", "B", "C"))
    ]


def test_page_without_its_library_is_refused_first(structiou, files, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr("structiou_metric.metrics.runner.run_batches", lambda *args: pytest.fail("scored"))
    error = failed(structiou("why", *files, "--html", "why.html"))
    assert error == "structiou: a page needs jinja2: pip install 'structiou-metric[html]'\n"


def test_page(structiou, files):
    pytest.importorskip("jinja2")
    succeeded(structiou("why", *files, "--html", "why.html"))
    with open("why.html", encoding="utf-8") as file:
        page = file.read()
    assert page.startswith("<!DOCTYPE html>")
    assert "move PP “with hat” from NP to VP" in page
    assert page.count("<svg") == 2  # the failed parse is not drawn
    assert "<script" not in page


def test_latex(structiou, files):
    out = succeeded(structiou("why", *files, "--latex"))
    assert r"PP attachment & 1 & 1 &" in out
    assert out.count(r"\begin{table}") == out.count(r"\end{table}") == 4
    assert r"\begin{forest}" in succeeded(structiou("why", *files, "--row", "1", "--latex"))


def test_empty_and_equal_pairs(structiou):
    assert "Every node has an equal partner" in succeeded(structiou("why", HIGH, HIGH))
    assert "The prediction is empty" in succeeded(structiou("why", HIGH, "()"))


@pytest.mark.parametrize(
    "args, message",
    [
        (["gold.mrg", "parsed.txt", "--svg", "x.svg"], "--svg is for one pair"),
        (["gold.mrg", "parsed.txt", "--row", "1", "--html", "x.html"], "--html is for many pairs"),
        (["gold.mrg", "parsed.txt", "--style", "german"], "'german' is none of"),
    ],
)
def test_bad_usage(structiou, files, args, message):
    assert message in failed(structiou("why", *args), 2)


def test_row_out_of_range(structiou, files):
    assert "gold.mrg: 3 trees; there is no row 4" in failed(structiou("why", *files, "--row", "4"))


# ---- other commands --------------------------------------------------------------------------------


def test_score_why(structiou, files):
    out = succeeded(structiou("score", *files, "--why"))
    assert table(out, "what is lost")["tag"][:2] == ["2.00", "40.0%"]
    found = json.loads(succeeded(structiou("score", *files, "--why", "--json")))
    assert found["losses"]["by_cause"]["failed"] == 2.0
    err = failed(structiou("score", *files, "--metric", "parseval", "--why"), 2)
    assert "--why: only STRUCT-IoU tells" in err


def test_compare_by_cause(structiou, files, tmp_path):
    pytest.importorskip("numpy")
    (tmp_path / "other.txt").write_text(f"{HIGH}\n(S (A a) (B b))\n()\n", "utf-8")
    args = ["compare", *files, "other.txt", "--metric", "struct_iou", "--resamples", "99", "--full"]
    out = succeeded(structiou(*args))
    rows = table(out, "per node of the reference")
    assert [cell.split()[0] for cell in rows["tag"]] == ["0.0000", f"{2 / N_REF:.4f}"]
    # Swapping the only sentence with other tags, or not: half of the swaps are as far apart on either side.
    found = json.loads(succeeded(structiou(*args, "--json")))["causes"]
    tag = found["pairs"][0]["differences"]["tag"]
    assert tag["interval"]["value"] == pytest.approx(-2 / N_REF)
    assert tag["p_randomization"] == 1.0
    assert set(found["systems"]) == {"parsed", "other"}
    assert "by cause" not in succeeded(structiou(*args, "--no-why"))


def test_causes_that_are_equal_in_every_row_do_not_differ(structiou, tmp_path):
    """Both systems fail the same rows; one predicts a node more in each of the others."""
    pytest.importorskip("numpy")
    tree, extra = "(S (A a) (B b))", "(S (X (A a)) (B b))"
    failing = [k % 10 == 0 for k in range(60)]
    (tmp_path / "gold.mrg").write_text("".join(f"{tree}\n" for _ in failing), "utf-8")
    for name, parse in (("one", tree), ("two", extra)):
        (tmp_path / name).write_text("".join("()\n" if no else f"{parse}\n" for no in failing), "utf-8")
    args = ["compare", "gold.mrg", "one", "two", "--metric", "struct_iou", "--full"]
    differences = succeeded(structiou(*args)).split("differences by cause")[1]
    (line,) = [line for line in differences.splitlines() if line.startswith("  failed")]
    assert re.split(r"  +", line.strip()) == ["failed", "0.0000", "0.0000 … 0.0000", "1.0000"]
    found = json.loads(succeeded(structiou(*args, "--json")))["causes"]["pairs"][0]["differences"]
    assert (found["failed"]["interval"]["value"], found["failed"]["p_holm"]) == (0.0, 1.0)
    assert not found["failed"]["significant"]
    assert any(own["significant"] for own in found.values())  # the node more is found


@pytest.mark.parametrize("files", [SPEECH, (SPEECH[0], SPEECH[0])], ids=["parsed", "equal"])
def test_curve_by_cause(structiou, files):
    args = ["curve", *files, "--kinds", "noise", "--deltas", "0,0.5", "--repeats", "1", "--why"]
    table_of_causes = succeeded(structiou(*args)).partition(
        "what STRUCT-IoU at corpus level lacks of 1, by cause\n"
    )
    head, *rows = table_of_causes[2].splitlines()
    points = json.loads(succeeded(structiou(*args, "--json")))["points"]
    for point in points:
        lost = sum(values[0] for key, values in point.items() if key.startswith("lost_"))
        assert lost == pytest.approx(1 - point["struct_iou_corpus"][0], abs=1e-9)
    assert points[1]["lost_timing"][0] > points[0]["lost_timing"][0]  # noise moves boundaries, not brackets
    # The causes that cost anything, the greatest loss first, and what each costs at each level.
    most = {key: max(point[key][0] for point in points) for key in points[0] if key.startswith("lost_")}
    keys = sorted((key for key in most if most[key]), key=lambda key: -most[key])
    assert 0 < len(keys) < len(most)
    assert head.split() == ["δ", *(key.removeprefix("lost_") for key in keys)]
    for point, row in zip(points, rows, strict=False):
        assert row.split() == [f"{point['delta']:g}", *(f"{point[key][0]:.4f}" for key in keys)]
