"""Two columns of a dataset, read in bulk to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .columns import Source
from .documents import Documents, runs_of
from .rows import ListRows

if TYPE_CHECKING:
    from .rows import Rows

_ROWS = 1024  # read at once; few enough to hold, and enough to make a read's overhead small


class ColumnPairs:
    """Two columns of a dataset, as pieces for `runner.score_pieces`.

    Args:
        dataset: A `Dataset` or an `IterableDataset`.
        sides: The columns of predictions and of references.
        title: What to call the dataset in errors.
        document_column: The column whose value tells documents apart: rows that follow each other with the
            same one are a document, which then is a row of the pieces.

    Attributes:
        total: The number of rows of the pieces; None if that is known only when all are read.
    """

    def __init__(
        self, dataset: Any, sides: tuple[Source, Source], title: str, document_column: str | None = None
    ) -> None:
        if not hasattr(dataset, "select_columns") or not hasattr(dataset, "iter"):
            raise TypeError(
                f"{title} is a {type(dataset).__name__}; give a Dataset, an IterableDataset or a dict of "
                "them, or use corpus_score for lists"
            )
        self.dataset = dataset
        self.sides = sides
        self._document = None if document_column is None else Source(document_column)
        self._sources = [*sides, *([self._document] if self._document else ())]
        n_rows = len(dataset) if hasattr(dataset, "__len__") else None
        self._streams = n_rows is None
        self.total = n_rows if self._document is None else None
        self._title = title
        # The columns of a transform, and of some streams, are not known before they are read.
        self._is_transformed = not self._streams and dataset.format["type"] == "custom"
        if dataset.column_names is not None and not self._is_transformed:
            for source in self._sources:
                source.check(dataset.column_names, title)
        if n_rows == 0:
            raise ValueError(f"{title} has no rows to score")

    def pieces(self) -> Iterable[tuple[int, Rows, Rows]]:
        """The number of each piece's first row, its predictions and its references; once for a stream."""
        return iter(self) if self._streams else self

    def __iter__(self) -> Iterator[tuple[int, Rows, Rows]]:
        dataset = self.dataset
        if not self._is_transformed:  # a transform may need other columns
            if dataset.column_names is not None:
                columns = [column for source in self._sources for column in source.columns]
                dataset = dataset.select_columns(list(dict.fromkeys(columns)))
            dataset = dataset.with_format(None)
        if self._document is not None:
            yield from self._documents(dataset)
            return
        if not self._streams and all(side.is_text(dataset.features) for side in self.sides):
            dataset = dataset if self._is_transformed else dataset.with_format("arrow")
        first = 0
        for batch in dataset.iter(_ROWS):
            prediction, reference = (side.rows(batch, self._title, first) for side in self.sides)
            yield first, prediction, reference
            first += len(prediction)

    def _documents(self, dataset: Any) -> Iterator[tuple[int, Rows, Rows]]:
        """The pieces of whole documents; the last one of a batch waits for what may follow."""
        first = begin = 0
        waiting: list[list[Any]] = [[], [], []]  # predictions, references and ids
        for batch in dataset.iter(_ROWS):
            for values, source in zip(waiting, self._sources, strict=True):
                values += source.values(batch, self._title)
            sizes, _ = runs_of(waiting[2])
            n_whole = sum(sizes[:-1])
            if n_whole:
                yield first, *self._cut(waiting, n_whole, first, begin)
                first += len(sizes) - 1
                begin += n_whole
                waiting = [values[n_whole:] for values in waiting]
        if waiting[2]:
            yield first, *self._cut(waiting, len(waiting[2]), first, begin)

    def _cut(self, waiting: Sequence[list[Any]], n_rows: int, first: int, begin: int) -> tuple[Rows, Rows]:
        """The documents of both sides in the first of the rows that wait."""
        sizes, ids = runs_of(waiting[2][:n_rows])
        predictions, references = (
            Documents(
                ListRows(values[:n_rows], f"{self._title}{side}", first=begin),
                sizes,
                ids,
                first=first,
                begin=begin,
            )
            for values, side in zip(waiting, self.sides, strict=False)
        )
        return predictions, references
