"""Trees whose words are not in the transcript: named in an error, or emptied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...errors import TreeMismatchError
from ...terminal import printable
from ...wording import count
from .report import Report

_SHOWN = 60  # characters of a text in an error
_MOST_NAMED = 20  # trees that an error names one by one


class PoorTreesError(TreeMismatchError):
    """Trees whose words are not in the transcript.

    Attributes:
        rows: The numbers of the trees, from 0.
    """

    def __init__(self, message: str, rows: Sequence[int]) -> None:
        super().__init__(message)
        self.rows = tuple(rows)


def poor_trees_error(
    title: str,
    reports: Sequence[Report],
    texts: Callable[[int], Iterable[str]],
    name: Callable[[int], str],
    rows: Sequence[int],
    least: float,
) -> PoorTreesError:
    """The error that says which trees are not there, and what to do about it.

    Args:
        title: The title of the transcript.
        reports: The reports of all trees.
        texts: A function that gives the leaves of a tree, by its number.
        name: A function that tells what a tree is called, by its number.
        rows: The numbers of the trees that are not there.
        least: The share of the characters of a tree that must match.
    """
    lines = [
        f"  {name(row)}, {100 * reports[row].leaf_match:.0f}%: {shown(texts(row))}"
        for row in rows[:_MOST_NAMED]
    ]
    if len(rows) > _MOST_NAMED:
        lines.append(f"  and {len(rows) - _MOST_NAMED} more")
    head = (
        f"{title}: the words of {len(rows)} of {count(len(reports), 'tree')} are not there, as less than "
        f"min_tree_match={least:g} of their characters match:"
    )
    advice = (
        "Are they of another speaker? Then give the words of that one, or only the trees of this one. "
        "poor=empty empties these trees and goes on; min_tree_match=0 estimates their times."
    )
    return PoorTreesError("\n".join([head, *lines, advice]), rows)


def poor_tree_reason(title: str, report: Report, texts: Iterable[str], least: float) -> str:
    """Why one tree is not there, where it is refused on its own."""
    return (
        f"only {100 * report.leaf_match:.0f}% of its characters match, less than min_tree_match={least:g}, "
        f"so its words are not in {title}: {shown(texts)}\nIs it of another speaker? Then give the words of "
        "that one, or only the trees of this one; min_tree_match=0 estimates its times."
    )


def shown(texts: Iterable[str]) -> str:
    """The texts on a line, cut if they are many."""
    line = ""
    for text in texts:
        line += f" {printable(text)}"
        if len(line) > _SHOWN:
            return line[1:_SHOWN] + "…"
    return line[1:] or "(nothing)"
