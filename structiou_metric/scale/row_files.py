"""Write the figures of single rows to a file, piece by piece."""

from __future__ import annotations

import json
import os
from array import array
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..optional import need
from .arrow import row_batch, row_columns

if TYPE_CHECKING:
    from ..metrics.results import Result
    from ..metrics.tallying import Piece

ENDINGS = (".parquet", ".pq", ".jsonl")


class RowWriter:
    """Write a row for each pair, piece by piece, as the argument `watch` of `tally_parquet`.

    Rows have the columns of `score_arrow`, after `index`, the number of the row. The file appears under its
    name when all is written, and not at all after an error.

    >>> import os, pyarrow.parquet, tempfile
    >>> from structiou_metric.scale import tally_parquet
    >>> table = pyarrow.table({"prediction": ["(S (A a))", "()"], "reference": ["(S (A a))", "(S (B b))"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pairs, rows = os.path.join(folder, "pairs.parquet"), os.path.join(folder, "rows.parquet")
    ...     pyarrow.parquet.write_table(table, pairs)
    ...     with RowWriter(rows) as writer:
    ...         tally = tally_parquet(pairs, watch=writer)
    ...     scores = pyarrow.parquet.read_table(rows).column("score").to_pylist()
    >>> scores
    [1.0, 0.0]

    Args:
        path: The path of the file, which ends in `.parquet`, `.pq` or `.jsonl`.
        filesystem: The file system of pyarrow that the file is on; by default that of this machine.
    """

    def __init__(self, path: str | os.PathLike[str], filesystem: Any = None) -> None:
        self.path = os.fspath(path)
        self._part = f"{self.path}.{uuid4().hex}.part"  # as two workers may score the same rows
        self._filesystem = filesystem
        if not self.path.endswith(ENDINGS):
            raise ValueError(
                f"rows are written to files that end in {', '.join(ENDINGS)}, not to {self.path}"
            )
        self._is_text = self.path.endswith(".jsonl")
        if not self._is_text:
            need("pyarrow.parquet", "arrow", f"writing {self.path}")
        self._out: Any = None

    def __call__(self, piece: Piece, result: Result) -> None:
        """Write the rows of a piece."""
        columns = {"index": array("q", result.rows), **row_columns(result, piece.ids)}
        if self._is_text:
            self._out = self._out or open(self._part, "w", encoding="utf-8")  # noqa: SIM115
            if piece.ids is not None:
                columns["id"] = piece.ids.to_pylist()  # type: ignore[attr-defined]
            for row in zip(*columns.values(), strict=True):
                self._out.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n")
            return
        from pyarrow.parquet import ParquetWriter

        batch = row_batch(columns)
        self._out = self._out or ParquetWriter(self._part, batch.schema, filesystem=self._filesystem)
        self._out.write_batch(batch)

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        if self._out is None:
            return
        self._out.close()
        if self._filesystem is not None:
            move, remove = self._filesystem.move, self._filesystem.delete_file
        else:
            move, remove = os.replace, os.remove
        if kind is None:
            move(self._part, self.path)
        else:
            remove(self._part)
