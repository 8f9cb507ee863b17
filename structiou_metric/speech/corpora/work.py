"""One job at a time: reads trees, finds or reads words, projects; a tree that fails is no end."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import TreeFormatError, TreeMismatchError
from ...progress import Progress
from ...sources.rows import ListRows
from ...sources.treebanks import Reading
from ...trees.tree import SegmentTree
from ...wording import count
from ..languages import ENGLISH
from ..marks import Mark, read_marks
from ..projection.project import MIN_TREE_MATCH, Projection, poor_tree_reason, project_all
from ..projection.spelling import spoken_words
from ..projection.turns import find_turns, speakers, turns_of
from ..readers.documents import Document
from ..readers.reading import open_words, read_words
from ..words import Transcript
from .jobs import Answer, Job, Outcome, Settings, Trees, as_row, failed_row

if TYPE_CHECKING:
    from ...sources.rows import Rows
    from ..forced.recording import ForcedAligner


class _Given(NamedTuple):
    """A tree that is to be projected."""

    row: int  # in its treebank, from 0
    name: str
    tree: SegmentTree | None  # None if it cannot be read
    reason: str = ""  # why it cannot


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
        self._words: tuple[str, Document] | None = None
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
            outcomes = self.do(job)
            rows = tuple(as_row(outcome, job) for outcome in outcomes)
        except (OSError, ValueError, ImportError, MemoryError) as error:
            return self.failure(job, _told(error), getattr(error, "confidence", None))
        except Exception as error:  # of somebody's own aligner
            return self.failure(job, f"{type(error).__name__}: {error}")
        warning = self.warnings(outcomes) if job.is_sound else ""
        return Answer(rows, tuple(sorted(self._guesses(job) - guessed)), warning)

    def do(self, job: Job) -> list[Outcome]:
        """The outcome of each tree of a job.

        Raises:
            ValueError: If nothing can be done for any of its trees; likewise an OSError.
        """
        if job.problem:
            raise ValueError(job.problem)
        given = self._given(job)
        if all(one.tree is None for one in given):
            raise ValueError(given[0].reason)
        found = iter(self._project(job, given))
        return [Outcome(one.name, None, one.reason) if one.tree is None else next(found) for one in given]

    def _given(self, job: Job) -> list[_Given]:
        """The sentences of a job: of all trees, those of its speaker; trees that are only codes are none."""
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
        """The answer of a job that failed as a whole, and so stands for all of its trees."""
        n_trees = 1
        if not job.trees.text and job.trees.row is None:
            with suppress(OSError, ValueError):  # else nobody knows
                n_trees = len(self._given(job))
        return Answer((failed_row(job.name, job, reason, n_trees, confidence),))

    def rows(self, trees: Trees) -> Rows:
        """The treebank of a job; that of the last one is kept."""
        if trees.text:
            return ListRows([trees.text], "tree")
        place = trees._replace(row=None)
        if self._rows is None or self._rows[0] != place:
            self._rows = place, self._reading.rows(trees.place)
        return self._rows[1]

    def _project(self, job: Job, given: Sequence[_Given]) -> list[Outcome]:
        """The outcomes of those trees that can be read."""
        if job.marks is not None:
            return self._project_marked(job, given, self._marks(job, job.marks, given))
        trees = [one.tree for one in given if one.tree is not None]
        names = [one.name for one in given if one.tree is not None]
        confidences: list[float | None] = [None] * len(trees)
        if job.is_sound:
            transcript, confidences = self._find(job, trees)
        else:
            transcript = _within(self._read(job), job.start, job.end)
            self.source = transcript.summary()
        return self._put(trees, names, transcript, confidences, show=self._show)

    def _put(
        self,
        trees: Sequence[SegmentTree],
        names: Sequence[str],
        transcript: Transcript,
        confidences: Sequence[float | None],
        *,
        show: bool = False,
    ) -> list[Outcome]:
        """Puts trees onto words; those whose words are not there fail one by one."""
        options = dict(self._settings.projection)
        least = options.pop("min_tree_match", MIN_TREE_MATCH)
        found = project_all(
            trees, transcript, min_tree_match=0.0, name=names.__getitem__, progress=show, **options
        )
        outcomes = []
        for name, tree, one, confidence in zip(names, trees, found, confidences, strict=True):
            reason = ""
            if one.report.leaf_match < least:
                reason = poor_tree_reason(transcript.title, one.report, tree.words, least)
            elif confidence is not None and confidence < self._least_confidence():
                reason = _misfit(one, confidence, self._least_confidence())
            outcomes.append(Outcome(name, None if reason else one, reason, confidence))
        return outcomes

    def _least_confidence(self) -> float:
        """Return the confidence below which trees of the open recording are refused."""
        aligner = None if self._aligner is None else self._aligner[1]
        return getattr(aligner, "min_confidence", 0.0)

    def warnings(self, outcomes: Sequence[Outcome]) -> str:
        """Return what is suspicious about the open recording and its trees; empty if nothing is."""
        aligner = None if self._aligner is None else self._aligner[1]
        level = getattr(aligner, "suspect_confidence", 0.0)
        suspects = [
            f"{one.name} ({one.confidence:.2f})"
            for one in outcomes
            if one.projection is not None and one.confidence is not None and one.confidence < level
        ]
        whole = getattr(aligner, "warning", "")
        parts = [whole] if whole else []
        if suspects:
            parts.append(
                f"the words of {count(len(suspects), 'tree')} may not be those said there, by their "
                f"confidence: {', '.join(suspects)}"
            )
        return "; ".join(parts)

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

    def _spoken(self, aligner: ForcedAligner, trees: Sequence[SegmentTree]) -> list[str]:
        """The words of trees as the aligner wants them."""
        digits = None if getattr(aligner, "reads_digits", True) else False
        return spoken_words(trees, self._language, digits=digits)

    def _find(self, job: Job, trees: Sequence[SegmentTree]) -> tuple[Transcript, list[float | None]]:
        """Return the words of trees, and how sure the aligner is of each tree."""
        aligner = self._open(job)
        spoken = [self._spoken(aligner, [tree]) for tree in trees]
        words = [word for own in spoken for word in own]
        what = f"looking for {count(len(words), 'word')} in {job.recording}"
        with Progress(None, what, show=self._show) as progress, _ended_by_interrupts():
            progress.announce()
            transcript: Transcript = aligner.align(
                words, job.start or 0.0, job.end, parts=list(map(len, spoken))
            )
        self.source = aligner.summary()
        return transcript, aligner.part_confidences or [_confidence(aligner)] * len(trees)

    def _marks(self, job: Job, path: str, given: Sequence[_Given]) -> list[Mark]:
        """The marks of trees. Codes of speakers, which are none of these, may have marks, too."""
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

    def _project_marked(self, job: Job, given: Sequence[_Given], marks: Sequence[Mark]) -> list[Outcome]:
        """Projects each tree that can be read on its own stretch of the recording."""
        aligner = self._open(job)
        outcomes = []
        with Progress(len(given), "projecting", show=self._show) as progress:
            for (_, name, tree, _), mark in zip(given, marks, strict=True):
                progress.add(1)
                if tree is None:
                    continue
                try:
                    transcript = aligner.align(self._spoken(aligner, [tree]), mark.start, mark.end)
                    [outcome] = self._put([tree], [name], transcript, [_confidence(aligner)])
                except ValueError as error:
                    outcome = Outcome(name, None, str(error), getattr(error, "confidence", None))
                outcomes.append(outcome._replace(stretch=(mark.start, mark.end)))
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


def _misfit(projection: Projection, confidence: float, least: float) -> str:
    """Return why a tree is refused whose words do not fit the sound."""
    times = projection.tree.times
    where = f", {times[0][0]:.2f} to {times[-1][1]:.2f} s" if times else ""
    return (
        f"its words do not fit the sound where they were found{where} (confidence {confidence:.2f}, from "
        f"min_confidence={least:g} on they count as a match); is it of another recording, or in another "
        "place?"
    )


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
