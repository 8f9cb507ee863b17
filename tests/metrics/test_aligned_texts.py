"""`texts="aligned"`: trees over texts that differ, on the axis of an edit path."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeMismatchError, align, struct_iou
from structiou_metric._core import text_axis
from structiou_metric.commands import main as cli
from structiou_metric.metrics.accumulator import Accumulator
from structiou_metric.metrics.runner import check
from structiou_metric.sources.rows import ListRows
from structiou_metric.trees.spelling import plain_spelling, written
from support import aligned_texts_oracle as oracle
from support.examples import examples
from support.oracle import best_by_enumeration
from support.strategies import tree_cases
from support.twin import source_twin

TEXT_COUNTS = ("n_text_matched", "n_text_replaced", "n_text_pred_only", "n_text_ref_only")
UNITS = ("word", "char")

OPTIONS = st.fixed_dictionaries(
    {
        "labels": st.sampled_from(["exact", "ignore"]),
        "terminals": st.sampled_from(["strict", "flexible", "exclude"]),
        "min_iou": st.sampled_from([0.0, 0.25, 0.5]),
    }
)


@st.composite
def worded(draw, max_words=5):
    """A tree with words that can be spelled in several ways."""
    case = draw(tree_cases(max_words))
    words = st.sampled_from(draw(st.sampled_from([list(oracle.SPELLED), ["a", "b", "ab", "ba"]])))
    return re.sub(r"w\d+", lambda _: draw(words), case.brackets)


def counted(prediction, reference, **options):
    """How many words or characters match, were replaced, and are on one side only."""
    result = StructIoU(texts="aligned", **options).corpus_score([prediction], [reference])
    return [result.as_dict()[name] for name in TEXT_COUNTS]


# -------------------------------------------------------------------------------------- the definition


@pytest.mark.parametrize("unit", UNITS)
@given(worded(), worded(), OPTIONS)
@examples(120)
def test_score_is_that_of_the_definition(unit, prediction, reference, options):
    found = struct_iou(prediction, reference, unit=unit, texts="aligned", **options)
    assert found == pytest.approx(oracle.struct_iou([prediction], [reference], unit, **options), abs=1e-12)


@pytest.mark.slow
@given(worded(3), worded(3))
@examples(40)
def test_no_alignment_is_better(prediction, reference):
    path = oracle.columns([prediction], [reference], "word")
    trees = [
        oracle.placed([text], [at for at, pair in enumerate(path) if pair[side] is not None], "word")
        for side, text in enumerate((prediction, reference))
    ]
    best = 2.0 * best_by_enumeration(*trees) / sum(map(len, trees))
    assert struct_iou(prediction, reference, texts="aligned") == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("unit", UNITS)
@given(worded(8), worded(8))
@examples(100)
def test_columns_are_counted(unit, prediction, reference):
    assert counted(prediction, reference, unit=unit) == oracle.counts(prediction, reference, unit)


@pytest.mark.parametrize("unit", UNITS)
@given(st.lists(worded(4), min_size=1, max_size=3), st.lists(worded(4), min_size=1, max_size=3))
@examples(60)
def test_documents_are_aligned_as_a_whole(unit, prediction, reference):
    metric = StructIoU(unit=unit, texts="aligned")
    found = metric.corpus_score([prediction], [reference], documents=True)
    assert found.sentence == pytest.approx(oracle.struct_iou(prediction, reference, unit), abs=1e-12)


@pytest.mark.parametrize("unit", UNITS)
@given(worded(8), worded(8))
@example("(A (B a) (C b))", "(A (B b) (C a))")  # either word may be the one that both have
@examples(150)
def test_sides_may_be_swapped(unit, one, other):
    metric = StructIoU(unit=unit, texts="aligned")
    there, back = metric.align(one, other), metric.align(other, one)
    assert there.score == pytest.approx(back.score, abs=1e-12)
    assert list(there.prediction_side.columns) == list(back.reference_side.columns)
    assert list(there.reference_side.columns) == list(back.prediction_side.columns)


@pytest.mark.parametrize("unit", UNITS)
@given(st.lists(st.tuples(tree_cases(9), tree_cases(9)), min_size=1, max_size=6))
@examples(60)
def test_equal_texts_give_the_same_bits(unit, pairs):
    """Trees over the same words, as many as the shorter of two has."""
    predictions, references = zip(*pairs, strict=True)
    trees = [SegmentTree.from_brackets(case.brackets) for case in predictions]
    others = [SegmentTree.from_brackets(case.brackets) for case in references]
    sides = [
        [tree for tree, other in zip(*both, strict=True) if tree.words == other.words]
        for both in ((trees, others), (others, trees))
    ]
    if not sides[0]:
        sides = [trees, trees]
    same, aligned = (StructIoU(unit=unit, texts=texts).corpus_score(*sides) for texts in ("same", "aligned"))
    assert list(same.columns["matched"]) == list(aligned.columns["matched"])
    assert same.figures["struct_iou"].hex() == aligned.figures["struct_iou"].hex()
    assert same.by_label == aligned.by_label
    assert sum(aligned.columns["n_text_matched"]) == sum(
        sum(tree.with_unit(unit).word_positions()[1][-1:]) for tree in sides[0]
    )


def test_compiled_and_plain_agree(tmp_path_factory):
    twin = source_twin(tmp_path_factory.mktemp("twin"))
    pairs = [
        ("(A (B a) (C b) (B ab))", "(A (B ab) (C (A b) (B ba)))"),
        ("(A (B don’t))", "(A (B don't) (C a))"),
    ]
    for unit in UNITS:
        options = {"unit": unit, "texts": "aligned"}
        found = [
            kind(**options).corpus_score(*zip(*pairs, strict=True)) for kind in (StructIoU, twin.StructIoU)
        ]
        assert dict(found[0].columns) == dict(found[1].columns)


# ----------------------------------------------------------------------------------------- by hand


def test_hebrew_with_and_without_the_article():
    """ב ה בית has five characters, בבית four: the article's column is the reference's alone."""
    prediction = "(PP (IN ב) (NP (NN בית)))"
    reference = "(PP (IN ב) (NP (DT ה) (NN בית)))"
    fused = "(PP (NN בבית))"
    options = {"unit": "char", "texts": "aligned"}
    assert counted(fused, reference, unit="char") == [4, 0, 0, 1]
    # The columns are the letters of the reference: PP is 0–5 on both, IN 0–1, NP 2–5 against 1–5, NN 2–5.
    assert struct_iou(prediction, reference, **options) == pytest.approx(2 * (1 + 1 + 3 / 4 + 1) / (4 + 5))
    # The fused word is 0–5, so NN has 3 of 5 characters in common.
    assert struct_iou(fused, reference, **options) == pytest.approx(2 * (1 + 3 / 5) / (2 + 5))
    with pytest.raises(TreeMismatchError, match="4 characters"):
        struct_iou(fused, reference, unit="char")


def test_recogniser_against_transcript():
    """A word was misheard, one left out, one put in; everything else stays where it is."""
    heard = "(S (NP (PRP they)) (VP (VBD saw) (NP (DT a) (NN man)) (NP (NN today)) (INTJ (UH uh))))"
    said = "(S (NP (PRP they)) (VP (VBD saw) (NP (DT a) (JJ big) (NN van)) (NP (NN today))))"
    # Columns: they saw a big man/van today uh.
    assert counted(heard, said) == [4, 1, 1, 1]
    matched = 6 / 7 + 1 + 1 + 5 / 6 + 1 + 1 + 1 + 1 + 1 + 1  # S NP PRP VP VBD NP DT NN NP NN
    assert struct_iou(heard, said, texts="aligned") == pytest.approx(2 * matched / (12 + 11))


QUOTES = [
    ("(S (`` ``) (NP we) ('' ''))", '(S (`` ") (NP we) (\'\' "))'),
    ("(S (`` “) (NP we) ('' ”))", "(S (`` ``) (NP we) ('' ''))"),
    ("(S (`` „) (NP we) ('' «))", "(S (`` ``) (NP we) ('' ''))"),
    ("(S (`` `) (NP do) (RB n't))", "(S (`` \u2018) (NP do) (RB n\u2019t))"),
    ("(S (X צה״ל))", '(S (X צה"ל))'),
    ("(S (X -LRB-) (NP we) (Y -rrb-))", {"label": "S", "children": [{"label": "X", "word": "("},
     {"label": "NP", "word": "we"}, {"label": "Y", "word": ")"}]}),
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("prediction, reference", QUOTES)
def test_quotes_and_brackets_in_any_spelling_are_the_same(prediction, reference, unit):
    assert counted(prediction, reference, unit=unit)[1:] == [0, 0, 0]
    for texts in ("same", "aligned"):
        assert struct_iou(prediction, reference, unit=unit, texts=texts) == 1.0


def test_escapes_of_a_treebank_are_undone_in_words():
    assert counted(r"(S (X 1\/2) (Y \*))", "(S (X 1/2) (Y *))") == [2, 0, 0, 0]
    assert counted("(S (X a) (Y b))", "(S (X A) (Y b))") == [1, 1, 0, 0]  # case counts


@given(st.text(max_size=8))
@example("-LRB-``'''\u0301")
@examples(300)
def test_words_are_spelled_with_as_many_characters_as_they_count(word):
    tree = SegmentTree.from_spans([("S", 0, 1)], words=[word]).with_unit("char")
    assert len(written(word)) == sum(tree.word_positions()[1])
    assert plain_spelling(plain_spelling(word)) == plain_spelling(word)


def test_dropped_words_are_no_part_of_the_axis():
    traced = "(S (NP (-NONE- *)) (VP (VB go) (NP (-NONE- *T*)) (ADVP (RB home))))"
    plain = "(S (VP (VB go) (ADVP (RB home))))"
    assert counted(traced, plain) == [2, 0, 0, 0]
    assert struct_iou(traced, plain, texts="aligned") == 1.0
    kept = counted(traced, plain, drop=())
    assert kept == [2, 0, 2, 0]


@pytest.mark.parametrize("unit", UNITS)
def test_failed_parse_has_words_on_one_side_only(unit):
    result = StructIoU(texts="aligned", unit=unit).corpus_score(["()"], ["(S (A ab) (B c))"])
    n = 2 if unit == "word" else 3
    assert (result.score, result.n_empty) == (0.0, 1)
    assert [result.as_dict()[name] for name in TEXT_COUNTS] == [0, 0, 0, n]


# ------------------------------------------------------------------------------------- what is refused


def test_seconds_need_no_aligned_texts():
    with pytest.raises(ValueError, match="'aligned' is for words and characters"):
        StructIoU(unit="time", texts="aligned")


def test_words_without_text_cannot_be_aligned():
    spans, other = [("S", 0, 3), ("A", 0, 1)], [("S", 0, 2), ("A", 0, 1)]
    assert struct_iou(spans, spans, texts="aligned") == 1.0
    with pytest.raises(TreeMismatchError, match="prediction or reference has words without text"):
        align(spans, other, texts="aligned")
    metric = StructIoU(texts="aligned", on_error="zero")
    result = metric.corpus_score([spans, "(S (A a))"], [other, "(S (A b))"], by_label=True)
    assert (result.n_zeroed, result.columns["matched"][1]) == (1, 2.0)
    assert result.by_label["S"].matched_pred == 1.0
    assert [row for row, _ in check(metric, ListRows([spans], "p"), ListRows([other], "r"))] == [0]


def test_texts_that_would_fill_the_memory_are_refused(monkeypatch):
    long, other = (f"(S {' '.join(f'(A {letter}{i})' for i in range(400))})" for letter in "xy")
    axis = text_axis.TextAxis
    monkeypatch.setattr("structiou_metric.metrics.struct_iou.texts.TextAxis", lambda by: axis(by, 1000))
    with pytest.raises(TreeMismatchError, match="too long for how much they differ; cut them into parts"):
        struct_iou(long, other, texts="aligned")
    with pytest.raises(TreeMismatchError, match="align words"):
        struct_iou(long, other, texts="aligned", unit="char")
    assert struct_iou(long, long.replace("x7)", "z)"), texts="aligned") == 1.0


# ------------------------------------------------------------------------------------------ the doors

HEARD = "(S (NP (PRP we)) (VP (VBP run)))"
SAID = "(S (NP (PRP we)) (ADVP (RB often)) (VP (VBP run)))"
WANTED = 2 * 5 / (5 + 7)  # we often run: every node of the prediction has its like


def test_batches_and_references_to_choose_from():
    metric = StructIoU(texts="aligned")
    scores = Accumulator(metric)
    scores.update([HEARD], [SAID])
    scores.update([HEARD], [HEARD])
    assert scores.compute().score == pytest.approx((WANTED + 1) / 2)
    assert scores.compute().as_dict()["n_text_ref_only"] == 1
    found = metric.corpus_score([HEARD], [[SAID, HEARD]])
    assert (found.used, found.as_dict()["n_text_matched"]) == ({0: 1}, 2)


def test_command_line(tmp_path, capsys):
    prediction, reference = tmp_path / "heard.txt", tmp_path / "said.txt"
    prediction.write_text(f"{HEARD}\n", encoding="utf-8")
    reference.write_text(f"{SAID}\n", encoding="utf-8")
    files = [str(reference), str(prediction)]
    assert cli.main(["score", *files]) == 1
    assert cli.main(["score", *files, "--texts", "aligned"]) == 0
    table = capsys.readouterr().out
    assert f"{WANTED:.4f}" in table
    assert "|texts:aligned|" in table
    assert re.search(r"^words the same on both sides +2$", table, re.MULTILINE)
    assert re.search(r"^words in references only +1$", table, re.MULTILINE)
    assert cli.main(["score", *files, "--texts", "aligned", "--unit", "char", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert [plain[name] for name in TEXT_COUNTS] == [5, 0, 0, 5]
    with pytest.raises(SystemExit, match="2"):
        cli.main(["score", *files, "--texts", "aligned", "--unit", "time"])
    assert "'aligned' is for words and characters" in capsys.readouterr().err
    assert cli.main(["align", *files, "--texts", "aligned", "--svg", str(tmp_path / "picture.svg")]) == 0
    assert "axis in columns" in (tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_without_aligned_texts_nothing_is_told_of_them():
    result = StructIoU().corpus_score([HEARD], [HEARD])
    assert not set(TEXT_COUNTS) & set(result.as_dict())
