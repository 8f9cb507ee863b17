"""The metric: `StructIoU` with its options, and the two functions for a single pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ...progress import Progress
from ...sources.rows import ListRows, as_list, check_as_many
from ...trees.labels import DEFAULT_DROP
from .counter import Batch, Engine, add_label, batches
from .options import Options
from .result import Alignment, CorpusScore, LabelTally, Tallies

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from ...sources.rows import Rows

    _Result = TypeVar("_Result")

_AHEAD = 8  # batches a thread that may wait to be scored, or to be taken when scored


class StructIoU:
    """STRUCT-IoU with fixed options.

    >>> predictions = ["(S (NP (PRP it)) (VP (VBZ works)))"]
    >>> references = ["(S (NP-SBJ (PRP it)) (VP (VBZ works)))"]
    >>> result = StructIoU(labels="base").corpus_score(predictions, references)
    >>> result.score, result.precision
    (1.0, 1.0)

    Args:
        unit: Length of a word: `word` (1), `char` (its written characters) or `time` (its seconds).
        labels: `exact`, `base` (function tags and indices cut) or `ignore`.
        terminals: Preterminals need the same label (`strict`), may align with any node (`flexible`),
            or are no nodes (`exclude`).
        min_iou: Pairs at or below it do not align.
        drop: Labels that are no constituents: roots over one child, and leaves such as `-NONE-` with
            what they empty.
        average: Which figure is the headline, `sentence` or `corpus`.
        on_error: `raise`, or count a pair that cannot be compared as 0 (`zero`) or not at all (`skip`).
    """

    def __init__(
        self,
        *,
        unit: str = "word",
        labels: str = "exact",
        terminals: str = "strict",
        min_iou: float = 0.0,
        drop: Iterable[str] = DEFAULT_DROP,
        average: str = "sentence",
        on_error: str = "raise",
    ) -> None:
        self.options = Options(unit, labels, terminals, min_iou, drop, average, on_error).checked()

    @property
    def signature(self) -> str:
        """Every option and the version."""
        return self.options.signature()

    def __repr__(self) -> str:
        return f"StructIoU({', '.join(f'{k}={v!r}' for k, v in self.options._asdict().items())})"

    def align(self, prediction: Any, reference: Any) -> Alignment:
        """A best alignment of two trees, with its pairs."""
        return Engine(self.options).align(*_single_rows(prediction, reference))

    def corpus_score(
        self,
        predictions: Iterable[Any],
        references: Iterable[Any],
        *,
        workers: int = 1,
        progress: bool = False,
    ) -> CorpusScore:
        """Scores two lists of trees pair by pair.

        Args:
            predictions: Trees, each bracket text, an `nltk.Tree`, a `SegmentTree` or another shape
                that `shapes.as_tree` takes.
            references: As many trees.
            workers: Threads.
            progress: Whether a terminal shows a progress bar when this takes long.
        """
        return self.score_rows(
            ListRows(as_list(predictions, "predictions"), "predictions"),
            ListRows(as_list(references, "references"), "references"),
            workers=workers,
            progress=progress,
        )

    def score_dataset(
        self,
        dataset: Any,
        prediction_column: str | Mapping[str, str],
        reference_column: str | Mapping[str, str],
        *,
        add_column: str | None = None,
        by_label: bool = False,
        workers: int = 1,
        progress: bool = False,
    ) -> Any:
        """Scores two columns of a `datasets.Dataset`, of an `IterableDataset`, or of all splits of a dict.

        Args:
            dataset: Read in bulk, as it was selected, filtered and shuffled; never held as a whole.
            prediction_column: The column of predicted trees, in any shape that `shapes.as_tree` takes;
                or the columns that hold them together, such as `{"brackets": "tree", "times": "times"}`.
            reference_column: Likewise.
            add_column: Name of a column with the score of each row to be added to the dataset.
            by_label: Whether to count labels on the way. `CorpusScore.by_label` needs that of a stream,
                and reads a `Dataset` once more without.
            workers: Threads.
            progress: Whether a terminal shows a progress bar when this takes long.

        Returns:
            A `CorpusScore`, or a dict of them by split. With `add_column`, a pair of that and the
            dataset with the new column, in which skipped rows have None.
        """
        from ..hf_datasets import score_dataset

        return score_dataset(
            self,
            dataset,
            prediction_column,
            reference_column,
            add_column=add_column,
            by_label=by_label,
            workers=workers,
            progress=progress,
        )

    def score_rows(
        self, predictions: Rows, references: Rows, *, workers: int = 1, progress: bool = False
    ) -> CorpusScore:
        """`corpus_score` for trees from anywhere, such as a `files.TreeFile`."""
        check_as_many(predictions, references)
        if not len(predictions):
            raise ValueError(f"{predictions.title} and {references.title} hold no trees to score")
        pieces = [(0, predictions, references)]
        return self.score_pieces(pieces, total=len(predictions), workers=workers, progress=progress)

    def check_rows(self, predictions: Rows, references: Rows) -> list[tuple[int, ValueError]]:
        """Row and error of each pair that could not be compared; reads the trees but aligns none."""
        check_as_many(predictions, references)
        engine = Engine(self.options)
        problems: list[tuple[int, ValueError]] = []
        for lo, hi in batches(predictions, references):
            problems += sorted(engine.check(predictions, references, lo, hi).items())
        return problems

    def score_pieces(
        self,
        pieces: Iterable[tuple[int, Rows, Rows]],
        *,
        total: int | None = None,
        by_label: bool = False,
        workers: int = 1,
        progress: bool = False,
    ) -> CorpusScore:
        """`score_rows` for more trees than should be held at once, or for a stream.

        Args:
            pieces: The number of a piece's first row, its predictions and as many references, whose
                rows are numbered from there. For `CorpusScore.by_label` they are gone through again,
                except those of an iterator, which is used up.
            total: How many pairs there are, if that is known.
            by_label: Whether to count labels on the way, which takes about twice as long.
            workers: Threads.
            progress: Whether a terminal shows a progress bar when this takes long.
        """
        sentences = Tallies()
        problems: list[tuple[int, str]] = []
        n_lengthless = 0
        labels: dict[str, LabelTally] = {}
        skips = self.options.on_error == "skip"

        def score(
            engine: Engine, predictions: Rows, references: Rows, lo: int, hi: int
        ) -> tuple[Batch, dict[str, LabelTally]]:
            batch = engine.score(predictions, references, lo, hi)
            if batch.problems and self.options.on_error == "raise":
                raise batch.problems[min(batch.problems)]
            if not by_label:
                return batch, {}
            skip = bytes(skips and row in batch.problems for row in range(lo, hi))
            return batch, engine.count_labels(predictions, references, lo, hi, skip)

        for lo, (batch, counts) in self._batches(score, pieces, total, workers, progress):
            n_lengthless += batch.n_lengthless
            problems += [(row, str(batch.problems[row])) for row in sorted(batch.problems)]
            _add_batch(sentences, batch, lo, skips)
            _add_labels(labels, counts)
        if not len(sentences):
            if not problems:
                raise ValueError("there are no trees to score")
            raise ValueError(f"all {len(problems)} pairs were skipped; the first: {problems[0][1]}")

        def count_labels() -> dict[str, LabelTally]:
            if by_label:
                return labels
            if iter(pieces) is pieces:
                raise ValueError("a stream is read only once; count labels on the way, with by_label=True")
            skipped = {row for row, _ in problems} if skips else set()
            return self._count_labels(pieces, total, skipped, workers, progress)

        return CorpusScore(self.options, sentences, problems, n_lengthless, count_labels)

    def _count_labels(
        self,
        pieces: Iterable[tuple[int, Rows, Rows]],
        total: int | None,
        skipped: set[int],
        workers: int,
        progress: bool,
    ) -> dict[str, LabelTally]:
        def count_batch(
            engine: Engine, predictions: Rows, references: Rows, lo: int, hi: int
        ) -> dict[str, LabelTally]:
            skip = bytes(row in skipped for row in range(lo, hi))
            return engine.count_labels(predictions, references, lo, hi, skip)

        labels: dict[str, LabelTally] = {}
        for _, counts in self._batches(count_batch, pieces, total, workers, progress):
            _add_labels(labels, counts)
        return labels

    def _batches(
        self,
        work: Callable[[Engine, Rows, Rows, int, int], _Result],
        pieces: Iterable[tuple[int, Rows, Rows]],
        total: int | None,
        workers: int,
        progress: bool,
    ) -> Iterator[tuple[int, _Result]]:
        """Does `work` on batches of rows, in `workers` threads; gives the results in order."""
        if workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        tasks = (
            (predictions, references, lo, hi)
            for first, predictions, references in pieces
            for lo, hi in batches(predictions, references, first)
        )
        with Progress(total, "scoring", show=progress) as bar:
            if workers == 1:
                engine = Engine(self.options)
                for predictions, references, lo, hi in tasks:
                    yield lo, work(engine, predictions, references, lo, hi)
                    bar.add(hi - lo)
                return
            from collections import deque
            from concurrent.futures import Future, ThreadPoolExecutor

            engines: list[Engine] = []  # those that no thread is using
            jobs: deque[tuple[int, int, Future[_Result]]] = deque()

            def run(predictions: Rows, references: Rows, lo: int, hi: int) -> _Result:
                try:
                    engine = engines.pop()
                except IndexError:
                    engine = Engine(self.options)
                result = work(engine, predictions, references, lo, hi)
                engines.append(engine)
                return result

            def finish() -> tuple[int, _Result]:
                lo, hi, job = jobs.popleft()
                result = job.result()
                bar.add(hi - lo)
                return lo, result

            with ThreadPoolExecutor(workers) as pool:
                try:
                    for task in tasks:
                        jobs.append((*task[2:], pool.submit(run, *task)))
                        if len(jobs) >= _AHEAD * workers:
                            yield finish()
                    while jobs:
                        yield finish()
                finally:
                    pool.shutdown(cancel_futures=True)


def _single_rows(prediction: Any, reference: Any) -> tuple[Rows, Rows]:
    return (
        ListRows([prediction], "prediction", numbered=False),
        ListRows([reference], "reference", numbered=False),
    )


def _add_labels(labels: dict[str, LabelTally], more: dict[str, LabelTally]) -> None:
    for label, tally in more.items():
        add_label(labels, label, tally)


def _add_batch(sentences: Tallies, batch: Batch, lo: int, skip: bool) -> None:
    """Appends a batch's tallies, without the pairs to skip."""
    n_rows = len(batch.matched)
    failed = bytearray(n_rows)
    for row in batch.problems:
        failed[row - lo] = 1
    if skip and batch.problems and sentences.rows is None:
        from array import array

        sentences.rows = array("q", range(lo))
    if not (skip and batch.problems):
        sentences.matched.extend(batch.matched)
        sentences.n_pred.extend(batch.n_pred)
        sentences.n_ref.extend(batch.n_ref)
        sentences.failed.extend(failed)
        if sentences.rows is not None:
            sentences.rows.extend(range(lo, lo + n_rows))
        return
    for t in range(n_rows):
        if not failed[t]:
            sentences.matched.append(batch.matched[t])
            sentences.n_pred.append(batch.n_pred[t])
            sentences.n_ref.append(batch.n_ref[t])
            sentences.failed.append(0)
            sentences.rows.append(lo + t)  # type: ignore[union-attr]


def struct_iou(
    prediction: Any,
    reference: Any,
    *,
    unit: str = "word",
    labels: str = "exact",
    terminals: str = "strict",
    min_iou: float = 0.0,
    drop: Iterable[str] = DEFAULT_DROP,
) -> float:
    """STRUCT-IoU of one pair of trees, from 0 to 1. Options as in `StructIoU`.

    >>> struct_iou("(S (A a) (B b))", "(S (A a) (C b))")
    0.6666666666666666
    """
    metric = StructIoU(unit=unit, labels=labels, terminals=terminals, min_iou=min_iou, drop=drop)
    return metric.score_rows(*_single_rows(prediction, reference)).sentence


def align(
    prediction: Any,
    reference: Any,
    *,
    unit: str = "word",
    labels: str = "exact",
    terminals: str = "strict",
    min_iou: float = 0.0,
    drop: Iterable[str] = DEFAULT_DROP,
) -> Alignment:
    """A best alignment of one pair of trees. Options as in `StructIoU`.

    >>> [(p.label, r.label, iou) for p, r, iou in align("(S (A a) (B b))", "(S (A a) (C b))").pairs]
    [('A', 'A', 1.0), ('S', 'S', 1.0)]
    """
    metric = StructIoU(unit=unit, labels=labels, terminals=terminals, min_iou=min_iou, drop=drop)
    return metric.align(prediction, reference)
