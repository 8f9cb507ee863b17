"""The metric: `StructIoU` with its options, and the two functions for a single pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from .engine import Batch, Engine, add_label, batches
from .errors import TreeMismatchError, count
from .labels import DEFAULT_DROP
from .options import Options
from .progress import Progress
from .rows import ListRows
from .score import Alignment, CorpusScore, LabelTally, Tallies

TYPE_CHECKING = False  # importing typing would take a third of this package's import time
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from .rows import Rows

    _Result = TypeVar("_Result")


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
            ListRows(_as_list(predictions, "predictions"), "predictions"),
            ListRows(_as_list(references, "references"), "references"),
            workers=workers,
            progress=progress,
        )

    def score_rows(
        self, predictions: Rows, references: Rows, *, workers: int = 1, progress: bool = False
    ) -> CorpusScore:
        """`corpus_score` for trees from anywhere, such as a `files.TreeFile`."""
        if len(predictions) != len(references):
            raise TreeMismatchError(
                f"{predictions.title}: {count(len(predictions), 'tree')}, "
                f"{references.title}: {count(len(references), 'tree')}; give as many of one as of the other"
            )
        if not len(predictions):
            raise ValueError(f"{predictions.title} and {references.title} hold no trees to score")
        sentences = Tallies()
        problems: list[tuple[int, str]] = []
        n_lengthless = 0
        on_error = self.options.on_error

        def score(engine: Engine, lo: int, hi: int) -> Batch:
            batch = engine.score(predictions, references, lo, hi)
            if batch.problems and on_error == "raise":
                raise batch.problems[min(batch.problems)]
            return batch

        for lo, batch in self._batches(score, predictions, references, workers, progress):
            n_lengthless += batch.n_lengthless
            problems += [(row, str(batch.problems[row])) for row in sorted(batch.problems)]
            _add_batch(sentences, batch, lo, on_error == "skip")
        if not len(sentences):
            raise ValueError(f"all {len(problems)} pairs were skipped; the first: {problems[0][1]}")

        def count_labels() -> dict[str, LabelTally]:
            skipped = {row for row, _ in problems} if on_error == "skip" else set()
            return self._count_labels(predictions, references, skipped, workers, progress)

        return CorpusScore(self.options, sentences, problems, n_lengthless, count_labels)

    def _count_labels(
        self, predictions: Rows, references: Rows, skipped: set[int], workers: int, progress: bool
    ) -> dict[str, LabelTally]:
        def count_batch(engine: Engine, lo: int, hi: int) -> dict[str, LabelTally]:
            skip = bytes(row in skipped for row in range(lo, hi))
            return engine.count_labels(predictions, references, lo, hi, skip)

        counts: dict[str, LabelTally] = {}
        for _, batch in self._batches(count_batch, predictions, references, workers, progress):
            for label, tally in batch.items():
                add_label(counts, label, tally)
        return counts

    def _batches(
        self,
        work: Callable[[Engine, int, int], _Result],
        predictions: Rows,
        references: Rows,
        workers: int,
        progress: bool,
    ) -> Iterator[tuple[int, _Result]]:
        """Does `work` on batches of rows, in `workers` threads; gives the results in order."""
        if workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        ranges = batches(predictions, references)
        with Progress(len(predictions), "scoring", show=progress) as bar:
            if workers == 1:
                engine = Engine(self.options)
                for lo, hi in ranges:
                    yield lo, work(engine, lo, hi)
                    bar.add(hi - lo)
                return
            from concurrent.futures import ThreadPoolExecutor

            engines: list[Engine] = []  # those that no thread is using

            def run(lo: int, hi: int) -> _Result:
                try:
                    engine = engines.pop()
                except IndexError:
                    engine = Engine(self.options)
                result = work(engine, lo, hi)
                engines.append(engine)
                return result

            with ThreadPoolExecutor(workers) as pool:
                jobs = [(lo, hi, pool.submit(run, lo, hi)) for lo, hi in ranges]
                try:
                    for lo, hi, job in jobs:
                        yield lo, job.result()
                        bar.add(hi - lo)
                finally:
                    pool.shutdown(cancel_futures=True)


def _single_rows(prediction: Any, reference: Any) -> tuple[Rows, Rows]:
    return (
        ListRows([prediction], "prediction", numbered=False),
        ListRows([reference], "reference", numbered=False),
    )


def _as_list(trees: Iterable[Any], name: str) -> Sequence[Any]:
    """The trees as a sequence that can be cut; refuses a single text, which is a sequence of letters."""
    if isinstance(trees, str):
        raise TypeError(f"{name} must be a list of trees, not one text; write [{name[:-1]}]")
    return trees if isinstance(trees, (list, tuple)) else list(trees)


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
