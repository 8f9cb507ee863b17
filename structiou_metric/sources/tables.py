"""Trees in a column of a table: JSON, JSON lines, CSV, TSV, Parquet, Arrow, and folders of `datasets`."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import TreeFormatError
from ..wording import count
from .arrow import ArrowRows, are_texts, arrow_rows
from .content import Content, as_utf8, strip_ending
from .files import read_bytes
from .places import Part
from .rows import ListRows

if TYPE_CHECKING:
    ColumnRows = ListRows | ArrowRows

_FOLDER_MARKS = ("state.json", "dataset_dict.json")  # in the folders that `save_to_disk` writes
_JSON = "json"
_KINDS = ("jsonl", _JSON, "csv", "tsv", "parquet", "pq", "arrow", "feather")  # endings of tables' names
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_SIDES = ("reference", "prediction")
_EXTRA = "needs {}: pip install 'structiou-metric[datasets]'"


class Table:
    """A table that was found; its content is read when its columns are read.

    Args:
        path: Where the table is.
        kind: The ending of the table's name, or `folder`.
        content: The content, if it was read to find out whether the file is a table.
    """

    def __init__(self, path: str, kind: str, content: Content | None = None) -> None:
        self.path = path
        self._kind = kind
        self._content = content

    def columns(self, wanted: dict[str, str | None], encoding: str | None = None) -> list[ColumnRows]:
        """Read columns of trees.

        Args:
            wanted: A column for each side, `reference` or `prediction`. None is the column with the side's
                name, or the only one that there is.
            encoding: The encoding of text; by default UTF-8, or that of a byte-order mark.
        """
        if self._content is not None:
            return _read_json(self._content, wanted)
        return _READERS[self._kind](self.path, wanted, encoding)


def open_table(
    path: str | os.PathLike[str], encoding: str | None = None, *, asked: bool = False
) -> Table | Part | None:
    """Return the table at a path, if the ending, or the content of a `.json` file, shows that it is one.

    A `.json` file that is no table is returned as a file that was read, which `find_parts` takes. A list is a
    table unless its first entry is a document or a sentence of CoreNLP.

    Args:
        path: A `.jsonl`, `.json`, `.csv` or `.tsv` file, perhaps packed, a `.parquet`, `.pq`, `.arrow` or
            `.feather` file, or the folder of a `Dataset`.
        encoding: The encoding of text; by default UTF-8, or that of a byte-order mark.
        asked: Whether a column is asked for by name, so that any list is a table.
    """
    path = os.fspath(path)
    kind = _kind(path)
    if kind != _JSON or not os.path.isfile(path):
        return Table(path, kind) if kind and kind != _JSON else None

    data, title = read_bytes(path)
    content = Content(data, title, encoding)
    if _first_entry(content.text) and (asked or not is_corenlp_list(content.text)):
        return Table(path, kind, content)
    return Part(os.path.basename(path), title, lambda: data)


def is_corenlp_list(text: str) -> bool:
    """Return whether the first entry of a list in JSON is a document or a sentence of CoreNLP.

    >>> is_corenlp_list('[{"sentences": []}]'), is_corenlp_list('[{"parse": "(S a)", "reference": "(S a)"}]')
    (True, False)
    """
    try:
        first, _ = json.JSONDecoder().raw_decode(text, _first_entry(text))
    except (ValueError, RecursionError):  # the reader of its format reports the error
        return False
    if not isinstance(first, dict) or not first.keys().isdisjoint(_SIDES):
        return False
    return isinstance(first.get("sentences"), list) or isinstance(first.get("parse"), str)


def _first_entry(text: str) -> int:
    """Return the place of the first entry of a list in JSON; 0 if the text is no list."""
    at = len(text) - len(text.lstrip())
    if not text.startswith("[", at):
        return 0
    at += 1
    while text[at : at + 1].isspace():
        at += 1
    return at


def read_columns(
    path: str | os.PathLike[str], wanted: dict[str, str | None], encoding: str | None = None
) -> list[ColumnRows]:
    """Return the columns of a table; the arguments are those of `open_table` and `Table.columns`."""
    table = open_table(path, encoding, asked=True)
    if not isinstance(table, Table):
        raise TreeFormatError(f"this is no table ({name_kinds()})", source=os.fspath(path))
    return table.columns(wanted, encoding)


def _kind(path: str) -> str:
    """Return the kind of table that a path may name; an empty text if it names none."""
    stem = strip_ending(path.lower())
    if any(os.path.isfile(os.path.join(path, mark)) for mark in _FOLDER_MARKS):
        return "folder"
    return next((kind for kind in _KINDS if stem.endswith("." + kind)), "")


def name_kinds() -> str:
    """Return the endings of tables, for messages: `.jsonl, .json, …, or a folder`."""
    return ", ".join("." + kind for kind in _KINDS) + ", or the folder of a saved Dataset"


def read_clusters(path: Table | str | os.PathLike[str], column: str | None = None) -> list[str]:
    """Return the cluster, such as a document, of each row: from a line each, or from a table's column.

    Args:
        path: A text file, or a table as for `open_table`.
        column: The column of a table; by default `clusters`, or the only column that there is.
    """
    title = path.path if isinstance(path, Table) else os.fspath(path)
    table = path if isinstance(path, Table) else open_table(title, asked=True)
    if isinstance(table, Table):
        [rows] = table.columns({"clusters": column})
        found = ["" if value is None else str(value).strip() for value in rows.values]
        name = rows.name
    else:
        found = [line.strip() for line in _read_text(title, None).removesuffix("\n").split("\n")]

        def name(row: int) -> str:
            return f"{title}:{row + 1}"

    for row, cluster in enumerate(found):
        if not cluster:
            raise TreeFormatError("no cluster is named here; each row needs one", source=name(row))
    return found


def read_records(
    path: str | os.PathLike[str], encoding: str | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows of a table of text: the place of each, such as `talks.tsv:2`, and its cells by column.

    Args:
        path: A `.jsonl`, `.csv` or `.tsv` file, perhaps packed.
        encoding: The encoding of text; by default UTF-8, or that of a byte-order mark.
    """
    path = os.fspath(path)
    kind = _kind(path)
    if kind == "jsonl":
        found = []
        for number, line in enumerate(_json_lines(path, encoding), 1):
            row = _parse_json(line, path, number)
            _check_row(row, {"source": path, "line": number})
            found.append((f"{path}:{number}", row))
        return found
    if kind not in _DELIMITERS:
        raise TreeFormatError("this is no table of text (.jsonl, .csv, .tsv)", source=path)
    (names, *rows), (_, *numbers) = _csv_rows(path, encoding, _DELIMITERS[kind])
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise TreeFormatError(f"there are several columns {twice[0]!r}; rename all but one", source=path)
    return [
        (f"{path}:{number}", dict(zip(names, row, strict=True)))
        for number, row in zip(numbers, rows, strict=True)
    ]


def choose_columns(names: Sequence[str], wanted: dict[str, str | None], path: str) -> list[str]:
    """Return the names of the columns wanted, if the table has them."""
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
    """Return the trees of one column; those of a text file are named by their lines."""
    names = None if lines is None else lambda row: f"{path}:{lines[row]}[{name!r}]"
    return ListRows(values, f"{path}[{name!r}]", names=names)


# ---- text ------------------------------------------------------------------------------------------


def _read_jsonl(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ColumnRows]:
    lines = _json_lines(path, encoding)
    numbers = range(1, len(lines) + 1)
    rows = (_parse_json(line, path, number) for number, line in enumerate(lines, 1))
    names, values = _columns(rows, path, wanted, lambda place: {"source": path, "line": numbers[place]})
    return [_column(column, path, name, numbers) for name, column in zip(names, values, strict=True)]


def _json_lines(path: str, encoding: str | None) -> list[str]:
    """Return the lines of a file; blank ones at its end are none."""
    lines = _read_text(path, encoding).rstrip().split("\n")
    return lines if lines != [""] else []


def _read_json(content: Content, wanted: dict[str, str | None]) -> list[ColumnRows]:
    """Return a list of rows."""
    path = content.title
    names, values = _columns(content.json, path, wanted, lambda place: {"source": f"{path}[{place}]"})
    return [_column(column, path, name) for name, column in zip(names, values, strict=True)]


def _columns(
    rows: Iterable[Any], path: str, wanted: dict[str, str | None], where: Callable[[int], dict[str, Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns wanted and their values; `where` names a row in errors."""
    names: list[str] | None = None
    values: list[list[Any]] = []
    for place, row in enumerate(rows):
        _check_row(row, where(place))
        if names is None:
            names = choose_columns(list(row), wanted, path)
            values = [[] for _ in names]
        for name, column in zip(names, values, strict=True):
            if name not in row:
                raise TreeFormatError(f"this row has no column {name!r}", **where(place))
            column.append(row[name])
    if names is None:
        raise TreeFormatError("there are no rows", source=path)
    return names, values


def _check_row(row: Any, where: dict[str, Any]) -> None:
    if not isinstance(row, dict):
        raise TreeFormatError(
            f"a row is an object with a name for each column, not a {type(row).__name__}", **where
        )


def _parse_json(text: str, path: str, first: int) -> Any:
    """Return the value of a text that begins in line `first` of a file."""
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


def _read_tsv(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ColumnRows]:
    return _read_csv(path, wanted, encoding, _DELIMITERS["tsv"])


def _read_csv(
    path: str, wanted: dict[str, str | None], encoding: str | None, delimiter: str = ","
) -> list[ColumnRows]:
    rows, numbers = _csv_rows(path, encoding, delimiter)
    names = rows[0]
    chosen = choose_columns(names, wanted, path)
    return [_column([row[names.index(name)] for row in rows[1:]], path, name, numbers[1:]) for name in chosen]


def _csv_rows(path: str, encoding: str | None, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Return all rows, the names of the columns first, and the lines that they begin in."""
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
    return rows, numbers


def _read_text(path: str, encoding: str | None) -> str:
    data, title = read_bytes(path)
    return as_utf8(data, title, encoding).decode("utf-8")


# ---- Arrow -----------------------------------------------------------------------------------------


def _read_parquet(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ColumnRows]:
    def read(file: Any, choose: Callable[[Sequence[str]], list[str]]) -> Any:
        from pyarrow import parquet

        table = parquet.ParquetFile(file)
        return table.read(choose(table.schema_arrow.names))

    return _read_arrow(path, wanted, "Parquet", read)


def _read_ipc(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ColumnRows]:
    """Return a file of Arrow, which Feather is too, or a stream of Arrow in a file."""

    def read(file: Any, choose: Callable[[Sequence[str]], list[str]]) -> Any:
        from pyarrow import ArrowInvalid, ipc

        try:
            reader = ipc.open_file(file)
        except ArrowInvalid:
            file.seek(0)
            reader = ipc.open_stream(file)
        return reader.read_all().select(choose(reader.schema.names))

    return _read_arrow(path, wanted, "Arrow", read)


def _read_arrow(
    path: str,
    wanted: dict[str, str | None],
    kind: str,
    read: Callable[[Any, Callable[[Sequence[str]], list[str]]], Any],
) -> list[ColumnRows]:
    """Return columns of a file that pyarrow reads; texts are not copied."""
    try:
        from pyarrow import ArrowException
    except ImportError:
        raise ValueError(f"{path}: reading {kind} " + _EXTRA.format("pyarrow")) from None
    chosen: list[str] = []

    def choose(names: Sequence[str]) -> list[str]:
        chosen.extend(choose_columns(names, wanted, path))
        return list(dict.fromkeys(chosen))

    with open(path, "rb") as file:
        try:
            table = read(file, choose)
        except ArrowException as error:
            raise TreeFormatError(f"this {kind} file cannot be read: {error}", source=path) from None
    return [
        arrow_rows(table.column(name), f"{path}[{name!r}]")
        if are_texts(table.schema.field(name).type)
        else _column(table.column(name).to_pylist(), path, name)
        for name in chosen
    ]


def _read_folder(path: str, wanted: dict[str, str | None], encoding: str | None) -> list[ColumnRows]:
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
    chosen = choose_columns(dataset.column_names, wanted, path)
    dataset = dataset.with_format(None)
    return [_column(dataset[name], path, name) for name in chosen]  # read a slice at a time


_READERS = {
    "folder": _read_folder,
    "jsonl": _read_jsonl,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
    "pq": _read_parquet,
    "arrow": _read_ipc,
    "feather": _read_ipc,
}
