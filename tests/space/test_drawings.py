"""Drawings on pages, the reasons next to them, and the first page."""

from __future__ import annotations

import re

import pytest

from structiou_metric import StructIoU, align
from structiou_metric.drawing.svg import COLORS
from structiou_metric.report.pair import EXAMPLES, show_drawing, show_reasons

TREE = "(S (NP (DT the) (NN dog)) (VP (VBD barked)))"
OTHER = "(S (NP (DT the) (NN dog)) (VP (VB barked)))"


def drawn(html):
    """What can be chosen, in the order of the drawings; the one that is seen at first comes first."""
    found = re.findall(r'data-drawing="([a-z ]+)"( hidden)?', html)
    assert [bool(hidden) for _, hidden in found] == [False] + [True] * (len(found) - 1)
    assert html.count("<svg") == len(found)
    return [words for words, _ in found]


def long_pair(n_words, wrong=7):
    words = [f"(X (NN w{k}))" for k in range(n_words)]
    tree = f"(S (NP {' '.join(words[: n_words // 2])}) (VP {' '.join(words[n_words // 2 :])}))"
    return align(tree.replace(f"(NN w{wrong})", f"(VB w{wrong})"), tree)


@pytest.mark.parametrize(
    "alignment, causes, views",
    [
        pytest.param(align(TREE, TREE), True, ["all", "differing"], id="nothing is lost"),
        pytest.param(
            align(OTHER, TREE), False, ["all", "differing", "causes", "causes differing"], id="partners first"
        ),
        pytest.param(
            align(OTHER, TREE), True, ["causes", "causes differing", "all", "differing"], id="causes first"
        ),
        pytest.param(
            long_pair(60),
            True,
            ["causes differing", "causes", "differing", "all"],
            id="long, only what differs",
        ),
        pytest.param(long_pair(300), True, ["differing", "all"], id="so large that colours are fixed"),
        pytest.param(align("(S (A a))", "(T (B a))"), True, ["causes", "all"], id="nothing to fold"),
    ],
)
def test_which_drawings_there_are(alignment, causes, views):
    html = show_drawing(alignment, causes=causes)
    assert drawn(html) == views
    buttons = set(re.findall(r'data-choose="([a-z]+)"', html))
    assert buttons == {word for view in views for word in view.split()} - {"all"}


def test_large_drawing_is_coloured_by_cause_all_the_same():
    assert ">tag<" in show_drawing(long_pair(300), causes=True)


def test_drawing_begins_where_the_text_does():
    reference, prediction, unit = EXAMPLES["Hebrew, by characters"]
    assert 'dir="rtl"' in show_drawing(StructIoU(unit=unit).align(prediction, reference))
    assert 'dir="ltr"' in show_drawing(align(OTHER, TREE))


def test_reasons_have_the_colours_of_the_drawing():
    alignment = align(OTHER, TREE)
    [color] = re.findall(r"--cause:(#[0-9a-f]{6})", show_reasons(alignment))
    assert color in COLORS
    shown = show_drawing(alignment, causes=True).split("</svg>")[0]
    bars = dict(re.findall(r'(stroke="#[0-9a-f]{6}")[^>]*stroke-dasharray[^>]*/><text[^>]*>.*?(VB)', shown))
    assert f'stroke="{color}"' in bars
    assert "VB for VBD “barked”. That costs 0.167." in show_reasons(alignment)


def test_reasons_of_equal_trees_name_no_cause():
    shown = show_reasons(align(TREE, TREE))
    assert "<li>Every node has an equal partner: the trees agree.</li>" in shown
    assert "siou-cause" not in shown


def test_first_page_has_every_example_drawn_and_the_citation(site):
    page = site.get("/").text
    assert page.count("<svg") == len(EXAMPLES)
    assert page.count("/playground/?example=") == len(EXAMPLES)
    assert "10.18653/v1/2024.acl-long.666" in page
    assert "@inproceedings{shi-etal-2024-structured" in page


@pytest.mark.parametrize("path", ["/", "/playground/"])
def test_pages_load_the_style_and_the_script_of_drawings(site, path):
    page = site.get(path).text
    for name, kind, part in (
        ("pair.css", "css", ".siou-drawing"),
        ("pair.js", "javascript", "ResizeObserver"),
    ):
        assert f"/static/{name}" in page
        answer = site.get(f"/static/{name}")
        assert kind in answer.headers["content-type"]
        assert part in answer.text
