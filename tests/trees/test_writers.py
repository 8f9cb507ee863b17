"""Trees into other shapes and back: nothing gets lost, or the shape is refused."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, TreeFormatError
from structiou_metric.trees.shapes import as_tree
from support.examples import examples
from support.strategies import TreeCase, tree_cases

DEEP = 100_000


def tree_of(case: TreeCase) -> SegmentTree:
    tree = SegmentTree.from_brackets(case.brackets)
    return tree if case.times is None else tree.with_times(case.times)


@st.composite
def odd_trees(draw, timed=False):
    """Trees with words beside nodes, several words in a node, nodes without words and empty labels."""
    nodes = [[] for _ in range(draw(st.integers(1, 8)))]
    for i in range(1, len(nodes)):
        nodes[draw(st.integers(0, i - 1))].append(i)
    for i in range(draw(st.integers(0, 6))):
        children = nodes[draw(st.integers(0, len(nodes) - 1))]
        children.insert(draw(st.integers(0, len(children))), f"w{i}")
    labels = [draw(st.sampled_from(["A", "B", "", "א"])) for _ in nodes]
    clock = 0.0

    def write(node):
        nonlocal clock
        children = []
        for child in nodes[node]:
            if isinstance(child, int):
                children.append(write(child))
                continue
            word = {"word": draw(st.sampled_from([child, "", "a b", "(", "שלום"]))}
            if timed:
                word["start"] = clock + draw(st.sampled_from([0.0, 0.1]))
                word["end"] = clock = word["start"] + draw(st.sampled_from([0.0, 0.3, 1.0]))
            children.append(word)
        return {"label": labels[node], "children": children}

    return SegmentTree.from_dict(write(0))


any_tree = st.one_of(
    tree_cases(8).map(tree_of), tree_cases(8, timed=True).map(tree_of), odd_trees(), odd_trees(timed=True)
)


# -------------------------------------------------------------------------------------- there and back


@examples(300)
@given(any_tree)
def test_to_dict_and_back(tree):
    assert SegmentTree.from_dict(tree.to_dict()) == tree
    assert as_tree(json.dumps(tree.to_dict())) == tree


@examples(300)
@given(any_tree, st.randoms(use_true_random=False))
def test_to_columns_and_back(tree, rng):
    columns = tree.to_columns()
    assert SegmentTree.from_columns(**columns) == tree
    assert as_tree(columns) == tree
    # Other orders are read, too, as long as items at the same place keep theirs.
    order = list(range(len(columns["labels"])))
    rng.shuffle(order)
    if len({(s, e) for s, e in zip(columns["starts"], columns["ends"], strict=True)}) == len(order):
        place = {-1: -1} | {old: new for new, old in enumerate(order)}
        mixed = {name: [values[i] for i in order] for name, values in columns.items()}
        mixed["parents"] = [place[parent] for parent in mixed["parents"]]
        assert as_tree(mixed) == tree


@examples(300)
@given(any_tree)
def test_to_spans_and_back_or_refused(tree):
    columns = tree.to_columns()
    try:
        spans = tree.to_spans()
    except TreeFormatError:
        assert any(start == end for start, end in zip(columns["starts"], columns["ends"], strict=True))
    else:
        assert SegmentTree.from_spans(spans) == tree
        assert as_tree(spans) == tree


@examples(100)
@given(tree_cases(8, timed=True) | tree_cases(8))
def test_to_spans_never_refuses_words_with_length(case: TreeCase):
    tree = tree_of(case)
    spans = tree.to_spans()
    assert SegmentTree.from_spans(spans) == tree
    by_name = {name: [span[name] for span in spans] for name in ("label", "start", "end", "word")}
    assert as_tree(by_name) == tree


@examples(100)
@given(tree_cases(8, timed=True))
def test_brackets_and_times_and_back(case: TreeCase):
    tree = tree_of(case)
    assert as_tree((tree.to_brackets(times=False), tree.times)) == tree
    assert as_tree(tree.to_brackets()) == tree


@examples(100)
@given(tree_cases(8).map(tree_of) | odd_trees())
def test_to_nltk_and_back(tree):
    pytest.importorskip("nltk")
    assert SegmentTree.from_nltk(tree.to_nltk()) == tree


@examples(50)
@given(st.lists(st.floats(-8.9e307, 8.9e307), min_size=2, max_size=2).map(sorted))
def test_times_keep_all_their_digits(times):
    tree = SegmentTree.from_brackets("(A a)").with_times([times])
    for there_and_back in (
        as_tree(tree.to_brackets()),
        as_tree(json.dumps(tree.to_dict())),
        as_tree(tree.to_columns()),
        as_tree(tree.to_spans()),
    ):
        assert there_and_back == tree


# ------------------------------------------------------------------------------------- what is written


@pytest.mark.parametrize(
    "brackets, want",
    [
        pytest.param("(A a)", {"label": "A", "word": "a"}, id="word"),
        pytest.param(
            "(A a<0,1.5>)", {"label": "A", "word": "a", "start": 0.0, "end": 1.5}, id="word with times"
        ),
        pytest.param(
            "(A a b)", {"label": "A", "children": [{"word": "a"}, {"word": "b"}]}, id="several words"
        ),
        pytest.param(
            "(S a (B b))",
            {"label": "S", "children": [{"word": "a"}, {"label": "B", "word": "b"}]},
            id="word beside a node",
        ),
        pytest.param("(A )", {"label": "A", "children": []}, id="no words"),
        pytest.param("()", {"label": "", "children": []}, id="failed parse"),
        pytest.param("", {"label": "", "children": []}, id="no nodes at all"),
    ],
)
def test_to_dict(brackets, want):
    assert SegmentTree.from_brackets(brackets).to_dict() == want


def test_to_columns():
    columns = SegmentTree.from_brackets("(S a (B b) (C c d))").to_columns()
    assert columns == {
        "labels": ["S", None, "B", "C", None, None],
        "starts": [0, 0, 1, 2, 2, 3],
        "ends": [4, 1, 2, 4, 3, 4],
        "parents": [-1, 0, 0, 0, 3, 3],
        "words": [None, "a", "b", None, "c", "d"],
    }
    assert all(type(number) is int for number in columns["starts"] + columns["ends"])


def test_to_columns_puts_nodes_without_words_inside_their_parent():
    tree = SegmentTree.from_brackets("(S (X (A a<0,1>) (E )) (F (G )) (B b<2,3>) (H ))")
    columns = tree.to_columns()
    places = dict(zip(columns["labels"], zip(columns["starts"], columns["ends"], strict=True), strict=True))
    assert places["E"] == (1.0, 1.0)  # the end of X, not the start of b
    assert places["F"] == places["G"] == (2.0, 2.0)  # before b
    assert places["H"] == (3.0, 3.0)
    assert as_tree(columns) == tree


def test_to_spans():
    tree = SegmentTree.from_brackets("(S (A a<0.5,1>) b<1,3>)")
    assert tree.to_spans() == [
        {"label": "S", "start": 0.5, "end": 3.0, "word": None},
        {"label": "A", "start": 0.5, "end": 1.0, "word": "a"},
        {"label": None, "start": 1.0, "end": 3.0, "word": "b"},
    ]
    assert [(span["start"], span["end"]) for span in tree.to_spans("word")] == [(0, 2), (0, 1), (1, 2)]
    assert SegmentTree.from_spans(tree.to_spans("word")) == SegmentTree.from_brackets("(S (A a) b)")


@pytest.mark.parametrize("brackets", ["", "()", "(TOP )", "(S (A ))"])
@pytest.mark.parametrize("unit", ["word", "time"])
def test_failed_parses_stay_without_words(brackets, unit):
    tree = SegmentTree.from_brackets(brackets, unit)
    assert as_tree(tree.to_columns(), unit) == tree
    assert as_tree(tree.to_spans(), unit) == tree
    assert not as_tree(tree.to_dict(), unit).words


def test_to_columns_unit():
    tree = SegmentTree.from_brackets("(S (A ab<0.5,1>))")
    assert tree.to_columns()["starts"] == tree.with_unit("char").to_columns()["starts"] == [0.5, 0.5]
    assert tree.to_columns("word")["starts"] == [0, 0]
    with pytest.raises(ValueError, match=r"^spans and columns count words or seconds; choose unit='word'"):
        tree.to_columns("char")
    with pytest.raises(ValueError, match=r"^unknown unit 'second'; choose from word, char, time"):
        tree.to_spans("second")
    with pytest.raises(TreeFormatError, match=r"^this tree has no times"):
        SegmentTree.from_brackets("(A a)").to_columns("time")


def test_to_nltk():
    nltk = pytest.importorskip("nltk")
    text = "(S a (B b c) (D ))"
    assert SegmentTree.from_brackets(text).to_nltk() == nltk.Tree.fromstring(text)
    assert SegmentTree.from_brackets("").to_nltk() == nltk.Tree("", [])
    timed = SegmentTree.from_brackets("(A a<0,1>)")
    with pytest.raises(TreeFormatError, match=r"^an nltk.Tree has no place for times; drop them with"):
        timed.to_nltk()
    assert timed.to_nltk(drop_times=True) == nltk.Tree("A", ["a"])


def test_to_nltk_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(ImportError, match=r"^to_nltk needs nltk: pip install 'structiou-metric\[nltk\]'$"):
        SegmentTree.from_brackets("(A a)").to_nltk()


@pytest.mark.parametrize(
    "brackets, span",
    [
        pytest.param("(S (A ) (B b))", "'A' from 0 to 0", id="node without words"),
        pytest.param("(S (A a<0,0>) (B b<0,1>))", "'a' from 0.0 to 0.0", id="word without length"),
    ],
)
def test_to_spans_refuses_what_nesting_cannot_tell(brackets, span):
    message = f"^spans without length, such as {span}, do not tell their place .*; write flat columns or br"
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_brackets(brackets).to_spans()


# ------------------------------------------------------------------------- spans that name their words


@pytest.mark.parametrize(
    "spans, want",
    [
        pytest.param(
            [("A", 0, 1, "a"), ("S", 0, 1, None)], "(S (A a))", id="the one with the word is the inner"
        ),
        pytest.param([(None, 1, 2, "b"), ("S", 0, 2, None), ("A", 0, 1, "a")], "(S (A a) b)", id="any order"),
        pytest.param([("A", 0.5, 1, "a")], "(A a<0.5,1>)", id="seconds"),
        pytest.param([("A", 0.5, 1, "")], "(A <0.5,1>)", id="word without text"),
        pytest.param([("S", 0, 2, None), ("A", 0, 1, None)], "(S (A x) x)", id="all null: words are implied"),
    ],
)
def test_from_spans_with_words(spans, want):
    rows = [dict(zip(("label", "start", "end", "word"), span, strict=True)) for span in spans]
    tree, wanted = SegmentTree.from_spans(rows), SegmentTree.from_brackets(want)
    if "x" in want:
        assert tree.words == ("",) * len(wanted.words)
        assert (tree.labels, tree.firsts, tree.lasts) == (wanted.labels, wanted.firsts, wanted.lasts)
    else:
        assert tree == wanted


@pytest.mark.parametrize(
    "spans, message",
    [
        pytest.param([(None, 0, 1, None)], "^span 0 has neither a label nor a word: ", id="nothing"),
        pytest.param(
            [(None, 0, 1, "a")], "^the word 'a' 0–1 stands outside of any node$", id="word without node"
        ),
        pytest.param(
            [("S", 0, 2, None), ("A", 0, 1, "a"), ("B", 1, 2, None)],
            "^'B' 1–2 has no word; write '' where its text is not known$",
            id="leaf without word",
        ),
        pytest.param(
            [("S", 0, 2, None), ("A", 0, 1, "a")],
            "^'S' 0–2 does not span its words, which go from 0 to 1$",
            id="more than its words",
        ),
        pytest.param(
            [("S", 1, 2, None), ("A", 1, 2, "a")],
            "^the word 'a' stands at 1–2, but 0 words stand before it; it is at 0–1$",
            id="first word missing",
        ),
        pytest.param(
            [("A", 0.0, 2.0, "a"), ("B", 0.0, 1.0, None)],
            "^'B' 0.0–1.0 stands below 'A' 0.0–2.0, which holds a word and nothing else$",
            id="below",
        ),
        pytest.param(
            [("S", 0.0, 2.0, None), (None, 0.0, 2.0, "a"), ("B", 0.0, 1.5, "b")],
            "^'B' 0.0–1.5 stands below 'a' 0.0–2.0, which holds a word",
            id="below a word without label",
        ),
    ],
)
def test_from_spans_with_words_errors(spans, message):
    rows = [dict(zip(("label", "start", "end", "word"), span, strict=True)) for span in spans]
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_spans(rows)


@pytest.mark.parametrize("unit", ["word", "char", "time"])
@pytest.mark.parametrize("shape", ["to_columns", "to_spans", "to_dict", "to_brackets"])
def test_every_shape_with_words_serves_every_unit(shape, unit):
    tree = SegmentTree.from_brackets("(S (A ab<0.5,1>) c<1,3>)")
    assert as_tree(getattr(tree, shape)(), unit) == tree.with_unit(unit)


def test_from_spans_words_given_twice():
    spans = [{"label": "A", "start": 0, "end": 1, "word": "a"}]
    with pytest.raises(TreeFormatError, match=r"^the words are given twice, in the spans and beside them"):
        SegmentTree.from_spans(spans, words=["a"])
    assert SegmentTree.from_spans([{**spans[0], "word": None}], words=["a"]).words == ("a",)


@pytest.mark.parametrize(
    "columns, message",
    [
        pytest.param({"words": []}, "^column 'words' has 0 items and 'labels' has 1$", id="length"),
        pytest.param(
            {"labels": [None], "words": [None]}, "^node 0 has neither a label nor a word$", id="none"
        ),
        pytest.param({"labels": [None]}, "^the word 'a' 0–1 stands outside of any node$", id="word as root"),
    ],
)
def test_from_columns_with_words_errors(columns, message):
    whole = {"labels": ["A"], "starts": [0], "ends": [1], "parents": [-1], "words": ["a"]}
    assert SegmentTree.from_columns(**whole) == SegmentTree.from_brackets("(A a)")
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_columns(**{**whole, **columns})


def test_from_columns_siblings_with_words_must_not_overlap():
    columns = (["S", "A", "B"], [0.0, 0.0, 1.0], [3.0, 2.0, 3.0], [-1, 0, 0])
    with pytest.raises(TreeFormatError, match=r"^word 1: the time .* starts before word 0 ends at 2.0"):
        SegmentTree.from_columns(*columns, words=[None, "a", "b"])


# ------------------------------------------------------------------------------------------ deep trees


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(A " * DEEP + "w" + ")" * DEEP, id="chain"),
        pytest.param("(A w " * DEEP + ")" * DEEP, id="right"),
        pytest.param("(A " * DEEP + "w) " * DEEP, id="left"),
    ],
)
def test_writers_deep(text):
    tree = SegmentTree.from_brackets(text)
    assert SegmentTree.from_dict(tree.to_dict()) == tree
    assert SegmentTree.from_columns(**tree.to_columns()) == tree
    assert SegmentTree.from_spans(tree.to_spans()) == tree


def test_to_nltk_deep():
    pytest.importorskip("nltk")
    tree = SegmentTree.from_brackets("(A " * DEEP + "w" + ")" * DEEP)
    assert SegmentTree.from_nltk(tree.to_nltk()) == tree
