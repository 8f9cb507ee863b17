"""The building blocks of a metric: options, batches of trees, counts, and measures.

A `Counter` turns each `Batch` of pairs into `Counts`, columns of numbers with a status for each row. A
`Measure` says how a figure is made of the columns' sums. Nothing else computes a figure, so all integrations
agree about each.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.row_checks import SHIFTED
from ..wording import check_choice

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from ..sources.rows import Problems, Rows

    Labels = dict[str, tuple[int, ...]]  # exact sums by label, as `Metric.LABEL` names them

__all__ = ["Batch", "Counter", "Counts", "Measure", "Option", "Options", "ratio"]

Edge = tuple[int, int]  # sketches of the words of both sides of a row

# The statuses of a row. The first four have the numbers that EVALB prints.

VALID = 0  # Compared, and part of all figures.
ERROR = 1  # Cannot be compared, and is part of no figure.
SKIPPED = 2  # Left out.
EMPTY = 3  # A failed parse that counts.
ZEROED = 4  # Cannot be compared, and counts as 0.
# The name of each of these numbers.
STATUSES = ("valid", "error", "skipped", "empty", "zeroed")
COUNTED = frozenset((VALID, EMPTY, ZEROED))

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
        help: The meaning of the option, in a line.
        choices: The values that the option may have, if they are few, the default first.
        kind: The kind of value where there are no choices: `number`, `labels` (a list of texts), `flag` or
            `file` (a path, or an object).
        check: Returns the value in its final form, or raises a ValueError with the reason.
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
        """Return the value in its final form; raise a ValueError if the option cannot have it."""
        if value is self.default and self.kind != "file":  # `check` reads files, also that of the default
            return value
        if self.choices:
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
        line: The name of the figure in a table of the metric's figures, if not the titles of both.
        row: The name of the figure in a row of figures for one sentence, `short` by default; empty if it has
            none there.
        mean: Whether the figure is the mean of the formula over rows, not the formula of sums.
        compared: Whether systems are compared by it.
        optional: Whether tables leave the figure out if all its columns are 0, so that it is about nothing.
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
        optional: bool = False,
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
        self.optional = optional
        self.lowest = lowest
        self.highest = highest
        self.higher_is_better = higher_is_better

    @property
    def limits(self) -> tuple[float, float | None]:
        """Return the least value that the figure can have, and the greatest."""
        return self.lowest, self.highest

    def values(self, columns: Mapping[str, Sequence[float]], status: Sequence[int]) -> list[float | None]:
        """Return the formula of each row: the worst value if it is scored as zero, None if it does not count.

        A row scored as zero has None, too, where there is no worst value.
        """
        values: list[float | None] = list(map(self.formula, *(columns[name] for name in self.columns)))
        worst = self.lowest if self.higher_is_better else self.highest
        states = bytes(status)
        for state in (ZEROED, ERROR, SKIPPED):
            at = states.find(state)
            while at >= 0:
                values[at] = worst if state == ZEROED else None
                at = states.find(state, at + 1)
        return values


class Batch:
    """Pairs of trees that were read, to be counted by any number of metrics.

    >>> from structiou_metric.metrics import load_metric
    >>> from structiou_metric.metrics.runner import read_pair
    >>> from structiou_metric.sources.rows import as_rows
    >>> sides = as_rows(["(S (A a))"], "predictions"), as_rows(["(S (B b))"], "references")
    >>> batch = read_pair(load_metric("struct_iou"), *sides)
    >>> len(batch), batch.names(0)
    (1, ('predictions[0]', 'references[0]'))

    Attributes:
        predictions: The predicted trees; those that cannot be read are empty.
        references: The same number of reference trees.
        labels: The text of each label id; the list grows with each batch.
        first: The number of the first row.
        problems: The rows that cannot be read, with their errors.
        sides: The rows that the predicted trees and the reference trees were read from.
    """

    def __init__(
        self,
        predictions: FlatTrees,
        references: FlatTrees,
        labels: Sequence[str],
        first: int,
        problems: Problems,
        sides: tuple[Rows, Rows],
    ) -> None:
        self.predictions = predictions
        self.references = references
        self.labels = labels
        self.first = first
        self.problems = problems
        self.sides = sides

    def __len__(self) -> int:
        n_trees: int = self.predictions.n_trees
        return n_trees

    def names(self, t: int) -> tuple[str, str]:
        """Return the names of both trees of pair `t` for errors."""
        row = self.first + t
        return self.sides[0].name(row), self.sides[1].name(row)


class RowMarks(NamedTuple):
    """The bits of suspicious rows of a batch.

    Attributes:
        bits: A number for each row, of the bits of `_core.row_checks`.
        first: The sketches of the first row's words, if they differ, to be compared with the row before.
        last: The sketches of the last row's words, if they differ, to be compared with the row after.
    """

    bits: array[int]
    first: Edge | None = None
    last: Edge | None = None

    def of_kinds(self, kinds: int) -> RowMarks:
        """Return the bits of these kinds alone; `kinds` has their bits."""
        bits = self.bits
        if bits.tobytes().strip(b"\0"):
            bits = array("H", [found & kinds for found in bits])
        return self._replace(bits=bits) if kinds & SHIFTED else RowMarks(bits)


class Counts:
    """The counts of a `Counter` for a batch.

    >>> from array import array
    >>> columns, status = {"same": array("d", [1.0, 0.0])}, bytearray([VALID, ERROR])
    >>> counts = Counts(columns, status, problems={1: ValueError("no tree")})
    >>> counts.messages()
    [(1, 'no tree', True)]

    Attributes:
        columns: A number for each row, by the name of the column; zeros where a row does not count.
        status: A number of `STATUSES` for each row.
        problems: The rows that cannot be read or compared, with their errors: those that `on_error` is for.
        remarks: The row and the message of each remark that is no problem, and whether it is about an
            error.
        labels: Sums by label, if they were asked for.
        rows: The number of each row in the input, where they are not simply those of the batch.
        labels_by_group: The sums by label of the rows of each group, if they were asked for.
        extra: Further values for the metric's own result.
        warnings: The bits of suspicious rows; filled by the runner, for all metrics alike.
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
        self.labels_by_group: dict[str | None, Labels] = {}
        self.rows = rows
        self.extra = extra
        self.warnings = warnings

    def messages(self) -> list[tuple[int, str, bool]]:
        """Return the problems and the remarks, all of them as remarks, in the order of rows."""
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
        """Return the columns of all pairs of a batch, with the status of each.

        Args:
            batch: The pairs of trees.
            by_label: Whether to sum up by label, too.
            left_out: Rows that the sums by label leave out, besides those that do not count.
        """
        raise NotImplementedError

    def count_labels(self, batch: Batch, counts: Counts, groups: Sequence[Sequence[int]]) -> list[Labels]:
        """Return the sums by label of each group of pairs; only metrics with a `LABEL` are asked for them.

        Args:
            batch: The batch that was counted last, by label.
            counts: Its counts.
            groups: The places of each group's pairs in the batch.
        """
        raise NotImplementedError

    def check(self, batch: Batch) -> Problems:
        """Return the errors that keep rows from being compared, if possible without comparing any."""
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
        """Return the values by the names of the options, in the order of the metric's table."""
        return dict(vars(self))
