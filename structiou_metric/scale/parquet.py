"""Two columns of Parquet files: what all rows, or those of some row groups, add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..metrics.base import BaseMetric
from ..metrics.tally import CorpusTally
from ..metrics.tallying import Piece, tally_pieces
from ..sources.arrow import arrow_rows
from ..sources.parquet import ParquetFiles
from ..sources.tables import choose_columns
from .arrow import usual_metric


class ParquetPairs:
    """Two columns of Parquet files, to be read in pieces.

    Args:
        paths: The files, as `ParquetFiles` takes them.
        prediction_column: The name of the column with predicted trees.
        reference_column: The name of the column with reference trees.
        group_by: A column by which rows are told apart.
        id_column: A column that tells what rows are called in messages.

    Attributes:
        files: The files that hold both columns.
    """

    def __init__(
        self,
        paths: Any,
        prediction_column: str | None = None,
        reference_column: str | None = None,
        *,
        group_by: str | None = None,
        id_column: str | None = None,
    ) -> None:
        self.files = ParquetFiles(paths)
        wanted = {"prediction": prediction_column, "reference": reference_column}
        names = self.files.names()
        self._columns = choose_columns(names, wanted, self.files.files[0])
        for column in (group_by, id_column):
            if column is not None and column not in names:
                has = ", ".join(map(repr, names))
                raise ValueError(f"{self.files.files[0]}: there is no column {column!r}; its columns: {has}")
        self._group_by = group_by
        self._id_column = id_column

    def __len__(self) -> int:
        return len(self.files)

    def pieces(self, rows: Iterable[range] | None = None) -> Iterator[Piece]:
        """The pieces of some thousand rows; of those in some ranges, by default of all."""
        columns = [*self._columns, *([self._group_by] if self._group_by else [])]
        for wanted in [range(len(self))] if rows is None else rows:
            for found in self.files.read(columns, wanted, id_column=self._id_column):
                predictions, references = (
                    arrow_rows(column, name, names=_in_column(found.name, name), first=found.first)
                    for column, name in zip(found.columns, self._columns, strict=False)
                )
                groups = found.columns[2].to_pylist() if self._group_by else None
                yield Piece(found.first, predictions, references, groups, found.ids)


def _in_column(name: Callable[[int], str], column: str) -> Callable[[int], str]:
    return lambda row: f"{name(row)}[{column!r}]"


def tally_parquet(
    paths: Any,
    prediction_column: str | None = None,
    reference_column: str | None = None,
    metric: BaseMetric | None = None,
    *,
    row_groups: Sequence[int] | None = None,
    rows: range | None = None,
    group_by: str | None = None,
    id_column: str | None = None,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    watch: Callable[[Piece, Any], None] | None = None,
) -> CorpusTally:
    """What the pairs of two columns add up to, in the room of some thousand of them.

    >>> import os, pyarrow.parquet, tempfile
    >>> table = pyarrow.table({"prediction": ["(S (A a))", "()"], "reference": ["(S (A a))", "(S (B b))"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "pairs.parquet")
    ...     pyarrow.parquet.write_table(table, path)
    ...     tally = tally_parquet(path)
    >>> tally.figures["struct_iou"]
    0.5

    Args:
        paths: A file, a folder of files, several of these, or a `pyarrow.dataset.Dataset`.
        prediction_column: The name of the column with predicted trees, by default `prediction`.
        reference_column: The name of the column with reference trees, by default `reference`.
        metric: The metric with its options; by default `StructIoU(on_error="zero")`.
        row_groups: The numbers of some row groups, counted through all files from 0; by default all.
        rows: The numbers of some rows, instead of row groups.
        group_by: A column by which rows are told apart, such as a document, a system or a language.
        id_column: A column that tells what rows are called in messages; by default their number in the file.
        by_label: Whether to sum up by label, too.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
        watch: A function that is called with every piece and the `Result` of its rows, such as a `RowWriter`.
    """
    if row_groups is not None and rows is not None:
        raise ValueError("row_groups and rows both say which rows are meant; give one of them")
    pairs = ParquetPairs(
        paths,
        prediction_column,
        reference_column,
        group_by=group_by,
        id_column=id_column,
    )
    ranges = [range(len(pairs))] if rows is None else [rows]
    if row_groups is not None:
        n_groups = len(pairs.files.groups)
        for number in row_groups:
            if not 0 <= number < n_groups:
                raise ValueError(
                    f"there is no row group {number}; they are numbered from 0 to {n_groups - 1}"
                )
        ranges = [pairs.files.groups[number].rows for number in row_groups]
    return tally_pieces(
        usual_metric(metric),
        pairs.pieces(ranges),
        total=sum(map(len, ranges)),
        by_label=by_label,
        workers=workers,
        progress=progress,
        watch=watch,
    )
