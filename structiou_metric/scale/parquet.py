"""Score two columns of Parquet files on any file system, by units of work."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePath, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ..errors import TreeFormatError
from ..metrics.coverage import Coverage
from ..metrics.metric import Metric
from ..metrics.tally import CorpusTally
from ..metrics.tallying import Piece, tally_pieces
from ..optional import need
from ..sources.arrow import arrow_rows
from ..sources.tables import choose_columns
from .arrow import usual_metric

ENDINGS = (".parquet", ".pq")
# Units depend on the files alone, so that a job can go on with another number of workers or shards. Row
# groups that follow each other are one unit up to this size of their unpacked columns.
UNIT_BYTES = 16 << 20
UNIT_ROWS = 1 << 18  # a row group with more is several units; each reads the group up to where it ends
_UNITS = 256  # at least, if row groups are small enough, so that workers and shards get equal parts
_READ_ROWS = 16_384  # at once
_READ_BYTES = 1 << 20  # at once, of each column
_NUMBER = "number of the row"  # a column that is added where rows are filtered
_OPEN_FILES = 16  # whose footers are read at the same time


class Unit(NamedTuple):
    """Some rows of a file that are scored together. It can be pickled, in about two kilobytes.

    Attributes:
        number: The number of the unit, from 0.
        fragment: The row groups, as a `pyarrow.dataset.ParquetFileFragment`.
        source: The name of the file.
        stamp: The size and the time of the file, or the mark that its file system has instead, which shows
            whether the file was changed.
        first: The number of the first row among all rows of all files.
        begin: The number of that row in its file.
        skip: The number of rows of the fragment before it.
        n_rows: The number of rows.
        n_bytes: The unpacked size of the row groups, in proportion to the rows.
    """

    number: int
    fragment: Any
    source: str
    stamp: str
    first: int
    begin: int
    skip: int
    n_rows: int
    n_bytes: int


class Columns(NamedTuple):
    """The columns that are read of the files.

    Attributes:
        prediction: The name of the column with predicted trees.
        reference: The name of the column with reference trees.
        group_by: The name of a column by which rows are grouped.
        id_column: The name of a column with the names of rows in messages.
        filter: An expression of pyarrow for the rows that are scored.
        schema: The schema of the dataset.
    """

    prediction: str
    reference: str
    group_by: str | None
    id_column: str | None
    filter: Any
    schema: Any

    def pieces(self, units: Iterable[Unit]) -> Iterator[Piece]:
        """Read units, some thousand rows at a time."""
        from pyarrow import ArrowException

        for unit in units:
            try:
                yield from self._read(unit)
            except (ArrowException, OSError) as error:
                raise _unreadable(unit.source, error) from None

    def _read(self, unit: Unit) -> Iterator[Piece]:
        at = -unit.skip
        for batch in self._batches(unit):
            lo, hi = max(0, -at), min(len(batch), unit.n_rows - at)
            if lo < hi:
                yield self._piece(unit, batch.slice(lo, hi - lo), at + lo)
            at += len(batch)
            if at >= unit.n_rows:
                break

    def _batches(self, unit: Unit) -> Iterator[Any]:
        """Read the row groups of a unit, as tables of some thousand rows.

        Not by the fragment itself, which holds a row group as a whole.
        """
        import pyarrow
        from pyarrow.dataset import get_partition_keys
        from pyarrow.parquet import ParquetFile

        # A filter may need any column.
        wanted = [self.prediction, self.reference, self.group_by, self.id_column]
        names = (
            list(dict.fromkeys(name for name in wanted if name)) if self.filter is None else self.schema.names
        )
        constants = get_partition_keys(unit.fragment.partition_expression)
        # pyarrow forgets the order of row groups when it pickles a fragment.
        groups = sorted(group.id for group in unit.fragment.row_groups)
        with (
            unit.fragment.filesystem.open_input_file(unit.fragment.path) as opened,
            ParquetFile(opened, pre_buffer=False, buffer_size=_READ_BYTES) as file,
        ):
            in_file = [name for name in names if name in file.schema_arrow.names]
            for batch in file.iter_batches(_READ_ROWS, groups, columns=in_file, use_threads=False):
                columns = {name: batch.column(name) for name in in_file}
                for name in names:
                    if name not in columns:  # it is a partition's, or missing in the file
                        value = pyarrow.scalar(constants.get(name), self.schema.field(name).type)
                        columns[name] = pyarrow.repeat(value, len(batch))
                yield pyarrow.table(columns)

    def _piece(self, unit: Unit, batch: Any, offset: int) -> Piece:
        """Return the rows of a batch whose first row has this offset in the unit."""
        first = unit.first + offset
        in_file: Sequence[int] = range(unit.begin + offset, unit.begin + offset + len(batch))
        if self.filter is not None:
            from pyarrow import array

            numbered = batch.append_column(_NUMBER, array(range(len(batch)))).filter(self.filter)
            in_file = [in_file[row] for row in numbered.column(_NUMBER).to_pylist()]
            batch = numbered
        ids = batch.column(self.id_column) if self.id_column else None

        def named(column: str) -> Callable[[int], str]:
            def name(row: int) -> str:
                key = in_file[row - first] if ids is None else repr(ids[row - first].as_py())
                return f"{unit.source}[{key}][{column!r}]"

            return name

        sides = [
            arrow_rows(batch.column(column), column, names=named(column), first=first)
            for column in (self.prediction, self.reference)
        ]
        groups = batch.column(self.group_by).to_pylist() if self.group_by else None
        return Piece(first, sides[0], sides[1], groups, ids)


class ParquetPairs:
    """Two columns of Parquet files; the footer of each file is read once.

    Args:
        paths: The files, as `tally_parquet` takes them.
        prediction_column: The name of the column with predicted trees.
        reference_column: The name of the column with reference trees.
        group_by: A column by which rows are grouped.
        id_column: A column with the names of rows in messages.
        filter: An expression of pyarrow for the rows that are scored.

    Attributes:
        columns: The columns that are read.
        units: The units of work of all files, in order.
        covers: All rows of the files; it is a ValueError if some are there twice.
    """

    def __init__(
        self,
        paths: Any,
        prediction_column: str | None = None,
        reference_column: str | None = None,
        *,
        group_by: str | None = None,
        id_column: str | None = None,
        filter: Any = None,
    ) -> None:
        dataset = paths if hasattr(paths, "get_fragments") else _open(paths)
        fragments = _fragments_of(dataset, filter)
        if not fragments:
            raise ValueError(f"there is no Parquet file in {paths}")
        names, title = dataset.schema.names, _name(fragments[0])
        wanted = {"prediction": prediction_column, "reference": reference_column}
        prediction, reference = choose_columns(names, wanted, title)
        others = [column for column in (group_by, id_column) if column is not None]
        for column in others:
            if column not in names:
                has = ", ".join(map(repr, names))
                raise ValueError(f"{title}: there is no column {column!r}; its columns: {has}")
        self.columns = Columns(prediction, reference, group_by, id_column, filter, dataset.schema)
        # A column that a file lacks is null there. That is right for table formats, but not for
        # separate files.
        needed = [] if dataset is paths else [prediction, reference, *others]
        self.units = list(_plan(fragments, needed, "" if filter is None else f", {filter}"))
        self.covers = cover(self.units)

    def __len__(self) -> int:
        return sum(unit.n_rows for unit in self.units)

    def shard(self, number: int, n_shards: int) -> list[Unit]:
        """Return the units of one of some shards, from 1, which have about the same number of rows."""
        middles = ((unit, unit.first + unit.n_rows / 2) for unit in self.units)
        return [unit for unit, middle in middles if int(middle * n_shards / len(self)) == number - 1]


def cover(units: Iterable[Unit]) -> Coverage:
    """Return the rows of some units."""
    found = Coverage()
    for unit in units:
        found.add_rows(unit.source, unit.stamp, range(unit.begin, unit.begin + unit.n_rows))
    return found


def tally_parquet(
    paths: Any,
    prediction_column: str | None = None,
    reference_column: str | None = None,
    metric: Metric | None = None,
    *,
    group_by: str | None = None,
    id_column: str | None = None,
    filter: Any = None,
    shard: tuple[int, int] = (1, 1),
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    watch: Callable[[Piece, Any], None] | None = None,
) -> CorpusTally:
    """Return the tally of the pairs of two columns; some thousand pairs are held in memory at a time.

    >>> import os, pyarrow.parquet, tempfile
    >>> table = pyarrow.table({"prediction": ["(S (A a))", "()"], "reference": ["(S (A a))", "(S (B b))"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "pairs.parquet")
    ...     pyarrow.parquet.write_table(table, path)
    ...     tally = tally_parquet(path)
    >>> tally.figures["struct_iou"]
    0.5

    Args:
        paths: A file, a folder, a pattern such as `parts/*.parquet`, several of these, or a
            `pyarrow.dataset.Dataset` of Parquet files, such as `deltalake.DeltaTable.to_pyarrow_dataset()`.
            Names may be URLs of S3, GCS, HDFS, or of a file system of fsspec, such as `hf://`. A folder is
            searched with its folders, whose names such as `language=de` are columns, for files that end in
            `.parquet` or `.pq`, in the order of names. Names that begin with `_` or `.` are skipped there and
            where a pattern that does not begin so matches them.
        prediction_column: The name of the column with predicted trees, by default `prediction`.
        reference_column: The name of the column with reference trees, by default `reference`.
        metric: The metric with its options; by default `StructIoU(on_error="zero")`.
        group_by: A column by which rows are grouped, such as a document, a system or a language.
        id_column: A column with the names of rows in messages; by default their number in the file.
        filter: An expression for the rows that are scored, such as `pyarrow.dataset.field("length") < 40`.
        shard: Which part of how many is scored, such as `(3, 64)`. Row groups are not cut unless they have
            more than 262,144 rows.
        by_label: Whether to sum up by label, too.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
        watch: A function that is called with every piece and the `Result` of its rows, such as a `RowWriter`.
    """
    columns = {"prediction_column": prediction_column, "reference_column": reference_column}
    pairs = ParquetPairs(paths, **columns, group_by=group_by, id_column=id_column, filter=filter)
    how: dict[str, Any] = {"by_label": by_label, "workers": workers, "progress": progress, "watch": watch}
    return tally_units(usual_metric(metric), pairs.columns, pairs.shard(*shard), **how)


def tally_units(metric: Metric, columns: Columns, units: Sequence[Unit], **how: Any) -> CorpusTally:
    """Add up some units, in a tally that knows which rows these are.

    Args:
        metric: The metric with its options.
        columns: The columns that are read.
        units: The units.
        **how: The arguments `by_label`, `workers`, `progress` and `watch` of `tally_pieces`.
    """
    total = sum(unit.n_rows for unit in units)
    tally = tally_pieces(metric, columns.pieces(units), total=total, **how)
    tally.covers = cover(units)
    return tally


# ---- files -----------------------------------------------------------------------------------------


def _open(paths: Any) -> Any:
    """Return the files of some paths as a dataset; partitions are read from the names of folders."""
    dataset = need("pyarrow.dataset", "arrow", "a Parquet file")
    from pyarrow import ArrowException

    is_one = isinstance(paths, (str, os.PathLike)) or not isinstance(paths, Iterable)
    given = [paths] if is_one else list(paths)
    for path in given:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"a {type(path).__name__} is not Parquet files that can be cut into units of work; give "
                "paths, URLs or a pyarrow.dataset.Dataset, and choose rows by the argument filter"
            )
    found = [_find(os.fspath(path)) for path in given]
    files = [file for _, some in found for file in some]
    if not files:
        raise ValueError(f"there is no Parquet file in {paths}")
    filesystem = found[0][0]
    if any(not other.equals(filesystem) for other, _ in found):
        raise ValueError(f"{paths} are on several file systems; score them one by one, and merge the tallies")
    try:
        return dataset.dataset(files, format="parquet", partitioning="hive", filesystem=filesystem)
    except (ArrowException, OSError) as error:
        raise _unreadable(files[0], error) from None


def _find(path: str) -> tuple[Any, list[str]]:
    """Return the file system of a file, a folder or a pattern, and its files, in order."""
    from pyarrow.fs import FileType

    if "://" in path and glob.has_magic(urlsplit(path).path):
        return _match(path)
    filesystem, inner = find_filesystem(path)
    kind = filesystem.get_file_info(inner).type
    if kind == FileType.NotFound and "://" not in path and glob.has_magic(inner):
        names = _without_hidden(glob.glob(inner, recursive=True), PurePath(inner).parts)
        return filesystem, [file for name in names for file in _find(name)[1]]
    if kind != FileType.Directory:
        return filesystem, [inner]
    files = []
    for name in _list(filesystem, inner):
        parts = name.relative_to(inner).parts
        if parts[-2:-1] == ("metadata",) and name.name.endswith(".metadata.json"):
            raise ValueError(
                f"{path} is an Iceberg table, some of whose files may be out of date; give tally_arrow the "
                "batches of pyiceberg.table.Table.scan(…).to_arrow_batch_reader()"
            )
        if "_delta_log" in parts:
            raise ValueError(
                f"{path} is a Delta table, some of whose files are deleted; give "
                "deltalake.DeltaTable(…).to_pyarrow_dataset()"
            )
        if name.suffix in ENDINGS and not _is_hidden(parts):
            files.append(str(name))
    return filesystem, files


def _match(url: str) -> tuple[Any, list[str]]:
    """Return the file system of a URL with a pattern, and the files that match it, in order."""
    split = urlsplit(url)
    parts = PurePosixPath(split.path).parts
    at = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    filesystem, folder = find_filesystem(urlunsplit(split._replace(path=str(PurePosixPath(*parts[:at])))))
    pattern = PurePosixPath(folder, *parts[at:])
    names = (name for name in _list(filesystem, folder) if len(name.parts) == len(pattern.parts))
    matching = (str(name) for name in names if name.match(str(pattern)))
    return filesystem, _without_hidden(matching, pattern.parts)


def _without_hidden(names: Iterable[str], pattern: Sequence[str]) -> list[str]:
    """Return names that match a pattern, in order, without hidden ones unless the pattern asks for these."""
    at = next(i for i, part in enumerate(pattern) if glob.has_magic(part))
    wants_hidden = _is_hidden(pattern[at:])
    return sorted(name for name in names if wants_hidden or not _is_hidden(PurePath(name).parts[at:]))


def _is_hidden(parts: Sequence[str]) -> bool:
    """Return whether a name below a folder is one that pyarrow skips, such as those of unfinished files."""
    return any(part.startswith(("_", ".")) for part in parts)


def _list(filesystem: Any, folder: str) -> list[PurePosixPath]:
    """Return all files below a folder."""
    from pyarrow.fs import FileSelector, FileType

    infos = filesystem.get_file_info(FileSelector(folder, recursive=True))
    return sorted(PurePosixPath(info.path) for info in infos if info.type == FileType.File)


def find_filesystem(path: str) -> tuple[Any, str]:
    """Return the file system of pyarrow that a path or a URL is on, and its name there."""
    from pyarrow import ArrowInvalid, fs

    if "://" not in path:
        return fs.LocalFileSystem(), path
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(path)
        return found
    except ArrowInvalid:  # not one of pyarrow's own
        core = need("fsspec.core", "arrow", path)
        other, inner = core.url_to_fs(path)
        return fs.PyFileSystem(fs.FSSpecHandler(other)), inner


def _fsspec_of(filesystem: Any) -> Any:
    """Return the file system of fsspec that one of pyarrow wraps; None if there is none."""
    from pyarrow.fs import FSSpecHandler

    handler = getattr(filesystem, "handler", None)
    return handler.fs if isinstance(handler, FSSpecHandler) else None


def _fragments_of(dataset: Any, filter: Any) -> list[Any]:
    """Return the files of a dataset that may have rows to score."""
    try:
        fragments = list(dataset.get_fragments(filter=filter))
    except ValueError:
        raise ValueError(
            "this dataset has a filter; give the dataset without it, and the filter as the argument filter"
        ) from None
    for fragment in fragments:
        if not hasattr(fragment, "row_groups"):
            raise ValueError("this dataset has parts that are not Parquet files; give Parquet files only")
    return fragments


def _plan(fragments: Sequence[Any], needed: Sequence[str], stamp: str) -> Iterator[Unit]:
    """Cut files into units; their footers are read, a few at the same time, and checked for columns."""
    from pyarrow.dataset import get_partition_keys

    with ThreadPoolExecutor(_OPEN_FILES) as pool:
        stamps = list(pool.map(_look_at, fragments))
    total = sum(group.total_byte_size for fragment in fragments for group in fragment.row_groups)
    most = min(UNIT_BYTES, total // _UNITS)
    number = first = 0
    for fragment, own_stamp in zip(fragments, stamps, strict=True):
        source = _name(fragment)
        names = {*fragment.physical_schema.names, *get_partition_keys(fragment.partition_expression)}
        for column in needed:
            if column not in names:
                raise TreeFormatError(
                    f"there is no column {column!r}, which {_name(fragments[0])} has; give files with "
                    "the same columns",
                    source=source,
                )
        begin = 0
        for part, skip, n_rows, n_bytes in _cut(fragment, most):
            yield Unit(number, part, source, own_stamp + stamp, first, begin, skip, n_rows, n_bytes)
            number, first, begin = number + 1, first + n_rows, begin + n_rows


def _look_at(fragment: Any) -> str:
    """Read the footer of a file; return its size and its time or key."""
    from pyarrow import ArrowException

    try:
        fragment.ensure_complete_metadata()
        info = fragment.filesystem.get_file_info(fragment.path)
    except (ArrowException, OSError) as error:
        raise _unreadable(_name(fragment), error) from None
    other = _fsspec_of(fragment.filesystem)
    if other is not None:  # It has a key of all that is known of a file, such as its etag.
        return f"{info.size} bytes, {other.ukey(fragment.path)}"
    return f"{info.size} bytes, {info.mtime:%Y-%m-%d %H:%M:%S.%f}"


def _cut(fragment: Any, most: int) -> Iterator[tuple[Any, int, int, int]]:
    """Give the row groups of each unit of a file, the rows to skip and to read of them, and their size."""
    runs: list[list[Any]] = []
    n_rows = n_bytes = 0
    for group in fragment.row_groups:
        n_rows, n_bytes = n_rows + group.num_rows, n_bytes + group.total_byte_size
        if not runs or n_rows > UNIT_ROWS or n_bytes > most:
            runs.append([])
            n_rows, n_bytes = group.num_rows, group.total_byte_size
        runs[-1].append(group)
    for run in runs:
        part = fragment.subset(row_group_ids=[group.id for group in run])
        n_rows, n_bytes = sum(group.num_rows for group in run), sum(group.total_byte_size for group in run)
        for skip in range(0, n_rows, UNIT_ROWS):  # several only of a single group, which is so large
            taken = min(UNIT_ROWS, n_rows - skip)
            yield part, skip, taken, n_bytes * taken // n_rows


def _name(fragment: Any) -> str:
    """Return the name of the file of a fragment in messages."""
    files, path = fragment.filesystem, str(fragment.path)
    if (other := _fsspec_of(files)) is not None:
        return str(other.unstrip_protocol(path))
    return path if files.type_name == "local" else f"{files.type_name}://{path}"


def _unreadable(source: str, error: Exception) -> TreeFormatError:
    return TreeFormatError(f"this Parquet file cannot be read: {error}", source=source)
