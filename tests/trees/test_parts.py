"""The layer below `SegmentTree`: what a builder collects, what readers return, and who may import whom."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import structiou_metric
from structiou_metric import SegmentTree, TreeFormatError
from structiou_metric._core.shapes import Builder, read_columns, read_dict, read_objects, read_spans
from structiou_metric.trees.brackets import read_text
from structiou_metric.trees.parts import Parts
from structiou_metric.trees.spelling import ESCAPES
from structiou_metric.trees.writers import to_brackets, to_columns, to_dict, to_spans

SPAN = {"label": "A", "start": 0, "end": 1, "word": "x"}
FOLDER = Path(structiou_metric.__file__).parent / "trees"


def built(times=(None, None), unit=None):
    """(S (NP a b) (E )), in the order of its brackets."""
    builder = Builder()
    builder.open("S")
    builder.open("NP")
    for text, pair in zip("ab", times, strict=True):
        builder.word(text, pair)
    builder.close()
    builder.open("E")
    builder.close()
    builder.close()
    return Parts(*builder.values(unit))


def test_builder_collects_arrays_in_postorder():
    parts = built()
    assert parts.labels == ("NP", "E", "S")
    assert list(parts.sizes) == [1, 1, 3]
    assert list(parts.firsts) == [0, 2, 0]
    assert list(parts.lasts) == [2, 2, 2]
    assert (parts.words, parts.times, parts.unit) == (("a", "b"), None, "word")
    assert list(parts.depths()) == [2, 2, 1]
    assert parts.preorder() == [2, 0, 1]
    assert SegmentTree.from_parts(parts) == SegmentTree.from_brackets("(S (NP a b) (E ))")


def test_builder_counts_seconds_where_words_have_times():
    parts = built([(0, 1), (1, 3)])
    assert (parts.times, parts.unit) == (((0.0, 1.0), (1.0, 3.0)), "time")
    assert built([(0, 1), (1, 3)], "char").unit == "char"
    assert [list(ends) for ends in parts.word_positions()] == [[0.0, 1.0], [1.0, 3.0]]
    assert [list(ends) for ends in parts.word_positions("word")] == [[0.0, 1.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    "times, unit, message",
    [
        pytest.param([(0, 1), None], None, r"word 1 \('b'\) has no times and others have", id="one missing"),
        pytest.param([(0, 2), (1, 3)], None, "word 1: the time .* starts before word 0 ends", id="overlap"),
        pytest.param([None, None], "time", "this tree has no times", id="no times"),
        pytest.param([None, None], "second", "unknown unit 'second'; choose from", id="unknown unit"),
    ],
)
def test_builder_refuses(times, unit, message):
    with pytest.raises(ValueError, match=message):
        built(times, unit)


def test_word_positions_need_times():
    with pytest.raises(TreeFormatError, match="this tree has no times"):
        built().word_positions("time")


class Branch(list):
    """As much of an `nltk.Tree` as a reader needs."""

    def label(self):
        return "A"


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(read_text("(A x)", None, ""), id="brackets"),
        pytest.param(Parts(*read_objects(Branch(["x"]), "word")), id="nltk"),
        pytest.param(Parts(*read_dict({"label": "A", "word": "x"}, None)), id="dict"),
        pytest.param(Parts(*read_spans([("A", 0, 1)], None, ["x"])), id="spans"),
        pytest.param(Parts(*read_spans([SPAN], None, None)), id="worded"),
        pytest.param(Parts(*read_columns(["A"], [0], [1], [-1], None, ["x"])), id="columns"),
    ],
)
def test_readers_return_and_writers_take_parts(parts):
    assert to_brackets(parts, False) == "(A x)"
    assert to_dict(parts) == {"label": "A", "word": "x"}
    assert to_spans(parts, None) == [SPAN]
    assert to_columns(parts, None)["words"] == ["x"]
    assert SegmentTree.from_parts(parts) == SegmentTree.from_brackets("(A x)")


def test_escapes_are_written_for_round_brackets_only():
    brackets = "".join(ESCAPES.values())
    assert brackets == "()[]{}"
    tree = SegmentTree.from_dict({"label": brackets, "word": brackets})
    assert str(tree) == "(-LRB--RRB-[]{} -LRB--RRB-[]{})"


# ----------------------------------------------------------------------------------------- layers


def imported(path):
    """The modules of the folder that one imports, wherever in it that stands."""
    return {
        node.module
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
    }


def test_no_module_imports_one_that_imports_it_even_late():
    graph = {path.stem: imported(path) for path in FOLDER.glob("*.py")}
    order = list(TopologicalSorter(graph).static_order())  # or a CycleError
    wanted = ["parts", "tree", "shapes"]
    assert sorted(wanted, key=order.index) == wanted
