"""What is public: the names in `__all__` of these modules, which are what the documentation shows."""

from __future__ import annotations

from importlib import import_module
from inspect import isclass, isroutine
from types import ModuleType

import pytest

MODULES = (
    "structiou_metric",
    "structiou_metric.errors",
    "structiou_metric.trees",
    "structiou_metric.trees.discontinuous",
    "structiou_metric.sources.treebanks",
    "structiou_metric.sources.prepared",
    "structiou_metric.hf_datasets",
    "structiou_metric.metrics",
    "structiou_metric.metrics.base",
    "structiou_metric.metrics.metric",
    "structiou_metric.metrics.results",
    "structiou_metric.metrics.accumulator",
    "structiou_metric.metrics.tally",
    "structiou_metric.metrics.tallying",
    "structiou_metric.metrics.notices",
    "structiou_metric.metrics.datasets",
    "structiou_metric.metrics.model_cards",
    "structiou_metric.parseval",
    "structiou_metric.metrics.aligned_parseval.metric",
    "structiou_metric.metrics.aligned_parseval.result",
    "structiou_metric.metrics.disco_parseval.metric",
    "structiou_metric.metrics.leaf_ancestor.metric",
    "structiou_metric.metrics.sparseval.metric",
    "structiou_metric.metrics.tedeval.metric",
    "structiou_metric.metrics.tree_edit.metric",
    "structiou_metric.comparison",
    "structiou_metric.analysis.comparison",
    "structiou_metric.analysis.groups",
    "structiou_metric.analysis.intervals",
    "structiou_metric.analysis.resampling",
    "structiou_metric.analysis.pairwise",
    "structiou_metric.analysis.errors",
    "structiou_metric.analysis.curves",
    "structiou_metric.analysis.curve_results",
    "structiou_metric.perturbation",
    "structiou_metric.svg",
    "structiou_metric.drawing.svg",
    "structiou_metric.drawing.latex",
    "structiou_metric.drawing.classes",
    "structiou_metric.report.page",
    "structiou_metric.report.latex",
    "structiou_metric.speech",
    "structiou_metric.speech.forced.audio",
    "structiou_metric.speech.projection.turns",
    "structiou_metric.scale",
    "structiou_metric.scale.dask",
    "structiou_metric.scale.spark",
    "structiou_metric.hub.register",
    "structiou_metric.hub.torchmetrics",
    "spacy_structiou",
)

# Libraries behind extras that a module, or an example in it, needs.
NEEDS = {
    "structiou_metric.analysis.compare": "numpy",
    "structiou_metric.analysis.comparison": "numpy",
    "structiou_metric.analysis.groups": "numpy",
    "structiou_metric.analysis.intervals": "numpy",
    "structiou_metric.analysis.resampling": "numpy",
    "structiou_metric.analysis.samples": "numpy",
    "structiou_metric.hub.torchmetrics": "torchmetrics",
    "structiou_metric.metrics.datasets": "datasets",
    "structiou_metric.report.page": "numpy",
    "structiou_metric.scale.arrow": "pyarrow",
    "structiou_metric.scale.dask": "distributed",
    "structiou_metric.scale.parquet": "pyarrow",
    "structiou_metric.scale.row_files": "pyarrow",
    "structiou_metric.scale.spark": "pyarrow",
    "structiou_metric.speech.forced.recording": "numpy",
    "structiou_metric.speech.forced.sound": "numpy",
    "spacy_structiou": "spacy",
}


def load(module: str) -> ModuleType:
    """The module; the test is skipped where a library is not installed that it, or its package, needs."""
    for name in (module, module.partition(".")[0]):
        if name in NEEDS:
            pytest.importorskip(NEEDS[name])
    return import_module(module)


def members(owner: type) -> dict[str, object]:
    """The public methods and properties of a class, those of its bases in these packages among them."""
    found: dict[str, object] = {}
    for base in reversed(owner.__mro__):
        if base.__module__.partition(".")[0] in ("structiou_metric", "spacy_structiou"):
            found.update(vars(base))
    return {
        name: value
        for name, value in found.items()
        if not name.startswith("_") and (isroutine(value) or isclass(value) or _is_written(value))
    }


def _is_written(value: object) -> bool:
    """Whether an attribute is a property that somebody wrote, and not a field of a named tuple."""
    if isinstance(value, property):
        return hasattr(value.fget, "__code__")
    return isinstance(value, (classmethod, staticmethod))
