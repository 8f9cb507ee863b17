"""What is said of texts that do not pair up fits what is wrong with them."""

from __future__ import annotations

import pytest

from structiou_metric import StructIoU, TreeMismatchError, struct_iou
from structiou_metric.metrics import load_metric
from structiou_metric.sources.files import TreeFile


def complaint(prediction, reference, **options):
    with pytest.raises(TreeMismatchError) as caught:
        struct_iou(prediction, reference, **options)
    return str(caught.value).partition("; ")[2]


@pytest.mark.parametrize(
    "prediction, reference, options, said",
    [
        pytest.param(
            "(S (A I) (B can't))",
            "(S (A I) (B ca) (C n't))",
            {},
            "the same characters are divided into different words from \"can't\" and 'ca' (word 2) on; score "
            "characters (unit 'char')",
            id="tokens",
        ),
        pytest.param(
            "(S (A what) (B happened))",
            "(S (A what) (-NONE- *T*-1) (B happened))",
            {"drop": ()},
            "only reference has the trace '*T*-1' (word 2); remove traces, or drop them by the label of "
            "their leaves (drop '-NONE-')",
            id="a trace that is kept",
        ),
        pytest.param(
            "(S (A what) (XX *) (B happened))",
            "(S (A what) (B happened))",
            {},
            "only prediction has the trace '*' (word 2); remove traces, or drop them by the label of "
            "their leaves (drop '-NONE-')",
            id="a trace with another label",
        ),
        pytest.param(
            "(S (A no))",
            "(S (Q ``) (A no) (Q ''))",
            {},
            "only reference has the quote '``' (word 1); leave quotes in both sides, or in neither",
            id="quotes",
        ),
        pytest.param(
            "(S (A no) (B sir))",
            "(S (A no) (C ,) (B sir) (C .))",
            {},
            "only reference has the punctuation ',' (word 2); leave punctuation in both sides, or in neither",
            id="punctuation",
        ),
        pytest.param(
            "(S (A no) (B sir) (C .))",
            "(S (A nos) (B ir))",
            {"unit": "char"},
            "only prediction has the punctuation '.' (word 3); leave punctuation in both sides, or in "
            "neither",
            id="punctuation, by characters",
        ),
        pytest.param(
            "(S (A no) (B sirs))",
            "(S (A nos) (B ir))",
            {"unit": "char"},
            "reference ends before word 2 of prediction, 'sirs'; give both sides the same text, have "
            "the two texts aligned (texts 'aligned'), or score seconds (unit 'time')",
            id="more text, by characters",
        ),
        pytest.param(
            "(S (A we) (B ran) (C home))",
            "(S (A we) (B went))",
            {},
            "they differ from 'ran' and 'went' (word 2) on; give both sides the same text, have the two "
            "texts aligned (texts 'aligned'), or score seconds (unit 'time')",
            id="other words",
        ),
    ],
)
def test_advice_for_a_pair(prediction, reference, options, said):
    assert complaint(prediction, reference, **options) == said


def test_a_shifted_row_is_seen():
    rows = ["(S (A a))", "(S (A b) (B c))", "(S (A d) (B e) (C f))"]
    with pytest.raises(TreeMismatchError) as caught:
        StructIoU().corpus_score(rows[:-1], rows[1:])
    order = "is a row missing, is one too many, or are rows in another order?"
    assert str(caught.value).endswith(f"; references[0] has the words of predictions[1]; {order}")
    with pytest.raises(TreeMismatchError) as caught:
        StructIoU().corpus_score(rows[1:], rows[:-1])
    assert str(caught.value).endswith(f"; predictions[0] has the words of references[1]; {order}")


def test_other_metrics_say_what_differs_too():
    with pytest.raises(TreeMismatchError, match=r"only references\[0\] has the punctuation '\.' \(word 2\)"):
        load_metric("leaf_ancestor").corpus_score(["(S (A no))"], ["(S (A no) (B .))"])


@pytest.mark.parametrize(
    "predictions, references, said",
    [
        pytest.param("ab", "axb", "references[1] is missing on the other side; all other", id="missing"),
        pytest.param("axyb", "ab", "2 rows from predictions[1] on are missing on the other", id="two more"),
        pytest.param("ab", "abc", "predictions ends before references[2], and all rows", id="ends"),
        pytest.param("acz", "abcd", "references[1] seems to be missing on the other side", id="and others"),
        pytest.param(
            "ay", "abc", "the first rows with different words are predictions[1] and ref", id="other"
        ),
        pytest.param("ab", "xyz", "no row of one has the words of a row of the other", id="all other"),
    ],
)
def test_sides_of_unequal_length(predictions, references, said):
    sides = ([f"(S (A {letter}))" for letter in side] for side in (predictions, references))
    with pytest.raises(TreeMismatchError) as caught:
        StructIoU().corpus_score(*sides)
    assert f"; give the same number of both: {said}" in str(caught.value)


def test_other_sentences_of_one_text_are_documents():
    predictions, references = ["(S (A a))", "(S (A b))", "(S (A c))"], ["(S (A a) (A b))", "(S (A c))"]
    with pytest.raises(TreeMismatchError, match="the texts as a whole agree, and are segmented differently"):
        StructIoU().corpus_score(predictions, references)
    StructIoU().corpus_score([predictions], [references], documents=True)  # as it advises


def test_unreadable_rows_do_not_hide_the_error():
    with pytest.raises(TreeMismatchError, match=r"give the same number of both$"):
        StructIoU().corpus_score(["(S", "(A a)"], ["(A a)"])


def test_files(tmp_path):
    (tmp_path / "a.txt").write_text("(S (A a))\n(S (A b))\n(S (A c))\n")
    (tmp_path / "b.txt").write_text("(S (A a))\n(S (A c))\n")
    sides = [TreeFile.read(tmp_path / name) for name in ("a.txt", "b.txt")]
    with pytest.raises(TreeMismatchError, match=r"a\.txt:2 is missing on the other side"):
        StructIoU().corpus_score(*sides)
