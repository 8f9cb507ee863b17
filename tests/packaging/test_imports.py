"""The direction of imports between packages, including late ones and those for type checkers."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from support.paths import PACKAGE, ROOT

# The packages that each package may import from besides itself; the top level is the package "".
_BELOW: dict[str, tuple[str, ...]] = {
    "": (),
    "_core": ("",),
    "trees": ("", "_core"),
    "sources": ("", "_core", "trees"),
    "speech": ("", "_core", "trees", "sources"),
    "metrics": ("", "_core", "trees", "sources"),
    "scale": ("", "_core", "trees", "sources", "metrics"),
    "hf_datasets": ("", "_core", "trees", "sources", "metrics"),
    "drawing": ("", "_core", "trees", "sources", "metrics"),
    "stats": ("", "_core", "trees", "sources", "metrics"),
    "analysis": ("", "_core", "trees", "sources", "speech", "metrics", "drawing", "stats"),
    "report": ("", "_core", "trees", "sources", "speech", "metrics", "drawing", "stats", "analysis"),
    "hub": ("", "_core", "trees", "sources", "speech", "metrics", "drawing", "stats", "analysis", "report"),
    "commands": (
        "",
        "_core",
        "trees",
        "sources",
        "speech",
        "metrics",
        "drawing",
        "stats",
        "analysis",
        "report",
        "hub",
        "scale",
    ),
}

# Modules that users import from, and that may import any package.
_ENTRY_MODULES = {"__init__", "__main__"}

# A module of the top level that counts as a package, and the one module below that imports it: a metric has a
# method that scores a dataset.
_BY_ITSELF = "hf_datasets"
_LOOKS_UP = ("metrics.metric", _BY_ITSELF)

# A module, and the package above that it imports. There is one reason: an object shows itself in a notebook.
# So the import is in its method `_repr_html_` and nowhere else.
_EXCEPTIONS = {
    ("analysis.comparison", "report"),
    ("analysis.curves", "report"),
    ("analysis.errors.report", "report"),
    ("metrics.results", "report"),
    ("metrics.struct_iou.alignment", "drawing"),
    ("metrics.struct_iou.losses", "report"),
    ("trees.tree", "drawing"),
}


@cache
def parsed(path):
    """Return the syntax tree of a file, which is not to be changed."""
    return ast.parse(path.read_text("utf-8"))


def modules(package):
    """Every module of a package by its dotted name within it."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = list(path.relative_to(package).with_suffix("").parts)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        found[".".join(parts)] = path
    return found


def imported(name, path, known, source=None):
    """The modules of the package that a module imports, wherever in it, or in a part of its syntax tree."""
    inside = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    inside = [] if name == "__init__" else inside
    found = set()
    for node in ast.walk(source or parsed(path)):
        targets = []
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = inside[: len(inside) - node.level + 1]
            elif node.module and node.module.split(".")[0] == "structiou_metric":
                base = []
            else:
                continue
            tail = [part for part in (node.module or "").split(".") if part and part != "structiou_metric"]
            targets = [[*base, *tail, alias.name] for alias in node.names]
        elif isinstance(node, ast.Import):
            targets = [
                alias.name.split(".")[1:]
                for alias in node.names
                if alias.name.startswith("structiou_metric.")
            ]
        for parts in targets:
            while parts and ".".join(parts) not in known:
                parts = parts[:-1]
            found.add(".".join(parts) or "__init__")
    return found - {name}


MODULES = modules(PACKAGE)
IMPORTS = {name: imported(name, path, MODULES) for name, path in MODULES.items()}


def package_of(name):
    return name.split(".")[0] if name.split(".")[0] in _BELOW else ""


def test_every_folder_is_a_package_of():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(_BELOW) - {"", _BY_ITSELF}


def test_imports_point_one_way():
    wrong = []
    for name in MODULES.keys() - _ENTRY_MODULES:
        own = package_of(name)
        for other in IMPORTS[name]:
            allowed = package_of(other) in (own, *_BELOW[own]) or (name, package_of(other)) in (
                *_EXCEPTIONS,
                _LOOKS_UP,
            )
            if not allowed or (other in _ENTRY_MODULES and other != "__init__"):
                wrong.append(f"{name} imports {other}")
    assert wrong == []


def test_exceptions_are_for_notebooks():
    for name, up in _EXCEPTIONS:
        path = MODULES[name]
        whole = ast.parse(path.read_text("utf-8"))
        shows = [node for node in ast.walk(whole) if getattr(node, "name", "") == "_repr_html_"]
        assert up in {package_of(other) for node in shows for other in imported(name, path, MODULES, node)}, (
            name
        )
        for node in shows:
            node.body = [ast.Pass()]
        assert up not in {package_of(other) for other in imported(name, path, MODULES, whole)}, name


def without_imports_for_types(path):
    """Return the syntax tree of a file without imports for type checkers, which may be circular."""
    whole = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(whole):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return whole


def test_no_module_imports_itself_by_way_of_others():
    graph = {
        name: imported(name, path, MODULES, without_imports_for_types(path)) for name, path in MODULES.items()
    }
    for name, up in (*_EXCEPTIONS, _LOOKS_UP):
        graph[name] = {other for other in graph[name] if package_of(other) != up}
    # A package is imported before its modules, which is no circle.
    graph = {
        name: {other for other in others if not name.startswith(f"{other}.")}
        for name, others in graph.items()
    }
    graph.pop("__init__")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1][::-1]))


def test_nothing_imports_an_integration():
    integrations = {"spacy_structiou", "hf_space"}
    for path in MODULES.values():
        for node in ast.walk(parsed(path)):
            names = []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            assert not integrations & {name.partition(".")[0] for name in names}, path


def test_test_folders_have_the_names_of_packages():
    """The tests of a package are in a folder of its name; that of `_core` is called `core`."""
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py"))}
    assert {name.strip("_") for name in _BELOW if name not in ("", _BY_ITSELF)} <= folders
    assert folders <= {
        *(name.strip("_") for name in _BELOW),
        "bench",
        "docs",
        "harnesses",
        "packaging",
        "plugin_spacy",
        "recorded",
        "space",
    }


def test_no_test_module_imports_another():
    """A test module may skip itself while it is imported, which would break the one that imports it."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(parsed(path)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(alias.name for alias in node.names)]
            for part in {part for name in names for part in name.split(".")}:
                shared = not part.startswith("test_") and part != "conftest"
                assert shared, f"{path.relative_to(ROOT)}:{node.lineno}: what tests share is in tests/support"
