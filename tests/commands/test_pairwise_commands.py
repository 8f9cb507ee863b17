"""`structiou pairwise` and `structiou mbr`, by hand and against the library."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from structiou_metric import StructIoU, read_trees
from support.cli import failed, runner, succeeded
from support.paths import DATA

FIRST = "(S (A a))\n(S (B a))\n(S (B a))\n"
CHARNIAK = "2\ts1\n-1.5\n(T (A a))\n-0.5\n(T (C a))\n\n1\ts2\n-3e-1\n(T (D d))\n"


@pytest.fixture
def structiou(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def test_pairwise(structiou, tmp_path):
    files = [str(DATA / name) for name in ("english.reference.mrg", "english.prediction.txt")]
    told = json.loads(succeeded(structiou("pairwise", *files, "--labels", "base", "--json")))
    score = StructIoU(labels="base").corpus_score(*map(read_trees, reversed(files))).score
    assert told["schema"] == "structiou.pairwise.v1"
    assert told["scores"] == [[1.0, score], [score, 1.0]]
    out = succeeded(structiou("pairwise", *files, "--labels", "base", "--svg", "x.svg"))
    assert out.splitlines()[1].split() == ["1", files[0], "1.0000", f"{score:.4f}"]
    drawn = ElementTree.fromstring((tmp_path / "x.svg").read_text())
    cells = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text") if "." in text.text[:2]]
    assert sorted(cells) == sorted(["1.000", f"{score:.3f}", f"{score:.3f}", "1.000"])


def test_pairwise_by_a_metric_with_sides(structiou, tmp_path):
    (tmp_path / "a").write_text("(S (A (B b) (C c)))\n")
    (tmp_path / "b").write_text("(S (X (B b)) (C c))\n")
    told = json.loads(succeeded(structiou("pairwise", "a", "b", "--metric", "parseval", "--json")))
    assert told["scores"] == [[1.0, 0.5], [0.5, 1.0]]  # of two brackets on either side S is common
    (tmp_path / "b").write_text("(S (X (B b)) (C c))\n(A a)\n")
    assert "b: 2 trees, a: 1 tree; give the same number of both" in failed(structiou("pairwise", "a", "b"))
    assert "give two files at least" in failed(structiou("pairwise", "a"), code=2)


def test_mbr(structiou, tmp_path):
    (tmp_path / "nbest").write_text(FIRST + "\n\n(T (C c))\n")
    assert succeeded(structiou("mbr", "nbest")) == "(S (B a))\n(T (C c))\n"
    (tmp_path / "gold").write_text("(S (A a))\n(T (C c))\n")
    out = succeeded(structiou("mbr", "nbest", "-o", "chosen", "--reference", "gold"))
    assert (tmp_path / "chosen").read_text() == "(S (B a))\n(T (C c))\n"
    figures = [line.split()[-1] for line in out.splitlines()[:-1]]
    # Expected: (1/2 + 1 + 1) / 3 and 1, so 0.9167 on average; A is right in the first sentence.
    assert figures == ["2", "0.9167", "1.0000", "0.7500", "1.0000"]


def test_mbr_by_weights(structiou, tmp_path):
    (tmp_path / "nbest").write_text(CHARNIAK)
    rows = json.loads(succeeded(structiou("mbr", "nbest", "--weights", "log", "--json")))["sentences"]
    share = 1 / (1 + 2.718281828459045**-1)  # what exp(-0.5) has of exp(-1.5) + exp(-0.5)
    assert [row["index"] for row in rows] == [1, 0]
    assert rows[0]["expected"] == pytest.approx(share + 0.5 * (1 - share))
    (tmp_path / "nbest").write_text("3 (S (A a))\n1\t(S (B a))\n")
    [row] = json.loads(succeeded(structiou("mbr", "nbest", "--weights", "linear", "--json")))["sentences"]
    assert (row["index"], row["expected"]) == (0, 0.875)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "nbest: there are no candidates in this file"),
        ("(S (A a))\nno tree\n", "nbest:2: 'no tree' is no candidate"),
        ("-1\n\n(S a)\n", "nbest:1: there is no tree behind this number"),
        ("-1 (S (A a))\n(S (A a))\n", "nbest:1: 1 of 2 candidates have a number; give one to all or to none"),
        ("(S (A a))\n", "nbest:1: these candidates have no numbers, which --weights log needs"),
        ("-1 (S (A a)\n", "candidates[0][0]:1:1: this '(' is never closed"),
    ],
)
def test_mbr_mistakes(structiou, tmp_path, text, message):
    (tmp_path / "nbest").write_text(text)
    assert message in failed(structiou("mbr", "nbest", "--weights", "log"))
