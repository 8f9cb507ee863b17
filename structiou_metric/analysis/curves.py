"""Perturbation curves: how the score falls as the word boundaries of the predictions get worse.

As in the paper, the predictions are perturbed at every level `delta` by every kind of perturbation, and
scored against the references as they are, in seconds; all this is repeated with other draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import TreeFormatError
from ..metrics.struct_iou.metric import StructIoU
from ..progress import Progress
from ..sources.rows import ListRows, Problems, as_list, fill
from ..speech.silence import GAPS, without_gaps
from ..trees.surgery import dropped_words
from ..trees.tree import SegmentTree
from ..wording import check_choice
from .curve_results import Curve, CurvePoint
from .perturbation import KINDS, Parser, check_delta, check_kind, generator_for, perturb

if TYPE_CHECKING:
    from .._core.flat import FlatTrees
    from .._core.scan import Scanner
    from ..metrics.base import Options
    from ..sources.rows import Rows

    Figures = dict[str, float]

DELTAS = tuple(tenth / 10 for tenth in range(11))
REPEATS = 5
SEED = 1


class Sweep(NamedTuple):
    """Which perturbations a curve goes through; `checked` validates every value.

    Attributes:
        kinds: Of perturbation: `noise`, `insert`, `delete`.
        deltas: The levels, from 0 to 1.
        repeats: How often each level above 0 is drawn.
        seed: Of all draws. Those for a sentence depend on nothing else but the kind, the level, the
            repeat and the row; see `perturbation.generator_for`.
        gaps: `keep` silences between words, or `close` them on both sides beforehand, as the paper
            does; see `speech.silence`.
    """

    kinds: Sequence[str] = KINDS
    deltas: Sequence[float] = DELTAS
    repeats: int = REPEATS
    seed: int = SEED
    gaps: str = GAPS[0]

    def checked(self) -> Sweep:
        """The same with each kind once, and each level once and in order."""
        kinds = tuple(dict.fromkeys(map(check_kind, self.kinds)))
        deltas = tuple(sorted(set(map(check_delta, self.deltas))))
        if not kinds or not deltas:
            raise ValueError("a curve needs at least one kind of perturbation and one level")
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1, not {self.repeats!r}")
        check_choice("gaps", self.gaps, GAPS)
        return self._replace(kinds=kinds, deltas=deltas)

    def jobs(self) -> list[Job]:
        """All that is drawn; nothing is at level 0."""
        return [
            Job(kind, delta, repeat)
            for kind in self.kinds
            for delta in self.deltas
            if delta
            for repeat in range(self.repeats)
        ]

    def signature(self) -> str:
        """Every value, to be put behind the metric's signature."""
        kinds, deltas = ",".join(self.kinds), ",".join(map(repr, self.deltas))
        return f"kinds:{kinds}|deltas:{deltas}|repeats:{self.repeats}|seed:{self.seed}|gaps:{self.gaps}"


class Job(NamedTuple):
    """One perturbation of all predictions."""

    kind: str
    delta: float
    repeat: int


def perturbation_curve(
    predictions: Iterable[Any],
    references: Iterable[Any],
    *,
    metric: StructIoU | None = None,
    parser: Parser | None = None,
    workers: int = 1,
    progress: bool = False,
    **sweep: Any,
) -> Curve:
    """Scores perturbed predictions against references, for every kind, level and repeat.

    >>> trees = ["(S (NP (PRP we)) (VP (VBP run)))", "(INTJ (UH yes))"]
    >>> metric = StructIoU(unit="word")
    >>> curve = perturbation_curve(trees, trees, metric=metric, kinds=["delete"], deltas=[0, 1])
    >>> [(point.delta, round(point.mean, 4), point.deviation) for point in curve.points]
    [(0.0, 1.0, 0.0), (1.0, 0.7143, 0.0)]

    Args:
        predictions: Trees in any shape that `shapes.as_tree` takes.
        references: As many trees.
        metric: With its options; by default STRUCT-IoU in seconds. With another unit a word, or a
            character, is one second long, and has no length if the metric drops it.
        parser: Predicts the trees after `delete`; see `perturbation.perturb`. Called in this process only.
        workers: Processes. A script that asks for more than one is imported by them: what it does must
            stand below `if __name__ == "__main__":`.
        progress: Whether a terminal shows a progress bar when this takes long.
        **sweep: `kinds`, `deltas`, `repeats`, `seed` and `gaps`, as in `Sweep`.
    """
    return curve_of_rows(
        ListRows(as_list(predictions, "predictions"), "predictions"),
        ListRows(as_list(references, "references"), "references"),
        metric or StructIoU(unit="time"),
        Sweep(**sweep),
        parser=parser,
        workers=workers,
        progress=progress,
    )


def curve_of_rows(
    predictions: Rows,
    references: Rows,
    metric: StructIoU,
    sweep: Sweep,
    *,
    parser: Parser | None = None,
    workers: int = 1,
    progress: bool = False,
) -> Curve:
    """`perturbation_curve` for trees from anywhere, such as a `files.TreeFile`."""
    sweep = sweep.checked()
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    found = metric.corpus_score(predictions, references)  # refuses what cannot be compared in this unit
    problems: Problems = {row: ValueError(message) for row, message in found.problems}
    options = metric.options
    scorer = _Scorer(
        metric.with_options(unit="time"),
        PlacedRows.place(predictions, options, sweep.gaps, problems),
        PlacedRows.place(references, options, sweep.gaps, problems),
        sweep.seed,
    )
    scores: dict[Job, Figures] = {}
    jobs = sweep.jobs()
    with Progress(len(jobs) * len(predictions), "scoring", show=progress) as bar:
        for job, score in _run(scorer, jobs, parser, workers):
            scores[job] = score
            bar.add(len(predictions))
    if 0.0 in sweep.deltas:
        unchanged = scorer.score(None)
        for kind in sweep.kinds:
            scores |= {Job(kind, 0.0, repeat): unchanged for repeat in range(sweep.repeats)}
    return Curve(
        [
            CurvePoint.of(
                kind,
                delta,
                metric.name,
                [scores[Job(kind, delta, repeat)] for repeat in range(sweep.repeats)],
            )
            for kind in sweep.kinds
            for delta in sweep.deltas
        ],
        n_sentences=found.n_counted,
        n_zeroed=found.n_zeroed,
        n_skipped=found.n_skipped,
        problems=found.problems,
        signature=f"{metric.signature}|{sweep.signature()}|delete:{'parser' if parser else 'merge'}",
    )


class PlacedRows:
    """Trees of rows, with times; a plain value that other processes can be given.

    Args:
        trees: None where a row cannot be read.
        names: What to call the rows in errors.
        title: What to call them all.
        problems: Rows that cannot be compared.
    """

    def __init__(
        self,
        trees: Sequence[SegmentTree | None],
        names: Sequence[str],
        title: str,
        problems: Mapping[int, ValueError],
    ) -> None:
        self.trees = trees
        self.names = names
        self.title = title
        self.problems = problems

    @classmethod
    def place(cls, rows: Rows, options: Options, gaps: str, problems: Mapping[int, ValueError]) -> PlacedRows:
        """Reads all rows and gives each word its seconds."""
        trees: list[SegmentTree | None] = []
        for row in range(len(rows)):
            try:
                tree = _in_seconds(rows.tree(row, options.unit), options.drop)
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
        """As the rows were called that these come from."""
        return self.names[row]

    def longest(self, lo: int, hi: int) -> int:
        """About the bytes of the longest tree in brackets."""
        return 12 * max((len(tree) for tree in self.trees[lo:hi] if tree is not None), default=0)

    def load(self, lo: int, hi: int, unit: str, scanner: Scanner, trees: FlatTrees) -> Problems:
        """Puts rows into flat arrays."""
        fill(self.loaded(lo, hi), unit, scanner, trees)
        return {row: self.problems[row] for row in range(lo, hi) if row in self.problems}

    def loaded(self, lo: int, hi: int) -> Sequence[SegmentTree | None]:
        """The trees of rows `lo … hi`."""
        return self.trees[lo:hi]

    def tree(self, row: int, unit: str | None) -> SegmentTree:
        """One row as a tree."""
        return self.loaded(row, row + 1)[0] or SegmentTree.from_brackets("", unit)


class PerturbedRows(PlacedRows):
    """The same trees perturbed, whenever they are read; at most a batch of them exists at a time."""

    def __init__(self, rows: PlacedRows, seed: int, job: Job, parser: Parser | None) -> None:
        super().__init__(rows.trees, rows.names, rows.title, rows.problems)
        self._seed = seed
        self._job = job
        self._parser = parser

    def loaded(self, lo: int, hi: int) -> Sequence[SegmentTree | None]:
        """The trees of rows `lo … hi`, perturbed."""
        return [tree and self._perturb(tree, row) for row, tree in enumerate(self.trees[lo:hi], lo)]

    def _perturb(self, tree: SegmentTree, row: int) -> SegmentTree:
        kind, delta, repeat = self._job
        rng = generator_for(self._seed, kind, delta, repeat, row)
        try:
            return perturb(tree, kind, delta, rng, parser=self._parser)
        except TreeFormatError as error:  # by the parser
            raise TreeFormatError(str(error), source=self.name(row)) from None


def _in_seconds(tree: SegmentTree, drop: Iterable[str]) -> SegmentTree:
    """The tree with times on the axis of its unit; words that the metric drops have no length there."""
    if tree.unit == "time" or not tree:
        return tree.with_unit("time")
    starts, ends = tree.word_positions()
    lengths = [end - start for start, end in zip(starts, ends, strict=True)]
    for word in dropped_words(tree, drop):
        lengths[word] = 0.0
    bounds = list(accumulate(lengths, initial=0.0))
    return tree.with_times(pairwise(bounds))


class _Scorer(NamedTuple):
    """All that a process needs to do jobs."""

    metric: StructIoU
    predictions: PlacedRows
    references: PlacedRows
    seed: int

    def score(self, job: Job | None, parser: Parser | None = None) -> Figures:
        """Scores the predictions perturbed, or as they are."""
        predictions = self.predictions
        if job is not None:
            predictions = PerturbedRows(predictions, self.seed, job, parser)
        figures: Figures = self.metric.corpus_score(predictions, self.references).figures
        return figures


def _run(
    scorer: _Scorer, jobs: Sequence[Job], parser: Parser | None, workers: int
) -> Iterator[tuple[Job, Figures]]:
    """Does jobs, those without a parser in `workers` processes; gives the results as they come."""
    here = [job for job in jobs if workers == 1 or (parser and job.kind == "delete")]
    there = [job for job in jobs if job not in here]
    if not there:
        for job in here:
            yield job, scorer.score(job, parser)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    # Started anew rather than forked: nothing of this process's threads and locks is copied.
    with ProcessPoolExecutor(
        min(workers, len(there)), get_context("spawn"), initializer=_start, initargs=(scorer,)
    ) as pool:
        try:
            waiting = {pool.submit(_score, job): job for job in there}
            for job in here:
                yield job, scorer.score(job, parser)
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


_scorer: _Scorer  # of a process that does jobs


def _start(scorer: _Scorer) -> None:
    global _scorer
    _scorer = scorer


def _score(job: Job) -> Figures:
    return _scorer.score(job)
