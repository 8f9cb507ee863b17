"""STRUCT-IoU: how alike two constituency parse trees are when their words need not be the same."""

from ._core.align import COMPILED
from ._version import __version__
from .errors import TreeFormatError, TreeMismatchError
from .hub.script import metric_path
from .metrics.struct_iou.alignment import Alignment
from .metrics.struct_iou.metric import StructIoU, align, struct_iou
from .metrics.struct_iou.result import CorpusScore, LabelTally, Tally
from .sources.files import read_trees
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
