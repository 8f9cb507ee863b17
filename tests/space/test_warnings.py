"""Warnings about what looks wrong are on every page that shows a score."""

from __future__ import annotations

import pytest

from playground import show_pair
from structiou_metric.report.pair import DEFAULTS
from support.space_boards import REFERENCE
from support.space_client import text, words_of

OTHER = [tree.replace("dog", "<b>cat</b>") for tree in REFERENCE]
WARNING = "the same number of words on both sides, but different words"


def test_page_of_two_trees(settings):
    shown = show_pair("(S (NP we) (VP run))", "(S (NP dogs) (VP sleep))", DEFAULTS, settings)
    assert f"<li>the pair: {WARNING}" in shown
    assert WARNING not in show_pair(REFERENCE[0], REFERENCE[0], DEFAULTS, settings)


@pytest.mark.parametrize("rows, is_warned", [(OTHER, True), (REFERENCE, False)])
def test_page_of_two_files(site, rows, is_warned):
    files = [("prediction", ("p.txt", text(rows))), ("reference", ("r.txt", text(REFERENCE)))]
    page = site.form("/score", {}, files)
    assert page.status_code == 200
    assert (f"1 of 3 rows: {WARNING}" in words_of(page)) is is_warned


@pytest.mark.parametrize("rows, is_warned", [(OTHER, True), (REFERENCE, False)])
def test_page_of_a_submission(site, rows, is_warned):
    sent = site.submit("english", "warned", rows)
    assert sent["state"] == "scored"
    assert bool(sent["warnings"]) is is_warned
    assert (f"1 of 3 rows: {WARNING}" in words_of(site.get(f"/system/{sent['id']}"))) is is_warned
