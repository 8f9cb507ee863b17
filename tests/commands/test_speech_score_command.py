"""`structiou speech-score`, against projecting and scoring one after the other."""

from __future__ import annotations

import json
import wave

import pytest

from support.cli import failed, runner, succeeded

GOLD = ["(S (NP (PRP we)) (VP (VBP stop)))", "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"]
GOLD_WORDS = "we 0 1\nstop 1 2\nthe 3 4\ndog 4 5\nbarks 5 6\n"
PREDICTED = ["(S (NP (PRP we)) (VP (VBP stop)))", "(S (NP (DT a) (NN dog) (NN barks)))"]
WORDS = "we 0 1\nstop 1 2.5\na 3 4\ndog 4 5\nbarks 5 6\n"


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs commands in a folder with trees and words of both sides."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "gold", GOLD, GOLD_WORDS)
    write(tmp_path, "predicted", PREDICTED, WORDS)
    return runner(capsys)


def write(folder, name, trees, words):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.mrg").write_text("".join(f"{tree}\n" for tree in trees), "utf-8")
    (folder / f"{name}.tsv").write_text(words.replace(" ", "\t"), "utf-8")


SIDES = ["--gold", "gold.mrg", "--gold-words", "gold.tsv"]
SIDES += ["--predicted", "predicted.mrg", "--predicted-words", "predicted.tsv"]


def in_steps(structiou, *options):
    """The score by project and score."""
    for side in ("gold", "predicted"):
        succeeded(
            structiou(
                "project", f"{side}.mrg", "--words", f"{side}.tsv", "-o", f"{side}.timed", "--report", "none"
            )
        )
    return json.loads(
        succeeded(structiou("score", "gold.timed", "predicted.timed", "--unit", "time", "--json", *options))
    )


def figures(result):
    return {key: value for key, value in result.items() if key not in ("schema", "projection")}


def test_sentences_that_pair_up_are_compared_one_by_one(structiou):
    result = json.loads(succeeded(structiou("speech-score", *SIDES, "--json")))
    assert result["schema"] == "structiou.speech-score.v1"
    assert result["projection"]["compared"] == "sentences"
    assert result["projection"]["gold"]["total"]["n_leaves"] == 5
    assert figures(result) == figures(in_steps(structiou))
    # The word stop ends later, so its node, VP and S lose. In the other sentence S and two words agree, NP
    # is 3 to 5 in 3 to 6, and nothing aligns with VP and VBZ.
    first = (1 + 1 + 2 * (1 / 1.5) + 2 / 2.5) / 5
    second = 2 * (1 + 2 / 3 + 1 + 1) / (6 + 5)
    assert result["struct_iou"] == pytest.approx((first + second) / 2)


def test_the_report_of_both_sides_and_the_score_are_told(structiou):
    out = succeeded(structiou("speech-score", *SIDES, "--labels", "base"))
    assert out.startswith("gold: 1 recording\n2 trees\n5 leaves\n       5  as in the transcript\n")
    assert "\npredicted: 1 recording\n2 trees\n" in out
    assert "\ncompared sentence by sentence: 2 pairs\n\nSTRUCT-IoU, sentence mean" in out
    assert "\nstructiou|unit:time|labels:base|version:" in out


def test_sentences_that_do_not_pair_up_are_compared_as_documents(structiou, tmp_path):
    joined = f"(S {PREDICTED[0]} {PREDICTED[1]})"
    write(tmp_path, "predicted", [joined], WORDS)
    result = json.loads(succeeded(structiou("speech-score", *SIDES, "--json")))
    assert result["projection"]["compared"] == "documents"
    assert figures(result) == figures(in_steps(structiou, "--documents", "all"))
    assert result["struct_iou"] < 1.0


@pytest.mark.parametrize(
    "trees, compared",
    [
        pytest.param(["(X (X we) (X stop))", "(X (X a) (X dog) (X barks))"], "sentences", id="the same"),
        pytest.param(["(X we)", "(X (X stop) (X a) (X dog) (X barks))"], "documents", id="cut elsewhere"),
        pytest.param(["()", "(X (X a) (X dog) (X barks))"], "sentences", id="a failed parse"),
    ],
)
def test_as_many_sentences_pair_up_if_they_are_said_at_the_same_time(structiou, tmp_path, trees, compared):
    write(tmp_path, "predicted", trees, WORDS)
    out = succeeded(structiou("speech-score", *SIDES, "--json"))
    assert json.loads(out)["projection"]["compared"] == compared


def test_what_is_compared_can_be_said(structiou, tmp_path):
    out = succeeded(structiou("speech-score", *SIDES, "--json", "--pair", "documents"))
    assert json.loads(out)["projection"]["compared"] == "documents"
    write(tmp_path, "predicted", PREDICTED[:1], WORDS)
    message = failed(structiou("speech-score", *SIDES, "--pair", "sentences"))
    assert message.startswith("structiou: gold: 2 gold trees, 1 predicted tree; sentences cannot be paired")


def test_trees_may_have_times_before(structiou):
    expected = figures(in_steps(structiou))
    sides = ["--gold", "gold.timed", "--predicted", "predicted.timed"]
    result = json.loads(succeeded(structiou("speech-score", *sides, "--json")))
    assert figures(result) == expected
    assert "gold: 2 trees with times\n" in succeeded(structiou("speech-score", *sides))
    message = failed(structiou("speech-score", "--gold", "gold.mrg", "--predicted", "predicted.timed"))
    assert (
        message == "structiou: gold.mrg:1: the gold trees have no times; give what has them, sound or words\n"
    )


def test_folders_are_compared_recording_by_recording(structiou, tmp_path):
    for name in ("a", "b"):
        write(tmp_path / "g", name, GOLD, GOLD_WORDS)
        write(tmp_path / "p", name, PREDICTED, WORDS)
    sides = ["--gold", "g", "--gold-words", "g", "--predicted", "p", "--predicted-words", "p"]
    result = json.loads(succeeded(structiou("speech-score", *sides, "--json")))
    assert (result["projection"]["compared"], result["n_sentences"]) == ("sentences", 4)
    assert result["struct_iou"] == pytest.approx(in_steps(structiou)["struct_iou"])
    result = json.loads(succeeded(structiou("speech-score", *sides, "--json", "--pair", "documents")))
    assert result["n_documents"] == 2
    (tmp_path / "p" / "b.mrg").rename(tmp_path / "p" / "c.mrg")
    (tmp_path / "p" / "b.tsv").rename(tmp_path / "p" / "c.tsv")
    message = failed(structiou("speech-score", *sides))
    assert message.startswith(
        "structiou: recordings of the gold trees that are missing in the predicted ones: b;"
    )


def test_what_failed_is_left_out_and_named(structiou, tmp_path):
    for name in ("a", "b"):
        write(tmp_path / "g", name, GOLD, GOLD_WORDS)
        write(
            tmp_path / "p", name, PREDICTED, WORDS if name == "a" else "ladies 0 1\nand 1 2\ngentlemen 2 3\n"
        )
    sides = ["--gold", "g", "--gold-words", "g", "--predicted", "p", "--predicted-words", "p"]
    code, out, err = structiou("speech-score", *sides, "--json")
    result = json.loads(out)
    assert (code, result["n_sentences"]) == (1, 2)
    assert [row["name"] for row in result["projection"]["predicted"]["failed"]] == ["p/b.mrg"]
    assert err.startswith("structiou: 2 of 8 trees failed:\n  p/b.mrg: p/b.tsv: ")


# Four sentences of which the words of the second and third gold tree are others than those of the recording.
TALK = ["(S (X we) (X stop))", "(S (X the) (X dog))", "(S (X it) (X barks))", "(S (X they) (X go))"]
TALK_WORDS = "we 0 1\nstop 1 2\nthe 3 4\ndog 4 5\nit 6 7\nbarks 7 8\nthey 9 10\ngo 10 11\n"
HALF_FAILED = [TALK[0], "(S (X quantum) (X mmm))", "(S (X fjord) (X mmm))", TALK[3]]
DOCUMENTS = ["--pair", "documents", "--min-match", "0"]


@pytest.mark.parametrize(
    "gold, n_left_out, expected",
    [
        pytest.param(HALF_FAILED, 2, 1.0, id="in the middle"),
        pytest.param([HALF_FAILED[1], *TALK[1:]], 1, 1.0, id="at the start"),
        pytest.param([*TALK[:3], HALF_FAILED[1]], 1, 1.0, id="at the end"),
        pytest.param(TALK, 0, 1.0, id="none"),
    ],
)
def test_documents_do_not_charge_failed_gold_trees_to_the_parser(
    structiou, tmp_path, gold, n_left_out, expected
):
    write(tmp_path, "gold", gold, TALK_WORDS)
    write(tmp_path, "predicted", TALK, TALK_WORDS)
    code, out, err = structiou("speech-score", *SIDES, *DOCUMENTS, "--json")
    result = json.loads(out)
    assert (code, result["struct_iou"]) == (1 if n_left_out else 0, expected), err
    assert result["projection"]["n_left_out"] == n_left_out
    _, out, _ = structiou("speech-score", *SIDES, *DOCUMENTS)
    n_kept = 4 - n_left_out
    assert f"\ncompared as 1 document: {n_kept} sentences, {n_kept} predicted\n" in out
    trees = "1 predicted tree" if n_left_out == 1 else f"{n_left_out} predicted trees"
    assert (f"\nWARNING: left out where gold trees failed: {trees}\n" in out) == (n_left_out > 0)


def test_a_predicted_tree_mostly_where_gold_trees_did_not_fail_is_scored(structiou, tmp_path):
    write(tmp_path, "gold", [TALK[0], HALF_FAILED[1], *TALK[2:]], TALK_WORDS)
    joined = f"(S {TALK[1]} {TALK[2]} {TALK[3]})"  # 3 to 11 s, of which 2 to 6 s have no gold tree
    write(tmp_path, "predicted", [TALK[0], joined], TALK_WORDS)
    code, out, _ = structiou("speech-score", *SIDES, *DOCUMENTS, "--json")
    result = json.loads(out)
    assert (code, result["projection"]["n_left_out"]) == (1, 0)
    # Three gold sentences of 3 nodes each are found; the joined node and a sentence without gold are not.
    assert result["struct_iou"] == pytest.approx(2 * 9 / (9 + 13))


def test_a_recording_whose_gold_trees_all_failed_is_left_out(structiou, tmp_path):
    for name, words in (("a", TALK_WORDS), ("b", TALK_WORDS)):
        write(tmp_path / "g", name, TALK if name == "a" else HALF_FAILED[1:3], words)
        write(tmp_path / "p", name, TALK, words)
    sides = ["--gold", "g", "--gold-words", "g", "--predicted", "p", "--predicted-words", "p"]
    code, out, err = structiou("speech-score", *sides, "--pair", "documents", "--json")
    result = json.loads(out)
    assert (code, result["n_documents"], result["struct_iou"]) == (1, 1, 1.0), err
    assert result["projection"]["n_left_out"] == 4


@pytest.mark.parametrize("pair", ["auto", "sentences", "documents"])
@pytest.mark.parametrize("side", ["gold", "predicted"])
def test_there_is_no_score_if_all_trees_of_a_side_failed(structiou, tmp_path, side, pair):
    write(tmp_path, side, ["(S (X fjord) (X mmm))", "(S (X quantum) (X mmm))"], GOLD_WORDS)
    message = failed(structiou("speech-score", *SIDES, "--min-match", "0", "--pair", pair))
    assert message.startswith(f"structiou: all {side} trees failed, so there is no score:\n  {side}.mrg:1: ")


def test_there_is_no_score_if_no_sentence_is_left(structiou, tmp_path):
    write(tmp_path, "gold", [GOLD[0], HALF_FAILED[1]], GOLD_WORDS)
    write(tmp_path, "predicted", [HALF_FAILED[1], GOLD[1]], GOLD_WORDS)
    message = failed(structiou("speech-score", *SIDES, "--min-match", "0", "--pair", "sentences"))
    assert message.startswith("structiou: of each sentence either the gold or the predicted tree failed, so ")
    assert "\n  gold.mrg:2: " in message
    assert "\n  predicted.mrg:1: " in message


ALIGNER = """
class Evenly:
    def align(self, samples, rate, words):
        if "quantum" in words:
            raise ValueError("no such words")
        step = len(samples) / rate / len(words)
        return [(word, i * step, (i + 1) * step) for i, word in enumerate(words)]
"""


def test_the_mark_of_a_failed_gold_tree_says_where_nothing_is_compared(structiou, tmp_path):
    pytest.importorskip("soxr")
    write(tmp_path, "gold", [TALK[0], HALF_FAILED[1]], "")
    write(tmp_path, "predicted", TALK, TALK_WORDS)
    (tmp_path / "evenly.py").write_text(ALIGNER, "utf-8")
    (tmp_path / "marks.tsv").write_text("0 2\n3 5\n", "utf-8")
    with wave.open(str(tmp_path / "talk.wav"), "wb") as sound:
        sound.setparams((1, 2, 16_000, 0, "NONE", ""))
        sound.writeframes(bytes(2 * 16_000 * 12))
    audio = ["--audio", "talk.wav", "--marks", "marks.tsv", "--aligner", "evenly:Evenly"]
    code, out, _ = structiou("speech-score", *SIDES[:2], *audio, *SIDES[4:], *DOCUMENTS, "--json")
    result = json.loads(out)
    # The second sentence is left out; those from 6 s on are where nobody said what is right, as without
    # a failure, and count against the parser.
    assert (code, result["projection"]["n_left_out"]) == (1, 1)
    assert result["struct_iou"] == pytest.approx(2 * 3 / (3 + 9))


@pytest.mark.parametrize(
    "options, message",
    [
        pytest.param(SIDES[4:], "the following arguments are required: --gold", id="no gold"),
        pytest.param([*SIDES, "--audio", "a.wav"], "not allowed with argument", id="two sources"),
        pytest.param([*SIDES, "--aligner", "x"], "--aligner needs --audio", id="aligner"),
        pytest.param([*SIDES, "--marks", "x"], "--marks needs --audio", id="marks"),
        pytest.param([*SIDES[:-2], "--predicted-tier", "x"], "needs --predicted-words", id="tier"),
        pytest.param([*SIDES, "--unit", "word"], "there is no option --unit", id="unit"),
    ],
)
def test_bad_usage(structiou, options, message):
    assert message in failed(structiou("speech-score", *options), code=2)
