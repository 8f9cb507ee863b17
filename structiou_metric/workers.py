"""The number of threads or processes that share the work."""

from __future__ import annotations

import os

AUTO = "auto"


def usable_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | str) -> None:
    """Raise an error for values other than `auto` and whole numbers from 1 on."""
    if workers != AUTO and (isinstance(workers, str) or workers < 1):
        raise ValueError(f"workers must be at least 1, or {AUTO!r}, not {workers!r}")


def count_workers(workers: int | str, *, pays: bool, most: int | None = None) -> int:
    """Return the number asked for; for `auto`, the number of processors if sharing pays, else 1.

    Args:
        workers: The number of threads or processes, or `auto`.
        pays: Whether there is enough to do.
        most: The number that `auto` stops at.
    """
    check_workers(workers)
    if not isinstance(workers, str):
        return workers
    cores = usable_cores() if pays else 1
    return min(cores, most or cores)
