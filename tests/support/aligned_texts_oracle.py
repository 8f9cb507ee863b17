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


def tags_of(brackets: str, labels: str = "exact") -> list[str | None]:
    """The label of the bracket of each word, or None if that bracket holds brackets, too."""
    found: list[str | None] = []
    open_brackets: list[tuple[str, int, list[bool]]] = []
    for bracket, label, word in re.findall(r"(\()\s*([^\s()]*)|\)|([^\s()]+)", brackets):
        if bracket:
            if open_brackets:
                open_brackets[-1][2][0] = True
            open_brackets.append((label, len(found), [False]))
        elif word:
            found.append(None)
        else:
            name, first, (has_brackets,) = open_brackets.pop()
            if not has_brackets:
                found[first:] = ["" if labels == "ignore" else name] * (len(found) - first)
    return found


def columns(
    prediction: list[str], reference: list[str], unit: str, labels: str = "exact"
) -> list[tuple[int | None, int | None]]:
    """Both texts on one axis: in each column the place of the prediction's unit and of the reference's.

    Each side is a list of trees in brackets.
    """
    items = []
    for side in (prediction, reference):
        words = [word for text in side for word in words_of(text)]
        tags = [tag for text in side for tag in tags_of(text, labels)]
        own = [(item, tag) for word, tag in zip(words, tags, strict=True) for item in units_of([word], unit)]
        items.append([(item, tag, at) for at, (item, tag) in enumerate(own)])
    # The text that is less than the other is the first, whichever side it is on.
    texts = [[word.encode() for text in side for word in words_of(text)] for side in (prediction, reference)]
    swapped = texts[0] > texts[1]
    if swapped:
        items.reverse()
    path = edit_path(*items, lambda a, b: a[0] == b[0], lambda a, b: a[1] != b[1])
    found = [(a and a[2], b and b[2]) for a, b in path]
    return [(b, a) for a, b in found] if swapped else found


def units_of(words: list[str], unit: str) -> list[object]:
    """What the text consists of."""
    if unit == "word":
        # As words, those with and without vowel points are the same.
        return [tuple(character.replace("\u05b8", "") for character in SPELLED[word]) for word in words]
    return [character for word in words for character in SPELLED[word]]


def counts(prediction: str, reference: str, unit: str) -> list[int]:
    """Columns with the same on both sides, with different ones, and with one side's alone."""
    units = [units_of(words_of(text), unit) for text in (prediction, reference)]
    found = [0, 0, 0, 0]
    for a, b in columns([prediction], [reference], unit):
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
    path = columns(prediction, reference, unit, options.get("labels", "exact"))
    forests = []
    for number, side in enumerate((prediction, reference)):
        places = [column for column, pair in enumerate(path) if pair[number] is not None]
        forests.append(placed(side, places, unit))
    if options.get("terminals") == "exclude":
        nodes = sum(len(without_terminals(forest)) for forest in forests)
    else:
        nodes = sum(map(len, forests))
    return 2.0 * best_by_algorithm1(*forests, **options) / nodes if nodes else 1.0
