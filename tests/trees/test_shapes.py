"""Trees in other shapes: nltk trees, nested dicts, spans, flat columns, brackets with times, JSON."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, StructIoU, TreeFormatError, struct_iou
from structiou_metric.trees.shapes import as_tree
from support.examples import examples
from support.oracle import read
from support.process import run_python
from support.random_trees import write_times
from support.strategies import TreeCase, tree_cases

DEEP = 100_000
NAN, INF = float("nan"), float("inf")

_TOKEN = re.compile(r"\(\s*([^\s()]*)|(\))|([^\s()]+)")


def nested(brackets, make_node, make_leaf=str):
    """Builds a tree from the inside out: `make_node(label, children)`, `make_leaf(word)`."""
    path = [("", [])]
    for label, close, word in _TOKEN.findall(brackets):
        if close:
            done = path.pop()
            path[-1][1].append(make_node(*done))
        elif word:
            path[-1][1].append(make_leaf(word))
        else:
            path.append((label, []))
    return path[0][1][0]


def as_nested_dict(case):
    """The nested dict of a case, with times on its leaves if it has any."""
    clock = iter(case.times or ())

    def leaf(word):
        times = next(clock, None)
        return {"word": word} if times is None else {"word": word, "start": times[0], "end": times[1]}

    return nested(case.brackets, lambda label, children: {"label": label, "children": children}, leaf)


def as_columns(case, order=None):
    """The flat columns of a case, nodes in a given order."""
    nodes = read(*case)
    order = list(range(len(nodes))) if order is None else order
    place = {-1: -1} | {old: new for new, old in enumerate(order)}
    return {
        "labels": [nodes[i].label for i in order],
        "starts": [nodes[i].start for i in order],
        "ends": [nodes[i].end for i in order],
        "parents": [place[nodes[i].parent] for i in order],
    }


def without_text(tree):
    """What is left of a tree when words are not known."""
    return tree.labels, tree.sizes, tree.firsts, tree.lasts, tree.times, tree.unit


# ---------------------------------------------------------------------------- agreement with brackets


@examples(150)
@given(tree_cases(8))
def test_builders_agree_over_words(case: TreeCase):
    want = SegmentTree.from_brackets(case.brackets)
    spans = [(node.label, int(node.start), int(node.end)) for node in read(*case)]
    assert SegmentTree.from_dict(as_nested_dict(case)) == want
    assert SegmentTree.from_spans(spans, words=want.words) == want
    columns = {
        name: [int(x) if isinstance(x, float) else x for x in column]
        for name, column in as_columns(case).items()
    }
    assert without_text(SegmentTree.from_spans(spans)) == without_text(want)
    assert without_text(SegmentTree.from_columns(**columns)) == without_text(want)


@examples(150)
@given(tree_cases(8, timed=True, allow_multiword_leaves=False), st.randoms(use_true_random=False))
def test_builders_agree_over_seconds(case: TreeCase, rng):
    want = SegmentTree.from_brackets(write_times(*case))
    nodes = read(*case)
    spans = [{"label": node.label, "start": node.start, "end": node.end} for node in nodes]
    order = list(range(len(nodes)))
    rng.shuffle(order)
    columns = as_columns(case, order)
    assert as_tree((case.brackets, case.times)) == want
    assert as_tree({"brackets": case.brackets, "times": case.times}) == want
    assert SegmentTree.from_dict(as_nested_dict(case)) == want
    assert without_text(SegmentTree.from_spans(spans, "time")) == without_text(want)
    assert without_text(SegmentTree.from_columns(**columns, unit="time")) == without_text(want)
    for value in (as_nested_dict(case), spans, columns, {"brackets": case.brackets, "times": case.times}):
        assert as_tree(json.dumps(value), "time") == as_tree(value, "time")


@examples(100)
@given(tree_cases(8, timed=True))
def test_from_nltk_agrees(case: TreeCase):
    nltk = pytest.importorskip("nltk")
    want = SegmentTree.from_brackets(case.brackets)
    tree = nltk.Tree.fromstring(case.brackets)
    assert SegmentTree.from_nltk(tree) == want
    assert SegmentTree.from_nltk(tree).with_times(case.times) == want.with_times(case.times)
    assert SegmentTree.from_nltk(tree, "char") == want.with_unit("char")


# ---------------------------------------------------------------------------------------------- nltk


def test_from_nltk_keeps_odd_labels_and_words_as_text():
    nltk = pytest.importorskip("nltk")
    tree = SegmentTree.from_nltk(nltk.Tree(nltk.Nonterminal("NP"), ["a b", 5, "<0,1>"]))
    assert tree.labels == ("NP",)
    assert tree.words == ("a b", "5", "<0,1>")
    assert tree.times is None


def test_from_nltk_takes_anything_with_label_and_children():
    class Parse(list):
        def label(self):
            return "X"

    assert SegmentTree.from_nltk(Parse(["a", Parse(["b"])])) == SegmentTree.from_brackets("(X a (X b))")
    assert struct_iou(Parse(["a"]), "(X a)") == 1.0


def test_from_nltk_takes_tagged_words():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree("S", [nltk.Tree("NP", [("the", "DT"), ("dog", "NN")]), ("barks", "VBZ")])
    text = "(S (NP (DT the) (NN dog)) (VBZ barks))"
    assert SegmentTree.from_nltk(tree) == SegmentTree.from_brackets(text)
    # By characters: S 11 of 11, NP 6 of 6, three tags; the other tree lacks the NP.
    assert struct_iou(tree, "(S (DT the) (NN dog) (VBZ barks))", unit="char") == 2 * 4 / 9
    result = StructIoU().corpus_score([tree, tree], [text, [tree][0]])
    assert result.sentence == 1.0


@pytest.mark.parametrize("leaf", [("a", "DT", "B-NP"), ("a", 1), ("a",)])
def test_from_nltk_refuses_other_tuples(leaf):
    nltk = pytest.importorskip("nltk")
    with pytest.raises(
        TreeFormatError, match=r"^a leaf is \(.*give a word, or a pair of a word and its tag$"
    ):
        SegmentTree.from_nltk(nltk.Tree("NP", [leaf]))


class StanzaTree:
    """As much of Stanza's `Tree` as tells a node: a word has no children and is its own label."""

    def __init__(self, label, children=()):
        self.label = label
        self.children = tuple(children)


def test_from_stanza():
    np = StanzaTree("NP", [StanzaTree("DT", [StanzaTree("the")]), StanzaTree("NN", [StanzaTree("dog")])])
    tree = StanzaTree("ROOT", [StanzaTree("S", [np])])
    text = "(ROOT (S (NP (DT the) (NN dog))))"
    assert as_tree(tree) == SegmentTree.from_brackets(text)
    assert StructIoU().corpus_score([tree, text], [text, tree]).sentence == 1.0
    assert as_tree(StanzaTree("ROOT")) == SegmentTree.from_brackets("(ROOT )")
    with pytest.raises(TypeError, match="must be a list of trees, not one StanzaTree"):
        StructIoU().corpus_score(tree, [text])


def test_deep_stanza_tree():
    tree = StanzaTree("w")
    for _ in range(100_000):
        tree = StanzaTree("X", [tree])
    assert len(as_tree(tree)) == 100_000
    while tree.children:  # else Python would drop them one inside the other
        tree = tree.children[0]


def test_from_corenlp():
    sentence = {"index": 0, "parse": "(ROOT\n  (S (NP (DT the) (NN dog))))", "tokens": []}
    assert as_tree(sentence) == SegmentTree.from_brackets("(ROOT (S (NP (DT the) (NN dog))))")
    with pytest.raises(TreeFormatError, match="a row for each of its"):
        as_tree({"docId": "x", "sentences": [sentence]}, source="predictions[0]")


def test_from_nltk_has_no_times():
    nltk = pytest.importorskip("nltk")
    with pytest.raises(
        TreeFormatError, match=r"^this tree has no times; add them with SegmentTree.with_times"
    ):
        SegmentTree.from_nltk(nltk.Tree("A", ["a"]), "time")


# ------------------------------------------------------------------------------------------- nested


@pytest.mark.parametrize(
    "value, want",
    [
        pytest.param({"label": "A", "word": "a"}, "(A a)", id="labelled leaf with a word"),
        pytest.param({"label": "A", "children": ["a", "b"]}, "(A a b)", id="texts as children"),
        pytest.param({"label": "A", "children": [{"word": "a"}]}, "(A a)", id="leaf without label"),
        pytest.param({"label": "A", "start": 0, "end": 1.5}, "(A <0,1.5>)", id="labelled leaf with times"),
        pytest.param({"label": "A", "word": "a", "start": 0, "end": 1}, "(A a<0,1>)", id="word and times"),
        pytest.param(
            {"label": "A", "word": None, "start": 0, "end": 1}, "(A <0,1>)", id="no word, only times"
        ),
        pytest.param({"label": "A", "word": "a", "children": None}, "(A a)", id="children null"),
        pytest.param({"label": "A", "word": "a", "start": None, "end": None}, "(A a)", id="times null"),
        pytest.param({"label": "A", "children": []}, "(A )", id="node without words"),
        pytest.param({"label": "A"}, "(A )", id="bare label"),
        pytest.param({"label": "", "children": [{"label": "S", "word": "a"}]}, "((S a))", id="empty label"),
        pytest.param(
            {"label": "S", "children": ["a", {"label": "B", "word": "b"}, {"word": "c"}]},
            "(S a (B b) c)",
            id="words beside nodes",
        ),
        pytest.param(
            {
                "label": "S",
                "start": 0.5,
                "end": 3,
                "children": [{"label": "A", "start": 0.5, "end": 1}, {"label": "B", "start": 2, "end": 3}],
            },
            "(S (A <0.5,1>) (B <2,3>))",
            id="inner span agrees",
        ),
        pytest.param(
            {"label": "S", "end": 3, "children": [{"label": "A", "start": Fraction(1, 2), "end": 3}]},
            "(S (A <0.5,3>))",
            id="inner span half given",
        ),
        pytest.param(
            {
                "label": "S",
                "children": [{"label": "X", "start": 9, "end": 9, "children": [{"label": "Y"}]}, "a"],
            },
            "(S (X (Y )) a)",
            id="span of a node without words",
        ),
        pytest.param(
            {"label": "S", "children": [{"word": None, "start": 0, "end": 1}]},
            "(S <0,1>)",
            id="word null in a leaf without label",
        ),
        pytest.param(
            {"label": "S", "start": None, "end": None, "children": [{"label": "A", "start": 0, "end": 1}]},
            "(S (A <0,1>))",
            id="inner span null",
        ),
        pytest.param(
            {"label": "A", "word": None, "start": None, "end": None, "children": []},
            "(A )",
            id="all null is a node without words",
        ),
    ],
)
def test_from_dict(value, want):
    assert SegmentTree.from_dict(value) == SegmentTree.from_brackets(want)


def test_from_dict_unit():
    value = {"label": "S", "children": [{"word": "ab", "start": 0, "end": 1}]}
    assert SegmentTree.from_dict(value).unit == "time"
    assert SegmentTree.from_dict(value, "char").spans() == [("S", 0.0, 2.0)]
    assert SegmentTree.from_dict({"label": "S", "children": ["a"]}).unit == "word"
    with pytest.raises(TreeFormatError, match=r"^this tree has no times"):
        SegmentTree.from_dict({"label": "S", "children": ["a"]}, "time")


@pytest.mark.parametrize(
    "value, message",
    [
        pytest.param(
            {}, r"^a node without 'label': \{\}; the root and all constituents need one$", id="empty"
        ),
        pytest.param({"children": ["a"]}, "^a node without 'label': {'children': ", id="root without label"),
        pytest.param({"label": "S", "children": [5]}, "^a child of 'S' is a int; give dicts$", id="number"),
        pytest.param(
            {"label": "S", "children": [None]}, "^a child of 'S' is a NoneType; give dicts", id="None"
        ),
        pytest.param({"label": "S", "children": [["a"]]}, "^a child of 'S' is a list; give dicts", id="list"),
        pytest.param(
            {"label": "S", "children": [{}]}, r"^a leaf without 'word' or times: \{\}$", id="bare leaf"
        ),
        pytest.param(
            {"label": "S", "children": [{"start": 1}]},
            r"^a leaf needs both 'start' and 'end' as numbers: \{'start': 1\}$",
            id="no end",
        ),
        pytest.param(
            {"label": "A", "word": "a", "end": 1}, "^a leaf needs both 'start' and 'end'", id="no start"
        ),
        pytest.param(
            {"label": "A", "start": "0", "end": 1}, "^a leaf needs both .* as numbers", id="text as time"
        ),
        pytest.param(
            {"label": "S", "children": [{"word": "a", "start": 0, "end": 1}, "b"]},
            r"^word 1 \('b'\) has no times and others have; give all or none$",
            id="times of some words",
        ),
        pytest.param(
            {"label": "A", "start": 0, "end": NAN}, r"^word 0: the time \(0.0, nan\) is not finite", id="NaN"
        ),
        pytest.param({"label": "A", "start": 0, "end": INF}, r"^word 0: .* is not finite", id="infinite"),
        pytest.param(
            {"label": "A", "start": 2, "end": 1}, r"^word 0: .* ends before it starts", id="reversed"
        ),
        pytest.param(
            {"label": "S", "children": [{"start": 0, "end": 2}, {"start": 1, "end": 3}]},
            "^word 1: the time .* starts before word 0 ends at 2.0",
            id="overlap",
        ),
        pytest.param(
            {
                "label": "S",
                "start": 0,
                "end": 4,
                "children": [{"start": 0, "end": 2}, {"start": 2, "end": 3}],
            },
            "^node 'S' says 0–4, but its children span 0.0–3.0; leave its times out, or add the missing",
            id="inner span disagrees",
        ),
        pytest.param(
            {"label": "S", "start": 1, "children": [{"start": 0, "end": 2}]},
            "^node 'S' says 1–None, but its children span 0.0–2.0",
            id="inner start disagrees",
        ),
        pytest.param(
            {"label": "S", "children": [{"w" * 100: 1}]},
            "^a leaf without 'word' or times: {'" + "w" * 57 + "…$",
            id="long values are cut",
        ),
        pytest.param(
            {"label": "A", "start": 0, "end": 10**400},
            "finite",
            id="too large for a float",
        ),
    ],
)
def test_from_dict_errors(value, message):
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_dict(value)


# -------------------------------------------------------------------------------------------- spans


@pytest.mark.parametrize(
    "spans, words, want",
    [
        pytest.param([("S", 0, 2)], ["a", "b"], "(S a b)", id="words of the root itself"),
        pytest.param([("S", 0, 3), ("B", 1, 2)], ["a", "b", "c"], "(S a (B b) c)", id="words beside a node"),
        pytest.param([("B", 1, 2), ("A", 0, 1), ("S", 0, 2)], ["a", "b"], "(S (A a) (B b))", id="any order"),
        pytest.param(
            [("S", 0, 1), ("A", 0, 1), ("B", 0, 1)], ["a"], "(S (A (B a)))", id="equal: first is outer"
        ),
        pytest.param([["S", 0, 1]], ["a"], "(S a)", id="lists"),
        pytest.param([{"label": "S", "start": 0, "end": 1, "x": 2}], ["a"], "(S a)", id="dicts"),
        pytest.param([("S", 0, 2), ("X", 1, 1)], ["a", "b"], "(S a (X ) b)", id="no length, between words"),
        pytest.param([("S", 0, 1), ("X", 0, 0)], ["a"], "(S (X ) a)", id="no length, before the words"),
        pytest.param([("S", 0, 0), ("X", 0, 0)], [], "(S (X ))", id="no words at all"),
        pytest.param([], [], "", id="no spans"),
        pytest.param([("S", 0.0, 2.0)], ["a", "b"], "(S a b)", id="floats that are whole"),
        pytest.param(
            [("S", 0, 1), ("X", 1, 1)],
            ["a"],
            "(S a (X ))",
            id="no length, behind the words",
        ),
    ],
)
def test_from_spans_over_words(spans, words, want):
    assert SegmentTree.from_spans(spans, words=words) == SegmentTree.from_brackets(want)


@pytest.mark.parametrize(
    "spans, want",
    [
        pytest.param([("S", 0.5, 2)], "(S <0.5,2>)", id="leaf"),
        pytest.param([("S", 0.5, 2), ("A", 0.5, 1), ("B", 1, 2)], "(S (A <0.5,1>) (B <1,2>))", id="touching"),
        pytest.param([("S", 0.5, 3), ("A", 0.5, 1), ("B", 2, 3)], "(S (A <0.5,1>) (B <2,3>))", id="silence"),
        pytest.param([("S", 0.5, 3), ("A", 1, 2)], "(S <0.5,1> (A <1,2>) <2,3>)", id="more than its child"),
        pytest.param([("S", 0.5, 1), ("A", 0.5, 0.5)], "(S (A <0.5,0.5>) <0.5,1>)", id="no length"),
    ],
)
def test_from_spans_over_seconds(spans, want):
    assert SegmentTree.from_spans(spans) == SegmentTree.from_brackets(want)


@pytest.mark.parametrize(
    "spans, unit, want",
    [
        pytest.param([("S", 0, 2)], None, "word", id="whole numbers are words"),
        pytest.param([("S", 0.0, 2)], None, "time", id="floats are seconds"),
        pytest.param([("S", 0, 2)], "time", "time", id="unless told otherwise"),
        pytest.param([], "time", "time", id="no spans"),
    ],
)
def test_from_spans_unit(spans, unit, want):
    assert SegmentTree.from_spans(spans, unit).unit == want


@pytest.mark.parametrize(
    "spans, options, message",
    [
        pytest.param(
            [("S", 0, 4), ("A", 0, 2), ("B", 1, 3)], {}, "^'B' 1–3 crosses 'A' 0–2; constituents must nest"
        ),
        pytest.param(
            [("A", 0, 1), ("B", 1, 2)], {}, "^'B' 1–2 lies outside the root 'A' 0–1$", id="two roots"
        ),
        pytest.param([("A", 0, 2), ("B", 1, 3)], {}, "^'B' 1–3 crosses 'A' 0–2", id="crosses the root"),
        pytest.param([{"label": "S", "start": 0}], {}, "^span 0 has no 'end': {'label'", id="no end"),
        pytest.param([{"start": 0, "end": 1}], {}, "^span 0 has no 'label': ", id="no label"),
        pytest.param(
            [("S", 0, 1), ("A", 0)], {}, r"^span 1 is no \(label, start, end\): \('A', 0\)$", id="pair"
        ),
        pytest.param([5], {}, r"^span 0 is no \(label, start, end\): 5$", id="number"),
        pytest.param([None], {}, r"^span 0 is no \(label, start, end\): None$", id="None"),
        pytest.param([("S", 0, NAN)], {}, "^span 0: nan is no finite number$", id="NaN"),
        pytest.param([("S", -INF, 0)], {}, "^span 0: -inf is no finite number$", id="infinite"),
        pytest.param([("S", "0", 1)], {}, "^span 0: '0' is no finite number$", id="text"),
        pytest.param([("S", None, 1)], {}, "^span 0: None is no finite number$", id="None as start"),
        pytest.param([("S", 2, 1)], {}, "^span 0 ends at 1, before it starts at 2$", id="reversed"),
        pytest.param(
            [("S", 0, 3)], {"words": ["a"]}, "^'S' 0–3 is no range of the 1 words?$", id="too few words"
        ),
        pytest.param(
            [("S", -1, 1)], {}, "^'S' -1–1 is no range of the 1 words?$", id="before the first word"
        ),
        pytest.param(
            [("S", 0.5, 1)],
            {"unit": "word"},
            "^'S' 0.5–1 is no range of the 1 words; .* unit='time'$",
            id="half a word",
        ),
        pytest.param(
            [("S", 0.5, 1.5)],
            {"words": ["a", "b"]},
            "is no range of the 2 words; with words beside them .* give each span its own 'word'$",
            id="seconds beside words",
        ),
        pytest.param(
            [("S", 0, 1)], {"unit": "char"}, "^spans count words or seconds; give words and unit='word'"
        ),
        pytest.param(
            [("NP", 0, 2)],
            {"words": ["a", "b", "c"]},
            "words?",
            id="words outside the root",
        ),
        pytest.param(
            [("S", 0, 10**400)],
            {},
            "^span 0: 1000.*… is no finite number$",
            id="more words than there can be",
        ),
    ],
)
def test_from_spans_errors(spans, options, message):
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_spans(spans, **options)


def test_from_spans_refuses_absurd_numbers_of_words():
    """Such as times in samples, given as whole numbers; in a process of its own, with little memory."""
    done = run_python(
        "from structiou_metric import SegmentTree, TreeFormatError\n"
        "try:\n"
        "    SegmentTree.from_spans([('S', 0, 10**9)])\n"
        "except TreeFormatError:\n"
        "    print('refused')\n",
        memory=2**31,
    )
    assert done.stdout == "refused\n", done.stderr


# ------------------------------------------------------------------------------------------ columns


def test_from_columns_any_order():
    tree = SegmentTree.from_columns(["B", "S", "A"], [1, 0, 0], [2, 2, 1], [1, -1, 1])
    assert tree.spans() == [("S", 0.0, 2.0), ("A", 0.0, 1.0), ("B", 1.0, 2.0)]
    assert tree.unit == "word"


def test_from_columns_parents_decide_where_spans_are_equal():
    tree = SegmentTree.from_columns(["A", "B", "C"], [0, 0, 0], [1, 1, 1], [1, 2, -1])
    assert [label for label, _, _ in tree.spans()] == ["C", "B", "A"]


def test_from_columns_unit():
    columns = (["S"], [0.0], [2.0], [-1])
    assert SegmentTree.from_columns(*columns).unit == "time"
    assert SegmentTree.from_columns(*columns, unit="word").spans() == [("S", 0.0, 2.0)]
    assert len(SegmentTree.from_columns([], [], [], [])) == 0


@pytest.mark.parametrize(
    "columns, unit, message",
    [
        pytest.param((["S"], [0], [1, 2], [-1]), None, "^column 'ends' has 2 items and 'labels' has 1$"),
        pytest.param((["S"], [], [1], [-1]), None, "^column 'starts' has 0 items and 'labels' has 1$"),
        pytest.param((["S"], [0], [1], []), None, "^column 'parents' has 0 items and 'labels' has 1$"),
        pytest.param(
            (["S"], [0], [1], [-1]), "char", "^flat columns count words or seconds; give brackets for"
        ),
        pytest.param(
            (["S"], [0], [1], [0]), None, "^0 nodes have the parent -1; a tree has one root$", id="no root"
        ),
        pytest.param(
            (["S", "T"], [0, 0], [1, 1], [-1, -1]), None, "^2 nodes have the parent -1", id="two roots"
        ),
        pytest.param(
            (["S", "T"], [0, 0], [1, 1], [-1, 7]), None, r"^node 1 \('T'\) has the parent 7; there are 2"
        ),
        pytest.param((["S", "T"], [0, 0], [1, 1], [-1, -2]), None, r"^node 1 \('T'\) has the parent -2"),
        pytest.param(
            (["S", "T"], [0, 0], [1, 2], [-1, 0]), None, r"^node 1 \('T', 0–2\) lies outside its parent 0 "
        ),
        pytest.param(
            (["S", "T", "U"], [0, 0, 0], [2, 1, 1], [-1, 2, 1]),
            None,
            r"^node 1 \('T'\) does not lead up to the root; parents go round$",
            id="a ring",
        ),
        pytest.param(
            (["S", "T"], [0, 0], [1, 1], [-1, 1]), None, r"^node 1 \('T'\) does not lead up", id="own parent"
        ),
        pytest.param((["S"], [0], [NAN], [-1]), None, r"^node 0 \('S'\): nan is no finite number$", id="NaN"),
        pytest.param((["S"], [2], [1], [-1]), None, r"^node 0 \('S'\) ends at 1, before it starts at 2$"),
        pytest.param(
            (["S", "A", "B"], [0, 0, 1], [3, 2, 3], [-1, 0, 0]),
            None,
            "^'B' 1–3 overlaps what stands before it up to 2; siblings must not$",
            id="siblings overlap",
        ),
        pytest.param(
            (["S"], [0.5], [2], [-1]), "word", "^'S' 0.5–2 is no range of the 2 words; ", id="half a word"
        ),
    ],
)
def test_from_columns_errors(columns, unit, message):
    with pytest.raises(TreeFormatError, match=message):
        SegmentTree.from_columns(*columns, unit=unit)


# -------------------------------------------------------------------------------------- any of them


@pytest.mark.parametrize("unit", ["word", "char", "time"])
def test_as_tree_gives_the_unit_asked_for(unit):
    text = "(S (A ab<0.5,1>) (B c<1,3>))"
    want = SegmentTree.from_brackets(text, unit)
    for value in (text, SegmentTree.from_brackets(text), ("(S (A ab) (B c))", [[0.5, 1], [1, 3]])):
        assert as_tree(value, unit) == want


def test_corpus_score_mixes_shapes():
    nltk = pytest.importorskip("nltk")
    rows = [
        "(S (A a) (B b))",
        nltk.Tree.fromstring("(S (A a) (B b))"),
        SegmentTree.from_brackets("(S (A a) (B b))"),
        {"label": "S", "children": [{"label": "A", "word": "a"}, {"label": "B", "word": "b"}]},
        [("S", 0, 2), ("A", 0, 1), ("B", 1, 2)],
        '[["S", 0, 2], ["A", 0, 1], ["B", 1, 2]]',
        {"labels": ["A", "S", "B"], "starts": [0, 0, 1], "ends": [1, 2, 2], "parents": [1, -1, 1]},
    ]
    result = StructIoU().corpus_score(rows, ["(S (A a) (X b))"] * len(rows))
    assert [tally.score for tally in result.sentences] == [pytest.approx(2 / 3)] * len(
        rows
    )  # S and A of 3 and 3
    assert result.by_label["A"].n_pred == len(rows)


@pytest.mark.parametrize("time", ["<2,1>", "<nan,1>"])
def test_corpus_score_of_a_row_does_not_depend_on_its_neighbours(time):
    rows = [f"(A a{time})", "(B b)"]
    alone = StructIoU(on_error="zero").corpus_score(rows, rows)
    among = StructIoU(on_error="zero").corpus_score(
        [*rows, SegmentTree.from_brackets("(B b)")], [*rows, "(B b)"]
    )
    assert alone.n_zeroed == among.n_zeroed


# --------------------------------------------------------------------------------------- deep trees

CHAIN = "(A " * DEEP + "w" + ")" * DEEP


def _deep_nltk():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree("A", ["w"])
    for _ in range(DEEP - 1):
        tree = nltk.Tree("A", [tree])
    return tree


def _deep_dict():
    tree = {"label": "A", "word": "w"}
    for _ in range(DEEP - 1):
        tree = {"label": "A", "children": [tree]}
    return tree


def _deep_columns():
    order = list(range(DEEP))
    Random(0).shuffle(order)
    place = {-1: -1} | {old: new for new, old in enumerate(order)}
    return {
        "labels": ["A"] * DEEP,
        "starts": [0] * DEEP,
        "ends": [1] * DEEP,
        "parents": [place[i - 1] for i in order],
    }


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(_deep_nltk, id="nltk"),
        pytest.param(_deep_dict, id="nested dict"),
        pytest.param(_deep_columns, id="columns"),
        pytest.param(lambda: [("A", 0, 1)] * DEEP, id="spans"),
        pytest.param(lambda: (CHAIN, [(0, 1)]), id="brackets and times"),
        pytest.param(lambda: SegmentTree.from_brackets(CHAIN), id="tree"),
    ],
)
def test_as_tree_deep(make):
    tree = as_tree(make(), "word")
    want = SegmentTree.from_brackets(CHAIN)
    assert (tree.labels, tree.sizes, tree.firsts) == (want.labels, want.sizes, want.firsts)
    assert tree.depth == DEEP
    assert struct_iou(tree, CHAIN) == 1.0


def test_times_whose_difference_would_be_infinite_are_refused():
    with pytest.raises(TreeFormatError, match=r"word 0: the time .* is not finite"):
        SegmentTree.from_brackets("(A a)").with_times([[-1e308, 1e308]])
