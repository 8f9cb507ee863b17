"""Public names, which are those in the pages of the reference, `docs/api/*.md`."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from sphinx.ext.autodoc.mock import mock

# Libraries that are too large to be installed for the reference of one class.
MOCKED = ["torch", "torchmetrics"]

API = Path(__file__).parents[1] / "api"
_MARK = re.compile(r"^<!-- generated: reference (\S+)((?: \S+)+) -->$", flags=re.MULTILINE)


def public_modules() -> list[str]:
    """Return the modules with public names, in the order of the pages that list them."""
    return list(_public_names())


def names_of(module: str) -> list[str]:
    """Return the public names of a module."""
    return _public_names()[module]


def _public_names() -> dict[str, list[str]]:
    return {
        module: names.split()
        for page in sorted(API.glob("*.md"))
        for module, names in _MARK.findall(page.read_text("utf-8"))
    }


def owner_of(found: Any, name: str) -> str:
    """Return the first public module that has an object, as others may have it by the same name."""
    for module in public_modules():
        if name in names_of(module) and find(module, name) is found:
            return module
    raise ValueError(f"{name} is not public")


def find(module: str, name: str) -> Any:
    """Import a public object. The metric of torchmetrics is imported even if torch is missing."""
    with mock(MOCKED if module.endswith("torchmetrics") else []):
        return getattr(import_module(module), name)


def is_constant(found: Any) -> bool:
    """Return whether an object is described by a comment, as it has no docstring."""
    return not (inspect.isclass(found) or callable(found))


def comment_of(module: str, name: str) -> str:
    """Return the comment above a constant, or on its line, in the module that defines it."""
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
    """Return the source of a module, which may be compiled."""
    path = Path(find_spec(module).origin)
    if path.suffix != ".py":
        path = path.with_name(f"{module.rpartition('.')[2]}.py")
    return path.read_text(encoding="utf-8")
