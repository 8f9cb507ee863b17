"""`as_tree`: a tree in any accepted shape, told apart and read as a `SegmentTree`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import TreeFormatError
from .objects import is_node
from .tree import SegmentTree


def as_tree(value: Any, unit: str | None = None, *, source: str = "") -> SegmentTree:
    """A tree in any accepted shape, as a `SegmentTree`.

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
    if isinstance(value, Mapping):
        from .arrays import as_listed

        if "brackets" in value and "times" in value:
            return _with_times(value["brackets"], value["times"], unit, source)
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
            from .spans import listed_spans

            columns = {name: as_listed(column) for name, column in value.items()}
            return SegmentTree.from_spans(listed_spans(columns), unit)
        return SegmentTree.from_dict(value, unit)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return _with_times(value[0], value[1], unit, source)
    if isinstance(value, list):
        return _from_list(value, unit)
    if type(value).__module__.startswith("spacy."):
        return _as_tree(_tree_of_spacy(value), unit, source)
    from .arrays import MISSING, as_listed, listed, missing_name

    if listed(value) is not None:
        return _from_list(as_listed(value), unit)
    if missing := missing_name(value):
        raise TreeFormatError(MISSING.format(missing))
    raise TreeFormatError(
        f"a {type(value).__name__} is no tree; give bracket text, an nltk.Tree, a SegmentTree, a nested dict "
        "or spans"
    )


def _from_list(values: list[Any], unit: str | None) -> SegmentTree:
    """The tree of a list of spans."""
    try:
        return SegmentTree.from_spans(values, unit)
    except TreeFormatError:
        from .several import alternatives

        if alternatives(values):
            raise TreeFormatError(
                "this is a list of trees; give one, as only references may be several, or say documents=True"
            ) from None
        raise


def _tree_of_spacy(value: Any) -> Any:
    """The tree of a Doc or Span, by an extension of `spacy_structiou`."""
    kind = type(value).__name__
    if not (hasattr(value, "_") and hasattr(value._, "tree")):
        raise TreeFormatError(f"a {kind} of spaCy has no tree by itself; give spacy_structiou.get_tree of it")
    tree = value._.tree
    if tree is None:
        raise TreeFormatError(f"this {kind} has no constituent with exactly its words; set its tree first")
    return tree


def _with_times(brackets: Any, times: Any, unit: str | None, source: str) -> SegmentTree:
    from .arrays import as_listed

    tree = SegmentTree.from_brackets(brackets, "word", source=source).with_times(as_listed(times))
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
