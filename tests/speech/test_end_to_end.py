"""From a text tree and a wav file to a score: speech is synthesised, aligned, projected and scored.

The reference has the synthesiser's own word times, the prediction those that forced alignment found. The
limits stand well below what was measured with espeak-ng 1.51 and pocketsphinx 5.1.1, over 24 draws of each
voice, as the synthesiser does not say a text the same way twice in a process. Real voices were not measured.
"""

from __future__ import annotations

import json
import statistics

import pytest

from structiou_metric import SegmentTree, StructIoU, struct_iou
from structiou_metric.commands.main import main
from structiou_metric.speech.forced.recording import align_audio
from structiou_metric.speech.projection.project import project
from structiou_metric.speech.projection.spelling import spoken_words
from support import espeak
from support.extras import need

pytestmark = pytest.mark.slow

need("pocketsphinx")
need("soxr")
espeak.need()

TREES = (
    "(S (NP (DT the) (JJ old) (NN teacher)) "
    "(VP (VBD gave) (NP (PRP us)) (NP (DT a) (JJ difficult) (NN book))))",
    "(S (NP (PRP she)) (VP (VBD said) "
    "(SBAR (IN that) (S (NP (NNS children)) (VP (MD should) (VP (VB sleep)))))))",
    "(S (SBAR (IN if) (S (NP (DT the) (NN weather)) (VP (VBZ improves)))) "
    "(NP (PRP we)) (VP (MD can) (VP (VB go))))",
    "(S (NP (PRP they)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN telescope))))))",
)

# As in a treebank: capitals, punctuation, traces, a clitic, and a word of no dictionary.
TREEBANK = (
    "(TOP (S (NP-SBJ (NNS Birds)) (VP (VBP do) (RB n't) "
    "(VP (VB fly) (PP (IN under) (NP (NN water))))) (. .)))",
    "(TOP (S (NP-SBJ (PRP We)) (VP (VBD read) "
    "(NP (DT a) (NN blorptastic) (NN treebank)) (ADVP (RB aloud))) (. !)))",
    "(TOP (SQ (VBD Did) (NP-SBJ (PRP$ your) (NN mother)) (VP (VB call) (NP (-NONE- *T*-1))) (. ?)))",
)


def said(tree, **options):
    """The words of a tree, spoken; each must be a word to the synthesiser, too."""
    words = spoken_words(tree)
    speech = espeak.speak(" ".join(words), **options)
    assert [text for text, _, _ in speech.words] == words
    return speech


@pytest.mark.parametrize(
    "voice, speed, least_mean, least",
    [
        pytest.param("en-us", 150, 0.82, 0.72, id="measured 0.879 to 0.887, worst sentence 0.801"),
        pytest.param("en-us+f2", 200, 0.85, 0.80, id="measured 0.909 to 0.919, worst sentence 0.893"),
        pytest.param("en-gb-x-rp", 160, 0.76, 0.68, id="British, measured 0.827 to 0.860, worst 0.766"),
    ],
)
def test_speech_to_score(tmp_path, voice, speed, least_mean, least):
    scores = []
    for text in TREES:
        tree = SegmentTree.from_brackets(text)
        speech = said(tree, voice=voice, speed=speed)
        reference = tree.with_times([times for _, *times in speech.words])
        path = espeak.write_wav(tmp_path / "x.wav", speech.samples, speech.rate)
        prediction = project(tree, align_audio(spoken_words(tree), path)).tree
        assert prediction.words == tree.words
        scores.append(struct_iou(prediction, reference, unit="time"))
    assert statistics.mean(scores) >= least_mean
    assert min(scores) >= least


def test_another_tree_over_the_same_speech_scores_less(tmp_path):
    """What the aligner costs is small beside what a wrong attachment costs."""
    tree = SegmentTree.from_brackets(TREES[3])
    speech = said(tree)
    path = espeak.write_wav(tmp_path / "x.wav", speech.samples, speech.rate)
    found = align_audio(spoken_words(tree), path)
    reference = tree.with_times([times for _, *times in speech.words])
    other = (
        "(S (NP (PRP they)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN telescope)))))"
    )
    right = struct_iou(project(tree, found).tree, reference, unit="time")
    wrong = struct_iou(project(other, found).tree, reference, unit="time")
    assert wrong < right - 0.02  # measured: 0.038
    assert struct_iou(project(other, found).tree, project(tree, found).tree, unit="time") < 1.0


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """Treebank trees in one recording: `talk.wav`, `gold.mrg`, `marks.tsv`, and `true.timed` to compare."""
    monkeypatch.chdir(tmp_path)
    whole, marks = espeak.joined([said(text).padded(0.25, 0.25) for text in TREEBANK])
    espeak.write_wav(tmp_path / "talk.wav", whole.samples, whole.rate)
    true, words = [], whole.words
    for text in TREEBANK:
        n_words = len(spoken_words(text))
        true.append(str(project(text, words[:n_words]).tree))
        words = words[n_words:]
    (tmp_path / "gold.mrg").write_text("".join(f"{text}\n" for text in TREEBANK), "utf-8")
    (tmp_path / "true.timed").write_text("".join(f"{text}\n" for text in true), "utf-8")
    (tmp_path / "marks.tsv").write_text("".join(f"{start:.3f}\t{end:.3f}\n" for start, end in marks), "utf-8")
    return tmp_path


def run(capsys, *arguments):
    code = main([*arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("options", [["--marks", "marks.tsv"], []], ids=["by marks", "at once"])
def test_commands_from_wav_to_score(recording, capsys, options):
    code, out, err = run(capsys, "project", "gold.mrg", "--audio", "talk.wav", *options, "-o", "found.timed")
    assert (code, err) == (0, "")
    assert "blorptastic" in out  # its pronunciation was guessed
    code, out, err = run(capsys, "score", "true.timed", "found.timed", "--unit", "time", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["n_sentences"] == 3
    assert result["struct_iou"] >= 0.77  # measured: 0.842 to 0.880
    true, found = (
        (recording / name).read_text("utf-8").splitlines() for name in ("true.timed", "found.timed")
    )
    assert StructIoU(unit="time").corpus_score(found, true).sentence == result["struct_iou"]


def test_command_refuses_trees_of_another_recording(recording, capsys):
    (recording / "gold.mrg").write_text(
        "(S (NP (NN taxation)) (VP (VBZ requires) (NP (JJ legislative) (NN approval))))\n", "utf-8"
    )
    code, out, err = run(capsys, "project", "gold.mrg", "--audio", "talk.wav")
    assert (code, out) == (1, "")
    assert "structiou: gold.mrg:1: its words do not fit the sound where they were found" in err
    assert "those of another recording or stretch" in err


def test_command_with_marks_of_another_recording(recording, capsys):
    (recording / "marks.tsv").write_text("0 2\n2 4\n400 402\n", "utf-8")
    code, out, err = run(capsys, "project", "gold.mrg", "--audio", "talk.wav", "--marks", "marks.tsv")
    assert code == 1
    assert len(out.splitlines()) < 3  # those that were found
    assert "talk.wav: the stretch 400 to 402 s is not in the file" in err
