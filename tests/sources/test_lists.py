"""Lists of trees from all kinds of containers."""

from __future__ import annotations

import pytest

from structiou_metric import SegmentTree
from structiou_metric.sources.rows import as_list

BRACKETS = "(S (NP (DT the) (NN dog)) (VP (VBD barked)))"
TREE = SegmentTree.from_brackets(BRACKETS)


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
