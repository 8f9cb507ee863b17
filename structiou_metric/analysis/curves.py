"""Perturbation curves: how the score falls as the word boundaries of the predictions get worse.

As in the paper, the predictions are perturbed at every level `delta` by every kind of perturbation, and
scored against the references as they are, in seconds; all this is repeated with other draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from ..drawing.plots import new_figure
from ..metrics.struct_iou.metric import StructIoU
from ..progress import Progress
from ..sources.rows import Problems, as_rows, fill
from ..speech.silence import GAPS, without_gaps
from ..trees.tree import SegmentTree
from ..wording import check_choice, count
from ..workers import check_workers, count_workers
from .perturbation import KINDS, Draw, Parser, check_delta, with_seconds

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from .._core.scan import Scanner
    from ..metrics.base import Options
    from ..sources.rows import Rows

    Figures = dict[str, float]

__all__ = ["Curve", "CurvePoint", "Finding", "perturbation_curve"]

DELTAS = tuple(tenth / 10 for tenth in range(11))  # The levels of the paper.
REPEATS = 5  # The draws at each level, unless another number is given.
SEED = 1  # The seed of all draws, unless another is given.

_MANY = 50_000  # rows to be scored in all, from which on more than one process pays


def perturbation_curve(
    predictions: Iterable[Any] | Rows,
    references: Iterable[Any] | Rows,
    *,
    metric: StructIoU | None = None,
    kinds: Iterable[str] = KINDS,
    deltas: Iterable[float] = DELTAS,
    repeats: int = REPEATS,
    seed: int = SEED,
    gaps: str = GAPS[0],
    parser: Parser | None = None,
    why: bool = False,
    workers: int | str = 1,
    progress: bool = False,
) -> Curve:
    """Score perturbed predictions against references, for every kind, level and repeat.

    >>> trees = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> metric = StructIoU(unit="word")
    >>> curve = perturbation_curve(trees, trees, metric=metric, kinds=["delete"], deltas=[0, 1])
    >>> [(point.delta, round(point.mean, 4), point.deviation) for point in curve.points]
    [(0.0, 1.0, 0.0), (1.0, 0.7143, 0.0)]

    Args:
        predictions: Trees, as `Metric.corpus_score` takes them.
        references: The reference trees, one for each prediction.
        metric: The metric with its options; by default STRUCT-IoU in seconds. With another unit a word, or a
            character, is one second long, and has no length if the metric drops it.
        kinds: The kinds of perturbation: `noise`, `insert`, `delete`.
        deltas: The levels, from 0 to 1.
        repeats: How often each level above 0 is drawn.
        seed: The seed of all draws. Those for a sentence depend on nothing else but the kind, the level, the
            repeat and the row; see `perturbation.generator_for`.
        gaps: Whether to `keep` silences between words, or to `close` them on both sides beforehand, as the
            paper does; see `speech.silence`.
        parser: A function that predicts the trees after `delete`; see `perturbation.perturb`. It is called in
            this process only.
        why: Whether each point also has the loss by each cause, under `lost_` and the cause: the part of 1
            that STRUCT-IoU at corpus level lacks because of it.
        workers: The number of processes, or `auto`: one for each processor if there is enough to do. The
            processes import the script that starts them, so its work must be below
            `if __name__ == "__main__":`.
        progress: Whether a terminal shows a progress bar when this takes long.
    """
    metric = metric or StructIoU(unit="time")
    kinds = tuple(dict.fromkeys(kinds))
    deltas = tuple(sorted(set(map(check_delta, deltas))))
    if not kinds or not deltas:
        raise ValueError("a curve needs at least one kind of perturbation and one level")
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, not {repeats}")
    check_workers(workers)
    for kind in kinds:
        check_choice("kind", kind, KINDS)
    check_choice("gaps", gaps, GAPS)
    predictions, references = as_rows(predictions, "predictions"), as_rows(references, "references")
    found = metric.corpus_score(predictions, references)  # checks the unit
    problems: Problems = {row: ValueError(message) for row, message in found.problems}
    scorer = _Scorer(
        (metric.explaining() if why else metric).with_options(unit="time"),
        PlacedRows.place(predictions, metric.options, gaps, problems),
        PlacedRows.place(references, metric.options, gaps, problems),
    )
    levels = {
        (kind, delta): [Draw(seed, kind, delta, repeat) for repeat in range(repeats)]
        for kind in kinds
        for delta in deltas
    }
    draws = [draw for drawn in levels.values() for draw in drawn if draw.delta]  # none changes level 0
    scores: dict[Draw, Figures] = {}
    with Progress(len(draws) * len(predictions), "scoring", show=progress) as bar:
        processes = count_workers(workers, pays=len(draws) * len(predictions) >= _MANY)
        for draw, score in _run(scorer, draws, parser, processes):
            scores[draw] = score
            bar.add(len(predictions))
    if 0.0 in deltas:
        unchanged = scorer.score(levels[kinds[0], 0.0][0])
        scores |= {draw: unchanged for kind in kinds for draw in levels[kind, 0.0]}
    settings = (
        f"kinds:{','.join(kinds)}|deltas:{','.join(map(repr, deltas))}|repeats:{repeats}|seed:{seed}|"
        f"gaps:{gaps}|delete:{'parser' if parser else 'merge'}"
    )
    return Curve(
        [
            CurvePoint.of(*level, metric.name, [scores[draw] for draw in drawn])
            for level, drawn in levels.items()
        ],
        n_sentences=found.n_counted,
        n_zeroed=found.n_zeroed,
        n_skipped=found.n_skipped,
        problems=found.problems,
        signature=f"{found.signature}|{settings}",
        departures=_departures(kinds, gaps, parser),
    )


def _departures(kinds: Sequence[str], gaps: str, parser: Parser | None) -> list[str]:
    """Return how the settings differ from the paper's, in words."""
    found = []
    if gaps != "close":
        found.append("silences between words are kept")
    if "delete" in kinds and parser is None:
        found.append("merged words are not parsed again")
    return found


@dataclass
class PlacedRows:
    """Trees of rows, with times, which can be sent to other processes.

    With a draw they are perturbed whenever they are read, so that at most a batch of those exists at a time.
    """

    trees: Sequence[SegmentTree | None]  # None where a row cannot be read
    names: Sequence[str]
    title: str
    problems: Mapping[int, ValueError]  # of rows that cannot be compared
    draw: Draw | None = None
    parser: Parser | None = None

    @classmethod
    def place(cls, rows: Rows, options: Options, gaps: str, problems: Mapping[int, ValueError]) -> PlacedRows:
        """Read all rows and give each word its seconds."""
        trees: list[SegmentTree | None] = []
        for row in range(len(rows)):
            try:
                tree = with_seconds(rows.tree(row, options.unit), options.drop)
            except ValueError:
                if row not in problems:
                    raise
                trees.append(None)
            else:
                trees.append(without_gaps(tree) if gaps == "close" else tree)
        return cls(trees, [rows.name(row) for row in range(len(rows))], rows.title, problems)

    def __len__(self) -> int:
        return len(self.trees)

    def name(self, row: int) -> str:
        """Return the name of the row in errors, which is that in the original rows."""
        return self.names[row]

    def longest(self, lo: int, hi: int) -> int:
        """Return about how many bytes the longest tree has in brackets."""
        return 12 * max((len(tree) for tree in self.trees[lo:hi] if tree is not None), default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Put rows into flat arrays for the aligner."""
        fill(self.loaded(lo, hi), unit, scanner, trees)
        return {row: self.problems[row] for row in range(lo, hi) if row in self.problems}

    def loaded(self, lo: int, hi: int) -> Sequence[SegmentTree | None]:
        """Return the trees of rows `lo … hi`."""
        draw, trees = self.draw, self.trees[lo:hi]
        if draw is None:
            return trees
        return [
            tree and draw.perturb(tree, row, self.name(row), self.parser)
            for row, tree in enumerate(trees, lo)
        ]

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """Return one row as a tree."""
        return self.loaded(row, row + 1)[0] or SegmentTree.from_brackets("", unit)


class _Scorer(NamedTuple):
    """All that a process needs to score predictions."""

    metric: StructIoU
    predictions: PlacedRows
    references: PlacedRows

    def score(self, draw: Draw, parser: Parser | None = None) -> Figures:
        """Score the perturbed predictions."""
        predictions = replace(self.predictions, draw=draw, parser=parser)
        result = self.metric.corpus_score(predictions, self.references)
        figures = dict(result.figures)
        if self.metric.explains:
            by_cause = result.losses.by_cause
            figures |= {f"{LOST}{cause}": result.loss_share(mass) for cause, mass in by_cause.items()}
        return figures


def _run(
    scorer: _Scorer, draws: Sequence[Draw], parser: Parser | None, workers: int
) -> Iterator[tuple[Draw, Figures]]:
    """Score each draw, those without a parser in `workers` processes, and yield results as they are ready."""
    here = [draw for draw in draws if workers == 1 or (parser and draw.kind == "delete")]
    there = [draw for draw in draws if draw not in here]
    if not there:
        for draw in here:
            yield draw, scorer.score(draw, parser)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    # Started from scratch rather than forked: nothing of this process's threads and locks is copied.
    with ProcessPoolExecutor(
        min(workers, len(there)), get_context("spawn"), initializer=_start, initargs=(scorer,)
    ) as pool:
        try:
            waiting = {pool.submit(_score, draw): draw for draw in there}
            for draw in here:
                yield draw, scorer.score(draw, parser)
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


_scorer: _Scorer  # of a process that was started


def _start(scorer: _Scorer) -> None:
    global _scorer
    _scorer = scorer


def _score(draw: Draw) -> Figures:
    return _scorer.score(draw)


# ---- results of a perturbation curve: points, a table, a plot, and the paper's findings checked ----


LOST = "lost_"  # prefix of a cause, the key of its loss at a point


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
        """Return the point with these figures of each repeat, as in `Result.figures` of the metric."""
        figures = {key: tuple(found[key] for found in repeats) for key in repeats[0]}
        return cls(kind, delta, figures[name], figures)

    @property
    def mean(self) -> float:
        """Return the mean of the scores."""
        return fmean(self.scores)

    @property
    def deviation(self) -> float:
        """Return the sample standard deviation of the scores; 0 for a single one."""
        return stdev(self.scores) if len(self.scores) > 1 else 0.0


class Finding(NamedTuple):
    """A finding of the paper on Switchboard, and whether it holds here.

    >>> from structiou_metric.analysis.curves import perturbation_curve
    >>> trees = ["(S (NP (PRP we<0,1>)) (VP (VBP run<1,2>)))"]
    >>> [finding] = perturbation_curve(trees, trees, kinds=["delete"], deltas=[0, 1]).findings()
    >>> finding.claim, finding.holds
    ('scores fall with δ: delete', True)

    Attributes:
        claim: The claim of the paper.
        holds: Whether the claim holds without exception.
        detail: The number of cases in which the claim holds, with the first exception.
    """

    claim: str
    holds: bool
    detail: str


@dataclass(frozen=True, repr=False)
class Curve:
    """The result of `curves.perturbation_curve`.

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
        departures: Differences from the paper's procedure, in words.
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
        """Return a sentence on the differences from the paper; empty if there are none."""
        return f"Other than in the paper, {' and '.join(self.departures)}." if self.departures else ""

    def by_kind(self) -> dict[str, list[CurvePoint]]:
        """Return the points of each kind, by rising level."""
        return {kind: list(points) for kind, points in groupby(self.points, lambda point: point.kind)}

    def findings(self) -> list[Finding]:
        """Check the paper's findings on the means: scores fall, `delete` hurts most, `noise` least."""
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
        """Return the curve as values that JSON can hold."""
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
        """Return the head, then a row for each level, a cell for each kind: mean ± standard deviation."""
        kinds = self.by_kind()
        rows = [["δ", *kinds]]
        for points in zip(*kinds.values(), strict=True):
            cells = (f"{point.mean:.4f} ± {point.deviation:.4f}" for point in points)
            rows.append([f"{points[0].delta:g}", *cells])
        return rows

    def table(self) -> str:
        """Return the rows as lines of text."""
        lines = [f"{delta:>5}" + "".join(f"  {cell:>15}" for cell in cells) for delta, *cells in self.rows()]
        return "\n".join([*lines, ""])

    def __repr__(self) -> str:
        kinds = self.by_kind()
        levels = max(map(len, kinds.values()), default=0)
        return f"<Curve {', '.join(kinds)}; {count(levels, 'level')}, {count(self.n_sentences, 'sentence')}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the plot, if matplotlib is there, the table and the findings."""
        from ..report.notebook import curve_html

        return curve_html(self)

    def causes(self) -> dict[str, list[list[str]]]:
        """Return tables of the loss by cause at each level, with their heads, by kind of perturbation.

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
        """Return a figure of matplotlib: the means as lines, the standard deviations as bands around them.

        Differences from the paper are listed below the plot.

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
