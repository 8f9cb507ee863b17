"""Arrays of Arrow: where their texts and numbers lie, and their rows as objects of Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._core.flat import NOTHING, flags, longs


def are_texts(kind: Any) -> bool:
    """Whether a type of Arrow is one of texts, or of a dictionary of them."""
    from pyarrow import types

    value = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(value) or types.is_large_string(value) or types.is_string_view(value))


class Values(Sequence[Any]):
    """A column whose rows become Python's objects when they are asked for."""

    def __init__(self, chunks: Any) -> None:
        self.chunks = chunks

    def __len__(self) -> int:
        return len(self.chunks)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.chunks.to_pylist())

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return self.chunks[place].to_pylist()
        return self.chunks[place].as_py()


def offsets_of(texts: Any) -> memoryview:
    """Where each text of an array begins, and where the last one ends, as integers of 64 bits."""
    import pyarrow

    is_large = pyarrow.types.is_large_string(texts.type)
    kind = pyarrow.int64() if is_large else pyarrow.int32()
    buffers = [None, texts.buffers()[1]]
    offsets = pyarrow.Array.from_buffers(kind, len(texts) + 1, buffers, offset=texts.offset)
    if not is_large:
        offsets = offsets.cast(pyarrow.int64())
    found = memoryview(offsets.buffers()[1]).cast("q")
    return found[offsets.offset : offsets.offset + len(offsets)]


def numbers_of(array: Any, code: str) -> Any:
    """The numbers of an array as doubles or as integers of 64 bits, without nulls."""
    import pyarrow

    kind = pyarrow.float64() if code == "d" else pyarrow.int64()
    array = array.cast(kind, safe=code == "q")  # doubles too large to be exact are told by their size
    data: Any = memoryview(array.buffers()[1] or b"").cast("B")
    return data[8 * array.offset : 8 * (array.offset + len(array))].cast(code)


def texts_of(array: Any) -> tuple[Any, Any, Any]:
    """The bytes of texts, where each begins and the last one ends, and whether each is there."""
    from pyarrow import large_string, types, uint8

    if not len(array):  # which need not have buffers
        return NOTHING, longs(1), flags(0)
    if not types.is_string(array.type) and not types.is_large_string(array.type):
        array = array.cast(large_string())
    data = array.buffers()[2]
    text = memoryview(data).cast("B") if data is not None and data.size else NOTHING
    there = array.is_valid().cast(uint8())
    marks = memoryview(there.buffers()[1]).cast("B")
    return text, offsets_of(array), marks[there.offset : there.offset + len(there)]
