"""`structiou project`, through `main`; expected times are worked out by hand."""

from __future__ import annotations

import io
import json
import signal
import sys
from typing import ClassVar

import pytest

from structiou_metric.commands.main import main
from structiou_metric.speech.forced.recording import ForcedAligner
from structiou_metric.speech.words import TimedWord, Transcript

TREES = """\
(S (NP (PRP We)) (VP (MD ca) (RB n't) (VP (VB stop))) (. .))

(S (NP (PRP I)) (VP (VBP go)))
"""
CTM = """\
talk A 0.50 0.25 we
talk A 0.75 0.50 uh
talk A 1.50 0.50 can't
talk A 2.00 0.50 stop
talk A 3.00 0.25 I
talk A 3.25 0.50 goo
"""
TIMED = """\
(S (NP (PRP We<0.5,0.75>)) (VP (MD ca<1.5,1.75>) (RB n't<1.75,2.0>) (VP (VB stop<2.0,2.5>))))
()
(S (NP (PRP I<3.0,3.25>)) (VP (VBP go<3.25,3.75>)))
"""
REPORT = """\
talk.ctm: 6 words
3 trees
       1  failed to parse
7 leaves
       3  as in the transcript
       1  spelled differently there
       2  part of a word there
       1  without sound
6 words
       5  used
       1  not used
89.7% of the characters match
least in trees.mrg:3: 86%
"""


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs the command in a folder with files; returns the exit code and what was printed to both outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "trees.mrg").write_text(TREES, encoding="utf-8")
    (tmp_path / "talk.ctm").write_text(CTM, encoding="utf-8")

    def run(*args):
        try:
            code = main(["project", *map(str, args)])
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


# ---- word times ---------------------------------------------------------------------------------


def test_trees_go_to_stdout_and_the_report_to_stderr(structiou):
    assert structiou("trees.mrg", "--ctm", "talk.ctm") == (0, TIMED, REPORT)
    assert structiou("trees.mrg", "--words", "talk.ctm", "--report", "none") == (0, TIMED, "")


def test_with_an_output_file_the_report_goes_to_stdout(structiou, tmp_path):
    assert structiou("trees.mrg", "--ctm", "talk.ctm", "-o", "out.timed") == (0, REPORT, "")
    assert (tmp_path / "out.timed").read_bytes() == TIMED.encode()


def test_report_as_json_adds_up(structiou):
    code, out, err = structiou("trees.mrg", "--ctm", "talk.ctm", "-o", "out.timed", "--report", "json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["source"] == "talk.ctm: 6 words"
    names = [tree["name"] for tree in report["trees"]]
    assert names == ["trees.mrg:1", "trees.mrg:2", "trees.mrg:3"]
    for key in ("n_leaves", "n_words", "exact", "split", "unused", "n_failed", "matched_characters"):
        assert sum(tree[key] for tree in report["trees"]) == report["total"][key]
    assert report["total"]["match"] == pytest.approx(26 / 29)  # 13 of 13 and 16 characters
    first = report["trees"][0]
    assert first["leaves"][1] == {"text": "ca", "kind": "split", "start": 1.5, "end": 1.75, "heard": "can't"}
    assert first["leaves"][4] == {"text": ".", "kind": "silent", "start": None, "end": None, "heard": ""}
    assert [word["text"] for word in first["unused_words"]] == ["uh"]


def test_options_reach_the_projection(structiou, tmp_path):
    (tmp_path / "one.mrg").write_text("(S (X we) (. ,) (X stop))", encoding="utf-8")
    (tmp_path / "one.tsv").write_text("we\t0\t1\nstop\t2\t3\n", encoding="utf-8")
    code, out, _ = structiou("one.mrg", "--words", "one.tsv", "--silent", "zero", "--gaps", "close")
    assert (code, out) == (0, "(S (X we<0.0,1.5>) (. ,<1.5,1.5>) (X stop<1.5,3.0>))\n")


@pytest.mark.parametrize(
    "text, times",
    [
        pytest.param("0.00 0.35 hello\n0.35 0.80 world\n", "0.0,0.35 0.35,0.8", id="seconds"),
        pytest.param("0 0.35 hello\n0.35 1 world\n", "0.0,0.35 0.35,1.0", id="some without a point"),
        pytest.param("0 3500000 hello\n3500000 8000000 world\n", "0.0,0.35 0.35,0.8", id="HTK"),
    ],
)
def test_a_decimal_point_in_a_lab_file_means_seconds(structiou, tmp_path, text, times):
    (tmp_path / "one.mrg").write_text("(S (X hello) (X world))", encoding="utf-8")
    (tmp_path / "one.lab").write_text(text, encoding="utf-8")
    hello, world = times.split()
    code, out, err = structiou("one.mrg", "--words", "one.lab")
    assert (code, out) == (0, f"(S (X hello<{hello}>) (X world<{world}>))\n"), err


@pytest.mark.parametrize(
    "text, message",
    [
        pytest.param(
            "0 3500000 hello\n3500000 0.80 world\n", "one.lab:2: the time 0.80 has a dec", id="point"
        ),
        pytest.param(
            "0 1 hello\n1 2 world\n", "one.lab: all labels end before 0.01 s, as", id="whole seconds"
        ),
    ],
)
def test_times_that_cannot_be_units_of_htk_are_refused(structiou, tmp_path, text, message):
    (tmp_path / "one.mrg").write_text("(S (X hello) (X world))", encoding="utf-8")
    (tmp_path / "one.lab").write_text(text, encoding="utf-8")
    code, out, err = structiou("one.mrg", "--words", "one.lab", "--format", "htk")
    assert (code, out) == (1, "")
    assert message in err
    assert "give --format tsv if times are seconds" in err


def test_options_reach_the_reader(structiou, tmp_path):
    both = CTM + CTM.replace("talk A", "talk B").replace("we", "xx")
    (tmp_path / "both.ctm").write_text(both, encoding="utf-8")
    code, out, err = structiou("trees.mrg", "--ctm", "both.ctm", "--speaker", "A", "--fillers", "drop")
    assert (code, out) == (0, TIMED)
    assert "left out: 1 filler" in err
    assert "not used" not in err
    code, out, err = structiou("trees.mrg", "--ctm", "both.ctm")
    assert (code, out) == (1, "")
    assert err.startswith("structiou: both.ctm")


def test_silences_of_ones_own_are_left_out_besides_those_that_are_known(structiou, tmp_path):
    (tmp_path / "more.ctm").write_text(CTM + "talk A 9 1 XX\ntalk A 10 1 yy\ntalk A 11 1 [noise]\n", "utf-8")
    code, out, err = structiou("trees.mrg", "--ctm", "more.ctm", "--silences", "xx", "YY")
    assert (code, out) == (0, TIMED)
    assert "left out: 3 silences" in err


def test_words_of_another_encoding(structiou, tmp_path):
    data = (CTM + "talk A 9 1 sí\n").encode("latin-1")
    (tmp_path / "latin.ctm").write_bytes(data)
    code, _, err = structiou("trees.mrg", "--ctm", "latin.ctm")
    assert code == 1
    assert "is not UTF-8" in err
    assert "--words-encoding" in err
    code, out, _ = structiou(
        "trees.mrg", "--ctm", "latin.ctm", "--words-encoding", "latin-1", "--silences", "sí"
    )
    assert (code, out) == (0, TIMED)


def test_textgrid(structiou, tmp_path):
    intervals = "".join(
        f'{start}\n{float(start) + float(length)}\n"{word}"\n'
        for _, _, start, length, word in map(str.split, CTM.splitlines())
    )
    (tmp_path / "talk.TextGrid").write_text(
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n3.75\n<exists>\n1\n'
        f'"IntervalTier"\n"spoken"\n0\n3.75\n6\n{intervals}',
        encoding="utf-8",
    )
    code, out, err = structiou("trees.mrg", "--textgrid", "talk.TextGrid", "--tier", "spoken")
    assert (code, out) == (0, TIMED)
    assert "6 words\n" in err


def test_trees_from_stdin(structiou, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TREES.encode())))
    code, out, err = structiou("-", "--ctm", "talk.ctm")
    assert (code, out) == (0, TIMED)
    assert "least in <stdin>:3: 86%" in err


def test_penn_style_trees(structiou, tmp_path):
    (tmp_path / "penn.mrg").write_text(
        "( (S\n  (NP-SBJ (PRP We))\n  (VP (VBP stop) )))\n( (INTJ (UH go)))", "utf-8"
    )
    (tmp_path / "penn.tsv").write_text("we\t0\t1\nstop\t1\t2\ngo\t2\t3\n", "utf-8")
    code, out, _ = structiou("penn.mrg", "--words", "penn.tsv")
    assert (code, out) == (
        0,
        "( (S (NP-SBJ (PRP We<0.0,1.0>)) (VP (VBP stop<1.0,2.0>))))\n( (INTJ (UH go<2.0,3.0>)))\n",
    )


# ---- refusals -----------------------------------------------------------------------------------


def test_another_recording_is_bad_data(structiou, tmp_path):
    other = CTM.replace("we", "ladies").replace("can't", "gentlemen").replace("stop", "fasten")
    (tmp_path / "other.ctm").write_text(other, encoding="utf-8")
    code, out, err = structiou("trees.mrg", "--ctm", "other.ctm", "-o", "out.timed")
    assert (code, out) == (1, "")
    assert err.startswith("structiou: other.ctm: only ")
    assert "  trees.mrg:1 to trees.mrg:3: We ca n't stop I go\n" in err
    assert not (tmp_path / "out.timed").exists()
    assert structiou("trees.mrg", "--ctm", "other.ctm", "--min-match", "0")[0] == 0


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        pytest.param(
            ["trees.mrg"], 2, "one of the arguments --words --textgrid --ctm --audio", id="no source"
        ),
        pytest.param(
            ["trees.mrg", "--ctm", "a", "--words", "b"], 2, "not allowed with argument", id="two sources"
        ),
        pytest.param(["trees.mrg", "--audio", "a", "--tier", "w"], 2, "--tier is not for --audio", id="tier"),
        pytest.param(
            ["trees.mrg", "--ctm", "a", "--channel", "2"], 2, "--channel needs --audio", id="channel"
        ),
        pytest.param(["trees.mrg", "--ctm", "a", "--marks", "b"], 2, "--marks needs --audio", id="marks"),
        pytest.param(
            ["trees.mrg", "--ctm", "a", "--recording", "b"], 2, "--recording needs --audio", id="recording"
        ),
        pytest.param(
            ["trees.mrg", "--audio", "a", "--recording", "b"], 2, "--recording is for --marks", id="no marks"
        ),
        pytest.param(["trees.mrg", "--audio", "a", "--tier", "b"], 2, "--tier is not for --audio", id="tier"),
        pytest.param(
            ["trees.mrg", "--audio", "a", "--silences", "b"],
            2,
            "--silences is not for --audio",
            id="silences",
        ),
        pytest.param(
            ["trees.mrg", "--ctm", "a", "--words-encoding", "klingon"],
            2,
            "unknown encoding 'klingon'",
            id="encoding",
        ),
        pytest.param(
            ["trees.mrg", "--ctm", "a", "--format", "tsv"],
            2,
            "--format is for --words, not for --ctm",
            id="format",
        ),
        pytest.param(["-", "--ctm", "-"], 2, "only one file can be standard input", id="stdin twice"),
        pytest.param(
            ["trees.mrg", "--ctm", "a", "--min-match", "60%"],
            2,
            "'60%' is not a number from 0 to 1",
            id="share",
        ),
        pytest.param(
            ["trees.mrg", "--ctm", "a", "--min-match", "nan"], 2, "is not a number from 0 to 1", id="NaN"
        ),
        pytest.param(["trees.mrg", "--ctm", "none.ctm"], 1, "none.ctm: No such file", id="no words file"),
        pytest.param(["none.mrg", "--ctm", "talk.ctm"], 1, "none.mrg: No such file", id="no trees file"),
        pytest.param(["empty", "--ctm", "talk.ctm"], 1, "empty: there are no trees", id="no trees"),
        pytest.param(
            ["broken", "--ctm", "talk.ctm"], 1, "broken:1:1: this '(' is never closed", id="broken tree"
        ),
        pytest.param(["trees.mrg", "--ctm", "nan.ctm"], 1, "nan.ctm:1", id="NaN in the words"),
    ],
)
def test_bad_usage_and_bad_data(structiou, tmp_path, arguments, code, message):
    (tmp_path / "empty").write_text("", "utf-8")
    (tmp_path / "broken").write_text("(S (X a)", "utf-8")
    (tmp_path / "nan.ctm").write_text("talk A nan 0.5 we\n", "utf-8")
    got, out, err = structiou(*arguments)
    assert (got, out) == (code, "")
    assert message in err


# ---- recordings (what is asked of the aligner; its own tests have real ones) ---------------------


class Aligner(ForcedAligner):
    """Stands in for the forced aligner: a word takes half a second, after a pause of a half."""

    calls: ClassVar[list[object]] = []
    confidence = None
    uncovered = None

    def __init__(self, path, *, aligner="pocketsphinx", channel=None):
        self.calls.append((path, aligner, channel))
        self.guesses = {}
        self.reads_digits, self.min_confidence, self.suspect_confidence = True, 0.0, 0.0
        self.part_confidences = ()

    def align(self, words, start=0.0, end=None, *, parts=None):
        self.calls.append((list(words), start, end))
        if "xylophone" in words:
            raise ValueError("the words do not fit the recording")
        return Transcript([TimedWord(word, start + n + 0.5, start + n + 1.0) for n, word in enumerate(words)])

    def summary(self):
        return "found in talk.wav"


@pytest.fixture
def calls(monkeypatch):
    """What is asked of the forced aligner."""
    monkeypatch.setattr("structiou_metric.speech.corpora.work.ForcedAligner", Aligner)
    monkeypatch.setattr(Aligner, "calls", [])
    return Aligner.calls


def test_audio_is_aligned_with_all_words_at_once(structiou, calls):
    code, out, err = structiou("trees.mrg", "--audio", "talk.wav")
    assert code == 0
    assert calls == [("talk.wav", "pocketsphinx", None), (["we", "can't", "stop", "i", "go"], 0.0, None)]
    assert out.splitlines() == [
        "(S (NP (PRP We<0.5,1.0>)) (VP (MD ca<1.5,1.75>) (RB n't<1.75,2.0>) (VP (VB stop<2.5,3.0>))))",
        "()",
        "(S (NP (PRP I<3.5,4.0>)) (VP (VBP go<4.5,5.0>)))",
    ]
    assert err.startswith("found in talk.wav\n3 trees\n")


def test_audio_that_takes_long_is_announced(structiou, calls, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    assert structiou("trees.mrg", "--audio", "talk.wav", "--report", "none")[0] == 0
    text = "looking for 5 words in talk.wav ..."
    assert terminal.getvalue() == f"\r{text}\r{' ' * len(text)}\r"


@pytest.mark.parametrize(
    "usual, meanwhile",
    [
        pytest.param(signal.default_int_handler, signal.SIG_DFL, id="ends at once"),
        pytest.param(signal.SIG_IGN, signal.SIG_IGN, id="is ignored, as in the background"),
    ],
)
def test_an_interrupt_while_a_recording_is_aligned(structiou, calls, monkeypatch, usual, meanwhile):
    seen = []

    def align(self, words, start=0.0, end=None, *, parts=None):
        seen.append(signal.getsignal(signal.SIGINT))
        return Transcript([TimedWord(word, n, n + 1.0) for n, word in enumerate(words)])

    monkeypatch.setattr(Aligner, "align", align)
    before = signal.signal(signal.SIGINT, usual)
    try:
        assert structiou("trees.mrg", "--audio", "talk.wav")[0] == 0
        assert (seen, signal.getsignal(signal.SIGINT)) == ([meanwhile], usual)
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_output_that_cannot_be_written_is_refused_before_the_work(structiou, calls, tmp_path):
    code, out, err = structiou("trees.mrg", "--audio", "talk.wav", "-o", "none/timed")
    assert (code, out, err) == (
        1,
        "",
        "structiou: none/timed: No such file or directory; nor can its folder be read; check the path\n",
    )
    assert calls == []


def test_audio_with_marks_is_aligned_tree_by_tree(structiou, calls, tmp_path):
    (tmp_path / "marks.tsv").write_text("\ufeff0.5\t4.5\tA\n5 6\n10\t20.25\n", "utf-8")
    options = "--marks", "marks.tsv", "--aligner", "mine:a", "--channel", "2"
    code, out, _ = structiou("trees.mrg", "--audio", "talk.wav", *options)
    assert code == 0
    assert calls == [
        ("talk.wav", "mine:a", 2),
        (["we", "can't", "stop"], 0.5, 4.5),
        ([], 5.0, 6.0),
        (["i", "go"], 10.0, 20.25),
    ]
    assert out.splitlines()[1:] == ["()", "(S (NP (PRP I<10.5,11.0>)) (VP (VBP go<11.5,12.0>)))"]


@pytest.mark.parametrize(
    "name, text, options",
    [
        pytest.param(
            "x.stm",
            "talk 1 a 0.5 4.5 we\nno 1 a 0 9 x\ntalk 1 a 5 6 x\ntalk 1 a 10 20.25 i\n",
            [],
            id="of this recording",
        ),
        pytest.param(
            "segments", "a no 0 1\nb x 0.5 4.5\nc x 5 6\nd x 10 20.25\n", ["--recording", "x"], id="renamed"
        ),
        pytest.param(
            "x.rttm",
            "".join(
                f"SPEAKER talk 1 {start} {length} <NA> <NA> {who} <NA> <NA>\n"
                for who, start, length in [("a", 0.5, 4), ("b", 1, 1), ("a", 5, 1), ("a", 10, 10.25)]
            ),
            ["--speaker", "a"],
            id="of a speaker",
        ),
    ],
)
def test_marks_of_other_formats(structiou, calls, tmp_path, name, text, options):
    (tmp_path / name).write_text(text, "utf-8")
    assert structiou("trees.mrg", "--audio", "talk.wav", "--marks", name, *options)[0] == 0
    assert [call[1:] for call in calls[1:]] == [(0.5, 4.5), (5.0, 6.0), (10.0, 20.25)]


def test_marks_of_another_recording_are_refused(structiou, calls, tmp_path):
    (tmp_path / "segments").write_text("a other 0 1\n", "utf-8")
    code, _, err = structiou("trees.mrg", "--audio", "talk.wav", "--marks", "segments")
    assert code == 1
    assert err == "structiou: segments: there is no recording 'talk'; choose with --recording from 'other'\n"


@pytest.mark.parametrize(
    "marks, message",
    [
        pytest.param("0 1\n2 3\n", "marks.tsv has 2 marks, trees.mrg (", id="too few"),
        pytest.param("0 1\n\n2 3\n", "marks.tsv:2: '' is not a start and a later end in seconds", id="blank"),
        pytest.param("0 1\n3 2\n4 5\n", "marks.tsv:2: '3 2' is not a start and a later end", id="reversed"),
        pytest.param("0 1\n1 nan\n4 5\n", "marks.tsv:2:", id="NaN"),
        pytest.param("0 inf\n", "marks.tsv:1:", id="infinite"),
        pytest.param("-1 1\n", "marks.tsv:1:", id="negative"),
        pytest.param("a b\n", "marks.tsv:1:", id="no numbers"),
    ],
)
def test_bad_marks(structiou, calls, tmp_path, marks, message):
    (tmp_path / "marks.tsv").write_text(marks, "utf-8")
    code, out, err = structiou("trees.mrg", "--audio", "talk.wav", "--marks", "marks.tsv")
    assert (code, out) == (1, "")
    assert message in err


@pytest.fixture
def three(structiou, calls, tmp_path):
    """Runs with three trees, of which the second does not fit."""
    (tmp_path / "three.mrg").write_text("(X we)\n(X xylophone)\n(X go)\n", "utf-8")
    (tmp_path / "marks.tsv").write_text("0 1\n1.5 2\n3 4\n", "utf-8")
    command = "three.mrg", "--audio", "talk.wav", "--marks", "marks.tsv"
    return lambda *options: structiou(*command, *options)


FIRST, LAST = "(X we<0.5,1.0>)\n", "(X go<3.5,4.0>)\n"
FAILED = "structiou: 1 of 3 trees failed:\n  three.mrg:2: the words do not fit the recording\n"


@pytest.mark.parametrize(
    "options, lines",
    [
        pytest.param([], FIRST + LAST, id="left out"),
        pytest.param(["--on-error", "empty"], f"{FIRST}()\n{LAST}", id="its place is kept"),
    ],
)
def test_a_stretch_that_cannot_be_aligned_is_named_and_the_others_are_written(three, options, lines):
    code, out, err = three(*options)
    assert (code, out) == (1, lines)
    assert err.startswith("found in talk.wav\n2 trees\n")
    assert err.endswith(FAILED)


def test_with_an_output_file_a_failed_tree_is_told_behind_the_report(three, tmp_path):
    code, out, err = three("-o", "timed", "--report-to", "report.tsv")
    assert (code, err) == (1, FAILED)
    assert out.startswith("found in talk.wav\n2 trees\n")
    assert (tmp_path / "timed").read_text("utf-8") == FIRST + LAST
    assert (tmp_path / "report.tsv").read_text("utf-8").splitlines() == [
        "name\trecording\tstatus\tconfidence\tmatch\treason",
        "three.mrg:1\ttalk.wav\tdone\t\t1.0000\t",
        "three.mrg:2\ttalk.wav\tfailed\t\t\tthe words do not fit the recording",
        "three.mrg:3\ttalk.wav\tdone\t\t1.0000\t",
    ]


def test_json_tells_which_tree_failed_and_why(three):
    code, out, _ = three("-o", "timed", "--report", "json")
    first, second, last = json.loads(out)["trees"]
    assert (code, first["status"], last["status"]) == (1, "done", "done")
    assert second == {
        "name": "three.mrg:2",
        "status": "failed",
        "reason": "the words do not fit the recording",
    }


def test_on_error_raise_ends_the_run(three, tmp_path):
    message = "structiou: three.mrg:2: the words do not fit the recording\n"
    assert three("--on-error", "raise", "-o", "timed") == (1, "", message)
    assert not (tmp_path / "timed").exists()


def test_a_tree_that_cannot_be_read_is_no_end(structiou, tmp_path):
    (tmp_path / "some.mrg").write_text("(X we)\n(X ca) n't\n(X stop)\n", "utf-8")
    code, out, err = structiou("some.mrg", "--ctm", "talk.ctm", "--min-match", "0.4", "--layout", "line")
    assert (code, out) == (1, "(X we<0.5,0.75>)\n(X stop<2.0,2.5>)\n")
    assert "structiou: 1 of 3 trees failed:\n  some.mrg:2:" in err


def test_confidence_is_told_where_the_aligner_tells_it(three, tmp_path, monkeypatch):
    monkeypatch.setattr(Aligner, "confidence", 0.75)
    three("-o", "timed", "--report-to", "report.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text("utf-8").splitlines()]
    assert [row["confidence"] for row in rows] == [0.75, None, 0.75]
    assert [row["match"] for row in rows] == [1.0, None, 1.0]


def test_options_may_stand_before_the_trees(structiou):
    assert structiou("--ctm", "talk.ctm", "--report", "none", "trees.mrg") == (0, TIMED, "")
