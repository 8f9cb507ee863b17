"""The sentences that systems are compared on: the same for all of them, and what is said of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..metrics.struct_iou.metric import StructIoU
from ..optional import need
from ..wording import count
from .groups import Compared
from .resampling import tally_columns

if TYPE_CHECKING:
    from ..metrics.parseval.metric import ParsevalScore
    from ..metrics.struct_iou.result import CorpusScore
    from ..sources.rows import Rows


def common_tallies(
    names: Sequence[str], scores: Sequence[CorpusScore], n_rows: int
) -> tuple[Compared, list[str]]:
    """The tallies of the sentences that no system skipped, and what to say about it."""
    places = [{score.sentences.row(i): i for i in range(len(score.sentences))} for score in scores]
    rows = [row for row in range(n_rows) if all(row in place for place in places)]
    skipped = ", ".join(
        f"{name} {score.n_skipped}" for name, score in zip(names, scores, strict=True) if score.n_skipped
    )
    if not rows:
        raise ValueError(f"no sentence can be compared for all systems; skipped: {skipped}")
    columns = [
        tally_columns(score.sentences, [place[row] for row in rows])
        for score, place in zip(scores, places, strict=True)
    ]
    notes = []
    if skipped:
        notes.append(
            f"STRUCT-IoU leaves {n_rows - len(rows)} of {count(n_rows, 'sentence')} out for all systems; "
            f"skipped: {skipped}."
        )
    zeroed = ", ".join(
        f"{name} {score.n_zeroed}" for name, score in zip(names, scores, strict=True) if score.n_zeroed
    )
    if zeroed:
        notes.append(f"Sentences that cannot be compared count as 0: {zeroed}.")
    return Compared(rows, columns), notes


def no_parseval(n_systems: int) -> Compared:
    """No sentence, for no system."""
    return Compared([], [None] * n_systems)


def common_parseval(
    names: Sequence[str],
    references: Rows,
    systems: Sequence[Rows],
    metric: StructIoU,
    parameters: Any,
    notes: list[str],
) -> tuple[Compared, dict[int, ParsevalScore]]:
    """ParsEval over the sentences that are valid for all systems that it is defined for.

    It compares words, so it is not defined for a unit of seconds, and with characters as unit only for
    systems that cut all sentences into the same words.

    Args:
        names: Of the systems.
        references: The reference trees.
        systems: The predictions of each system.
        metric: STRUCT-IoU, for its unit.
        parameters: Of ParsEval.
        notes: Where to say what is left out or not defined.

    Returns:
        What is compared, and the scores of each system that it is defined for.
    """
    unit = metric.options.unit
    if unit == "time":
        notes.append("ParsEval: — (it compares words, and trees over seconds need no common words).")
        return no_parseval(len(names)), {}
    from ..metrics.parseval.metric import parseval

    np = need("numpy", "compare", "a comparison of systems")
    found: dict[int, ParsevalScore] = {}
    for i, (name, predictions) in enumerate(zip(names, systems, strict=True)):
        result = parseval(
            predictions,
            references,
            parameters=parameters,
            on_error="raise" if metric.options.on_error == "raise" else "skip",
        )
        what = _describe_invalid(result)
        if unit == "char" and result.n_errors:
            notes.append(f"ParsEval of {name}: — (it needs the same words on both sides; {what}).")
        elif not result.n_valid:
            notes.append(f"ParsEval of {name}: — (no sentence is valid; {what}).")
        else:
            found[i] = result
            if result.n_valid < len(result):
                notes.append(f"ParsEval of {name}: {what}; F1 {result.f1:.4f} over its own valid ones.")
    if not found:
        return no_parseval(len(names)), {}
    valid = np.flatnonzero(np.all([np.asarray(result.status) == 0 for result in found.values()], axis=0))
    if not len(valid):
        notes.append("ParsEval: — (no sentence is valid for all systems).")
        return no_parseval(len(names)), found
    if len(valid) < len(references):
        notes.append(
            f"ParsEval compares the systems on {len(valid):,} of {len(references):,} sentences, "
            "those that are valid for all of them."
        )
    columns: list[Mapping[str, Any] | None] = [None] * len(names)
    for i, result in found.items():
        columns[i] = {
            name: np.asarray(getattr(result, name), dtype=float)[valid]
            for name in ("matched", "n_pred", "n_ref")
        }
    return Compared(valid.tolist(), columns), found


def _describe_invalid(result: ParsevalScore) -> str:
    """Such as `2 errors and 1 empty parse left out among 80 sentences, the first in row 7`."""
    counts = []
    if result.n_errors:
        counts.append(count(result.n_errors, "error"))
    if result.n_skipped:
        counts.append(f"{count(result.n_skipped, 'empty parse')} left out")
    first = f", the first in row {result.problems[0][0] + 1}" if result.problems else ""
    return f"{' and '.join(counts)} among {count(len(result), 'sentence')}{first}"
