"""Results of parts made one, and parts of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from .base import ERROR, Counts
from .sums import add_labels
from .warnings import RowMarks

if TYPE_CHECKING:
    from .base import Labels

    _Found = TypeVar("_Found", bound=Any)  # a result


def join_results(kind: type[_Found], parts: Sequence[_Found]) -> _Found:
    """The result, of that class, over all rows of several, in order; rows are numbered on."""
    if not parts:
        raise ValueError("there are no results to join")
    whole: _Found = kind(parts[0].metric)
    for part in parts:
        whole.append(part, shift=max(whole.rows, default=-1) + 1)

    def recount() -> Labels:
        labels: Labels = {}
        for part in parts:
            add_labels(labels, part.label_sums())
        return labels

    whole.finish(recount)
    return whole


def append_result(whole: Any, part: Any, shift: int, marks: RowMarks) -> None:
    """Adds the rows of a result to another of the same metric, with numbers that much greater.

    `marks` is what is suspicious about the rows of the part.
    """
    readings = {result.reading for result in (whole, part) if result.reading}
    if part.metric.signature != whole.metric.signature or len(readings) > 1:
        raise ValueError(
            f"results of different settings cannot be joined: {whole.signature} and {part.signature}"
        )
    whole.reading = whole.reading or part.reading
    whole.used |= {row + shift: at for row, at in part.used.items()}
    n_before, labels = len(whole), whole.labels
    errors = {row for row, state in zip(part.rows, part.status, strict=True) if state == ERROR}
    remarks = [(row + shift, message, row in errors) for row, message in part.problems]
    rows = [row + shift for row in part.rows]
    whole.add(shift, Counts(part.columns, part.status, {}, remarks, part.labels, rows, warnings=marks))
    if part.labels is None or (n_before and labels is None):
        whole.labels = None  # not counted for all rows


def cut_rows(whole: _Found, places: Sequence[int], rows: Sequence[int]) -> _Found:
    """Some rows of a result, numbered anew; there may be none that counts."""
    part: _Found = type(whole)(whole.metric)
    part.reading = whole.reading
    numbers = {whole.rows[place]: row for place, row in zip(places, rows, strict=True)}
    errors = {whole.rows[place] for place in places if whole.status[place] == ERROR}
    remarks = [(numbers[row], text, row in errors) for row, text in whole.problems if row in numbers]
    marks = RowMarks(bytes(map(whole.warning_bits().__getitem__, places)))
    columns, status = whole.cut(places)
    part.add(0, Counts(columns, status, {}, remarks, rows=rows, warnings=marks))
    part.used = {numbers[row]: at for row, at in whole.used.items() if row in numbers}
    return part


def pick_rows(
    whole: _Found, places: Sequence[int], rows: Sequence[int], recount: Callable[[], Labels] | None
) -> _Found:
    """The result over the rows at some places alone, numbered anew; `recount` is that of `Result.finish`."""
    part: _Found = whole.cut_out(places, rows)
    part.finish(recount)
    rerun = whole.rerun
    if rerun is not None:
        part.rerun = lambda metric: rerun(metric).picked(places, rows)
    return part
