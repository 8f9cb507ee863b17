"""The seam: what a metric is to all that runs it, resamples it, ranks by it and prints it.

A metric is a folder (or a file) with a subclass of `metric.Metric` and a line in `METRICS`. It names its
options, counts each pair of trees into columns of numbers, and says by `MEASURES` which figures are made of
the columns' sums. Nothing else computes a figure, so no two doors can disagree about one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from ..sources.rows import Problems, Rows
    from .batch import Batch, RowMarks

    Labels = dict[str, tuple[Any, ...]]  # sums by label, as `BaseMetric.LABEL` names them

__all__ = ["Counter", "Counts", "Measure", "Option", "Options", "ratio"]

# What became of a row. The first four have the numbers that EVALB prints.

VALID = 0  # Compared, and part of all figures.
ERROR = 1  # Cannot be compared, and is part of no figure.
SKIPPED = 2  # Left out.
EMPTY = 3  # A failed parse that counts.
ZEROED = 4  # Cannot be compared, and counts as 0.
# The name of each of these numbers.
STATUSES = ("valid", "error", "skipped", "empty", "zeroed")
COUNTED = frozenset((VALID, EMPTY, ZEROED))
_LEFT_OUT = (ERROR, SKIPPED)

_NUMBERS = (int, float)


def ratio(part: Any, whole: Any, empty: Any) -> Any:
    """`part / whole`, and `empty` where there is no whole; of numbers, and of numpy's arrays of them.

    >>> ratio(1.0, 4, 0.0), ratio(0.0, 0, True)
    (0.25, 1.0)

    Args:
        part: The part, a number or an array.
        whole: The whole, a number or an array.
        empty: The value where the whole is 0.
    """
    if whole.__class__ in _NUMBERS:
        return part / whole if whole else float(empty)
    from numpy import where

    return where(whole > 0, part / where(whole > 0, whole, 1.0), empty)


class Option:
    """An option of a metric: all that a command line, a form, a config and the documentation need of it.

    >>> labels = Option("exact", "which labels are the same", choices=("exact", "ignore"))
    >>> labels.checked("labels", "ignore")
    'ignore'

    Attributes:
        default: The value of the option where none is given.
        help: What the option means, in a line.
        choices: The values that the option may have, if they are few, the default first.
        kind: What the value is where there are no choices: `number`, `labels` (a list of texts), `flag` or
            `file` (a path, or an object).
        check: Gives the value in its final form, or raises a ValueError that says what is wrong.
        corpus: Whether the option only matters where many pairs are scored.
    """

    def __init__(
        self,
        default: Any,
        help: str,
        choices: tuple[str, ...] = (),
        kind: str = "choice",
        check: Callable[[Any], Any] | None = None,
        corpus: bool = False,
    ) -> None:
        self.default = default
        self.help = help
        self.choices = choices
        self.kind = kind
        self.check = check
        self.corpus = corpus

    def checked(self, name: str, value: Any) -> Any:
        """The value in its final form; a ValueError if the option cannot have it."""
        if self.choices and value not in self.choices:
            from ..wording import check_choice

            check_choice(name, value, self.choices)
        return value if self.check is None else self.check(value)


class Measure:
    """A figure: its name for people, and how it is computed from columns.

    >>> recall = Measure("recall", lambda a, b: ratio(a, b, 1.0), ("same", "gold"), short="recall")
    >>> recall.values({"same": [1, 3], "gold": [2, 3]}, status=[VALID, VALID])
    [0.5, 1.0]

    Args:
        title: The name of the figure beside the metric's, such as `corpus level`.
        formula: A function of the columns' sums, in the order of `columns`; it takes numbers, and arrays of
            them.
        columns: The names of the columns that the formula needs.
        short: The name of the figure where the metric is known.
        line: What the figure is called in a table of the metric's figures, if not by the titles of both.
        row: The name of the figure in a row of figures for one sentence, `short` by default; empty if it has
            none there.
        mean: Whether the figure is the mean of the formula over rows, not the formula of sums.
        compared: Whether systems are compared by it.
        lowest: The least value that the figure can have.
        highest: The greatest value that the figure can have; None for no limit.
        higher_is_better: Whether a greater value is better.
    """

    def __init__(
        self,
        title: str,
        formula: Callable[..., Any],
        columns: tuple[str, ...],
        *,
        short: str,
        line: str = "",
        row: str | None = None,
        mean: bool = False,
        compared: bool = True,
        lowest: float = 0.0,
        highest: float | None = 1.0,
        higher_is_better: bool = True,
    ) -> None:
        self.title = title
        self.formula = formula
        self.columns = columns
        self.short = short
        self.line = line
        self.row = short if row is None else row
        self.mean = mean
        self.compared = compared
        self.lowest = lowest
        self.highest = highest
        self.higher_is_better = higher_is_better

    @property
    def limits(self) -> tuple[float, float | None]:
        """The least value that the figure can have, and the greatest."""
        return self.lowest, self.highest

    @property
    def _worst(self) -> float | None:
        """The value of a row that counts as 0; None if there is no limit."""
        return self.lowest if self.higher_is_better else self.highest

    def values(self, columns: Mapping[str, Sequence[float]], status: Sequence[int]) -> list[float | None]:
        """The formula of each row; 0 for rows that count as 0, and None for those that do not count."""
        values: list[float | None] = list(map(self.formula, *(columns[name] for name in self.columns)))
        states = bytes(status)
        for state, value in ((ZEROED, self._worst), *((state, None) for state in _LEFT_OUT)):
            at = states.find(state)
            while at >= 0:
                values[at] = value
                at = states.find(state, at + 1)
        return values

    def counted_values(self, columns: Mapping[str, Sequence[float]], status: Sequence[int]) -> list[float]:
        """The formula of each row that counts."""
        values: list[Any] = self.values(columns, status)
        valueless = _LEFT_OUT if self._worst is not None else (*_LEFT_OUT, ZEROED)
        if not any(state in status for state in valueless):
            return values
        return [value for value in values if value is not None]


class Counts:
    """What a `Counter` makes of a batch.

    >>> from array import array
    >>> columns, status = {"same": array("d", [1.0, 0.0])}, bytearray([VALID, ERROR])
    >>> counts = Counts(columns, status, problems={1: ValueError("no tree")})
    >>> counts.told()
    [(1, 'no tree', True)]

    Attributes:
        columns: A number for each row, by the name of the column; zeros where a row does not count.
        status: A number of `STATUSES` for each row.
        problems: The rows that cannot be read or compared, with their errors: what `on_error` is about.
        remarks: The row and the message of what is no problem but must be told, and whether it tells of an
            error.
        labels: Sums by label, if they were asked for.
        rows: The number of each row in the input, where they are not simply those of the batch.
        labels_by_group: The sums by label of the rows of each group, if they were asked for.
        extra: What else the metric's own result takes from a batch.
        warnings: What is suspicious about the rows; filled by the runner, for all metrics alike.
    """

    def __init__(
        self,
        columns: Mapping[str, array[Any]],
        status: bytearray,
        problems: Problems,
        remarks: Sequence[tuple[int, str, bool]] = (),
        labels: Labels | None = None,
        rows: Sequence[int] | None = None,
        extra: Any = None,
        warnings: RowMarks | None = None,
    ) -> None:
        self.columns = columns
        self.status = status
        self.problems = problems
        self.remarks = remarks
        self.labels = labels
        self.labels_by_group: dict[str, Labels] = {}
        self.rows = rows
        self.extra = extra
        self.warnings = warnings

    def told(self) -> list[tuple[int, str, bool]]:
        """The problems and the remarks, all of them as remarks, in the order of rows."""
        problems = [(row, str(error), True) for row, error in self.problems.items()]
        return sorted([*problems, *self.remarks])


class Counter:
    """Counts batches of pairs under fixed options; two threads must not use it at once.

    >>> from array import array
    >>> class Trees(Counter):
    ...     def count(self, batch, by_label=False, left_out=()):
    ...         return Counts({"trees": array("d", [2.0] * len(batch))}, bytearray(len(batch)), {})
    """

    def count(self, batch: Batch, by_label: bool = False, left_out: Collection[int] = ()) -> Counts:
        """The columns of all pairs of a batch, with what became of each.

        Args:
            batch: The pairs of trees.
            by_label: Whether to sum up by label, too.
            left_out: Rows that the sums by label leave out, besides those that do not count.
        """
        raise NotImplementedError

    def count_labels(self, batch: Batch, counts: Counts, rows: Collection[int]) -> Labels:
        """The sums by label of some rows of the batch that was counted last; `counts` is what came of it."""
        others = [row for row in range(batch.first, batch.first + len(batch)) if row not in rows]
        return self.count(batch, True, others).labels or {}

    def check(self, batch: Batch) -> Problems:
        """The errors that keep rows from being compared; costly metrics find them without comparing any."""
        return self.count(batch).problems


class Options:
    """The values of a metric's options, as attributes; they never change.

    >>> from structiou_metric import StructIoU
    >>> StructIoU(labels="base").options.labels
    'base'
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        vars(self).update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no option {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("options never change; make another metric by with_options(…)")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self)))

    def __repr__(self) -> str:
        return f"Options({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def as_dict(self) -> dict[str, Any]:
        """The values by the names of the options, in the order of the metric's table."""
        return dict(vars(self))


class BaseMetric:
    """What is known of a metric with fixed options; `metric.Metric` adds how it is run.

    A subclass has the attributes below and `counter`; it may refine `pair`, `undefined`, `refuses`,
    `for_ranking` and `signature`.

    Attributes:
        name: The key of the metric in `METRICS`.
        title: The name of the metric for people.
        OPTIONS: The options by name; `on_error` is one of every metric.
        MEASURES: The figures by key, the headline first.
        LABEL: The named tuple of what is summed up by label, with `n_pred`, `n_ref` and a `score`; None if
            nothing is.
        RESULT: The class of what the metric finds.
        SIGNATURE: The first word of the metric's signatures, if that is not its name.
        HANDLES_WORDS: Whether the metric refuses, aligns or counts words that differ, so that they need no
            warning.
        options: The values of the options.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    OPTIONS: ClassVar[Mapping[str, Option]]
    MEASURES: ClassVar[Mapping[str, Measure]]
    LABEL: ClassVar[Any] = None
    RESULT: ClassVar[Any]
    SIGNATURE: ClassVar[str] = ""
    HANDLES_WORDS: ClassVar[bool] = False

    def __init__(self, **options: Any) -> None:
        self.check_names(options)
        values = {name: options.get(name, option.default) for name, option in self.OPTIONS.items()}
        self.options = Options({name: self.OPTIONS[name].checked(name, values[name]) for name in values})

    @classmethod
    def check_names(cls, names: Iterable[str]) -> None:
        """Refuse names that no option of the metric has."""
        for name in names:
            if name not in cls.OPTIONS:
                raise TypeError(
                    f"unknown option {name!r} of {cls.name}; choose from {', '.join(cls.OPTIONS)}"
                )

    def counter(self) -> Counter:
        """A new counter; every thread has one of its own."""
        raise NotImplementedError

    @property
    def unit(self) -> str | None:
        """What the words' places count when trees are read; None if the metric does not look at them."""
        unit: str | None = self.options.as_dict().get("unit")
        return unit

    @property
    def reads_as_evalb(self) -> bool:
        """Whether several trees in a bracket text are one row, and `(X )` is a word without letters."""
        return False

    @property
    def pairs_itself(self) -> bool:
        """Whether `pair` says which rows are compared, so that there may be more on one side."""
        return type(self).pair is not BaseMetric.pair

    @property
    def symmetric(self) -> bool:
        """Whether the headline is the same, to the last bit, when prediction and reference change places."""
        return False

    @property
    def headline(self) -> str:
        """The key of the figure that stands for the metric."""
        return next(iter(self.MEASURES))

    @property
    def signature(self) -> str:
        """Every option and the version, in a line to be quoted beside a figure."""
        return sign(self.SIGNATURE or self.name, self.options.as_dict())

    def pair(self, predictions: Rows, references: Rows, first: int) -> tuple[Rows, Rows] | None:
        """The rows that are compared, where these are not simply those with the same number.

        A metric that can compare sides of unequal length says here what belongs together.

        Args:
            predictions: All rows of a side, or of a piece of it.
            references: All rows of the other side, or of the same piece of it, perhaps more or fewer.
            first: The number of the first row of both, and of the rows that are returned.

        Returns:
            As many rows of both sides; None if rows with the same number are compared.
        """
        return None

    def undefined(self, unit: str) -> str:
        """Why the metric has no meaning for trees over that unit; an empty text if it has one."""
        return ""

    def refuses(self, result: Any, unit: str) -> str:
        """Why what the metric found for a system means nothing; an empty text if it means something."""
        return "" if result.n_counted else f"no sentence is valid; {result.describe_left_out()}"

    def for_ranking(self) -> Self:
        """The same metric as systems are ranked by it: no row is left out, for else leaving out would pay.

        A metric that leaves rows out refines this, by options under which they count as failed.

        Raises:
            ValueError: Its other options forbid that.
        """
        return self

    def with_options(self, **changes: Any) -> Self:
        """The same metric with other values for some options."""
        self.check_names(changes)
        return type(self)(**{**self.options.as_dict(), **changes})

    def __repr__(self) -> str:
        return repr(self.options).replace("Options", type(self).__name__, 1)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.options == other.options

    def __hash__(self) -> int:
        return hash((type(self), self.options))


def sign(name: str, values: Mapping[str, Any]) -> str:
    """A signature: a name, every value and the version.

    >>> sign("toy", {"drop": ("TOP", ""), "unit": "word"})  # doctest: +ELLIPSIS
    'toy|drop:TOP,""|unit:word|version:...'
    """
    from .._version import __version__

    parts = [name]
    for key, value in values.items():
        if isinstance(value, tuple):
            value = ",".join(map(_quoted, value)) or "none"
        parts.append(f"{key}:{value}")
    return "|".join([*parts, f"version:{__version__}"])


def _quoted(value: object) -> str:
    """A label, in quotes where it would be mistaken for something else; both of a pair, with `=` between."""
    if isinstance(value, tuple):
        return "=".join(map(_quoted, value))
    label = str(value)
    if label in ("", "none") or any(character in ',|="' or character.isspace() for character in label):
        return '"' + label.replace('"', '""') + '"'
    return label
