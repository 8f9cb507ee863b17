"""Sentence mean and corpus level by maximum length, against scoring the sentences by themselves."""

from __future__ import annotations

import pytest

from structiou_metric import SegmentTree, StructIoU
from structiou_metric.analysis.paper.lengths import even_steps, score_by_length
from structiou_metric.sources.files import TreeFile
from structiou_metric.sources.rows import ListRows
from support.paths import DATA


def rows(*trees):
    return ListRows(trees, "trees")


# By hand: 1 of 1 node, 2 of 3 and 3, and 2 of 4 and 3: the scores are 1, 2/3 and 4/7.
REFERENCES = rows("(A a)", "(S (A a) (B b))", "(S (A a) (B b))")
PREDICTIONS = rows("(A a)", "(S (A a) (C b))", "(S (X (A a) (C b)))")


def test_score_by_length_by_hand():
    found = score_by_length(PREDICTIONS, REFERENCES)
    one, two = found.points
    assert one == (1, 1, 1.0, 1.0)
    assert two == (2, 3, pytest.approx((1 + 2 / 3 + 4 / 7) / 3), pytest.approx(2 * 5 / 15))
    assert (found.n_one_word, found.n_unmeasured) == (1, 0)


@pytest.mark.parametrize(
    "files, options",
    [
        pytest.param(("english.reference.mrg", "english.prediction.txt"), {"labels": "base"}, id="words"),
        pytest.param(("hebrew.reference.txt", "hebrew.prediction.txt"), {"unit": "char"}, id="characters"),
        pytest.param(("speech.reference.txt", "speech.prediction.txt"), {"unit": "time"}, id="seconds"),
    ],
)
def test_score_by_length_equals_scoring_the_short_sentences_alone(files, options):
    reference, prediction = (TreeFile.read(DATA / name) for name in files)
    metric = StructIoU(**options)
    found = score_by_length(prediction, reference, metric=metric)
    texts = [SegmentTree.from_brackets(str(tree)) for tree in reference.trees("word")]
    n_words = [sum(node.preterminal and node.label != "-NONE-" for node in tree.nodes) for tree in texts]
    assert found.points[-1].max_words == max(n_words)
    for point in found.points:
        chosen = [i for i, n in enumerate(n_words) if n <= point.max_words]
        assert point.n_sentences == len(chosen)
        if chosen:
            sides = ([file.tree(i, None) for i in chosen] for file in (prediction, reference))
            want = metric.corpus_score(*sides)
            assert (point.struct_iou_sentence, point.struct_iou_corpus) == pytest.approx(
                (want.sentence, want.corpus), abs=1e-12
            )
    assert found.points[-1].struct_iou_sentence == pytest.approx(found.score.sentence, abs=1e-12)


def test_score_by_length_limits_are_sorted_and_may_be_empty():
    found = score_by_length(rows("(S (A a) (B b))"), rows("(S (A a) (B b))"), limits=[5, 1, 5])
    assert found.points == [(1, 0, None, None), (5, 1, 1.0, 1.0)]


def test_score_by_length_leaves_skipped_pairs_out():
    metric = StructIoU(on_error="skip")
    found = score_by_length(rows("(A a)", "(A a)"), rows("(A a)", "(S (A a) (B b))"), metric=metric)
    assert [point.n_sentences for point in found.points] == [1]
    assert found.score.n_skipped == 1


def test_score_by_length_tells_of_references_without_a_length():
    metric = StructIoU(on_error="zero")
    found = score_by_length(rows("(A a)", "(A a)"), rows("(A a)", "(A a"), metric=metric)
    assert [(point.n_sentences, point.struct_iou_sentence) for point in found.points] == [(1, 1.0)]
    assert (found.n_unmeasured, found.score.n_zeroed) == (1, 1)


def test_score_by_length_of_empty_trees():
    found = score_by_length(rows("()", "()"), rows("()", "(A a)"), limits=[0, 1])
    assert found.points == [(0, 1, 1.0, 1.0), (1, 2, 0.5, 0.0)]


@pytest.mark.parametrize("longest", [1, 2, 20, 21, 40, 41, 99, 100, 101, 1000, 54321])
def test_even_steps_are_few_rising_and_end_with_the_longest(longest):
    steps = even_steps(longest)
    assert steps == sorted(set(steps))
    assert steps[-1] == longest
    assert len(steps) <= 20
    assert len(steps) >= min(longest, 8)
