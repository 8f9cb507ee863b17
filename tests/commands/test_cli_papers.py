"""`structiou align` for papers: LaTeX, PDF, and pictures that fit a page."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from structiou_metric import StructIoU, align
from structiou_metric.drawing.latex import draw_latex
from structiou_metric.drawing.svg import draw_svg
from support.bundled import joined_pair
from support.cli import failed, runner, succeeded

TREES = "(S (NP we) (VP run))", "(S (NP we) (NP run))"
SIGNATURE = StructIoU().signature


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs `align` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return runner(capsys, "align")


@pytest.fixture
def typst(monkeypatch):
    """A stand-in that makes no PDF; the sources that it is given."""
    sources: list[str] = []
    stand_in = SimpleNamespace(compile=lambda source: sources.append(source.decode()) or b"%PDF-stand-in")
    monkeypatch.setitem(sys.modules, "typst", stand_in)
    return sources


@pytest.fixture
def long(tmp_path):
    """Files of a sentence of more than 40 words."""
    one = joined_pair([56, 43])
    for name in ("reference", "prediction"):
        (tmp_path / name).write_text(f"{getattr(one, name).to_brackets()}\n", encoding="utf-8")
    return "reference", "prediction"


def test_align_latex_beside_the_drawing(structiou, tmp_path):
    plain = succeeded(structiou(*TREES))
    assert succeeded(structiou(*TREES, "--latex", "t.tex")) == plain
    expected = draw_latex(align(*reversed(TREES)), description=SIGNATURE)
    assert (tmp_path / "t.tex").read_text("utf-8") == expected
    assert f"% {SIGNATURE}\n" in expected


def test_align_latex_to_standard_output_alone(structiou, tmp_path, typst):
    out = succeeded(structiou(*TREES, "--latex", "-", "--svg", "t.svg", "--pdf", "t.pdf"))
    assert out == draw_latex(align(*reversed(TREES)), description=SIGNATURE)
    assert (tmp_path / "t.svg").exists()
    assert (tmp_path / "t.pdf").read_bytes() == b"%PDF-stand-in"
    assert SIGNATURE.replace('"', '\\"') in typst[0]


def test_align_writes_everything_beside_json(structiou, tmp_path, typst):
    out = succeeded(structiou(*TREES, "--json", "--latex", "t.tex", "--pdf", "t.pdf"))
    assert json.loads(out)["struct_iou"] == pytest.approx(2 / 3)
    assert {path.name for path in tmp_path.iterdir()} == {"t.tex", "t.pdf"}
    assert len(typst) == 1


def test_align_folds_long_sentences_on_pages_only(structiou, tmp_path, typst, long):
    files = ("--svg", "t.svg", "--latex", "t.tex", "--pdf", "t.pdf")
    folded = {}
    for flags in ((), ("--only-differing",), ("--no-only-differing",)):
        succeeded(structiou(*long, "--labels", "base", *files, *flags))
        folded[flags] = (
            "both trees agree" in (tmp_path / "t.svg").read_text("utf-8"),
            "structiou roof]" in (tmp_path / "t.tex").read_text("utf-8"),
            "both trees agree" in typst.pop(),
        )
    assert folded == {
        (): (False, True, True),
        ("--only-differing",): (True, True, True),
        ("--no-only-differing",): (False, False, False),
    }


def test_align_page_width(structiou, tmp_path, long):
    one = StructIoU().align(*((tmp_path / name).read_text("utf-8") for name in reversed(long)))
    out = succeeded(structiou(*long, "--svg", "-", "--page-width", "8"))
    assert out == draw_svg(one, theme="light", description=SIGNATURE, width=8 / 2.54 * 96)
    out = succeeded(structiou(*long, "--latex", "-", "--page-width", "8"))
    assert out == draw_latex(one, width=8.0, description=SIGNATURE)
    assert out != draw_latex(one, description=SIGNATURE)


@pytest.mark.parametrize(
    "args, message",
    [
        (["--json", "--latex", "-"], "--json and --latex - both print; give --latex a file"),
        (["--svg", "-", "--latex", "-"], "--svg - and --latex - both print; give --latex a file"),
        (["--pdf", "-"], "--pdf: a PDF cannot be printed; give it a file"),
        (["--page-width", "3"], "'3' is not a number of centimetres from 4 to 100"),
        (["--page-width", "nan"], "'nan' is not a number of centimetres from 4 to 100"),
    ],
)
def test_align_refuses(structiou, args, message):
    assert message in failed(structiou(*TREES, *args), 2)


def test_align_pdf_without_its_library(structiou, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    error = failed(structiou(*TREES, "--pdf", "t.pdf", "--latex", "t.tex"))
    assert error == "structiou: a PDF needs typst: pip install 'structiou-metric[pdf]'\n"
    assert list(tmp_path.iterdir()) == []


def test_align_files_that_cannot_be_written(structiou):
    for flag in ("--latex", "--pdf"):
        error = failed(structiou(*TREES, flag, "no/such/file"))
        told = "No such file or directory; nor can its folder be read; check the path"
        assert error == f"structiou: no/such/file: {told}\n"


def test_align_of_a_tree_too_large_for_a_page(structiou):
    tree = f"(S {'(A a) ' * 2000})"
    for args in (["--latex", "-", "--no-only-differing"], ["--svg", "-", "--page-width", "16"]):
        error = failed(structiou(tree, tree, *args))
        assert (
            "4,002 nodes are too many for a page, which is to have 2,000 at most; draw only what differs"
            in error
        )
