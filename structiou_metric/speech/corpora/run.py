"""Project a whole corpus: run jobs in processes, return results in order, and resume interrupted runs."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import IO, Any, NamedTuple

from ..._version import __version__
from ...progress import Progress
from ...wording import count
from ...workers import count_workers
from ..projection.report import Report
from .jobs import Answer, Job, Row, Settings
from .outputs import FolderOutput, Take, open_output, write_report, write_trees
from .work import Worker

_KIND = "structiou.project-journal.v1"
ENDING = ".journal"  # after the name of the output


class Journal:
    """A file of finished jobs.

    Attributes:
        path: Where the journal is.
        n_kept: How many jobs an earlier run has done.
    """

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        """Open the journal, or begin it.

        Raises:
            ValueError: If it is of a run with other options, or another run is writing to it.
        """
        self.path = path
        self._places: dict[str, tuple[int, int]] = {}  # by job, where its last line is
        # Neither emptied nor read before it is locked, for another run may be writing to it.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._file: IO[bytes] = os.fdopen(os.open(path, flags, 0o666), "r+b")
        try:
            self._lock()
            options = json.loads(json.dumps({"version": __version__, **options}))
            if not self._read(options):
                self._file.seek(0)
                self._file.truncate()
                self._write({"kind": _KIND, "options": options})
        except BaseException:
            self._file.close()
            raise
        self.n_kept = len(self._places)

    def _lock(self) -> None:
        """Raise an error if another run is writing to the file; do nothing on systems without locks."""
        try:
            from fcntl import LOCK_EX, LOCK_NB, flock
        except ImportError:  # Windows
            return
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"{self.path}: another run is writing to this output; wait for it, or give another -o"
            ) from None

    def _read(self, options: Mapping[str, Any]) -> bool:
        """Find the lines of an earlier run and cut off incomplete ones; return False if there is none."""
        self._file.seek(0)
        at = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            try:
                value = json.loads(line)
            except ValueError:
                break
            if at == 0:
                self._check(value, options)
            else:
                self._places[value["job"]] = at, len(line)
            at += len(line)
        self._file.seek(at)
        self._file.truncate()
        return at > 0

    def _check(self, first: Any, options: Mapping[str, Any]) -> None:
        if not isinstance(first, dict) or first.get("kind") != _KIND:
            raise ValueError(f"{self.path} is no journal of structiou project; remove it, or give another -o")
        before = first["options"]
        differ = [
            f"{name} was {_shown(before, name)}, now {_shown(options, name)}"
            for name in sorted({*before, *options})
            if before.get(name) != options.get(name)
        ]
        if differ:
            raise ValueError(
                f"{self.path}: this output was begun with other options: {'; '.join(differ)}. Give the same "
                "to finish it, another -o, or remove that file to begin anew"
            )

    def find(self, key: str) -> Answer | None:
        """Return the outcome of a job, or None if it is not done."""
        place = self._places.get(key)
        if place is None:
            return None
        self._file.seek(place[0])
        value = json.loads(self._file.read(place[1]))
        rows = [Row(*row) for row in value["rows"]]
        rows = [row._replace(report=Report(*row.report)) for row in rows]
        return Answer(rows, value["guesses"], value["warning"])

    def add(self, key: str, answer: Answer) -> None:
        """Write down the outcome of a job."""
        self._places[key] = self._write({"job": key, **answer._asdict()})

    def _write(self, value: Any) -> tuple[int, int]:
        line = json.dumps(value).encode() + b"\n"
        at = self._file.seek(0, os.SEEK_END)
        self._file.write(line)
        self._file.flush()
        return at, len(line)

    def close(self) -> None:
        """Close the journal."""
        self._file.close()


def _shown(options: Mapping[str, Any], name: str) -> str:
    return json.dumps(options[name], ensure_ascii=False) if name in options else "not given"


def job_key(job: Job) -> str:
    """Return a key that differs between jobs, and between runs of a job whose files have changed."""
    files = [_state(path) for path in (job.trees.place, job.recording, job.marks) if path]
    # A missing recording is no part of it: when it is there, it is another job.
    return sha256(json.dumps([job, files]).encode()).hexdigest()


def _state(path: str) -> list[int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


# The number of jobs from which `auto` starts several processes: with sound, and without.
_PAYS = {True: 4, False: 500}
_N_POOREST = 3
_DIED = "its process died; was there too little memory, or does the aligner crash?"


class Summary(NamedTuple):
    """The outcome of a run.

    >>> summary = project_corpus([])
    >>> summary.n_jobs, summary.n_failed, summary.n_trees
    (0, 0, 0)

    Attributes:
        n_jobs: How many jobs there were.
        n_kept: How many of them an earlier run had done.
        total: The counts of leaves and words of all trees that did not fail.
        failed: The name and the reason of each tree, or of a whole recording, that failed.
        n_failed: How many trees failed.
        guesses: The words whose pronunciation was guessed.
        poorest: The share of characters that match, and the name, of the trees where it is least.
        warnings: The warnings, by recording.
    """

    n_jobs: int
    n_kept: int
    total: Report
    failed: tuple[tuple[str, str], ...]
    n_failed: int
    guesses: tuple[str, ...]
    poorest: tuple[tuple[float, str], ...]
    warnings: Mapping[str, str]

    @property
    def n_trees(self) -> int:
        """Return the number of all trees."""
        return self.total.n_trees + self.n_failed


class CorpusError(ValueError):
    """Some trees of a run could not be projected; all others were.

    >>> error = CorpusError([("a.mrg:1", "no words")], n_failed=1, n_trees=20)
    >>> print(str(error).splitlines()[0])
    1 of 20 trees failed:

    Attributes:
        failed: The name and the reason of each tree that failed.
        output: The text to be printed although some trees failed.
    """

    def __init__(
        self, failed: Sequence[tuple[str, str]], n_failed: int, n_trees: int, output: str = ""
    ) -> None:
        self.failed = tuple(failed)
        self.output = output
        lines = ["  " + tell_failure(name, reason).replace("\n", "\n    ") for name, reason in failed]
        super().__init__("\n".join([f"{n_failed} of {count(n_trees, 'tree')} failed:", *lines]))


def tell_failure(name: str, reason: str) -> str:
    """Return the name and the reason of a failed tree; a reason that begins with the name is enough."""
    return reason if reason.startswith(name) else f"{name}: {reason}"


def project_corpus(
    jobs: Sequence[Job],
    settings: Settings = Settings(),  # noqa: B008 - it never changes
    *,
    output: str | None = None,
    report_to: str | None = None,
    workers: int | str = 1,
    progress: bool = False,
    take: Take | None = None,
) -> Summary:
    """Project jobs, and go on after those that fail.

    >>> import pathlib, tempfile
    >>> from structiou_metric.speech import pair_by_name
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in {"a.mrg": "(S (PRP we))", "a.json": '[["we", 0, 0.5]]'}.items():
    ...         size = pathlib.Path(folder, name).write_text(text)
    ...     jobs = pair_by_name(f"{folder}/*.mrg", f"{folder}/*.json", sound=False)
    ...     summary = project_corpus(jobs, take=lambda job, rows: print(rows[0].line))
    (S (PRP we<0.0,0.5>))

    Args:
        jobs: The jobs, from `pair_by_name` or `read_table`, or made by hand.
        settings: How jobs are done.
        output: Where the trees go: a folder, if it is one or its name ends in a slash, with a treebank for
            each recording, or a file. A journal next to it records finished jobs until all are
            done: a run with the same output reads it, and does the jobs that are missing or failed.
        report_to: A file for a report on each tree, as `outputs.write_report` writes it.
        workers: The number of processes, or `auto`: one for each processor if there is enough to do. Each has
            an aligner of its own; with 1 the work is done in this process.
        progress: Whether a terminal shows a progress bar when this takes long.
        take: A function that is called with each job and the rows of its trees, in the order of the jobs.

    Raises:
        ValueError: If the output was begun with other options; or at the first tree that fails, if
            `on_error` is `raise`.
    """
    settings.checked()
    show = progress and len(jobs) == 1  # which has parts of its own to be watched
    tally = _Tally()
    done: dict[int, Answer | None] = {}  # by job that waits for those before it; None is in the journal
    with ExitStack() as files:
        journal, keys = None, []
        if output is not None:
            path = output.rstrip("/" + os.sep) + ENDING
            journal = files.enter_context(closing(Journal(path, settings.as_dict())))
            keys = [job_key(job) for job in jobs]
            found = ((number, journal.find(key)) for number, key in enumerate(keys))
            done = {number: None for number, answer in found if answer is not None and not answer.failed}
        n_kept = len(done)
        todo = [(number, job) for number, job in enumerate(jobs) if number not in done]
        takes = [] if take is None else [take]
        if output is not None and is_folder(output):
            takes.append(FolderOutput(output, jobs, settings.on_error).take)
        elif output is not None:
            takes.append(write_trees(files.enter_context(open_output(output)), settings.on_error))
        elif take is None:
            takes.append(write_trees(sys.stdout, settings.on_error))
        if report_to is not None:
            takes.append(write_report(files.enter_context(open_output(report_to))))
        bar = files.enter_context(Progress(len(jobs), "projecting", show=progress and not show))
        answers = files.enter_context(closing(_answers(todo, settings, workers, show)))
        bar.add(n_kept)
        emitted = 0
        while True:
            while emitted in done:
                ready = done.pop(emitted)
                if ready is None and journal is not None:
                    ready = journal.find(keys[emitted])
                if ready is not None:
                    tally.add(jobs[emitted], ready)
                    for give in takes:
                        give(jobs[emitted], ready.rows)
                emitted += 1
            following = next(answers, None)
            if following is None:
                break
            number, answer = following
            if settings.on_error == "raise" and answer.failed:
                failed = next(row for row in answer.rows if row.reason)
                raise ValueError(tell_failure(failed.name, failed.reason))
            if journal is not None:
                journal.add(keys[number], answer)
            done[number] = None if journal is not None else answer
            bar.add(1)
    summary = tally.summary(len(jobs), n_kept)
    if journal is not None and not summary.failed:  # nothing is left to do
        os.unlink(journal.path)
    return summary


def is_folder(output: str) -> bool:
    """Return whether an output is a folder, because it is one or is written like one."""
    return os.path.isdir(output) or output.endswith(("/", os.sep))


def _answers(
    tasks: Sequence[tuple[int, Job]], settings: Settings, workers: int | str, show: bool
) -> Generator[tuple[int, Answer], None, None]:
    """Yield the answers of jobs as they are ready."""
    with_sound = any(job.is_sound and not job.problem for _, job in tasks)
    n_workers = min(count_workers(workers, pays=len(tasks) >= _PAYS[with_sound]), max(len(tasks), 1))
    if n_workers > 1:
        yield from _answers_of_processes(tasks, settings, with_sound, n_workers)
        return
    worker = Worker(settings, show=show)
    if with_sound:
        worker.prepare()
    for number, job in tasks:
        yield number, worker.answer(job)


def _answers_of_processes(
    tasks: Sequence[tuple[int, Job]], settings: Settings, with_sound: bool, n_workers: int
) -> Generator[tuple[int, Answer], None, None]:
    """Yield the answers of processes as they are ready.

    A process that dies breaks its pool, and it is unknown which job it was doing. So jobs that were handed
    out then are done again, each in a process of its own: one that ends this process, too, has failed.
    """
    waiting, suspects = deque(tasks), deque[tuple[int, Job]]()
    while waiting or suspects:
        alone = bool(suspects)
        todo = deque([suspects.popleft()]) if alone else waiting
        n_processes = 1 if alone else n_workers
        handed: dict[Future[Answer], tuple[int, Job]] = {}
        # Started from scratch rather than forked: nothing of this process's threads and locks is copied.
        pool = ProcessPoolExecutor(n_processes, get_context("spawn"), _begin_process)
        try:
            while todo or handed:
                with _interrupts_held():  # processes are started when the first job is handed out
                    while todo and len(handed) < 2 * n_processes:
                        future = pool.submit(_answer, settings, with_sound, todo[0][1])
                        handed[future] = todo.popleft()
                for future in wait(handed, return_when=FIRST_COMPLETED).done:
                    answer = future.result()
                    yield handed.pop(future)[0], answer
        except BrokenProcessPool:
            if alone:
                [(number, job)] = handed.values()
                yield number, Worker(settings).failure(job, _DIED)
            suspects.extend(handed.values() if not alone else ())
        finally:
            pool.shutdown(cancel_futures=True)


_own_worker: list[Worker] = []  # the one of a process of the pool


def _answer(settings: Settings, with_sound: bool, job: Job) -> Answer:
    """Do a job in a process of the pool, which makes its aligner at the first one."""
    if not _own_worker:
        worker = Worker(settings)
        try:
            if with_sound:
                worker.prepare()
        except Exception as error:  # of a user's own aligner, which may not be picklable
            raise ValueError(str(error) or type(error).__name__) from None
        _own_worker.append(worker)
    return _own_worker[0].answer(job)


def _begin_process() -> None:
    """Make a process end with its parent and on interrupts, also while an aligner in C is running."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold interrupts back, also in processes started here, which would print them while they import."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Tally:
    """Adds up the outcomes of jobs."""

    def __init__(self) -> None:
        self._total = Report()
        self._failed: list[Row] = []
        self._guesses: set[str] = set()
        self._poorest: list[tuple[float, str]] = []
        self._warnings: dict[str, str] = {}

    def add(self, job: Job, answer: Answer) -> None:
        self._failed += [row for row in answer.rows if row.reason]
        done = [row for row in answer.rows if not row.reason]
        self._total = Report.total([self._total, *(row.report for row in done)])
        poorest = [*self._poorest, *((row.report.match, row.name) for row in done)]
        self._poorest = sorted(poorest)[:_N_POOREST]
        self._guesses.update(answer.guesses)
        if answer.warning:
            self._warnings[job.recording] = answer.warning

    def summary(self, n_jobs: int, n_kept: int) -> Summary:
        return Summary(
            n_jobs,
            n_kept,
            self._total,
            tuple((row.name, row.reason) for row in self._failed),
            sum(row.n_trees for row in self._failed),
            tuple(sorted(self._guesses)),
            tuple(self._poorest),
            self._warnings,
        )
