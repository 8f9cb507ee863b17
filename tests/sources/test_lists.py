"""Lists of trees from all kinds of containers."""

from __future__ import annotations

from collections import UserList

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree
from structiou_metric.sources.rows import ListRows, as_list, join_texts
from support.examples import examples

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


class Text(str):
    """A text of another class, as NumPy has one; its own `encode` is not called."""

    def encode(self, *how):
        raise AssertionError


class Unsized:
    """It has a method for a length and no length, as NumPy's arrays without dimensions."""

    def __len__(self):
        raise TypeError("len() of unsized object")


TEXTS = st.lists(st.text(st.characters(), max_size=12) | st.sampled_from(["(A a)", "", "(Ä ä)", "\udc80"]))
OTHERS = [None, 3, Unsized(), b"(A a)", ["(A a)"], {"label": "A"}, Text("(A a)")]


@examples(100)
@given(TEXTS)
def test_join_texts_has_the_bytes_of_each_text(texts):
    data, starts, stops = join_texts([Text(text) for text in texts])
    found = [data[lo:hi].decode("utf-8", "surrogatepass") for lo, hi in zip(starts, stops, strict=True)]
    assert found == texts
    assert list(starts) == [0, *stops][: len(texts)]
    assert len(data) == (stops[-1] if texts else 1) or data == b" "


@pytest.mark.parametrize("other", OTHERS[:-1])
def test_join_texts_refuses_other_shapes(other):
    with pytest.raises(TypeError):
        join_texts(["(A a)", other])


@examples(100)
@given(TEXTS, st.lists(st.sampled_from(OTHERS), max_size=2), st.data())
def test_longest_of_rows_of_any_shape(texts, others, data):
    values = data.draw(st.permutations([*texts, *others]))
    lo, hi = sorted(data.draw(st.integers(0, len(values))) for _ in range(2))
    want = max((0 if value in OTHERS[:3] else len(value) for value in values[lo:hi]), default=0)
    for rows in (values, tuple(values), UserList(values)):
        assert ListRows(rows, "trees", first=5).longest(5 + lo, 5 + hi) == want
