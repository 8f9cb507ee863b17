"""Reads LaTeX back that the package writes, and compiles it where there is a TeX.

The reader knows what TeX makes of the commands by itself, not from the package's tables.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.process import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMMANDS = {
    "textbackslash": "\\",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textvisiblespace": "␣",
    "ldots": "…",
    "textdagger": "†",
    ",": "",  # a thin space, which this package puts between number and label only
}
_MATHS = {
    "-": "\u2212",
    "\\emptyset": "∅",
    "\\cdot": "·",
    "\\times": "×",
    "\\pm": "±",
    "\\Delta": "Δ",
    "\\le": "≤",
    "\\ge": "≥",
    "\\rightarrow": "→",
}
_TOKEN = re.compile(
    r"\\texttt\{(?P<typed>\\char34|U\+[0-9A-F]{4}|\?)\}|\$(?P<maths>[^$]*)\$"
    r"|\\(?P<command>[A-Za-z]+) ?(?:\{\})?|\\(?P<escaped>.)"
    r"|(?P<join>---|--|``|''|\{\})|(?P<group>[{}])|(?P<tie>~)|(?P<bare>[^\\])",
    re.DOTALL,
)
_JOINS = {"---": "—", "--": "–", "``": "“", "''": "”", "{}": ""}
_SHAPES = frozenset({"tiny", "textbf", "emph", "textsuperscript", "scriptsize", "textit"})
_SPECIAL = frozenset("#%&_^")  # never bare


class Shown(NamedTuple):
    """A node of a forest: what is written in it, its style, and its children."""

    source: str
    style: str
    children: list[Shown]


def read_text(source: str) -> str:
    """What TeX shows for the source of a text; fails on what it would take for something else."""
    shown = []
    depth = 0
    for token in _TOKEN.finditer(source):
        kind, text = token.lastgroup, token.group(token.lastgroup or 0)
        if kind == "typed":
            shown.append({"\\char34": '"', "?": "\ufffd"}.get(text) or chr(0x2400 + int(text[2:], 16)))
        elif kind == "maths":
            shown.append(_MATHS[text])
        elif kind == "command":
            shown.append("" if text in _SHAPES else _COMMANDS[text])
        elif kind == "escaped":
            assert text in "{}$&#%_,", source
            shown.append(_COMMANDS.get(text, text))
        elif kind == "join":
            shown.append(_JOINS[text])
        elif kind == "group":
            depth += 1 if text == "{" else -1
            assert depth >= 0, source
        elif kind == "tie":
            shown.append("\xa0")
        else:
            assert text not in _SPECIAL, source
            shown.append(text)
    assert depth == 0, source
    return "".join(shown)


def check_braces(source: str) -> None:
    """Every brace and every environment that is opened is closed, in order."""
    depth = 0
    environments: list[str] = []
    lines = [line for line in source.split("\n") if not line.startswith("%")]
    for token in re.finditer(r"\\(begin|end)\{(\w+)\}|\\.|([{}])", "\n".join(lines), re.DOTALL):
        command, name, brace = token.groups()
        if command == "begin":
            environments.append(name)
        elif command == "end":
            assert environments.pop() == name
        elif brace:
            depth += 1 if brace == "{" else -1
            assert depth >= 0
    assert (depth, environments) == (0, [])


def forests(source: str) -> Iterator[tuple[str, Shown]]:
    """The letter before each forest, or nothing, and its root."""
    pattern = r"\\hbox\{(?:\\textbf\{(\w+)\}~)?\\begin\{forest\} structiou tree\n(.*?)\\end\{forest\}\}"
    for letter, text in re.findall(pattern, source, re.DOTALL):
        yield letter, _read_forest(text)


def _read_forest(text: str) -> Shown:
    """The root of a forest; brackets inside of braces are no structure."""
    top = Shown("", "", [])
    above = [top]
    at = 0
    while at < len(text):
        if text[at] == "[":
            end = _closing(text, at + 1)
            style = re.compile(r", ([^\[\]\n]*)").match(text, end)
            assert style, text[end : end + 40]
            node = Shown(text[at + 2 : end - 1], style[1], [])
            above[-1].children.append(node)
            above.append(node)
            at = style.end()
        elif text[at] == "]":
            above.pop()
            at += 1
        else:
            assert text[at].isspace(), text[at : at + 40]
            at += 1
    [root] = top.children
    assert above == [top]
    return root


def _closing(text: str, start: int) -> int:
    """One past the brace that closes the one at `start`."""
    assert text[start] == "{"
    depth = 0
    for token in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    raise AssertionError(text[start:])


def read_rows(source: str) -> list[list[str]]:
    """The cells of a table's rows, as source, the head first; a row over all columns has one cell."""
    rows = []
    for line in source.split("\n"):
        text = line.strip()
        if text.endswith(r" \\") and not text.startswith(r"\caption"):
            cells = re.split(r"(?<!\\)&", text.removesuffix(r"\\"))
            whole = re.fullmatch(r"\\multicolumn\{\d+\}\{l\}\{(.*)\}", cells[0].strip())
            rows.append([whole[1]] if whole and len(cells) == 1 else [cell.strip() for cell in cells])
    return rows


def compile_latex(folder: Path, engine: str, preamble: str, body: str) -> str:
    """Compiles a document, or skips the test where there is no such TeX; returns its log."""
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    document = (
        f"\\documentclass[a4paper,11pt]{{article}}\n\\usepackage[margin=2.5cm]{{geometry}}\n{preamble}\n"
    )
    (folder / "document.tex").write_text(
        f"{document}\\begin{{document}}\n{body}\n\\end{{document}}\n", encoding="utf-8"
    )
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "document.tex"],
        cwd=folder,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    log = done.stdout.decode("utf-8", "replace")
    if done.returncode and re.search(r"File `(forest|booktabs|babel|geometry)\.sty' not found", log):
        pytest.skip("this TeX lacks a package")
    assert done.returncode == 0, log[-3000:]
    return log
