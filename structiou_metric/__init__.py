"""STRUCT-IoU: how alike two constituency parse trees are when their words need not be the same."""

from ._core.align import COMPILED
from ._version import __version__
from .errors import TreeFormatError, TreeMismatchError
from .hub.register import metric_path
from .metrics import METRICS, load_metric
from .metrics.accumulator import Accumulator
from .metrics.struct_iou.alignment import Alignment
from .metrics.struct_iou.metric import StructIoU, align, struct_iou
from .metrics.struct_iou.result import CorpusScore
from .metrics.struct_iou.tallies import LabelTally, Tally
from .sources.treebanks import read_trees
from .trees.tree import Node, SegmentTree

__all__ = [
    "COMPILED",
    "METRICS",
    "Accumulator",
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
    "load_metric",
    "metric_path",
    "read_trees",
    "struct_iou",
]
