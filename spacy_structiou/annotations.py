"""Trees in rows of annotation tools: rows of Prodigy, and the output of `Doc.to_json`.

Both have a `text`, `tokens` with their first and last characters, and `spans` with characters and labels. A
row of Prodigy has one list of spans, a row of `Doc.to_json` a list for each span group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from structiou_metric.errors import TreeFormatError
from structiou_metric.trees.tree import SegmentTree

_Span = tuple[str, int, int]  # label, first word, and the word after the last one


def is_annotated(row: Any) -> bool:
    """Return whether a row is of Prodigy or `Doc.to_json`."""
    return isinstance(row, Mapping) and isinstance(row.get("text"), str) and {"tokens", "spans"} <= row.keys()


def is_accepted(row: Mapping[str, Any]) -> bool:
    """Return whether an annotator has accepted a row; a row without an answer counts as accepted."""
    return bool(row.get("answer", "accept") == "accept")


def annotated_trees(row: Mapping[str, Any], key: str) -> list[SegmentTree]:
    """Return the trees of a row: one for each span that is in no other span.

    If some words are outside of these spans, there is one tree, whose root has an empty label. A row without
    spans has no tree.

    Args:
        row: A row of Prodigy or `Doc.to_json`.
        key: The name of the span group in a row of `Doc.to_json`.
    """
    try:
        tokens = [(token["start"], token["end"]) for token in row["tokens"]]
        given = row["spans"].get(key, []) if isinstance(row["spans"], Mapping) else row["spans"]
        spans = [(span["start"], span["end"], span.get("label") or "") for span in given]
        words = [row["text"][start:end] for start, end in tokens]
    except (AttributeError, KeyError, TypeError) as error:
        raise TreeFormatError(
            f"tokens and spans of this row need start and end, in characters of its text: {error!r}"
        ) from None
    tokens = [token for token, word in zip(tokens, words, strict=True) if not word.isspace()]
    words = [word for word in words if not word.isspace()]
    placed = _by_words(spans, tokens)
    if not placed:
        return []
    trees = _apart(placed)
    if [tree[0][1] for tree in trees] != [0, *(tree[0][2] for tree in trees[:-1])] or (
        trees[-1][0][2] != len(words)
    ):
        trees = [[("", 0, len(words)), *placed]]
    return [
        SegmentTree.from_spans(
            [(label, start - tree[0][1], end - tree[0][1]) for label, start, end in tree],
            "word",
            words=words[tree[0][1] : tree[0][2]],
        )
        for tree in trees
    ]


def _by_words(spans: Sequence[tuple[int, int, str]], tokens: Sequence[tuple[int, int]]) -> list[_Span]:
    """Return spans of characters as spans of words, from left to right, outer ones first."""
    firsts = {start: i for i, (start, _) in enumerate(tokens)}
    lasts = {end: i + 1 for i, (_, end) in enumerate(tokens)}
    placed: list[_Span] = []
    for start, end, label in spans:
        if start not in firsts or end not in lasts:
            raise TreeFormatError(
                f"the span {label!r} over characters {start}–{end} does not begin and end with a token; "
                "annotate whole tokens"
            )
        placed.append((label, firsts[start], lasts[end]))
    return sorted(placed, key=lambda span: (span[1], -span[2]))


def _apart(spans: Sequence[_Span]) -> list[list[_Span]]:
    """Return the spans in lists, one for each span that is in no other span."""
    trees: list[list[_Span]] = []
    for span in spans:
        if not trees or span[1] >= trees[-1][0][2]:
            trees.append([])
        trees[-1].append(span)
    return trees
