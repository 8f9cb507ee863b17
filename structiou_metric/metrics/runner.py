"""The way from rows of trees to results: batches are read once, and counted by every metric, in threads.

`score_pieces` is for one metric, `score_all` for several, and `score_systems` for several systems. All cut
the rows into batches (`run_batches`). Every thread has a `Worker`, which reads a batch and has it counted.
Results add up the `Counts` in order.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any

from .._core.align import COMPILED
from .._core.flat import FlatTrees
from .._core.row_checks import SHIFTED
from .._core.scan import Scanner
from ..progress import Progress
from ..sources.documents import take_sides
from ..sources.rows import check_as_many, several, sign_reading
from ..workers import AUTO, count_workers
from .base import COUNTED, Batch, Counter, Counts, RowMarks
from .best_reference import Choice, opened
from .warnings import WarningFinder, look_of, refuse_warnings

if TYPE_CHECKING:
    from ..sources.rows import Rows
    from .base import Labels
    from .metric import Metric
    from .results import Result

    Pieces = Iterable[tuple[int, Rows, Rows]]
    _Task = tuple[Sequence[Rows], Rows, int, int]
    _Found = list[list[Counts]]

_BATCH = 1024  # rows; enough to make the overhead of a call small and few enough to stay in the cache
_LONG = 2048  # bytes of a tree; where they are longer, batches are smaller
# The option `auto` starts threads from this number of batches on (some thousand pairs, or fewer if trees
# are long), and at most this number, because about a sixteenth of the work holds the interpreter's lock.
_MANY, _MOST = 4, 8
_AHEAD = 4  # batches a thread that may wait to be done, or to be taken when done


def score_pieces(
    metric: Metric,
    pieces: Pieces,
    *,
    total: int | None = None,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    strict: bool = False,
) -> Any:
    """Return the result of a metric for more trees than should be held at once, or for a stream.

    Args:
        metric: The metric with its options.
        pieces: The number of a piece's first row, its predictions and its references, whose rows are numbered
            from there. For `Result.by_label` they are gone through again, except those of an iterator, which
            is used up.
        total: How many pairs there are, if that is known.
        by_label: Whether to count labels on the way, which takes about twice as long.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.
        strict: Whether anything suspicious, which is otherwise in `Result.warnings`, is a `StrictError`.
    """

    def run(metric: Metric, by_label: bool) -> Result:
        result: Result = metric.RESULT(metric)
        add_rows(result, pieces, total=total, by_label=by_label, workers=workers, progress=progress)
        return result

    result = run(metric, by_label)
    if iter(pieces) is not pieces:
        result._rerun = run
    if strict:
        refuse_warnings(result.warnings)
    return result._finish()


def add_rows(
    result: Result,
    pieces: Pieces,
    *,
    total: int | None = None,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
    group_of: Callable[[int], str | None] | None = None,
) -> None:
    """Count more pieces, whose rows may have several references, and add them to a result.

    Args:
        result: The result so far.
        pieces: The pieces, as in `score_pieces`.
        total: How many pairs there are, if that is known.
        by_label: Whether to count labels on the way.
        workers: The number of threads, as in `score_pieces`.
        progress: Whether a terminal shows a progress bar when this takes long.
        group_of: The group of a row by its number; sums by label are then kept for each group, too.
    """
    how: dict[str, Any] = {"workers": workers, "progress": progress, "group_of": group_of}
    for has_choice, group in groupby(pieces, lambda piece: bool(several(piece[2]))):
        if not has_choice:
            _add_pairs(result, group, total, by_label, **how)
            continue
        for first, predictions, references in group:
            _add_best(result, predictions, references, first, by_label, **how)


def _add_pairs(
    result: Result,
    pieces: Pieces,
    total: int | None,
    by_label: bool,
    workers: int | str,
    progress: bool,
    group_of: Callable[[int], str | None] | None,
    chosen: bool = False,
) -> None:
    """Count more pieces and add them; if references were `chosen`, rows are paired by their number.

    The neighbours of chosen rows are not those of the input, so no row is reported to be shifted.
    """

    def systems() -> Iterator[tuple[int, Sequence[Rows], Rows]]:
        for first, predictions, references in pieces:
            result._reading = result._reading or sign_reading(predictions, references)
            if result.metric.pairs_itself and not chosen:
                predictions, references = result.metric.pair(predictions, references, first)
            check_as_many(predictions, references)
            yield first, [predictions], references

    found = run_batches([result.metric], systems(), total, by_label, workers, progress, group_of)
    for first, [[counts]] in found:
        if chosen and counts.warnings is not None:
            counts.warnings = counts.warnings.of_kinds(0xFFFF & ~SHIFTED)
        result._add(first, counts)


def _add_best(
    result: Result, predictions: Rows, references: Rows, first: int, by_label: bool, **how: Any
) -> None:
    """Add a piece with several references in some rows; the one most like the prediction counts."""
    check_as_many(predictions, references)
    result._reading = result._reading or sign_reading(predictions, references)
    choice = Choice(predictions, references, first)
    found: Result = result.metric.RESULT(result.metric)
    pairs = [(0, choice.predictions, choice.references)]
    _add_pairs(found, pairs, len(choice.references), False, **{**how, "group_of": None}, chosen=True)
    best = choice.find_best(found)
    if by_label:  # only those of the best references are to be counted
        _add_pairs(result, [(first, predictions, choice.chosen())], None, True, **how, chosen=True)
        result.used |= best.used
    else:
        result._append(best, shift=0)


def check(metric: Metric, predictions: Rows, references: Rows) -> list[tuple[int, ValueError]]:
    """Return the row and the error of each pair that could not be compared, without comparing any."""
    if metric.pairs_itself:
        predictions, references = metric.pair(predictions, references, 0)
    check_as_many(predictions, references)
    worker, counter = Worker([metric], 1), metric.counter()
    problems: list[tuple[int, ValueError]] = []
    for lo, hi in _batches([predictions, references], 0, len(references)):
        [batch] = worker.read([predictions], references, lo, hi, metric.unit or "word")
        problems += sorted(counter.check(batch).items())
    return problems


def count_wordless(rows: Rows) -> int:
    """Return how many rows have no word, as a failed parse; those that cannot be read are not counted."""
    scanner, trees = Scanner(), FlatTrees()
    n_wordless = 0
    for lo, hi in _batches([rows], 0, len(rows)):
        unreadable = rows.load(lo, hi, "word", scanner, trees)
        n_wordless += sum(not trees.count_words(t) for t in range(hi - lo) if lo + t not in unreadable)
    return n_wordless


def read_pair(metric: Metric, prediction: Rows, reference: Rows) -> Batch:
    """Return the first row of both sides as a batch, or raise the error that keeps it from being read."""
    [batch] = Worker([metric], 1).read([prediction], reference, 0, 1, metric.unit or "word")
    for error in batch.problems.values():
        raise error
    return batch


def _batches(sides: Sequence[Rows], first: int, n_rows: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of rows to be done at once, the references being the last of the sides.

    The work on a pair grows with the cube of the shorter tree's length.
    """
    *systems, references = sides
    lo = first
    end = first + n_rows
    # One call for all rows: looking at texts that another thread is to read would make that thread wait.
    is_short = lo == end or references.longest(lo, end) <= _LONG
    while lo < end:
        hi = min(lo + _BATCH, end)
        longest = 0 if is_short else references.longest(lo, hi)
        if longest > _LONG and systems:
            longest = min(longest, max(rows.longest(lo, hi) for rows in systems))
        if longest > _LONG:
            hi = min(hi, lo + max(1, int(_BATCH * (_LONG / longest) ** 3)))
        yield lo, hi
        lo = hi


def run_batches(
    metrics: Sequence[Metric],
    pieces: Iterable[tuple[int, Sequence[Rows], Rows]],
    total: int | None,
    by_label: bool,
    workers: int | str,
    progress: bool,
    group_of: Callable[[int], str | None] | None = None,
) -> Iterator[tuple[int, _Found]]:
    """Count batches of rows in `workers` threads; yield the first row and the counts of each, in order."""
    tasks: Iterable[_Task] = (
        (systems, references, lo, hi)
        for first, systems, references in pieces
        for lo, hi in _batches([*systems, references], first, len(references))
    )
    n_threads = 1
    if workers != 1:
        tasks = iter(tasks)
        begun = list(islice(tasks, _MANY if workers == AUTO else 0))
        tasks = chain(begun, tasks)
        # Uncompiled, threads do not run side by side, as all of them hold the interpreter's lock.
        n_threads = count_workers(workers, pays=len(begun) == _MANY and COMPILED, most=_MOST)
    with Progress(total, "scoring") if progress else nullcontext() as bar:
        if n_threads == 1:
            worker: Worker | None = None
            for systems, references, lo, hi in tasks:
                worker = worker or Worker(metrics, len(systems), group_of)
                yield lo, worker.run(systems, references, lo, hi, by_label)
                if bar:
                    bar.add(hi - lo)
            return

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
            if bar:
                bar.add(hi - lo)


def run_in_threads(
    run: Callable[[Any], Any], tasks: Iterable[Any], n_threads: int
) -> Iterator[tuple[Any, Any]]:
    """Yield each task and the value of `run` for it, in order; an error of `run` is raised in its place.

    >>> list(run_in_threads(lambda task: task * task, [1, 2, 3], 2))
    [(1, 1), (2, 4), (3, 9)]

    Args:
        run: A function of a task, which several threads may call at once.
        tasks: The tasks; only a few are requested before their results are taken.
        n_threads: The number of threads.
    """
    ahead: deque[tuple[Any, Future[Any]]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for task in tasks:
                ahead.append((task, pool.submit(run, task)))
                if len(ahead) >= _AHEAD * n_threads:
                    first, future = ahead.popleft()
                    yield first, future.result()
            while ahead:
                first, future = ahead.popleft()
                yield first, future.result()
        finally:
            for _, future in ahead:
                future.cancel()


class Worker:
    """All that a thread needs: a reader's buffers, and a counter for each metric.

    Args:
        metrics: The metrics.
        n_systems: How many sides of predictions there are.
        group_of: The group of each row, by its number, if sums by label are kept for each group.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        n_systems: int,
        group_of: Callable[[int], str | None] | None = None,
    ) -> None:
        self._metrics = metrics
        self._group_of = group_of
        self._counters = [metric.counter() for metric in metrics]
        self._scanner = Scanner()
        self._scanner.several = all(metric.reads_as_evalb for metric in metrics)
        self._scanner.blank_words = self._scanner.several
        self._scanner.intern("")  # so that there is a label at all, for no buffer may be empty
        self._references = FlatTrees()
        self._predictions = [FlatTrees() for _ in range(n_systems)]
        # A metric that does not look at the words' places takes trees as they were read for another.
        any_unit = next((metric.unit for metric in metrics if metric.unit), "word")
        self._units = [metric.unit or any_unit for metric in metrics]
        self._looks = [look_of(metric) for metric in metrics]
        self._finders = {how: WarningFinder(*how) for how, _ in self._looks}

    def run(
        self, systems: Sequence[Rows], references: Rows, lo: int, hi: int, by_label: bool
    ) -> list[list[Counts]]:
        """Return the counts of each metric for each system in rows `lo … hi`."""
        found: list[list[Counts]] = [[None] * len(self._metrics) for _ in systems]  # type: ignore[list-item]
        for unit in dict.fromkeys(self._units):
            batches = self.read(systems, references, lo, hi, unit)
            marks: dict[Any, list[RowMarks]] = {}
            for m, counter in enumerate(self._counters):
                if self._units[m] != unit:
                    continue
                labels = by_label and self._metrics[m].LABEL is not None
                counted = [counter.count(batch, labels) for batch in batches]
                for batch, counts in zip(batches, counted, strict=True):
                    if hasattr(references, "n_sentences"):
                        _add_sentences(batch, counts)
                    if counts.problems and self._metrics[m].options.on_error == "raise":
                        raise counts.problems[min(counts.problems)]
                if labels and len(batches) > 1:
                    _share_left_out(counter, batches, counted)
                if labels and self._group_of is not None:
                    for batch, counts in zip(batches, counted, strict=True):
                        counts.labels_by_group = self._labels_by_group(counter, batch, counts)
                how, kinds = self._looks[m]
                if how not in marks:
                    marks[how] = [self._finders[how].look(batch) for batch in batches]
                for own, counts, seen in zip(found, counted, marks[how], strict=True):
                    own[m] = counts
                    counts.warnings = seen.of_kinds(kinds)
                    if counts.rows is not None and len(counts.status) != len(seen.bits):
                        bits = array("H", [counts.warnings.bits[row - lo] for row in counts.rows])
                        counts.warnings = counts.warnings._replace(bits=bits)
        return found

    def _labels_by_group(self, counter: Counter, batch: Batch, counts: Counts) -> dict[str | None, Labels]:
        """Return the sums by label of the rows of each group."""
        places: dict[str | None, list[int]] = {}
        for t in range(len(batch)):
            places.setdefault(self._group_of(batch.first + t), []).append(t)  # type: ignore[misc]
        if len(places) == 1:
            return {key: counts.labels or {} for key in places}
        return dict(zip(places, counter.count_labels(batch, counts, list(places.values())), strict=True))

    def read(self, systems: Sequence[Rows], references: Rows, lo: int, hi: int, unit: str) -> list[Batch]:
        """Read the trees of all systems; if both trees of a row have errors, report that of the reference."""
        scanner = self._scanner
        unreadable = references.load(lo, hi, unit, scanner, self._references)
        batches = []
        for predictions, trees in zip(systems, self._predictions, strict=True):
            problems = {**predictions.load(lo, hi, unit, scanner, trees), **unreadable}
            sides = predictions, references
            batches.append(Batch(trees, self._references, scanner.labels, lo, problems, sides))
        return batches


def _add_sentences(batch: Batch, counts: Counts) -> None:
    """Add columns with the sentences of both sides where rows are documents."""
    for name, rows in zip(("n_sentences_pred", "n_sentences_ref"), batch.sides, strict=True):
        if hasattr(rows, "n_sentences"):
            numbers = range(batch.first, batch.first + len(batch)) if counts.rows is None else counts.rows
            sizes = zip(numbers, counts.status, strict=True)
            column = array("i", [rows.n_sentences(row) if state in COUNTED else 0 for row, state in sizes])
            counts.columns = {**counts.columns, name: column}


def _share_left_out(counter: Any, batches: Sequence[Batch], counted: list[Counts]) -> None:
    """Sum up by label again where other systems leave out rows that a system does not."""
    own = [
        {batch.first + t for t, state in enumerate(counts.status) if state not in COUNTED}
        for batch, counts in zip(batches, counted, strict=True)
    ]
    left_out = frozenset().union(*own)
    for i, batch in enumerate(batches):
        if own[i] != left_out:
            counted[i].labels = counter.count(batch, True, left_out).labels


# ---- several metrics, several systems --------------------------------------------------------------


def score_all(
    metrics: Sequence[Metric],
    predictions: Iterable[Any] | Rows,
    references: Iterable[Any] | Rows,
    *,
    documents: bool = False,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
) -> list[Any]:
    """Return the result of each of several metrics for two lists of trees, as `Metric.corpus_score` does.

    Metrics that compare the same rows and read them alike read them once. Where rows have several references,
    each metric chooses its own and reads by itself.
    """
    preds, refs = take_sides(predictions, references, documents)
    how: dict[str, Any] = {"by_label": by_label, "workers": workers, "progress": progress}

    def run(metric: Metric, by_label: bool = by_label) -> Any:
        return score_pieces(metric, [(0, preds, refs)], total=len(refs), **{**how, "by_label": by_label})

    if several(refs):
        return list(map(run, metrics))
    groups: dict[Any, tuple[tuple[Rows, Rows], list[Result]]] = {}
    results: list[Result] = []
    for metric in metrics:
        rows = metric.pair(preds, refs, 0) if metric.pairs_itself else (preds, refs)
        check_as_many(*rows)
        alike = metric.unit or "word", metric.reads_as_evalb, *map(id, rows)
        results.append(metric.RESULT(metric))
        groups.setdefault(alike, (rows, []))[1].append(results[-1])
    for (left, right), group in groups.values():
        pieces = [(0, [left], right)]
        for first, [counts] in run_batches([result.metric for result in group], pieces, len(right), **how):
            for result, more in zip(group, counts, strict=True):
                result._add(first, more)
    for result in results:
        result._reading = sign_reading(preds, refs)
        result._rerun = run
        result._finish()
    return results


def score_systems(
    metrics: Sequence[Metric],
    systems: Sequence[Rows],
    references: Rows,
    *,
    by_label: bool = False,
    workers: int | str = 1,
    progress: bool = False,
) -> list[list[Any]]:
    """Return the results of several metrics for several systems; every tree is read once.

    Args:
        metrics: The metrics with their options.
        systems: The predictions of each system.
        references: As many trees.
        by_label: Whether to count labels, of each metric over the rows that it counts for all systems.
        workers: Threads, or `auto`: as many as there are processors where there is enough to do.
        progress: Whether a terminal shows a progress bar when this takes long.

    Returns:
        For each system, the results in the order of the metrics.
    """
    if any(len(trees) > 1 for trees in several(references).values()):
        raise ValueError(
            f"{references.title}: a row has several references, and systems might choose others; give one"
        )
    references = opened(references)
    results: list[list[Result]] = [[metric.RESULT(metric) for metric in metrics] for _ in systems]
    together = [m for m, metric in enumerate(metrics) if not metric.pairs_itself]
    if together:
        for predictions in systems:
            check_as_many(predictions, references)
            if not len(predictions):
                raise ValueError(f"{predictions.title} and {references.title} hold no trees to score")
        pieces = [(0, systems, references)]
        same = [metrics[m] for m in together]
        for first, found in run_batches(same, pieces, len(references), by_label, workers, progress):
            for own, counts in zip(results, found, strict=True):
                for m, more in zip(together, counts, strict=True):
                    own[m]._add(first, more)
    for own, predictions in zip(results, systems, strict=True):
        for result in own:
            result._reading = sign_reading(predictions, references)
            if result.metric.pairs_itself:
                add_rows(result, [(0, predictions, references)], workers=workers, progress=progress)
            result._finish()
    return results
