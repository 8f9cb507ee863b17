"""The little that a board shows of a benchmark with private reference trees, so that they stay private.

A score is a question about the reference trees that the server answers. A board with private reference trees
shows only the figure that ranks, with its interval, on a grid about as coarse as the interval is wide
(`step_of`). Rounding to the nearest point of the grid would not do: whoever finds a submission whose figure
is at the border between two points learns something of every tag by changing it and watching the figure.
So a figure goes up or down to one of its two neighbours by a coin that is loaded by how near they are. The
mean of such coins is the figure itself, and a change of `d` in it changes the shown figure with a
probability of `d / step`: to learn of a change with three chances in four takes `step / (2 d)` submissions
or more. The coin is made from the reference trees and from the numbers of every sentence, so that the same
file always gets the same answer.

Ranks and groups are made from the shown figures, for an exact order would reveal more. All this ends when
nobody can ask any more: from the closing of a phase on, its figures are exact (`Benchmark.is_final`).
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from structiou_metric.wording import count

if TYPE_CHECKING:
    from structiou_metric.metrics.base import Measure

DIGITS = 4  # after the point, of a figure that is exact

_SPREAD = 0.15  # standard deviation of the scores of a parser's sentences, as a share of the measure's range
_QUANTILE = 1.96  # standard errors on either side of a 95 % interval
_KINDS: dict[str, tuple[type, ...]] = {
    "public": (bool,),
    "max_empty": (int, float),
    "figures": (bool,),
    "labels": (bool,),
    "lengths": (bool,),
    "warnings": (bool,),
    "total": (int,),
}


class Gold(NamedTuple):
    """The table `gold` of a benchmark, which says how much may be known of its reference trees.

    Attributes:
        public: Whether anybody may know them; then everything below is shown.
        max_empty: The share of sentences of a submission that may have no tree.
        figures: Whether all figures are shown, rounded like the one that ranks, or only that one.
        labels: Whether figures by label are shown; they are exact.
        lengths: Whether figures by the length of sentences are shown; they are exact.
        warnings: Whether warnings about a submission are shown, such as that words differ.
        total: How many submissions a person, or a team, may ever make; None for any number.
    """

    public: bool = False
    max_empty: float = 0.1
    figures: bool = False
    labels: bool = False
    lengths: bool = False
    warnings: bool = False
    total: int | None = 50

    @classmethod
    def of(cls, values: Mapping[str, Any], *, shows_sentences: bool) -> Gold:
        """Return the table with its defaults: reference trees are private unless sentences are shown."""
        for name, value in values.items():
            if name not in _KINDS:
                raise ValueError(f"unknown key gold.{name}; choose from {', '.join(sorted(_KINDS))}")
            if type(value) not in _KINDS[name]:
                kind = "true or false" if _KINDS[name] == (bool,) else "a number"
                raise ValueError(f"gold.{name} must be {kind}")
        public = values.get("public", shows_sentences)
        if shows_sentences and not public:
            raise ValueError("show_sentences shows reference trees; leave it out, or gold.public")
        if not 0 <= values.get("max_empty", 0.0) <= 1:
            raise ValueError("gold.max_empty must be a share from 0 to 1")
        if values.get("total", 1) < 1:
            raise ValueError("gold.total must be 1 or more")
        open_ = {"max_empty": 1.0, "total": None} if public else {}
        return cls(**{**open_, **values, "public": public})

    def shows(self, name: str) -> bool:
        """Return whether `figures`, `labels`, `lengths` or `warnings` are shown."""
        return self.public or getattr(self, name)

    def rules(self) -> Iterator[str]:
        """Yield the rules that a submitter must know, a sentence at a time."""
        if self.max_empty < 1:
            yield f"A file in which more than {self.max_empty:.0%} of the trees are missing is not accepted."
        if self.total is not None:
            yield (
                f"A person may make {count(self.total, 'submission')} to this benchmark in all, for "
                "whichever team, and a team as many; people who are not signed in count by their network "
                "address."
            )
        if not self.public:
            yield (
                "The reference trees are private: figures are rounded, up or down by chance, to what their "
                "interval justifies, and ranks and groups are made from the rounded ones. When a phase has "
                "closed, the figures of submissions in time are exact."
            )
            titles = {
                "figures": "figures other than the one that ranks",
                "labels": "figures by label",
                "lengths": "figures by length",
                "warnings": "warnings about the file",
            }
            held = [title for name, title in titles.items() if not self.shows(name)]
            if held:
                yield f"Not shown: {', '.join(held)}."
            exact = [titles[name] for name in ("labels", "lengths") if self.shows(name)]
            if exact:
                yield f"Shown without rounding, which reveals more: {', '.join(exact)}."


def step_of(n_rows: int, measure: Measure, value: float = 1.0) -> float:
    """Return the step of the grid: 1, 2 or 5 of some digit, below half the width of a parser's interval.

    It is the same for all submissions, so that it reveals nothing of one. Only where a measure has no
    greatest value, it goes by the size of the figure.

    >>> from structiou_metric import StructIoU
    >>> [step_of(n, StructIoU.MEASURES["struct_iou_sentence"]) for n in (3, 80, 2400)]
    [0.1, 0.02, 0.005]
    """
    lowest, highest = measure.limits
    size = abs(value) or 1.0 if highest is None else highest - lowest
    half = _QUANTILE * _SPREAD * size / math.sqrt(max(n_rows, 1))
    digit = 10.0 ** math.floor(math.log10(half))
    return float(max(round(k * digit, 12) for k in (1, 2, 5) if k * digit <= half))


def digits_of(step: float) -> int:
    """Return how many digits after the point figures on a grid need.

    >>> digits_of(0.02), digits_of(0.005), digits_of(5.0)
    (2, 3, 0)
    """
    return max(0, -math.floor(math.log10(step) + 1e-9))


class Rounding:
    """Puts the figures of one submission on a grid.

    Args:
        key: The key of the coin, which is private and the same for all submissions to a benchmark.
        rows: The numbers that were found for every sentence; the coin depends on them.
    """

    def __init__(self, key: str, rows: Any) -> None:
        self._seed = hmac.new(key.encode("ascii"), repr(rows).encode("utf-8"), hashlib.sha256).digest()

    def put(self, name: str, value: float, step: float) -> float:
        """Return a neighbour of the value on the grid, or the value itself if it is on the grid."""
        below = math.floor(value / step + 1e-9)
        above = value / step - below
        coin = int.from_bytes(hmac.new(self._seed, name.encode("utf-8"), hashlib.sha256).digest()[:8], "big")
        return round((below + (coin / 2**64 < above)) * step, digits_of(step))
