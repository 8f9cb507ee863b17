"""Perturbation curves: how the score falls as the word boundaries of the predictions get worse.

As in the paper, the predictions are perturbed at every level `delta` by every kind of perturbation, and
scored against the references as they are, in seconds; all this is repeated with other draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..metrics.struct_iou.metric import StructIoU
from ..progress import Progress
from ..sources.rows import Problems, as_rows, fill
from ..speech.silence import GAPS, without_gaps
from ..trees.tree import SegmentTree
from ..wording import check_choice
from ..workers import check_workers, count_workers
from .curve_results import LOST, Curve, CurvePoint
from .perturbation import KINDS, Draw, Parser, check_delta, with_seconds

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from .._core.scan import Scanner
    from ..metrics.base import Options
    from ..sources.rows import Rows

    Figures = dict[str, float]

__all__ = ["perturbation_curve"]

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
    """Scores perturbed predictions against references, for every kind, level and repeat.

    >>> trees = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> metric = StructIoU(unit="word")
    >>> curve = perturbation_curve(trees, trees, metric=metric, kinds=["delete"], deltas=[0, 1])
    >>> [(point.delta, round(point.mean, 4), point.deviation) for point in curve.points]
    [(0.0, 1.0, 0.0), (1.0, 0.7143, 0.0)]

    Args:
        predictions: Trees, as `Metric.corpus_score` takes them.
        references: As many trees as predictions.
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
        why: Whether each point tells what is lost by which cause, too, under `lost_` and the cause: what
            STRUCT-IoU at corpus level lacks of 1 because of it.
        workers: Processes, or `auto`: as many as there are processors where there is enough to do. A script
            that asks for more than one is imported by them: what it does must stand below
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
    found = metric.corpus_score(predictions, references)  # refuses what cannot be compared in this unit
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
    """Return what is done otherwise than in the paper."""
    found = []
    if gaps != "close":
        found.append("silences between words are kept")
    if "delete" in kinds and parser is None:
        found.append("merged words are not parsed again")
    return found


@dataclass
class PlacedRows:
    """Trees of rows, with times; a plain value that other processes can be given.

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
        """Reads all rows and gives each word its seconds."""
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
        """What the row is called in errors, as among the rows that these come from."""
        return self.names[row]

    def longest(self, lo: int, hi: int) -> int:
        """About how many bytes the longest tree has in brackets."""
        return 12 * max((len(tree) for tree in self.trees[lo:hi] if tree is not None), default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Puts rows into flat arrays."""
        fill(self.loaded(lo, hi), unit, scanner, trees)
        return {row: self.problems[row] for row in range(lo, hi) if row in self.problems}

    def loaded(self, lo: int, hi: int) -> Sequence[SegmentTree | None]:
        """The trees of rows `lo … hi`."""
        draw, trees = self.draw, self.trees[lo:hi]
        if draw is None:
            return trees
        return [
            tree and draw.perturb(tree, row, self.name(row), self.parser)
            for row, tree in enumerate(trees, lo)
        ]

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        return self.loaded(row, row + 1)[0] or SegmentTree.from_brackets("", unit)


class _Scorer(NamedTuple):
    """All that a process needs to score predictions."""

    metric: StructIoU
    predictions: PlacedRows
    references: PlacedRows

    def score(self, draw: Draw, parser: Parser | None = None) -> Figures:
        """Scores the perturbed predictions."""
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
    """Scores each draw, those without a parser in `workers` processes; gives the results as they come."""
    here = [draw for draw in draws if workers == 1 or (parser and draw.kind == "delete")]
    there = [draw for draw in draws if draw not in here]
    if not there:
        for draw in here:
            yield draw, scorer.score(draw, parser)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    # Started anew rather than forked: nothing of this process's threads and locks is copied.
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
