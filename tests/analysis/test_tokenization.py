"""The tokenization experiment: suffixes as tokens, and what the two metrics make of them."""

from __future__ import annotations

import pytest
from hypothesis import given

from structiou_metric import SegmentTree, StructIoU, struct_iou
from structiou_metric.analysis.paper.tokenization import Splitter, compare_tokenizations
from structiou_metric.sources.files import TreeFile
from structiou_metric.sources.rows import ListRows
from support.examples import examples
from support.paths import DATA
from support.strategies import tree_cases

# The paper's figure: 9 nodes against 12. Both NPs, SYN_WDT, DTT, SYN_yyQM and yyQM align with IoU 1, SYN_NN
# and NN with 2 of 6 letters.
FIGURE_REFERENCE = "(FRAGQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NN (NN פצועים)))) (SYN_yyQM (yyQM ?)))"
FIGURE_PREDICTION = (
    "(SQ (NP (SYN_WDT (DTT איזה)) (NP (SYN_NNT (BNT פצוע)) (NP (SYN_NN (NN ים))))) (SYN_yyQM (yyQM ?)))"
)


def rows(*trees):
    return ListRows(trees, "trees")


def split(text, **options):
    tree, n = Splitter(**options).split(SegmentTree.from_brackets(text))
    return str(tree), n


@pytest.mark.parametrize(
    "stem, suffix",
    [
        pytest.param("ילד", "ים", id="masculine"),
        pytest.param("בנ", "ות", id="feminine, the stem keeps the form of its letters"),
        pytest.param("סטודנטי", "ות", id="feminine with yod before"),
        pytest.param("מ", "ים", id="a stem of one letter"),
        pytest.param("יְלָדִ", "ים", id="marks stay with the letter of the stem"),
        pytest.param("בָּנ", "וֹת", id="marks stay with the letter of the suffix"),
    ],
)
def test_splitter_find(stem, suffix):
    assert Splitter().find(stem + suffix) == len(stem)


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("ילד", id="singular"),
        pytest.param("ים", id="nothing but the suffix"),
        pytest.param("ילדימ", id="not the final letter"),
        pytest.param("", id="no letters"),
        pytest.param("\u05b4", id="a mark alone"),
        pytest.param("\u05b4\u05d9\u05dd", id="a mark for a stem"),
    ],
)
def test_splitter_finds_none(word):
    assert Splitter().find(word) is None


@pytest.mark.parametrize(
    "text, want, n",
    [
        pytest.param("(NP (NN dogs))", "(NP (NN dog) (NN s))", 1, id="a noun"),
        pytest.param("(NP (DT this) (NN dog))", "(NP (DT this) (NN dog))", 0, id="none"),
        pytest.param("(NP (NNP Moses))", "(NP (NNP Moses))", 0, id="a name"),
        pytest.param("(S (NN-SBJ cats) (VB s))", "(S (NN-SBJ cat) (NN-SBJ s) (VB s))", 1, id="function tag"),
        pytest.param("(S (NN##num=P## cats))", "(S (NN##num=P## cat) (NN##num=P## s))", 1, id="features"),
        pytest.param("(NN dogs)", "(NN dog s)", 1, id="a root holds both"),
        pytest.param("(TOP (NN dogs))", "(TOP (NN dog) (NN s))", 1, id="below a root"),
        pytest.param("(NP (NN hot dogs))", "(NP (NN hot dogs))", 0, id="one of several words"),
        pytest.param("(NP dogs (NN cats))", "(NP dogs (NN cat) (NN s))", 1, id="a word beside nodes"),
        pytest.param(
            "(S (NP (NN cats) (CC and) (NN dogs)) (VP (VB run)))",
            "(S (NP (NN cat) (NN s) (CC and) (NN dog) (NN s)) (VP (VB run)))",
            2,
            id="two",
        ),
        pytest.param("(NN (NN cats))", "(NN (NN cat) (NN s))", 1, id="only preterminals"),
        pytest.param("()", "()", 0, id="empty"),
    ],
)
def test_splitter_split(text, want, n):
    assert split(text, suffixes=["s"], nouns=["NN"]) == (want, n)


def test_splitter_options():
    assert split("(NP (NN cats))", suffixes=["s", "ts"], nouns=["NN"])[0] == "(NP (NN ca) (NN ts))"
    assert split("(NP (NN cats))", suffixes=["ts"], nouns=["NN"], min_stem=3)[1] == 0
    assert (
        split("(NP (NN cats))", suffixes=["s", "ts"], nouns=["NN"], min_stem=3)[0] == "(NP (NN cat) (NN s))"
    )
    assert split("(NP (A cats))", suffixes=["s"], nouns=["A"], suffix_label="PL")[0] == "(NP (A cat) (PL s))"


def test_splitter_takes_presentation_forms_apart():
    # U+FB1D is yod with hiriq in one code point.
    tree, n = Splitter().split(SegmentTree.from_brackets("(NP (NN שיר\ufb1dם))"))
    assert n == 1
    assert tree.words == ("שיר", "\u05d9\u05b4\u05dd")


@pytest.mark.parametrize(
    "options, message",
    [
        pytest.param({"suffixes": []}, "at least one", id="no suffix"),
        pytest.param({"suffixes": ["\u05b4"]}, "texts that have letters", id="a mark"),
        pytest.param({"min_stem": 0}, "at least 1, not 0", id="no stem"),
    ],
)
def test_splitter_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        Splitter(**options)


@examples(60)
@given(tree_cases(7, labels=("A", "B")))
def test_splitter_keeps_letters_and_all_other_nodes(case):
    tree = SegmentTree.from_brackets(case.brackets)
    splitter = Splitter(["0", "1", "2"], ["A"])
    found, n = splitter.split(tree)
    again = SegmentTree.from_brackets(str(found))
    assert again == found  # the arrays are those of the text
    assert "".join(found.words) == "".join(tree.words)
    assert len(found.words) == len(tree.words) + n
    old, new = (sorted(t.with_unit("char").spans()) for t in (tree, found))
    cut = [span for span in old if span not in new]
    assert len(cut) <= n
    assert all(label == "A" for label, _, _ in cut)


def test_paper_figure_by_hand():
    score = struct_iou(FIGURE_PREDICTION, FIGURE_REFERENCE, unit="char")
    assert score == pytest.approx(2 * (6 + 2 / 3) / 21)
    assert round(score, 3) == 0.635  # as printed


def test_compare_tokenizations_by_hand():
    found = compare_tokenizations([("system", rows(FIGURE_PREDICTION))], rows(FIGURE_REFERENCE))
    (own, plain, other), sources = found.comparisons, found.sources
    # Both analyses of the reference: 8 nodes and 4 of 6 letters of NN, of 9 and 10 nodes.
    assert own[:2] == ("reference, split", "reference")
    assert own.struct_iou_sentence == own.struct_iou_corpus == pytest.approx(2 * (8 + 4 / 6) / 19)
    assert plain[:2] == ("system", "reference")
    assert plain.struct_iou_sentence == pytest.approx(2 * (6 + 2 / 3) / 21)
    assert other[:2] == ("system", "reference, split")
    assert other.struct_iou_sentence == pytest.approx(
        struct_iou(FIGURE_PREDICTION, split(FIGURE_REFERENCE)[0], unit="char")
    )
    assert [tuple(source) for source in sources] == [("reference", 1, 1), ("system", 0, 0)]
    assert [line.parseval_f1 for line in (own, plain)] == [None, None]
    assert [line.n_incomparable for line in found.comparisons] == [1, 1, 0]
    assert [str(tree) for tree in found.split_references] == [split(FIGURE_REFERENCE)[0]]


def test_compare_tokenizations_scores_all_four_ways():
    # (NP (NN cats)) against itself is 1 on both tokens; across them 2 (1 + 3/4) / 5.
    tree = "(NP (NN cats))"
    splitter = Splitter(["s"], ["NN"])
    found = compare_tokenizations([("system", rows(tree))], rows(tree), splitter=splitter)
    across = pytest.approx(2 * (1 + 3 / 4) / 5)
    assert [(line.prediction, line.reference, line.struct_iou_sentence) for line in found.comparisons] == [
        ("reference, split", "reference", across),
        ("system", "reference", 1.0),
        ("system", "reference, split", across),
        ("system, split", "reference", across),
        ("system, split", "reference, split", 1.0),
    ]
    assert [line.parseval_f1 for line in found.comparisons] == [None, 1.0, None, None, 1.0]


def test_compare_tokenizations_on_files():
    sides = [TreeFile.read(DATA / f"hebrew.{name}.txt") for name in ("prediction", "reference")]
    found = compare_tokenizations([("hebrew", sides[0])], sides[1])
    scored = StructIoU(unit="char").corpus_score(*sides)
    line = found.comparisons[1]
    assert (line.struct_iou_sentence, line.struct_iou_corpus) == (scored.sentence, scored.corpus)
    # Counted by eye: ילדים ספרים תפוחים אגסים תלמידים בנות שירים מים חנות פצועים כרטיסים סטודנטיות חולים, and
    # פצועים of the figure; עולים is a verb, קרים and יפים are adjectives.
    assert found.sources[0] == ("reference", 14, 12)
    assert found.comparisons[0].n_incomparable == 12
    assert found.comparisons[0].parseval_f1 == 1.0
    assert 0.9 < found.comparisons[0].struct_iou_sentence < 1.0


def test_compare_tokenizations_names_a_pair_with_other_letters():
    with pytest.raises(ValueError, match=r"trees\[0\] has 4 characters and trees\[0\] has 3 characters"):
        compare_tokenizations([("system", rows("(NP (NN cats))"))], rows("(NP (NN cat))"))


def test_compare_tokenizations_counts_characters_only():
    with pytest.raises(ValueError, match="unit 'char', not 'word'"):
        compare_tokenizations([], rows("(A a)"), metric=StructIoU())
