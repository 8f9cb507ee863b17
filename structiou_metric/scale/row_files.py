"""What is found for single rows, written to a file while more is found."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..optional import need
from .arrow import row_batch

if TYPE_CHECKING:
    from ..metrics.results import Result
    from ..metrics.tallying import Piece

ENDINGS = (".parquet", ".pq", ".jsonl")


class RowWriter:
    """Writes a row for each pair, piece by piece; to be given as `watch` to `tally_pieces`.

    The file appears under its name when all is written, and not at all after an error.

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
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._part = self.path + ".part"
        if not self.path.endswith(ENDINGS):
            raise ValueError(
                f"rows are written to files that end in {', '.join(ENDINGS)}, not to {self.path}"
            )
        self._is_text = self.path.endswith(".jsonl")
        if not self._is_text:
            need("pyarrow.parquet", "arrow", f"writing {self.path}")
        self._out: Any = None

    def __call__(self, piece: Piece, result: Result) -> None:
        """Writes the rows of a piece; in text, those that `Result.per_sentence` tells."""
        if self._is_text:
            self._out = self._out or open(self._part, "w", encoding="utf-8")  # noqa: SIM115
            self._out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in _told(piece, result))
            return
        from pyarrow import RecordBatch, array, int64
        from pyarrow.parquet import ParquetWriter

        batch = row_batch(result, piece.ids)
        numbers = array(list(result.rows), int64())
        batch = RecordBatch.from_arrays([numbers, *batch.columns], ["index", *batch.schema.names])
        self._out = self._out or ParquetWriter(self._part, batch.schema)
        self._out.write_batch(batch)

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        if self._out is not None:
            self._out.close()
            if kind is None:
                os.replace(self._part, self.path)
            else:
                os.remove(self._part)


def _told(piece: Piece, result: Result) -> Iterator[dict[str, Any]]:
    """What is told of each row, with its id and its message, if it has them."""
    messages = dict(result.problems)
    for row in result.per_sentence():
        index = row["index"]
        named = {} if piece.ids is None else {"id": piece.ids[index - piece.first].as_py()}
        told = {"message": messages[index]} if index in messages else {}
        yield {**named, **row, **told}
