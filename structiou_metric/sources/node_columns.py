"""Columns of Arrow whose rows are lists of nodes: labelled spans and flat columns, read from child arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core.node_lists import NodeLists
from ..trees.several import find_several
from ..trees.spans import MOST_WORDS
from .arrow_arrays import Values, are_texts, numbers_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.flat import FlatTrees
    from .._core.scan import Scanner

_SPANS = ("label", "start", "end", "word")
_COLUMNS = ("labels", "starts", "ends", "words", "parents")
_OTHERS = {"children", "parents", "brackets"}  # fields of a tree; spans have none of them


def node_fields(kind: Any) -> tuple[str, ...] | None:
    """The fields that tell the nodes of each row, whether or not there are words; None for other types.

    Rows are lists of structs, or structs of lists.
    """
    from pyarrow import types

    is_list = _is_list(kind)
    struct = kind.value_type if is_list else kind
    if not types.is_struct(struct):
        return None
    found = {field.name: field.type for field in struct}
    names = _SPANS if is_list or "label" in found else _COLUMNS
    if len(found) < struct.num_fields or (_OTHERS & set(found) if is_list else set(found) - set(names)):
        return None
    if not is_list:
        if not all(map(_is_list, found.values())):
            return None
        found = {name: inner.value_type for name, inner in found.items()}
    label, start, end, word, *parent = (found.get(name) for name in names)
    if not (label and are_texts(label) and (word is None or are_texts(word))):
        return None
    if not all(number and (types.is_integer(number) or _is_real(number)) for number in (start, end)):
        return None
    if parent and not (parent[0] and types.is_integer(parent[0])):
        return None
    return tuple(names)


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind))


def _is_real(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_float32(kind) or types.is_float64(kind))


class NodeColumn(Values):
    """A column whose type has `node_fields`; rows become Python's objects only when they are asked for."""

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, by its place: of nulls, or of none at all."""
        from pyarrow import compute, types

        if types.is_struct(self.chunks.type):
            return {}
        if any(chunk.values.null_count for chunk in self.chunks.chunks):
            return find_several(enumerate(self))
        lengths = compute.list_value_length(self.chunks)
        return {place: [] for place in compute.indices_nonzero(compute.equal(lengths, 0)).to_pylist()}

    def longest(self, lo: int, hi: int) -> int:
        """What `ListRows.longest` says of the rows as Python has them."""
        from pyarrow import compute, types

        rows = self.chunks.slice(lo, hi - lo)
        if types.is_struct(rows.type):
            return int(rows.type.num_fields) if len(rows) > rows.null_count else 0
        return int(compute.max(compute.list_value_length(rows)).as_py() or 0)

    def load_nodes(
        self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees
    ) -> Sequence[int] | None:
        """Reads rows into `trees`; returns which are null, or None if some row has to be looked at closer."""
        from pyarrow import ArrowException, compute, concat_arrays, types

        rows = self.chunks.slice(lo, hi - lo)
        if unit == "char" or not len(rows):  # written characters are counted word by word
            return None
        try:
            array = rows.chunk(0) if rows.num_chunks == 1 else concat_arrays(rows.chunks)
            columns = _from_struct(array) if types.is_struct(array.type) else _from_list(array)
            if columns is None:
                return None
            lengths, (labels, starts, ends, words, *parents) = columns
            if starts.null_count or ends.null_count or (parents and parents[0].null_count):
                return None
            nodes = NodeLists(
                texts_of(labels),
                None if words is None else texts_of(words),
                numbers_of(starts, "d"),
                numbers_of(ends, "d"),
                numbers_of(parents[0], "q") if parents else None,
                types.is_integer(starts.type) and types.is_integer(ends.type),
            )
        except ArrowException:  # such as a number that is too large
            return None
        if not nodes.read(numbers_of(lengths, "q"), unit == "time", MOST_WORDS, scanner, trees):
            return None
        some = array.null_count > 0
        nulls: list[int] = compute.indices_nonzero(array.is_null()).to_pylist() if some else []
        return nulls


def _from_list(array: Any) -> tuple[Any, list[Any]] | None:
    """How many spans each row has, and the fields of all of them; None if a span is null."""
    spans = array.flatten()
    if spans.null_count:
        return None
    names = [field.name for field in spans.type]
    return _lengths(array), [spans.field(name) if name in names else None for name in _SPANS]


def _from_struct(array: Any) -> tuple[Any, list[Any]] | None:
    """How many nodes each row has, and the lists of all rows joined; None if those do not fit."""
    fields = {field.name: column for field, column in zip(array.type, array.flatten(), strict=True)}
    names = node_fields(array.type) or ()
    lists = [fields.get(name) for name in names]
    lengths = _lengths(lists[0])
    for column in lists:
        if column is not None and (
            column.null_count > array.null_count or not _lengths(column).equals(lengths)
        ):
            return None
    return lengths, [None if column is None else column.flatten() for column in lists]


def _lengths(lists: Any) -> Any:
    from pyarrow import compute, int64

    return compute.list_value_length(lists).cast(int64()).fill_null(0)
