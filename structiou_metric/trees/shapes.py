"""Shapes of trees: which one a value has, whether a row is one tree or several, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .._core.shapes import is_node
from ..errors import TreeFormatError
from ..optional import MISSING, as_listed, listed, missing_name
from .tree import SegmentTree


def as_tree(value: Any, unit: str | None = None, *, source: str = "") -> SegmentTree:
    """Return a tree in any accepted shape, as a `SegmentTree`.

    Accepts bracket text, JSON text of a nested dict or of spans, a `SegmentTree`, an `nltk.Tree`, a tree
    of Stanza, a sentence of CoreNLP's JSON, a nested dict, a dict of flat columns,
    `{"brackets": …, "times": …}`, a pair `(brackets, times)`, a list of labelled spans, and a Doc or Span of
    spaCy with trees of `spacy_structiou`.
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
    if isinstance(value, TreeFormatError):  # why there is no tree
        raise value
    if isinstance(value, SegmentTree):
        return value if unit is None else value.with_unit(unit)
    if isinstance(value, str):
        if value.lstrip()[:1] in ("{", "["):
            return _as_tree(_parse_json(value), unit, source)
        return SegmentTree.from_brackets(value, unit, source=source)
    if is_node(value):
        return SegmentTree.from_nltk(value, unit or "word")
    if timed := timed_brackets(value):
        tree = SegmentTree.from_brackets(timed[0], "word", source=source).with_times(as_listed(timed[1]))
        return tree if unit is None else tree.with_unit(unit)
    if isinstance(value, Mapping):
        if "parents" in value:
            names = ("labels", "starts", "ends", "parents")
            for name in names:
                if name not in value:
                    raise TreeFormatError(
                        f"flat columns need labels, starts, ends and parents; {name!r} is missing"
                    )
            labels, starts, ends, parents, words = (as_listed(value.get(name)) for name in (*names, "words"))
            return SegmentTree.from_columns(labels, starts, ends, parents, unit, words=words)
        if isinstance(value.get("parse"), str) and "label" not in value:
            return SegmentTree.from_brackets(value["parse"], unit, source=source)
        if isinstance(value.get("sentences"), list):
            raise TreeFormatError(
                'this is a whole document of CoreNLP; give a row for each of its "sentences"'
            )
        if isinstance(as_listed(value.get("label")), list):
            columns = {name: as_listed(column) for name, column in value.items()}
            return SegmentTree.from_spans(_listed_spans(columns), unit)
        return SegmentTree.from_dict(value, unit)
    if isinstance(value, list):
        return _from_list(value, unit)
    if type(value).__module__.startswith("spacy."):
        return _as_tree(_tree_of_spacy(value), unit, source)
    if listed(value) is not None:
        return _from_list(as_listed(value), unit)
    if missing := missing_name(value):
        raise TreeFormatError(MISSING.format(missing))
    raise TreeFormatError(
        f"a {type(value).__name__} is no tree; give bracket text, an nltk.Tree, a SegmentTree, a nested dict "
        "or spans"
    )


def _from_list(values: list[Any], unit: str | None) -> SegmentTree:
    """Return the tree of a list of spans."""
    try:
        return SegmentTree.from_spans(values, unit)
    except TreeFormatError:
        if alternatives(values):
            raise TreeFormatError(
                "this is a list of trees; give one, as only references may be several, or say documents=True"
            ) from None
        raise


def _tree_of_spacy(value: Any) -> Any:
    """Return the tree of a Doc or Span, by an extension of `spacy_structiou`."""
    kind = type(value).__name__
    if not (hasattr(value, "_") and hasattr(value._, "tree")):
        raise TreeFormatError(f"a {kind} of spaCy has no tree by itself; give spacy_structiou.get_tree of it")
    tree = value._.tree
    if tree is None:
        raise TreeFormatError(f"this {kind} has no constituent with exactly its words; set its tree first")
    return tree


def timed_brackets(value: Any) -> tuple[Any, Any] | None:
    """Return the brackets and the word times of a value that has both; None for other shapes.

    >>> timed_brackets({"brackets": "(A a)", "times": [[0, 1]]}), timed_brackets(("(S a)", "(T a)"))
    (('(A a)', [[0, 1]]), None)
    """
    if isinstance(value, tuple):
        is_pair = len(value) == 2 and isinstance(value[0], str) and not isinstance(value[1], str)
        return value if is_pair else None
    if isinstance(value, Mapping) and "brackets" in value and "times" in value:
        return value["brackets"], value["times"]
    return None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise TreeFormatError(
            "the JSON is nested too deeply; give flat columns or brackets instead"
        ) from None
    except ValueError as error:
        raise TreeFormatError(f"this is neither a bracketed tree nor JSON: {error}") from None


def _listed_spans(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the spans of `{"label": […], "start": […], "end": […]}`, a form of some Arrow readers."""
    names = [name for name in ("label", "start", "end", "word") if columns.get(name) is not None]
    lengths = {name: len(columns[name]) for name in names}
    if len(set(lengths.values())) > 1:
        raise TreeFormatError(f"the lists of a row of spans have different lengths: {lengths}")
    rows = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


# ---- one tree or several ---------------------------------------------------------------------------


def alternatives(row: Any) -> list[Any] | None:
    """Return the trees of a row that has a list of them; None if it is a tree itself.

    A list of spans is one tree. JSON text of a list is treated as the list. The empty list is a list of no
    trees: no reference at all, though a prediction that is one is a tree without spans.

    >>> alternatives(["(S a)", "(T a)"]), alternatives([("S", 0, 1)]), alternatives('["(S a)"]')
    (['(S a)', '(T a)'], None, ['(S a)'])
    """
    if is_node(row):
        return None
    items = document(row)
    if items is None:
        return None
    if isinstance(row, tuple) and timed_brackets(row):
        return None
    return items if all(map(_is_tree, items)) else None


def document(row: Any) -> list[Any] | None:
    """Return the trees of a row that is a document, a list of trees in any shape; None if it is no list.

    >>> document(["(S a)", "(T b)"]), document('["(S a)"]'), document("(S a)")
    (['(S a)', '(T b)'], ['(S a)'], None)
    """
    if isinstance(row, str):
        return _parse_list(row) if row.lstrip()[:1] == "[" else None
    if isinstance(row, (list, tuple)):
        return list(row)
    return None if is_node(row) else listed(row)


def find_several(rows: Iterable[tuple[int, Any]]) -> dict[int, list[Any]]:
    """Return the trees of each row that is a list of them, by its number."""
    found = {}
    for number, row in rows:
        if not (type(row) is str and row[:1] == "("):  # as most rows are, which takes no further look
            trees = alternatives(row)
            if trees is not None:
                found[number] = trees
    return found


def _parse_list(text: str) -> list[Any] | None:
    """Return the list of a JSON text; None if it is none, which reading it as a tree will say more about."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return items if isinstance(items, list) else None


def _is_tree(item: Any) -> bool:
    """Return whether an item of a list is a tree, or is in the place of one, rather than a span."""
    if isinstance(item, (str, SegmentTree, TreeFormatError)) or is_node(item):
        return True
    if isinstance(item, Mapping):
        if any(name in item for name in ("children", "parents", "brackets")):
            return True
        label = item.get("label")
        return isinstance(label, list) or listed(label) is not None
    items = item if isinstance(item, (list, tuple)) else listed(item)
    if items is None:
        return missing_name(item) != ""
    return not (len(items) == 3 and isinstance(items[0], str))
