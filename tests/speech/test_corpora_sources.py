"""Whole corpora by all kinds of sound, marks and words, and with the options of aligners and speakers."""

from __future__ import annotations

import json
import wave
from array import array
from pathlib import Path

import pytest

from structiou_metric import SegmentTree
from structiou_metric.speech.corpora.finding import is_sound
from support import espeak
from support.cli import runner
from support.extras import need

ALIGNER = """
from structiou_metric.speech import AlignedWords


class Even:
    \"\"\"Shares the sound out among the words; of words without an e it is sure to a half.\"\"\"

    def align(self, samples, rate, words):
        confidence = 0.9 if all("e" in word for word in words) else 0.5
        uncovered = (0.5 if "twelve" in words else 0.0), 1.0
        step = len(samples) / rate / len(words)
        timed = [(word, n * step, (n + 1) * step) for n, word in enumerate(words)]
        return AlignedWords(timed, confidence, uncovered=uncovered)
"""


@pytest.fixture
def calls(folder):
    """Folders of trees and of silent recordings, `a` with two trees and `b` with one, of four seconds."""
    need("numpy")
    for name in ("trees", "calls"):
        (folder / name).mkdir()
    (folder / "trees" / "a.mrg").write_text("(S (X we) (X tell))\n(S (X big) (X fish))\n", "utf-8")
    (folder / "trees" / "b.mrg").write_text("(S (X here) (X twelve))\n", "utf-8")
    for name in ("a", "b"):
        with wave.open(str(folder / "calls" / f"{name}.wav"), "wb") as file:
            file.setparams((1, 2, 16_000, 0, "NONE", ""))
            file.writeframes(array("h", [0] * 64_000).tobytes())
    (folder / "aligners_of_calls.py").write_text(ALIGNER, "utf-8")
    return folder


AUDIO = ("trees", "--audio", "calls", "--aligner", "aligners_of_calls:Even")
MARKED = [
    "(S (X we<0.0,0.5>) (X tell<0.5,1.0>))",
    "(S (X big<2.0,3.0>) (X fish<3.0,4.0>))",
    "(S (X here<1.0,1.5>) (X twelve<1.5,2.0>))",
]
SEGMENTS = "a-1 a 0 1\nb-1 b 1 2\na-2 a 2 -1\n"


def lines(path: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "name, text",
    [
        ("segments", SEGMENTS),
        ("all.rttm", "".join(f"SPEAKER {r} 1 {s} {n} <NA> <NA> x <NA>\n" for r, s, n in
                             [("a", 0, 1), ("a", 2, 2), ("b", 1, 1)])),
        ("all.stm", "a 1 x 0 1 we tell\na 1 x 2 4 big fish\nb 1 x 1 2 here twelve\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("workers", [1, 2])
def test_one_file_of_marks_is_for_all_recordings_that_it_names(calls, project, name, text, workers):
    (calls / name).write_text(text, "utf-8")
    code, out, err = project(*AUDIO, "--marks", name, "--workers", workers)
    assert (code, out.splitlines()) == (0, MARKED), err


def test_a_folder_of_marks_of_several_kinds(calls, project):
    (calls / "marks").mkdir()
    (calls / "marks" / "a.tsv").write_text("0 1\n2 4\n", "utf-8")
    (calls / "marks" / "b.stm").write_text("b 1 x 1 2 here twelve\n", "utf-8")
    assert project(*AUDIO, "--marks", "marks")[:2] == (0, "".join(f"{line}\n" for line in MARKED))


def test_marks_that_name_no_recordings_are_not_for_many(calls, project):
    (calls / "marks.tsv").write_text("0 1\n", "utf-8")
    code, out, err = project(*AUDIO, "--marks", "marks.tsv")
    assert (code, out) == (1, "")
    assert "marks.tsv: the marks are one file, the others a folder" in err


def test_a_name_of_the_recording_is_for_one(calls, project):
    (calls / "segments").write_text(SEGMENTS, "utf-8")
    code, _, err = project(*AUDIO, "--marks", "segments", "--recording", "a")
    assert code == 2
    assert "--recording is for one recording" in err


def test_the_level_of_confidence_is_handed_on_and_told_of_each_tree(calls, project):
    (calls / "segments").write_text(SEGMENTS, "utf-8")
    options = ("--marks", "segments", "--min-confidence", "0.75", "--report-to", "report.jsonl")
    code, out, err = project(*AUDIO, *options, "--workers", "2", "-o", "timed", "--report", "json")
    assert code == 1
    assert Path("timed").read_text("utf-8").splitlines() == [MARKED[0], MARKED[2]]
    assert [(row["status"], row["confidence"]) for row in lines("report.jsonl")] == [
        ("done", 0.9),
        ("failed", 0.5),
        ("done", 0.9),
    ]
    assert "its words do not fit the sound" in err
    warnings = json.loads(out)["warnings"]
    assert list(warnings) == ["calls/b.wav"]
    assert warnings["calls/b.wav"].startswith("no words are given for 0.5 of 1.0 s of speech")


def test_trees_are_refused_by_the_confidence_of_all_where_the_aligner_gives_no_other(calls, project):
    options = ("--min-confidence", "0.95", "--report-to", "report.jsonl", "--report", "none")
    code, out, _ = project(*AUDIO, *options)
    assert (code, out) == (1, "")
    assert [row["confidence"] for row in lines("report.jsonl")] == [0.5, 0.5, 0.9]


def test_flac_is_found_beside_wav(calls, project):
    soundfile = pytest.importorskip("soundfile")
    samples, rate = soundfile.read("calls/b.wav", dtype="int16")
    (calls / "calls" / "b.wav").unlink()
    soundfile.write("calls/b.FLAC", samples, rate, format="FLAC")
    (calls / "segments").write_text(SEGMENTS, "utf-8")
    assert project(*AUDIO, "--marks", "segments")[:2] == (0, "".join(f"{line}\n" for line in MARKED))


def test_what_is_sound():
    assert all(map(is_sound, ["a.wav", "a.SPH", "a.mp3", "a.ogg", "a.opus", "a.aiff", "a.m4a"]))
    assert not any(map(is_sound, ["a.TextGrid", "a.ctm", "a.json", "a.WRD", "a.eaf", "a.vtt"]))


def test_words_of_several_kinds_with_silences_and_an_encoding(folder, project):
    for name in ("trees", "words"):
        (folder / name).mkdir()
    (folder / "trees" / "a.mrg").write_text("(S (X caf\u00e9) (X noir))\n", "utf-8")
    (folder / "trees" / "b.mrg").write_text("(S (X so) (X what))\n", "utf-8")
    (folder / "words" / "a.ctm").write_text("a 1 0 1 caf\u00e9\na 1 1 1 +um+\na 1 2 1 noir\n", "latin-1")
    (folder / "words" / "b.srt").write_text(
        "1\n00:00:00,000 --> 00:00:01,000\nso\n\n2\n00:00:01,000 --> 00:00:02,000\nwhat\n", "latin-1"
    )
    options = ("--silences", "+um+", "--words-encoding", "latin-1", "-o", "timed", "--report", "json")
    code, out, err = project("trees", "--words", "words", *options)
    assert code == 0, err
    assert Path("timed").read_text("utf-8").splitlines() == [
        "(S (X caf\u00e9<0.0,1.0>) (X noir<2.0,3.0>))",
        "(S (X so<0.0,1.0>) (X what<1.0,2.0>))",
    ]
    assert json.loads(out)["total"]["unused"] == 0


CALL = "(CODE (SYM SpeakerA1))\n(S (X we) (X go))\n(CODE (SYM SpeakerB2))\n(S (X never) (X mind))\n"
SIDES = "{0} A 0 1 we\n{0} A 1 1 go\n{0} B 2 1 never\n{0} B 3 1 mind\n"


def test_trees_of_the_speaker_in_folders(folder, project):
    for name in ("trees", "words"):
        (folder / name).mkdir()
    for name in ("a", "b"):
        (folder / "trees" / f"{name}.mrg").write_text(CALL, "utf-8")
        (folder / "words" / f"{name}.ctm").write_text(SIDES.format(name), "utf-8")
    code, out, err = project("trees", "--ctm", "words", "--speaker", "B")
    assert (code, out.splitlines()) == (0, ["(S (X never<2.0,3.0>) (X mind<3.0,4.0>))"] * 2), err


def test_trees_that_are_not_there_in_folders(folder, project):
    for name in ("trees", "words"):
        (folder / name).mkdir()
    (folder / "trees" / "a.mrg").write_text("(S (X we) (X all) (X went))\n(S (X Uh-huh))\n", "utf-8")
    (folder / "words" / "a.ctm").write_text("a A 0 1 we\na A 1 1 all\na A 2 1 went\n", "utf-8")
    code, out, err = project("trees", "--ctm", "words", "--on-error", "empty")
    assert (code, out.splitlines()) == (1, ["(S (X we<0.0,1.0>) (X all<1.0,2.0>) (X went<2.0,3.0>))", "()"])
    assert "a.mrg:2: only 0% of its characters match, less than --min-tree-match 0.3" in err
    code, out, _ = project("trees", "--ctm", "words", "--min-tree-match", "0")
    assert (code, len(out.splitlines())) == (0, 2)


def test_no_share_of_characters_is_printed_where_words_were_looked_for(calls, project):
    (calls / "table.tsv").write_text("recording\ttree\ncalls/a.wav\ttrees/a.mrg\n", "utf-8")
    code, _, err = project("--table", "table.tsv", *AUDIO[3:])
    assert (code, err.splitlines()[:2]) == (0, ["1 utterance, 0 failed", "2 trees"])
    assert "characters match" not in err


JUDGING = """
from structiou_metric.speech import AlignedWords


class Judge:
    judges_parts, min_confidence, suspect_confidence = True, 0.03, 0.5

    def align(self, samples, rate, words, parts=None):
        step = len(samples) / rate / len(words)
        timed = [(word, n * step, (n + 1) * step) for n, word in enumerate(words)]
        return AlignedWords(timed, 0.99, [0.99, 0.2])
"""


def test_the_summary_has_the_confidence_of_the_least_sure_tree(calls, project):
    (calls / "judging_aligners.py").write_text(JUDGING, "utf-8")
    options = ("trees/a.mrg", "--audio", "calls/a.wav", "--aligner", "judging_aligners:Judge")
    code, _, err = project(*options)
    assert code == 0
    assert "confidence at least 0.20, at 0.00 to 4.00 s" in err
    assert "the words of 1 tree may not be those said there, by their confidence: trees/a.mrg:2 (0.20)" in err


def test_the_channel_of_a_table_is_that_of_a_speaker(calls, project):
    with wave.open(str(calls / "calls" / "c.wav"), "wb") as file:
        file.setparams((2, 2, 16_000, 0, "NONE", ""))
        file.writeframes(array("h", [0] * 64_000).tobytes())
    (calls / "call.mrg").write_text(CALL, "utf-8")
    (calls / "table.tsv").write_text("recording\ttree\tchannel\nc\tcall.mrg\t2\nc\tcall.mrg\t1\n", "utf-8")
    code, out, err = project("--table", "table.tsv", "--audio", "calls", *AUDIO[3:])
    assert (code, out.splitlines()) == (
        0,
        ["(S (X never<0.0,1.0>) (X mind<1.0,2.0>))", "(S (X we<0.0,1.0>) (X go<1.0,2.0>))"],
    ), err


def test_a_model_in_folders(folder, project):
    """Two processes with a CTC model each; the words of one recording are those of none."""
    for name in ("numpy", "onnxruntime", "onnx"):
        need(name)
    from support import tiny_ctc

    model = tiny_ctc.write_model(folder / "model")
    for name in ("trees", "calls"):
        (folder / name).mkdir()
    samples, times = tiny_ctc.tones(["ten", "dogs"])
    for name, words in (("a", ["10", "dogs"]), ("b", ["bat", "ate"])):
        (folder / "trees" / f"{name}.mrg").write_text(f"(S (X {words[0]}) (X {words[1]}))\n", "utf-8")
        data = array("h", (samples * 20_000).astype("<i2").tobytes())
        espeak.write_wav(folder / "calls" / f"{name}.wav", data, tiny_ctc.RATE)
    options = ("--aligner", "ctc", "--model", str(model), "--min-confidence", "0.5", "--workers", "2")
    code, out, err = project("trees", "--audio", "calls", *options, "--report-to", "report.jsonl")
    assert code == 1, err
    found = SegmentTree.from_brackets(out.strip(), "time")
    assert found.words == ("10", "dogs")
    assert found.times is not None
    for (start, end), (own_start, own_end) in zip(found.times, times, strict=True):
        assert (start, end) == (pytest.approx(own_start, abs=0.03), pytest.approx(own_end, abs=0.03))
    right, wrong = lines("report.jsonl")
    assert (right["status"], wrong["status"]) == ("done", "failed")
    assert right["confidence"] > 0.9
    assert wrong["confidence"] < 0.5


def test_speech_score_takes_the_same_options(calls, capsys):
    (calls / "segments").write_text(SEGMENTS, "utf-8")
    (calls / "parsed").mkdir()
    (calls / "parsed" / "a.mrg").write_text("\n".join(MARKED[:2]) + "\n", "utf-8")
    (calls / "parsed" / "b.mrg").write_text(MARKED[2] + "\n", "utf-8")
    score = runner(capsys, "speech-score")
    command = ["--gold", "trees", *AUDIO[1:], "--marks", "segments", "--predicted", "parsed", "--json"]
    code, out, err = score(*command)
    result = json.loads(out)
    assert (code, result["struct_iou"], result["projection"]["compared"]) == (0, 1.0, "sentences"), err
    assert list(result["projection"]["gold"]["warnings"]) == ["calls/b.wav"]
    code, out, err = score(*command, "--min-confidence", "0.75")
    assert (code, json.loads(out)["n_sentences"]) == (1, 2)
    assert "its words do not fit the sound" in err
