"""Columns of Parquet files, read a few thousand rows at a time, from any row on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from ..errors import TreeFormatError
from ..optional import need

_ROWS = 16_384  # read at once


class RowGroup(NamedTuple):
    """A row group of a file.

    Attributes:
        path: The file.
        number: The number of the group in its file.
        rows: The numbers of its rows among all rows of all files.
        n_bytes: How much text and the like it holds, as the file says, before it was packed.
    """

    path: str
    number: int
    rows: range
    n_bytes: int


class Rowset(NamedTuple):
    """Some rows that were read.

    Attributes:
        first: The number of the first row among all.
        columns: A column of Arrow for each that was asked for.
        name: A function that tells what to call a row in errors, by its number among all.
        ids: What each row is called, if a column tells that.
    """

    first: int
    columns: Sequence[Any]
    name: Callable[[int], str]
    ids: Any


class ParquetFiles:
    """Parquet files as one table; the footer of each is read first, and rows when they are asked for.

    Args:
        paths: A file, a folder with `.parquet` and `.pq` files, several of these, or a
            `pyarrow.dataset.Dataset` of such files on this machine, without a filter. Files of a folder come
            in the order of their names; those whose names begin with `_` or `.` are left out, as by pyarrow.

    Attributes:
        groups: The row groups of all files, in order.
    """

    def __init__(self, paths: Any) -> None:
        self._parquet = need("pyarrow.parquet", "arrow", "a Parquet file")
        self.files = list(_find(paths))
        if not self.files:
            raise ValueError(f"there is no Parquet file in {paths}")
        self.groups: list[RowGroup] = []
        first = 0
        for path in self.files:
            with self._open(path) as file:
                footer = file.metadata
                sizes = [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]
                weights = [footer.row_group(i).total_byte_size for i in range(footer.num_row_groups)]
            begins = list(accumulate(sizes, initial=first))
            self.groups += [
                RowGroup(path, i, range(begins[i], begins[i + 1]), weights[i]) for i in range(len(sizes))
            ]
            first = begins[-1]
        self._n_rows = first

    def __len__(self) -> int:
        return self._n_rows

    def names(self) -> list[str]:
        """The names of the columns; a ValueError if files do not have the same."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            with self._open(path) as file:
                found[path] = list(file.schema_arrow.names)
        names = found[self.files[0]]
        for path, others in found.items():
            if set(others) != set(names):
                raise TreeFormatError(
                    f"its columns are {_listed(others)}, those of {self.files[0]} are {_listed(names)}; give "
                    "files with the same columns",
                    source=path,
                )
        return names

    def read(
        self, columns: Sequence[str], rows: range | None = None, *, id_column: str | None = None
    ) -> Iterator[Rowset]:
        """Reads columns of some rows, by default of all.

        Args:
            columns: The names of the columns.
            rows: The numbers of rows that follow each other.
            id_column: The column that tells what rows are called in errors; by default their number in the
                file, from 0.
        """
        wanted = range(len(self)) if rows is None else rows
        needed = list(dict.fromkeys([*columns, *([id_column] if id_column else [])]))
        begins = {group.path: group.rows.start for group in reversed(self.groups)}
        for path, groups in self._groups_of(wanted).items():
            with self._open(path) as file:
                try:
                    yield from self._read_groups(
                        file, path, groups, wanted, (columns, needed, id_column), begins[path]
                    )
                except (self._arrow_error, OSError) as error:
                    raise TreeFormatError(f"this Parquet file cannot be read: {error}", source=path) from None

    def _read_groups(
        self,
        file: Any,
        path: str,
        groups: Sequence[RowGroup],
        wanted: range,
        columns: tuple[Sequence[str], list[str], str | None],
        begin: int,
    ) -> Iterator[Rowset]:
        names, needed, id_column = columns
        for group in groups:  # one at a time, for pyarrow reads ahead
            first = group.rows.start
            for batch in file.iter_batches(_ROWS, [group.number], columns=needed, use_threads=False):
                lo, hi = max(first, wanted.start), min(first + len(batch), wanted.stop)
                if lo < hi:
                    part = batch.slice(lo - first, hi - lo)
                    ids = None if id_column is None else part.column(id_column)
                    yield Rowset(lo, [part.column(name) for name in names], _namer(path, begin, lo, ids), ids)
                first += len(batch)

    def _groups_of(self, wanted: range) -> dict[str, list[RowGroup]]:
        """The row groups that hold some of the rows, by file."""
        found: dict[str, list[RowGroup]] = {}
        for group in self.groups:
            if max(group.rows.start, wanted.start) < min(group.rows.stop, wanted.stop):
                found.setdefault(group.path, []).append(group)
        return found

    @property
    def _arrow_error(self) -> Any:
        from pyarrow import ArrowException

        return ArrowException

    def _open(self, path: str) -> Any:
        try:
            # Read ahead, a file would be held as a whole.
            return self._parquet.ParquetFile(path, pre_buffer=False)
        except self._arrow_error as error:
            raise TreeFormatError(f"this Parquet file cannot be read: {error}", source=path) from None


def _find(paths: Any) -> Iterable[str]:
    """Return the files that are meant; those that pyarrow takes for hidden are left out of folders."""
    if hasattr(paths, "get_fragments"):  # a dataset of pyarrow
        return _files_of(paths)
    if isinstance(paths, (str, os.PathLike)):
        path = os.fspath(paths)
        if not os.path.isdir(path):
            return [path]
        names = sorted(os.listdir(path))
        if "_delta_log" in names:
            raise ValueError(
                f"{path} is a Delta table, some of whose files are deleted; write its rows to "
                "Parquet files of their own"
            )
        found = [os.path.join(path, name) for name in names if not name.startswith(("_", "."))]
        for name in found:
            if os.path.isdir(name):
                raise ValueError(f"{path} has a folder {name!r}; give folders that hold nothing but files")
        return [name for name in found if name.endswith((".parquet", ".pq"))]
    return [file for path in paths for file in _find(path)]


def _files_of(dataset: Any) -> list[str]:
    """Return the files of a `pyarrow.dataset.Dataset`, which must be all that there is to it."""
    from pyarrow.dataset import ParquetFileFormat
    from pyarrow.fs import LocalFileSystem

    try:
        dataset.get_fragments()
    except ValueError:
        raise ValueError(
            "this dataset has a filter, which would be ignored; write its rows to Parquet files of their own"
        ) from None
    if not (hasattr(dataset, "files") and isinstance(dataset.format, ParquetFileFormat)):
        raise ValueError(f"a {type(dataset).__name__} that is not of Parquet files; give such files")
    if not isinstance(dataset.filesystem, LocalFileSystem):
        raise ValueError(
            f"this dataset is on a {type(dataset.filesystem).__name__}; give files of this machine, or of a "
            "file system that is mounted"
        )
    return list(dataset.files)


def _namer(path: str, begin: int, first: int, ids: Any) -> Callable[[int], str]:
    """A function that names the rows from number `first` on; the file's first row has the number `begin`."""
    if ids is None:
        return lambda row: f"{path}[{row - begin}]"
    return lambda row: f"{path}[{ids[row - first].as_py()!r}]"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
