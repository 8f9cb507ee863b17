"""Submitting, scoring, ranking and the host's actions, without pages."""

from __future__ import annotations

import json

import pytest

from leaderboard import scorer as scorer_module
from leaderboard.quotas import QuotaError
from leaderboard.scoring import score_in_sandbox
from leaderboard.service import AccessError, FieldError, Leaderboard, Visitor
from leaderboard.uploads import UploadError
from structiou_metric import StructIoU, __version__
from support.process import PATIENCE
from support.space_boards import HEBREW, REFERENCE, WORSE

ANN, BOB = Visitor("ann", "10.0.0.1"), Visitor("bob", "10.0.0.2")


def lines(rows):
    return ("\n".join(rows) + "\n").encode()


def submit(board, visitor, system, rows, benchmark="english", link="", contact=""):
    accepted = board.submit(visitor, benchmark, system, link, contact, lines(rows))
    return board.wait(accepted.id, PATIENCE)


def test_submit_is_scored_as_the_core_scores(board):
    done = submit(board, ANN, "worse", WORSE)
    assert done.state == "scored"
    _, result, _ = board.system(done.id)
    expected = StructIoU(labels="base").corpus_score(WORSE, REFERENCE)
    kept = result["metrics"]["struct_iou"]
    assert kept["figures"] == {key: expected.figures[key] for key in StructIoU.MEASURES}
    rows = board.store.result(done.id)["rows"]["struct_iou"]
    assert rows["columns"] == {name: list(column) for name, column in expected.columns.items()}
    assert kept["signature"] == expected.signature
    assert result["version"] == __version__
    assert result["labels"] == [
        {"label": label, "struct_iou": tally.score, "n_pred": tally.n_pred, "n_ref": tally.n_ref}
        for label, tally in expected.by_label.items()
    ]
    # EVALB by hand: all 3 + 2 + 3 brackets of sentences 1 to 3 are S, NP, VP; in the second, VP and the
    # inner NP: gold S NP VP NP, test S NP VP NP, of which VP differs.
    assert result["metrics"]["parseval"]["figures"]["parseval_f1"] == pytest.approx(9 / 10)


def test_board_ranks_best_first_and_shows_the_newest(board):
    submit(board, ANN, "mine", WORSE)
    submit(board, BOB, "exact", REFERENCE)
    submit(board, ANN, "mine", ["()", *WORSE[1:]])
    entries = board.board("english")
    assert [(entry.rank, entry.submission.system) for entry in entries] == [(1, "exact"), (2, "mine")]
    assert entries[1].result["n_empty"] == 1
    assert entries[0].interval.value == entries[0].interval.high == 1.0
    assert entries[0].interval.low == 1.0  # no sentence is different, so that nothing can be resampled
    _, _, versions = board.system(entries[1].submission.id)
    assert len(versions) == 2


def test_equal_scores_share_a_rank(board):
    for name in ("a", "b"):
        submit(board, ANN, name, REFERENCE)
    submit(board, ANN, "c", WORSE)
    assert [entry.rank for entry in board.board("english")] == [1, 1, 3]


def test_malformed_file_costs_no_quota(board, settings):
    for _ in range(settings.daily_per_user + 2):
        with pytest.raises(UploadError):
            board.submit(ANN, "english", "x", "", "", b"(S")
    assert submit(board, ANN, "x", REFERENCE).state == "scored"


def test_quota_by_user_and_by_address(settings):
    board = Leaderboard(settings.model_copy(update={"daily_per_user": 2, "daily_per_address": 3}))
    stranger = Visitor(None, "1.2.3.4")
    for k, visitor in enumerate((ANN, ANN, BOB, stranger, stranger, stranger)):
        board.submit(visitor._replace(address="1.2.3.4"), "english", f"s{k}", "", "", lines(REFERENCE))
    with pytest.raises(QuotaError, match="for a user"):
        board.submit(ANN, "english", "s6", "", "", lines(REFERENCE))
    with pytest.raises(QuotaError, match=r"for a network address of people who are not signed in; sign in"):
        board.submit(stranger, "english", "s6", "", "", lines(REFERENCE))
    # Others at the same address can submit when they sign in.
    board.submit(Visitor("eve", "1.2.3.4"), "english", "s6", "", "", lines(REFERENCE))
    board.submit(ANN, "english", "s0", "", "", lines(REFERENCE))  # a repeat is the same submission


@pytest.mark.parametrize(
    "fields, message",
    [
        pytest.param({"benchmark": "../english"}, "there is no benchmark of that name", id="benchmark"),
        pytest.param({"system": " \t"}, "name of the system: it is missing", id="no system"),
        pytest.param({"system": "x" * 81}, "it is 81 characters wide; 80 are the most", id="long system"),
        pytest.param({"system": "a\u202eb"}, "characters that cannot be seen", id="direction override"),
        pytest.param({"system": "a\0b"}, "characters that cannot be seen", id="nul"),
        pytest.param({"system": None}, "name of the system: write text", id="no text"),
        pytest.param({"link": "javascript:alert(1)"}, "link: write an address", id="script"),
        pytest.param({"link": "https://"}, "link: write an address", id="no host"),
        pytest.param({"link": 'https://a"onclick=b'}, "link: write an address", id="quote"),
        pytest.param({"link": "https://[bad"}, "link: write an address", id="bad host"),
        pytest.param({"contact": "x" * 201}, "contact: it is 201 characters wide", id="contact"),
    ],
)
def test_fields_are_checked(board, fields, message):
    values = {"benchmark": "english", "system": "x", "link": "", "contact": "", "data": lines(REFERENCE)}
    with pytest.raises(FieldError, match=message):
        board.submit(ANN, **{**values, **fields})
    assert board.store.all() == []


def test_anonymous_owners_differ_by_address_and_do_not_show_it(board):
    one = submit(board, Visitor(None, "192.0.2.1"), "same", REFERENCE)
    two = submit(board, Visitor(None, "192.0.2.2"), "same", WORSE)
    assert one.owner != two.owner
    assert len(board.board("english")) == 2
    stored = json.dumps([one._asdict(), two._asdict()])
    assert "192.0.2" not in stored


def test_what_was_queued_is_scored_after_a_restart(settings):
    first = Leaderboard(settings)  # ends before it scores anything
    accepted = first.submit(ANN, "english", "x", "", "", lines(REFERENCE))
    second = Leaderboard(settings)
    second.start()
    try:
        assert second.wait(accepted.id, PATIENCE).state == "scored"
    finally:
        second.stop()


def test_scoring_is_bounded_in_time(settings):
    accepted = Leaderboard(settings).submit(ANN, "english", "x", "", "", lines(REFERENCE))
    board = Leaderboard(settings.model_copy(update={"scoring_seconds": 0.001}))
    with pytest.raises(UploadError, match=r"reading the file took longer than 0\.001 seconds"):
        board.submit(ANN, "english", "y", "", "", lines(REFERENCE))
    board.start()
    try:
        done = board.wait(accepted.id, PATIENCE)
    finally:
        board.stop()
    assert done.state == "failed"
    assert "scoring took longer than 0.001 seconds" in done.problem
    assert board.board("english") == []


def test_scoring_is_bounded_in_memory(settings, caplog):
    accepted = Leaderboard(settings).submit(ANN, "english", "x", "", "", lines(REFERENCE))
    board = Leaderboard(settings.model_copy(update={"scoring_bytes": 2**20}))
    with pytest.raises(UploadError, match="reading the file failed; ask the host"):
        board.submit(ANN, "english", "y", "", "", lines(REFERENCE))
    board.start()
    try:
        done = board.wait(accepted.id, PATIENCE)
    finally:
        board.stop()
    assert (done.state, done.problem) == ("failed", "scoring failed; ask the host, whose log says why")


def test_error_while_scoring_does_not_end_the_worker(board, monkeypatch, caplog):
    def fail_once(*args):
        monkeypatch.setattr(scorer_module, "score_in_sandbox", score_in_sandbox)
        raise RuntimeError("boom")

    monkeypatch.setattr(scorer_module, "score_in_sandbox", fail_once)
    assert submit(board, ANN, "x", REFERENCE).problem == "scoring failed; ask the host, whose log says why"
    assert submit(board, ANN, "y", REFERENCE).state == "scored"


def test_host_hides_shows_and_deletes(board):
    done = submit(board, ANN, "x", REFERENCE)
    assert board.administer("host-token", "hide", done.id) == "hide: x"
    assert board.board("english") == []
    with pytest.raises(FieldError, match="no such submission"):
        board.system(done.id)
    board.administer("host-token", "show", done.id)
    assert len(board.board("english")) == 1
    board.administer("host-token", "delete", done.id)
    assert board.board("english") == []
    assert board.undo("host-token") == "undone: delete of 1 submission"
    assert len(board.board("english")) == 1
    with pytest.raises(FieldError, match="x: delete it first"):
        board.administer("host-token", "delete for good", done.id)
    board.administer("host-token", "delete", done.id)
    board.administer("host-token", "delete for good", done.id)
    assert board.store.all() == []
    assert [deed.action for deed in reversed(board.audit.deeds())] == [
        "hide",
        "show",
        "delete",
        "undo",
        "delete",
        "delete for good",
    ]


def figure(board):
    (entry,) = board.board("english")
    return entry.result["metrics"]["struct_iou"]["figures"]["struct_iou_sentence"]


def test_host_scores_old_results_again(board):
    done = submit(board, ANN, "x", REFERENCE)
    old = {**board.store.result(done.id), "version": "0.0.1"}
    old["metrics"]["struct_iou"]["figures"]["struct_iou_sentence"] = 0.5
    old["ranking"] = {**old["ranking"], "value": 0.5}
    board.store.finish(done.id, old)
    assert figure(board) == 0.5
    assert "1 submissions will be scored again" in board.administer("host-token", "re-score all", "")
    board.wait(done.id, PATIENCE)
    assert figure(board) == 1.0
    assert "0 submissions" in board.administer("host-token", "re-score all", "")


def test_only_the_host_administers(board, settings):
    done = submit(board, ANN, "x", REFERENCE)
    for token in ("", "host-toke", "host-tokem", "é"):
        with pytest.raises(AccessError, match="not the host's token"):
            board.administer(token, "delete", done.id)
    for _ in range(20):
        with pytest.raises(AccessError):
            board.administer("guess", "delete", done.id)
    with pytest.raises(AccessError, match="too many wrong tokens"):
        board.administer("host-token", "delete", done.id)
    assert board.store.get(done.id) is not None
    closed = Leaderboard(settings.model_copy(update={"admin_token": None}))
    with pytest.raises(AccessError, match="no host token"):
        closed.administer("", "delete", done.id)


def test_sentences_are_shown_only_where_the_host_says_so(board):
    english = submit(board, ANN, "x", WORSE)
    with pytest.raises(FieldError, match="keeps its sentences private"):
        board.worst_sentences(english.id, 5)
    hebrew = submit(board, ANN, "x", ["(S (NP (NN הבי) (NN ת)) (ADJP (JJ גדול)))"], "hebrew")
    ((row, alignment),) = board.worst_sentences(hebrew.id, 5)
    assert row == 1
    assert (
        alignment.score
        == StructIoU(unit="char").align("(S (NP (NN הבי) (NN ת)) (ADJP (JJ גדול)))", HEBREW[0]).score
    )
