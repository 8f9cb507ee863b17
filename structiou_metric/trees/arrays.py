"""What other libraries give for lists and for nothing: arrays, series, and values that are missing."""

from __future__ import annotations

from typing import Any

MISSING = "the tree is {}; give '()' for a failed parse"  # of a value that `missing_name` has a name for
_METHODS = ("to_pylist", "tolist", "to_list")  # of Arrow; of numpy and pandas; of polars


def listed(value: Any) -> list[Any] | None:
    """The items of an array or of a series; None if the value is neither.

    >>> from array import array
    >>> listed(array("i", [1, 2])), listed([1, 2])
    ([1, 2], None)
    """
    for method in _METHODS:
        if callable(getattr(value, method, None)):
            items = getattr(value, method)()
            return items if isinstance(items, list) else None  # numbers of numpy have such a method, too
    return None


def as_listed(value: Any) -> Any:
    """An array or a series as a list, and those that it holds, too; any other value as it is."""
    items = listed(value)
    if items is None:
        return value
    return [item if (inner := listed(item)) is None else inner for item in items]


def as_scalar(value: Any) -> Any:
    """What an array without dimensions holds, or a number of numpy; any other value as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def missing_name(value: Any) -> str:
    """What to call a value by which a library says that there is none; empty for all others.

    >>> missing_name(None), missing_name(float("nan")), missing_name("")
    ('None', 'NaN', '')
    """
    if value is None:
        return "None"
    kind = type(value).__name__
    if kind in ("NAType", "NaTType"):
        return str(value)  # of pandas, for which equality is no truth value
    return "NaN" if kind.startswith("float") and value != value else ""
