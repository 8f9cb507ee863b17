"""Results as plain values, for JSON and logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .base import STATUSES


def plain_result(found: Any, *, by_label: bool, per_sentence: bool) -> dict[str, Any]:
    """The figures, counts and signature of a result."""
    figures = found.figures
    result: dict[str, Any] = {found.metric.name: found.score}
    result |= {measure.short: figures[key] for key, measure in found.metric.MEASURES.items()}
    counts = found.tell_counts()
    if documents := found.tell_documents():
        del counts["n_sentences"]
    result |= documents | counts
    result["signature"] = found.signature
    if found.n_multi_reference:
        result["n_multi_reference"] = found.n_multi_reference
    if found.used:
        result["references_used"] = [found.used.get(row, 0) for row in found.rows]
    result["warnings"] = [warning.as_dict() for warning in found.warnings]
    if found.problems:
        result["problems"] = [{"index": row, "message": message} for row, message in found.problems]
    if found.by_group:
        result["by_group"] = {key: dict(tally.figures) for key, tally in sorted(found.by_group.items())}
    if by_label:
        result["by_label"] = {
            label: {found.metric.name: tally.score, **_plain(tally)}
            for label, tally in found.by_label.items()
        }
    if per_sentence:
        result["sentences"] = list(found.per_sentence())
    return result


def plain_rows(found: Any, shows: Callable[[int], bool]) -> Iterator[dict[str, Any]]:
    """One dict for each row of a result whose status is one that `shows` tells to show."""
    measures = {m.row: m for m in found.metric.MEASURES.values() if m.row}
    values = [measure.values(found.columns, found.status) for measure in measures.values()]
    for i, (row, state) in enumerate(zip(found.rows, found.status, strict=True)):
        if not shows(state):
            continue
        yield {
            "index": row,
            "status": STATUSES[state],
            **{name: column[i] for name, column in zip(measures, values, strict=True)},
            **{name: column[i] for name, column in found.columns.items()},
            **({"reference": found.used.get(row, 0)} if found.used else {}),
        }


def _plain(tally: Any) -> dict[str, float]:
    """What a label's tally says of itself, under the names that sentences use."""
    names = getattr(tally, "TOLD", ("precision", "recall", "n_pred", "n_ref"))
    return {name: getattr(tally, name) for name in names}
