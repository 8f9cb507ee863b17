"""What other aligners give: torchaudio's MMS_FA as an aligner, and the folders of MFA and NeMo as words."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace

import pytest

from structiou_metric.speech import AlignmentError
from support.cli import failed, succeeded
from support.extras import need

need("numpy")
need("soundfile")

import numpy  # noqa: E402
import soundfile  # noqa: E402

from structiou_metric.speech.forced.aligner import _load  # noqa: E402
from structiou_metric.speech.forced.mms import MmsAligner  # noqa: E402

TREE = "(S (NP (PRP We)) (VP (MD ca) (RB n't) (VP (VB stop) (NP (NN Noël)))) (. .))"


# ---- torchaudio ---------------------------------------------------------------------------------


LETTERS = {"-": 0, **{letter: number for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz'", 1)}}
N_FRAMES = 50  # of a second
HEARD = "-wwee--nnooeell"  # a letter a frame, and silence behind


def emission(n_frames):
    """The log probabilities of frames in which one letter each is heard with a probability of a half."""
    probabilities = numpy.full((1, n_frames, len(LETTERS)), 0.5 / (len(LETTERS) - 1))
    for frame in range(n_frames):
        probabilities[0, frame, LETTERS[HEARD[frame] if frame < len(HEARD) else "-"]] = 0.5
    return numpy.log(probabilities)


@pytest.fixture
def torchaudio(monkeypatch):
    """A bundle of the shape that torchaudio 2.1 to 2.9 documents for MMS_FA; its weights are not here."""

    def model(samples):
        return emission(round(N_FRAMES * samples.shape[1] / 16_000)), None

    def get_model(with_star=True):
        assert not with_star  # else there is one more token than in the dictionary
        return model

    bundle = SimpleNamespace(
        get_model=get_model,
        get_dict=lambda star="*": LETTERS if star is None else {**LETTERS, star: len(LETTERS)},
    )
    torch, audio, pipelines = (ModuleType(name) for name in ("torch", "torchaudio", "torchaudio.pipelines"))
    torch.from_numpy = numpy.asarray
    torch.inference_mode = nullcontext
    pipelines.MMS_FA = bundle
    for module in (torch, audio, pipelines):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    _load.cache_clear()  # in which aligners are kept by their names
    yield
    _load.cache_clear()


def test_frames_of_torchaudio_become_seconds(torchaudio):
    samples = numpy.zeros(16_000, numpy.float32)
    aligner = MmsAligner()
    found = aligner.align(samples, 16_000, ["we", "42", "Noël"], parts=[1, 1, 1])
    assert found.words == [
        ("we", pytest.approx(1 / N_FRAMES), pytest.approx(5 / N_FRAMES)),
        ("42", None, None),
        ("Noël", pytest.approx(7 / N_FRAMES), pytest.approx(15 / N_FRAMES)),
    ]
    assert found.confidence == pytest.approx(0.5)
    assert found.part_confidences == [pytest.approx(0.5), None, pytest.approx(0.5)]
    with pytest.raises(AlignmentError, match="romanise the words"):
        aligner.align(samples, 16_000, ["\u05e9\u05dc\u05d5\u05dd"])
    with pytest.raises(AlignmentError, match="15 letters need more than 10 frames"):
        aligner.align(samples[:3200], 16_000, ["westopandstopit"])


def test_the_command_takes_torchaudio(torchaudio, project, tmp_path):
    (tmp_path / "gold.mrg").write_text("(S (NP (PRP We)) (X (NNP Noël)) (. .))\n", "utf-8")
    soundfile.write(tmp_path / "talk.wav", numpy.zeros(16_000), 16_000)
    code, out, err = project("gold.mrg", "--audio", "talk.wav", "--aligner", "mms")
    assert code == 0, err
    assert out == "(S (NP (PRP We<0.02,0.1>)) (X (NNP Noël<0.14,0.3>)))\n"


def test_torchaudio_that_is_missing_is_named(project, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    _load.cache_clear()
    (tmp_path / "gold.mrg").write_text(TREE + "\n", "utf-8")
    soundfile.write(tmp_path / "talk.wav", numpy.zeros(16_000), 16_000)
    message = failed(project("gold.mrg", "--audio", "talk.wav", "--aligner", "mms"))
    assert "needs torch: pip install 'structiou-metric[mms]'" in message


# ---- folders ------------------------------------------------------------------------------------

TIMED = "(S (NP (PRP We<0.5,0.7>)) (VP (MD ca<0.7,0.85>) (RB n't<0.85,1.0>) (VP (VB stop<1.0,1.5>)))))"
WORDS = [("we", 0.5, 0.7), ("can't", 0.7, 1.0), ("stop", 1.0, 1.5)]
SPOKEN = "(S (NP (PRP We)) (VP (MD ca) (RB n't) (VP (VB stop))) (. .))"


def mfa_json(words):
    """What `mfa align --output_format json` writes."""
    tiers = {
        "words": {"type": "interval", "entries": [[a, b, w] for w, a, b in words]},
        "phones": {"type": "interval", "entries": [[a, b, "AH0"] for _, a, b in words]},
    }
    return json.dumps({"start": 0, "end": 2, "tiers": tiers})


def mfa_textgrid(words):
    """What `mfa align` writes: tiers of words and phones, in the long form."""
    tiers = []
    for number, name in enumerate(("words", "phones"), 1):
        intervals = "".join(
            f"        intervals [{n}]:\n            xmin = {a}\n            xmax = {b}\n"
            f'            text = "{w if name == "words" else "AH0"}"\n'
            for n, (w, a, b) in enumerate(words, 1)
        )
        tiers.append(
            f'    item [{number}]:\n        class = "IntervalTier"\n        name = "{name}"\n'
            "        xmin = 0\n"
            f"        xmax = 2\n        intervals: size = {len(words)}\n{intervals}"
        )
    head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 2\ntiers? <exists>\n'
    return f"{head}size = 2\nitem []:\n{''.join(tiers)}"


def nemo_ctm(words):
    """What NeMo's forced aligner writes to `ctm/words`."""
    return "".join(f"talk 1 {a} {b - a:.2f} {w} NA lex NA\n" for w, a, b in words)


@pytest.mark.parametrize(
    "name, write, options",
    [
        pytest.param("aligned/anna/{}.TextGrid", mfa_textgrid, ["--textgrid", "aligned/anna"], id="MFA"),
        pytest.param("aligned/{}.json", mfa_json, ["--words", "aligned"], id="MFA, JSON"),
        pytest.param("nemo/ctm/words/{}.ctm", nemo_ctm, ["--ctm", "nemo/ctm/words"], id="NeMo"),
    ],
)
def test_output_folders_of_aligners_are_taken_as_they_are(project, tmp_path, name, write, options):
    (tmp_path / "trees").mkdir()
    for talk in ("one", "two"):
        (tmp_path / "trees" / f"{talk}.mrg").write_text(SPOKEN + "\n", "utf-8")
        path = tmp_path / name.format(talk)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(WORDS), "utf-8")
    out = succeeded(project("trees", *options, "-o", "timed/"))
    assert out.startswith("2 recordings, 0 failed\n2 trees\n")
    for talk in ("one", "two"):
        assert (tmp_path / "timed" / f"{talk}.mrg").read_text("utf-8") == TIMED[:-1] + "\n"
