"""Nested dicts, read into flat arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

from .._core.plain import read_dict
from ..errors import TreeFormatError
from ..wording import brief
from .arrays import as_listed
from .parts import Builder, Parts


def from_dict(nested: Mapping[str, Any], unit: str | None) -> Parts:
    """Reads a nested dict; it does the work of `SegmentTree.from_dict`."""
    plain = read_dict(nested, unit)
    if plain is not None:
        return Parts(*plain)
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
            states_span = not (node.get("start") is None and node.get("end") is None)
            if states_span and as_listed(node.get("children")):
                claims.append((len(builder.labels) - 1, node))
    parts = builder.parts(unit)
    _check_claims(parts, claims)
    return parts


def _enter(builder: Builder, node: Mapping[str, Any]) -> Iterator[Any]:
    """Opens a labelled node; a leaf gives its word at once."""
    if "label" not in node:
        raise TreeFormatError(
            f"a node without 'label': {brief(node)}; the root and all constituents need one"
        )
    builder.open(str(node["label"]))
    children = as_listed(node.get("children")) or ()
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


def _check_claims(parts: Parts, claims: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    """Refuses inner nodes whose stated span is not that of their children (the paper's condition)."""
    if not claims or parts.times is None:
        return
    for i, node in claims:
        if parts.firsts[i] == parts.lasts[i]:
            continue
        start, end = parts.times[parts.firsts[i]][0], parts.times[parts.lasts[i] - 1][1]
        if node.get("start") not in (None, start) or node.get("end") not in (None, end):
            raise TreeFormatError(
                f"node {node['label']!r} says {node.get('start')}–{node.get('end')}, but its children span "
                f"{start}–{end}; leave its times out, or add the missing words as children without label"
            )
