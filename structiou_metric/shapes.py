"""Other shapes of trees, into `SegmentTree`: nltk trees, nested dicts, labelled spans, flat columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real

from .errors import TreeFormatError
from .tree import SegmentTree, check_times

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any


class _Builder:
    """Collects a tree from the order in which its brackets open and close."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.sizes = array("i")
        self.firsts = array("i")
        self.lasts = array("i")
        self.words: list[str] = []
        self.times: list[tuple[float, float] | None] = []
        self._open: list[tuple[str, int, int]] = []

    def open(self, label: str) -> None:
        self._open.append((label, len(self.words), len(self.labels)))

    def word(self, text: str, times: tuple[float, float] | None = None) -> None:
        self.words.append(text)
        self.times.append(times)

    def close(self) -> None:
        label, first, below = self._open.pop()
        self.sizes.append(len(self.labels) - below + 1)
        self.labels.append(label)
        self.firsts.append(first)
        self.lasts.append(len(self.words))

    def tree(self, unit: str | None) -> SegmentTree:
        timed = [pair for pair in self.times if pair is not None]
        if timed and len(timed) < len(self.words):
            missing = self.times.index(None)
            raise TreeFormatError(
                f"word {missing} ({self.words[missing]!r}) has no times and others have; give all or none"
            )
        times = check_times(timed) if timed else None
        unit = unit or ("time" if times else "word")
        words = tuple(self.words)
        return SegmentTree(tuple(self.labels), self.sizes, self.firsts, self.lasts, words, times, unit)


def as_tree(value: Any, unit: str | None = None, *, source: str = "") -> SegmentTree:
    """A tree in any accepted shape, as a `SegmentTree`.

    Accepts bracket text, JSON text of a nested dict or of spans, a `SegmentTree`, an `nltk.Tree`, a
    nested dict, a dict of flat columns, `{"brackets": …, "times": …}`, a pair `(brackets, times)`,
    and a list of labelled spans.
    """
    try:
        return _as_tree(value, unit, source)
    except TreeFormatError as error:
        if error.source or not source:
            raise
        raise TreeFormatError(error.message, source=source) from None


def _as_tree(value: Any, unit: str | None, source: str) -> SegmentTree:
    if isinstance(value, SegmentTree):
        return value if unit is None else value.with_unit(unit)
    if isinstance(value, str):
        if value.lstrip()[:1] in ("{", "["):
            return _as_tree(_parse_json(value), unit, source)
        return SegmentTree.from_brackets(value, unit, source=source)
    if callable(getattr(value, "label", None)):
        return from_nltk(value, unit or "word")
    if isinstance(value, Mapping):
        if "brackets" in value and "times" in value:
            return _with_times(value["brackets"], value["times"], unit)
        if "parents" in value:
            missing = [name for name in ("labels", "starts", "ends") if name not in value]
            if missing:
                raise TreeFormatError(
                    f"flat columns need labels, starts, ends and parents; {missing[0]!r} is missing"
                )
            return from_columns(value["labels"], value["starts"], value["ends"], value["parents"], unit)
        return from_dict(value, unit)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return _with_times(value[0], value[1], unit)
    if isinstance(value, list):
        return from_spans(value, unit, None)
    if value is None:
        raise TreeFormatError("the tree is None; give '()' for a failed parse")
    raise TreeFormatError(
        f"a {type(value).__name__} is no tree; give bracket text, an nltk.Tree, a SegmentTree, a nested dict "
        "or spans"
    )


def _with_times(brackets: str, times: Iterable[Sequence[float]], unit: str | None) -> SegmentTree:
    tree = SegmentTree.from_brackets(brackets, "word").with_times(times)
    return tree if unit is None else tree.with_unit(unit)


def _parse_json(text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise TreeFormatError(
            "the JSON is nested too deeply; give flat columns or brackets instead"
        ) from None
    except ValueError as error:
        raise TreeFormatError(f"this is neither a bracketed tree nor JSON: {error}") from None


def from_nltk(tree: Any, unit: str) -> SegmentTree:
    """See `SegmentTree.from_nltk`."""
    builder = _Builder()
    builder.open(str(tree.label()))
    open_trees: list[Iterator[Any]] = [iter(tree)]
    while open_trees:
        for child in open_trees[-1]:
            if callable(getattr(child, "label", None)):
                builder.open(str(child.label()))
                open_trees.append(iter(child))
                break
            builder.word(str(child))
        else:
            open_trees.pop()
            builder.close()
    return builder.tree(unit)


def from_dict(nested: Mapping[str, Any], unit: str | None) -> SegmentTree:
    """See `SegmentTree.from_dict`."""
    builder = _Builder()
    claims: list[tuple[int, Mapping[str, Any]]] = []  # inner nodes that state their own span
    open_nodes: list[tuple[Mapping[str, Any], Iterator[Any]]] = [(nested, _enter(builder, nested))]
    while open_nodes:
        node, children = open_nodes[-1]
        for child in children:
            if isinstance(child, str):
                builder.word(child)
            elif not isinstance(child, Mapping):
                raise TreeFormatError(f"a child of {node['label']!r} is a {type(child).__name__}; give dicts")
            elif "label" in child:
                open_nodes.append((child, _enter(builder, child)))
                break
            else:
                builder.word(str(child.get("word", "")), _leaf_times(child))
        else:
            open_nodes.pop()
            builder.close()
            if node.get("children") and ("start" in node or "end" in node):
                claims.append((len(builder.labels) - 1, node))
    tree = builder.tree(unit)
    _check_claims(tree, claims)
    return tree


def _enter(builder: _Builder, node: Mapping[str, Any]) -> Iterator[Any]:
    """Opens a labelled node; a leaf gives its word at once."""
    if "label" not in node:
        raise TreeFormatError(
            f"a node without 'label': {_brief(node)}; the root and all constituents need one"
        )
    builder.open(str(node["label"]))
    children = node.get("children") or ()
    if not children and any(name in node for name in ("word", "start", "end")):
        builder.word(str(node.get("word") or ""), _leaf_times(node))
    return iter(children)


def _leaf_times(leaf: Mapping[str, Any]) -> tuple[float, float] | None:
    start, end = leaf.get("start"), leaf.get("end")
    if start is None and end is None:
        if "word" not in leaf:
            raise TreeFormatError(f"a leaf without 'word' or times: {_brief(leaf)}")
        return None
    if not isinstance(start, Real) or not isinstance(end, Real):
        raise TreeFormatError(f"a leaf needs both 'start' and 'end' as numbers: {_brief(leaf)}")
    return float(start), float(end)


def _check_claims(tree: SegmentTree, claims: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    """Inner nodes may state their span, but it is that of their children (the paper's condition)."""
    if not claims or tree.times is None:
        return
    for i, node in claims:
        if tree.firsts[i] == tree.lasts[i]:
            continue
        start, end = tree.times[tree.firsts[i]][0], tree.times[tree.lasts[i] - 1][1]
        if node.get("start", start) != start or node.get("end", end) != end:
            raise TreeFormatError(
                f"node {node['label']!r} says {node.get('start')}–{node.get('end')}, but its children span "
                f"{start}–{end}; leave its times out, or add the missing words as children without label"
            )


def from_spans(spans: Iterable[Any], unit: str | None, words: Sequence[str] | None) -> SegmentTree:
    """See `SegmentTree.from_spans`."""
    triples = [_triple(span, i) for i, span in enumerate(spans)]
    if unit == "char":
        raise TreeFormatError(
            "spans count words or seconds; give words and unit='word', then use with_unit('char')"
        )
    if unit is None:
        whole = all(isinstance(x, Integral) for _, start, end in triples for x in (start, end))
        unit = "word" if words is not None or whole else "time"
    if not triples:
        return _Builder().tree(unit)
    triples.sort(key=lambda span: (span[1], -span[2]))
    parents: list[int] = []
    above: list[int] = []
    for i, (label, start, end) in enumerate(triples):
        while above and triples[above[-1]][2] <= start and not _holds(triples[above[-1]], triples[i]):
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
    labels, starts, ends = zip(*triples, strict=True)
    return _from_nested_spans(labels, starts, ends, parents, unit, words)


def _holds(outer: tuple[str, float, float], inner: tuple[str, float, float]) -> bool:
    """Whether a span of no length lies in another that ends there, too."""
    return outer[1] <= inner[1] and inner[2] <= outer[2] and outer[1] == inner[1]


def _triple(span: Any, i: int) -> tuple[str, float, float]:
    if isinstance(span, Mapping):
        try:
            label, start, end = span["label"], span["start"], span["end"]
        except KeyError as error:
            raise TreeFormatError(f"span {i} has no {error.args[0]!r}: {_brief(span)}") from None
    else:
        try:
            label, start, end = span
        except (TypeError, ValueError):
            raise TreeFormatError(f"span {i} is no (label, start, end): {_brief(span)}") from None
    return str(label), *_number_pair(start, end, f"span {i}")


def _number_pair(start: Any, end: Any, where: str) -> tuple[float, float]:
    for value in (start, end):
        if not isinstance(value, Real) or value - value != 0:
            raise TreeFormatError(f"{where}: {value!r} is no finite number")
    if end < start:
        raise TreeFormatError(f"{where} ends at {end!r}, before it starts at {start!r}")
    return start, end


def from_columns(
    labels: Sequence[str],
    starts: Sequence[float],
    ends: Sequence[float],
    parents: Sequence[int],
    unit: str | None,
) -> SegmentTree:
    """See `SegmentTree.from_columns`."""
    n = len(labels)
    for name, column in (("starts", starts), ("ends", ends), ("parents", parents)):
        if len(column) != n:
            raise TreeFormatError(f"column {name!r} has {len(column)} items and 'labels' has {n}")
    if n == 0:
        return _Builder().tree(unit)
    if unit == "char":
        raise TreeFormatError("flat columns count words or seconds; give brackets for unit='char'")
    roots = [i for i, parent in enumerate(parents) if parent == -1]
    if len(roots) != 1:
        raise TreeFormatError(f"{len(roots)} nodes have the parent -1; a tree has one root")
    for i, parent in enumerate(parents):
        _number_pair(starts[i], ends[i], f"node {i} ({labels[i]!r})")
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
        [str(labels[i]) for i in order],
        [starts[i] for i in order],
        [ends[i] for i in order],
        [place.get(parents[i], -1) for i in order],
        unit,
        None,
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
    labels: Sequence[str],
    starts: Sequence[float],
    ends: Sequence[float],
    parents: Sequence[int],
    unit: str,
    words: Sequence[str] | None,
) -> SegmentTree:
    """Builds from spans in preorder with their parents.

    Over words every word between the ends is known. Over seconds, a leaf is a word without text, and
    so is what a node has before its first and behind its last child.
    """
    builder = _Builder()
    if unit == "word":
        n_words = len(words) if words is not None else int(ends[0])
        texts = list(words) if words is not None else [""] * n_words
        for label, start, end in zip(labels, starts, ends, strict=True):
            if start != int(start) or end != int(end) or start < 0 or end > n_words:
                raise TreeFormatError(f"{label!r} {start}–{end} is no range of the {n_words} words")

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
        builder.open(label)
        above.append(i)
    while above:
        close()
    return builder.tree(unit)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
