"""Tasks that several threads do, of which the one that asks for the results is the first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from threading import Lock, Thread
from typing import Any

_AHEAD = 4  # tasks a thread that may wait to be done, or to be taken when done


class _Job:
    """A task that one thread does, while another may wait for it.

    Attributes:
        task: What is to be done.
        found: What came of it, once it is done.
        error: What was raised instead, if anything was.
    """

    __slots__ = ("_undone", "error", "found", "task")

    def __init__(self, task: Any) -> None:
        self.task = task
        self.found: Any = None
        self.error: BaseException | None = None
        self._undone = Lock()
        self._undone.acquire()

    @property
    def is_done(self) -> bool:
        """Whether there is a result or an error."""
        return not self._undone.locked()

    def do(self, run: Callable[[Any], Any]) -> None:
        """Does the task; what asks the program to end is raised at once, too."""
        try:
            self.found = run(self.task)
        except BaseException as error:
            self.error = error
            if not isinstance(error, Exception):
                raise
        finally:
            self._undone.release()

    def wait(self) -> None:
        """Waits for the thread that does the task."""
        self._undone.acquire()
        self._undone.release()


def run_in_threads(
    run: Callable[[Any], Any], tasks: Iterable[Any], n_threads: int
) -> Iterator[tuple[Any, Any]]:
    """Each task and what `run` makes of it, in order; what it raises is raised in the place of that.

    This thread goes through the tasks, and does some itself rather than wait: where it only handed them out,
    it would wake up for each, and interrupt one of those that do them. Other threads end when nothing is left
    to do, and are begun anew when there is, so that none waits for a caller who has stopped asking.

    >>> list(run_in_threads(lambda task: task * task, [1, 2, 3], 2))
    [(1, 1), (2, 4), (3, 9)]

    Args:
        run: A function of a task, which several threads may call at once.
        tasks: The tasks, of which only some at a time are asked for ahead of the results.
        n_threads: How many threads there are, this one included.
    """
    jobs: deque[_Job] = deque()  # in order, up to the first whose result was not taken
    waiting: deque[_Job] = deque()  # those of them that no thread has begun
    helpers: list[Thread] = []
    n_helpers = 0  # those that will look for a waiting job once more
    guard = Lock()  # of what is waiting, and of that number

    def begin() -> _Job | None:
        with guard:
            return waiting.popleft() if waiting else None

    def help_out() -> None:
        nonlocal n_helpers
        while True:
            with guard:
                if not waiting:
                    n_helpers -= 1
                    return
                job = waiting.popleft()
            job.do(run)

    def add(task: Any) -> None:
        nonlocal n_helpers
        job = _Job(task)
        jobs.append(job)
        with guard:
            waiting.append(job)
            needs_help = n_helpers < n_threads - 1
            n_helpers += needs_help
        if needs_help:
            helpers[:] = filter(Thread.is_alive, helpers)
            helpers.append(Thread(target=help_out))
            helpers[-1].start()

    def take() -> tuple[Any, Any]:
        first = jobs[0]
        while not first.is_done:
            job = begin()
            if job is None:
                first.wait()
            else:
                job.do(run)
        jobs.popleft()
        if first.error is not None:
            raise first.error
        return first.task, first.found

    try:
        for task in tasks:
            add(task)
            if len(jobs) >= _AHEAD * n_threads:
                yield take()
                while jobs and jobs[0].is_done:
                    yield take()
        while jobs:
            yield take()
    finally:
        with guard:
            waiting.clear()
        for helper in helpers:
            helper.join()
