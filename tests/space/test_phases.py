"""Phases of a shared task: their times, which one takes a submission, what a description may say."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime

import pytest

from leaderboard.benchmarks import load_benchmark
from leaderboard.fields import FieldError
from leaderboard.people import AccessError, Visitor
from leaderboard.phases import choose_phase, current_phase, find_phase, make_clock, read_phases
from leaderboard.service import Leaderboard
from support.process import PATIENCE
from support.space_boards import DESCRIPTION, REFERENCE, WORSE, write_benchmark
from web.views import badge_of

PHASES = """
[[phases]]
name = "dev"
opens = 2026-09-01
closes = 2026-09-30

[[phases]]
name = "test"
opens = 2026-10-01T12:00:00
closes = 2026-10-08T12:00:00+00:00
late = true
"""


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def phases(text, zone="UTC"):
    return read_phases(tomllib.loads(text)["phases"], zone)


@pytest.mark.parametrize(
    "zone, opens, closes, noon",
    [
        pytest.param("UTC", "2026-09-01T00:00", "2026-10-01T00:00", "2026-10-01T12:00", id="utc"),
        # Anywhere on Earth is twelve hours behind; Berlin two hours ahead in summer.
        pytest.param("AoE", "2026-09-01T12:00", "2026-10-01T12:00", "2026-10-02T00:00", id="anywhere"),
        pytest.param(
            "Europe/Berlin", "2026-08-31T22:00", "2026-09-30T22:00", "2026-10-01T10:00", id="berlin"
        ),
    ],
)
def test_times_are_in_the_zone(zone, opens, closes, noon):
    dev, test = phases(PHASES, zone)
    assert (dev.opens, dev.closes, test.opens) == (at(opens), at(closes), at(noon))
    assert test.closes == at("2026-10-08T12:00"), "an offset counts more than the zone"
    assert dev.show(dev.closes) == f"2026-10-01 00:00 {zone}", "a day ends at its end"


@pytest.mark.parametrize(
    "time, states, chosen",
    [
        pytest.param("2026-08-31T23:59:59", ["before", "before"], None, id="too early"),
        pytest.param("2026-09-01T00:00", ["open", "before"], "dev", id="first moment"),
        pytest.param("2026-09-30T23:59:59", ["open", "before"], "dev", id="last moment"),
        pytest.param("2026-10-01T00:00", ["closed", "before"], None, id="between"),
        pytest.param("2026-10-02T00:00", ["closed", "open"], "test", id="test"),
        pytest.param("2026-11-01T00:00", ["closed", "late"], "test", id="late"),
    ],
)
def test_phase_of_a_submission(time, states, chosen):
    found = phases(PHASES)
    now = at(time)
    assert [phase.state(now) for phase in found] == states
    if chosen is None:
        with pytest.raises(FieldError, match="no phase takes submissions now"):
            choose_phase(found, "", now)
    else:
        assert choose_phase(found, "", now).name == chosen
    for phase, state in zip(found, states, strict=True):
        if state in ("before", "closed"):
            with pytest.raises(FieldError, match=f"{phase.name} takes no submissions now"):
                choose_phase(found, phase.name, now)


@pytest.mark.parametrize(
    "time, dev, test",
    [
        pytest.param(
            "2026-08-01T00:00", "opens 2026-09-01 00:00 UTC", "opens 2026-10-01 12:00 UTC", id="before"
        ),
        pytest.param(
            "2026-10-02T00:00", "closed 2026-10-01 00:00 UTC", "open until 2026-10-08 12:00 UTC", id="open"
        ),
        pytest.param(
            "2026-11-01T00:00",
            "closed 2026-10-01 00:00 UTC",
            "closed 2026-10-08 12:00 UTC; late submissions are kept apart",
            id="late",
        ),
    ],
)
def test_times_of_a_phase_are_shown(time, dev, test):
    assert [phase.describe(at(time)) for phase in phases(PHASES)] == [dev, test]


def test_phase_that_a_page_shows_first():
    found = phases(PHASES)
    assert current_phase(found, at("2026-08-01T00:00")) == "dev"
    assert current_phase(found, at("2026-10-01T06:00")) == "dev"
    assert current_phase(found, at("2026-12-01T00:00")) == "test"
    assert current_phase((), 0.0) == ""
    with pytest.raises(FieldError, match="there is no phase 'final'; choose from dev, test"):
        find_phase(found, "final")


@pytest.mark.parametrize(
    "phase, message",
    [
        pytest.param('name = "a b"', "name it in small letters", id="name"),
        pytest.param("title = 'x'", "phase 1: name it in small letters", id="no name"),
        pytest.param('name = "x"\ncloses = "2026"', "phase x: closes must be a date or a time", id="text"),
        pytest.param("name = 'x'\nper_day = 0", "per_day must be a whole number from 1 on", id="zero"),
        pytest.param("name = 'x'\nper_day = true", "per_day must be a whole number", id="truth"),
        pytest.param("name = 'x'\nlate = 1", "late must be true or false", id="late"),
        pytest.param("name = 'x'\nlate = true", "nothing can be late, as it never closes", id="never"),
        pytest.param("name = 'x'\nlimit = 3", "unknown key limit; choose from name, title", id="key"),
        pytest.param(
            "name = 'x'\ntime_zone = 'Mars'\nopens = 2026-01-01", "unknown time zone 'Mars'", id="zone"
        ),
        pytest.param(
            "name = 'x'\nopens = 2026-02-01\ncloses = 2026-01-01", "closes before it opens", id="order"
        ),
        pytest.param("name = 'x'\nreference = 'no.txt'", "'no.txt' is no file in this folder", id="file"),
        pytest.param("name = 'x'\nreference = '../gold.txt'", "is no file in this folder", id="outside"),
        pytest.param("name = 'x'\n[[phases]]\nname = 'x'", "two phases are called 'x'", id="twice"),
    ],
)
def test_description_with_a_mistake(tmp_path, phase, message):
    folder = write_benchmark(tmp_path, "english", f"{DESCRIPTION}\n[[phases]]\n{phase}\n")
    with pytest.raises(ValueError, match=r"benchmark\.toml: ") as caught:
        load_benchmark(folder)
    assert message in str(caught.value)


def test_reference_of_every_phase_is_checked(tmp_path):
    folder = write_benchmark(
        tmp_path, "english", f"{DESCRIPTION}\n[[phases]]\nname = 'x'\nreference = 'bad.txt'\n"
    )
    (folder / "bad.txt").write_text("(S (A a)\n", "utf-8")
    with pytest.raises(ValueError, match=r"bad\.txt: "):
        load_benchmark(folder)


def test_clock_of_a_file(tmp_path):
    path = tmp_path / "now"
    path.write_text("2026-09-01T12:00:00+02:00\n", "utf-8")
    clock = make_clock(path)
    assert clock() == at("2026-09-01T10:00")
    path.write_text("2026-09-01", "utf-8")
    assert clock() == at("2026-09-01T00:00")
    path.write_text("noon", "utf-8")
    with pytest.raises(ValueError, match="'noon' is no time; write one such as"):
        make_clock(path)


def test_withdrawing_brings_the_one_before_back(settings):
    board = Leaderboard(settings)
    board.start()
    ann = Visitor("ann", "10.0.0.1")
    try:
        for rows in (WORSE, REFERENCE):
            data = ("\n".join(rows) + "\n").encode()
            done = board.wait(board.submit(ann, "english", "x", "", "", data).id, PATIENCE)
        (entry,) = board.board("english")
        assert entry.submission.id == done.id
        assert [rank.rank for rank in board.history(done.id)] == [1, 1]
        board.withdraw_own(ann, done.id)
        (entry,) = board.board("english")
        assert entry.submission.id != done.id
        with pytest.raises(FieldError, match="no such submission"):
            board.system(done.id)
        # The same file may be submitted once more.
        again = board.submit(ann, "english", "x", "", "", data)
        assert again.id != done.id
        board.wait(again.id, PATIENCE)
        board.withdraw_own(ann, done.id, undo=True)
        assert {deed.action: deed.who for deed in board.audit.deeds()} == {
            "withdraw": "user ann",
            "restore": "user ann",
        }
        assert board.audit.last_undoable() == [], "only the host's own actions are the host's to undo"
    finally:
        board.stop()


def test_only_its_owner_withdraws(settings):
    board = Leaderboard(settings)
    data = ("\n".join(REFERENCE) + "\n").encode()
    ann, bob, nobody = Visitor("ann", "10.0.0.1"), Visitor("bob", "10.0.0.1"), Visitor(None, "10.0.0.1")
    own = board.submit(ann, "english", "x", "", "", data)
    for visitor in (bob, nobody):
        with pytest.raises(AccessError, match="only who made this submission may withdraw it"):
            board.withdraw_own(visitor, own.id)
    assert board.withdraw_own(ann, own.id).removed == "withdrawn"
    assert board.withdraw_own(ann, own.id, undo=True).removed == ""
    team, key = board.make_team("The Owls", ann)
    shared = board.submit(bob, "english", "y", "", "", data, team=team, team_key=key)
    assert board.withdraw_own(ann, shared.id).removed == "withdrawn", "who made the team is a member"
    assert board.withdraw_own(bob, shared.id, undo=True).removed == "", "and so is who has used its key"
    with pytest.raises(AccessError, match="not the key of a team"):
        board.withdraw_own(Visitor("eve", "10.0.0.1"), shared.id, "guess")
    board.administer("host-token", "delete", shared.id)
    with pytest.raises(FieldError, match="no such submission"):
        board.withdraw_own(ann, shared.id, undo=True)


def test_team_with_the_name_of_a_user_does_not_take_the_users_place(board):
    data = [("\n".join(rows) + "\n").encode() for rows in (REFERENCE, WORSE)]
    team, key = board.make_team("ann", Visitor("eve", "y"))  # before there is a user of that name
    own = board.submit(Visitor("ann", "x"), "english", "x", "", "", data[0])
    other = board.submit(Visitor("eve", "y"), "english", "x", "", "", data[1], team=team, team_key=key)
    board.wait(own.id, PATIENCE)
    board.wait(other.id, PATIENCE)
    assert [entry.submission.id for entry in board.board("english")] == [own.id, other.id]
    assert [item.id for item in board.system(own.id)[2]] == [own.id]


def test_submissions_from_before_there_were_phases_are_in_the_first(settings):
    board = Leaderboard(settings)
    board.start()
    data = ("\n".join(REFERENCE) + "\n").encode()
    board.wait(board.submit(Visitor("ann", "x"), "english", "x", "", "", data).id, PATIENCE)
    board.stop()
    path = settings.benchmarks / "english" / "benchmark.toml"
    path.write_text(
        path.read_text("utf-8") + "\n[[phases]]\nname = 'dev'\n[[phases]]\nname = 'test'\n", "utf-8"
    )
    board = Leaderboard(settings)
    assert [entry.submission.system for entry in board.board("english", "dev")] == ["x"]
    assert board.board("english", "test") == []
    (entry,) = board.board("english", "dev")
    assert [item.submission for item in board.board_of(entry.submission)] == [entry.submission]
    assert "1.0000" in badge_of(board, entry.submission.id)
    path.write_text(DESCRIPTION, "utf-8")
    board.scorer.look()
    assert [item.submission for item in board.board("english")] == [entry.submission]
