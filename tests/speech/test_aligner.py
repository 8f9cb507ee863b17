"""How an aligner is chosen, and what its answer must be."""

from __future__ import annotations

import json
import sys
import wave
from types import ModuleType, SimpleNamespace

import pytest

from structiou_metric.commands.main import main
from structiou_metric.speech.forced import aligner
from structiou_metric.speech.forced.aligner import (
    Aligner,
    AlignmentError,
    check_alignment,
    load_aligner,
)
from structiou_metric.speech.forced.recording import ForcedAligner
from structiou_metric.speech.words import TimedWord
from support.extras import need


class Even:
    """Gives every word the same time."""

    def align(self, samples, rate, words):
        step = len(samples) / rate / len(words)
        return [TimedWord(word, n * step, (n + 1) * step) for n, word in enumerate(words)]


@pytest.fixture
def plugin(monkeypatch):
    module = ModuleType("my_aligners")
    module.Even = Even
    module.make = lambda: Even()
    module.ready = Even()
    module.table = SimpleNamespace(inner=Even)
    module.number = 3
    module.wrong = lambda: 3
    monkeypatch.setitem(sys.modules, "my_aligners", module)
    aligner._load.cache_clear()
    yield module
    aligner._load.cache_clear()


@pytest.mark.parametrize("name", ["Even", "make", "ready", "table.inner"])
def test_load_aligner_by_name(plugin, name):
    found = load_aligner(f"my_aligners:{name}")
    assert isinstance(found, Even)
    assert isinstance(found, Aligner)
    assert load_aligner(f"my_aligners:{name}") is found


def test_load_aligner_takes_an_object():
    even = Even()
    assert load_aligner(even) is even


@pytest.mark.parametrize(
    "name, message",
    [
        (
            "praat",
            "unknown aligner 'praat'; choose from ctc, mms, pocketsphinx, or give",
        ),
        ("", "unknown aligner ''"),
        (":Even", "unknown aligner ':Even'"),
        ("my_aligners:", "unknown aligner 'my_aligners:'"),
        ("no_such_module:Even", "aligner 'no_such_module:Even': there is no module 'no_such_module'"),
        ("my_aligners:Odd", "aligner 'my_aligners:Odd': .*Odd"),
        ("my_aligners:number", "'my_aligners:number' has no method align"),
        ("my_aligners:wrong", "'my_aligners:wrong' has no method align"),
        (Even, "'type' has no method align"),
        (3, "'int' has no method align"),
    ],
)
def test_load_aligner_errors(plugin, name, message):
    with pytest.raises(ValueError, match=message):
        load_aligner(name)


def test_load_aligner_hands_the_model_on(plugin):
    class Loud(Even):
        def __init__(self, model):
            self.model = model

    plugin.Loud = Loud
    found = load_aligner("my_aligners:Loud", model="here")
    assert found.model == "here"
    assert load_aligner("my_aligners:Loud", model="here") is found
    with pytest.raises(ValueError, match=r"'my_aligners:Loud' cannot be made with no model=: .*'model'"):
        load_aligner("my_aligners:Loud")


@pytest.mark.parametrize(
    "name, message",
    [
        ("my_aligners:Even", "'my_aligners:Even' cannot be made with model='x': "),
        ("my_aligners:ready", "is made already, so it takes no model='x'"),
        (Even(), "model='x' is for an aligner given by its name"),
    ],
)
def test_load_aligner_that_takes_no_model(plugin, name, message):
    with pytest.raises(ValueError, match=message):
        load_aligner(name, model="x")


def test_min_confidence_out_of_range():
    with pytest.raises(ValueError, match=r"min_confidence must be from 0 to 1, not 1\.5"):
        ForcedAligner("talk.wav", min_confidence=1.5)


def test_load_aligner_keeps_an_error_inside_the_module(monkeypatch, tmp_path):
    (tmp_path / "half_an_aligner.py").write_text("import a_library_that_is_missing\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_library_that_is_missing"):
        load_aligner("half_an_aligner:Make")


def test_project_finds_an_aligner_in_the_current_folder(monkeypatch, tmp_path, capsys):
    """An installed command does not have the current folder on its path."""
    need("numpy")
    (tmp_path / "halving_aligner.py").write_text(
        "class Halves:\n    def align(self, samples, rate, words):\n"
        "        return [(words[0], 0.0, 0.5), (words[1], 0.5, 1.0)]\n",
        "utf-8",
    )
    (tmp_path / "trees.mrg").write_text("(S (X we) (X go))\n", "utf-8")
    with wave.open(str(tmp_path / "talk.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(32_000))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    assert main(["project", "trees.mrg", "--audio", "talk.wav", "--aligner", "halving_aligner:Halves"]) == 0
    assert capsys.readouterr().out == "(S (X we<0.0,0.5>) (X go<0.5,1.0>))\n"


# ------------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize(
    "answer, want",
    [
        pytest.param(
            [("a", 0.0, 0.30000000000000004), ("b", 0.3, 1.0)],
            [(0.0, 0.30000000000000004), (0.30000000000000004, 1.0)],
            id="the next starts a bit early",
        ),
        pytest.param([("a", 0.0, 0.5), ("b", 0.49, 1.0)], [(0.0, 0.5), (0.5, 1.0)], id="a frame of overlap"),
        pytest.param([("a", -0.01, 0.5), ("b", 0.5, 1.0)], [(0.0, 0.5), (0.5, 1.0)], id="before the sound"),
        pytest.param([("a", 0.5, 0.49), ("b", 0.5, 1.0)], [(0.5, 0.5), (0.5, 1.0)], id="ends a frame early"),
        pytest.param(
            [("a", 0.5, 0.6), ("b", 0.59, 0.59)], [(0.5, 0.6), (0.6, 0.6)], id="wholly in the overlap"
        ),
    ],
)
def test_check_alignment_moves_what_is_off_by_rounding(answer, want):
    assert check_alignment(answer, ["a", "b"], 2.0) == [
        TimedWord(text, *times) for text, times in zip("ab", want, strict=True)
    ]


def test_check_alignment_estimates_times_that_are_none():
    answer = [("a", None, 0.5), ("bb", None, None), ("cccc", None, None), ("d", 2.0, None)]
    assert check_alignment(answer, ["a", "bb", "cccc", "d"], 2.25) == [
        TimedWord("a", 0.0, 0.5, True),
        TimedWord("bb", 0.5, 1.0, True),
        TimedWord("cccc", 1.0, 2.0, True),
        TimedWord("d", 2.0, 2.25, True),
    ]


def test_check_alignment_with_no_time_at_all():
    with pytest.raises(AlignmentError, match="gave no word a time"):
        check_alignment([("a", None, None), ("b", None, None)], ["a", "b"], 2.0)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "answer, message",
    [
        pytest.param([("a", 0, 1)], "gave times of 1 word for 2 words", id="too few"),
        pytest.param([("a", 0, 0), ("b", 0, 0), ("c", 0, 0)], "of 3 words for 2 words", id="too many"),
        pytest.param([("b", 0, 1), ("a", 1, 2)], "word 1, 'b' at 0 to 1 s, should be 'a'", id="other order"),
        pytest.param([("a", 0, 1), ("B", 1, 2)], "word 2, 'B' at 1 to 2 s, should be 'b'", id="other text"),
        pytest.param([("a", NAN, 1), ("b", 1, 2)], "'a' at nan to 1 s, is not finite", id="NaN"),
        pytest.param([("a", 0, 1), ("b", 1, INF)], "is not finite", id="infinite"),
        pytest.param([("a", 1, 0.5), ("b", 1, 2)], "word 1, .* ends before it starts", id="reversed"),
        pytest.param([("a", -0.1, 1), ("b", 1, 2)], "is outside the sound, which lasts 2.000 s", id="before"),
        pytest.param([("a", 0, 1), ("b", 1, 2.5)], "is outside the sound", id="behind"),
        pytest.param(
            [("a", 0, 1), ("b", 0.9, 2)], "starts before the end of the word before it, 1 s", id="overlap"
        ),
        pytest.param(
            [("a", 0), ("b", 1, 2)], r"word 1 is not \(text, start, end\) but \('a', 0\)", id="no end"
        ),
        pytest.param(
            [("a", 0, 1), ("b", 0.97, 2)],
            "starts before the end of the word before it",
            id="three frames early",
        ),
        pytest.param([("a", 0.5, 1), ("b", None, 0.9)], "before the end of the word before", id="end alone"),
        pytest.param([("a", -0.03, 1), ("b", 1, 2)], "is outside the sound", id="three frames before"),
        pytest.param([("a", 0, 1), None], r"word 2 is not \(text, start, end\) but None", id="no word"),
        pytest.param([("a", "x", 1), ("b", 1, 2)], "word 1 is not", id="text for a time"),
    ],
)
def test_check_alignment_errors(answer, message):
    with pytest.raises(AlignmentError, match=message):
        check_alignment(answer, ["a", "b"], 2.0)


@pytest.mark.parametrize("option, value", [("--model", "here"), ("--min-confidence", "0.5")])
def test_project_options_of_aligners_need_a_recording(tmp_path, capsys, option, value):
    (tmp_path / "trees.mrg").write_text("(S (X we))\n", "utf-8")
    (tmp_path / "words.tsv").write_text("0\t1\twe\n", "utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["project", str(tmp_path / "trees.mrg"), "--words", str(tmp_path / "words.tsv"), option, value])
    assert stopped.value.code == 2
    assert f"{option} needs --audio" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------ tree by tree

JUDGE = """
from structiou_metric.speech.forced.aligner import AlignedWords


class Judge:
    judges_parts = True
    min_confidence = 0.03
    suspect_confidence = 0.5

    def align(self, samples, rate, words, *, parts):
        levels = iter([0.9, 0.2, 0.01, 0.7])
        step = len(samples) / rate / len(words)
        timed = [(word, i * step, (i + 1) * step) for i, word in enumerate(words)]
        return AlignedWords(timed, 0.9997, [next(levels) if n else None for n in parts])
"""
JUDGED = ["(S (X we) (X run))", "(S (X they) (X go))", "()", "(S (X it) (X stops))", "(S (X I) (X stay))"]


@pytest.fixture
def judged(project, tmp_path):
    """A recording of a second and trees of which an aligner is more or less sure."""
    soundfile = pytest.importorskip("soundfile")
    numpy = pytest.importorskip("numpy")
    (tmp_path / "judging.py").write_text(JUDGE, "utf-8")
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "talk.mrg").write_text("\n".join(JUDGED) + "\n", "utf-8")
    (tmp_path / "calls").mkdir()
    soundfile.write(tmp_path / "calls" / "talk.wav", numpy.zeros(16_000), 16_000)
    return lambda trees, calls, *options: project(
        trees, "--audio", calls, "--aligner", "judging:Judge", *options
    )


@pytest.mark.parametrize(
    "place", [("trees/talk.mrg", "calls/talk.wav"), ("trees", "calls")], ids=["one", "many"]
)
def test_each_tree_has_a_confidence_and_is_warned_of_or_refused_by_it(judged, tmp_path, place):
    code, out, err = judged(*place, "-o", "timed", "--report-to", "report.jsonl")
    assert code == 1
    rows = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text("utf-8").splitlines()]
    assert [(row["status"], row["confidence"]) for row in rows] == [
        ("done", 0.9),
        ("done", 0.2),
        ("done", None),
        ("failed", 0.01),
        ("done", 0.7),
    ]
    lines = (tmp_path / "timed").read_text("utf-8").splitlines()
    assert lines[1] == "(S (X they<0.25,0.375>) (X go<0.375,0.5>))"
    assert [line.partition("<")[0] for line in lines] == ["(S (X we", "(S (X they", "()", "(S (X I"]
    warning = (
        "the words of 1 tree may not be those said there, by their confidence: trees/talk.mrg:2 (0.20)\n"
    )
    assert warning in out
    assert "% of the characters match" not in out  # which is so by construction
    assert err == (
        "structiou: 1 of 5 trees failed:\n  trees/talk.mrg:4: its words do not fit the sound where they were "
        "found, 0.50 to 0.75 s (confidence 0.01, from --min-confidence 0.03 on they count as a match); are "
        "they those of another recording or stretch, of another speaker, or in another order? If not, "
        "--min-confidence 0 takes them\n"
    )


def test_the_least_confidence_of_trees_can_be_chosen(judged):
    code, out, _ = judged("trees/talk.mrg", "calls/talk.wav", "-o", "timed", "--min-confidence", "0")
    assert code == 0
    assert "the words of 2 trees may not be those said there" in out
