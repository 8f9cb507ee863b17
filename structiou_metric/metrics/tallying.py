"""From rows to a `CorpusTally`, in the same memory for any number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..progress import Progress
from ..sources.rows import cut_rows
from .metric import Metric
from .runner import add_rows
from .tally import CorpusTally, group_name

if TYPE_CHECKING:
    from ..sources.rows import Rows

__all__ = ["shard"]

AT_ONCE = 32_768  # rows whose columns are held


class Piece:
    """Some rows of both sides.

    Args:
        first: The number of the first row.
        predictions: Rows that are numbered from there.
        references: As many rows as predictions.
        groups: A key for each row, if there are groups.
        ids: The name of each row.
    """

    __slots__ = ("first", "groups", "ids", "predictions", "references")

    def __init__(
        self,
        first: int,
        predictions: Rows,
        references: Rows,
        groups: Sequence[Any] | None = None,
        ids: Sequence[Any] | None = None,
    ) -> None:
        self.first = first
        self.predictions = predictions
        self.references = references
        self.groups = groups
        self.ids = ids

    def group_of(self) -> Callable[[int], str | None] | None:
        """Return a function from the number of a row to its group; None if there are no groups."""
        groups = self.groups
        return None if groups is None else lambda row: group_name(groups[row - self.first])


def tally_pieces(
    metric: Metric,
    pieces: Iterable[Piece],
    *,
    by_label: bool = False,
    workers: int | str = 1,
    total: int | None = None,
    progress: bool = False,
    watch: Callable[[Piece, Any], None] | None = None,
) -> CorpusTally:
    """Return the sums over the rows of all pieces; single rows are not kept.

    Args:
        metric: The metric with its options.
        pieces: The pieces; each is counted and forgotten before the next one is asked for.
        by_label: Whether to sum up by label, too.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        total: How many rows there are, if that is known.
        progress: Whether a terminal shows a progress bar when this takes long.
        watch: A function that is called with every piece and the `Result` of its rows.
    """
    refuse_pairing(metric)
    tally = CorpusTally(metric)
    with Progress(total, "scoring", show=progress) as bar:
        for piece in pieces:
            result = metric.RESULT(metric)
            rows = [(piece.first, piece.predictions, piece.references)]
            add_rows(result, rows, by_label=by_label, workers=workers, group_of=piece.group_of())
            if not len(result):
                continue
            part = CorpusTally.of(result, piece.groups)
            if len(tally):
                tally += part
            else:
                tally = part
            if watch is not None:
                watch(piece, result)
            bar.add(len(result))
    return tally


def tally_rows(
    metric: Metric,
    predictions: Rows,
    references: Rows,
    rows: range | None = None,
    *,
    watch: Callable[[Piece, Any], None] | None = None,
    **how: Any,
) -> CorpusTally:
    """Return the sums over some rows of two sides.

    Args:
        metric: The metric with its options.
        predictions: All rows of the predictions.
        references: As many rows as predictions.
        rows: The numbers of the rows that are counted; by default all.
        watch: A function that is called with every piece and the `Result` of its rows.
        **how: The arguments `by_label`, `workers` and `progress` of `tally_pieces`.
    """
    rows = range(len(references)) if rows is None else rows
    pieces = (
        Piece(part.start, cut_rows(predictions, part), cut_rows(references, part)) for part in _cut(rows)
    )
    return tally_pieces(metric, pieces, total=len(rows), watch=watch, **how)


def refuse_pairing(metric: Metric) -> None:
    """Refuse a metric that must see all rows to pair them."""
    if metric.pairs_itself:
        raise ValueError(
            f"{metric.title} finds out for itself which rows of the two sides belong together, and so cannot "
            "be computed in parts; score the whole in one go"
        )


def shard(n_rows: int, number: int, n_shards: int) -> range:
    """Return the rows of one of some shards, which follow each other and differ by one row at most in size.

    >>> [list(shard(7, number, 3)) for number in (1, 2, 3)]
    [[0, 1], [2, 3], [4, 5, 6]]

    Args:
        n_rows: How many rows there are.
        number: The number of the shard, from 1.
        n_shards: How many shards there are.
    """
    return range(n_rows * (number - 1) // n_shards, n_rows * number // n_shards)


def _cut(rows: range) -> Iterator[range]:
    for start in range(rows.start, rows.stop, AT_ONCE):
        yield range(start, min(start + AT_ONCE, rows.stop))
