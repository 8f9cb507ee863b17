"""Rows that are lists of trees on one axis: read, refused, and scored like a tree with a root above them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.talks import make_talk, wrapped
from structiou_metric import SegmentTree, StructIoU, TreeFormatError, TreeMismatchError, align, struct_iou
from structiou_metric.drawing.outline import draw_alignment
from structiou_metric.drawing.svg import draw_svg
from structiou_metric.metrics.accumulator import Accumulator
from structiou_metric.sources.documents import DocumentRows, Documents
from structiou_metric.sources.files import TreeFile
from support import oracle
from support.examples import examples
from support.random_trees import write_times
from support.strategies import tree_cases, tree_pairs

WRAPPER = "WRAPPER"  # a label that no tree of these tests has


def score(predictions, references, **options):
    return StructIoU(**options).corpus_score(predictions, references, documents=True)


# By hand. In the first, S (2 of 3 words) would keep A over c from being aligned, so it is not.
@pytest.mark.parametrize(
    "prediction, reference, matched, n_pred, n_ref",
    [
        pytest.param(["(S (A a) (B b))", "(T (A c))"], ["(S (A a) (B b) (A c))"], 3.0, 5, 4, id="cut in two"),
        pytest.param(["(S (A a))", "(S (B b))"], ["(S (A a))", "(S (B b))"], 4.0, 4, 4, id="the same"),
        pytest.param(["(S (A a))"], ["(S (A a))"], 2.0, 2, 2, id="one sentence"),
        pytest.param(
            ["(TOP (S (A a)))", "(TOP (S (B b)))"], ["(S (A a))", "(S (B b))"], 4.0, 4, 4, id="roots"
        ),
        pytest.param([], ["(S (A a))"], 0.0, 0, 2, id="empty document"),
        pytest.param(["()"], ["(S (A a))"], 0.0, 0, 2, id="failed parse"),
        pytest.param(["(S (A a))", "()"], ["()", "(S (A a))"], 2.0, 2, 2, id="failed parse among others"),
    ],
)
def test_documents_by_hand(prediction, reference, matched, n_pred, n_ref):
    found = score([prediction], [reference])
    assert [list(found.columns[name]) for name in ("matched", "n_pred", "n_ref")] == [
        [matched],
        [n_pred],
        [n_ref],
    ]


def test_rows_that_are_sentences_count_none_of_documents():
    result = StructIoU().corpus_score(["(A a)", "(A a)"], ["(A a)", "(A a)"])
    assert "n_sentences_pred" not in result.as_dict()


@st.composite
def documents(draw):
    """Two documents over as many words, cut into sentences at different places."""
    n_words = draw(st.integers(1, 8))
    sides = []
    for _ in range(2):
        left, side = n_words, []
        while left:
            case = draw(tree_cases(min(left, 4), labels=("A", "B")))
            side.append(case.brackets)
            left -= case.brackets.count("w")
        sides.append(side)
    return tuple(sides)


@given(st.lists(documents(), min_size=1, max_size=4), st.sampled_from(["strict", "flexible", "exclude"]))
@examples(60)
def test_a_document_is_a_tree_without_its_root(pairs, terminals):
    """A root that both sides have and nothing else can align with adds 1 to all three columns."""
    predictions, references = ([pair[side] for pair in pairs] for side in (0, 1))
    found = score(predictions, references, terminals=terminals)
    wrapped = StructIoU(terminals=terminals).corpus_score(
        *([f"({WRAPPER} {' '.join(document)})" for document in side] for side in (predictions, references))
    )
    for name in ("matched", "n_pred", "n_ref"):
        assert [value + 1 for value in found.columns[name]] == pytest.approx(
            list(wrapped.columns[name]), abs=1e-12
        )


def test_timed_sentences_keep_their_times():
    prediction = ["(S (A <0,1>))", "(S (B <5,6>))"]
    reference = ["(S (A <0,1>))", "(S (B <5,7>))"]
    found = score([prediction], [reference], unit="time")
    assert found.columns["matched"][0] == pytest.approx(2 + 2 * 0.5)


def test_characters_are_counted_through():
    assert score([["(S (A ab))", "(S (B c))"]], [["(S (A abc))"]], unit="char").columns["matched"][
        0
    ] == pytest.approx(2 * 2 / 3)


def test_many_documents_in_batches_and_threads():
    predictions = [["(S (A a) (B b))"] * (k % 3 + 1) for k in range(700)]
    references = [["(S (A a) (C b))"] * (k % 3 + 1) for k in range(700)]
    one = score(predictions, references)
    many = StructIoU().corpus_score(predictions, references, documents=True, workers=3)
    assert list(one.columns["matched"]) == [2.0 * (k % 3 + 1) for k in range(700)]
    assert many.columns == one.columns


def test_words_are_kept_for_metrics_that_compare_them():
    from structiou_metric.metrics import load_metric

    same = ["(S (NP (A a)) (B b))", "(S (NP (A c)) (B d))"]
    other = ["(S (NP (A a)) (B b))", "(S (NP (A c)) (B x))"]
    metric = load_metric("parseval", on_error="skip")
    assert metric.corpus_score([same, other], [same, same], documents=True).n_errors == 1
    found = metric.corpus_score([[SegmentTree.from_brackets(tree) for tree in same]], [same], documents=True)
    assert (found.n_errors, found.columns["matched"][0]) == (0, 4)


def test_the_sentence_of_an_error_is_named():
    with pytest.raises(TreeFormatError, match=r"predictions\[1\]\[2\]:1:1: this '\(' is never closed"):
        score([["(S (A a))"], ["(S (A a))", "(S (A a))", "(S (A a)"]], [["(S (A a))"]] * 2)
    found = score([["(S (A a)", "(B"], ["(S (A a))"]], [["(S (A a))"]] * 2, on_error="zero")
    assert [row for row, _ in found.problems] == [0]
    assert "predictions[0][0]" in found.problems[0][1]
    assert list(found.columns["n_pred"]) == [0, 2]


def test_unequal_texts_are_errors_of_the_document():
    with pytest.raises(
        TreeMismatchError, match=r"predictions\[0\] has 3 words and references\[0\] has 2 words"
    ):
        score([["(S (A a))", "(S (A b) (A c))"]], [["(S (A a))", "(S (A b))"]])


@pytest.mark.parametrize("row, kind", [("(S (A a))", "str"), ({"label": "S"}, "dict")])
def test_a_row_that_is_no_list_is_named(row, kind):
    with pytest.raises(
        TypeError, match=rf"references\[1\] is one {kind}; with documents every row is a list"
    ):
        score([["(S (A a))"]] * 2, [["(S (A a))"], row])


def test_sentences_that_are_no_trees_are_named():
    with pytest.raises(TreeFormatError, match=r"predictions\[0\]\[1\]"):
        score([["(S (A a))", 5]], [["(S (A a))"]])


# ---- the definition --------------------------------------------------------------------------------


@st.composite
def timed_documents(draw, most_words=5):
    """A document: timed trees that follow each other, as brackets, and their nodes for the oracle."""
    sentences, nodes, clock = [], [], 0.0
    for _ in range(draw(st.integers(1, 3))):
        case = draw(tree_cases(draw(st.integers(1, most_words)), timed=True, labels=("A", "B")))
        shifted = [(start + clock, end + clock) for start, end in case.times]
        sentences.append((case.brackets, shifted))
        tree = oracle.read(case.brackets, shifted)
        nodes += [node._replace(parent=node.parent + len(nodes) if node.parent >= 0 else -1) for node in tree]
        clock = shifted[-1][1] + draw(st.sampled_from([0.0, 0.25]))
    return sentences, nodes


def under_a_root(forest):
    """The same nodes below a dummy root."""
    root = oracle.Node("ROOT OF ROOTS", forest[0].start, max(node.end for node in forest), -1, False)
    return [root, *(node._replace(parent=node.parent + 1) for node in forest)]


@given(
    timed_documents(2),
    timed_documents(2),
    st.sampled_from(["exact", "ignore"]),
    st.sampled_from(["strict", "flexible", "exclude"]),
    st.sampled_from([0.0, 0.4]),
)
@examples(80)
def test_documents_equal_the_best_of_all_alignments(prediction, reference, labels, terminals, min_iou):
    options = {"labels": labels, "terminals": terminals, "min_iou": min_iou}
    wanted = oracle.best_by_enumeration(prediction[1], reference[1], **options)
    found = score([prediction[0]], [reference[0]], unit="time", drop=(), **options)
    assert found.columns["matched"][0] == pytest.approx(wanted, abs=1e-9)


@given(
    timed_documents(), timed_documents(), st.sampled_from(["exact", "ignore"]), st.sampled_from([0.0, 0.4])
)
@examples(80)
def test_documents_equal_the_papers_algorithm_under_a_dummy_root(prediction, reference, labels, min_iou):
    options = {"labels": labels, "min_iou": min_iou}
    forests = prediction[1], reference[1]
    wanted = oracle.best_by_algorithm1(*forests, **options)
    found = score([prediction[0]], [reference[0]], unit="time", drop=(), **options)
    assert found.columns["matched"][0] == pytest.approx(wanted, abs=1e-9)
    if labels == "exact":  # dummy roots, which nothing else can be aligned with, add their own IoU
        roots = [under_a_root(forest) for forest in forests]
        with_roots = oracle.best_by_algorithm1(*roots, **options)
        iou = oracle.iou(roots[0][0], roots[1][0])
        assert with_roots == pytest.approx(wanted + (iou if iou > min_iou else 0.0), abs=1e-9)


@given(st.lists(tree_pairs(6), min_size=1, max_size=5), st.sampled_from(["word", "char"]))
@examples(60)
def test_documents_of_one_sentence_are_the_rows(pairs, unit):
    predictions, references = ([pair[side].brackets for pair in pairs] for side in (0, 1))
    rows = StructIoU(unit=unit).corpus_score(predictions, references, by_label=True)
    found = StructIoU(unit=unit).corpus_score(
        [[tree] for tree in predictions], [[tree] for tree in references], documents=True, by_label=True
    )
    assert (found.corpus, found.sentence, found.by_label) == (rows.corpus, rows.sentence, rows.by_label)
    told = found.as_dict()
    assert told["n_sentences_pred"] == told["n_sentences_ref"] == len(pairs)


@given(timed_documents(), timed_documents(), st.data())
@examples(60)
def test_how_a_side_is_cut_into_sentences_does_not_matter_if_its_nodes_stay(prediction, reference, data):
    """Trees are nodes either way: a document of documents, joined at any places, is the same forest."""
    cuts = [data.draw(st.booleans()) for _ in prediction[0][1:]]
    texts = [write_times(*sentence) for sentence in prediction[0]]
    lines = [texts[0]]
    for text, joins in zip(texts[1:], cuts, strict=True):
        lines = [*lines[:-1], f"{lines[-1]} {text}"] if joins else [*lines, text]
    cut = TreeFile("\n".join(lines).encode(), "cut", "sentence")  # a line is a row of one tree or more
    refs = DocumentRows([reference[0]], "references")
    found = StructIoU(unit="time").corpus_score(Documents(cut, [len(cut)]), refs, documents=True)
    want = score([prediction[0]], [reference[0]], unit="time")
    assert found.columns["matched"] == want.columns["matched"]
    assert found.columns["n_pred"] == want.columns["n_pred"]
    assert [result.as_dict()["n_sentences_pred"] for result in (found, want)] == [len(cut), len(texts)]


def test_two_recognisers_of_one_talk_with_and_without_a_node_over_all():
    """A wrapper node on both sides adds its own IoU, and one node a side, and nothing else."""
    prediction, reference = make_talk(600)
    assert len(prediction) != len(reference)
    found = score([prediction], [reference], unit="time")
    metric = StructIoU(unit="time")
    over_all = metric.corpus_score([wrapped(prediction)], [wrapped(reference)])
    begin, end = (
        [SegmentTree.from_brackets(side[at]).nodes[-1][3 if at else 2] for side in (prediction, reference)]
        for at in (0, -1)
    )
    iou = (min(end) - max(begin)) / (max(end) - min(begin))
    assert 0.99 < iou < 1.0
    assert over_all.columns["matched"][0] == pytest.approx(found.columns["matched"][0] + iou, abs=1e-9)
    assert over_all.columns["n_pred"][0] == found.columns["n_pred"][0] + 1
    assert 0.5 < found.corpus < over_all.corpus < 1.0
    # Row by row, as many rows as both sides have, it means nothing.
    n = min(len(prediction), len(reference))
    assert metric.corpus_score(prediction[:n], reference[:n]).corpus < 0.5 * found.corpus


# ---- one document ----------------------------------------------------------------------------------


def test_documents_are_aligned_and_drawn():
    alignment = align(["(S (A a))", "(T (B b))"], ["(S (A a) (B b))"], documents=True)
    assert [(p.label, r.label, p.start) for p, r, _ in alignment.pairs] == [("A", "A", 0), ("B", "B", 1)]
    assert alignment.score == struct_iou(["(S (A a))", "(T (B b))"], ["(S (A a) (B b))"], documents=True)
    assert [line[13:].rstrip() for line in draw_alignment(alignment).splitlines()[1:5]] == [
        "· S",
        "1 └── A a",
        "· T",
        "2 └── B b",
    ]
    for label in (">S<", ">T<", ">A<", ">B<"):
        assert label in draw_svg(alignment)


def test_trees_that_overlap_in_time_are_an_error_of_their_document():
    late = ["(S (A <0,1>))", "()", "(S (B <0.5,2>))"]
    message = (
        r"predictions\[0\]\[2\]: this tree starts at 0.5, before the one on its left ends at 1; trees on"
    )
    with pytest.raises(TreeFormatError, match=message):
        score([late], [["(S (A <0,1>))"]], unit="time")
    found = score([late, late[:2]], [["(S (A <0,1>))"]] * 2, unit="time", on_error="zero")
    assert found.sentences.scores() == [0.0, 1.0]
    assert score([late], [late], unit="word").corpus == 1.0


def test_an_accumulator_takes_documents():
    scores = Accumulator(StructIoU(), documents=True)
    scores.update([["(S (A a))", "(T (B b))"]], [["(S (A a) (B b))"]])
    other = Accumulator(StructIoU(), documents=True)
    other.update([["(S (A a))"]], [["(S (A a))"]])
    scores.merge(other)
    told = scores.compute().as_dict()
    assert (told["n_documents"], told["n_sentences_pred"], told["n_sentences_ref"]) == (2, 3, 2)
    assert told["struct_iou"] == pytest.approx((4 / 7 + 1) / 2)
    with pytest.raises(TypeError, match=r"predictions\[2\] is one str; with documents"):
        scores.update(["(S (A a))"], [["(S (A a))"]])


@pytest.mark.parametrize("row, name", [(None, "None"), (float("nan"), "NaN")])
def test_a_row_that_is_missing_is_like_a_tree_that_is(row, name):
    references = [["(S (A a))"], row]
    with pytest.raises(TreeFormatError, match=rf"references\[1\]\[0\]: the tree is {name}; give"):
        score([["(S (A a))"]] * 2, references)
    assert score([["(S (A a))"]] * 2, references, on_error="skip").n_skipped == 1
