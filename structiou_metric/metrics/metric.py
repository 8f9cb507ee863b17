"""`Metric`: the base class of every metric.

A metric is a folder (or a file) with a subclass of `Metric` and a line in `METRICS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .._version import __version__
from ..sources.documents import take_sides
from .base import Counter, Measure, Option, Options
from .results import Result, describe_left_out
from .runner import score_pieces

if TYPE_CHECKING:
    from ..sources.rows import Rows

__all__ = ["ON_ERROR", "Metric"]

# An option of every metric.
ON_ERROR = Option(
    "raise",
    "a pair that cannot be read or compared ends the run, counts as 0, or is left out",
    choices=("raise", "zero", "skip"),
    corpus=True,
)


class Metric:
    """A metric with fixed options.

    A subclass has the attributes below and `counter`; it may refine `pair`, `undefined`, `refuses`,
    `for_ranking` and `signature`.

    >>> from structiou_metric import StructIoU
    >>> result = StructIoU().corpus_score(["(S (A a) (B b))"], ["(S (A a) (C b))"])
    >>> round(result.figures["struct_iou"], 4)
    0.6667

    Attributes:
        name: The key of the metric in `METRICS`.
        title: The name of the metric for people.
        OPTIONS: The options by name; `on_error` is one of every metric.
        MEASURES: The figures by key, the headline first.
        LABEL: The named tuple of the sums by label, with `n_pred`, `n_ref` and a `score`; None if
            nothing is.
        RESULT: The class of the metric's results.
        SIGNATURE: The first word of the metric's signatures, if that is not its name.
        HANDLES_WORDS: Whether the metric refuses, aligns or counts words that differ, so that they need no
            warning.
        symmetric: Whether the headline is the same, to the last bit, when prediction and reference change
            places.
        pairs_itself: Whether `pair` says which rows are compared, so that there may be more on one side.
        reads_as_evalb: Whether several trees in a bracket text are one row, and `(X )` is a word without
            letters.
        unit: The unit of the words' places when trees are read; None if the metric does not look at them.
        options: The values of the options.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    OPTIONS: ClassVar[Mapping[str, Option]] = {"on_error": ON_ERROR}
    MEASURES: ClassVar[Mapping[str, Measure]]
    LABEL: ClassVar[Any] = None
    RESULT: ClassVar[Any] = Result
    SIGNATURE: ClassVar[str] = ""
    HANDLES_WORDS: ClassVar[bool] = False
    symmetric: ClassVar[bool] = False
    pairs_itself: ClassVar[bool] = False
    reads_as_evalb: bool = False
    unit: str | None = None

    def __init__(self, **options: Any) -> None:
        self.check_names(options)
        values = {name: options.get(name, option.default) for name, option in self.OPTIONS.items()}
        self.options = Options({name: self.OPTIONS[name].checked(name, values[name]) for name in values})
        self.unit = values.get("unit", self.unit)

    @classmethod
    def check_names(cls, names: Iterable[str]) -> None:
        """Refuse names that no option of the metric has."""
        for name in names:
            if name not in cls.OPTIONS:
                raise TypeError(
                    f"unknown option {name!r} of {cls.name}; choose from {', '.join(cls.OPTIONS)}"
                )

    def counter(self) -> Counter:
        """Return a new counter; every thread has one of its own."""
        raise NotImplementedError

    @property
    def headline(self) -> str:
        """Return the key of the metric's main figure."""
        return next(iter(self.MEASURES))

    @property
    def signature(self) -> str:
        """Return every option and the version, in a line to be quoted beside a figure."""
        return sign(self.SIGNATURE or self.name, self.options.as_dict())

    def pair(self, predictions: Rows, references: Rows, first: int) -> tuple[Rows, Rows]:
        """Return the rows that are compared; only a metric that `pairs_itself` is asked.

        A metric that can compare sides of unequal length pairs the rows here.

        Args:
            predictions: All rows of a side, or of a piece of it.
            references: All rows of the other side, or of the same piece of it, perhaps more or fewer.
            first: The number of the first row of both, and of the rows that are returned.

        Returns:
            As many rows of both sides.
        """
        raise NotImplementedError

    def undefined(self, unit: str) -> str:
        """Return why the metric has no meaning for trees over that unit; an empty text if it has one."""
        return ""

    def refuses(self, result: Any, unit: str) -> str:
        """Return why a system's result means nothing; an empty text if it means something."""
        return "" if result.n_counted else f"no sentence is valid; {describe_left_out(result)}"

    def for_ranking(self) -> Self:
        """Return the metric as systems are ranked by it: no row is left out, because that would pay.

        A metric that leaves rows out refines this, by options under which they count as failed.

        Raises:
            ValueError: Its other options forbid that.
        """
        return self

    def corpus_score(
        self,
        predictions: Iterable[Any] | Rows,
        references: Iterable[Any] | Rows,
        *,
        documents: bool = False,
        by_label: bool = False,
        workers: int | str = 1,
        progress: bool = False,
        strict: bool = False,
    ) -> Any:
        """Score two lists of trees, or of documents, pair by pair.

        Args:
            predictions: Trees, each bracket text, an `nltk.Tree`, a `SegmentTree` or another shape that
                `shapes.as_tree` takes; or rows of trees such as a `files.TreeFile`.
            references: As many trees as predictions.
            documents: Whether every row of either side is a list of trees on one axis; their sentences need
                not be the same.
            by_label: Whether to count labels on the way; if not, they are counted when asked for.
            workers: Threads, or `auto`: as many as there are processors where there is enough to do.
            progress: Whether a terminal shows a progress bar when this takes long.
            strict: Whether a warning of `Result.warnings` is a `StrictError`.
        """
        preds, refs = take_sides(predictions, references, documents)
        return score_pieces(
            self,
            [(0, preds, refs)],
            total=len(preds),
            by_label=by_label,
            workers=workers,
            progress=progress,
            strict=strict,
        )

    def score_dataset(
        self,
        dataset: Any,
        prediction_column: str | Mapping[str, str],
        reference_column: str | Mapping[str, str],
        *,
        documents: bool = False,
        document_column: str | None = None,
        add_column: str | None = None,
        by_label: bool = False,
        workers: int | str = 1,
        progress: bool = False,
        strict: bool = False,
    ) -> Any:
        """Score two columns of a `datasets.Dataset`, of an `IterableDataset`, or of all splits of a dict.

        Args:
            dataset: The dataset, as it was selected, filtered and shuffled; it is read in bulk and never held
                as a whole.
            prediction_column: The column of predicted trees, in any shape that `shapes.as_tree` takes;
                or the columns that hold them together, such as `{"brackets": "tree", "times": "times"}`.
            reference_column: The column or columns of reference trees, given in the same way.
            documents: Whether every row of both sides has a list of trees on one axis, as in `corpus_score`.
            document_column: A column that identifies documents: rows that follow each other with the same
                value there are one.
            add_column: The name of a column with the score of each row, to be added to the dataset.
            by_label: Whether to count labels on the way. `Result.by_label` needs that of a stream,
                and reads a `Dataset` once more without.
            workers: Threads, or `auto`: as many as there are processors where there is enough to do.
            progress: Whether a terminal shows a progress bar when this takes long.
            strict: Whether a warning of `Result.warnings` is a `StrictError`.

        Returns:
            A `Result`, or a dict of them by split. With `add_column`, a pair of that and the
            dataset with the new column, in which skipped rows have None.
        """
        from ..hf_datasets import score_dataset  # which takes results of metrics

        return score_dataset(
            self,
            dataset,
            prediction_column,
            reference_column,
            documents=documents,
            document_column=document_column,
            add_column=add_column,
            by_label=by_label,
            workers=workers,
            progress=progress,
            strict=strict,
        )

    def with_options(self, **changes: Any) -> Self:
        """Return the same metric with other values for some options."""
        self.check_names(changes)
        return type(self)(**{**self.options.as_dict(), **changes})

    def __repr__(self) -> str:
        return repr(self.options).replace("Options", type(self).__name__, 1)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.options == other.options

    def __hash__(self) -> int:
        return hash((type(self), self.options))


def sign(name: str, values: Mapping[str, Any]) -> str:
    """Return a signature: a name, every value and the version.

    >>> sign("toy", {"drop": ("TOP", ""), "unit": "word"})  # doctest: +ELLIPSIS
    'toy|drop:TOP,""|unit:word|version:...'
    """
    parts = [name]
    for key, value in values.items():
        if isinstance(value, tuple):
            value = ",".join(map(_quoted, value)) or "none"
        parts.append(f"{key}:{value}")
    return "|".join([*parts, f"version:{__version__}"])


def _quoted(value: object) -> str:
    """Return a label, in quotes where it would be ambiguous; both of a pair, with `=` between."""
    if isinstance(value, tuple):
        return "=".join(map(_quoted, value))
    label = str(value)
    if label in ("", "none") or any(character in ',|="' or character.isspace() for character in label):
        return '"' + label.replace('"', '""') + '"'
    return label
