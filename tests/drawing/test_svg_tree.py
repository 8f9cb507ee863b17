"""One tree as a picture, and in a notebook."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from structiou_metric import SegmentTree
from structiou_metric.drawing.page import MAX_NODES
from structiou_metric.drawing.svg_tree import draw_tree

_SVG = "{http://www.w3.org/2000/svg}"


def tree_of(text, unit=None):
    return SegmentTree.from_brackets(text, unit)


def bars(picture):
    """By node its label and the left and right end of its bar."""
    root = ElementTree.fromstring(picture)
    found = {}
    for group in root.iter(f"{_SVG}g"):
        if group.get("data-node"):
            box, text = group.find(f"{_SVG}rect"), group.find(f"{_SVG}text")
            left = float(box.get("x"))
            found[int(group.get("data-node"))] = (text.text, left, left + float(box.get("width")))
    return found


def texts(picture):
    return list(ElementTree.fromstring(picture).itertext())


def test_bars_nest_and_stand_in_order():
    tree = tree_of("(S (NP (DT the) (NN dog)) (VP (VBD ran)))")
    found = bars(draw_tree(tree))
    assert [label for label, _, _ in found.values()] == [tree.labels[node] for node in found]
    assert len(found) == 6
    places = {label: (left, right) for label, left, right in found.values()}
    assert places["DT"][1] <= places["NN"][0] < places["NN"][1] <= places["VBD"][0]
    assert places["S"] == pytest.approx((places["DT"][0], places["VBD"][1]))
    assert places["NP"] == pytest.approx((places["DT"][0], places["NN"][1]))


def test_from_right_to_left():
    picture = draw_tree(tree_of("(NP (DT ה) (NN ילד))", "char"))
    places = {label: (left, right) for label, left, right in bars(picture).values()}
    assert places["NN"][1] <= places["DT"][0]
    assert places["NP"] == pytest.approx((places["NN"][0], places["DT"][1]))
    assert 'style="direction:rtl"' in picture
    forced = {
        label: left
        for label, left, _ in bars(draw_tree(tree_of("(NP (DT ה) (NN ילד))"), direction="ltr")).values()
    }
    assert forced["DT"] < forced["NN"]


@pytest.mark.parametrize(
    "text, told",
    [
        ("(NP (DT the) (NN dog))", "3 nodes, 2 words"),
        ("(NP (DT the<0.5,1>) (NN <1,1.5>))", "3 nodes, 2 words · axis in seconds"),
        ("()", "1 node, 0 words"),
    ],
)
def test_heading(text, told):
    assert told in texts(draw_tree(tree_of(text)))


def test_an_empty_tree_says_so():
    assert "(empty: no parse)" in texts(draw_tree(tree_of("()")))


def test_seconds_are_written():
    assert {"0", "2"} <= set(texts(draw_tree(tree_of("(NP (DT the<0,1>) (NN <1,3>))"))))


def test_tooltips_tell_span_and_words():
    assert "NP, words 0–2: the dog" in texts(draw_tree(tree_of("(S (NP (DT the) (NN dog)) (VP (VBD ran)))")))


def test_nothing_speaks_of_another_tree():
    told = texts(draw_tree(tree_of("(TOP (S (A a)))")))
    assert not {"reference", "prediction", "not aligned"} & set(told)
    assert "TOP" in told


def test_labels_and_words_are_escaped():
    picture = draw_tree(tree_of("(S (<b> <i>) (A a&b))"))
    assert "<b>" not in picture
    assert {"<b>", "<i>", "a&b"} <= set(texts(picture))


def test_in_a_notebook():
    tree = tree_of("(NP (DT the) (NN dog))")
    html = tree._repr_html_()
    assert html.endswith(f' dir="ltr">{draw_tree(tree)}</div>')
    ElementTree.fromstring(html)
    assert ' dir="rtl">' in tree_of("(NP (DT ה) (NN ילד))")._repr_html_()


def test_in_a_notebook_it_is_bounded():
    tree = tree_of(f"(S {'(A a) ' * MAX_NODES})")
    size = f"{MAX_NODES + 1:,} nodes, {MAX_NODES:,} words"
    assert tree._repr_html_() == f"<pre>{size}\nnot drawn: more than {MAX_NODES:,} nodes</pre>"


def test_themes():
    tree = tree_of("(A a)")
    assert "color:" not in draw_tree(tree)
    assert "#16181d" in draw_tree(tree, theme="dark")
    with pytest.raises(ValueError, match="theme"):
        draw_tree(tree, theme="blue")
