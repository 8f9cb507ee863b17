"""What looks wrong is told on every page that shows a score."""

from __future__ import annotations

from leaderboard.file_scores import score_texts
from leaderboard.people import Visitor
from pages.board import show_system
from pages.controls import DEFAULTS, read_options
from pages.files import show_score
from pages.submission import show_receipt
from pages.trees import show_comparison
from support.process import PATIENCE
from support.space_boards import REFERENCE

OTHER = [tree.replace("dog", "<b>cat</b>") for tree in REFERENCE]
SAID = "the same number of words on both sides, but different words"


def data(trees):
    return "\n".join(trees).encode()


def test_page_of_two_trees():
    shown, _ = show_comparison("(S (NP we) (VP run))", "(S (NP dogs) (VP sleep))", DEFAULTS)
    assert f'role="note"><li>the pair: {SAID}' in shown
    shown, _ = show_comparison(REFERENCE[0], REFERENCE[0], DEFAULTS)
    assert 'role="note"' not in shown


def test_page_of_two_files():
    shown = show_score(score_texts(data(OTHER), data(REFERENCE), read_options(DEFAULTS)))
    assert f'role="note"><li>1 of 3 rows: {SAID}' in shown
    shown = show_score(score_texts(data(REFERENCE), data(REFERENCE), read_options(DEFAULTS)))
    assert 'role="note"' not in shown


def test_receipt_and_page_of_a_submission(board):
    for trees, told in ((OTHER, True), (REFERENCE, False)):
        sent = board.submit(Visitor("ann", "x"), "english", f"told {told}", "", "", data(trees))
        scored = board.wait(sent.id, PATIENCE)
        assert scored.state == "scored"
        for page in (show_receipt(board, scored), show_system(board, sent.id)):
            assert (f"1 of 3 rows: {SAID}" in page) is told
