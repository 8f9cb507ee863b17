"""Setting and reading single trees of a Doc, which must agree with setting all trees at once."""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("spacy")

from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_structiou import (
    doc_from_trees,
    get_tree,
    get_trees,
    get_words,
    set_tree,
    set_trees,
)
from structiou_metric import SegmentTree, StructIoU, TreeFormatError, TreeMismatchError, struct_iou
from support.random_trees import SHAPES, random_tree, timed

_KEY = "constituents"
_SENTENCE = ["w0", "w1", "w2", "\n", "w3"]


def _doc(n_sentences: int) -> Doc:
    starts = [i == 0 for i in range(len(_SENTENCE))]
    return Doc(Vocab(), words=_SENTENCE * n_sentences, sent_starts=starts * n_sentences)


def _random(rng: Random) -> SegmentTree:
    """Return a tree over the words of a sentence, perhaps with times, or an empty tree."""
    text = random_tree(rng, 4, 3, rng.choice(SHAPES))
    if rng.random() < 0.3:
        text = timed(rng, text, 0.5)
    elif rng.random() < 0.3:
        text = f"(Z {text})"
    return SegmentTree.from_brackets(rng.choice([text, text, text, ""]))


def _facts(doc: Doc) -> tuple[list[tuple[int, int, str]], dict[str, object]]:
    group = doc.spans[_KEY]
    facts = [(span.start, span.end, span.label_) for span in group]
    return sorted(facts, key=lambda fact: (fact[0], -fact[1])), dict(group.attrs)


@given(st.randoms(use_true_random=False))
def test_trees_set_one_by_one_are_as_set_at_once(rng):
    doc, n_sentences = _doc(4), 4
    sents = list(doc.sents)
    now: dict[int, SegmentTree] = {}
    for _ in range(rng.randint(1, 8)):
        which = rng.randrange(n_sentences)
        now[which] = _random(rng)
        set_tree(sents[which], now[which])
        wanted = [now[i] for i in sorted(now)]
        assert get_trees(doc) == wanted
        other = doc.copy()  # which has never been read
        assert get_trees(other) == wanted
        for sent, same in zip(sents, other.sents, strict=True):
            found = get_trees(sent)
            assert found == get_trees(same)
            assert found == [now[i] for i, one in enumerate(sents) if i in now and one.start == sent.start]
    if len(now) == n_sentences:
        at_once = _doc(n_sentences)
        set_trees(at_once, wanted)
        assert _facts(doc) == _facts(at_once)


def test_a_tree_that_cannot_be_stored_changes_nothing():
    doc = doc_from_trees(Vocab(), ["(S (A a))", "(T (B b))"])
    before = _facts(doc)
    for part, tree in ((doc, "(\ud800 a b)"), (doc[1:], "(S (\ud800 b))")):
        with pytest.raises(TreeFormatError, match="half a surrogate pair"):
            set_tree(part, tree)
        assert _facts(doc) == before


# ---- both of Doc and Span


def test_tree_of_a_doc():
    doc = doc_from_trees(Vocab(), ["(S (NP (NN dogs)) (VP (VBP bark)))"])
    assert [get_tree(doc)] == get_trees(doc) == get_trees(doc[:]) == doc[:]._.trees
    assert doc._.tree == get_tree(doc[:])
    set_tree(doc, "()")
    assert str(get_tree(doc)) == "()"
    assert get_tree(Doc(Vocab(), words=["a"])) is None
    two = doc_from_trees(Vocab(), ["(A a)", "(B b)"])
    with pytest.raises(TreeMismatchError, match=r"'a b' has 2 trees; take them by get_trees"):
        get_tree(two)


def test_trees_of_a_span():
    doc = doc_from_trees(Vocab(), ["(A a b)", "(C c)", "(D d e)"])
    assert [str(tree) for tree in get_trees(doc[0:3])] == ["(A a b)", "(C c)"]
    with pytest.raises(
        TreeMismatchError, match=r"a tree has tokens 3–5 .* only tokens 2–4; take the trees of whole"
    ):
        get_trees(doc[2:4])
    set_trees(doc[2:], ["(X c d)", "(Y e)"])
    assert [str(tree) for tree in get_trees(doc)] == ["(A a b)", "(X c d)", "(Y e)"]
    with pytest.raises(TreeMismatchError, match=r"2 trees with 2 words for 'c d e' with 3 tokens"):
        set_trees(doc[2:], ["(X c)", "(Y e)"])


@pytest.mark.parametrize("one", ["(A a)", SegmentTree.from_brackets("(A a)"), {"label": "A", "words": ["a"]}])
def test_one_tree_is_no_list_of_trees(one):
    with pytest.raises(TypeError, match=r"set_trees takes a list of trees and got one .*write \[tree\]"):
        set_trees(Doc(Vocab(), words=["a"]), one)


def test_one_tree_of_nltk_is_no_list_of_trees():
    nltk = pytest.importorskip("nltk")
    with pytest.raises(TypeError, match=r"set_trees takes a list of trees and got one Tree"):
        Doc(Vocab(), words=["a"])._.trees = nltk.Tree.fromstring("(A (B a))")


def test_tree_has_the_label_of_its_span():
    doc = doc_from_trees(Vocab(), ["(TOP (S (VP (VP (VB go)))))"])
    found = [str(span._.tree) for span in doc.spans[_KEY]]
    assert found == [
        "(TOP (S (VP (VP (VB go)))))",
        "(S (VP (VP (VB go))))",
        "(VP (VP (VB go)))",
        "(VP (VP (VB go)))",  # the two spans have the same label and words
        "(VB go)",
    ]
    assert str(Span(doc, 0, 1, "PERSON")._.tree) == str(doc[0:1]._.tree) == found[0]


def test_words_of_a_span():
    doc = _doc(2)
    assert get_words(doc) == ["w0", "w1", "w2", "w3"] * 2
    assert get_words(doc[2:6]) == ["w2", "w3", "w0"]


# ---- spaCy's objects for trees


def test_struct_iou_of_spans_and_docs():
    """Score a pair of trees with three nodes each, two of which are the same."""
    predicted, gold = (
        doc_from_trees(Vocab(), ["(S (A a) (B b))", second])
        for second in ("(S (A c) (B d))", "(S (A c) (C d))")
    )
    sides = [[doc[i : i + 2] for i in (0, 2)] for doc in (predicted, gold)]
    assert [struct_iou(*pair) for pair in zip(*sides, strict=True)] == [1.0, pytest.approx(2 / 3)]
    assert StructIoU().corpus_score(*sides).sentence == pytest.approx(5 / 6)
    one = doc_from_trees(Vocab(), ["(S (A a) (B b))"])
    assert struct_iou(one, gold[:2]) == struct_iou("(S (A a) (B b))", one) == 1.0
    with pytest.raises(TreeFormatError, match="this Span has no constituent"):
        struct_iou(one, gold[1:3])
