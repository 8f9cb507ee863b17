"""What a board tells of a benchmark whose reference trees are private: little enough that they stay so.

A score is a question about the reference that the server answers. On a board with private reference trees
only the figure that ranks is told, with its interval, on a grid about as coarse as the interval is wide
(`step_of`). Rounding to the nearest point of the grid would not do: who finds a submission whose figure
lies at the border between two points learns something of every tag by changing it and looking where the
figure goes. So a figure goes up or down to one of its two neighbours by a coin that is loaded by how near
they are. The mean of such coins is the figure itself, and a change of `d` in it changes what is told with a
probability of `d / step`: to know of a change with three chances in four takes `step / (2 d)` submissions
or more, whatever they are. The coin is made from the reference trees and from what was found for every
sentence, so that asking again gives the same answer.

Ranks and groups are made from what is told, for an exact order would tell more.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from structiou_metric.stats.intervals import Interval
from structiou_metric.wording import count

if TYPE_CHECKING:
    from structiou_metric.metrics.base import Measure

DIGITS = 4  # of a figure whose sentences anybody may know

_SPREAD = 0.15  # standard deviation of the scores of a parser's sentences, as a share of the measure's range
_QUANTILE = 1.96  # standard errors on either side of a 95 % interval
_KINDS: dict[str, tuple[type, ...]] = {
    "public": (bool,),
    "max_empty": (int, float),
    "figures": (bool,),
    "labels": (bool,),
    "lengths": (bool,),
    "notices": (bool,),
    "total": (int,),
}


class Gold(NamedTuple):
    """The table `gold` of a benchmark: what may be known of its reference trees.

    Attributes:
        public: Whether anybody may know them; then nothing below is held back.
        max_empty: The share of sentences of a submission that may have no tree.
        figures: Whether all figures are told, or only the one that ranks.
        labels: Whether figures by label are told.
        lengths: Whether figures by the length of sentences are told.
        notices: Whether it is told what is suspicious about a submission, such as words that differ.
        total: How many submissions a submitter may ever make; None for any number.
    """

    public: bool = False
    max_empty: float = 0.1
    figures: bool = False
    labels: bool = False
    lengths: bool = False
    notices: bool = False
    total: int | None = 50

    @classmethod
    def of(cls, values: Mapping[str, Any], *, shows_sentences: bool) -> Gold:
        """The table with its defaults: reference trees are private unless sentences are shown."""
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

    def tells(self, what: str) -> bool:
        """Whether `figures`, `labels`, `lengths` or `notices` are told."""
        return self.public or getattr(self, what)

    def rules(self) -> Iterator[str]:
        """What a submitter must know, a sentence each."""
        if self.max_empty < 1:
            yield f"A file in which more than {self.max_empty:.0%} of the trees are missing is not accepted."
        if self.total is not None:
            yield f"A submitter may make {count(self.total, 'submission')} to this benchmark in all."
        if not self.public:
            yield (
                "The reference trees are private: figures are rounded, up or down by chance, to what their "
                "interval justifies, and ranks and groups are made from the rounded ones."
            )
            held = {
                "figures": "figures but the one that ranks",
                "labels": "figures by label",
                "lengths": "figures by length",
                "notices": "notices about the file",
            }
            kept = [title for name, title in held.items() if not self.tells(name)]
            if kept:
                yield f"Not told: {', '.join(kept)}."


def step_of(n_rows: int, measure: Measure, value: float = 1.0) -> float:
    """The grid of told figures: 1, 2 or 5 of some digit, below half the width of a parser's interval.

    It is the same for all submissions, so that it tells nothing of one. Only where a measure has no greatest
    value, it goes by the size of the figure.

    >>> from structiou_metric import StructIoU
    >>> [step_of(n, StructIoU.MEASURES["struct_iou_sentence"]) for n in (3, 80, 2400)]
    [0.1, 0.02, 0.005]
    """
    lowest, highest = measure.limits
    size = abs(value) or 1.0 if highest is None else highest - lowest
    half = _QUANTILE * _SPREAD * size / math.sqrt(max(n_rows, 1))
    digit = 10.0 ** math.floor(math.log10(half))
    return float(max(round(k * digit, 12) for k in (1, 2, 5) if k * digit <= half))


class Rounding:
    """Puts the figures of one submission on the grid.

    Args:
        key: The key of the coin, which is private and the same for all submissions to a benchmark.
        kept: What was found for every sentence.
        step: The step of the grid.
    """

    def __init__(self, key: str, kept: Any, step: float) -> None:
        self._seed = hmac.new(key.encode("ascii"), repr(kept).encode("utf-8"), hashlib.sha256).digest()
        self.step = step

    @property
    def digits(self) -> int:
        """The number of digits behind the point."""
        return max(0, -math.floor(math.log10(self.step) + 1e-9))

    def told(self, name: str, value: float) -> float:
        """A neighbour of the value on the grid; the value itself where it lies on it."""
        below = math.floor(value / self.step + 1e-9)
        above = value / self.step - below
        coin = int.from_bytes(hmac.new(self._seed, name.encode("utf-8"), hashlib.sha256).digest()[:8], "big")
        return round((below + (coin / 2**64 < above)) * self.step, self.digits)

    def interval(self, name: str, interval: Interval) -> Interval:
        """The interval of the figure of that name, on the grid."""
        value = self.told(name, interval.value)
        low, high = self.told(f"{name} low", interval.low), self.told(f"{name} high", interval.high)
        return Interval(value, min(low, value), max(high, value), interval.method)
