"""Other shapes of trees, into `SegmentTree`: nltk trees, nested dicts, and by `as_tree` any other."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real

from ..errors import TreeFormatError
from ..wording import brief
from .tree import SegmentTree, check_times

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any


class Builder:
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
        raise TreeFormatError(
            error.message, source=source, line=error.line, column=error.column, window=error.window
        ) from None
    except (TypeError, OverflowError) as error:  # a null, a text or a huge number where it should not be
        raise TreeFormatError(f"this is no tree of a known shape: {error}", source=source) from None


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
            return _with_times(value["brackets"], value["times"], unit, source)
        if "parents" in value:
            missing = [name for name in ("labels", "starts", "ends") if name not in value]
            if missing:
                raise TreeFormatError(
                    f"flat columns need labels, starts, ends and parents; {missing[0]!r} is missing"
                )
            from .spans import from_columns

            return from_columns(
                value["labels"], value["starts"], value["ends"], value["parents"], unit, value.get("words")
            )
        if isinstance(value.get("label"), list):
            from .spans import from_lists

            return from_lists(value, unit)
        return from_dict(value, unit)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return _with_times(value[0], value[1], unit, source)
    if isinstance(value, list):
        from .spans import from_spans

        return from_spans(value, unit, None)
    if value is None:
        raise TreeFormatError("the tree is None; give '()' for a failed parse")
    raise TreeFormatError(
        f"a {type(value).__name__} is no tree; give bracket text, an nltk.Tree, a SegmentTree, a nested dict "
        "or spans"
    )


def _with_times(brackets: Any, times: Any, unit: str | None, source: str) -> SegmentTree:
    tree = SegmentTree.from_brackets(brackets, "word", source=source).with_times(times)
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
    builder = Builder()
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
    builder = Builder()
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
                builder.word(str(child.get("word") or ""), _leaf_times(child))
        else:
            open_nodes.pop()
            builder.close()
            if node.get("children") and not (node.get("start") is None and node.get("end") is None):
                claims.append((len(builder.labels) - 1, node))
    tree = builder.tree(unit)
    _check_claims(tree, claims)
    return tree


def _enter(builder: Builder, node: Mapping[str, Any]) -> Iterator[Any]:
    """Opens a labelled node; a leaf gives its word at once."""
    if "label" not in node:
        raise TreeFormatError(
            f"a node without 'label': {brief(node)}; the root and all constituents need one"
        )
    builder.open(str(node["label"]))
    children = node.get("children") or ()
    if not children and any(node.get(name) is not None for name in ("word", "start", "end")):
        builder.word(str(node.get("word") or ""), _leaf_times(node))
    return iter(children)


def _leaf_times(leaf: Mapping[str, Any]) -> tuple[float, float] | None:
    start, end = leaf.get("start"), leaf.get("end")
    if start is None and end is None:
        if "word" not in leaf:
            raise TreeFormatError(f"a leaf without 'word' or times: {brief(leaf)}")
        return None
    if not isinstance(start, Real) or not isinstance(end, Real):
        raise TreeFormatError(f"a leaf needs both 'start' and 'end' as numbers: {brief(leaf)}")
    try:
        return float(start), float(end)
    except OverflowError:
        raise TreeFormatError(f"a leaf's time is not finite: {brief(leaf)}") from None


def _check_claims(tree: SegmentTree, claims: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    """Inner nodes may state their span, but it is that of their children (the paper's condition)."""
    if not claims or tree.times is None:
        return
    for i, node in claims:
        if tree.firsts[i] == tree.lasts[i]:
            continue
        start, end = tree.times[tree.firsts[i]][0], tree.times[tree.lasts[i] - 1][1]
        if node.get("start") not in (None, start) or node.get("end") not in (None, end):
            raise TreeFormatError(
                f"node {node['label']!r} says {node.get('start')}–{node.get('end')}, but its children span "
                f"{start}–{end}; leave its times out, or add the missing words as children without label"
            )
