"""Trees written in the formats that can be written: a line, or a few, for each.

Each writer holds all that a tree does, or refuses it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ...errors import TreeFormatError
from ...trees.brackets import unescape
from ...trees.discontinuous import DiscontinuousTree
from ...trees.tree import SegmentTree
from ...trees.writers import to_brackets, walk
from ...wording import brief
from .graphs import ROOT

if TYPE_CHECKING:
    AnyTree = SegmentTree | DiscontinuousTree

_FIRST_NODE = 500
# Words that the export format would read as nodes or as marks of sentences.
_NO_WORD = re.compile(r"#(?:[0-9]{3,}|BOS|EOS)")
_NO_TIMES = "this format has no place for times; write timed brackets, JSON or spans"


def write_brackets(tree: SegmentTree, number: int) -> str:
    """Return one line of brackets, timed if the words have times."""
    return f"{tree.to_brackets()}\n"


def write_timed(tree: SegmentTree, number: int) -> str:
    """Return one line of timed brackets."""
    return f"{tree.to_brackets(times=True)}\n"


def write_json(tree: SegmentTree, number: int) -> str:
    """Return a line of JSON with flat columns under `tree`, which nesting of any depth leaves flat."""
    return _json({"tree": tree.to_columns()})


def write_spans(tree: SegmentTree, number: int) -> str:
    """Return a line of JSON with labelled spans under `spans`."""
    return _json({"spans": tree.to_spans()})


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def write_discbracket(tree: AnyTree, number: int) -> str:
    """Return one line of brackets with numbered words, in the order of the tree."""
    if tree.times is not None:
        raise TreeFormatError(_NO_TIMES)
    order = tree.order if isinstance(tree, DiscontinuousTree) else range(len(tree.words))
    words = tuple(f"{place}={word}" for place, word in zip(order, tree.words, strict=True))
    if "" in tree.words:
        raise TreeFormatError(f"word {tree.words.index('')} has no text; brackets need one")
    numbered = SegmentTree(tree.labels, tree.sizes, tree.firsts, tree.lasts, words, None, "word")
    return f"{to_brackets(numbered, False)}\n"


def write_export(tree: AnyTree, number: int) -> str:
    """Return a sentence of the export format, version 4, with `--` for lemmas, morphology and edges.

    A root that is called `VROOT` and has several children, or has no label, is the one that the format does
    not write. A tree without words is a sentence without lines.
    """
    if tree.times is not None:
        raise TreeFormatError(_NO_TIMES)
    order = tree.order if isinstance(tree, DiscontinuousTree) else range(len(tree.words))
    children: dict[int, int] = {}
    entries = list(walk(tree)) if tree.words else []
    for parent, _, _ in entries:
        children[parent] = children.get(parent, 0) + 1
    names = {-1: "0"}
    root = len(tree.labels) - 1
    label = tree.labels[root] if tree.labels else ""
    if tree.words and (not label or (label == ROOT and children.get(root, 0) > 1)):
        names[root] = "0"
    inner = [node for _, node, word in entries if node >= 0 and word < 0 and node not in names]
    names.update({node: str(_FIRST_NODE + at) for at, node in enumerate(sorted(inner))})
    words = [""] * len(tree.words)
    nodes: list[tuple[int, str]] = []
    for parent, node, word in entries:
        if word >= 0:
            if node < 0:
                raise TreeFormatError(
                    f"the word {brief(tree.words[word])} has no tag of its own; the export format needs one"
                )
            if _NO_WORD.fullmatch(tree.words[word]):
                raise TreeFormatError(
                    f"the word {tree.words[word]!r} would be read as something else; write another"
                )
            words[order[word]] = _line(tree.words[word], tree.labels[node], names[parent])
        elif node in names and names[node] != "0":
            if tree.firsts[node] == tree.lasts[node]:
                raise TreeFormatError(
                    f"the node {brief(tree.labels[node])} has no words; the export format needs some"
                )
            nodes.append((node, _line(f"#{names[node]}", tree.labels[node], names[parent])))
    lines = [f"#BOS {number}\n", *words, *(line for _, line in sorted(nodes)), f"#EOS {number}\n"]
    return "".join(lines)


def _line(text: str, label: str, parent: str) -> str:
    text, label = unescape(text), unescape(label)
    for what in (text, label):
        if what.split() != [what]:
            raise TreeFormatError(
                f"{what!r} is empty or has white space, which the export format cannot hold; replace it"
            )
    return f"{text}\t--\t{label}\t--\t--\t{parent}\n"


# Each format that can be written, and the function that writes a tree, given its number from 1.
WRITERS = {
    "brackets": write_brackets,
    "timed": write_timed,
    "discbracket": write_discbracket,
    "export": write_export,
    "json": write_json,
    "spans": write_spans,
}

HEADERS = {"export": "#FORMAT 4\n"}
HOLD_GAPS = frozenset(("discbracket", "export"))  # formats for discontinuous trees, too
