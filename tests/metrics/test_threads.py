"""Tasks that several threads do: order, errors, and what is left behind."""

import threading
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.metrics.runner import run_in_threads
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


def test_two_threads_work_at_once():
    found = list(run_in_threads(waits_for_both(), range(20), 2))
    assert [task for task, _ in found] == list(range(20))
    assert len({thread for _, (_, thread) in found}) == 2


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
    """Threads that are still at work are waited for; what nobody has begun is not done."""
    done = []
    before = threading.active_count()
    found = run_in_threads(done.append, count(), 2)
    next(found)
    assert threading.active_count() > before
    found.close()
    assert threading.active_count() == before
    assert len(done) < 20
