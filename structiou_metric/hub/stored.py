"""Rows of any shape as texts, because `evaluate` keeps rows in a column of strings.

Every text is JSON. A tree that cannot be written is stored as an object with nothing but an `error`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .._core.shapes import is_node
from ..errors import TreeFormatError
from ..optional import as_listed
from ..trees.shapes import alternatives, as_tree, document

_ERROR = "error"  # the only key of an object in place of a tree that cannot be written


def stored(row: Any, *, documents: bool = False) -> str:
    """Return a row in any shape as JSON; `restored` makes a row of it that is read in the same way.

    >>> stored([("NP", 0, 2), ("NN", 1, 2)]), stored("(S a)"), stored(["(S a)", 3])
    ('[["NP", 0, 2], ["NN", 1, 2]]', '"(S a)"', '["(S a)", 3]')

    Args:
        row: A tree, a list of trees, or any value that was given in place of one.
        documents: Whether every row of this side is a list of trees, with any items.
    """
    if isinstance(row, str) or row is None:
        return json.dumps(row)
    trees = document(row) if documents else alternatives(row)
    try:
        return f"[{', '.join(map(stored, trees))}]" if trees else _stored_tree(row)
    except TreeFormatError as error:
        return json.dumps({_ERROR: error.message})


def _stored_tree(value: Any) -> str:
    value = as_listed(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        value = {"brackets": value[0], "times": value[1]}
    if isinstance(value, (Mapping, list, tuple)) and not is_node(value):
        try:
            return json.dumps(value, default=_plain)
        except RecursionError:  # brackets may be nested more deeply
            pass
        except (TypeError, ValueError) as error:
            raise TreeFormatError(f"{error}; give texts and numbers") from None
    tree = as_tree(value)
    try:
        return json.dumps(tree.to_brackets())
    except TreeFormatError as error:  # such as white space in a word, which JSON can hold
        try:
            return json.dumps(tree.to_dict())
        except RecursionError:
            raise error from None


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold for mappings of other kinds, arrays and their numbers."""
    if isinstance(value, Mapping):
        return dict(value)
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no part of a tree")


def restored(texts: Iterable[str]) -> list[Any]:
    """Return the rows of texts that `stored` made; where there was no tree, an error to be raised.

    >>> restored(['"(S a)"', 'null', '["(S a)", {"error": "a set is no part of a tree"}]'])
    ['(S a)', None, ['(S a)', TreeFormatError('a set is no part of a tree')]]
    """
    return list(map(_restored, texts))


def _restored(text: str) -> Any:
    try:
        row = json.loads(text)
    except RecursionError:
        return TreeFormatError("the JSON is nested too deeply; give flat columns or brackets instead")
    return list(map(_opened, row)) if isinstance(row, list) else _opened(row)


def _opened(tree: Any) -> Any:
    """Return a tree, or the error in its place."""
    is_error = isinstance(tree, dict) and list(tree) == [_ERROR]
    return TreeFormatError(tree[_ERROR]) if is_error else tree
