"""The way from rows of trees to results: batches are read once, and counted by every metric, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .._core.flat import FlatTrees
from .._core.scan import Scanner
from .._core.suspects import SHIFTED
from ..sources.rows import as_rows, check_as_many, several, sign_reading
from .base import BaseMetric, Counts
from .batch import Batch
from .doubts import masked
from .worker import Worker

if TYPE_CHECKING:
    from ..sources.rows import Rows
    from .base import Labels
    from .results import Result

    Pieces = Iterable[tuple[int, Rows, Rows]]
    _Task = tuple[Sequence[Rows], Rows, int, int]
    _Found = list[list[Counts]]

_BATCH = 1024  # rows; enough to make the overhead of a call small and few enough to stay in the cache
_LENT_BATCH = 2048  # rows of trees that were read before, so that only what counts is in the cache
_LONG = 2048  # bytes of a tree; where they are longer, batches are smaller
# Threads of `auto`: from so many batches on, that is some thousand pairs, or fewer where trees are long; and
# so many at most, for about a sixteenth of the work holds the interpreter's lock.
_MANY, _MOST = 4, 8


def score(
    metric: BaseMetric,
    predictions: Iterable[Any] | Rows,
    references: Iterable[Any] | Rows,
    *,
    documents: bool = False,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    strict: bool = False,
) -> Any:
    """What a metric finds for two lists of trees; it does the work of `Metric.corpus_score`."""
    preds, refs = take_sides(predictions, references, documents)
    if not metric.pairs_itself:
        check_sides([preds], refs)
    pieces = [(0, preds, refs)]
    return score_pieces(
        metric,
        pieces,
        total=len(preds),
        by_label=by_label,
        workers=workers,
        progress=progress,
        strict=strict,
    )


def take_sides(
    predictions: Iterable[Any] | Rows, references: Iterable[Any] | Rows, documents: bool
) -> tuple[Rows, Rows]:
    """The rows of both sides."""
    if not documents:
        return as_rows(predictions, "predictions"), as_rows(references, "references")
    from ..sources.documents import as_documents, check_ids

    preds, refs = as_documents(predictions, "predictions"), as_documents(references, "references")
    check_ids(preds, refs)
    return preds, refs


def score_pieces(
    metric: BaseMetric,
    pieces: Pieces,
    *,
    total: int | None = None,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    strict: bool = False,
) -> Any:
    """What a metric finds for more trees than should be held at once, or for a stream.

    Args:
        metric: The metric with its options.
        pieces: The number of a piece's first row, its predictions and as many references, whose
            rows are numbered from there. For `Result.by_label` and `Result.rerun` they are gone
            through again, except those of an iterator, which is used up.
        total: How many pairs there are, if that is known.
        by_label: Whether to count labels on the way, which takes about twice as long.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
        strict: Whether anything suspicious, which `Result.notices` tells otherwise, is a `NoticeError`.
    """
    how: dict[str, Any] = {"total": total, "workers": workers, "progress": progress}
    result: Result = metric.RESULT(metric)
    add_rows(result, pieces, by_label=by_label, **how)
    finish(result, pieces, how)
    if strict:
        result.refuse_notices()
    return result


def finish(result: Result, pieces: Pieces, how: dict[str, Any]) -> None:
    """Tells a result that all batches are there, and how to go through them again, if they can be."""

    def run(metric: BaseMetric, by_label: bool = False) -> Result:
        again: Result = metric.RESULT(metric)
        add_rows(again, pieces, **{**how, "by_label": by_label})
        return again

    def recount() -> Labels:
        again = run(result.metric, True)
        result.recounted(again)
        return again.labels or {}

    if iter(pieces) is pieces:
        result.finish(None)
    else:
        result.finish(recount)
        result.rerun = run


def add_rows(result: Result, pieces: Pieces, *, total: int | None = None, **how: Any) -> None:
    """Adds what the metric of a result finds in more pieces, whose rows may have several references.

    Args:
        result: What was found so far.
        pieces: The pieces, as in `score_pieces`.
        total: How many pairs there are, if that is known.
        **how: `by_label`, `workers` and `progress`, as in `score_pieces`; with `group_of`, which tells the
            group of a row by its number, what is summed up by label is told apart by groups, too.
    """
    for has_choice, group in groupby(pieces, lambda piece: bool(several(piece[2]))):
        if not has_choice:
            add_pieces(result, group, total=total, **how)
            continue
        for first, predictions, references in group:
            add_best(result, predictions, references, first, **how)


def add_pieces(
    result: Result,
    pieces: Pieces,
    *,
    total: int | None = None,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    paired: bool = False,
    group_of: Callable[[int], str] | None = None,
) -> None:
    """Adds what the metric of a result finds in more pieces; the arguments are those of `score_pieces`.

    With `paired`, rows with the same number are compared whatever the metric says.
    """

    def pairs() -> Pieces:
        for first, preds, refs in pieces:
            result.reading = result.reading or sign_reading(preds, refs)
            yield (first, preds, refs) if paired else (first, *pair_rows(result.metric, preds, refs, first))

    systems = ((first, [predictions], references) for first, predictions, references in pairs())
    found = run_batches([result.metric], systems, total, by_label, workers, progress, group_of)
    for first, [[counts]] in found:
        if paired and counts.doubts is not None:
            counts.doubts = masked(counts.doubts, 255 & ~SHIFTED)  # neighbours are not those of the input
        result.add(first, counts)


def add_best(
    result: Result,
    predictions: Rows,
    references: Any,
    first: int,
    *,
    by_label: bool = False,
    workers: int = 1,
    progress: bool = False,
    group_of: Callable[[int], str] | None = None,
) -> None:
    """Adds a piece with several references in some rows, of which the one most like the prediction counts."""
    from .best_reference import Choice

    check_as_many(predictions, references)
    result.reading = result.reading or sign_reading(predictions, references)
    choice = Choice(predictions, references, first)
    found: Result = result.metric.RESULT(result.metric)
    how: dict[str, Any] = {"workers": workers, "progress": progress, "paired": True}
    add_pieces(found, [(0, choice.predictions, choice.references)], total=len(choice.references), **how)
    best = choice.find_best(found)
    if by_label:  # only those of the best references are to be counted
        piece = first, predictions, choice.chosen()
        add_pieces(result, [piece], by_label=True, group_of=group_of, **how)
        result.used |= best.used
    else:
        result.append(best, shift=0)


def check(metric: BaseMetric, predictions: Rows, references: Rows) -> list[tuple[int, ValueError]]:
    """The row and the error of each pair that could not be compared; reads the trees but compares none."""
    predictions, references = pair_rows(metric, predictions, references, 0)
    worker, counter = Worker([metric], 1), metric.counter()
    problems: list[tuple[int, ValueError]] = []
    for lo, hi in _batches([predictions, references], 0, len(references)):
        [batch] = worker.read([predictions], references, lo, hi, metric.unit or "word")
        problems += sorted(counter.check(batch).items())
    return problems


def count_wordless(rows: Rows) -> int:
    """How many rows have no word, as a failed parse has none; those that cannot be read are not counted."""
    scanner, trees = Scanner(), FlatTrees()
    n_wordless = 0
    for lo, hi in _batches([rows], 0, len(rows)):
        unreadable = rows.load(lo, hi, "word", scanner, trees)
        n_wordless += sum(not trees.words(t)[0] for t in range(hi - lo) if lo + t not in unreadable)
    return n_wordless


def read_pair(metric: BaseMetric, prediction: Rows, reference: Rows) -> Batch:
    """The first row of both sides as a batch, or the error that keeps it from being read."""
    [batch] = Worker([metric], 1).read([prediction], reference, 0, 1, metric.unit or "word")
    for error in batch.problems.values():
        raise error
    return batch


def pair_rows(metric: BaseMetric, predictions: Rows, references: Rows, first: int) -> tuple[Rows, Rows]:
    """The rows that a metric compares, as many of both sides."""
    found = metric.pair(predictions, references, first) or (predictions, references)
    check_as_many(*found)
    return found


def check_sides(systems: Sequence[Rows], references: Rows) -> None:
    """Refuses systems with more or fewer rows than the references, or none."""
    for predictions in systems:
        check_as_many(predictions, references)
        if not len(predictions):
            raise ValueError(f"{predictions.title} and {references.title} hold no trees to score")


def _batches(sides: Sequence[Rows], first: int, n_rows: int) -> Iterator[tuple[int, int]]:
    """The ranges of rows to be done at once, the references being the last of the sides.

    The work on a pair grows with the cube of the shorter tree's length.
    """
    *systems, references = sides
    lo = first
    end = first + n_rows
    most = _LENT_BATCH if all(hasattr(rows, "lend") for rows in sides) else _BATCH
    # Asked for all at once, as whoever looks at texts that another thread is to read makes it wait for them.
    is_short = lo == end or references.longest(lo, end) <= _LONG
    while lo < end:
        hi = min(lo + most, end)
        longest = 0 if is_short else references.longest(lo, hi)
        if longest > _LONG and systems:
            longest = min(longest, max(rows.longest(lo, hi) for rows in systems))
        if longest > _LONG:
            hi = min(hi, lo + max(1, int(_BATCH * (_LONG / longest) ** 3)))
        yield lo, hi
        lo = hi


def run_batches(
    metrics: Sequence[BaseMetric],
    pieces: Iterable[tuple[int, Sequence[Rows], Rows]],
    total: int | None,
    by_label: bool,
    workers: int | str,
    progress: bool,
    group_of: Callable[[int], str] | None = None,
) -> Iterator[tuple[int, _Found]]:
    """Counts batches of rows in `workers` threads; gives the first row and the counts of each, in order."""
    tasks: Iterable[_Task] = (
        (systems, references, lo, hi)
        for first, systems, references in pieces
        for lo, hi in _batches([*systems, references], first, len(references))
    )
    n_threads = 1
    if workers != 1:
        from itertools import chain, islice

        from ..workers import AUTO, count_workers

        tasks = iter(tasks)
        begun = list(islice(tasks, _MANY if workers == AUTO else 0))
        tasks = chain(begun, tasks)
        n_threads = count_workers(workers, pays=len(begun) == _MANY and _is_compiled(), most=_MOST)
    from ..progress import Progress

    with Progress(total, "scoring", show=progress) as bar:
        if n_threads == 1:
            worker: Worker | None = None
            for systems, references, lo, hi in tasks:
                worker = worker or Worker(metrics, len(systems), group_of)
                yield lo, worker.run(systems, references, lo, hi, by_label)
                bar.add(hi - lo)
            return

        from .threads import run_in_threads

        idle: list[Worker] = []  # those that no thread is using, and that did not fail

        def run(task: _Task) -> _Found:
            systems, references, lo, hi = task
            try:
                worker = idle.pop()
            except IndexError:
                worker = Worker(metrics, len(systems), group_of)
            found = worker.run(systems, references, lo, hi, by_label)
            idle.append(worker)
            return found

        for (_, _, lo, hi), found in run_in_threads(run, tasks, n_threads):
            yield lo, found
            bar.add(hi - lo)


def _is_compiled() -> bool:
    """Whether threads run side by side; uncompiled, all of them hold the interpreter's lock."""
    from .._core.align import COMPILED

    return bool(COMPILED)
