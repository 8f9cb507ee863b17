"""The reference of the API: directives for autodoc, and a check that all public names are documented."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from parts.interfaces import sections_of
from parts.public import comment_of, find, is_constant, names_of, owner_of, public_modules
from parts.tables import code, escaped, write_table

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
        rows.append(
            [code(argument.name), code(argument.annotation), default, escaped(meanings[argument.name])]
        )
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
    """Return a comment as reStructuredText in which only backticks are markup."""
    parts = comment.split("`")
    parts[::2] = [re.sub(r"([*_|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def undocumented() -> Iterator[str]:
    """Yield the public names, and the public members of public classes, that have no description."""
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
    """Return whether a method or property has no docstring, not even one of a base class."""
    value = vars(kind)[member]
    has_code = inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
    return has_code and not inspect.getdoc(getattr(kind, member))
