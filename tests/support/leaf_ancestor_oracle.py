"""Leaf-ancestor by the definition: a list of labels and marks for each word, and Levenshtein in full.

Written apart from the package, on nested tuples.
"""

from __future__ import annotations

from typing import Any

from support.nested import read_forest, without, words

ROOTS = ("TOP", "ROOT", "S1", "VROOT", "")
DROP = (*ROOTS, "-NONE-")


def score(prediction: str, reference: str, drop: tuple[str, ...] = DROP) -> float:
    """The mean over words; both sides have as many."""
    ours, theirs = (ways(without(read_forest(text), drop, ROOTS)) for text in (prediction, reference))
    if not ours or not theirs:
        return float(ours == theirs)
    return sum(_alike(a, b) for a, b in zip(ours, theirs, strict=True)) / len(ours)


def ways(forest: list[Any]) -> list[list[str]]:
    """For each word, labels and marks from the top down."""
    found: list[list[str]] = []

    def visit(item: Any, above: list[tuple[str, int, int]]) -> None:
        start = len(found)
        if isinstance(item, str):
            found.append(_marked(above, start))
        elif len(item[1]) == 1 and isinstance(item[1][0], str):
            found.append(_marked(above, start))  # a tag is no part of the way
        else:
            here = (item[0], start, start + len(words([item])))
            for child in item[1]:
                visit(child, [*above, here])

    for tree in forest:
        visit(tree, [])
    return found


def _marked(above: list[tuple[str, int, int]], word: int) -> list[str]:
    ending = [i for i, (_, _, end) in enumerate(above) if end == word + 1]
    beginning = [i for i, (_, start, _) in enumerate(above) if start == word]
    way = []
    for i, (label, _, _) in enumerate(above):
        if ending and i == ending[0]:
            way.append("mark )")
        way.append("label " + label)
        if beginning and i == beginning[0]:
            way.append("mark (")
    return way


def _alike(a: list[str], b: list[str]) -> float:
    return 1 - levenshtein(a, b) / (len(a) + len(b)) if a or b else 1.0


def levenshtein(a: list[str], b: list[str]) -> int:
    """The number of items to insert, delete or replace."""
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        rows.append([i])
        for j, y in enumerate(b, 1):
            rows[i].append(min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (x != y)))
    return rows[-1][-1]
