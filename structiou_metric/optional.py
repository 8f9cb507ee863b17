"""What may be missing: libraries that an extra installs, and functions of users given as `module:name`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any


def need(module: str, extra: str, purpose: str) -> Any:
    """Imports a module, or says how to install it.

    Args:
        module: The name of the module, such as `matplotlib.figure`.
        extra: The extra of this package that installs it.
        purpose: What needs it, such as `a plot`.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != library:
            raise  # it is there, and misses something itself
        raise ImportError(
            f"{purpose} needs {library}: pip install 'structiou-metric[{extra}]'", name=library
        ) from None


def load_plugin(name: str, what: str) -> Any:
    """The object that a name of the form `module:name` stands for.

    >>> load_plugin("math:inf", "number")
    inf

    Args:
        name: A module, a colon and a name in it, perhaps with dots.
        what: What the name is given for, such as `aligner`; it is named in errors.
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
    """Lets modules stand in the current folder, which Python does not look into for installed commands."""
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
