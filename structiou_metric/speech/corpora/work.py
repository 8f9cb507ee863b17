"""One job at a time: reads trees, finds or reads words, projects; a tree that fails is no end."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from ...errors import TreeFormatError, TreeMismatchError
from ...progress import Progress
from ...sources.rows import ListRows
from ...sources.treebanks import Reading
from ...trees.tree import SegmentTree
from ...wording import count
from ..languages import ENGLISH
from ..marks import Mark, read_marks
from ..projection.project import Projection, project, project_all
from ..projection.spelling import spoken_words
from ..readers.reading import read_words
from ..words import Transcript
from .jobs import Answer, Job, Outcome, Settings, Trees, as_row, failed_row

if TYPE_CHECKING:
    from ...sources.rows import Rows


class Worker:
    """Does jobs, and keeps what the next one may need: the treebank, the transcript, the open recording.

    Attributes:
        source: What was read or found last, in one line.
    """

    def __init__(self, settings: Settings, *, show: bool = False) -> None:
        """Takes the settings; `show` is whether somebody watches each job."""
        self._settings = settings.checked()
        self._show = show
        self._language: str = settings.projection.get("language", ENGLISH)
        self._reading = Reading(**settings.reading)
        self._rows: tuple[Trees, Rows] | None = None
        self._transcript: tuple[str, Transcript] | None = None
        self._aligner: tuple[tuple[str, int | None], Any] | None = None
        self.source = ""

    def prepare(self) -> None:
        """Makes the aligner, so that one that cannot be made ends the run instead of failing every job."""
        from ..forced.aligner import load_aligner

        options = {name: value for name, value in self._settings.audio.items() if name != "channel"}
        load_aligner(**{"aligner": "pocketsphinx", **options})

    # ---- jobs ----------------------------------------------------------------------------------

    def answer(self, job: Job) -> Answer:
        """Does a job and tells what came of it as plain values; whatever goes wrong is told, too."""
        guessed: set[str] = set(self._guesses(job))
        try:
            rows = tuple(as_row(outcome, job) for outcome in self.do(job))
        except (OSError, ValueError, ImportError, MemoryError) as error:
            return self.failure(job, _told(error))
        except Exception as error:  # of somebody's own aligner
            return self.failure(job, f"{type(error).__name__}: {error}")
        return Answer(rows, tuple(sorted(self._guesses(job) - guessed)))

    def do(self, job: Job) -> list[Outcome]:
        """The outcome of each tree of a job.

        Raises:
            ValueError: If nothing can be done for any of its trees; likewise an OSError.
        """
        if job.problem:
            raise ValueError(job.problem)
        rows = self.rows(job.trees)
        if not len(rows):
            raise TreeFormatError("there are no trees in this file", source=rows.title)
        wanted = range(len(rows)) if job.trees.row is None else [_checked_row(job.trees.row, rows)]
        names = [rows.name(row) for row in wanted] if len(wanted) > 1 else [job.name or rows.name(wanted[0])]
        trees: list[SegmentTree | str] = []  # the reason where there is none
        for row in wanted:
            try:
                trees.append(rows.tree(row, None))
            except ValueError as error:
                trees.append(str(error))
        readable = [tree for tree in trees if isinstance(tree, SegmentTree)]
        if not readable:
            raise ValueError(next(reason for reason in trees if isinstance(reason, str)))
        numbers = [number for number, tree in enumerate(trees) if isinstance(tree, SegmentTree)]
        found = iter(self._project(job, readable, [names[number] for number in numbers], len(trees), numbers))
        return [
            next(found) if isinstance(tree, SegmentTree) else Outcome(name, None, tree)
            for name, tree in zip(names, trees, strict=True)
        ]

    def failure(self, job: Job, reason: str) -> Answer:
        """The answer of a job that failed as a whole, and so stands for all of its trees."""
        n_trees = 1
        if not job.trees.text and job.trees.row is None:
            with suppress(OSError, ValueError):  # else nobody knows
                n_trees = len(self.rows(job.trees))
        return Answer((failed_row(job.name, job, reason, n_trees),))

    def rows(self, trees: Trees) -> Rows:
        """The treebank of a job; that of the last one is kept."""
        if trees.text:
            return ListRows([trees.text], "tree")
        place = trees._replace(row=None)
        if self._rows is None or self._rows[0] != place:
            self._rows = place, self._reading.rows(trees.place)
        return self._rows[1]

    def _project(
        self, job: Job, trees: list[SegmentTree], names: list[str], n_trees: int, numbers: Sequence[int]
    ) -> list[Outcome]:
        if job.marks is not None:
            channel = self._settings.audio.get("channel")
            marks = read_marks(
                job.marks, **{"recording": job.recording, "channel": channel, **self._settings.marks}
            )
            if len(marks) != n_trees:
                raise TreeMismatchError(
                    f"{job.marks} has {count(len(marks), 'mark')}, {self.rows(job.trees).title} has "
                    f"{count(n_trees, 'tree')}; give one for each tree"
                )
            return self._project_marked(job, trees, names, [marks[number] for number in numbers])
        confidence = None
        if job.is_sound:
            transcript = self._find(job, trees)
            confidence = _confidence(self._open(job))
        else:
            transcript = _within(self._read(job.recording), job.start, job.end)
            self.source = transcript.summary()
        found: list[Projection] = project_all(
            trees, transcript, name=names.__getitem__, progress=self._show, **self._settings.projection
        )
        return [Outcome(name, one, "", confidence) for name, one in zip(names, found, strict=True)]

    # ---- words that are written ----------------------------------------------------------------

    def _read(self, path: str) -> Transcript:
        if self._transcript is None or self._transcript[0] != path:
            self._transcript = path, read_words(path, **self._settings.words)
        return self._transcript[1]

    # ---- words that are heard ------------------------------------------------------------------

    def _opened(self, job: Job) -> Any:
        """The recording of a job, if it is the one that is open."""
        if self._aligner is not None and self._aligner[0] == (job.recording, job.channel):
            return self._aligner[1]
        return None

    def _open(self, job: Job) -> Any:
        """The recording, ready to look for words in it."""
        from ..forced.recording import ForcedAligner

        found = self._opened(job)
        if found is None:
            audio = dict(self._settings.audio)
            if job.channel is not None:
                audio["channel"] = job.channel
            found = ForcedAligner(job.recording, **audio)
            self._aligner = (job.recording, job.channel), found
        return found

    def _guesses(self, job: Job) -> set[str]:
        return set(getattr(self._opened(job), "guesses", ()))

    def _find(self, job: Job, trees: Sequence[SegmentTree]) -> Transcript:
        aligner = self._open(job)
        words = spoken_words(trees, self._language)
        what = f"looking for {count(len(words), 'word')} in {job.recording}"
        with Progress(None, what, show=self._show) as progress, _ended_by_interrupts():
            progress.announce()
            transcript: Transcript = aligner.align(words, job.start or 0.0, job.end)
        self.source = aligner.summary()
        return transcript

    def _project_marked(
        self, job: Job, trees: list[SegmentTree], names: list[str], marks: Sequence[Mark]
    ) -> list[Outcome]:
        """Each tree on its own stretch of the recording."""
        aligner = self._open(job)
        outcomes = []
        with Progress(len(trees), "projecting", show=self._show) as progress:
            for tree, name, mark in zip(trees, names, marks, strict=True):
                try:
                    transcript = aligner.align(spoken_words(tree, self._language), mark.start, mark.end)
                    found = project(tree, transcript, **self._settings.projection)
                    outcomes.append(Outcome(name, found, "", _confidence(aligner)))
                except ValueError as error:
                    outcomes.append(Outcome(name, None, str(error)))
                progress.add(1)
        self.source = aligner.summary()
        return outcomes


def _checked_row(row: int, rows: Rows) -> int:
    if not 0 <= row < len(rows):
        raise ValueError(f"{rows.title}: there is no tree {row + 1}, only {count(len(rows), 'tree')}")
    return row


def _confidence(aligner: Any) -> float | None:
    """How sure an aligner is of what it found last, if it tells."""
    value = getattr(aligner, "confidence", None)
    return float(value) if isinstance(value, (int, float)) else None


def _within(transcript: Transcript, start: float | None, end: float | None) -> Transcript:
    """The words whose middle lies in a stretch."""
    if start is None and end is None:
        return transcript
    low, high = start or 0.0, float("inf") if end is None else end
    words = [word for word in transcript.words if low <= 0.5 * word.start + 0.5 * word.end < high]
    return transcript._replace(words=words, title=f"{transcript.title}, {low:.2f} to {high:.2f} s")


def _told(error: Exception) -> str:
    """An error in words."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or "out of memory"


@contextmanager
def _ended_by_interrupts() -> Iterator[None]:
    """Has Ctrl-C end the program at once: an aligner written in C would hear of it when all is done."""
    usual = signal.default_int_handler
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not usual:
        yield  # only that thread may change it, and nobody else's choice is changed
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
