"""Trees in columns of `datasets`: scored in bulk or row by row, and turned from one shape into another.

>>> converter = ColumnConverter("tree", to="spans")
>>> converter({"tree": ["(NP (DT the) (NN dog))"]})["tree"][0][1]
{'label': 'DT', 'start': 0, 'end': 1, 'word': 'the'}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import TreeFormatError
from .metrics.base import ZEROED
from .metrics.metric import Metric
from .metrics.runner import score_pieces
from .optional import as_listed, missing_name
from .sources.arrow import ArrowRows, are_texts, as_column
from .sources.documents import DocumentRows, Documents, runs_of
from .sources.rows import ListRows, Rows
from .trees.shapes import as_tree, document
from .trees.tree import SegmentTree
from .wording import check_choice

if TYPE_CHECKING:
    from .metrics.results import Result

__all__ = ["SHAPES", "ColumnConverter", "RowScorer", "Source", "score_dataset"]

_ROWS = 1024  # read at once; few enough to hold, and enough to make a read's overhead small
_ON_ERROR = ("raise", "zero", "skip")

# The shapes in which a `ColumnConverter` can write trees.
SHAPES = ("brackets", "brackets_times", "json", "spans", "columns")

_PARTS = {
    "brackets_times": ("brackets", "times"),
    "columns": ("labels", "starts", "ends", "parents", "words"),
}
# The parts of a tree that several columns may hold, by the names that `as_tree` knows; a `?` may be missing.
_SOURCES = (
    ("brackets", "times"),
    ("labels", "starts", "ends", "parents", "words?"),
    ("label", "start", "end", "word?"),
)


class Source:
    """The column that holds trees, or the columns that do so together.

    >>> source = Source({"brackets": "tree", "times": "word_times"})
    >>> source.values({"tree": ["(A a)"], "word_times": [[[0.0, 0.5]]]})
    [{'brackets': '(A a)', 'times': [[0.0, 0.5]]}]

    Args:
        column: The name of the column, or the names of several columns by their content, such as
            `{"brackets": "tree", "times": "word_times"}`.
        documents: Whether every row has a list of trees; if there are several columns, each has a list as
            long.
    """

    def __init__(self, column: str | Mapping[str, str], *, documents: bool = False) -> None:
        self._documents = documents
        if isinstance(column, str):
            self.columns = [column]
            self._parts: tuple[str, ...] = ()
        else:
            _check_parts(column)
            self.columns = list(column.values())
            self._parts = tuple(column)

    def __str__(self) -> str:
        return f"[{', '.join(map(repr, self.columns))}]"

    def check(self, names: Iterable[str], where: str) -> None:
        """Raise an error if the dataset lacks one of the columns."""
        names = list(names)
        for column in self.columns:
            if column not in names:
                has = ", ".join(map(repr, names)) or "none"
                raise ValueError(f"{where} has no column {column!r}; its columns: {has}")

    def values(self, batch: Any, where: str = "the batch") -> list[Any]:
        """Return the trees of a batch, in a shape that `as_tree` takes; for batches see `column_names`."""
        self.check(column_names(batch), where)
        if _is_row(batch):
            raise ValueError(f"column {self.columns[0]!r} comes row by row; use map(…, batched=True)")
        columns = [as_listed(batch[column]) for column in self.columns]
        if not self._parts:
            return list(columns[0])
        rows = zip(*columns, strict=True)
        if self._documents:
            return [self._document(row, i, where) for i, row in enumerate(rows)]
        return [dict(zip(self._parts, row, strict=True)) for row in rows]

    def _document(self, row: Sequence[Any], number: int, where: str) -> list[dict[str, Any]]:
        if len(set(map(len, row))) > 1:
            sizes = ", ".join(
                f"{len(cell)} in {name!r}" for name, cell in zip(self.columns, row, strict=True)
            )
            raise ValueError(
                f"{where}, row {number}: a document has as many trees in each column, not {sizes}"
            )
        return [dict(zip(self._parts, tree, strict=True)) for tree in zip(*row, strict=True)]

    def is_text(self, features: Mapping[str, Any] | None) -> bool:
        """Return whether the features of a dataset say that the trees are texts in one column."""
        kinds = [getattr((features or {}).get(column), "dtype", None) for column in self.columns]
        return not self._parts and not self._documents and kinds[0] in ("string", "large_string")

    def rows(self, batch: Any, title: str, first: int) -> ListRows | DocumentRows | ArrowRows:
        """Return the trees of a batch as rows with that title, numbered from `first`."""
        if hasattr(batch, "schema") and hasattr(batch, "itercolumns") and not self._parts:
            self.check(column_names(batch), title)
            column = batch.column(self.columns[0])
            if not self._documents and are_texts(column.type):
                return ArrowRows(as_column(column, title), f"{title}{self}", first=first)
        kind = DocumentRows if self._documents else ListRows
        return kind(self.values(batch, title), f"{title}{self}", first=first)


def column_names(batch: Any) -> Iterable[str]:
    """Return the names of a batch's columns.

    `map` gives a batch as a mapping, or in the format that was set for the dataset: as a table of Arrow, or
    as a DataFrame of pandas or polars.
    """
    if isinstance(batch, Mapping):
        return batch
    names: Iterable[str] = getattr(batch, "column_names", None) or batch.columns
    return names


def with_columns(batch: Any, columns: dict[str, list[Any]], kinds: Callable[[], Any]) -> Any:
    """Return the value that `map` expects for a batch with new columns, or with others in place of old ones.

    `map` itself adds new columns to those of a mapping. Of a table, it keeps only the columns it gets back.

    Args:
        batch: The batch, as `column_names` takes it.
        columns: The new columns.
        kinds: A function that returns the features of the new columns.
    """
    if isinstance(batch, Mapping):
        return columns
    from pyarrow import array

    schema = kinds().arrow_schema
    arrays = {name: array(values, schema.field(name).type) for name, values in columns.items()}
    if hasattr(batch, "assign"):  # of pandas
        from pandas import ArrowDtype, Series

        return batch.assign(
            **{
                name: Series(values, index=batch.index, dtype=ArrowDtype(values.type))
                for name, values in arrays.items()
            }
        )
    if hasattr(batch, "with_columns"):  # of polars
        from polars import Series as PolarsSeries

        return batch.with_columns(PolarsSeries(name, values) for name, values in arrays.items())
    for name, values in arrays.items():
        place = batch.schema.get_field_index(name)
        batch = batch.append_column(name, values) if place < 0 else batch.set_column(place, name, values)
    return batch


def _is_row(batch: Any) -> bool:
    """Return whether this is a single row, which `map` gives without `batched=True`."""
    if type(batch).__name__ == "LazyRow":
        return True
    values = batch.values() if isinstance(batch, dict) else ()
    return any(isinstance(value, (str, Mapping)) or not hasattr(value, "__len__") for value in values)


def _check_parts(column: Mapping[str, str]) -> None:
    for parts in _SOURCES:
        needed = [part for part in parts if not part.endswith("?")]
        if set(needed) <= set(column) <= {part.rstrip("?") for part in parts}:
            return
    choices = "; ".join(", ".join(parts) for parts in _SOURCES)
    raise ValueError(
        f"columns for {', '.join(map(repr, column)) or 'nothing'} do not make a tree; name those for one of: "
        f"{choices} (? may be missing)"
    )


# ---- scores ----------------------------------------------------------------------------------------


def score_dataset(
    metric: Metric,
    dataset: Any,
    prediction_column: str | Mapping[str, str],
    reference_column: str | Mapping[str, str],
    *,
    documents: bool = False,
    document_column: str | None = None,
    add_column: str | None = None,
    **how: Any,
) -> Any:
    """Score two columns of a dataset by a metric; it does the work of `Metric.score_dataset`.

    >>> from datasets import Dataset
    >>> from structiou_metric import StructIoU
    >>> dataset = Dataset.from_dict({"parsed": ["(S (A a) (B b))"], "gold": ["(S (A a) (C b))"]})
    >>> result = score_dataset(StructIoU(), dataset, "parsed", "gold")
    >>> round(result.score, 4)
    0.6667

    Args:
        metric: The metric with its options.
        dataset: The dataset, as in `Metric.score_dataset`.
        prediction_column: The column or columns of predicted trees, as there.
        reference_column: The column or columns of reference trees, as there.
        documents: Whether every row of both sides has a list of trees on one axis, as there.
        document_column: A column that identifies documents, as there.
        add_column: The name of a column with the score of each row, to be added to the dataset.
        **how: The arguments `by_label`, `workers`, `progress` and `strict` of `Metric.score_dataset`.
    """
    if document_column is not None and documents:
        raise ValueError("documents and document_column both say what documents are; give one of them")
    if document_column is not None and add_column is not None:
        raise ValueError("with document_column a score belongs to several rows; add_column cannot hold it")
    sides = Source(prediction_column, documents=documents), Source(reference_column, documents=documents)
    splits = dataset if isinstance(dataset, Mapping) else {"": dataset}
    pairs = {}
    for split, part in splits.items():  # complains about a later split before any work is done
        title = f"dataset[{split!r}]" if split else "dataset"
        pairs[split] = _ColumnPairs(part, sides, title, document_column)
        if add_column is not None and add_column in (part.column_names or ()):
            raise ValueError(
                f"{title} already has a column {add_column!r}; choose another name for add_column"
            )
    results = {
        split: score_pieces(metric, pair.pieces(), total=pair.total, **how) for split, pair in pairs.items()
    }
    if add_column is None:
        return results if splits is dataset else results[""]
    scored = {split: _with_values(pairs[split], result, add_column) for split, result in results.items()}
    return (results, rebuild_splits(dataset, scored)) if splits is dataset else (results[""], scored[""])


def _with_values(pairs: _ColumnPairs, result: Result, column: str) -> Any:
    """Return the dataset with a column of the rows' values; a stream is scored again as it is read."""
    from datasets import Features, Value

    dataset = pairs.dataset
    if pairs.total is None:
        scorer = RowScorer(result.metric, *pairs.sides, column=column)
        features = dataset.features
        if features is not None:
            features = Features({**features, column: Value("float64")})
        return dataset.map(scorer, batched=True, with_indices=True, features=features)
    return dataset.add_column(column, _values(result, pairs.total), feature=Value("float64"))


def _values(result: Result, n_rows: int, first: int = 0) -> list[float | None]:
    """Return the headline of each row, numbered from `first`; None for rows that do not count."""
    values: list[float | None] = [None] * n_rows
    for row, value in zip(result.rows, result.values(result.metric.headline), strict=True):
        values[row - first] = value
    return values


class RowScorer:
    """Adds a column with the score of each row: `dataset.map(scorer, batched=True, num_proc=4)`.

    Rows that the metric leaves out get no score.

    >>> from structiou_metric import StructIoU
    >>> scorer = RowScorer(StructIoU(), "parsed", "gold")
    >>> scorer({"parsed": ["(S (A a))", "(S (A a) (B b))"], "gold": ["(S (A a))", "(S (A a) (C b))"]})
    {'struct_iou': [1.0, 0.6666666666666666]}

    Args:
        metric: The metric with its options.
        prediction_column: The column or columns of predicted trees, as in `Metric.score_dataset`.
        reference_column: The column or columns of reference trees, given in the same way.
        column: The name of the new column; by default that of the metric.
        documents: Whether every row of both sides has a list of trees on one axis, as in
            `Metric.score_dataset`.
    """

    def __init__(
        self,
        metric: Metric,
        prediction_column: str | Mapping[str, str] | Source,
        reference_column: str | Mapping[str, str] | Source,
        *,
        column: str = "",
        documents: bool = False,
    ) -> None:
        self._sides = [
            side if isinstance(side, Source) else Source(side, documents=documents)
            for side in (prediction_column, reference_column)
        ]
        self._skips = metric.options.on_error == "skip"
        # A batch may well have no row that counts, which a metric that skips refuses.
        self._metric = metric.with_options(on_error="zero") if self._skips else metric
        self._column = column or metric.name

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> Any:
        """Score a batch; with `indices`, errors name the row of the dataset."""
        first = 0 if indices is None or not len(indices) else int(indices[0])
        title = "batch" if indices is None else "dataset"
        prediction, reference = (side.rows(batch, title, first) for side in self._sides)
        result = score_pieces(self._metric, [(first, prediction, reference)])
        values = _values(result, len(reference), first)
        if self._skips:
            for row, state in zip(result.rows, result.status, strict=True):
                if state == ZEROED:
                    values[row - first] = None
        return with_columns(batch, {self._column: values}, self._features)

    def _features(self) -> Any:
        from datasets import Features, Value

        return Features({self._column: Value("float64")})


class _ColumnPairs:
    """Two columns of a dataset, as pieces for `runner.score_pieces`.

    Args:
        dataset: A `Dataset` or an `IterableDataset`.
        sides: The columns of predictions and of references.
        title: The name of the dataset in errors.
        document_column: The column whose value identifies documents: rows that follow each other with the
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
        """Return the first row, predictions and references of each piece; an iterator for a stream."""
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
        """Yield the pieces of whole documents; the last one of a batch waits for the next batch."""
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
        """Return the documents of both sides in the first of the rows that wait."""
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


def rebuild_splits(dataset: Any, splits: dict[str, Any]) -> Any:
    """Return the splits in the class of another dict of splits."""
    return type(dataset)(splits)


# ---- shapes ----------------------------------------------------------------------------------------


class ColumnConverter:
    """Turns a column of trees into another shape: `dataset.map(converter, batched=True)`.

    Reads every shape that `shapes.as_tree` does. A tree that does not fit the shape is an error that names
    the column and the row, so nothing gets lost on the way. `apply` calls `map` with typed features and with
    row numbers for errors.

    >>> converter = ColumnConverter("tree", to="json")
    >>> converter({"tree": ["(A a)"]})
    {'tree': ['{"label": "A", "word": "a"}']}

    Args:
        source: The column of trees, or columns that hold them together; see `Source`.
        target: Where to put them, by default in place of the source. For `brackets_times` and
            `columns` also the names of several columns by their content.
        to: The shape to be written: `brackets` (with times, if there are any, as `word<start,end>`),
            `brackets_times` (a text and `[start, end]` of each word), `json` (text of a nested tree), `spans`
            (a list of `{"label", "start", "end", "word"}`) or `columns` (`labels`, `starts`, `ends`,
            `parents` and `words`, each a list).
        unit: The unit of the numbers of spans and columns, `word` or `time`. By default those that are
            read say it themselves, as whole numbers are words and others seconds; those that are
            written count words.
        documents: Whether every row has a list of trees, and gets one.
        on_error: `raise`, or write an empty tree (`zero`), which is a failed parse, or a null (`skip`) for a
            tree that cannot be read, or that the shape cannot hold. A document with such a tree is skipped as
            a whole. A null stays a null with every option.
    """

    def __init__(
        self,
        source: str | Mapping[str, str],
        target: str | Mapping[str, str] | None = None,
        *,
        to: str,
        unit: str | None = None,
        documents: bool = False,
        on_error: str = "raise",
    ) -> None:
        check_choice("shape", to, SHAPES)
        check_choice("on_error", on_error, _ON_ERROR)
        if unit not in (None, "word", "time"):
            raise ValueError(f"spans and columns cannot count {unit!r}; choose from word, time")
        self.source = Source(source, documents=documents)
        self.documents = documents
        if target is None:
            if not isinstance(source, str):
                raise ValueError("several columns are read; name the target")
            target = source
        if not isinstance(target, str) and set(target) != set(_PARTS.get(to, ())):
            parts = ", ".join(_PARTS.get(to, ()))
            raise ValueError(
                f"{to} goes into one column; give its name as target"
                + (f", or name a column for each of: {parts}" if parts else "")
            )
        self.target = target if isinstance(target, str) else dict(target)
        self.to = to
        self.unit = unit
        self.on_error = on_error

    @property
    def remove_columns(self) -> list[str]:
        """Return the columns read that are not replaced, for `map` to remove if they are not needed."""
        written = [self.target] if isinstance(self.target, str) else self.target.values()
        return [column for column in self.source.columns if column not in written]

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> Any:
        """Convert a batch; with `indices`, errors name the row of the dataset."""
        values = self.source.values(batch)
        places: Sequence[Any] = range(len(values)) if indices is None else indices
        title = "batch" if indices is None else "dataset"
        written = [
            self._write_row(value, f"{title}{self.source}[{place}]")
            for value, place in zip(values, places, strict=True)
        ]
        if isinstance(self.target, str):
            columns = {self.target: written}
        else:
            columns = {column: [_part(row, part) for row in written] for part, column in self.target.items()}
        return with_columns(batch, columns, self.features)

    def _write_row(self, value: Any, name: str) -> Any:
        """Return the value that is written for a row; None for one without a tree."""
        if _is_null(value):
            return None
        trees = document(value) if self.documents else [value]
        if trees is None:
            what = type(value).__name__
            raise TypeError(f"{name} is one {what}; with documents every row is a list of trees")
        written: list[Any] = []
        for tree in trees:
            try:
                written.append(None if _is_null(tree) else self._write(as_tree(tree, self.unit)))
            except TreeFormatError as error:
                if self.on_error == "skip":
                    return None
                if self.on_error == "raise":
                    raise TreeFormatError(
                        error.message,
                        source=name,
                        line=error.line,
                        column=error.column,
                        window=error.window,
                    ) from None
                written.append(self._write(SegmentTree.from_brackets("()", self.unit)))
        return written if self.documents else written[0]

    def _write(self, tree: SegmentTree) -> Any:
        if self.to == "json":
            return _write_json(tree)
        _check_encodable(tree)
        if self.to == "brackets":
            return tree.to_brackets()
        if self.to == "brackets_times":
            if tree.times is None and tree.words:
                raise TreeFormatError("this tree has no times; write brackets, or add times")
            times = [list(pair) for pair in tree.times or ()]
            return {"brackets": tree.to_brackets(times=False), "times": times}
        unit = self.unit or "word"
        if unit == "word" and tree.times is not None:
            raise TreeFormatError("this tree has times, which would get lost; convert with unit='time'")
        if self.to == "columns":
            return tree.to_columns(unit)
        # A tree without a node is written as `()`, because an empty list of references is no reference.
        return (tree if len(tree) else SegmentTree.from_brackets("()")).to_spans(unit)

    def features(self, features: Mapping[str, Any] | None = None, remove_columns: Sequence[str] = ()) -> Any:
        """Return the `datasets.Features` after conversion of a dataset with `features`.

        Without `features`, those of the new columns alone.
        """
        from datasets import Features, List

        kept = {name: feature for name, feature in (features or {}).items() if name not in remove_columns}
        feature = _feature(self.to, self.unit)
        columns = (
            {self.target: feature}
            if isinstance(self.target, str)
            else {column: feature[part] for part, column in self.target.items()}
        )
        if self.documents:
            columns = {column: List(kind) for column, kind in columns.items()}
        return Features({**kept, **columns})

    def apply(self, dataset: Any, **options: Any) -> Any:
        """Convert a `Dataset`, an `IterableDataset`, or all splits of a dict of them.

        Args:
            dataset: The dataset to convert.
            options: Arguments for `map`, such as `num_proc` and `remove_columns`.
        """
        if isinstance(dataset, Mapping):
            return rebuild_splits(
                dataset, {split: self.apply(part, **options) for split, part in dataset.items()}
            )
        if dataset.column_names is not None:
            self.source.check(dataset.column_names, "the dataset")
        if dataset.features is not None and "features" not in options:
            removed = options.get("remove_columns") or ()
            removed = [removed] if isinstance(removed, str) else removed
            options["features"] = self.features(dataset.features, removed)
        given = getattr(dataset, "format", {"type": None})
        if given["type"] in (None, "custom"):
            return dataset.map(self, batched=True, with_indices=True, **options)
        # With a format set, a column might be read as another type, such as whole numbers of another size.
        plain = dataset.with_format(None).map(self, batched=True, with_indices=True, **options)
        return plain.with_format(given["type"], **given["format_kwargs"])


def _is_null(value: Any) -> bool:
    """Return whether there is no tree: the column, or each of several columns, has none."""
    parts = list(value.values()) if isinstance(value, dict) else [value]
    return bool(parts) and all(missing_name(part) for part in parts)


def _part(row: Any, part: str) -> Any:
    """Return one part of a tree, or of each tree of a document; None where there is none."""
    if isinstance(row, list):
        return [_part(tree, part) for tree in row]
    return None if row is None else row[part]


def _check_encodable(tree: SegmentTree) -> None:
    """Raise an error with the name of the row for texts that Arrow cannot store."""
    for text in (*tree.labels, *tree.words):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise TreeFormatError(f"{text!r} has a lone surrogate, which only json can hold") from None


def _write_json(tree: SegmentTree) -> str:
    nested = tree.to_dict()
    try:
        text = json.dumps(nested, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(nested)
    except RecursionError:
        raise TreeFormatError("the tree is too deep for JSON; write columns or brackets instead") from None
    return text


def _feature(shape: str, unit: str | None) -> Any:
    """Return the type of a column that holds trees in that shape."""
    from datasets import List, Value

    text, whole, real = Value("string"), Value("int64"), Value("float64")
    number = real if unit == "time" else whole
    if shape == "brackets_times":
        return {"brackets": text, "times": List(List(real))}
    if shape == "spans":
        return List({"label": text, "start": number, "end": number, "word": text})
    if shape == "columns":
        kinds = {"labels": text, "starts": number, "ends": number, "parents": whole, "words": text}
        return {name: List(kind) for name, kind in kinds.items()}
    return text
