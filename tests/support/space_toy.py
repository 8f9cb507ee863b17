"""A metric of one file, for the Space: its processes find it by this module's name."""

from __future__ import annotations

from array import array

from structiou_metric.metrics.base import Counter, Counts, Measure, Option, ratio
from structiou_metric.metrics.metric import ON_ERROR, Metric


class _Differences(Counter):
    def __init__(self, weight):
        self._weight = weight

    def count(self, batch, by_label=False, left_out=()):
        sizes = [
            [len(trees.nodes(t)[0]) for t in range(len(batch))]
            for trees in (batch.predictions, batch.references)
        ]
        off = array("d", (self._weight * abs(pred - ref) for pred, ref in zip(*sizes, strict=True)))
        return Counts({"off": off, "n_ref": array("q", sizes[1])}, bytearray(len(batch)), batch.problems)


class Toy(Metric):
    """How far the numbers of brackets are apart, by bracket of the reference; 0 is best."""

    name = "toy"
    title = "Toy"
    OPTIONS = {  # noqa: RUF012
        "weight": Option(1.0, "how much a bracket weighs", kind="number", check=float),
        "on_error": ON_ERROR,
    }
    MEASURES = {  # noqa: RUF012
        "toy": Measure(
            "distance",
            lambda off, n_ref: ratio(off, n_ref, 0.0),
            ("off", "n_ref"),
            short="distance",
            highest=None,
            higher_is_better=False,
        )
    }

    def counter(self):
        return _Differences(self.options.weight)
