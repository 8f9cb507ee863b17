"""Wording of numbers, choices and values in messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any


def count(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 tree` and `2 trees`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def list_problems(problems: Sequence[tuple[int, str]], n_problems: int, most: int = 5) -> list[str]:
    """Return a line for each of the first rows and messages, and one that counts the others.

    Args:
        problems: The rows and messages that were kept.
        n_problems: How many such rows there are.
        most: How many rows are listed.
    """
    lines = [f"row {row + 1}: {message.splitlines()[0]}" for row, message in problems[:most]]
    if n_problems > most:
        listed = "all" if n_problems == len(problems) else f"{len(problems)} of them"
        lines.append(f"and {count(n_problems - most, 'more row')}; --json lists {listed}")
    return lines


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise an error if the value of an option is not one of its choices."""
    if value not in choices:
        raise ValueError(f"unknown {name} {value!r}; choose from {', '.join(choices)}")


def brief(value: Any) -> str:
    """Return a value for an error message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def suggest(word: str, known: Iterable[str]) -> str:
    """Return a question whether the nearest of the known words was meant, or an empty text if none is near.

    >>> suggest("--label", ["--labels", "--layout"])
    'did you mean --labels?'
    """
    names = list(known)
    lower = {name.lower(): name for name in reversed(names)}
    for near in (
        sorted((name for name in names if name.startswith(word)), key=len) if len(word) > 3 else [],
        [lower[name] for name in get_close_matches(word.lower(), lower, 1, 0.7)],
    ):
        if near:
            return f"did you mean {near[0]}?"
    return ""
