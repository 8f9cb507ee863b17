"""What can be chosen on a page: benchmarks, and of those with phases each phase, and what came late."""

from __future__ import annotations

from typing import Any, NamedTuple

from leaderboard.benchmarks import Benchmark
from leaderboard.service import Leaderboard

_LATE = "late"


class Chosen(NamedTuple):
    """A benchmark in a phase, and whether its late submissions are meant."""

    benchmark: Benchmark
    late: bool


def board_choices(board: Leaderboard) -> list[tuple[str, str]]:
    """The titles and values of all boards."""
    found = []
    for item in board.benchmarks.values():
        if not item.phases:
            found.append((item.title, item.name))
        for phase in item.phases:
            title, value = f"{item.title}: {phase.title}", f"{item.name}/{phase.name}"
            found.append((title, value))
            if phase.late:
                found.append((f"{title}, late", f"{value}/{_LATE}"))
    return found


def submit_choices(board: Leaderboard) -> list[tuple[str, str]]:
    """The titles and values of all that can be submitted to, perhaps not now."""
    return [(title, value) for title, value in board_choices(board) if not value.endswith(f"/{_LATE}")]


def first_choice(board: Leaderboard, name: str = "", phase: str = "") -> str:
    """The value for a benchmark, by default the first, and its phase, by default the one opened last."""
    item = board.benchmark(name or next(iter(board.benchmarks)))
    return f"{item.name}/{board.phase_name(item, phase)}" if item.phases else item.name


def read_choice(board: Leaderboard, value: Any) -> Chosen:
    """What a value stands for; the name of a benchmark alone stands for its phase that has opened last."""
    name, _, rest = (value if isinstance(value, str) else "").partition("/")
    phase, _, late = rest.partition("/")
    item = board.benchmark(name)
    return Chosen(item.in_phase(board.phase_name(item, phase)), late == _LATE)
