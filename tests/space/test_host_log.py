"""Who did something, pages of the log, and undoing a line of it."""

from __future__ import annotations

import pytest

from leaderboard.fields import FieldError
from leaderboard.people import HOST, AccessError, Actor, Visitor
from leaderboard.service import Leaderboard
from support.space_boards import WORSE

TOKEN = "host-token"
DATA = ("\n".join(WORSE) + "\n").encode()
ANN = Visitor("ann", "192.0.2.1")


@pytest.fixture
def quiet(settings):
    """A board that does not score."""
    return Leaderboard(settings.model_copy(update={"daily_per_user": 100}))


def test_a_user_called_host_is_not_the_host(quiet):
    """What somebody of that name had withdrawn was the host's to undo, and came back."""
    host = Visitor("host", "192.0.2.1")
    done = quiet.submit(host, "english", "x", "", "", DATA)
    quiet.withdraw_own(host, done.id)
    assert [deed.actor for deed in quiet.log(TOKEN)] == [Actor("user", "host")]
    with pytest.raises(FieldError, match="there is nothing to undo"):
        quiet.undo(TOKEN)
    (deed,) = quiet.log(TOKEN)
    with pytest.raises(FieldError, match="withdraw by user host, cannot be undone"):
        quiet.undo(TOKEN, deed.number)
    assert quiet.store.get(done.id).removed == "withdrawn"


@pytest.mark.parametrize(
    "name", ["host", "Host", "h\u043est", "H\u041eST", "server", "visitor", "Admin", "anonymous"]
)
def test_names_of_the_server_are_reserved(quiet, name):
    with pytest.raises(FieldError, match="may be mistaken for a part of this server"):
        quiet.make_team(name, ANN)


def test_owner_cannot_undo_the_hosts_withdrawal(quiet):
    done = quiet.submit(ANN, "english", "x", "", "", DATA)
    quiet.administer(TOKEN, "withdraw", done.id)
    for undo in (True, False):
        with pytest.raises(AccessError, match="only the host can put it back"):
            quiet.withdraw_own(ANN, done.id, undo=undo)
    quiet.administer(TOKEN, "restore", done.id)
    assert quiet.withdraw_own(ANN, done.id).removed == "withdrawn"
    assert quiet.withdraw_own(ANN, done.id, undo=True).removed == ""


def test_log_has_pages(quiet):
    for k in range(25):
        quiet.audit.write(float(k), HOST, "announce", "", str(k))
    pages, before = [], None
    while page := quiet.log(TOKEN, before=before, most=10):
        pages.append([deed.detail for deed in page])
        before = page[-1].number
    assert [len(page) for page in pages] == [10, 10, 5]
    assert [detail for page in pages for detail in page] == [str(k) for k in range(24, -1, -1)]
    with pytest.raises(AccessError):
        quiet.log("wrong")


def test_a_line_of_the_log_is_undone(quiet):
    one, two = (quiet.submit(ANN, "english", system, "", "", DATA) for system in "ab")
    quiet.administer(TOKEN, "hide", f"{one.id} {two.id}")
    quiet.administer(TOKEN, "delete", one.id)
    numbers = {(deed.action, deed.subject): deed.number for deed in quiet.log(TOKEN)}
    assert quiet.undo(TOKEN, numbers["hide", one.id]) == "undone: hide of 1 submission"
    states = [(item.hidden, item.removed) for item in map(quiet.store.get, (one.id, two.id))]
    assert states == [(False, "deleted"), (True, "")]
    with pytest.raises(FieldError, match=r"cannot be undone \(again\)"):
        quiet.undo(TOKEN, numbers["hide", one.id])
    with pytest.raises(FieldError, match="the log has no line 999"):
        quiet.undo(TOKEN, 999)
    quiet.administer(TOKEN, "show", two.id)
    with pytest.raises(FieldError, match="b was changed since"):
        quiet.undo(TOKEN, numbers["hide", two.id])
    undo = next(deed for deed in quiet.log(TOKEN) if deed.action == "undo")
    assert undo.detail == f"line {numbers['hide', one.id]}, hide"


def test_undoing_brings_the_state_of_before_back(quiet):
    """An entry that its owner had withdrawn is withdrawn again when the host undoes deleting it."""
    done = quiet.submit(ANN, "english", "x", "", "", DATA)
    quiet.withdraw_own(ANN, done.id)
    quiet.administer(TOKEN, "delete", done.id)
    quiet.undo(TOKEN)
    found = quiet.store.get(done.id)
    assert (found.removed, found.by_host) == ("withdrawn", False)
    assert quiet.withdraw_own(ANN, done.id, undo=True).removed == ""
