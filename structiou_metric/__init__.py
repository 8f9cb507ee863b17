"""STRUCT-IoU: how alike two constituency parse trees are when their words need not be the same."""

from ._core.align import COMPILED
from ._version import __version__
from .errors import TreeFormatError, TreeMismatchError
from .metrics.struct_iou.metric import StructIoU, align, struct_iou
from .metrics.struct_iou.result import CorpusScore, LabelTally, Tally
from .trees.tree import Node, SegmentTree

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from .hub.register import metric_path
    from .metrics.struct_iou.alignment import Alignment
    from .sources.treebanks import read_trees

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

# What a score does not need, imported when it is asked for.
_LATE = {
    "Alignment": "metrics.struct_iou.alignment",
    "metric_path": "hub.register",
    "read_trees": "sources.treebanks",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f".{_LATE[name]}", __name__), name)
    return found
