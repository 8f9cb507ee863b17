"""Several metrics, or several systems, over the same rows: every tree is read once for all of them."""

from __future__ import annotations

from ..sources.rows import sign_reading
from .runner import add_pieces, check_sides, finish, offers_choice, run_batches, score, take_sides

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

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
    """What each of several metrics finds for two lists of trees, as `score` has it; trees are read once.

    Metrics that say themselves which rows are compared, or read several trees as one, read by themselves,
    and all do where rows have several references.
    """
    preds, refs = take_sides(predictions, references, documents)
    how: dict[str, Any] = {"by_label": by_label, "workers": workers, "progress": progress}
    found: dict[int, Any] = {}
    together: dict[bool, list[int]] = {}
    for m, metric in enumerate(metrics):
        if not metric.pairs_itself and not offers_choice(refs):
            together.setdefault(metric.joins_trees, []).append(m)
        else:
            how_alone = {**how, "by_label": by_label and metric.LABEL is not None}
            found[m] = score(metric, preds, refs, documents=documents, **how_alone)
    for group in together.values():
        check_sides([preds], refs)
        results: list[Result] = [metrics[m].RESULT(metrics[m]) for m in group]
        pieces = [(0, [preds], refs)]
        for first, [counts] in run_batches([metrics[m] for m in group], pieces, len(refs), **how):
            for result, more in zip(results, counts, strict=True):
                result.add(first, more)
        for m, result in zip(group, results, strict=True):
            result.reading = sign_reading(preds, refs)
            finish(result, [(0, preds, refs)], {**how, "total": len(refs)})
            found[m] = result
    return [found[m] for m in range(len(metrics))]


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
        metrics: With their options.
        systems: The predictions of each system.
        references: As many trees.
        by_label: Whether to count labels, of each metric over the rows that it counts for all systems.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.

    Returns:
        For each system, the results in the order of the metrics.
    """
    if offers_choice(references):
        raise ValueError(
            f"{references.title}: a row has several references, and systems might choose others; give one"
        )
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
