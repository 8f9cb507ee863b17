"""Trees in a column of a table: JSON lines, CSV, Parquet, and saved folders of `datasets`."""

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
    return next((kind for kind in _READERS if stem.endswith("." + kind)), "")


def read_columns(
    path: str | os.PathLike[str], wanted: dict[str, str | None], encoding: str | None = None
) -> list[ListRows]:
    """Reads columns of trees from a table.

    Args:
        path: A `.jsonl` or `.csv` file, perhaps packed, a `.parquet` file, or the folder of a `Dataset`.
        wanted: A column for each side, `reference` or `prediction`. None is the column with the side's
            name, or the only one that there is.
        encoding: Of text; by default UTF-8, or what a byte-order mark says.
    """
    path = os.fspath(path)
    return _READERS[_kind(path)](path, wanted, encoding)


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
    names: list[str] | None = None
    values: list[list[Any]] = []
    for number, line in enumerate(lines if lines != [""] else [], 1):
        row = _parse_json(line, path, number)
        if names is None:
            names = _choose(list(row), wanted, path)
            values = [[] for _ in names]
        for name, column in zip(names, values, strict=True):
            if name not in row:
                raise TreeFormatError(f"this row has no column {name!r}", source=path, line=number)
            column.append(row[name])
    if names is None:
        raise TreeFormatError("there are no rows", source=path)
    numbers = range(1, len(lines) + 1)
    return [_column(column, path, name, numbers) for name, column in zip(names, values, strict=True)]


def _parse_json(line: str, path: str, number: int) -> dict[str, Any]:
    import json

    try:
        row = json.loads(line)
    except RecursionError:
        raise TreeFormatError("the JSON is nested too deeply", source=path, line=number) from None
    except json.JSONDecodeError as error:
        what = f"this is not JSON: {error.msg}" if line.strip() else "the line is blank; remove it"
        raise TreeFormatError(what, source=path, line=number, column=error.colno) from None
    except ValueError as error:  # such as an integer of 5,000 digits
        raise TreeFormatError(str(error), source=path, line=number) from None
    if not isinstance(row, dict):
        raise TreeFormatError(
            f"a row is an object with a name for each column, not a {type(row).__name__}",
            source=path,
            line=number,
        )
    return row


def _read_csv(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ListRows]:
    import csv
    import io

    reader = csv.reader(io.StringIO(_read_text(path, encoding), newline=""), strict=True)
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
                raise TreeFormatError(
                    f"{count(len(row), 'cell')}, but {count(len(rows[0]), 'column')}; put cells with a comma "
                    "in quotes",
                    source=path,
                    line=begin,
                )
            rows.append(row)
            numbers.append(begin)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise TreeFormatError(f"this is not CSV: {error}", source=path, line=reader.line_num) from None
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


_READERS = {"folder": _read_folder, "jsonl": _read_jsonl, "csv": _read_csv, "parquet": _read_parquet}
