"""Rows with several trees: which of them have, and which trees these are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

    A list of spans is one tree. JSON text of a list is what the list is. The empty list is a list of no
    trees: no reference at all, though a prediction that is one is a tree without spans.

    >>> alternatives(["(S a)", "(T a)"]), alternatives([("S", 0, 1)]), alternatives('["(S a)"]')
    (['(S a)', '(T a)'], None, ['(S a)'])
    """
    if is_node(row):
        return None
    items = document(row)
    if items is None:
        return None
    if isinstance(row, tuple) and len(row) == 2 and isinstance(row[0], str) and not isinstance(row[1], str):
        return None  # brackets and times
    return items if all(map(_is_tree, items)) else None


def document(row: Any) -> list[Any] | None:
    """Return the trees of a row that is a document, a list of trees in whatever shape; None if it is no list.

    >>> document(["(S a)", "(T b)"]), document('["(S a)"]'), document("(S a)")
    (['(S a)', '(T b)'], ['(S a)'], None)
    """
    if isinstance(row, str):
        return _parse_list(row) if row.lstrip()[:1] == "[" else None
    if isinstance(row, (list, tuple)):
        return list(row)
    return None if is_node(row) else listed(row)


def find_several(rows: Iterable[tuple[int, Any]]) -> dict[int, list[Any]]:
    """Return the trees of each row that is a list of them, by its number."""
    found = ((number, alternatives(row)) for number, row in rows)
    return {number: trees for number, trees in found if trees is not None}


def _parse_list(text: str) -> list[Any] | None:
    """The list of a JSON text; None if it is none, which reading it as a tree will say more about."""
    import json

    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return items if isinstance(items, list) else None


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
