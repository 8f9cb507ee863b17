"""The export format of NEGRA and TIGER, versions 3 and 4: a line for each word, then one for each node.

#FORMAT 4
#BOS 1
is      be      VB      --      HD      500
John    John    NP      --      SB      0
rich    rich    JJ      --      PD      500
#500    --      VP      --      HD      0
#EOS 1

Version 3 has no lemmas. Labels are the tags and categories; edges, morphology and secondary edges are not
read. Tables of tags (`#BOT … #EOT`) and lines that begin with `%%` mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import TreeFormatError
from ...wording import brief
from ..content import Content
from . import Row
from .graphs import Graph

_TOP = "0"  # the parent of nodes without one
_FIRST_NODE = 500  # an entry that begins with `#` and a lower number is a word


def read_export(content: Content) -> Iterator[Row]:
    """Return the sentences, in order."""
    version = begin = 0
    name = ""
    lines: list[tuple[int, list[str]]] | None = None  # of the sentence that is read
    table = False
    number = 0
    for number, line in enumerate(content.text.split("\n"), 1):
        mark, *rest = line.split(None, 2) or [""]
        if mark == "#BOS":
            if lines is not None:
                yield Row(begin, content.error(_cut_off(name), begin))
            begin, name, lines = number, rest[0] if rest else "", []
        elif mark == "#EOS":
            if lines is None:
                raise content.error("this #EOS ends no sentence; begin one with #BOS", number)
            yield Row(begin, _sentence(content, begin, lines, version, (name, rest[0] if rest else "")))
            lines = None
        elif lines is not None:
            if mark:
                lines.append((number, line.split()))
        elif mark == "#FORMAT":
            if not rest or rest[0] not in ("3", "4"):
                raise content.error("only versions 3 and 4 of the export format are known", number)
            version = int(rest[0])
        elif mark in ("#BOT", "#EOT"):
            table = mark == "#BOT"
        elif mark and not table and not mark.startswith("%%"):
            raise content.error(f"{brief(mark)} is outside of sentences; begin one with #BOS", number)
    if lines is not None:
        yield Row(begin, content.error(_cut_off(name), begin))


def _cut_off(name: str) -> str:
    return f"the sentence {brief(name)} is cut off; end it with #EOS"


def _sentence(
    content: Content, begin: int, lines: list[tuple[int, list[str]]], version: int, names: tuple[str, str]
) -> object:
    """Return the tree, or the error that keeps it from being read."""
    graph = Graph()
    number = begin
    try:
        if names[0] != names[1]:
            raise TreeFormatError(
                f"the sentence {brief(names[0])} ends as {brief(names[1])}; number both alike"
            )
        for number, fields in lines:
            text, label, parent = _columns(fields, version)
            if text.startswith("#") and text[1:].isdecimal() and int(text[1:]) >= _FIRST_NODE:
                name = text[1:]
                graph.node(name, label)
            else:
                name = f"word {number - begin}"
                graph.word(name, text, label)
            if parent != _TOP:
                graph.edge(parent, name)
        number = begin
        return graph.tree()
    except TreeFormatError as error:
        return content.error(error.message, number)


def _columns(fields: list[str], version: int) -> tuple[str, str, str]:
    """Return the text, the label and the parent; the number of columns shows whether there are lemmas."""
    end = next((i for i, field in enumerate(fields) if i > 4 and field.startswith("%%")), len(fields))
    version = version or (4 if end % 2 == 0 else 3)
    if end < version + 2:
        raise TreeFormatError(
            f"{end} columns, but a line of version {version} has {version + 2}; write -- for what is "
            "not known"
        )
    parent = fields[version + 1]
    if not parent.isdecimal():
        raise TreeFormatError(
            f"the parent {brief(parent)} is no number; is this another version of the format?"
        )
    return fields[0], fields[version - 2], parent
