"""Constituents as annotation tools keep them: rows of Prodigy, and what `Doc.to_json` gives.

Both have a `text`, `tokens` with the characters where they start and end, and `spans` with characters and
labels. Prodigy's rows have one list of spans, those of `Doc.to_json` one by span group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from structiou_metric.errors import TreeFormatError
from structiou_metric.trees.tree import SegmentTree

_Span = tuple[str, int, int]  # label, first word and the one behind the last


def is_annotated(row: Any) -> bool:
    """Whether a row is one of these."""
    return isinstance(row, Mapping) and isinstance(row.get("text"), str) and {"tokens", "spans"} <= row.keys()


def is_accepted(row: Mapping[str, Any]) -> bool:
    """Whether an annotator has accepted a row, where one was asked."""
    return bool(row.get("answer", "accept") == "accept")


def annotated_trees(row: Mapping[str, Any], key: str) -> list[SegmentTree]:
    """The trees of a row: one for each span that lies in no other, if these have all words.

    If not, all are in one tree, whose root has an empty label. A row without spans has no tree.

    Args:
        row: A row of Prodigy, or what `Doc.to_json` gave.
        key: The span group of what `Doc.to_json` gave.
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
    """The spans of characters as spans of words, outer ones first, left to right."""
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
    """The spans in order, in a list for each that lies in no other."""
    trees: list[list[_Span]] = []
    for span in spans:
        if not trees or span[1] >= trees[-1][0][2]:
            trees.append([])
        trees[-1].append(span)
    return trees
