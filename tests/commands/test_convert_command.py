"""`structiou convert`: between all formats, through the command line."""

from __future__ import annotations

import json

import pytest

from structiou_metric import read_trees
from structiou_metric.sources.formats.writing import WRITERS
from structiou_metric.sources.treebanks import read_rows
from support.cli import failed, runner, succeeded
from support.paths import DATA

SAMPLES = DATA / "treebanks"
PENN = "( (S (NP-SBJ-1 (PRP we)) (VP (VBP try) (S (NP (-NONE- *-1)) (VP (TO to) (VP (VB go)))))))\n"


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


@pytest.mark.parametrize("source", sorted({path.name for path in SAMPLES.iterdir()} - {"sample.cess"}))
@pytest.mark.parametrize("format", [name for name in WRITERS if name != "timed"])
def test_samples_through_every_format_score_alike(source, format, structiou, tmp_path):
    out = f"out.{'jsonl' if format in ('json', 'spans') else 'txt'}"
    report = succeeded(structiou("convert", SAMPLES / source, out, "--format", format))
    assert report.startswith(f"3 trees written to {out}")
    assert ("5 comment lines" in report) == (source == "sample.mrg")
    score = json.loads(succeeded(structiou("score", SAMPLES / "sample.mrg", out, "--unit", "char", "--json")))
    assert (score["struct_iou"], score["struct_iou_corpus"]) == (1.0, 1.0)
    # What was written is converted back.
    succeeded(structiou("convert", out, "back.txt"))
    succeeded(structiou("convert", SAMPLES / source, "want.txt"))
    assert (tmp_path / "back.txt").read_bytes() == (tmp_path / "want.txt").read_bytes()


def test_a_column_of_a_table_is_converted(structiou, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"gold": "(S (A a))", "id": 1}\n{"gold": "(S (B b))", "id": 2}\n')
    assert (
        succeeded(structiou("convert", "t.jsonl", "-", "--tree-column", "gold")) == "(S (A a))\n(S (B b))\n"
    )
    err = failed(structiou("convert", "t.jsonl", "t.jsonl", "-"), 2)
    assert "t.jsonl is a table, which cannot be one of several files" in err
    (tmp_path / "c.json").write_text('[{"index": 0, "parse": "(ROOT (S (A a)))"}]')
    assert succeeded(structiou("convert", "c.json", "-")) == "(ROOT (S (A a)))\n"


def test_timed_brackets(structiou, tmp_path):
    source = DATA / "speech.reference.txt"
    for format in ("timed", "brackets", "json", "spans"):
        out = f"out.{format}.jsonl" if format in ("json", "spans") else f"{format}.txt"
        succeeded(structiou("convert", source, out, "--format", format))
        score = json.loads(succeeded(structiou("score", source, out, "--unit", "time", "--json")))
        assert score["struct_iou"] == 1.0
    err = failed(structiou("convert", source, "out.export", "--format", "export"))
    assert f"{source}:1: this format has no place for times; write timed brackets, JSON or spans" in err
    err = failed(structiou("convert", SAMPLES / "sample.mrg", "-", "--format", "timed"))
    assert "sample.mrg:5: this tree has no times" in err


def test_without_traces_and_function_tags(structiou, tmp_path):
    (tmp_path / "x.mrg").write_text(PENN)
    assert succeeded(structiou("convert", "x.mrg", "-")) == PENN
    assert (
        succeeded(structiou("convert", "x.mrg", "-", "--labels", "base", "--traces", "drop"))
        == "( (S (NP (PRP we)) (VP (VBP try) (S (VP (TO to) (VP (VB go)))))))\n"
    )


def test_trees_over_lines_become_one_a_line_and_several_files_one(structiou, tmp_path):
    (tmp_path / "a.mrg").write_text("(S\n  (A a)\n  (B b))\n")
    (tmp_path / "b.mrg").write_text("(S (C c))\n")
    assert succeeded(structiou("convert", "a.mrg", "b.mrg", "-")) == "(S (A a) (B b))\n(S (C c))\n"
    assert succeeded(structiou("convert", "b.mrg", "a.mrg", "out.txt")) == "2 trees written to out.txt\n"
    assert (tmp_path / "out.txt").read_text() == "(S (C c))\n(S (A a) (B b))\n"


def test_crossing_branches_stay_where_they_can(structiou, tmp_path):
    text = "(S (VP (V 0=is) (A 2=rich)) (N 1=John))\n"
    (tmp_path / "x.dbr").write_text(text)
    report = succeeded(structiou("convert", "x.dbr", "x.export", "--format", "export"))
    assert report == "1 tree written to x.export (1 discontinuous tree in x.dbr)\n"
    assert succeeded(structiou("convert", "x.export", "-", "--format", "discbracket")) == text
    err = failed(structiou("convert", "x.dbr", "-"))
    assert "x.dbr:1: this tree is discontinuous: its 'VP' has 'is' and 'rich'" in err
    assert "--discontinuous raise, split or span" in err
    assert [str(tree) for tree in read_trees("x.export", discontinuous="raise")] == [
        "(S (VP (V is)) (N John) (A rich))"
    ]
    base = structiou("convert", "x.dbr", "-", "--format", "discbracket", "--labels", "base")
    assert succeeded(base) == text


@pytest.mark.parametrize(
    "tree, format, message",
    [
        ("(S a (B b))", "export", "x.txt:1: the word 'a' has no tag of its own; the export format needs one"),
        ("(S (A a) (B ))", "export", "x.txt:1: the node 'B' has no words"),
        ("(S (A #500))", "export", "x.txt:1: the word '#500' would be read as something else"),
        ("(S (A #BOS))", "export", "x.txt:1: the word '#BOS' would be read as something else"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tree, format, message, structiou, tmp_path):
    import re

    (tmp_path / "x.txt").write_text(f"{tree}\n")
    assert re.search(message, failed(structiou("convert", "x.txt", "out", "--format", format)))
    assert not (tmp_path / "out").exists()


def test_penn_roots_without_a_label_are_left_to_the_export_format(structiou, tmp_path):
    (tmp_path / "x.mrg").write_text("( (S (A a)))\n( (S (A a)) (B b))\n()\n")
    succeeded(structiou("convert", "x.mrg", "x.export", "--format", "export"))
    rows = read_rows("x.export")
    assert [str(rows.tree(row, None)) for row in range(3)] == ["(S (A a))", "(VROOT (S (A a)) (B b))", "()"]


def test_bad_usage(structiou, tmp_path):
    code, _, err = structiou("convert", "x.mrg")
    assert (code, "required: OUT" in err) == (2, True)
    assert "nowhere: No such file" in failed(structiou("convert", "nowhere", "-"))
    assert "no/such: No such file or directory" in failed(structiou("convert", "x", "no/such"))
    code, _, err = structiou("convert", "x", "-", "--from", "word")
    assert (code, "unknown format 'word'; choose from auto, brackets, discbracket" in err) == (2, True)
