"""STRUCT-IoU: how alike two constituency parse trees are when their words need not be the same."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core.align import COMPILED
    from ._version import __version__
    from .errors import TreeFormatError, TreeMismatchError
    from .hub.register import metric_path
    from .metrics.struct_iou.alignment import Alignment
    from .metrics.struct_iou.metric import StructIoU, align, struct_iou
    from .metrics.struct_iou.result import CorpusScore
    from .metrics.struct_iou.tallies import LabelTally, Tally
    from .sources.treebanks import read_trees
    from .trees.tree import Node, SegmentTree

__all__ = [
    "COMPILED",
    "Alignment",
    "CorpusScore",
    "LabelTally",
    "Node",
    "SegmentTree",
    "StructIoU",
    "Tally",
    "TreeFormatError",
    "TreeMismatchError",
    "__version__",
    "align",
    "metric_path",
    "read_trees",
    "struct_iou",
]

# Where each name is, imported when it is asked for: those who need one seldom need all.
_MODULES = {
    "COMPILED": "_core.align",
    "Alignment": "metrics.struct_iou.alignment",
    "CorpusScore": "metrics.struct_iou.result",
    "LabelTally": "metrics.struct_iou.tallies",
    "Node": "trees.tree",
    "SegmentTree": "trees.tree",
    "StructIoU": "metrics.struct_iou.metric",
    "Tally": "metrics.struct_iou.tallies",
    "TreeFormatError": "errors",
    "TreeMismatchError": "errors",
    "__version__": "_version",
    "align": "metrics.struct_iou.metric",
    "metric_path": "hub.register",
    "read_trees": "sources.treebanks",
    "struct_iou": "metrics.struct_iou.metric",
}


# Modules that are there without being imported by name, as in `structiou_metric.metrics.load_metric`.
_ROOMS = ("errors", "hub", "metrics", "sources", "trees", "wording")


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return __import__(f"{__name__}.{name}", fromlist=[name])
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import gc

    collects = gc.isenabled()
    gc.disable()  # nothing of what importing makes is garbage, and looking for some takes a tenth of the time
    try:
        # As importlib.import_module does, without importing importlib.
        found: object = getattr(__import__(f"{__name__}.{_MODULES[name]}", fromlist=[name]), name)
    finally:
        if collects:
            gc.enable()
    globals()[name] = found  # so that this is asked once
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
