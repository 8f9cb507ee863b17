"""Trees in columns of Arrow: texts are read from Arrow's memory, and no tree becomes a `str`."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..optional import need
from ..trees.brackets import bracket_error
from ..trees.shapes import find_several
from ..trees.tree import SegmentTree
from .rows import ListRows, Problems, find_numbered, mark_errors, missing_error, scan

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from .._core.scan import Scanner

_SHORT = 2048  # bytes; if no tree of a chunk is longer, the longest of some rows need not be found
_COPIED = 4096  # rows of texts of other kinds that are copied at once to be measured
_LIKE_LISTS = ("list", "large_list", "fixed_size_list", "list_view", "large_list_view", "struct", "map")


def are_texts(kind: Any) -> bool:
    """Return whether a type of Arrow is a type of texts, or of a dictionary of texts."""
    from pyarrow import types

    value = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(value) or types.is_large_string(value) or types.is_string_view(value))


class Values(Sequence[Any]):
    """A column whose rows become Python's objects on access."""

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


def as_column(column: Any, title: str) -> Any:
    """Return a column of Arrow as a `pyarrow.ChunkedArray`, without a copy.

    Args:
        column: An array or a chunked array of pyarrow, or an object with Arrow's C data interface, such as a
            series of polars or pandas or a column of DuckDB; or a list of texts and None.
        title: The name of the column in errors.
    """
    pyarrow = need("pyarrow", "arrow", "a column of Arrow")
    if isinstance(column, pyarrow.ChunkedArray):
        return column
    try:
        if hasattr(column, "__arrow_c_stream__") and not isinstance(column, pyarrow.Array):
            found = pyarrow.chunked_array(column)
        else:
            found = pyarrow.array(column)
        return found if isinstance(found, pyarrow.ChunkedArray) else pyarrow.chunked_array([found])
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        what = type(column).__name__
        raise TypeError(
            f"{title}: a {what} is no column of Arrow ({error}); give a column of texts"
        ) from None


def arrow_rows(
    column: Any, title: str, *, names: Callable[[int], str] | None = None, first: int = 0
) -> ArrowRows | ListRows:
    """Return the trees of a column: texts are read from Arrow's memory, other types as Python's objects.

    Args:
        column: The column, as `as_column` takes it.
        title: The name of the column in errors.
        names: A function that returns the name of a row in errors; by default the title and its number.
        first: The number of the first row, if the column is a piece of a longer one.
    """
    from pyarrow import types

    chunks = as_column(column, title)
    kind = chunks.type
    if are_texts(kind):
        return ArrowRows(chunks, title, names=names, first=first)
    if str(kind).partition("<")[0] in _LIKE_LISTS or types.is_null(kind):
        return ListRows(Values(chunks), title, names=names, first=first)
    raise TypeError(f"{title} is a column of {kind}; trees are texts, or lists and structs of their nodes")


def offsets_of(texts: Any) -> memoryview:
    """Return where each text of an array begins, and where the last one ends, as integers of 64 bits."""
    import pyarrow

    is_large = pyarrow.types.is_large_string(texts.type)
    kind = pyarrow.int64() if is_large else pyarrow.int32()
    buffers = [None, texts.buffers()[1]]
    offsets = pyarrow.Array.from_buffers(kind, len(texts) + 1, buffers, offset=texts.offset)
    if not is_large:
        offsets = offsets.cast(pyarrow.int64())
    found = memoryview(offsets.buffers()[1]).cast("q")
    return found[offsets.offset : offsets.offset + len(offsets)]


class ArrowRows:
    """Bracket texts in a column of Arrow.

    A null is a row without a tree, like None in a list, and is treated according to `on_error`.

    Args:
        chunks: A `pyarrow.ChunkedArray` of texts of any kind, or of a dictionary of them.
        title: The name of the column in errors.
        names: A function that returns the name of a row in errors; by default the title and its number.
        first: The number of the first row, if the column is a piece of a longer one.

    Attributes:
        values: The texts, which become Python's `str` on access.
    """

    def __init__(
        self, chunks: Any, title: str, *, names: Callable[[int], str] | None = None, first: int = 0
    ) -> None:
        self.title = title
        self.values = Values(chunks)
        self._names = names
        self._first = first
        self._chunks = [_Chunk(chunk) for chunk in chunks.chunks if len(chunk)]
        self._begins = list(accumulate((len(chunk) for chunk in self._chunks), initial=0))

    def __len__(self) -> int:
        return self._begins[-1]

    def name(self, row: int) -> str:
        """Return the name of a row in errors, such as `predictions[3]`."""
        return self._names(row) if self._names else f"{self.title}[{row}]"

    def longest(self, lo: int, hi: int) -> int:
        """Return the length of the longest text, or of the longest of its chunk if all of that are short."""
        return max((chunk.longest(a, b) for chunk, a, b in self._cuts(lo, hi)), default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Read texts by the scanner, and batches with trees in JSON one by one."""
        buffer, starts, stops, nulls = self._texts(lo, hi)
        scan(scanner, buffer, starts, stops, unit, trees)
        found = list(trees.errors()) if trees.n_errors else []
        is_json = any(bytes(buffer[starts[t] : stops[t]]).lstrip()[:1] in (b"{", b"[") for t, _, _ in found)
        if is_json or find_numbered(buffer, starts, stops, lo, self.name):
            rows = ListRows(self.given(lo, hi), self.title, names=self.name, first=lo)
            return rows.load(lo, hi, unit, scanner, trees)
        mark_errors((lo + t for t in nulls), lo, trees)
        problems: Problems = {lo + t: missing_error(self.name(lo + t)) for t in nulls}
        for t, code, at in found:
            tree = bytes(buffer[starts[t] : stops[t]])
            problems[lo + t] = bracket_error(code, at - starts[t], tree, 0, self.name(lo + t))
        return problems

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree."""
        rows = ListRows(self.given(row, row + 1), self.title, names=self.name, first=row)
        return rows.tree(row, unit)

    def given(self, lo: int, hi: int) -> list[str | None]:
        """Return rows `lo … hi` as texts of Python; None for nulls."""
        buffer, starts, stops, nulls = self._texts(lo, hi)
        missing = set(nulls)
        return [
            None if t in missing else bytes(buffer[starts[t] : stops[t]]).decode("utf-8", "surrogatepass")
            for t in range(hi - lo)
        ]

    def several(self) -> dict[int, list[Any]]:
        """Return the trees of each row that is a list of trees, as JSON, by its number."""
        odd = [
            self._first + begin + place
            for chunk, begin in zip(self._chunks, self._begins, strict=False)
            for place in chunk.without_bracket()
        ]
        return find_several((row, self.given(row, row + 1)[0]) for row in odd)

    def _cuts(self, lo: int, hi: int) -> list[tuple[_Chunk, int, int]]:
        """Return the chunks of rows `lo … hi`, with the first and the last of these rows in each."""
        lo, hi = lo - self._first, hi - self._first
        found = []
        at = max(bisect_right(self._begins, lo) - 1, 0)
        while at < len(self._chunks) and self._begins[at] < hi:
            begin, end = self._begins[at], self._begins[at + 1]
            found.append((self._chunks[at], max(lo, begin) - begin, min(hi, end) - begin))
            at += 1
        return found

    def _texts(self, lo: int, hi: int) -> tuple[Any, Sequence[int], Sequence[int], Sequence[int]]:
        """Return a buffer, where each of the rows begins and ends in it, and which of them are null."""
        cuts = self._cuts(lo, hi)
        if len(cuts) == 1:
            chunk, a, b = cuts[0]
            return chunk.texts(a, b)
        if not cuts:
            return b" ", array("q"), array("q"), ()
        from pyarrow import concat_arrays

        whole = _Chunk(concat_arrays([chunk.plain(a, b) for chunk, a, b in cuts]))  # a few rows of each
        return whole.texts(0, hi - lo)


class _Chunk:
    """An array of texts, and where each of them begins and ends."""

    def __init__(self, texts: Any) -> None:
        from pyarrow import types

        self._array = texts
        # Texts of other kinds are made into these a batch at a time, which copies their bytes.
        self._lies_open = types.is_string(texts.type) or types.is_large_string(texts.type)
        self._longest: int | None = None
        self._bounds: memoryview | None = None
        self._nulls: list[int] | None = None

    def __len__(self) -> int:
        return len(self._array)

    def plain(self, a: int, b: int) -> Any:
        """Return some rows as texts with offsets of 64 bits."""
        from pyarrow import large_string

        return self._array.slice(a, b - a).cast(large_string())

    def without_bracket(self) -> list[int]:
        """Return the places of the texts that do not begin with a bracket, as JSON does not."""
        from pyarrow import compute

        texts = self._array if self._lies_open else self.plain(0, len(self))
        places: list[int] = compute.indices_nonzero(
            compute.invert(compute.starts_with(texts, "("))
        ).to_pylist()
        return places

    def longest(self, a: int, b: int) -> int:
        """Return the bytes of the longest of some rows, or of the longest of all rows if all are short."""
        if self._longest is None:
            self._longest = self._measure(0, len(self))
        return self._longest if self._longest <= _SHORT else self._measure(a, b)

    def _measure(self, a: int, b: int) -> int:
        """Return the number of bytes of the longest of some rows."""
        from pyarrow import compute

        if self._lies_open:
            return int(compute.max(compute.binary_length(self._array.slice(a, b - a))).as_py() or 0)
        parts = (_Chunk(self.plain(lo, min(lo + _COPIED, b))) for lo in range(a, b, _COPIED))
        return max((part._measure(0, len(part)) for part in parts), default=0)

    def texts(self, a: int, b: int) -> tuple[Any, Sequence[int], Sequence[int], Sequence[int]]:
        """Return a buffer, where each row begins and ends in it, and which rows are null."""
        if not self._lies_open:
            return _Chunk(self.plain(a, b)).texts(0, b - a)
        if self._bounds is None:
            self._bounds = offsets_of(self._array)
        starts: Any = self._bounds[a:b]
        stops: Any = self._bounds[a + 1 : b + 1]
        nulls = self._nulls_of(a, b)
        if any(starts[t] != stops[t] for t in nulls):  # the bytes of a null may be anything
            stops = array("q", bytes(stops))
            for t in nulls:
                stops[t] = starts[t]
        data = self._array.buffers()[2]
        text = memoryview(data).cast("B") if data is not None and data.size else b" "
        return text, starts, stops, nulls

    def _nulls_of(self, a: int, b: int) -> Sequence[int]:
        """Return which of some rows are null, from 0; this is found once for the whole chunk."""
        if self._nulls is None:
            from pyarrow import compute

            some = self._array.null_count > 0
            self._nulls = compute.indices_nonzero(self._array.is_null()).to_pylist() if some else []
        nulls = self._nulls
        return [t - a for t in nulls[bisect_left(nulls, a) : bisect_left(nulls, b)]] if nulls else ()
