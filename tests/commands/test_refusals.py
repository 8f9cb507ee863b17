"""What commands refuse, and say of it; each value is one that somebody may well give."""

from __future__ import annotations

import json

import pytest

from support.cli import failed, runner, succeeded


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.txt").write_text("(S (A a) (B b))\n(S (A c))\n")
    (tmp_path / "parsed.txt").write_text("(S (A a) (C b))\n(S (A c))\n")
    return runner(capsys)


def test_a_level_is_a_number(structiou):
    err = failed(structiou("compare", "gold.txt", "parsed.txt", "--level", "much"), 2)
    assert "--level: 'much' is not a number between 0 and 1" in err


def test_a_metric_without_labels_has_none_to_tell(structiou):
    err = failed(structiou("score", "gold.txt", "parsed.txt", "--metric", "tree_edit", "--per-label"), 2)
    assert "does not count by label" in err


def test_a_table_may_be_one_document(structiou, tmp_path):
    """The pair of docs/documents.md: three leaves of five nodes a side are matched."""
    gold, parsed = ["(S (A a) (B b))", "(S (A c))"], ["(S (A a))", "(T (B b) (A c))"]
    rows = [{"reference": g, "prediction": p} for g, p in zip(gold, parsed, strict=True)]
    (tmp_path / "t.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    told = json.loads(succeeded(structiou("score", "t.jsonl", "--documents", "all", "--json")))
    assert (told["n_documents"], told["struct_iou"]) == (1, 0.6)
    err = failed(structiou("score", "t.jsonl", "--documents", "blank"), 2)
    assert "t.jsonl is a table; name its --document-column" in err


def test_figures_of_mbr_do_not_mix_with_its_trees(structiou, tmp_path):
    (tmp_path / "best.txt").write_text("(S (A a) (B b))\n\n(S (A c))\n")
    err = failed(structiou("mbr", "best.txt", "--reference", "gold.txt"), 2)
    assert "--reference tells figures, so write the trees elsewhere: add --output FILE" in err


@pytest.mark.parametrize(
    "tree, format, message",
    [
        pytest.param(
            [["S", 0, 2], ["A", 0, 1]],
            "discbracket",
            "word 0 has no text; brackets need one",
            id="no words",
        ),
        pytest.param(
            {"label": "S", "children": [{"label": "A", "children": ["a b"]}]},
            "export",
            "'a b' is empty or has white space, which the export format cannot hold; replace it",
            id="a blank in a word",
        ),
    ],
)
def test_what_a_format_cannot_hold_is_not_written(tree, format, message, structiou, tmp_path):
    (tmp_path / "t.jsonl").write_text(json.dumps({"tree": tree}))
    err = failed(structiou("convert", "t.jsonl", "-", "--tree-column", "tree", "--format", format))
    assert err == f"structiou: t.jsonl:1['tree']: {message}\n"
