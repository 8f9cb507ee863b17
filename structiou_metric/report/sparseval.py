"""SParseval as text: the table and the summary that its users know."""

from __future__ import annotations

from collections.abc import Iterator

from ..metrics.results import Result
from ..metrics.sparseval import COLUMNS
from ..wording import count

_RULE = "=" * 76
_LINE = "-" * 38
_MAX_PROBLEMS = 5  # warnings listed below the summary

# The shares in the summary: their titles, and the keys of their measures.
_BRACKETING = {
    "Bracketing Recall": "sparseval_recall",
    "Bracketing Precision": "sparseval_precision",
    "Bracketing F-measure": "sparseval",
}
_CROSSING = {
    "No Crossing Brackets": "sparseval_no_crossing",
    "Two or less Crossing": "sparseval_two_or_less_crossing",
}
_HEADS = {
    "Head-dependency Recall": "sparseval_heads_recall",
    "Head-dependency Precision": "sparseval_heads_precision",
    "Head-dependency F-measure": "sparseval_heads",
}
_OPEN = {
    "Open-class head-dependency Recall": "sparseval_open_recall",
    "Open-class head-dependency Precision": "sparseval_open_precision",
    "Open-class head-dependency F-measure": "sparseval_open",
}


def write_report(score: Result, *, per_sentence: bool = False) -> str:
    """Return the report on a score.

    Args:
        score: The result of SParseval.
        per_sentence: Whether the table has a row for each unit, in addition to the sums.
    """
    lines = [*_table(score, per_sentence), "", "Summary", _LINE, *_summary(score), _LINE]
    return "\n".join([*lines, *_problems(score), score.signature, ""])


def _kind(score: Result) -> str:
    return "Labeled" if score.metric.options.labeled else "Unlabeled"


def _table(score: Result, per_sentence: bool) -> Iterator[str]:
    kind = _kind(score)
    yield f"{'':6}{kind:^28}{kind:^22}{kind:^21}".rstrip()
    yield " Unit  ---------- Brackets ------  ---- Head-depen ---  -- Open-class ----"
    yield "  ID   match   gold   test  cross  match   gold   test  match   gold   test"
    yield _RULE
    if per_sentence:
        for row, *values in zip(score.rows, *(score.columns[name] for name in COLUMNS), strict=True):
            yield f"{row + 1:5d} " + " ".join(f"{value:6d}" for value in values)
        yield _RULE
    sums = score.tally()
    yield "Total:" + " ".join(f"{sums.total(name):6d}" for name in COLUMNS)


def _summary(score: Result) -> Iterator[str]:
    figures, measures = score.figures, score.metric.MEASURES
    kind = _kind(score)
    yield _counted("Number of sentences", score.n_counted)
    for title, n_rows in (
        ("Not comparable, count as 0", score.n_zeroed),
        ("Not comparable, left out", score.n_skipped + score.n_errors),
        ("Empty parses", score.n_empty),
    ):
        if n_rows:
            yield _counted(title, n_rows)
    if "sparseval_recall" in measures:
        for title, key in _BRACKETING.items():
            yield _share(f"{kind} {title}", 100.0 * figures[key])
        yield _counted("Complete match", int(score.tally().means["sparseval_complete_match"][0]))
        yield _LINE
        yield _share("Average Crossing Brackets", figures["sparseval_average_crossing"])
        for title, key in _CROSSING.items():
            yield _share(title, 100.0 * figures[key])
    for part in (_HEADS, _OPEN):
        if next(iter(part.values())) in measures:
            yield _LINE
            for title, key in part.items():
                yield _share(f"{kind} {title}", 100.0 * figures[key])


def _counted(title: str, number: int) -> str:
    return f"{title + ':':<45}{number:10d}"


def _share(title: str, value: float) -> str:
    return f"{title + ':':<47}{value:8.2f}"


def _problems(score: Result) -> Iterator[str]:
    for row, message in score.problems[:_MAX_PROBLEMS]:
        yield f"row {row + 1}: {message.splitlines()[0]}"
    if len(score.problems) > _MAX_PROBLEMS:
        yield f"and {count(len(score.problems) - _MAX_PROBLEMS, 'more row')}; --json lists all"
