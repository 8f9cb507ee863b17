"""Several references for a prediction: the one that the prediction is most like counts.

The best has the best headline figure in its row; of equals, it is the first. Unless `on_error` is `raise`,
references that cannot be compared are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from ..errors import TreeFormatError
from ..sources.arrow import ArrowRows
from ..sources.rows import ListRows, several
from .base import EMPTY, VALID

if TYPE_CHECKING:
    from ..sources.rows import Rows
    from .results import Result

_EMPTY = "an empty list of references; give at least one tree, '()' if it is empty"


def opened(references: Rows, first: int = 0) -> Rows:
    """Return the references without lists around single ones; an empty list is an error where it is read.

    Rows with several references stay as they are, and are refused where they are read.
    """
    lists = several(references)
    if not lists:
        return references
    given = _values_of(references, first)
    values = [_only(lists[row]) if row in lists else value for row, value in enumerate(given, first)]
    return ListRows(values, references.title, names=references.name, first=first)


def _only(trees: list[Any]) -> Any:
    """Return the only tree of a list, the list if it has several, or an error if it has none."""
    if not trees:
        return TreeFormatError(_EMPTY)
    return trees[0] if len(trees) == 1 else trees


class Choice:
    """Every prediction beside each of its references.

    Args:
        predictions: The predicted trees.
        references: As many rows as predictions, each a tree or a list of them.
        first: The number of the first row.

    Attributes:
        predictions: The predicted trees, each as often as it has references.
        references: The reference of each of these.
    """

    def __init__(self, predictions: Rows, references: Rows, first: int) -> None:
        self._first = first
        self._source = references
        self._trees: list[list[Any]] = []
        self._listed = bytearray()  # whether a row has a list
        lists = several(references)
        for row, value in enumerate(_values_of(references, first), first):
            trees = lists.get(row)
            self._listed.append(bool(trees))
            self._trees.append([value] if trees is None else trees or [TreeFormatError(_EMPTY)])
        self._pairs = [(row, at) for row, trees in enumerate(self._trees) for at in range(len(trees))]
        self._used: list[int] = []
        values = _values_of(predictions, first)
        self.predictions = ListRows(
            [values[row] for row, _ in self._pairs],
            predictions.title,
            names=lambda pair: predictions.name(first + self._pairs[pair][0]),
        )
        self.references = ListRows(
            [self._trees[row][at] for row, at in self._pairs],
            references.title,
            names=lambda pair: self._name(*self._pairs[pair]),
        )

    def _name(self, row: int, at: int) -> str:
        name = self._source.name(self._first + row)
        return f"{name}[{at}]" if self._listed[row] else name

    def find_best(self, found: Result) -> Result:
        """Return the result for the best reference of each row, from the result for every pair."""
        headline = found.metric.headline
        sign = 1.0 if found.metric.MEASURES[headline].higher_is_better else -1.0
        best: dict[int, tuple[float, int]] = {}
        for pair, value, state in zip(found.rows, found.values(headline), found.status, strict=True):
            row, at = self._pairs[pair]
            merit = sign * value if value is not None and state in (VALID, EMPTY) else -inf
            if row not in best or merit > best[row][0]:
                best[row] = merit, at
        self._used = [at for _, at in best.values()]
        pairs = [self._pairs[pair] for pair in found.rows]
        places = [place for place, (row, at) in enumerate(pairs) if self._used[row] == at]
        result = found._cut_out(places, [self._first + pairs[place][0] for place in places])
        result.used = {
            self._first + row: at for row, at in enumerate(self._used) if len(self._trees[row]) > 1
        }
        return result

    def chosen(self) -> Rows:
        """Return the references that count, once the best were found."""
        return ListRows(
            [trees[at] for trees, at in zip(self._trees, self._used, strict=True)],
            self._source.title,
            names=lambda row: self._name(row - self._first, self._used[row - self._first]),
            first=self._first,
        )


def _values_of(rows: Rows, first: int) -> Sequence[Any]:
    """Return the trees of rows in any shape that `as_tree` takes."""
    if type(rows) in (ListRows, ArrowRows):
        return rows.given(first, first + len(rows))  # type: ignore[attr-defined, no-any-return]
    values: list[Any] = []
    for row in range(first, first + len(rows)):
        try:
            values.append(rows.tree(row, None))
        except TreeFormatError as error:
            values.append(error)
    return values
