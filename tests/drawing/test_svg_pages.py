"""Pictures for a page: long axes in lines, what agrees folded, nodes by class, and PDF."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import StructIoU, align
from structiou_metric.drawing.classes import Classes
from structiou_metric.drawing.folding import fold
from structiou_metric.drawing.pdf import draw_pdf
from structiou_metric.drawing.svg import draw_svg
from support.bundled import joined_pair, pair_of
from support.examples import examples
from support.strategies import tree_pairs

NS = "{http://www.w3.org/2000/svg}"
ROUNDING = 0.11


class Part:
    """A bar of a line: where it stands, and whether it is open at the left and at the right."""

    def __init__(self, group):
        *_, outline = (item for item in group if item.tag in (f"{NS}rect", f"{NS}path"))
        self.node = int(group.get("data-node"))
        self.dashes = outline.get("stroke-dasharray")
        self.color = outline.get("stroke")
        if outline.tag == f"{NS}rect":
            self.left, self.top = float(outline.get("x")), float(outline.get("y"))
            self.right = self.left + float(outline.get("width"))
            self.open = (False, False)
            return
        path = outline.get("d")
        xs = [float(x) for x in re.findall(r"[MH]([\d.]+)", path)]
        self.left, self.right, self.top = min(xs), max(xs), float(path.split()[1].split("H")[0])
        closed = "V" in path
        self.open = (xs[0] == self.left or not closed, xs[0] == self.right or not closed)


def parts_of(picture, side):
    """By node, its bars from line to line."""
    found = {}
    for group in ElementTree.fromstring(picture).iter(f"{NS}g"):
        if group.get("data-tree") == side:
            part = Part(group)
            found.setdefault(part.node, []).append(part)
    return found


def words_of(picture, side="reference"):
    """The words of each line, with their places."""
    return [
        [
            ((text.text or "") + "".join(item.tail or "" for item in text), float(text.get("x")))
            for text in row
        ]
        for row in ElementTree.fromstring(picture).iter(f"{NS}g")
        if row.get("data-words") == side
    ]


def width_of(picture):
    return float(ElementTree.fromstring(picture).get("width"))


@examples(40)
@given(tree_pairs(9), st.sampled_from(["ltr", "rtl"]), st.sampled_from([60, 120, 250]))
def test_lines_hold_every_word_once_and_every_node(pair, direction, width):
    one = align(*(case.brackets for case in pair))
    picture = draw_svg(one, width=width, direction=direction)
    lines = words_of(picture)
    assert [word for line in lines for word, _ in line] == list(one.reference.words)
    for line in lines:
        xs = [x for _, x in line]
        assert xs == sorted(xs, reverse=direction == "rtl")
    for side, nodes in (("reference", one.reference_side.nodes), ("prediction", one.prediction_side.nodes)):
        parts = parts_of(picture, side)
        assert sorted(parts) == sorted(nodes)
        for bars in parts.values():
            # It begins in the first of its lines and ends in the last, and nowhere else.
            before, behind = (1, 0) if direction == "rtl" else (0, 1)
            assert not bars[0].open[before]
            assert not bars[-1].open[behind]
            assert len(bars) <= 2
            if len(bars) == 2:
                assert bars[0].open[behind]
                assert bars[1].open[before]


@examples(40)
@given(tree_pairs(7, timed=True), st.sampled_from(["ltr", "rtl"]), st.booleans())
def test_lines_of_timed_trees(pair, direction, only_differing):
    one = StructIoU(unit="time").align(*((case.brackets, case.times) for case in pair))
    picture = draw_svg(one, width=130, direction=direction, only_differing=only_differing)
    for k, side in enumerate(("prediction", "reference")):
        parts = parts_of(picture, side)
        lost = set(getattr(one, f"{side}_side").nodes) - {pair[k].number for pair in one.pairs}
        assert lost <= set(parts)
        for bars in parts.values():
            assert all(0 <= bar.left <= bar.right <= width_of(picture) for bar in bars)
            assert len({bar.top for bar in bars}) == len(bars)


def test_lines_are_as_wide_as_asked_for():
    one = joined_pair([65, 56, 45])
    assert len(one.reference.words) >= 80
    long = draw_svg(one)
    picture = draw_svg(one, width=600)
    assert width_of(long) > 3000
    assert width_of(picture) < 660
    assert len(words_of(picture)) > 5
    assert draw_svg(one, width=100_000) == long


def test_a_bar_that_passes_through_a_line_is_not_drawn_in_it():
    tree = f"(S {' '.join(f'(W{i} word{i})' for i in range(12))})"
    picture = draw_svg(align(tree, tree), width=200)
    assert len(words_of(picture)) > 3
    assert len(parts_of(picture, "reference")[12]) == 2


def test_what_both_agree_on_is_folded():
    one = joined_pair([56, 43])
    picture = draw_svg(one, only_differing=True)
    folds = fold(one)
    parts = parts_of(picture, "reference")
    below = {i for node in folds.reference for i in range(node - one.reference.sizes[node] + 1, node)}
    assert below
    assert below.isdisjoint(parts)
    assert set(parts) | below >= set(one.reference_side.nodes)
    [row] = words_of(picture)
    assert "if … years" in [word for word, _ in row]
    assert width_of(picture) < 0.8 * width_of(draw_svg(one))
    assert "\nboth trees agree on " in picture


def test_what_differs_is_never_folded_away():
    one = joined_pair([65, 56, 45])
    for options in ({}, {"width": 600}):
        picture = draw_svg(one, only_differing=True, **options)
        for k, side in enumerate(("prediction", "reference")):
            perfect = {pair[k].number for pair in one.pairs if pair[2] == 1}
            nodes = getattr(one, f"{side}_side").nodes
            assert set(nodes) - perfect <= set(parts_of(picture, side))


def test_seconds_of_a_folded_stretch_are_told():
    words = " ".join(f"(A w<{i},{i + 1}>)" for i in range(30))
    tree = f"(S (X (Y {words})) (%s z<30,31>))"
    one = StructIoU(unit="time").align(tree % "B", tree % "C")
    picture = draw_svg(one, only_differing=True)
    assert "⋯ 30 ⋯" in picture
    assert width_of(picture) < 400


def test_classes_colour_nodes_instead_of_pairs():
    one = align("(S (A a) (B b))", "(S (A a) (C b))")
    classes = Classes({1: "label"}, {1: "tag"}, order=("boundary", "tag"))
    assert classes.colors == {"tag": 1, "label": 2}
    picture = draw_svg(one, classes=classes)
    reference, prediction = (parts_of(picture, side) for side in ("reference", "prediction"))
    assert (reference[1][0].color, prediction[1][0].color) == ("#e99601", "#057b54")
    assert reference[1][0].dashes
    assert {parts[0].color for node, parts in reference.items() if node != 1} == {"#808080"}
    groups = [g.get("data-class") for g in ElementTree.fromstring(picture).iter(f"{NS}g")]
    assert [name for name in groups if name] == ["tag", "label"]
    without = draw_svg(one, classes=classes, legend=False)
    assert "data-class" not in without
    assert parts_of(without, "reference")[1][0].color == "#e99601"


# ---------------------------------------------------------------------------------------------- PDF


def pages_for(alignment, monkeypatch, **options):
    """The pictures that typst is given, and the whole source."""
    sources = []
    stand_in = SimpleNamespace(compile=lambda source: sources.append(source.decode()) or b"%PDF")
    monkeypatch.setitem(sys.modules, "typst", stand_in)
    assert draw_pdf(alignment, **options) == b"%PDF"
    [source] = sources
    quoted = re.findall(r'#image\(bytes\("((?:[^"\\]|\\.)*)"\), format: "svg"\)', source)
    return [re.sub(r"\\(.)", r"\1", text) for text in quoted], source


def test_pdf_has_the_picture_on_a_page(monkeypatch):
    one = pair_of("hebrew", 8, unit="char")
    [picture], source = pages_for(one, monkeypatch, description='a "b" \\')
    assert picture == draw_svg(one, theme="light")
    assert r'#set document(description: "a \"b\" \\")' in source


def test_pdf_of_many_words_goes_on_further_pages(monkeypatch):
    one = joined_pair([65, 56, 45])
    pages, source = pages_for(one, monkeypatch)
    assert len(pages) > 1
    assert source.count("#pagebreak()") == len(pages) - 1
    sizes = [ElementTree.fromstring(page).attrib for page in pages]
    assert all(float(size["height"]) <= 24 / 2.54 * 96 for size in sizes)
    assert all(float(size["width"]) <= 1.1 * 16 / 2.54 * 96 for size in sizes)
    lines = [line for page in pages for line in words_of(page)]
    assert lines == words_of(draw_svg(one, only_differing=True, width=16 / 2.54 * 96))


def test_pdf_folds_by_the_number_of_words(monkeypatch):
    short, long = joined_pair([43, 33]), joined_pair([56, 43])
    for one, folded in ((short, False), (long, True)):
        pages, _ = pages_for(one, monkeypatch)
        assert any("both trees agree" in page for page in pages) == folded
    pages, _ = pages_for(long, monkeypatch, only_differing=False)
    assert not any("both trees agree" in page for page in pages)


def test_pdf_without_its_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(
        ImportError, match=re.escape("a PDF needs typst: pip install 'structiou-metric[pdf]'")
    ):
        draw_pdf(align("(A a)", "(A a)"))


@pytest.mark.parametrize("unit, name", [("word", "english"), ("char", "hebrew"), ("time", "speech")])
def test_pdf_is_written_by_its_library(unit, name):
    pytest.importorskip("typst")
    found = draw_pdf(pair_of(name, 2, unit=unit), description='<&"\\#')
    assert found.startswith(b"%PDF-")
    assert b"/Count 1" in found
