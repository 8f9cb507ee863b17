"""Tasks shared out among processes, of which one may die without taking the others along.

Unlike the pools of the standard library, this one knows which task a process died of, goes on with a new one,
and leaves none behind when it is killed itself: a process ends when nobody is at the other end of its pipe.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from pickle import dumps
from typing import Any, NamedTuple

_CAN_HOLD = hasattr(signal, "pthread_sigmask")  # not on Windows
_AHEAD = 2  # tasks that a process has at a time
_SMALL = 16_384  # bytes that a pipe surely holds

Maker = Callable[[Any], Callable[[Any], Any]]  # makes, in a process, the function that does its tasks


class Died(NamedTuple):
    """The answer of a process that ended in the midst of its task."""

    code: int | None  # what it exited with; less than 0 is the number of a signal

    def __str__(self) -> str:
        if self.code is not None and self.code < 0:
            try:
                name = signal.Signals(-self.code).name
            except ValueError:
                name = f"signal {-self.code}"
            return f"its process was ended by {name}; was there too little memory, or does the aligner crash?"
        return f"its process ended with code {self.code}; does the aligner crash?"


def spread(maker: Maker, argument: Any, tasks: Iterable[Any], workers: int) -> Iterator[tuple[Any, Any]]:
    """Has processes do tasks; gives each task with its answer as they come, `Died` where there is none.

    Args:
        maker: A function of a module; `maker(argument)` makes what is called with each task.
        argument: The argument of `maker`, once for each process.
        tasks: The tasks, which go through a pipe.
        workers: The number of processes.

    Raises:
        ValueError: If `maker` fails, with what it says.
    """
    waiting = deque(tasks)
    processes: list[_Process] = []
    try:
        processes += [_Process(maker, argument) for _ in range(workers)]
        while processes:
            by_pipe = {process.pipe: process for process in processes}
            for pipe in wait(list(by_pipe)):
                process = by_pipe[pipe]  # type: ignore[index]
                starting = not process.started
                answer = process.receive()
                if starting and answer is not None:
                    raise ValueError(str(answer))
                if not starting:
                    yield process.tasks.popleft(), answer
                if isinstance(answer, Died):
                    waiting.extendleft(reversed(process.tasks))  # which it had not begun
                    process.tasks.clear()
                    if waiting:
                        processes.append(_Process(maker, argument))
                else:
                    process.feed(waiting, workers)
                if not process.tasks:
                    process.close()
                    processes.remove(process)
    finally:
        for process in processes:
            process.close(at_once=True)


class _Process:
    """A process, and what it does.

    Attributes:
        pipe: The pipe to the process.
        tasks: The tasks that it has, the one that it does first.
        started: Whether it is ready to do any.
    """

    def __init__(self, maker: Maker, argument: Any) -> None:
        # Started anew rather than forked: nothing of this process's threads and locks is copied.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, maker, argument), daemon=True)
        with _interrupts_held():
            self._process.start()
        theirs.close()
        self.tasks: deque[Any] = deque()
        self.started = False

    def receive(self) -> Any:
        """The answer of the process to the first of its tasks, or to being started."""
        self.started = True
        try:
            return self.pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            return Died(self._process.exitcode)

    def feed(self, waiting: deque[Any], workers: int) -> None:
        """Hands over a task, and one ahead, so that it need not wait for this process to wake up.

        The last tasks go one by one to whoever has nothing to do. None that a pipe may not hold goes ahead:
        both ends would wait for each other. If the process has died, its answer will say so.
        """
        while waiting and len(self.tasks) < (_AHEAD if len(waiting) > _AHEAD * workers else 1):
            data = dumps(waiting[0])
            if self.tasks and len(data) > _SMALL:
                return
            self.tasks.append(waiting.popleft())
            with suppress(ConnectionError):
                self.pipe.send_bytes(data)

    def close(self, *, at_once: bool = False) -> None:
        """Ends the process, if need be in the midst of its task."""
        self.pipe.close()
        if at_once:
            self._process.terminate()
        self._process.join()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Holds interrupts back, also in a process that is started here, until it says what they do.

    Else one that is still importing would tell of them at length.
    """
    if not _CAN_HOLD:
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # which would let them go, if it was started with the first process
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Any, maker: Maker, argument: Any) -> None:
    """Does tasks in a process, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an aligner written in C would not hear of it
    if _CAN_HOLD:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    try:
        try:
            do = maker(argument)
        except Exception as error:
            pipe.send(str(error) or type(error).__name__)
            return
        pipe.send(None)
        while True:
            pipe.send(do(pipe.recv()))
    except (EOFError, ConnectionError):
        return
