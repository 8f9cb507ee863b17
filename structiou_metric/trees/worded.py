"""Spans and flat columns that name their words, into flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

from ..errors import TreeFormatError
from .parts import Builder, Parts, check_unit


def from_worded_spans(
    labels: Sequence[str | None],
    starts: Sequence[float],
    ends: Sequence[float],
    parents: Sequence[int],
    words: Sequence[str | None],
    unit: str,
) -> Parts:
    """Builds from spans in preorder with their parents, among them all words.

    A span with a label is a node. Its word, if it has one, is all it holds; the word of a span without
    a label is one of its parent's. Whatever the unit asked for, the spans may count words or seconds.
    """
    counts = "time" if unit == "time" else _find_unit(starts, ends, words)
    builder = Builder()
    above: list[int] = []
    nodes: list[int] = []  # the span of each node that was closed

    def close() -> None:
        builder.close()
        nodes.append(above.pop())

    for i, (label, parent, word) in enumerate(zip(labels, parents, words, strict=True)):
        if parent >= 0 and words[parent] is not None:
            raise TreeFormatError(
                f"{_span(labels[i], starts[i], ends[i])} stands below "
                f"{_span(labels[parent] or words[parent], starts[parent], ends[parent])}, "
                "which holds a word and nothing else"
            )
        while above and above[-1] != parent:
            close()
        if label is not None:
            builder.open(label)
            above.append(i)
        elif parent < 0:
            raise TreeFormatError(f"the word {word!r} {starts[i]}–{ends[i]} stands outside of any node")
        if word is not None:
            place = len(builder.words)
            if counts == "word" and (starts[i], ends[i]) != (place, place + 1):
                raise TreeFormatError(
                    f"the word {word!r} stands at {starts[i]}–{ends[i]}, but {place} words stand before it; "
                    f"it is at {place}–{place + 1}"
                )
            builder.word(word, (float(starts[i]), float(ends[i])) if counts == "time" else None)
    while above:
        close()
    parts = builder.parts(counts)
    _check_spans(parts, [(starts[i], ends[i]) for i in nodes])
    parts.unit = check_unit(unit)
    return parts


def _find_unit(starts: Sequence[float], ends: Sequence[float], words: Sequence[str | None]) -> str:
    """Whether spans count words, as whole numbers do and others that number the words one by one."""
    if all(isinstance(number, Integral) for number in (*starts, *ends)):
        return "word"
    spans = [(starts[i], ends[i]) for i, word in enumerate(words) if word is not None]
    return "word" if spans == [(place, place + 1) for place in range(len(spans))] else "time"


def _check_spans(parts: Parts, spans: Sequence[tuple[float, float]]) -> None:
    """The span of every node is that of its words; one without words has no length."""
    starts, ends = parts.word_positions()
    for i, (start, end) in enumerate(spans):
        first, last = parts.firsts[i], parts.lasts[i]
        if first == last:
            if start != end:
                raise TreeFormatError(
                    f"{_span(parts.labels[i], start, end)} has no word; write '' where its text is not known"
                )
        elif (start, end) != (starts[first], ends[last - 1]):
            raise TreeFormatError(
                f"{_span(parts.labels[i], start, end)} does not span its words, which go from "
                f"{starts[first]:g} to {ends[last - 1]:g}"
            )


def _span(name: str | None, start: float, end: float) -> str:
    return f"{name!r} {start}–{end}"
