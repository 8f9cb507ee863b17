"""Trees of any shape as text, for stores that hold nothing else, such as a column of strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import TreeFormatError
from .arrays import as_listed
from .objects import is_node
from .several import NoTree, alternatives
from .shapes import as_tree

# What texts begin with that stand for something else; no tree does.
_NO_TREE = "\0-"  # why there is none follows
_ESCAPED = "\0+"  # JSON of the text follows, for stores that refuse one of its characters


def as_text(value: Any, *, source: str = "") -> str:
    """A tree in any shape that `as_tree` takes, as a text that it takes, too.

    >>> as_text([("NP", 0, 2), ("NN", 1, 2)])
    '[["NP", 0, 2], ["NN", 1, 2]]'

    Args:
        value: The tree; None becomes `null`, which `restored` undoes.
        source: What to call the tree in errors.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    value = as_listed(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        value = {"brackets": value[0], "times": value[1]}
    if isinstance(value, (Mapping, list, tuple)) and not is_node(value):
        import json

        try:
            return json.dumps(value, default=_plain)
        except RecursionError:  # brackets may be nested more deeply
            pass
        except (TypeError, ValueError) as error:
            raise TreeFormatError(f"{error}; give texts and numbers", source=source) from None
    tree = as_tree(value, source=source)
    try:
        return tree.to_brackets()
    except TreeFormatError as error:  # such as white space in a word, which JSON can hold
        import json

        try:
            return json.dumps(tree.to_dict())
        except RecursionError:
            raise TreeFormatError(error.message, source=source) from None


def storable(row: Any, *, documents: bool = False) -> str:
    """A row as a text that every store takes, whatever the row is; `restored` gives what it stands for.

    A list of trees becomes JSON of their texts; with `documents`, every list is one.
    """
    if not isinstance(row, str):
        is_list = documents and isinstance(as_listed(row), list) and not is_node(row)
        trees = as_listed(row) if is_list else alternatives(row)
        if trees:
            import json

            return json.dumps(list(map(storable, trees)))
    try:
        text = as_text(row)
    except TreeFormatError as error:
        return _NO_TREE + error.message.encode(errors="backslashreplace").decode()
    if text[:1] == "\0" or not _is_encodable(text):
        import json

        return _ESCAPED + json.dumps(text)
    return text


def _is_encodable(text: str) -> bool:
    """Whether a text has no lone surrogate."""
    try:
        return text.isascii() or text.encode() != b""
    except UnicodeEncodeError:
        return False


def restored(texts: Iterable[str]) -> list[Any]:
    """What texts that `storable` made stand for: texts of trees, lists of these, None, and `NoTree`s."""
    return [text if text[:1] == "(" else _restore(text) for text in texts]


def _restore(text: str) -> Any:
    if text == "null":
        return None
    if text.startswith(_NO_TREE):
        return NoTree(text.removeprefix(_NO_TREE))
    if text.startswith(_ESCAPED):
        import json

        return json.loads(text.removeprefix(_ESCAPED))
    trees = alternatives(text)
    return text if trees is None else [_restore(tree) if isinstance(tree, str) else tree for tree in trees]


def _plain(value: Any) -> Any:
    """What JSON can hold instead of mappings of other kinds, arrays and their numbers."""
    if isinstance(value, Mapping):
        return dict(value)
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no part of a tree")
