"""`TreeMetric`: any metric of `METRICS` as a metric of torchmetrics, for training loops on many processes.

It needs torch and torchmetrics, the extra `torchmetrics`. `docs/training.md` shows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..metrics import load_metric
from ..metrics.accumulator import Accumulator
from ..metrics.metric import Metric
from ..metrics.tally import CorpusTally
from ..optional import need

__all__ = ["TreeMetric"]

torch = need("torch", "torchmetrics", "TreeMetric")
_Base: Any = need("torchmetrics", "torchmetrics", "TreeMetric").Metric

_SIZE = 8  # bytes of a number that says how long a packed tally is


class TreeMetric(_Base):  # type: ignore[misc]
    """The result of a metric over all batches of all processes, exact to the last bit in any order.

    Its state is a tally, packed into a tensor of bytes: as large after the last batch as after the first, and
    moved, gathered, saved and loaded by torchmetrics like any other.

    >>> metric = TreeMetric("struct_iou", labels="base")
    >>> metric.update(["(S (A a) (B b))"], ["(S (A a) (C b))"])
    >>> round(float(metric.compute()["struct_iou"]), 4)
    0.6667

    Args:
        metric: A metric with its options, or its name in `METRICS`.
        by_label: Whether to sum up by label, too; `result` returns these sums.
        documents: Whether every row of either side is a list of trees on one axis, as in
            `Metric.corpus_score`.
        torchmetrics: The arguments of `torchmetrics.Metric`, such as `{"sync_on_compute": False}`.
        **options: The options of a metric that is given by its name.
    """

    is_differentiable = False
    full_state_update = False
    packed: list[Any]

    def __init__(
        self,
        metric: Metric | str = "struct_iou",
        *,
        by_label: bool = False,
        documents: bool = False,
        torchmetrics: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**(torchmetrics or {}))
        if isinstance(metric, Metric) and options:
            raise TypeError(f"a metric has its options already; give it with {', '.join(options)}")
        self.scored = metric if isinstance(metric, Metric) else load_metric(metric, **options)
        self._by_label = by_label
        self._documents = documents
        self.add_state("packed", default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool:
        """Return whether a greater headline is better."""
        return self.scored.MEASURES[self.scored.headline].higher_is_better

    def update(self, predictions: Iterable[Any], references: Iterable[Any]) -> None:
        """Add the rows of a batch; if one has an error that `on_error` does not let through, none are added.

        Args:
            predictions: Trees, as `Metric.corpus_score` takes them.
            references: As many trees as predictions.
        """
        scores = Accumulator(self.scored, by_label=self._by_label, documents=self._documents)
        scores.tally = self.tally()
        scores.update(predictions, references)
        self.packed = [_pack(scores.tally, self.device)]

    def sync(self, *args: Any, **kwargs: Any) -> None:
        """Gathers the state of all processes; one that had no batch has something to give, too."""
        if not len(self.packed):
            self.packed = [_pack(self.tally(), self.device)]
        super().sync(*args, **kwargs)

    def compute(self) -> dict[str, Any]:
        """Return every figure by its key, and the headline by the metric's name, as double tensors."""
        figures = self.result().figures
        return {key: torch.tensor(value, dtype=torch.float64) for key, value in figures.items()}

    def result(self) -> Any:
        """Return the result over all rows known here; within `sync_context` those of all processes."""
        return self.tally().result()

    def tally(self) -> CorpusTally:
        """Return the sums over these rows, numbered on from process to process."""
        whole = CorpusTally(self.scored)
        states = [self.packed] if isinstance(self.packed, torch.Tensor) else self.packed
        for state in states:
            data = bytes(state.cpu().numpy())
            while data:
                end = _SIZE + int.from_bytes(data[:_SIZE], "little")
                part = CorpusTally.from_dict(json.loads(data[_SIZE:end]), self.scored)
                whole += part.moved(whole.next_row)
                data = data[end:]
        return whole


def _pack(tally: CorpusTally, device: Any) -> Any:
    """Return a tally as a tensor of bytes that begins with its length, so that several can be joined."""
    text = json.dumps(tally.to_dict()).encode()
    data = bytearray(len(text).to_bytes(_SIZE, "little") + text)
    return torch.frombuffer(data, dtype=torch.uint8).to(device)
