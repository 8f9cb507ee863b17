"""What is public: the modules and names that the reference of the API tells, in one place.

`tests/docs/test_site.py` looks for each of them on the built site, and for names that the pages import.
"""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from sphinx.ext.autodoc.mock import mock

# Libraries that are too large to be installed for the reference of one class.
MOCKED = ["torch", "torchmetrics"]

# By module, the names that users may rely on; None for those of its `__all__`.
PUBLIC: dict[str, tuple[str, ...] | None] = {
    "structiou_metric": None,
    "structiou_metric.errors": ("NoticeError", "SettingsWarning"),
    "structiou_metric.metrics": ("METRICS", "load_metric", "metric_class"),
    "structiou_metric.metrics.metric": ("Metric",),
    "structiou_metric.metrics.base": ("Option", "Measure"),
    "structiou_metric.metrics.results": ("Result",),
    "structiou_metric.metrics.notices": ("Notice",),
    "structiou_metric.metrics.struct_iou.losses": ("CAUSES", "Losses", "NodeLoss"),
    "structiou_metric.metrics.accumulator": ("Accumulator",),
    "structiou_metric.metrics.tally": ("CorpusTally",),
    "structiou_metric.metrics.tallying": ("shard",),
    "structiou_metric.metrics.model_cards": ("EvalResults",),
    "structiou_metric.parseval": None,
    "structiou_metric.metrics.sparseval.metric": None,
    "structiou_metric.trees": None,
    "structiou_metric.sources.treebanks": ("read_rows",),
    "structiou_metric.sources.prepared": ("PreparedTrees",),
    "structiou_metric.hf_datasets": None,
    "structiou_metric.hub.register": ("register", "unregister", "status"),
    "structiou_metric.hub.torchmetrics": ("TreeMetric",),
    "structiou_metric.comparison": None,
    "structiou_metric.analysis.resampling": ("confidence_interval", "paired_test", "PairedTest"),
    "structiou_metric.analysis.intervals": ("Interval",),
    "structiou_metric.analysis.errors": None,
    "structiou_metric.analysis.pairwise": ("pairwise", "mbr", "oracle", "Choice"),
    "structiou_metric.analysis.curves": ("perturbation_curve",),
    "structiou_metric.analysis.curve_results": ("Curve", "CurvePoint", "Finding"),
    "structiou_metric.perturbation": None,
    "structiou_metric.svg": None,
    "structiou_metric.drawing.classes": ("Classes",),
    "structiou_metric.drawing.latex": ("draw_latex",),
    "structiou_metric.drawing.pdf": ("draw_pdf",),
    "structiou_metric.report.page": ("write_page",),
    "structiou_metric.report.latex": ("table", "write_comparison", "write_results", "write_why_latex"),
    "structiou_metric.speech": None,
    "structiou_metric.speech.forced.audio": ("KINDS",),
    "structiou_metric.speech.projection.turns": ("find_turns",),
    "structiou_metric.scale": None,
    "structiou_metric.scale.dask": ("connect",),
    "structiou_metric.scale.spark": ("SCHEMA", "score_partitions", "merge"),
    "spacy_structiou": None,
}


def names_of(module: str) -> list[str]:
    """The public names of a module, classes and functions in the order of its `__all__`."""
    given = PUBLIC[module]
    return list(import_module(module).__all__) if given is None else list(given)


def find(module: str, name: str) -> Any:
    """A public object; torch need not be there to describe the metric of torchmetrics."""
    with mock(MOCKED if module.endswith("torchmetrics") else []):
        return getattr(import_module(module), name)


def is_constant(found: Any) -> bool:
    """Whether an object is told by its comment, having no docstring of its own."""
    return not (inspect.isclass(found) or callable(found))


def comment_of(module: str, name: str) -> str:
    """What the comment above a constant says, or the one behind it, wherever it was imported from."""
    source = _source_of(module)
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            package = find_spec(module)
            parent = package.name if package.submodule_search_locations else package.parent
            return comment_of(resolve_name("." * node.level + (node.module or ""), parent), name)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                above = []
                for line in reversed(lines[: node.lineno - 1]):
                    if not line.startswith("#"):
                        break
                    above.insert(0, line.lstrip("# "))
                return " ".join(above) or lines[node.lineno - 1].partition("  # ")[2]
    return ""


def _source_of(module: str) -> str:
    """The source of a module, which may be compiled."""
    path = Path(find_spec(module).origin)
    if path.suffix != ".py":
        path = path.with_name(f"{module.rpartition('.')[2]}.py")
    return path.read_text(encoding="utf-8")
