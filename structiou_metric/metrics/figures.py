"""The figures of a metric over some rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from .sums import find_figure

if TYPE_CHECKING:
    from .base import BaseMetric
    from .sums import Sums


class Figures(Mapping[str, float]):
    """The figures of a metric over some rows, each computed when it is first asked for.

    The name of the metric stands for its headline.
    """

    __slots__ = ("_found", "_metric", "_sums")

    def __init__(self, metric: BaseMetric, sums: Sums) -> None:
        self._metric = metric
        self._sums = sums
        self._found: dict[str, float] = {}

    def __getitem__(self, key: str) -> float:
        if key not in self._found:
            self._found[key] = find_figure(self._metric, self._sums, key)
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((self._metric.name, *self._metric.MEASURES)))

    def __len__(self) -> int:
        return len({self._metric.name, *self._metric.MEASURES})

    def __repr__(self) -> str:
        return repr(dict(self))
