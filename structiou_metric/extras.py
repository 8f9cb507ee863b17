"""Libraries that an extra installs: imported late, and asked for by name where they are missing."""

from __future__ import annotations

from typing import Any


def need(module: str, extra: str, purpose: str) -> Any:
    """Imports a module, or says how to install it.

    Args:
        module: Its name, such as `matplotlib.figure`.
        extra: The extra of this package that installs it.
        purpose: What needs it, such as `a plot`.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != library:
            raise  # it is there, and misses something itself
        raise ImportError(
            f"{purpose} needs {library}: pip install 'structiou-metric[{extra}]'", name=library
        ) from None
