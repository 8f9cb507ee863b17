"""Conversion of many Docs at once gives the same trees as one by one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from unittest.mock import patch

import pytest

from support.examples import examples

pytest.importorskip("spacy")

from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_structiou import columns, doc_from_trees, get_trees
from spacy_structiou.columns import made_spans, read_spans, written_spans
from spacy_structiou.rows import DocRows, Located, Side
from structiou_metric import SegmentTree, TreeFormatError, struct_iou
from support.random_trees import SHAPES, mutate, random_tree, timed

_KEY = "constituents"


def _random_doc(rng: Random, vocab: Vocab) -> Doc:
    """A Doc with some trees, some white space, and words between trees."""
    words: list[str] = []
    spans: list[tuple[int, int, str]] = []
    for _ in range(rng.randint(0, 3)):
        words += rng.choice([[], [], ["\n"], ["x", "\n", "y"]])
        tree = SegmentTree.from_brackets(random_tree(rng, rng.randint(1, 7), 3, rng.choice(SHAPES)))
        spans += [
            (len(words) + tree.firsts[i], len(words) + tree.lasts[i], tree.labels[i]) for i in tree.preorder()
        ]
        words += [rng.choice(["a", "bc", "שָׁלוֹם", "(", "\n"]) for _ in tree.words]
    doc = Doc(vocab, words=words)
    if spans or rng.random() < 0.5:
        doc.spans[_KEY] = [Span(doc, *span) for span in spans]
    return doc


def _spoil(rng: Random, doc: Doc) -> None:
    """Makes a group that is no longer in order, or does not nest."""
    spans = list(doc.spans[_KEY])
    i, j = rng.randrange(len(spans)), rng.randrange(len(spans))
    spans[i], spans[j] = spans[j], spans[i]
    if rng.random() < 0.5:
        start = rng.randrange(len(doc))
        spans.insert(rng.randrange(len(spans)), Span(doc, start, rng.randint(start, len(doc)), "Z"))
    doc.spans[_KEY] = spans


def _read(doc: Doc) -> tuple[list[SegmentTree], str]:
    """Its trees, and what is wrong with them."""
    try:
        return get_trees(doc), ""
    except TreeFormatError as error:
        return [], str(error)


def _check(docs: Sequence[Doc], unit: str) -> None:
    side = Side(docs, _KEY, unit)
    for d, doc in enumerate(docs):
        assert (side.trees[d] is not None) == (_KEY in doc.spans)
        wanted, problem = _read(doc)
        assert str(side.problems.get(d, "")) == problem
        if problem:
            continue
        found = [located.tree for located in side.trees[d] or []]
        assert found == [tree.with_unit(unit) for tree in wanted]
        for tree, same in zip(found, wanted, strict=True):
            assert tree.word_positions(unit) == same.word_positions(unit)
        n_words = sum(not token.text.isspace() for token in doc)
        in_trees = sum(len(tree.words) - tree.words.count("*") for tree in wanted)  # traces are no tokens
        assert side.complete[d] == (_KEY in doc.spans and n_words == in_trees)


@given(st.randoms(use_true_random=False), st.sampled_from(["word", "char"]))
def test_all_at_once_is_as_one_by_one(rng, unit):
    vocab = Vocab()
    _check([_random_doc(rng, vocab) for _ in range(rng.randint(0, 4))], unit)


@given(st.randoms(use_true_random=False), st.sampled_from(["word", "char"]))
@examples(50)
def test_written_spans_give_the_same_trees(rng, unit):
    docs = [_random_doc(rng, Vocab()) for _ in range(4)]
    with patch.object(columns, "_FEWEST", 16):
        _check(docs * 8, unit)


@given(st.randoms(use_true_random=False))
@examples(50)
def test_written_spans_are_those_that_spacy_makes(rng):
    docs = [doc_from_trees(Vocab(), ["(S (A (A a)) (B b) (C c d))"]) for _ in range(5)]
    docs += [_random_doc(rng, Vocab()) for _ in range(rng.randint(0, 70))]
    groups = [doc.spans[_KEY] for doc in docs if _KEY in doc.spans]
    rng.shuffle(groups)
    for group in groups:
        group.attrs.update(rng.choice([{}, {}, {"times": [[0.0, 1.0]], "by": "hand"}]))
    assert written_spans(groups) == made_spans(groups)


def test_written_spans_of_a_large_corpus():
    doc = doc_from_trees(Vocab(), [f"(S {'(A (B (C a))) ' * 300})"])
    other = doc_from_trees(Vocab(), ["(S (D d))"])
    groups = [*[doc.spans[_KEY]] * 75, other.spans[_KEY]]
    starts, ends, labels = written_spans(groups)
    assert len(starts) == len(ends) == len(labels) == 75 * 901 + 2  # more than two bytes count
    assert (list(starts[-3:]), list(ends[-3:])) == ([299, 0, 0], [300, 1, 1])
    strings = other.vocab.strings
    assert [strings[key] for key in labels[-2:]] == ["S", "D"]


@pytest.mark.parametrize(
    "name, other",
    [
        pytest.param("_HEAD", b"another format", id="other bytes before the spans"),
        pytest.param("_MARK", 0, id="spans of another length"),
        pytest.param("_joined", None, id="groups that do not join"),
    ],
)
def test_spans_are_made_where_spacy_writes_them_otherwise(name, other):
    docs = [doc_from_trees(Vocab(), ["(S (A a) (B b))"]) for _ in range(100)]
    groups = [doc.spans[_KEY] for doc in docs]
    with patch.object(columns, name, other):
        assert written_spans(groups) is None
        assert read_spans(groups) == made_spans(groups)


@given(st.randoms(use_true_random=False))
@examples(200)
def test_bad_groups_are_found_and_leave_the_others_alone(rng):
    vocab = Vocab()
    docs = [_random_doc(rng, vocab) for _ in range(rng.randint(1, 4))]
    for doc in docs:
        if doc.spans.get(_KEY) and rng.random() < 0.7:
            _spoil(rng, doc)
    _check(docs, "word")


def test_unusual_groups_are_read_among_usual_ones():
    vocab = Vocab()
    docs = [
        doc_from_trees(vocab, ["(S (A a) (-NONE- *))", "(B (B b))"]),
        Doc(vocab, words=["x"]),
        doc_from_trees(vocab, ["(S (C c))", "()", "(X (Y))", "(S d e)"]),
        doc_from_trees(vocab, []),
        doc_from_trees(vocab, ["(S (A a) (A a))"]),
    ]
    with docs[4].retokenize() as retokenizer:
        retokenizer.merge(docs[4][0:2])
    _check(docs[:4], "char")
    side = Side(docs, _KEY, "word")
    assert list(side.problems) == [4]
    assert [len(trees or ()) for trees in side.trees] == [2, 0, 4, 0, 0]


def test_label_that_the_vocab_lacks_leaves_the_others_alone():
    known, strange = doc_from_trees(Vocab(), ["(A a)"]), Doc(Vocab(), words=["a"])
    strange.spans[_KEY] = []
    strange.spans[_KEY].from_bytes(doc_from_trees(Vocab(), ["(STRANGE a)"]).spans[_KEY].to_bytes())
    _check([known, strange, known], "word")


def test_times():
    vocab = Vocab()
    rng = Random(5)
    docs = [
        doc_from_trees(vocab, [timed(rng, random_tree(rng, 5, 2), 0.5) for _ in range(2)]) for _ in range(3)
    ]
    _check(docs, "time")
    assert "no times" in str(Side([doc_from_trees(vocab, ["(A a)"])], _KEY, "time").problems[0])


@pytest.mark.parametrize("damage", [None, [2.0, 1.0], ["a", 1.0], 7, [0.0, float("nan")]])
def test_bad_times_leave_the_others_alone(damage):
    vocab = Vocab()
    docs = [doc_from_trees(vocab, ["(S (A a<0,1>) (B b<1,2>))", "(C c<3,4>)"]) for _ in range(3)]
    docs[1].spans[_KEY].attrs["times"][1] = damage
    side = Side(docs, _KEY, "time")
    assert list(side.problems) == [1]
    assert str(side.problems[1]).startswith("doc.spans['constituents']: ") or "no times" in str(
        side.problems[1]
    )
    assert [len(trees or ()) for trees in side.trees] == [2, 0, 2]
    assert side.complete == [True, False, True]


def test_row_with_a_problem_is_no_tree():
    rows = DocRows(str)
    rows.found += [Located(0, 1, SegmentTree.from_brackets("(A a)")), TreeFormatError("damaged")]
    assert str(rows.tree(0, None)) == "(A a)"
    with pytest.raises(TreeFormatError, match="damaged"):
        rows.tree(1, None)


# ---- whole Docs


def _matched_as_one(pred: Doc, ref: Doc, **options: str) -> tuple[float, int]:
    """What joined trees score, computed by the metric on single trees with a root above."""
    joined = [f"(DOC {' '.join(map(str, get_trees(doc)))})" for doc in (pred, ref)]
    n_nodes = sum(tree.count("(") for tree in joined)
    return struct_iou(*joined, drop=(), **options) * n_nodes / 2 - 1, n_nodes - 2


@given(st.randoms(use_true_random=False), st.sampled_from(["word", "char"]))
def test_joined_trees_score_as_under_a_common_root(rng, unit):
    from spacy.training import Example

    from spacy_structiou.scorer import make_struct_iou_scorer

    vocab = Vocab()
    references = [
        random_tree(rng, rng.randint(1, 5), 3, rng.choice(SHAPES)) for _ in range(rng.randint(1, 3))
    ]
    predictions = [mutate(rng, tree, 2) for tree in references]
    pred, ref = (doc_from_trees(vocab, trees) for trees in (predictions, references))
    scores = make_struct_iou_scorer(per="doc", unit=unit, drop=[])([Example(pred, ref)])
    matched, nodes = _matched_as_one(pred, ref, unit=unit)
    assert scores["struct_iou"] == pytest.approx(2 * matched / nodes, abs=1e-9)
