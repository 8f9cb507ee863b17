"""How many submissions a person may make, for whichever team and from whichever network."""

from __future__ import annotations

import pytest

from leaderboard.fields import FieldError
from leaderboard.people import AccessError, Visitor
from leaderboard.quotas import QuotaError
from leaderboard.service import Leaderboard
from support.space_boards import PRIVATE, WORSE, write_benchmark

TOTAL = 6
DATA = ("\n".join(WORSE) + "\n").encode()
STRANGER = Visitor(None, "192.0.2.1")


@pytest.fixture(params=["", "teams = true\n"], ids=["for anybody", "for teams"])
def private(settings, request):
    """A board with private reference trees, which does not score."""
    gold = f"[gold]\ntotal = {TOTAL}\n\n[metrics.parseval]"
    description = request.param + PRIVATE.replace("[metrics.parseval]", gold)
    write_benchmark(settings.benchmarks, "private", description)
    return Leaderboard(settings.model_copy(update={"daily_per_user": 100, "daily_per_address": 100}))


def submit(board, visitor, system, team, key, benchmark="private"):
    return board.submit(visitor, benchmark, system, "", "", DATA, team=team, team_key=key)


def attack(board, visitor):
    """Submit as often as possible for five teams; return how often that was."""
    accepted = 0
    for name in ("Ants", "Bees", "Cats", "Dogs", "Emus"):
        team, key = board.make_team(name, visitor)
        for k in range(TOTAL):
            try:
                submit(board, visitor, f"{name} {k}", team, key)
            except QuotaError:
                continue
            accepted += 1
    return accepted


@pytest.mark.parametrize("visitor", [STRANGER, Visitor("eve", "192.0.2.1")], ids=["address", "user"])
def test_several_teams_of_one_person_share_the_total(private, visitor):
    """60 of 60 submissions from one address were accepted when a team's total was its own."""
    assert attack(private, visitor) == TOTAL


def test_a_shared_network_does_not_lock_others_out(private):
    attack(private, STRANGER)
    user = Visitor("ann", STRANGER.address)
    team, key = private.make_team("Foxes", user)
    assert submit(private, user, "signed in", team, key).team == "Foxes"
    with pytest.raises(QuotaError, match="sign in where that is possible, or ask the host to vouch"):
        submit(private, STRANGER, "x", team, key)
    private.vouch("host-token", "Foxes")
    for k in range(TOTAL - 1):
        submit(private, STRANGER, f"vouched {k}", team, key)
    with pytest.raises(
        QuotaError, match=f"^{TOTAL} submissions to this benchmark in all are the most for a team"
    ):
        submit(private, STRANGER, "one more", team, key)
    assert [team.vouched for team in private.teams.all() if team.name == "Foxes"] == [True]
    assert [(deed.who, deed.action) for deed in private.audit.deeds(1)] == [("host", "vouch")]


def test_a_team_of_several_users_shares_the_total(private):
    team, key = private.make_team("Foxes", Visitor("ann", "192.0.2.1"))
    for k in range(TOTAL):
        submit(private, Visitor(f"user{k}", f"192.0.2.{k}"), f"s{k}", team, key)
    with pytest.raises(QuotaError, match="in all are the most for a team"):
        submit(private, Visitor("another", "192.0.2.99"), "x", team, key)


def test_phases_count_a_person_across_teams(settings):
    write_benchmark(
        settings.benchmarks,
        "phased",
        PRIVATE + "\n[[phases]]\nname = 'test'\nin_total = 2\nper_day = 2\n",
    )
    board = Leaderboard(settings)
    ann = Visitor("ann", "192.0.2.1")
    keys = dict(board.make_team(name, ann) for name in ("Ants", "Bees", "Cats"))
    submit(board, ann, "a", "Ants", keys["Ants"], "phased")
    submit(board, ann, "b", "Bees", keys["Bees"], "phased")
    with pytest.raises(QuotaError, match="2 submissions to test in all are the most for a user"):
        submit(board, ann, "c", "Cats", keys["Cats"], "phased")


def test_teams_a_day_are_counted_by_user_or_address(private):
    for k in range(5):
        private.make_team(f"Team of mine {k}", Visitor("ann", "192.0.2.1"))
    with pytest.raises(QuotaError, match="5 new teams in 24 hours"):
        private.make_team("Sixth", Visitor("ann", "192.0.2.2"))
    private.make_team("Of another", Visitor("bob", "192.0.2.1"))


def test_withdrawing_is_bounded(settings):
    """210 withdrawals in half a minute pushed everything else out of the log."""
    board = Leaderboard(settings)
    ann = Visitor("ann", "192.0.2.1")
    one = board.submit(ann, "english", "x", "", "", DATA)
    for k in range(6):
        board.withdraw_own(ann, one.id, undo=k % 2 == 1)
    with pytest.raises(QuotaError, match="withdrawn and put back 6 times in 24 hours"):
        board.withdraw_own(ann, one.id)
    assert len(board.audit.deeds()) == 6
    board.administer("host-token", "withdraw", one.id)  # the host is not bound


def test_secret_of_a_team_submission_is_the_teams_key(settings):
    board = Leaderboard(settings)
    team, key = board.make_team("Foxes", STRANGER)
    done = submit(board, STRANGER, "x", team, key, "english")
    assert done.secret == ""
    assert board.withdraw_own(STRANGER, done.id, key).removed == "withdrawn"
    alone = board.submit(STRANGER, "english", "y", "", "", DATA)
    assert board.withdraw_own(STRANGER, alone.id, alone.secret).removed == "withdrawn"


def test_unknown_team_cannot_be_vouched_for(settings):
    board = Leaderboard(settings)
    with pytest.raises(FieldError, match="there is no team of that name"):
        board.vouch("host-token", "Nobody")
    with pytest.raises(AccessError):
        board.vouch("wrong", "Nobody")
