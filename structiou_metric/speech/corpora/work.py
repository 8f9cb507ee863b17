"""One job at a time: reads trees, finds or reads words, projects; it goes on after a tree that fails."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import NamedTuple

from ...errors import TreeFormatError, TreeMismatchError
from ...progress import Progress
from ...sources.rows import ListRows, Rows
from ...sources.treebanks import Reading
from ...trees.tree import SegmentTree
from ...wording import count
from ..forced.aligner import load_aligner
from ..forced.recording import ForcedAligner, misfit
from ..languages import ENGLISH
from ..marks import Mark, read_marks
from ..projection.project import MIN_TREE_MATCH, Projection, poor_tree_reason, project_all
from ..projection.spelling import spoken_words
from ..projection.turns import find_turns, speakers, turns_of
from ..readers.documents import Document
from ..readers.reading import open_words, read_words
from ..words import Transcript
from .jobs import Answer, Job, Row, Settings, Trees


class _Given(NamedTuple):
    """A tree that is to be projected."""

    row: int  # in its treebank, from 0
    name: str
    tree: SegmentTree | None  # None if it cannot be read
    reason: str = ""  # why it cannot


class Worker:
    """Does jobs, and keeps the treebank, the transcript and the open recording for the next one.

    Attributes:
        source: A summary of the words that were read or found last, in one line.
        projections: The projection of each tree of the last job, as of its rows; None where one failed.
    """

    def __init__(self, settings: Settings, *, show: bool = False) -> None:
        """Set the settings; `show` is whether to show the progress of each job."""
        self._settings = settings.checked()
        self._show = show
        self._language: str = settings.projection.get("language", ENGLISH)
        self._reading = Reading(**settings.reading)
        self._rows: tuple[Trees, Rows] | None = None
        self._words: tuple[str, Document] | None = None
        self._recording: tuple[tuple[str, int | None], ForcedAligner] | None = None
        self.source = ""
        self.projections: list[Projection | None] = []

    def _shows(self, job: Job) -> bool:
        """Return whether a bar shows the work on all trees; with marks, another one counts them."""
        return self._show and job.marks is None

    def prepare(self) -> None:
        """Make the aligner, so that one that cannot be made ends the run instead of failing every job."""
        audio = self._settings.audio
        load_aligner(audio.get("aligner", "pocketsphinx"), model=audio.get("model"))

    # ---- jobs ----------------------------------------------------------------------------------

    def answer(self, job: Job) -> Answer:
        """Do a job and return its outcome; errors become failed rows."""
        try:
            return self.do(job)
        except (OSError, ValueError, ImportError, MemoryError) as error:
            return self.failure(job, _error_text(error), getattr(error, "confidence", None))
        except Exception as error:  # of a user's own aligner
            return self.failure(job, f"{type(error).__name__}: {error}")

    def do(self, job: Job) -> Answer:
        """Do a job and return its outcome.

        Raises:
            ValueError: If nothing can be done for any of its trees; likewise an OSError.
        """
        if job.problem:
            raise ValueError(job.problem)
        given = self._given(job)
        if all(one.tree is None for one in given):
            raise ValueError(given[0].reason)
        self.projections = []
        marks = None if job.marks is None else self._marks(job, job.marks, given)
        rows = self._project(job, given) if marks is None else self._project_marked(job, given, marks)
        if not job.is_sound:
            return Answer(rows)
        recording = self._open(job)
        return Answer(rows, sorted(recording.guesses), _warning(recording, rows))

    def _given(self, job: Job) -> list[_Given]:
        """Return the sentences of a job: the trees of its speaker, without those that are only codes."""
        rows = self.rows(job.trees)
        if not len(rows):
            raise TreeFormatError("there are no trees in this file", source=rows.title)
        whole = job.trees.row is None
        wanted = range(len(rows)) if job.trees.row is None else [_checked_row(job.trees.row, rows)]
        given = []
        for row in wanted:
            name = rows.name(row) if len(wanted) > 1 else job.name or rows.name(row)
            try:
                given.append(_Given(row, name, rows.tree(row, None)))
            except ValueError as error:
                given.append(_Given(row, name, None, str(error)))
        if not whole or job.trees.text:
            return given
        readable = [one for one in given if one.tree is not None]
        turns = find_turns(one.tree for one in readable if one.tree is not None)
        options = self._settings.marks if job.is_sound else self._settings.words
        code = self._settings.code
        if code is not None and not speakers(turns):
            raise TreeMismatchError(
                f"{rows.title}: there are no codes of speakers such as (CODE (SYM SpeakerA1)), so nobody "
                f"knows which trees are those of {code}; leave out the speaker"
            )
        channel = (job.channel or self._settings.audio.get("channel")) if job.is_sound else None
        kept = {readable[turn.row].row for turn in turns_of(turns, code or options.get("speaker"), channel)}
        given = [one for one in given if one.tree is None or one.row in kept]
        if not given:
            raise TreeFormatError("there are only codes in this file, and no sentences", source=rows.title)
        return given

    def failure(self, job: Job, reason: str, confidence: float | None = None) -> Answer:
        """Return the answer of a job that failed as a whole, and so is for all of its trees."""
        n_trees = 1
        if not job.trees.text and job.trees.row is None:
            with suppress(OSError, ValueError):  # the count is unknown then
                n_trees = len(self._given(job))
        return Answer([Row(job.name, job.recording, reason, confidence, n_trees=n_trees)])

    def rows(self, trees: Trees) -> Rows:
        """Return the treebank of a job; that of the last one is kept."""
        if trees.text:
            return ListRows([trees.text], "tree")
        place = trees._replace(row=None)
        if self._rows is None or self._rows[0] != place:
            self._rows = place, self._reading.rows(trees.place)
        return self._rows[1]

    def _project(self, job: Job, given: Sequence[_Given]) -> list[Row]:
        """Project the trees that can be read onto one transcript."""
        trees = [one.tree for one in given if one.tree is not None]
        confidences: Sequence[float | None] = [None] * len(trees)
        if job.is_sound:
            transcript, confidences = self._find(job, trees)
        else:
            transcript = _within(self._read(job), job.start, job.end)
            self.source = transcript.summary()
        names = [one.name for one in given if one.tree is not None]
        # Trees whose words are not there fail one by one, below.
        options = {**self._settings.projection, "min_tree_match": 0.0}
        shown = self._shows(job)
        projections = project_all(trees, transcript, name=names.__getitem__, progress=shown, **options)
        found = zip(projections, confidences, strict=True)
        rows = []
        for one in given:
            if one.tree is None:
                self.projections.append(None)
                rows.append(Row(one.name, job.recording, one.reason))
            else:
                rows.append(self._row(job, one.name, one.tree, transcript.title, *next(found)))
        return rows

    def _row(
        self,
        job: Job,
        name: str,
        tree: SegmentTree,
        title: str,
        projection: Projection,
        confidence: float | None,
    ) -> Row:
        """Return the row of a tree, which fails if its words are not there or do not fit the sound.

        Raises:
            ValueError: If the tree cannot be written, because a word has a lone surrogate.
        """
        least = self._settings.projection.get("min_tree_match", MIN_TREE_MATCH)
        least_confidence = self._open(job).min_confidence if job.is_sound else 0.0
        if projection.report.leaf_match < least:
            reason = poor_tree_reason(title, projection.report, tree.words, least)
        elif confidence is not None and confidence < least_confidence:
            times = projection.tree.times
            where = f" where they were found, {times[0][0]:.2f} to {times[-1][1]:.2f} s" if times else ""
            reason = f"its words {misfit(confidence, least_confidence, where)}"
        else:
            self.projections.append(projection)
            line = projection.tree.to_brackets()
            line.encode()
            return Row(name, job.recording, "", confidence, line, projection.report)
        self.projections.append(None)
        return Row(name, job.recording, reason, confidence)

    # ---- words that are written ----------------------------------------------------------------

    def _read(self, job: Job) -> Transcript:
        """Return the words of a job; the file of the last one is kept."""
        options = dict(self._settings.words)
        encoding = options.pop("encoding", None)
        if self._words is None or self._words[0] != job.recording:
            self._words = job.recording, open_words(job.recording, encoding)
        if job.part:
            options["speaker"] = " ".join(filter(None, (job.part, options.get("speaker"))))
        return read_words(self._words[1], **options)

    # ---- words that are heard ------------------------------------------------------------------

    def _open(self, job: Job) -> ForcedAligner:
        """Return the recording of a job, ready to look for words in it; that of the last job is kept."""
        key = job.recording, job.channel
        if self._recording is None or self._recording[0] != key:
            audio = dict(self._settings.audio)
            if job.channel is not None:
                audio["channel"] = job.channel
            self._recording = key, ForcedAligner(job.recording, **audio)
        return self._recording[1]

    def _spoken(self, recording: ForcedAligner, tree: SegmentTree) -> list[str]:
        """Return the words of a tree in the form that the aligner expects."""
        return spoken_words(tree, self._language, digits=None if recording.reads_digits else False)

    def _find(self, job: Job, trees: Sequence[SegmentTree]) -> tuple[Transcript, Sequence[float | None]]:
        """Return the words of trees, and the confidence of the aligner in each tree."""
        recording = self._open(job)
        spoken = [self._spoken(recording, tree) for tree in trees]
        words = [word for own in spoken for word in own]
        what = f"looking for {count(len(words), 'word')} in {job.recording}"
        with Progress(None, what, show=self._shows(job)) as progress, _ended_by_interrupts():
            progress.announce()
            transcript = recording.align(words, job.start or 0.0, job.end, parts=list(map(len, spoken)))
        self.source = recording.summary()
        return transcript, recording.part_confidences or [recording.confidence] * len(trees)

    def _marks(self, job: Job, path: str, given: Sequence[_Given]) -> list[Mark]:
        """Return the marks of trees. Codes of speakers, which are none of these, may have marks, too."""
        channel = self._settings.audio.get("channel")
        options = {"recording": job.recording, "channel": channel, **self._settings.marks}
        marks = read_marks(path, **options)
        rows = self.rows(job.trees)
        if len(marks) == len(rows):
            return [marks[one.row] for one in given]
        if len(marks) != len(given):
            raise TreeMismatchError(
                f"{path} has {count(len(marks), 'mark')}, {rows.title} has {count(len(given), 'tree')}; give "
                "one for each tree"
            )
        return marks

    def _project_marked(self, job: Job, given: Sequence[_Given], marks: Sequence[Mark]) -> list[Row]:
        """Project each tree that can be read onto its own stretch of the recording."""
        rows = []
        with Progress(len(given), "projecting", show=self._show) as progress:
            for one, mark in zip(given, marks, strict=True):
                progress.add(1)
                try:
                    if one.tree is None:
                        raise ValueError(one.reason)
                    [row] = self._project(job._replace(start=mark.start, end=mark.end), [one])
                except ValueError as error:
                    self.projections.append(None)
                    row = Row(one.name, job.recording, str(error), getattr(error, "confidence", None))
                rows.append(row._replace(stretch=(mark.start, mark.end)))
        self.source = self._open(job).summary()
        return rows


def _warning(recording: ForcedAligner, rows: Sequence[Row]) -> str:
    """Return the warning about a recording and its trees; empty if there is none."""
    suspects = [
        f"{row.name} ({row.confidence:.2f})"
        for row in rows
        if not row.reason and row.confidence is not None and row.confidence < recording.suspect_confidence
    ]
    parts = [recording.warning] if recording.warning else []
    if suspects:
        parts.append(
            f"the words of {count(len(suspects), 'tree')} may not be those said there, by their "
            f"confidence: {', '.join(suspects)}"
        )
    return "; ".join(parts)


def _checked_row(row: int, rows: Rows) -> int:
    if not 0 <= row < len(rows):
        raise ValueError(f"{rows.title}: there is no tree {row + 1}, only {count(len(rows), 'tree')}")
    return row


def _within(transcript: Transcript, start: float | None, end: float | None) -> Transcript:
    """Return the words whose middle lies in a stretch."""
    if start is None and end is None:
        return transcript
    low, high = start or 0.0, float("inf") if end is None else end
    words = [word for word in transcript.words if low <= 0.5 * word.start + 0.5 * word.end < high]
    return transcript._replace(words=words, title=f"{transcript.title}, {low:.2f} to {high:.2f} s")


def _error_text(error: Exception) -> str:
    """Return the message of an error; system errors begin with the name of the file."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or "out of memory"


@contextmanager
def _ended_by_interrupts() -> Iterator[None]:
    """Let Ctrl-C end the program at once, as an aligner written in C would react only at its end."""
    usual = signal.default_int_handler
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not usual:
        yield  # only the main thread may change the handler, and a handler set by others is kept
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
