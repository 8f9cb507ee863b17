"""The Sinica Treebank: labels come before their brackets, roles before labels, and `|` between siblings.

#1:1.[0] S(agent:NP(Head:Nhaa:他)|Head:VC2:看|goal:NP(Head:Nab:書))#。(PERIODCATEGORY)

A line is a tree. Roles are not read, nor the text before the tree and, from `#` on, after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...trees.brackets import escape
from ...wording import brief
from ..content import Content
from . import Row

_NUMBER = re.compile(r"\s*#?[^\s(]*\s+(?=\S)|\s*")
_TAIL = re.compile(r"(?<=\))#[^#]*$|#\s*$")
_TOKEN = re.compile(r"[()|]|[^()|]+")


def read_sinica(content: Content) -> Iterator[Row]:
    """Return the trees, in order; blank lines mean nothing."""
    for number, line in enumerate(content.text.split("\n"), 1):
        if line.strip():
            yield Row(number, _tree(content, line.rstrip(), number))


def _tree(content: Content, line: str, number: int) -> object:
    """Return the bracket text, or the error that keeps it from being read."""
    begin = _NUMBER.match(line)
    body = _TAIL.sub("", line[begin.end() :] if begin else line)
    depth = 0
    parts: list[str] = []
    tokens = _TOKEN.findall(body)
    for token, after in zip(tokens, [*tokens[1:], ""], strict=False):
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            parts.append(")")
            if depth < 0:
                break
        elif token != "|":
            *_, tag, text = (":" + token.strip()).split(":")
            if after == "(":
                parts.append(f" ({escape(text)}")
            elif tag and text:
                parts.append(f" ({escape(tag)} {escape(text)})")
            else:
                return content.error(f"{brief(token)} is no word; write words as role:tag:word", number)
    if depth:
        what = "is never closed; add ')'" if depth > 0 else "closes nothing; remove it"
        return content.error(f"a bracket {what}", number)
    if not parts:
        return content.error("there is no tree on this line; write it as label(role:tag:word|…)", number)
    return "".join(parts).strip()
