"""From a recording to a score: synthesised speech, the real aligner, the command, the synthesiser's times.

With espeak-ng 1.51 and pocketsphinx 5.1.1 the scores are 0.840 (en-us) and 0.897 (en-us+f3) for all trees
at once, 0.848 and 0.897 for tree by tree. Other versions may differ a little, so 0.75 is asked for.
"""

from __future__ import annotations

import json
from array import array

import pytest

from structiou_metric import StructIoU, read_trees
from structiou_metric.commands.main import main
from structiou_metric.speech.projection.project import project_all
from structiou_metric.speech.projection.report import Report
from structiou_metric.speech.projection.spelling import spoken_words
from support import espeak
from support.extras import need

pytestmark = pytest.mark.slow

need("pocketsphinx")
espeak.need()

TREES = [
    "(S (NP (DT An) (JJ old) (NN dog)) (VP (VBD did) (RB n't) (VP (VB chase) (NP (DT the) (NN cat)))) (. .))",
    "(S (NP (N John)) (VP (BES 's) (VP (VBG gon) (TO na) (VP (VB travel) (PP (TO to) (NP (N New-York)))))))",
    "(S (NP (PRP We)) (, ,) (INTJ (UH uh)) (, ,) (VP (VBP sell) (NP (CD twenty-five) (NNS tickets))) (. .))",
]


VOICES = [("en-us", 150), ("en-us+f3", 130)]


@pytest.fixture(scope="module", params=VOICES, ids=lambda voice: voice[0])
def recording(request, tmp_path_factory):
    """The trees said one after another; returns the folder and the trees over the synthesiser's own times."""
    folder = tmp_path_factory.mktemp("audio")
    voice, speed = request.param
    samples, words, marks = array("h"), [], []
    for tree in TREES:
        said = espeak.speak(" ".join(spoken_words(tree)), voice=voice, speed=speed)
        offset = len(samples) / said.rate
        words += [(text, start + offset, end + offset) for text, start, end in said.words]
        samples.extend(said.samples)
        marks.append(f"{offset:.3f}\t{len(samples) / said.rate:.3f}\n")
    espeak.write_wav(folder / "talk.wav", samples, said.rate)
    (folder / "talk.tsv").write_text("".join(marks), "utf-8")
    (folder / "trees.mrg").write_text("\n".join(TREES), "utf-8")
    own = project_all(TREES, words)
    total = Report.total(item.report for item in own)
    assert total.match == 1.0
    assert total.unused == total.interpolated == total.unplaced == 0
    return folder, [item.tree for item in own]


@pytest.mark.parametrize("options", [[], ["--marks", "talk.tsv"]], ids=["all at once", "tree by tree"])
def test_projected_recording_agrees_with_the_synthesiser(recording, options, monkeypatch, capsys):
    folder, own = recording
    monkeypatch.chdir(folder)
    command = ["project", "trees.mrg", "--audio", "talk.wav", *options, "-o", "timed", "--report", "json"]
    assert main(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["total"]["match"] == 1.0
    assert report["total"]["unused"] == 0
    assert "found by forced alignment" in report["source"]
    timed = read_trees("timed", "time")
    assert [tree.words for tree in timed] == [tree.words for tree in own]
    score = StructIoU(unit="time").corpus_score(timed, own)
    assert score.sentence > 0.75


@pytest.mark.parametrize("recording", VOICES[:1], indirect=True, ids=lambda voice: voice[0])
def test_projected_flac_by_turns_of_speakers(recording, monkeypatch, capsys):
    """What another program packed and marked gives what the wav file and the table do."""
    soundfile = pytest.importorskip("soundfile")
    folder, _ = recording
    monkeypatch.chdir(folder)
    samples, rate = soundfile.read("talk.wav", dtype="int16")
    soundfile.write("packed.flac", samples, rate)
    rows = [tuple(map(float, line.split())) for line in (folder / "talk.tsv").read_text("utf-8").splitlines()]
    turns = (f"SPEAKER packed 1 {start} {end - start:.3f} <NA> <NA> x <NA> <NA>\n" for start, end in rows)
    (folder / "packed.rttm").write_text("".join(turns), "utf-8")
    assert (
        main(["project", "trees.mrg", "--audio", "talk.wav", "--marks", "talk.tsv", "-o", "wav.timed"]) == 0
    )
    assert (
        main(["project", "trees.mrg", "--audio", "packed.flac", "--marks", "packed.rttm", "-o", "flac.timed"])
        == 0
    )
    capsys.readouterr()
    score = StructIoU(unit="time").corpus_score(
        read_trees("flac.timed", "time"), read_trees("wav.timed", "time")
    )
    assert score.sentence > 0.98


@pytest.mark.parametrize("recording", VOICES[:1], indirect=True, ids=lambda voice: voice[0])
def test_an_invented_tree_among_right_ones_is_named(recording, monkeypatch, capsys):
    """All trees of such a recording were accepted with a confidence of 1 when it had one for all of them."""
    folder, _ = recording
    monkeypatch.chdir(folder)
    invented = "(S (NP (DT The) (NN pilot)) (VP (VBD saw) (NP (DT a) (JJ green) (NN painting))) (. .))"
    (folder / "invented.mrg").write_text("\n".join([TREES[0], invented, TREES[2]]), "utf-8")
    main(
        [
            "project",
            "invented.mrg",
            "--audio",
            "talk.wav",
            "-o",
            "invented.timed",
            "--report-to",
            "rows.jsonl",
        ]
    )
    out, err = capsys.readouterr()
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]
    assert [row["confidence"] >= 0.5 for row in rows] == [True, False, True]
    assert "invented.mrg:2" in out + err
    assert "invented.mrg:1" not in out + err
