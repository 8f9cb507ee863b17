"""Several metrics, or several systems, over the same rows: every tree is read once for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..sources.rows import several, sign_reading
from .best_reference import opened
from .runner import (
    add_pieces,
    check_sides,
    finish,
    pair_rows,
    run_batches,
    score,
    take_sides,
)

if TYPE_CHECKING:
    from ..sources.rows import Rows
    from .base import BaseMetric
    from .results import Result


def score_all(
    metrics: Sequence[BaseMetric],
    predictions: Iterable[Any] | Rows,
    references: Iterable[Any] | Rows,
    *,
    documents: bool = False,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
) -> list[Any]:
    """What each of several metrics finds for two lists of trees, as `score` has it.

    Metrics that compare the same rows and read them alike read them once. Where rows have several references,
    of which each metric chooses its own, each reads by itself.
    """
    preds, refs = take_sides(predictions, references, documents)
    how: dict[str, Any] = {"by_label": by_label, "workers": workers, "progress": progress}
    if several(refs):
        return [score(metric, preds, refs, documents=documents, **how) for metric in metrics]
    groups: dict[Any, tuple[tuple[Rows, Rows], list[Result]]] = {}
    results: list[Result] = []
    for metric in metrics:
        if not metric.pairs_itself:
            check_sides([preds], refs)
        rows = pair_rows(metric, preds, refs, 0)
        alike = metric.unit or "word", metric.reads_as_evalb, *map(id, rows)
        results.append(metric.RESULT(metric))
        groups.setdefault(alike, (rows, []))[1].append(results[-1])
    for (left, right), group in groups.values():
        pieces = [(0, [left], right)]
        for first, [counts] in run_batches([result.metric for result in group], pieces, len(right), **how):
            for result, more in zip(group, counts, strict=True):
                result.add(first, more)
    for result in results:
        result.reading = sign_reading(preds, refs)
        finish(result, [(0, preds, refs)], {**how, "total": len(refs)})
    return results


def score_systems(
    metrics: Sequence[BaseMetric],
    systems: Sequence[Rows],
    references: Rows,
    *,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
) -> list[list[Any]]:
    """What several metrics find for several systems; every tree is read once.

    Args:
        metrics: The metrics with their options.
        systems: The predictions of each system.
        references: As many trees.
        by_label: Whether to count labels, of each metric over the rows that it counts for all systems.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.

    Returns:
        For each system, the results in the order of the metrics.
    """
    if any(len(trees) > 1 for trees in several(references).values()):
        raise ValueError(
            f"{references.title}: a row has several references, and systems might choose others; give one"
        )
    references = opened(references)
    results: list[list[Result]] = [[metric.RESULT(metric) for metric in metrics] for _ in systems]
    together = [m for m, metric in enumerate(metrics) if not metric.pairs_itself]
    if together:
        check_sides(systems, references)
        pieces = [(0, systems, references)]
        same = [metrics[m] for m in together]
        for first, found in run_batches(same, pieces, len(references), by_label, workers, progress):
            for own, counts in zip(results, found, strict=True):
                for m, more in zip(together, counts, strict=True):
                    own[m].add(first, more)
    for own, predictions in zip(results, systems, strict=True):
        for result in own:
            result.reading = sign_reading(predictions, references)
            if result.metric.pairs_itself:
                add_pieces(result, [(0, predictions, references)], workers=workers, progress=progress)
            result.finish(None)
    return results
