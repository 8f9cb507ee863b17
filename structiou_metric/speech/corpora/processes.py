"""Tasks shared out among processes, of which one may die without taking the others along.

Unlike the pools of the standard library, this one knows which task a process died of, goes on with a new one,
and leaves none behind when it is killed itself: a process ends when nobody is at the other end of its pipe.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import Any, NamedTuple

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
    """Has processes do tasks; gives each with its answer as they come, `Died` where there is none.

    Args:
        maker: A function of a module; `maker(argument)` makes what is called with each task.
        argument: Its argument, once for each process.
        tasks: What goes through a pipe.
        workers: How many processes.

    Raises:
        ValueError: If `maker` fails, with what it says.
    """
    waiting = iter(tasks)
    processes: list[_Process] = []
    try:
        processes += [_Process(maker, argument) for _ in range(workers)]
        while processes:
            by_pipe = {process.pipe: process for process in processes}
            for pipe in wait(list(by_pipe)):
                process = by_pipe[pipe]  # type: ignore[index]
                task, answer = process.receive()
                if task is not _STARTING:
                    yield task, answer
                elif answer is not None:
                    raise ValueError(str(answer))
                if isinstance(answer, Died):
                    process.close()
                    processes[processes.index(process)] = process = _Process(maker, argument)
                elif not process.send(waiting):
                    process.close()
                    processes.remove(process)
    finally:
        for process in processes:
            process.close(at_once=True)


_STARTING = object()  # the task of a process that has had none


class _Process:
    """A process, and what it does."""

    def __init__(self, maker: Maker, argument: Any) -> None:
        # Started anew rather than forked: nothing of this process's threads and locks is copied.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, maker, argument), daemon=True)
        self._process.start()
        theirs.close()
        self._task: Any = _STARTING

    def receive(self) -> tuple[Any, Any]:
        """The task and its answer."""
        try:
            return self._task, self.pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            return self._task, Died(self._process.exitcode)

    def send(self, tasks: Iterator[Any]) -> bool:
        """Hands over the next task, if there is one; if the process has died, its answer will say so."""
        try:
            self._task = next(tasks)
        except StopIteration:
            return False
        with suppress(ConnectionError):
            self.pipe.send(self._task)
        return True

    def close(self, *, at_once: bool = False) -> None:
        """Ends the process, if need be in the midst of its task."""
        self.pipe.close()
        if at_once:
            self._process.terminate()
        self._process.join()


def _serve(pipe: Any, maker: Maker, argument: Any) -> None:
    """What a process does: tasks, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an aligner written in C would not hear of it
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
