"""Rows with several trees: which of them have, and which trees these are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import TreeFormatError
from .arrays import listed, missing_name
from .objects import is_node
from .tree import SegmentTree


class NoTree:
    """Stands where no tree could be given; reading it as a tree is the error that says why."""

    def __init__(self, why: str | TreeFormatError) -> None:
        self._error = TreeFormatError(why) if isinstance(why, str) else why

    def label(self) -> str:
        """The label, which a reader of trees asks for first; asking for it raises the error."""
        raise self._error


def alternatives(row: Any) -> list[Any] | None:
    """The trees of a row that has a list of them; None if it is a tree itself.

    A list of spans is one tree. JSON text of a list of texts is a list of trees. The empty list is
    returned as such: a tree without spans, or no tree at all where other rows have lists of trees.

    >>> alternatives(["(S a)", "(T a)"]), alternatives([("S", 0, 1)]), alternatives('["(S a)"]')
    (['(S a)', '(T a)'], None, ['(S a)'])
    """
    if isinstance(row, str):
        return _parse_texts(row) if row.lstrip()[:1] == "[" else None
    if is_node(row):
        return None
    if not isinstance(row, (list, tuple)):
        items = listed(row)
        if items is None:
            return None
        row = items
    if isinstance(row, tuple) and len(row) == 2 and isinstance(row[0], str) and not isinstance(row[1], str):
        return None  # brackets and times
    return list(row) if all(map(_is_tree, row)) else None


def _parse_texts(text: str) -> list[Any] | None:
    if text.lstrip()[1:].lstrip()[:1] not in ('"', "]"):
        return None
    import json

    try:
        trees = json.loads(text)
    except ValueError:
        return None  # reading it as a tree will say what is wrong
    return trees if all(isinstance(tree, str) for tree in trees) else None


def _is_tree(item: Any) -> bool:
    """Whether an item of a list is a tree, or stands for one, rather than a span."""
    if isinstance(item, (str, SegmentTree)) or is_node(item):
        return True
    if isinstance(item, Mapping):
        if any(name in item for name in ("children", "parents", "brackets")):
            return True
        label = item.get("label")
        return isinstance(label, list) or listed(label) is not None
    items = item if isinstance(item, (list, tuple)) else listed(item)
    if items is None:
        return missing_name(item) != ""
    return not (len(items) == 3 and isinstance(items[0], str))
