"""What is public: the names that the pages of the reference list."""

from __future__ import annotations

import re
from importlib.util import find_spec
from inspect import isclass, isroutine

from .paths import ROOT

# The public names by module; the reference of the API is the list.
PUBLIC = {
    module: names.split()
    for page in sorted((ROOT / "docs" / "api").glob("*.md"))
    for module, names in re.findall(
        r"^<!-- generated: reference (\S+)((?: \S+)+) -->$", page.read_text("utf-8"), re.MULTILINE
    )
}

# Libraries behind extras that a module, or an example in it, needs.
NEEDS = {
    "structiou_metric.analysis.compare": "numpy",
    "structiou_metric.analysis.comparison": "numpy",
    "structiou_metric.analysis.paper.correlation": "scipy",
    "structiou_metric.drawing.pdf": "typst",
    "structiou_metric.hf_datasets": "datasets",
    "structiou_metric.hub.torchmetrics": "torchmetrics",
    "structiou_metric.report.comparison": "numpy",
    "structiou_metric.report.page": "numpy",
    "structiou_metric.scale.arrow": "pyarrow",
    "structiou_metric.scale.dask": "distributed",
    "structiou_metric.scale.jobs": "pyarrow",
    "structiou_metric.scale.parquet": "pyarrow",
    "structiou_metric.scale.row_files": "pyarrow",
    "structiou_metric.scale.spark": "pyarrow",
    "structiou_metric.speech.forced.recording": "numpy",
    "structiou_metric.speech.forced.audio": "soundfile",
    "structiou_metric.stats.columns": "numpy",
    "structiou_metric.stats.intervals": "numpy",
    "structiou_metric.stats.significance": "numpy",
    "spacy_structiou": "spacy",
}


def is_available(module: str) -> bool:
    """Return whether the library is installed that a module, or its package, needs."""
    return all(
        find_spec(NEEDS[name]) is not None for name in (module, module.partition(".")[0]) if name in NEEDS
    )


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
