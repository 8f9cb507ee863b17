"""Docstrings: sentences everywhere, one wording for what means the same, examples that run."""

from __future__ import annotations

import ast
import doctest
import re
from functools import cache
from importlib.util import find_spec
from inspect import getdoc, isclass, isroutine, signature
from pathlib import Path

import pytest

from structiou_metric import StructIoU
from support.paths import PACKAGE, ROOT, SPACE
from support.public import PUBLIC, load, members

PLUGIN = Path(find_spec("spacy_structiou").submodule_search_locations[0])
FILES = sorted(path for folder in (PACKAGE, PLUGIN, SPACE) for path in folder.rglob("*.py"))
EXAMPLES = sorted(
    ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")
    for folder in (PACKAGE, PLUGIN)
    for path in folder.rglob("*.py")
    # The Hub's script, and the text that it shows, are run where `evaluate` is.
    if ">>> " in path.read_text(encoding="utf-8")
    and path not in (PACKAGE / "hub" / "struct_iou.py", PACKAGE / "hub" / "evaluate_metric.py")
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# As if something had been said before; `As many trees` stands by itself.
HANGING = re.compile(
    r"(Of|By|In|As(?! many)|Such|Those|Theirs|Likewise|With|Without|For|So|Beside|Kept|Named)\b"
)

# What parameters that mean the same begin with, wherever functions have them.
WORDINGS = {
    "workers": (
        "Threads, or `auto`: as many as there are processors where there is enough to do.",
        "Processes, or `auto`: as many as there are processors where there is enough to do.",
        "The number of ",
    ),
    "progress": ("Whether a terminal shows a progress bar when this takes long.",),
    "strict": (
        "Whether anything suspicious, which `Result.notices` tells otherwise, is a `NoticeError`.",
        "Whether anything suspicious about a system, which `notes` tells otherwise, is a `NoticeError`.",
    ),
    "documents": (
        "Whether every row of ",
        "Whether every row has ",
        "Whether each side is ",
        "Whether rows are ",
        "How many sentences ",
    ),
    "on_error": (
        "`raise`, or count a ",
        "`raise`, or write an empty tree",
        "What becomes of a tree that cannot be projected",
    ),
    "seed": ("The seed of ",),
    "encoding": ("The encoding of text",),
    "watch": ("A function that is called with every piece and the `Result` of its rows",),
}


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_have_docstrings_with_examples(module):
    found = load(module)
    bare, without = [], []
    for name in PUBLIC[module]:
        value = getattr(found, name)
        if isclass(value) or isroutine(value):
            named = {name: value, **(members(value) if isclass(value) else {})}
            bare += [f"{name}: {key}" for key, one in named.items() if not _is_told(one)]
            without += [name] if ">>> " not in (value.__doc__ or "") else []
    assert (bare, without) == ([], [])


def _is_told(value: object) -> bool:
    """Whether a docstring begins with a line that ends in a full stop."""
    return (getdoc(value) or "").split("\n")[0].endswith(".")


@pytest.mark.parametrize("module", PUBLIC)
def test_public_functions_tell_all_of_their_parameters(module):
    found = load(module)
    untold = {}
    for name in PUBLIC[module]:
        value = getattr(found, name)
        if isroutine(value):
            told = {entry.strip("*") for entry, _ in _entries(getdoc(value) or "", "Args")}
            # Where the options of a metric are arguments of their own, `**options` stands for all of them.
            more = StructIoU.OPTIONS if "options" in told else ()
            untold[name] = {*signature(value).parameters} - told - {*more}
    assert {name: sorted(names) for name, names in untold.items() if names} == {}


@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_run(module, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testmod(load(module))
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("module", PUBLIC)
def test_examples_of_public_names_are_among_those_that_run(module):
    found = load(module)
    owners = {getattr(found, name).__module__ for name in PUBLIC[module] if isroutine(getattr(found, name))}
    assert owners <= set(EXAMPLES)


def test_docstrings_begin_with_a_sentence():
    wrong = []
    for where, docstring in _docstrings():
        summary = docstring.split("\n\n")[0]
        if "\n" in summary or not summary.endswith(".") or HANGING.match(summary):
            wrong.append(f"{where} {summary}")
    assert wrong == []


def test_what_is_said_of_parameters_is_a_sentence():
    wrong = [
        f"{where}:{name}: {text}"
        for where, docstring in _docstrings()
        for name, text in _entries(docstring)
        if not text.endswith(".") or HANGING.match(text)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", WORDINGS)
def test_what_means_the_same_is_worded_the_same(name):
    said = [
        (where, text)
        for where, docstring in _docstrings()
        for found, text in _entries(docstring, "Args")
        if found == name
    ]
    assert len(said) > 1
    assert [(where, text) for where, text in said if not text.startswith(WORDINGS[name])] == []


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


@cache
def _docstrings() -> list[tuple[str, str]]:
    """Where each docstring stands, and what it says."""
    found = []
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                docstring = ast.get_docstring(node)
                if docstring is not None:
                    found.append((f"{path.parent.name}/{path.name}:{getattr(node, 'name', '')}", docstring))
    return found


def _entries(docstring: str, *sections: str) -> list[tuple[str, str]]:
    """The names that sections list, and what they say of each."""
    found: list[tuple[str, str]] = []
    section = ""
    for line in docstring.split("\n"):
        head = re.fullmatch(r"(\w+):", line)
        if head or (line and not line.startswith(" ")):
            section = head[1] if head else ""
        elif section in (sections or ("Args", "Attributes")):
            entry = re.match(r"    (\w[\w, ]*|\*+\w+): (.*)", line)
            if entry:
                found.append((entry[1], entry[2]))
            elif line.strip():
                name, text = found.pop()
                found.append((name, f"{text} {line.strip()}"))
    return found
