"""Trees written in other shapes: brackets, nested dicts, labelled spans, flat columns, nltk trees.

Each holds all that the tree does, its words and their times among it, or is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._core.shapes import read_spans
from ..errors import TreeFormatError
from ..optional import need
from .brackets import escape, read_text
from .parts import Parts, check_unit

_NONE = -1  # no node, or no word
_SPACES = frozenset(" \t\n\v\f\r")  # the reader's white space


def walk(tree: Parts) -> Iterator[tuple[int, int, int]]:
    """Yield the nodes and words in the order in which they are written, each as `(parent, node, word)`.

    A node that holds a single word and nothing else comes together with it. Any other word comes
    alone, without a node; any other node comes without a word. Missing numbers are -1.
    """
    above: list[int] = []
    written = 0
    end = len(tree.labels)
    for i in (*tree.preorder(), end):
        while above and i > above[-1]:
            node = above.pop()
            for word in range(written, tree.lasts[node]):
                yield node, _NONE, word
            written = max(written, tree.lasts[node])
        if i == end:
            return
        parent = above[-1] if above else _NONE
        first = tree.firsts[i]
        for word in range(written, first):
            yield parent, _NONE, word
        written = first
        if tree.sizes[i] == 1 and tree.lasts[i] == first + 1:
            yield parent, i, first
            written += 1
        else:
            yield parent, i, _NONE
            above.append(i)


def to_brackets(tree: Parts, times: bool) -> str:
    """Write brackets; it does the work of `SegmentTree.to_brackets`."""
    words = _timed_words(tree) if times else _plain_words(tree)
    parts: list[str] = []
    above: list[int] = []
    for parent, node, word in walk(tree):
        while above and above[-1] != parent:
            above.pop()
            parts.append(")")
        if node >= 0:
            parts.append(f"{' ' if above else ''}({_escaped(tree.labels[node])}")
            above.append(node)
        if word >= 0:
            if parts[-1].endswith("("):
                raise TreeFormatError(
                    f"the word {words[word]!r} right behind an empty label would be read as that; "
                    "give the node a label"
                )
            parts.append(f" {words[word]}")
    text = "".join(parts) + ")" * len(above) or "()"
    if not times and all(word.endswith(">") for word in words) and read_text(text, None, "").times:
        raise TreeFormatError(f"the words of {text} would be read as times; write other words")
    return text


def _timed_words(tree: Parts) -> list[str]:
    positions = zip(tree.words, *tree.word_positions("time"), strict=True)
    return [f"{_escaped(word)}<{start!r},{end!r}>" for word, start, end in positions]


def _plain_words(tree: Parts) -> list[str]:
    words = []
    for i, word in enumerate(tree.words):
        if not word:
            raise TreeFormatError(f"word {i} has no text; write the tree with times instead")
        words.append(_escaped(word))
    return words


def _escaped(text: str) -> str:
    """Return a word or label as brackets hold it."""
    if not _SPACES.isdisjoint(text):
        raise TreeFormatError(
            f"brackets cannot hold the white space in {text!r}; replace it, for example by '_'"
        )
    return escape(text)


def to_dict(tree: Parts) -> dict[str, Any]:
    """Write a nested dict; it does the work of `SegmentTree.to_dict`."""
    children: dict[int, list[dict[str, Any]]] = {_NONE: []}  # of each node
    for parent, node, word in walk(tree):
        item: dict[str, Any] = {}
        if node >= 0:
            item["label"] = tree.labels[node]
        if word < 0:
            item["children"] = children[node] = []
        else:
            item["word"] = tree.words[word]
            if tree.times is not None:
                item["start"], item["end"] = tree.times[word]
        children[parent].append(item)
    [root] = children[_NONE] or [{"label": "", "children": []}]
    return root


def to_columns(tree: Parts, unit: str | None) -> dict[str, list[Any]]:
    """Write flat columns; it does the work of `SegmentTree.to_columns`."""
    unit = _unit(tree, unit)
    number = int if unit == "word" else float
    starts, ends = (list(map(number, places)) for places in tree.word_positions(unit))
    columns: dict[str, list[Any]] = {"labels": [], "starts": [], "ends": [], "parents": [], "words": []}
    place = {_NONE: _NONE}  # of each node in the columns
    for at, (parent, node, word) in enumerate(walk(tree)):
        if word >= 0:
            start, end = starts[word], ends[word]
        elif tree.firsts[node] < tree.lasts[node]:
            start, end = starts[tree.firsts[node]], ends[tree.lasts[node] - 1]
        elif parent < 0:
            start = end = number(0)
        elif tree.firsts[parent] == tree.lasts[parent]:
            start = end = columns["starts"][place[parent]]
        elif tree.firsts[node] < tree.lasts[parent]:
            start = end = starts[tree.firsts[node]]
        else:  # the next word is not its parent's, so it is at its parent's end
            start = end = ends[tree.lasts[parent] - 1]
        columns["labels"].append(tree.labels[node] if node >= 0 else None)
        columns["starts"].append(start)
        columns["ends"].append(end)
        columns["parents"].append(place[parent])
        columns["words"].append(tree.words[word] if word >= 0 else None)
        if node >= 0:
            place[node] = at
    return columns


def _unit(tree: Parts, unit: str | None) -> str:
    """Return the unit to count; by default seconds where the tree has times."""
    if unit is None:
        return "word" if tree.times is None else "time"
    if check_unit(unit) == "char":
        raise ValueError("spans and columns count words or seconds; choose unit='word' or unit='time'")
    return unit


def to_spans(tree: Parts, unit: str | None) -> list[dict[str, Any]]:
    """Write labelled spans; it does the work of `SegmentTree.to_spans`."""
    columns = to_columns(tree, unit)
    rows = zip(columns["labels"], columns["starts"], columns["ends"], columns["words"], strict=True)
    spans = [{"label": label, "start": start, "end": end, "word": word} for label, start, end, word in rows]
    if any(span["start"] == span["end"] for span in spans):
        _check_nesting(tree, spans, _unit(tree, unit))
    return spans


def _check_nesting(tree: Parts, spans: list[dict[str, Any]], unit: str) -> None:
    """Refuse spans without length if they would be read at another place in the tree."""
    try:
        same = read_spans(spans, unit, None)[:-2] == tree.values()[:-2]
    except TreeFormatError:
        same = False
    if not same:
        span = next(span for span in spans if span["start"] == span["end"])
        name = span["label"] if span["word"] is None else span["word"]
        raise TreeFormatError(
            f"spans without length, such as {name!r} from {span['start']} to {span['end']}, do not tell "
            "their place in this tree; write flat columns or brackets instead"
        )


def to_nltk(tree: Parts, drop_times: bool) -> Any:
    """Make an `nltk.Tree`; it does the work of `SegmentTree.to_nltk`."""
    if tree.times is not None and not drop_times:
        raise TreeFormatError(
            "an nltk.Tree has no place for times; drop them with to_nltk(drop_times=True), "
            "or keep them beside it"
        )

    Tree = need("nltk", "nltk", "to_nltk").Tree
    children: dict[int, Any] = {_NONE: []}  # of each node
    for parent, node, word in walk(tree):
        item = tree.words[word] if word >= 0 else None
        if node >= 0:
            item = children[node] = Tree(tree.labels[node], [] if item is None else [item])
        children[parent].append(item)
    [root] = children[_NONE] or [Tree("", [])]
    return root
