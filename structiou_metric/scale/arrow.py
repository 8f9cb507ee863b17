"""Score two columns of Arrow: the figures of each row, or a tally of all rows."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..metrics.base import STATUSES
from ..metrics.metric import Metric
from ..metrics.runner import add_rows
from ..metrics.struct_iou.metric import StructIoU
from ..metrics.tally import CorpusTally
from ..metrics.tallying import Piece, refuse_pairing, tally_pieces
from ..optional import need
from ..sources.arrow import arrow_rows, as_column
from ..sources.rows import ListRows, check_as_many

if TYPE_CHECKING:
    from ..metrics.results import Result


def usual_metric(metric: Metric | None) -> Metric:
    """Return the metric, or by default STRUCT-IoU, for which a row that cannot be compared counts as 0."""
    return StructIoU(on_error="zero") if metric is None else metric


def score_arrow(
    predictions: Any,
    references: Any,
    metric: Metric | None = None,
    *,
    ids: Any = None,
    workers: int | str = 1,
) -> Any:
    """Return the figures of each row of two columns, as columns.

    >>> import pyarrow
    >>> found = score_arrow(pyarrow.array(["(S (A a) (B b))", None]), pyarrow.array(["(S (A a) (C b))"] * 2))
    >>> found.column("score").to_pylist(), found.column("status").to_pylist()
    ([0.6666666666666666, 0.0], ['valid', 'zeroed'])
    >>> found.column("message")[1].as_py()
    "predictions[1]: the tree is None; give '()' for a failed parse"

    Args:
        predictions: Trees as texts of any kind that Arrow has, or as lists and structs of their nodes: a
            column of pyarrow, polars, pandas, DuckDB, or any object with Arrow's C data interface. Texts are
            read from Arrow's memory.
        references: The same number of trees.
        metric: The metric with its options; by default `StructIoU(on_error="zero")`. With `on_error="raise"`
            the first row that cannot be compared is an error.
        ids: The name of each row in messages; they become the first column.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.

    Returns:
        A `pyarrow.RecordBatch` with a row for each: `score` (the metric's headline; null if the row does
        not count), the columns that the metric adds up, `status`, and `message` for a row with a problem.
    """
    metric = usual_metric(metric)
    refuse_pairing(metric)
    piece = _piece(predictions, references, ids)
    result = metric.RESULT(metric)
    add_rows(result, [(0, piece.predictions, piece.references)], workers=workers)
    return row_batch(row_columns(result, piece.ids))


def tally_arrow(
    predictions: Any,
    references: Any,
    metric: Metric | None = None,
    *,
    ids: Any = None,
    groups: Any = None,
    by_label: bool = False,
    first: int = 0,
    workers: int | str = 1,
) -> CorpusTally:
    """Return the exact sums over all rows of two columns.

    >>> import pyarrow
    >>> trees = pyarrow.array(["(S (A a))", "(S (B b))"])
    >>> tally = tally_arrow(pyarrow.array(["(S (A a))", "()"]), trees, groups=["x", "y"])
    >>> tally.figures["struct_iou"], tally.groups["y"].figures["struct_iou"]
    (0.5, 0.0)

    Args:
        predictions: Trees, as `score_arrow` takes them.
        references: The same number of trees.
        metric: The metric with its options; by default `StructIoU(on_error="zero")`.
        ids: The name of each row in messages.
        groups: A key for each row, such as a document, a system or a language, by which rows are grouped.
        by_label: Whether to sum up by label, too.
        first: The number of the first row, if these are a part of a longer column.
        workers: The number of threads, or `auto`: one for each processor if there is enough to do.
    """
    piece = _piece(predictions, references, ids, groups, first)
    return tally_pieces(usual_metric(metric), [piece], by_label=by_label, workers=workers)


def _piece(predictions: Any, references: Any, ids: Any, groups: Any = None, first: int = 0) -> Piece:
    """Return the rows of two columns, named by their ids, with their groups."""
    more = {"ids": ids, "groups": groups}
    listed = {name: None if column is None else as_column(column, name) for name, column in more.items()}

    def names(title: str) -> Callable[[int], str] | None:
        found = listed["ids"]
        return None if found is None else lambda row: f"{title}[{found[row - first].as_py()!r}]"

    sides = [
        arrow_rows(column, title, names=names(title), first=first)
        for column, title in ((predictions, "predictions"), (references, "references"))
    ]
    check_as_many(sides[0], sides[1])
    for name, column in listed.items():
        if column is not None and len(column) != len(sides[0]):
            raise ValueError(
                f"{name} has {len(column)} rows, predictions has {len(sides[0])}; give one for each"
            )
    keys = None if listed["groups"] is None else listed["groups"].to_pylist()
    return Piece(first, sides[0], sides[1], keys, listed["ids"])


def row_columns(result: Result, ids: Any = None) -> dict[str, Any]:
    """Return the columns of a result, with a value for each row, by their names; see `score_arrow`."""
    n_rows = len(result.status)
    columns: dict[str, Any] = {}
    if ids is not None:
        columns["id"] = ids
        if len(ids) != n_rows:
            raise ValueError(f"{result.metric.title} does not have one row of figures for each pair of trees")
    columns["score"] = result.values(result.metric.headline) if n_rows else []
    columns |= result.columns or _no_rows(result.metric)
    columns["status"] = [STATUSES[state] for state in result.status]
    messages: dict[int, str] = {}
    for row, message in result.problems:
        messages[row] = f"{messages[row]}; {message}" if row in messages else message
    columns["message"] = [messages.get(row) for row in result.rows] if messages else [None] * n_rows
    return columns


def row_batch(columns: dict[str, Any]) -> Any:
    """Return columns of `row_columns` as a `pyarrow.RecordBatch`."""
    pyarrow = need("pyarrow", "arrow", "a table of rows")
    kinds = {"score": pyarrow.float64(), "status": pyarrow.string(), "message": pyarrow.string()}
    found = {}
    for name, column in columns.items():
        if name in kinds:
            found[name] = pyarrow.array(column, kinds[name])
        elif isinstance(column, array):
            found[name] = _as_arrow(pyarrow, column)
        elif hasattr(column, "combine_chunks"):
            found[name] = column.combine_chunks()
        else:
            found[name] = pyarrow.array(column)
    return pyarrow.RecordBatch.from_pydict(found)


def _as_arrow(pyarrow: Any, column: Any) -> Any:
    """Return an array of Python as one of Arrow, which uses the same memory."""
    whole = {4: pyarrow.int32(), 8: pyarrow.int64()}
    kind = pyarrow.float64() if column.typecode == "d" else whole[column.itemsize]
    return pyarrow.Array.from_buffers(kind, len(column), [None, pyarrow.py_buffer(column)])


def _no_rows(metric: Metric) -> dict[str, Any]:
    """Return the columns of a metric, without a row."""
    result = metric.RESULT(metric)
    add_rows(result, [(0, ListRows(["(A a)"], "predictions"), ListRows(["(A a)"], "references"))])
    return {name: column[:0] for name, column in result.columns.items()}
