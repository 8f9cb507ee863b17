"""`texts="aligned"`, literally: an edit path by a table of all costs, then Algorithm 1 on its columns.

What a word is spelled with comes from a table that was written by hand; nothing here comes from the product.
"""

from __future__ import annotations

import re

from support.oracle import Tree, best_by_algorithm1, read, without_terminals
from support.sparseval_oracle import edit_path

# Words, and the written characters that they are compared by.
SPELLED = {
    "a": "a",
    "b": "b",
    "ab": "ab",
    "ba": "ba",
    "aab": "aab",
    "-LRB-": "(",
    "-lsb-": "[",
    "[": "[",
    "``": '"',
    "''": '"',
    '"': '"',
    "“": '"',
    "don't": "don't",
    "don’t": "don't",
    "\xe9": ["\xe9"],
    "e\u0301": ["\xe9"],
    "\u05d1": ["\u05d1"],
    "\u05d1\u05b8": ["\u05d1\u05b8"],
}


def words_of(brackets: str) -> list[str]:
    """The words of a tree; labels follow brackets, words do not."""
    return re.findall(r"(?<=\s)[^\s()]+", brackets)


def columns(prediction: list[str], reference: list[str], unit: str) -> list[tuple[int | None, int | None]]:
    """Both texts on one axis: in each column the place of the prediction's unit and of the reference's."""
    sides = [units_of(words, unit) for words in (prediction, reference)]
    items = [[(item, at) for at, item in enumerate(side)] for side in sides]
    # The text that is less than the other is the first, whichever side it is on.
    swapped = [word.encode() for word in prediction] > [word.encode() for word in reference]
    if swapped:
        items.reverse()
    path = edit_path(*items, lambda a, b: a[0] == b[0])
    found = [(a and a[1], b and b[1]) for a, b in path]
    return [(b, a) for a, b in found] if swapped else found


def units_of(words: list[str], unit: str) -> list[object]:
    """What the text consists of."""
    if unit == "word":
        return [tuple(SPELLED[word]) for word in words]
    return [character for word in words for character in SPELLED[word]]


def counts(prediction: list[str], reference: list[str], unit: str) -> list[int]:
    """Columns with the same on both sides, with different ones, and with one side's alone."""
    units = units_of(prediction, unit), units_of(reference, unit)
    found = [0, 0, 0, 0]
    for a, b in columns(prediction, reference, unit):
        kind = 2 if b is None else 3 if a is None else units[0][a] != units[1][b]
        found[kind] += 1
    return found


def placed(brackets: list[str], places: list[int], unit: str) -> Tree:
    """The trees of a side on the axis, one after the other, given the column of each unit."""
    forest: Tree = []
    at = 0
    for text in brackets:
        times = []
        for word in words_of(text):
            length = 1 if unit == "word" else len(SPELLED[word])
            times.append((float(places[at]), places[at + length - 1] + 1.0))
            at += length
        shift = len(forest)
        for node in read(text, times):
            forest.append(node._replace(parent=node.parent + shift if node.parent >= 0 else -1))
    return forest


def struct_iou(prediction: list[str], reference: list[str], unit: str, **options) -> float:
    """The score of two lists of trees, each on one axis."""
    texts = [[word for text in side for word in words_of(text)] for side in (prediction, reference)]
    path = columns(*texts, unit)
    forests = []
    for number, side in enumerate((prediction, reference)):
        places = [column for column, pair in enumerate(path) if pair[number] is not None]
        forests.append(placed(side, places, unit))
    if options.get("terminals") == "exclude":
        nodes = sum(len(without_terminals(forest)) for forest in forests)
    else:
        nodes = sum(map(len, forests))
    return 2.0 * best_by_algorithm1(*forests, **options) / nodes if nodes else 1.0
