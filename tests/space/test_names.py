"""Names that cannot be seen, that look like others, or that would widen tables."""

from __future__ import annotations

import doctest

import pytest

from leaderboard import fields
from leaderboard.fields import FieldError, clean_line, looks_of, width_of
from leaderboard.people import Visitor
from leaderboard.service import Leaderboard
from support.space_boards import WORSE


@pytest.mark.parametrize(
    "name",
    ["\u3164", "a\u115fb", "\u1160", "x\u034f", "\u2800\u2800", "\uffa0", "a\ufe0f", "a\u200bb", "a\u00adb"],
)
def test_characters_that_cannot_be_seen_are_refused(name):
    with pytest.raises(FieldError, match="characters that cannot be seen"):
        clean_line(name, "name", 80)


@pytest.mark.parametrize(
    "name",
    [
        "Müller",
        "Søren",
        "木 parser",
        "Ελλάδα",
        "Москва",
        "עברית",
        "हिन्दी",
        "한국어",
        "C++",
        "naïve (v2.1)",
        "Việt",
    ],
)
def test_names_of_all_scripts_are_accepted(name):
    assert clean_line(name, "name", 80) == name


def test_width_is_that_of_a_table():
    assert clean_line("x" * 80, "name", 80)
    assert clean_line("木" * 40, "name", 80)
    for wide in ("木" * 41, "ﷺ" * 5, "﷽" * 5):
        with pytest.raises(FieldError, match="characters wide; 80 are the most"):
            clean_line(wide, "name", 80)
    with pytest.raises(FieldError, match="a letter has more than 3 marks"):
        clean_line("a" + "\u0302" * 9, "name", 80)
    assert width_of("e\u0301") == 1


@pytest.mark.parametrize(
    "name, other",
    [
        ("Alice", "\u0410lice"),
        ("alice", "\uff21\uff4c\uff49\uff43\uff45"),
        ("Rosetta", "R0setta"),
        ("modern", "modem"),
    ],
)
def test_look_alikes(name, other):
    assert looks_of(name) == looks_of(other)


def test_different_names_look_different():
    names = ["Alice", "Alina", "Owls", "Owl", "Team 1", "Team 2", "木", "水", "Москва", "Минск"]
    assert len({looks_of(name) for name in names}) == len(names)


def test_team_may_not_look_like_a_user_or_a_team(settings):
    board = Leaderboard(settings)
    data = ("\n".join(WORSE) + "\n").encode()
    board.submit(Visitor("paola", "192.0.2.1"), "english", "x", "", "", data)
    board.make_team("The Owls", Visitor("ann", "192.0.2.2"))
    for name, taken in (("p\u0430ol\u0430", "paola"), ("the 0wls", "The Owls"), ("The Owls", "The Owls")):
        with pytest.raises(FieldError, match=f"is or looks like '{taken}', which is taken"):
            board.make_team(name, Visitor("eve", "192.0.2.3"))
    assert board.make_team("Paola", Visitor("paola", "192.0.2.1"))[0] == "Paola", "a user's own name is free"


def test_examples():
    assert doctest.testmod(fields) == (0, 2)
