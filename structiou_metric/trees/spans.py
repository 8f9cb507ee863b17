"""Labelled spans and flat columns, into flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real

from ..errors import TreeFormatError
from ..wording import brief, count
from .parts import Builder, Parts
from .worded import from_worded_spans

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any

_MOST_WORDS = 1_000_000  # that spans alone may ask for


def from_spans(spans: Iterable[Any], unit: str | None, words: Sequence[str] | None) -> Parts:
    """See `SegmentTree.from_spans`."""
    spans = list(spans)
    triples = [(*_triple(span, i), _word_of(span)) for i, span in enumerate(spans)]
    if unit == "char" and all(word is None for *_, word in triples):
        raise TreeFormatError(
            "spans count words or seconds; give words and unit='word', then use with_unit('char')"
        )
    if unit is None:
        whole = all(isinstance(x, Integral) for _, start, end, _ in triples for x in (start, end))
        unit = "word" if words is not None or whole else "time"
    if not triples:
        return Builder().parts(unit)
    triples.sort(key=lambda span: (span[1], -span[2], span[3] is not None))
    parents: list[int] = []
    above: list[int] = []
    for i, (label, start, end, _) in enumerate(triples):
        while above and triples[above[-1]][2] <= start and not _holds(triples[above[-1]], triples[i]):
            if len(above) == 1 and end <= triples[0][2]:
                break  # a span of no length at the root's end
            above.pop()
        if above and end > triples[above[-1]][2]:
            outer = triples[above[-1]]
            raise TreeFormatError(
                f"{label!r} {start}–{end} crosses {outer[0]!r} {outer[1]}–{outer[2]}; constituents must nest"
            )
        if not above and i:
            raise TreeFormatError(
                f"{label!r} {start}–{end} lies outside the root "
                f"{triples[0][0]!r} {triples[0][1]}–{triples[0][2]}"
            )
        parents.append(above[-1] if above else -1)
        above.append(i)
    labels, starts, ends, own_words = zip(*triples, strict=True)
    names_words = any(isinstance(span, Mapping) and "word" in span for span in spans)
    return _from_nested_spans(labels, starts, ends, parents, unit, words, own_words if names_words else None)


def _holds(
    outer: tuple[str | None, float, float, str | None], inner: tuple[str | None, float, float, str | None]
) -> bool:
    """Whether a span of no length lies in another that ends there, too."""
    return outer[1] <= inner[1] and inner[2] <= outer[2] and outer[1] == inner[1]


def listed_spans(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The spans of `{"label": […], "start": […], "end": […]}`, as which some Arrow readers give them."""
    names = [name for name in ("label", "start", "end", "word") if columns.get(name) is not None]
    lengths = {name: len(columns[name]) for name in names}
    if len(set(lengths.values())) > 1:
        raise TreeFormatError(f"the lists of a row of spans have different lengths: {lengths}")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _word_of(span: Any) -> str | None:
    word = span.get("word") if isinstance(span, Mapping) else None
    return None if word is None else str(word)


def _triple(span: Any, i: int) -> tuple[str | None, float, float]:
    if isinstance(span, Mapping):
        try:
            label, start, end = span["label"], span["start"], span["end"]
        except KeyError as error:
            raise TreeFormatError(f"span {i} has no {error.args[0]!r}: {brief(span)}") from None
    else:
        try:
            label, start, end = span
        except (TypeError, ValueError):
            raise TreeFormatError(f"span {i} is no (label, start, end): {brief(span)}") from None
    if label is None and _word_of(span) is None:
        raise TreeFormatError(f"span {i} has neither a label nor a word: {brief(span)}")
    return None if label is None else str(label), *_number_pair(start, end, f"span {i}")


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, Real) and abs(float(value)) < float("inf")
    except OverflowError:
        return False


def _number_pair(start: Any, end: Any, where: str) -> tuple[float, float]:
    for value in (start, end):
        if not _is_finite(value):
            raise TreeFormatError(f"{where}: {brief(value)} is no finite number")
    if end < start:
        raise TreeFormatError(f"{where} ends at {end!r}, before it starts at {start!r}")
    return start, end


def from_columns(
    labels: Sequence[str | None],
    starts: Sequence[float],
    ends: Sequence[float],
    parents: Sequence[int],
    unit: str | None,
    words: Sequence[str | None] | None = None,
) -> Parts:
    """See `SegmentTree.from_columns`."""
    n = len(labels)
    own_words = [None] * n if words is None else words
    for name, column in (("starts", starts), ("ends", ends), ("parents", parents), ("words", own_words)):
        if len(column) != n:
            raise TreeFormatError(f"column {name!r} has {len(column)} items and 'labels' has {n}")
    if n == 0:
        return Builder().parts(unit)
    if unit == "char" and all(word is None for word in own_words):
        raise TreeFormatError("flat columns count words or seconds; give brackets for unit='char'")
    roots = [i for i, parent in enumerate(parents) if parent == -1]
    if len(roots) != 1:
        raise TreeFormatError(f"{len(roots)} nodes have the parent -1; a tree has one root")
    for i, parent in enumerate(parents):
        _number_pair(starts[i], ends[i], f"node {i} ({labels[i]!r})")
        if labels[i] is None and own_words[i] is None:
            raise TreeFormatError(f"node {i} has neither a label nor a word")
        if not isinstance(parent, Integral):
            raise TreeFormatError(f"node {i} ({labels[i]!r}) has the parent {parent!r}; give a whole number")
        if not -1 <= parent < n:
            raise TreeFormatError(f"node {i} ({labels[i]!r}) has the parent {parent}; there are {n} nodes")
        if parent >= 0 and not (starts[parent] <= starts[i] and ends[i] <= ends[parent]):
            raise TreeFormatError(
                f"node {i} ({labels[i]!r}, {starts[i]}–{ends[i]}) lies outside its parent "
                f"{parent} ({labels[parent]!r}, {starts[parent]}–{ends[parent]})"
            )
    order = _preorder(starts, ends, parents, roots[0])
    if len(order) < n:
        stray = min(set(range(n)) - set(order))
        raise TreeFormatError(
            f"node {stray} ({labels[stray]!r}) does not lead up to the root; parents go round"
        )
    place = {node: i for i, node in enumerate(order)}
    if unit is None:
        unit = "word" if all(isinstance(x, Integral) for x in (*starts, *ends)) else "time"
    return _from_nested_spans(
        [None if labels[i] is None else str(labels[i]) for i in order],
        [starts[i] for i in order],
        [ends[i] for i in order],
        [place.get(parents[i], -1) for i in order],
        unit,
        None,
        None if words is None else [None if words[i] is None else str(words[i]) for i in order],
    )


def _preorder(starts: Sequence[float], ends: Sequence[float], parents: Sequence[int], root: int) -> list[int]:
    """Nodes from the root, siblings left to right."""
    children: dict[int, list[int]] = {}
    for i in sorted(range(len(parents)), key=lambda i: (starts[i], ends[i])):
        children.setdefault(parents[i], []).append(i)
    order: list[int] = []
    todo = [root]
    while todo:
        node = todo.pop()
        order.append(node)
        todo.extend(reversed(children.get(node, ())))
    return order


def _from_nested_spans(
    labels: Sequence[str | None],
    starts: Sequence[float],
    ends: Sequence[float],
    parents: Sequence[int],
    unit: str,
    words: Sequence[str] | None,
    own_words: Sequence[str | None] | None,
) -> Parts:
    """Builds from spans in preorder with their parents.

    Where spans have words of their own, those are all the words. Else, over words every word between
    the ends is known, and over seconds, a leaf is a word without text, as is what a node has before its
    first and behind its last child.
    """
    has_own = own_words is not None and any(word is not None for word in own_words)
    if has_own and words is not None:
        raise TreeFormatError("the words are given twice, in the spans and beside them; give them once")
    if own_words is not None and words is None and (has_own or starts[0] == ends[0]):
        return from_worded_spans(labels, starts, ends, parents, own_words, unit)
    builder = Builder()
    if unit == "word":
        n_words = len(words) if words is not None else int(ends[0])
        if words is None and n_words > _MOST_WORDS:
            raise TreeFormatError(
                f"{labels[0]!r} ends at word {n_words}; if these are times, say unit='time'"
            )
        texts = list(words) if words is not None else [""] * n_words
        for label, start, end in zip(labels, starts, ends, strict=True):
            if start != int(start) or end != int(end) or start < 0 or end > n_words:
                raise TreeFormatError(f"{label!r} {start}–{end} is no range of the {n_words} words")
        if starts[0] != 0 or ends[0] < n_words:
            raise TreeFormatError(
                f"the root {labels[0]!r} spans {starts[0]}–{ends[0]} of {count(n_words, 'word')}; "
                "a root spans all words, counted from 0"
            )

    def advance(place: float, limit: float) -> None:
        """Adds the words from `place` up to `limit`."""
        if unit == "word":
            for text in texts[int(place) : int(limit)]:
                builder.word(text)
        elif place < limit:
            builder.word("", (float(place), float(limit)))

    above: list[int] = []
    place = starts[0]
    is_leaf = [True] * len(labels)

    def close() -> None:
        nonlocal place
        node = above.pop()
        advance(place, ends[node])
        if unit == "time" and is_leaf[node] and starts[node] == ends[node]:
            builder.word("", (float(starts[node]), float(ends[node])))
        place = max(place, ends[node])
        builder.close()

    for i, label in enumerate(labels):
        while above and above[-1] != parents[i]:
            close()
        if above:
            if starts[i] < place:
                raise TreeFormatError(
                    f"{label!r} {starts[i]}–{ends[i]} overlaps what stands before it up to {place}; "
                    "siblings must not"
                )
            # A silence between two children is no word; the start of the parent is.
            if unit == "word" or is_leaf[above[-1]]:
                advance(place, starts[i])
            is_leaf[above[-1]] = False
        place = starts[i]
        builder.open(str(label))  # only words have none
        above.append(i)
    while above:
        close()
    return builder.parts(unit)
