"""What a perturbation curve shows: its points, a table, a plot, and the paper's findings checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import fmean, stdev
from typing import Any, NamedTuple

from ..drawing.plots import new_figure
from ..wording import count

__all__ = ["Curve", "CurvePoint", "Finding"]

LOST = "lost_"  # before a cause, the key of what it costs at a point


class CurvePoint(NamedTuple):
    """The scores at one level of one kind of perturbation.

    >>> point = CurvePoint.of("noise", 0.5, "struct_iou", [{"struct_iou": 0.75}, {"struct_iou": 0.25}])
    >>> point.mean, round(point.deviation, 4)
    (0.5, 0.3536)

    Attributes:
        kind: The kind of perturbation.
        delta: The level of the perturbation.
        scores: The headline of each repeat.
        figures: Every figure of each repeat, by its key.
    """

    kind: str
    delta: float
    scores: tuple[float, ...]
    figures: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(cls, kind: str, delta: float, name: str, repeats: Sequence[Mapping[str, float]]) -> CurvePoint:
        """The point with these figures of each repeat, as they are in `Result.figures` of the metric."""
        figures = {key: tuple(found[key] for found in repeats) for key in repeats[0]}
        return cls(kind, delta, figures[name], figures)

    @property
    def mean(self) -> float:
        """The mean of the scores."""
        return fmean(self.scores)

    @property
    def deviation(self) -> float:
        """The standard deviation of the scores, with one less than their number below; 0 for a single one."""
        return stdev(self.scores) if len(self.scores) > 1 else 0.0


class Finding(NamedTuple):
    """Something that the paper found on Switchboard, and whether it holds here.

    >>> from structiou_metric.analysis.curves import perturbation_curve
    >>> trees = ["(S (NP (PRP we<0,1>)) (VP (VBP run<1,2>)))"]
    >>> [finding] = perturbation_curve(trees, trees, kinds=["delete"], deltas=[0, 1]).findings()
    >>> finding.claim, finding.holds
    ('scores fall with δ: delete', True)

    Attributes:
        claim: What the paper says.
        holds: Whether it is so without exception.
        detail: The number of cases in which it is so, with the first exception.
    """

    claim: str
    holds: bool
    detail: str


@dataclass(frozen=True, repr=False)
class Curve:
    """What `curves.perturbation_curve` found.

    >>> from structiou_metric.analysis.curves import perturbation_curve
    >>> trees = ["(S (NP (PRP we<0,1>)) (VP (VBP run<1,2>)))"]
    >>> print(perturbation_curve(trees, trees, kinds=["delete"], deltas=[0, 1]).table(), end="")
        δ           delete
        0  1.0000 ± 0.0000
        1  0.4286 ± 0.0000

    Attributes:
        points: The points of all kinds one after the other, each by rising level.
        n_sentences: The number of pairs scored at each point.
        n_zeroed: The number of pairs that could not be compared and count as 0.
        n_skipped: The number of pairs that could not be compared and were left out.
        problems: The row and the message of each of those pairs.
        signature: The signature of the metric, and all that the draws depend on.
        departures: What was done otherwise than in the paper, in words.
    """

    points: Sequence[CurvePoint]
    n_sentences: int
    n_zeroed: int
    n_skipped: int
    problems: Sequence[tuple[int, str]]
    signature: str
    departures: Sequence[str] = ()

    @property
    def caption(self) -> str:
        """What differs from the paper, in a sentence; empty if nothing does."""
        return f"Other than in the paper, {' and '.join(self.departures)}." if self.departures else ""

    def by_kind(self) -> dict[str, list[CurvePoint]]:
        """The points of each kind, by rising level."""
        return {kind: list(points) for kind, points in groupby(self.points, lambda point: point.kind)}

    def findings(self) -> list[Finding]:
        """The paper's findings, checked on the means: scores fall, `delete` hurts most, `noise` least."""
        kinds = self.by_kind()
        found = [_check_fall(kind, points) for kind, points in kinds.items() if len(points) > 1]
        for kind, extreme, best in (("delete", "most", min), ("noise", "least", max)):
            if kind in kinds and len(kinds) > 1:
                places = [
                    (points[0].delta, best(points, key=lambda point: point.mean).kind)
                    for points in zip(*kinds.values(), strict=True)
                    if points[0].delta
                ]
                wrong = [f"at δ = {delta:g} {other} does" for delta, other in places if other != kind]
                if places:
                    found.append(_finding(f"{kind} hurts {extreme}", len(places), wrong, "levels above 0"))
        return found

    def as_dict(self) -> dict[str, Any]:
        """The curve as plain values for JSON."""
        result: dict[str, Any] = {
            "points": [
                {
                    "kind": point.kind,
                    "delta": point.delta,
                    "mean": point.mean,
                    "standard_deviation": point.deviation,
                    **{key: list(values) for key, values in point.figures.items()},
                }
                for point in self.points
            ],
            "findings": [finding._asdict() for finding in self.findings()],
            "n_sentences": self.n_sentences,
            "n_zeroed": self.n_zeroed,
            "n_skipped": self.n_skipped,
            "signature": self.signature,
            "departures": list(self.departures),
        }
        if self.problems:
            result["problems"] = [{"index": row, "message": message} for row, message in self.problems]
        return result

    def rows(self) -> list[list[str]]:
        """The head, then a row for each level, a cell for each kind: mean ± standard deviation."""
        kinds = self.by_kind()
        rows = [["δ", *kinds]]
        for points in zip(*kinds.values(), strict=True):
            cells = (f"{point.mean:.4f} ± {point.deviation:.4f}" for point in points)
            rows.append([f"{points[0].delta:g}", *cells])
        return rows

    def table(self) -> str:
        """The rows as lines of text."""
        lines = [f"{delta:>5}" + "".join(f"  {cell:>15}" for cell in cells) for delta, *cells in self.rows()]
        return "\n".join([*lines, ""])

    def __repr__(self) -> str:
        kinds = self.by_kind()
        levels = max(map(len, kinds.values()), default=0)
        return f"<Curve {', '.join(kinds)}; {count(levels, 'level')}, {count(self.n_sentences, 'sentence')}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the plot, if matplotlib is there, the table and the paper's findings."""
        from ..report.notebook import curve_html

        return curve_html(self)

    def causes(self) -> dict[str, list[list[str]]]:
        """A table with the head first of what is lost by which cause at each level, by kind of perturbation.

        Only causes that cost anything; empty if causes were not asked for.
        """
        tables = {}
        for kind, points in self.by_kind().items():
            keys = [
                key
                for key in points[0].figures
                if key.startswith(LOST) and any(_mean(p, key) for p in points)
            ]
            keys.sort(key=lambda key: -max(_mean(point, key) for point in points))
            if keys:
                rows = [["δ", *(key.removeprefix(LOST) for key in keys)]]
                rows += [[f"{p.delta:g}", *(f"{_mean(p, key):.4f}" for key in keys)] for p in points]
                tables[kind] = rows
        return tables

    def plot(self, title: str = "") -> Any:
        """A figure of matplotlib: the means as lines, the standard deviations as bands around them.

        Below it stands what differs from the paper.

        Args:
            title: The title above the plot.
        """
        figure, axes = new_figure()
        for (kind, points), marker in zip(self.by_kind().items(), _MARKERS, strict=False):
            deltas = [point.delta for point in points]
            means = [point.mean for point in points]
            (line,) = axes.plot(deltas, means, marker=marker, markersize=4, label=kind)
            low = [point.mean - point.deviation for point in points]
            high = [point.mean + point.deviation for point in points]
            axes.fill_between(deltas, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
        below = f"\n{self.caption}" if self.caption else ""
        axes.set_xlabel(f"perturbation level δ{below}")
        axes.set_ylabel("STRUCT-IoU, mean ± standard deviation")
        axes.set_ylim(0.0, 1.02)
        axes.grid(axis="y", alpha=0.3)
        axes.legend(title="boundaries perturbed by", frameon=False, loc="lower left")
        if title:
            axes.set_title(title)
        return figure


_MARKERS = "os^"


def _mean(point: CurvePoint, key: str) -> float:
    return fmean(point.figures[key])


def _check_fall(kind: str, points: Sequence[CurvePoint]) -> Finding:
    rises = [
        f"from δ = {before.delta:g} to {after.delta:g} it goes from {before.mean:.4f} to {after.mean:.4f}"
        for before, after in pairwise(points)
        if after.mean >= before.mean
    ]
    return _finding(f"scores fall with δ: {kind}", len(points) - 1, rises, "steps")


def _finding(claim: str, cases: int, exceptions: Sequence[str], what: str) -> Finding:
    detail = f"{cases - len(exceptions)} of {cases} {what}"
    if exceptions:
        detail += f"; {exceptions[0]}"
    return Finding(claim, not exceptions, detail)
