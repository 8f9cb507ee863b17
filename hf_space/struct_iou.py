"""STRUCT-IoU as a metric of the library `evaluate`: translates, and lets `structiou_metric` score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import datasets
import evaluate

# What follows `From:` is what evaluate tells users to `pip install` where the package is missing.
import structiou_metric.hub.evaluate_metric as library  # From: '.[evaluate]' in a clone of the project, see https://aclanthology.org/2024.acl-long.666


class StructIou(library.TreeMetric):
    """STRUCT-IoU as a metric of `evaluate`; two threads must not use one object at the same time."""

    def _info(self) -> Any:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=library.DESCRIPTION,
            citation=library.BIBTEX,
            inputs_description=library.INPUTS,
            features=datasets.Features({"predictions": text, "references": text}),
            homepage="https://aclanthology.org/2024.acl-long.666",
            license="MIT",
            codebase_urls=["https://github.com/ExplorerFreda/struct-iou"],
            reference_urls=["https://aclanthology.org/2024.acl-long.666"],
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[str],
        unit: str = "word",
        texts: str = "same",
        labels: str = "exact",
        terminals: str = "strict",
        min_iou: float = 0.0,
        drop: Iterable[str] = library.DEFAULT_DROP,
        average: str = "sentence",
        max_cells: float | None = None,
        on_error: str = "raise",
        documents: bool = False,
        strict: bool = False,
        return_per_sentence: bool = False,
        return_alignments: bool = False,
        return_losses: bool = False,
        return_by_label: bool = False,
        parseval: bool | str = False,
        confidence: float | None = None,
        numbers_only: bool = False,
    ) -> dict[str, Any]:
        metric = library.StructIoU(
            unit=unit,
            texts=texts,
            labels=labels,
            terminals=terminals,
            min_iou=min_iou,
            drop=drop,
            average=average,
            max_cells=max_cells,
            on_error=on_error,
        )
        return library.score(
            metric,
            predictions,
            references,
            documents=documents,
            strict=strict,
            return_per_sentence=return_per_sentence,
            return_alignments=return_alignments,
            return_losses=return_losses,
            return_by_label=return_by_label,
            parseval=parseval,
            confidence=confidence,
            numbers_only=numbers_only,
        )
