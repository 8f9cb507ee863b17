"""Tasks that several threads do: order, errors, and what is left behind."""

import threading
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.metrics.threads import run_in_threads
from support.examples import examples

_LONG = 120  # seconds after which a wait has failed


def waits_for_both():
    """A task's work that ends only when two threads do it at once."""
    barrier = threading.Barrier(2)

    def run(task):
        barrier.wait(_LONG)
        return task, threading.current_thread()

    return run


@examples(50)
@given(st.lists(st.integers()), st.integers(2, 5))
def test_results_come_in_the_order_of_tasks(tasks, n_threads):
    found = list(run_in_threads(lambda task: -task, iter(tasks), n_threads))
    assert found == [(task, -task) for task in tasks]


def test_two_threads_work_at_once_and_the_caller_is_one_of_them():
    found = list(run_in_threads(waits_for_both(), range(20), 2))
    assert [task for task, _ in found] == list(range(20))
    threads = {thread for _, (_, thread) in found}
    assert len(threads) >= 2  # others may have ended and begun anew
    assert threading.current_thread() in threads


def test_the_first_result_may_be_the_last_to_be_there():
    """A thread that is late keeps nobody from working on, but for the bound on what is ahead."""
    done_by_others = threading.Semaphore(0)

    def run(task):
        if task == 0:
            for _ in range(3):
                assert done_by_others.acquire(timeout=_LONG)
        else:
            done_by_others.release()
        return task

    assert list(run_in_threads(run, range(12), 2)) == [(task, task) for task in range(12)]


def test_tasks_are_asked_for_by_the_caller_and_not_far_ahead():
    asked = []

    def tasks():
        for task in range(100):
            asked.append((task, threading.current_thread()))
            yield task

    for task, _ in run_in_threads(lambda task: task, tasks(), 2):
        assert asked[-1][0] < task + 16
    assert {thread for _, thread in asked} == {threading.current_thread()}


def test_an_error_is_raised_in_its_place_and_ends_the_rest():
    def run(task):
        if task in (5, 6):
            raise ValueError(f"task {task}")
        return task

    before = threading.active_count()
    found = run_in_threads(run, count(), 3)
    assert [next(found) for _ in range(5)] == [(task, task) for task in range(5)]
    with pytest.raises(ValueError, match=r"^task 5$"):
        next(found)
    assert threading.active_count() == before
    assert list(found) == []


def test_an_error_of_the_tasks_themselves_is_raised():
    def tasks():
        yield 1
        raise OSError("no more")

    before = threading.active_count()
    with pytest.raises(OSError, match="no more"):
        list(run_in_threads(lambda task: task, tasks(), 2))
    assert threading.active_count() == before


def test_who_stops_asking_leaves_no_thread_behind():
    """A thread that is still at work is waited for; what nobody has begun is not done."""
    caller = threading.current_thread()
    helped, asked_enough = threading.Event(), threading.Event()
    done = []

    def run(task):
        if threading.current_thread() is caller:
            assert helped.wait(_LONG)
        elif task > 0:
            helped.set()
            assert asked_enough.wait(_LONG)
        done.append(task)

    before = threading.active_count()
    found = run_in_threads(run, count(), 2)
    next(found)
    assert threading.active_count() == before + 1
    asked_enough.set()
    found.close()
    assert threading.active_count() == before
    assert len(done) < 20


def test_an_interrupt_of_the_caller_is_raised_at_once():
    caller, interrupted = threading.current_thread(), threading.Event()

    def run(task):
        if threading.current_thread() is caller:
            interrupted.set()
            raise KeyboardInterrupt
        assert interrupted.wait(_LONG)

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        list(run_in_threads(run, range(100), 2))
    assert threading.active_count() == before
