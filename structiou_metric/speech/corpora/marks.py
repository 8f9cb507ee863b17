"""Marks: where each tree is in its recording."""

from __future__ import annotations

from ...errors import TreeFormatError
from ...sources.files import read_text


def read_marks(path: str) -> list[tuple[float, float]]:
    """Start and end of each tree in seconds, a line a tree."""
    text, title = read_text(path)
    marks = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            start, end = map(float, line.split()[:2])
        except ValueError:
            start, end = 0.0, -1.0
        if not 0.0 <= start < end < float("inf"):
            raise TreeFormatError(
                f"{line!r} is not a start and a later end in seconds; write such as '12.5 17.25', "
                "also for a failed parse",
                source=title,
                line=number,
            )
        marks.append((start, end))
    return marks
