"""What is public: the names in `__all__` of these modules, which the documentation shows."""

from __future__ import annotations

from importlib import import_module
from inspect import isclass, isfunction, isroutine
from types import ModuleType

import pytest

# Each public module, with what must be installed for it.
MODULES = {
    "structiou_metric": "",
    "structiou_metric.errors": "",
    "structiou_metric.trees": "",
    "structiou_metric.trees.discontinuous": "",
    "structiou_metric.sources.treebanks": "",
    "structiou_metric.sources.prepared": "",
    "structiou_metric.hf_datasets": "",
    "structiou_metric.metrics": "",
    "structiou_metric.metrics.base": "",
    "structiou_metric.metrics.metric": "",
    "structiou_metric.metrics.results": "",
    "structiou_metric.metrics.accumulator": "",
    "structiou_metric.metrics.tally": "",
    "structiou_metric.metrics.tallying": "",
    "structiou_metric.metrics.notices": "",
    "structiou_metric.metrics.model_cards": "",
    "structiou_metric.parseval": "",
    "structiou_metric.metrics.aligned_parseval.metric": "",
    "structiou_metric.metrics.aligned_parseval.result": "",
    "structiou_metric.metrics.disco_parseval.metric": "",
    "structiou_metric.metrics.leaf_ancestor.metric": "",
    "structiou_metric.metrics.sparseval.metric": "",
    "structiou_metric.metrics.tedeval.metric": "",
    "structiou_metric.metrics.tree_edit.metric": "",
    "structiou_metric.comparison": "numpy",
    "structiou_metric.analysis.comparison": "numpy",
    "structiou_metric.analysis.groups": "numpy",
    "structiou_metric.analysis.intervals": "numpy",
    "structiou_metric.analysis.resampling": "numpy",
    "structiou_metric.analysis.pairwise": "",
    "structiou_metric.analysis.errors": "",
    "structiou_metric.analysis.curves": "",
    "structiou_metric.analysis.curve_results": "",
    "structiou_metric.perturbation": "",
    "structiou_metric.svg": "",
    "structiou_metric.drawing.svg": "",
    "structiou_metric.drawing.latex": "",
    "structiou_metric.drawing.classes": "",
    "structiou_metric.report.page": "numpy",
    "structiou_metric.report.latex": "",
    "structiou_metric.speech": "",
    "structiou_metric.speech.forced.audio": "",
    "structiou_metric.speech.projection.turns": "",
    "structiou_metric.scale": "pyarrow",
    "structiou_metric.scale.dask": "distributed",
    "structiou_metric.scale.spark": "pyarrow",
    "structiou_metric.hub.register": "",
    "structiou_metric.hub.torchmetrics": "torchmetrics",
    "spacy_structiou": "spacy",
}


def load(module: str) -> ModuleType:
    """The module; the test is skipped where what it needs is not installed."""
    if MODULES[module]:
        pytest.importorskip(MODULES[module])
    return import_module(module)


def members(owner: type) -> dict[str, object]:
    """The public methods and properties of a class, those of its bases in these packages among them."""
    found = {}
    for base in reversed(owner.__mro__):
        if base.__module__.partition(".")[0] in ("structiou_metric", "spacy_structiou"):
            found.update((name, value) for name, value in vars(base).items() if not name.startswith("_"))
    return {name: value for name, value in found.items() if _is_documented(value)}


def _is_documented(value: object) -> bool:
    """Whether a class's attribute has a docstring of its own: fields and constants have none."""
    if isinstance(value, property):
        return value.fget is not None and (isfunction(value.fget) or value.__doc__ is not None)
    return isroutine(value) or isclass(value) or isinstance(value, (classmethod, staticmethod))
