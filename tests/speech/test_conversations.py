"""Trees of several speakers, trees whose words are not there, unknown words, and signs said elsewhere."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, TreeMismatchError
from structiou_metric.commands.main import main
from structiou_metric.speech.projection.placing import _pairs
from structiou_metric.speech.projection.project import PoorTreesError, project, project_all
from structiou_metric.speech.projection.spelling import as_said
from structiou_metric.speech.projection.turns import find_turns, speakers, turns_of
from support.cli import failed, runner, succeeded

CALL = [
    "( (CODE (SYM SpeakerA1) (. .) ))",
    "( (S (NP (PRP I)) (VP (VBP bake) (NP (NN bread))) (. .)))",
    "( (CODE (SYM SpeakerB2) (. .) ))",
    "( (INTJ (UH Uh-huh) (. .)))",
    "( (S (NP (PRP We)) (VP (VBD sold) (NP (PRP$ our) (NN oven))) (. .)))",
    "( (CODE (SYM SpeakerA3) (. .) ))",
    "( (S (NP (DT That)) (VP (VBZ is) (ADJP (JJ sad))) (. .)))",
]
WORDS_A = [("i", 0, 1), ("bake", 1, 2), ("bread", 2, 3), ("that", 9, 10), ("is", 10, 11), ("sad", 11, 12)]
WORDS_B = [("uh-huh", 4, 5), ("we", 5, 6), ("sold", 6, 7), ("our", 7, 8), ("oven", 8, 9)]


def call():
    return list(map(SegmentTree.from_brackets, CALL))


# ---- speakers -----------------------------------------------------------------------------------


def test_turns_are_split_by_speaker_and_codes_are_no_sentences():
    turns = find_turns(call())
    assert [(turn.row, turn.speaker) for turn in turns] == [(1, "A"), (3, "B"), (4, "B"), (6, "A")]
    assert speakers(turns) == ["A", "B"]


@pytest.mark.parametrize(
    "speaker, channel, rows",
    [
        (None, None, [1, 3, 4, 6]),
        ("A", None, [1, 6]),
        ("sw2005 B", None, [3, 4]),
        ("SpeakerB", None, [3, 4]),
        ("sw2005-a", None, [1, 6]),
        (None, 1, [1, 6]),
        (None, 2, [3, 4]),
    ],
)
def test_turns_of_a_speaker_or_channel(speaker, channel, rows):
    assert [turn.row for turn in turns_of(find_turns(call()), speaker, channel)] == rows


@pytest.mark.parametrize("speaker, channel", [("C", None), (None, 3), ("A B", None)])
def test_turns_of_nobody(speaker, channel):
    with pytest.raises(TreeMismatchError, match="the trees are of 2 speakers, A, B, as their codes say"):
        turns_of(find_turns(call()), speaker, channel)


def test_trees_without_codes_are_everybodys():
    turns = find_turns([SegmentTree.from_brackets("(S (X we))"), SegmentTree.from_brackets("()")])
    assert [turn.row for turn in turns_of(turns, "A", 2)] == [0, 1]


def test_a_code_inside_a_tree():
    inside = SegmentTree.from_brackets("(S (CODE (SYM SpeakerB1)) (X we) (CODE (SYM SpeakerA2)))")
    after = SegmentTree.from_brackets("(S (X go))")
    assert [turn.speaker for turn in find_turns([inside, after])] == ["B", "A"]


def test_project_command_takes_the_trees_of_the_speaker(tmp_path, capsys):
    trees, words = tmp_path / "call.mrg", tmp_path / "call.ctm"
    trees.write_text("\n".join(CALL) + "\n", "utf-8")
    lines = [f"call {who} {a} {b - a} {w}" for who, ws in (("A", WORDS_A), ("B", WORDS_B)) for w, a, b in ws]
    words.write_text("\n".join(lines) + "\n", "utf-8")
    assert main(["project", str(trees), "--ctm", str(words), "--speaker", "B"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "( (INTJ (UH Uh-huh<4.0,5.0>)))",
        "( (S (NP (PRP We<5.0,6.0>)) (VP (VBD sold<6.0,7.0>) (NP (PRP$ our<7.0,8.0>) (NN oven<8.0,9.0>)))))",
    ]
    assert "2 trees" in err


@pytest.fixture
def project_call(tmp_path, capsys, monkeypatch):
    """Runs the command in a folder with the trees of the call."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "call.mrg").write_text("\n".join(CALL) + "\n", "utf-8")
    return runner(capsys, "project")


def ctm(source, names=("A", "B")):
    """The words of the call as a CTM file has them."""
    speakers = zip(names, (WORDS_A, WORDS_B), strict=True)
    return "".join(f"{source} {who} {a} {b - a} {w}\n" for who, ws in speakers for w, a, b in ws)


def test_a_code_may_be_joined_to_another_name_of_the_speaker(project_call, tmp_path):
    (tmp_path / "call.ctm").write_text(ctm("call", ("IVR", "caller")), "utf-8")
    code, out, err = project_call("call.mrg", "--ctm", "call.ctm", "--speaker", "B=caller")
    assert (code, err.splitlines()[0]) == (0, "call.ctm (call caller): 5 words")
    assert [line.partition("<")[0] for line in out.splitlines()] == [
        "( (INTJ (UH Uh-huh",
        "( (S (NP (PRP We",
    ]
    message = failed(project_call("call.mrg", "--ctm", "call.ctm", "--speaker", "caller"))
    assert "the trees are of 2 speakers, A, B" in message
    message = failed(project_call("call.mrg", "--ctm", "call.ctm", "--speaker", "B="), code=2)
    assert "--speaker B=: write it as CODE=NAME, such as A=IVR" in message
    (tmp_path / "plain.mrg").write_text("(S (X we) (X sold))\n", "utf-8")
    message = failed(project_call("plain.mrg", "--ctm", "call.ctm", "--speaker", "B=caller"))
    assert "plain.mrg: there are no codes of speakers such as" in message


def test_one_ctm_file_has_the_words_of_a_whole_corpus(project_call, tmp_path):
    (tmp_path / "trees").mkdir()
    for name in ("one", "two"):
        (tmp_path / "trees" / f"{name}.mrg").write_text("\n".join(CALL) + "\n", "utf-8")
    (tmp_path / "all.ctm").write_text(ctm("one") + ctm("two"), "utf-8")
    out = succeeded(project_call("trees", "--ctm", "all.ctm", "--speaker", "A", "-o", "timed/"))
    assert out.startswith("2 recordings, 0 failed\n4 trees\n")
    found = [(tmp_path / "timed" / f"{name}.mrg").read_text("utf-8") for name in ("one", "two")]
    assert found[0] == found[1]
    assert found[0].count("\n") == 2
    assert "bread<2.0,3.0>" in found[0]
    (tmp_path / "all.ctm").write_text(ctm("one") + ctm("other"), "utf-8")
    code, _, err = project_call("trees", "--ctm", "all.ctm", "--speaker", "A", "-o", "others/")
    assert code == 1
    assert "there is no recording 'two A'; choose with --speaker from 'one A', 'one B', 'other A'" in err


def test_overlaps_are_refused_or_clipped_and_counted(project_call, tmp_path):
    (tmp_path / "one.mrg").write_text("(S (X we) (X sold) (X bread))\n", "utf-8")
    (tmp_path / "one.ctm").write_text("a 1 0 1.03 we\na 1 1 1.5 sold\na 1 2 1 bread\n", "utf-8")
    message = failed(project_call("one.mrg", "--ctm", "one.ctm"))
    assert "the word 'sold' starts at 1.0 before 'we' ends at 1.03" in message
    assert "or give --overlap clip" in message
    code, out, err = project_call("one.mrg", "--ctm", "one.ctm", "--overlap", "clip")
    assert (code, out) == (0, "(S (X we<0.0,1.0>) (X sold<1.0,2.0>) (X bread<2.0,3.0>))\n")
    assert err.startswith("one.ctm: 3 words; overlaps clipped: 2\n")
    (tmp_path / "one.ctm").write_text("a 1 2 1 we\na 1 1 0.5 sold\na 1 3 1 bread\n", "utf-8")
    message = failed(project_call("one.mrg", "--ctm", "one.ctm", "--overlap", "clip"))
    assert "comes after 'we'" in message  # words that are not in order are no overlap


ALIGNER = """
class Levels:
    def align(self, samples, rate, words):
        with open("heard", "a") as file:
            print(round(float(abs(samples).max()), 2), *words, file=file)
        step = len(samples) / rate / len(words)
        return [(word, i * step, (i + 1) * step) for i, word in enumerate(words)]
"""


def test_a_speaker_of_a_recording_is_a_code_perhaps_with_a_channel(project_call, tmp_path):
    numpy = pytest.importorskip("numpy")
    soundfile = pytest.importorskip("soundfile")
    (tmp_path / "levels.py").write_text(ALIGNER, "utf-8")
    stereo = numpy.stack([numpy.full(16_000, 0.25), numpy.full(16_000, 0.5)], axis=1)
    soundfile.write(tmp_path / "call.wav", stereo, 16_000)
    options = ["call.mrg", "--audio", "call.wav", "--aligner", "levels:Levels", "--speaker"]
    for speaker in ("B", "B=2", "A=1"):
        succeeded(project_call(*options, speaker, "-o", "call.timed"))
    assert (tmp_path / "heard").read_text("utf-8").splitlines() == [
        "0.38 uh huh we sold our oven",
        "0.5 uh huh we sold our oven",
        "0.25 i bake bread that is sad",
    ]
    for wrong in (["B=IVR"], ["B=2", "--channel", "1"]):
        assert "with --audio, " in failed(project_call(*options, *wrong), code=2)


# ---- trees that are not there -------------------------------------------------------------------


def test_trees_of_the_other_speaker_are_refused_one_by_one():
    trees = [turn.tree for turn in find_turns(call())]
    with pytest.raises(PoorTreesError) as error:
        project_all(trees, WORDS_A)
    assert error.value.rows == (1, 2)
    lines = str(error.value).splitlines()
    assert lines[0].startswith(
        "words: the words of 2 of 4 trees are not there, as less than min_tree_match=0.3"
    )
    assert lines[1] == "  tree 2, 0%: Uh-huh ."
    assert lines[2].startswith("  tree 3, ")
    assert "another speaker" in lines[3]


def test_trees_that_are_not_there_can_be_kept():
    trees = [turn.tree for turn in find_turns(call())]
    kept = project_all(trees, WORDS_A, min_tree_match=0.0)
    assert all(one.tree.words for one in kept)
    assert [one.report.leaf_match < 0.3 for one in kept] == [False, True, True, False]


def test_project_command_names_and_empties_poor_trees(tmp_path, capsys):
    trees, words = tmp_path / "call.mrg", tmp_path / "call.json"
    trees.write_text("\n".join(CALL) + "\n", "utf-8")
    words.write_text(json.dumps([{"word": w, "start": a, "end": b} for w, a, b in WORDS_A]), "utf-8")
    assert main(["project", str(trees), "--words", str(words)]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert "2 of 4 trees failed" in err
    assert "call.mrg:4" in err  # by their places in the file
    assert "so its words are not in" in err
    assert main(["project", str(trees), "--words", str(words), "--on-error", "empty"]) == 1
    out, err = capsys.readouterr()
    assert [line == "()" for line in out.splitlines()] == [False, True, True, False]
    assert main(["project", str(trees), "--words", str(words), "--min-tree-match", "0"]) == 0


def test_options_out_of_range():
    with pytest.raises(ValueError, match=r"min_tree_match must be from 0 to 1, not 1\.5"):
        project_all(["(S (X we))"], [("we", 0, 1)], min_tree_match=1.5)


# ---- words that nobody knows --------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["<unk>", "<UNK>", "spn", "[unk]", "<spoken_noise>"])
def test_an_unknown_word_is_any_leaf(mark):
    projected = project(
        "(S (X the) (X xylophone) (X low) (X sings))",
        [("the", 0, 1), (mark, 1, 3), ("low", 3, 4), ("sings", 4, 5)],
    )
    assert projected.tree.times == ((0, 1), (1, 3), (3, 4), (4, 5))
    assert [leaf.kind for leaf in projected.leaves] == ["exact", "unknown", "exact", "exact"]
    assert projected.report.match == 1.0
    assert (projected.report.used, projected.report.unused) == (4, 0)


def test_unknown_words_go_to_the_leaves_that_fit_their_lengths():
    words = [("so", 0, 0.2), ("<unk>", 0.2, 1.2), ("there", 2, 2.5)]
    projected = project("(S (X so) (X a) (X hippopotamus) (X there))", words)
    assert [leaf.kind for leaf in projected.leaves] == ["exact", "unplaced", "unknown", "exact"]
    assert projected.leaves[2].start == 0.2


def test_more_unknown_words_than_leaves():
    words = [("<unk>", 0, 1), ("we", 1, 2), ("<unk>", 2, 3), ("<unk>", 3, 3.1), ("go", 4, 5)]
    projected = project("(S (X we) (X never) (X go))", words)
    assert [leaf.kind for leaf in projected.leaves] == ["exact", "unknown", "exact"]
    assert [word.start for word in projected.unused] == [0, 3]


def test_nothing_but_unknown_words():
    with pytest.raises(TreeMismatchError, match="there are no words with sound for 2 words"):
        project("(S (X we) (X go))", [("<unk>", 0, 1), ("<unk>", 1, 2)])


def test_unknown_words_do_not_make_a_poor_match_good():
    words = [("<unk>", 0, 1), ("zzzzzzzz", 1, 2), ("qqqqqqqq", 2, 3)]
    with pytest.raises(TreeMismatchError, match="less than min_match"):
        project("(S (X we) (X go) (X home))", words)


@given(
    st.lists(st.integers(0, 9), max_size=5),
    st.lists(st.integers(0, 9), max_size=5),
)
def test_pairs_are_the_best_of_all(ones, others):
    found = _pairs(ones, others)
    n = min(len(ones), len(others))
    assert len(found) == n
    assert found == sorted(found)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == n
    best = min(
        sum(abs(ones[i] - others[j]) for i, j in zip(some, more, strict=True))
        for some in combinations(range(len(ones)), n)
        for more in combinations(range(len(others)), n)
    )
    assert sum(abs(ones[i] - others[j]) for i, j in found) == best


# ---- signs --------------------------------------------------------------------------------------


def test_a_sign_of_a_currency_is_said_behind_its_number():
    tree = (
        "(S (NP (PRP It)) (VP (VBZ costs) (NP (QP ($ $) (CD 5) (CD million)) (-NONE- *U*)) (ADVP (RB now))))"
    )
    words = [
        ("it", 0, 1),
        ("costs", 1, 2),
        ("five", 2, 3),
        ("million", 3, 4),
        ("dollars", 4, 5),
        ("now", 5, 6),
    ]
    projected = project(tree, words)
    assert "(QP (CD 5<2.0,3.0>) (CD million<3.0,4.0>) ($ $<4.0,5.0>))" in str(projected.tree)
    assert projected.report.n_moved == 1
    assert "1  of them put behind their numbers" in projected.report.describe()


def test_a_sign_and_its_number_in_one_word():
    projected = project("(NP ($ $) (CD 5))", [("$5", 0, 1)])
    assert str(projected.tree).startswith("(NP (CD 5<0.0,")
    assert all(end > start for start, end in projected.tree.times)


def test_a_transcript_that_has_signs_before_numbers_is_left_alone():
    projected = project("(NP ($ $) (CD 5))", [("$", 0, 1), ("5", 1, 2)])
    assert str(projected.tree) == "(NP ($ $<0.0,1.0>) (CD 5<1.0,2.0>))"
    assert projected.report.n_moved == 0


@pytest.mark.parametrize(
    "text, want",
    [
        ("(NP ($ $) (CD 5) ($ $) (CD 6))", "(NP (CD 5) ($ $) (CD 6) ($ $))"),
        ("(NP ($ US$) (CD 1.5) (CD billion) (NN plan))", "(NP (CD 1.5) (CD billion) ($ US$) (NN plan))"),
        ("(NP ($ $) (NP (CD 5)))", "(NP ($ $) (NP (CD 5)))"),  # no sisters
        ("(NP $ 5)", "(NP $ 5)"),  # no nodes of their own
        ("(NP ($ $) (NN sign))", "(NP ($ $) (NN sign))"),
    ],
)
def test_as_said(text, want):
    assert str(as_said(SegmentTree.from_brackets(text))[0]) == want
