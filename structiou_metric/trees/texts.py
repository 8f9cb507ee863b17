"""Trees of any shape as text, for stores that hold nothing else, such as a column of strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import TreeFormatError
from .objects import is_node
from .shapes import as_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def as_text(value: Any, *, source: str = "") -> str:
    """A tree in any shape that `as_tree` takes, as a text that it takes, too.

    >>> as_text([("NP", 0, 2), ("NN", 1, 2)])
    '[["NP", 0, 2], ["NN", 1, 2]]'

    Args:
        value: The tree; None becomes `null`, which `restored` undoes.
        source: Named in errors.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
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


def restored(texts: Iterable[str]) -> list[str | None]:
    """Texts that `as_text` made, with None where it was."""
    return [None if text == "null" else text for text in texts]


def _plain(value: Any) -> Any:
    """What JSON can hold instead of mappings of other kinds, arrays and their numbers."""
    if isinstance(value, Mapping):
        return dict(value)
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no part of a tree")
