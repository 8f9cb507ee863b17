"""The reference of the API: what autodoc is to write for a module, and what has to be documented."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from parts.public import PUBLIC, comment_of, find, is_constant, names_of

# Base classes whose own methods are Python's, not ours.
_NOT_OURS = "tuple, dict, str, int, object, Exception, BaseException, ValueError, Sequence, Metric, Module"


def write_reference(module: str) -> str:
    """The Markdown that documents a module: its names, with what autodoc finds of each."""
    lines = [
        f"## `{module}`",
        "",
        "```{eval-rst}",
        f".. py:module:: {module}",
        f".. py:currentmodule:: {module}",
        "",
    ]
    for name in names_of(module):
        found = find(module, name)
        if is_constant(found):
            lines += [f".. py:data:: {name}", "", f"   {_as_rst(comment_of(module, name))}", ""]
        elif inspect.isclass(found):
            lines += [f".. autoclass:: {name}", "   :members:", f"   :inherited-members: {_NOT_OURS}", ""]
        else:
            lines += [f".. autofunction:: {name}", ""]
    return "\n".join([*lines, "```", ""])


def _as_rst(comment: str) -> str:
    """A comment as text of which only what is in backticks means something."""
    return "".join(
        part if i % 2 else part.replace("*", r"\*").replace("_", r"\_").replace("|", r"\|")
        for i, part in enumerate(_parted(comment))
    )


def _parted(text: str) -> list[str]:
    parts = text.split("`")
    return [f"`{part}`" if i % 2 else part for i, part in enumerate(parts)]


def undocumented() -> Iterator[str]:
    """The public names, and the public members of public classes, that nothing is said about."""
    for module in PUBLIC:
        for name in names_of(module):
            found = find(module, name)
            if is_constant(found):
                if not comment_of(module, name):
                    yield f"{module}.{name}"
            elif not (found.__doc__ or "").strip():
                yield f"{module}.{name}"
            elif inspect.isclass(found):
                for member, value in vars(found).items():
                    told = isinstance(value, property | classmethod | staticmethod) or inspect.isfunction(
                        value
                    )
                    if told and not member.startswith("_") and not inspect.getdoc(getattr(found, member)):
                        yield f"{module}.{name}.{member}"
