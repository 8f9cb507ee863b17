"""`SegmentTree`: what it holds, units and times, equality, and printing back."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given

from structiou_metric import SegmentTree, TreeFormatError
from support.examples import examples
from support.oracle import read
from support.strategies import TreeCase, tree_cases

DEEP = 100_000

EXAMPLE = "(S (NP (DT the) (NN dog)) (VP (VBD barked)))"
TIMED = "(NP (PRP Your<2.56,2.72>) (NN turn<2.72,3.01>))"


def from_brackets(text, unit=None):
    return SegmentTree.from_brackets(text, unit)


# ------------------------------------------------------------------------------------ what it holds


def test_segment_tree_flat_arrays_in_postorder():
    tree = from_brackets(EXAMPLE)
    assert tree.labels == ("DT", "NN", "NP", "VBD", "VP", "S")
    assert list(tree.sizes) == [1, 1, 3, 1, 2, 6]
    assert list(tree.firsts) == [0, 1, 0, 2, 2, 0]
    assert list(tree.lasts) == [1, 2, 2, 3, 3, 3]
    assert tree.words == ("the", "dog", "barked")
    assert tree.times is None
    assert len(tree) == 6


@examples(200)
@given(tree_cases(9, timed=True))
def test_segment_tree_agrees_with_oracle(case: TreeCase):
    oracle = read(*case)
    tree = from_brackets(case.brackets).with_times(case.times)
    nodes = tree.nodes
    order = tree.preorder()
    assert [(nodes[i].label, nodes[i].start, nodes[i].end) for i in order] == [node[:3] for node in oracle]
    assert [nodes[i].preterminal for i in order] == [node.terminal for node in oracle]
    assert [node.number for node in nodes] == list(range(len(oracle)))
    depths = []
    for node in oracle:
        depths.append(1 if node.parent < 0 else depths[node.parent] + 1)
    assert [tree.depths()[i] for i in order] == depths
    assert tree.depth == max(depths)
    sizes = [1] * len(oracle)
    for i in range(len(oracle) - 1, 0, -1):
        sizes[oracle[i].parent] += sizes[i]
    assert [tree.sizes[i] for i in order] == sizes


@pytest.mark.parametrize(
    "text, length, depth",
    [
        pytest.param("", 0, 0, id="blank"),
        pytest.param("()", 1, 1, id="empty bracket"),
        pytest.param("(TOP )", 1, 1, id="failed parse"),
        pytest.param("(S (A ) (B ))", 3, 2, id="no words at all"),
    ],
)
def test_segment_tree_without_words(text, length, depth):
    tree = from_brackets(text)
    assert (len(tree), tree.depth, bool(tree)) == (length, depth, False)
    assert tree.words == ()
    assert [(node.start, node.end) for node in tree.nodes] == [(0.0, 0.0)] * length
    for unit in ("word", "char", "time"):
        assert tree.with_unit(unit).spans() == tree.spans()


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param("(S (X ) (A a) (B b))", (0.0, 0.0), id="before all words"),
        pytest.param("(S (A a) (X ) (B b))", (1.0, 1.0), id="between"),
        pytest.param("(S (A a) (B b) (X ))", (2.0, 2.0), id="behind all words"),
    ],
)
def test_segment_tree_node_without_words_stands_before_the_next_word(text, want):
    (node,) = (node for node in from_brackets(text).nodes if node.label == "X")
    assert (node.start, node.end) == want


# ------------------------------------------------------------------------------------ units and times


def test_with_unit_gives_other_spans():
    tree = from_brackets("(S (A ab<0.5,1>) (B c<1,2> (C defg<3,4>)))")
    assert tree.unit == "time"
    assert tree.spans() == [("S", 0.5, 4.0), ("A", 0.5, 1.0), ("B", 1.0, 4.0), ("C", 3.0, 4.0)]
    words = tree.with_unit("word")
    assert words.spans() == [("S", 0.0, 3.0), ("A", 0.0, 1.0), ("B", 1.0, 3.0), ("C", 2.0, 3.0)]
    characters = words.with_unit("char")
    assert characters.spans() == [("S", 0.0, 7.0), ("A", 0.0, 2.0), ("B", 2.0, 7.0), ("C", 3.0, 7.0)]
    assert characters.with_unit("time") == tree


def test_with_times_keeps_the_tree():
    tree = from_brackets("(NP (PRP Your) (NN turn))")
    timed = tree.with_times([(2.56, 2.72), [2.72, 3.01]])
    assert timed == from_brackets(TIMED)
    assert timed.unit == "time"
    assert timed.times == ((2.56, 2.72), (2.72, 3.01))
    assert tree.times is None
    assert timed.with_times([(0, 1), (1, 2)]).times == ((0.0, 1.0), (1.0, 2.0))


def test_with_times_takes_any_iterable_and_touching_or_empty_words():
    times = ((x, x) for x in (1, 1))
    assert from_brackets("(A a b)").with_times(times).times == ((1.0, 1.0), (1.0, 1.0))


@pytest.mark.parametrize(
    "times, message",
    [
        pytest.param([], "^0 word times for 2 words; give one pair per word$", id="none"),
        pytest.param([(0, 1)], "^1 word time for 2 words; give one pair per word$", id="too few"),
        pytest.param([(0, 1)] + [(1, 2)] * 2, r"starts before word 1 ends", id="repeated"),
        pytest.param([(0, 1), (1, 2), (2, 3)], "^3 word times for 2 words", id="too many"),
        pytest.param([(0, 1), (1,)], r"^word 1: the time \(1,\) is not a pair of numbers", id="one number"),
        pytest.param([(0, 1, 2), (2, 3)], r"^word 0: the time \(0, 1, 2\) is not a pair", id="three numbers"),
        pytest.param(
            [(0, 1), None], r"^word 1: the time None is not a pair of numbers \[start, end\]", id="None"
        ),
        pytest.param([(0, 1), 5], "^word 1: the time 5 is not a pair", id="a number"),
        pytest.param([(0, None), (1, 2)], r"^word 0: the time \(0, None\) is not a pair", id="None inside"),
        pytest.param([("x", 1), (1, 2)], r"^word 0: the time \('x', 1\) is not a pair", id="text"),
        pytest.param(
            [(0, float("nan")), (1, 2)],
            r"^word 0: the time \(0, nan\) is not finite; give seconds$",
            id="NaN",
        ),
        pytest.param(
            [(0, 1), (1, float("inf"))], r"^word 1: the time \(1, inf\) is not finite", id="infinite"
        ),
        pytest.param([(float("-inf"), 1), (1, 2)], r"^word 0: the time \(-inf, 1\) is not finite"),
        pytest.param([(0, 1), (3, 2)], r"^word 1: the time \(3, 2\) ends before it starts$", id="reversed"),
        pytest.param(
            [(0, 1), (0.5, 2)],
            r"^word 1: the time \(0.5, 2\) starts before word 0 ends at 1.0; "
            "words must be in order and must not overlap$",
            id="overlap",
        ),
        pytest.param([(5, 6), (0, 1)], r"^word 1: the time \(0, 1\) starts before word 0 ends at 6.0"),
        pytest.param(
            [(0, 1), (1, 10**400)],
            "^word 1: .* is not finite",
            id="too large for a float",
        ),
    ],
)
def test_with_times_errors(times, message):
    with pytest.raises(TreeFormatError, match=message):
        from_brackets("(S a b)").with_times(times)


def test_with_unit_time_needs_times():
    message = r"^this tree has no times; add them with SegmentTree.with_times\(word_times\)$"
    with pytest.raises(TreeFormatError, match=message):
        from_brackets("(A a)").with_unit("time")
    with pytest.raises(TreeFormatError, match=r"no times?;"):
        from_brackets("(A a)").word_positions("time")


@pytest.mark.parametrize("unit", ["seconds", "Word", ""])
def test_with_unit_offers_the_choices(unit):
    message = f"^unknown unit {unit!r}; choose from word, char, time$"
    with pytest.raises(ValueError, match=message):
        from_brackets("(A a)").with_unit(unit)
    if unit:
        with pytest.raises(ValueError, match=message):
            from_brackets("(A a)", unit)


# ------------------------------------------------------------------------- equality, hash and copies


def test_segment_tree_equality():
    tree = from_brackets("(S (A a) (B b))")
    assert tree == from_brackets("( S\n(A  a)(B b) )")
    assert hash(tree) == hash(from_brackets("(S(A a)(B b))"))
    assert len({tree, from_brackets("(S (A a) (B b))"), tree.with_unit("char")}) == 2


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(from_brackets("(S (A a) (C b))"), id="a label"),
        pytest.param(from_brackets("(S (A a) (B c))"), id="a word"),
        pytest.param(from_brackets("(S (A a (B b)))"), id="nesting"),
        pytest.param(from_brackets("(S (A a) (B b))", "char"), id="the unit"),
        pytest.param(from_brackets("(S (A a) (B b))").with_times([(0, 1), (1, 2)]), id="times"),
        pytest.param("(S (A a) (B b))", id="a text"),
        pytest.param(None, id="None"),
    ],
)
def test_segment_tree_inequality(other):
    assert from_brackets("(S (A a) (B b))") != other


def test_segment_tree_where_words_hang_matters():
    assert from_brackets("(S (A a) b)") != from_brackets("(S (A a b))")
    assert from_brackets("(S (A ) a)") != from_brackets("(S (A a))")


@pytest.mark.parametrize("text", ["", "()", EXAMPLE, TIMED, "(S a (X ) \ud800)"])
@pytest.mark.parametrize(
    "duplicate",
    [
        pytest.param(copy.copy, id="copy"),
        pytest.param(copy.deepcopy, id="deepcopy"),
        *(
            pytest.param(lambda tree, n=n: pickle.loads(pickle.dumps(tree, n)), id=f"pickle {n}")
            for n in range(2, pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
)
def test_segment_tree_copies_are_equal(text, duplicate):
    tree = from_brackets(text)
    other = duplicate(tree)
    assert other == tree
    assert hash(other) == hash(tree)
    assert other.spans() == tree.spans()


def test_tree_format_error_can_be_pickled():
    with pytest.raises(TreeFormatError) as caught:
        SegmentTree.from_brackets("(A a))", source="x")
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    assert (error.source, error.line, error.column) == ("x", 1, 6)


# ------------------------------------------------------------------------------------ printing back


@pytest.mark.parametrize(
    "text, want",
    [
        pytest.param("( S\n (A a)\t(B  b c) )", "(S (A a) (B b c))", id="on one line"),
        pytest.param("( (S a))", "( (S a))", id="empty outer bracket"),
        pytest.param("(S a (B b) c (D ) d (E ))", "(S a (B b) c (D) d (E))", id="words beside brackets"),
        pytest.param("(S (A (B )) a)", "(S (A (B)) a)", id="nodes without words"),
        pytest.param("()", "()", id="empty"),
        pytest.param("", "()", id="blank"),
        pytest.param("(A a<0.50,1e0>)", "(A a<0.5,1.0>)", id="times"),
        pytest.param("(A <2.51,2.70>)", "(A <2.51,2.7>)", id="times without text"),
        pytest.param("(A a<1e-07,1e+22>)", "(A a<1e-07,1e+22>)", id="exponents"),
    ],
)
def test_to_brackets(text, want):
    assert from_brackets(text).to_brackets() == want
    assert str(from_brackets(text)) == want


def test_to_brackets_with_and_without_times():
    tree = from_brackets(TIMED)
    assert tree.to_brackets(times=False) == "(NP (PRP Your) (NN turn))"
    assert tree.with_unit("word").to_brackets() == TIMED
    assert tree.with_unit("char").to_brackets(times=True) == TIMED
    with pytest.raises(TreeFormatError, match=r"^this tree has no times"):
        from_brackets("(A a)").to_brackets(times=True)


def test_to_brackets_escapes_brackets():
    tree = SegmentTree.from_dict({"label": "A(", "children": ["(", "a)b"]})
    assert tree.to_brackets() == "(A-LRB- -LRB- a-RRB-b)"


def test_to_brackets_refuses_words_without_text():
    tree = from_brackets("(S (A <0,1>))")
    with pytest.raises(TreeFormatError, match=r"^word 0 has no text; write the tree with times instead$"):
        tree.to_brackets(times=False)


@pytest.mark.parametrize("word", ["a b", " ", "a\tb", "\n"])
def test_to_brackets_refuses_white_space_in_words(word):
    message = "^brackets cannot hold the white space in .*; replace it, for example by '_'$"
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_dict({"label": "A", "children": [word]}).to_brackets()
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_dict({"label": word, "children": ["a"]}).to_brackets()


@pytest.mark.parametrize("text", [" a", "a ", "\na"])
def test_to_brackets_refuses_white_space_at_the_ends(text):
    with pytest.raises(TreeFormatError, match="white space"):
        SegmentTree.from_dict({"label": "A", "children": [text]}).to_brackets()


def test_to_brackets_refuses_a_word_behind_an_empty_label():
    with pytest.raises(TreeFormatError, match="label"):
        SegmentTree.from_dict({"label": "", "children": ["a", "b"]}).to_brackets()


def test_to_brackets_refuses_plain_words_that_would_read_as_timed():
    tree = SegmentTree.from_dict({"label": "A", "children": ["a<0,1>"]})
    with pytest.raises(TreeFormatError, match="time"):
        tree.to_brackets()


def test_repr_shows_small_trees():
    assert repr(from_brackets("(S (A a))")) == "<SegmentTree (S (A a)) unit=word>"
    flat = from_brackets("(S " + "(A a) " * 60 + ")")
    assert repr(flat) == "<SegmentTree 61 nodes, 60 words unit=word>"


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(from_brackets("(A <0,1>)").with_unit("word"), id="times without text"),
        pytest.param(SegmentTree.from_spans([("S", 0, 2)]), id="words without text"),
        pytest.param(SegmentTree.from_dict({"label": "A", "children": ["a b"]}), id="space"),
    ],
)
def test_repr_never_raises(tree):
    assert repr(tree).startswith("<SegmentTree ")


# --------------------------------------------------------------------------------------- deep trees


def test_segment_tree_deep_chain():
    text = "(A " * DEEP + "w" + ")" * DEEP
    tree = from_brackets(text)
    assert (len(tree), tree.depth) == (DEEP, DEEP)
    assert tree.spans() == [("A", 0.0, 1.0)] * DEEP
    assert tree.to_brackets() == text
    assert tree.with_times([(0.5, 2)]).nodes[0][1:4] == ("A", 0.5, 2.0)
    assert pickle.loads(pickle.dumps(tree)) == tree == copy.deepcopy(tree)
    assert "100,000 nodes" in repr(tree)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(A w " * DEEP + ")" * DEEP, id="right"),
        pytest.param("(A " * DEEP + "w) " * DEEP, id="left"),
    ],
)
def test_segment_tree_deep_comb(text):
    tree = from_brackets(text)
    assert (len(tree), tree.depth, len(tree.words)) == (DEEP, DEEP, DEEP)
    starts = [start for _, start, _ in tree.spans()]
    assert starts == ([0.0] * DEEP if text.startswith("(A (") else list(range(DEEP)))
    assert from_brackets(tree.to_brackets()) == tree
