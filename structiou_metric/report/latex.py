"""Results as tables of LaTeX: figures, labels and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..drawing.latex import comment
from ..metrics.results import describe_left_out
from ..terminal import NO_LABEL
from ..wording import count
from .scores import shown_keys
from .tables import Cell, Line, Table, decimals

if TYPE_CHECKING:
    from ..metrics.results import Result


def write_results(
    results: Sequence[Result],
    *,
    per_label: bool = False,
    per_sentence: bool = False,
    remarks: Sequence[str] = (),
) -> str:
    """Return the results of one or more metrics as tables: the figures, and on request labels and sentences.

    >>> from structiou_metric import StructIoU
    >>> source = write_results([StructIoU().corpus_score(["(S (A a))"], ["(S (A a))"])], per_label=True)
    >>> source.count("tabular}{")
    2

    Args:
        results: The result of each metric.
        per_label: Whether to add a table of labels for each metric that counts by label.
        per_sentence: Whether to add a table with a row for each pair.
        remarks: Remarks for a comment at the top, such as why a metric is undefined here.
    """
    parts = [comment(remarks)] if remarks else []
    parts.append(
        _figures(results).as_latex(comments=[line for result in results for line in _comments(result)])
    )
    for result in results:
        if per_label and result.metric.LABEL is not None:
            parts.append(_labels(result).as_latex(comments=_comments(result)))
        if per_sentence:
            parts.append(_sentences(result).as_latex(comments=_comments(result)))
    return "\n".join(parts)


def _number(value: object) -> str:
    """Return a figure to four places, a count as it is, and a dash for none."""
    return decimals(value) if value is None or isinstance(value, float) else f"{value:,}"


def _figures(results: Sequence[Result]) -> Table:
    rows: list[Sequence[str | Cell]] = []
    for result in results:
        metric, figures = result.metric, result.figures
        if len(results) > 1:
            rows.append(Line([metric.title]))
        for key in shown_keys(result):
            rows.append([metric.MEASURES[key].title.replace("sentence", result.noun), _number(figures[key])])
    counts = {count(result.n_counted, result.noun) for result in results}
    what = results[0].metric.title if len(results) == 1 else "figures"
    return Table(f"{what}, {counts.pop()}" if len(counts) == 1 else what, ["measure", "value"], rows)


def _comments(result: Result) -> list[str]:
    if result.problems or result.n_counted < len(result):
        return [f"{result.metric.title}: {describe_left_out(result)}", result.signature]
    return [result.signature]


def _labels(result: Result) -> Table:
    names = [result.metric.name, "precision", "recall", "n_pred", "n_ref"]
    rows = [
        [label or NO_LABEL, *(_number(row[name]) for name in names)]
        for label, row in result.as_dict(by_label=True)["by_label"].items()
    ]
    head = ["label", result.metric.title, "precision", "recall", "predicted", "reference"]
    return Table(f"{result.metric.title} by label", head, rows)


def _sentences(result: Result) -> Table:
    names = [measure.row for measure in result.metric.MEASURES.values() if measure.row]
    rows = [[str(row["index"] + 1), *(_number(row[name]) for name in names)] for row in result.per_sentence()]
    return Table(f"{result.metric.title} of each {result.noun}", [result.noun, *names], rows, ">")
