"""Comparisons as plain values, for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .groups import SentenceRow


def plain_comparison(comparison: Any, n_sentences: int | None) -> dict[str, Any]:
    """All that a comparison found, with so many of the sentences on which systems differ; None for all."""
    names = comparison.names
    return {
        "systems": [
            {
                "name": system.name,
                "figures": {key: asdict(figure) for key, figure in system.figures.items()},
                "marks": dict(system.marks),
                "counts": {name: dict(counts) for name, counts in system.counts.items()},
                "own_figures": dict(system.own),
            }
            for system in comparison.systems
        ],
        "headline": comparison.main.headline,
        "baseline": None if comparison.baseline is None else names[comparison.baseline],
        "pairs": [
            {
                "first": names[pair.first],
                "second": names[pair.second],
                "differences": {key: asdict(found) for key, found in pair.differences.items()},
                "n_better": pair.n_better,
                "n_equal": pair.n_equal,
                "n_worse": pair.n_worse,
            }
            for pair in comparison.pairs
        ],
        "lengths": [
            {**asdict(group), "figures": _by_name(names, group.figures)} for group in comparison.lengths
        ],
        "labels": [
            {
                "label": row.label,
                "n_ref": row.n_ref,
                comparison.main.name: dict(zip(names, row.scores, strict=True)),
            }
            for row in comparison.labels
        ],
        "sentences": [_plain_sentence(comparison, row) for row in comparison.sentences[:n_sentences]],
        "failed": [_plain_sentence(comparison, row) for row in comparison.failed[:n_sentences]],
        "n_failed": len(comparison.failed),
        "n_rows": comparison.n_rows,
        "n_sentences": dict(comparison.n_sentences),
        "n_clusters": dict(comparison.n_clusters),
        **asdict(comparison.resampling),
        "signatures": dict(comparison.signatures),
        "notes": list(comparison.notes),
        "warnings": {
            name: [warning.as_dict() for warning in own] for name, own in comparison.warnings.items()
        },
        **({} if comparison.causes is None else {"causes": _plain_causes(names, comparison.causes)}),
    }


def _plain_causes(names: Sequence[str], found: Any) -> dict[str, Any]:
    """What systems lose by which cause."""
    return {
        "systems": {
            name: {cause: asdict(figures[cause]) for cause in found.causes}
            for name, figures in zip(names, found.figures, strict=True)
        },
        "pairs": [
            {
                "first": names[first],
                "second": names[second],
                "differences": {cause: asdict(by_cause[cause]) for cause in found.causes},
            }
            for (first, second), by_cause in found.differences.items()
        ],
    }


def _plain_sentence(comparison: Any, row: SentenceRow) -> dict[str, Any]:
    """A sentence on which systems differ."""
    names = comparison.names
    return {
        "index": row.row,
        "n_words": row.n_words,
        comparison.main.name: dict(zip(names, row.scores, strict=True)),
        "lost": dict(zip(names, row.lost, strict=True)),
        "failed": [names[i] for i in row.failed],
        **_by_name(names, row.others),
    }


def _by_name(
    names: Sequence[str], figures: Mapping[str, Sequence[float | None]]
) -> dict[str, dict[str, float | None]]:
    return {key: dict(zip(names, values, strict=True)) for key, values in figures.items()}
