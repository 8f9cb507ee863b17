"""Words removed with what they empty, cut in two, and subtrees: by hand, and laws on random trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree
from structiou_metric.trees.labels import DEFAULT_DROP, dropped_leaves
from structiou_metric.trees.surgery import cut_words, dropped_words, subtree, without_words
from support.examples import examples
from support.strategies import tree_cases


def tree_of(text, unit=None):
    return SegmentTree.from_brackets(text, unit)


# -------------------------------------------------------------------------------------------- drop


@pytest.mark.parametrize(
    "drop, want",
    [
        pytest.param(DEFAULT_DROP, {"-NONE-"}, id="default"),
        pytest.param((), set(), id="nothing"),
        pytest.param(("TOP", ""), set(), id="roots only"),
        pytest.param(["X", "ROOT", "-NONE-", "X"], {"X", "-NONE-"}, id="more"),
        pytest.param(iter(["CODE", "S1"]), {"CODE"}, id="an iterator"),
    ],
)
def test_dropped_leaves_are_those_of_no_root_label(drop, want):
    assert dropped_leaves(drop) == want


@pytest.mark.parametrize(
    "text, drop, want",
    [
        pytest.param("(S (NP (-NONE- *)) (VP (VB go)))", DEFAULT_DROP, {0}, id="a trace"),
        pytest.param("(S (-NONE- * 0) (VB go) (-NONE- *))", DEFAULT_DROP, {0, 1, 3}, id="several words"),
        pytest.param("(S (-NONE- (X *)) (VB go))", DEFAULT_DROP, set(), id="no leaf"),
        pytest.param("(S (NP (TOP a)) (ROOT b))", DEFAULT_DROP, set(), id="roots' labels on leaves"),
        pytest.param("(-NONE- *)", DEFAULT_DROP, {0}, id="the root is a leaf"),
        pytest.param("(S (-NONE- ) (VB go))", DEFAULT_DROP, set(), id="a leaf without words"),
        pytest.param("(S (-NONE- *) (CODE x) (VB go))", ("CODE",), {1}, id="another label"),
        pytest.param("(S (-NONE- *))", (), set(), id="nothing to drop"),
        pytest.param("()", DEFAULT_DROP, set(), id="empty"),
    ],
)
def test_dropped_words_by_hand(text, drop, want):
    assert dropped_words(tree_of(text), drop) == want


# ------------------------------------------------------------------------------------------ removal


@pytest.mark.parametrize(
    "text, words, want",
    [
        pytest.param("(S (NP (D a) (N b)) (V c))", {0}, "(S (NP (N b)) (V c))", id="a preterminal goes"),
        pytest.param("(S (NP (D a) (N b)) (V c))", {0, 1}, "(S (V c))", id="a phrase goes"),
        pytest.param("(S (NP (D a) (N b)) (V c))", {2}, "(S (NP (D a) (N b)))", id="the last word"),
        pytest.param("(S (A a b c) d (B e))", {1, 3}, "(S (A a c) (B e))", id="one of several, one beside"),
        pytest.param("(S (A (B (C a))) (D b))", {0}, "(S (D b))", id="a chain goes"),
        pytest.param("(S (A ) (B b) (C (D )) (E e))", {1}, "(S (A ) (B b) (C (D )))", id="without words"),
        pytest.param("(S (A ) (B (C ) (D b)) (E e))", {0}, "(S (A ) (C ) (E e))", id="below one that goes"),
        pytest.param("(S (A a) (B b))", {0, 1}, "", id="all"),
        pytest.param("(S (A ))", set(), "", id="no word left as there was none"),
        pytest.param("(S (A a<0,1>) (B b<2,3>))", {0}, "(S (B b<2,3>))", id="times stay"),
    ],
)
def test_without_words_by_hand(text, words, want):
    assert without_words(tree_of(text), words) == tree_of(want)


def test_without_words_keeps_unit():
    assert without_words(tree_of("(S (A a) (B bb))", "char"), {0}) == tree_of("(S (B bb))", "char")
    timed = tree_of("(S (A a<0,1>) (B b<2,3>))")
    assert without_words(timed.with_unit("word"), {1}) == tree_of("(S (A a<0,1>))", "word")
    assert without_words(timed, {0, 1}).unit == "time"


def test_without_words_returns_the_tree_itself_if_nothing_goes():
    tree = tree_of("(S (A a) (B b))")
    assert without_words(tree, {2, -1}) is tree


@examples(150)
@given(tree_cases(7), st.data())
def test_without_words_keeps_what_has_words_left(case, data):
    tree = tree_of(case.brackets)
    gone = data.draw(st.sets(st.integers(0, len(tree.words) - 1)))
    found = without_words(tree, gone)
    kept = [word for word in range(len(tree.words)) if word not in gone]
    assert found.words == tuple(tree.words[word] for word in kept)
    want = []
    for node in tree.nodes:
        own = [kept.index(word) for word in range(node.first, node.last) if word in kept]
        if own:
            want.append((node.label, own[0], own[-1] + 1))
    assert [(node.label, node.first, node.last) for node in found.nodes] == want
    assert tree_of(str(found) if found else "") == found  # the sizes are those of the text


# --------------------------------------------------------------------------------------------- cuts


@pytest.mark.parametrize(
    "text, halves, label, want",
    [
        pytest.param("(S (A ab) (B c))", {0: ("a", "b")}, None, "(S (A a) (A b) (B c))", id="a preterminal"),
        pytest.param("(S (A ab) (B c))", {0: ("a", "b")}, "X", "(S (A a) (X b) (B c))", id="another label"),
        pytest.param("(A ab)", {0: ("a", "b")}, "X", "(A a b)", id="the root holds both"),
        pytest.param("(S (A x ab))", {1: ("a", "b")}, "X", "(S (A x a b))", id="one of several words"),
        pytest.param("(S ab (A x))", {0: ("a", "b")}, "X", "(S a b (A x))", id="a word beside nodes"),
        pytest.param(
            "(S (P (A ab)) (Q (R (B cd)) (C e)))",
            {0: ("a", "b"), 1: ("c", "d")},
            None,
            "(S (P (A a) (A b)) (Q (R (B c) (B d)) (C e)))",
            id="sizes above",
        ),
        pytest.param(
            "(S (A ab<0,1>) (B c<1,2>))", {0: ("a", "b")}, None, "(S (A a) (A b) (B c))", id="timed"
        ),
    ],
)
def test_cut_words_by_hand(text, halves, label, want):
    assert cut_words(tree_of(text), halves, label=label) == tree_of(want)


def test_cut_words_with_an_empty_label():
    found = cut_words(tree_of("(S (A ab) (B c))"), {0: ("a", "b")}, label="")
    assert found.labels == ("A", "", "B", "S")
    assert list(found.sizes) == [1, 1, 1, 4]


def test_cut_words_at_points():
    tree = tree_of("(S (A ab<0,1>) c<2,4> (B d<4,5>))")
    found = cut_words(tree, {0: ("a", "b"), 1: ("", "c")}, points={0: 0.25, 1: 3.0}, label="X")
    assert found == tree_of("(S (A a<0,0.25>) (X b<0.25,1>) <2,3> c<3,4> (B d<4,5>))")
    assert cut_words(tree.with_unit("word"), {}, points={}) == tree


# ----------------------------------------------------------------------------------------- subtrees


def test_subtree_by_hand():
    tree = tree_of("(S (NP (DT a<0,1>) (NN b<1,2>)) (VP (VB c<3,4>) (RB d<4,5>)))")
    assert subtree(tree, 5) == tree_of("(VP (VB c<3,4>) (RB d<4,5>))")
    assert subtree(tree, 1) == tree_of("(NN b<1,2>)")
    assert subtree(tree, len(tree) - 1) == tree


def postorder(nested):
    for child in nested.get("children", ()):
        if "label" in child:
            yield from postorder(child)
    yield nested


@examples(60)
@given(tree_cases(7, timed=True))
def test_subtree_agrees_with_nested_dicts(case):
    tree = tree_of(case.brackets).with_times(case.times)
    nested = list(postorder(tree.to_dict()))
    assert [subtree(tree, node).to_dict() for node in range(len(tree))] == nested
