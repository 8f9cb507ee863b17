"""Causes of losses as figures of systems, so that they are resampled and tested as any other figure is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...metrics.base import Counts, Measure
from ...metrics.metric import Metric
from ...metrics.results import Result
from ...metrics.struct_iou.losses import CAUSES
from ...metrics.struct_iou.measures import loss_share
from ...metrics.struct_iou.metric import StructIoU
from ..common_rows import Compared

if TYPE_CHECKING:
    from ...metrics.struct_iou.result import CorpusScore


_MEASURES = {
    cause: Measure(cause, loss_share, (cause, "n_pred", "n_ref"), short=cause, higher_is_better=False)
    for cause in CAUSES
}


class LossShares(Metric):
    """What each cause takes from STRUCT-IoU at corpus level; columns are made from those of its results."""

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
    return Compared(LossShares(), [None if result is None else _as_shares(result) for result in part.results])


def _as_shares(result: CorpusScore | Any) -> Result:
    columns = {**result.losses.columns, **{name: result.columns[name] for name in ("n_pred", "n_ref")}}
    shares = Result(LossShares())
    shares.add(0, Counts(columns, result.status, {}, rows=result.rows))
    return shares
