"""`structiou align --svg`."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from structiou_metric import StructIoU, align
from structiou_metric.commands.main import main
from structiou_metric.drawing.svg import draw_svg
from support.paths import DATA

NS = "{http://www.w3.org/2000/svg}"
TREES = "(S (NP we) (VP run))", "(S (NP we) (NP run))"


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs `align` in an empty folder; returns the exit code and what was printed to both outputs."""
    monkeypatch.chdir(tmp_path)

    def run(*args):
        try:
            code = main(["align", *args])
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


def picture_of(reference, prediction):
    return draw_svg(align(prediction, reference), theme="light", description=StructIoU().signature)


def test_align_svg_file_beside_the_drawing(structiou, tmp_path):
    plain = structiou(*TREES)
    assert structiou(*TREES, "--svg", "trees.svg") == plain
    assert plain[0] == 0
    assert (tmp_path / "trees.svg").read_text("utf-8") == picture_of(*TREES)


def test_align_svg_to_standard_output_alone(structiou, tmp_path):
    assert structiou(*TREES, "--svg", "-") == (0, picture_of(*TREES), "")
    assert list(tmp_path.iterdir()) == []


def test_align_svg_carries_the_signature(structiou):
    _, out, _ = structiou(*TREES, "--svg", "-", "--labels", "ignore")
    assert ElementTree.fromstring(out).find(f"{NS}desc").text == StructIoU(labels="ignore").signature


def test_align_svg_of_a_row_of_hebrew_files(structiou, tmp_path):
    files = str(DATA / "hebrew.reference.txt"), str(DATA / "hebrew.prediction.txt")
    code, _, err = structiou(*files, "--unit", "char", "--row", "9", "--svg", "t.svg")
    assert (code, err) == (0, "")
    root = ElementTree.fromstring((tmp_path / "t.svg").read_bytes())
    rows = [row for row in root.iter(f"{NS}g") if row.get("data-words")]
    assert [row.get("data-words") for row in rows] == ["reference", "prediction"]
    for row in rows:
        xs = [float(text.get("x")) for text in row]
        assert xs == sorted(xs, reverse=True)


def test_align_svg_file_beside_json(structiou, tmp_path):
    code, out, _ = structiou(*TREES, "--json", "--svg", "trees.svg")
    assert code == 0
    assert json.loads(out)["struct_iou"] == pytest.approx(2 / 3)
    assert (tmp_path / "trees.svg").exists()


def test_align_refuses_svg_and_json_on_one_output(structiou):
    code, out, err = structiou(*TREES, "--json", "--svg", "-")
    assert (code, out) == (2, "")
    assert "--json and --svg - both print; give --svg a file" in err


def test_align_svg_that_cannot_be_written(structiou):
    code, out, err = structiou(*TREES, "--svg", "no/such/folder.svg")
    assert (code, out) == (1, "")
    told = "No such file or directory; nor can its folder be read; check the path"
    assert err == f"structiou: no/such/folder.svg: {told}\n"
