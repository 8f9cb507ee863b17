"""Trees of all shapes as text, and lists of them from all kinds of containers."""

from __future__ import annotations

import json
import math
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, TreeFormatError, struct_iou
from structiou_metric.sources.rows import as_list
from structiou_metric.trees.several import NoTree, alternatives
from structiou_metric.trees.shapes import as_tree
from structiou_metric.trees.texts import as_text, restored, storable

BRACKETS = "(S (NP (DT the) (NN dog)) (VP (VBD barked)))"
TIMES = [[0.1, 0.25], [0.25, 0.6], [0.7, 1.1]]
TREE = SegmentTree.from_brackets(BRACKETS)
TIMED = TREE.with_times(TIMES)

SHAPES = {
    "brackets": BRACKETS,
    "tree": TREE,
    "timed tree": TIMED,
    "brackets and times": (BRACKETS, TIMES),
    "brackets and times, named": {"brackets": BRACKETS, "times": TIMES},
    "nested": TIMED.to_dict(),
    "mapping": MappingProxyType(TIMED.to_dict()),
    "spans": TIMED.to_spans(),
    "triples": [(span["label"], span["start"], span["end"]) for span in TIMED.to_spans()],
    "columns": TIMED.to_columns(),
    "no spans": [],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_as_text_reads_as_the_same_tree(shape):
    value = SHAPES[shape]
    assert as_tree(as_text(value)) == as_tree(value)


def test_as_text_nltk():
    nltk = pytest.importorskip("nltk")
    assert as_text(nltk.Tree.fromstring(BRACKETS)) == BRACKETS
    assert as_text(nltk.Tree("NP", ["(", "a"])) == "(NP -LRB- a)"


def test_as_text_nltk_word_with_white_space():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree("S", [nltk.Tree("NNP", ["New York"]), nltk.Tree("VB", ["is"])])
    text = as_text(tree)
    for unit in ("word", "char"):
        assert as_tree(text, unit) == as_tree(tree, unit)
    assert struct_iou(text, "(S (NNP NewYork) (VB is))", unit="char") == 1.0


def test_as_text_words_without_text():
    tree = SegmentTree.from_spans([("NP", 0, 2), ("NN", 1, 2)])
    assert as_tree(as_text(tree)) == tree


def test_as_text_arrays():
    numpy = pytest.importorskip("numpy")
    columns = {name: numpy.array(column) for name, column in TIMED.to_columns().items() if name != "words"}
    wordless = {name: column.tolist() for name, column in columns.items()}
    assert as_tree(as_text(columns)) == as_tree(wordless)
    spans = [{"label": "NP", "start": numpy.float32(0.5), "end": numpy.int64(2)}]
    assert as_text(spans) == '[{"label": "NP", "start": 0.5, "end": 2}]'


def test_as_text_deeper_than_json_can_be():
    depth = 20_000
    nested = {"label": "A", "word": "w"}
    for _ in range(depth):
        nested = {"label": "A", "children": [nested]}
    try:
        assert as_text(nested) == "(A " * depth + "(A w)" + ")" * depth
    finally:
        while "children" in nested:  # freeing it at once would overflow the stack
            nested = nested["children"].pop()


def test_as_text_times_that_are_no_numbers_are_refused_when_read():
    text = as_text([{"label": "NP", "start": 0.0, "end": math.nan}])
    with pytest.raises(TreeFormatError, match="nan is no finite number"):
        as_tree(text)


@pytest.mark.parametrize(
    "value, message",
    [
        pytest.param(3, "row 7: a int is no tree; give bracket text", id="number"),
        pytest.param(b"(S a)", "row 7: a bytes is no tree; give bracket text", id="bytes"),
        pytest.param([{"label": {1}}], "row 7: a set is no part of a tree; give texts and numbers", id="set"),
        pytest.param({("a", "b"): 1}, "row 7: keys must be str", id="odd key"),
    ],
)
def test_as_text_refuses_with_the_source(value, message):
    with pytest.raises(TreeFormatError) as caught:
        as_text(value, source="row 7")
    assert str(caught.value).startswith(message)


def test_restored_undoes_storable():
    rows = [None, "(S a)", "", [], ["(S a)", "(T \ud800)", None], "(S \ud800)", "null word", "S a"]
    texts = list(map(storable, rows))
    assert "".join(texts).encode()
    assert restored(texts) == rows


@pytest.mark.parametrize(
    "row, message",
    [
        pytest.param(3, "here: a int is no tree", id="number"),
        pytest.param(b"(S a)", "here: a bytes is no tree", id="bytes"),
        pytest.param(math.nan, "here: the tree is NaN; give", id="NaN"),
        pytest.param([{"label": {1}}], "here: a set is no part of a tree", id="set"),
        pytest.param({"\ud800": {1}}, "here: a set is no part of a tree", id="surrogate beside"),
    ],
)
def test_storable_takes_what_is_no_tree(row, message):
    text = storable(row)
    assert text.encode()
    [found] = restored([text])
    assert isinstance(found, NoTree)
    with pytest.raises(TreeFormatError) as caught:
        as_tree(found, source="here")
    assert str(caught.value).startswith(message)


@given(st.text(st.characters()) | st.text('\0+-[]" n', max_size=6))
def test_storable_keeps_every_text(text):
    [found] = restored([storable(text)])
    assert found == (None if text == "null" else text) or isinstance(alternatives(text), list)


def test_as_list_takes_containers():
    assert as_list(["(S a)"], "predictions") == ["(S a)"]
    assert as_list(("(S a)",), "predictions") == ("(S a)",)
    assert as_list((text for text in ["(S a)"]), "predictions") == ["(S a)"]
    assert as_list(range(2), "predictions") == [0, 1]


def test_as_list_takes_arrays():
    numpy = pytest.importorskip("numpy")
    rows = as_list(numpy.array(["(S a)", "(S b)"]), "predictions")
    assert rows == ["(S a)", "(S b)"]
    assert type(rows[0]) is str


@pytest.mark.parametrize(
    "value, kind",
    [
        pytest.param(BRACKETS, "one str", id="text"),
        pytest.param(TREE, "one SegmentTree", id="tree"),
        pytest.param(TREE.to_columns(), "one dict", id="dict"),
        pytest.param(None, "None", id="nothing"),
        pytest.param(3, "one int", id="number"),
    ],
)
def test_as_list_refuses_a_single_tree(value, kind):
    with pytest.raises(TypeError) as caught:
        as_list(value, "references")
    assert str(caught.value) == f"references must be a list of trees, not {kind}; write references=[…]"


def test_as_list_refuses_a_single_nltk_tree():
    nltk = pytest.importorskip("nltk")
    with pytest.raises(TypeError, match="references must be a list of trees, not one Tree"):
        as_list(nltk.Tree.fromstring(BRACKETS), "references")


def test_as_text_json_is_plain():
    assert json.loads(as_text(SHAPES["mapping"])) == TIMED.to_dict()
