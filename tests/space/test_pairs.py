"""Comparing two trees within limits, the options of forms, and what the playground shows."""

from __future__ import annotations

import re

import pytest

import pairs
from leaderboard.sandbox import BusyError, Lane
from pairs import compare_pair
from playground import show_pair
from structiou_metric import StructIoU, struct_iou
from structiou_metric.report.pair import DEFAULTS, OPTIONS, as_form, read_form
from support.space_client import find_dangers, words_of

TREE = "(S (NP (DT the) (NN dog)) (VP (VBD barked)))"
OTHER = "(S (NP (DT the) (NN dog)) (VP (VB barked)))"
PAIR = {name: option for name, option in StructIoU.OPTIONS.items() if not option.corpus}


def comb(n, right):
    tree = "(A w)"
    for _ in range(n - 1):
        tree = f"(X (A w) {tree})" if right else f"(X {tree} (A w))"
    return tree


def test_forms_have_every_option_that_matters_for_a_pair(site):
    page = site.get("/score").text
    named = re.findall(r'name="option-([a-z_]+)"', page)
    assert named == list(PAIR) == list(OPTIONS)
    for option in PAIR.values():
        assert option.help in words_of(page)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"unit": "char", "labels": "ignore", "terminals": "flexible"},
        {"min_iou": 0.25, "drop": ()},
        {"texts": "aligned"},
        {"drop": ("", "X")},
    ],
)
def test_metric_comes_back_from_the_form(options):
    metric = StructIoU(**options)
    shown = {name: as_form(option, getattr(metric.options, name)) for name, option in OPTIONS.items()}
    assert read_form(shown) == metric


def test_absent_options_have_their_defaults():
    assert read_form({}) == StructIoU()
    assert DEFAULTS["drop"] == "TOP ROOT S1 VROOT '' -NONE-"


@pytest.mark.parametrize(
    "values, message",
    [
        ({"average": "corpus"}, "unknown option 'average'; choose from unit, "),
        ({"unit": "mile"}, "unknown unit 'mile'"),
        ({"unit": "time", "texts": "aligned"}, "'aligned' is for words and characters"),
        ({"drop": ["TOP"]}, "drop must be labels separated by spaces"),
    ],
)
def test_form_with_a_mistake(values, message):
    with pytest.raises(ValueError, match=message):
        read_form(values)


def test_pairs_that_differ_come_first(settings):
    page = show_pair(OTHER, TREE, DEFAULTS, settings)
    assert f"{struct_iou(OTHER, TREE):.4f}" in page
    right, wrong = "(S (AP we) (NP the dog) (VP barked))", "(S (AP we) (NP the) (VP dog barked))"
    table = show_pair(wrong, right, DEFAULTS, settings).partition('<table id="pairs">')[2]
    labels = re.findall(r'<th scope="row" dir="auto">([^<]+)</th>', table)
    assert labels == ["NP", "VP", "AP", "S"]


def test_place_of_an_error_is_marked_in_its_line(settings):
    """A caret below would stand at another place where the line is wrapped."""
    page = show_pair("(S (NP we)\n  (VP run)))", TREE, DEFAULTS, settings)
    assert "prediction, line 2, column 12: this &#39;)&#39; closes nothing" in page
    assert "(VP run))<mark>)</mark>" in page
    assert "^" not in page


def test_long_pair_is_compared_in_a_process_of_its_own(settings, monkeypatch):
    started = []
    run = pairs.sandbox.run
    monkeypatch.setattr(pairs.sandbox, "run", lambda *values: started.append(values[0]) or run(*values))
    assert compare_pair(TREE, TREE, {}, settings)["struct_iou"] == 1.0
    assert started == []
    found = compare_pair(comb(80, True), comb(80, False), {}, settings, drawing=True)
    assert started == ["pairs"]
    assert found["struct_iou"] == struct_iou(comb(80, True), comb(80, False))
    assert "<svg" in found["drawing"]


def test_heavy_pair_is_refused_by_its_predicted_cost(settings):
    with pytest.raises(ValueError, match=r"takes more than 2e\+08 cells of tables, the limit that is set"):
        compare_pair(comb(990, True), comb(990, False), {}, settings)


def test_long_pairs_wait_for_each_other(settings, monkeypatch):
    monkeypatch.setattr(pairs, "_LANE", Lane(1, 0, "comparing long trees"))
    with pairs._LANE:
        with pytest.raises(BusyError, match="too many are comparing long trees"):
            compare_pair(comb(80, True), comb(80, False), {}, settings)
        assert compare_pair(TREE, TREE, {}, settings)["struct_iou"] == 1.0


@pytest.mark.parametrize("label", ["<script>alert[1]</script>", "'onmouseover='x", "]]><![CDATA[", "{{7*7}}"])
def test_html_in_trees_is_text(settings, label):
    tree = f"(S ({label} {label}) (A a))"
    page = show_pair(tree, tree, DEFAULTS, settings)
    assert "<svg" in page
    assert find_dangers(page) == []
    assert find_dangers(show_pair(f"({label}", "", DEFAULTS, settings)) == []
    assert find_dangers(show_pair(tree, tree, {**DEFAULTS, "unit": label}, settings)) == []


def test_half_characters_are_refused(settings):
    with pytest.raises(ValueError, match="prediction: the text has half characters"):
        compare_pair("(A \ud800)", TREE, {}, settings)
