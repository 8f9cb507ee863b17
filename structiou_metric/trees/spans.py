"""Labelled spans and flat columns, read into flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

from .._core.plain import list_spans, read_spans, sorted_spans
from ..errors import TreeFormatError
from ..wording import brief, count
from .arrays import as_scalar
from .parts import Builder, Parts, check_unit

MOST_WORDS = 1_000_000  # that spans alone may ask for


class _Span(NamedTuple):
    """A node, with its word if that is all it holds; without a label, a word of its parent's."""

    label: str | None
    start: float
    end: float
    word: str | None

    def __str__(self) -> str:
        return f"{self.label!r} {self.start}–{self.end}"


def from_spans(spans: Iterable[Any], unit: str | None, words: Sequence[str] | None) -> Parts:
    """Reads labelled spans; it does the work of `SegmentTree.from_spans`."""
    spans = list(spans)
    plain = _read_plain(spans, unit) if words is None else None
    if plain is not None:
        return Parts(*plain)
    found = [_read_span(span, i) for i, span in enumerate(spans)]
    if unit == "char" and all(span.word is None for span in found):
        raise TreeFormatError(
            "spans count words or seconds; give words and unit='word', then use with_unit('char')"
        )
    if unit is None:
        unit = "word" if words is not None or _are_whole(found) else "time"
    if not found:
        return Builder().parts(unit)
    found.sort(key=lambda span: (span.start, -span.end, span.word is not None))
    parents: list[int] = []
    above: list[int] = []
    for i, span in enumerate(found):
        while above and found[above[-1]].end <= span.start:
            outer = found[above[-1]]
            if span.end <= outer.end and (span.start == outer.start or len(above) == 1):
                break  # a span of no length in another such, or at the root's end
            above.pop()
        if above and span.end > found[above[-1]].end:
            raise TreeFormatError(f"{span} crosses {found[above[-1]]}; constituents must nest")
        if not above and i:
            raise TreeFormatError(f"{span} lies outside the root {found[0]}")
        parents.append(above[-1] if above else -1)
        above.append(i)
    names_words = any(isinstance(span, Mapping) and "word" in span for span in spans)
    return _from_nested_spans(found, parents, unit, words, names_words)


def _read_plain(spans: Sequence[Any], unit: str | None) -> tuple[Any, ...] | None:
    """The parts of spans that are plain, in any order; None for others."""
    columns = list_spans(spans)
    if columns is None:
        return None
    plain: tuple[Any, ...] | None = read_spans(*columns, None, unit, MOST_WORDS)
    if plain is None:
        try:
            columns = sorted_spans(*columns)
        except TypeError:  # not all are numbers
            return None
        plain = read_spans(*columns, None, unit, MOST_WORDS)
    return plain


def listed_spans(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The spans of `{"label": […], "start": […], "end": […]}`, as which some Arrow readers give them."""
    names = [name for name in ("label", "start", "end", "word") if columns.get(name) is not None]
    lengths = {name: len(columns[name]) for name in names}
    if len(set(lengths.values())) > 1:
        raise TreeFormatError(f"the lists of a row of spans have different lengths: {lengths}")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _read_span(span: Any, i: int) -> _Span:
    word = None
    if isinstance(span, Mapping):
        try:
            label, start, end = span["label"], span["start"], span["end"]
        except KeyError as error:
            raise TreeFormatError(f"span {i} has no {error.args[0]!r}: {brief(span)}") from None
        word = span.get("word")
        if hasattr(start, "tolist"):
            label, start, end, word = map(as_scalar, (label, start, end, word))
    else:
        try:
            label, start, end = span
        except (TypeError, ValueError):
            raise TreeFormatError(f"span {i} is no (label, start, end): {brief(span)}") from None
    if label is None and word is None:
        raise TreeFormatError(f"span {i} has neither a label nor a word: {brief(span)}")
    _check_numbers(start, end, f"span {i}")
    return _Span(_text(label), start, end, _text(word))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, Real) and abs(float(value)) < float("inf")
    except OverflowError:
        return False


def _check_numbers(start: Any, end: Any, where: str) -> None:
    for value in (start, end):
        if not _is_finite(value):
            raise TreeFormatError(f"{where}: {brief(value)} is no finite number")
    if end < start:
        raise TreeFormatError(f"{where} ends at {end!r}, before it starts at {start!r}")


def _are_whole(spans: Iterable[_Span]) -> bool:
    """Whether all numbers are whole ones, as those that count words are."""
    return all(isinstance(number, Integral) for span in spans for number in (span.start, span.end))


def from_columns(
    labels: Sequence[str | None],
    starts: Sequence[float],
    ends: Sequence[float],
    parents: Sequence[int],
    unit: str | None,
    words: Sequence[str | None] | None = None,
) -> Parts:
    """Reads flat columns; it does the work of `SegmentTree.from_columns`."""
    n = len(labels)
    own_words = [None] * n if words is None else words
    for name, column in (("starts", starts), ("ends", ends), ("parents", parents), ("words", own_words)):
        if len(column) != n:
            raise TreeFormatError(f"column {name!r} has {len(column)} items and 'labels' has {n}")
    if n == 0:
        return Builder().parts(unit)
    plain = read_spans(labels, starts, ends, own_words, parents, unit, MOST_WORDS)
    if plain is not None:
        return Parts(*plain)
    if unit == "char" and all(word is None for word in own_words):
        raise TreeFormatError("flat columns count words or seconds; give brackets for unit='char'")
    roots = [i for i, parent in enumerate(parents) if parent == -1]
    if len(roots) != 1:
        raise TreeFormatError(f"{len(roots)} nodes have the parent -1; a tree has one root")
    for i, parent in enumerate(parents):
        _check_numbers(starts[i], ends[i], f"node {i} ({labels[i]!r})")
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
    spans = [_Span(_text(labels[i]), starts[i], ends[i], _text(own_words[i])) for i in order]
    if unit is None:
        unit = "word" if _are_whole(spans) else "time"
    return _from_nested_spans(
        spans, [place.get(parents[i], -1) for i in order], unit, None, words is not None
    )


def _preorder(starts: Sequence[float], ends: Sequence[float], parents: Sequence[int], root: int) -> list[int]:
    """The nodes from the root, siblings left to right."""
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
    spans: Sequence[_Span], parents: Sequence[int], unit: str, words: Sequence[str] | None, names_words: bool
) -> Parts:
    """Builds from spans in preorder with their parents.

    Where spans have words of their own, those are all the words. Else, over words every word between
    the ends is known, and over seconds, a leaf is a word without text, as is what a node has before its
    first and behind its last child.
    """
    root = spans[0]
    has_own = any(span.word is not None for span in spans)
    if has_own and words is not None:
        raise TreeFormatError("the words are given twice, in the spans and beside them; give them once")
    if words is None and (has_own or (names_words and root.start == root.end)):
        return _from_worded_spans(spans, parents, unit)
    builder = Builder()
    if unit == "word":
        n_words = len(words) if words is not None else int(root.end)
        if words is None and n_words > MOST_WORDS:
            raise TreeFormatError(
                f"{root.label!r} ends at word {n_words}; if these are times, say unit='time'"
            )
        texts = list(words) if words is not None else [""] * n_words
        for span in spans:
            _, start, end, _ = span
            if start != int(start) or end != int(end) or start < 0 or end > n_words:
                raise TreeFormatError(f"{span} is no range of the {n_words} words{_cure(span, words)}")
        if root.start != 0 or root.end < n_words:
            raise TreeFormatError(
                f"the root {root.label!r} spans {root.start}–{root.end} of {count(n_words, 'word')}; "
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
    place = root.start
    is_leaf = [True] * len(spans)

    def close() -> None:
        nonlocal place
        i = above.pop()
        _, start, end, _ = spans[i]
        advance(place, end)
        if unit == "time" and is_leaf[i] and start == end:
            builder.word("", (float(start), float(end)))
        place = max(place, end)
        builder.close()

    for i, span in enumerate(spans):
        while above and above[-1] != parents[i]:
            close()
        if above:
            if span.start < place:
                raise TreeFormatError(
                    f"{span} overlaps what stands before it up to {place}; siblings must not"
                )
            # A silence between two children is no word; the start of the parent is.
            if unit == "word" or is_leaf[above[-1]]:
                advance(place, span.start)
            is_leaf[above[-1]] = False
        place = span.start
        builder.open(str(span.label))  # only words have none
        above.append(i)
    while above:
        close()
    return builder.parts(unit)


def _cure(span: _Span, words: Sequence[str] | None) -> str:
    """What to do about a span that is to count words and does not."""
    if all(number == int(number) for number in (span.start, span.end)):
        return ""
    if words is None:
        return "; if these are seconds, say unit='time'"
    return "; with words beside them spans count these; if they are seconds, give each span its own 'word'"


def _from_worded_spans(spans: Sequence[_Span], parents: Sequence[int], unit: str) -> Parts:
    """Builds from spans in preorder with their parents, among them all words.

    Whatever the unit asked for, the spans may count words, as whole numbers do and others that number
    the words one by one, or seconds.
    """
    counts = "time"
    if unit != "time":
        places = [(span.start, span.end) for span in spans if span.word is not None]
        if _are_whole(spans) or places == [(place, place + 1) for place in range(len(places))]:
            counts = "word"
    builder = Builder()
    above: list[int] = []
    nodes: list[_Span] = []  # those that were closed

    def close() -> None:
        builder.close()
        nodes.append(spans[above.pop()])

    for i, (span, parent) in enumerate(zip(spans, parents, strict=True)):
        if parent >= 0 and spans[parent].word is not None:
            outer = spans[parent]._replace(label=spans[parent].label or spans[parent].word)
            raise TreeFormatError(f"{span} stands below {outer}, which holds a word and nothing else")
        while above and above[-1] != parent:
            close()
        if span.label is not None:
            builder.open(span.label)
            above.append(i)
        elif parent < 0:
            raise TreeFormatError(
                f"the word {span.word!r} {span.start}–{span.end} stands outside of any node"
            )
        if span.word is not None:
            place = len(builder.words)
            if counts == "word" and (span.start, span.end) != (place, place + 1):
                raise TreeFormatError(
                    f"the word {span.word!r} stands at {span.start}–{span.end}, but {place} words stand "
                    f"before it; it is at {place}–{place + 1}"
                )
            builder.word(span.word, (float(span.start), float(span.end)) if counts == "time" else None)
    while above:
        close()
    parts = builder.parts(counts)
    _check_spans(parts, nodes)
    parts.unit = check_unit(unit)
    return parts


def _check_spans(parts: Parts, nodes: Sequence[_Span]) -> None:
    """Refuses a node whose span is not that of its words; one without words has no length."""
    starts, ends = parts.word_positions()
    for node, first, last in zip(nodes, parts.firsts, parts.lasts, strict=True):
        if first == last:
            if node.start != node.end:
                raise TreeFormatError(f"{node} has no word; write '' where its text is not known")
        elif (node.start, node.end) != (starts[first], ends[last - 1]):
            raise TreeFormatError(
                f"{node} does not span its words, which go from {starts[first]:g} to {ends[last - 1]:g}"
            )
