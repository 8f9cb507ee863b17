"""Many recordings at a time, through the command: what is paired, what fails, what is taken up again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path

import pytest

from structiou_metric.speech.corpora.finding import pair_by_name
from structiou_metric.speech.corpora.jobs import Trees
from structiou_metric.speech.corpora.table import read_table
from support.cli import failed, runner, succeeded
from support.process import PATIENCE, environment

N = 12  # recordings
BAD = (3, 7)  # those whose words are not the trees'


@pytest.fixture
def project(capsys, tmp_path, monkeypatch):
    """Runs the command in a folder."""
    monkeypatch.chdir(tmp_path)
    return runner(capsys, "project")


def name(number):
    return f"call{number:02}"


def tree(number):
    return f"(S (NP (PRP we)) (VP (VBD counted) (NP (NN item{number}))))"


def timed(number):
    return f"(S (NP (PRP we<0.0,0.5>)) (VP (VBD counted<0.5,1.0>) (NP (NN item{number}<1.0,1.5>))))"


def write_words(folder, number, words):
    lines = [f"{word}\t{n / 2}\t{n / 2 + 0.5}\n" for n, word in enumerate(words)]
    (folder / f"{name(number)}.tsv").write_text("".join(lines), "utf-8")


@pytest.fixture
def corpus(project, tmp_path):
    """Folders of trees and of words, of which some do not fit."""
    for folder in ("trees", "words"):
        (tmp_path / folder).mkdir()
    for number in range(N):
        (tmp_path / "trees" / f"{name(number)}.mrg").write_text(tree(number) + "\n", "utf-8")
        words = ["ladies", "and", "gentlemen"] if number in BAD else ["we", "counted", f"item{number}"]
        write_words(tmp_path / "words", number, words)
    return lambda *options: project("trees", "--words", "words", *options)


GOOD = [number for number in range(N) if number not in BAD]


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
    Path("t.jsonl").write_text('{"recording": "../../a.wav", "tree": "b.mrg"}\n', "utf-8")
    assert read_table("t.jsonl")[0].group == "a"  # never outside of the output's folder


# ---- taken up again -----------------------------------------------------------------------------


def test_what_failed_is_done_again_when_it_was_mended(corpus, tmp_path):
    assert corpus("-o", "timed")[0] == 1
    assert (tmp_path / "timed.journal").exists()
    for number in BAD:
        write_words(tmp_path / "words", number, ["we", "counted", f"item{number}"])
    out = succeeded(corpus("-o", "timed"))
    assert out.startswith(f"{N} recordings, 0 failed; {len(GOOD)} done by an earlier run\n{N} trees\n")
    assert (tmp_path / "timed").read_text("utf-8").splitlines() == [timed(n) for n in range(N)]
    assert not (tmp_path / "timed.journal").exists()


def test_what_has_changed_is_done_again(corpus, tmp_path):
    corpus("-o", "timed")
    (tmp_path / "trees" / f"{name(0)}.mrg").write_text("(X (Y we counted item0))\n", "utf-8")
    assert f"{len(GOOD) - 1} done by an earlier run" in corpus("-o", "timed")[1]
    assert (
        (tmp_path / "timed")
        .read_text("utf-8")
        .startswith("(X (Y we<0.0,0.5> counted<0.5,1.0> item0<1.0,1.5>))\n")
    )


def test_other_options_are_refused(corpus, tmp_path):
    corpus("-o", "timed")
    before = (tmp_path / "timed").read_bytes()
    message = failed(corpus("-o", "timed", "--gaps", "close"))
    assert message.startswith(
        "structiou: timed.journal: this output was begun with other options: projection was "
    )
    assert "remove that file to begin anew" in message
    assert (tmp_path / "timed").read_bytes() == before
    (tmp_path / "timed.journal").write_text("{}\n", "utf-8")
    assert "timed.journal is no journal of structiou project" in failed(corpus("-o", "timed"))


def test_wherever_a_run_was_cut_off_the_output_is_the_same(corpus, tmp_path):
    corpus("-o", "timed", "--report-to", "report.tsv")
    whole, report = (tmp_path / "timed").read_bytes(), (tmp_path / "report.tsv").read_bytes()
    journal = (tmp_path / "timed.journal").read_bytes()
    first = journal.index(b"\n") + 1
    kept = set()
    for cut in [0, 1, first - 1, first, first + 1, *range(first + 400, len(journal), 777), len(journal) - 1]:
        (tmp_path / "timed.journal").write_bytes(journal[:cut])
        (tmp_path / "timed").write_bytes(whole[: cut // 3])
        code, out, _ = corpus("-o", "timed", "--report-to", "report.tsv", "--workers", 1, "--report", "json")
        assert code == 1
        assert (tmp_path / "timed").read_bytes() == whole
        assert (tmp_path / "report.tsv").read_bytes() == report
        n_lines = journal[:cut].count(b"\n")
        n_failed = sum(b'"failed"' in line for line in journal[:cut].splitlines()[1:n_lines])
        assert json.loads(out)["n_kept"] == max(0, n_lines - 1 - n_failed)
        kept.add(json.loads(out)["n_kept"])
    assert len(kept) > 4


# ---- recordings and processes -------------------------------------------------------------------

ALIGNER = """
import os, signal, time

class Aligner:
    def align(self, samples, rate, words):
        with open("asked", "a") as file:
            file.write(f"{os.getpid()} {words[-1]}\\n")
        if "item5" in words and os.path.exists("die"):
            os.kill(os.getpid(), signal.SIGKILL)
        while "item7" in words and os.path.exists("wait"):
            time.sleep(0.01)
        if "item3" in words:
            raise RuntimeError("of its own")
        return [(word, n / 2, n / 2 + 0.5) for n, word in enumerate(words)]

class Missing:
    def __init__(self):
        raise ValueError("there is no model")
"""


@pytest.fixture
def calls(project, tmp_path):
    """Folders of trees and of recordings, with an aligner of our own."""
    pytest.importorskip("numpy")
    (tmp_path / "mine.py").write_text(ALIGNER, "utf-8")
    for folder in ("trees", "calls"):
        (tmp_path / folder).mkdir()
    for number in range(N):
        (tmp_path / "trees" / f"{name(number)}.mrg").write_text(tree(number) + "\n", "utf-8")
        with wave.open(str(tmp_path / "calls" / f"{name(number)}.wav"), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(bytes(2 * 16000 * 2))
    return ["trees", "--audio", "calls", "--aligner", "mine:Aligner", "-o", "timed", "--workers", "2"]


def asked(tmp_path):
    """Processes and last words of what the aligner was asked."""
    return [line.split() for line in (tmp_path / "asked").read_text("utf-8").splitlines()]


def test_two_processes_share_recordings_and_one_of_them_may_die(project, calls, tmp_path):
    (tmp_path / "die").touch()
    code, _, err = project(*calls)
    assert code == 1
    assert err.startswith(
        f"structiou: 2 of {N} trees failed:\n  trees/{name(3)}.mrg: RuntimeError: of its own\n"
    )
    assert f"  trees/{name(5)}.mrg: its process was ended by SIGKILL;" in err
    lines = (tmp_path / "timed").read_text("utf-8").splitlines()
    assert lines == [timed(n) for n in range(N) if n not in (3, 5)]
    assert str(os.getpid()) not in {process for process, _ in asked(tmp_path)}


def test_an_aligner_that_cannot_be_made_ends_the_run(project, calls):
    for workers in ("1", "2"):
        options = ["--aligner", "mine:Missing", "--workers", workers]
        assert failed(project(*calls, *options)) == "structiou: there is no model\n"


def test_a_run_that_was_killed_is_finished_without_doing_anything_twice(project, calls, tmp_path):
    (tmp_path / "wait").touch()
    command = [sys.executable, "-m", "structiou_metric", "project", *calls, "--report-to", "report.tsv"]
    with subprocess.Popen(command, env=environment(*sys.path), stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + PATIENCE
        journal = tmp_path / "timed.journal"
        # All but the one that waits, and itself.
        while not journal.exists() or journal.read_bytes().count(b"\n") < N:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    (waiting,) = {pid for pid, word in asked(tmp_path) if word == "item7"}
    assert (tmp_path / "timed").read_text("utf-8").splitlines() == [timed(n) for n in range(7) if n != 3]
    assert (tmp_path / "report.tsv").read_text("utf-8").count("\n") == 1 + 7
    (tmp_path / "wait").unlink()
    while Path(f"/proc/{waiting}").exists():  # nobody is at the other end of its pipe
        assert time.monotonic() < end
        time.sleep(0.02)
    (tmp_path / "asked").unlink()
    code, out, err = project(*calls, "--report-to", "report.tsv")
    assert (code, err) == (
        1,
        f"structiou: 1 of {N} trees failed:\n  trees/{name(3)}.mrg: RuntimeError: of its own\n",
    )
    assert out.startswith(f"{N} recordings, 1 failed; {N - 2} done by an earlier run\n")
    assert sorted(word for _, word in asked(tmp_path)) == ["item3", "item7"]  # what failed, and what was left
    assert (tmp_path / "timed").read_text("utf-8").splitlines() == [timed(n) for n in range(N) if n != 3]
    assert (tmp_path / "report.tsv").read_text("utf-8").count("\n") == 1 + N


def test_two_runs_do_not_write_to_one_output(project, calls, tmp_path):
    pytest.importorskip("fcntl")
    (tmp_path / "wait").touch()
    command = [sys.executable, "-m", "structiou_metric", "project", *calls]
    with subprocess.Popen(
        command, env=environment(*sys.path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        end = time.monotonic() + PATIENCE
        while not (tmp_path / "asked").exists():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        assert "another run is writing to this output" in failed(project(*calls))
        process.kill()
    (tmp_path / "wait").unlink()
