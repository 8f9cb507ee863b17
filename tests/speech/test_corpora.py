"""Many recordings at a time, through the command: what is paired, what fails, what is taken up again."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from structiou_metric.speech.corpora.finding import pair_by_name, read_table
from structiou_metric.speech.corpora.jobs import Trees
from support.call_corpus import BAD, GOOD, N, name, timed
from support.cli import failed, runner, succeeded

# ---- folders ------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_a_folder_goes_on_after_what_fails(corpus, tmp_path, workers):
    code, out, err = corpus("-o", "timed/", "--workers", workers, "--report-to", "report.jsonl")
    assert code == 1
    files = sorted(path.name for path in (tmp_path / "timed").iterdir())
    assert files == [f"{name(number)}.mrg" for number in GOOD]
    for number in GOOD:
        assert (tmp_path / "timed" / f"{name(number)}.mrg").read_text("utf-8") == timed(number) + "\n"
    first, *named = err.rstrip("\n").split("\n  trees/")
    assert first == f"structiou: {len(BAD)} of {N} trees failed:"
    assert [line.partition(":")[0] for line in named] == [f"{name(number)}.mrg" for number in BAD]
    assert out.startswith(f"{N} recordings, {len(BAD)} failed\n{len(GOOD)} trees\n")
    rows = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text("utf-8").splitlines()]
    assert [row["status"] for row in rows] == ["failed" if n in BAD else "done" for n in range(N)]
    assert [row["match"] for row in rows] == [None if n in BAD else 1.0 for n in range(N)]
    assert all("of the characters" in rows[number]["reason"] for number in BAD)
    assert [row["recording"] for row in rows] == [f"words/{name(number)}.tsv" for number in range(N)]


@pytest.mark.parametrize("workers", [1, 2])
def test_one_file_has_the_trees_in_their_order(corpus, tmp_path, workers):
    lines = [timed(number) for number in GOOD]
    assert corpus("-o", "timed", "--workers", workers, "--report", "none")[0] == 1
    assert (tmp_path / "timed").read_text("utf-8").splitlines() == lines
    code, out, _ = corpus("--workers", workers)
    assert (code, out.splitlines()) == (1, lines)


def test_places_are_kept_if_that_is_asked_for(corpus):
    code, out, _ = corpus("--on-error", "empty")
    assert (code, out.splitlines()) == (1, ["()" if n in BAD else timed(n) for n in range(N)])


def test_a_recording_that_fails_as_a_whole_keeps_the_places_of_all_its_trees(corpus, tmp_path):
    (tmp_path / "trees" / f"{name(3)}.mrg").write_text("(X we)\n(X counted)\n", "utf-8")
    lines = corpus("--on-error", "empty")[1].splitlines()
    assert lines[3:6] == ["()", "()", timed(4)]


def test_on_error_raise_ends_the_run(corpus):
    code, out, err = corpus("--on-error", "raise", "--workers", 1)
    assert (code, out.splitlines()) == (1, [timed(n) for n in range(3)])
    assert err.startswith(f"structiou: trees/{name(3)}.mrg: words/{name(3)}.tsv: ")


def test_a_recording_that_is_missing_is_named_and_others_are_left_alone(corpus, tmp_path):
    (tmp_path / "words" / f"{name(0)}.tsv").rename(tmp_path / "words" / "more.tsv")
    code, out, err = corpus("--report", "none")
    assert (code, len(out.splitlines())) == (1, len(GOOD) - 1)
    assert f"trees/{name(0)}.mrg: no file in words is called {name(0)}" in err


def test_json_of_many(corpus):
    code, out, _ = corpus("-o", "timed/", "--report", "json")
    report = json.loads(out)
    assert (code, report["schema"], report["n_jobs"], report["n_kept"]) == (
        1,
        "structiou.project-corpus.v1",
        N,
        0,
    )
    assert report["total"]["n_trees"] == len(GOOD)
    assert [row["name"] for row in report["failed"]] == [f"trees/{name(number)}.mrg" for number in BAD]


def test_a_bar_shows_how_many_are_done(corpus, monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("structiou_metric.progress._PATIENCE", 0.0)
    monkeypatch.setattr("structiou_metric.progress._PAUSE", 0.0)
    corpus("-o", "timed/", "--workers", 1)
    lines = terminal.buffer.getvalue().decode().split("\r")
    drawn = [line.split()[-1] for line in lines if line.startswith("projecting")]
    assert drawn == [f"{number}/{N}" for number in range(N + 1)]


def test_timed_folders_can_be_scored(corpus, tmp_path, capsys):
    corpus("-o", "timed/")
    score = runner(capsys, "score")
    result = json.loads(succeeded(score("timed", "timed", "--unit", "time", "--json")))
    assert (result["n_sentences"], result["struct_iou"]) == (len(GOOD), 1.0)


def test_files_of_both_kinds_in_one_folder(project, tmp_path):
    (tmp_path / "a.mrg").write_text("(X we)", "utf-8")
    (tmp_path / "a.tsv").write_text("we\t0\t1\n", "utf-8")
    (tmp_path / "a.wav").write_bytes(b"")
    code, out, _ = project("*.mrg", "--words", ".")
    assert (code, out) == (0, "(X we<0.0,1.0>)\n")
    (tmp_path / "a.ctm").write_text("a A 1 2 we\n", "utf-8")
    assert "there are a.ctm and a.tsv in .; say which" in failed(project("*.mrg", "--words", "."))
    code, out, _ = project("*.mrg", "--ctm", ".")
    assert (code, out) == (0, "(X we<1.0,3.0>)\n")


def test_folders_in_folders_and_packed_files(project, tmp_path):
    import gzip

    for folder in ("trees/x", "words/x"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "trees/x/a.mrg.gz").write_bytes(gzip.compress(b"(X we)"))
    (tmp_path / "words/x/a.tsv").write_text("we\t0\t1\n", "utf-8")
    assert project("trees", "--words", "words", "-o", "timed/")[0] == 0
    assert (tmp_path / "timed/x/a.mrg").read_text("utf-8") == "(X we<0.0,1.0>)\n"


def test_what_cannot_be_paired_at_all_is_refused(corpus, project, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "talk.tsv").write_text("we\t0\t1\n", "utf-8")
    message = failed(project("trees", "--words", "other", "-o", "timed/"))
    assert "nor for any other of 12 treebanks in trees; those in other are called talk" in message
    assert "are one file" in failed(project("trees/call00.mrg", "--words", "words"))
    assert "--marks" in failed(corpus("--marks", "marks"), code=2)


def test_a_word_that_cannot_be_written_fails_alone(project, tmp_path):
    (tmp_path / "a.tsv").write_text("we\t0\t1\n", "utf-8")
    rows = [{"recording": "a.tsv", "tree": tree} for tree in ("(X we)", "(X we\ud800)")]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    code, _, err = project("--table", "t.jsonl", "-o", "timed", "--min-match", "0")
    assert (code, (tmp_path / "timed").read_text("utf-8")) == (1, "(X we<0.0,1.0>)\n")
    assert "structiou: 1 of 2 trees failed:\n  t.jsonl:2: " in err


def test_marks_of_a_folder_are_paired_too(project, tmp_path):
    for folder in ("trees", "calls", "marks"):
        (tmp_path / folder).mkdir()
    (tmp_path / "trees" / "a.mrg").write_text("(X we)\n(X go)\n", "utf-8")
    (tmp_path / "calls" / "a.wav").write_bytes(b"RIFF")
    (tmp_path / "marks" / "a.txt").write_text("0 1\n1 2\n", "utf-8")
    [job] = pair_by_name("trees", "calls", sound=True, marks="marks")
    assert (job.recording, job.marks) == (os.path.join("calls", "a.wav"), os.path.join("marks", "a.txt"))


# ---- tables -------------------------------------------------------------------------------------

TABLE = [
    ["recording", "start", "end", "tree", "name"],
    ["talk.tsv", "0", "1.0", "(X we)", "first"],
    ["talk.tsv", "1", "", "trees.mrg:2", ""],
    ["talk", "0.5", "1.5", "1", "third"],
    ["talk.tsv", "", "", "trees.mrg", "all"],
    ["none.tsv", "", "", "(X we)", "fifth"],
    ["talk.tsv", "", "", "trees.mrg:9", "sixth"],
]
WORDS = "we\t0\t0.5\ncounted\t0.5\t1\nitems\t1\t1.5\n"
FOUND = [
    "(X we<0.0,0.5>)",
    "(X items<1.0,1.5>)",
    "(X counted<0.5,1.0>)",
    "(X counted<0.5,1.0>)",
    "(X items<1.0,1.5>)",
]


@pytest.fixture
def table(project, tmp_path):
    """Writes a table in a folder with words and trees, and projects it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "talk.tsv").write_text(WORDS, "utf-8")
    (tmp_path / "data" / "trees.mrg").write_text("(X counted)\n(X items)\n", "utf-8")

    def run(rows, kind="tsv", *options):
        path = tmp_path / "data" / f"table.{kind}"
        if kind == "jsonl":
            text = "".join(json.dumps(dict(zip(rows[0], row, strict=True))) + "\n" for row in rows[1:])
        else:
            text = "".join({"tsv": "\t", "csv": ","}[kind].join(row) + "\n" for row in rows)
        path.write_text(text, "utf-8")
        return project(*options, "--table", path.relative_to(tmp_path), "--min-match", "0")

    return run


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl"])
def test_a_table_names_recordings_stretches_and_trees(table, kind):
    code, out, err = table(TABLE, kind, "data/trees.mrg", "--words", "data")
    assert (code, out.splitlines()) == (1, FOUND)
    assert "structiou: 2 of 7 trees failed:\n  fifth: data/none.tsv: there is no such recording" in err
    assert err.endswith("  sixth: data/trees.mrg: there is no tree 9, only 2 trees\n")


def test_trees_of_a_recording_go_into_one_file(table, tmp_path):
    assert table(TABLE[:-2], "tsv", "data/trees.mrg", "-o", "timed/")[0] == 0
    assert [path.name for path in (tmp_path / "timed").iterdir()] == ["talk.mrg"]
    assert (tmp_path / "timed" / "talk.mrg").read_text("utf-8").splitlines() == FOUND


def test_two_recordings_do_not_share_a_file(table, tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "talk.tsv").write_text(WORDS, "utf-8")
    rows = [TABLE[0], *(["../" + name, "", "", "(X we)", ""] for name in ("x/talk.tsv", "y/talk.tsv"))]
    assert "would both be talk.mrg in the folder of the output" in failed(table(rows, "tsv", "-o", "timed/"))
    assert table(rows, "tsv", "-o", "one.timed")[0] == 0


def test_places_that_do_not_fit_are_refused(table, project, tmp_path):
    message = failed(table(TABLE[:2], "tsv", "--words", "data/talk.tsv"), code=2)
    assert "with --table, a folder is given for its recordings, not data/talk.tsv" in message
    assert "--marks is not for --table" in failed(table(TABLE[:2], "tsv", "--marks", "x"), code=2)
    assert "TREES cannot be standard input" in failed(table(TABLE[:2], "tsv", "-"), code=2)
    one = project("data/trees.mrg", "--words", "data/talk.tsv", "-o", "data")
    assert "data: Is a directory" in failed(one)


def test_a_row_without_a_name_is_called_by_its_line(table, tmp_path):
    table(TABLE[:3], "tsv", "--report-to", "report.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text("utf-8").splitlines()]
    assert [row["name"] for row in rows] == ["first", os.path.join("data", "table.tsv:3")]


@pytest.mark.parametrize(
    "row, message",
    [
        pytest.param(["talk.tsv", "x", "1", "(X we)", ""], "start is 'x', no number of seconds", id="start"),
        pytest.param(["talk.tsv", "0", "nan", "(X we)", ""], "end is 'nan', no number of seconds", id="NaN"),
        pytest.param(
            ["talk.tsv", "2", "1", "(X we)", ""], "the end 1 is not behind the start 2", id="reversed"
        ),
        pytest.param(
            ["talk.tsv", "0", "1", "", ""], "there is no tree here; write it in brackets", id="no tree"
        ),
        pytest.param(
            ["talk.tsv", "0", "1", "7", ""], "7 is the number of a tree, of which file?", id="number"
        ),
        pytest.param(["talk.tsv", "0", "1", "t.mrg:0", ""], "trees are counted from 1", id="zero"),
    ],
)
def test_bad_cells_are_refused_before_the_work(table, row, message):
    error = failed(table([TABLE[0], row]))
    assert error.startswith(f"structiou: {os.path.join('data', 'table.tsv:2')}: {message}")


def test_a_table_needs_its_columns(table, tmp_path):
    assert "there is no column 'tree', only 'recording'" in failed(table([["recording"], ["talk.tsv"]]))
    assert "there are no rows below" in failed(table(TABLE[:1]))


def test_columns_reach_the_jobs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.jsonl").write_text(
        '{"recording": "x/a.wav", "tree": "b.mrg", "channel": 2, "start": 0.5}\n', "utf-8"
    )
    [job] = read_table("t.jsonl")
    assert (job.group, job.is_sound, job.trees, job.channel) == (
        os.path.join("x", "a"),
        True,
        Trees("b.mrg"),
        2,
    )
    assert (job.start, job.end, job.name) == (0.5, None, "t.jsonl:1")
    Path("t.jsonl").write_text('{"recording": "../../a.wav", "tree": "b.mrg", "channel": "left"}\n', "utf-8")
    with pytest.raises(ValueError, match="channel is 'left'"):
        read_table("t.jsonl")
    Path("t.jsonl").write_text('{"recording": "a.wav", "tree": {"label": "X"}}\n', "utf-8")
    with pytest.raises(ValueError, match=r"^t\.jsonl:1: a tree is a text in brackets, not a dict"):
        read_table("t.jsonl")
    Path("t.jsonl").write_text('{"recording": "../../a.wav", "tree": "b.mrg"}\n', "utf-8")
    assert read_table("t.jsonl")[0].group == "a"  # never outside of the output's folder
