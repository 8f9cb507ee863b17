"""Forced alignment with a CTC model: a tiny one, trained here, in the real onnxruntime."""

from __future__ import annotations

import json
import shutil
from array import array

import pytest

from structiou_metric.commands.main import main
from structiou_metric.speech.forced.aligner import AlignmentError
from structiou_metric.speech.forced.recording import ForcedAligner, align_audio
from support import espeak
from support.extras import need

need("numpy")
need("onnxruntime")
need("onnx")

import numpy  # noqa: E402

from structiou_metric.speech.forced.ctc import CtcAligner  # noqa: E402
from support import tiny_ctc  # noqa: E402

WORDS = ["dog", "bites", "an", "old", "rabbit"]
FRAME = tiny_ctc.STRIDE / tiny_ctc.RATE


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_ctc.write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def talk(tmp_path_factory):
    samples, times = tiny_ctc.tones(WORDS)
    data = array("h", (samples * 20_000).astype("<i2").tobytes())
    return espeak.write_wav(tmp_path_factory.mktemp("talk") / "talk.wav", data, tiny_ctc.RATE), times


def near(found, times):
    return all(
        abs(one - other) <= FRAME + 1e-6
        for word, want in zip(found, times, strict=True)
        for one, other in zip(word[1:3], want, strict=True)
    )


def test_align_audio_with_a_model(model, talk):
    path, times = talk
    found = align_audio(WORDS, path, aligner="ctc", model=str(model)).words
    assert [word.text for word in found] == WORDS
    assert near(found, times)


def test_each_tree_has_a_confidence_of_its_own(model, talk):
    path, _ = talk
    aligner = ForcedAligner(path, aligner="ctc", model=str(model))
    aligner.align(["dog", "bites", "--", "an", "old", "rabbit"], parts=[2, 1, 3])
    first, none, second = aligner.part_confidences
    assert none is None
    assert min(first, second) > 0.5
    aligner.align(["dog", "bites", "tell", "lab", "too"], parts=[2, 3])
    right, wrong = aligner.part_confidences
    assert right > 0.5 > wrong


def test_project_with_a_model(model, talk, tmp_path, capsys):
    (tmp_path / "trees.mrg").write_text(
        "(S (NP (NN Dog)) (VP (VBZ bites) (NP (DT an) (JJ old) (NN rabbit))) (. .))\n", "utf-8"
    )
    trees = str(tmp_path / "trees.mrg")
    assert main(["project", trees, "--audio", str(talk[0]), "--aligner", "ctc", "--model", str(model)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("(S (NP (NN Dog<0.2,")
    assert "confidence at least 0.9" in err


def test_project_ctc_needs_a_model(talk, tmp_path, capsys):
    (tmp_path / "trees.mrg").write_text("(S (NN Dog))\n", "utf-8")
    assert main(["project", str(tmp_path / "trees.mrg"), "--audio", str(talk[0]), "--aligner", "ctc"]) != 0
    assert "'model'" in capsys.readouterr().err


def test_confidence_tells_right_words_from_wrong_ones(model, talk):
    path, _ = talk
    aligner = ForcedAligner(path, aligner="ctc", model=str(model), min_confidence=0.5)
    aligner.align(WORDS)
    assert aligner.confidence > 0.9
    with pytest.raises(AlignmentError, match=r"confidence 0\.[0-4].*min_confidence=0\.5"):
        aligner.align(WORDS[::-1])
    assert aligner.confidence < 0.5
    assert aligner.least_confidence[0] > 0.9  # of what was aligned


def test_long_sound_is_heard_in_windows(model, monkeypatch):
    from structiou_metric.speech.forced import ctc

    aligner = CtcAligner(str(model))
    samples, times = tiny_ctc.tones(WORDS * 3)
    whole = aligner.align(samples, tiny_ctc.RATE, WORDS * 3)
    monkeypatch.setattr(ctc, "_WINDOW", 1.0)
    monkeypatch.setattr(ctc, "_MARGIN", 0.2)
    assert aligner.align(samples, tiny_ctc.RATE, WORDS * 3).words == whole.words
    assert near(whole.words, times)


def test_words_that_cannot_be_spelled_get_estimated_times(model, talk):
    path, times = talk
    found = align_audio(
        ["dog", "--", "Bites!", "An", "old", "RABBIT"], path, aligner="ctc", model=str(model)
    ).words
    assert [word.estimated for word in found] == [False, True, False, False, False, False]
    assert near([found[0], *found[2:]], times)
    assert found[0].end <= found[1].start <= found[1].end <= found[2].start
    with pytest.raises(AlignmentError, match="no word can be spelled with the 12 letters of"):
        align_audio(["שלום"], path, aligner="ctc", model=str(model))


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("vocab.json", None, "there is no vocabulary"),
        ("vocab.json", "[1]", "should be a JSON object"),
        ("vocab.json", "{", "this is not JSON"),
        ("vocab.json", '{"a": 1.5}', "must have a whole number"),
        ("vocab.json", '{"deu": {"a": 0}, "eng": {"a": 0}}', "several languages; choose from deu, eng"),
        ("config.json", "{}", None),
        ("preprocessor_config.json", '{"sampling_rate": 8000}', "hears 8000 samples a second, not 16000"),
        ("model.onnx", None, r"there is no model\.onnx"),
        ("model.onnx", "no model", "no model that onnxruntime can run"),
    ],
)
def test_folders_that_lack_something(model, tmp_path, name, text, message):
    folder = shutil.copytree(model, tmp_path / "model")
    (folder / name).unlink()
    if text is not None:
        (folder / name).write_text(text, "utf-8")
    if message is None:
        CtcAligner(str(folder))  # the blank is known by its name
        return
    with pytest.raises(ValueError, match=message):
        CtcAligner(str(folder))


def test_a_vocabulary_that_names_no_blank_or_more_tokens_than_the_model(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    (folder / "vocab.json").write_text(json.dumps({"A": 99}), "utf-8")
    with pytest.raises(ValueError, match=r"not \(1, frames, tokens\)"):
        CtcAligner(str(folder)).align(numpy.zeros(16_000, numpy.float32), 16_000, ["a"])
    (folder / "config.json").unlink()
    with pytest.raises(ValueError, match="which token is the blank"):
        CtcAligner(str(folder))
