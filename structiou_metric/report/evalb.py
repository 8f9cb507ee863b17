"""ParsEval as text: the table and the summary that EVALB prints, so that people and scripts recognise it."""

from __future__ import annotations

from collections.abc import Iterator

from ..metrics.base import ERROR
from ..metrics.parseval.result import ParsevalScore, Totals
from ..wording import list_problems

_HEAD = (
    "  Sent.                        Matched  Bracket   Cross        Correct Tag",
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy",
)
_RULE = "=" * 76


def write_report(score: ParsevalScore, *, per_sentence: bool = True) -> str:
    """The report on a score. With `compat` it is EVALB's to the byte, else problems and signature follow.

    With `per_sentence` a table with a row for each sentence stands before the summary.
    """
    compat = score.metric.options.compat
    lines = [*_table(score)] if per_sentence else []
    lines += ["=== Summary ===", "", "-- All --", *_summary(score.total, compat)]
    lines += ["", f"-- len<={score.parameters.cutoff} --", *_summary(score.short, compat)]
    if not compat:
        lines += ["", *_problems(score), score.signature]
    return "\n".join([*lines, ""])


def _percent(part: int, whole: int) -> float:
    """In EVALB's order of operations, so that the last digit is rounded alike."""
    return 100.0 * part / whole if whole else 0.0


def _table(score: ParsevalScore) -> Iterator[str]:
    yield from (*_HEAD, _RULE)
    names = ("length", "matched", "n_ref", "n_pred", "crossing", "words", "correct_tags")
    for row, status, length, matched, n_ref, n_pred, crossing, words, tags in zip(
        score.rows, score.status, *(score.columns[name] for name in names), strict=True
    ):
        yield (
            f"{row + 1:4d}  {length:3d}    {status:d}  {_percent(matched, n_ref):6.2f} "
            f"{_percent(matched, n_pred):6.2f}   {matched:3d}    {n_ref:3d}  {n_pred:3d}    {crossing:3d}"
            f"   {words:4d}  {tags:4d}   {_percent(tags, words):6.2f}"
        )
    total = score.total
    yield _RULE
    brackets = ""
    if total.n_ref and total.n_pred:
        brackets = (
            f"                {_percent(total.matched, total.n_ref):6.2f} "
            f"{_percent(total.matched, total.n_pred):6.2f} {total.matched:6d} {total.n_ref:5d} "
            f"{total.n_pred:5d}  {total.crossing:5d}"
        )
    yield (
        f"{brackets}  {total.words:5d} {total.correct_tags:5d}   "
        f"{_percent(total.correct_tags, total.words):6.2f}"
    )


def _summary(total: Totals, compat: bool) -> Iterator[str]:
    n_valid = total.n_valid
    yield f"Number of sentence        = {total.n_sentences:6d}"
    yield f"Number of Error sentence  = {total.n_errors:6d}"
    yield f"Number of Skip  sentence  = {total.n_skipped:6d}"
    yield f"Number of Valid sentence  = {n_valid:6d}"
    recall, precision = _percent(total.matched, total.n_ref), _percent(total.matched, total.n_pred)
    if precision + recall:
        f_measure = f"{2 * precision * recall / (precision + recall):6.2f}"
    else:
        f_measure = "  -nan" if compat else "  0.00"
    yield f"Bracketing Recall         = {recall:6.2f}"
    yield f"Bracketing Precision      = {precision:6.2f}"
    yield f"Bracketing FMeasure       = {f_measure}"
    yield f"Complete match            = {_percent(total.n_complete, n_valid):6.2f}"
    yield f"Average crossing          = {total.average_crossing:6.2f}"
    yield f"No crossing               = {_percent(total.n_no_crossing, n_valid):6.2f}"
    yield f"2 or less crossing        = {_percent(total.n_two_or_less_crossing, n_valid):6.2f}"
    yield f"Tagging accuracy          = {_percent(total.correct_tags, total.words):6.2f}"


def _problems(score: ParsevalScore) -> Iterator[str]:
    errors = {row for row, status in zip(score.rows, score.status, strict=True) if status == ERROR}
    problems = sorted(score.problems, key=lambda problem: problem[0] not in errors)  # errors come first
    yield from list_problems(problems)
    if score.stops_at is not None:
        yield (
            f"EVALB would have stopped at row {score.stops_at + 1} without a summary (MAX_ERROR "
            f"{score.parameters.max_error})"
        )
