"""Speed cannot rot unseen: scoring takes about the instructions on record."""

from __future__ import annotations

import pytest

from bench import instructions

pytestmark = pytest.mark.slow

CURE = "if that is worth it, `make record-instructions` puts the new counts on record"


def _differs() -> str:
    """Why the counts on record say nothing here; nothing if they do."""
    known, here = instructions.read_record()["setting"], instructions.setting()
    return "; ".join(
        f"{name}: {here[name]}, on record {known[name]}" for name in known if here[name] != known[name]
    )


@pytest.mark.skipif(not instructions.available(), reason="there is no valgrind")
@pytest.mark.skipif(bool(_differs()), reason=f"instructions on record are of another setting: {_differs()}")
def test_instructions_are_those_on_record() -> None:
    known, found = instructions.read_record()["counts"], instructions.count_scores()
    assert found.keys() == known.keys()
    for name, number in found.items():
        share = number / known[name]
        assert share <= 1 + instructions.TOLERANCE, f"{name}: {share:.3f} times {known[name]:,}; {CURE}"


def test_record_is_of_an_installed_build() -> None:
    record = instructions.read_record()
    assert record["setting"]["build"] == "as installed"
    assert all(number > 0 for number in record["counts"].values())
