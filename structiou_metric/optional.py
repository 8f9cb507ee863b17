"""Other libraries: imports of extras, and the lists and missing values that libraries have.

Functions of users, given as `module:name`, are found here, too.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

MISSING = "the tree is {}; give '()' for a failed parse"  # of a value that `missing_name` has a name for
_METHODS = ("to_pylist", "tolist", "to_list")  # of Arrow; of numpy and pandas; of polars


def need(module: str, extra: str, purpose: str) -> Any:
    """Return the imported module; if it is missing, raise an error that names the extra to install.

    Args:
        module: The name of the module, such as `matplotlib.figure`.
        extra: The extra of this package that installs it.
        purpose: The feature that needs it, such as `a plot`.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != library:
            raise  # the module exists, but a module that it imports is missing
        raise ImportError(
            f"{purpose} needs {library}: pip install 'structiou-metric[{extra}]'", name=library
        ) from None


def load_plugin(name: str, what: str) -> Any:
    """Return the object that a name of the form `module:name` refers to.

    >>> load_plugin("math:inf", "number")
    inf

    Args:
        name: A module, a colon and a name in it, perhaps with dots.
        what: The kind of object, such as `aligner`, for errors.
    """
    module, colon, path = name.partition(":")
    if not (module and colon and path) or module.startswith("."):
        raise ValueError(f"{what} {name!r}: write it as module:name")
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, and misses another
        raise ValueError(f"{what} {name!r}: there is no module {error.name!r}") from None
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{what} {name!r}: there is no {part!r} in {module}")
        found = getattr(found, part)
    return found


def look_here() -> None:
    """Add the current folder to the places of modules, as Python does not do so for installed commands."""
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)


def listed(value: Any) -> list[Any] | None:
    """Return the items of an array or of a series; None if the value is neither.

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
    """Return an array or a series as a list, and those that it holds, too; any other value as it is."""
    items = listed(value)
    if items is None:
        return value
    return [item if (inner := listed(item)) is None else inner for item in items]


def as_scalar(value: Any) -> Any:
    """Return the value of an array without dimensions, or a number of numpy; any other value as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def missing_name(value: Any) -> str:
    """Return the name of a library's mark for a missing value; empty for all other values.

    >>> missing_name(None), missing_name(float("nan")), missing_name("")
    ('None', 'NaN', '')
    """
    if value is None:
        return "None"
    kind = type(value).__name__
    if kind in ("NAType", "NaTType"):
        return str(value)  # of pandas, for which equality is no truth value
    return "NaN" if kind.startswith("float") and value != value else ""
