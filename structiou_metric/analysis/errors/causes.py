"""Causes of losses as figures of systems, so that they are resampled and tested as any other figure is."""

from __future__ import annotations

from array import array
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...metrics.base import Counts, Measure, ratio
from ...metrics.metric import Metric
from ...metrics.results import Result
from ...metrics.struct_iou.losses import CAUSES
from ...metrics.struct_iou.metric import StructIoU
from ..common_rows import Compared

if TYPE_CHECKING:
    from ...metrics.struct_iou.result import CorpusScore


def _lost_per_node(lost: Any, n_ref: Any) -> Any:
    """Return the nodes lost on both sides, per node of the reference."""
    return ratio(lost, n_ref, 0.0)


_MEASURES = {
    cause: Measure(cause, _lost_per_node, (cause, "n_ref"), short=cause, highest=None, higher_is_better=False)
    for cause in CAUSES
}


class LossShares(Metric):
    """The nodes that each cause loses, per node of the reference; columns are made from those of STRUCT-IoU.

    The nodes of the prediction are not in the denominator: a system that predicts one node more would seem to
    lose less by every cause, and differ from a system that loses the same in every row.
    """

    name = "loss"
    title = "lost"
    OPTIONS = StructIoU.OPTIONS
    MEASURES = _MEASURES
    RESULT = Result


def explained(metric: Metric) -> Metric:
    """A metric that counts losses on the way, if it is one that can."""
    return metric.explaining() if isinstance(metric, StructIoU) else metric


def loss_shares(part: Compared) -> Compared:
    """The same rows of the same systems, with what each cause takes."""
    # Of several references, each system may be compared with another one: all get the same denominator.
    columns = [result.columns["n_ref"] for result in part.there.values()]
    n_ref = array("d", map(fmean, zip(*columns, strict=True)))
    shares = [None if result is None else _as_shares(result, n_ref) for result in part.results]
    return Compared(LossShares(), shares)


def _as_shares(result: CorpusScore | Any, n_ref: array[float]) -> Result:
    columns = {**result.losses.columns, "n_ref": n_ref}
    shares = Result(LossShares())
    shares.add(0, Counts(columns, result.status, {}, rows=result.rows))
    return shares
