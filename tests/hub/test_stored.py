"""Rows of all shapes as the texts that `evaluate` keeps."""

from __future__ import annotations

import math
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, TreeFormatError, struct_iou
from structiou_metric.hub.stored import restored, stored
from structiou_metric.trees.shapes import as_tree

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


def there_and_back(row, **how):
    """Stores a row as a text that every store takes, and restores it."""
    text = stored(row, **how)
    assert text.isascii()
    [found] = restored([text])
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_restored_reads_as_the_same_tree(shape):
    value = SHAPES[shape]
    assert as_tree(there_and_back(value)) == as_tree(value)


def test_trees_of_nltk():
    nltk = pytest.importorskip("nltk")
    assert there_and_back(nltk.Tree.fromstring(BRACKETS)) == BRACKETS
    assert there_and_back(nltk.Tree("NP", ["(", "a"])) == "(NP -LRB- a)"
    assert there_and_back([nltk.Tree.fromstring(BRACKETS), None]) == [BRACKETS, None]


def test_a_tree_of_nltk_with_white_space_in_a_word():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree("S", [nltk.Tree("NNP", ["New York"]), nltk.Tree("VB", ["is"])])
    found = there_and_back(tree)
    for unit in ("word", "char"):
        assert as_tree(found, unit) == as_tree(tree, unit)
    assert struct_iou(found, "(S (NNP NewYork) (VB is))", unit="char") == 1.0


def test_words_without_text():
    tree = SegmentTree.from_spans([("NP", 0, 2), ("NN", 1, 2)])
    assert as_tree(there_and_back(tree)) == tree


def test_arrays():
    numpy = pytest.importorskip("numpy")
    columns = {name: numpy.array(column) for name, column in TIMED.to_columns().items() if name != "words"}
    wordless = {name: column.tolist() for name, column in columns.items()}
    assert as_tree(there_and_back(columns)) == as_tree(wordless)
    spans = [{"label": "NP", "start": numpy.float32(0.5), "end": numpy.int64(2)}]
    assert there_and_back(spans) == [{"label": "NP", "start": 0.5, "end": 2}]


def test_a_tree_deeper_than_json_can_be():
    depth = 20_000
    nested = {"label": "A", "word": "w"}
    for _ in range(depth):
        nested = {"label": "A", "children": [nested]}
    try:
        assert there_and_back(nested) == "(A " * depth + "(A w)" + ")" * depth
    finally:
        while "children" in nested:  # freeing it at once would overflow the stack
            nested = nested["children"].pop()


def test_times_that_are_no_numbers_are_refused_when_read():
    row = there_and_back([{"label": "NP", "start": 0.0, "end": math.nan}])
    with pytest.raises(TreeFormatError, match="nan is no finite number"):
        as_tree(row)


@pytest.mark.parametrize(
    "row", [None, "(S a)", "", [], ["(S a)", "(T \ud800)", None], "(S \ud800)", "null", "[]", "S a", "\0-"]
)
def test_texts_and_lists_of_them_come_back(row):
    assert there_and_back(row) == row


@pytest.mark.parametrize(
    "row, message",
    [
        pytest.param(3, "here: a int is no tree", id="number"),
        pytest.param(b"(S a)", "here: a bytes is no tree", id="bytes"),
        pytest.param(math.nan, "here: the tree is NaN; give", id="NaN"),
        pytest.param([{"label": {1}}], "here: a set is no part of a tree", id="set"),
        pytest.param({"\ud800": {1}}, "here: a set is no part of a tree", id="surrogate beside"),
        pytest.param({("a", "b"): 1}, "here: keys must be str", id="odd key"),
    ],
)
def test_what_is_no_tree_is_an_error_where_it_is_read(row, message):
    found = there_and_back(row)
    with pytest.raises(TreeFormatError) as caught:
        as_tree(found, source="here")
    assert str(caught.value).startswith(message)


def test_one_reference_that_is_no_tree_leaves_the_others():
    good, bad = there_and_back([BRACKETS, {"parents": {1}}])
    assert good == BRACKETS
    with pytest.raises(TreeFormatError, match="a set is no part of a tree"):
        as_tree(bad)


def test_documents():
    assert there_and_back([BRACKETS, 3], documents=True)[0] == BRACKETS
    assert there_and_back([], documents=True) == []


@given(st.text(st.characters()) | st.text('\0+-[]" n', max_size=6))
def test_every_text_comes_back(text):
    assert there_and_back(text) == text
