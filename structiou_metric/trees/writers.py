"""Trees into other shapes: brackets, nested dicts, labelled spans, flat columns, nltk trees.

Each holds all that the tree does, its words and their times among it, or is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import TreeFormatError
from .brackets import ESCAPES, read_text
from .parts import Parts, check_unit

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

_NONE = -1  # no node, or no word
_SPACES = frozenset(" \t\n\v\f\r")  # what the reader takes for white space
_ESCAPED = str.maketrans({bracket: name for name, bracket in ESCAPES.items() if bracket in "()"})


def walk(tree: Parts) -> Iterator[tuple[int, int, int]]:
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


def to_brackets(tree: Parts, times: bool) -> str:
    """See `SegmentTree.to_brackets`."""
    words = _timed_words(tree) if times else _plain_words(tree)
    parts: list[str] = []
    above: list[int] = []
    written = 0

    def write_words(stop: int) -> None:
        nonlocal written
        if stop > written:
            if parts[-1].endswith("("):
                raise TreeFormatError(
                    f"the word {words[written]!r} right behind an empty label would be read as that; "
                    "give the node a label"
                )
            parts.extend(f" {word}" for word in words[written:stop])
            written = stop

    def close() -> None:
        write_words(tree.lasts[above.pop()])
        parts.append(")")

    for i in tree.preorder():
        while above and i > above[-1]:
            close()
        write_words(tree.firsts[i])
        parts.append(f"{' ' if above else ''}({_escaped(tree.labels[i])}")
        above.append(i)
    while above:
        close()
    text = "".join(parts) or "()"
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
    """A word or label as brackets hold it."""
    if not _SPACES.isdisjoint(text):
        raise TreeFormatError(
            f"brackets cannot hold the white space in {text!r}; replace it, for example by '_'"
        )
    return text.translate(_ESCAPED)


def to_dict(tree: Parts) -> dict[str, Any]:
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


def to_columns(tree: Parts, unit: str | None) -> dict[str, list[Any]]:
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


def _unit(tree: Parts, unit: str | None) -> str:
    """What to count: by default seconds where the tree has times."""
    if unit is None:
        return "word" if tree.times is None else "time"
    if check_unit(unit) == "char":
        raise ValueError("spans and columns count words or seconds; choose unit='word' or unit='time'")
    return unit


def _positions(tree: Parts, unit: str) -> tuple[list[Any], list[Any]]:
    """Start and end of each word, as whole numbers if they count words."""
    if unit == "word":
        n_words = len(tree.words)
        return list(range(n_words)), list(range(1, n_words + 1))
    starts, ends = tree.word_positions(unit)
    return list(starts), list(ends)


def to_spans(tree: Parts, unit: str | None) -> list[dict[str, Any]]:
    """See `SegmentTree.to_spans`."""
    columns = to_columns(tree, unit)
    rows = zip(columns["labels"], columns["starts"], columns["ends"], columns["words"], strict=True)
    spans = [{"label": label, "start": start, "end": end, "word": word} for label, start, end, word in rows]
    if any(span["start"] == span["end"] for span in spans):
        _check_nesting(tree, spans, _unit(tree, unit))
    return spans


def _check_nesting(tree: Parts, spans: list[dict[str, Any]], unit: str) -> None:
    """Refuses spans without length if they would be read at another place in the tree."""
    from .spans import from_spans

    try:
        read = from_spans(spans, unit, None)
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


def to_nltk(tree: Parts, drop_times: bool) -> Any:
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
