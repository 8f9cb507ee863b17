"""Written characters: how long words are when characters are the unit."""

from __future__ import annotations

import re
from unicodedata import category, normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeMismatchError, struct_iou
from structiou_metric.sources.files import TreeFile
from support.examples import examples
from support.paths import DATA
from support.process import run_python

_ESCAPE = re.compile("-[LR][RCS]B-|``|''", re.ASCII | re.IGNORECASE)


def slow_length(text):
    """DESIGN §3, word for word: after NFC, what is no mark, white space, control or format character."""
    composed = normalize("NFC", _ESCAPE.sub("(", text))
    return sum(category(c)[0] not in "MZ" and category(c) not in ("Cc", "Cf") for c in composed)


def lengths(words):
    """The lengths that the product gives to words."""
    tree = SegmentTree.from_spans([("S", 0, len(words))], words=words).with_unit("char")
    starts, ends = tree.word_positions()
    return [end - start for start, end in zip(starts, ends, strict=True)]


def length(text):
    return lengths([text])[0]


# -------------------------------------------------------------------------------------- hand counts


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("dog", 3, id="ASCII"),
        pytest.param("don't!", 6, id="punctuation counts"),
        pytest.param("``Hi''", 4, id="a treebank's quotes are one character each"),
        pytest.param("'''", 2, id="a quote and an apostrophe"),
        pytest.param("`'", 2, id="two single quotes"),
        pytest.param("a b\tc\n", 3, id="white space counts nothing"),
        pytest.param("a\0\x7fb", 2, id="control characters count nothing"),
        pytest.param("\xa0\u2003\u3000\u2028", 0, id="other white space"),
        pytest.param("\xe9", 1, id="composed"),
        pytest.param("e\u0301", 1, id="decomposed"),
        pytest.param("e\u0301\u0323\u0302", 1, id="several marks"),
        pytest.param("\u0301", 0, id="mark without base"),
        pytest.param("\u212b\u2126", 2, id="signs that NFC replaces"),
        pytest.param("\ufb01", 1, id="ligature stays one"),
        pytest.param("\U0001d15e", 1, id="musical note that NFC takes apart into note and stem"),
        pytest.param("\u05e9\u05dc\u05d5\u05dd", 4, id="Hebrew, plain"),
        pytest.param("\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", 4, id="Hebrew with niqqud"),
        pytest.param("\ufb2a\u05b8\u05dc\ufb4b\u05dd", 4, id="Hebrew in presentation forms"),
        pytest.param("\u05d1\u05be\u05d2", 3, id="maqaf is a character"),
        pytest.param("\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f", 4, id="Arabic with vowels"),
        pytest.param("\u0645\u0640\u0640\u062f", 4, id="Arabic tatweel is a letter"),
        pytest.param("\u0623", 1, id="Arabic alef with hamza, composed"),
        pytest.param("\u0627\u0654", 1, id="Arabic alef with hamza, decomposed"),
        pytest.param("\u0928\u092e\u0938\u094d\u0924\u0947", 4, id="Devanagari na-ma-s-te"),
        pytest.param("\u0939\u093f\u0928\u094d\u0926\u0940", 3, id="Devanagari hi-n-dii"),
        pytest.param("\u0915\u094d\u200d\u0937", 2, id="Devanagari with a joiner"),
        pytest.param("\u0e17\u0e35\u0e48", 1, id="Thai, vowel and tone above"),
        pytest.param("\u0e19\u0e49\u0e33", 2, id="Thai sara am is a letter"),
        pytest.param("\u0e40\u0e14\u0e47\u0e01", 3, id="Thai, vowel before"),
        pytest.param("\ud55c\uad6d", 2, id="Hangul syllables"),
        pytest.param("\u1112\u1161\u11ab\u1100\u116e\u11a8", 2, id="the same in jamo"),
        pytest.param("\ud558\u11ab", 1, id="syllable and final consonant"),
        pytest.param("\ud55c\u11ab", 2, id="syllable that has its final"),
        pytest.param("\u1112\u1161\u1161", 2, id="second vowel"),
        pytest.param("\u1112\u1112\u1161", 2, id="second leading consonant"),
        pytest.param("\u1112\u0301\u1161", 2, id="a mark keeps jamo apart"),
        pytest.param("\u1112\u200d\u1161", 2, id="a joiner keeps jamo apart"),
        pytest.param("\u1112a\u1161", 3, id="a letter keeps jamo apart"),
        pytest.param("\u1113\u1161", 2, id="old consonant does not join"),
        pytest.param("\ud558\u11a7", 2, id="one before the finals"),
        pytest.param("\ud558\u11c3", 2, id="old final does not join"),
        pytest.param("\u314e\u314f\u3134", 3, id="letters on their own"),
        pytest.param("\u6f22\u5b57", 2, id="Chinese"),
        pytest.param("\u304b\u3099", 1, id="kana with voicing mark"),
        pytest.param("\u2764\ufe0f", 1, id="emoji with variation selector"),
        pytest.param("\U0001f469\u200d\U0001f469\u200d\U0001f467", 3, id="emoji family of three"),
        pytest.param("\U0001f44d\U0001f3fd", 2, id="emoji with skin tone"),
        pytest.param("\U0001f1ee\U0001f1f1", 2, id="flag of two letters"),
        pytest.param("a\u200e\u200f\u061c\u202b\u202c\u2067\u2069b", 2, id="direction marks"),
        pytest.param("a\u200b\u200c\u200d\u2060\ufeff\xadb", 2, id="joiners, soft hyphen"),
        pytest.param("\ud800\udfff", 2, id="lone surrogates"),
        pytest.param("\U0010ffff\ue000", 2, id="not assigned, private"),
    ],
)
def test_length_by_hand(text, want):
    assert slow_length(text) == want
    assert length(text) == want


@pytest.mark.parametrize(
    "text, want",
    [
        *((escape, 1) for escape in ("-LRB-", "-RRB-", "-LCB-", "-RCB-", "-LSB-", "-RSB-")),
        *((escape, 1) for escape in ("-lrb-", "-Rcb-", "-lSb-", "-rsB-")),
        pytest.param("x-LRB-y", 3, id="inside a word"),
        pytest.param("-LRB--RRB-", 2, id="two in a row"),
        pytest.param("-LRB-LRB-", 5, id="a hyphen belongs to one only"),
        pytest.param("--LRB-", 2, id="hyphen before"),
        pytest.param("-LRB-\u0301", 1, id="mark behind"),
        pytest.param("\u05d0-LRB-\u05d0", 3, id="beside Hebrew"),
        pytest.param("\u1112-LRB-\u1161", 3, id="keeps jamo apart"),
        pytest.param("-LRB", 4, id="cut off"),
        pytest.param("LRB-", 4, id="no hyphen before"),
        pytest.param("-LXB-", 5, id="no such bracket"),
        pytest.param("-NONE-", 6, id="trace"),
        pytest.param("-L\u017fB-", 5, id="long s is no S"),
    ],
)
def test_length_of_bracket_escapes(text, want):
    assert slow_length(text) == want
    assert length(text) == want


# --------------------------------------------------------------------------------- the slow oracle


def test_length_of_all_kinds_of_characters():
    """Every mark, every 61st of the others, and every character that NFC or NFD changes."""
    characters = [
        c
        for c in map(chr, range(0x110000))
        if ord(c) % 61 == 0 or normalize("NFD", c) != c or category(c)[0] == "M"
    ]
    want = list(map(slow_length, characters))
    assert lengths(characters) == want
    for form in ("NFC", "NFD"):
        assert lengths([normalize(form, c) for c in characters]) == want


SCRIPTS = "aZ9.-\xe9\u0301\u0323\u05d0\u05b8\u05c1\ufb2a\u0627\u064e\u0654"
SCRIPTS += "\u0928\u094d\u0947\u093c\u0e19\u0e33\u0e49"
JAMO = "\u1100\u1112\u1113\u1161\u1175\u1176\u11a7\u11a8\u11c2\u11c3\uac00\uac01\ud55c\ud558"
MARKS = "\u200d\u200e\u200f\u2067\ufe0f\U0001f469\U0001f3fd \xa0\n\0"

texts = st.one_of(
    st.text(SCRIPTS + JAMO + MARKS, max_size=12),
    st.text(JAMO, max_size=12),
    st.text(max_size=12),
    st.lists(st.sampled_from(["-LRB-", "-rsb-", "-", "L", "RB-", "x", "\u05d0"]), max_size=6).map("".join),
)


@examples(500)
@given(texts)
@example("\u1100\u1161\u11a8\u11a8")
def test_length_agrees_with_oracle(text):
    assert length(text) == slow_length(text)


@examples(200)
@given(texts)
def test_length_is_the_same_in_all_normal_forms(text):
    assert length(text) == length(normalize("NFC", text)) == length(normalize("NFD", text))


@examples(200)
@given(st.text(st.characters(max_codepoint=127), max_size=30))
def test_length_of_ascii_is_the_same_beside_other_text(text):
    alone, (beside, other) = length(text), lengths([text, "\u05d0"])
    assert alone == beside == slow_length(text)
    assert other == 1.0


no_jamo = st.text(
    st.one_of(
        st.sampled_from((SCRIPTS + MARKS).replace("-", "")),
        st.characters(exclude_characters="-`'").filter(
            lambda c: not ("\u1100" <= c <= "\u11ff" or "\uac00" <= c <= "\ud7a3")
        ),
    ),
    max_size=12,
)


@examples(300)
@given(st.lists(no_jamo, max_size=5))
def test_length_of_a_text_does_not_depend_on_its_words(pieces):
    assert sum(lengths(pieces)) == length("".join(pieces))


# --------------------------------------------------------------------------------- through the metric

words = texts.map(lambda text: re.sub(r"[ \t-\r()<>{\[]", "", text)).filter(slow_length)


@examples(200)
@given(words)
def test_struct_iou_measures_words_as_they_are_written(word):
    assert struct_iou(f"(A {word})", f"(A {'x' * slow_length(word)})", unit="char") == 1.0


@examples(100)
@given(st.lists(words, min_size=1, max_size=5))
def test_corpus_score_and_tree_agree_on_lengths(row):
    text = "(S " + " ".join(f"(A {word})" for word in row) + ")"
    tree = SegmentTree.from_brackets(text, "char")
    assert tree.spans()[0] == ("S", 0.0, sum(map(slow_length, row)))
    assert struct_iou(text, tree, unit="char") == 1.0


def test_struct_iou_of_other_words_over_the_same_characters():
    # Over abc|d and a|bcd: S 0-4 is 1; of A 0-3 and A 0-1 one third; of B 3-4 and B 1-4 one third.
    score = struct_iou("(S (A abc) (B d))", "(S (A a) (B bcd))", unit="char")
    assert score == pytest.approx(2 * (1 + 1 / 3 + 1 / 3) / 6, abs=1e-12)


def test_struct_iou_of_the_hebrew_figure():
    """The paper's 0.635: the figure's two trees over the same letters, divided into different words."""
    predictions = (DATA / "hebrew.prediction.txt").read_text(encoding="utf-8").splitlines()
    references = (DATA / "hebrew.reference.txt").read_text(encoding="utf-8").splitlines()
    assert struct_iou(predictions[0], references[0], unit="char") == pytest.approx(0.635, abs=5e-4)


@pytest.mark.parametrize(
    "prediction, reference",
    [
        pytest.param(
            "(A \u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd)", "(A \u05e9\u05dc\u05d5\u05dd)", id="niqqud"
        ),
        pytest.param("(A \u200f\u05e9\u05dc\u200e)", "(A \u05e9\u05dc)", id="direction marks"),
        pytest.param("(A \u1112\u1161\u11ab)", "(A \ud55c)", id="jamo and syllable"),
        pytest.param("(A -LRB- x -rrb-)", "(A [x])", id="escapes and other brackets"),
        pytest.param("(A a\xa0b)", "(A ab)", id="white space inside a word"),
        pytest.param("(A ab<0,1> c<1,2>)", "(A abc)", id="times are no characters"),
    ],
)
def test_struct_iou_same_characters_written_otherwise(prediction, reference):
    assert struct_iou(prediction, reference, unit="char") == 1.0


def test_struct_iou_names_both_numbers_of_characters():
    message = r"prediction has 2 characters and reference has 1 character; .*; give both sides the same text"
    with pytest.raises(TreeMismatchError, match=message):
        struct_iou("(A \u05e9\u05b8\u05dc)", "(A x)", unit="char")


def test_corpus_score_counts_words_without_characters_as_lengthless():
    result = StructIoU(unit="char").corpus_score(["(S (A a) (B \u200f) (C \u0301))"], ["(S (A a))"])
    assert result.score == 1.0
    assert result.as_dict()["n_lengthless"] == 2


def test_corpus_score_first_use_by_several_threads():
    """In a process of its own, where the table is not filled yet."""
    done = run_python(
        "from structiou_metric import StructIoU\n"
        "rows = ['(S (NP aaa) (VP b c))'] * 2000\n"
        "result = StructIoU(unit='char').corpus_score(rows, rows, workers=4)\n"
        "print(sum(result.columns['n_pred']), result.as_dict()['n_lengthless'])\n"
    )
    assert done.stdout == "6000 0\n", done.stderr


def test_file_and_list_score_alike_over_many_batches(tmp_path):
    """Each batch has letters that no batch before it had."""
    references = [f"(S (A {chr(0x5D0 + row // 100)}ב\u05b0) (B גד))" for row in range(2000)]
    predictions = [f"(S (A {chr(0x5D0 + row // 100)}ב) (B ג) (C ד))" for row in range(2000)]
    files = []
    for name, rows in (("predictions", predictions), ("references", references)):
        (tmp_path / name).write_text("\n".join(rows), encoding="utf-8")
        files.append(TreeFile.read(tmp_path / name))
    metric = StructIoU(unit="char")
    from_files = metric.corpus_score(*files)
    assert list(from_files.sentences) == list(metric.corpus_score(predictions, references).sentences)
    # S and A are equal, B shares one letter of two: 2 · (1 + 1 + 1/2) / (4 + 3).
    assert from_files.sentence == pytest.approx(5 / 7)
