"""Warnings by a literal reading of their definitions, from trees as nested lists of Python."""

from __future__ import annotations

import re
from typing import NamedTuple

ESCAPED = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"', "\u201c": '"'}


class Tree(NamedTuple):
    """What of a tree matters: its labels, and its words with the label right above each."""

    labels: list[str]
    leaves: list[tuple[str, str]]

    @property
    def words(self) -> list[str]:
        """The words that are said, in a common spelling."""
        said = (ESCAPED.get(word, word) for label, word in self.leaves if label != "-NONE-")
        return [word.replace("\u2019", "'") for word in said]


def read(text: str) -> Tree:
    """Reads brackets in which every word has a label of its own."""
    return Tree(re.findall(r"\(([^\s()]*)", text), re.findall(r"\(([^\s()]*) ([^\s()]+)\)", text))


def _length(tree: Tree) -> int:
    """How many characters are written; the escape of a bracket is one."""
    said = (word for label, word in tree.leaves if label != "-NONE-")
    return sum(1 if word.startswith("-") else len(word) for word in said)


def kinds(prediction: str, reference: str, unit: str = "word") -> set[str]:
    """The kinds of warnings of a single pair, in words or characters."""
    pred, ref = read(prediction), read(reference)
    found = set()
    one, other = ("".join(tree.words) for tree in (pred, ref))
    if unit == "word" and len(pred.words) == len(ref.words) and pred.words != ref.words:
        found.add("boundaries" if one == other else "words")
    if unit == "char" and _length(pred) == _length(ref) and one != other:
        found.add("words")
    tagged = [any(re.fullmatch("[^-=]+[-=].*", label) for label in tree.labels) for tree in (pred, ref)]
    if tagged[0] != tagged[1]:
        found.add("tags")
    return found
