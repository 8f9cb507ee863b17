"""Lists of the words and brackets of each sentence, with the result of each: EVALB's option `-d`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..._core.flat import FlatTrees
from ..._core.scan import Scanner
from ..base import VALID, Batch

if TYPE_CHECKING:
    from ...sources.rows import Rows

WRONG, RIGHT, DELETED, UNKNOWN = 0, 1, 5, 9  # as EVALB numbers them


class Side(namedtuple("Side", ("words", "brackets"))):
    """One side of a sentence.

    Attributes:
        words: The tag, the text and the result of each word that is not deleted.
        brackets: The start, the end, the label and the result of each bracket, outer ones first; the result
            of brackets that do not count is `DELETED`. If the sentence was not compared, all results are
            `UNKNOWN`.
    """

    __slots__ = ()

    words: list[tuple[str, str, int]]
    brackets: list[tuple[int, int, str, int]]


def list_pairs(metric: Any, predictions: Rows, references: Rows) -> Iterator[tuple[Side, Side]]:
    """Yield both sides of each sentence: that of the reference, and that of the prediction.

    Args:
        metric: ParsEval with its options.
        predictions: Trees, as `Metric.corpus_score` takes them.
        references: The same number of trees.
    """
    counter = metric.counter()
    scanner = Scanner()
    scanner.several = scanner.blank_words = metric.reads_as_evalb
    scanner.intern("")
    trees = FlatTrees(), FlatTrees()
    sides = predictions, references
    for row in range(len(references)):
        problems: dict[int, ValueError] = {}
        for rows, flat in zip(sides, trees, strict=True):
            problems |= rows.load(row, row + 1, "word", scanner, flat)
        yield list_pair(counter, Batch(*trees, scanner.labels, row, problems, sides))


def list_pair(counter: Any, batch: Batch) -> tuple[Side, Side]:
    """Return both sides of the first pair of a batch: that of the reference, and that of the prediction."""
    compared = counter.count(batch).status[0] == VALID and not batch.problems
    table, explained = counter.explain(batch)
    trees = batch.predictions, batch.references
    tags = [_tags(flat, batch.labels) for flat in trees]
    kept = [[own[word] for word in places] for own, (places, _, _) in zip(tags, explained, strict=True)]
    compared = compared and len(kept[0]) == len(kept[1])
    found = []
    for k, (flat, (places, ranks, partners)) in enumerate(zip(trees, explained, strict=True)):
        words = []
        for n, (word, tag) in enumerate(zip(places, kept[k], strict=True)):
            result = int(table.same_tags(tag, kept[1 - k][n])) if compared else UNKNOWN
            words.append((table.tag(tag) if compared else tag, flat.word(0, word), result))
        found.append(Side(words, _brackets(flat, batch.labels, ranks, partners if compared else None, table)))
    return found[1], found[0]


def _tags(trees: Any, labels: Any) -> list[str]:
    """Return the tag of each word."""
    ids, sizes, firsts, lasts = trees.nodes(0)
    tags = [""] * trees.count_words(0)
    for label, size, first, last in zip(ids, sizes, firsts, lasts, strict=True):
        if size == 1 and last - first == 1:
            tags[first] = labels[label]
    return tags


def _brackets(
    trees: Any, labels: Any, ranks: Any, partners: dict[int, bool] | None, table: Any
) -> list[tuple[int, int, str, int]]:
    """Return all brackets, outer ones before those inside them, and from left to right."""
    ids, sizes, firsts, lasts = trees.nodes(0)
    nodes = [i for i in range(len(ids)) if sizes[i] > 1 or firsts[i] == lasts[i]]
    found = []
    for i in sorted(nodes, key=lambda i: (i - sizes[i], -sizes[i])):
        start, end, label = ranks[firsts[i]], ranks[lasts[i]], labels[ids[i]]
        result = UNKNOWN
        if partners is not None:
            result = DELETED if i not in partners else RIGHT if partners[i] else WRONG
            label = label if start == end else table.cut(label)
        found.append((start, end, label, result))
    return found
