"""The reference of the API: what autodoc is to write for a module, and what has to be documented."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from parts.interfaces import sections_of
from parts.public import comment_of, find, is_constant, names_of, owner_of, public_modules
from parts.tables import code, plain, write_table

# Base classes whose own methods are Python's, not ours.
_NOT_OURS = "tuple, dict, str, int, object, Exception, BaseException, ValueError, Sequence"


def write_arguments(module: str, name: str) -> str:
    """Return a table of the arguments of a function or class: name, type, default and meaning."""
    found = find(module, name)
    meanings = {word: text for word, _, text in sections_of(inspect.getdoc(found) or "")["Args"]}
    rows = []
    for argument in inspect.signature(found).parameters.values():
        needed = argument.default is argument.empty
        default = "" if needed else code(repr(argument.default))
        rows.append([code(argument.name), code(argument.annotation), default, plain(meanings[argument.name])])
    return write_table(["argument", "type", "default", "meaning"], rows)


def write_reference(module: str, *names: str) -> str:
    """Return the Markdown that documents some names of a module, with what autodoc finds of each."""
    lines = [
        f"## `{module}`",
        "",
        "```{eval-rst}",
        f".. py:module:: {module}",
        f".. py:currentmodule:: {module}",
        "",
    ]
    for name in names:
        found = find(module, name)
        if is_constant(found):
            lines += [f".. py:data:: {name}", "", f"   {_as_rst(comment_of(module, name))}", ""]
        elif (owner := owner_of(found, name)) != module:
            lines += [f".. py:data:: {name}", "", f"   The same as :py:obj:`{owner}.{name}`.", ""]
        elif inspect.isclass(found):
            lines += [f".. autoclass:: {name}", "   :members:", f"   :inherited-members: {_NOT_OURS}", ""]
        else:
            lines += [f".. autofunction:: {name}", ""]
    return "\n".join([*lines, "```", ""])


def _as_rst(comment: str) -> str:
    """A comment as text of which only what is in backticks means something."""
    parts = comment.split("`")
    parts[::2] = [re.sub(r"([*_|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def undocumented() -> Iterator[str]:
    """The public names, and the public members of public classes, that nothing is said about."""
    for module in public_modules():
        for name in names_of(module):
            found = find(module, name)
            if is_constant(found):
                if not comment_of(module, name):
                    yield f"{module}.{name}"
            elif not (found.__doc__ or "").strip():
                yield f"{module}.{name}"
            elif inspect.isclass(found):
                members = (member for member in vars(found) if not member.startswith("_"))
                yield from (f"{module}.{name}.{member}" for member in members if _lacks_text(found, member))


def _lacks_text(kind: type, member: str) -> bool:
    """Whether a method or property has no docstring, not even one of a base class."""
    value = vars(kind)[member]
    is_told = inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
    return is_told and not inspect.getdoc(getattr(kind, member))
