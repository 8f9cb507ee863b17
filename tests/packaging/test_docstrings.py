"""Public names have docstrings with examples, and all examples run; ruff checks the form of docstrings."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc, isclass, isroutine
from pathlib import Path

import pytest

from support.paths import PACKAGE, ROOT
from support.public import PUBLIC, is_available, members

PLUGIN = Path(find_spec("spacy_structiou").submodule_search_locations[0])
# The modules with examples, by package, without the script of the Hub and its text, which tests/hub runs.
SHOWN_BY_EVALUATE = {PACKAGE / "hub" / "struct_iou.py", PACKAGE / "hub" / "evaluate_metric.py"}
EXAMPLES: dict[str, list[str]] = {}
for folder in (PACKAGE, PLUGIN):
    for path in sorted(folder.rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8") and path not in SHOWN_BY_EVALUATE:
            parts = path.relative_to(folder.parent).with_suffix("").parts
            package = ".".join(parts[:2] if len(parts) > 2 else parts[:1])
            EXAMPLES.setdefault(package, []).append(".".join(parts).removesuffix(".__init__"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("package", EXAMPLES)
def test_examples_run(package, monkeypatch):
    monkeypatch.chdir(ROOT)
    results = {
        module: doctest.testmod(import_module(module)) for module in EXAMPLES[package] if is_available(module)
    }
    assert {module: result for module, result in results.items() if result.failed} == {}
    assert all(result.attempted for result in results.values())


def test_public_names_have_docstrings_with_examples():
    bare, without = [], []
    for module in filter(is_available, PUBLIC):
        found = import_module(module)
        for name in PUBLIC[module]:
            value = getattr(found, name)
            if isclass(value) or isroutine(value):
                named = {name: value, **(members(value) if isclass(value) else {})}
                bare += [f"{module}: {name}: {key}" for key, one in named.items() if not getdoc(one)]
                without += [] if ">>> " in (value.__doc__ or "") else [f"{module}: {name}"]
    assert (bare, without) == ([], [])


def test_what_pages_import_is_public():
    shown = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for module, names in re.findall(
            r"^(?:>>> | *)from ((?:structiou_metric|spacy_structiou)[\w.]*) import ([\w, ]+)",
            text,
            re.MULTILINE,
        ):
            shown |= {(module, name.strip()) for name in names.split(",")}
    assert len(shown) > 30
    private = []
    for module, name in sorted(shown):
        if f"{module}.{name}" not in PUBLIC and name not in PUBLIC.get(module, ()):
            private.append((module, name))
    assert private == []
