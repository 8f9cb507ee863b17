"""`SegmentTree` into other shapes: nested dicts, labelled spans, flat columns, nltk trees.

Each holds all that the tree does, its words and their times among it, or is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import TreeFormatError
from .tree import SegmentTree, check_unit

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

_NONE = -1  # no node, or no word


def walk(tree: SegmentTree) -> Iterator[tuple[int, int, int]]:
    """Nodes and words in the order in which they are written, each as `(parent, node, word)`.

    A node that holds a single word and nothing else comes together with it. Any other word comes
    alone, without a node; any other node comes without a word. What is not there is -1.
    """
    above: list[int] = []
    written = 0
    for i in tree.preorder():
        while above and i > above[-1]:
            node = above.pop()
            for word in range(written, tree.lasts[node]):
                yield node, _NONE, word
            written = max(written, tree.lasts[node])
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
    while above:
        node = above.pop()
        for word in range(written, tree.lasts[node]):
            yield node, _NONE, word
        written = max(written, tree.lasts[node])


def to_dict(tree: SegmentTree) -> dict[str, Any]:
    """See `SegmentTree.to_dict`."""
    written: dict[int, dict[str, Any]] = {}
    root: dict[str, Any] = {"label": "", "children": []}
    for parent, node, word in walk(tree):
        item: dict[str, Any] = {}
        if node >= 0:
            item["label"] = tree.labels[node]
        if word >= 0:
            item["word"] = tree.words[word]
            if tree.times is not None:
                item["start"], item["end"] = tree.times[word]
        else:
            item["children"] = []
            written[node] = item
        if parent >= 0:
            written[parent]["children"].append(item)
        else:
            root = item
    return root


def to_columns(tree: SegmentTree, unit: str | None) -> dict[str, list[Any]]:
    """See `SegmentTree.to_columns`."""
    unit = _unit(tree, unit)
    starts, ends = _positions(tree, unit)
    columns: dict[str, list[Any]] = {"labels": [], "starts": [], "ends": [], "parents": [], "words": []}
    place = {_NONE: _NONE}  # of each node in the columns
    for at, (parent, node, word) in enumerate(walk(tree)):
        if word >= 0:
            start, end = starts[word], ends[word]
        elif tree.firsts[node] < tree.lasts[node]:
            start, end = starts[tree.firsts[node]], ends[tree.lasts[node] - 1]
        elif parent < 0:
            start = end = 0.0 if unit == "time" else 0
        elif tree.firsts[parent] == tree.lasts[parent]:
            start = end = columns["starts"][place[parent]]
        elif tree.firsts[node] < tree.lasts[parent]:
            start = end = starts[tree.firsts[node]]
        else:  # the word behind it is not its parent's, so it stands at its parent's end
            start = end = ends[tree.lasts[parent] - 1]
        columns["labels"].append(tree.labels[node] if node >= 0 else None)
        columns["starts"].append(start)
        columns["ends"].append(end)
        columns["parents"].append(place[parent])
        columns["words"].append(tree.words[word] if word >= 0 else None)
        if node >= 0:
            place[node] = at
    return columns


def _unit(tree: SegmentTree, unit: str | None) -> str:
    """What to count: by default seconds where the tree has times."""
    if unit is None:
        return "word" if tree.times is None else "time"
    if check_unit(unit) == "char":
        raise ValueError("spans and columns count words or seconds; choose unit='word' or unit='time'")
    return unit


def _positions(tree: SegmentTree, unit: str) -> tuple[list[Any], list[Any]]:
    """Start and end of each word, as whole numbers if they count words."""
    if unit == "word":
        n_words = len(tree.words)
        return list(range(n_words)), list(range(1, n_words + 1))
    starts, ends = tree.word_positions(unit)
    return list(starts), list(ends)


def to_spans(tree: SegmentTree, unit: str | None) -> list[dict[str, Any]]:
    """See `SegmentTree.to_spans`."""
    columns = to_columns(tree, unit)
    rows = zip(columns["labels"], columns["starts"], columns["ends"], columns["words"], strict=True)
    spans = [{"label": label, "start": start, "end": end, "word": word} for label, start, end, word in rows]
    if any(span["start"] == span["end"] for span in spans):
        _check_nesting(tree, spans, _unit(tree, unit))
    return spans


def _check_nesting(tree: SegmentTree, spans: list[dict[str, Any]], unit: str) -> None:
    """Refuses spans without length if they would be read at another place in the tree."""
    try:
        read = SegmentTree.from_spans(spans, unit)
        same = all(
            getattr(read, name) == getattr(tree, name)
            for name in ("labels", "sizes", "firsts", "lasts", "words")
        )
    except TreeFormatError:
        same = False
    if not same:
        span = next(span for span in spans if span["start"] == span["end"])
        name = span["label"] if span["word"] is None else span["word"]
        raise TreeFormatError(
            f"spans without length, such as {name!r} from {span['start']} to {span['end']}, do not tell "
            "their place in this tree; write flat columns or brackets instead"
        )


def to_nltk(tree: SegmentTree, drop_times: bool) -> Any:
    """See `SegmentTree.to_nltk`."""
    if tree.times is not None and not drop_times:
        raise TreeFormatError(
            "an nltk.Tree has no place for times; drop them with to_nltk(drop_times=True), "
            "or keep them beside it"
        )
    from ..optional import need

    Tree = need("nltk", "nltk", "to_nltk").Tree
    written: dict[int, Any] = {}
    root = Tree("", [])
    for parent, node, word in walk(tree):
        children = [tree.words[word]] if word >= 0 else []
        item = Tree(tree.labels[node], children) if node >= 0 else tree.words[word]
        if node >= 0:
            written[node] = item
        if parent >= 0:
            written[parent].append(item)
        else:
            root = item
    return root
