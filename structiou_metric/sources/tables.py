"""Trees in a column of a table: JSON, JSON lines, CSV, TSV, Parquet, and saved folders of `datasets`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..errors import TreeFormatError
from ..wording import count
from .encodings import as_utf8
from .files import read_bytes
from .packing import strip_ending
from .rows import ListRows

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_FOLDER_MARKS = ("state.json", "dataset_dict.json")  # in what `save_to_disk` writes
_EXTRA = "needs {}: pip install 'structiou-metric[datasets]'"


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a path names a table rather than a file of trees."""
    return _kind(os.fspath(path)) != ""


def _kind(path: str) -> str:
    stem = strip_ending(path.lower())
    if any(os.path.isfile(os.path.join(path, mark)) for mark in _FOLDER_MARKS):
        return "folder"
    kind = next((kind for kind in _READERS if stem.endswith("." + kind)), "")
    return "" if kind == "json" and not _is_list(path) else kind


def _is_list(path: str) -> bool:
    """Whether a file of JSON is a list, and so one of rows; programs write trees as objects, too."""
    if not os.path.isfile(path):
        return False
    return read_bytes(path)[0].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["


def name_kinds() -> str:
    """The endings of tables, for messages: `.jsonl, .json, …, or a folder`."""
    return (
        ", ".join("." + kind for kind in _READERS if kind != "folder") + ", or the folder of a saved Dataset"
    )


def read_columns(
    path: str | os.PathLike[str], wanted: dict[str, str | None], encoding: str | None = None
) -> list[ListRows]:
    """Reads columns of trees from a table.

    Args:
        path: A `.jsonl`, `.json`, `.csv` or `.tsv` file, perhaps packed, a `.parquet` or `.pq` file, or the
            folder of a `Dataset`.
        wanted: A column for each side, `reference` or `prediction`. None is the column with the side's
            name, or the only one that there is.
        encoding: Of text; by default UTF-8, or what a byte-order mark says.
    """
    path = os.fspath(path)
    return _READERS[_kind(path)](path, wanted, encoding)


def read_clusters(path: str | os.PathLike[str], column: str | None = None) -> list[str]:
    """Which cluster, such as a document, each row belongs to: a line each, or a cell of a table's column.

    Args:
        path: A text file, or a table as for `read_columns`.
        column: Of a table; by default `clusters`, or the only column that there is.
    """
    path = os.fspath(path)
    if is_table(path):
        [rows] = read_columns(path, {"clusters": column})
        found = ["" if value is None else str(value).strip() for value in rows.values]
        name = rows.name
    else:
        found = [line.strip() for line in _read_text(path, None).removesuffix("\n").split("\n")]

        def name(row: int) -> str:
            return f"{path}:{row + 1}"

    for row, cluster in enumerate(found):
        if not cluster:
            raise TreeFormatError("no cluster is named here; each row needs one", source=name(row))
    return found


def _choose(names: Sequence[str], wanted: dict[str, str | None], path: str) -> list[str]:
    """The names of the columns wanted, if the table has them."""
    chosen = []
    for side, name in wanted.items():
        if name is None:
            name = names[0] if len(names) == 1 and len(wanted) == 1 else side
        if name not in names:
            has = ", ".join(map(repr, names)) or "none"
            raise TreeFormatError(
                f"there is no column {name!r}; choose with --{side}-column from: {has}", source=path
            )
        if list(names).count(name) > 1:
            raise TreeFormatError(f"there are several columns {name!r}; rename all but one", source=path)
        chosen.append(name)
    return chosen


def _column(values: Sequence[Any], path: str, name: str, lines: Sequence[int] | None = None) -> ListRows:
    """The trees of one column; those of a text file are named by their lines."""
    names = None if lines is None else lambda row: f"{path}:{lines[row]}[{name!r}]"
    return ListRows(values, f"{path}[{name!r}]", names=names)


# ---- text ------------------------------------------------------------------------------------------


def _read_jsonl(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ListRows]:
    lines = _read_text(path, encoding).rstrip().split("\n")
    numbers = range(1, len(lines) + 1) if lines != [""] else range(0)
    rows = (_parse_json(line, path, number) for number, line in zip(numbers, lines, strict=False))
    names, values = _columns(rows, path, wanted, lambda place: {"source": path, "line": numbers[place]})
    return [_column(column, path, name, numbers) for name, column in zip(names, values, strict=True)]


def _read_json(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ListRows]:
    """A list of rows."""
    table = _parse_json(_read_text(path, encoding), path, 1)
    names, values = _columns(table, path, wanted, lambda place: {"source": f"{path}[{place}]"})
    return [_column(column, path, name) for name, column in zip(names, values, strict=True)]


def _columns(
    rows: Iterable[Any], path: str, wanted: dict[str, str | None], where: Callable[[int], dict[str, Any]]
) -> tuple[list[str], list[list[Any]]]:
    """The names of the columns wanted and their values; `where` tells errors the place of a row."""
    names: list[str] | None = None
    values: list[list[Any]] = []
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            raise TreeFormatError(
                f"a row is an object with a name for each column, not a {type(row).__name__}", **where(place)
            )
        if names is None:
            names = _choose(list(row), wanted, path)
            values = [[] for _ in names]
        for name, column in zip(names, values, strict=True):
            if name not in row:
                raise TreeFormatError(f"this row has no column {name!r}", **where(place))
            column.append(row[name])
    if names is None:
        raise TreeFormatError("there are no rows", source=path)
    return names, values


def _parse_json(text: str, path: str, first: int) -> Any:
    """The value of a text that begins in line `first` of a file."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise TreeFormatError("the JSON is nested too deeply", source=path, line=first) from None
    except json.JSONDecodeError as error:
        what = f"this is not JSON: {error.msg}" if text.strip() else "the line is blank; remove it"
        line = first + error.lineno - 1
        raise TreeFormatError(what, source=path, line=line, column=error.colno) from None
    except ValueError as error:  # such as an integer of 5,000 digits
        raise TreeFormatError(str(error), source=path, line=first) from None


def _read_tsv(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ListRows]:
    return _read_csv(path, wanted, encoding, delimiter="\t")


def _read_csv(
    path: str, wanted: dict[str, str | None], encoding: str | None, delimiter: str = ","
) -> list[ListRows]:
    import csv
    import io

    text = io.StringIO(_read_text(path, encoding), newline="")
    reader = csv.reader(text, strict=True, delimiter=delimiter)
    limit = csv.field_size_limit(2**31 - 1)  # the usual 128 kB are less than a large tree
    numbers: list[int] = []
    rows: list[list[str]] = []
    try:
        begin = 1
        for row in reader:
            if not row:
                raise TreeFormatError(
                    'the line is blank; remove it, or write "" for an empty cell', source=path, line=begin
                )
            if rows and len(row) != len(rows[0]):
                cure = "put cells with a comma in quotes" if delimiter == "," else "part cells by one tab"
                raise TreeFormatError(
                    f"{count(len(row), 'cell')}, but {count(len(rows[0]), 'column')}; {cure}",
                    source=path,
                    line=begin,
                )
            rows.append(row)
            numbers.append(begin)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise TreeFormatError(
            f"this is not {'CSV' if delimiter == ',' else 'TSV'}: {error}", source=path, line=reader.line_num
        ) from None
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise TreeFormatError("there is no line with the names of the columns", source=path)
    names = rows[0]
    chosen = _choose(names, wanted, path)
    return [_column([row[names.index(name)] for row in rows[1:]], path, name, numbers[1:]) for name in chosen]


def _read_text(path: str, encoding: str | None) -> str:
    data, title = read_bytes(path)
    return as_utf8(data, title, encoding).decode("utf-8")


# ---- Arrow -----------------------------------------------------------------------------------------


def _read_parquet(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ListRows]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise ValueError(f"{path}: reading Parquet " + _EXTRA.format("pyarrow")) from None
    with open(path, "rb") as file:
        try:
            table = parquet.ParquetFile(file)
            chosen = _choose(table.schema_arrow.names, wanted, path)
            columns = table.read(list(dict.fromkeys(chosen)))
            return [_column(columns.column(name).to_pylist(), path, name) for name in chosen]
        except ArrowException as error:
            raise TreeFormatError(f"this Parquet file cannot be read: {error}", source=path) from None


def _read_folder(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ListRows]:
    try:
        from datasets import load_from_disk
    except ImportError:
        raise ValueError(f"{path}: reading a Dataset folder " + _EXTRA.format("datasets")) from None
    try:
        dataset = load_from_disk(path)
    except (OSError, ValueError, KeyError) as error:
        raise TreeFormatError(
            f"this folder cannot be read ({error}); write it with Dataset.save_to_disk", source=path
        ) from None
    if isinstance(dataset, dict):
        parts = ", ".join(os.path.join(path, split) for split in dataset)
        raise TreeFormatError(f"this folder holds several splits; choose one of: {parts}", source=path)
    chosen = _choose(dataset.column_names, wanted, path)
    dataset = dataset.with_format(None)
    return [_column(dataset[name], path, name) for name in chosen]  # read a slice at a time


_READERS = {
    "folder": _read_folder,
    "jsonl": _read_jsonl,
    "json": _read_json,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
    "pq": _read_parquet,
}
