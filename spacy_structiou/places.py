"""Finds and sets single trees of a Doc without a look at all others.

Whoever asks for the tree of each sentence, or sets it, would else read all trees as often as there are
sentences. So it is remembered where the trees of a group stand, as long as the group is the same.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from spacy.tokens import Doc, SpanGroup

from structiou_metric.errors import TreeMismatchError

from .store import Encoded, Part, Placed, brief, decode, encode, find_parts


@dataclass
class _Places:
    """Where the trees of a group stand, and what tells whether it is still the same group."""

    group: Any  # a SpanGroup or None; spaCy's types know little of it
    n_tokens: int
    parts: list[Part]
    starts: list[int]  # of the parts

    def are_those_of(self, doc: Doc, key: str) -> bool:
        """Whether nothing was added to the group, or taken from it or the tokens, since."""
        group = doc.spans.get(key)
        n_spans, n_nodes = (self.parts[-1].spans.stop, self.parts[-1].nodes.stop) if self.parts else (0, 0)
        return (
            self.group is group
            and self.n_tokens == len(doc)
            and (group is None or (n_spans, n_nodes) == (len(group), len(group.attrs.get("wordless", ()))))
        )


_known: WeakKeyDictionary[Doc, dict[str, _Places]] = WeakKeyDictionary()


def _find(doc: Doc, key: str) -> _Places:
    by_key = _known.setdefault(doc, {})
    places = by_key.get(key)
    if places is None or not places.are_those_of(doc, key):
        parts = find_parts(doc, key)
        places = _Places(doc.spans.get(key), len(doc), parts, [part.start for part in parts])
        by_key[key] = places
    return places


def trees_between(doc: Doc, key: str, start: int, end: int) -> Iterator[Placed]:
    """The trees that have some of these tokens, and those without tokens that stand there."""
    places = _find(doc, key)
    for part in places.parts[_first(places, start) : bisect_left(places.starts, end)]:
        yield from decode(doc, key, part)


def check_whole(doc: Doc, part: Part | Placed, start: int, end: int, cure: str) -> None:
    """Raises an error if a tree has tokens outside of a span, too."""
    if not start <= part.start <= part.end <= end:
        raise TreeMismatchError(
            f"a tree has tokens {part.start}–{part.end} of {brief(doc)}, of which the span has only "
            f"{start}–{end}; {cure}"
        )


def replace_trees(doc: Doc, key: str, start: int, end: int, trees: Sequence[Placed]) -> None:
    """Puts these trees, which are in order, in the place of those that have some of these tokens."""
    places = _find(doc, key)
    lo, hi = _first(places, start), bisect_left(places.starts, end)
    cure = f"set the tree of the whole sentence, or delete doc.spans[{key!r}] first"
    for part in places.parts[lo:hi]:
        check_whole(doc, part, start, end, cure)
    spans, nodes = _ranges(places, lo, hi)
    new = encode(doc, trees, spans.start, nodes.start)
    if places.group is None:
        doc.spans[key] = places.group = SpanGroup(doc, name=key)
    if hi == len(places.parts) == lo:
        for span in new.spans:
            places.group.append(span)  # extend would copy the group each time
    elif len(spans) == len(new.spans):
        for i, span in zip(spans, new.spans, strict=True):
            places.group[i] = span
    else:
        old = list(places.group)
        kept = [*old[: spans.start], *new.spans, *old[spans.stop :]]
        attrs = {
            name: list(value) if isinstance(value, list) else value
            for name, value in places.group.attrs.items()
        }
        doc.spans[key] = places.group = SpanGroup(doc, name=places.group.name, attrs=attrs, spans=kept)
    more_spans, more_nodes = len(new.spans) - len(spans), len(new.nodes) - len(nodes)
    _replace_attrs(places.group, doc, range(start, end), nodes, new, more_spans)
    later = [
        Part(part.start, part.end, _moved(part.spans, more_spans), _moved(part.nodes, more_nodes))
        for part in places.parts[hi:]
    ]
    places.parts[lo:] = [*new.parts, *later]
    places.starts[lo:hi] = [part.start for part in new.parts]


def _ranges(places: _Places, lo: int, hi: int) -> tuple[range, range]:
    """The spans and the nodes without spans of trees `lo … hi`."""
    if lo < hi:
        first, last = places.parts[lo], places.parts[hi - 1]
        return range(first.spans.start, last.spans.stop), range(first.nodes.start, last.nodes.stop)
    n_spans, n_nodes = (places.parts[lo - 1].spans.stop, places.parts[lo - 1].nodes.stop) if lo else (0, 0)
    return range(n_spans, n_spans), range(n_nodes, n_nodes)


def _replace_attrs(
    group: SpanGroup, doc: Doc, tokens: range, nodes: range, new: Encoded, more_spans: int
) -> None:
    """Puts what spans cannot say of new trees in the place of what was there."""
    if new.times or "times" in group.attrs:
        times = group.attrs.setdefault("times", [None] * len(doc))
        times[tokens.start : tokens.stop] = map(new.times.get, tokens)
        if not (new.times or any(times)):
            del group.attrs["times"]
    if new.nodes or "wordless" in group.attrs:
        wordless = group.attrs.setdefault("wordless", [])
        later = [{**node, "place": node["place"] + more_spans} for node in wordless[nodes.stop :]]
        wordless[nodes.start :] = [*new.nodes, *later]
        if not wordless:
            del group.attrs["wordless"]


def _moved(numbers: range, by: int) -> range:
    return range(numbers.start + by, numbers.stop + by)


def _first(places: _Places, start: int) -> int:
    """The number of the first tree that ends behind a token or stands at it."""
    before = bisect_right(places.starts, start - 1)
    return before - 1 if before and places.parts[before - 1].end > start else before
