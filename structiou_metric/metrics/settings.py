"""Records of what files of settings, such as parameters, say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def check_lists(record: Any, lists: Iterable[str], pairs: Iterable[str]) -> Any:
    """A named tuple with tuples for all lists; a ValueError where one is no list.

    Args:
        record: The named tuple.
        lists: The names of its fields that are lists of texts.
        pairs: The names of its fields that are lists of pairs of texts.
    """
    values: dict[str, Any] = {}
    for name in lists:
        values[name] = value = tuple(getattr(record, name))
        if isinstance(getattr(record, name), str) or not all(isinstance(text, str) for text in value):
            raise ValueError(f"{name} must be a list of texts, not {getattr(record, name)!r}")
    for name in pairs:
        values[name] = found = tuple(tuple(pair) for pair in getattr(record, name))
        if any(len(pair) != 2 or not all(isinstance(text, str) for text in pair) for pair in found):
            raise ValueError(f"{name} must be a list of pairs of texts, not {getattr(record, name)!r}")
    return record._replace(**values)
