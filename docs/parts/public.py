"""What is public: the modules and names that the reference of the API tells, in one place.

`tests/docs/test_site.py` looks for each of them on the built site, and for names that the pages import.
"""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from sphinx.ext.autodoc.mock import mock

from parts.modules import MODULES

# Libraries that are too large to be installed for the reference of one class.
MOCKED = ["torch", "torchmetrics"]

# By module, the names that users may rely on; None for those of its `__all__`.
PUBLIC: dict[str, tuple[str, ...] | None] = dict.fromkeys(MODULES)


def names_of(module: str) -> list[str]:
    """The public names of a module but for what one before it has: an object is told once."""
    given = PUBLIC[module]
    if given is not None:
        return list(given)
    told = {id(find(other, name)) for other in _before(module) for name in _all_of(other)}
    return [
        name
        for name in _all_of(module)
        if is_constant(find(module, name)) or id(find(module, name)) not in told
    ]


def _before(module: str) -> list[str]:
    """The modules that stand before one and show what is in their `__all__`."""
    return [other for other in list(PUBLIC)[: list(PUBLIC).index(module)] if PUBLIC[other] is None]


def _all_of(module: str) -> list[str]:
    with mock(MOCKED if module.endswith("torchmetrics") else []):
        return list(import_module(module).__all__)


def find(module: str, name: str) -> Any:
    """A public object; torch need not be there to describe the metric of torchmetrics."""
    with mock(MOCKED if module.endswith("torchmetrics") else []):
        return getattr(import_module(module), name)


def is_constant(found: Any) -> bool:
    """Whether an object is told by its comment, having no docstring of its own."""
    return not (inspect.isclass(found) or callable(found))


def comment_of(module: str, name: str) -> str:
    """What the comment above a constant says, or the one behind it, wherever it was imported from."""
    source = _source_of(module)
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            package = find_spec(module)
            parent = package.name if package.submodule_search_locations else package.parent
            return comment_of(resolve_name("." * node.level + (node.module or ""), parent), name)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                above = []
                for line in reversed(lines[: node.lineno - 1]):
                    if not line.startswith("#"):
                        break
                    above.insert(0, line.lstrip("# "))
                return " ".join(above) or lines[node.lineno - 1].partition("  # ")[2]
    return ""


def _source_of(module: str) -> str:
    """The source of a module, which may be compiled."""
    path = Path(find_spec(module).origin)
    if path.suffix != ".py":
        path = path.with_name(f"{module.rpartition('.')[2]}.py")
    return path.read_text(encoding="utf-8")
